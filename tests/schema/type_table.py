"""Each type that a tool may have: its canonical schema, and texts that fit, do not fit, or are mended to fit."""

from __future__ import annotations

import collections
import datetime as dt
import json
import math
import typing
import uuid
from collections import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, NotRequired, Required, TypeVar

import pydantic.dataclasses
from pydantic import (
    UUID4,
    AliasChoices,
    AnyUrl,
    AwareDatetime,
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    FutureDatetime,
    HttpUrl,
    Json,
    NaiveDatetime,
    PastDate,
    RootModel,
    Secret,
    SecretBytes,
    SecretStr,
    field_validator,
)
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType, TypedDict

from magic_tools.schema.marks import MaxDepth, Resource, Unit, Zone
from magic_tools.values import JsonObject

ROOT = Path(__file__).parents[2]

DECIMAL = {"type": "string", "pattern": "^[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$"}
DATE = {"type": "string", "description": "An ISO 8601 date like 2026-11-29.", "format": "date"}
TIME = {
    "type": "string",
    "description": "An ISO 8601 time like 12:30:00.",
    "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?$",
}
TAG = {"propertyName": "kind"}
BYTES = {"type": "string", "description": "Bytes as base64 like aGVsbG8=.", "contentEncoding": "base64"}


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


class Degree(StrEnum):
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
Listed = TypeAliasType("Listed", list[T], type_params=(T,))
Blob = NewType("Blob", bytes)
City = Annotated[str, "A city"]


class Scope(Enum):
    """Where to search.

    Attributes:
        TITLE: the title alone
        ALL: whatever there is
    """

    TITLE = "title"
    ALL = "all"


class Speed(Enum):
    """Members with texts of their own."""

    SLOW = ("slow", "saves power")
    FAST = ("fast", "in a hurry")

    def __new__(cls, value: str, doc: str) -> Speed:
        member = object.__new__(cls)
        member._value_ = value
        member.__doc__ = doc
        return member


class Documented(BaseModel):
    """Two of them.

    Attributes:
        a: from the docstring
        b: not told
        c: nobody
    """

    a: int
    b: Annotated[int, "from the annotation"]


class Row(typing.TypedDict):
    """A row.

    Attributes:
        kids: below it
    """

    id: Annotated[int, Field(ge=1, description="Its number")]
    blob: NotRequired[bytes]
    kids: NotRequired[list[Row]]


class Wide(Row, total=False):
    width: int
    height: Required[int]


class Box(typing.TypedDict, Generic[T]):
    held: T
    more: NotRequired[list[T]]


@dataclass
class Pack(Generic[T]):
    held: T


