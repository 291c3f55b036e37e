"""Limits around several types at once: in each branch, in words, or refused at definition."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, NewType
from uuid import UUID

import annotated_types
import jsonschema_rs
import pytest
from pydantic import (
    AfterValidator,
    AnyUrl,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    Field,
    Json,
    NaiveDatetime,
    PlainSerializer,
    RootModel,
    SecretStr,
    StringConstraints,
)
from typing_extensions import TypeAliasType, TypedDict

from magic_tools import tool
from magic_tools.errors import DefinitionError, ParseError
from magic_tools.loose.decode import Schema
from magic_tools.schema.adapting import adapt
from magic_tools.values import JsonObject
from tests.schema.type_table import DECIMAL, closed_object


class Level(IntEnum):
    LOW = 1
    HIGH = 20


class Code(StrEnum):
    A = "a"
    LONG = "long"


class Loose(Enum):
    ONE = 1


class Sides(TypedDict, total=False):
    left: int
    right: int


class Left(TypedDict):
    kind: Literal["left"]


class Right(TypedDict):
    kind: Literal["right"]
    far: int


class Plain(BaseModel):
    x: int


Number = TypeAliasType("Number", int | float)
Positive = TypeAliasType("Positive", Annotated[int | float, Field(gt=0)])
Nested = TypeAliasType("Nested", "str | list[Nested]")
Perhaps = TypeAliasType("Perhaps", float | None)
Amount = NewType("Amount", Number)  # type: ignore[valid-newtype]  # pydantic takes it


class Holder(BaseModel):
    """A model, whose fields pydantic alone reads."""

    share: int | float = Field(ge=0, le=1, description="Of the whole", examples=[0.5])
    rest: int | float | None = Field(None, ge=0)
    level: Level = Field(Level.HIGH, gt=1)


def _even(value: int) -> int:
    if value % 2:
        raise ValueError("an even number")
    return value


def compiled(annotation: Any) -> Schema[Any]:
    return Schema(adapt(annotation, where="the type"), name="the type", closed=True, annotation=annotation)


def either(*branches: JsonObject, **keywords: Any) -> JsonObject:
    return {**keywords, "anyOf": list(branches)}


def number(**limits: float) -> JsonObject:
    return either({"type": "integer", **limits}, {"type": "number", **limits})


INTEGERS = {"type": "array", "items": {"type": "integer"}}

SCHEMAS: Mapping[str, tuple[Any, JsonObject]] = {
    "amounts": (Annotated[int | float, Field(ge=1, le=5)], number(minimum=1, maximum=5)),
    "amounts that a whole number rounds": (
        Annotated[int | float, Field(gt=1.5, lt=Decimal("4.5"))],
        either(
            {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 5},
            {"type": "number", "exclusiveMinimum": 1.5, "exclusiveMaximum": 4.5},
        ),
    ),
    "amounts that a whole number rounds the other way": (
        Annotated[int | float, Field(ge=1.5, le=4.5)],
        either(
            {"type": "integer", "minimum": 2, "maximum": 4}, {"type": "number", "minimum": 1.5, "maximum": 4.5}
        ),
    ),
    "multiples": (Annotated[int | float, Field(multiple_of=2)], number(multipleOf=2)),
    "an interval": (
        Annotated[int | float, annotated_types.Interval(gt=1, le=3)],
        number(exclusiveMinimum=1, maximum=3),
    ),
    "lengths of arrays": (
        Annotated[list[int] | set[int], Field(min_length=2)],
        either({**INTEGERS, "minItems": 2}, {**INTEGERS, "minItems": 2, "uniqueItems": True}),
    ),
    "lengths of a text and an array": (
        Annotated[str | list[str], Field(max_length=2)],
        either({"type": "string", "maxLength": 2}, {"type": "array", "items": {"type": "string"}, "maxItems": 2}),
    ),
    "lengths of an array and an object": (
        Annotated[Sequence[int] | Mapping[str, int], annotated_types.Len(1, 2)],
        either(
            {**INTEGERS, "minItems": 1, "maxItems": 2},
            {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 2},
        ),
    ),
    "the stricter of two": (
        Annotated[Annotated[str, Field(min_length=5)] | Annotated[list[int], Field(min_length=1)], Field(min_length=2)],
        either({"type": "string", "minLength": 5}, {**INTEGERS, "minItems": 2}),
    ),
    "bytes": (
        Annotated[bytes | list[int], Field(min_length=3)],
        either(
            {
                "type": "string",
                "description": "At least 3 bytes. Bytes as base64 like aGVsbG8=.",
                "contentEncoding": "base64",
                "x-limits": {"minBytes": "3"},
            },
            {**INTEGERS, "minItems": 3},
        ),
    ),
    "an enumeration of int": (Annotated[Level, Field(ge=2)], {"type": "integer", "enum": [20]}),
    "an enumeration of text": (Annotated[Code, Field(min_length=2)], {"type": "string", "enum": ["long"]}),
    "a Literal": (Annotated[Literal[1, 2, 3], Field(ge=2)], {"type": "integer", "enum": [2, 3]}),
    "a Literal none of which is left": (
        Annotated[Literal[1, 2] | float, Field(gt=2)],
        {"type": "number", "exclusiveMinimum": 2},
    ),
    "a Decimal": (
        Annotated[Decimal | int, Field(gt=1)],
        either(
            {**DECIMAL, "description": "A decimal number: more than 1.", "x-decimal": {"exclusiveMinimum": "1"}},
            {"type": "integer", "exclusiveMinimum": 1},
        ),
    ),
    "a date behind a check": (
        Annotated[dt.date, AfterValidator(lambda day: day), Field(ge=dt.date(2020, 1, 1))],
        {
            "type": "string",
            "description": "From 2020-01-01 on. An ISO 8601 date like 2026-11-29.",
            "format": "date",
            "x-limits": {"minimum": "2020-01-01"},
        },
    ),
    "a fraction": (
        Annotated[Fraction, Field(ge=1)],
        {"type": "string", "description": "At least 1.", "format": "fraction"},
    ),
    "null beside": (
        Annotated[int | float | None, Field(ge=1)],
        either({"type": "integer", "minimum": 1}, {"type": "number", "minimum": 1}, {"type": "null"}),
    ),
    "null beside one": (
        Annotated[int | None, Field(ge=1)],
        either({"type": "integer", "minimum": 1}, {"type": "null"}),
    ),
    "a secret": (
        Annotated[SecretStr | list[int], Field(min_length=3)],
        either(
            {"type": "string", "format": "password", "minLength": 3, "writeOnly": True}, {**INTEGERS, "minItems": 3}
        ),
    ),
    "an alias, used twice": (
        tuple[Annotated[Number, Field(ge=1)], Number],
        {"type": "array", "prefixItems": [number(minimum=1), number()], "minItems": 2, "maxItems": 2},
    ),
    "an alias with a limit, and one more": (
        Annotated[Positive, Field(le=5, description="Up to five")],
        {**number(exclusiveMinimum=0, maximum=5), "description": "Up to five"},
    ),
    "an alias with a limit, used twice": (
        tuple[Positive, Positive],
        {
            "type": "array",
            "prefixItems": [{"$ref": "#/$defs/Positive"}, {"$ref": "#/$defs/Positive"}],
            "minItems": 2,
            "maxItems": 2,
            "$defs": {"Positive": number(exclusiveMinimum=0)},
        },
    ),
    "an alias that leads back": (
        Annotated[Nested, Field(max_length=2)],
        {
            **either(
                {"type": "string", "maxLength": 2},
                {"type": "array", "items": {"$ref": "#/$defs/Nested"}, "maxItems": 2},
            ),
            "$defs": {
                "Nested": either({"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/Nested"}})
            },
        },
    ),
    "a NewType": (Annotated[Amount, Field(ge=1)], number(minimum=1)),
    "a default": (
        Annotated[Annotated[int | float, Field(default=3)], Field(ge=1)],
        {**number(minimum=1), "default": 3},
    ),
    "JSON in a text": (
        Annotated[Json[int | float], Field(ge=1)],  # type: ignore[misc]  # a type for mypy, generic for pydantic
        {"type": "string", "contentMediaType": "application/json", "contentSchema": number(minimum=1)},
    ),
    "a typed dict": (
        Annotated[Sides, Field(min_length=1)],
        closed_object({"left": {"type": "integer"}, "right": {"type": "integer"}}, minProperties=1),
    ),
    "typed dicts by a tag": (
        Annotated[Annotated[Left | Right, Field(discriminator="kind")], Field(min_length=1)],
        {
            "oneOf": [
                closed_object({"kind": {"type": "string", "const": "left"}}, "kind", minProperties=1),
                closed_object(
                    {"kind": {"type": "string", "const": "right"}, "far": {"type": "integer"}}, "kind", "far",
                    minProperties=1,
                ),
            ],
            "discriminator": {"propertyName": "kind"},
        },
    ),
    "a queue": (Annotated[deque[int], Field(min_length=1)], {**INTEGERS, "minItems": 1}),
    "a counter": (
        Annotated[Counter[str], Field(min_length=1)],
        {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1},
    ),
    "an Iterable": (Annotated[Iterable[int], Field(min_length=2)], {**INTEGERS, "minItems": 2}),
    "a tuple of a fixed length": (
        Annotated[tuple[int, str], Field(min_length=1, max_length=9)],
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
    ),
    "patterns": (
        Annotated[str | Literal["a", "b"], Field(pattern="^a")],
        either({"type": "string", "pattern": "^a"}, {"type": "string", "const": "a"}),
    ),
    "a pattern and a length": (
        Annotated[str | Literal["a", "abc"], StringConstraints(max_length=2, pattern="^a")],
        either({"type": "string", "maxLength": 2, "pattern": "^a"}, {"type": "string", "const": "a"}),
    ),
    "behind a check of the author's": (
        Annotated[int, AfterValidator(_even), Field(ge=3)],
        {"type": "integer", "minimum": 3},
    ),
    "behind a conversion": (
        Annotated[str, AfterValidator(int), Field(ge=3)],
        {"type": "string", "description": "At least 3."},
    ),
    "behind a conversion of listed values": (
        Annotated[Literal[1, 2], AfterValidator(lambda value: value * 10), Field(ge=10)],
        {"type": "integer", "description": "At least 10.", "enum": [1, 2]},
    ),
    "before a check": (Annotated[int | float, BeforeValidator(_even), Field(ge=3)], number(minimum=3)),
    "fields": (
        Holder,
        {
            "type": "object",
            "description": "A model, whose fields pydantic alone reads.",
            "properties": {
                "share": {**number(minimum=0, maximum=1), "description": "Of the whole", "examples": [0.5]},
                "rest": {
                    **either({"type": "integer", "minimum": 0}, {"type": "number", "minimum": 0}, {"type": "null"}),
                    "default": None,
                },
                "level": {"type": "integer", "enum": [20], "default": 20},
            },
            "required": ["share"],
            "additionalProperties": False,
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize(("annotation", "schema"), SCHEMAS.values(), ids=SCHEMAS)
def test_the_schema_of_what_a_limit_stands_around(annotation: Any, schema: JsonObject) -> None:
    """Each branch has the limit by its own keyword, enumerations what fits, and nothing else says it."""
    written = compiled(annotation).json_schema
    assert written == schema
    jsonschema_rs.meta.validate(written)


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        SCHEMAS[name]
        for name in ("amounts", "lengths of arrays", "an enumeration of int", "a Decimal", "a fraction", "bytes",
                     "a queue", "a counter", "a typed dict", "patterns")
    ],
)  # fmt: skip
def test_the_schema_of_what_is_written(annotation: Any, schema: JsonObject) -> None:
    """What a function gives is told to be within the same limits."""
    assert compiled(annotation).output_schema == schema


class Written(BaseModel):
    rows: Annotated[Sequence[int], PlainSerializer(lambda _: "many", return_type=str), Field(min_length=2)]


def test_what_an_author_writes_in_another_form() -> None:
    """A limit of a value says nothing of the text that the author's own function makes of it."""
    made = compiled(Written)
    assert made.json_schema["properties"]["rows"] == {**INTEGERS, "minItems": 2}
    assert made.output_schema["properties"]["rows"] == {"type": "string"}


