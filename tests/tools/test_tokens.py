"""What a tool costs: an estimate that says so, or a tokenizer's own count."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest

from magic_tools.errors import DefinitionError
from magic_tools.tools.tokens import TokenCost, estimated_tokens, token_cost
from magic_tools.tools.tool import Tool, tool
from magic_tools.tools.toolset import Toolset


@tool
def weather(city: Annotated[str, "城市名称"]) -> str:
    """Current weather of a city."""
    return city


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0), (" \n\t", 0), ("weather", 1), ("Current weather", 2), ("max_results", 3), ("1042", 2), ('{"type":', 3),
        ("城市名称", 4), ("城市，name", 4), ("Привет", 6), ("é", 1), ("𠀀", 1),
        ("customerAccountNumber", 3), ("XMLHttpRequest", 3), ("getURL", 2), ("international", 2), ("neighborhood", 1),
        ("x" * 22, 3), ("X" * 22, 3),
    ],
)  # fmt: skip
def test_an_estimate(text: str, tokens: int) -> None:
    """A word, three digits, three signs and a letter of another script are one token each; blanks are none.

    A name in camel case is as many words as it shows; a word over twelve letters is more than one token.
    """
    assert estimated_tokens(text) == tokens


@pytest.mark.parametrize("dialect", ["canonical", "openai-chat"])
def test_a_tools_cost(dialect: Any) -> None:
    """It is that of its definition as compact JSON in its own characters, in the dialect that is asked for."""
    text = json.dumps(weather.definition(dialect), ensure_ascii=False, separators=(",", ":"))
    assert token_cost(weather, dialect) == TokenCost(estimated_tokens(text), False)
    assert token_cost(weather.definition(dialect)) == token_cost(weather, dialect)


def test_a_tokenizers_count() -> None:
    """With a tokenizer the number is its own, and exact."""
    definition = weather.definition("openai-chat")
    cost = token_cost(weather, count=lambda text: 7 if json.loads(text) == definition and "城市名称" in text else 0)
    assert cost == TokenCost(7, True)


def test_no_text_is_free() -> None:
    """A text without blanks costs by its length: no more than a token a letter, and no less than one for ten."""
    for text in ("x" * 10_000, "aB" * 5_000, "ABC" * 3_000):
        assert len(text) / 10 <= estimated_tokens(text) <= len(text)


def plain(days: Annotated[int, "How many days ahead"]) -> str:
    """A plain function."""
    return ""


@tool(name="rest", description="The rest.")
def rest(matrix: Annotated[dict[str, int], "By name."]) -> None: ...


SEVERAL = Toolset(weather, plain)


@pytest.mark.parametrize("given", [SEVERAL, [weather, plain], (weather, tool(plain)), iter([weather, plain])])
def test_the_cost_of_several(given: Any) -> None:
    """It is told by tool and in all, of a toolset or of any tools and functions."""
    each = {"weather": token_cost(weather).tokens, "plain": token_cost(tool(plain)).tokens}
    assert token_cost(given) == TokenCost(sum(each.values()), False, each)
    assert token_cost([], count=len) == TokenCost(0, True)


def test_the_cost_of_a_searchable_set() -> None:
    """Only what a request offers is counted: the search, and what is always offered."""
    cost = token_cost(SEVERAL.searchable("plain"), count=lambda _: 10)
    assert cost == TokenCost(20, True, {"search_tools": 10, "plain": 10})


def test_the_cost_of_a_function() -> None:
    """A plain function costs what the tool that is made of it does."""
    assert token_cost(plain) == token_cost(tool(plain))


def test_the_cost_of_what_cannot_be_strict() -> None:
    """A tool that a dialect cannot send as it is wished is counted as it would be sent non-strict."""
    wished: Tool[..., Any] = tool(name="rest", description="The rest.", strict=True)(rest)
    assert token_cost(wished, "openai-chat") == token_cost(rest.definition("openai-chat", strict=False))


@pytest.mark.parametrize(
    ("given", "count", "words"),
    [
        (5, None, "no tool but a value of type int"),
        (None, None, "no tool but a value of type NoneType"),
        ("weather", None, "no tool but a value of type str"),
        ([weather, 5], None, "no tool but a value of type int"),
        (int, None, "int is a class and no tool"),
        (lambda x: x, None, "no annotation|cannot be a tool's name"),
        ({"name": {1, 2}}, None, "no tool's definition, for JSON cannot hold it: .*set"),
        (weather, lambda _: -1, "whole number from 0 on, and this one gave -1"),
        ([weather], lambda _: 1.5, "gave 1.5"),
        (weather, lambda _: True, "gave True"),
        (weather, lambda _: [1, 2], r"gave \[1, 2\]"),
    ],
)
def test_what_has_no_cost(given: Any, count: Any, words: str) -> None:
    """What is no tool, and a count that counts nothing, are told in a sentence."""
    with pytest.raises(DefinitionError, match=words):
        token_cost(given, count=count)


@pytest.mark.parametrize("camel", [False, True])
def test_the_error_that_is_stated(embedded: Any, camel: bool) -> None:
    """The estimate is at most a fifth away from the embedded model's own count, for names in camel case too."""
    made = weatherForecastForCity if camel else weather_in_english
    exact = token_cost(made, count=embedded).tokens
    assert abs(token_cost(made).tokens / exact - 1) < 0.2


@tool
def weatherForecastForCity(
    cityOrVillageName: str,
    numberOfDaysAhead: int,
    includeHourlyForecasts: bool = False,
) -> str:
    """Forecast of a city."""
    return ""


@tool
def weather_in_english(
    city: Annotated[str, "City name, no country"], days: Annotated[int, "How many days ahead"] = 1
) -> str:
    """Current weather of a city.

    Not for forecasts: use get_forecast.
    """
    return f"{city} {days}"


@pytest.fixture
def embedded() -> Any:
    """The embedded model's own count of tokens."""
    pytest.importorskip("llama_cpp")
    from magic_tools.models.weights import checked, embedded_weights, loaded_weights

    llama = loaded_weights(checked(embedded_weights()), None).llama
    return lambda text: len(llama.tokenize(text.encode(), add_bos=False, special=False))
