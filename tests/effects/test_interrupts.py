"""Interrupts and exits: straight out, at once, wherever they come from; and nothing begins after them."""

from __future__ import annotations

import asyncio
import inspect
import random
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from magic_tools.effects.program import Call, CallBrokenError, Effect, Gather, Program, Sleep, within
from magic_tools.effects.runners import run_async, run_sync
from magic_tools.effects.workers import abandoned_calls
from tests.effects.runs import (
    FOREVER_S,
    Run,
    add,
    add_later,
    eventually,
    every_run,
    every_sync_run,
    fail,
    fail_later,
    one,
    promptly,
    released_at_end,
    stay_until,
    told,
    wait_for_ever,
)


class Enough(BaseException):
    """What is no exception, and neither an interrupt nor an exit."""


EFFECTS: list[tuple[Callable[[threading.Event], Effect], int]] = [
    (lambda released: Call(released.wait, timeout_s=FOREVER_S), 1),
    (lambda released: Call(released.wait), 0),
    (lambda released: Call(wait_for_ever), 0),
    (lambda released: Call(wait_for_ever, timeout_s=FOREVER_S), 0),
    (lambda released: Call(stay_until, (released,)), 1),
    (lambda released: Sleep(FOREVER_S), 0),
    (lambda released: Gather((told(Call(released.wait)), told(Call(released.wait))), 2), 2),
    (lambda released: Gather((told(Call(released.wait, timeout_s=FOREVER_S)), told(Sleep(FOREVER_S))), 2), 1),
    (lambda released: Gather((told(Call(wait_for_ever)), told(Call(wait_for_ever)), told(Sleep(0))), 2), 0),
    (lambda released: Gather((told(Call(wait_for_ever)), told(Call(wait_for_ever))), 1), 0),
    (lambda released: Gather((one(_two(released)), told(Sleep(0))), 2), 1),
]
"""What a sync run may wait for, and how many calls cannot be stopped then."""


def _two(released: threading.Event) -> Effect:
    return Gather((told(Sleep(FOREVER_S)), told(Call(released.wait))), 2)


@every_sync_run
@pytest.mark.parametrize(("effect", "left"), EFFECTS)
@pytest.mark.parametrize("bounded", [False, True], ids=["", "within"])
def test_an_interrupt_while_a_sync_run_waits(
    run: Run,
    effect: Callable[[threading.Event], Effect],
    left: int,
    bounded: bool,
    interrupt_after: Callable[[float], None],
) -> None:
    """It is raised promptly; only calls that cannot be stopped are left, and counted until they end."""
    with released_at_end() as released:
        program = told(effect(released))
        interrupt_after(0.015)
        with promptly(), pytest.raises(KeyboardInterrupt):
            run(within(program, FOREVER_S) if bounded else program)
        assert inspect.getgeneratorstate(program) == inspect.GEN_CLOSED
        # With a deadline a call runs in a thread that cannot be interrupted, as the caller's own can.
        count = left + (bounded and effect is EFFECTS[1][0])
        before = {thread for thread in threading.enumerate() if thread.name.startswith("magic-tools")}
        assert eventually(lambda: abandoned_calls() == count)
        assert eventually(lambda: len([thread for thread in before if thread.is_alive()]) == count)
    assert eventually(lambda: abandoned_calls() == 0)


@pytest.mark.parametrize("effect", [effect for effect, _ in EFFECTS])
def test_an_interrupt_while_an_async_run_waits(effect: Callable[[threading.Event], Effect]) -> None:
    """The loop cancels the run for it; `asyncio.run` raises the interrupt."""

    async def main(program: Program[Any]) -> None:
        asyncio.get_running_loop().call_later(0.015, signal.raise_signal, signal.SIGINT)
        try:
            await run_async(program)
        finally:
            released.set()  # else `asyncio.run` itself waits for what swallows its cancellation

    with released_at_end() as released:
        program = told(effect(released))
        with promptly(), pytest.raises(KeyboardInterrupt):
            asyncio.run(main(program))
        assert inspect.getgeneratorstate(program) == inspect.GEN_CLOSED
    assert eventually(lambda: abandoned_calls() == 0)


@every_run
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("function", [fail, fail_later], ids=["ordinary", "async"])
@pytest.mark.parametrize("timeout_s", [None, 20.0])
def test_one_that_a_function_raises(
    run: Run, error: type[BaseException], function: Callable[..., Any], timeout_s: float | None
) -> None:
    """The program has no say in it, though it catches everything."""

    def program() -> Program[str]:
        try:
            yield Call(function, (error("now"),), timeout_s=timeout_s)
        except Exception:
            return "caught"
        return "went on"

    with pytest.raises(error, match="now"):
        run(program())


@every_run
@pytest.mark.parametrize("function", [fail, fail_later], ids=["ordinary", "async"])
@pytest.mark.parametrize("timeout_s", [None, 20.0])
def test_what_is_neither(run: Run, function: Callable[..., Any], timeout_s: float | None) -> None:
    """It is thrown into the program, as the cause of an exception, and takes no sibling along."""

    def program() -> Program[str]:
        try:
            yield Call(function, (Enough("now"),), timeout_s=timeout_s)
        except CallBrokenError as error:
            return f"{error}: {error.__cause__}"
        return "nothing was raised"

    assert run(together(program(), program())) == ["the call raised Enough: now"] * 2


