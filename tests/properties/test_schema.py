"""Schemas of any types: sound, stable, and of one mind with the validator."""

from __future__ import annotations

import datetime as dt
import functools
import json
import operator
import typing
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, TypeVar, Union

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from typing_extensions import TypeAliasType, TypedDict

from magic_tools.errors import ParseError
from magic_tools.loose.decode import Schema
from magic_tools.schema.adapting import adapt
from magic_tools.schema.docstrings import read_docstring
from magic_tools.schema.identity import annotation_key
from magic_tools.schema.walk import map_schema, subschemas

few = settings(max_examples=60)


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Item(BaseModel):
    name: str
    tags: list[Color] = []
    next: Item | None = None


class Row(TypedDict):
    a: int
    b: NotRequired[str | None]


# Types about which the schema and the validator agree to the last value.
leaves: st.SearchStrategy[Any] = st.sampled_from(
    [int, str, bool, None, Color, Literal["a", "b"], Literal["a"], Literal[Color.RED, "x"], Item, Row, Any]
)


def wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Types made of other types."""
    return st.one_of(
        inner.map(list.__class_getitem__),
        inner.map(functools.partial(operator.getitem, Iterable)),
        inner.map(lambda held: dict.__class_getitem__((str, held))),
        st.tuples(inner, inner).map(tuple.__class_getitem__),
        inner.map(lambda held: Union[held, None]),  # noqa: UP007 - of types that are known only now
        st.tuples(inner, inner).map(lambda pair: Union[pair]),  # noqa: UP007 - of types that are known only now
        inner.map(lambda held: Annotated[held, "A text"]),
    )


every_type: st.SearchStrategy[Any] = st.recursive(leaves, wider, max_leaves=4)
scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "b", "red", "x", 1.5])
keys = st.sampled_from(["a", "b", "name", "tags", "next", "x"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=6
)


def compiled(annotation: Any, *, closed: bool) -> Schema[Any]:
    return Schema(adapt(annotation, where="the type"), name="the type", closed=closed, annotation=annotation)


@given(every_type, st.lists(values, min_size=5, max_size=5), st.booleans())
@few
def test_the_schema_says_what_the_validator_does(annotation: Any, tried: list[Any], closed: bool) -> None:
    """A reader of the schema alone takes and refuses what the validator does."""
    schema = compiled(annotation, closed=closed)
    referee = jsonschema_rs.validator_for(schema.json_schema)
    for value in tried:
        try:
            fits = not schema.parse(json.dumps(value)).repairs
        except ParseError:
            fits = False
        assert referee.is_valid(value) is fits


@given(every_type)
@few
def test_a_schema_is_sound_and_stable(annotation: Any) -> None:
    """A schema is valid, without titles, the same each time, and every reference in it leads to a definition."""
    schema = compiled(annotation, closed=True).json_schema
    jsonschema_rs.meta.validate(schema)
    assert json.dumps(schema) == json.dumps(compiled(annotation, closed=True).json_schema)
    nodes = [schema]
    for node in nodes:
        nodes.extend(subschemas(node))
    assert not any("title" in node for node in nodes)
    assert {node["$ref"] for node in nodes if "$ref" in node} == {f"#/$defs/{name}" for name in schema.get("$defs", {})}
    assert map_schema(schema, lambda node, _: node) == schema


class Mode(Enum):
    """A mode.

    Attributes:
        ON: at work
    """

    ON = "on"
    OFF = 0


class Pair(NamedTuple):
    x: int
    y: str = "b"


class Old(typing.TypedDict, total=False):
    at: typing.Required[dt.date]
    blob: bytes
    more: list[Old]


@dataclass
class Point:
    x: float
    tags: frozenset[str] = frozenset()


class Order(BaseModel):
    id: uuid.UUID
    price: Decimal
    mode: Mode = Mode.ON
    at: dt.time | None = None
    points: dict[str, Point] = {}


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    friends: list[Cat] = []


T = TypeVar("T")
Tree = TypeAliasType("Tree", "list[int | Tree]")
Listed = TypeAliasType("Listed", list[T], type_params=(T,))
Blob = NewType("Blob", bytes)
Animal = Annotated[Cat | Dog, Field(discriminator="kind")]

cats = st.builds(Cat, lives=st.integers())
points = st.builds(Point, st.floats(allow_nan=False, allow_infinity=False), st.frozensets(st.text(), max_size=2))
trees: st.SearchStrategy[Any] = st.recursive(st.just([]), lambda inner: st.lists(st.integers() | inner, max_size=2))
olds: st.SearchStrategy[Any] = st.deferred(
    lambda: st.fixed_dictionaries(
        {"at": st.dates()}, optional={"blob": st.binary(max_size=4), "more": st.lists(olds, max_size=2)}
    )
)

# Types, each with a strategy for its values; those of which a reader of the schema alone takes whatever is written.
TOLD: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (int, st.integers()),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (str, st.text()),
    (bool, st.booleans()),
    (Decimal, st.decimals(allow_nan=False, allow_infinity=False)),
    (dt.date, st.dates()),
    (dt.datetime, st.datetimes(timezones=st.just(dt.UTC))),
    (dt.time, st.times() | st.times(timezones=st.just(dt.UTC))),
    (uuid.UUID, st.uuids()),
    (Blob, st.binary(max_size=9)),
    (Mode, st.sampled_from(Mode)),
    (Literal[Mode.ON, "x", 1], st.sampled_from([Mode.ON, "x", 1])),
    (Pair, st.builds(Pair, st.integers(), st.text())),
    (Point, points),
    (Old, olds),
    (Tree, trees),
    (Animal, cats | st.builds(Dog, friends=st.lists(cats, max_size=2))),
    (
        Order,
        st.builds(
            Order,
            id=st.uuids(),
            price=st.decimals(allow_nan=False, allow_infinity=False),
            mode=st.sampled_from(Mode),
            at=st.none() | st.times(),
            points=st.dictionaries(st.text(), points, max_size=2),
        ),
    ),
]
# Values that are written in a way which the formats of JSON Schema do not have, though the validator reads it again.
LOOSER: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (dt.datetime, st.datetimes()),  # RFC 3339 wants an offset
    (dt.timedelta, st.timedeltas(dt.timedelta(-(10**6)), dt.timedelta(10**6))),  # nor has it signs, or parts of seconds
]


# How types are made of one other type, and values of its values.
OF_ONE: list[tuple[Callable[[Any], Any], Callable[[st.SearchStrategy[Any]], st.SearchStrategy[Any]]]] = [
    *(
        (functools.partial(operator.getitem, container), functools.partial(st.lists, max_size=3))
        for container in (list, Sequence, Iterable, Listed)
    ),
    (lambda held: Union[held, None], lambda values: st.none() | values),  # noqa: UP007 - of types known only now
    (lambda held: Annotated[held, "A text"], lambda values: values),
    *(
        (
            lambda held, container=container, key=key: operator.getitem(container, (key, held)),
            lambda values, keys=keys: st.dictionaries(keys, values, max_size=3),
        )
        for container, key, keys in (
            (Mapping, str, st.text()),
            (dict, dt.date, st.dates()),
            (dict, Blob, st.binary(max_size=3)),
            (dict, int, st.integers()),
        )
    ),
]


def deeper(inner: st.SearchStrategy[tuple[Any, st.SearchStrategy[Any]]]) -> st.SearchStrategy[Any]:
    """Types made of other types, with their values."""
    of_one = st.tuples(st.sampled_from(OF_ONE), inner).map(
        lambda drawn: (drawn[0][0](drawn[1][0]), drawn[0][1](drawn[1][1]))
    )
    of_two = st.tuples(inner, inner).map(
        lambda both: (tuple.__class_getitem__((both[0][0], both[1][0])), st.tuples(both[0][1], both[1][1]))
    )
    return of_one | of_two


told: st.SearchStrategy[Any] = st.recursive(st.sampled_from(TOLD), deeper, max_leaves=3)
everyday: st.SearchStrategy[Any] = st.recursive(st.sampled_from([*TOLD, *LOOSER]), deeper, max_leaves=3)


@given(everyday, st.data(), st.booleans())
@settings(max_examples=150)
def test_what_is_written_is_read_again(pair: tuple[Any, Any], data: st.DataObject, closed: bool) -> None:
    """A value comes back from its text as it was, untouched, to the last digit."""
    annotation, values = pair
    value = data.draw(values)
    schema = compiled(annotation, closed=closed)
    parsed = schema.parse(schema.dump(value))
    assert (parsed.value, parsed.repairs) == (value, ())
    assert not isinstance(value, Decimal) or str(parsed.value) == str(value)


@given(told, st.data(), st.booleans())
@settings(max_examples=150)
def test_what_is_written_fits_its_schemas(pair: tuple[Any, Any], data: st.DataObject, closed: bool) -> None:
    """A reader of either schema alone, formats asserted, takes what is written of a value."""
    annotation, values = pair
    schema = compiled(annotation, closed=closed)
    written = json.loads(schema.dump(data.draw(values)))
    for each in (schema.json_schema, schema.output_schema):
        assert jsonschema_rs.validator_for(each, validate_formats=True).is_valid(written)


@given(every_type, every_type)
@few
def test_a_key_is_an_annotation_s_own(left: Any, right: Any) -> None:
    """Annotations of one key have one schema."""
    assert annotation_key(left) == annotation_key(left)
    if annotation_key(left) == annotation_key(right):
        assert compiled(left, closed=True).json_schema == compiled(right, closed=True).json_schema


lines = st.text("abc:.*-()@`'\"é数 ", max_size=20)


@given(st.lists(lines | st.sampled_from(["Args:", "    a: b", ":param x: y", ": :", "----", "Parameters", ""])))
@few
def test_any_docstring_can_be_read(written: list[str]) -> None:
    """Whatever stands in a docstring, it has a prose and texts, and nothing is raised."""
    read = read_docstring("\n".join(written))
    assert read.prose == read.prose.strip()
    assert all(text == " ".join(text.split()) for text in read.parameters.values())


names = st.lists(st.from_regex(r"[a-z_][a-z0-9_]{0,6}", fullmatch=True), min_size=1, max_size=4, unique=True)
words = st.text("abc é数.,:()", min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)


@given(names, st.data())
@few
def test_a_documented_parameter_has_its_text(names: list[str], data: st.DataObject) -> None:
    """In each style, and a little off it, a parameter's text comes back as it was written."""
    texts = {name: data.draw(words) for name in names}
    google = "Args:\n" + "\n".join(f"    {name}: {text}" for name, text in texts.items())
    sphinx = "\n".join(f":param {name}: {text}" for name, text in texts.items())
    numpy = "Parameters\n----------\n" + "\n".join(f"{name} : int\n    {text}" for name, text in texts.items())
    flush = "Args:\n" + "\n".join(f"{name}: {text}" for name, text in texts.items())
    hyphens = "## Args\n\n" + "\n".join(f"- {name} - {text}" for name, text in texts.items())
    wide = google.replace("Args:", "参数：").replace(": ", "：", 1)
    short, inner = numpy.replace("----------", "---"), google.replace("\n", "\n  ") + "\n:returns: It."
    for section in (google, sphinx, numpy, flush, hyphens, wide, short, f"  {inner}"):
        read = read_docstring(f"What it is for.\n\n{section}\n")
        assert (read.prose, read.parameters) == ("What it is for.", texts)
