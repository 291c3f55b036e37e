"""The canonical schema of each everyday type, and the values that it and the validator agree about."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, Flag, IntEnum, StrEnum
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, Required, TypeVar

import jsonschema_rs
import pydantic.dataclasses
import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    Json,
    NaiveDatetime,
    RootModel,
    SecretStr,
    field_validator,
)
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType, TypedDict

from magic_tools.errors import DefinitionError, ParseError
from magic_tools.loose.decode import Schema
from magic_tools.schema.emit import Side
from magic_tools.schema.signature import adapt
from magic_tools.values import JsonObject

ROOT = Path(__file__).parents[2]

DECIMAL = {"type": "string", "pattern": "^[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$"}
DATE = {"type": "string", "description": "A date like 2026-11-29.", "format": "date"}


def closed_object(properties: JsonObject, *required: str, **keywords: Any) -> JsonObject:
    """The schema of an object that takes these properties alone."""
    written: JsonObject = {"type": "object", "properties": properties}
    if required:
        written["required"] = list(required)
    return {**written, "additionalProperties": False, **keywords}


KEYWORDS = (
    *("$ref", "type", "description", "enum", "const", "format", "pattern", "properties", "required"),
    *("additionalProperties", "items", "prefixItems", "anyOf", "oneOf", "allOf", "default", "examples"),
)
NAMED = ("properties", "$defs")


def text_of(schema: JsonObject) -> str:
    """The text of a schema with its keywords in their order, the rest behind them by the alphabet."""
    return json.dumps(ordered(schema))


def ordered(schema: Any) -> Any:
    if isinstance(schema, list):
        return [ordered(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    ranks = {word: rank for rank, word in enumerate(KEYWORDS)}
    words = sorted(schema, key=lambda word: (ranks.get(word, len(ranks)), word))
    return {word: _held(word, schema[word]) for word in words}


def _held(word: str, held: Any) -> Any:
    if word in NAMED:
        return {name: ordered(inner) for name, inner in held.items()}
    return held if word in ("default", "examples", "enum") else ordered(held)


def opened(schema: Any) -> Any:
    """The schema without what closes its objects."""
    if isinstance(schema, dict):
        return {
            word: opened(held)
            for word, held in schema.items()
            if not (word == "additionalProperties" and held is False and "properties" in schema)
        }
    return [opened(item) for item in schema] if isinstance(schema, list) else schema


class Color(Enum):
    RED = "red"
    BLUE = "blue"
    CRIMSON = "red"  # noqa: PIE796 - an alias, which is no value of its own


class Priority(IntEnum):
    LOW = 1
    HIGH = 2


class Unit(StrEnum):
    C = "c"
    F = "f"


class Ratio(Enum):
    HALF = 0.5
    QUARTER = 0.25


class Mixed(Enum):
    ONE = 1
    TEXT = "b"
    NOTHING = None


class Item(BaseModel):
    """A thing."""

    name: str
    count: int = 1


class Order(BaseModel):
    items: list[Item]
    first: Item | None = None


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    the_amount: Annotated[Decimal, "How much"]
    due_day: dt.date | None = None


class Swapped(BaseModel):  # two fields, each under the other's name
    a: Annotated[int, "Of a"] = Field(alias="b")
    b: Annotated[str, "Of b"] = Field(alias="a")


class Choosy(BaseModel):
    name: str = Field(validation_alias=AliasChoices("name", "title"), serialization_alias="n")


class Node(BaseModel):
    value: int
    children: list[Node] = []


class Numbers(RootModel[list[int]]):
    """Some numbers."""


T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    rows: list[T]


@dataclass
class Point:
    """A place."""

    x: Annotated[float, "To the right"]
    label: Annotated[str, Field(description="What it is called", max_length=3)] = "p"
    tags: list[str] = field(default_factory=list)


@dataclass
class Silent:
    x: int


@pydantic.dataclasses.dataclass
class Checked:
    x: Annotated[int, "How far"] = Field(ge=0)


class Person(TypedDict):
    name: Annotated[str, "Full name"]
    age: NotRequired[Annotated[int, "In years"]]
    id: int


class Partial(TypedDict, total=False):
    name: Required[str]
    age: int


class Pair(NamedTuple):
    x: int
    y: str = "b"


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    price: Decimal = Decimal("1.50")


class Noted(BaseModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"seconds": 1}], "x-owner": "me"})

    seconds: int = Field(examples=[1, 2], json_schema_extra={"x-unit": "s"})


class Keywords(BaseModel):
    """Fields that are called like keywords."""

    title: str
    description: int
    properties: list[int] = []
    default: str | None = None
    ref: int = Field(0, alias="$ref")


class Even(BaseModel):
    number: int

    @field_validator("number")
    @classmethod
    def _even(cls, number: int) -> int:
        if number % 2:
            raise ValueError("an even number")
        return number


class Login(BaseModel):
    user: str
    password: SecretStr = SecretStr("hunter2")
    spare: list[SecretStr] | None = None


class Forbids(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int


class Allows(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class Ignores(BaseModel):
    model_config = ConfigDict(extra="ignore")
    a: int


class AllowsIntegers(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]
    a: int


class Keeper(BaseModel):
    """Objects that say what they do with undeclared keys, beside some that do not."""

    plain: Item
    allows: Allows | None = None
    listed: list[Item] = []
    named: dict[str, Point] = {}
    person: Person | None = None


class Defaults(BaseModel):
    item: Item = Item(name="x")
    color: Color = Color.RED
    price: Decimal = Decimal("1.10")
    day: dt.date = dt.date(2026, 1, 2)
    names: set[str] = {"b", "c", "a"}
    colors: frozenset[Color] = frozenset(Color)
    nothing: float = math.nan
    everything: float = math.inf
    id: uuid.UUID = uuid.UUID(int=1)
    pair: tuple[int, str] = (1, "a")
    wait: dt.timedelta = dt.timedelta(days=1)
    made: list[int] = Field(default_factory=list)
    anything: Any = object()
    point: Point = Point(1.5)


Tree = TypeAliasType("Tree", "list[int | Tree]")


@dataclass(frozen=True)
class Case:
    """A type, its closed schema, texts with the values they give, and texts with a piece of why they are refused.

    `open` is the schema where undeclared keys are let be, if it is not the closed one with its objects opened.
    """

    annotation: Any
    schema: JsonObject
    good: Sequence[tuple[str, Any]]
    bad: Sequence[tuple[str, str]]
    open: JsonObject | None = None


CASES: Mapping[str, Case] = {
    "int": Case(
        int,
        {"type": "integer"},
        [("3", 3), ("-0", 0), ("123456789012345678901234567890", 123456789012345678901234567890)],
        [
            ("true", "expected an integer, got true"),
            ("3.5", "expected an integer, got 3.5"),
            ("3.0", "expected an integer"),
            ('"3"', 'expected an integer, got "3"'),
            ("null", "expected an integer, got null"),
            ("NaN", "expected an integer, got NaN"),
        ],
    ),
    "float": Case(
        float,
        {"type": "number"},
        [("3", 3.0), ("-1.5e3", -1500.0)],
        [("true", "expected a number, got true"), ('"3"', "expected a number")],
    ),
    "str": Case(
        str,
        {"type": "string"},
        [('"a\\u0000é"', "a\0é"), ('""', "")],
        [("1", "expected a string, got 1"), ("null", "expected a string, got null")],
    ),
    "bool": Case(
        bool,
        {"type": "boolean"},
        [("true", True), ("false", False)],
        [("0", "expected true or false, got 0"), ("1", "got 1"), ('"true"', "got "), ("null", "got null")],
    ),
    "null": Case(
        None, {"type": "null"}, [("null", None)], [("0", "expected null, got 0"), ('"None"', "expected null")]
    ),
    "any": Case(Any, {}, [("[1, null]", [1, None])], []),
    "list": Case(
        list, {"type": "array", "items": {}}, [("[1, {}]", [1, {}])], [("{}", "expected an array, got an empty object")]
    ),
    "list of int": Case(
        list[int],
        {"type": "array", "items": {"type": "integer"}},
        [("[]", []), ("[1, 2]", [1, 2])],
        [("[1, true]", "[1]: expected an integer, got true"), ("1", "expected an array, got 1")],
    ),
    "dict": Case(
        dict,
        {"type": "object", "additionalProperties": True},
        [('{"a": [1]}', {"a": [1]})],
        [("[]", "expected an object")],
    ),
    "dict of int": Case(
        dict[str, int],
        {"type": "object", "additionalProperties": {"type": "integer"}},
        [('{"a b": 1}', {"a b": 1})],
        [('{"a b": "1"}', '["a b"]: expected an integer, got "1"')],
    ),
    "dict by int": Case(
        dict[int, str],
        {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "propertyNames": {"pattern": "^(0|-?[1-9][0-9]*)$"},
        },
        [('{"-1": "a", "0": "b"}', {-1: "a", 0: "b"})],
        [
            ('{"1": "a", "01": "b"}', '["01"]: expected as its key a whole number as text, got "01"'),
            ('{"x": "a"}', "x: expected as its key a whole number"),
        ],
    ),
    "dict by date": Case(
        dict[dt.date, int],
        {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "propertyNames": {"description": "A date like 2026-11-29.", "format": "date"},
        },
        [('{"2026-11-29": 1}', {dt.date(2026, 11, 29): 1})],
        [('{"0": 1}', '["0"]: expected as its key a date like 2026-11-29, got "0"')],
    ),
    "dict by decimal": Case(
        dict[Decimal, int],
        {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "propertyNames": {"pattern": DECIMAL["pattern"]},
        },
        [('{"1.10": 1}', {Decimal("1.10"): 1})],
        [('{"1.10": 1, "1.1": 2}', '["1.1"]: expected nothing, since "1.10" says it already, got 2')],
    ),
    "dict by enum": Case(
        dict[Color, int],
        {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "propertyNames": {"type": "string", "enum": ["red", "blue"]},
        },
        [('{"red": 1}', {Color.RED: 1})],
        [('{"green": 1}', "green: expected as its key one of 'red', 'blue' or 'red', got \"green\"")],
    ),
    "dict by pattern": Case(
        dict[Annotated[str, Field(pattern="^[a-z]$")], Decimal],
        {"type": "object", "additionalProperties": DECIMAL, "propertyNames": {"pattern": "^[a-z]$"}},
        [('{"a": "1.10"}', {"a": Decimal("1.10")})],
        [
            ('{"A": "1"}', "A: expected as its key text that matches ^[a-z]$"),
            ('{"a": "x"}', "a: expected a decimal number"),
        ],
    ),
    "optional": Case(
        int | None,
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        [("1", 1), ("null", None)],
        [("true", "expected an integer, got true")],
    ),
    "union": Case(
        int | str,
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        [("1", 1), ('"1"', "1")],
        [("true", "expected an integer or a string, got true"), ("1.5", "an integer or a string")],
    ),
    "literal": Case(
        Literal["a", "b"],
        {"type": "string", "enum": ["a", "b"]},
        [('"a"', "a")],
        [('"A"', "expected one of 'a' or 'b', got \"A\""), ("null", "expected one of")],
    ),
    "one literal": Case(Literal["a"], {"type": "string", "const": "a"}, [('"a"', "a")], [('"b"', "expected 'a', got")]),
    "literal of int": Case(
        Literal[1, 2],
        {"type": "integer", "enum": [1, 2]},
        [("1", 1)],
        [
            ("true", "expected one of 1, 2, got true"),
            ("1.0", "expected one of 1, 2, got 1.0"),
            ("3", "one of 1 or 2, got 3"),
        ],
    ),
    "literal of one": Case(Literal[1], {"type": "integer", "const": 1}, [("1", 1)], [("true", "expected 1, got true")]),
    "literal of true": Case(
        Literal[True], {"type": "boolean", "const": True}, [("true", True)], [("1", "expected true, got 1")]
    ),
    "literal of several kinds": Case(
        Literal[1, "a", None, True],
        {"enum": [1, "a", None, True]},
        [("1", 1), ('"a"', "a"), ("null", None), ("true", True)],
        [("false", "got false"), ("1.0", "got 1.0"), ('"1"', "got ")],
    ),
    "enum": Case(
        Color,
        {"type": "string", "enum": ["red", "blue"]},
        [('"red"', Color.RED)],
        [('"RED"', "expected one of 'red', 'blue' or 'red', got \"RED\""), ("0", "got 0")],
    ),
    "enum of int": Case(
        Priority,
        {"type": "integer", "enum": [1, 2]},
        [("2", Priority.HIGH)],
        [("true", "expected one of 1, 2, got true"), ("3", "got 3"), ('"1"', "got "), ("1.0", "got 1.0")],
    ),
    "enum of str": Case(
        Unit, {"type": "string", "enum": ["c", "f"]}, [('"c"', Unit.C)], [('"k"', "one of 'c' or 'f'")]
    ),
    "enum of float": Case(Ratio, {"type": "number", "enum": [0.5, 0.25]}, [("0.50", Ratio.HALF)], [("1", "got 1")]),
    "enum of several kinds": Case(
        Mixed,
        {"enum": [1, "b", None]},
        [("1", Mixed.ONE), ('"b"', Mixed.TEXT), ("null", Mixed.NOTHING)],
        [("true", 'expected one of 1, "b", null, got true')],
    ),
    "model": Case(
        Item,
        closed_object(
            {"name": {"type": "string"}, "count": {"type": "integer", "default": 1}}, "name", description="A thing."
        ),
        [('{"name": "a"}', Item(name="a")), ('{"count": 2, "name": "a"}', Item(name="a", count=2))],
        [
            ("{}", "name: expected a value, since it is required, got nothing"),
            ('{"name": "a", "count": null}', "count: expected an integer, got null"),
            ("[]", "expected an object, got an empty array"),
        ],
    ),
    "models in a model": Case(
        Order,
        closed_object(
            {
                "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
                "first": {"anyOf": [{"$ref": "#/$defs/Item"}, {"type": "null"}], "default": None},
            },
            "items",
            **{
                "$defs": {
                    "Item": closed_object(
                        {"name": {"type": "string"}, "count": {"type": "integer", "default": 1}},
                        "name",
                        description="A thing.",
                    )
                }
            },
        ),
        [('{"items": [{"name": "a"}]}', Order(items=[Item(name="a")]))],
        [
            ('{"items": [{"name": "a"}, {"name": 1}]}', "items[1].name: expected a string, got 1"),
            ('{"items": [], "first": {}}', "first.name: expected a value"),
        ],
    ),
    "aliases": Case(
        Camel,
        closed_object(
            {
                "theAmount": {**DECIMAL, "description": "How much"},
                "dueDay": {"anyOf": [DATE, {"type": "null"}], "default": None},
            },
            "theAmount",
        ),
        [
            ('{"theAmount": "1.10"}', Camel(the_amount=Decimal("1.10"))),
            (
                '{"the_amount": "1", "due_day": "2026-11-29"}',
                Camel(the_amount=Decimal(1), due_day=dt.date(2026, 11, 29)),
            ),
        ],
        [
            ('{"the_amount": "1", "due_day": "0"}', 'due_day: expected a date like 2026-11-29, got "0"'),
            (
                '{"the_amount": "1", "theAmount": "2"}',
                'theAmount: expected nothing, since "the_amount" says it already',
            ),
            ("{}", "theAmount: expected a value, since it is required"),
        ],
    ),
    "swapped names": Case(
        Swapped,
        closed_object(
            {"b": {"type": "integer", "description": "Of a"}, "a": {"type": "string", "description": "Of b"}}, "b", "a"
        ),
        [('{"a": "x", "b": 1}', Swapped(a="x", b=1))],
        [('{"a": 1, "b": 1}', "a: expected a string, got 1")],
    ),
    "alias choices": Case(
        Choosy,
        closed_object({"name": {"type": "string"}}, "name"),
        [('{"name": "a"}', Choosy(name="a")), ('{"title": "a"}', Choosy(name="a"))],
        [('{"title": "a", "name": "b"}', 'name: expected nothing, since "title" says it already')],
    ),
    "recursive model": Case(
        Node,
        {
            "$ref": "#/$defs/Node",
            "$defs": {
                "Node": closed_object(
                    {
                        "value": {"type": "integer"},
                        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}, "default": []},
                    },
                    "value",
                )
            },
        },
        [('{"value": 1, "children": [{"value": 2}]}', Node(value=1, children=[Node(value=2)]))],
        [('{"value": 1, "children": [{"value": "2"}]}', 'children[0].value: expected an integer, got "2"')],
    ),
    "recursive alias": Case(
        Tree,
        {
            "$ref": "#/$defs/Tree",
            "$defs": {"Tree": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/Tree"}]}}},
        },
        [("[1, [2, [3]]]", [1, [2, [3]]])],
        [("[1, [2, [true]]]", "[1][1][0]: expected an integer or an array, got true")],
    ),
    "root model": Case(
        Numbers,
        {"type": "array", "description": "Some numbers.", "items": {"type": "integer"}},
        [("[1]", Numbers([1]))],
        [("{}", "expected an array")],
    ),
    "generic model": Case(
        Page[Decimal],
        closed_object({"rows": {"type": "array", "items": DECIMAL}}, "rows"),
        [('{"rows": ["1.10"]}', Page[Decimal](rows=[Decimal("1.10")]))],
        [('{"rows": ["x"]}', 'rows[0]: expected a decimal number as a string of digits, got "x"')],
    ),
    "dataclass": Case(
        Point,
        closed_object(
            {
                "x": {"type": "number", "description": "To the right"},
                "label": {"type": "string", "description": "What it is called", "default": "p", "maxLength": 3},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "x",
            description="A place.",
        ),
        [('{"x": 1.5, "tags": ["a"]}', Point(1.5, tags=["a"]))],
        [
            ('{"x": 1, "label": "long"}', 'label: expected text of at most 3 characters, got "long"'),
            ("1", "expected an object"),
        ],
    ),
    "dataclass that says nothing": Case(
        Silent, closed_object({"x": {"type": "integer"}}, "x"), [('{"x": 1}', Silent(1))], [("{}", "x: ")]
    ),
    "dataclass of pydantic": Case(
        Checked,
        closed_object({"x": {"type": "integer", "description": "How far", "minimum": 0}}, "x"),
        [('{"x": 0}', Checked(0))],
        [('{"x": -1}', "x: expected a number of at least 0, got -1")],
    ),
    "typed dict": Case(
        Person,
        closed_object(
            {
                "name": {"type": "string", "description": "Full name"},
                "age": {"type": "integer", "description": "In years"},
                "id": {"type": "integer"},
            },
            "name",
            "id",
        ),
        [('{"name": "D", "id": 1}', {"name": "D", "id": 1})],
        [
            ('{"name": "D", "id": 1, "age": null}', "age: expected an integer, got null"),
            ('{"id": 1}', "name: expected a value"),
        ],
    ),
    "typed dict of optional keys": Case(
        Partial,
        closed_object({"name": {"type": "string"}, "age": {"type": "integer"}}, "name"),
        [('{"name": "D"}', {"name": "D"})],
        [('{"age": 1}', "name: expected a value")],
    ),
    "named tuple": Case(
        Pair,
        {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string", "default": "b"}],
            "maxItems": 2,
            "minItems": 1,
        },
        [("[1]", Pair(1)), ('[1, "x"]', Pair(1, "x"))],
        [('["x"]', '[0]: expected an integer, got "x"'), ("[]", "expected a value, since it is required")],
    ),
    "tuple": Case(
        tuple[int, str],
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "maxItems": 2, "minItems": 2},
        [('[1, "a"]', (1, "a"))],
        [
            ('[1, "a", 2]', "expected at most 2 items, got an array of 3"),
            ("[1]", "[1]: expected a value, since it is required"),
        ],
    ),
    "set": Case(
        set[int],
        {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
        [("[2, 1]", {1, 2}), ("[1, 1]", {1})],
        [('["1"]', '[0]: expected an integer, got "1"')],
    ),
    "text": Case(Annotated[int, "How many"], {"type": "integer", "description": "How many"}, [("1", 1)], []),
    "text before limits": Case(
        Annotated[int, "How many items", Field(ge=1, le=10)],
        {"type": "integer", "description": "How many items", "maximum": 10, "minimum": 1},
        [("10", 10)],
        [("999", "expected a number of at most 10, got 999"), ("0", "expected a number of at least 1, got 0")],
    ),
    "text after limits": Case(
        Annotated[int, Field(ge=1), Field(le=10), "How many items"],
        {"type": "integer", "description": "How many items", "maximum": 10, "minimum": 1},
        [("1", 1)],
        [("999", "expected a number of at most 10, got 999")],
    ),
    "text beside a description": Case(
        Annotated[int, "The text", Field(description="The description")],
        {"type": "integer", "description": "The description"},
        [("1", 1)],
        [],
    ),
    "limits of an optional": Case(
        Annotated[int | None, Field(ge=1)],
        {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
        [("null", None)],
        [("0", "expected a number of at least 1")],
    ),
    "texts inside": Case(
        dict[str, list[Annotated[int, "One"] | None] | tuple[Annotated[str, "First"], int]],
        {
            "type": "object",
            "additionalProperties": {
                "anyOf": [
                    {
                        "type": "array",
                        "items": {"anyOf": [{"type": "integer", "description": "One"}, {"type": "null"}]},
                    },
                    {
                        "type": "array",
                        "prefixItems": [{"type": "string", "description": "First"}, {"type": "integer"}],
                        "maxItems": 2,
                        "minItems": 2,
                    },
                ]
            },
        },
        [('{"a": [1, null], "b": ["x", 1]}', {"a": [1, None], "b": ("x", 1)})],
        [],
    ),
    "decimal": Case(
        Decimal,
        DECIMAL,
        [
            ('"1.10"', Decimal("1.10")),
            ("1.10", Decimal("1.10")),
            ("123456789012345678901234567890.123456789", Decimal("123456789012345678901234567890.123456789")),
            ('"1E+400"', Decimal("1E+400")),
            ("1e-400", Decimal("1e-400")),
        ],
        [
            ("true", "expected a decimal number as a string, got true"),
            ('"$5"', 'expected a decimal number as a string of digits, got "$5"'),
            ('"1,234"', "as a string of digits"),
            ('" 1"', "as a string of digits"),
            ('"1_0"', "as a string of digits"),
            ('"NaN"', "as a string of digits"),
            ("NaN", "expected a finite number, got NaN"),
            ('"١"', "as a string of digits"),
        ],
    ),
    "limited decimal": Case(
        Annotated[Decimal, "Price", Field(ge=0, lt=100, max_digits=4, decimal_places=2)],
        {
            "type": "string",
            "description": "Price. A decimal number: at least 0, less than 100, at most 4 digits, "
            "at most 2 decimal places.",
            "pattern": DECIMAL["pattern"],
            "x-decimal": {"minimum": "0", "exclusiveMaximum": "100", "maxDigits": "4", "decimalPlaces": "2"},
        },
        [('"99.99"', Decimal("99.99"))],
        [
            ('"-1"', 'expected a number of at least 0, got "-1"'),
            ("100", "expected a decimal number of at most 2 digits before the point"),
            ('"1.234"', "of at most 2 decimal places"),
        ],
    ),
    "date": Case(
        dt.date,
        DATE,
        [('"2026-11-29"', dt.date(2026, 11, 29))],
        [
            ("0", "expected a date like 2026-11-29, got 0"),
            ('"0"', 'expected a date like 2026-11-29, got "0"'),
            ('"tomorrow"', 'expected a date like 2026-11-29, got "tomorrow"'),
            ('"2026-02-30"', "expected a date like 2026-11-29 (day value is outside expected range)"),
            ('"20261129"', "expected a date like 2026-11-29"),
        ],
    ),
    "date with an example": Case(
        Annotated[dt.date, Field(examples=["2027-01-31"])],
        {"type": "string", "format": "date", "examples": ["2027-01-31"]},
        [],
        [],
    ),
    "date with a text": Case(
        Annotated[dt.date, "The day it is due"],
        {"type": "string", "description": "The day it is due. A date like 2026-11-29.", "format": "date"},
        [],
        [],
    ),
    "date and time": Case(
        dt.datetime,
        {"type": "string", "description": "A date and time like 2026-11-29T12:30:00Z.", "format": "date-time"},
        [
            ('"2026-03-01T17:00:00Z"', dt.datetime(2026, 3, 1, 17, tzinfo=dt.UTC)),
            ('"2026-03-01T17:00:00"', dt.datetime(2026, 3, 1, 17)),
        ],
        [
            ('"1."', "expected a date and time like 2026-11-29T12:30:00Z"),
            ('".5"', "expected a date and time like"),
            ('"1767225600"', "expected a date and time like"),
            ("1767225600", "expected a date and time like"),
            ('"2026-11-29"', "expected a date and time like"),
        ],
    ),
    "date and time with its offset": Case(
        AwareDatetime,
        {"type": "string", "description": "A date and time like 2026-11-29T12:30:00Z.", "format": "date-time"},
        [('"2026-03-01T17:00:00+01:00"', dt.datetime(2026, 3, 1, 16, tzinfo=dt.UTC))],
        [('"2026-03-01T17:00:00"', "expected a date and time like 2026-11-29T12:30:00Z, with its offset")],
    ),
    "date and time without offset": Case(
        NaiveDatetime,
        {
            "type": "string",
            "description": "A date and time without an offset like 2026-11-29T12:30:00.",
            "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?$",
        },
        [('"2026-03-01T17:00:00"', dt.datetime(2026, 3, 1, 17))],
        [('"2026-03-01T17:00:00Z"', "without an offset"), ('"0"', "without an offset like 2026-11-29T12:30:00")],
    ),
    "time": Case(
        dt.time,
        {"type": "string", "description": "A time like 12:30:00.", "format": "time"},
        [('"12:30:00"', dt.time(12, 30)), ('"12:30:00Z"', dt.time(12, 30, tzinfo=dt.UTC))],
        [('"5"', 'expected a time like 12:30:00, got "5"'), ("5", "expected a time like 12:30:00, got 5")],
    ),
    "duration": Case(
        dt.timedelta,
        {"type": "string", "description": "A duration like P1DT2H.", "format": "duration"},
        [('"P1DT2H"', dt.timedelta(days=1, hours=2))],
        [
            ('"5"', 'expected a duration like P1DT2H, got "5"'),
            ('"1 day"', "a duration like P1DT2H"),
            ("5", "a duration"),
        ],
    ),
    "uuid": Case(
        uuid.UUID,
        {"type": "string", "format": "uuid"},
        [('"00000000-0000-0000-0000-000000000001"', uuid.UUID(int=1))],
        [('"x"', 'expected a UUID, got "x"'), ("1", "expected a UUID, got 1")],
    ),
    "union by a tag": Case(
        list[Annotated[Cat | Dog, Field(discriminator="kind")]],
        {
            "type": "array",
            "items": {
                "oneOf": [
                    closed_object(
                        {"kind": {"type": "string", "const": "cat"}, "lives": {"type": "integer", "default": 9}}, "kind"
                    ),
                    closed_object(
                        {"kind": {"type": "string", "const": "dog"}, "price": {**DECIMAL, "default": "1.50"}}, "kind"
                    ),
                ],
                "discriminator": {"propertyName": "kind"},
            },
        },
        [('[{"kind": "dog", "price": "2.50"}]', [Dog(kind="dog", price=Decimal("2.50"))])],
        [
            ('[{"kind": "boat"}]', "[0]: expected 'kind' to be one of 'cat', 'dog', got \"boat\""),
            ('[{"kind": 1}]', "[0]: expected 'kind' to be one of 'cat', 'dog', got 1"),
            ("[{}]", "[0]: expected the key 'kind', got an empty object"),
            ('[{"kind": "cat", "lives": "x", "cat": 1}]', '[0].lives: expected an integer, got "x"'),
        ],
    ),
    "extra keywords": Case(
        Noted,
        closed_object(
            {"seconds": {"type": "integer", "examples": [1, 2], "x-unit": "s"}},
            "seconds",
            examples=[{"seconds": 1}],
            **{"x-owner": "me"},
        ),
        [('{"seconds": 1}', Noted(seconds=1))],
        [],
    ),
    "fields called like keywords": Case(
        Keywords,
        closed_object(
            {
                "title": {"type": "string"},
                "description": {"type": "integer"},
                "properties": {"type": "array", "items": {"type": "integer"}, "default": []},
                "default": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
                "$ref": {"type": "integer", "default": 0},
            },
            "title",
            "description",
            description="Fields that are called like keywords.",
        ),
        [
            (
                '{"title": "a", "description": 1, "$ref": 2}',
                Keywords.model_validate({"title": "a", "description": 1, "$ref": 2}),
            )
        ],
        [('{"title": "a", "description": "b"}', "description: expected an integer")],
    ),
    "validator": Case(
        Even,
        closed_object({"number": {"type": "integer"}}, "number"),
        [('{"number": 2}', Even(number=2))],
        [('{"number": 3}', "number: expected an even number, got 3")],
    ),
    "secrets": Case(
        Login,
        closed_object(
            {
                "user": {"type": "string"},
                "password": {"type": "string", "format": "password", "writeOnly": True},
                "spare": {
                    "anyOf": [
                        {"type": "array", "items": {"type": "string", "format": "password", "writeOnly": True}},
                        {"type": "null"},
                    ],
                    "default": None,
                },
            },
            "user",
        ),
        [('{"user": "a", "password": "b"}', Login(user="a", password=SecretStr("b")))],
        [('{"user": "a", "password": 5}', "password: expected a string, got a value that is not shown")],
    ),
    "forbids": Case(
        Forbids,
        closed_object({"a": {"type": "integer"}}, "a"),
        [('{"a": 1}', Forbids(a=1))],
        [('{"a": 1, "b": 2}', "b: expected no key of this name, got 2")],
        open=closed_object({"a": {"type": "integer"}}, "a"),
    ),
    "allows": Case(
        Allows,
        {**closed_object({"a": {"type": "integer"}}, "a"), "additionalProperties": True},
        [('{"a": 1, "b": 2}', Allows(a=1, b=2))],  # type: ignore[call-arg]  # which is the point
        [],
    ),
    "allows integers": Case(
        AllowsIntegers,
        {**closed_object({"a": {"type": "integer"}}, "a"), "additionalProperties": {"type": "integer"}},
        [('{"a": 1, "b": 2}', AllowsIntegers(a=1, b=2))],  # type: ignore[call-arg]  # which is the point
        [('{"a": 1, "b": "x"}', 'b: expected an integer, got "x"')],
    ),
    "ignores": Case(
        Ignores,
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        [('{"a": 1, "b": 2}', Ignores(a=1))],
        [('{"b": 2}', "a: expected a value")],
    ),
}

ALL_TEXTS = [(name, text) for name, case in CASES.items() for text, _ in (*case.good, *case.bad)]


def compiled(annotation: Any, *, closed: bool = True) -> Schema[Any]:
    return Schema(adapt(annotation, where="the type"), name="the type", closed=closed, annotation=annotation)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_schema_of_a_type(case: Case) -> None:
    """Each type has this schema, to the order of the keywords, closed for tools and open for answers."""
    assert json.dumps(compiled(case.annotation).json_schema) == text_of(case.schema)
    left_open = opened(case.schema) if case.open is None else case.open
    assert json.dumps(compiled(case.annotation, closed=False).json_schema) == text_of(left_open)


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [(case.annotation, text, value) for case in CASES.values() for text, value in case.good],
    ids=[f"{name}: {text:.40}" for name, case in CASES.items() for text, _ in case.good],
)
def test_a_text_that_fits(annotation: Any, text: str, value: Any, closed: bool) -> None:
    """A text that fits gives this value, of this very type."""
    parsed = compiled(annotation, closed=closed).parse(text).value
    assert parsed == value
    assert type(parsed) is type(value)
    assert not isinstance(value, Decimal) or str(parsed) == str(value)


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize(
    ("annotation", "text", "piece"),
    [(case.annotation, text, piece) for case in CASES.values() for text, piece in case.bad],
    ids=[f"{name}: {text:.40}" for name, case in CASES.items() for text, _ in case.bad],
)
def test_a_text_that_does_not_fit(annotation: Any, text: str, piece: str, closed: bool) -> None:
    """A text that does not fit is refused, saying where, what was expected and what came."""
    with pytest.raises(ParseError) as refused:
        compiled(annotation, closed=closed).parse(text)
    assert refused.value.kind == "invalid"
    assert piece in str(refused.value)


# Where the validator and the schema, read by a validator of JSON Schema, differ on purpose.
STRICTER = {
    "a whole float is no integer yet": {
        ("int", "3.0"),
        ("literal of int", "1.0"),
        ("enum of int", "1.0"),
        ("literal of several kinds", "1.0"),
    },
    "the schema of a Decimal cannot state its limits": {("limited decimal", '"-1"'), ("limited decimal", '"1.234"')},
    "no schema can state a validator": {("validator", '{"number": 3}')},
    "two keys that mean one": {
        ("dict by decimal", '{"1.10": 1, "1.1": 2}'),
    },
}
LAXER = {
    "a number for a Decimal is mended, and listed": {
        ("decimal", "1.10"),
        ("decimal", "123456789012345678901234567890.123456789"),
        ("decimal", "1e-400"),
    },
    "a time may lack its offset": {("date and time", '"2026-03-01T17:00:00"'), ("time", '"12:30:00"')},
    "a model may be read by its fields' names": {
        ("aliases", '{"the_amount": "1", "due_day": "2026-11-29"}'),
        ("alias choices", '{"title": "a"}'),
    },
    "what is twice in a set is once": {("set", "[1, 1]")},
}


@pytest.mark.parametrize(("name", "text"), ALL_TEXTS, ids=[f"{name}: {text:.40}" for name, text in ALL_TEXTS])
def test_the_schema_says_what_the_validator_does(name: str, text: str) -> None:
    """A referee that reads the schema alone takes what the validator takes, but for a few reasons."""
    case = CASES[name]
    try:
        value = json.loads(text, parse_constant=float)
        says_yes = jsonschema_rs.validator_for(case.schema, validate_formats=True).is_valid(value)
    except ValueError:  # NaN, which is no JSON to the referee
        says_yes = False
    fits = text in [good for good, _ in case.good]
    differs = "stricter" if says_yes and not fits else "laxer" if fits and not says_yes else None
    stricter = any((name, text) in cases for cases in STRICTER.values())
    laxer = any((name, text) in cases for cases in LAXER.values())
    assert differs == ("stricter" if stricter else "laxer" if laxer else None)


@pytest.mark.parametrize("name", CASES)
def test_a_schema_is_sound(name: str) -> None:
    """Each schema is valid JSON Schema, and each of its references leads somewhere."""
    jsonschema_rs.meta.validate(CASES[name].schema)
    jsonschema_rs.validator_for(CASES[name].schema)


def test_defaults() -> None:
    """A default is its JSON; sets are in order, and there is none where JSON has no form for it."""
    schema = compiled(Defaults).json_schema
    told = {name: held["default"] for name, held in schema["properties"].items() if "default" in held}
    assert told == {
        "item": {"name": "x", "count": 1},
        "color": "red",
        "price": "1.10",
        "day": "2026-01-02",
        "names": ["a", "b", "c"],
        "colors": ["blue", "red"],
        "id": "00000000-0000-0000-0000-000000000001",
        "pair": [1, "a"],
        "wait": "P1D",
        "point": {"x": 1.5, "label": "p", "tags": []},
    }
    assert "required" not in schema


@pytest.mark.parametrize(
    ("side", "schema"),
    [
        ("input", closed_object({"name": {"type": "string"}}, "name")),
        ("output", closed_object({"n": {"type": "string"}}, "n")),
    ],
)
def test_the_two_sides(side: Side, schema: JsonObject) -> None:
    """What is read and what is written have each their schema, each under its own keys."""
    made = compiled(Choosy)
    assert (made.json_schema if side == "input" else made.output_schema) == schema


def test_what_is_written_fits_the_output_schema() -> None:
    """A value is written under its aliases, as its output schema says."""
    made = compiled(Choosy)
    assert made.dump(Choosy(name="a")) == '{"n":"a"}'


def test_undeclared_keys_at_every_depth() -> None:
    """In a closed schema a type's own words about undeclared keys hold, and all else is closed, however deep."""
    made = compiled(Keeper)
    kept = made.parse('{"plain": {"name": "a"}, "allows": {"a": 1, "b": 2}}').value
    assert kept.allows.b == 2
    for inside, path in [
        ('"plain": {"name": "a", "z": 1}', "plain.z"),
        ('"plain": {"name": "a"}, "listed": [{"name": "a"}, {"name": "a", "z": 1}]', "listed[1].z"),
        ('"plain": {"name": "a"}, "named": {"k": {"x": 1, "z": 1}}', "named.k.z"),
        ('"plain": {"name": "a"}, "person": {"name": "a", "id": 1, "z": 1}', "person.z"),
        ('"plain": {"name": "a"}, "z": 1', "z"),
    ]:
        with pytest.raises(ParseError, match="no key of this name, got 1") as refused:
            made.parse(f"{{{inside}}}")
        assert [issue.path for issue in refused.value.issues] == [path]