def together(*programs: Program[Any]) -> Program[Any]:
    return (yield Gather(programs, 2))


@every_run
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("function", [fail, fail_later], ids=["ordinary", "async"])
@pytest.mark.parametrize("at_once", [1, 2, 3])
@pytest.mark.parametrize("deep", [False, True], ids=["", "deep"])
def test_one_in_a_gather(
    run: Run, error: type[BaseException], function: Callable[..., Any], at_once: int, deep: bool
) -> None:
    """Neither an error before it nor a sibling that sleeps is waited for, and what is waiting is not begun."""
    begun: list[str] = []

    def raises_late() -> Program[Any]:
        yield Sleep(0.01)
        return (yield Call(function, (error("now"),)))

    def goes_on() -> Program[None]:
        for _ in range(100):
            yield from told(Sleep(0.05 if at_once > 1 else 0))
            yield from told(Call(add_later, (1, 2)))

    def waits() -> Program[None]:
        begun.append("what was waiting")
        yield Sleep(0)

    programs = (one(Call(int, ("x",))), goes_on(), raises_late(), *(waits() for _ in range(3 if at_once < 3 else 0)))
    gather: Effect = Gather(programs, at_once)
    if deep:
        gather = Gather((told(gather), told(Sleep(FOREVER_S))), 2)
    with promptly(), pytest.raises(error, match="now"):
        run(told(gather))
    assert begun == []


@every_sync_run
@pytest.mark.parametrize("at_once", [1, 3])
def test_nothing_begins_after_an_interrupt(run: Run, at_once: int, interrupt_after: Callable[[float], None]) -> None:
    """Programs that run beside are closed at their next effect, even those that try again for ever."""
    made: list[int] = []
    ended: list[int] = []

    def stubborn(number: int) -> Program[None]:
        try:
            while True:
                yield from told(Call(made.append, (number,)))
                yield from told(Sleep(0.001))
                yield from told(Call(add_later, (1,)))
        finally:
            ended.append(number)

    interrupt_after(0.05)
    with promptly(), pytest.raises(KeyboardInterrupt):
        run(one(Gather(tuple(stubborn(number) for number in range(3)), at_once)))
    assert eventually(lambda: len(ended) == at_once)
    count = len(made)
    time.sleep(0.01)
    assert (len(made), sorted(ended)) == (count, list(range(at_once)))


@every_run
def test_an_exit_hides_behind_no_finally(run: Run) -> None:
    """A program that asks for more at its end, or fails there, does not replace it."""

    def asks() -> Program[None]:
        try:
            yield Call(fail, (SystemExit(3),))
        finally:
            yield Call(add, (1, 2))

    def fails() -> Program[None]:
        try:
            yield Call(fail, (SystemExit(3),))
        finally:
            raise ValueError("at the end")

    for program in (asks, fails):
        for wrapped in (program(), within(program(), 20)):
            with pytest.raises(SystemExit) as caught:
                run(wrapped)
            assert caught.value.code == 3


@every_sync_run
def test_cleaning_up_after_an_interrupt_is_not_cut_short(run: Run, interrupt_after: Callable[[float], None]) -> None:
    """The awaited function is cancelled once, and may await for its end."""
    steps: list[str] = []

    async def function() -> None:
        try:
            await wait_for_ever()
        finally:
            await asyncio.sleep(0.02)
            steps.append("cleaned")

    interrupt_after(0.015)
    with pytest.raises(KeyboardInterrupt):
        run(one(Call(function)))
    assert steps == ["cleaned"]


@every_sync_run
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_exit_in_a_task_of_its_own(run: Run, error: type[BaseException]) -> None:
    """A function has begun a task that raises one: it breaks the loop, and comes out, as it does under asyncio."""

    async def raise_it() -> None:
        raise error("from a task")

    async def function() -> None:
        task = asyncio.create_task(raise_it())
        await wait_for_ever()
        await task

    with promptly(), pytest.raises(error, match="from a task"):
        run(told(Call(function)))


# An interrupt may meet a coroutine that was just made, or a destructor, which swallows it.
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interrupts_at_random_leave_nothing(interrupt_after: Callable[[float], None]) -> None:
    """Whatever a sync run does just then, also while it starts a thread or ends; and nothing but they comes out."""
    numbers = random.Random(7)

    def program() -> Program[None]:
        for _ in range(10):
            yield Call(add, (1, 2), timeout_s=20)
            yield Call(add_later, (1, 2))
            yield Gather(tuple(one(Call(add_later, (1, 2), timeout_s=20)) for _ in range(3)), 3)
            yield from told(Call(time.sleep, (0.01,), timeout_s=0.0001))

    interrupted = 0
    for _ in range(150):
        try:
            interrupt_after(numbers.uniform(0.0003, 0.005))
            run_sync(program())
            interrupt_after(0)
        except KeyboardInterrupt:
            interrupted += 1
    assert interrupted > 100
