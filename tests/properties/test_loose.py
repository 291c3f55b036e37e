"""Reading text, for any text: what was meant, or a refusal, and never anything else."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any, Literal, Union

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from magic_tools.errors import ParseError
from magic_tools.loose.decode import Schema, loads, parse
from magic_tools.loose.scan import content_bounds
from magic_tools.schema.adapting import adapt

few = settings(max_examples=80)

# What the reader looks for, so that it is met in every place.
SIGNS = ["{", "}", "[", "]", '"', "'", "`", "```", "```json\n", "~~~", "<think>", "</think>", "\\", ",", ":", "/"]
WORDS = [
    "{}",
    "[1]",
    '{"a": 1}',
    '{"t": "',
    " ",
    "\n",
    "a",
    "1",
    "null",
    "tru",
    "-",
    "“",
    "”",
    "é",
    "\0",
    "\ufeff",
    "...",
]
texts = st.lists(st.sampled_from(SIGNS + WORDS), max_size=12).map("".join)
scalars = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)
containers = st.lists(values, max_size=3) | st.dictionaries(texts, values, max_size=3)


def outcome(text: str) -> Any:
    """The value of a text, in a list of one, or the kind of its refusal."""
    try:
        return [loads(text).value]
    except ParseError as error:
        return error.kind


@given(values)
@few
def test_json_is_read_as_it_stands(value: Any) -> None:
    """Every JSON text is read, untouched, as any reader of JSON reads it."""
    parsed = loads(f"\ufeff {json.dumps(value)}\n")
    assert (parsed.value, parsed.repairs) == (value, ())


def with_trailing_commas(value: Any) -> str:
    """The JSON text of a value with a comma behind the last of whatever is not empty."""
    match value:
        case dict() if value:
            members = (f"{json.dumps(key)}: {with_trailing_commas(held)}" for key, held in value.items())
            return "{" + ", ".join(members) + " ,\n}"
        case list() if value:
            return "[" + ", ".join(map(with_trailing_commas, value)) + ",]"
        case _:
            return json.dumps(value)


@given(containers, st.sampled_from([json.dumps, with_trailing_commas]))
@few
def test_repairs_change_no_value(value: Any, write: Callable[[Any], str]) -> None:
    """In a fence, in prose, after reasoning and with trailing commas a value is what it is bare, and repairs say so."""
    written = write(value)
    for text, kinds in [
        (written, set()),
        (f"```json\n{written}\n```", {"fence"}),
        (f"Here it is:\n\n```json\n{written}\n```\nDone.", {"prose", "fence"}),
        (f"Here it is: {written}. Done.", {"prose"}),
        (f"<think>Is it {{ or [1]?</think>{written}", {"prose"}),
    ]:
        parsed = loads(text)
        assert parsed.value == value
        commas = {"trailing_comma"} if written != json.dumps(value) else set()
        assert {repair.kind for repair in parsed.repairs} == kinds | commas


@given(texts)
@few
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever the text, it has a value or is refused; every repair lies inside it, and without one it is JSON."""
    if isinstance(outcome(text), str):
        return
    parsed = loads(text)
    first, last = content_bounds(text)
    for repair in parsed.repairs:
        assert repair.start is not None
        assert repair.end is not None
        assert first <= repair.start <= repair.end <= last  # what was missing has no length
    if not parsed.repairs:
        assert json.loads(text[first:last]) == parsed.value


@given(containers, st.data())
@few
def test_a_cut_text_is_never_whole(value: Any, data: st.DataObject) -> None:
    """A text that stops before its end has no value, wherever it stops and whatever stands before it."""
    written = json.dumps(value)
    cut = written[: data.draw(st.integers(1, len(written) - 1))]
    for text in (cut, f"Here: {cut}", f"```json\n{cut}", f"<think>Well.</think>{cut}"):
        assert outcome(text) in ("truncated", "unparseable")


@given(texts, texts)
@few
def test_what_stands_in_a_string_is_no_answer(held: str, key: str) -> None:
    """However a string looks, in a whole or in a damaged object, the object is read or refused, never a part of it."""
    value = {key: held}
    written: dict[str, dict[str, Any]] = {
        f"Here: {json.dumps(value, ensure_ascii=False)}": value,
        f"Here: {json.dumps(value)} and so on": value,
        f"Here: {value}": value,
    }
    if not {"'", "\\"} & set(held + key):
        written[f"Here: {{'{key}': '{held}'}}"] = value
    if not {'"', "\\"} & set(held + key):
        written[f'Here: {{"{key}": "{held}", b: 1}}'] = {key: held, "b": 1}
    for text, meant in written.items():
        found = outcome(text)
        assert isinstance(found, str) or found[0] == meant


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Word(Enum):
    A = "a"
    ONE = "1"


