"""The ways through a schema that combines others."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.tools.bad_inputs.ways import is_combined, ways_of
from magic_tools.values import JsonObject

ROOT: JsonObject = {
    "$defs": {
        "A": {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
        "Self": {"allOf": [{"$ref": "#/$defs/Self"}], "required": ["x"]},
    }
}
REF = {"$ref": "#/$defs/A"}
A: JsonObject = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("schema", "ways"),
    [
        ({"type": "integer"}, []),
        ({"anyOf": [REF, {"type": "null"}], "description": "x", "x-unit": "s"}, [REF, {"type": "null"}]),
        ({"type": "object", "anyOf": [REF, {"required": ["b"]}]}, [A | {"type": "object"},
                                                                   {"type": "object", "required": ["b"]}]),
        ({"oneOf": [REF], "required": ["b"]}, [A | {"required": ["b", "a"]}]),
        ({"allOf": [REF, {"properties": {"a": {"minimum": 1}}}]},
         [{"properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]}]),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, [{"required": ["a", "b"]}, {}]),
        ({"if": True, "else": {"required": ["b"]}}, [{}, {"required": ["b"]}]),
        ({"required": ["a"], "dependentRequired": {"a": ["b"], "z": ["y"]}}, [{"required": ["a", "b"]}]),
        ({"required": ["a"], "dependentSchemas": {"a": REF, "z": {"required": ["y"]}}}, [A]),
    ],
)  # fmt: skip
def test_ways(schema: JsonObject, ways: list[Any]) -> None:
    """Of a bare union its branches; else what each way says, with what holds in any case."""
    assert [way for way, _ in ways_of(schema, ROOT)] == ways
    assert is_combined(schema) is bool(ways and ways != schema.get("anyOf"))


def test_a_way_that_has_no_end() -> None:
    """A reference to what a schema is inside of is left out."""
    inside = ("#/$defs/Self",)
    assert [way for way, _ in ways_of(ROOT["$defs"]["Self"], ROOT, inside)] == [{"required": ["x"]}]
    assert list(ways_of({"anyOf": [{"$ref": inside[0]}]}, ROOT, inside)) == []


def test_a_way_tells_its_reference() -> None:
    """So that who goes into it knows what it is inside of."""
    assert [ref for _, ref in ways_of({"type": "object", "anyOf": [REF, {}]}, ROOT)] == ["#/$defs/A", ""]