VALUES = (
    *("0", "1", "2", "3", "4", "5", "6", "-1", "1.5", "4.5", "20", "true", "false", "null"),
    *('""', '"a"', '"ab"', '"long"', '"b"', "[]", "[1]", "[1, 2]", "[1, 2, 3]", '["a"]', '["a", "b", "c"]'),
    *("{}", '{"left": 1}', '{"kind": "left"}', '{"kind": "right", "far": 1}', '{"a": 1, "b": 2, "c": 3}', "[[], []]"),
    *('{"share": 1}', '{"share": 1.5}', '{"share": 1, "rest": -1}', '{"share": 0, "level": 1}', '[1, "a"]', "[0, 0]"),
    *("[2, 0]", '"2020-01-02"', '"2019-12-31"', "[1.5, 1.5]", '"1"', "1" + "0" * 400),
)
NOT_IN_THE_SCHEMA = {
    *(
        "a Decimal",
        "a date behind a check",
        "a fraction",
        "bytes",
        "JSON in a text",
    ),  # texts, whose limits no keyword states
    *(
        "behind a check of the author's",
        "behind a conversion",
        "behind a conversion of listed values",
        "before a check",
    ),
}


@pytest.mark.parametrize("name", [name for name in SCHEMAS if name not in NOT_IN_THE_SCHEMA])
def test_the_schema_says_what_the_validator_does(name: str) -> None:
    """A referee that reads the schema alone takes what the validator takes, of each kind of value."""
    annotation, schema = SCHEMAS[name]
    says, made = jsonschema_rs.validator_for(schema), compiled(annotation)
    assert [text for text in VALUES if says.is_valid(json.loads(text))] == [
        text for text in VALUES if _is_taken(made, text)
    ]
    assert any(_is_taken(made, text) for text in VALUES)


