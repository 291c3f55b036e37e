"""Toolsets: ordered, under unique names, and cut to size by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from magic_tools.errors import DefinitionError
from magic_tools.tools.tool import tool
from magic_tools.tools.toolset import Toolset


@tool
def sell(sku: str, count: int = 1) -> int:
    """Sell an article."""
    return count


def stock(sku: str) -> int:
    """How many there are."""
    return len(sku)


@tool(name="buy")
async def order(sku: str) -> str:
    """Order an article."""
    return sku


class Shop:
    @tool
    def close(self) -> None:
        """Close the shop."""


ALL = Toolset(sell, stock, order)


def test_it_keeps_order_and_names() -> None:
    """Tools come in the order they were given in, found by name; a plain function is made a tool."""
    assert ALL.names == ("sell", "stock", "buy")
    assert [made.name for made in ALL] == ["sell", "stock", "buy"]
    assert len(ALL) == 3
    assert ALL["sell"] is sell
    assert ALL["stock"].invoke({"sku": "abc"}).content == "3"
    assert "buy" in ALL
    assert "order" not in ALL
    assert repr(ALL) == "Toolset(sell, stock, buy)"
    assert not len(Toolset())


def test_an_unknown_name_is_a_key_error() -> None:
    """Like a mapping's."""
    with pytest.raises(KeyError, match="order"):
        ALL["order"]


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ((sell, sell), "Two tools are called 'sell'"),
        ((stock, tool(stock)), r"Two tools are called 'stock'.*@tool\(name=\.\.\.\)"),
        ((Shop.close,), r"'close' is a method without its object.*`obj\.close`"),
        ((5,), "5 has no signature"),
    ],
)
def test_what_it_refuses(tools: tuple[Any, ...], words: str) -> None:
    """Two of one name, a method without its object, and what is no function are refused when it is made."""
    with pytest.raises(DefinitionError, match=words):
        Toolset(*tools)


def test_a_method_with_its_object() -> None:
    """A method taken from an object is a tool like any other."""
    assert Toolset(Shop().close).names == ("close",)


@pytest.mark.parametrize(
    ("cut", "names"),
    [
        (lambda: ALL.only("buy", "sell"), ("sell", "buy")),
        (lambda: ALL.only("sell", "sell"), ("sell",)),
        (lambda: ALL.only(), ()),
        (lambda: ALL.without("sell"), ("stock", "buy")),
        (lambda: ALL.without(), ("sell", "stock", "buy")),
        (lambda: ALL.without(*ALL.names), ()),
    ],
)
def test_cut_to_size(cut: Callable[[], Toolset], names: tuple[str, ...]) -> None:
    """`only` and `without` give a new set in the old order, with the same tools."""
    made = cut()
    assert made.names == names
    assert all(made[name] is ALL[name] for name in names)
    assert ALL.names == ("sell", "stock", "buy")


@pytest.mark.parametrize("cut", [ALL.only, ALL.without])
def test_cut_by_a_name_that_is_not_there(cut: Callable[..., Toolset]) -> None:
    """A misspelled name is refused, with those there are."""
    with pytest.raises(DefinitionError, match="There is no tool 'sel' here; there are: sell, stock, buy"):
        cut("buy", "sel")


def test_nothing_to_cut() -> None:
    """An empty set says that it has none."""
    with pytest.raises(DefinitionError, match="there are: none"):
        Toolset().only("a")


def test_what_providers_and_models_are_told() -> None:
    """Definitions and what a request carries are those of the tools, in order, and the caller's own."""
    assert [each["function"]["name"] for each in ALL.definitions()] == ["sell", "stock", "buy"]
    assert ALL.definitions("canonical") == [made.definition("canonical") for made in ALL]
    assert ALL.told() == tuple(made.told() for made in ALL)
    ALL.definitions()[0].clear()
    ALL.told()[0].input_schema.clear()
    assert ALL.definitions()[0] == sell.definition()
    assert ALL.told()[0] == sell.told()
