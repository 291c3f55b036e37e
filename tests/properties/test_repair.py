"""Damaged JSON, for any value and any damage of a list: the value that was meant or a refusal, never another value."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from magic_tools.chat import FinishReason
from magic_tools.errors import ParseError
from magic_tools.loose.decode import loads, parse

few = settings(max_examples=150, deadline=None)
single = settings(max_examples=80, deadline=None)


# A JSON text in pieces, so that damage can be done to one of them.


@dataclass
class Piece:
    """A piece of a JSON text, and what it is there: `{`, `}`, `,`, `:`, a key, a text, a scalar or blanks."""

    kind: Literal["opener", "closer", "comma", "colon", "key", "text", "scalar", "blank"]
    text: str


Damage: TypeAlias = Callable[[list[Piece], random.Random], None]


def pieces_of(value: Any, indent: str, *, level: int = 0) -> Iterator[Piece]:
    """The pieces that make the JSON text of a value."""
    match value:
        case dict() | list():
            is_object = isinstance(value, dict)
            yield Piece("opener", "{" if is_object else "[")
            for place, held in enumerate(value):
                if place:
                    yield Piece("comma", ",")
                yield Piece("blank", f"\n{indent * (level + 1)}" if indent else " " if place else "")
                if is_object:
                    yield Piece("key", json.dumps(held, ensure_ascii=False))
                    yield Piece("colon", ":")
                    yield Piece("blank", " ")
                yield from pieces_of(value[held] if is_object else held, indent, level=level + 1)
            yield Piece("blank", f"\n{indent * level}" if indent and value else "")
            yield Piece("closer", "}" if is_object else "]")
        case str():
            yield Piece("text", json.dumps(value, ensure_ascii=False))
        case _:
            yield Piece("scalar", json.dumps(value))


def one(pieces: list[Piece], chance: random.Random, *kinds: str, last: bool = False) -> Piece:
    """One of the pieces of some kinds, or an empty piece that is in no text."""
    found = [piece for piece in pieces if piece.kind in kinds]
    return (found[-1] if last else chance.choice(found)) if found else Piece("blank", '""')


def quoted(text: str, first: str, last: str) -> str:
    """A JSON string between other quotation marks; one of these inside has a backslash before it."""
    inner = text[1:-1].replace('\\"', '"') if '"' not in first + last else text[1:-1]
    return first + inner.replace("'", "\\'") + last if first == "'" else first + inner + last


# Damage that leaves no doubt: the value has to be read.


def with_single_quotes(pieces: list[Piece], chance: random.Random) -> None:
    for piece in pieces:
        if piece.kind in ("key", "text"):
            piece.text = quoted(piece.text, "'", "'")


def with_curly_quotes(pieces: list[Piece], chance: random.Random) -> None:
    for piece in pieces:
        if piece.kind in ("key", "text"):
            piece.text = quoted(piece.text, "“", "”")


def with_other_quotes_around_one(pieces: list[Piece], chance: random.Random) -> None:
    piece = one(pieces, chance, "key", "text")
    first, last = chance.choice([("'", "'"), ("“", "”")])
    piece.text = quoted(piece.text, first, last)


def with_python_literals(pieces: list[Piece], chance: random.Random) -> None:
    words = {"true": "True", "false": "False", "null": "None"}
    for piece in pieces:
        piece.text = words.get(piece.text, piece.text) if piece.kind == "scalar" else piece.text


def in_a_fence(pieces: list[Piece], chance: random.Random) -> None:
    pieces.insert(0, Piece("blank", chance.choice(["```json\n", "```\n", "Here it is:\n\n```json\n"])))
    pieces.append(Piece("blank", chance.choice(["\n```", "\n```\n\nThat is all.", ""])))


def in_prose(pieces: list[Piece], chance: random.Random) -> None:
    pieces.insert(0, Piece("blank", chance.choice(["Here it is: ", "Sure!\n\n", "<think>Is it {1}?</think>\n"])))
    pieces.append(Piece("blank", chance.choice(["", "\n\nThat is all.", " (it's done)"])))


def with_a_comment(pieces: list[Piece], chance: random.Random) -> None:
    piece = one(pieces[:-1], chance, "opener", "comma", "colon")
    piece.text += chance.choice([' // it\'s "a": 1\n', " /* a, [1] */ ", " # {1}\n"])


def with_a_trailing_comma(pieces: list[Piece], chance: random.Random) -> None:
    at = chance.choice([place for place, piece in enumerate(pieces) if piece.kind == "closer"])
    if pieces[at - 2].kind != "opener":
        pieces[at].text = chance.choice([",", " , ", ",\n"]) + pieces[at].text


def with_colons_of_another_kind(pieces: list[Piece], chance: random.Random) -> None:
    sign = chance.choice([" :", "：", " =>"])
    for piece in pieces:
        piece.text = sign if piece.kind == "colon" else piece.text


def with_raw_line_breaks(pieces: list[Piece], chance: random.Random) -> None:
    for piece in pieces:
        piece.text = piece.text.replace("\\n", "\n") if piece.kind == "text" else piece.text


CLEAR: list[Damage] = [
    with_single_quotes,
    with_curly_quotes,
    with_other_quotes_around_one,
    with_python_literals,
    in_a_fence,
    in_prose,
    with_a_comment,
    with_a_trailing_comma,
    with_colons_of_another_kind,
    with_raw_line_breaks,
]


# Damage that may leave two readings: the value, or a refusal. What is lost is lost for any reader, but it shows.


def without_a_comma(pieces: list[Piece], chance: random.Random) -> None:
    one(pieces, chance, "comma").text = ""


def with_a_doubled_comma(pieces: list[Piece], chance: random.Random) -> None:
    one(pieces, chance, "comma").text = ",,"


def without_a_colon(pieces: list[Piece], chance: random.Random) -> None:
    one(pieces, chance, "colon").text = ""


def without_the_first_mark_of_a_text(pieces: list[Piece], chance: random.Random) -> None:
    piece = one(pieces, chance, "text")
    piece.text = piece.text[1:]


def without_the_last_mark_of_a_text(pieces: list[Piece], chance: random.Random) -> None:
    piece = one(pieces, chance, "text")
    piece.text = piece.text[:-1]


def without_the_first_mark_of_a_key(pieces: list[Piece], chance: random.Random) -> None:
    piece = one(pieces, chance, "key")
    piece.text = piece.text[1:]


def without_the_last_mark_of_a_key(pieces: list[Piece], chance: random.Random) -> None:
    piece = one(pieces, chance, "key")
    piece.text = piece.text[:-1]


def with_marks_that_do_not_match(pieces: list[Piece], chance: random.Random) -> None:
    piece = one(pieces, chance, "key", "text")
    first, last = chance.choice([('"', "”"), ("“", '"'), ('"', "'"), ("'", '"'), ('"', "’"), ("”", '"')])
    piece.text = first + piece.text[1:-1] + last


def with_a_backslash_before_both_marks(pieces: list[Piece], chance: random.Random) -> None:
    piece = one(pieces, chance, "key", "text")
    piece.text = f'\\"{piece.text[1:-1]}\\"'


def with_a_bare_key(pieces: list[Piece], chance: random.Random) -> None:
    piece = one(pieces, chance, "key")
    piece.text = piece.text[1:-1]


def without_the_last_closer(pieces: list[Piece], chance: random.Random) -> None:
    one(pieces, chance, "closer", last=True).text = ""


def with_a_closer_of_another_kind(pieces: list[Piece], chance: random.Random) -> None:
    piece = one(pieces, chance, "closer")
    piece.text = {"}": "]", "]": "}"}[piece.text.strip(" ,\n")[-1:] or "}"]


UNCLEAR: list[Damage] = [
    without_a_comma,
    with_a_doubled_comma,
    without_a_colon,
    without_the_first_mark_of_a_text,
    without_the_last_mark_of_a_text,
    without_the_first_mark_of_a_key,
    without_the_last_mark_of_a_key,
    with_marks_that_do_not_match,
    with_a_backslash_before_both_marks,
    with_a_bare_key,
    without_the_last_closer,
]


# Damage after which a bracket may stand where it did not: all keys and scalars are there still, in their order.


def without_a_closer(pieces: list[Piece], chance: random.Random) -> None:
    one(pieces, chance, "closer").text = ""


def with_a_closer_too_many(pieces: list[Piece], chance: random.Random) -> None:
    one(pieces, chance, "closer").text += chance.choice("}]")


MOVING: list[Damage] = [without_a_closer, with_a_closer_too_many, with_a_closer_of_another_kind]


def damaged(value: Any, kinds: Sequence[Damage], chance: random.Random) -> str:
    """The JSON text of a value with damage of some kinds done to it, one after the other."""
    pieces = list(pieces_of(value, chance.choice(["", "", "  "])))
    for do in kinds:
        do(pieces, chance)
    return "".join(piece.text for piece in pieces)


def outcome(text: str, target: Any = Any, **options: Any) -> Any:
    """The value of a text, in a list of one, or the kind of its refusal."""
    try:
        return [parse(target, text, **options).value]
    except ParseError as error:
        return error.kind


def leaves(value: Any) -> list[str]:
    """The keys and scalars of a value, in their order."""
    match value:
        case dict():
            return [word for key, held in value.items() for word in (repr(key), *leaves(held))]
        case list():
            return [word for held in value for word in leaves(held)]
        case _:
            return [repr(value)]


# Values: of words that are clear without their marks too, and of texts that are clear within them only.

WORDS = ["Rome", "New York", "semi-detached", "a b c", "Ana Lee", "Zoë", "10 Downing Street", "in 2024", "up to 5%"]
SIGNS = [
    "it's",
    "a, b",
    "a: b",
    "(1)",
    "one;two",
    "x = y",
    "line\nbreak",
    "#1 of 3",
    "a/b",
    "$5",
    "",
    "1",
    "true",
    "null",
]
KEYS = ["id", "name", "user_id", "n1", "café", "zip-code"]

chances = st.randoms(use_true_random=False)
numbers = st.integers(-(10**6), 10**20) | st.sampled_from([0.5, -0.25, 1e-7, 1e30, 123.0])


def values_of(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Objects and arrays that hold something."""
    scalars = texts | numbers | st.booleans() | st.none()
    keys = st.sampled_from(KEYS)
    inner = st.recursive(
        scalars, lambda held: st.lists(held, max_size=3) | st.dictionaries(keys, held, max_size=3), max_leaves=6
    )
    return st.lists(inner, min_size=1, max_size=4) | st.dictionaries(keys, inner, min_size=1, max_size=4)