def exactly(value: Any, *kinds: type) -> list[Any]:
    return [value] if type(value) in kinds else []


def a_date(value: Any) -> list[Any]:
    return [dt.date.fromisoformat(value)] if isinstance(value, str) and re.fullmatch(r"2026-\d\d-\d\d", value) else []


def a_decimal(value: Any) -> list[Any]:
    digits = str(value) if type(value) in (int, float, str) else ""
    return [Decimal(digits)] if re.fullmatch(r"-?\d+(\.\d+)?", digits) else []


def member(of: type[Enum]) -> Callable[[Any], list[Any]]:
    return lambda value: [each for each in of if each.value == value and type(each.value) is type(value)]


# What each type makes of a JSON scalar of its own, said again in the plainest way.
MEANING: Mapping[Any, Callable[[Any], list[Any]]] = {
    int: lambda value: exactly(value, int),
    float: lambda value: [float(value)] if type(value) in (int, float) else [],
    bool: lambda value: exactly(value, bool),
    str: lambda value: exactly(value, str),
    None: lambda value: [None] if value is None else [],
    Decimal: a_decimal,
    dt.date: a_date,
    Level: member(Level),
    Word: member(Word),
    Literal[1]: lambda value: exactly(value, int) if value == 1 else [],
    Literal[True]: lambda value: exactly(value, bool) if value else [],
    Literal["a"]: lambda value: exactly(value, str) if value == "a" else [],
}


def other_forms(value: Any) -> list[Any]:
    """What a scalar says beyond doubt in another JSON type: digits as a text, or a number without a fraction."""
    match value:
        case bool() | None:
            return []
        case str():
            is_number = re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", value)
            return [json.loads(value)] if is_number or value in ("true", "false") else []
        case _:
            return [json.dumps(value), *([int(value)] if value == int(value) else [])]


SCALARS = [None, True, False, 0, 1, 2, 1.0, 1.5, "", "a", "1", "0", "1.50", "true", "2026-11-29", "12345", ".5", "5."]


@given(st.lists(st.sampled_from(list(MEANING)), min_size=1, max_size=3, unique_by=id), st.sampled_from(SCALARS))
@settings(max_examples=150)
def test_a_union_means_one_of_its_branches(branches: list[Any], value: Any) -> None:
    """What a union reads is what a branch makes of the value, in another type only where none takes it as it is."""
    meant = [(type(made), made) for branch in branches for made in MEANING[branch](value)] or [
        (type(made), made) for branch in branches for other in other_forms(value) for made in MEANING[branch](other)
    ]
    annotation: Any = Union[tuple(branches)]  # noqa: UP007 - of branches that are known only now
    for wrapped, text in ((annotation, "{}"), (list.__class_getitem__(annotation), "[{}]")):
        try:
            read = parse(wrapped, text.format(json.dumps(value))).value
        except ParseError:
            continue
        made = read if wrapped is annotation else read[0]
        assert (type(made), made) in meant


class Numbered(BaseModel):
    a: int
    b: Decimal | None = None


class Lettered(BaseModel):
    a: str
    b: float = 0.0


class Dated(BaseModel):
    model_config = ConfigDict(extra="ignore")
    a: dt.date | None = None
    b: str = ""


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: Decimal = Decimal(0)


class Shut(BaseModel):
    model_config = ConfigDict(extra="forbid")
    b: Literal[1] | bool


class Outer(BaseModel):
    a: Numbered | Open | Dated
    b: list[Decimal] = []


MODELS: list[Any] = [Numbered, Lettered, Dated, Open, Shut, Outer]
HELD = ["1", "true", "1.0", "1.10", "1.00000000000000000001", '"1.10"', '"0"', '"2026-11-29"', '"x"', "null", "[1.10]"]
objects = st.dictionaries(
    st.sampled_from("abc"), st.sampled_from([*HELD, '{"a": 1.10, "c": 2}', "{}"]), max_size=3
).map(lambda members: "{" + ", ".join(f'"{key}": {held}' for key, held in members.items()) + "}")


@given(st.lists(st.sampled_from(MODELS), min_size=2, max_size=3, unique=True), objects, st.booleans())
@settings(max_examples=150)
def test_a_union_of_objects_means_one_of_them(branches: list[Any], text: str, closed: bool) -> None:
    """What a union of objects reads is what one of them alone reads, to the last digit and the last key."""

    def read(annotation: Any) -> Any:
        try:
            return repr(Schema(adapt(annotation, where="it"), name="it", closed=closed).parse(text).value)
        except ParseError:
            return None

    made = read(Union[tuple(branches)])  # noqa: UP007 - of branches that are known only now
    assert made is None or made in [read(branch) for branch in branches]
