"""Values of a JSON Schema from outside: read by the same ladder, refused in the same words, and written."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel

from magic_tools.chat import Capabilities, ModelReply
from magic_tools.errors import DefinitionError, ParseError
from magic_tools.loose import effort
from magic_tools.loose.decode import Schema, compile_schema, parse
from magic_tools.loose.foreign import foreign_reader
from magic_tools.loose.issues import told
from magic_tools.loose.readers import Misfit
from magic_tools.loose.secrets import Secrets, secrets_of
from magic_tools.messages import TextPart
from magic_tools.outputs.answer import answer_for
from magic_tools.schema.guard.guard import FOREIGN_TOOL

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def having(**properties: Any) -> dict[str, Any]:
    """An object of which every property is required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def shut(**properties: Any) -> dict[str, Any]:
    """An object that takes no other keys."""
    return {"type": "object", "properties": properties, "additionalProperties": False}


SHAPES = {
    "$defs": {
        "Circle": having(kind={"const": "circle"}, radius=NUMBER),
        "Square": having(kind={"enum": ["square"]}, side=NUMBER),
    },
    "properties": {"shape": {"oneOf": [{"$ref": "#/$defs/Circle"}, {"$ref": "#/$defs/Square"}, {"type": "null"}]}},
}

GOOD: Mapping[str, tuple[Any, str, Any]] = {
    "as it is": (having(a=NUMBER), '{"a": 1, "b": null}', {"a": 1, "b": None}),
    "in a fence, with a comma too many": (having(a=NUMBER), '```json\n{"a": 1,}\n```', {"a": 1}),
    "in prose": (having(a=NUMBER), 'Here it is: {"a": 1}. Done.', {"a": 1}),
    "a key twice, the same": (having(a=NUMBER), '{"a": 1, "a": 1}', {"a": 1}),
    "a null that means absent": ({"properties": {"a": NUMBER}}, '{"a": null}', {}),
    "a null that may be": ({"properties": {"a": {"type": ["integer", "null"]}}}, '{"a": null}', {"a": None}),
    "a large integer": (NUMBER, "9" * 60, int("9" * 60)),
    "a number": ({"type": "number"}, "0.1", 0.1),
    "an integer with a point": (NUMBER, "3.0", 3.0),
    "an enumerated 1 that is written 1.0": ({"enum": [1]}, "1.0", 1),
    "a date stays text": ({"format": "date"}, '"2026-11-29"', "2026-11-29"),
    "text that looks like a date in a union": ({"anyOf": [{"type": "string", "format": "date"}, TEXT]}, '"0"', "0"),
    "another spelling of the schema": (
        {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 3, "exclusiveMinimum": True}, "3.5", 3.5
    ),
    "beside a reference": (
        {"$ref": "#/$defs/A", "maxLength": 2, "$defs": {"A": {"minLength": 1}}}, '"ab"', "ab"
    ),
    "recursion": (having(x={"anyOf": [{"$ref": "#"}, NUMBER]}), '{"x": {"x": 1}}', {"x": {"x": 1}}),
    "anything": (True, '[1, "a"]', [1, "a"]),
    "an unknown format": ({"format": "colour"}, '"red"', "red"),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "text", "value"), GOOD.values(), ids=GOOD)
def test_a_text_that_fits(schema: Any, text: str, value: Any) -> None:
    """The value is plain JSON data, of the JSON types that it was written in."""
    read = Schema(foreign_reader(schema, where="it"), name="it").parse(text).value
    assert read == value
    assert json.dumps(read) == json.dumps(json.loads(json.dumps(read)))


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        (NUMBER, "1.0", 1),
        (NUMBER, "-0.0", 0),
        (NUMBER, "1e3", 1000),
        (having(a={"items": NUMBER}), '{"a": [2.0, 3]}', {"a": [2, 3]}),
        ({"anyOf": [TEXT, {"$ref": "#/$defs/N"}], "$defs": {"N": NUMBER}}, "4.00", 4),
        (having(a=NUMBER), '```json\n{"a": 5.0,}\n```', {"a": 5}),
        ({"type": "number"}, "1.5", 1.5),
        ({"type": "number"}, "1e-400", 0.0),
        (NUMBER, "9007199254740993.0", 9007199254740993),
        (NUMBER, "1e25", 10**25),
        (NUMBER, "123456789012345678901234567890.00", 123456789012345678901234567890),
        ({"type": "number"}, "12345678901234567.5", 12345678901234568.0),
    ],
)
def test_a_whole_number_is_an_integer(schema: Any, text: str, value: Any) -> None:
    """A number without a fraction is an integer, however it is written, as it is in JSON Schema."""
    assert json.dumps(compile_schema(schema).parse(text).value) == json.dumps(value)


