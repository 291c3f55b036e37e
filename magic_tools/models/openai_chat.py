"""OpenAI's chat completions, and every server that speaks the same: requests out, replies in.

`encode` and `decode` are pure. `OpenAIChatModel` sends what the one makes and reads what comes back
with the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

import jiter

from magic_tools.chat import (
    Capabilities,
    FinishReason,
    ModelReply,
    ModelRequest,
    ModelSettings,
    ToolChoice,
    settings_of,
)
from magic_tools.effects.program import Call, Program
from magic_tools.effects.runners import run_async, run_sync
from magic_tools.errors import ModelError
from magic_tools.loose.phrases import printable
from magic_tools.messages import Message, TextPart, ToolCall, ToolResult, Usage
from magic_tools.models.forms import replayed, restored
from magic_tools.models.openai_sdk import OpenAIService, read_json, shortened
from magic_tools.models.transport import sent
from magic_tools.schema.dialects.requests import render_output, render_tools
from magic_tools.schema.dialects.table import Dialect
from magic_tools.values import JsonObject

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

__all__ = ["COMPATIBLE", "OPENAI", "Flavour", "OpenAIChatModel", "decode", "encode"]


@dataclass(frozen=True, slots=True)
class Flavour:
    """What OpenAI's own service and the servers that speak like it want spelled differently.

    `token_limit` is the field that bounds the output, `no_text` the content of an assistant
    message that only calls tools.
    """

    token_limit: str
    no_text: str | None


# OpenAI's API reference in openai 3.57, November 2026: max_tokens is deprecated, and refused by reasoning models.
OPENAI = Flavour("max_completion_tokens", no_text=None)
# The server in llama-cpp-python 0.3.36: it ignores max_completion_tokens, and answers a null content with status 500.
COMPATIBLE = Flavour("max_tokens", no_text="")

_DIALECT: Dialect = "openai-chat"
_DEFAULTS = ModelSettings()

_FINISHES: Mapping[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "refusal",
}


def encode(request: ModelRequest, model: str, settings: ModelSettings, flavour: Flavour = OPENAI) -> JsonObject:
    """The body of a chat completions request; a key of `settings.extra` replaces the body's own whole.

    What the request's own settings say goes before `settings`.
    """
    settings = settings_of(request, settings)
    request = replayed(request, _DIALECT)
    output = None if request.output is None else render_output(request.output, _DIALECT)
    tools = render_tools(request.tools, _DIALECT, beside=[output] if output else [])
    messages = [encoded for message in request.messages for encoded in _encode_message(message, flavour)]
    payload: JsonObject = {"model": model, "messages": messages}
    if tools:
        payload["tools"] = [written for written, _ in tools]
        if request.tool_choice != "auto":
            payload["tool_choice"] = _encode_choice(request.tool_choice)
    if request.output is not None and output is not None:
        written = {"name": request.output.name, "schema": output.schema, "strict": output.strict}
        payload["response_format"] = {"type": "json_schema", "json_schema": written}
    bounds = {"temperature": settings.temperature, flavour.token_limit: settings.max_tokens, "seed": settings.seed}
    payload |= {key: value for key, value in bounds.items() if value is not None}
    payload |= settings.extra
    return payload


def _encode_choice(choice: ToolChoice) -> str | JsonObject:
    return choice if choice in ("none", "required") else {"type": "function", "function": {"name": choice}}


def _encode_message(message: Message, flavour: Flavour) -> Iterator[JsonObject]:
    if message.role == "tool":
        for part in message.parts:
            if isinstance(part, ToolResult):
                yield {"role": "tool", "tool_call_id": part.call_id, "content": part.content}
    elif message.calls:
        content = message.text or flavour.no_text
        yield {"role": "assistant", "content": content, "tool_calls": [_encode_call(call) for call in message.calls]}
    else:
        yield {"role": message.role, "content": message.text}


def _encode_call(call: ToolCall) -> JsonObject:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": _object_text(call.arguments)},
    }


def _object_text(arguments: str) -> str:
    """Arguments as servers take them back: always an object's text, with what the model wrote kept in it."""
    if arguments.strip() in ("", "null"):
        return "{}"
    try:
        value = jiter.from_json(arguments.encode(), allow_inf_nan=False)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return arguments
    return json.dumps({"unparsed_arguments": printable(arguments)}, ensure_ascii=False)


def decode(payload: Mapping[str, Any]) -> ModelReply:
    """The reply in the body of a chat completion; ModelError if there is none.

    Call ids are made non-empty and unique within the reply. A refusal's words are its text.
    """
    message, finish_reason = _first_choice(payload)
    refusal = _text(message.get("refusal")) or _refusal(message.get("content"))
    texts = [text for text in (_text(message.get("content")), refusal) if text]
    return ModelReply(
        parts=(*map(TextPart, texts), *_calls(message)),
        finish="refusal" if refusal else _finish(finish_reason),
        usage=_usage(payload.get("usage")),
        model=_text(payload.get("model")),
    )


def _first_choice(payload: object) -> tuple[Mapping[str, Any], object]:
    """The message of the first choice, and why it ended."""
    match payload:
        case {"choices": [{"message": Mapping() as message, **rest}, *_]}:
            return message, rest.get("finish_reason")
        case {"error": error} if error:
            raise ModelError(f"the answer is an error: {shortened(error)}")
        case Mapping():
            raise ModelError(f"the answer holds no choice with a message: {shortened(payload)}")
        case _:
            raise ModelError(f"the answer is not a JSON object: {shortened(payload)}")


