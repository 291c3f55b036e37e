"""What tokens cost, by prices that the user gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Protocol, TypeAlias

from magic_tools.messages import Usage

__all__ = ["Amount", "Price", "UsageOfModel", "cost", "cost_of"]

Amount: TypeAlias = Decimal | int | float | str
"""An amount of money; a float is what it is written as, so 0.1 is a tenth."""

_TOKENS = 1_000_000

# How providers date their models: -2025-08-07, -20250929, -0613, @20250929.
_DATED = re.compile(r"[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4})$")


class UsageOfModel(Protocol):
    """Tokens that a model was asked for."""

    @property
    def model(self) -> str:
        """The model's name."""
        ...

    @property
    def usage(self) -> Usage:
        """The tokens."""
        ...


@dataclass(frozen=True, slots=True, init=False)
class Price:
    """What a million tokens cost, in whatever currency; cached input costs as other input does where it is not said.

    ValueError for what is no amount of 0 or more.
    """

    input: Decimal
    output: Decimal
    cached_input: Decimal

    def __init__(
        self,
        input: Amount,  # noqa: A002 - as the providers' own tables call it
        output: Amount,
        cached_input: Amount | None = None,
    ) -> None:
        for name, amount in (
            ("input", input),
            ("output", output),
            ("cached_input", input if cached_input is None else cached_input),
        ):
            object.__setattr__(self, name, _decimal(name, amount))


def cost(usage: Usage, price: Price) -> Decimal:
    """What tokens cost; the cached ones, which are part of the input, at their own price."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    spent = (usage.input_tokens - cached) * price.input + cached * price.cached_input
    return (spent + usage.output_tokens * price.output) / _TOKENS


def cost_of(requests: Iterable[UsageOfModel], prices: Mapping[str, Price]) -> Decimal:
    """What requests cost, such as those of an outcome.

    A price stands under the name of its model, and is that of its dated versions too: the price of `gpt-5` is that of
    `gpt-5-2025-08-07` and of `openai:gpt-5`, and not that of `gpt-5-mini`. ValueError that names the models without a
    price.
    """
    told = [(request, _price_of(request.model, prices)) for request in requests]
    lacking = sorted({request.model for request, price in told if price is None})
    if lacking:
        raise ValueError(f"there is no price for {', '.join(map(repr, lacking))}: add one under that name")
    return sum((cost(request.usage, price) for request, price in told if price is not None), Decimal(0))


def _price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price under the model's name, else under that without its date, or without what stands before a colon."""
    bare = model.partition(":")[2]
    names = (model, _DATED.sub("", model), bare, _DATED.sub("", bare))
    return next((prices[name] for name in names if name in prices), None)


def _decimal(name: str, amount: object) -> Decimal:
    if isinstance(amount, Decimal | int | float | str) and not isinstance(amount, bool):
        try:
            value = Decimal(str(amount) if isinstance(amount, float) else amount)
        except InvalidOperation:
            value = Decimal("nan")
        if value.is_finite() and value >= 0:
            return value
    raise ValueError(f"Price.{name} is what a million tokens cost, 0 or more, got {amount!r:.80}")
