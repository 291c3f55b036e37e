"""One level too many, or missing: told as that, and never repaired."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from magic_tools.errors import ParseError
from magic_tools.loose.decode import parse
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
