"""The ladder as a whole: what a text comes to, what is refused and how, and that no text is too much."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import FrameType
from typing import Annotated, Any, ForwardRef, Literal

import pytest
from annotated_types import Ge
from pydantic import BaseModel, ConfigDict, Field, SecretBytes, SecretStr, field_validator
from typing_extensions import TypeAliasType

from magic_tools.chat import FinishReason
from magic_tools.errors import DefinitionError, ParseError, ParseErrorKind
from magic_tools.loose.decode import Schema, compile_schema, loads, parse
from magic_tools.schema.adapting import adapt


class Item(BaseModel):
    name: str
    price: Decimal = Decimal(0)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "a"}',
        ' \n{"name": "a"}\r\n',
        '\ufeff{"name": "a"}',
        '{"name": "a", "other": 1}',
        '{"name": "a", "name": "a"}',
    ],
)
def test_what_is_json_passes_untouched(text: str) -> None:
    """A text that is JSON and fits, blanks and a byte order mark around it or not, needs no repair."""
    parsed = parse(Item, text)
    assert (parsed.value, parsed.repairs) == (Item(name="a"), ())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        ("false", False),
        ('"\\frac \\u00e9"', "\frac é"),
        ('"</think> ```json {} ```"', "</think> ```json {} ```"),
        ("1.10", 1.1),
        ("[NaN, -Infinity]", None),
    ],
)
def test_what_is_json_is_never_second_guessed(text: str, value: Any) -> None:
    """The value of valid JSON is what a plain reader makes of it, whatever it looks like."""
    assert repr(loads(text).value) == repr(json.loads(text) if value is None else value)


@pytest.mark.parametrize(
    ("text", "kind", "issue"),
    [
        ("", "unparseable", "expected JSON, got text that is none (the text is empty)"),
        (" \n ", "unparseable", "the text is empty"),
        ("I cannot help.", "unparseable", "there is no JSON in it"),
        ('{"name": }', "unparseable", "at character 9"),
        ('{"name": ...}', "unparseable", "at character 9"),
        ("{,}", "unparseable", "a comma without anything beside it, at character 1"),
        ("{{ name }}", "unparseable", "no key where one is due, at character 1"),
        ('{"name": "a", "price": 1 + 1}', "unparseable", "an expression, at character 23"),
        ('{"name": "\ud800"}', "unparseable", "JSON of at most 200 levels, in valid Unicode"),
        ('{"name": "\\ud800"}', "unparseable", "JSON of at most 200 levels, in valid Unicode"),
        ('{"name": "a", "price": ' + "9" * 5000 + "}", "unparseable", "a whole number of more than 4300 digits"),
        ('{"name": "a', "truncated", "text that stops after 11 characters, before its end"),
        ('{"name": "a"', "truncated", "before its end"),
        ('{"name": tr', "truncated", "before its end"),
        ('{"na', "truncated", "before its end"),
        ('"a', "truncated", "before its end"),
        ('```json\n{"name": "a', "truncated", "before its end"),
        ('Sure: {"name": "a", ', "truncated", "before its end"),
        ('<think>{"name": "a"}', "truncated", "before its end"),
        ('Well. <think>Perhaps {"name": "a"}?', "truncated", "before its end"),
        ('{"name": "a"} {"name": "b"}', "ambiguous", "expected one answer, got 2 different ones"),
        ('{"name": "a"} or {"name": "b", "price": "1"}', "ambiguous", "expected one answer, got 2 different ones"),
        ('{"name": "a", "name": "b"}', "ambiguous", "name: expected one value under the key, got two different values"),
        ('[{"name": "a"}]', "invalid", "expected an object, got an array of 1"),
        ('{"Name": "a", "NAME": "b"}', "ambiguous", 'name: expected one of the keys "Name", "NAME" alone'),
        ('{"name": {"name": "a"}}', "invalid", "name: expected a string, got an object with the keys name"),
        ('"{\\"name\\": \\"a"', "truncated", "expected a whole JSON value"),
        ('```json\n{"name": true}\n```', "invalid", "name: expected a string, got true"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, kind: ParseErrorKind, issue: str) -> None:
    """What is no answer is refused by the kind of what is wrong, in words that say it."""
    with pytest.raises(ParseError) as refused:
        parse(Item, text)
    assert (refused.value.kind, refused.value.text) == (kind, text)
    assert issue in str(refused.value)
    assert str(refused.value).startswith(f"{kind}: ")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("{'name': 'a'}", ["quotes", "quotes"]),
        ("Here: {'name': 'a'}", ["prose", "quotes", "quotes"]),
        ('{"name": a}', ["bare_text"]),
        ('{"name": "a" // comment\n}', ["comment"]),
        ('{"name": "a",, "price": 0}', ["extra_comma", "number_as_decimal"]),
        ('{"Name": "a"}', ["near_key"]),
        ('"{\\"name\\": \\"a\\"}"', ["decoded"]),
        ("```json\n{name: a\n```\nDone.", ["fence", "bare_key", "bare_text", "missing_closer", "prose"]),
    ],
)
def test_what_is_mended(text: str, kinds: list[str]) -> None:
    """What stands beyond doubt for a value is read, and every repair is listed in the order of the text."""
    parsed = parse(Item, text)
    assert (parsed.value, [repair.kind for repair in parsed.repairs]) == (Item(name="a"), kinds)


def test_what_was_read_is_in_the_error() -> None:
    """Where the type refuses a value, the error holds the value, and its issues place by place."""
    with pytest.raises(ParseError) as refused:
        parse(list[Item], '[{"name": "a"}, {"price": true}]')
    assert refused.value.partial == [{"name": "a"}, {"price": True}]
    assert sorted(issue.path for issue in refused.value.issues) == ["[1].name", "[1].price"]


@pytest.mark.parametrize(
    ("text", "finish", "kind"),
    [
        ('{"name": "a"}', "length", None),
        ('```json\n{"name": "a"}\n```', "length", "truncated"),
        ('{"name": "a"', "length", "truncated"),
        ('{"name": "a"', None, "truncated"),
        ('{"name": "a"', "other", "truncated"),
        ('{"name": "a", "price"', "stop", "unparseable"),
        ('{"name": "a', "tool_calls", "unparseable"),
        ('{"name": "a"', "stop", None),
        ('{"name": "a"', "tool_calls", None),
        ('{"name": "a",}', "stop", None),
    ],
)
def test_why_the_model_stopped(text: str, finish: FinishReason | None, kind: ParseErrorKind | None) -> None:
    """A text that was cut for its length is whole JSON or truncated; one that was not cut is never truncated."""
    if kind is None:
        assert parse(Item, text, finish=finish).value == Item(name="a")
    else:
        with pytest.raises(ParseError) as refused:
            parse(Item, text, finish=finish)
        assert refused.value.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": true}',
        '{"a": 1.00000000000000000001, "a": 1.00000000000000000002}',
        '{"a": 9007199254740993, "a": 9007199254740992}',
        '{"a": 1e400, "a": 1e500}',
        '{"a": "1", "a": 1}',
        '{"a": "NaN", "a": NaN}',
        '{"b": [{"a": {"c": 1}, "a": {"c": 2}}]}',
        'Perhaps {"a": 1.00000000000000000001}, perhaps {"a": 1.00000000000000000002}.',
        '```json\n{"a": 1}\n```\n```json\n{"a": true}\n```',
    ],
)
def test_two_answers_are_none(text: str) -> None:
    """Two values where one is due are told apart to the last digit and by their kind, and refused."""
    with pytest.raises(ParseError) as refused:
        loads(text)
    assert refused.value.kind == "ambiguous"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "a": 1.0}', {"a": 1.0}),
        ('{"a": {"b": 1, "c": 2}, "a": {"c": 2, "b": 1}}', {"a": {"c": 2, "b": 1}}),
        ('{"a": 1}\n{"a": 1.0}', {"a": 1}),
        ('```json\n{"a": 1}\n```\nThat is {"a": 1}.', {"a": 1}),
    ],
)
def test_the_same_answer_twice_is_one(text: str, value: Any) -> None:
    """What says the same, however it is spelled, is one value."""
    assert repr(loads(text).value) == repr(value)


def closed(annotation: Any) -> Schema[Any]:
    return Schema(adapt(annotation, where="the tool"), name="the tool", closed=True)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ('{"name": "a"}', []),
        ('{"name": "a",}', ["trailing_comma"]),
        ('```json\n{"name": "a",}\n```', ["fence", "trailing_comma"]),
        ('```\n{"name": "a"}', ["fence"]),
    ],
)
def test_arguments_stand_alone(text: str, kinds: list[str]) -> None:
    """A call's arguments may stand in a fence, or have a comma too many."""
    parsed = closed(Item).parse(text)
    assert (parsed.value, [repair.kind for repair in parsed.repairs]) == (Item(name="a"), kinds)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"name": "a"} and more', "there is text around the value"),
        ('{"name": "a"}}', "there is text around the value"),
        ('{"name": "a"}{"name": "a"}', "there is text around the value"),
        ('Calling with {"name": "a"}', "there is text around the value"),
        ('Calling with\n```json\n{"name": "a"}\n```', "there is text around the value"),
        ('<think>{"name": "a"}</think>', "there is text around the value"),
        ("Rome", "there is text around the value"),
        ('{"name": "a", "nane": "b"}', "nane: expected no key of this name"),
    ],
)
def test_arguments_are_never_picked_out_of_prose(text: str, why: str) -> None:
    """Of a text with something around it no arguments are made, and an unknown key is refused."""
    with pytest.raises(ParseError) as refused:
        closed(Item).parse(text)
    assert refused.value.kind in ("unparseable", "invalid")
    assert why in str(refused.value)


