"""Definitions: inlined where that is shorter, named after their classes, and kept where they recur."""

from __future__ import annotations

import json
from enum import Enum
from typing import Annotated, Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from magic_tools.schema.adapting import adapt
from magic_tools.schema.definitions import inline_shorter, leads_to, marked_name, shorten_names
from magic_tools.schema.emit import emit
from magic_tools.schema.tags import require_tags
from magic_tools.values import JsonObject


def ref(name: str, **beside: Any) -> JsonObject:
    return {"$ref": f"#/$defs/{name}", **beside}


def same(schema: JsonObject) -> JsonObject:
    return schema


LONG = {"type": "string", "description": "A text that is much longer than a reference to it would be, " * 3}
SHORT = {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"$defs": {"A": SHORT}}, {}),  # used nowhere
        ({"items": ref("A"), "$defs": {"A": LONG}}, {"items": LONG}),
        ({"anyOf": [ref("A")] * 9, "$defs": {"A": SHORT}}, {"anyOf": [SHORT] * 9}),
        ({"anyOf": [ref("A")] * 2, "$defs": {"A": LONG}}, {"anyOf": [ref("A")] * 2, "$defs": {"A": LONG}}),
        ({"items": ref("A", description="x"), "$defs": {"A": LONG}}, {"items": {**LONG, "description": "x"}}),
        (
            {"anyOf": [ref("A"), ref("A", description=LONG["description"])], "$defs": {"A": LONG}},
            {"anyOf": [ref("A"), ref("A")], "$defs": {"A": LONG}},
        ),
        (
            {"anyOf": [ref("A"), ref("A", description="x")], "$defs": {"A": LONG}},
            {"anyOf": [ref("A"), ref("A", description="x")], "$defs": {"A": LONG}},
        ),
        (
            {"items": ref("A"), "$defs": {"A": {"anyOf": [ref("B"), SHORT]}, "B": {"items": ref("C")}, "C": LONG}},
            {"items": {"anyOf": [{"items": LONG}, SHORT]}},
        ),
        (
            {"items": ref("A"), "$defs": {"A": {"items": ref("A")}}},
            {"items": ref("A"), "$defs": {"A": {"items": ref("A")}}},
        ),
        (
            {"items": ref("A"), "$defs": {"A": {"items": ref("B")}, "B": {"anyOf": [ref("A"), ref("C")]}, "C": SHORT}},
            {"items": ref("A"), "$defs": {"A": {"items": ref("B")}, "B": {"anyOf": [ref("A"), SHORT]}}},
        ),
        (
            {"items": ref("A", **{"x-words": ["here"]}), "$defs": {"A": {**SHORT, "x-words": ["there"]}}},
            {"items": {**SHORT, "x-words": ["there", "here"]}},
        ),
        ({"items": {"$ref": "#/properties/a"}}, {"items": {"$ref": "#/properties/a"}}),
    ],
)
def test_what_is_inlined(schema: JsonObject, expected: JsonObject) -> None:
    """The shorter spelling is taken, what leads back to itself is kept, and the nearer text counts, told once."""
    before = json.dumps(schema)
    assert inline_shorter(schema, same) == expected
    assert json.dumps(schema) == before


@given(st.integers(1, 8), st.integers(0, 120))
def test_the_shorter_of_two_spellings(uses: int, length: int) -> None:
    """However often a definition is used and however long it is, no other spelling of it is shorter."""
    held = {"const": "x" * length}
    apart = {"anyOf": [ref("Name")] * uses, "$defs": {"Name": held}}
    inline = {"anyOf": [held] * uses}
    shortest = min(len(json.dumps(apart)), len(json.dumps(inline)))
    assert len(json.dumps(inline_shorter(apart, same))) <= shortest + len('"$defs": {}, ')


def test_names() -> None:
    """A mark goes, one whose name is taken gets a number in order of use, and what is unused goes."""
    schema = {
        "prefixItems": [ref("Node:1"), ref("Node"), ref("Node:2"), ref("D:A_3")],
        "$defs": {
            "Node:1": {"type": "integer"},
            "Node": {"type": "string"},
            "Node:2": {"type": "null"},
            "D:A_3": {},
            "z": {},
        },
    }
    short = shorten_names(schema)
    assert [item["$ref"] for item in short["prefixItems"]] == [
        f"#/$defs/{name}" for name in ("Node", "Node2", "Node3", "D")
    ]
    assert {name: held.get("type") for name, held in short["$defs"].items()} == {
        "D": None,
        "Node": "integer",
        "Node2": "string",
        "Node3": "null",
    }
    assert [marked_name("Node", taken) for taken in ((), ("Nodes",), ("Node", "D"))] == ["Node", "Node", "Node:2"]


def test_what_leads_to_what() -> None:
    """A definition leads to all that it refers to through others, and to itself only if it recurs."""
    definitions: dict[str, JsonObject] = {"A": {"items": ref("B")}, "B": {"anyOf": [ref("C"), ref("B")]}, "C": {}}
    assert [leads_to(name, definitions) for name in definitions] == [{"B", "C"}, {"B", "C"}, set()]


def test_tags() -> None:
    """In every branch of a union by a tag the tag is required and has no default, however the branch is reached."""
    tag = {"const": "x", "default": "x"}
    schema = {
        "oneOf": [
            ref("A"),
            {"properties": {"b": {}, "kind": tag, "c": {}}, "required": ["c"]},
            {"properties": {"kind": tag}, "required": ["kind"]},
            {"oneOf": []},
        ],
        "discriminator": {"propertyName": "kind"},
        "$defs": {"A": {"properties": {"kind": tag}}, "B": {"properties": {"kind": tag}}},
    }
    before = json.dumps(schema)
    made = require_tags(schema)
    bare = {"const": "x"}
    assert made["oneOf"][1:] == [
        {"properties": {"b": {}, "kind": bare, "c": {}}, "required": ["kind", "c"]},
        {"properties": {"kind": bare}, "required": ["kind"]},
        {"oneOf": []},
    ]
    assert made["$defs"]["A"] == {"properties": {"kind": bare}, "required": ["kind"]}
    assert made["$defs"]["B"] == schema["$defs"]["B"]  # type: ignore[index]  # it is an object
    assert json.dumps(schema) == before


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Long(BaseModel):
    """A class that has so much to say of itself that a reference is shorter than what it stands for."""

    name: str
    value: Annotated[int, "A value"]


class Uses(BaseModel):
    a: Color
    b: Color
    c: Long
    d: list[Long]


def test_what_a_model_s_schema_has() -> None:
    """An Enum of a few values stands where it is used; a model that is used twice is told once."""
    schema = emit(adapt(Uses, where="it"), "input", where="it", closed=True).schema
    assert list(schema["$defs"]) == ["Long"]
    assert schema["properties"]["a"] == schema["properties"]["b"] == {"type": "string", "enum": ["red", "blue"]}
    jsonschema_rs.meta.validate(schema)