class Packet(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")

    body: bytes | None


class Hidden(BaseModel):
    key: SecretBytes
    pin: Secret[int]


class Bird(BaseModel):
    kind: Literal["bird"] = "bird"
    wings: int = 2


class Fish(BaseModel):
    kind: Literal["fish"] = "fish"


class Pond(BaseModel):
    first: Annotated[Bird | Fish, Field(discriminator="kind")]
    rest: list[Annotated[Bird | Fish, Field(discriminator="kind")]] = []


class Branch(BaseModel):
    """A branch."""

    length: Annotated[float, Unit("cm")]
    branches: list[Branch] = []
    graft: Branch | None = None


@dataclass(frozen=True)
class Case:
    """A type, its closed schema, texts with the values they give, and texts with a piece of why they are refused.

    `open` is the schema where undeclared keys are let be, if it is not the closed one with its objects opened.
    `mended` are texts of another type that stand for a value of this one beyond doubt, with that value and the
    kind of the repair.
    """

    annotation: Any
    schema: JsonObject
    good: Sequence[tuple[str, Any]]
    bad: Sequence[tuple[str, str]]
    open: JsonObject | None = None
    mended: Sequence[tuple[str, Any, str]] = ()


CASES: Mapping[str, Case] = {
    "int": Case(
        int,
        {"type": "integer"},
        [("3", 3), ("-0", 0), ("123456789012345678901234567890", 123456789012345678901234567890)],
        [
            ("true", "expected an integer, got true"),
            ("3.5", "expected an integer, got 3.5"),
            ("null", "expected an integer, got null"),
            ("NaN", "expected an integer, got NaN"),
            ('"3.0"', 'expected an integer, got "3.0"'),
            ('"3,000"', 'expected an integer, got "3,000"'),
            ('"03"', 'expected an integer, got "03"'),
        ],
        mended=[("3.0", 3, "number_as_integer"), ("1e3", 1000, "number_as_integer"), ('"3"', 3, "text_as_number")],
    ),
    "float": Case(
        float,
        {"type": "number"},
        [("3", 3.0), ("-1.5e3", -1500.0)],
        [("true", "expected a number, got true"), ('"3 kg"', "expected a number")],
        mended=[('"3"', 3.0, "text_as_number"), ('"1.5e3"', 1500.0, "text_as_number")],
    ),
    "str": Case(
        str,
        {"type": "string"},
        [('"a\\u0000é"', "a\0é"), ('""', "")],
        [("true", "expected a string, got true"), ("null", "expected a string, got null")],
        mended=[("1", "1", "number_as_text"), ("1.10", "1.10", "number_as_text")],
    ),
    "bool": Case(
        bool,
        {"type": "boolean"},
        [("true", True), ("false", False)],
        [
            ("0", "expected true or false, got 0"),
            ("1", "got 1"),
            ('"yes"', "got "),
            ('"1"', "got "),
            ("null", "got null"),
        ],
        mended=[('"true"', True, "text_as_boolean"), ('"False"', False, "text_as_boolean")],
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
        [
            ("[1, true]", "[1]: expected an integer, got true"),
            ("true", "expected an array, got true"),
            ('"1, 2"', "expected an array"),
        ],
        mended=[("1", [1], "one_as_list"), ('"[1, 2]"', [1, 2], "decoded")],
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
        [('{"a b": "x"}', '["a b"]: expected an integer, got "x"')],
        mended=[('{"a b": "1"}', {"a b": 1}, "text_as_number")],
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
    "dict by int with limits": Case(
        dict[Annotated[int, Field(ge=5, description="A year")], int],
        {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "propertyNames": {
                "description": "A year. At least 5.",
                "pattern": "^(0|-?[1-9][0-9]*)$",
                "x-limits": {"minimum": "5"},
            },
        },
        [('{"5": 1}', {5: 1})],
        [('{"4": 1}', '["4"]: expected as its key a number of at least 5, got "4"')],
    ),
    "dict by enum of int": Case(
        dict[Priority, int],
        {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "propertyNames": {"enum": ["1", "2"], "pattern": "^(0|-?[1-9][0-9]*)$"},
        },
        [('{"1": 5, "2": 6}', {Priority.LOW: 5, Priority.HIGH: 6})],
        [
            ('{"3": 1}', '["3"]: expected as its key one of 1 or 2, got "3"'),
            ('{"01": 1}', '["01"]: expected as its key a whole number as text, got "01"'),
            ('{"LOW": 1}', "LOW: expected as its key a whole number as text"),
        ],
    ),
    "dict by one kind of text or another": Case(
        dict[Annotated[str, Field(max_length=2)] | Literal["long"], int],
        {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "propertyNames": {"anyOf": [{"maxLength": 2}, {"const": "long"}]},
        },
        [('{"ab": 1, "long": 2}', {"ab": 1, "long": 2})],
        [('{"abc": 1}', "abc: expected as its key text of at most 2 characters or 'long', got \"abc\"")],
    ),
    "numbers with limits around": Case(
        Annotated[int | float, Field(ge=1, le=5)],
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": 5},
                {"type": "number", "minimum": 1, "maximum": 5},
            ]
        },
        [("1", 1), ("1.5", 1.5)],
        [("0", "from 1 to 5, got 0"), ("5.5", "from 1 to 5, got 5.5"), ('"x"', 'got "x"'), ("null", "got null")],
        mended=[('"1"', 1, "text_as_number")],
    ),
    "text or list with a limit around": Case(
        Annotated[str | list[str], Field(max_length=2)],
        {
            "anyOf": [
                {"type": "string", "maxLength": 2},
                {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            ]
        },
        [('"ab"', "ab"), ('["abc", "d"]', ["abc", "d"])],
        [
            ('"abc"', 'expected text of at most 2 characters, got "abc"'),
            ('["a", "b", "c"]', "expected at most 2 items, got an array of 3"),
        ],
    ),
    "enum with a limit around": Case(
        Annotated[Priority, Field(ge=2)],
        {"type": "integer", "enum": [2]},
        [("2", Priority.HIGH)],
        [("1", "expected "), ("3", "expected ")],
    ),
    "dict by date": Case(
        dict[dt.date, int],
        {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "propertyNames": {"description": "An ISO 8601 date like 2026-11-29.", "format": "date"},
        },
        [('{"2026-11-29": 1}', {dt.date(2026, 11, 29): 1})],
        [('{"0": 1}', '["0"]: expected as its key an ISO 8601 date like 2026-11-29, got "0"')],
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
        [("true", "expected an integer or a string, got true")],
        mended=[("1.5", "1.5", "number_as_text")],
    ),
    "literal": Case(
        Literal["a", "b"],
        {"type": "string", "enum": ["a", "b"]},
        [('"a"', "a")],
        [('"c"', "expected one of 'a' or 'b', got \"c\""), ("null", "expected one of")],
        mended=[('"A"', "a", "near_choice"), ('" b "', "b", "near_choice")],
    ),
    "one literal": Case(Literal["a"], {"type": "string", "const": "a"}, [('"a"', "a")], [('"b"', "expected 'a', got")]),
    "literal of int": Case(
        Literal[1, 2],
        {"type": "integer", "enum": [1, 2]},
        [("1", 1)],
        [
            ("true", "expected one of 1, 2, got true"),
            ("3", "one of 1 or 2, got 3"),
        ],
        mended=[("1.0", 1, "near_choice"), ('"2"', 2, "near_choice")],
    ),
    "literal of one": Case(Literal[1], {"type": "integer", "const": 1}, [("1", 1)], [("true", "expected 1, got true")]),
    "literal of true": Case(
        Literal[True], {"type": "boolean", "const": True}, [("true", True)], [("1", "expected true, got 1")]
    ),
    "literal of several kinds": Case(
        Literal[1, "a", None, True],
        {"enum": [1, "a", None, True]},
        [("1", 1), ('"a"', "a"), ("null", None), ("true", True)],
        [("false", "got false"), ("1.5", "got 1.5"), ('"b"', "got ")],
        mended=[("1.0", 1, "near_choice"), ('"1"', 1, "near_choice"), ('"A"', "a", "near_choice")],
    ),
    "enum": Case(
        Color,
        {"type": "string", "enum": ["red", "blue"]},
        [('"red"', Color.RED)],
        [('"green"', "expected one of 'red', 'blue' or 'red', got \"green\""), ("0", "got 0")],
        mended=[('"RED"', Color.RED, "near_choice")],
    ),
    "enum of int": Case(
        Priority,
        {"type": "integer", "enum": [1, 2]},
        [("2", Priority.HIGH)],
        [("true", "expected one of 1, 2, got true"), ("3", "got 3"), ('"LOW"', "got "), ("1.5", "got 1.5")],
        mended=[('"1"', Priority.LOW, "near_choice"), ("1.0", Priority.LOW, "near_choice")],
    ),
    "enum of str": Case(
        Degree, {"type": "string", "enum": ["c", "f"]}, [('"c"', Degree.C)], [('"k"', "one of 'c' or 'f'")]
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
            ("[]", "expected an object, got an empty array"),
        ],
        mended=[
            ('{"name": "a", "count": null}', Item(name="a"), "null_as_absent"),
            ('{"Name": "a", "count": 2}', Item(name="a", count=2), "near_key"),
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
            ('{"items": [{"name": "a"}, {"name": true}]}', "items[1].name: expected a string, got true"),
            ('{"items": [], "first": {}}', "first.name: expected a value"),
        ],
        mended=[
            ('{"items": [{"name": "a"}, {"name": 1}]}', Order(items=[Item(name="a"), Item(name="1")]), "number_as_text")
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
            ('{"the_amount": "1", "due_day": "0"}', 'due_day: expected an ISO 8601 date like 2026-11-29, got "0"'),
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
        [('{"a": true, "b": 1}', "a: expected a string, got true")],
        mended=[('{"a": 1, "b": 1}', Swapped(a="1", b=1), "number_as_text")],
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
        [('{"value": 1, "children": [{"value": "x"}]}', 'children[0].value: expected an integer, got "x"')],
        mended=[
            (
                '{"value": 1, "children": [{"value": "2"}]}',
                Node(value=1, children=[Node(value=2)]),
                "text_as_number",
            )
        ],
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
        [
            ('{"name": "D", "id": 1}', {"name": "D", "id": 1}),
        ],
        [('{"id": 1}', "name: expected a value"), ('{"id": 1, "name": null}', "name: expected a string, got null")],
        mended=[('{"name": "D", "id": 1, "age": null}', {"name": "D", "id": 1}, "null_as_absent")],
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
            "prefixItems": [
                {"type": "integer", "description": "x"},
                {"type": "string", "description": "y", "default": "b"},
            ],
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
        [('["x"]', '[0]: expected an integer, got "x"')],
        mended=[('["1"]', {1}, "text_as_number"), ("1", {1}, "one_as_list")],
    ),
    "text": Case(Annotated[int, "How many"], {"type": "integer", "description": "How many"}, [("1", 1)], []),
    "text before limits": Case(
        Annotated[int, "How many items", Field(ge=1, le=10)],
        {"type": "integer", "description": "How many items", "maximum": 10, "minimum": 1},
        [("10", 10)],
        [("999", "expected a number from 1 to 10, got 999"), ("0", "expected a number from 1 to 10, got 0")],
    ),
    "text after limits": Case(
        Annotated[int, Field(ge=1), Field(le=10), "How many items"],
        {"type": "integer", "description": "How many items", "maximum": 10, "minimum": 1},
        [("1", 1)],
        [("999", "expected a number from 1 to 10, got 999")],
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
        [('"1.10"', Decimal("1.10")), ('"1E+400"', Decimal("1E+400"))],
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
        mended=[
            ("1.10", Decimal("1.10"), "number_as_decimal"),
            (
                "123456789012345678901234567890.123456789",
                Decimal("123456789012345678901234567890.123456789"),
                "number_as_decimal",
            ),
            ("1e-400", Decimal("1e-400"), "number_as_decimal"),
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
            ("0", "expected an ISO 8601 date like 2026-11-29, got 0"),
            ('"0"', 'expected an ISO 8601 date like 2026-11-29, got "0"'),
            ('"tomorrow"', 'expected an ISO 8601 date like 2026-11-29, got "tomorrow"'),
            ('"2026-02-30"', "expected an ISO 8601 date like 2026-11-29 (day value is outside expected range)"),
            ('"20261129"', "expected an ISO 8601 date like 2026-11-29"),
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
        {"type": "string", "description": "The day it is due. An ISO 8601 date like 2026-11-29.", "format": "date"},
        [],
        [],
    ),
    "date and time": Case(
        dt.datetime,
        {
            "type": "string",
            "description": "An ISO 8601 date and time like 2026-11-29T12:30:00Z.",
            "format": "date-time",
        },
        [
            ('"2026-03-01T17:00:00Z"', dt.datetime(2026, 3, 1, 17, tzinfo=dt.UTC)),
            ('"2026-03-01T17:00:00"', dt.datetime(2026, 3, 1, 17)),
        ],
        [
            ('"1."', "expected an ISO 8601 date and time like 2026-11-29T12:30:00Z"),
            ('".5"', "expected an ISO 8601 date and time like"),
            ('"1767225600"', "expected an ISO 8601 date and time like"),
            ("1767225600", "expected an ISO 8601 date and time like"),
            ('"2026-11-29"', "expected an ISO 8601 date and time like"),
            ('"2026-03-01_17:00:00"', "expected an ISO 8601 date and time like"),
        ],
    ),
    "date and time with its offset": Case(
        AwareDatetime,
        {
            "type": "string",
            "description": "An ISO 8601 date and time like 2026-11-29T12:30:00Z.",
            "format": "date-time",
        },
        [('"2026-03-01T17:00:00+01:00"', dt.datetime(2026, 3, 1, 16, tzinfo=dt.UTC))],
        [('"2026-03-01T17:00:00"', "expected an ISO 8601 date and time like 2026-11-29T12:30:00Z, with its offset")],
    ),
    "date and time without offset": Case(
        NaiveDatetime,
        {
            "type": "string",
            "description": "An ISO 8601 date and time without an offset like 2026-11-29T12:30:00.",
            "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
            "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?$",
        },
        [('"2026-03-01T17:00:00"', dt.datetime(2026, 3, 1, 17))],
        [
            ('"2026-03-01_17:00:00"', "without an offset like"),
            (
                '"2026-03-01T24:00:00"',
                "expected an ISO 8601 date and time like 2026-11-29T12:30:00Z (hour value is outside",
            ),
            ('"2026-03-01T17:00:00Z"', "without an offset"),
            ('"0"', "without an offset like 2026-11-29T12:30:00"),
        ],
    ),
    "time": Case(
        dt.time,
        TIME,
        [
            ('"12:30:00"', dt.time(12, 30)),
            ('"12:30"', dt.time(12, 30)),
            ('"23:59:59+23:59"', dt.time(23, 59, 59, tzinfo=dt.timezone(dt.timedelta(hours=23, minutes=59)))),
            ('"12:30:00.5Z"', dt.time(12, 30, 0, 500_000, tzinfo=dt.UTC)),
        ],
        [
            ('"5"', 'expected an ISO 8601 time like 12:30:00, got "5"'),
            ("5", "expected an ISO 8601 time like 12:30:00, got 5"),
            ('"25:00:00"', "expected an ISO 8601 time like 12:30:00 (hour value is outside expected range"),
            ('"24:00:00"', "expected an ISO 8601 time like 12:30:00 (hour value is outside expected range"),
            ('"12:30:60"', "expected an ISO 8601 time like 12:30:00 (second value is outside expected range"),
            ('"12:60"', "expected an ISO 8601 time like 12:30:00 (minute value is outside expected range"),
            ('"12:30:00+24:00"', "expected an ISO 8601 time like 12:30:00 (timezone offset must be less than 24 hours"),
        ],
    ),
    "duration": Case(
        dt.timedelta,
        {"type": "string", "description": "An ISO 8601 duration like P1DT2H.", "format": "duration"},
        [('"P1DT2H"', dt.timedelta(days=1, hours=2))],
        [
            ('"5"', 'expected an ISO 8601 duration like P1DT2H, got "5"'),
            ('"1 day"', "an ISO 8601 duration like P1DT2H"),
            ("5", "an ISO 8601 duration"),
        ],
    ),
    "uuid": Case(
        uuid.UUID,
        {"type": "string", "format": "uuid"},
        [('"00000000-0000-0000-0000-000000000001"', uuid.UUID(int=1))],
        [('"x"', 'expected a UUID, got "x"'), ("1", "expected a UUID, got 1")],
    ),
    "uuid of a version": Case(
        UUID4,
        {"type": "string", "description": "A UUID of version 4.", "format": "uuid", "x-limits": {"version": "4"}},
        [('"12345678-9abc-4def-8123-456789abcdef"', uuid.UUID("12345678-9abc-4def-8123-456789abcdef"))],
        [
            (
                '"12345678-9abc-1def-8123-456789abcdef"',
                "expected a value that passes its check (UUID version 4 expected)",
            ),
            ('"x"', "expected a UUID"),
        ],
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
            ('[{"kind": "boat"}]', "[0].kind: expected one of 'cat', 'dog', got \"boat\""),
            ('[{"kind": 1}]', "[0].kind: expected one of 'cat', 'dog', got 1"),
            ("[{}]", "[0].kind: expected one of 'cat', 'dog', got nothing"),
            ('[{"kind": "cat", "lives": "x", "cat": 1}]', '[0].lives: expected an integer, got "x"'),
        ],
    ),
    "extra keywords": Case(
        Noted,
        closed_object(
            {"seconds": {"type": "integer", "description": "Unit: s.", "examples": [1, 2], "x-unit": "s"}},
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
        [('{"number": 3}', "number: expected a value that passes its check (an even number), got 3")],
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
    "iterable": Case(
        abc.Iterable[Annotated[int, "One"]],
        {"type": "array", "items": {"type": "integer", "description": "One"}},
        [("[1, 2]", [1, 2])],
        [('[1, "x"]', '[1]: expected an integer, got "x"'), ("true", "expected an array, got true")],
        mended=[('[1, "2"]', [1, 2], "text_as_number"), ("1", [1], "one_as_list")],
    ),
    "iterables inside": Case(
        abc.Mapping[str, typing.Iterable[abc.Sequence[int]] | None],
        {
            "type": "object",
            "additionalProperties": {
                "anyOf": [{"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, {"type": "null"}]
            },
        },
        [('{"a": [[1], []], "b": null}', {"a": [[1], []], "b": None})],
        [('{"a": [["x"]]}', 'a[0][0]: expected an integer, got "x"')],
    ),
    "iterable with limits": Case(
        Annotated[abc.Collection[int], Field(min_length=1, max_length=2), "Some"],
        {"type": "array", "description": "Some", "items": {"type": "integer"}, "maxItems": 2, "minItems": 1},
        [("[1]", [1])],
        [("[]", "expected at least 1 items"), ("[1, 2, 3]", "expected at most 2 items")],
    ),
    "set of the abstract kind": Case(
        abc.Set[int],
        {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
        [("[1]", frozenset({1}))],
        [('["x"]', "[0]: expected an integer")],
    ),
    "deque": Case(
        collections.deque[int],
        {"type": "array", "items": {"type": "integer"}},
        [("[1]", collections.deque([1]))],
        [("[true]", "[0]: expected an integer, got true")],
    ),
    "open tuple": Case(
        tuple[int, ...],
        {"type": "array", "items": {"type": "integer"}},
        [("[]", ()), ("[1, 2]", (1, 2))],
        [('["x"]', "[0]: expected an integer")],
    ),
    "empty tuple": Case(
        tuple[()], {"type": "array", "maxItems": 0, "minItems": 0}, [("[]", ())], [("[1]", "expected at most 0 items")]
    ),
    "bytes": Case(
        bytes,
        BYTES,
        [('"/+8="', b"\xff\xef"), ('""', b"")],
        [
            ('"hi!"', 'expected bytes as base64 like aGVsbG8=, got "hi!"'),
            ('"/+8"', "expected bytes as base64"),
            ('"_-8="', "expected bytes as base64 like aGVsbG8="),
            ("5", "expected a string, got 5"),
        ],
    ),
    "bytes inside": Case(
        dict[bytes, list[Blob | None]],
        {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"anyOf": [BYTES, {"type": "null"}]}},
            "propertyNames": {word: held for word, held in BYTES.items() if word != "type"},
        },
        [('{"aGk=": ["aGk=", null]}', {b"hi": [b"hi", None]})],
        [('{"!": []}', "expected as its key bytes as base64"), ('{"aGk=": ["!"]}', "[0]: expected bytes as base64")],
    ),
    "bytes with limits": Case(
        Annotated[Blob, Field(max_length=2), "A blob"],
        {
            **BYTES,
            "description": "A blob. At most 2 bytes. Bytes as base64 like aGVsbG8=.",
            "x-limits": {"maxBytes": "2"},
        },
        [('"aGk="', b"hi")],
        [('"aGVsbG8="', "at most 2 bytes")],
    ),
    "bytes with limits around": Case(
        Annotated[bytes | None, Field(min_length=1, max_length=2)],
        {
            "anyOf": [
                {
                    **BYTES,
                    "description": "At least 1 bytes, at most 2 bytes. Bytes as base64 like aGVsbG8=.",
                    "x-limits": {"minBytes": "1", "maxBytes": "2"},
                },
                {"type": "null"},
            ]
        },
        [('"aGk="', b"hi"), ("null", None)],
        [('""', "at least 1"), ('"aGVsbG8="', "at most 2")],
    ),
    "bytes of pydantic": Case(
        Base64Bytes, BYTES, [('"aGk="', b"hi")], [('"a-k="', 'expected bytes as base64 like aGVsbG8=, got "a-k="')]
    ),
    "bytes of a class": Case(
        Packet,
        closed_object(
            {
                "body": {
                    "anyOf": [
                        {
                            "type": "string",
                            "description": "Bytes as base64url like aGVsbG8=.",
                            "contentEncoding": "base64url",
                        },
                        {"type": "null"},
                    ]
                }
            },
            "body",
        ),
        [('{"body": "_-8="}', Packet(body=b"\xff\xef")), ('{"body": "/+8="}', Packet(body=b"\xff\xef"))],
        [('{"body": "!"}', "body: expected bytes as base64")],
    ),
    "secrets of other kinds": Case(
        Hidden,
        closed_object(
            {
                "key": {"type": "string", "format": "password", "writeOnly": True},
                "pin": {"type": "integer", "writeOnly": True},
            },
            "key",
            "pin",
        ),
        [('{"key": "a", "pin": 1}', Hidden(key=SecretBytes(b"a"), pin=Secret[int](1)))],
        [
            ('{"key": 5, "pin": 1}', "key: expected a string, got a value that is not shown"),
            ('{"key": "a", "pin": "x"}', "pin: expected an integer, got a value that is not shown"),
        ],
    ),
    "literal of members": Case(
        Literal[Scope.TITLE, "x", 1] | None,
        {
            "anyOf": [
                {"type": "string", "description": "Where to search. title: the title alone", "enum": ["title"]},
                {"enum": ["x", 1]},
                {"type": "null"},
            ]
        },
        [('"title"', Scope.TITLE), ('"x"', "x"), ("null", None)],
        [('"all"', "expected one of 'title'"), ("true", 'expected one of "x", 1, got true')],
    ),
    "literal of members that are text": Case(
        Literal[Degree.C], {"type": "string", "const": "c"}, [('"c"', Degree.C)], [('"f"', 'got "f"')]
    ),
    "texts of members": Case(
        Scope,
        {
            "type": "string",
            "description": "Where to search. title: the title alone; all: whatever there is",
            "enum": ["title", "all"],
        },
        [('"all"', Scope.ALL)],
        [],
    ),
    "texts of members' own": Case(
        Speed,
        {
            "type": "string",
            "description": "Members with texts of their own. slow: saves power; fast: in a hurry",
            "enum": ["slow", "fast"],
        },
        [('"fast"', Speed.FAST)],
        [],
    ),
    "texts of values": Case(
        Annotated[Literal["title", 1, None], {"title": "title only", None: "anywhere"}, "Where to search"],
        {"description": "Where to search. title: title only; null: anywhere", "enum": ["title", 1, None]},
        [("null", None)],
        [],
    ),
    "texts of values of an optional": Case(
        Annotated[Color | None, {"red": "stop", Color.BLUE: "go"}],
        {
            "description": "red: stop; blue: go",
            "anyOf": [{"type": "string", "enum": ["red", "blue"]}, {"type": "null"}],
        },
        [('"red"', Color.RED)],
        [],
    ),
    "other metadata": Case(
        Annotated[int, 5, {"a": "b"}, object()], {"type": "integer"}, [("1", 1)], [("true", "expected an integer")]
    ),
    "a text around a text": Case(
        Annotated[City, "Where to go"], {"type": "string", "description": "Where to go"}, [('"Rome"', "Rome")], []
    ),
    "a text around a class": Case(
        Annotated[Item, "What to buy"],
        closed_object(
            {"name": {"type": "string"}, "count": {"type": "integer", "default": 1}}, "name", description="What to buy"
        ),
        [],
        [],
    ),
    "a description around a class": Case(
        Annotated[Item, "Not told", Field(description="What to buy")],
        closed_object(
            {"name": {"type": "string"}, "count": {"type": "integer", "default": 1}}, "name", description="What to buy"
        ),
        [],
        [],
    ),
    "texts of a docstring": Case(
        Documented,
        closed_object(
            {
                "a": {"type": "integer", "description": "from the docstring"},
                "b": {"type": "integer", "description": "from the annotation"},
            },
            "a",
            "b",
            description="Two of them.",
        ),
        [],
        [],
    ),
    "text of keys": Case(
        dict[Annotated[str, "A country"], Annotated[int, "People"]],
        {
            "type": "object",
            "additionalProperties": {"type": "integer", "description": "People"},
            "propertyNames": {"description": "A country"},
        },
        [('{"it": 1}', {"it": 1})],
        [],
    ),
    "unit": Case(
        Annotated[list[Annotated[float, Unit("kg")]], "Weights"],
        {
            "type": "array",
            "description": "Weights",
            "items": {"type": "number", "description": "Unit: kg.", "x-unit": "kg"},
        },
        [("[1.5]", [1.5])],
        [],
    ),
    "zone and resource": Case(
        tuple[Annotated[dt.datetime, "When", Zone("UTC")], Annotated[str | None, Resource("crm.customer")]],
        {
            "type": "array",
            "prefixItems": [
                {
                    "type": "string",
                    "description": "When. Time zone: UTC. An ISO 8601 date and time like 2026-11-29T12:30:00Z.",
                    "format": "date-time",
                    "x-zone": "UTC",
                },
                {
                    "description": "Resource: crm.customer.",
                    "anyOf": [{"type": "string"}, {"type": "null"}],
                    "x-resource": "crm.customer",
                },
            ],
            "maxItems": 2,
            "minItems": 2,
        },
        [],
        [],
    ),
    "recursion to a depth": Case(
        Annotated[Branch, MaxDepth(2)],
        closed_object(
            {
                "length": {"type": "number", "description": "Unit: cm.", "x-unit": "cm"},
                "branches": {"type": "array", "items": {"$ref": "#/$defs/Branch"}, "default": []},
                "graft": {"anyOf": [{"$ref": "#/$defs/Branch"}, {"type": "null"}], "default": None},
            },
            "length",
            description="A branch.",
            **{
                "$defs": {
                    "Branch": closed_object(
                        {
                            "length": {"type": "number", "description": "Unit: cm.", "x-unit": "cm"},
                            "branches": {"type": "array", "default": [], "maxItems": 0},
                            "graft": {"type": "null", "default": None},
                        },
                        "length",
                        description="A branch.",
                    )
                }
            },
        ),
        [('{"length": 1, "graft": {"length": 2}}', Branch(length=1, graft=Branch(length=2)))],
        [
            (
                '{"length": 1, "graft": {"length": 2, "branches": [{"length": 3}]}}',
                "expected at most 2 of Branch inside each other, and not 3",
            ),
        ],
    ),
    "typed dict of typing": Case(
        list[Row],
        {
            "type": "array",
            "items": {"$ref": "#/$defs/Row"},
            "$defs": {
                "Row": closed_object(
                    {
                        "id": {"type": "integer", "description": "Its number", "minimum": 1},
                        "blob": BYTES,
                        "kids": {"type": "array", "description": "below it", "items": {"$ref": "#/$defs/Row"}},
                    },
                    "id",
                    description="A row.",
                )
            },
        },
        [('[{"id": 1, "blob": "aGk=", "kids": [{"id": 2}]}]', [{"id": 1, "blob": b"hi", "kids": [{"id": 2}]}])],
        [
            ('[{"id": 1, "kids": [{"id": 0}]}]', "[0].kids[0].id: expected a number of at least 1, got 0"),
            ("[{}]", "[0].id: expected a value, since it is required"),
        ],
    ),
    "typed dict that inherits": Case(
        Wide,
        closed_object(
            {
                "id": {"type": "integer", "description": "Its number", "minimum": 1},
                "blob": BYTES,
                "kids": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
                "width": {"type": "integer"},
                "height": {"type": "integer"},
            },
            "id",
            "height",
            **{
                "$defs": {
                    "Row": closed_object(
                        {
                            "id": {"type": "integer", "description": "Its number", "minimum": 1},
                            "blob": BYTES,
                            "kids": {"type": "array", "description": "below it", "items": {"$ref": "#/$defs/Row"}},
                        },
                        "id",
                        description="A row.",
                    )
                }
            },
        ),
        [('{"id": 1, "height": 2}', {"id": 1, "height": 2})],
        [('{"id": 1}', "height: expected a value, since it is required")],
    ),
    "typed dict of a type": Case(
        Box[bytes],
        closed_object({"held": BYTES, "more": {"type": "array", "items": BYTES}}, "held"),
        [('{"held": "aGk="}', {"held": b"hi"})],
        [('{"more": []}', "held: expected a value")],
    ),
    "alias of a type": Case(
        Listed[bytes], {"type": "array", "items": BYTES}, [('["aGk="]', [b"hi"])], [('["!"]', "expected bytes")]
    ),
    "union by a tag that has a default": Case(
        Pond,
        closed_object(
            {
                "first": {"oneOf": [{"$ref": "#/$defs/Bird"}, {"$ref": "#/$defs/Fish"}], "discriminator": TAG},
                "rest": {
                    "type": "array",
                    "items": {"oneOf": [{"$ref": "#/$defs/Bird"}, {"$ref": "#/$defs/Fish"}], "discriminator": TAG},
                    "default": [],
                },
            },
            "first",
            **{
                "$defs": {
                    "Bird": closed_object(
                        {"kind": {"type": "string", "const": "bird"}, "wings": {"type": "integer", "default": 2}},
                        "kind",
                    ),
                    "Fish": closed_object({"kind": {"type": "string", "const": "fish"}}, "kind"),
                }
            },
        ),
        [('{"first": {"kind": "fish"}}', Pond(first=Fish()))],
        [('{"first": {}}', "first.kind: expected one of 'bird', 'fish', got nothing")],
    ),
    "date with limits": Case(
        Annotated[dt.date, Field(ge=dt.date(2026, 1, 1), lt=dt.date(2027, 1, 1))],
        {
            **DATE,
            "description": "From 2026-01-01 on, before 2027-01-01. An ISO 8601 date like 2026-11-29.",
            "x-limits": {"minimum": "2026-01-01", "exclusiveMaximum": "2027-01-01"},
        },
        [('"2026-01-01"', dt.date(2026, 1, 1))],
        [('"2027-01-01"', "2027-01-01"), ('"2025-12-31"', "at least 2026-01-01")],
    ),
    "date in the past": Case(
        PastDate,
        {**DATE, "description": "In the past. An ISO 8601 date like 2026-11-29.", "x-limits": {"now": "past"}},
        [('"2020-01-01"', dt.date(2020, 1, 1))],
        [('"9999-01-01"', "expected a date in the past")],
    ),
    "date and time in the future": Case(
        FutureDatetime,
        {
            "type": "string",
            "description": "In the future. An ISO 8601 date and time like 2026-11-29T12:30:00Z.",
            "format": "date-time",
            "x-limits": {"now": "future"},
        },
        [('"9999-01-01T00:00:00Z"', dt.datetime(9999, 1, 1, tzinfo=dt.UTC))],
        [('"2020-01-01T00:00:00Z"', "expected a date and time in the future")],
    ),
    "duration with limits": Case(
        Annotated[dt.timedelta, Field(ge=dt.timedelta(hours=1), le=dt.timedelta(days=2))],
        {
            "type": "string",
            "description": "At least PT1H, at most P2D. An ISO 8601 duration like P1DT2H.",
            "format": "duration",
            "x-limits": {"maximum": "P2D", "minimum": "PT1H"},
        },
        [('"P1D"', dt.timedelta(days=1))],
        [('"P3D"', "P2D")],
    ),
    "time with limits": Case(
        Annotated[dt.time, Field(ge=dt.time(9))],
        {
            **TIME,
            "description": "From 09:00:00 on. An ISO 8601 time like 12:30:00.",
            "x-limits": {"minimum": "09:00:00"},
        },
        [('"09:00"', dt.time(9))],
        [('"08:59:59"', "09:00:00")],
    ),
    "path": Case(Path, {"type": "string", "format": "path"}, [('"a/b"', Path("a/b"))], [("5", "got 5")]),
    "address": Case(
        HttpUrl,
        {"type": "string", "format": "uri", "maxLength": 2083, "minLength": 1},
        [('"https://example.org/a"', HttpUrl("https://example.org/a"))],
        [('"ftp://example.org"', "expected"), ('"x"', "expected")],
    ),
    "any address": Case(
        AnyUrl,
        {"type": "string", "format": "uri", "minLength": 1},
        [('"mailto:a"', AnyUrl("mailto:a"))],
        [('""', "expected")],
    ),
    "JSON in a text": Case(
        Json[list[int]],
        {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"type": "array", "items": {"type": "integer"}},
        },
        [('"[1]"', [1])],
        [('"[true]"', "expected an integer"), ("[1]", "expected")],
    ),
    "generic dataclass of bytes": Case(
        Pack[bytes],
        closed_object({"held": BYTES}, "held"),
        [('{"held": "aGk="}', Pack(b"hi"))],
        [('{"held": "!"}', "held: ")],
    ),
}
