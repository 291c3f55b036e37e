"""The Responses API: what the events of a stream bring, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from magic_tools.chat import CallPiece, ModelReply, Piece, TextPiece
from magic_tools.errors import ModelError
from magic_tools.messages import ProviderPart, TextPart, ToolCall, Usage
from magic_tools.models.openai_responses import WIRE
from magic_tools.models.payloads import AnsweredError
from magic_tools.models.wire import StreamReader
from magic_tools.values import JsonObject


def response(status: str | None = None, **more: Any) -> JsonObject:
    """A response as an event holds it, with all that the SDK expects of one."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1.0,
        "model": "gpt-5.5",
        "status": status,
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        **more,
    }


def created() -> JsonObject:
    """The first event of a stream."""
    return {"type": "response.created", "response": response("in_progress")}


def added(index: int, item: Mapping[str, Any]) -> JsonObject:
    """An item begins."""
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, item: Mapping[str, Any]) -> JsonObject:
    """An item is whole."""
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def event(kind: str, index: int, **more: Any) -> JsonObject:
    """Something comes of an item."""
    return {"type": f"response.{kind}", "output_index": index, "item_id": f"i{index}", **more}


def said(index: int, delta: str) -> JsonObject:
    """More of a text."""
    return event("output_text.delta", index, content_index=0, logprobs=[], delta=delta)


def refused(index: int, delta: str) -> JsonObject:
    """More of a refusal."""
    return event("refusal.delta", index, content_index=0, delta=delta)


def argued(index: int, delta: str) -> JsonObject:
    """More of a call's arguments."""
    return event("function_call_arguments.delta", index, delta=delta)


def ended(status: str = "completed", **more: Any) -> JsonObject:
    """The last event of a stream."""
    return {"type": f"response.{status}", "response": response(status, **more)}


def call(index: int, name: str = "f", arguments: str = "", status: str = "in_progress") -> JsonObject:
    """A call among the output."""
    ids = {"id": f"i{index}", "call_id": f"c{index}"}
    return {"type": "function_call", **ids, "name": name, "arguments": arguments, "status": status}


def message(index: int, *content: JsonObject, **more: Any) -> JsonObject:
    """A message among the output."""
    made = {"type": "message", "id": f"i{index}", "role": "assistant", "content": list(content)}
    return {**made, "status": "completed" if content else "in_progress", **more}


def text(words: str) -> JsonObject:
    """A part of a message."""
    return {"type": "output_text", "text": words, "annotations": []}


THINKING = {"type": "reasoning", "id": "i0", "summary": [], "encrypted_content": "hal"}
THOUGHT = {"type": "reasoning", "id": "i0", "summary": [], "encrypted_content": "whole"}
OWN_THOUGHT = ProviderPart(
    "openai-responses", '{"type": "reasoning", "id": "i0", "summary": [], "encrypted_content": "whole"}'
)
USAGE = {
    "input_tokens": 3,
    "input_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 1},
    "total_tokens": 8,
}


def read(events: Iterable[Mapping[str, Any]]) -> tuple[list[Piece], StreamReader]:
    """The pieces that events bring, and the reader after them."""
    reader = WIRE.reader()
    return [piece for each in events for piece in reader.feed(each)], reader