plain = values_of(st.sampled_from(WORDS))
signed = values_of(st.sampled_from(WORDS + SIGNS))


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda held: st.lists(held, max_size=4) | st.dictionaries(st.text(), held, max_size=4),
    max_leaves=12,
), st.sampled_from([None, 0, 3, "\t"]), st.booleans(), st.text(" \t\r\n", max_size=3))  # fmt: skip
@few
def test_json_passes_as_it_is(value: Any, indent: int | str | None, ascii_only: bool, around: str) -> None:
    """Any JSON, however it is spaced and escaped, is what any reader of JSON makes of it, and needs no repair."""
    text = around + json.dumps(value, indent=indent, ensure_ascii=ascii_only) + around
    parsed = loads(text)
    assert (repr(parsed.value), parsed.repairs) == (repr(json.loads(text)), ())


@pytest.mark.parametrize("damage", CLEAR, ids=[damage.__name__ for damage in CLEAR])
@given(signed, chances)
@single
def test_clear_damage_is_mended(damage: Damage, value: Any, chance: random.Random) -> None:
    """Where damage leaves no doubt, the value is the one that was meant."""
    assert repr(loads(damaged(value, [damage], chance)).value) == repr(value)


@pytest.mark.parametrize("damage", UNCLEAR, ids=[damage.__name__ for damage in UNCLEAR])
@given(plain, chances)
@single
def test_other_damage_gives_the_value_or_none(damage: Damage, value: Any, chance: random.Random) -> None:
    """Whatever is lost, the value is the one that was meant, or there is none."""
    found = outcome(damaged(value, [damage], chance))
    assert isinstance(found, str) or repr(found[0]) == repr(value)


