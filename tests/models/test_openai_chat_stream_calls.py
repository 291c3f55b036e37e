"""Chat completions, streamed: which fragment is of which call, as servers tell it in ways of their own."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.chat import CallPiece
from magic_tools.messages import ToolCall
from tests.models.chat_chunks import Chunks, call, calls_of, chunk, ending, part, read


@pytest.mark.parametrize(
    ("chunks", "calls"),
    [
        pytest.param(
            [
                call('{"x"', call_id="a", name="f"),
                call(":1}"),
                call('{"y":2}', call_id="b", name="g"),
            ],
            [("f", '{"x":1}'), ("g", '{"y":2}')],
            id="no index",
        ),
        pytest.param(
            [
                call('{"x":', index=0, call_id="a", name="f"),
                call('{"y":', index=2, call_id="b", name="g"),
                call("1}", index=0),
                call("2}", index=2),
            ],
            [("f", '{"x":1}'), ("g", '{"y":2}')],
            id="a gap between indices",
        ),
        pytest.param(
            [
                call('{"x"', index=0, call_id="a", name="f"),
                call(":1}"),
                call('{"y"', call_id="b", name="g"),
                call(":2}", index=1),
            ],
            [("f", '{"x":1}'), ("g", '{"y":2}')],
            id="an index at first, then at last",
        ),
        pytest.param(
            [
                call('{"x"', call_id="a", name="f"),
                call(":1", index=0, call_id="a"),
                call("}", index=0),
                call('{"y":2}', index=1, call_id="b", name="g"),
            ],
            [("f", '{"x":1}'), ("g", '{"y":2}')],
            id="an index that comes later",
        ),
        pytest.param(
            [
                call("", index=0, call_id="a", name="f"),
                call("", index=1, call_id="b", name="g"),
                call('{"y":2}'),
                call('{"x":1}', call_id="a"),
            ],
            [("f", '{"x":1}'), ("g", '{"y":2}')],
            id="no index, and the id of an earlier one",
        ),
        pytest.param(
            [
                call('{"x":1}', index=0, call_id="a", name="f"),
                call('{"y"', index=1),
                call(":2}", index=1, call_id="b", name="g"),
            ],
            [("f", '{"x":1}'), ("g", '{"y":2}')],
            id="a new index before its name",
        ),
        pytest.param(
            [
                call('{"x":1}', call_id="a", name="f"),
                call(index=0, call_id="b"),
                call('{"y":2}', index=0, name="g"),
            ],
            [("f", '{"x":1}'), ("g", '{"y":2}')],
            id="a new index and id before its name",
        ),
        pytest.param(
            [call(call_id="a", name="f"), call('{"y":2}', index=1, name="g")],
            [("f", ""), ("g", '{"y":2}')],
            id="a new index with its name",
        ),
        pytest.param(
            [call('{"x"', index="0", call_id="a", name="f"), call(":1}", index="0"), call("{}", index="1", name="g")],
            [("f", '{"x":1}'), ("g", "{}")],
            id="indices as texts",
        ),
    ],
)
def test_h1_where_fragments_go(chunks: Chunks, calls: list[tuple[str, str]]) -> None:
    """A fragment goes to the call of its index or id, else to the one that it follows; a gap is no call."""
    assert calls_of(chunks) == calls


ALL = '{"q":"x"}'


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param([call(each, index=0, call_id="call_1", name="search") for each in ('{"q"', ":", '"x"}')], id="id"),
        pytest.param([call(each, call_id="call_1", name="search") for each in ('{"q"', ":", '"x"}')], id="no index"),
        pytest.param(
            [
                call("", call_id="call_1", name="search"),
                *(call(each, name="search") for each in ('{"q"', ":", '"x"}')),
            ],
            id="the name alone",
        ),
        pytest.param([call(ALL, index=0, call_id="call_1", name="search")], id="at once"),
        pytest.param([call("", index=0, call_id="call_1", name="search"), call(ALL, index=0)], id="a name, then all"),
        pytest.param(
            [
                call(index=0, call_id="call_1", name="sea"),
                call(index=0, name="rch"),
                call('{"q"', index=0),
                call(':"x"}', index=0),
            ],
            id="a name that is split",
        ),
        pytest.param(
            [call(call_id="call_1", name="sea"), call(name="rch"), call(ALL)], id="a name that is split, no index"
        ),
        pytest.param(
            [call(index=0, call_id="call_1", name="sea"), call(ALL, index=0, name="rch")], id="the end of a name"
        ),
        pytest.param([call("{}", index=0, call_id="call_1", name="search"), call(ALL, index=0)], id="a place-holder"),
        pytest.param(
            [call("{}", index=0, call_id="call_1", name="search"), call(ALL, index=0, call_id="call_1", name="search")],
            id="a place-holder, and all again",
        ),
        pytest.param(
            [
                call("", index=0, call_id="call_1", name="search"),
                *(call(each, index=0, call_id=f"call_{n}") for n, each in enumerate(('{"q"', ":", '"x"}'))),
            ],
            id="another id each time",
        ),
    ],
)
@pytest.mark.parametrize(
    "summary",
    [
        pytest.param([], id="no summary"),
        pytest.param([call(ALL, index=0, call_id="call_1", name="search")], id="all of it"),
        pytest.param([call(ALL, call_id="call_1", name="search")], id="without an index"),
        pytest.param([call('{"q": "x"}', index=0, call_id="call_1", name="search")], id="spelled otherwise"),
        pytest.param([call(ALL, index=0)], id="of the arguments"),
        pytest.param([call("", index=0, call_id="call_1", name="search")], id="of the name"),
        pytest.param([call(None, index=0, call_id="call_1")], id="of the id"),
    ],
)
def test_h2_what_is_said_again(chunks: Chunks, summary: Chunks) -> None:
    """Ids and names are not glued together, nor is a closing chunk that says everything again added."""
    if any("index" not in each["choices"][0]["delta"]["tool_calls"][0] for each in chunks):
        for each in summary:
            each["choices"][0]["delta"]["tool_calls"][0].pop("index", None)
    pieces, reply, _ = read([*chunks, *summary, ending("tool_calls")])
    assert reply.calls == (ToolCall("call_1", "search", ALL),)
    told = [piece.arguments for piece in pieces if isinstance(piece, CallPiece)]
    assert "".join(told).removeprefix("{}") == ALL
    assert {piece.index for piece in pieces if isinstance(piece, CallPiece)} == {0}


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(['{"a":', '{"a":', "1}}"], id="a piece twice"),
        pytest.param(['{"a": "}', '{"}'], id="brackets in a text"),
        pytest.param(["{", '"a": [{}', ', {}], "b": {}', "}"], id="objects inside"),
        pytest.param(['{"a": "', *["}{"] * 50, '"}'], id="brackets and nothing else"),
        pytest.param(['{"a": "', *["{}"] * 50, '"}'], id="what looks like objects"),
        pytest.param(["{}", "\n"], id="a blank at the end"),
    ],
)
def test_h2_what_is_not_said_again(pieces: list[str]) -> None:
    """Arguments in which something comes twice keep both."""
    whole = "".join(pieces)
    assert calls_of([call("", index=0, call_id="a", name="f"), *(call(each, index=0) for each in pieces)]) == [
        ("f", whole)
    ]
    repeated = [call(each, index=0, call_id="a", name="f") for each in pieces]
    assert calls_of(repeated) == [("f", whole)]


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param(
            [call('{"x":1}', index=0, call_id="a", name="f"), call('{"y":2}', index=0, call_id="b", name="g")],
            id="index 0, another id",
        ),
        pytest.param(
            [
                call('{"x":', index=0, call_id="a", name="f"),
                call("1}", index=0, call_id="a"),
                call('{"y":', index=0, call_id="b", name="g"),
                call("2}", index=0),
            ],
            id="index 0, another id, in pieces",
        ),
        pytest.param(
            [
                call('{"x":', index=0, call_id="a", name="f"),
                call('{"y":', index=0, call_id="b", name="g"),
                call("1}", index=0, call_id="a"),
                call("2}", index=0, call_id="b"),
            ],
            id="index 0, interleaved by id",
        ),
        pytest.param([call('{"x":1}', index=0, name="f"), call('{"y":2}', index=0, name="g")], id="index 0, no id"),
        pytest.param(
            [call('{"x":1}', index=0, name="f"), call("", index=0, name="g"), call('{"y":2}', index=0)],
            id="index 0, no id, in pieces",
        ),
        pytest.param([call('{"x":1}', name="f"), call('{"y":2}', name="g")], id="neither index nor id"),
        pytest.param(
            [call('{"x":1}', index=0, call_id="a", name="f"), call('{"y":2}', index=1, call_id="a", name="g")],
            id="the same id",  # case C5
        ),
        pytest.param([call('{"x":1}', call_id="a", name="f"), call('{"y":2}', call_id="a", name="g")], id="one id"),
        pytest.param([call('{"x":1}', index=0, call_id="", name="f"), call('{"y":2}', index=1, name="g")], id="no ids"),
        pytest.param(
            [chunk(tool_calls=[part('{"x":1}', call_id="a", name="f"), part('{"y":2}', call_id="b", name="g")])],
            id="both in one chunk",
        ),
    ],
)
def test_calls_that_are_two(chunks: Chunks) -> None:
    """Calls that a server does not tell apart by an index are told apart by what else it says."""
    assert calls_of(chunks) == [("f", '{"x":1}'), ("g", '{"y":2}')]


@pytest.mark.parametrize("fields", [{"index": 0}, {}, {"index": 0, "call_id": "a"}])
def test_two_calls_of_one_tool(fields: dict[str, Any]) -> None:
    """Neither do two calls of the same tool become one, where the first is whole."""
    chunks = [call('{"x":1}', name="f", **fields), call('{"x":', name="f", **fields), call("2}", **fields)]
    assert calls_of(chunks) == [("f", '{"x":1}'), ("f", '{"x":2}')]


def test_two_calls_without_arguments() -> None:
    """Nor do two that have no arguments."""
    assert calls_of([call(name="now"), call(name="today")]) == [("now", ""), ("today", "")]
    told = [call(index=0, call_id=each, name="now") for each in ("a", "b")]
    assert calls_of(told) == [("now", ""), ("now", "")]


def test_ids_and_names_that_come_late() -> None:
    """What came before a call had its name is passed on with it."""
    chunks = [call('{"x"', index=0), call(":1", index=0, call_id="a"), call("}", index=0, name="f")]
    assert read(chunks)[0] == [CallPiece(0, "a", "f", '{"x":1}')]
    assert calls_of([call(name="f"), call('{"x":1}', call_id="a")]) == [("f", '{"x":1}')]
    chunks = [call("{}", call_id="a", name="f"), call(index=0, call_id="b"), call("{}", index=0, name="g")]
    assert [each.id for each in read([*chunks, ending()])[1].calls] == ["a", "b"]


def test_a_name_that_is_all_there_is() -> None:
    """Fragments that say the name alone are of one call, as long as it is not whole."""
    assert calls_of([call(each, name="f") for each in ('{"x"', ":", "1}")]) == [("f", '{"x":1}')]