SPOKEN = [
    created(),
    {"type": "response.in_progress", "response": response("in_progress")},
    added(0, THINKING),
    event("reasoning_summary_text.delta", 0, summary_index=0, delta="Hm."),
    done(0, THOUGHT),
    added(1, message(1)),
    event("content_part.added", 1, content_index=0, part=text("")),
    said(1, "Let me "),
    said(1, "look."),
    event("output_text.done", 1, content_index=0, text="Let me look.", logprobs=[]),
    event("content_part.done", 1, content_index=0, part=text("Let me look.")),
    done(1, message(1, text("Let me look."))),
    added(2, call(2)),
    argued(2, '{"x"'),
    argued(2, ":1}"),
    event("function_call_arguments.done", 2, arguments='{"x":1}'),
    done(2, call(2, arguments='{"x":1}', status="completed")),
]
OUTPUT = [THOUGHT, message(1, text("Let me look.")), call(2, arguments='{"x":1}', status="completed")]
PIECES = [
    TextPiece("Let me "),
    TextPiece("look."),
    CallPiece(0, "c2", "f", ""),
    CallPiece(0, "c2", "f", '{"x"'),
    CallPiece(0, "c2", "f", ":1}"),
]
REPLY = ModelReply(
    (OWN_THOUGHT, TextPart("Let me look."), ToolCall("c2", "f", '{"x":1}')),
    "tool_calls",
    Usage(3, 5, 2, 1),
    "gpt-5.5",
)


def test_the_events_are_those_of_the_sdk() -> None:
    """The SDK's own types take every event that these tests are about."""
    made = (*SPOKEN, refused(1, "No"), ended(output=OUTPUT, usage=USAGE), ended("incomplete"), ended("failed"))
    known = TypeAdapter[Any](ResponseStreamEvent)
    for number, each in enumerate(made):
        assert known.validate_python({**each, "sequence_number": number}).type == each["type"]


def test_an_answer_of_all_kinds() -> None:
    """Each fragment is a piece, what is said again adds nothing, and the last event holds the body of the answer."""
    last = ended(output=OUTPUT, usage=USAGE)
    pieces, reader = read([*SPOKEN, last])
    assert pieces == PIECES
    assert reader.is_whole
    assert reader.payload() == last["response"]
    assert WIRE.decode(reader.payload()) == REPLY


@pytest.mark.parametrize("kept", [{"output": []}, {"output": None}])
def test_a_last_event_without_output(kept: JsonObject) -> None:
    """Where the last event leaves the output out, the answer is what came before, reasoning as it was at its end."""
    pieces, reader = read([*SPOKEN, ended(usage=USAGE, **kept)])
    assert pieces == PIECES
    assert reader.is_whole
    assert WIRE.decode(reader.payload()) == REPLY


@pytest.mark.parametrize("last", [{}, {"response": None}, {"response": {"usage": USAGE}}])
def test_a_last_event_without_a_response(last: JsonObject) -> None:
    """The kind of the last event tells why the model stopped, where nothing else does."""
    _, reader = read([created(), added(0, message(0)), said(0, "2"), {"type": "response.completed", **last}])
    assert reader.is_whole
    reply = WIRE.decode(reader.payload())
    assert (reply.text, reply.finish, reply.model) == ("2", "stop", "gpt-5.5")


def test_items_come_interleaved_and_with_gaps() -> None:
    """Fragments go to the item of their index; calls are counted as they begin, and stand in order of the index."""
    pieces, reader = read(
        [
            added(5, call(5, "g")),
            added(2, call(2, "f")),
            argued(5, '{"y"'),
            argued(2, '{"x"'),
            added(7, message(7)),
            said(7, "Go"),
            argued(5, ":2}"),
            argued(2, ":1}"),
            said(7, "!"),
        ]
    )
    assert pieces == [
        CallPiece(0, "c5", "g", ""),
        CallPiece(1, "c2", "f", ""),
        CallPiece(0, "c5", "g", '{"y"'),
        CallPiece(1, "c2", "f", '{"x"'),
        TextPiece("Go"),
        CallPiece(0, "c5", "g", ":2}"),
        CallPiece(1, "c2", "f", ":1}"),
        TextPiece("!"),
    ]
    parts = (ToolCall("c2", "f", '{"x":1}'), ToolCall("c5", "g", '{"y":2}'), TextPart("Go!"))
    assert WIRE.decode(reader.payload()) == ModelReply(parts)


def without_index(given: JsonObject) -> JsonObject:
    """An event as some servers send it."""
    return {key: value for key, value in given.items() if key != "output_index"}


