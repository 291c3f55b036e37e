"""OpenAI's Responses API, and every server that speaks the same: requests out, replies in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, assert_never

from magic_tools.chat import Capabilities, FinishReason, ModelReply, ReplyPart, ToolChoice
from magic_tools.errors import ModelError
from magic_tools.messages import Message, Part, ProviderPart, TextPart, ToolCall, ToolResult, Usage
from magic_tools.models.openai_responses_stream import ResponsesReader, is_call
from magic_tools.models.payloads import (
    AnsweredError,
    arguments_text,
    count_of,
    short_id,
    shortened,
    text_of,
    tool_calls,
)
from magic_tools.models.wire import OF_OPENAI, Flavour, Prepared, Wire
from magic_tools.values import JsonObject

__all__ = ["WIRE"]

_NAME = "openai-responses"

# The parameters of openai 3.57, November 2026: it has no seed and no stop.
_FIELDS = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_output_tokens"}

# By the names that openai 3.57 lists. Models that do not reason refuse the contents of reasoning to be included, and
# reasoning among their input; of a name that is in neither table, what came is sent back, and nothing is included.
_THINKS = re.compile(r"(ft:)?(o\d|gpt-[5-9](?!.*-chat))")
_NEVER_THINKS = re.compile(r"(ft:)?(gpt-[34]|chatgpt-|gpt-5-chat)")

# What ResponseReasoningItemParam takes (openai 3.57), where it is not None.
_REASONING_KEYS = ("type", "id", "summary", "content", "encrypted_content", "status")

_call_id = partial(short_id, longest=64)  # openai-openapi 2.3.0, August 2026


def _able(model: str) -> Capabilities:
    return replace(OF_OPENAI, thinking=_THINKS.match(model) is not None)


class _Replay(NamedTuple):
    """Which earlier reasoning a server can be sent: `is_taken` if any, `is_stored` if it finds its own by the id."""

    is_taken: bool
    is_stored: bool

    def of(self, item: JsonObject) -> JsonObject | None:
        """An item of reasoning as it is sent; None where the server would refuse it."""
        if not self.is_taken or not (self.is_stored or item.get("encrypted_content")):
            return None
        return {key: item[key] for key in _REASONING_KEYS if item.get(key) is not None}


def _body(prepared: Prepared) -> JsonObject:
    request, form, thinks = prepared.request, prepared.form, prepared.capabilities.thinking
    is_stored = prepared.settings.extra.get("store", not thinks) is not False
    replay = _Replay(_NEVER_THINKS.match(prepared.model) is None, is_stored)
    items = [item for message in request.messages for item in _encode_message(message, replay)]
    payload: JsonObject = {"model": prepared.model, "input": items}
    if thinks:
        # So that its reasoning can be sent back to it without the provider keeping the conversation.
        payload |= {"store": False, "include": ["reasoning.encrypted_content"]}
    if form.tools:
        payload["tools"] = list(form.tools)
        if request.tool_choice != "auto":
            payload["tool_choice"] = _encode_choice(request.tool_choice)
    if request.output is not None and form.output is not None:
        written = {"name": request.output.name, "schema": form.output.schema, "strict": form.output.strict}
        payload["text"] = {"format": {"type": "json_schema", **written}}
    if prepared.streamed:
        payload["stream"] = True
    return payload


def _encode_choice(choice: ToolChoice) -> str | JsonObject:
    return choice if choice in ("none", "required") else {"type": "function", "name": choice}


def _encode_message(message: Message, replay: _Replay) -> Iterable[JsonObject]:
    match message.role:
        case "system" | "user":
            return [{"role": message.role, "content": message.text}] if message.text else []
        case "assistant":
            return _sent(_items_of(message.parts), replay)
        case "tool":
            return [_encode_result(part) for part in message.parts if isinstance(part, ToolResult)]
        case _:
            assert_never(message.role)


def _items_of(parts: Iterable[Part]) -> Iterator[JsonObject]:
    """The items of a model's turn, in their order: texts that follow each other are one message."""
    message: JsonObject | None = None  # which the next text goes on with
    for part in parts:
        match part:
            case TextPart(text):
                if message is None:
                    message = {"role": "assistant", "content": ""}
                    yield message
                message["content"] += text
            case ToolCall():
                message = None
                yield _encode_call(part)
            case ProviderPart(wire=wire, data=data) if wire == _NAME:
                item = json.loads(data)
                message = None if "type" in item else item
                yield item
            case _:
                pass


