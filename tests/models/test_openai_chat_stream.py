"""Chat completions, streamed: the chunks, what is passed on of each, and the reply that they come to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai.types.chat import ChatCompletionChunk

from magic_tools.chat import CallPiece, ModelReply, Piece, TextPiece
from magic_tools.errors import ModelError
from magic_tools.messages import ProviderPart, TextPart, ToolCall, Usage
from magic_tools.models.openai_chat import WIRE
from magic_tools.models.payloads import AnsweredError
from tests.models.chat_chunks import USAGE, Chunks, call, calls_of, chunk, ending, part, read, told_usage

# What OpenAI's own service sends: its chunks are checked to be those that its SDK knows.
GOLDEN = [
    pytest.param(
        [chunk(role="assistant", content=""), chunk(content="Hel"), chunk(content="lo"), ending(), told_usage()],
        [TextPiece("Hel"), TextPiece("lo")],
        ModelReply((TextPart("Hello"),), "stop", Usage(10, 7), "m"),
        id="a text",
    ),
    pytest.param(
        [
            chunk(role="assistant", content=None),
            chunk(content="I look."),
            chunk(tool_calls=[part("", index=0, call_id="a", name="f") | {"type": "function"}]),
            call('{"x"', index=0),
            call(":1}", index=0),
            chunk(tool_calls=[part("", index=1, call_id="b", name="g") | {"type": "function"}]),
            call('{"y":2}', index=1),
            ending("tool_calls"),
            told_usage(),
        ],
        [
            TextPiece("I look."),
            CallPiece(0, "a", "f", ""),
            CallPiece(0, "a", "f", '{"x"'),
            CallPiece(0, "a", "f", ":1}"),
            CallPiece(1, "b", "g", ""),
            CallPiece(1, "b", "g", '{"y":2}'),
        ],
        ModelReply(
            (TextPart("I look."), ToolCall("a", "f", '{"x":1}'), ToolCall("b", "g", '{"y":2}')),
            "tool_calls",
            Usage(10, 7),
            "m",
        ),
        id="a text and calls",
    ),
    pytest.param(
        [
            chunk(tool_calls=[part(index=0, call_id="a", name="f"), part(index=1, call_id="b", name="g")]),
            call('{"y":', index=1),
            chunk(tool_calls=[part('{"x":', index=0), part("2}", index=1)]),
            call("1}", index=0),
            ending("tool_calls"),
        ],
        [
            CallPiece(0, "a", "f", ""),
            CallPiece(1, "b", "g", ""),
            CallPiece(1, "b", "g", '{"y":'),
            CallPiece(0, "a", "f", '{"x":'),
            CallPiece(1, "b", "g", "2}"),
            CallPiece(0, "a", "f", "1}"),
        ],
        ModelReply((ToolCall("a", "f", '{"x":1}'), ToolCall("b", "g", '{"y":2}')), "tool_calls", model="m"),
        id="calls interleaved",
    ),
    pytest.param(
        [chunk(role="assistant", refusal=""), chunk(refusal="I can"), chunk(refusal="not."), ending(), told_usage()],
        [],
        ModelReply((TextPart("I cannot."),), "refusal", Usage(10, 7), "m"),
        id="a refusal",  # case E4
    ),
    pytest.param(
        [
            chunk(content="4"),
            ending("length"),
            told_usage(
                USAGE
                | {
                    "prompt_tokens_details": {"cached_tokens": 4},
                    "completion_tokens_details": {"reasoning_tokens": 3},
                }
            ),
        ],
        [TextPiece("4")],
        ModelReply((TextPart("4"),), "length", Usage(10, 7, 4, 3), "m"),
        id="usage in detail",
    ),
    pytest.param(
        [chunk(role="assistant", content=""), ending("content_filter")],
        [],
        ModelReply((), "content_filter", model="m"),
        id="nothing, as it was filtered",
    ),
]


@pytest.mark.parametrize(("chunks", "pieces", "reply"), GOLDEN)
def test_whole_streams(chunks: Chunks, pieces: list[Piece], reply: ModelReply) -> None:
    """Chunks that the SDK knows come to these pieces and this reply."""
    for each in chunks:
        ChatCompletionChunk.model_validate(each)
    assert read(chunks) == (pieces, reply, True)


@pytest.mark.parametrize(("chunks", "pieces", "reply"), GOLDEN)
def test_streams_that_break(chunks: Chunks, pieces: list[Piece], reply: ModelReply) -> None:
    """A stream that breaks before it was said why the model stopped is not whole, and says what came."""
    at = next(at for at, each in enumerate(chunks) if each["choices"][0]["finish_reason"])
    came, partial_reply, is_whole = read(chunks[:at])
    assert (came, is_whole) == (pieces, False)
    assert partial_reply.parts == reply.parts
    assert partial_reply.finish in (None, "refusal")


def test_the_older_form() -> None:
    """A call in the API's older form is a call, whose id is made."""
    chunks = [
        chunk(function_call={"name": "f", "arguments": ""}),
        chunk(function_call={"arguments": '{"x"'}),
        chunk(function_call={"arguments": ":1}"}),
        ending("function_call"),
    ]
    pieces, reply, is_whole = read(chunks)
    assert pieces == [CallPiece(0, "call_1", "f", each) for each in ("", '{"x"', ":1}")]
    assert (reply.parts, reply.finish, is_whole) == ((ToolCall("call_1", "f", '{"x":1}'),), "tool_calls", True)