class Login(BaseModel):
    password: SecretStr
    keys: dict[str, list[SecretBytes]] = {}
    old: Annotated[SecretStr | None, "The one before"] = Field(None, alias="former")
    day: dt.date | None = None


class Account(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    login: Login
    token: SecretStr = Field(SecretStr(""), alias="apiToken")

    @field_validator("token")
    @classmethod
    def _long(cls, token: SecretStr) -> SecretStr:
        if token and len(token.get_secret_value()) < 99:
            raise ValueError("a longer one")
        return token


Secrets = TypeAliasType("Secrets", "list[SecretStr | Secrets]")


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (Login, '{"password": {"is": "4711"}}'),
        (Login, '{"password": ["4711"], "day": "x"}'),
        (Login, '{"password": "x", "keys": {"k": [["4711"]]}}'),
        (Login, '{"password": "x", "keys": {"k": {"is": "4711"}}}'),
        (Login, '{"password": "x", "former": ["4711"]}'),
        (Account, '{"login": {"password": ["4711"]}}'),
        (Account, '{"login": {"password": "x"}, "apiToken": "4711"}'),
        (Account, '{"login": {"password": "x"}, "apiToken": 4711}'),
        (Account, '{"login": {"password": "x"}, "token": "4711"}'),
        (Account, '{"login": {"password": "x"}, "token": ["4711"]}'),
        (Account, '{"login": {"password": "x"}, "token": "x", "apiToken": "4711"}'),
        (SecretStr, '["4711"]'),
        (list[SecretStr], '[["4711"]]'),
        (dict[str, SecretStr | None], '{"a": ["4711"]}'),
        (tuple[int, SecretStr], '[1, ["4711"]]'),
        (Secrets, '[["a", {"is": "4711"}]]'),
    ],
)
@pytest.mark.parametrize("made", [compile_schema, closed], ids=["open", "closed"])
def test_no_secret_is_shown(target: Any, text: str, made: Callable[[Any], Schema[Any]]) -> None:
    """What was sent for a secret is in no issue and in no message, wherever it stands."""
    with pytest.raises(ParseError) as refused:
        made(target).parse(text)
    assert refused.value.kind == "invalid"
    assert "4711" not in str(refused.value)
    assert any(issue.got == "a value that is not shown" for issue in refused.value.issues)


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (Login, '{"password": "x", "pasword": "4711"}'),
        (Account, '{"login": {"password": "x", "pasword": "4711"}}'),
        (Account, '{"login": "4711"}'),
    ],
)
def test_no_secret_in_a_wrong_place_is_shown(target: Any, text: str) -> None:
    """What came under a key that is not declared, or in place of an object with a secret, may be the secret."""
    with pytest.raises(ParseError, match="got a value that is not shown") as refused:
        closed(target).parse(text)
    assert "4711" not in str(refused.value)


