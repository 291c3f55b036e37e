"""OpenAI's chat completions, and every server that speaks the same: requests out, replies in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from magic_tools.chat import Capabilities, FinishReason, ModelReply, ToolChoice
from magic_tools.errors import ModelError
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, ToolResult, Usage
from magic_tools.models.openai_chat_stream import THOUGHTS, ChatReader, refusal_in
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

__all__ = ["OPENAI", "WIRE"]

_NAME = "openai-chat"
_call_id = partial(short_id, longest=40)  # the API's answer to longer ones (camel-ai/camel#2215, 2025)

_FINISHES: Mapping[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}

OPENAI = Flavour("openai")

_FIELDS = {
    "temperature": "temperature",
    "top_p": "top_p",
    # OpenAI's API reference in openai 3.57, November 2026: max_tokens is deprecated, and refused by reasoning models.
    "max_tokens": "max_completion_tokens",
    "seed": "seed",
    "stop": "stop",
}

_THINKS = re.compile(r"o\d|gpt-[5-9]")


def _able(model: str) -> Capabilities:
    return replace(OF_OPENAI, thinking=_THINKS.match(model) is not None)


def _body(prepared: Prepared) -> JsonObject:
    request, form, quirks = prepared.request, prepared.form, prepared.flavour.quirks
    no_text = "" if "no null content" in quirks else None
    thought = prepared.flavour is not OPENAI  # OpenAI's own service tells no thoughts here, and takes none
    messages = [
        encoded for message in request.messages for encoded in _encode_message(message, no_text, thought=thought)
    ]
    payload: JsonObject = {"model": prepared.model, "messages": messages}
    if form.tools:
        payload["tools"] = list(form.tools)
        if request.tool_choice != "auto":
            payload["tool_choice"] = _encode_choice(request.tool_choice)
    if request.output is not None and form.output is not None:
        schema, strict = form.output.schema, form.output.strict
        payload["response_format"] = (
            {"type": "json_object", "schema": schema}
            if "schema in json_object" in quirks
            else {
                "type": "json_schema",
                "json_schema": {"name": request.output.name, "schema": schema, "strict": strict},
            }
        )
    if prepared.streamed:
        payload["stream"] = True
        if "no stream options" not in quirks:
            payload["stream_options"] = {"include_usage": True}
    return payload


def _encode_choice(choice: ToolChoice) -> str | JsonObject:
    return choice if choice in ("none", "required") else {"type": "function", "function": {"name": choice}}


def _encode_message(message: Message, no_text: str | None, *, thought: bool) -> Iterator[JsonObject]:
    if message.role == "tool":
        for part in message.parts:
            if isinstance(part, ToolResult):
                yield {
                    "role": "tool",
                    "tool_call_id": _call_id(part.call_id),
                    "content": part.content,
                }
    elif calls := message.calls:
        content = message.text or no_text
        told = _thoughts_told(message) if thought else {}
        yield {"role": "assistant", "content": content, **told, "tool_calls": [_encode_call(call) for call in calls]}
    elif message.text or not any(isinstance(part, ProviderPart) for part in message.parts):
        yield {"role": message.role, "content": message.text}


def _thoughts_told(message: Message) -> JsonObject:
    """What a server told of its thoughts before it called a tool, as some want it back (DeepSeek, November 2026)."""
    told: JsonObject = {}
    for part in message.parts:
        if isinstance(part, ProviderPart) and part.wire == _NAME:
            told |= json.loads(part.data)
    return told


def _thoughts(message: Mapping[str, Any]) -> Iterator[ProviderPart]:
    """What a message tells of thoughts, under the names that servers have for it."""
    for key in THOUGHTS:
        if thought := message.get(key):
            yield ProviderPart(_NAME, json.dumps({key: thought}, ensure_ascii=False), text_of(thought))


def _encode_call(call: ToolCall) -> JsonObject:
    function = {"name": call.name, "arguments": arguments_text(call.arguments)}
    return {"id": _call_id(call.id), "type": "function", "function": function}


def _decode(payload: Mapping[str, Any]) -> ModelReply:
    """The reply in the body of a chat completion; ModelError if there is none.

    Call ids are made non-empty and unique within the reply. A refusal's words are its text.
    """
    message, finish_reason = _first_choice(payload)
    refusal = text_of(message.get("refusal")) or refusal_in(message.get("content"))
    texts = [text for text in (text_of(message.get("content")), refusal) if text]
    return ModelReply(
        parts=(*_thoughts(message), *map(TextPart, texts), *tool_calls(_sent_calls(message))),
        finish="refusal" if refusal else _finish(finish_reason),
        usage=_usage(payload.get("usage")),
        model=text_of(payload.get("model")),
    )


def _first_choice(payload: object) -> tuple[Mapping[str, Any], object]:
    """The message of the first choice, and why it ended."""
    match payload:
        case {"choices": [{"message": Mapping() as message, **rest}, *_]}:
            return message, rest.get("finish_reason")
        case {"error": error} if error:
            raise AnsweredError(error)
        case Mapping():
            raise ModelError(f"the answer holds no choice with a message: {shortened(payload)}")
        case _:
            raise ModelError(f"the answer is not a JSON object: {shortened(payload)}")


def _sent_calls(message: Mapping[str, Any]) -> Sequence[tuple[object, object, object]]:
    match message:
        case {"tool_calls": [*calls]} if calls:
            return [_sent_call(call) for call in calls]
        case {"function_call": Mapping() as call}:  # the API's older form, which some servers still speak
            return [_sent_call({"function": call})]
        case _:
            return ()


def _sent_call(call: object) -> tuple[object, object, object]:
    match call:
        case {"function": Mapping() as function, **rest}:
            return rest.get("id"), function.get("name"), function.get("arguments")
        case _:
            raise ModelError(f"the answer has a tool call without a function's name: {shortened(call)}")


def _finish(reason: object) -> FinishReason | None:
    return _FINISHES.get(reason, "other") if isinstance(reason, str) and reason else None


def _usage(usage: object) -> Usage:
    return Usage(
        input_tokens=count_of(usage, "prompt_tokens"),
        output_tokens=count_of(usage, "completion_tokens"),
        cached_tokens=count_of(usage, "prompt_tokens_details", "cached_tokens"),
        reasoning_tokens=count_of(usage, "completion_tokens_details", "reasoning_tokens"),
    )


WIRE = Wire(
    name=_NAME,
    prefix="openai",
    path="/chat/completions",
    dialect="openai-chat",
    body=_body,
    decode=_decode,
    reader=ChatReader,
    able=_able,
    fields=_FIELDS,
    flavour=OPENAI,
)
