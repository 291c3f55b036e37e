"""What pydantic refuses: one issue for each place, in words that a model can act on."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Discriminator, EmailStr, Field, Json, Tag
from pydantic_core import PydanticCustomError

from magic_tools.errors import ParseError
from magic_tools.loose.decode import parse
from magic_tools.loose.expectations import choices_in
from magic_tools.loose.issues import told
from magic_tools.loose.readers import Misfit, PydanticReader
from magic_tools.messages import Language
from magic_tools.schema.adapting import adapt


def issues(annotation: Any, text: str, language: Language = "en") -> list[str]:
    """What is said of a text that pydantic refuses as a type."""
    reader = PydanticReader(adapt(annotation, where="it"), where="it", closed=False, annotation=None, said=None)
    with pytest.raises(Misfit) as refused:
        reader.read(text)
    return [str(issue) for issue in told(refused.value.findings, language)]


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    owner: str = Field(alias="ownedBy")


def which(value: Any) -> str:
    return str(value.get("kind")) if isinstance(value, dict) else ""


def refused(_: Any) -> Any:
    raise ValueError("not  this\none")


Tagged = Annotated[Annotated[Cat, Tag("cat")] | Annotated[Dog, Tag("dog")], Discriminator(which)]
ByKind = Annotated[Cat | Dog, Field(discriminator="kind")]


@pytest.mark.parametrize(
    ("annotation", "text", "said"),
    [
        (int, "true", ["expected an integer, got true"]),
        (list[int], '[1, "x", null]', ['[1]: expected an integer, got "x"', "[2]: expected an integer, got null"]),
        (int | str, "null", ["expected an integer or a string, got null"]),
        (int | list[int], '[1, "x"]', ['[1]: expected an integer, got "x"']),
        (dict[str, int] | int, '{"a": null}', ["a: expected an integer, got null"]),
        (ByKind, '{"kind": "cat", "lives": "x", "cat": {"lives": 1}}', ['lives: expected an integer, got "x"']),
        (ByKind, '{"kind": "dog", "owner": "x"}', ["ownedBy: expected a value, since it is required, got nothing"]),
        (Tagged, '{"kind": "boat"}', ["expected which() to be one of 'cat', 'dog', got an object with the keys kind"]),
        (dict[Literal["a", "b"], int], '{"c": 1}', ["c: expected as its key one of 'a' or 'b', got \"c\""]),
        (Annotated[int, Field(gt=0, lt=9)], "9", ["expected a number below 9, got 9"]),
        (Annotated[int, Field(multiple_of=2)], "3", ["expected a number that is a multiple of 2, got 3"]),
        (Annotated[float, Field(allow_inf_nan=False)], "NaN", ["expected a finite number, got NaN"]),
        (Annotated[str, Field(min_length=2)], '""', ['expected text of at least 2 characters, got ""']),
        (Annotated[str, Field(pattern="^a")], '"b"', ['expected text that matches ^a, got "b"']),
        (Annotated[list[int], Field(min_length=2)], "[1]", ["expected at least 2 items, got an array of 1"]),
        (
            Annotated[Decimal, Field(max_digits=2)],
            '"1.23"',
            ['expected a decimal number of at most 2 digits, got "1.23"'],
        ),
        (dt.date, '"2026-2-3"', ['expected an ISO 8601 date like 2026-11-29 (input is too short), got "2026-2-3"']),
        (bytes, "1", ["expected a string, got 1"]),
        (
            Annotated[dt.timedelta, Field(le=dt.timedelta(days=2))],
            '"PT72H"',
            ['expected a value of at most P2D, got "PT72H"'],
        ),
        (
            Annotated[dt.timedelta, Field(gt=dt.timedelta(hours=1, seconds=5))],
            '"PT1H"',
            ['expected a value above PT1H5S, got "PT1H"'],
        ),
        (
            Annotated[dt.date, Field(ge=dt.date(2026, 1, 1))],
            '"2025-12-31"',
            ['expected a value of at least 2026-01-01, got "2025-12-31"'],
        ),
        (Annotated[Decimal, Field(gt=1)], '"1.0"', ['expected a number above 1, got "1.0"']),
        (
            Annotated[Cat, AfterValidator(refused)],
            '{"kind": "cat", "lives": 9}',
            ["expected a value that passes its check (not this one), got an object with the keys kind, lives"],
        ),
        (Json[list[int]], '"[1, null]"', ["expected an integer, got null"]),
        (
            dict[Annotated[str, Field(max_length=2)] | Literal["long"], int],
            '{"abc": 1}',
            ["abc: expected as its key text of at most 2 characters or 'long', got \"abc\""],
        ),
        (dict[str, int], '{"[key]": null}', ['["[key]"]: expected an integer, got null']),
        (dict[str, dict[str, int]], '{"a": {"[key]": "a"}}', ['a["[key]"]: expected an integer, got "a"']),
        (tuple[int, str], "[1]", ["[1]: expected a value, since it is required, got nothing"]),
        (Literal["it's", 'or "b"', 3], '"c"', ['expected one of "it\'s", \'or "b"\' or 3, got "c"']),
    ],
)
def test_what_is_said(annotation: Any, text: str, said: list[str]) -> None:
    """Each place is named once with what was expected there, by whichever branch, and what came."""
    assert issues(annotation, text) == said


def test_words_that_are_not_known() -> None:
    """An error of another type is told in its own words, as a check."""

    def check(value: int) -> int:
        raise PydanticCustomError("own", "Twice {n} is too much", {"n": 2})

    assert issues(Annotated[int, AfterValidator(check)], "1") == [
        "expected a value that passes its check (Twice 2 is too much), got 1"
    ]


@pytest.mark.parametrize(
    ("annotation", "text", "said"),
    [
        (list[int], '["x"]', '[0]：应为整数，收到 "x"'),
        (Cat, '{"kind": "cat"}', "lives：应为一个值（必填），收到（未提供）"),
        (Annotated[int, Field(gt=0, lt=9)], "9", "应为小于 9 的数，收到 9"),
        (int | None, '"x"', '应为整数，收到 "x"'),
        (int | str, "null", "应为整数或字符串，收到 null"),
        (Literal["a", "b"], "[]", "应为 'a'、'b' 之一，收到空数组"),
        (Tagged, '{"kind": "boat"}', "应为 which() 为 'cat'、'dog' 之一，收到带有键 kind 的对象"),
        (dt.date, '"2026-13-01"', '应为形如 2026-11-29 的 ISO 8601 日期（月份超出 1-12 的范围），收到 "2026-13-01"'),
        (Annotated[int, AfterValidator(refused)], "3", "应为能通过检查的值（not this one），收到 3"),
        (
            EmailStr,
            '"x"',
            '应为能通过检查的值（不是有效的电子邮件地址：An email address must have an @-sign.），收到 "x"',
        ),
        (dict[Literal["a"], int], '{"c": 1}', "c：应为 'a'（作为键），收到 \"c\""),
        (list[str], json.dumps(["x" * 99, 1]), "[1]：应为字符串，收到 1"),
        (int, json.dumps("x" * 99), '应为整数，收到 "' + "x" * 59 + "……（共 99 个字符）"),
    ],
)
def test_what_is_said_in_chinese(annotation: Any, text: str, said: str) -> None:
    """In Chinese it is one sentence too, with what came from the value and from authors as it was."""
    assert issues(annotation, text, "zh") == [said]


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("'a'", ["'a'"]),
        ("'a' or 'b'", ["'a'", "'b'"]),
        ("1, 'a, b' or 'c or d'", ["1", "'a, b'", "'c or d'"]),
        ("\"it's\", 'a\\'s or b' or <Color.RED: 'red'>", ['"it\'s"', "'a\\'s or b'", "<Color.RED: 'red'>"]),
    ],
)
def test_the_choices_in_a_text(text: str, choices: list[str]) -> None:
    """What pydantic lists in one text is told apart, whatever is in its quotation marks."""
    assert choices_in(text) == choices


def custom(kind: str) -> Any:
    """A check that raises an error of pydantic's own name, without what pydantic's has."""

    def check(_: Any) -> Any:
        raise PydanticCustomError(kind, "must rhyme")

    return Annotated[str, AfterValidator(check)]


@pytest.mark.parametrize(
    ("target", "text", "words"),
    [
        (Annotated[dt.date, Field(ge=dt.date(2026, 1, 1))], '"2025-12-31"', "a value of at least 2026-01-01"),
        (Annotated[dt.timedelta, Field(lt=dt.timedelta(hours=1))], '"PT2H"', "a value below"),
        (Annotated[int, Field(ge=1)], "0", "a number of at least 1"),
        (Annotated[Decimal, Field(gt=1)], '"1"', "a number above 1"),
        (Annotated[bytes, Field(min_length=3)], '"aGk="', "at least 3 bytes"),
        (Annotated[bytes, Field(max_length=1)], '"aGk="', "at most 1 bytes"),
        (EmailStr, '"x"', "valid email address"),
        *((custom(kind), '"x"', "must rhyme") for kind in ("value_error", "literal_error", "string_too_long", "mine")),
    ],
)
def test_bounds_and_errors_of_others(target: Any, text: str, words: str) -> None:
    """A bound is told of what it bounds, and an error that only borrows pydantic's name in its own words."""
    with pytest.raises(ParseError, match=words):
        parse(target, text)
