"""OpenAI's Responses API, and every server that speaks the same: requests out, replies in."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, assert_never

from magic_tools.chat import CallPiece, Capabilities, FinishReason, ModelReply, Piece, ReplyPart, TextPiece, ToolChoice
from magic_tools.errors import ModelError
from magic_tools.messages import Message, Part, ProviderPart, TextPart, ToolCall, ToolResult, Usage
from magic_tools.models.payloads import AnsweredError, arguments_text, count_of, shortened, text_of, tool_calls
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

_INCOMPLETE: Mapping[str, FinishReason] = {"max_output_tokens": "length", "content_filter": "content_filter"}

# What ResponseReasoningItemParam takes (openai 3.57), where it is not None.
_REASONING_KEYS = ("type", "id", "summary", "content", "encrypted_content", "status")

_LONGEST_CALL_ID = 64  # openai-openapi 2.3.0, August 2026


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
    return {"type": "function_call", "call_id": _call_id(call.id), "name": call.name, "arguments": arguments}


def _encode_result(result: ToolResult) -> JsonObject:
    return {"type": "function_call_output", "call_id": _call_id(result.call_id), "output": result.content}


def _call_id(call_id: str) -> str:
    """The id of a call as the server takes it, the same for the same id."""
    if 0 < len(call_id) <= _LONGEST_CALL_ID:
        return call_id
    return f"call_{hashlib.sha256(call_id.encode(errors='backslashreplace')).hexdigest()[:32]}"


def _decode(payload: Mapping[str, Any]) -> ModelReply:
    """The reply in the body of a response; ModelError if there is none.

    Call ids are made non-empty and unique within the reply. A refusal's words are its text. What is neither text nor
    a function's call is a part of the provider's own, at its place.
    """
    items = _output(payload)
    said = [(item.get("call_id"), item.get("name"), item.get("arguments")) for item in items if _is_call(item)]
    calls = iter(tool_calls(said))
    parts: list[ReplyPart] = []
    is_refused = False
    for item in items:
        if _is_call(item):
            parts.append(next(calls))
        elif item.get("type", "message") == "message":
            is_refused |= _decode_message(item, parts)
        else:
            parts.append(ProviderPart(_NAME, json.dumps(item, ensure_ascii=False), _summary(item)))
    return ModelReply(
        parts=tuple(parts),
        finish="refusal" if is_refused else _finish(payload, has_calls=bool(said)),
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
        case {"output": [*items]}:
            return [item for item in items if isinstance(item, Mapping)]
        case Mapping():
            raise ModelError(f"the answer holds no list of output: {shortened(payload)}")
        case _:
            raise ModelError(f"the answer is not a JSON object: {shortened(payload)}")


def _is_call(item: Mapping[str, Any]) -> bool:
    return item.get("type") == "function_call"


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


def _finish(payload: Mapping[str, Any], *, has_calls: bool) -> FinishReason | None:
    match payload:
        case {"status": "completed"}:
            return "tool_calls" if has_calls else "stop"
        case {"status": "incomplete", "incomplete_details": {"reason": str(reason)}}:
            return _INCOMPLETE.get(reason, "other")
        case {"status": str()}:
            return "other"
        case _:
            return None


def _usage(usage: object) -> Usage:
    return Usage(
        input_tokens=count_of(usage, "input_tokens"),
        output_tokens=count_of(usage, "output_tokens"),
        cached_tokens=count_of(usage, "input_tokens_details", "cached_tokens"),
        reasoning_tokens=count_of(usage, "output_tokens_details", "reasoning_tokens"),
    )


class _Reader:
    """Reads the events of a streamed response."""

    def __init__(self) -> None:
        self._items: list[_GrowingItem] = []
        self._latest: dict[tuple[str, int | str], _GrowingItem] = {}
        self._calls = 0
        self._model = ""
        self._final: JsonObject | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the event came that ends a response."""
        return self._final is not None

    def feed(self, event: Mapping[str, Any]) -> Iterable[Piece]:
        """What an event brings that is new; the events that end an item or a text only say again what came."""
        match event:
            case {"type": "response.output_text.delta", "delta": str(delta)} if delta:
                self._found("message", event).fragments.append(delta)
                return (TextPiece(delta),)
            case {"type": "response.function_call_arguments.delta", "delta": str(delta)} if delta:
                return self._found("function_call", event).grown(delta)
            case {"type": "response.refusal.delta", "delta": str(delta)}:
                self._found("message", event).refusals.append(delta)
            case {"type": "response.output_item.added", "item": Mapping() as item}:
                return self._begun(item, event).grown("")
            case {"type": "response.output_item.done", "item": Mapping() as item}:
                found = self._found(text_of(item.get("type")), {"item_id": item.get("id"), **event})
                found.item, found.is_whole = item, True
            case {"type": "response.failed", "response": {"error": error}} | {"error": error} if error:
                raise AnsweredError(error)
            case {"type": "error" | "response.failed"}:
                raise AnsweredError(event)
            case {"type": "response.completed" | "response.incomplete" as ended}:
                response = event.get("response")
                held = response if isinstance(response, Mapping) else {}
                self._final = {"status": ended.removeprefix("response."), **held}
            case {"response": {"model": str(model)}}:
                self._model = model
            case _:
                pass
        return ()

    def _found(self, kind: str, event: Mapping[str, Any]) -> _GrowingItem:
        """The item that an event speaks of: by its index, else its id; a new one if none is known."""
        index, item_id = event.get("output_index"), text_of(event.get("item_id"))
        found = self._latest.get((kind, index if isinstance(index, int) else item_id))
        return found or self._begun({"type": kind, "id": item_id}, event)

    def _begun(self, item: Mapping[str, Any], event: Mapping[str, Any]) -> _GrowingItem:
        index, kind = event.get("output_index"), text_of(item.get("type"))
        order = index if isinstance(index, int) else len(self._items)
        begun = _GrowingItem(item, order, self._calls)
        self._calls += kind == "function_call"
        self._items.append(begun)
        self._latest[kind, order] = self._latest[kind, text_of(item.get("id"))] = begun
        return begun

    def payload(self) -> JsonObject:
        """What has come, as the body of a response; the one that the last event holds, where it holds the output."""
        final = self._final or {}
        came = [item.written() for item in sorted(self._items, key=lambda item: item.order)]
        return {"model": self._model, **final, "output": final.get("output") or [item for item in came if item]}


