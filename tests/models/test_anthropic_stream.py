"""Anthropic's messages, streamed: the events, what is passed on of each, and the reply that they come to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from anthropic.types import RawMessageStreamEvent
from pydantic import TypeAdapter

from magic_tools.chat import CallPiece, ModelReply, ModelRequest, Piece, TextPiece
from magic_tools.errors import ModelError
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, Usage
from magic_tools.models.anthropic_messages import WIRE
from magic_tools.models.payloads import AnsweredError

Events = list[dict[str, Any]]

STOP: dict[str, Any] = {"type": "message_stop"}


def start(**usage: Any) -> dict[str, Any]:
    """The first event."""
    counts = {"input_tokens": 10, "output_tokens": 1, **usage}
    message: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x"}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": counts}
    return {"type": "message_start", "message": message}


def begin(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    """The beginning of a block."""
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **fields}}


def begin_text(index: int = 0) -> dict[str, Any]:
    """The beginning of a text."""
    return begin(index, "text", text="")


def begin_call(index: int, call_id: str, name: str = "f", **arguments: Any) -> dict[str, Any]:
    """The beginning of a call."""
    return begin(index, "tool_use", id=call_id, name=name, input=arguments)


def delta(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    """A piece of a block."""
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def say(index: int, words: str) -> dict[str, Any]:
    """A piece of a text."""
    return delta(index, "text_delta", text=words)


def write(index: int, words: str) -> dict[str, Any]:
    """A piece of a call's arguments."""
    return delta(index, "input_json_delta", partial_json=words)


def end(index: int = 0) -> dict[str, Any]:
    """The end of a block."""
    return {"type": "content_block_stop", "index": index}


def finish(reason: str, details: object = None, **usage: Any) -> dict[str, Any]:
    """The event that says why the model stopped."""
    told = {"stop_reason": reason, "stop_sequence": None, "stop_details": details}
    return {"type": "message_delta", "delta": told, "usage": {"output_tokens": 7, **usage}}


EVENT: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)


def read(events: Events) -> tuple[list[Piece], ModelReply, bool]:
    """The pieces of a stream, the reply that they come to, and whether it is whole."""
    reader = WIRE.reader()
    pieces = [piece for event in events for piece in reader.feed(event)]
    return pieces, WIRE.decode(json.loads(json.dumps(reader.payload()))), reader.is_whole