BAD: Mapping[str, tuple[dict[str, Any], str, str]] = {
    "type": (having(a=NUMBER), '{"a": "x"}', 'a: expected an integer, got "x"'),
    "boolean for a number": (NUMBER, "true", "expected an integer, got true"),
    "one of types": ({"type": ["string", "null"]}, "true", "expected null or a string, got true"),
    "required": (
        having(items={"items": having(b=TEXT)}),
        '{"items": [{}]}',
        "items[0].b: expected a value, since it is required, got nothing",
    ),
    "required by another": (
        {"dependentRequired": {"a": ["b"]}},
        '{"a": 1}',
        "b: expected a value, since it is required, got nothing",
    ),
    "no such key": (
        shut(a=NUMBER),
        '{"b": 1, "c": {}}',
        "b: expected no key of this name, got 1; c: expected no key of this name, got an empty object",
    ),
    "a key not evaluated": ({"unevaluatedProperties": False}, '{"a": 1}', "a: expected no key of this name, got 1"),
    "a key that is false": ({"properties": {"a": False}}, '{"a": 1}', "a: expected no key of this name, got 1"),
    "an item too many": ({"prefixItems": [{}], "items": False}, "[1, 2]", "[1]: expected no item in this place, got 2"),
    "minimum": ({"minimum": 1}, "0", "expected a number of at least 1, got 0"),
    "exclusive minimum": ({"exclusiveMinimum": 1}, "1", "expected a number above 1, got 1"),
    "maximum": ({"maximum": 1.5}, "2", "expected a number of at most 1.5, got 2"),
    "exclusive maximum": ({"exclusiveMaximum": 1}, "1", "expected a number below 1, got 1"),
    "multiple": ({"multipleOf": 0.5}, "0.7", "expected a number that is a multiple of 0.5, got 0.7"),
    "short": ({"minLength": 2}, '"a"', 'expected text of at least 2 characters, got "a"'),
    "long": ({"maxLength": 1}, '"ab"', 'expected text of at most 1 characters, got "ab"'),
    "pattern": ({"pattern": "^a{2}$"}, '"b"', 'expected text that matches ^a{2}$, got "b"'),
    "few": ({"minItems": 2}, "[1]", "expected at least 2 items, got an array of 1"),
    "many": ({"maxItems": 1}, "[1, 2]", "expected at most 1 items, got an array of 2"),
    "few keys": ({"minProperties": 1}, "{}", "expected at least 1 keys, got an empty object"),
    "many keys": ({"maxProperties": 0}, '{"a": 1}', "expected at most 0 keys, got an object with the keys a"),
    "twice": ({"uniqueItems": True}, "[1, 1]", "expected items that are all different, got an array of 2"),
    "contains": (
        {"contains": TEXT},
        "[1]",
        "expected an array with the items that it has to contain, got an array of 1",
    ),
    "not evaluated": ({"unevaluatedItems": False}, "[1]", "expected no further items, got an array of 1"),
    "enum": ({"enum": ["red", "blue", 1, None]}, '"x"', "expected one of 'red', 'blue', 1 or null, got \"x\""),
    "true for 1": ({"enum": [1]}, "true", "expected 1, got true"),
    "const": ({"const": "a"}, "1", "expected 'a', got 1"),
    "format": ({"format": "date"}, '"2026-02-30"', 'expected an ISO 8601 date like 2026-11-29, got "2026-02-30"'),
    "format with an offset": (
        {"format": "date-time"},
        '"2026-01-01T00:00:00"',
        "expected an ISO 8601 date and time like 2026-11-29T12:30:00Z, with its offset",
    ),
    "another format": ({"format": "ipv4"}, '"x"', 'expected text of the format ipv4, got "x"'),
    "not": ({"not": TEXT}, '"x"', 'expected a value that does not fit {"type": "string"}, got "x"'),
    "then": ({"if": TEXT, "then": {"minLength": 3}}, '"x"', "expected text of at least 3 characters"),
    "a key's form": (
        {"propertyNames": {"pattern": "^a"}},
        '{"b": 1}',
        'b: expected as its key text that matches ^a, got "b"',
    ),
    "a pattern of keys": ({"patternProperties": {"^x": TEXT}}, '{"xa": 1}', "xa: expected a string, got 1"),
    "two wrong at once": (
        {"multipleOf": 0.5, "minimum": 3},
        "0.7",
        "expected a number of at least 3 or a number that is a multiple of 0.5, got 0.7",
    ),
    "types of branches": ({"anyOf": [NUMBER, {"type": "null"}]}, '"x"', 'expected an integer or null, got "x"'),
    "the branch of the type": (
        {"items": {"anyOf": [having(a=TEXT), {"type": "null"}]}},
        '[{"a": true}]',
        "[0].a: expected a string, got true",
    ),
    "the branch of the tag": (
        SHAPES,
        '{"shape": {"kind": "square", "side": "x"}}',
        'shape.side: expected an integer, got "x"',
    ),
    "no such tag": (
        SHAPES,
        '{"shape": {"kind": "line"}}',
        "shape.kind: expected one of 'circle', 'square', got \"line\"",
    ),
    "the nearest branch": (
        {"anyOf": [having(a=TEXT, b=TEXT, c=TEXT), having(a=TEXT, d=NUMBER)]},
        '{"a": "x", "d": "y"}',
        'd: expected an integer, got "y"',
    ),
    "a union in a branch": (
        {"anyOf": [having(a={"anyOf": [NUMBER, {"type": "null"}]}), {"type": "null"}]},
        '{"a": "x"}',
        'a: expected an integer or null, got "x"',
    ),
    "two branches at once": (
        {"oneOf": [TEXT, {"minLength": 1}]},
        '"x"',
        "expected a value that fits one of its alternatives and no other",
    ),
    "nothing at all": ({"propertyNames": False}, '{"a": 1}', 'a: expected as its key nothing at all, got "a"'),
    "no number": ({"type": "number"}, "NaN", 'expected numbers that a 64-bit float can hold, got "NaN"'),
    "too large a number": ({}, "[1e400]", 'expected numbers that a 64-bit float can hold, got "1e400"'),
}


