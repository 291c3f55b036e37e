"""Limits of values that are texts in JSON: what keeps them, what is near, and what is beyond."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.schema.forms import INTEGER_PATTERN, NAIVE_PATTERN, TIME_PATTERN
from magic_tools.tools.bad_inputs.referee import referee
from magic_tools.tools.bad_inputs.text_limits import TextLimits, beyond_limits, near_limits
from magic_tools.values import JsonObject

DATE: JsonObject = {"type": "string", "format": "date"}
MOMENT: JsonObject = {"type": "string", "format": "date-time"}
NAIVE: JsonObject = {"type": "string", "pattern": NAIVE_PATTERN}
TIME: JsonObject = {"type": "string", "pattern": TIME_PATTERN}
DURATION: JsonObject = {"type": "string", "format": "duration"}
WHOLE: JsonObject = {"type": "string", "pattern": INTEGER_PATTERN}
UUID: JsonObject = {"type": "string", "format": "uuid"}
BYTES: JsonObject = {"type": "string", "contentEncoding": "base64"}
URL_BYTES: JsonObject = {"type": "string", "contentEncoding": "base64url"}

LIMITED: list[tuple[JsonObject, dict[str, str], list[str], list[str]]] = [
    (DATE, {"minimum": "2026-01-01"}, ["2026-01-01", "2999-12-31"], ["2025-12-31"]),
    (DATE, {"exclusiveMaximum": "2026-01-01"}, ["2025-12-31"], ["2026-01-01"]),
    (DATE, {"now": "past"}, ["1999-12-31"], ["2999-12-31"]),
    (DATE, {"now": "future"}, ["2999-12-31"], ["1999-12-31"]),
    (MOMENT, {"now": "future"}, ["2999-12-31T12:30:00Z"], ["1999-12-31T12:30:00Z"]),
    (MOMENT, {"maximum": "2026-01-01T00:00:00Z"}, ["2026-01-01T01:00:00+02:00"], ["2025-12-31T23:00:00-02:00"]),
    (NAIVE, {"exclusiveMinimum": "2026-01-01T00:00:00"}, ["2026-01-01T00:00:01"], ["2026-01-01T00:00:00"]),
    (TIME, {"minimum": "09:00:00", "maximum": "09:30:00"}, ["09:00:00", "09:30:00Z"], ["08:59:59", "09:30:01Z"]),
    (DURATION, {"minimum": "PT5H"}, ["PT5H", "P1D"], ["PT4H59M59S", "-P1D"]),
    (WHOLE, {"minimum": "3", "multipleOf": "3"}, ["3", "9"], ["0", "4"]),
    (UUID, {"version": "4"}, ["12345678-9abc-4def-8123-456789abcdef"], ["12345678-9abc-1def-8123-456789abcdef"]),
    (BYTES, {"minBytes": "2", "maxBytes": "3"}, ["eHg=", "eHh4"], ["eA==", "eHh4eA=="]),
    (URL_BYTES, {"maxBytes": "3"}, ["-_-_"], ["-_-_-_-_"]),
]


@pytest.mark.parametrize(("schema", "limits", "within", "beyond"), LIMITED)
def test_what_keeps_limits(schema: JsonObject, limits: dict[str, str], within: list[str], beyond: list[str]) -> None:
    """A text is held to each limit to the last step, in whatever offset it is written."""
    allows = referee(schema | {"x-limits": limits})
    assert [text for text in within if not allows(text)] == []
    assert [text for text in beyond if allows(text)] == []


@pytest.mark.parametrize(("schema", "limits", "within", "beyond"), LIMITED)
def test_what_is_beyond(schema: JsonObject, limits: dict[str, str], within: list[str], beyond: list[str]) -> None:
    """For each limit some text is beyond it, and no such text keeps all of them."""
    limited = schema | {"x-limits": limits}
    allows = referee(limited)
    found = list(beyond_limits(limited))
    assert found
    assert [text for text, _ in found if allows(text)] == []
    for name, limit in limits.items():
        assert list(beyond_limits(schema | {"x-limits": {name: limit}})), name


@pytest.mark.parametrize(
    ("schema", "limits"),
    [
        (DATE, {"minimum": "2031-05-05", "maximum": "2031-05-05"}),
        (NAIVE, {"exclusiveMinimum": "2031-01-01T00:00:00", "exclusiveMaximum": "2031-01-01T00:00:01"}),
        (MOMENT, {"exclusiveMinimum": "2031-01-01T00:00:00Z", "exclusiveMaximum": "2031-01-02T00:00:00Z"}),
        (TIME, {"exclusiveMinimum": "09:00:00", "exclusiveMaximum": "09:00:01"}),
        (DURATION, {"exclusiveMinimum": "PT5H", "exclusiveMaximum": "PT5H2S"}),
        (DATE, {"maximum": "0001-01-01"}),
        (WHOLE, {"minimum": "700", "exclusiveMaximum": "701"}),
        (BYTES, {"minBytes": "100", "maxBytes": "100"}),
    ],
)
def test_what_is_near(schema: JsonObject, limits: dict[str, str]) -> None:
    """However narrow the limits are, some text near them is within."""
    limited = schema | {"x-limits": limits}
    assert any(map(referee(limited), near_limits(limited)))


def is_within(limits: TextLimits, instance: object) -> bool:
    try:
        limits.validate(instance)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("instance", ["tomorrow", "", 5, None, ["2025-12-31"]])
def test_what_is_no_value_of_the_kind(instance: Any) -> None:
    """It breaks no limit: that it is none is said by the other keywords."""
    limits = TextLimits(DATE, {"minimum": "2026-01-01", "now": "past", "unknown": "x"}, None)
    assert is_within(limits, instance)
    assert not is_within(limits, "2025-12-31")


def test_no_limits() -> None:
    """A schema without limits has nothing near, and nothing beyond."""
    assert list(near_limits(DATE)) == []
    assert list(beyond_limits(DATE)) == []