def _sent(items: Iterable[JsonObject], replay: _Replay) -> Iterable[JsonObject]:
    """The items that a server takes: no message without a text, and no reasoning that nothing came of."""
    kept: list[JsonObject] = []
    for item in reversed(list(items)):
        if item.get("type") == "reasoning":
            if kept and (written := replay.of(item)):
                kept.append(written)
        elif "type" in item or item["content"]:
            kept.append(item)
    return reversed(kept)


def _encode_call(call: ToolCall) -> JsonObject:
    arguments = arguments_text(call.arguments)
    return {
        "type": "function_call",
        "call_id": _call_id(call.id),
        "name": call.name,
        "arguments": arguments,
    }


def _encode_result(result: ToolResult) -> JsonObject:
    return {
        "type": "function_call_output",
        "call_id": _call_id(result.call_id),
        "output": result.content,
    }


def _decode(payload: Mapping[str, Any]) -> ModelReply:
    """The reply in the body of a response; ModelError if there is none.

    Call ids are made non-empty and unique within the reply. A refusal's words are its text. What is neither text nor
    a function's call is a part of the provider's own, at its place.
    """
    items = _output(payload)
    said = [(item.get("call_id"), item.get("name"), item.get("arguments")) for item in items if is_call(item)]
    calls = iter(tool_calls(said))
    parts: list[ReplyPart] = []
    is_refused = False
    for item in items:
        if is_call(item):
            parts.append(next(calls))
        elif item.get("type", "message") == "message":
            is_refused |= _decode_message(item, parts)
        else:
            parts.append(ProviderPart(_NAME, json.dumps(item, ensure_ascii=False), _summary(item)))
    return ModelReply(
        parts=tuple(parts),
        finish="refusal" if is_refused else _finish(payload, items),
        usage=_usage(payload.get("usage")),
        model=text_of(payload.get("model")),
    )


def _output(payload: object) -> Sequence[Mapping[str, Any]]:
    """The items of a response."""
    match payload:
        case {"error": error} if error:
            raise AnsweredError(error)
        case {"status": "failed"}:
            raise AnsweredError("the response failed, and the server gives no reason")
        case {"status": "cancelled" | "queued" | "in_progress" as status}:
            raise ModelError(f"the response is {status}, and no answer")
        case {"output": [*items]}:
            return [item for item in items if isinstance(item, Mapping)]
        case Mapping():
            raise ModelError(f"the answer holds no list of output: {shortened(payload)}")
        case _:
            raise ModelError(f"the answer is not a JSON object: {shortened(payload)}")


def _decode_message(item: Mapping[str, Any], parts: list[ReplyPart]) -> bool:
    """Adds the texts of a message to the parts; whether one is a refusal.

    The phase that a message is labelled with is to be sent back, and goes before its texts.
    """
    content = item.get("content")
    said = [each for each in content if isinstance(each, Mapping)] if isinstance(content, list) else [{"text": content}]
    texts = [text_of(each.get("refusal")) or text_of(each.get("text")) for each in said]
    told = [TextPart(text) for text in texts if text]
    if told and (phase := text_of(item.get("phase"))):
        parts.append(ProviderPart(_NAME, json.dumps({"role": "assistant", "content": "", "phase": phase})))
    parts += told
    return any(each.get("type") == "refusal" for each in said)


def _summary(item: Mapping[str, Any]) -> str:
    """What a person may read of an item of reasoning."""
    told = item.get("summary") or item.get("content")
    return "\n\n".join(text for each in told if (text := text_of([each]))) if isinstance(told, list) else ""


def _finish(payload: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> FinishReason | None:
    """Why a response ended; one that is not complete, or has a call that is not, was cut."""
    is_cut = any(is_call(item) and item.get("status") in ("incomplete", "in_progress") for item in items)
    match payload:
        case {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}:
            return "content_filter"
        case {"status": "incomplete"}:
            return "length"
        case {"status": "completed"} if is_cut:
            return "length"
        case {"status": "completed"}:
            return "tool_calls" if any(map(is_call, items)) else "stop"
        case _:
            return None


def _usage(usage: object) -> Usage:
    return Usage(
        input_tokens=count_of(usage, "input_tokens"),
        output_tokens=count_of(usage, "output_tokens"),
        cached_tokens=count_of(usage, "input_tokens_details", "cached_tokens"),
        reasoning_tokens=count_of(usage, "output_tokens_details", "reasoning_tokens"),
    )


WIRE = Wire(
    name=_NAME,
    prefix=_NAME,
    path="/responses",
    dialect="openai-responses",
    body=_body,
    decode=_decode,
    reader=ResponsesReader,
    able=_able,
    fields=_FIELDS,
    flavour=Flavour("openai"),
)