@pytest.mark.parametrize(("schema", "text", "said"), BAD.values(), ids=BAD)
def test_a_text_that_does_not_fit(schema: dict[str, Any], text: str, said: str) -> None:
    """What is wrong is said place by place, in words that a model can act on, with what was read beside it."""
    with pytest.raises(ParseError) as caught:
        parse(schema, text)
    assert str(caught.value).startswith(f"invalid: {said}")


@pytest.mark.parametrize(
    ("text", "kind"), [('{"a": 1, "a": 2}', "ambiguous"), ('{"a": 1', "truncated"), ("none", "unparseable")]
)
def test_it_is_the_same_ladder(text: str, kind: str) -> None:
    """What no schema is needed for is told as for any type."""
    with pytest.raises(ParseError) as caught:
        parse(having(a=NUMBER), text)
    assert caught.value.kind == kind


SECRET = {"type": "string", "writeOnly": True, "minLength": 20}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (shut(password=SECRET), '{"password": "hunter2"}'),
        (shut(password=SECRET), '{"pasword": "hunter2"}'),
        (shut(password=SECRET), '"hunter2"'),
        ({"items": SECRET}, '["hunter2"]'),
        (having(a={"$ref": "#/$defs/S"}) | {"$defs": {"S": SECRET}}, '{"a": "hunter2"}'),
        (having(a={"$ref": "#/$defs/S", "writeOnly": True}) | {"$defs": {"S": NUMBER}}, '{"a": "hunter2"}'),
        (having(a={"anyOf": [SECRET, NUMBER]}), '{"a": "hunter2"}'),
        (having(a={"prefixItems": [SECRET]}), '{"a": ["hunter2"]}'),
        (having(a={"not": SECRET, "minLength": 99}), '{"a": "hunter2"}'),
    ],
)
def test_no_secret_is_shown(schema: dict[str, Any], text: str) -> None:
    """What is `writeOnly` stands in no error, by whatever reference and under whatever key it came."""
    with pytest.raises(ParseError, match="a value that is not shown") as caught:
        parse(schema, text)
    assert "hunter2" not in str(caught.value)


