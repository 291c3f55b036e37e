"""What tokens cost: by amounts however they are written, with the cached ones at their own price."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from magic_tools.messages import Usage
from magic_tools.pricing import Price, cost, cost_of

MILLION = 1_000_000


class Asked(NamedTuple):
    """A request, as an outcome tells of it."""

    model: str
    usage: Usage


@pytest.mark.parametrize(
    ("usage", "price", "amount"),
    [
        (Usage(), Price(1, 2), "0"),
        (Usage(MILLION, 0), Price(3, 15), "3"),
        (Usage(0, MILLION), Price(3, 15), "15"),
        (Usage(1, 1), Price(3, 15), "0.000018"),
        (Usage(1_000, 500), Price("1.25", "10"), "0.00625"),
        # Cached tokens are part of the input, and reasoning tokens part of the output.
        (Usage(MILLION, 0, MILLION), Price(3, 15, "0.3"), "0.3"),
        (Usage(MILLION, 0, 250_000), Price(4, 15, 2), "3.5"),
        (Usage(MILLION, 0, 250_000), Price(4, 15), "4"),
        (Usage(MILLION, 0, 250_000), Price(4, 15, 0), "3"),
        (Usage(0, MILLION, 0, 900_000), Price(3, 15), "15"),
        # As a server might tell it that counts otherwise: nothing is counted twice, and nothing below zero.
        (Usage(10, 0, 20), Price(1 * MILLION, 0, 2 * MILLION), "20"),
        (Usage(3, 0), Price(0.1, 0), "3E-7"),
    ],
)
def test_cost(usage: Usage, price: Price, amount: str) -> None:
    """It is exact."""
    assert cost(usage, price) == Decimal(amount)


@given(
    st.integers(0, 10**9),
    st.integers(0, 10**9),
    st.floats(0, 1),
    st.decimals(0, 10_000, places=4),
    st.decimals(0, 10_000, places=4),
    st.decimals(0, 10_000, places=4),
)
def test_cost_is_exact(
    given_in: int, given_out: int, share: float, price_in: Decimal, price_out: Decimal, price_cached: Decimal
) -> None:
    """For all that a run may come to."""
    cached = int(given_in * share)
    amount = cost(Usage(given_in, given_out, cached), Price(price_in, price_out, price_cached))
    exact = (given_in - cached) * Fraction(price_in) + cached * Fraction(price_cached) + given_out * Fraction(price_out)
    assert Fraction(amount) == exact / MILLION


@pytest.mark.parametrize("amount", [Decimal("0.1"), 0.1, "0.1", " 0.10 ", "1e-1"])
def test_amounts(amount: Any) -> None:
    """A tenth is a tenth, however it is written."""
    assert Price(amount, 1) == Price("0.1", "1", "0.1")
    assert type(Price(amount, 1).input) is Decimal


def test_a_price() -> None:
    """It is a value: equal, hashable, fixed, and can be pickled."""
    price = Price(3, output=15, cached_input="0.3")
    assert (price.input, price.output, price.cached_input) == (Decimal(3), Decimal(15), Decimal("0.3"))
    assert {price: 1}[Price("3", "15", 0.3)] == 1
    assert pickle.loads(pickle.dumps(price)) == price
    with pytest.raises(FrozenInstanceError):
        price.input = Decimal(1)  # type: ignore[misc]  # which is what is tested


@pytest.mark.parametrize("amount", [-1, "-0.1", "free", "", None, True, float("nan"), float("inf"), "nan", [1]])
@pytest.mark.parametrize("name", ["input", "output"])
def test_no_amount(name: str, amount: Any) -> None:
    """What is no amount is refused by name."""
    given_: Mapping[str, Any] = {"input": 1, "output": 1, name: amount}
    with pytest.raises(ValueError, match=rf"Price\.{name} is what a million tokens cost, 0 or more, got"):
        Price(**given_)


def test_no_amount_of_cached_input() -> None:
    """Nor is a price of cached input."""
    with pytest.raises(ValueError, match=r"Price\.cached_input"):
        Price(1, 1, -1)


PRICES = {"gpt-5": Price(1, 0), "gpt-5-mini": Price(2, 0), "claude-sonnet-4": Price(3, 0), "llama3:8b": Price(4, 0)}


@pytest.mark.parametrize(
    ("model", "millions"),
    [
        ("gpt-5", 1),
        ("gpt-5-2025-08-07", 1),
        ("gpt-5-0807", 1),
        ("gpt-5-mini", 2),
        ("gpt-5-mini-2025-08-07", 2),
        ("claude-sonnet-4-20250514", 3),
        ("claude-sonnet-4@20250514", 3),
        ("openai:gpt-5", 1),
        ("openai:gpt-5-mini-2025-08-07", 2),
        ("llama3:8b", 4),
    ],
)
def test_the_price_of_a_model(model: str, millions: int) -> None:
    """It is found by its name, with or without a date, or what stands before a colon."""
    assert cost_of([Asked(model, Usage(MILLION))], PRICES) == millions


def test_a_dated_price() -> None:
    """One for the very version goes before that of the model."""
    prices = {**PRICES, "gpt-5-2025-08-07": Price(9, 0)}
    assert cost_of([Asked("gpt-5-2025-08-07", Usage(MILLION))], prices) == 9
    assert cost_of([Asked("gpt-5-2026-01-01", Usage(MILLION))], prices) == 1


@pytest.mark.parametrize(
    "model",
    ["gpt-5-nano", "gpt-5-pro-2025-08-07", "gpt-4", "gpt", "claude-sonnet-4-5-20250929", "gpt-5-", "", "gpt-55"],
)
def test_a_model_without_a_price(model: str) -> None:
    """It is not taken for another whose name is like it: the error names it."""
    with pytest.raises(ValueError, match=f"there is no price for '{model}': add one"):
        cost_of([Asked("gpt-5", Usage(1)), Asked(model, Usage(1))], PRICES)


def test_several_models_without_a_price() -> None:
    """All of them are named, each once."""
    with pytest.raises(ValueError, match=r"no price for 'a', 'b': add"):
        cost_of([Asked("b", Usage(1)), Asked("a", Usage(1)), Asked("b", Usage(1))], PRICES)


def test_the_cost_of_several() -> None:
    """It is the sum, each at the price of its model; of none it is nothing."""
    asked = [Asked("gpt-5", Usage(MILLION)), Asked("gpt-5-mini", Usage(MILLION)), Asked("gpt-5", Usage(MILLION // 2))]
    assert cost_of(iter(asked), PRICES) == Decimal("3.5")
    assert cost_of([], PRICES) == 0
    assert type(cost_of([], PRICES)) is Decimal