@pytest.mark.parametrize("damage", MOVING, ids=[damage.__name__ for damage in MOVING])
@given(plain, chances)
@single
def test_a_wrong_bracket_loses_nothing(damage: Damage, value: Any, chance: random.Random) -> None:
    """Where brackets are missing, too many, or of another kind, no key and no scalar is left out, moved or made up."""
    found = outcome(damaged(value, [damage], chance))
    assert isinstance(found, str) or leaves(found[0]) == leaves(value)


@given(plain, st.lists(st.sampled_from(CLEAR), min_size=2, max_size=2, unique=True), chances)
@few
def test_two_kinds_of_clear_damage(value: Any, damage: list[Damage], chance: random.Random) -> None:
    """Two kinds of damage that leave no doubt leave none together, or the text is refused."""
    found = outcome(damaged(value, damage, chance))
    assert isinstance(found, str) or repr(found[0]) == repr(value)


@given(plain, st.sampled_from(CLEAR), st.sampled_from(UNCLEAR), chances)
@few
def test_two_kinds_of_damage(value: Any, clear: Damage, unclear: Damage, chance: random.Random) -> None:
    """Beside other damage, too, the value is the one that was meant, or there is none."""
    found = outcome(damaged(value, [clear, unclear], chance))
    assert isinstance(found, str) or repr(found[0]) == repr(value)


