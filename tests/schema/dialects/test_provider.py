"""Schemas by the rules of providers: what a form keeps, what goes into words, what it cannot say."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import jsonschema_rs
import pytest

from magic_tools.errors import SchemaRejectedError
from magic_tools.schema.dialects.rendered import DialectChange, Move
from magic_tools.schema.dialects.table import DIALECTS, Dialect, render_schema
from magic_tools.values import JsonObject
from tests.schema.dialects import referees


def closed(properties: JsonObject, **keywords: Any) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **keywords,
    }


def opened(properties: JsonObject, *required: str) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required)}


def optional(schema: JsonObject) -> JsonObject:
    """An object that may have `a`."""
    return {"type": "object", "properties": {"a": schema}, "additionalProperties": False}


TEXT = {"type": "string"}
NULL = {"type": "null"}
CAR = closed({"vehicle": {"type": "string", "const": "Car"}})
BIKE = closed({"vehicle": {"type": "string", "const": "Bike"}})
NODE = closed({"next": {"anyOf": [{"$ref": "#/$defs/Node"}, NULL]}})
TAGGED = {"oneOf": [CAR, BIKE], "discriminator": {"propertyName": "vehicle"}}
OPEN_MAP = {"type": "object", "additionalProperties": {"type": "integer"}}
APART = "made anyOf: no value fits two of its branches"
CLOSED = "closed: no undeclared keys are asked for"
NULLABLE = "made nullable: null counts as left out"
SILENT = "left out: it says nothing that the description or the rest does not"

# What OpenAI's strict mode makes of a property `a`: its schema, its form, and the changes, keyword and what.
STRICT_PROPERTIES: list[tuple[str, JsonObject, JsonObject, list[tuple[str, str]]]] = [
    ("plain", {"type": "integer", "minimum": 1}, {"type": "integer", "minimum": 1}, []),
    ("null among values", {"enum": ["x", None]}, {"type": ["string", "null"], "enum": ["x", None]}, []),
    ("one value alone", {"const": "A"}, {"type": "string", "const": "A"}, []),
    ("whole numbers alone", {"enum": [1, 2]}, {"type": "integer", "enum": [1, 2]}, []),
    (
        "values of several types",
        {"enum": [1, "a", 1.5, True, None], "description": "Any"},
        {
            "type": ["string", "number", "boolean", "null"],
            "description": "Any",
            "enum": [1, "a", 1.5, True, None],
        },
        [],
    ),
    ("values and their type", {"type": "string", "enum": ["x"]}, {"type": "string", "enum": ["x"]}, []),
    ("a type list", {"type": ["string", "null"]}, {"type": ["string", "null"]}, []),
    ("format", {"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}, []),
    (
        "a length",
        {"type": "string", "description": "A name", "minLength": 2},
        {"type": "string", "description": "A name. At least 2 characters."},
        [("minLength", "kept as text: At least 2 characters.")],
    ),
    (
        "a length of one",
        {**TEXT, "maxLength": 1},
        {**TEXT, "description": "At most 1 character."},
        [
            ("maxLength", "kept as text: At most 1 character."),
        ],
    ),
    (
        "one key",
        {**CAR, "minProperties": 1, "maxProperties": 0},
        {**CAR, "description": "At least 1 key. At most 0 keys."},
        [("minProperties", "kept as text: At least 1 key."), ("maxProperties", "kept as text: At most 0 keys.")],
    ),
    (
        "several words",
        {"type": "array", "items": TEXT, "uniqueItems": True, "examples": [["é"], []]},
        {"type": "array", "description": 'No item twice. Examples: ["é"], [].', "items": TEXT},
        [("uniqueItems", "kept as text: No item twice."), ("examples", 'kept as text: Examples: ["é"], [].')],
    ),
    (
        "words that are there",
        {"type": "string", "description": "At least 2 characters. Or so.", "minLength": 2},
        {"type": "string", "description": "At least 2 characters. Or so."},
        [("minLength", "kept as text: At least 2 characters.")],
    ),
    (
        "words that begin like others",
        {"type": "array", "items": TEXT, "description": "At least 2.5 cm.", "contains": True, "minProperties": 2},
        {
            "type": "array",
            "description": "At least 2.5 cm. contains (JSON Schema): true. At least 2 keys.",
            "items": TEXT,
        },
        [
            ("contains", "kept as text: contains (JSON Schema): true."),
            ("minProperties", "kept as text: At least 2 keys."),
        ],
    ),
    (
        "a format that it does not know",
        {"type": "string", "format": "uri"},
        {"type": "string", "description": "Format: uri."},
        [("format", "kept as text: Format: uri.")],
    ),
    (
        "a look ahead",
        {"type": "string", "pattern": "^(?=x)"},
        {"type": "string", "description": "Matches the regular expression `^(?=x)`."},
        [("pattern", "kept as text: Matches the regular expression `^(?=x)`.")],
    ),
    (
        "a default of what is required",
        {"type": "string", "default": "x"},
        {"type": "string", "description": 'Default: "x".'},
        [("default", 'kept as text: Default: "x".')],
    ),
    (
        "tags",
        {"type": "array", "items": TAGGED},
        {"type": "array", "items": {"anyOf": [CAR, BIKE]}},
        [("discriminator", SILENT), ("oneOf", "made anyOf: its discriminator tells the branches apart")],
    ),
    (
        "one of several",
        {"oneOf": [TEXT, NULL]},
        {"anyOf": [TEXT, NULL]},
        [("oneOf", APART)],
    ),
    (
        "tags without a discriminator, and without types",
        {"oneOf": [closed({"kind": {"const": "A"}}), closed({"kind": {"enum": ["B", "C"]}})]},
        {
            "anyOf": [
                closed({"kind": {"type": "string", "const": "A"}}),
                closed({"kind": {"type": "string", "enum": ["B", "C"]}}),
            ]
        },
        [("oneOf", APART)],
    ),
    (
        "values with texts",
        {"oneOf": [{"const": 1, "description": "low"}, {"const": 2, "description": "high"}]},
        {
            "anyOf": [
                {"type": "integer", "description": "low", "const": 1},
                {"type": "integer", "description": "high", "const": 2},
            ]
        },
        [("oneOf", APART)],
    ),
    (
        "objects of which each requires what the other does not take",
        {"oneOf": [closed({"b": TEXT}), closed({"b": TEXT, "c": TEXT})]},
        {"anyOf": [closed({"b": TEXT}), closed({"b": TEXT, "c": TEXT})]},
        [("oneOf", APART)],
    ),
    (
        "objects of which one may be the other",
        {"oneOf": [closed({"b": TEXT}), closed({"b": {"enum": ["x"]}})]},
        {
            "description": "Exactly one of these.",
            "anyOf": [closed({"b": TEXT}), closed({"b": {"type": "string", "enum": ["x"]}})],
        },
        [("oneOf", "kept as text: Exactly one of these.")],
    ),
    (
        "exactly one of several",
        {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2}], "description": "A size"},
        {
            "description": "A size. Exactly one of these.",
            "anyOf": [{"type": "integer"}, {"type": "number", "minimum": 2}],
        },
        [("oneOf", "kept as text: Exactly one of these.")],
    ),
    (
        "a union that says its type",
        {"type": "object", "anyOf": [CAR, BIKE]},
        {"anyOf": [CAR, BIKE]},
        [("type", "left out: each of its branches says it")],
    ),
    (
        "a union that says the type of its branches",
        {
            "type": ["object", "null"],
            "anyOf": [NULL, {"properties": {"b": TEXT}, "required": ["b"], "additionalProperties": False}],
        },
        {"anyOf": [NULL, {**closed({"b": TEXT}), "type": ["object", "null"]}]},
        [("type", "left out: each of its branches says it")],
    ),
    (
        "two rules of one text",
        {"allOf": [TEXT, {"pattern": "^a$"}, {"description": "A letter"}], "description": "One"},
        {**TEXT, "description": "One. A letter", "pattern": "^a$"},
        [],
    ),
    (
        "one and all",
        {"allOf": [TEXT], "description": "A name"},
        {"type": "string", "description": "A name"},
        [],
    ),
    (
        "annotations",
        {"type": "string", "description": "At least 0.", "x-decimal": {"minimum": "0"}, "title": "T", "$comment": "?"},
        {"type": "string", "description": "At least 0."},
        [("x-decimal", SILENT), ("title", SILENT), ("$comment", SILENT)],
    ),
    (
        "declarations of others",
        {"type": "number", "description": "How long", "x-unit": "s", "x-shown": "Duration", "x-order": 3},
        {"type": "number", "description": "How long. x-shown: Duration. Unit: s."},
        [("x-shown", "kept as text: x-shown: Duration."), ("x-unit", "kept as text: Unit: s."), ("x-order", SILENT)],
    ),
    (
        "a declaration that is in words",
        {"type": "number", "description": "How long. Unit: s.", "x-unit": "s"},
        {"type": "number", "description": "How long. Unit: s."},
        [("x-unit", SILENT)],
    ),
    ("a title like the name", {"type": "string", "title": "A"}, TEXT, [("title", SILENT)]),
    (
        "a title that tells something",
        {"type": "string", "title": "Order number"},
        {"type": "string", "description": "Order number."},
        [("title", "kept as text: Order number.")],
    ),
    ("what asks for nothing", {"type": "string", "minLength": 0}, TEXT, [("minLength", SILENT)]),
    (
        "a pair of one type",
        {"type": "array", "prefixItems": [TEXT, TEXT], "minItems": 2, "maxItems": 2},
        {"type": "array", "minItems": 2, "maxItems": 2, "items": TEXT},
        [("prefixItems", "made items, which are all of one form")],
    ),
    (
        "a pair of two",
        {"type": "array", "prefixItems": [{"type": "integer"}, {**TEXT, "description": "why"}], "items": False},
        {
            "type": "array",
            "description": "In this order: integer, string (why).",
            "maxItems": 2,
            "items": {"anyOf": [{"type": "integer"}, {**TEXT, "description": "why"}]},
        },
        [("prefixItems", "kept as text: In this order: integer, string (why).")],
    ),
    (
        "a first item and more",
        {"type": "array", "prefixItems": [TEXT], "items": {"type": "integer"}},
        {
            "type": "array",
            "description": "In this order: string.",
            "items": {"anyOf": [TEXT, {"type": "integer"}]},
        },
        [("prefixItems", "kept as text: In this order: string.")],
    ),
    (
        "an object without its type",
        {"properties": {"b": TEXT}, "required": ["b"]},
        closed({"b": TEXT}),
        [("type", "taken as object, the type that its keywords are of"), ("additionalProperties", CLOSED)],
    ),
    (
        "an object or null",
        {"type": ["object", "null"], "properties": {"b": TEXT}, "required": ["b"]},
        {**closed({"b": TEXT}), "type": ["object", "null"]},
        [("additionalProperties", CLOSED)],
    ),
    (
        "a property that may not be",
        {"type": "object", "properties": {"b": TEXT, "c": False}, "required": ["b"]},
        closed({"b": TEXT}),
        [("additionalProperties", CLOSED), ("not", "left out: the closed object does not take it either")],
    ),
    (
        "what nothing says but JSON Schema",
        {"type": "integer", "not": {"const": 3}, "nullable": True},
        {"type": "integer", "description": 'not (JSON Schema): {"const": 3}. nullable (JSON Schema): true.'},
        [
            ("not", 'kept as text: not (JSON Schema): {"const": 3}.'),
            ("nullable", "kept as text: nullable (JSON Schema): true."),
        ],
    ),
]


@pytest.mark.parametrize(
    ("schema", "form", "changes"), [case[1:] for case in STRICT_PROPERTIES], ids=[case[0] for case in STRICT_PROPERTIES]
)
def test_openai_strict(schema: JsonObject, form: JsonObject, changes: list[tuple[str, str]]) -> None:
    """What strict mode can hold it holds, the rest of the rules stands in words, and each change is listed."""
    rendered = render_schema(closed({"a": schema}), "openai-chat")
    assert (rendered.strict, rendered.schema) == (True, closed({"a": form}))
    assert {(change.keyword, change.what) for change in rendered.changes} == set(changes)
    assert referees.openai_strict(rendered.schema) == []


# What becomes of an optional property `a`: its schema, its form, and the changes.
OPTIONALS: list[tuple[str, JsonObject, JsonObject, list[tuple[str, str]]]] = [
    (
        "with a default",
        {"type": "integer", "default": 10, "description": "How many"},
        {"type": ["integer", "null"], "description": "How many. Null stands for the default: 10."},
        [("required", NULLABLE), ("default", "kept as text: Null stands for the default: 10.")],
    ),
    (
        "nullable with a default",
        {"anyOf": [TEXT, NULL], "default": "n/a"},
        {"anyOf": [TEXT, NULL], "description": 'Default: "n/a".'},
        [
            ("required", "made required: its default can be written"),
            ("default", 'kept as text: Default: "n/a".'),
        ],
    ),
    (
        "null by default",
        {"anyOf": [TEXT, NULL], "default": None},
        {"anyOf": [TEXT, NULL]},
        [("required", "made required: its default can be written")],
    ),
    ("without a default", TEXT, {"type": ["string", "null"]}, [("required", NULLABLE)]),
    ("null by default alone", {**TEXT, "default": None}, {"type": ["string", "null"]}, [("required", NULLABLE)]),
    (
        "of certain values",
        {"type": "string", "enum": ["x"]},
        {"type": ["string", "null"], "enum": ["x", None]},
        [("required", NULLABLE)],
    ),
    (
        "of one value",
        {"type": "string", "const": "x", "description": "The kind"},
        {"description": "The kind", "anyOf": [{"type": "string", "const": "x"}, NULL]},
        [("required", NULLABLE)],
    ),
    (
        "a union",
        {"anyOf": [TEXT, {"type": "integer"}]},
        {"anyOf": [TEXT, {"type": "integer"}, NULL]},
        [("required", NULLABLE)],
    ),
    (
        "an array",
        {"type": "array", "items": TEXT, "default": []},
        {"description": "Null stands for the default: [].", "anyOf": [{"type": "array", "items": TEXT}, NULL]},
        [("required", NULLABLE), ("default", "kept as text: Null stands for the default: [].")],
    ),
]


@pytest.mark.parametrize(
    ("schema", "form", "changes"), [case[1:] for case in OPTIONALS], ids=[case[0] for case in OPTIONALS]
)
def test_openai_optional(schema: JsonObject, form: JsonObject, changes: list[tuple[str, str]]) -> None:
    """An optional property is required and nullable, and what it is where it is left out stands in words."""
    rendered = render_schema(optional(schema), "openai-chat")
    assert (rendered.strict, rendered.schema) == (True, closed({"a": form}))
    assert sorted((change.keyword, change.what) for change in rendered.changes) == sorted(changes)
    assert {change.path for change in rendered.changes} == {"/properties/a"}


REFERRED = {"T": {"type": "string", "description": "A tag"}}


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        pytest.param(
            closed(
                {"a": {"$ref": "#/$defs/T", "description": "this"}, "b": {"$ref": "#/$defs/T"}}, **{"$defs": REFERRED}
            ),
            closed(
                {"a": {"description": "this", "anyOf": [{"$ref": "#/$defs/T"}]}, "b": {"$ref": "#/$defs/T"}},
                **{"$defs": REFERRED},
            ),
            id="a text beside a reference",
        ),
        pytest.param(
            {**optional({"$ref": "#/$defs/T", "default": "q"}), "$defs": {"T": {"type": ["string", "null"]}}},
            closed(
                {"a": {"description": 'Default: "q".', "anyOf": [{"$ref": "#/$defs/T"}]}},
                **{"$defs": {"T": {"type": ["string", "null"]}}},
            ),
            id="a default of a nullable type",
        ),
        pytest.param(
            closed({"a": {"pattern": "^a$", "allOf": [{"$ref": "#/$defs/T"}, {**TEXT}]}}, **{"$defs": REFERRED}),
            closed({"a": {**TEXT, "pattern": "^a$", "anyOf": [{"$ref": "#/$defs/T"}]}}, **{"$defs": REFERRED}),
            id="rules beside a reference",
        ),
        pytest.param(
            {**optional({"$ref": "#/$defs/T", "default": "q"}), "$defs": REFERRED},
            closed(
                {
                    "a": {
                        "description": 'Null stands for the default: "q".',
                        "anyOf": [{"$ref": "#/$defs/T"}, NULL],
                    }
                },
                **{"$defs": REFERRED},
            ),
            id="a default of a type",
        ),
        pytest.param(
            {"$ref": "#/$defs/Node", "description": "A list", "$defs": {"Node": NODE}},
            {**NODE, "description": "A list", "$defs": {"Node": NODE}},
            id="a root that refers",
        ),
        pytest.param(
            closed({"a": {"anyOf": [{"$ref": "#"}, NULL]}}),
            closed(
                {"a": {"anyOf": [{"$ref": "#/$defs/root"}, NULL]}},
                **{"$defs": {"root": closed({"a": {"anyOf": [{"$ref": "#/$defs/root"}, NULL]}})}},
            ),
            id="the root in itself",
        ),
        pytest.param(
            closed(
                {"a": {"$ref": "#/definitions/T"}, "b": {"$ref": "#/properties/c~1d"}, "c/d": TEXT},
                definitions=REFERRED,
            ),
            closed(
                {"a": {"$ref": "#/$defs/T"}, "b": {"$ref": "#/$defs/c_d"}, "c/d": TEXT},
                **{"$defs": {**REFERRED, "c_d": TEXT}},
            ),
            id="places that are no definitions",
        ),
        pytest.param(
            closed({"a": TEXT}, **{"$defs": {"unused": OPEN_MAP}}), closed({"a": TEXT}), id="what nothing refers to"
        ),
    ],
)
def test_openai_references(schema: JsonObject, form: JsonObject) -> None:
    """References stand alone and lead into `$defs`; recursion stays, and so do the texts."""
    rendered = render_schema(schema, "openai-chat")
    assert (rendered.strict, rendered.schema) == (True, form)
    assert referees.openai_strict(form) == []


@pytest.mark.parametrize(
    ("schema", "path", "keyword", "why"),
    [
        (closed({"a": OPEN_MAP}), "/properties/a", "additionalProperties", "its keys are open"),
        (closed({"a": {"type": "object"}}), "/properties/a", "additionalProperties", "its keys are open"),
        (closed({"a": opened({})}), "/properties/a", "additionalProperties", "its keys are open"),
        (closed({"a": opened({"b": False})}), "/properties/a", "additionalProperties", "its keys are open"),
        ({"type": "object", "properties": {}}, "", "additionalProperties", "its keys are open"),
        ({"type": "object", "anyOf": [CAR, {"required": ["a"]}]}, "/anyOf/1", "additionalProperties", "keys are open"),
        ({"type": "object", "anyOf": [CAR, TEXT]}, "", "additionalProperties", "its keys are open"),
        (closed({"a": {"type": ["object", "null"]}}), "/properties/a", "additionalProperties", "its keys are open"),
        (
            closed({"a": {**opened({"b": TEXT}, "b"), "additionalProperties": True}}),
            "/properties/a",
            "additionalProperties",
            "its keys are open",
        ),
        (closed({"a": {}}), "/properties/a", "type", "may be any value"),
        (closed({"a": True}), "/properties/a", "type", "may be any value"),
        (closed({"a": {"$ref": "#/$defs/T"}}, **{"$defs": {"T": {}}}), "/$defs/T", "type", "may be any value"),
        (closed({"a": {"type": "array"}}), "/properties/a", "items", "which may be any values"),
        (closed({"a": {"type": "array", "items": False}}), "/properties/a", "items", "which may be any values"),
        (closed({"a": {"type": ["array", "null"]}}), "/properties/a", "items", "which may be any values"),
        (closed({"a": {"type": "array", "prefixItems": [TEXT]}}), "/properties/a", "items", "which may be any values"),
        (closed({"a": {"enum": ["x", [1]]}}), "/properties/a", "enum", "an array or an object is among its values"),
        (closed({"a": {"const": {}}}), "/properties/a", "const", "an array or an object is among its values"),
        (closed({"a": opened({"b": TEXT}, "c", "b")}), "/properties/a", "required", "no property declares c"),
        (closed({"a": {"allOf": [CAR, BIKE]}}), "/properties/a", "allOf", "OpenAI does not know this keyword"),
        (closed({"a": {**TEXT, "if": {}, "then": {}}}), "/properties/a", "then", "OpenAI does not know this keyword"),
        (
            closed({"a": {**opened({"b": TEXT}, "b"), "anyOf": [CAR]}}),
            "/properties/a",
            "anyOf",
            "cannot be closed beside it",
        ),
        (closed({"a": {"anyOf": [TEXT], "oneOf": [TEXT]}}), "/properties/a", "oneOf", "OpenAI does not know"),
        (optional({"anyOf": [TEXT, NULL]}), "/properties/a", "required", "null or left out, and these are two things"),
        (
            optional({"anyOf": [{**TEXT, "maxLength": 1}, NULL], "default": "long"}),
            "/properties/a",
            "required",
            "null or left out, and these are two things",
        ),
        (
            {**optional({"$ref": "#/$defs/T", "default": 3}), "$defs": {"T": {"type": ["string", "null"]}}},
            "/properties/a",
            "required",
            "null or left out, and these are two things",
        ),
    ],
)
def test_openai_cannot_hold(schema: JsonObject, path: str, keyword: str, why: str) -> None:
    """What would lose valid values in strict mode is sent non-strict, with the place and the reason."""
    rendered = render_schema(schema, "openai-chat")
    assert not rendered.strict
    reasons = [change for change in rendered.changes if change.what.startswith("sent non-strict, because ")]
    assert any((change.path, change.keyword) == (path, keyword) and why in change.what for change in reasons)
    place = re.escape(f"{path}: {keyword}: ")
    with pytest.raises(
        SchemaRejectedError, match=f"cannot be sent strict to openai-chat: .*{place}.*{why}.* Leave strict"
    ):
        render_schema(schema, "openai-chat", strict=True)


@pytest.mark.parametrize(
    ("schema", "limit"),
    [
        (closed({f"p{n}": TEXT for n in range(5_001)}), "5,001 properties, and OpenAI takes 5,000"),
        (closed({"a": {"enum": list(range(1_001))}}), "1,001 enum values, and OpenAI takes 1,000"),
        (closed({"a" * 120_001: TEXT}), "120,001 characters in names and enums, and OpenAI takes 120,000"),
        (
            closed({"a": {"enum": [f"{n:060}" for n in range(251)]}}),
            "15,060 characters in an enum of over 250 values, and OpenAI takes 15,000",
        ),
    ],
)
def test_openai_limits(schema: JsonObject, limit: str) -> None:
    """A schema over a limit of strict mode is sent non-strict, with both numbers."""
    rendered = render_schema(schema, "openai-chat")
    assert not rendered.strict
    assert DialectChange("", "limit", f"sent non-strict, because it has {limit}") in rendered.changes


def nested(levels: int) -> JsonObject:
    schema: JsonObject = closed({})
    for _ in range(levels - 1):
        schema = closed({"a": schema})
    return schema


def test_openai_levels() -> None:
    """Ten levels are strict and eleven are not; what is under a definition is counted by itself."""
    assert render_schema(nested(10), "openai-chat").strict
    assert not render_schema(nested(11), "openai-chat").strict
    parted = closed({"a": {"$ref": "#/$defs/T"}}, **{"$defs": {"T": nested(10)}})
    assert render_schema(parted, "openai-chat").strict


@pytest.mark.parametrize("dialect", ["openai-chat", "openai-responses", "anthropic", "gemini", "langchain"])
@pytest.mark.parametrize("strict", [None, False])
@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [CAR, BIKE]},
        TAGGED,
        {"allOf": [CAR, {"properties": {"b": TEXT}}]},
        {**opened({"a": TEXT, "b": TEXT}), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"enum": [{}]},
        {**CAR, "not": {"required": ["b"]}},
        {"type": "array", "items": TEXT},
        {"type": ["object", "null"], "properties": {"a": TEXT}},
        {"$ref": "#/$defs/Either", "$defs": {"Either": {"anyOf": [CAR, BIKE]}}},
        {"$ref": "#/$defs/Car", "required": ["wheels"], "$defs": {"Car": CAR}},
    ],
)
def test_a_root_that_is_no_plain_object_is_wrapped(dialect: Dialect, strict: bool | None, schema: JsonObject) -> None:
    """Strict or not, what is sent has an object for its root, and the value comes back from under its key."""
    rendered = render_schema(schema, dialect, strict)
    assert list(referees.root_complaints(rendered.schema)) == []
    assert list(rendered.schema["properties"]) == ["value"]
    assert rendered.moves == (Move("value", ()),)
    assert any(change.what.startswith("wrapped under 'value'") for change in rendered.changes)
    assert rendered.restore('{"value": {"vehicle": "Car"}}') == '{"vehicle": "Car"}'


@pytest.mark.parametrize("dialect", ["openai-chat", "openai-responses", "anthropic"])
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_a_union_of_closed_objects_is_strict_at_the_root(dialect: Dialect, keyword: str) -> None:
    """A root of branches is wrapped and strict, also where it says that it is an object, as the guard has it."""
    for schema in ({keyword: [CAR, BIKE]}, {"type": "object", keyword: [CAR, BIKE]}):
        rendered = render_schema(schema, dialect, strict=True)
        assert rendered.schema == closed({"value": {"anyOf": [CAR, BIKE]}})


@pytest.mark.parametrize("dialect", ["openai-chat", "openai-responses", "anthropic"])
def test_an_object_without_keys(dialect: Dialect) -> None:
    """An object that is closed without any property is strict: it is what it can be."""
    for schema in (closed({}), closed({"a": closed({})}), {"type": "object", "additionalProperties": False}):
        assert render_schema(schema, dialect).strict


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        ({"anyOf": [CAR, BIKE]}, {"type": "object", "anyOf": [CAR, BIKE]}),
        ({"properties": {"a": TEXT}}, {"type": "object", "properties": {"a": TEXT}}),
        ({}, {"type": "object"}),
        (closed({"a": {}, "b": OPEN_MAP}), closed({"a": {}, "b": OPEN_MAP})),
        ({"$ref": "#/$defs/Node", "$defs": {"Node": NODE}}, {**NODE, "$defs": {"Node": NODE}}),
        (TEXT, {**closed({"value": TEXT})}),
        ({"anyOf": [CAR, TEXT]}, closed({"value": {"anyOf": [CAR, TEXT]}})),
    ],
)
def test_mcp(schema: JsonObject, form: JsonObject) -> None:
    """MCP takes any schema of type object, and gets the canonical one with that type."""
    assert render_schema(schema, "mcp").schema == form


# What becomes of a property `a` of Anthropic's strict tools, and of Gemini's.
ANTHROPIC: list[tuple[JsonObject, JsonObject]] = [
    ({"type": "integer", "minimum": 1, "maximum": 9}, {"type": "integer", "description": "At least 1. At most 9."}),
    (
        {"type": "string", "maxLength": 3, "default": "x"},
        {"type": "string", "description": "At most 3 characters.", "default": "x"},
    ),
    ({"type": "string", "format": "uri"}, {"type": "string", "format": "uri"}),
    ({"type": "string", "format": "binary"}, {"type": "string", "description": "Format: binary."}),
    ({"type": "string", "pattern": r"^\d{2}[a-z]*(x|\.)?$"}, {"type": "string", "pattern": r"^\d{2}[a-z]*(x|\.)?$"}),
    (
        {"type": "string", "pattern": r"\bx"},
        {"type": "string", "description": r"Matches the regular expression `\bx`."},
    ),
    (
        {"type": "string", "pattern": r"(a)\1"},
        {"type": "string", "description": r"Matches the regular expression `(a)\1`."},
    ),
    (
        {"type": "string", "pattern": "x{1,500}"},
        {"type": "string", "description": "Matches the regular expression `x{1,500}`."},
    ),
    ({"type": "array", "items": TEXT, "minItems": 1}, {"type": "array", "items": TEXT, "minItems": 1}),
    (
        {"type": "array", "items": TEXT, "minItems": 2},
        {"type": "array", "description": "At least 2 items.", "items": TEXT},
    ),
    (
        {"type": "array", "prefixItems": [TEXT, TEXT], "minItems": 2, "maxItems": 2},
        {"type": "array", "description": "At least 2 items. At most 2 items.", "items": TEXT},
    ),
    (
        {"type": "array", "prefixItems": [TEXT], "items": False},
        {"type": "array", "description": "At most 1 item.", "items": TEXT},
    ),
    (
        {"type": "array", "prefixItems": [TEXT, NULL], "items": False, "maxItems": 1, "uniqueItems": True},
        {
            "type": "array",
            "description": "At most 1 item. No item twice. In this order: string, null.",
            "items": {"anyOf": [TEXT, NULL]},
        },
    ),
    (
        {"type": "array", "prefixItems": [TEXT, NULL], "items": False, "maxItems": 3},
        {
            "type": "array",
            "description": "At most 3 items. At most 2 items. In this order: string, null.",
            "items": {"anyOf": [TEXT, NULL]},
        },
    ),
    ({"enum": ["a", 1]}, {"enum": ["a", 1]}),
    ({"enum": ["a", "b", "AB"]}, {"enum": ["a", "b", "AB"]}),
    ({"anyOf": [{"const": "a"}, TEXT]}, {"anyOf": [{"const": "a"}, TEXT]}),
    (
        {"allOf": [{**TEXT, "pattern": "^a"}, {**TEXT, "pattern": "b$"}, {"maxLength": 9}]},
        {
            "allOf": [
                {**TEXT, "pattern": "^a"},
                {**TEXT, "pattern": "b$"},
                {**TEXT, "description": "At most 9 characters."},
            ]
        },
    ),
    ({"allOf": [{"minLength": 1}, TEXT, {}]}, {**TEXT, "description": "At least 1 character."}),
    (TAGGED, {"anyOf": [CAR, BIKE]}),
]


@pytest.mark.parametrize(("schema", "form"), ANTHROPIC)
def test_anthropic_strict(schema: JsonObject, form: JsonObject) -> None:
    """Bounds go into words, optional properties stay optional, and the rest is as it was."""
    whole = optional(schema)
    rendered = render_schema(whole, "anthropic")
    assert (rendered.strict, rendered.schema) == (True, optional(form))
    assert referees.anthropic_strict(rendered.schema) == []
    loose = render_schema(whole, "anthropic", strict=False)
    assert (loose.strict, loose.schema, loose.changes) == (False, whole, ())


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"$ref": "#/$defs/Node", "$defs": {"Node": NODE}}, "takes no type that holds itself"),
        (closed({"a": {"$ref": "#"}}), "takes no type that holds itself"),
        (closed({"a": OPEN_MAP}), "its keys are open"),
        ({"properties": {f"p{n}": TEXT for n in range(25)}}, "25 optional parameters, and Anthropic takes 24"),
        (closed({"a": {"enum": ["Car", "car"]}}), "values differ in capitals alone, which Anthropic does not promise"),
        (closed({"a": {"anyOf": [{"const": "x"}, {"enum": ["y", "X"]}]}}), "values differ in capitals alone"),
        (closed({"a": {"enum": ["stra\u00dfe", "STRASSE"]}}), "values differ in capitals alone"),
        (
            closed({"a": {"oneOf": [CAR, closed({"vehicle": {"const": "car"}})]}}),
            "values differ in capitals alone",
        ),
        (closed({"a": {"allOf": [CAR, BIKE]}}), "does not take it with a reference or an object in it"),
        (
            closed(
                {"a": {"allOf": [{"$ref": "#/$defs/T"}, {"$ref": "#/$defs/U"}]}}, **{"$defs": {"T": TEXT, "U": TEXT}}
            ),
            "does not take it with a reference or an object in it",
        ),
        (closed({"a": opened({})}), "its keys are open"),
        (closed({f"p{n}": {"anyOf": [TEXT, NULL]} for n in range(17)}), "17 parameters of union type"),
    ],
)
def test_anthropic_cannot_hold(schema: JsonObject, why: str) -> None:
    """What Anthropic's strict mode does not take is sent non-strict, or refused where strict was asked for."""
    rendered = render_schema(schema, "anthropic")
    assert not rendered.strict
    assert any(why in change.what for change in rendered.changes)
    with pytest.raises(SchemaRejectedError, match=f"strict to anthropic: .*{why}"):
        render_schema(schema, "anthropic", strict=True)