THOUGHT = {"type": "thinking", "thinking": "Rome, 東京?", "signature": "c2ln"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Rome"}}

WHOLE = [
    pytest.param(
        [start(), begin_text(), say(0, "Hel"), say(0, "lo"), end(), finish("end_turn"), STOP],
        [TextPiece("Hel"), TextPiece("lo")],
        ModelReply((TextPart("Hello"),), "stop", Usage(10, 7), "claude-x"),
        id="a text",
    ),
    pytest.param(
        [
            *(start(), begin_text(0), end(0)),
            *(begin_call(1, "a"), write(1, ""), write(1, '{"q":'), write(1, '"x"}'), end(1)),
            *(begin_call(2, "b", "g"), end(2), finish("tool_use"), STOP),
        ],
        [
            CallPiece(0, "a", "f", ""),
            CallPiece(0, "a", "f", '{"q":'),
            CallPiece(0, "a", "f", '"x"}'),
            CallPiece(1, "b", "g", ""),
            CallPiece(1, "b", "g", "{}"),
        ],
        ModelReply((ToolCall("a", "f", '{"q":"x"}'), ToolCall("b", "g", "{}")), "tool_calls", Usage(10, 7), "claude-x"),
        id="calls, one without arguments, and an empty text",  # case H4
    ),
    pytest.param(
        [
            *(start(), begin_call(4, "a"), begin_text(9), begin_call(2, "b", "g")),
            *(write(2, '{"y":'), write(4, '{"x":1}'), say(9, "Hm."), write(2, "2}")),
            *(end(2), end(9), end(4), finish("tool_use"), STOP),
        ],
        [
            CallPiece(0, "a", "f", ""),
            CallPiece(1, "b", "g", ""),
            CallPiece(1, "b", "g", '{"y":'),
            CallPiece(0, "a", "f", '{"x":1}'),
            TextPiece("Hm."),
            CallPiece(1, "b", "g", "2}"),
        ],
        ModelReply(
            (ToolCall("a", "f", '{"x":1}'), TextPart("Hm."), ToolCall("b", "g", '{"y":2}')),
            "tool_calls",
            Usage(10, 7),
            "claude-x",
        ),
        id="gaps between indices, blocks interleaved",
    ),
    pytest.param(
        [
            start(),
            begin(0, "thinking", thinking="", signature=""),
            delta(0, "thinking_delta", thinking="Rome, "),
            delta(0, "thinking_delta", thinking="東京?"),
            delta(0, "signature_delta", signature="c2ln"),
            end(0),
            *(begin(1, "redacted_thinking", data="b3BhcXVl"), end(1)),
            begin(2, "server_tool_use", id="srvtoolu_1", name="web_search", input={}),
            *(write(2, '{"query": '), write(2, '"Rome"}'), end(2), finish("pause_turn"), STOP),
        ],
        [],
        ModelReply(
            (
                ProviderPart("anthropic", json.dumps(THOUGHT), "Rome, 東京?"),
                ProviderPart("anthropic", '{"type": "redacted_thinking", "data": "b3BhcXVl"}'),
                ProviderPart("anthropic", json.dumps(SEARCH)),
            ),
            "pause",
            Usage(10, 7),
            "claude-x",
        ),
        id="the provider's own",
    ),
    pytest.param(
        [
            start(cache_read_input_tokens=4, cache_creation_input_tokens=2),
            begin_text(),
            say(0, "Hi"),
            end(),
            finish("end_turn", input_tokens=None, output_tokens_details={"thinking_tokens": 3}),
            STOP,
        ],
        [TextPiece("Hi")],
        ModelReply((TextPart("Hi"),), "stop", Usage(16, 7, 4, 3), "claude-x"),
        id="usage at the start and at the end",
    ),
    pytest.param(
        [start(), finish("refusal", {"type": "refusal", "explanation": "It may do harm."}), STOP],
        [],
        ModelReply((TextPart("It may do harm."),), "refusal", Usage(10, 7), "claude-x"),
        id="a refusal",  # case E4
    ),
]


@pytest.mark.parametrize(("events", "pieces", "reply"), WHOLE)
def test_whole_streams(events: Events, pieces: list[Piece], reply: ModelReply) -> None:
    """Events that the SDK knows come to these pieces and this reply, of which the arguments are those of the pieces."""
    for event in events:
        EVENT.validate_python(event)
    assert read(events) == (pieces, reply, True)
    for place, call in enumerate(reply.calls):
        written = [piece.arguments for piece in pieces if isinstance(piece, CallPiece) and piece.index == place]
        assert "".join(written) == call.arguments


@pytest.mark.parametrize(("events", "pieces", "reply"), WHOLE)
def test_streams_that_break(events: Events, pieces: list[Piece], reply: ModelReply) -> None:
    """A stream that breaks before its end was told is not whole, and says what came."""
    at = next(at for at, event in enumerate(events) if event["type"] == "message_delta")
    came, partial_reply, is_whole = read(events[:at])
    assert (came, is_whole) == (pieces, False)
    assert (partial_reply.calls, partial_reply.finish) == (reply.calls, None)


@pytest.mark.parametrize(
    ("events", "arguments"),
    [
        pytest.param([begin_call(0, "a")], "", id="no argument"),
        pytest.param([begin_call(0, "a"), write(0, '{"path": "/da')], '{"path": "/da', id="half of them"),
        pytest.param([begin_call(0, "a"), write(0, '{"path": "/"}')], '{"path": "/"}', id="all of them"),
    ],
)
@pytest.mark.parametrize("ending", [[], [STOP], [finish("tool_use")], [finish("tool_use"), STOP]])
def test_blocks_without_an_end(events: Events, arguments: str, ending: Events) -> None:
    """A block that was not ended makes the message not whole, whatever is told of its end, and stays as it was cut."""
    whole = [begin_call(1, "b", "g"), write(1, '{"y":2}'), end(1)]  # case H3
    _, reply, is_whole = read([start(), *whole, *events, *ending])
    assert not is_whole
    assert reply.calls == (ToolCall("b", "g", '{"y":2}'), ToolCall("a", "f", arguments))


@pytest.mark.parametrize("ending", [[STOP], [finish("end_turn")], [finish("end_turn"), STOP]])
def test_ends(ending: Events) -> None:
    """The last event may be missing, or the one before it; then why the model stopped is not known."""
    _, reply, is_whole = read([start(), begin_text(), say(0, "Hi"), end(), *ending])
    assert is_whole
    assert reply.finish == ("stop" if ending[0] is not STOP else None)


def test_what_is_told_later() -> None:
    """What an event about the whole message leaves open stays as an earlier one had it."""
    later = {"type": "message_delta", "delta": {"stop_reason": None}, "usage": {"output_tokens": 9}}
    _, reply, _ = read([start(cache_read_input_tokens=4), finish("end_turn"), later, STOP])
    assert (reply.finish, reply.usage) == ("stop", Usage(14, 9, 4))


def test_nothing() -> None:
    """A stream of nothing is not whole, and comes to nothing."""
    assert read([]) == ([], ModelReply(()), False)


def test_unknown_events_and_deltas() -> None:
    """What is unknown is passed over, or kept where it grows a block that is the provider's own."""
    events: Events = [
        {"type": "ping"},
        {"type": "new_event", "index": 5},
        {},
        start(),
        begin(0, "compaction", content=None),
        delta(0, "compaction_delta", content="So "),
        delta(0, "compaction_delta", content="far.", count=3),
        say(0, "Psst"),
        end(0),
        begin_text(1),
        delta(1, "new_delta", sound="la"),
        say(1, "Hi"),
        end(1),
        STOP,
    ]
    pieces, reply, is_whole = read(events)
    assert (pieces, is_whole) == ([TextPiece("Hi")], True)
    kept = ProviderPart("anthropic", '{"type": "compaction", "content": "So far.", "text": "Psst"}')
    assert reply.parts == (kept, TextPart("Hi"))


def test_citations() -> None:
    """Citations are gathered in their text's block."""
    reader = WIRE.reader()
    places = [{"type": "char_location", "cited_text": words} for words in ("a", "b")]
    cited = [delta(0, "citations_delta", citation=place) for place in places]
    for event in [start(), begin(0, "text", text="", citations=None), cited[0], say(0, "Hi"), cited[1], end()]:
        reader.feed(event)
    assert reader.payload()["content"] == [{"type": "text", "text": "Hi", "citations": places}]


def test_blocks_that_come_at_once() -> None:
    """What a server puts into the beginning of a block is not lost, and an end that is told twice is one."""
    events = [
        *(start(), begin(0, "text", text="Hi"), say(0, "!"), end(0), begin_call(1, "a", q="東"), end(1), end(1)),
        *(begin_call(2, "b", q="x"), write(2, '{"q":"y"}'), end(2)),
    ]
    pieces, reply, _ = read(events)
    assert reply.parts == (TextPart("Hi!"), ToolCall("a", "f", '{"q": "東"}'), ToolCall("b", "f", '{"q":"y"}'))
    assert pieces == [
        TextPiece("Hi"),
        TextPiece("!"),
        CallPiece(0, "a", "f", ""),
        CallPiece(0, "a", "f", '{"q": "東"}'),
        CallPiece(1, "b", "f", ""),
        CallPiece(1, "b", "f", '{"q":"y"}'),
    ]


def test_pieces_without_an_index() -> None:
    """A piece without an index goes to the block that began last."""
    events = [start(), begin_text(0), begin_call(1, "a"), write(1, '{"x"'), write(1, ":1}"), end(1), STOP]
    for event in events[3:6]:
        del event["index"]
    assert read(events)[1].parts == (ToolCall("a", "f", '{"x":1}'),)


@pytest.mark.parametrize("event", [say(3, "Hi"), end(3), {"type": "content_block_stop"}])
def test_pieces_of_no_block(event: dict[str, Any]) -> None:
    """A piece of a block that has not begun is an error, for it would be lost."""
    reader = WIRE.reader()
    reader.feed(start())
    with pytest.raises(ModelError, match="a block that has not begun: "):
        reader.feed(event)


def test_calls_without_ids() -> None:
    """Calls whose ids are missing or the same are told apart."""  # case C5
    events = [
        start(),
        begin_call(0, ""),
        write(0, "{}"),
        end(0),
        begin_call(1, "a"),
        end(1),
        begin_call(2, "a"),
        end(2),
    ]
    assert [call.id for call in read(events)[1].calls] == ["call_1", "a", "call_2"]


def test_errors_inside() -> None:
    """An error inside a stream is raised, and what came before it is there."""
    reader = WIRE.reader()
    for event in (start(), begin_text(), say(0, "Hel")):
        reader.feed(event)
    with pytest.raises(AnsweredError, match="Overloaded") as raised:
        reader.feed({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert raised.value.may_pass
    assert (WIRE.decode(reader.payload()).text, reader.is_whole) == ("Hel", False)


def test_a_streamed_turn_goes_back() -> None:
    """What was streamed goes back as blocks with objects as their input, without empty texts, and no deltas."""
    sent: list[object] = []
    for param in WHOLE[1:4]:
        events: Any = param.values[0]
        turn = Message("assistant", read(events)[1].parts)
        sent += WIRE.encode(ModelRequest((Message.user("Hi"), turn)), "claude-x")["messages"][1]["content"]
    assert sent == [
        {"type": "tool_use", "id": "a", "name": "f", "input": {"q": "x"}},
        {"type": "tool_use", "id": "b", "name": "g", "input": {}},
        {"type": "text", "text": "Hm."},
        {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
        {"type": "tool_use", "id": "b", "name": "g", "input": {"y": 2}},
        THOUGHT,
        {"type": "redacted_thinking", "data": "b3BhcXVl"},
        SEARCH,
    ]