@pytest.mark.parametrize(
    ("annotation", "text", "path"),
    [
        (Item, '{"name": "a", "z": 1}', "z"),
        (Order, '{"items": [{"name": "a", "z": 1}]}', "items[0].z"),
        (dict[str, Silent], '{"k": {"x": 1, "z": 1}}', "k.z"),
        (Partial, '{"name": "a", "z": 1}', "z"),
        (tuple[int, Item | None], '[1, {"name": "a", "z": 1}]', "[1].z"),
    ],
)
def test_undeclared_keys_of_types_without_a_word_about_them(annotation: Any, text: str, path: str) -> None:
    """A closed schema refuses an undeclared key, however deep; an open one lets it be."""
    with pytest.raises(ParseError, match="no key of this name, got 1") as refused:
        compiled(annotation).parse(text)
    assert [issue.path for issue in refused.value.issues] == [path]
    assert compiled(annotation, closed=False).parse(text).repairs == ()


class Refuses(BaseModel):
    """A model without a word about undeclared keys, so that a closed schema refuses them."""

    a: int


@pytest.mark.parametrize("annotation", [Refuses | Allows, Allows | Refuses, Refuses | Ignores, list[Refuses | Allows]])
def test_an_undeclared_key_is_never_dropped_by_a_union(annotation: Any) -> None:
    """Where one branch would take a key and another would drop it, the value is refused."""
    text = '{"a": 1, "b": 2}'
    with pytest.raises(ParseError, match="b: expected no key of this name, got 2"):
        compiled(annotation).parse(f"[{text}]" if annotation == list[Refuses | Allows] else text)


