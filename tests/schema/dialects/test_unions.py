"""Whether the branches of a union exclude each other."""

from __future__ import annotations

from itertools import product
from typing import Any

import jsonschema_rs
import pytest

from magic_tools.schema.dialects.table import render_schema

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def thing(properties: dict[str, Any], *required: str, **keywords: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), **keywords}


A, B = thing({"k": {"const": "a"}}, "k"), thing({"k": {"enum": ["b", "c"]}})
NAMED = {"$defs": {"A": A, "B": B, "Text": TEXT}}
SHUT = thing({"a": TEXT}, "a", additionalProperties=False)
EXCLUDING: list[list[dict[str, Any]]] = [
    [TEXT, WHOLE],
    [TEXT, {"type": ["null", "boolean"]}],
    [{"const": 1}, {"const": True}, {"const": "1"}],
    [{"enum": ["a", "b"]}, {"const": "c"}],
    [{"$ref": "#/$defs/Text"}, {"type": "null"}],
    [A, B],
    [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}],
    [A, {"type": "array"}],
    [SHUT, thing({"b": TEXT}, "b")],
    [{"anyOf": [TEXT, WHOLE]}, {"type": "null"}],
]
OVERLAPPING: list[list[dict[str, Any]]] = [
    [WHOLE, {"type": "number"}],
    [TEXT, {}],
    [{"const": 1}, {"const": 1.0}],
    [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}],
    [{"const": {}}, {"enum": [{}, {"a": 1}]}],
    [A, thing({"k": {"enum": ["a", "b"]}}, "k")],
    [thing({"k": {"const": "a"}}), thing({"k": {"const": "b"}})],
    [{**A, "type": ["object", "null"]}, {**B, "type": ["object", "null"]}],
    [{"properties": A["properties"], "required": ["k"]}, {"properties": B["properties"]}],
    [SHUT, thing({"a": TEXT, "b": TEXT}, "a")],
    [{**SHUT, "patternProperties": {"b": TEXT}}, thing({"b": TEXT}, "b")],
]


def form_of(branches: list[dict[str, Any]]) -> list[str]:
    schema = {"type": "object", "properties": {"p": {"oneOf": branches}}, "required": ["p"], **NAMED}
    return [change.what for change in render_schema(schema, "gemini").changes if change.keyword == "oneOf"]


@pytest.mark.parametrize("branches", EXCLUDING)
def test_branches_that_exclude_each_other(branches: list[dict[str, Any]]) -> None:
    """Where no value fits two branches that is said, and by the referee's word none does."""
    assert form_of(branches) == ["made anyOf: no value fits two of its branches"]
    values = [1, 1.0, True, "1", "a", "b", "c", None, [], {}]
    values += [{key: value} for key, value in product("kab", ["a", "b", "c"])] + [{"a": "x", "b": "y", "k": "a"}]
    for value in values:
        fitting = [jsonschema_rs.Draft202012Validator({**branch, **NAMED}).is_valid(value) for branch in branches]
        assert fitting.count(True) <= 1


@pytest.mark.parametrize("branches", OVERLAPPING)
def test_branches_that_may_overlap(branches: list[dict[str, Any]]) -> None:
    """Where a value may fit two, or that cannot be told, the words say that it may fit one alone."""
    assert form_of(branches) == ["kept as text: Exactly one of these."]