def test_secrets_are_found_by_looking_at_each_part_once() -> None:
    """A schema that refers to the parts of its parts twice over, thirty times, has its secrets found all the same."""
    steps = {f"d{n}": {"prefixItems": [{"$ref": f"#/$defs/d{n - 1}"}] * 2} for n in range(1, 31)}
    schema = {"properties": {"a": {"$ref": "#/$defs/d30"}, "b": TEXT}, "$defs": {"d0": SECRET, **steps}}
    assert secrets_of(schema) == Secrets(everywhere=False, keys=frozenset({"a"}))


def test_openness_is_the_schema_s_own() -> None:
    """As tool arguments, too, objects take the keys that their schema lets them; nothing is picked out of prose."""
    schema = Schema(
        foreign_reader({"properties": {"a": NUMBER}}, where="it", limits=FOREIGN_TOOL), name="it", closed=True
    )
    assert schema.json_schema == {"type": "object", "properties": {"a": NUMBER}}
    assert schema.parse('{"a": 1, "b": 2}').value == {"a": 1, "b": 2}
    with pytest.raises(ParseError):
        schema.parse('Call it with {"a": 1}')


def test_a_schema_that_changes() -> None:
    """What a caller does to the mapping, or to what comes out, reaches nobody who compiled or compiles it."""
    written: dict[str, Any] = having(a=NUMBER)
    first = compile_schema(written)
    first.json_schema["properties"]["a"]["type"] = "null"
    written["properties"]["a"] = TEXT
    assert first.parse('{"a": 1}').value == {"a": 1}
    assert first.json_schema == having(a=NUMBER)
    assert compile_schema(written).parse('{"a": "x"}').value == {"a": "x"}


def test_the_guard_stands_before_every_mapping() -> None:
    """A target that is a mapping is guarded, and the error speaks of the target; its title is the schema's name."""
    with pytest.raises(DefinitionError, match=r"^the target: at /type, "):
        compile_schema({"type": "int"})
    assert compile_schema({"title": "Order"}).name == "Order"
    assert compile_schema({}).name == "answer"


@dataclass
class Point:
    x: int


class Model(BaseModel):
    at: dt.datetime


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        (having(a=TEXT), {"a": "é"}, '{"a":"é"}'),
        (
            having(at={"format": "date-time"}),
            Model(at=dt.datetime(2026, 1, 2, tzinfo=dt.UTC)),
            '{"at":"2026-01-02T00:00:00Z"}',
        ),
        (having(x=NUMBER), Point(1), '{"x":1}'),
        (TEXT, Decimal("0.10"), '"0.10"'),
        ({"type": "array", "items": NUMBER}, (1, 2), "[1,2]"),
    ],
)
def test_what_is_written(schema: dict[str, Any], value: Any, text: str) -> None:
    """A value is written as compact JSON, what JSON has no type for as pydantic writes it."""
    assert compile_schema(schema).dump(value) == text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"a": 1}, "a: expected a string, got 1"),
        ({}, "a: expected a value"),
        ({"a": float("nan")}, "numbers that a 64-bit float can hold"),
        ({"a": object()}, "unknown type"),
        ({"a": "\ud800"}, "surrogates"),
    ],
)
def test_what_cannot_be_written(value: Any, said: str) -> None:
    """What the schema forbids is not written, nor what no JSON can hold."""
    with pytest.raises(ValueError, match=said):
        compile_schema(having(a=TEXT)).dump(value)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "^(a+)+$"},
        {"type": "object", "patternProperties": {"^(a+)+$": NUMBER}, "additionalProperties": False},
        {"type": "string", "pattern": "^([a-zA-Z]+)*$"},
    ],
)
def test_a_hostile_pattern_does_not_hang(schema: dict[str, Any]) -> None:
    """Patterns that take other engines ages are matched in no time, in texts that would take them for ever."""
    text = "a" * 100_000 + "!"
    with pytest.raises(ParseError, match="invalid"):
        parse(schema, json.dumps(text if schema["type"] == "string" else {text: 1}))


def tree(levels: int, leaf: Any) -> Any:
    """Objects in objects."""
    return leaf if levels == 0 else {"x": tree(levels - 1, leaf)}