def test_arguments_that_are_no_text() -> None:
    """Arguments that come as an object, or as null, are what their text would be."""
    chunks = [call(index=0, call_id="a", name="f"), call(index=1, call_id="b", name="g")]
    chunks[0]["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] = {"city": "東京"}
    chunks[1]["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] = None
    assert calls_of(chunks) == [("f", '{"city": "東京"}'), ("g", "")]


@pytest.mark.parametrize(
    "delta",
    [
        {"content": [{"type": "text", "text": "Hi"}]},
        {"content": [{"type": "thinking", "thinking": [{"text": "Hm"}]}, {"type": "text", "text": "Hi"}]},
        {"content": "Hi", "audio": {"id": "1"}, "tool_calls": None, "function_call": None},
        {"content": "Hi", "tool_calls": []},
        {"content": "Hi", "tool_calls": [{"index": 0, "id": "", "function": {"name": "", "arguments": ""}}]},
        {"content": "Hi", "tool_calls": [None, 3, {"index": 0}, {"function": None}]},
        {"content": "Hi", "refusal": None},
    ],
    ids=lambda delta: str(delta)[:60],
)
def test_forms_of_a_text(delta: dict[str, Any]) -> None:
    """A text may come in parts, and what is unknown or empty beside it is passed over."""
    reply = ModelReply((TextPart("Hi"),), "stop", model="m")
    assert read([chunk(**delta), ending()]) == ([TextPiece("Hi")], reply, True)


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning", "reasoning_details"])
def test_thoughts(key: str) -> None:
    """What a server tells of a model's thoughts is a part of its own, whole at the end, and not the text."""
    pieces: list[Any] = [[{"text": "H"}], [{"text": "m"}]] if key == "reasoning_details" else ["H", "m"]
    told, reply, _ = read([*(chunk(**{key: piece}) for piece in pieces), chunk(content="Hi"), ending()])
    assert told == [TextPiece("Hi")]
    thought, text = reply.parts
    assert isinstance(thought, ProviderPart)
    assert (thought.wire, thought.text, text) == ("openai-chat", "Hm", TextPart("Hi"))
    assert json.loads(thought.data) == {key: pieces[0] + pieces[1]}


def test_a_refusal_among_parts() -> None:
    """A refusal may be one of the parts of a content."""
    _, reply, _ = read([chunk(content=[{"type": "refusal", "refusal": "No."}]), ending()])
    assert (reply.text, reply.finish) == ("No.", "refusal")


MESSAGE = {"role": "assistant", "content": "Hi", "tool_calls": [part("{}", call_id="a", name="f")]}


@pytest.mark.parametrize("delta", [{}, {"delta": {}}, {"delta": None}])
@pytest.mark.parametrize(
    "before",
    [
        [],
        [chunk(content="Hi")],
        [chunk(content="H"), chunk(content="i"), call("{}", index=0, call_id="a", name="f")],
        [call("{", index=0, call_id="b", name="f"), call("}", index=0)],
    ],
)
def test_a_whole_message_at_the_end(before: Chunks, delta: dict[str, Any]) -> None:
    """The whole message, with which some servers end, adds nothing but what had not come."""
    last = {**chunk(), "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "tool_calls", **delta}]}
    pieces, reply, is_whole = read([*before, last])
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)) == "Hi"
    assert (reply.text, [(each.name, each.arguments) for each in reply.calls]) == ("Hi", [("f", "{}")])
    assert (reply.finish, is_whole) == ("tool_calls", True)


def test_a_whole_refusal_at_the_end() -> None:
    """A refusal that is in the message at the end as well is told once."""
    last = {**chunk(), "choices": [{"index": 0, "message": {"refusal": "No."}, "finish_reason": "stop"}]}
    assert read([chunk(refusal="No."), last])[1].text == "No."
    assert read([last])[1].text == "No."


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", "stop"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("eos", "other"),
    ],
)
def test_why_it_stopped(reason: str, finish: str) -> None:
    """It may be told with the last words, before them, or alone, and a chunk behind it takes it not back."""
    for chunks in (
        [chunk(content="Hi"), ending(reason), told_usage()],
        [chunk(reason, content="Hi")],
        [chunk(reason), chunk(content="Hi")],
        [chunk(content="Hi"), ending(reason), chunk("")],
    ):
        _, reply, is_whole = read(chunks)
        assert (reply.text, reply.finish, is_whole) == ("Hi", finish, True)


