"""Values made up from a schema."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.tools.bad_inputs.samples import Samples, kinds_of, others_of, without_booleans
from magic_tools.values import JsonObject

LINKED: JsonObject = {
    "$defs": {
        "Chain": {"type": "object", "properties": {"next": {"$ref": "#/$defs/End"}}, "required": ["next"]},
        "End": {"anyOf": [{"$ref": "#/$defs/Chain"}, {"type": "integer"}]},
        "Endless": {"type": "object", "properties": {"it": {"$ref": "#/$defs/Endless"}}, "required": ["it"]},
    }
}


@pytest.mark.parametrize(
    ("schema", "first"),
    [
        ({}, ["text"]),
        ({"const": 3}, [3]),
        ({"enum": ["b", "a"]}, ["b", "a"]),
        ({"type": "integer", "examples": [9], "default": 4}, [9, 4, 1]),
        ({"type": "integer", "examples": ["wrong"], "default": None}, [1]),
        ({"type": ["null", "boolean"]}, [None, True, False]),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, [True, None, False]),
        ({"type": "integer", "minimum": 10, "multipleOf": 7}, [14, 21]),
        ({"type": "integer", "exclusiveMinimum": -3, "maximum": -1}, [-1, -2]),
        ({"type": "integer", "maximum": -5}, [-5, -6]),
        ({"type": "number", "exclusiveMinimum": 0.5, "exclusiveMaximum": 0.75}, [0.625]),
        ({"type": "integer", "minimum": 2**70}, [2**70]),
        ({"type": "integer", "minimum": 5, "maximum": 3}, []),
        ({"type": "string", "minLength": 6}, ["aaaaaa"]),
        ({"type": "string", "maxLength": 0}, [""]),
        ({"type": "string", "maxLength": 1}, ["", "a"]),
        ({"type": "string", "pattern": "^[0-9]+$", "minLength": 40}, ["0" * 40]),
        ({"type": "string", "minLength": 10**12}, []),
        ({"type": "string", "minLength": 10**12, "examples": ["a"]}, []),
        ({"type": "array", "minItems": 10**12}, []),
        ({"type": "object", "minProperties": 10**12}, []),
        ({"type": "string", "format": "time"}, ["12:30:00Z"]),
        ({"type": "string", "format": "uuid"}, ["12345678-9abc-4def-8123-456789abcdef"]),
        ({"type": "string", "contentSchema": {"type": "array", "items": {"type": "integer"}}}, ["[]", "[1]"]),
        ({"type": "array", "items": {"type": "integer"}}, [[], [1], [2]]),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2, "uniqueItems": True}, [[1, 2], [2, 3]]),
        ({"type": "array", "items": {"enum": ["a"]}, "minItems": 2, "uniqueItems": True}, []),
        ({"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "minItems": 2, "maxItems": 2}, [[1, 2]]),
        ({"type": "object", "additionalProperties": {"const": 1}, "minProperties": 2}, [{"text": 1, "": 1}]),
        (
            {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]},
            [{"a": 1}, {"a": 2}],
        ),
        ({"type": "object", "properties": {"a": {"not": {}}}, "required": ["a"]}, []),
        ({"$ref": "#/$defs/Chain"}, [{"next": 1}]),
        ({"$ref": "#/$defs/End"}, [1, 2]),
        ({"$ref": "#/$defs/Endless"}, []),
    ],
)
def test_the_first_values_of_a_schema(schema: JsonObject, first: list[Any]) -> None:
    """The first values are the author's, then the simplest; none where there are none."""
    found = Samples(LINKED).of(schema)
    assert found[: len(first)] == first
    assert bool(found) is bool(first)
    assert all(Samples(LINKED).allows(schema, value) for value in found)


def test_how_many() -> None:
    """As many different values as are asked for, where there are so many."""
    samples = Samples({})
    assert len(samples.of({"type": "integer"}, 30)) == 30
    assert len(samples.of({"type": "string", "minLength": 3}, 100)) == 100
    assert samples.of({"type": "boolean"}, 30) == [True, False]


def test_a_value_that_is_none_inside_another_is_one_alone() -> None:
    """What has no end inside another definition is made none the less where it stands alone."""
    samples = Samples(LINKED)
    assert samples.of({"$ref": "#/$defs/End"})[0] == 1
    assert samples.of({"$ref": "#/$defs/Chain"})[0] == {"next": 1}


def test_booleans_for_schemas() -> None:
    """What says anything or nothing by `true` or `false` says it as an object, but for the keys of an object."""
    schema: JsonObject = {
        "properties": {"a": True, "b": {"items": False}},
        "anyOf": [True, {"prefixItems": [False]}],
        "additionalProperties": False,
    }
    assert without_booleans(schema) == {
        "properties": {"a": {}, "b": {"items": {"not": {}}}},
        "anyOf": [{}, {"prefixItems": [{"not": {}}]}],
        "additionalProperties": False,
    }
    assert schema["properties"]["a"] is True


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        ({"type": "string"}, ("string",)),
        ({"type": ["string", "null"]}, ("string", "null")),
        ({"properties": {}}, ("object",)),
        ({"items": {}, "minItems": 1}, ("array",)),
        ({"description": "Any"}, ()),
    ],
)
def test_the_kinds_of_a_schema(schema: JsonObject, kinds: tuple[str, ...]) -> None:
    """The kinds are those that are named, or that the keywords are for."""
    assert kinds_of(schema) == kinds


@pytest.mark.parametrize(
    ("schema", "others"),
    [
        ({"additionalProperties": {"type": "integer"}}, {"type": "integer"}),
        ({"additionalProperties": True}, {}),
        ({}, {}),
        ({"additionalProperties": False}, None),
        ({"properties": {"a": {}}}, None),
        ({"properties": {"a": {}}, "additionalProperties": True}, None),
    ],
)
def test_what_undeclared_keys_hold(schema: JsonObject, others: JsonObject | None) -> None:
    """A map holds anything unless it says what; an object with properties is no map for being open."""
    assert others_of(schema) == others