def at_zero(given: JsonObject) -> JsonObject:
    """An event as some other servers send it."""
    return {**given, "output_index": 0} if "output_index" in given else given


@pytest.mark.parametrize("odd", [without_index, at_zero])
def test_items_whose_index_does_not_tell(odd: Any) -> None:
    """Where items have no index they are told apart by their id; where all have the same, the last begun is meant."""
    events = [*SPOKEN, added(3, call(3, "g")), argued(3, "{}"), done(3, call(3, "g", "{}", "completed"))]
    pieces, reader = read(map(odd, events))
    assert pieces == [*PIECES, CallPiece(1, "c3", "g", ""), CallPiece(1, "c3", "g", "{}")]
    assert WIRE.decode(reader.payload()).parts == (*REPLY.parts, ToolCall("c3", "g", "{}"))


def test_calls_without_arguments() -> None:
    """A call to which no fragment comes is one with no arguments."""
    pieces, reader = read([added(0, call(0)), done(0, call(0, status="completed")), ended()])
    assert pieces == [CallPiece(0, "c0", "f", "")]
    assert WIRE.decode(reader.payload()).parts == (ToolCall("c0", "f", ""),)


def test_a_call_that_begins_with_a_stand_in() -> None:
    """Fragments of arguments go before what some servers put there when the call begins."""
    _, reader = read([added(0, call(0, arguments="{}")), argued(0, '{"x"')])
    assert WIRE.decode(reader.payload()).parts == (ToolCall("c0", "f", '{"x"'),)


@pytest.mark.parametrize("begin", [added, done])
def test_items_that_come_at_once(begin: Any) -> None:
    """Items of which no fragments come, though they may not even begin before they end, are in the answer."""
    said_at_once, called_at_once = message(0, text("Look:")), call(1, arguments="{}")
    _, reader = read([begin(0, said_at_once), begin(1, called_at_once), ended()])
    assert WIRE.decode(reader.payload()).parts == (TextPart("Look:"), ToolCall("c1", "f", "{}"))


@pytest.mark.parametrize("last", [ended(), ended(output=[message(0, {"type": "refusal", "refusal": "I can't."})])])
def test_a_refusal(last: JsonObject) -> None:
    """A refusal's words are no pieces; they are the text of a reply that is a refusal, as when it is not streamed."""
    pieces, reader = read([added(0, message(0)), refused(0, "I "), refused(0, "can't."), last])
    assert pieces == []
    assert WIRE.decode(reader.payload()) == ModelReply((TextPart("I can't."),), "refusal", model="gpt-5.5")


def test_a_refusal_after_a_text() -> None:
    """What was said before the words of a refusal stays before them."""
    pieces, reader = read([added(0, message(0)), said(0, "Well. "), refused(0, "No."), ended()])
    assert pieces == [TextPiece("Well. ")]
    assert WIRE.decode(reader.payload()).parts == (TextPart("Well. "), TextPart("No."))


@pytest.mark.parametrize(
    ("reason", "finish"), [("max_output_tokens", "length"), ("content_filter", "content_filter"), ("steered", "length")]
)
def test_an_incomplete_answer(reason: str, finish: str) -> None:
    """An answer that ends early came to its end, which says why; arguments that were cut are as they came."""
    cut = call(0, arguments='{"x', status="incomplete")
    last = ended("incomplete", incomplete_details={"reason": reason}, output=[cut])
    _, reader = read([added(0, call(0)), argued(0, '{"x'), last])
    assert reader.is_whole
    reply = WIRE.decode(reader.payload())
    assert (reply.parts, reply.finish) == ((ToolCall("c0", "f", '{"x'),), finish)


