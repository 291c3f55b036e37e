"""Anthropic's messages: the tables of what comes in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from anthropic.types import Message as SdkMessage

from magic_tools.chat import FinishReason, ModelReply, ModelRequest, ReplyPart
from magic_tools.errors import ModelError
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, Usage
from magic_tools.models.anthropic_messages import WIRE
from magic_tools.models.forms import Form
from magic_tools.models.payloads import AnsweredError

NO_FORM = Form((), {}, None)
THOUGHT = {"type": "thinking", "thinking": "Rome, 東京?", "signature": "c2ln"}
HIDDEN = {"type": "redacted_thinking", "data": "b3BhcXVl"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "東京"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def message(*content: object, **fields: Any) -> dict[str, Any]:
    """The body of a message, as Anthropic sends it."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": list(content),
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 2},
        **fields,
    }


def text(words: str, **fields: Any) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": words, **fields}


def use(arguments: object, call_id: object = "toolu_1", name: object = "f") -> dict[str, Any]:
    """A block that is a call."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def own(block: Mapping[str, Any], words: str = "") -> ProviderPart:
    """A block that is kept as it is."""
    return ProviderPart("anthropic", json.dumps(block), words)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        pytest.param([text("Hi")], [TextPart("Hi")], id="text"),
        pytest.param([], [], id="nothing"),
        pytest.param([text("Hi"), text(""), text("\n")], [TextPart("Hi"), TextPart("\n")], id="texts, none empty"),
        pytest.param([text("Hi", citations=[{"type": "char_location"}])], [TextPart("Hi")], id="text with citations"),
        pytest.param(
            [text("See:"), use({"city": "東京", "n": 1.5}), use({}, "toolu_2", "g")],
            [
                TextPart("See:"),
                ToolCall("toolu_1", "f", '{"city": "東京", "n": 1.5}'),
                ToolCall("toolu_2", "g", "{}"),
            ],
            id="text and calls",
        ),
        pytest.param([use(None)], [ToolCall("toolu_1", "f", "")], id="input null"),
        pytest.param([use('{"x": 1')], [ToolCall("toolu_1", "f", '{"x": 1')], id="input that was cut"),
        pytest.param(
            [THOUGHT, HIDDEN, text("Hm."), SEARCH, FOUND, use({}), {"type": "new"}],
            [
                own(THOUGHT, "Rome, 東京?"),
                own(HIDDEN),
                TextPart("Hm."),
                own(SEARCH),
                own(FOUND),
                ToolCall("toolu_1", "f", "{}"),
                own({"type": "new"}),
            ],
            id="the provider's own, in their places",
        ),
    ],
)
def test_parts(content: list[object], parts: list[ReplyPart]) -> None:
    """Blocks come out in their order, with arguments as JSON text and what is the provider's own unread."""
    assert WIRE.reply(message(*content), NO_FORM) == ModelReply(tuple(parts), "stop", Usage(3, 2), "claude-x")


def test_own_blocks_go_back_unchanged() -> None:
    """What came as blocks goes back as the same blocks, in the same order."""
    content = [THOUGHT, HIDDEN, text("Hm."), SEARCH, FOUND, text("So:"), use({"city": "東京"})]
    SdkMessage.model_validate(message(*content))
    reply = WIRE.decode(message(*content))
    made = WIRE.encode(ModelRequest((Message.user("Hi"), Message("assistant", reply.parts))), "claude-x")
    assert made["messages"][1] == {"role": "assistant", "content": content}
    assert json.dumps(made["messages"][1]["content"]) == json.dumps(content)


@pytest.mark.parametrize(
    ("sent", "ids"),
    [
        pytest.param([None, None], ["call_1", "call_2"], id="missing"),
        pytest.param(["", ""], ["call_1", "call_2"], id="empty"),
        pytest.param(["call_1", "call_1"], ["call_1", "call_2"], id="repeated"),
        pytest.param([7, "a"], ["call_1", "a"], id="no text"),
    ],
)
def test_ids(sent: list[object], ids: list[str]) -> None:
    """Call ids come out non-empty and unique, on the calls that they were given to."""  # case C5
    reply = WIRE.decode(message(*(use({"n": at}, call_id) for at, call_id in enumerate(sent))))
    assert [call.id for call in reply.calls] == ids
    assert [call.arguments for call in reply.calls] == [f'{{"n": {at}}}' for at in range(len(ids))]