def _is_taken(schema: Schema[Any], text: str) -> bool:
    """Whether a text is read as it stands; what is taken for something else is listed."""
    try:
        return not schema.parse(text).repairs
    except ParseError:
        return False


REFUSED: Mapping[str, tuple[Any, str]] = {
    "an amount of a text": (Annotated[str, Field(ge=1)], "ge=1 is put on what may be str, of which that"),
    "an amount of texts": (Annotated[str, Field(ge="b")], "ge='b' is put on what may be str"),
    "an amount of one branch": (Annotated[int | str, Field(ge=1)], r"may be str, .* as in Annotated\[int, Field"),
    "a length of a number": (Annotated[int, Field(min_length=1)], "min_length=1 is put on what may be int"),
    "a length of an id": (Annotated[list[int] | UUID, Field(min_length=1)], "may be UUID"),
    "a length of a path": (Annotated[Path | str, Field(max_length=3)], "may be [A-Za-z]*Path, "),
    "a length of a URL": (Annotated[AnyUrl | str, Field(max_length=30)], "may be Url, "),
    "digits of an int": (Annotated[Decimal | int, Field(max_digits=3)], "max_digits=3 is put on what may be int"),
    "an amount of a boolean": (Annotated[bool | int, Field(ge=1)], "may be bool, "),
    "an amount of null": (Annotated[int | Perhaps, Field(ge=1)], "may be None, "),
    "an amount of anything": (Annotated[Any, Field(ge=1)], "may be None, "),
    "an amount of a model": (Annotated[int | Plain, Field(ge=1)], "may be Plain, "),
    "a length of a root": (Annotated[RootModel[list[int]], Field(min_length=1)], r"may be RootModel\[list\[int\]\], "),
    "an amount of no number": (Annotated[Loose, Field(ge=1)], "may be Loose, "),
    "a date of a time": (Annotated[dt.date | dt.datetime, Field(ge=dt.date(2020, 1, 1))], "may be datetime, "),
    "a time of a date": (Annotated[dt.date | dt.datetime, Field(ge=dt.datetime(2020, 1, 1))], "may be date, "),
    "a time of another kind": (
        Annotated[NaiveDatetime | AwareDatetime, Field(ge=dt.datetime(2020, 1, 1))], "may be datetime, "
    ),
    "a pattern of a number": (Annotated[int | str, Field(pattern="^a")], r"pattern='\^a' is put on what may be int, "),
    "a case of a number": (Annotated[int | str, StringConstraints(to_lower=True)], "to_lower=True is put on what may"),
    "two patterns": (
        Annotated[Annotated[str, Field(pattern="^a")] | Literal["ab"], Field(pattern="b$")],
        r"pattern is said twice, as '\^a' and as 'b\$'. Say both in one",
    ),
    "none left of a Literal": (Annotated[Literal[1, 2], Field(ge=4)], "ge=4 leaves none of 1, 2. Loosen the limit"),
    "none left of an Enum": (Annotated[Level, Field(gt=20)], "gt=20 leaves none of <Level.LOW: 1>, <Level.HIGH: 20>"),
    "none left of a union": (Annotated[Literal[1] | Level, Field(ge=40)], "ge=40 leaves none of"),
    "a tuple of another length": (Annotated[tuple[int, str], Field(min_length=3)], "no tuple of 2 items is within"),
    "a tuple of another length beside": (
        Annotated[tuple[int, str] | list[int], Field(max_length=1)], "no tuple of 2 items is within its limits"
    ),
    "no end": (Annotated[int | float, Field(le=float("inf"))], "le=inf is no limit that JSON can state. Leave it out"),
}  # fmt: skip


