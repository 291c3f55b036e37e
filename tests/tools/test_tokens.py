"""What a tool costs: an estimate that says so, or a tokenizer's own count."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest

from magic_tools.tools.tokens import TokenCost, estimated_tokens, token_cost
from magic_tools.tools.tool import tool


@tool
def weather(city: Annotated[str, "城市名称"]) -> str:
    """Current weather of a city."""
    return city


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0), (" \n\t", 0), ("weather", 1), ("Current weather", 2), ("max_results", 3), ("1042", 2), ('{"type":', 3),
        ("城市名称", 4), ("城市，name", 4), ("Привет", 6), ("é", 1), ("𠀀", 1),
    ],
)  # fmt: skip
def test_an_estimate(text: str, tokens: int) -> None:
    """A word, three digits, three signs and a letter of another script are one token each; blanks are none."""
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


def test_the_error_that_is_stated(embedded: Any) -> None:
    """The estimate of an English definition is at most a fifth away from the embedded model's own count."""
    exact = token_cost(weather_in_english, count=embedded).tokens
    assert abs(token_cost(weather_in_english).tokens / exact - 1) < 0.2


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
