"""What a person is shown of a call that waits."""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Callable
from typing import Any

import pytest

from magic_tools import Limits, ScriptedModel, ToolFailure, WaitingCall
from magic_tools.values import JsonValue
from tests.resuming.bank import PAY, Bank, assert_whole, paused, raised, stored
from tests.ways import Ways


def previewed(make: Callable[..., Any]) -> Bank:
    bank = Bank()
    bank.pay.preview(make)
    return bank


@pytest.mark.parametrize("is_async", [False, True])
def test_a_preview_is_what_its_author_makes(ways: Ways, is_async: bool) -> None:
    """It is made once, of the arguments as the function would have them, and stays as it was."""
    made: list[int] = []

    def text(to: str, amount: int) -> Any:
        made.append(amount)
        return {"text": f"{amount} to {to}", "n": len(made)}

    async def later(to: str, amount: int) -> Any:
        await asyncio.sleep(0)
        return text(to, amount)

    bank = previewed(later if is_async else text)
    outcome = paused(ways, bank.tools, PAY)
    shown: JsonValue = {"text": "1 to Ann", "n": 1}
    assert outcome.waiting == (WaitingCall("p", "pay", "approval", {"to": "Ann", "amount": 1}, shown),)
    outcome = ways.resume(stored(outcome.state), tools=bank.tools, model=ScriptedModel([]))
    assert outcome.waiting[0].preview == shown
    ways.resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert made == [1]
    assert bank.done == ["pay Ann 1"]


@pytest.mark.parametrize(
    "shown",
    [
        "",
        0,
        False,
        [],
        {},
        pytest.param(None),
    ],
    ids=repr,
)
def test_a_preview_that_says_nothing_is_made_once_too(ways: Ways, shown: Any) -> None:
    """Also one that is empty, false or None stays as it is while the run stands still."""
    made: list[str] = []

    def preview(to: str) -> Any:
        made.append(to)
        return shown

    bank = previewed(preview)
    outcome = paused(ways, bank.tools, PAY)
    for _ in range(2):
        outcome = ways.resume(stored(outcome.state), tools=bank.tools, model=ScriptedModel([]))
    assert made == ["Ann"]


def endless() -> list[Any]:
    held: list[Any] = []
    held.append(held)
    return held


@pytest.mark.parametrize(
    "make",
    [
        lambda: raised(KeyError("x")),
        lambda: raised(ToolFailure("not today")),
        lambda: raised(asyncio.CancelledError()),
        lambda: raised(RecursionError()),
        lambda: raised(StopIteration()),
        lambda: raised(BaseExceptionGroup("x", [KeyError()])),
        endless,
        lambda: "\ud800",
        lambda: {(1, 2): {3}, "to": "\udfff"},
    ],
    ids=["KeyError", "ToolFailure", "CancelledError", "Recursion", "Stop", "group", "endless", "surrogate", "keys"],
)
def test_a_preview_that_fails_shows_the_arguments(ways: Ways, make: Callable[[], Any]) -> None:
    """Whatever it raises, or returns that has no JSON form, the person sees the canonical arguments."""

    def preview(to: str) -> Any:
        return make()

    bank = previewed(preview)
    outcome = paused(ways, bank.tools, PAY)
    assert outcome.waiting[0].preview == {"to": "Ann", "amount": 1}
    assert stored(outcome.state) == outcome.state


def test_a_preview_that_takes_too_long(ways: Ways) -> None:
    """It has the time of its tool, and no more."""

    async def preview(to: str) -> str:
        await asyncio.sleep(30)
        return to

    bank = Bank(timeout=0.05)
    bank.pay.preview(preview)
    begun = time.monotonic()
    assert paused(ways, bank.tools, PAY).waiting[0].preview == {"to": "Ann", "amount": 1}
    assert time.monotonic() - begun < 10


def test_the_deadline_is_that_of_a_preview_too(ways: Ways) -> None:
    """A run with a deadline pauses within it, though the tool itself has no time limit."""

    async def preview(to: str) -> str:
        await asyncio.sleep(3)
        return to

    bank = Bank(timeout=None)
    bank.pay.preview(preview)
    begun = time.monotonic()
    paused(ways, bank.tools, PAY, limits=Limits(deadline_s=0.2))
    assert time.monotonic() - begun < 2


def test_an_interrupt_of_a_preview_can_be_gone_on_from(ways: Ways) -> None:
    """An interrupt goes straight out, with a state in which the call still waits, unmade."""
    errors = [KeyboardInterrupt()]

    def preview(to: str) -> str:
        if errors:
            raise errors.pop()
        return f"to {to}"

    bank = previewed(preview)
    with pytest.raises(KeyboardInterrupt) as caught:
        ways.run("Go", tools=bank.tools, model=ScriptedModel([PAY]))
    outcome = caught.value.outcome  # type: ignore[attr-defined]  # which it was given
    assert_whole(outcome.transcript)
    after = ways.resume(stored(outcome.state), tools=bank.tools, model=ScriptedModel([]))
    assert (after.stop, after.waiting[0].preview, bank.done) == ("needs_approval", "to Ann", [])


def test_what_is_shown_cannot_be_changed(ways: Ways) -> None:
    """Whoever changes what they were given changes nothing of what the run holds."""
    bank = previewed(lambda to: {"to": to})
    outcome = paused(ways, bank.tools, PAY)
    before = copy.deepcopy(outcome.state)
    waiting: Any = outcome.waiting[0]
    waiting.preview["to"] = "Eve"
    waiting.arguments["to"] = "Eve"
    outcome.state["pending"][0]["preview"]["to"] = "Eve"
    assert outcome.state == before