# The same for a type, whose keys are known.


class Line(BaseModel):
    name: str
    count: int = 1
    note: str | None = None


class Order(BaseModel):
    id: int
    city: str
    lines: list[Line]
    paid: bool = False
    tags: list[str] = []
    state: Literal["open", "in work", "done"] = "open"


words = st.sampled_from(WORDS)
line_values = st.fixed_dictionaries({"name": words}, optional={"count": st.integers(0, 99), "note": st.none() | words})
order_values = st.fixed_dictionaries(
    {"id": st.integers(0, 999), "city": words, "lines": st.lists(line_values, max_size=3)},
    optional={
        "paid": st.booleans(),
        "tags": st.lists(words, max_size=3),
        "state": st.sampled_from(["open", "in work", "done"]),
    },
)
TYPED: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (Order, order_values),
    (Line, line_values),
    (list[Line], st.lists(line_values, min_size=1, max_size=3)),
    (dict[str, list[int]], st.dictionaries(words, st.lists(st.integers(0, 9), max_size=3), min_size=1, max_size=3)),
    (Line | Order, line_values | order_values),
]


@pytest.mark.parametrize(("target", "values"), TYPED, ids=["object", "small", "list", "mapping", "union"])
@given(st.data(), st.sampled_from(CLEAR + UNCLEAR), chances)
@few
def test_damage_where_a_type_is_due(
    target: Any, values: st.SearchStrategy[Any], data: st.DataObject, damage: Damage, chance: random.Random
) -> None:
    """For a type the damaged text is what the undamaged one is, or it is refused; never another value of the type."""
    value = data.draw(values)
    found = outcome(damaged(value, [damage], chance), target)
    assert isinstance(found, str) or found == outcome(json.dumps(value), target)


