"""Going through a schema: every place that holds a schema, and none that holds data."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.schema.walk import (
    definition_name,
    map_inner,
    map_schema,
    resolve,
    subschemas,
    types_of,
)
from magic_tools.values import JsonObject

# One schema under every keyword that holds some, each marked by its `title`; data that looks like schemas beside them.
EVERYWHERE: JsonObject = {
    "$defs": {"a/b": {"title": "definition"}},
    "properties": {"properties": {"title": "property"}, "~": {"title": "tilde"}},
    "patternProperties": {"^x": {"title": "pattern"}},
    "dependentSchemas": {"y": {"title": "dependent"}},
    "additionalProperties": {"title": "additional"},
    "unevaluatedProperties": {"title": "unevaluated"},
    "propertyNames": {"title": "names"},
    "items": {"title": "items"},
    "unevaluatedItems": {"title": "unevaluated items"},
    "contains": {"title": "contains"},
    "prefixItems": [{"title": "first"}, {"title": "second"}],
    "anyOf": [{"title": "any"}],
    "oneOf": [{"title": "one"}],
    "allOf": [{"title": "all"}],
    "not": {"title": "not"},
    "if": {"title": "if"},
    "then": {"title": "then"},
    "else": {"title": "else"},
    "contentSchema": {"title": "content"},
    "default": {"title": "data"},
    "const": {"items": {"title": "data"}},
    "enum": [{"title": "data"}],
    "examples": [{"properties": {"a": {"title": "data"}}}],
}


def test_every_inner_schema_is_found() -> None:
    """Each keyword that holds schemas is followed, and no default, constant or example is."""
    titles = [inner["title"] for inner in subschemas(EVERYWHERE)]
    expected = [
        *("definition", "property", "tilde", "pattern", "dependent", "additional", "unevaluated", "names", "items"),
        *("unevaluated items", "contains", "first", "second", "any", "one", "all", "not", "if", "then", "else"),
        "content",
    ]
    assert sorted(titles) == sorted(expected)


@pytest.mark.parametrize(
    "schema", [{"items": True}, {"additionalProperties": False}, {"anyOf": [True]}, {"properties": {"a": False}}]
)
def test_true_and_false_are_let_be(schema: JsonObject) -> None:
    """A schema may be true or false: there is nothing inside it, and a copy keeps it."""
    assert list(subschemas(schema)) == []
    assert map_schema(schema, lambda inner, _: inner) == schema


def test_a_change_reaches_every_schema_with_its_place() -> None:
    """Each schema is changed once, the inner ones first, and told its JSON Pointer."""
    places: list[tuple[str, str]] = []

    def note(schema: JsonObject, pointer: str) -> JsonObject:
        places.append((schema.get("title", "root"), pointer))
        return {**schema, "seen": True}

    changed = map_schema(EVERYWHERE, note)
    assert dict(places)["definition"] == "/$defs/a~1b"
    assert dict(places)["tilde"] == "/properties/~0"
    assert dict(places)["second"] == "/prefixItems/1"
    assert dict(places)["property"] == "/properties/properties"
    assert places[-1] == ("root", "")
    assert len(places) == len(list(subschemas(EVERYWHERE))) + 1
    assert all(inner["seen"] for inner in subschemas(changed))
    assert changed["default"] == {"title": "data"}


def test_mapping_changes_nothing_in_place() -> None:
    """The schema that was given stays what it was."""
    schema: JsonObject = {"properties": {"a": {"items": {"title": "x"}}}}
    map_schema(schema, lambda inner, _: {word: held for word, held in inner.items() if word != "title"})
    map_inner(schema, lambda inner, _: {})
    assert schema == {"properties": {"a": {"items": {"title": "x"}}}}


ROOT: JsonObject = {
    "$ref": "#/$defs/A",
    "$defs": {
        "A": {"$ref": "#/$defs/B", "description": "of A"},
        "B": {"type": "object", "description": "of B"},
        "loop": {"$ref": "#/$defs/loop"},
        "a/b~c": {"type": "null"},
    },
}


@pytest.mark.parametrize(
    ("schema", "resolved"),
    [
        ({"type": "string"}, {"type": "string"}),
        ({"$ref": "#/$defs/B"}, {"type": "object", "description": "of B"}),
        ({"$ref": "#/$defs/A"}, {"type": "object", "description": "of A"}),
        ({"$ref": "#/$defs/A", "description": "here"}, {"type": "object", "description": "here"}),
        ({"$ref": "#/$defs/a~1b~0c"}, {"type": "null"}),
        ({"$ref": "#/$defs/loop"}, {"$ref": "#/$defs/loop"}),
    ],
)
def test_a_reference_stands_for_its_definition(schema: JsonObject, resolved: JsonObject) -> None:
    """A reference is followed to its end, and what stands beside it wins; one that leads to itself ends there."""
    assert resolve(schema, ROOT) == resolved


def test_a_reference_to_the_root() -> None:
    """`#` is the whole schema."""
    root: JsonObject = {"type": "array", "items": {"$ref": "#"}}
    assert resolve(root["items"], root) == root


@pytest.mark.parametrize(("ref", "name"), [("#/$defs/Order", "Order"), ("#/$defs/a~1b~0c", "a/b~c")])
def test_the_name_in_a_reference(ref: str, name: str) -> None:
    """A reference's last step is a name, escaped as in a JSON Pointer."""
    assert definition_name(ref) == name


@pytest.mark.parametrize(
    ("schema", "types"),
    [({}, ()), ({"type": "string"}, ("string",)), ({"type": ["object", "null"]}, ("object", "null"))],
)
def test_the_types_of_a_schema(schema: Any, types: tuple[str, ...]) -> None:
    """A schema names no type, one, or several."""
    assert types_of(schema) == types