GEMINI: list[tuple[JsonObject, JsonObject]] = [
    (
        {"type": "integer", "exclusiveMinimum": 0, "maximum": 5},
        {"type": "integer", "description": "More than 0.", "maximum": 5},
    ),
    ({"type": "string", "format": "date"}, {"type": "string", "description": "Format: date."}),
    ({"type": "string", "const": "x"}, {"type": "string", "enum": ["x"]}),
    ({"const": True}, {"type": "boolean", "description": "Always true."}),
    ({"enum": ["x", None]}, {"description": 'One of "x", null.', "anyOf": [{"enum": ["x"]}, NULL]}),
    ({"type": "array", "prefixItems": [TEXT, TEXT]}, {"type": "array", "prefixItems": [TEXT, TEXT]}),
    (
        TAGGED,
        {
            "anyOf": [
                closed({"vehicle": {"type": "string", "enum": ["Car"]}}),
                closed({"vehicle": {"type": "string", "enum": ["Bike"]}}),
            ]
        },
    ),
    (OPEN_MAP, OPEN_MAP),
    ({}, {}),
    ({"allOf": [TEXT, {"minLength": 1}]}, {**TEXT, "description": "At least 1 character."}),
    (
        {"allOf": [{"minLength": 1}, {"minLength": 2}]},
        {"description": 'allOf (JSON Schema): [{"minLength": 1}, {"minLength": 2}].'},
    ),
    (
        {"type": "object", "patternProperties": {"^x": {"const": "a"}}, "additionalProperties": False},
        {
            "type": "object",
            "description": 'patternProperties (JSON Schema): {"^x": {"const": "a"}}.',
            "additionalProperties": {"enum": ["a"]},
        },
    ),
    (
        {"type": "object", "patternProperties": {"^x": TEXT, "y": NULL}, "additionalProperties": {"type": "integer"}},
        {
            "type": "object",
            "description": 'patternProperties (JSON Schema): {"^x": {"type": "string"}, "y": {"type": "null"}}.',
            "additionalProperties": {"anyOf": [TEXT, NULL, {"type": "integer"}]},
        },
    ),
    (
        {"type": "object", "patternProperties": {"^x": TEXT}},
        {"type": "object", "description": 'patternProperties (JSON Schema): {"^x": {"type": "string"}}.'},
    ),
]


