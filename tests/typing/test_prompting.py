"""What type checkers know of prompts: mypy holds the assertions below, and the tests that they are true when run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, assert_type

import pytest

from magic_tools.messages import Message
from magic_tools.models.scripted import ScriptedModel
from magic_tools.options import Limits
from magic_tools.outcome import Outcome
from magic_tools.prompting import PromptFunction, prompt


def model() -> ScriptedModel:
    return ScriptedModel(["[1]"] * 9)


@prompt("{city} {days}", model=model(), limits=Limits(steps=3))
def plain(city: str, days: int = 1) -> list[int]:
    raise NotImplementedError


@prompt("{city} {days}", model=model())
async def later(city: str, *, days: int = 1) -> list[int]:
    raise NotImplementedError


class Shop:
    @prompt("{sku}", model=model())
    def stock(self, sku: str) -> list[int]:
        raise NotImplementedError

    @prompt("{sku}", model=model())
    async def later(self, sku: str) -> list[int]:
        raise NotImplementedError


def test_a_prompt_keeps_its_signature() -> None:
    """It is called with the function's parameters; `run` gives the outcome of what it returns."""
    as_function: Callable[[str, int], list[int]] = plain
    assert as_function is plain
    assert_type(plain, PromptFunction[[str, int], list[int], Outcome[list[int]]])  # type: ignore[assert-type]  # names
    assert_type(plain("Rome", days=2), list[int])
    assert_type(plain.run("Rome", days=2), Outcome[list[int]])
    assert_type(plain.run("Rome").value, list[int])
    assert_type(plain.messages("Rome", days=2), tuple[Message, ...])
    assert plain("Rome") == [1]


def test_an_async_prompt_is_awaited() -> None:
    """Its call and its `run` give what is awaited; `messages` gives messages."""

    async def main() -> None:
        assert_type(await later("Rome", days=2), list[int])
        assert_type(await later.run("Rome", days=2), Outcome[list[int]])
        assert_type(await Shop().later("tea"), list[int])
        assert (await asyncio.create_task(later("Rome"))) == [1]

    assert_type(later("Rome"), Coroutine[Any, Any, list[int]]).close()
    assert_type(later.messages("Rome"), tuple[Message, ...])
    asyncio.run(main())


def test_a_method_keeps_its_parameters() -> None:
    """Taken from an object, a prompt has the method's signature without its first parameter."""
    assert_type(Shop().stock("tea"), list[int])
    assert_type(Shop().stock.run(sku="tea"), Outcome[list[int]])
    assert_type(Shop.stock(Shop(), "tea"), list[int])
    assert_type(Shop().stock.messages("tea"), tuple[Message, ...])


def wrong_calls() -> None:
    """Never run: mypy refuses each line, and would complain of a `type: ignore` that nothing needs."""
    plain(5)  # type: ignore[arg-type]
    plain()  # type: ignore[call-arg]
    plain.run("Rome", day=2)  # type: ignore[call-arg]
    plain.messages("Rome", "2")  # type: ignore[arg-type]
    later("Rome", 2).close()  # type: ignore[call-arg]
    Shop().stock(5)  # type: ignore[arg-type]
    prompt(5)  # type: ignore[arg-type]
    prompt("x", limits=3)  # type: ignore[arg-type]
    prompt("x", "y")  # type: ignore[call-arg]
    prompt("x", context={})  # type: ignore[call-arg]


def test_wrong_calls_are_type_errors() -> None:
    """What a checker sees in a call, Python sees too."""
    with pytest.raises(TypeError, match="missing a required argument: 'city'"):
        plain()  # type: ignore[call-arg]