@pytest.mark.parametrize("pieces", [[], ['{"x":1'], ['{"x":1', "}"]])
@pytest.mark.parametrize("end", [[], [done(0, call(0, arguments='{"x":1}', status="completed"))]])
def test_a_call_that_is_not_said_to_end(pieces: list[str], end: list[JsonObject]) -> None:
    """Where the last event does not hold the output, each call has to end by an event of its own."""
    _, reader = read([added(0, call(0)), *(argued(0, piece) for piece in pieces), *end, ended(output=[])])
    assert reader.is_whole == bool(end)
    _, reader = read([added(0, call(0)), ended(output=[call(0, arguments='{"x":1}', status="completed")])])
    assert reader.is_whole


@pytest.mark.parametrize("count", range(len(SPOKEN) + 1))
def test_a_stream_that_breaks(count: int) -> None:
    """Without its last event an answer is not whole; what came is there, with no word on why the model stopped."""
    pieces, reader = read(SPOKEN[:count])
    assert not reader.is_whole
    reply = WIRE.decode(reader.payload())
    assert reply.finish is None
    assert reply.text == "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))
    arguments = "".join(piece.arguments for piece in pieces if isinstance(piece, CallPiece))
    assert [each.arguments for each in reply.calls] == ([arguments] if count > SPOKEN.index(added(2, call(2))) else [])


def test_reasoning_that_is_not_whole_is_left_out() -> None:
    """Reasoning as it begins may hold only a part of what is sealed, and is not what can be sent back."""
    _, reader = read([created(), added(0, THINKING), added(1, message(1)), said(1, "2")])
    assert WIRE.decode(reader.payload()).parts == (TextPart("2"),)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        pytest.param(ended("failed", error={"code": "server_error", "message": "it broke"}), "it broke", id="failed"),
        pytest.param(ended("failed", error=None), "response.failed", id="failed, without a reason"),
        pytest.param({"type": "response.failed"}, "response.failed", id="failed, without a response"),
        pytest.param(
            {"type": "error", "code": "server_error", "message": "it broke", "param": None}, "it broke", id="error"
        ),
        pytest.param(
            {"type": "error", "error": {"type": "server_error", "message": "it broke"}}, "it broke", id="error inside"
        ),
        pytest.param({"error": {"code": "server_error", "message": "it broke"}}, "it broke", id="only an error"),
    ],
)
def test_errors_within_a_stream(given: JsonObject, says: str) -> None:
    """An event that says that the server failed is an AnsweredError with its words; what came before is still there."""
    reader = WIRE.reader()
    for each in SPOKEN:
        tuple(reader.feed(each))
    with pytest.raises(AnsweredError, match=says) as failed:
        tuple(reader.feed(given))
    assert failed.value.may_pass is (says == "it broke")
    assert WIRE.decode(reader.payload()).text == "Let me look."


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"type": None},
        {"type": "response.unknown", "response": "x"},
        {"type": "response.output_text.delta"},
        {"type": "response.output_text.delta", "output_index": 0, "delta": ""},
        {"type": "response.output_item.added", "output_index": 0, "item": None},
        {"type": "response.output_item.added", "output_index": None, "item": {"type": ["x"], "id": ["y"]}},
        {"type": "response.output_item.done", "output_index": [0], "item": {}},
        {"type": "response.function_call_arguments.delta", "delta": 1},
    ],
)
def test_events_that_say_nothing(given: JsonObject) -> None:
    """An event that is unknown or holds nothing brings nothing, and does not end the answer."""
    pieces, reader = read([given])
    assert pieces == []
    assert not reader.is_whole
    assert WIRE.decode(reader.payload()).text == ""


def test_arguments_of_no_call() -> None:
    """Arguments at an index where no call began are no other call's: without a name they make no call at all."""
    pieces, reader = read([added(0, call(0)), argued(1, "{}")])
    assert pieces == [CallPiece(0, "c0", "f", "")]
    with pytest.raises(ModelError, match="a tool call without a function's name"):
        WIRE.decode(reader.payload())
