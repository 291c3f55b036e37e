"""OpenAI's form of schemas and tools: strict where nothing is lost, and every reason listed where not."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from magic_tools.errors import SchemaRejectedError
from magic_tools.messages import ToolDefinition
from magic_tools.schema.openai import openai_tool, render_openai
from magic_tools.schema.rendered import DialectChange
from magic_tools.values import JsonObject


def closed(properties: JsonObject, **keywords: Any) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **keywords,
    }


def opened(properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(properties)}


CAR = closed({"vehicle": {"type": "string", "const": "Car"}})
BIKE = closed({"vehicle": {"type": "string", "const": "Bike"}})
NODE = closed({"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}})
TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "strict", "changes"),
    [
        (closed({}), closed({}), []),
        (
            closed({"a": {"type": "integer", "minimum": 1}, "b": {"enum": ["x", None]}}),
            closed({"a": {"type": "integer", "minimum": 1}, "b": {"enum": ["x", None]}}),
            [],
        ),
        (
            opened({"a": opened({"b": TEXT})}),
            closed({"a": closed({"b": TEXT})}),
            [
                DialectChange("/properties/a", "additionalProperties", "closed: no undeclared keys are asked for"),
                DialectChange("", "additionalProperties", "closed: no undeclared keys are asked for"),
            ],
        ),
        (
            closed(
                {"v": {"type": "array", "items": {"oneOf": [CAR, BIKE], "discriminator": {"propertyName": "vehicle"}}}}
            ),
            closed({"v": {"type": "array", "items": {"anyOf": [CAR, BIKE]}}}),
            [
                DialectChange(
                    "/properties/v/items", "oneOf", "made anyOf; the discriminator still tells the branches apart"
                )
            ],
        ),
        (
            closed(
                {"a": {"$ref": "#/$defs/T", "description": "this one"}, "b": {"$ref": "#/$defs/T"}},
                **{"$defs": {"T": TEXT}},
            ),
            closed(
                {"a": {"description": "this one", "anyOf": [{"$ref": "#/$defs/T"}]}, "b": {"$ref": "#/$defs/T"}},
                **{"$defs": {"T": TEXT}},
            ),
            [],
        ),
        (
            {"$ref": "#/$defs/Node", "$defs": {"Node": NODE}},
            {**NODE, "$defs": {"Node": NODE}},
            [],
        ),
        (
            closed({"a": {"type": "string", "description": "At least 0.", "x-decimal": {"minimum": "0"}}}),
            closed({"a": {"type": "string", "description": "At least 0."}}),
            [DialectChange("/properties/a", "x-decimal", "left out: an annotation, which strict mode does not take")],
        ),
        (
            closed({"a": {"type": "string", "format": "date-time"}}),
            closed({"a": {"type": "string", "format": "date-time"}}),
            [],
        ),
    ],
    ids=[
        "empty",
        "plain",
        "open objects",
        "tags",
        "texts beside references",
        "recursive root",
        "annotations",
        "formats",
    ],
)
def test_a_schema_that_loses_nothing_is_strict(
    schema: JsonObject, strict: JsonObject, changes: list[DialectChange]
) -> None:
    """What strict mode can say it says, in its own way, and each other way is listed."""
    given = copy.deepcopy(schema)
    rendered = render_openai(schema)
    assert (rendered.strict, rendered.schema) == (True, strict)
    assert sorted(rendered.changes, key=str) == sorted(changes, key=str)
    assert schema == given


@pytest.mark.parametrize(
    ("schema", "path", "keyword", "why"),
    [
        ({"type": "string"}, "", "type", "the root is not an object"),
        ({"anyOf": [CAR, BIKE]}, "", "type", "the root is not an object"),
        ({"oneOf": [CAR, BIKE]}, "", "type", "the root is not an object"),
        ({**CAR, "anyOf": [BIKE]}, "", "type", "the root is not an object"),
        (closed({"a": TEXT}) | {"required": []}, "", "required", "these may be left out: a"),
        (closed({"a": {}}), "/properties/a", "type", "strict mode wants a type"),
        (closed({"a": {"type": "array"}}), "/properties/a", "items", "wants the type of the items"),
        (closed({"a": {"type": ["array", "null"]}}), "/properties/a", "items", "wants the type of the items"),
        (
            closed({"a": {"type": "object", "additionalProperties": TEXT}}),
            "/properties/a",
            "additionalProperties",
            "an open map",
        ),
        (closed({"a": {"type": ["object", "null"]}}), "/properties/a", "additionalProperties", "an open map"),
        (closed({"a": {"type": "string", "default": "x"}}), "/properties/a", "default", "does not know this keyword"),
        (closed({"a": {"type": "string", "maxLength": 3}}), "/properties/a", "maxLength", "does not know this keyword"),
        (
            closed({"a": {"type": "array", "prefixItems": [TEXT], "items": TEXT}}),
            "/properties/a",
            "prefixItems",
            "does not know",
        ),
        (closed({"a": {"type": "string", "format": "password"}}), "/properties/a", "format", "the format 'password'"),
        (closed({"a": {"$ref": "#/$defs/T"}}, **{"$defs": {"T": {}}}), "/$defs/T", "type", "strict mode wants a type"),
    ],
)
def test_a_schema_that_would_lose_something_is_sent_as_it_is(
    schema: JsonObject, path: str, keyword: str, why: str
) -> None:
    """What strict mode cannot say is sent non-strict, untouched, with the reason and its place."""
    rendered = render_openai(schema)
    assert (rendered.strict, rendered.schema) == (False, schema)
    assert [(change.path, change.keyword) for change in rendered.changes] == [(path, keyword)]
    assert rendered.changes[0].what.startswith("sent non-strict: ")
    assert why in rendered.changes[0].what


def test_each_reason_is_listed() -> None:
    """Several things that strict mode cannot say are several changes."""
    schema = closed({"a": {"type": "object"}, "b": {"type": "string", "default": "x"}}) | {"required": ["a"]}
    assert {(change.path, change.keyword) for change in render_openai(schema).changes} == {
        ("", "required"),
        ("/properties/a", "additionalProperties"),
        ("/properties/b", "default"),
    }


STRICT = ToolDefinition("look", "Look it up.", closed({"q": TEXT}))
LOOSE = ToolDefinition(
    "look", "Look it up.", {"type": "object", "properties": {"q": TEXT}, "additionalProperties": False}
)


@pytest.mark.parametrize(
    ("definition", "strict", "function"),
    [
        (
            STRICT,
            None,
            {"name": "look", "description": "Look it up.", "parameters": STRICT.input_schema, "strict": True},
        ),
        (
            STRICT,
            True,
            {"name": "look", "description": "Look it up.", "parameters": STRICT.input_schema, "strict": True},
        ),
        (STRICT, False, {"name": "look", "description": "Look it up.", "parameters": STRICT.input_schema}),
        (LOOSE, None, {"name": "look", "description": "Look it up.", "parameters": LOOSE.input_schema}),
        (LOOSE, False, {"name": "look", "description": "Look it up.", "parameters": LOOSE.input_schema}),
    ],
)
def test_a_tool(definition: ToolDefinition, strict: bool | None, function: JsonObject) -> None:
    """A tool is a function of the request, strict where that loses nothing and nobody forbids it."""
    written, rendered = openai_tool(definition, strict)
    assert written == {"type": "function", "function": function}
    assert rendered.strict is function.get("strict", False)


def test_strict_that_would_lose_something_is_refused() -> None:
    """Strict asked for where it cannot be is refused by name, with each reason and what to do."""
    with pytest.raises(
        SchemaRejectedError, match=r"'look' cannot be sent strict .*\(/: .* may be left out: q\)\. Leave"
    ):
        openai_tool(LOOSE, strict=True)
