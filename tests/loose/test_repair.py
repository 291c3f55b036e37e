"""Damaged JSON: what each kind of damage is mended to, where that is listed, and what is never mended."""

from __future__ import annotations

import json
from typing import Any

import pytest

from magic_tools.loose.readings import Damage, Reading
from magic_tools.loose.repair import read_members, read_value
from magic_tools.loose.shapes import Shape, shape_of
from magic_tools.loose.work import Work, WorkSpentError
from magic_tools.values import JsonObject


def reading_of(text: str, shape: Shape | None = None, start: int = 0) -> Reading:
    return read_value(text, start, len(text), Work(len(text)), shape)


MENDED: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("[1,]", [1], [("trailing_comma", ",")]),
    ('{"a": 1,, "b": 2}', {"a": 1, "b": 2}, [("extra_comma", ",")]),
    ('{, "a": 1}', {"a": 1}, [("extra_comma", ",")]),
    ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, [("missing_comma", "")]),
    ('{"a": 1; "b": 2}', {"a": 1, "b": 2}, [("separator", ";")]),
    ('["x" "y"]', ["x", "y"], [("missing_comma", "")]),
    ("[true 2]", [True, 2], [("missing_comma", "")]),
    ("{'a': 'b'}", {"a": "b"}, [("quotes", "'a'"), ("quotes", "'b'")]),
    ("{“a”: „b“}", {"a": "b"}, [("quotes", "“a”"), ("quotes", "„b“")]),
    ("['it's', 'so']", ["it's", "so"], [("inner_quotes", "'it's'"), ("quotes", "'it's'"), ("quotes", "'so'")]),
    ('{"a": "x "y" z"}', {"a": 'x "y" z'}, [("inner_quotes", '"x "y" z"')]),
    ('{"a": "x, "b": 1}', {"a": "x", "b": 1}, [("missing_quote", "")]),
    ('{"a: 1, "b": 2}', {"a": 1, "b": 2}, [("missing_quote", "")]),
    ('{a": 1}', {"a": 1}, [("missing_quote", "")]),
    ('{"a": "x\ny"}', {"a": "x\ny"}, [("control_character", "x\ny")]),
    ('{"a": "\\d \\x41"}', {"a": "\\d A"}, [("escape", "\\d \\x41")]),
    ("{a: b}", {"a": "b"}, [("bare_key", "a"), ("bare_text", "b")]),
    ("{a: Lee, Ann, b: 1}", {"a": "Lee, Ann", "b": 1},
     [("bare_key", "a"), ("bare_text", "Lee, Ann"), ("bare_key", "b")]),
    ("[True, None]", [True, None], [("literal", "True"), ("literal", "None")]),
    ("[.5, 0x1F, +1]", [0.5, 31, 1], [("number", ".5"), ("number", "0x1F"), ("number", "+1")]),
    ("[1 /* 2 */, 3] ", [1, 3], [("comment", "/* 2 */")]),
    ("[1,\u00a02]", [1, 2], [("blank", "\u00a0")]),
    ("{'a': (1, 2)}", {"a": [1, 2]}, [("quotes", "'a'"), ("tuple", "(")]),
    ('{"a" => 1}', {"a": 1}, [("colon", "=>")]),
    ('{"a" 1}', {"a": 1}, [("missing_colon", "")]),
    ('{"a": [1, 2}', {"a": [1, 2]}, [("missing_closer", "}")]),
    ("[1, 2}", [1, 2], [("wrong_closer", "}")]),
    ('{"a": [{"b": 1}, "c": 2}', {"a": [{"b": 1}], "c": 2}, [("missing_closer", "")]),
    ('{"a": [1]], "b": 2}', {"a": [1], "b": 2}, [("extra_closer", "]")]),
    ('{"a": """x "y" z"""}', {"a": 'x "y" z'}, [("quotes", '"""x "y" z"""')]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "repairs"), MENDED, ids=[text for text, _, _ in MENDED])
