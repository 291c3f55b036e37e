"""What a schema forbids to the last limit, and what is taken all the same."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.schema.forms import DECIMAL_PATTERN
from magic_tools.schema.limits import X_DECIMAL
from magic_tools.tools.bad_inputs.referee import referee, widened
from magic_tools.values import JsonObject


def decimal(**limits: str) -> JsonObject:
    return {"type": "string", "pattern": DECIMAL_PATTERN, X_DECIMAL: limits}


@pytest.mark.parametrize(
    ("limits", "within", "beyond"),
    [
        ({"minimum": "0"}, ["0", "0.1", "1e5"], ["-0.1", "-1"]),
        ({"exclusiveMinimum": "0"}, ["0.1"], ["0", "-1"]),
        ({"maximum": "1.5"}, ["1.50"], ["1.51"]),
        ({"exclusiveMaximum": "100"}, ["99.99"], ["100", "1e2"]),
        ({"multipleOf": "0.05"}, ["0.10", "1e30", "-0.05"], ["0.12", "1e-30"]),
        ({"maxDigits": "3"}, ["999", "1.23", "100", "0.123", "1.2300"], ["1000", "1.234", "0.1234", "1e3"]),
        ({"decimalPlaces": "2"}, ["1.23", "1.2300", "1000", "1e9"], ["1.234", "1e-3"]),
    ],
)
def test_the_limits_of_a_decimal(limits: dict[str, str], within: list[str], beyond: list[str]) -> None:
    """A Decimal's text is held to each of its limits, zeros at its end not counted."""
    allows = referee(decimal(**limits))
    assert [text for text in within if not allows(text)] == []
    assert [text for text in beyond if allows(text)] == []


SETS: JsonObject = {
    "type": "object",
    "properties": {"set": {"type": "array", "uniqueItems": True}, "held": {"$ref": "#/$defs/Pattern"}},
    "additionalProperties": False,
    "$defs": {"Pattern": {"type": "string", "format": "regex"}},
}


@pytest.mark.parametrize(
    ("schema", "taken", "refused"),
    [
        ({"type": "boolean"}, [True], ["true", "yes", 0, 1, None]),
        ({"type": "integer"}, [12], ["12", "text", "", 3.5, True]),
        ({"type": "array", "uniqueItems": True}, [[1, 1]], [{}]),
        ({"type": "string", "format": "regex"}, ["(?P<a>b)(?P=a)", "{"], [None]),
        ({"type": "string", "format": "date"}, ["2026-11-29"], [0, "0"]),
        (SETS, [{"set": [1, 1], "held": "{"}], [{"set": 1}, {"held": None}, {"x": 1}]),
    ],
)
def test_what_is_taken_all_the_same(schema: JsonObject, taken: list[Any], refused: list[Any]) -> None:
    """The widened schema allows what the library takes as it stands, and nothing that it has to mend."""
    may_take = referee(widened(schema))
    assert [value for value in taken if not may_take(value)] == []
    assert [value for value in refused if may_take(value)] == []


def test_a_schema_is_not_changed() -> None:
    """Widening a schema leaves it as it was."""
    before = repr(SETS)
    widened(SETS)
    assert repr(SETS) == before


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"pattern": r"a\Z"}, 'Z" is not a "regex"'),
        ({"type": "whole"}, "whole"),
        ({"$ref": "https://example.com/schema"}, "example.com"),
        ({"$ref": "#/$defs/None"}, "None"),
    ],
)
def test_what_is_no_schema(schema: JsonObject, message: str) -> None:
    """A schema that cannot be held to, or that leads out into the network, is a ValueError that says so."""
    with pytest.raises(ValueError, match=message):
        referee(schema)