@given(order_values, st.sampled_from(CLEAR), chances)
@few
def test_clear_damage_is_mended_for_a_type(value: Any, damage: Damage, chance: random.Random) -> None:
    """Where damage leaves no doubt, it leaves none for a type."""
    assert outcome(damaged(value, [damage], chance), Order) == outcome(json.dumps(value), Order)


# Text that stops.


QUOTING: list[Damage] = [with_single_quotes, with_curly_quotes, with_python_literals, with_a_trailing_comma]


@given(signed, st.none() | st.sampled_from(QUOTING), chances, st.data())
@few
def test_a_cut_text_is_truncated(value: Any, damage: Damage | None, chance: random.Random, data: st.DataObject) -> None:
    """Wherever a text stops before its end, it is known to be cut, unless it is known not to be."""
    text = damaged(value, [damage] if damage else [], chance).rstrip()
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    for before in ("", "```json\n", "<answer>", "<think>Well.</think>\n"):
        assert outcome(before + cut) == "truncated"
        assert outcome(before + cut, finish="length") == "truncated"
        assert outcome(before + cut, finish="stop") != "truncated"
    assert outcome(f"Here it is: {cut}") in ("truncated", "unparseable")  # a bracket may be one of running text


@given(signed, chances, st.data())
@few
def test_only_brackets_are_closed(value: Any, chance: random.Random, data: st.DataObject) -> None:
    """Where it is known that a text was not cut, its brackets may be closed: what was read stands in it as it is."""
    text = damaged(value, [], chance)
    found = outcome(text[: data.draw(st.integers(1, len(text) - 1))], finish="stop")
    if isinstance(found, list):
        read, meant = leaves(found[0]), leaves(value)
        # The last one, a number, may itself be cut.
        assert read[:-1] == meant[: len(read) - 1] or read == meant[: len(read)]


@given(order_values, st.data())
@few
def test_a_cut_text_for_a_type(value: Any, data: st.DataObject) -> None:
    """For a type a cut text is whole only where every field is there, as it is in the whole text."""
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    found = outcome(cut, Order)
    assert found == "truncated" or (found == outcome(text, Order) and value.keys() == Order.model_fields.keys())


# Text of any kind.

SNIPPETS = [
    *"{}[]()<>,:;=\"'`\\/#*-+.?| \n\t",
    *("“", "”", "‘", "’", "：", "，", "\u00a0", "\ufeff", "\ud800", "\x00", "é"),
    *('"a"', '"a": 1', "a: ", "a = 1", "name: ", "name: x", "- name: x", "**name:** x", "count: 3", "1.5", "007"),
    *("true", "None", "NaN", "...", "undefined", "null", "```", "```json\n", "\n```", '"""', "'''", "//", "/*", "*/"),
    *("<think>", "</think>", "<answer>", "</answer>", "\\u00", "\\ud83d", '\\"', '{"a": 1}', "[1, 2]", "f(", "1 1 1"),
]  # fmt: skip
FINISHES: list[FinishReason | None] = [None, "stop", "length"]
ANYTHING: list[Any] = [
    Any,
    Order,
    Line | None,
    list[Line],
    list[str],
    list[list[int]],
    dict[str, int],
    int | str | None,
    Literal["a", "b", 3],
    bool,
    float,
    str,
    {"type": "object", "properties": {"a": {"type": "integer"}, "name": {"type": "string"}}, "required": ["a"]},
]


@given(st.lists(st.sampled_from(SNIPPETS), max_size=25).map("".join), st.sampled_from(ANYTHING))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused_for_any_type(text: str, target: Any) -> None:
    """Nothing but a ParseError is raised, whatever the text and whatever is due, and it has the text and an issue."""
    for finish in FINISHES:
        with suppress(ParseError):
            parse(target, text, finish=finish)
            continue
        with pytest.raises(ParseError) as refused:
            parse(target, text, finish=finish)
        error = refused.value
        assert error.text == text
        assert error.issues
        assert error.kind != "truncated" or finish != "stop"
