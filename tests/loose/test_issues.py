"""Issues: one for each place, in words and in a length that a model can use."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Discriminator, EmailStr, Field, Tag, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from magic_tools.errors import ParseError
from magic_tools.loose.decode import parse
from magic_tools.loose.issues import issues_of, merged, path_text, shown
from magic_tools.loose.secrets import Secrets, secrets_of
from magic_tools.messages import Issue

NO_SECRETS = Secrets(everywhere=False, keys=frozenset())


def issues(annotation: Any, text: str, secrets: Secrets = NO_SECRETS) -> list[str]:
    """What is said of a text that a type refuses."""
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(annotation).validate_json(text, strict=True)
    return [str(issue) for issue in issues_of(refused.value, json.loads(text), secrets)]


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    owner: str = Field(alias="ownedBy")


def which(value: Any) -> str:
    return str(value.get("kind")) if isinstance(value, dict) else ""


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
        (
            Cat | Dog,
            '{"kind": "cat"}',
            [
                "lives: expected a value, since it is required, got nothing",
                "kind: expected 'dog', got \"cat\"",
                "ownedBy: expected a value, since it is required, got nothing",
            ],
        ),
        (ByKind, '{"kind": "boat"}', ["expected 'kind' to be one of 'cat', 'dog', got \"boat\""]),
        (list[ByKind], '[{"kind": null}]', ["[0]: expected 'kind' to be one of 'cat', 'dog', got null"]),
        (ByKind, "{}", ["expected the key 'kind', got an empty object"]),
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
        (dt.date, '"2026-2-3"', ['expected a date like 2026-11-29 (input is too short), got "2026-2-3"']),
        (bytes, "1", ["expected a string, got 1"]),
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


def test_many_issues_are_counted() -> None:
    """Of very many issues the first are told, and how many more there are."""
    said = issues(list[int], json.dumps(["x"] * 1_000))
    assert len(said) == 13
    assert said[-1] == "expected the places above to be right first, got 988 more that are not"


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ((), ""),
        (("a",), "a"),
        (("a", 0, "b"), "a[0].b"),
        ((0, "a"), "[0].a"),
        (("a b", "c"), '["a b"].c'),
        (("a", "1"), 'a["1"]'),
        (("数", "é"), "数.é"),
        (("\ud800",), '["\\ud800"]'),
        (("x" * 99 + " ",), '["' + "x" * 59 + "... (102 characters)]"),
    ],
)
def test_a_place_as_text(place: tuple[str | int, ...], text: str) -> None:
    """A place reads like the way to it in a program, and is never longer than helps."""
    assert path_text(place) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        ("é\n", '"é\\n"'),
        ("x" * 1_000, '"' + "x" * 59 + "... (1002 characters)"),
        ("\ud800", '"\\ud800"'),
        ([], "an empty array"),
        ([1, 2], "an array of 2"),
        ({}, "an empty object"),
        ({"a": "not shown", "b": 1}, "an object with the keys a, b"),
        ({"k" * 100: 1}, "an object with the keys " + "k" * 60 + "... (100 characters)"),
        (10**60, "1" + "0" * 59 + "... (61 characters)"),
    ],
)
def test_a_value_as_it_is_shown(value: Any, text: str) -> None:
    """A value is shown short, an object by its keys, an array by its length."""
    assert shown(value) == text
    assert shown(value, secret=True) == "a value that is not shown"


def test_issues_of_one_place_are_joined() -> None:
    """Issues of one place and value are one, their words joined once each."""
    joined = merged([Issue("a", "x", "1"), Issue("b", "x", "1"), Issue("a", "y", "1"), Issue("a", "x", "1")])
    assert joined == (Issue("a", "x or y", "1"), Issue("b", "x", "1"))


SECRET = {"type": "string", "writeOnly": True}


@pytest.mark.parametrize(
    ("schema", "everywhere", "keys"),
    [
        ({"type": "string"}, False, set()),
        (SECRET, True, set()),
        ({"anyOf": [SECRET, {"type": "null"}]}, True, set()),
        ({"type": "array", "items": SECRET}, True, set()),
        ({"properties": {"a": SECRET, "b": {"type": "string"}}}, False, {"a"}),
        ({"properties": {"a": {"additionalProperties": {"items": SECRET}}}}, False, {"a"}),
        ({"properties": {"a": {"properties": {"b": SECRET}}}}, False, {"b"}),
        ({"properties": {"a": {"$ref": "#/$defs/S"}}, "$defs": {"S": SECRET}}, False, {"a"}),
        ({"$ref": "#/$defs/S", "$defs": {"S": {"items": {"$ref": "#/$defs/S"}}}}, False, set()),
        ({"properties": {"a": SECRET}, "x-other-keys": {"b": "a", "c": "d"}}, False, {"a", "b"}),
    ],
)
def test_where_secrets_stand(schema: dict[str, Any], everywhere: bool, keys: set[str]) -> None:
    """A secret stands under the nearest key above it, by whichever of its names, or anywhere where there is none."""
    assert secrets_of(schema) == Secrets(everywhere, frozenset(keys))


def test_a_secret_in_an_issue() -> None:
    """What stands at or below a secret's key is not shown; what stands beside it is."""
    secrets = Secrets(everywhere=False, keys=frozenset({"a"}))
    assert issues(dict[str, list[int]], '{"a": ["x"], "b": ["y"]}', secrets) == [
        "a[0]: expected an integer, got a value that is not shown",
        'b[0]: expected an integer, got "y"',
    ]


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