def test_the_last_usage_counts() -> None:
    """Counts that grow from chunk to chunk are those of the last one; a null after them takes them not back."""
    growing = [chunk(content="Hi") | {"usage": {"prompt_tokens": 10, "completion_tokens": n}} for n in (1, 2)]
    _, reply, _ = read([*growing, ending() | {"usage": None}])
    assert reply.usage == Usage(10, 2)


@pytest.mark.parametrize("index", [0, None, 1])
def test_other_choices(index: int | None) -> None:
    """Of several choices it is the one that comes first."""
    first, other = chunk(content="Hi"), chunk("length", content="Ho")
    first["choices"][0]["index"], other["choices"][0]["index"] = index, 7
    last = ending()
    last["choices"][0]["index"] = index
    both = {**chunk(), "choices": [*last["choices"], *other["choices"]]}
    pieces, reply, _ = read([first, other, both])
    assert (pieces, reply.text, reply.finish) == ([TextPiece("Hi")], "Hi", "stop")


@pytest.mark.parametrize(
    "junk",
    [
        {},
        {"choices": None},
        {"choices": []},
        {"choices": [None, 3]},
        {"choices": {"index": 0}},
        {"choices": [{"index": 0}]},
        {"choices": [{"index": 0, "delta": "x", "finish_reason": None}]},
        {"choices": [], "prompt_filter_results": [{"prompt_index": 0}]},
        {"object": "chat.completion.chunk", "x_groq": {"usage": 3}, "error": None},
    ],
)
def test_chunks_that_say_nothing(junk: dict[str, Any]) -> None:
    """They are passed over, wherever they stand."""
    pieces, reply, is_whole = read([junk, chunk(content="H"), junk, chunk(content="i"), ending(), junk])
    assert (pieces, reply.text, reply.finish) == ([TextPiece("H"), TextPiece("i")], "Hi", "stop")
    assert is_whole
    assert read([junk]) == ([], ModelReply(()), False)


def test_nothing() -> None:
    """A stream of nothing is not whole, and comes to nothing; one of nothing but its end is whole."""
    assert read([]) == ([], ModelReply(()), False)
    assert read([ending()]) == ([], ModelReply((), "stop", model="m"), True)


def test_errors_inside() -> None:
    """An error inside a stream is raised, and what came before it is there."""
    reader = WIRE.reader()
    reader.feed(chunk(content="Hel"))
    with pytest.raises(AnsweredError, match="overloaded") as raised:
        reader.feed({"error": {"type": "server_error", "message": "overloaded"}})
    assert raised.value.may_pass
    assert (WIRE.decode(reader.payload()).text, reader.is_whole) == ("Hel", False)


def test_a_call_without_a_name() -> None:
    """A call that never had a name is an error, as where nothing is streamed, and no piece of it is passed on."""
    chunks = [call('{"x":1}', index=0, call_id="a"), ending("tool_calls")]
    with pytest.raises(ModelError, match="a tool call without a function's name"):
        read(chunks)
    reader = WIRE.reader()
    assert [list(reader.feed(each)) for each in chunks] == [[], []]
