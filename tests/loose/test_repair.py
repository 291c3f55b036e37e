"""A span of text made JSON: where it ends, which commas were dropped, and how it cannot be read."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from magic_tools.loose.repair import Damage, Span, read_span
from magic_tools.messages import Repair

# From Python 3.13 on its reader has a word of its own for a comma before a bracket, and tells it at the comma.
NEWER = sys.version_info >= (3, 13)


def dropped(at: int) -> Repair:
    return Repair("trailing_comma", at, at + 1, "dropped a comma before a closing bracket")


@pytest.mark.parametrize(
    ("text", "value", "commas"),
    [
        ("{}", {}, []),
        ('[1, {"a": [2]}]', [1, {"a": [2]}], []),
        ('{"a": "}]{[,]", "b": "\\"}"}', {"a": "}]{[,]", "b": '"}'}, []),
        ("[1,]", [1], [2]),
        ('{"a": 1 , \n }', {"a": 1}, [8]),
        ('[[1,], {"a": [],},]', [[1], {"a": []}], [3, 15, 17]),
        ('["a,]",]', ["a,]"], [6]),
        ("[NaN, -Infinity,]", None, [15]),
    ],
)
@pytest.mark.parametrize(("before", "after"), [("", ""), ("x [", "] y"), ('"', '"')])
def test_a_span_that_can_be_read(before: str, after: str, text: str, value: Any, commas: list[int]) -> None:
    """A span ends at its own bracket; each trailing comma is blank in its JSON, and listed with its place."""
    start = len(before)
    span = read_span(before + text + after, start, start + len(text))
    assert (span.start, span.end) == (start, start + len(text))
    assert len(span.json) == len(text)
    assert span.repairs == tuple(dropped(start + at) for at in commas)
    if value is not None:
        assert json.loads(span.json) == value


def test_a_span_stops_at_its_own_bracket() -> None:
    """What follows the bracket is no part of the span."""
    assert read_span('{"a": 1}, {"b": 2}', 0, 18) == Span('{"a": 1}', 0, 8, ())
    assert read_span('{"a": 1}, {"b": 2}', 10, 18) == Span('{"b": 2}', 10, 18, ())


@pytest.mark.parametrize(
    ("text", "kind", "offset", "end", "why"),
    [
        ("[,]", "unparseable", 1, 3, "Expecting value"),
        ("[ , ]", "unparseable", 2, 5, "Expecting value"),
        ("{,}", "unparseable", 1, 3, "Expecting property name"),
        ("[1,,]", "unparseable", *((2, 5, "Illegal trailing comma") if NEWER else (4, 5, "Expecting value"))),
        ("[1,\u00a0]", "unparseable", 3, 5, "Expecting ',' delimiter"),
        ("[1, 2}]", "unparseable", 5, 7, "Expecting ',' delimiter"),
        ('{"a": {"b": 1]}, "c": 2}', "unparseable", 13, 24, "Expecting ',' delimiter"),
        ("{'a': 1} x", "unparseable", 1, 8, "Expecting property name"),
        ('{"a": tru}', "unparseable", 6, 10, "Expecting value"),
        ('{"a": tru, "b": "c', "unparseable", 6, 18, "Expecting value"),
        ('["a\nb"]', "unparseable", 3, 7, "Invalid control character"),
        ('["\\x"]', "unparseable", 2, 6, "Invalid \\\\escape"),
        ("[" + "1" * 4_301 + "]", "unparseable", 0, 4_303, "a whole number of more than 4300 digits"),
        ("[" * 100_000, "unparseable", 0, 100_000, "nested too deeply"),
        ("[" * 100_000 + "]" * 100_000, "unparseable", 0, 200_000, "nested too deeply"),
        ("{", "truncated", 1, 1, "Expecting property name"),
        ("[1", "truncated", 2, 2, "Expecting ',' delimiter"),
        ("[1,", "truncated", 3, 3, "Expecting value"),
        ('{"a', "truncated", 1, 3, "Unterminated string"),
        ('{"a": "\\"', "truncated", 6, 9, "Unterminated string"),
        ('{"a": "b\\', "truncated", 6, 9, "Unterminated string"),
        ('{"a": "]}', "truncated", 6, 9, "Unterminated string"),
        ('{"a": tru', "truncated", 6, 9, "Expecting value"),
        ('{"a": nul', "truncated", 6, 9, "Expecting value"),
        ("[-", "truncated", 1, 2, "Expecting value"),
        ("[[1,], [2", "truncated", 9, 9, "Expecting ',' delimiter"),
    ],
)
def test_a_span_that_cannot_be_read(text: str, kind: str, offset: int, end: int, why: str) -> None:
    """Damage says whether the text stopped or is no JSON, where in the whole text, and how far it was looked at."""
    before = "so: "
    with pytest.raises(Damage, match=f"^{why}") as damage:
        read_span(before + text, len(before), len(before) + len(text))
    assert (damage.value.kind, damage.value.offset - 4, damage.value.end - 4) == (kind, offset, end)
