"""Results as a model reads them: text as text, all else as strict JSON, and nothing that was not promised."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, PlainSerializer, SecretStr
from typing_extensions import TypedDict

from magic_tools.errors import DefinitionError
from magic_tools.schema.reading import read_signature
from magic_tools.tools.results import ResultWriter

NO_ANNOTATION = object()


class Colour(str, Enum):  # noqa: UP042 - the older spelling is of interest here
    RED = "red"


class Size(StrEnum):
    BIG = "big"


class Level(IntEnum):
    LOW = 1


class Plain(Enum):
    ONE = "one"


class Name(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "another text"


class Weather(BaseModel):
    """Weather at a place."""

    city: str
    celsius: float = Field(alias="tempC")


class Forecast(Weather):
    source: str = "secret"


@dataclass
class Point:
    x: int
    y: int


@dataclass
class Point3(Point):
    z: int = 0


class Opaque:
    pass


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


def writer(annotation: Any) -> ResultWriter:
    """The writer of a function with this return annotation."""

    def made() -> Any: ...

    made.__annotations__ = {} if annotation is NO_ANNOTATION else {"return": annotation}
    return ResultWriter.of(read_signature(made))


def weather(cls: type[Weather] = Weather) -> Weather:
    return cls.model_validate({"city": "東京", "tempC": 7.5})


@pytest.mark.parametrize(
    ("annotation", "value", "text"),
    [
        (str, "12:00", "12:00"),
        (str, "", ""),
        (str, '{"a": 1}', '{"a": 1}'),
        (str, 'say "hi"\n\\', 'say "hi"\n\\'),
        (str, "東京 \U0001f600 \u2028", "東京 \U0001f600 \u2028"),
        (str, Name("as it is"), "as it is"),
        (str, Colour.RED, "red"),
        (Colour, Colour.RED, "red"),
        (Size, Size.BIG, "big"),
        (Literal["a", "b"], "a", "a"),
        (str | None, "x", "x"),
        (int | str, "5", "5"),
        (Annotated[str, PlainSerializer(lambda text: text[:2] + "***")], "secret", "se***"),
        (Annotated[str, PlainSerializer(lambda text: {"text": text}, return_type=dict[str, str])], "a", '{"text":"a"}'),
        (NO_ANNOTATION, "x", "x"),
        (Any, "x", "x"),
    ],
)
def test_text_goes_as_it_is(annotation: Any, value: str, text: str) -> None:
    """What the declared type makes of a text is sent without quotes, whatever class the text is of."""
    assert writer(annotation).write(value).text == text


@pytest.mark.parametrize(
    ("annotation", "value", "text"),
    [
        (int, 5, "5"),
        (int, 2**70, str(2**70)),
        (int, Level.LOW, "1"),
        (Level, Level.LOW, "1"),
        (float, 0.1, "0.1"),
        (bool, True, "true"),
        (str | None, None, "null"),
        (int | None, None, "null"),
        (Any, None, "null"),
        (NO_ANNOTATION, None, "null"),
        (Plain, Plain.ONE, '"one"'),
        (list[int], [1, 2], "[1,2]"),
        (tuple[int, str], (1, "a"), '[1,"a"]'),
        (set[int], {1}, "[1]"),
        (dict[str, int], {"a": 1}, '{"a":1}'),
        (Weather, weather(), '{"city":"東京","tempC":7.5}'),
        (Weather, weather(Forecast), '{"city":"東京","tempC":7.5}'),
        (list[Weather], [weather()], '[{"city":"東京","tempC":7.5}]'),
        (Any, weather(), '{"city":"東京","tempC":7.5}'),
        (Point, Point(1, 2), '{"x":1,"y":2}'),
        (Point, Point3(1, 2, 3), '{"x":1,"y":2}'),
        (Decimal, Decimal("0.10"), '"0.10"'),
        (date, date(2026, 1, 2), '"2026-01-02"'),
        (SecretStr, SecretStr("hidden"), '"**********"'),
        (bytes, b"\xff\xfe", '"//4="'),
        (Any, {"a": [b"\xff\xfe", (bytearray(b"ab"),)], "b": {b"c"}}, '{"a":["//4=",["YWI="]],"b":["Yw=="]}'),
        (dict[str, Any], {"a": b"ab"}, '{"a":"YWI="}'),
    ],
)
def test_everything_else_is_json(annotation: Any, value: Any, text: str) -> None:
    """Every other value is JSON in the form of its declared type, characters as they are, and no more than declared."""
    assert writer(annotation).write(value).text == text


def test_an_open_result_of_many_kinds() -> None:
    """Where nothing is declared, the usual classes have their usual forms."""
    value = {
        "at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "amt": Decimal("0.10"),
        "id": UUID(int=1),
        "c": Colour.RED,
        "s": {1},
        "p": Point(1, 2),
        "path": Path("/x"),
        "more": (number for number in (1, 2)),
    }
    assert json.loads(writer(NO_ANNOTATION).write(value).text) == {
        "at": "2026-01-02T03:04:05Z",
        "amt": "0.10",
        "id": "00000000-0000-0000-0000-000000000001",
        "c": "red",
        "s": [1],
        "p": {"x": 1, "y": 2},
        "path": "/x",
        "more": [1, 2],
    }


@pytest.mark.parametrize("annotation", [float, Any, NO_ANNOTATION, list[float], dict[str, float]])
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_null(annotation: Any, number: float) -> None:
    """NaN and the infinities, which JSON has no words for, are null at every depth."""
    value: Any = {list[float]: [number], dict[str, float]: {"a": number}}.get(annotation, number)
    written = writer(annotation).write(value).text
    assert "null" in written
    json.loads(written, parse_constant=pytest.fail)


@pytest.mark.parametrize("annotation", [None, type(None), "None"])
def test_a_function_that_returns_nothing(annotation: Any) -> None:
    """Of a function declared to return None the model reads that it is done, and the schema says so."""
    made = writer(annotation)
    assert json.loads(made.write(None).text) == {"ok": True}
    assert made.schema == {
        "type": "object",
        "properties": {"ok": {"const": True}},
        "required": ["ok"],
        "additionalProperties": False,
    }
    with pytest.raises(ValueError, match="declared to return nothing, got one of type int"):
        made.write(0)


class Entry(TypedDict):
    a: int


def numbers() -> Iterator[int]:
    yield 1


def breaking() -> Iterator[int]:
    yield 1
    raise KeyError("late")


async def async_numbers() -> Any:
    yield 1


def endless() -> list[Any]:
    held: list[Any] = []
    held.append(held)
    return held


@pytest.mark.parametrize(
    ("annotation", "make"),
    [
        (int, lambda: "5"),
        (int, lambda: 3.5),
        (int, lambda: None),
        (str, lambda: None),
        (str, lambda: 5),
        (str, lambda: "\ud800"),
        (Annotated[str, PlainSerializer(lambda text: {"text": text})], lambda: "a"),
        (bool, lambda: 1),
        (list[int], lambda: (1, 2)),
        (list[int], lambda: ["a"]),
        (list[int], numbers),
        (list[int], lambda: None),
        (dict[str, int], lambda: {"a": "b"}),
        (tuple[int, int], lambda: (1, 2, 3)),
        (Entry, lambda: {"a": "x"}),
        (Weather, lambda: {"city": "Rome", "tempC": 7.5}),
        (Weather, lambda: Weather.model_construct(city=5, celsius=7.5)),
        (Weather, lambda: None),
        (Point, lambda: {"x": 1, "y": 2}),
        (dict[str, Any], lambda: weather()),
        (Any, Opaque),
        (Any, lambda: [Opaque()]),
        (Any, Odd),
        (Any, lambda: {"a": "\ud800"}),
        (Any, breaking),
        (Any, async_numbers),
        (Any, endless),
        (Any, lambda: print),
    ],
)
def test_what_was_not_promised_is_not_sent(annotation: Any, make: Callable[[], Any]) -> None:
    """A value that is not of the declared type, or that JSON cannot hold, is a ValueError and never sent."""
    with pytest.raises(ValueError, match=r"\w"):
        writer(annotation).write(make())


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (int, {"type": "integer"}),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (Any, {}),
        (NO_ANNOTATION, {}),
        (
            Point,
            {
                "type": "object",
                "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
                "required": ["x", "y"],
            },
        ),
        (
            Weather,
            {
                "type": "object",
                "description": "Weather at a place.",
                "properties": {"city": {"type": "string"}, "tempC": {"type": "number"}},
                "required": ["city", "tempC"],
            },
        ),
    ],
)
def test_the_schema_is_of_what_is_sent(annotation: Any, schema: dict[str, Any]) -> None:
    """The schema of the results is that of their JSON, under the aliases; open results have none."""
    assert writer(annotation).schema == schema


@pytest.mark.parametrize("annotation", [None, int, Weather])
def test_a_schema_is_the_caller_s_own(annotation: Any) -> None:
    """What a caller does to a schema, no other sees."""
    before = writer(annotation).schema
    made = writer(annotation)
    made.schema.clear()
    assert made.schema == before
    assert writer(annotation).schema == before


def test_a_type_without_a_schema() -> None:
    """A return annotation that no schema can be made of is a DefinitionError that names the function."""
    with pytest.raises(DefinitionError, match=r"made\(\): the result has the annotation"):
        writer(Opaque)
