"""One level too many, or missing: told as that, and never repaired."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from magic_tools.errors import ParseError
from magic_tools.loose.decode import parse
from magic_tools.loose.guide import Guide, guide_of
from magic_tools.loose.issues import Finding, told
from magic_tools.loose.phrases import say
from magic_tools.loose.shells import told_by_shell
from magic_tools.messages import ErrorCode
from magic_tools.tools.tool import Tool, tool


class Query(BaseModel):
    keyword: str
    limit: Annotated[int, Field(le=20)] = 10


class Optional(BaseModel):
    a: int | None = None
    b: str = "x"


class Login(BaseModel):
    user: str
    key: SecretStr


@tool
def search(query: Query) -> str:
    return query.keyword


@tool
def maybe(query: Query | None = None, text: str = "") -> str:
    return text


@tool
def loosely(options: Optional) -> str:
    return options.b


@tool
def enter(login: Login) -> str:
    return login.user


@pytest.mark.parametrize(
    ("made", "arguments", "told"),
    [
        (
            search,
            {"query": {"query": {"keyword": "x"}}},
            "query: expected what stands under the key 'query', without that key around it: one level is too many, got",
        ),
        (
            search,
            {"keyword": "x", "limit": 5},
            "expected an object with the key 'query', and these keys inside that: one level is missing, got",
        ),
        (search, {"arguments": {"query": {"keyword": "x"}}}, "under the key 'arguments', without that key"),
        (maybe, {"query": {"value": {"keyword": "x"}}}, "query: expected what stands under the key 'value'"),
        (loosely, {"options": {"options": {"b": "y"}}}, "options: expected what stands under the key 'options'"),
        (loosely, {"b": "y"}, "an object with the key 'options', and these keys inside that"),
        (
            enter,
            {"user": "x", "key": "hunter2"},
            "these keys inside that: one level is missing, got a value that is not shown",
        ),
    ],
)
def test_a_level_too_many_or_missing(made: Tool[..., Any], arguments: Any, told: str) -> None:
    """The refusal says which level it is, and nothing that follows from it."""
    refused = made.invoke(arguments)
    assert refused.code is ErrorCode.INVALID_ARGUMENT
    assert "hunter2" not in refused.content
    assert told in refused.content
    assert refused.content.count("expected") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": {"keyword": 1}},
        {"query": {"query": "x"}},
        {"query": {"query": {"word": "x"}}},
        {"other": "x"},
        {"keyword": "x", "other": 1},
        {},
        {"query": {"keyword": "x", "query": {"keyword": "x"}}},
    ],
)
def test_what_is_no_matter_of_levels(arguments: Any) -> None:
    """What would not fit one level further out or in is told by what is wrong with it."""
    assert "one level" not in search.invoke(arguments).content


def test_of_an_answer() -> None:
    """An answer with a key around it is asked again too, with that said and the rest of the issues elsewhere kept."""
    with pytest.raises(ParseError, match=r"^invalid: expected what stands under the key 'answer'"):
        parse(Query, '{"answer": {"keyword": "x"}}')


QUERY = {"type": "object", "properties": {"keyword": {"type": "string"}, "limit": {"type": "integer"}}}
ORDER = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}
WRONG = Finding((), say("nothing"), say("nothing"))


def guide(schema: dict[str, Any]) -> Guide:
    return guide_of(schema, closed=False)


@pytest.mark.parametrize(
    ("schema", "value", "place", "said"),
    [
        ({"anyOf": [QUERY, ORDER]}, {"answer": {"item": "x"}}, (), "one level is too many"),
        ({"anyOf": [QUERY, {"type": "null"}]}, {"answer": {"keyword": "x"}}, (), "one level is too many"),
        ({"properties": {"it": {"anyOf": [QUERY, ORDER]}}}, {"item": "x"}, (), "one level is missing"),
        (
            {"anyOf": [ORDER, {"properties": {"it": QUERY, "by": {}}}]},
            {"it": {"it": {"keyword": "x"}}, "by": 1},
            ("it",),
            "one level is too many",
        ),
    ],
)
def test_of_unions(schema: dict[str, Any], value: Any, place: tuple[str, ...], said: str) -> None:
    """A level around, or left out before, any object of a union is told; inside, of the one that was meant."""
    findings = told_by_shell(value, guide(schema), (WRONG,))
    assert findings[0].place == place
    assert said in str(told(findings, "en")[0])


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"anyOf": [{"type": "object", "additionalProperties": ORDER}, ORDER]}, {"a": {"item": 1}}),
        ({"anyOf": [QUERY, ORDER]}, {"answer": {"item": "x", "keyword": "y"}}),
        ({"anyOf": [ORDER, {"type": "array", "items": ORDER}]}, [{"answer": {"item": "x"}}]),
    ],
)
def test_what_is_no_level_of_a_union(schema: dict[str, Any], value: Any) -> None:
    """Where an object of any keys may be meant, or no object of the union, the level is not what is wrong."""
    assert told_by_shell(value, guide(schema), (WRONG,)) == (WRONG,)


def test_what_is_elsewhere_is_kept() -> None:
    """What is wrong outside the object with the level too many is told behind that."""
    inside, outside = WRONG._replace(place=("a", 0)), WRONG._replace(place=("ab",))
    schema = {"properties": {"a": ORDER, "ab": {"type": "string"}}}
    findings = told_by_shell({"a": {"x": {"item": "y"}}, "ab": 1}, guide(schema), (inside, outside))
    assert [finding.place for finding in findings] == [("a",), ("ab",)]


def test_in_chinese() -> None:
    """Which level it is, is said in Chinese too."""
    too_many = told_by_shell({"answer": {"item": "x"}}, guide(ORDER), ())
    assert str(told(too_many, "zh")[0]) == (
        "应为键 'answer' 之下的内容，外面不要再套这个键：多了一层，收到带有键 answer 的对象"
    )
    missing = told_by_shell({"item": "x"}, guide({"properties": {"it": ORDER}}), ())
    assert str(told(missing, "zh")[0]) == "应为带有键 'it' 的对象，并将这些键放在其中：少了一层，收到带有键 item 的对象"
