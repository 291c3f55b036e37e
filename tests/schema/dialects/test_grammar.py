"""Schemas for the grammar: what each becomes, what is listed, and what llama.cpp then lets a model write."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from magic_tools.loose.decode import compile_schema
from magic_tools.schema.dialects.grammar import render_grammar
from magic_tools.schema.dialects.grammar_patterns import any_text
from magic_tools.schema.dialects.rendered import DialectChange
from magic_tools.schema.forms import NAIVE_PATTERN, TIME_PATTERN
from magic_tools.values import JsonObject
from tests.schema.dialects.decoder import Decoder

TEXT = {"type": "string", "pattern": any_text()}
ANY = {"$ref": "#/$defs/any"}
LEFT_OUT = "left out of the grammar"


@pytest.fixture(scope="module")
def decoder() -> Iterator[Decoder]:
    pytest.importorskip("llama_cpp")
    with closing(Decoder()) as decoder:
        yield decoder


@dataclass(frozen=True)
class Case:
    """A schema; the form of its root (None where only the effect matters); the changes; texts taken and refused."""

    schema: JsonObject
    form: JsonObject | None = None
    changes: tuple[tuple[str, str, str], ...] = ()
    takes: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()


def an_object(required: tuple[str, ...] = (), /, **properties: Any) -> JsonObject:
    """The schema of an object with these properties."""
    return {"type": "object", "properties": properties, "required": list(required)}


INTEGER = {"type": "integer"}

CASES_OF: dict[str, tuple[Case, ...]] = {
    "values": (
        Case({"type": "boolean"}, {"type": "boolean"}, (), ("true", "false"), ("1", '"true"')),
        Case({"type": "null"}, {"type": "null"}, (), ("null",), ("0", "")),
        Case({"type": "number"}, {"type": "number"}, (), ("1", "-1.5", "2e10", "1234567890123456"), ("01", ".5")),
        Case({"type": "integer"}, {"type": "integer"}, (), ("1", "-20"), ("1.5", '"1"')),
        Case({"type": "string"}, TEXT, (), ('""', '"a\\nb"', '"中文😀"'), ('"a\nb"', "a")),
        Case({}, ANY, (), ("1", "null", '"a\\n"', '[1,{"a":[]}]'), ('"a\nb"', "x")),
        Case({"description": "anything", "x-unit": "s", "default": 1}, ANY),
        Case({"const": None}, {"enum": [None]}, (), ("null",), ('"null"',)),
        Case({"const": "a"}, {"enum": ["a"]}, (), ('"a"',), ('"b"',)),
    ),
    "enums": (
        Case({"enum": ["中文", "é"]}, {"enum": ["中文", "é"]}, (), ('"中文"', '"é"'), ('"中"',)),
        Case({"enum": [1, 2.5, True, None]}, None, (), ("1", "2.5", "true", "null"), ("2", "false")),
        Case({"enum": ["a", None], "type": ["string", "null"]}, {"enum": ["a", None]}, (), ('"a"', "null"), ('"b"',)),
        Case({"enum": ['a"b', "c\\d", "e\nf"]}, None, (), ('"a\\"b"', '"c\\\\d"', '"e\\nf"'), ('"c\\d"', '"e\nf"')),
        Case({"enum": ["👍", "👎", "none", 0]}, None, (), ('"👍"', '"none"', "0"), ('"👌"', "1")),
        Case({"enum": [[1, "x"], {"a": "b"}]}, None, (), ('[1, "x"]', '{"a": "b"}'), ("[1]",)),
        Case({"enum": [["\n"]]}, ANY, (("", "enum", "taken as any value: a rule cannot say it"),), ('["\\n"]',)),
        Case({"enum": []}, ANY, (("", "enum", "taken as any value: a rule cannot say it"),)),
    ),
    "strings": (
        Case(
            {"type": "string", "pattern": r"^A-\d+$"},
            {"type": "string", "pattern": "^A-[0-9]+$"},
            (),
            ('"A-1"',),
            ('"A-"',),
        ),
        Case(
            {"type": "string", "pattern": TIME_PATTERN},
            takes=('"12:30"', '"23:59:59.5+23:59"', '"00:00:00Z"'),
            refuses=('"24:00:00"', '"12:30:60"', '"12:30:00+24:00"'),
        ),
        Case(
            {"type": "string", "pattern": NAIVE_PATTERN},
            takes=('"2026-11-29T12:30:00"',),
            refuses=('"2026-11-29_12:30:00"', '"2026-13-29T12:30:00"', '"2026-11-29T24:00:00"'),
        ),
        Case({"type": "string", "pattern": "^(?=a)"}, TEXT, (("", "pattern", LEFT_OUT),), ('"b"',)),
        Case(
            {"type": "string", "pattern": r"^\w+$"},
            None,
            (("", "pattern", r"widened: \w takes every character outside ASCII"),),
            ('"张伟"', '"a_1"'),
            ('"a b"',),
        ),
        Case({"type": "string", "minLength": 1, "maxLength": 2}, None, (), ('"a"', '"中文"'), ('""', '"abc"')),
        Case(
            {"type": "string", "minLength": 1, "maxLength": 100_000},
            {"type": "string", "pattern": any_text(1)},
            (("", "maxLength", "widened: the grammar counts to 256"),),
            ('"a"',),
            ('""',),
        ),
        Case({"type": "string", "pattern": "^a*$", "maxLength": 1}, None, (("", "maxLength", LEFT_OUT),), ('"aa"',)),
        Case(
            {"type": "string", "format": "uuid"},
            {"type": "string", "format": "uuid"},
            (),
            (json.dumps(str(UUID(int=1))),),
            ('"1"',),
        ),
        Case({"type": "string", "format": "email"}, TEXT, (("", "format", LEFT_OUT),), ('"a@b.cd"',)),
        Case(
            {"type": "string", "format": "date"},
            None,
            (("", "format", "taken as digits: 31 February passes"),),
            ('"2026-11-29"',),
            ('"2026-13-01"', '"today"'),
        ),
        Case(
            {"type": "string", "format": "time"},
            None,
            (("", "format", "taken as digits: the offset may be missing"),),
            ('"10:20:30"', '"10:20:30.123456+02:00"'),
            ('"24:00:00"', '"10:20"'),
        ),
        Case(
            {"type": "string", "format": "date-time"},
            None,
            (("", "format", "taken as digits: 31 February passes and the offset may be missing"),),
            ('"2026-11-29T10:20:30Z"', '"2026-11-29T10:20:30.5-11:30"', '"2026-11-29T10:20:30"'),
            ('"2026-11-29"', '"2026-11-29 10:20:30"'),
        ),
    ),
    "numbers": (
        Case({"type": "integer", "minimum": 1, "maximum": 3}, {"enum": [1, 2, 3]}, (), ("1", "3"), ("0", "4")),
        Case(
            {"type": "integer", "exclusiveMinimum": -1, "exclusiveMaximum": 10.5, "multipleOf": 5},
            {"enum": [0, 5, 10]},
            (),
            ("0", "10"),
            ("-1", "11"),
        ),
        Case({"type": "integer", "minimum": 0}, INTEGER, (("", "minimum", LEFT_OUT),), ("-1",)),
        Case(
            {"type": "integer", "minimum": 0, "maximum": 1000},
            INTEGER,
            (("", "minimum", LEFT_OUT), ("", "maximum", LEFT_OUT)),
        ),
        Case({"type": "number", "exclusiveMinimum": 0}, {"type": "number"}, (("", "exclusiveMinimum", LEFT_OUT),)),
    ),
    "arrays": (
        Case({"type": "array"}, {"type": "array", "items": ANY, "minItems": 0}, (), ("[]", '[1,"a"]')),
        Case(
            {"type": "array", "items": INTEGER, "minItems": 1, "maxItems": 2},
            None,
            (),
            ("[1]", "[1,2]"),
            ("[]", "[1,2,3]"),
        ),
        Case({"type": "array", "items": INTEGER, "maxItems": 0}, None, (), ("[]",), ("[1]",)),
        Case(
            {"type": "array", "items": INTEGER, "minItems": 1000, "maxItems": 100_000},
            {"type": "array", "items": INTEGER, "minItems": 256},
            (
                ("", "minItems", "widened: the grammar counts to 256"),
                ("", "maxItems", "widened: the grammar counts to 256"),
            ),
            ("[" + ",".join("1" * 1000) + "]",),
            ("[1]",),
        ),
        Case(
            {"type": "array", "items": INTEGER, "uniqueItems": True}, None, (("", "uniqueItems", LEFT_OUT),), ("[1,1]",)
        ),
        Case({"type": "array", "items": INTEGER, "uniqueItems": False}, None, (), ("[1,1]",)),
        Case(
            {"type": "array", "prefixItems": [INTEGER, {"type": "string"}], "minItems": 2, "maxItems": 2},
            {"type": "array", "prefixItems": [INTEGER, TEXT]},
            (),
            ('[1,"a"]',),
            ("[1]", '["a",1]', '[1,"a",2]'),
        ),
        Case(
            {"type": "array", "prefixItems": [INTEGER], "items": {"type": "string"}},
            {"type": "array", "items": ANY, "minItems": 0},
            (("", "prefixItems", "taken as an array of any values: its length is not fixed"),),
            ("[]", "[1]", '[1,"a"]'),
        ),
    ),
    "objects": (
        Case(
            an_object(("a", "b"), a=INTEGER, b={"type": "string"}),
            {
                "type": "object",
                "properties": {"a": INTEGER, "b": TEXT},
                "required": ["a", "b"],
                "additionalProperties": False,
            },
            (),
            ('{"a":1,"b":""}', '{ "a": 1, "b": ""}'),
            ("{}", '{"a":1}', '{"b":"","a":1}', '{"a":1,"b":"","c":1}'),
        ),
        Case(
            an_object(("b",), a=INTEGER, b=INTEGER, c=INTEGER),
            None,
            (),
            ('{"b":1}', '{"b":1,"a":2}', '{"b":1,"c":2}', '{"b":1,"a":2,"c":3}'),
            ("{}", '{"a":1}', '{"b":1,"c":2,"a":3}'),
        ),
        Case(
            an_object(a=INTEGER, b=INTEGER), None, (), ("{}", '{"a":1}', '{"b":1}', '{"a":1,"b":2}'), ('{"b":1,"a":2}',)
        ),
        Case(an_object(), None, (), ("{}",), ('{"a":1}',)),
        Case({"type": "object"}, None, (), ("{}", '{"a":[1]}')),
        Case({"properties": {"a": INTEGER}, "required": ["a"]}, None, (), ('{"a":1}',), ("1",)),
        Case(an_object(("other",), a=INTEGER), None, (), ('{"other":"x"}', '{"other":null,"a":1}'), ('{"a":1}',)),
        Case(
            an_object(("编号",), 编号=INTEGER, **{"a b.c/d~e": {"type": "integer", "minimum": 0}}),
            None,
            (("/properties/a b.c~1d~0e", "minimum", LEFT_OUT),),
            ('{"编号":1}', '{"编号":1,"a b.c/d~e":2}'),
        ),
        Case(
            an_object(("a",), **{"a": INTEGER, 'q"': INTEGER}),
            {"type": "object", "additionalProperties": ANY},
            (("", "properties", "taken as any object: a rule cannot say one of the names"),),
            ('{"a":1,"q\\"":2}',),
        ),
        Case(
            an_object(**{"$ref": INTEGER}),
            None,
            (("", "properties", "taken as any object: a rule cannot say one of the names"),),
            ('{"$ref":1}',),
        ),
        # The converter has rules of these names itself.
        Case(
            an_object(
                ("decimal_part", "string", "d0", "x"),
                decimal_part={"type": ["string", "null"]},
                string=INTEGER,
                d0={"type": "null"},
                x={"type": "number"},
            ),
            None,
            (),
            ('{"decimal_part":null,"string":1,"d0":null,"x":1.5}', '{"decimal_part":"a","string":1,"d0":null,"x":2}'),
        ),
    ),
    "open objects": (
        Case({"type": "object", "additionalProperties": INTEGER}, None, (), ("{}", '{"a":1,"b":2}'), ('{"a":"x"}',)),
        Case({"type": "object", "additionalProperties": False}, None, (), ("{}",), ('{"a":1}',)),
        Case(
            {**an_object(("a",), a=INTEGER), "additionalProperties": True},
            None,
            (("", "additionalProperties", "a declared name may be written again"),),
            ('{"a":1}', '{"a":1,"b":"x","c":[]}'),
            ("{}", '{"b":1}'),
        ),
        Case(
            {**an_object(("a",), a=INTEGER, b={"type": "null"}), "additionalProperties": {"type": "boolean"}},
            None,
            (
                ("", "additionalProperties", "a declared name may be written again"),
                ("", "properties", "taken as undeclared beside open keys: b"),
            ),
            ('{"a":1}', '{"a":1,"b":null}', '{"a":1,"x":true,"b":null}'),
            ('{"b":null}', '{"a":1,"x":2}'),
        ),
        Case(
            {"type": "object", "patternProperties": {"^a": INTEGER}, "additionalProperties": False},
            None,
            (("", "patternProperties", "the names may be any"),),
            ("{}", '{"a1":1}', '{"b":1}'),
            ('{"a1":"x"}',),
        ),
        Case(
            {"type": "object", "propertyNames": {"enum": ["a"]}, "additionalProperties": INTEGER, "minProperties": 1},
            None,
            (("", "propertyNames", LEFT_OUT), ("", "minProperties", LEFT_OUT)),
            ('{"b":1}',),
        ),
    ),
    "compounds": (
        Case(
            {"anyOf": [INTEGER, {"type": "null"}]}, {"anyOf": [INTEGER, {"type": "null"}]}, (), ("1", "null"), ('"a"',)
        ),
        Case(
            {"oneOf": [INTEGER, {"type": "number"}]},
            None,
            (("", "oneOf", "taken as anyOf: a value that fits two branches passes"),),
            ("1", "1.5"),
        ),
        Case(
            {
                "oneOf": [an_object(("k", "x"), k={"const": "a"}, x=INTEGER), an_object(("k",), k={"const": "b"})],
                "discriminator": {"propertyName": "k"},
            },
            None,
            (),
            ('{"k":"a","x":1}', '{"k":"b"}'),
            ('{"k":"a"}', '{"k":"b","x":1}'),
        ),
        Case(
            {
                "type": ["object", "array", "string", "null"],
                **an_object(("a",), a=INTEGER),
                "items": INTEGER,
                "minLength": 2,
            }
            | {"type": ["object", "array", "string", "null"]},
            None,
            (),
            ('{"a":1}', "[1]", '"ab"', "null"),
            ("{}", '["a"]', '"a"', "1"),
        ),
        Case({"allOf": [INTEGER], "description": "x"}, {"anyOf": [INTEGER]}, (), ("1",), ('"a"',)),
        Case({"allOf": [INTEGER, {"minimum": 1}]}, ANY, (("", "allOf", LEFT_OUT),), ("0",)),
        Case({"not": INTEGER}, ANY, (("", "not", LEFT_OUT),)),
        Case({"type": "integer", "not": {"const": 1}}, INTEGER, (("", "not", LEFT_OUT),)),
        Case(
            {**an_object(a=INTEGER), "anyOf": [{"required": ["a"]}], "if": {}, "then": {}},
            None,
            (("", "anyOf", LEFT_OUT), ("", "if", LEFT_OUT), ("", "then", LEFT_OUT)),
            ("{}", '{"a":1}'),
        ),
        Case(
            an_object(a=False), None, (("/properties/a", "false", "left out: the grammar cannot forbid every value"),)
        ),
        Case({"type": "array", "items": True}, None, (), ('[1,"a"]',)),
    ),
    "references": (
        Case(
            {
                **an_object(
                    ("a", "b"), a={"$ref": "#/$defs/My_T~1x"}, b={"$ref": "#/$defs/My_T~1x", "description": "y"}
                ),
                "$defs": {"My_T/x": INTEGER},
            },
            None,
            (),
            ('{"a":1,"b":2}',),
            ('{"a":"x","b":2}',),
        ),
        Case(
            {
                "$ref": "#/$defs/Node",
                "$defs": {
                    "Node": an_object(
                        ("v", "next"), v=INTEGER, next={"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}
                    )
                },
            },
            {"$ref": "#/$defs/d1"},
            (),
            ('{"v":1,"next":null}', '{"v":1,"next":{"v":2,"next":null}}'),
            ('{"v":1}', '{"v":1,"next":{"v":2}}'),
        ),
        Case(an_object(a={"$ref": "#"}), None, (), ("{}", '{"a":{"a":{}}}'), ('{"a":1}',)),
        Case(
            {
                "$ref": "#/$defs/a",
                "$defs": {"a": {"$ref": "#/$defs/string"}, "string": {"type": "integer", "minimum": 1}},
            },
            None,
            (("/$defs/string", "minimum", LEFT_OUT),),
            ("1",),
            ('"a"',),
        ),
        Case(
            an_object(a={"$ref": "#/$defs/t", "maxLength": 3}) | {"$defs": {"t": {"type": "string"}}},
            None,
            (("/properties/a", "maxLength", LEFT_OUT),),
        ),
        Case(
            an_object(a={"$ref": "#/properties/b"}, b=INTEGER),
            None,
            (("/properties/a", "$ref", "taken as any value: only references into $defs are followed"),),
            ('{"a":"x"}',),
        ),
    ),
}

CASES = [
    pytest.param(case, id=f"{kind}-{index}") for kind, cases in CASES_OF.items() for index, case in enumerate(cases)
]


@pytest.mark.parametrize("case", CASES)
def test_what_a_schema_becomes(case: Case) -> None:
    """Each keyword is kept, or widened and listed; the schema that was given stays as it was."""
    schema = copy.deepcopy(case.schema)
    rendered = render_grammar(schema)
    assert schema == case.schema
    assert rendered.changes == tuple(DialectChange(*change) for change in case.changes)
    assert rendered.strict == (not case.changes)
    if case.form is not None:
        assert rendered.schema["$defs"]["d0"] == case.form
    assert rendered.schema["anyOf"] == [{"$ref": "#/$defs/d0"}]


@pytest.mark.parametrize("case", CASES)
def test_what_a_model_can_write(decoder: Decoder, case: Case) -> None:
    """llama.cpp takes the grammar, lets every valid answer be written, and holds the model to what was kept."""
    form = render_grammar(case.schema).schema
    accepted = [text for text in case.takes + case.refuses if decoder.accepts(form, text)]
    assert accepted == list(case.takes)


class Colour(Enum):
    RED = "red"
    NONE = ""


class Item(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=40)]
    price: Decimal
    tags: set[Literal["新", "旧"]] = set()
    colour: Colour | None = None


class Order(BaseModel):
    id: Annotated[str, Field(pattern=r"^[A-Z]{2}-\d+\.[a-z]$")]
    items: Annotated[list[Item], Field(min_length=1)]
    totals: dict[str, Decimal] = {}
    place: tuple[float, float] | None = None
    follows: Order | None = None
    stars: Annotated[int, Field(ge=1, le=5)]


def test_a_model_of_pydantic(decoder: Decoder) -> None:
    """The schema of a type with much in it becomes a grammar, and the only thing lost is that a set has no doubles."""
    schema = compile_schema(Order)
    rendered = render_grammar(schema.json_schema)
    assert [(change.path, change.keyword) for change in rendered.changes] == [
        ("/$defs/Order/properties/items/items/properties/tags", "uniqueItems")
    ]
    item = '{"name": "灯", "price": "12.50", "tags": ["新"], "colour": ""}'
    rest = '"stars": 5, "totals": {"a": "1"}, "place": [1.5, -2], "follows": null'
    text = f'{{"id": "AB-1.x", "items": [{item}], {rest}}}'
    assert decoder.accepts(rendered.schema, text)
    assert schema.parse(text).value.items[0].price == Decimal("12.50")
    for good, bad in (
        ("AB-1.x", "AB-1-x"),
        ("12.50", "12,50"),
        ("新", "中"),
        ("-2]", "-2, 0]"),
        ('": 5', '": 6'),
        ("灯", ""),
    ):
        assert not decoder.accepts(rendered.schema, text.replace(good, bad)), bad