def test_what_is_no_secret_is_shown() -> None:
    """Beside a secret, values are shown as ever."""
    with pytest.raises(ParseError, match=r'login\.day: expected an ISO 8601 date like .* got "tomorrow"'):
        parse(Account, '{"login": {"password": "x", "day": "tomorrow"}}')


class Fussy(BaseModel):
    number: int

    @field_validator("number")
    @classmethod
    def _check(cls, number: int) -> int:
        if number == 1:
            raise ValueError("x" * 10_000)
        assert number != 2, "not two"
        if number == 3:
            raise LookupError("the author's own fault")
        if number == 4:
            raise ValueError
        return number


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (1, r"number: expected a value that passes its check \(x{300}\.\.\. \(10000 characters\)\), got 1"),
        (2, r"number: expected a value that passes its check \(not two .*\), got 2"),
        (4, "number: expected a value that passes its check, got 4"),
    ],
)
def test_a_validator_has_its_say(number: int, message: str) -> None:
    """What a validator says reaches the model, in a length that it can be sent in."""
    with pytest.raises(ParseError, match=re.compile(message, re.DOTALL)):
        parse(Fussy, json.dumps({"number": number}))


def test_another_exception_of_a_validator_is_its_own() -> None:
    """What is no refusal but a fault of the validator is raised as it is."""
    with pytest.raises(LookupError, match="the author's own fault"):
        parse(Fussy, '{"number": 3}')