def test_classes_of_one_name() -> None:
    """Definitions are named after their classes, with numbers where names meet; no module shows in them."""

    def make(held: Any) -> Any:
        class Node(BaseModel):
            value: held
            children: list[Node] = []

        return Node

    classes = (make(int), make(str), Node, make(int))
    schema = compiled(tuple.__class_getitem__(classes)).json_schema
    assert [item["$ref"] for item in schema["prefixItems"]] == [f"#/$defs/Node{n}" for n in ("", "2", "3", "4")]
    assert list(schema["$defs"]) == ["Node", "Node2", "Node3", "Node4"]
    assert schema["$defs"]["Node2"]["properties"]["value"] == {"type": "string"}
    assert schema["$defs"]["Node2"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node2"}


class Egg(BaseModel):
    model_config = ConfigDict(title="An egg")
    laid_by: Hen | None = None


class Hen(BaseModel):
    lays: list[Egg] = []


def test_types_that_hold_each_other() -> None:
    """Types that lead back to themselves stay definitions, under the names of their classes, whatever their titles."""
    schema = compiled(tuple[Egg, Egg]).json_schema
    assert schema["prefixItems"] == [{"$ref": "#/$defs/Egg"}, {"$ref": "#/$defs/Egg"}]
    assert schema["$defs"]["Egg"]["properties"]["laid_by"]["anyOf"] == [{"$ref": "#/$defs/Hen"}, {"type": "null"}]
    assert schema["$defs"]["Hen"]["properties"]["lays"]["items"] == {"$ref": "#/$defs/Egg"}


Named = TypeAliasType("Named", Annotated[int, "Of the alias"])


def test_the_nearest_text_counts() -> None:
    """A text beside the use of an alias counts more than the alias's own."""
    texts = [
        item.get("description") for item in compiled(tuple[Named, Annotated[Named, "Here"]]).json_schema["prefixItems"]
    ]
    assert texts == ["Of the alias", "Here"]


def test_the_texts_of_a_local_class() -> None:
    """A class in a function that holds itself has its texts too."""

    @dataclass
    class Local:
        x: Annotated[int, "How far"]
        next: list[Local] = field(default_factory=list)

    assert compiled(Local).json_schema["$defs"]["Local"]["properties"]["x"]["description"] == "How far"


def test_a_definition_inside_embedded_json() -> None:
    """A model used once beside its use in embedded JSON keeps its definition."""
    schema = compiled(tuple[Item, Json[list[Item]]]).json_schema
    assert schema["prefixItems"][1]["contentSchema"] == {"type": "array", "items": {"$ref": "#/$defs/Item"}}
    assert list(schema["$defs"]) == ["Item"]


class Bits(Flag):
    A = 1
    B = 2


class Sums(Enum):
    ONE = Decimal("1.10")


class Deep(BaseModel):
    x: int = Field(validation_alias=AliasPath("a", 0))


FUNCTION: Any = Callable[[int], int]


@pytest.mark.parametrize(
    ("annotation", "piece"),
    [
        (FUNCTION, "CallableSchema"),
        (dict[str, FUNCTION], "CallableSchema"),
        (Bits, "Bits is a Flag"),
        (Sums, "Sums has members that are no JSON scalar"),
        (Deep, "the field 'x' is read from inside another"),
        (dict[tuple[int, int], str], "JSON has text for keys"),
        (dict[bool, int], "JSON has text for keys"),
        (dict[Priority, int], "JSON has text for keys"),
    ],
)
def test_what_no_schema_can_state(annotation: Any, piece: str) -> None:
    """A type that has no form in JSON is refused when its schema is made, with what to use instead."""
    with pytest.raises(DefinitionError, match=r"the type has the annotation .*, which JSON cannot state \(") as refused:
        _ = compiled(annotation).json_schema
    assert piece in str(refused.value)
    assert "Use what has a JSON form" in str(refused.value)


def test_what_a_schema_hands_out_is_the_callers_own() -> None:
    """Changing a schema that was handed out changes nothing for the next caller."""
    made = compiled(Item)
    made.json_schema["properties"].clear()
    made.output_schema["properties"].clear()
    assert made.json_schema["properties"]
    assert made.output_schema["properties"]


PRINT_ALL = """
import sys
sys.path.insert(0, sys.argv[1])
from tests.schema.test_emit import CASES, Defaults, compiled
import json
for annotation in (*(case.annotation for case in CASES.values()), Defaults):
    print(json.dumps(compiled(annotation).json_schema))
"""


def test_the_same_bytes_in_every_process() -> None:
    """A schema is the same text whatever the seed of the process's hashes."""
    printed = {
        subprocess.run(
            [sys.executable, "-c", PRINT_ALL, str(ROOT)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1
    assert printed.pop().count(b"\n") == len(CASES) + 1