DOUBLE = {"anyOf": [having(x={"$ref": "#"}), having(x={"$ref": "#"}), TEXT]}
"""A recursion that leads two ways down, so that naive checking doubles with each level."""


def test_what_doubles_with_each_level_is_not_followed() -> None:
    """A deep value of such a schema is read, and a wrong one refused, in fewer words the deeper it is."""
    assert parse(DOUBLE, json.dumps(tree(90, "x"))).value == tree(90, "x")
    with pytest.raises(ParseError, match=r"x\.x\.x: expected an object or a string, got true"):
        parse(DOUBLE, json.dumps(tree(3, True)))
    with pytest.raises(
        ParseError, match="invalid: expected a value that fits its schema, got an object with the keys x"
    ):
        parse(DOUBLE, json.dumps(tree(90, True)))


def test_what_is_too_deep_to_be_told_is_refused() -> None:
    """A value deeper than the validator follows is refused in so many words, and no other error comes out."""
    nest = {"anyOf": [NUMBER, {"type": "array", "items": {"$ref": "#"}}]}
    with pytest.raises(Misfit) as refused:
        foreign_reader(nest, where="it").read("[" * 400 + '"x"' + "]" * 400)
    assert [str(issue) for issue in told(refused.value.findings, "en")] == [
        "expected a value that fits its schema, got an array of 1"
    ]


@pytest.mark.parametrize(
    ("value", "schema", "checks"),
    [
        (1, {}, 1),
        (1, {"anyOf": [{}, True, False]}, 4),
        (1, {"allOf": [{"$ref": "#/$defs/A"}] * 2, "$defs": {"A": {"not": {"oneOf": [{}]}}}}, 1 + 2 * 3),
        ([1, 2, 3], {"items": {"anyOf": [{}, {}]}}, 1 + 3 * 3),
        ([1, 2, 3], {"prefixItems": [{"not": {}}], "items": {}}, 1 + 2 + 1 + 1),
        ([1], {"prefixItems": [{}, {}, {}]}, 1 + 1),
        ({"a": 1}, {"additionalProperties": {}, "propertyNames": {}, "patternProperties": {"b": {}}}, 1 + 3),
        ({"a": 1}, {"properties": {"a": {"if": {}, "then": {}, "else": {}}}, "additionalProperties": {}}, 1 + 4),
        ([[1]], {"contains": {"unevaluatedItems": {}}}, 1 + 1 + 1),
        ({"a": 1}, {"dependentSchemas": {"b": {"unevaluatedProperties": {}}}}, 1 + 1 + 1),
    ],
)
def test_checks_are_counted(value: Any, schema: dict[str, Any], checks: int) -> None:
    """The count is that of the schemas that a validator may hold the value and its parts to, each way there counted."""
    assert not effort.takes_more_checks(value, schema, checks)
    assert effort.takes_more_checks(value, schema, checks - 1)


def test_counting_looks_at_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million ways through a schema are counted in as many looks as there are pairs of value and schema."""
    looks: list[Any] = []
    held_to: Callable[..., Any] = effort._held_to

    def counted(value: Any, schema: Any) -> Any:
        looks.append(value)
        return held_to(value, schema)

    monkeypatch.setattr(effort, "_held_to", counted)
    assert effort.takes_more_checks(tree(20, 1), DOUBLE | {"$defs": {}}, 1_000_000)
    assert len(looks) < 200
    looks.clear()
    assert effort.takes_more_checks([1] * 100_000, {"items": {"anyOf": [{"const": n} for n in range(1000)]}}, 500)
    assert len(looks) < 1000


@pytest.mark.parametrize("schema", [NUMBER, {"anyOf": [{"$ref": "#/$defs/A"}, NUMBER], "$defs": {"A": TEXT}}])
def test_an_answer_by_a_mapping(schema: dict[str, Any]) -> None:
    """Where a provider takes only objects, the value of a mapping's schema comes under a key as that of a type does."""
    answer = answer_for(schema, Capabilities(native_schema=True, object_root=True))
    assert answer.format is not None
    assert answer.format.schema["required"] == ["value"]
    for text in ('{"value": 5}', "5"):
        checked = answer.check(ModelReply((TextPart(text),), "stop"))
        assert (checked.kind, checked.value) == ("valid", 5)
