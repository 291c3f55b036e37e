"""The Responses API: the table of what comes in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from openai.types.responses import Response

from magic_tools.chat import FinishReason, ModelReply, ModelRequest
from magic_tools.errors import ModelError
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, Usage
from magic_tools.models.openai_responses import WIRE
from magic_tools.models.payloads import AnsweredError
from magic_tools.values import JsonObject

CALL = ToolCall("c1", "get_weather", '{"city": "Rome"}')
SENT_CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c1",
    "name": "get_weather",
    "arguments": '{"city": "Rome"}',
    "status": "completed",
}
THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Rome it is."}],
    "encrypted_content": "s3al3d",
    "status": "completed",
}
SEARCH = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "weather Rome"},
}


def own(item: Mapping[str, Any], text: str = "") -> ProviderPart:
    """An item of the provider's own, as a part."""
    return ProviderPart("openai-responses", json.dumps(item, ensure_ascii=False), text)


def message(*content: Mapping[str, Any], **more: Any) -> JsonObject:
    """A message as a response holds it."""
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [*content], **more}


def text(words: str) -> JsonObject:
    """A part of a message."""
    return {"type": "output_text", "text": words, "annotations": []}


REFUSAL = {"type": "refusal", "refusal": "I can't do that."}

# What the output of a response, and what else its body holds, become.
REPLIES = [
    pytest.param([message(text("21."))], {}, (TextPart("21."),), "stop", id="text"),
    pytest.param([message(text("2"), text(""), text("1."))], {}, (TextPart("2"), TextPart("1.")), "stop", id="texts"),
    pytest.param([SENT_CALL], {}, (CALL,), "tool_calls", id="a call, by its call_id"),
    pytest.param(
        [THOUGHT, message(text("Look:")), {**THOUGHT, "id": "rs_2", "summary": []}, SENT_CALL, SEARCH],
        {},
        (
            own(THOUGHT, "Rome it is."),
            TextPart("Look:"),
            own({**THOUGHT, "id": "rs_2", "summary": []}),
            CALL,
            own(SEARCH),
        ),
        "tool_calls",
        id="items of the provider's own, each in its place",
    ),
    pytest.param(
        [
            message(text("Looking."), phase="commentary"),
            message(text("21."), phase="final_answer"),
            message(phase="final_answer"),
        ],
        {},
        (
            own({"role": "assistant", "content": "", "phase": "commentary"}),
            TextPart("Looking."),
            own({"role": "assistant", "content": "", "phase": "final_answer"}),
            TextPart("21."),
        ),
        "stop",
        id="phases",
    ),
    pytest.param(
        [message(text("Well. "), REFUSAL)],
        {},
        (TextPart("Well. "), TextPart("I can't do that.")),
        "refusal",
        id="refusal",
    ),
    pytest.param(
        [message(REFUSAL)],
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
        (TextPart("I can't do that."),),
        "refusal",
        id="a refusal that was cut",
    ),
    pytest.param(
        [{**SENT_CALL, "arguments": '{"city": "Ro', "status": "incomplete"}],
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
        (ToolCall("c1", "get_weather", '{"city": "Ro'),),
        "length",
        id="cut",
    ),
    pytest.param(
        [THOUGHT],
        {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
        (own(THOUGHT, "Rome it is."),),
        "content_filter",
        id="filtered",
    ),
    pytest.param(
        [],
        {"status": "incomplete", "incomplete_details": {"reason": "max_messages"}},
        (),
        "length",
        id="incomplete for another reason",
    ),
    pytest.param([], {"status": "incomplete", "incomplete_details": None}, (), "length", id="incomplete for none"),
    pytest.param([SENT_CALL], {"status": None}, (CALL,), None, id="no status"),
]


def body(output: object, **more: Any) -> JsonObject:
    """The body of a response, with all that the SDK expects of one."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1.0,
        "model": "gpt-5.5-2026-04-23",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": output,
        "usage": {
            "input_tokens": 30,
            "input_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 0},
            "output_tokens": 9,
            "output_tokens_details": {"reasoning_tokens": 4},
            "total_tokens": 39,
        },
        **more,
    }


@pytest.mark.parametrize(("output", "more", "parts", "finish"), REPLIES)
def test_decode(
    output: list[JsonObject], more: JsonObject, parts: tuple[Any, ...], finish: FinishReason | None
) -> None:
    """A body that the SDK's own type takes becomes exactly this reply, with its usage and who answered."""
    payload = body(output, **more)
    Response.model_validate(payload, strict=True)
    assert WIRE.decode(payload) == ModelReply(parts, finish, Usage(30, 9, 10, 4), "gpt-5.5-2026-04-23")


def test_a_turn_goes_back_as_it_came() -> None:
    """A reply that becomes a turn of the conversation is sent as it came, item by item, but for a message's details."""
    output = [
        THOUGHT,
        message(text("Look:"), phase="commentary"),
        {**THOUGHT, "id": "rs_2"},
        SENT_CALL,
        SEARCH,
        THOUGHT,
    ]
    reply = WIRE.decode(body(output))
    assert WIRE.encode(ModelRequest((Message("assistant", reply.parts),)), "gpt-5.5")["input"] == [
        THOUGHT,
        {"role": "assistant", "content": "Look:", "phase": "commentary"},
        {**THOUGHT, "id": "rs_2"},
        {key: value for key, value in SENT_CALL.items() if key not in ("id", "status")},
        SEARCH,
    ]


@pytest.mark.parametrize(
    ("output", "parts"),
    [
        pytest.param(
            [{**SENT_CALL, "call_id": given} for given in ("c1", "c1", "", None, "call_1")],
            tuple(ToolCall(i, "get_weather", CALL.arguments) for i in ("c1", "call_2", "call_3", "call_4", "call_1")),
            id="ids that are missing or used",
        ),
        pytest.param(
            [{"type": "function_call", "name": "f", "arguments": {"a": 1}}, {"type": "function_call", "name": "g"}],
            (ToolCall("call_1", "f", '{"a": 1}'), ToolCall("call_2", "g", "")),
            id="arguments that are no text",
        ),
        pytest.param(["x", None, {"role": "assistant", "content": "21."}], (TextPart("21."),), id="no items, no type"),
        pytest.param([{"type": "message"}, message({"type": "output_text"})], (), id="a message without content"),
        pytest.param([{"type": "program", "code": "é"}], (own({"type": "program", "code": "é"}),), id="unknown"),
        pytest.param(
            [{"type": "reasoning", "id": "r", "content": [{"type": "reasoning_text", "text": "a"}, {"text": "b"}]}],
            (
                own(
                    {
                        "type": "reasoning",
                        "id": "r",
                        "content": [{"type": "reasoning_text", "text": "a"}, {"text": "b"}],
                    },
                    "a\n\nb",
                ),
            ),
            id="reasoning without a summary",
        ),
    ],
)
def test_what_other_servers_send_is_read(output: list[Any], parts: tuple[Any, ...]) -> None:
    """What is missing or odd in the items of a response is borne."""
    assert WIRE.decode({"output": output}) == ModelReply(parts)


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        ({}, "the answer holds no list of output: {}"),
        ({"output": None, "status": "completed"}, "the answer holds no list of output"),
        ({"output": "21."}, "the answer holds no list of output"),
        ([], "the answer is not a JSON object"),
        ({"output": [{"type": "function_call", "call_id": "c1"}]}, "a tool call without a function's name"),
        (body([], status="failed", error={"code": "server_error", "message": "down"}), "the answer is an error: down"),
        ({"status": "failed", "output": []}, "the response failed, and the server gives no reason"),
        ({"error": {"message": "no such model"}}, "the answer is an error: no such model"),
    ],
)
def test_bodies_without_a_reply(payload: Any, says: str) -> None:
    """What holds no reply is a ModelError that says so."""
    with pytest.raises(ModelError, match=says):
        WIRE.decode(payload)


@pytest.mark.parametrize(("code", "may_pass"), [("server_error", True), ("invalid_prompt", False)])
def test_a_failure_keeps_what_the_server_says(code: str, may_pass: bool) -> None:
    """A response that failed is an AnsweredError with the server's words for it."""
    with pytest.raises(AnsweredError) as failed:
        WIRE.decode(body([], status="failed", error={"code": code, "message": "m"}))
    assert failed.value.body == {"code": code, "message": "m"}
    assert failed.value.may_pass is may_pass
