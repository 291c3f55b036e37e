"""The incremental parser, for any text: by pieces it sees what it sees at once, and never more than is true."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from magic_tools.errors import ParseError
from magic_tools.loose.decode import loads
from magic_tools.loose.growing import Closed
from magic_tools.loose.partial import PartialStream
from magic_tools.loose.stream import IncrementalParser

few = settings(max_examples=100)

# What the parser looks for, so that it is met in every place.
SIGNS = [
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    "`",
    "```json\n",
    "<think>",
    "</think>",
    "</",
    "\\",
    ",",
    ":",
    "/",
    "//",
    "/*",
    "*/",
]
WORDS = [
    '{"a": 1}',
    '{"t": "',
    '["x"',
    "[1",
    " ",
    "\n",
    "a",
    "a:",
    "12",
    "-1.5e3",
    "null",
    "tru",
    "é",
    "\0",
    "\ufeff",
    "...",
]
ESCAPES = ["\\n", "\\u00e9", "\\ud83d", "\\ude00", "\\ud83d\\ude00", "\\u12", "\\x"]
junk = st.lists(st.sampled_from(SIGNS + WORDS + ESCAPES), max_size=14).map("".join)

strings = junk | st.text(st.sampled_from('ab"\\/\n\x7fé\ud83d\ude00😀{[<'), max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | strings
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strings, inner, max_size=3), max_leaves=8
)
containers = st.lists(values, max_size=4) | st.dictionaries(strings, values, max_size=4)
written = st.builds(json.dumps, containers, ensure_ascii=st.booleans(), indent=st.none() | st.just(1))
around = st.sampled_from(
    [
        ("", ""),
        (" \ufeff", "\n"),
        ("```json\n", "\n```"),
        ("Here is {it}, see [note] <b>:\n\n```\n", "\n```\nDone."),
        ('<think>Is it {"a": 1} or [2]?</think>', " Is it?"),
        ('Is it {"a": [1, or [2]?</think>', ""),
    ]
)

Seen = tuple[Any, Any, str]


def seen(parser: IncrementalParser) -> Seen:
    """What there is to see, in a form that tells `1` from `True` and `1.0`."""
    return repr(parser.value), parser.open_path, parser.state


def by_pieces(*pieces: str) -> tuple[Seen, list[Closed]]:
    """What there is to see at the end; and all that was given, but for what was withdrawn."""
    parser = IncrementalParser()
    given: list[Closed] = []
    root = None
    for piece in pieces:
        closed = parser.feed(piece)
        if parser.value is not root:
            root = parser.value
            given.clear()
        given.extend(closed)
    return seen(parser), given


@given(around, written)
@few
def test_every_split_of_json(around: tuple[str, str], written: str) -> None:
    """A text is read alike at once, in any two pieces and in pieces of one character, and as json.loads reads it."""
    text = around[0] + written + around[1]
    whole = by_pieces(text)
    assert whole[0] == (repr(json.loads(written)), None, "closed")
    for place in range(len(text) + 1):
        assert by_pieces(text[:place], text[place:]) == whole
    assert by_pieces(*text) == whole


@given(around, written)
@few
def test_every_value_closes_once_where_it_stands(around: tuple[str, str], written: str) -> None:
    """What is given as each closes are all the values there are, each at the place and extent it has."""
    text = around[0] + written + around[1]
    _, closed = by_pieces(*text)
    whole = json.loads(written)
    assert sorted(map(repr, places(whole, ()))) == sorted(repr(each.path) for each in closed)
    for path, value, start, end in closed:
        assert repr(json.loads(text[start:end])) == repr(value) == repr(at(whole, path))


def places(value: Any, path: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Every place in a value."""
    steps = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    return [path, *(place for step, held in steps for place in places(held, (*path, step)))]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def begins(part: Any, whole: Any, open_path: tuple[Any, ...] | None) -> bool:
    """Whether a value is the beginning of another, and just that where it is not open."""
    if open_path is None:
        return repr(part) == repr(whole)
    if isinstance(part, str):
        return bool(whole.startswith(part))
    steps: list[Any] = list(part) if isinstance(part, dict) else list(range(len(part)))
    in_order = steps == (list(whole) if isinstance(whole, dict) else list(range(len(whole))))[: len(steps)]
    return in_order and all(
        begins(part[step], whole[step], open_path[1:] if open_path[:1] == (step,) else None) for step in steps
    )


@given(around, written)
@few
def test_nothing_half_read_is_given_as_whole(around: tuple[str, str], written: str) -> None:
    """After each character, what is not marked is as it will be, and what is marked is the beginning of it."""
    parser = IncrementalParser()
    parser.feed(around[0])
    for character in written:
        parser.feed(character)
        assert parser.value is None or begins(parser.value, json.loads(written), parser.open_path)


@given(junk, st.data())
@settings(max_examples=300)
def test_any_text_is_read_alike_in_any_pieces(text: str, data: st.DataObject) -> None:
    """Whatever the text, nothing is raised, and where it was cut makes no difference, not even to how it is left."""
    whole = by_pieces(text)
    assert by_pieces(*text) == whole
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    assert by_pieces(*(text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True))) == whole


@given(junk)
@settings(max_examples=300)
def test_the_end_is_that_of_parse(text: str) -> None:
    """A stream ends as `parse` does with the whole text, in value, repairs and refusal, whatever was seen before."""
    stream: PartialStream[Any] = PartialStream(Any)
    for piece in re.findall(r".{1,3}", text, re.DOTALL):
        partial = stream.feed(piece)
        assert partial is None or not partial.complete
    assert outcome(stream.finish) == outcome(lambda: loads(text))


def outcome(read: Callable[[], Any]) -> Any:
    """What reading comes to: value and repairs, or what a refusal says."""
    try:
        read_value = read()
    except ParseError as error:
        return error.kind, error.issues, error.text
    return repr(read_value.value), read_value.repairs