@pytest.mark.parametrize(
    ("sent", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "pause"),
        ("compaction", "other"),
        ("", None),
        (None, None),
        (3, None),
    ],
)
def test_finish(sent: object, finish: FinishReason | None) -> None:
    """Why a message ended is told in our words; what is unknown is `other`, what is unsaid is None."""
    assert WIRE.decode(message(text("Hi"), stop_reason=sent)).finish == finish


WHY = {"type": "refusal", "category": "cyber", "explanation": "This may do harm."}


@pytest.mark.parametrize(
    ("content", "details", "words"),
    [
        pytest.param([], WHY, "This may do harm.", id="explained"),
        pytest.param([text("I can't do that.")], WHY, "I can't do that.", id="in its own words"),
        pytest.param([THOUGHT], WHY, "This may do harm.", id="after thinking"),
        pytest.param([], {"type": "refusal", "explanation": None}, "", id="not explained"),
        pytest.param([], None, "", id="without details"),
    ],
)
def test_refusals(content: list[object], details: object, words: str) -> None:
    """A refusal is a finish of its own, with what was said of it as its text."""  # case E4
    reply = WIRE.decode(message(*content, stop_reason="refusal", stop_details=details))
    assert (reply.finish, reply.text) == ("refusal", words)


def test_details_are_for_refusals() -> None:
    """Nothing but a refusal is explained."""
    assert WIRE.decode(message(stop_details=WHY)).text == ""


@pytest.mark.parametrize(
    ("sent", "usage"),
    [
        pytest.param(
            {
                "input_tokens": 10,
                "cache_read_input_tokens": 4,
                "cache_creation_input_tokens": 2,
                "output_tokens": 5,
                "output_tokens_details": {"thinking_tokens": 3},
            },
            Usage(16, 5, 4, 3),
            id="whole",
        ),
        pytest.param({"input_tokens": 10, "output_tokens": 5}, Usage(10, 5), id="without details"),
        pytest.param(
            {"input_tokens": 10, "cache_read_input_tokens": None, "output_tokens_details": None},
            Usage(10),
            id="nulls",
        ),
        pytest.param(None, Usage(), id="null"),
        pytest.param("many", Usage(), id="text"),
    ],
)
def test_usage(sent: object, usage: Usage) -> None:
    """All input is counted as input, whatever a cache did with it; what the server does not say is 0."""
    assert WIRE.decode(message(text("Hi"), usage=sent)).usage == usage


@pytest.mark.parametrize(
    ("payload", "complaint"),
    [
        pytest.param({}, "is no message with a content", id="empty"),
        pytest.param(message() | {"content": None}, "is no message with a content", id="content null"),
        pytest.param(message() | {"content": "Hi"}, "is no message with a content", id="content a text"),
        pytest.param({"type": "error"}, "is no message with a content", id="an error that says nothing"),
        pytest.param([1], r"not a JSON object: \[1\]", id="an array"),
        pytest.param(None, "not a JSON object: null", id="null"),
        pytest.param(message("Hi"), "holds what is no block: Hi", id="a word for a block"),
        pytest.param(message(use({}, name="")), "call without a function's name", id="no name"),
        pytest.param(message({"type": "tool_use"}), "call without a function's name", id="an empty call"),
    ],
)
def test_what_is_no_message(payload: Any, complaint: str) -> None:
    """What holds no reply is a ModelError that says what came."""
    with pytest.raises(ModelError, match=complaint):
        WIRE.decode(payload)


def test_errors() -> None:
    """An answer that is an error is one that says which, and whether it may pass."""
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Over\nloaded"}, "request_id": "r"}
    with pytest.raises(AnsweredError, match=r"is an error: Over loaded$") as raised:
        WIRE.decode(body)
    assert (raised.value.may_pass, raised.value.is_rate_limit) == (True, False)