def test_compiled_schemas_are_kept_apart() -> None:
    """A schema is compiled once for an annotation, and never shared by another that Python calls equal."""
    assert compile_schema(list[int]) is compile_schema(list[int])
    pairs: list[tuple[Any, Any, str]] = [
        (int | str, str | int, "1"),
        (Annotated[int, Field(ge=1)], Annotated[int, Field(ge=2)], "1"),
        (Literal[1], Literal[True], "true"),
    ]
    for left, right, _ in pairs:
        assert compile_schema(left) is not compile_schema(right)
    assert parse(Literal[True], "true").value is True
    with pytest.raises(ParseError):
        parse(Literal[1], "true")


def test_without_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `MAGIC_TOOLS_CACHE=off` each use compiles anew."""
    monkeypatch.setenv("MAGIC_TOOLS_CACHE", "off")
    assert compile_schema(list[int]) is not compile_schema(list[int])


def test_parsing_without_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the cache off, `parse` reads a class as it is now."""
    monkeypatch.setenv("MAGIC_TOOLS_CACHE", "off")

    class Changing(BaseModel):
        a: int

    assert parse(Changing, '{"a": 1}').value == Changing(a=1)
    Changing.model_fields["a"].metadata.append(Ge(5))
    Changing.model_rebuild(force=True)
    with pytest.raises(ParseError, match="at least 5"):
        parse(Changing, '{"a": 1}')


@pytest.mark.parametrize("target", [Callable[[int], int], ForwardRef("Nowhere"), dict[tuple[int, int], int]])
def test_what_cannot_be_compiled(target: Any) -> None:
    """An annotation that has no schema is refused when it is compiled."""
    with pytest.raises(DefinitionError, match="the target has the annotation"):
        compile_schema(target)


@pytest.mark.parametrize("target", ["__import__('os').environ.setdefault('MAGIC_RAN', 'yes')", "int"])
def test_a_text_is_no_type(target: Any) -> None:
    """Swapped arguments are told, and a model's text is never run as Python."""
    with pytest.raises(DefinitionError, match=r"has to be a type.*Were the arguments swapped"):
        parse(target, "5")
    assert "MAGIC_RAN" not in os.environ


def test_a_misplaced_secret_is_not_shown() -> None:
    """Under a key that is not declared, and in place of the object that holds it, a secret stays hidden."""

    class Login(BaseModel):
        model_config = ConfigDict(extra="forbid")
        user: str
        password: SecretStr

    for text in ('{"user": "a", "pasword": "hunter2"}', '"hunter2"'):
        with pytest.raises(ParseError) as caught:
            parse(Login, text)
        assert "hunter2" not in str(caught.value)


def test_a_value_is_written() -> None:
    """A value is written as compact JSON under its aliases; one of another type is a ValueError."""
    made = compile_schema(Account)
    account = made.parse('{"login": {"password": "x"}, "token": ""}').value
    assert json.loads(made.dump(account))["apiToken"] == ""
    assert compile_schema(Item).dump(Item(name="é", price=Decimal("1.10"))) == '{"name":"é","price":"1.10"}'
    with pytest.raises(ValueError, match="Item"):
        compile_schema(Item).dump("a")  # type: ignore[arg-type]  # which is the point


def outcome_of(text: str, target: Any = Any) -> str:
    """Whether a text was read, or how it was refused; the refusal is short, however long the text."""
    try:
        parse(target, text)
    except ParseError as error:
        return error.kind if len(str(error)) < 1_000 else "a long refusal"
    return "read"


class Linked(BaseModel):
    next: Linked | None = None
    price: Decimal | None = None


NESTED = TypeAliasType("NESTED", "list[Decimal | NESTED]")


