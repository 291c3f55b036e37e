"""Null in schemas: which take it, and those that are made to."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from magic_tools.schema.nulls import accepts_null, or_null
from magic_tools.values import JsonObject

TEXT = {"type": "string"}
NULL = {"type": "null"}
ROOT: JsonObject = {
    "$defs": {
        "Text": TEXT,
        "Maybe": {"anyOf": [{"$ref": "#/$defs/Text"}, NULL]},
        "Through": {"$ref": "#/$defs/Maybe"},
        "Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}, TEXT]},
        "Late": {"anyOf": [{"$ref": "#/$defs/Late"}, NULL]},
    }
}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        False,
        NULL,
        TEXT,
        {"type": ["string", "null"]},
        {"enum": ["a", None]},
        {"enum": ["a"]},
        {"type": ["string", "null"], "enum": ["a"]},
        {"const": None},
        {"const": 0},
        {"minLength": 3},
        {"oneOf": [TEXT, NULL]},
        {"anyOf": [TEXT, {"type": "integer"}]},
        {"type": "string", "anyOf": [TEXT, NULL]},
        {"allOf": [NULL, {}]},
        {"allOf": [{"type": ["string", "null"]}, TEXT]},
        *({"$ref": f"#/$defs/{name}"} for name in ROOT["$defs"] if name not in ("Loop", "Late")),
        {"$ref": "#/$defs/Maybe", "type": "string"},
    ],
)
def test_whether_null_is_taken(schema: Any) -> None:
    """A schema is said to take null where it does, by the referee's word."""
    whole = {**schema, **ROOT} if isinstance(schema, dict) else schema
    assert accepts_null(schema, ROOT) is jsonschema_rs.is_valid(whole, None)


@pytest.mark.parametrize(("name", "takes"), [("Loop", False), ("Late", True)])
def test_types_that_hold_themselves(name: str, takes: bool) -> None:
    """A type in itself takes null where one of its other branches does."""
    assert accepts_null({"$ref": f"#/$defs/{name}"}, ROOT) is takes


@pytest.mark.parametrize(
    ("schema", "nullable"),
    [
        (TEXT, {"type": ["string", "null"]}),
        ({"type": ["string", "integer"]}, {"type": ["string", "integer", "null"]}),
        ({"type": "string", "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"const": 1, "description": "!"}, {"description": "!", "anyOf": [{"const": 1}, NULL]}),
        ({"enum": ["a", 1]}, {"anyOf": [{"enum": ["a", 1]}, NULL]}),
        ({"anyOf": [TEXT], "description": "!"}, {"anyOf": [TEXT, NULL], "description": "!"}),
        ({"anyOf": [TEXT], "type": "string"}, {"anyOf": [{"anyOf": [TEXT], "type": "string"}, NULL]}),
        ({"$ref": "#/$defs/Text"}, {"anyOf": [{"$ref": "#/$defs/Text"}, NULL]}),
        ({"type": "object", "properties": {}}, {"anyOf": [{"type": "object", "properties": {}}, NULL]}),
    ],
)
def test_what_takes_null_too(schema: JsonObject, nullable: JsonObject) -> None:
    """A schema that is made to take null takes what it did, and its text stays outside."""
    assert or_null(schema) == nullable
    assert jsonschema_rs.is_valid({**nullable, **ROOT}, None)