@pytest.mark.parametrize(("annotation", "message"), REFUSED.values(), ids=REFUSED)
def test_a_limit_that_cannot_be_asked(annotation: Any, message: str) -> None:
    """What pydantic would raise for, or leave unchecked, when a value comes is an error at definition."""
    with pytest.raises(DefinitionError, match=f"the type has the annotation .*{message}"):
        compiled(annotation).check("input")


def _at_least(size: Annotated[int | str, Field(ge=1)]) -> None:
    """Set a size."""


class Sized(BaseModel):
    size: int | str = Field(ge=1)


def _sized(of: Sized) -> None:
    """Set a size."""


@pytest.mark.parametrize(("fn", "name"), [(_at_least, "size"), (_sized, "of")])
def test_the_tool_names_its_parameter(fn: Callable[..., Any], name: str) -> None:
    """The error at decoration names the function, the parameter, the annotation and a way out."""
    with pytest.raises(
        DefinitionError, match=rf"{fn.__name__}\(\): parameter '{name}' has .*ge=1 .* may be str, .* Put"
    ):
        tool(fn)


LARGE = "1" + "0" * 400


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (Annotated[int | float, Field(multiple_of=0.5)], LARGE),
        (Annotated[int | float, Field(allow_inf_nan=False)], LARGE),
        (Annotated[Decimal | int, Field(multiple_of=3)], '"1e99999"'),
    ],
)
def test_a_number_that_is_too_large_to_be_checked(annotation: Any, text: str) -> None:
    """A number at which Python's arithmetic gives up is a misfit as any other, for a tool too."""

    def half(value: Any) -> None:
        """Take a half."""

    half.__annotations__["value"] = annotation
    with pytest.raises(ParseError, match="expected numbers of fewer digits"):
        compiled(annotation).parse(text)
    result = tool(half).invoke(f'{{"value": {text}}}')
    assert (result.is_error, result.code) == (True, "INVALID_ARGUMENT")
