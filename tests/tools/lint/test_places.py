"""The places of schemas of every origin: references, unions, maps, what holds itself, and what leads nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.tools.lint.findings import LintConfig
from magic_tools.tools.lint.place_rules import PLACE_RULES
from magic_tools.tools.lint.places import is_open, object_levels, places

ODD: dict[str, dict[str, Any]] = {
    "empty": {},
    "no object": {"type": "string"},
    "booleans": {"type": "object", "properties": {"a": True, "b": False}, "additionalProperties": True},
    "several types": {"properties": {"a": {"type": ["string", "integer", "null"]}, "b": {"type": ["string", "null"]}}},
    "all of": {"allOf": [{"properties": {"a": {"type": "string"}}}, {"$ref": "#/$defs/X"}], "$defs": {"X": {}}},
    "no definition": {"properties": {"a": {"$ref": "#/$defs/Missing"}, "b": {"$ref": "other.json"}}},
    "a pointer": {"properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}},
    "only itself": {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/A"}}},
    "each other": {
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
    },
    "the whole": {"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"type": "array", "items": {"$ref": "#"}}}},
    "nothing but null": {"properties": {"a": {"type": "null"}, "b": {"anyOf": [{"type": "null"}]}, "c": {"anyOf": []}}},
    "odd enums": {"properties": {"a": {"enum": [None, [], {}, 1, True, ""]}, "b": {"enum": []}, "c": {"const": None}}},
    "odd names": {"properties": {"": {"type": "string"}, "a b": {"type": "integer"}, "日期": {}, "\ud800": {}}},
    "a union of objects": {
        "oneOf": [
            {"type": "object", "properties": {"k": {"enum": [[1]]}}},
            {"type": "object", "properties": {"k": True}, "required": ["k"]},
            True,
        ]
    },
    "tuples": {"properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}, True], "items": False}}},
    "patterns": {"properties": {"a": {"type": "object", "patternProperties": {"^x": {"type": "integer"}, "^y": True}}}},
    "big numbers": {"properties": {"a": {"anyOf": [{"const": 10**400}, {"const": 10**400 + 1}]}}},
}


@pytest.mark.parametrize("name", ODD)
def test_no_schema_is_too_odd(name: str) -> None:
    """Every rule has an answer, or none, for whatever a schema from elsewhere may hold."""
    config = LintConfig()
    found = list(places(ODD[name], "input"))
    assert found[0].kind == "root"
    for place in found:
        for rule in PLACE_RULES:
            message = rule.check(place, config)
            assert message is None or message
    assert object_levels(ODD[name], ODD[name]) >= 0


def test_a_ladder_of_definitions_is_climbed_once() -> None:
    """Definitions that each hold the next one twice are each looked at once, not twice as often at every rung."""
    ladder: dict[str, Any] = {
        f"D{index}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/D{index + 1}"} for side in "ab"}}
        for index in range(60)
    }
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"top": {"$ref": "#/$defs/D0"}},
        "$defs": {**ladder, "D60": {"type": "string"}},
    }
    assert len(list(places(schema, "input"))) == 122
    assert object_levels(schema["properties"]["top"], schema) == 60


def test_where_each_place_is() -> None:
    """A path names fields, `[]` the items of a list, `[*]` the values of a map, a number the place in a tuple."""
    schema = {
        "properties": {
            "a": {"type": "array", "items": {"properties": {"b c": {"type": "string"}}}},
            "d": {"additionalProperties": {"properties": {"e": {}}}},
            "f": {"prefixItems": [{"type": "string"}, {"properties": {"g": {}}}]},
            "h": {"anyOf": [{"properties": {"i": {}}}, {"type": "string"}]},
        }
    }
    paths = [place.path for place in places(schema, "input") if place.kind == "field"]
    assert paths == ["a", 'a[]["b c"]', "d", "d[*].e", "f", "f[1].g", "h", "h.i"]
    assert [place.path for place in places(schema, "output")][:2] == ["result", "result.a"]


def test_what_is_said_of_a_place() -> None:
    """An item, a value and a branch have the text of their field beside their own; a field has its own alone."""
    schema = {
        "description": "All.",
        "properties": {
            "a": {
                "description": "Outer.",
                "items": {"description": "Inner.", "properties": {"b": {"$ref": "#/$defs/B", "description": "Mine."}}},
            }
        },
        "$defs": {"B": {"type": "integer", "description": "Its type's."}},
    }
    texts = {place.path: place.text for place in places(schema, "input")}
    assert texts == {"": "All.", "a": "Outer.", "a[]": "Outer. Inner.", "a[].b": "Mine."}


def test_an_optional_value_is_seen_through() -> None:
    """Of `T | None` the schema is that of T, in both spellings, with the texts around it."""
    schema = {
        "properties": {
            "a": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "description": "A.", "default": None},
            "b": {"type": ["integer", "null"]},
        }
    }
    held = {place.path: place.schema for place in places(schema, "input")}
    assert held["a"] == {"type": "integer", "minimum": 1, "description": "A.", "default": None}
    assert held["b"] == {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "is_so"),
    [
        ({}, True), (True, True), (False, False), ({"description": "x", "default": None, "x-unit": "s"}, True),
        ({"type": "object"}, False), ({"enum": []}, False), ({"$ref": "#/$defs/A"}, False), ({"not": {}}, False),
    ],
)  # fmt: skip
def test_what_takes_anything(schema: Any, is_so: bool) -> None:
    """A schema takes anything if all that it has are notes."""
    assert is_open(schema) is is_so


@pytest.mark.parametrize(
    ("schema", "levels"),
    [
        ({"type": "string"}, 0),
        ({"properties": {}}, 1),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, 1),
        ({"items": {"properties": {"a": {"anyOf": [{"properties": {}}, {"type": "string"}]}}}}, 2),
        ({"additionalProperties": {"additionalProperties": {"properties": {}}}}, 3),
        ({"$ref": "#/$defs/N"}, 1),
    ],
)
def test_levels_of_objects(schema: dict[str, Any], levels: int) -> None:
    """Objects and maps count, lists and unions do not, and what holds itself counts once."""
    root = {"$defs": {"N": {"properties": {"n": {"$ref": "#/$defs/N"}}}}}
    assert object_levels(schema, root) == levels