def test_what_is_mended(text: str, value: Any, repairs: list[tuple[str, str]]) -> None:
    """Each kind of damage is mended to what was meant, and listed with its place, in the order of the text."""
    reading = reading_of(text)
    assert repr(json.loads(json.dumps(reading.value))) == repr(value)
    assert [(repair.kind, text[repair.start : repair.end]) for repair in reading.repairs] == repairs
    assert (reading.cut, reading.missing, reading.strict) == (False, 0, None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": }', "no value"),
        ("[1,,2]", "no value"),
        ("[,]", "no value"),
        ("{,}", "a comma without anything beside it"),
        ('{"a"}', "a key without a value"),
        ("{: 1}", "a value without a key"),
        ('{"a": ...}', "words that stand for a value that was left out"),
        ("[1, 2, ...]", "words that stand for a value that was left out"),
        ('{"a": <value>}', "words that stand for a value that was left out"),
        ('{"a": undefined}', "words that stand for a value that was left out"),
        ('{"a": 2 + 3}', "an expression"),
        ('{"a": b * 2}', "an expression"),
        ('{"a": now()}', "an expression"),
        ('{"a": new Date(1)}', "an expression"),
        ('{"a": "x" + "y"}', "a text whose end is not clear"),
        ('{"a": [1] "b"}', "something that is no comma and no closing bracket"),
        ('{"a": "x" + y}', "a text whose end is not clear"),
        ('{"a": f"x"}', "an expression"),
        ("[1 234]", "digits that may be one number or several"),
        ("{a: b: c}", "what may be a text, or a key and its value"),
        ('{"a": ' + "9" * 5_000 + "}", "a whole number of more than 4300 digits"),
        ("[" * 501, "more than 500 levels"),
        ("{'a', 'b'}", "a key without a value"),
    ],
)
def test_what_is_never_mended(text: str, why: str) -> None:
    """Nothing is filled in, left out or computed: such text is damage, in words that say what is wrong."""
    with pytest.raises(Damage) as damage:
        reading_of(text)
    assert (damage.value.kind, damage.value.why) == ("unparseable", why)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "{'a': 1, 'a': 2}", "[{a: {b: 1, b: true}}]"])
def test_two_values_for_one_key(text: str) -> None:
    """An object that says two things under one key is ambiguous, damaged or not."""
    with pytest.raises(Damage) as damage:
        reading_of(text)
    assert damage.value.kind == "ambiguous"


@pytest.mark.parametrize(
    ("text", "partial"),
    [
        ('{"a": "x', {"a": "x"}),
        ('{"a": 1, "b', {"a": 1}),
        ('{"a": 1, "b"', {"a": 1}),
        ('{"a": 1, "b":', {"a": 1}),
        ('{"a": 1,', {"a": 1}),
        ('[{"a": tr', [{"a": "tr"}]),
        ("[1, /* two", [1]),
        ("{'a': 'x', 'b': 'it's", {"a": "x", "b": "it's"}),
    ],
)
def test_a_text_that_stops_inside_a_token(text: str, partial: Any) -> None:
    """Where something has to follow, the text was cut; what was read until there is kept."""
    reading = reading_of(text)
    assert (reading.cut, reading.value) == (True, partial)


@pytest.mark.parametrize(
    ("text", "missing", "ended", "touching"),
    [
        ('{"a": {"b": "x"', 2, False, False),
        ('{"a": [1, 2', 2, False, True),
        ('{"a": [1, 2]', 1, False, False),
        ('{"a": [1\n```', 2, True, False),
        ('{"a": {"b": 1}</answer>', 1, True, False),
        ('{"a": {"b": "x"}\n\nThat is all.', 1, True, False),
    ],
)
def test_brackets_that_are_still_open(text: str, missing: int, ended: bool, touching: bool) -> None:
    """How many brackets are open, and whether something shows that the end was meant, is told to the ladder."""
    reading = reading_of(text)
    assert (reading.cut, reading.missing, reading.ended, reading.touching) == (False, missing, ended, touching)


TITLED: JsonObject = {"type": "object", "properties": {"title": {"type": "string"}, "year": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('{"title": "see "page": it", "year": 1}', 'see "page": it'),
        ('{"title": "a, "page": b", "year": 1}', 'a, "page": b'),
        ("{title: Note: this, that, year: 1}", "Note: this, that"),
        ("{title: a, page: b, year: 1}", "a, page: b"),
    ],
)
def test_the_declared_keys_tell_a_key_from_text(text: str, title: str) -> None:
    """What looks like a key, and is none that the type declares, is text."""
    assert reading_of(text, shape_of(TITLED, TITLED)).value == {"title": title, "year": 1}


def test_a_missing_opening_bracket() -> None:
    """The members of an object are read without its opening bracket, which is listed."""
    text = '"a": 1, "b": 2}'
    reading = read_members(text, 0, len(text), Work(len(text)))
    assert (reading.value, [repair.kind for repair in reading.repairs]) == ({"a": 1, "b": 2}, ["missing_opener"])


def test_what_is_json_is_read_as_it_stands() -> None:
    """JSON in a longer text ends at its own bracket and is kept as its text."""
    reading = reading_of('x {"a": [1.10]} y', start=2)
    assert (reading.strict, reading.start, reading.end, reading.repairs) == ('{"a": [1.10]}', 2, 15, ())


def test_the_places_of_the_members() -> None:
    """Of an object that had to be mended it is told where each value stands."""
    text = "{'a': {'b': [1,]}, c: x, \"d\": \"y\"}"
    members = reading_of(text).members or {}
    assert {key: text[start:end].strip() for key, (start, end) in members.items()} == {
        "a": "{'b': [1,]}", "c": "x", "d": '"y"',
    }  # fmt: skip


def test_a_text_that_takes_too_much_work() -> None:
    """The budget of a text is bounded, whatever is in it."""
    work = Work(0)
    work.left = 100
    with pytest.raises(WorkSpentError):
        read_value("[" * 400, 0, 400, work)