@pytest.mark.parametrize("depth", [100, 150, 190, 210, 400, 990, 1_100, 100_000])
@pytest.mark.parametrize(
    ("target", "opening", "middle", "closing"),
    [
        (Any, "[", "", "]"),
        (Any, '{"a":', "1", "}"),
        (Any, '{"a":1,"b":', "1", "}"),
        (Any, "x [", "", "]"),
        (Linked, '{"next":', "{}", "}"),
        (NESTED, "[", "1.10", "]"),
        (Any, "[", "", ""),
        (Any, '{"a":', "", ""),
    ],
)
def test_no_depth_is_too_much(target: Any, opening: str, middle: str, closing: str, depth: int) -> None:
    """However deep a text is nested, it is read or refused, and nothing else is raised."""
    text = opening * depth + middle + closing * depth
    assert outcome_of(text, target) in ("read", "unparseable", "truncated")


HOSTILE: Mapping[str, Callable[[int], str]] = {
    "openers": lambda n: "[" * n,
    "openers in prose": lambda n: "see { and " * (n // 10),
    "keys without end": lambda n: '{"a":' * (n // 5),
    "closers": lambda n: "x " + "]}" * (n // 2),
    "wrong closers": lambda n: "x [} " * (n // 5),
    "string without end": lambda n: '{"a": "' + "x" * n,
    "backslashes": lambda n: '{"a": "' + "\\" * n,
    "quotes": lambda n: '"' * n,
    "quotes in brackets": lambda n: "{" + '"' * n,
    "brackets and quotes": lambda n: 'x{"' * (n // 3),
    "fences": lambda n: "```json {" * (n // 9),
    "fences with strings": lambda n: '```json {"a":"' * (n // 14),
    "fences without JSON": lambda n: "``` x " * (n // 6),
    "fences with answers": lambda n: '```json\n{"a":1}\n```\n' * (n // 20),
    "backticks": lambda n: "`" * n,
    "commas": lambda n: "[" + "1," * (n // 2) + "]",
    "trailing commas": lambda n: "[" + "[1,]," * (n // 5) + "]",
    "commas and blanks": lambda n: "[1" + (", " + " " * 48) * (n // 50),
    "reasoning": lambda n: "<think>" * (n // 7),
    "ends of reasoning": lambda n: "</think>" * (n // 8),
    "reasoning and brackets": lambda n: "<think>{</think>" * (n // 16),
    "answers": lambda n: 'x {"a":1} ' * (n // 10),
    "damaged answers": lambda n: "x {a:1} " * (n // 8),
    "digits": lambda n: "[" + "9" * n + "]",
    "the same key": lambda n: "{" + ",".join(['"a":[1,1,1]'] * (n // 12)) + "}",
    "prose": lambda n: "It's 5\" wide. " * (n // 14),
    "blanks": lambda n: " " * n + "x" + " " * n,
    "NUL": lambda n: "\0" * n,
    "lone surrogates": lambda n: '{"a": "' + "\ud800" * n + '"}',
    "byte order marks": lambda n: "\ufeff" * n + "x",
}  # fmt: skip


# Of these a text holds so many values, each of which is tried, that a shorter one shows as much.
MANY_VALUES = frozenset(name for name in HOSTILE if re.search("answers|fences|trailing|same key", name))


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_is_too_much(name: str) -> None:
    """Very many characters of anything are read or refused in few words, and nothing else is raised."""
    text = HOSTILE[name](50_000 if name in MANY_VALUES else 600_000)
    assert outcome_of(text) in ("read", "unparseable", "truncated", "ambiguous")


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_work_grows_with_the_text_alone(make: Callable[[int], str]) -> None:
    """For a text four times as long, no more than about four times as many steps are taken."""
    small, large = (_calls(make(size)) for size in (6_000, 24_000))
    # Python's own reader gives up at another depth in each version, so that only the larger text may take that turn.
    assert large <= max(6 * small, 20 * len(make(24_000))) + 500


def _calls(text: str) -> int:
    """How many functions are called for a text."""
    calls = 0

    def count(_: FrameType, event: str, __: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        outcome_of(text)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("target", [int, float, Decimal, Any])
def test_a_number_that_was_cut_is_no_number(target: Any) -> None:
    """A number alone does not show where it ends: cut for its length, it may be the half of one."""
    with pytest.raises(ParseError, match=r"^truncated"):
        parse(target, " 12\n", finish="length")
    assert parse(target, "12", finish="stop").value == 12
    assert parse(list[int], "[12]", finish="length").value == [12]
