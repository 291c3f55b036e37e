"""Which functions cannot take long: those that a time limit is not spent on."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from pydantic import BaseModel, EmailStr, field_validator

from magic_tools import Injected, tool
from magic_tools.tools.brevity import is_brief

PRICES = {"a": 1}
LIMIT = 3
LOCK = object()


class Weather(BaseModel):
    city: str
    celsius: float = 20.5


class Mail(BaseModel):
    address: EmailStr


class Checked(BaseModel):
    x: int

    @field_validator("x")
    @classmethod
    def slowly(cls, x: int) -> int:
        time.sleep(x)
        return x


@dataclass
class Point:
    x: int


@dataclass
class Slow:
    x: int

    def __post_init__(self) -> None:
        time.sleep(self.x)


@dataclass
class Made:
    x: list[int] = field(default_factory=lambda: list(range(10**9)))


def adds(x: int) -> int:
    return x + LIMIT


def formats(x: str) -> str:
    return f"{x.upper()}: {len(x)}"


def makes_a_model(x: str) -> Weather:
    return Weather(city=x)


def makes_data(x: int) -> Point:
    return Point(x)


def looks_up(x: str) -> int:
    if x not in PRICES:
        raise KeyError(x)
    return PRICES.get(x, 0)


def joins(x: list[str]) -> str:
    return ", ".join(sorted(x))


def sleeps(x: int) -> None:
    time.sleep(x)


def loops(x: int) -> int:
    while x:
        pass
    return x


def goes_over(x: list[int]) -> list[int]:
    return [each for each in x]  # noqa: C416 - a loop is what is tested


def raises_to_a_power(x: int) -> Any:
    return 2**x


def shifts(x: int) -> int:
    return 1 << x


def calls_another(x: int) -> int:
    return adds(x)


def calls_a_module(x: float) -> float:
    return math.sqrt(x)


def calls_what_it_gets(x: Any) -> Any:
    return x.fetch()


def calls_a_default(x: Any = time.sleep) -> Any:
    return x(1)


def calls_what_it_holds(x: str) -> Any:
    return LOCK.acquire(x)  # type: ignore[attr-defined]  # never called


def opens(x: str) -> Any:
    return open(x)  # noqa: PTH123 - never called


def asks(x: str) -> Any:
    return input(x)


def imports(x: str) -> Any:
    import socket

    return socket


def enters(x: Any) -> None:
    with x:
        pass


def makes_a_checked_model(x: int) -> Checked:
    return Checked(x=x)


def makes_a_mail(x: str) -> Mail:
    return Mail(address=x)


def makes_slow_data(x: int) -> Slow:
    return Slow(x)


def makes_much(x: int) -> Made:
    return Made()


def generates(x: int) -> Iterator[int]:
    yield x


async def later(x: int) -> int:
    await asyncio.sleep(x)
    return x


class Callable_:
    def __call__(self, x: int) -> int:
        return x


def enclosing() -> Callable[..., Any]:
    wait = time.sleep

    def inner(x: int) -> Any:
        return wait(x)

    return inner


@pytest.mark.parametrize("fn", [adds, formats, makes_a_model, makes_data, looks_up, joins, lambda x: x * 2])
def test_what_is_brief(fn: Callable[..., Any]) -> None:
    """No loop, and nothing called but what is quick by its arguments' size."""
    assert is_brief(fn)


@pytest.mark.parametrize(
    "fn",
    [sleeps, loops, goes_over, raises_to_a_power, shifts, calls_another, calls_a_module, calls_what_it_gets,
     calls_a_default, calls_what_it_holds, opens, asks, imports, enters, makes_a_checked_model, makes_a_mail,
     makes_slow_data, makes_much, generates, later, Callable_(), partial(adds, 1), enclosing(), len, Callable_],
)  # fmt: skip
def test_what_may_take_long(fn: Callable[..., Any]) -> None:
    """Whatever might run code that nobody knows is not brief."""
    assert not is_brief(fn)


def test_hidden_values_may_be_anything() -> None:
    """A function that the context gives something is not brief, since the context's objects may do anything."""

    @tool
    def look(x: str, prices: Injected[dict[str, int]]) -> int:
        return prices[x]

    assert is_brief(look.executable.fn)
    assert not look.executable.is_brief