def _text(content: object) -> str:
    match content:
        case str():
            return content
        case [*parts]:
            return "".join(_text(part.get("text")) for part in parts if isinstance(part, Mapping))
        case _:
            return ""


def _refusal(content: object) -> str:
    """The words of a refusal that stands among the parts of a content."""
    parts = content if isinstance(content, list) else []
    return "".join(_text(part.get("refusal")) for part in parts if isinstance(part, Mapping))


def _calls(message: Mapping[str, Any]) -> Iterator[ToolCall]:
    calls = _sent_calls(message)
    given = [call.get("id") for call in calls if isinstance(call, Mapping)]
    fresh = (call_id for call_id in map("call_{}".format, count(1)) if call_id not in given)
    used: set[str] = set()
    for call in calls:
        match call:
            case {"function": {"name": str(name)} as function, **rest} if name:
                sent = rest.get("id")
                call_id = sent if isinstance(sent, str) and sent and sent not in used else next(fresh)
                used.add(call_id)
                yield ToolCall(call_id, name, _arguments(function.get("arguments")))
            case _:
                raise ModelError(f"the answer has a tool call without a function's name: {shortened(call)}")


def _sent_calls(message: Mapping[str, Any]) -> Sequence[object]:
    match message:
        case {"tool_calls": [*calls]} if calls:
            return calls
        case {"function_call": Mapping() as call}:  # the API's older form, which some servers still speak
            return [{"function": call}]
        case _:
            return ()


def _arguments(sent: object) -> str:
    match sent:
        case None:
            return ""
        case str():
            return sent
        case _:
            return json.dumps(sent, ensure_ascii=False)


def _finish(reason: object) -> FinishReason | None:
    return _FINISHES.get(reason, "other") if isinstance(reason, str) and reason else None


def _usage(usage: object) -> Usage:
    return Usage(
        input_tokens=_count(usage, "prompt_tokens"),
        output_tokens=_count(usage, "completion_tokens"),
        cached_tokens=_count(usage, "prompt_tokens_details", "cached_tokens"),
        reasoning_tokens=_count(usage, "completion_tokens_details", "reasoning_tokens"),
    )


def _count(usage: object, *path: str) -> int:
    for key in path:
        usage = usage.get(key) if isinstance(usage, Mapping) else None
    return usage if isinstance(usage, int) else 0


class OpenAIChatModel:
    """A `ChatModel` behind OpenAI's API, or behind any server of chat completions at `base_url`.

    What is not passed comes from OPENAI_API_KEY and OPENAI_BASE_URL; a server at a base URL needs no
    key, elsewhere a missing one is a ModelUnavailableError. `client` is a ready client of the SDK
    (Azure's too) in place of both: an `OpenAI` serves sync runs, an `AsyncOpenAI` async ones, and
    its maker closes it. `settings.timeout_s` bounds each try; two more are made, or as many as a ready
    client's `max_retries` says, after a timeout, a lost connection, and status 408, 409, 429 and 5xx; a
    Retry-After is kept. `settings.max_tokens` is sent as `max_completion_tokens` to OpenAI and Azure, as
    `max_tokens` to every other server.
    """

    capabilities = Capabilities(native_schema=True, object_root=True, tools=True, forced_choice=True)

    def __init__(
        self,
        model: str,
        *,
        settings: ModelSettings = _DEFAULTS,
        base_url: str | None = None,
        api_key: str | None = None,
        client: OpenAI | AsyncOpenAI | None = None,
    ) -> None:
        self._model = model
        self._settings = settings
        self._service = OpenAIService(base_url, api_key, client)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} at {self._service.host}>"

    @property
    def name(self) -> str:
        """`openai:` and the model's name."""
        return f"openai:{self._model}"

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request."""
        with self._service.failures_explained(self.name, settings_of(request, self._settings).timeout_s):
            return run_sync(self._asking(request))

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request, awaited."""
        with self._service.failures_explained(self.name, settings_of(request, self._settings).timeout_s):
            return await run_async(self._asking(request))

    def _asking(self, request: ModelRequest) -> Program[ModelReply]:
        arguments = self._arguments(request)
        response = yield from sent(Call(self._ask, (arguments,), afn=self._aask), tries=self._service.tries)
        reply = restored(decode(read_json(response.http_response.content)), request, _DIALECT)
        most = arguments["extra_body"].get(self._flavour.token_limit)
        return replace(reply, max_tokens=most if isinstance(most, int) else None)

    @property
    def _flavour(self) -> Flavour:
        return OPENAI if self._service.is_openai else COMPATIBLE

    def _ask(self, arguments: dict[str, Any]) -> Any:
        return self._service.client.chat.completions.with_raw_response.create(**arguments)

    async def _aask(self, arguments: dict[str, Any]) -> Any:
        async with self._service.async_client() as client:
            return await client.chat.completions.with_raw_response.create(**arguments)

    def _arguments(self, request: ModelRequest) -> dict[str, Any]:
        payload = encode(request, self._model, self._settings, self._flavour)
        timeout_s = settings_of(request, self._settings).timeout_s
        timeout: JsonObject = {} if timeout_s is None else {"timeout": timeout_s}
        # What extra_body holds replaces the named arguments, so the payload is sent as it was encoded.
        return {"model": payload["model"], "messages": payload["messages"], "extra_body": payload, **timeout}