@pytest.mark.parametrize(("schema", "form"), GEMINI)
def test_gemini(schema: JsonObject, form: JsonObject) -> None:
    """Gemini gets the keywords that it documents, and all else in words; none of its tools is strict."""
    rendered = render_schema(optional(schema), "gemini")
    assert (rendered.strict, rendered.schema) == (False, optional(form))
    assert referees.gemini(rendered.schema) == []
    with pytest.raises(SchemaRejectedError, match=r"strict to gemini: it holds no single tool to its schema\. Leave"):
        render_schema(optional(schema), "gemini", strict=True)


def test_gemini_recursion() -> None:
    """A type is in itself only where it may be left out."""
    tree = closed({"name": TEXT, "kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}})
    rendered = render_schema(closed({"tree": {"$ref": "#/$defs/Tree"}}, **{"$defs": {"Tree": tree}}), "gemini")
    assert rendered.schema["required"] == ["tree"]
    assert rendered.schema["$defs"]["Tree"]["required"] == ["name"]
    assert rendered.schema["$defs"]["Tree"]["description"] == "Required: kids."
    assert rendered.changes == (
        DialectChange("/$defs/Tree", "required", "made optional, since they hold their own type: kids"),
        DialectChange("/$defs/Tree", "required", "kept as text: Required: kids."),
    )


def test_gemini_names() -> None:
    """Names that Gemini does not take are changed at the root, and come back; below it they are refused by name."""
    names = ["foo-bar", "foo_bar", "1st", "é", "a" * 70, "", "$ref"]
    rendered = render_schema(closed(dict.fromkeys(names, TEXT)), "gemini")
    assert referees.gemini(rendered.schema) == []
    given = {name: f"the value of {name}" for name in names}
    written = json.loads(rendered.moved(json.dumps(given)))
    assert jsonschema_rs.is_valid(rendered.schema, written)
    assert json.loads(rendered.restore(json.dumps(written))) == given
    assert DialectChange("/properties/foo-bar", "properties", "renamed: it is called foo_bar2") in rendered.changes
    for schema in (
        closed({"a": closed({"b-c": TEXT})}),
        closed({"a": {"type": "array", "items": closed({"b-c": TEXT})}}),
        {"anyOf": [closed({"b-c": TEXT}), CAR]},
        closed({"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": closed({"b-c": TEXT})}}),
    ):
        told = r"^The schema cannot be sent to gemini: at /.*, the property 'b-c' has a name that Gemini does not take"
        with pytest.raises(SchemaRejectedError, match=told):
            render_schema(schema, "gemini")


@pytest.mark.parametrize("dialect", ["openai-chat", "openai-responses", "langchain", "anthropic"])
def test_what_is_not_strict_is_sent_as_it_is(dialect: Dialect) -> None:
    """Without strictness a provider gets the canonical schema, but for arrays that say nothing of their items."""
    schema = closed(
        {"a": {"type": "string", "minLength": 1, "x-unit": "s", "default": "x"}, "b": OPEN_MAP, "c": TAGGED}
    )
    rendered = render_schema(schema, dialect, strict=False)
    assert (rendered.strict, rendered.schema, rendered.changes, rendered.moves) == (False, schema, (), ())
    arrays = render_schema(closed({"a": {"type": "array"}}), "openai-chat", strict=False)
    assert arrays.schema == closed({"a": {"type": "array", "items": {}}})


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name not in ("canonical", "grammar")])
def test_names_of_definitions(dialect: Dialect) -> None:
    """Whatever a definition is called, and whatever else is called so, each reference leads to what it led to."""
    schema = closed(
        {
            "a": {"$ref": "#/$defs/a~1b~0%25"},
            "b": {**opened({"x": {"$ref": "#/properties/b"}, "y": {"$ref": "#"}}), "type": ["object", "null"]},
        },
        **{"$defs": {"a/b~%": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/a~1b~0%25"}}, TEXT]}, "b": TEXT}},
    )
    rendered = render_schema(schema, dialect, strict=False)
    assert list(referees.reference_complaints(rendered.schema)) == []
    jsonschema_rs.validator_for(rendered.schema)
    assert jsonschema_rs.is_valid(rendered.schema, {"a": [["x"]], "b": {"x": {"x": None}, "y": {"a": "x", "b": None}}})
    assert not jsonschema_rs.is_valid(rendered.schema, {"a": [[1]], "b": None})
    assert not jsonschema_rs.is_valid(rendered.schema, {"a": "x", "b": {"x": {"x": 1}}})
    assert not jsonschema_rs.is_valid(rendered.schema, {"a": "x", "b": {"y": {"a": 1, "b": None}}})


def ladder(rungs: int) -> JsonObject:
    """A schema that doubles with each definition."""
    definitions: JsonObject = {"d0": closed({"a": TEXT})}
    for rung in range(1, rungs):
        inner = {"$ref": f"#/$defs/d{rung - 1}"}
        definitions[f"d{rung}"] = {"anyOf": [closed({"a": inner, "b": inner}), inner, {"oneOf": [inner, inner]}]}
    return {**optional({"$ref": f"#/$defs/d{rungs - 1}"}), "$defs": definitions}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_references_are_not_multiplied(dialect: Dialect) -> None:
    """A schema of thirty definitions, each of which uses the one before five times, stays about as long as it is."""
    schema = ladder(30)
    given = copy.deepcopy(schema)
    rendered = render_schema(schema, dialect)
    assert len(str(rendered.schema)) < 20 * len(str(given))
    assert schema == given


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name not in ("canonical", "grammar")])
@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("#/$defs/Missing", "leads to no schema: define it in \\$defs"),
        ("#/properties/a/description", "leads to no schema"),
        ("https://example.com/schema", "leads out of the schema"),
        ("other.json#/a", "leads out of the schema"),
        (7, "leads out of the schema"),
    ],
)
def test_a_reference_that_leads_nowhere(dialect: Dialect, reference: Any, why: str) -> None:
    """No provider is sent a reference that it cannot follow."""
    with pytest.raises(SchemaRejectedError, match=f"^The schema cannot be sent to {dialect}: the reference .*{why}"):
        render_schema(closed({"a": {"$ref": reference, "description": "A text"}}), dialect)


@pytest.mark.parametrize("dialect", [dialect for dialect in DIALECTS if dialect != "canonical"])
def test_a_schema_too_deep(dialect: Dialect) -> None:
    """A schema that is too deep to be gone through is refused in a sentence."""
    deep: JsonObject = TEXT
    for _ in range(1_000):
        deep = closed({"a": deep})
    with pytest.raises(SchemaRejectedError, match=r"it is nested too deeply\. Make it flatter"):
        render_schema(deep, dialect)
