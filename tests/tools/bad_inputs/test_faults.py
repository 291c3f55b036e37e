"""What is wrong for a schema, and in which words."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.schema.forms import DECIMAL_PATTERN
from magic_tools.tools.bad_inputs.faults import Fault, anywhere, faults_of, wanted_by
from magic_tools.tools.bad_inputs.samples import Samples
from magic_tools.values import JsonObject

ROOT: JsonObject = {
    "$defs": {
        "Again": {"anyOf": [{"$ref": "#/$defs/Again"}, {"type": "integer"}]},
        "Item": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    }
}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer"}, "a whole number"),
        ({"type": ["string", "null"]}, "text or null"),
        ({"const": "a"}, '"a"'),
        ({"enum": [1, None, "数"]}, 'one of 1, null, "数"'),
        ({"type": "string", "format": "date"}, "an ISO 8601 date like 2026-11-29"),
        ({"type": "string", "pattern": DECIMAL_PATTERN}, "a decimal number as a string of digits"),
        ({"anyOf": [{"type": "array"}, {"$ref": "#/$defs/Item"}, {"type": "object"}]}, "an array or an object"),
        ({"$ref": "#/$defs/Again"}, "a whole number"),
        ({"not": {}}, "another value"),
    ],
)
def test_what_is_wanted(schema: JsonObject, words: str) -> None:
    """A schema's wish is told in a few words, each branch's once, and a reference to itself adds nothing."""
    assert wanted_by(schema, Samples(ROOT)) == words


def test_what_is_wrong_anywhere() -> None:
    """Each kind of value, the huge, the empty and the negative are tried, and shells around a good value."""
    faults = list(anywhere("a date", "2026-11-29", "day"))
    assert {type(fault.value) for fault in faults} == {type(None), bool, int, float, str, list, dict}
    assert all(fault.why.endswith(", where a date is due") for fault in faults)
    values = [fault.value for fault in faults]
    assert [
        value for value in ("", [], {}, -1, 10**30, ["2026-11-29"], {"day": "2026-11-29"}) if value not in values
    ] == []


@pytest.mark.parametrize(
    ("schema", "good", "fault"),
    [
        ({"type": "integer", "minimum": 3}, 3, Fault(2, "less than the least, which is 3")),
        ({"type": "number", "exclusiveMaximum": 3}, 2, Fault(3, "the limit 3 itself, which is outside")),
        ({"type": "string", "minLength": 2}, "ab", Fault("a", "fewer than 2 characters")),
        ({"type": "string", "maxLength": 2}, "ab", Fault("abb", "more than 2 characters")),
        ({"type": "array", "maxItems": 1}, ["a"], Fault(["a", "text"], "more items than 1")),
        (
            {"type": "string", "pattern": DECIMAL_PATTERN, "x-decimal": {"maxDigits": "2"}},
            "1",
            Fault("111", "111, where a number of at most 2 digits is due"),
        ),
        ({"const": "a"}, "a", Fault("A", "the choice 'a' in another case")),
        (ROOT["$defs"]["Item"], {"a": 1}, Fault({}, "without 'a', which is required", ("a",))),
        (
            {"type": "object", "properties": {"unknown": {}}},
            {"unknown": 1},
            Fault({"unknown": 1, "unknown_": "text"}, "a key that is not declared", ("unknown_",)),
        ),
        (
            {"type": "object", "propertyNames": {"enum": ["a"]}, "additionalProperties": {"const": 1}},
            {},
            Fault({"A": 1}, "as a key the choice 'a' in another case", ("A",)),
        ),
        (
            {"type": "object", "additionalProperties": {"const": 1}, "maxProperties": 1},
            {},
            Fault({"text": 1, "": 1}, "more keys than 1"),
        ),
    ],
)
def test_what_a_keyword_forbids(schema: JsonObject, good: Any, fault: Fault) -> None:
    """Each keyword has a fault against it, made from the good value, with why and where inside it is."""
    assert fault in list(faults_of(schema, good, Samples(ROOT)))


def test_no_length_is_made_that_no_memory_holds() -> None:
    """Lengths and counts that are endless in practice are not tried."""
    schemas: list[JsonObject] = [
        {"type": "string", "minLength": 10**12},
        {"type": "string", "maxLength": 10**12},
        {"type": "array", "maxItems": 10**12},
        {"type": "object", "maxProperties": 10**12},
    ]
    for schema in schemas:
        assert all(len(str(fault.value)) <= 200_000 for fault in faults_of(schema, None, Samples(ROOT)))