@dataclass(slots=True)
class _GrowingItem:
    """An item of output whose fragments arrive: of the text of a message, or of the arguments of a call."""

    item: Mapping[str, Any]
    order: int
    place: int
    is_whole: bool = False
    fragments: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def grown(self, arguments: str) -> Iterable[Piece]:
        """The piece that a fragment of arguments adds; none to what is no call."""
        self.fragments.append(arguments)
        if not _is_call(self.item) or not (name := text_of(self.item.get("name"))):
            return ()
        return (CallPiece(self.place, text_of(self.item.get("call_id")), name, arguments),)

    def written(self) -> JsonObject | None:
        """The item as a response that was not streamed has it; None for one of the provider's own that is not whole."""
        came: Any
        text, refusal = "".join(self.fragments), "".join(self.refusals)
        match self.item.get("type"):
            case "function_call":
                key, came = "arguments", text
            case "message":
                said = {"type": "output_text", "text": text}, {"type": "refusal", "refusal": refusal}
                key, came = "content", [each for each, words in zip(said, (text, refusal), strict=True) if words]
            case _:
                return dict(self.item) if self.is_whole else None
        own = self.item.get(key)
        return {**self.item, key: (own or came) if self.is_whole else (came or own)}


WIRE = Wire(
    name=_NAME,
    prefix=_NAME,
    path="/responses",
    dialect="openai-responses",
    body=_body,
    decode=_decode,
    reader=_Reader,
    able=_able,
    fields=_FIELDS,
    flavour=Flavour("openai"),
)
