"""Calls with a time: over within it and a little, and what is said of them is true."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from magic_tools.effects import workers
from magic_tools.effects.program import Call, CallTimeoutError, Gather, Program
from magic_tools.effects.waiting import GRACE_S
from magic_tools.effects.workers import abandoned_calls
from tests.effects.runs import (
    TIME_S,
    Adder,
    Run,
    add,
    add_later,
    caught,
    eventually,
    every_run,
    every_sync_run,
    fail,
    fail_later,
    one,
    promptly,
    released_at_end,
    stay_until,
    wait_for_ever,
)

Blocking = Callable[[threading.Event], Callable[[], Any]]


class WaitsForEver:
    async def __call__(self) -> None:
        await wait_for_ever()


def blocking(released: threading.Event) -> Callable[[], Any]:
    return released.wait


def failing_late(released: threading.Event) -> Callable[[], Any]:
    def function() -> None:
        released.wait()
        raise LookupError("too late")

    return function


def giving_a_coroutine_late(released: threading.Event) -> Callable[[], Any]:
    def function() -> Awaitable[int]:
        released.wait()
        return add_later(1, 2)

    return function


def swallowing_its_cancellation(released: threading.Event) -> Callable[[], Any]:
    async def function() -> str:
        return await stay_until(released)

    return function


def blocking_the_loop(released: threading.Event) -> Callable[[], Any]:
    async def function() -> None:
        released.wait()

    return function


@every_run
@pytest.mark.parametrize("function", [wait_for_ever, WaitsForEver(), lambda: wait_for_ever()])
def test_an_async_function_is_cancelled_after_its_time(run: Run, function: Callable[[], Any]) -> None:
    """However an async function is disguised."""
    with promptly():
        error = run(caught(Call(function, timeout_s=TIME_S)))
    assert isinstance(error, CallTimeoutError)
    assert not error.still_runs


SECONDS = [0.0, 0.002, 0.0022, 0.02]
"""Of what has 2.3 ms: surely in time, about so, and surely not."""

STUBBORN: list[Blocking] = [blocking, failing_late, giving_a_coroutine_late, swallowing_its_cancellation]


def _given_up(make: Blocking, released: threading.Event) -> Program[tuple[Any, float, Any]]:
    begun = time.monotonic()
    error = yield from caught(Call(make(released), timeout_s=TIME_S))
    took = time.monotonic() - begun
    other = yield Call(add, (1, 2), timeout_s=10)
    released.set()
    return error, took, other


@every_run
@pytest.mark.parametrize("make", STUBBORN)
def test_what_cannot_be_stopped_is_said_to_run_on(run: Run, make: Blocking) -> None:
    """The call is left to itself, and the next one gets its own value."""
    with released_at_end() as released:
        error, took, other = run(_given_up(make, released))
    assert isinstance(error, CallTimeoutError)
    assert error.still_runs
    assert took < TIME_S + GRACE_S + 1
    assert other == 3


@every_sync_run
def test_an_async_function_that_blocks_its_loop_is_given_up(run: Run) -> None:
    """The thread of the loop is left; what is called next has another, and the first is used again when it can be."""

    def program(released: threading.Event) -> Program[Any]:
        error, took, other = yield from _given_up(blocking_the_loop, released)
        there = yield Call(threading_of_the_loop)
        return error, took, other, there, abandoned_calls()

    async def threading_of_the_loop() -> str:
        return threading.current_thread().name

    with released_at_end() as released, promptly():
        error, took, other, there, _ = run(program(released))
    assert isinstance(error, CallTimeoutError)
    assert error.still_runs
    assert took < TIME_S + 2 * GRACE_S + 1
    assert (other, there) == (3, "magic-tools-portal")
    assert eventually(lambda: abandoned_calls() == 0)


@every_sync_run
def test_a_loop_that_goes_on_again_is_no_longer_given_up(run: Run) -> None:
    """Within the same run, so that a long one does not count its past against itself."""

    def program(released: threading.Event) -> Program[Any]:
        first = yield Call(identity)
        yield from caught(Call(blocking_the_loop(released), timeout_s=0.01))
        counts = [abandoned_calls()]
        second = yield Call(identity)
        released.set()
        eventually(lambda: abandoned_calls() == 0)
        counts.append(abandoned_calls())
        third = yield Call(identity)
        return counts, first == third != second

    async def identity() -> int:
        return threading.get_ident()

    with released_at_end() as released:
        assert run(program(released)) == ([1, 0], True)


@every_sync_run
def test_what_never_began_is_said_to_be_cancelled(run: Run) -> None:
    """A call that waits for a blocked loop can be taken back; it is never made."""
    made: list[int] = []

    async def make(number: int) -> None:
        made.append(number)

    def late(released: threading.Event, blocks: threading.Event) -> Program[Any]:
        yield Call(blocks.wait)
        error = yield from caught(Call(make, (1,), timeout_s=0.01))
        released.set()
        return error

    with released_at_end() as released, released_at_end() as blocks:

        async def block() -> None:
            blocks.set()
            released.wait()

        _, error = run(one(Gather((one(Call(block)), late(released, blocks)), 2)))
    assert isinstance(error, CallTimeoutError)
    assert not error.still_runs
    assert made == []


@every_run
def test_a_worker_that_did_not_begin_a_call_never_makes_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the machine is so busy that the thread comes too late."""
    made: list[int] = []
    begin = threading.Event()
    original = workers._Worker.run

    def run_late(self: Any) -> None:
        begin.wait()
        original(self)

    monkeypatch.setattr(workers._Worker, "run", run_late)

    def program() -> Program[Any]:
        error = yield from caught(Call(made.append, (1,), timeout_s=0.01))
        begin.set()
        return error

    error = run(program())
    assert isinstance(error, CallTimeoutError)
    assert not error.still_runs
    assert made == []


@every_run
def test_one_time_holds_for_a_function_and_what_it_returns(run: Run) -> None:
    """A function that takes most of the time leaves but the rest to the coroutine that it returns."""

    def function() -> Awaitable[None]:
        time.sleep(0.15)
        return asyncio.sleep(0.15)

    assert isinstance(run(caught(Call(function, timeout_s=0.2))), CallTimeoutError)


@every_run
@pytest.mark.parametrize(
    ("function", "arguments", "result"),
    [
        (add, (1, 2), 3),
        (add_later, (1, 2), 3),
        (Adder(), (1, 2), 3),
        (fail, (LookupError("soon"),), "LookupError('soon')"),
        (fail_later, (LookupError("soon"),), "LookupError('soon')"),
    ],
)
@pytest.mark.parametrize("timeout_s", [20, 1e12, float("inf")])
def test_what_is_over_in_time_is_as_without_one(
    run: Run, function: Callable[..., Any], arguments: tuple[Any, ...], result: object, timeout_s: float
) -> None:
    """Its value or its error, even if the time is longer than a clock can count."""
    got = run(caught(Call(function, arguments, timeout_s=timeout_s)))
    assert got == result or repr(got) == result


@every_run
@pytest.mark.parametrize("timeout_s", [0, -1])
def test_no_time_at_all_is_a_time(run: Run, timeout_s: float) -> None:
    """It is over at once."""
    with released_at_end() as released:

        def program() -> Program[Any]:
            first = yield from caught(Call(wait_for_ever, timeout_s=timeout_s))
            second = yield from caught(Call(released.wait, timeout_s=timeout_s))
            return first, second

        with promptly():
            errors = run(program())
    assert [type(error) for error in errors] == [CallTimeoutError, CallTimeoutError]


@every_run
def test_a_value_that_comes_while_it_is_cancelled_is_its_value(run: Run) -> None:
    """What took its full effect is not said to have been cancelled."""

    async def finish_anyway() -> str:
        try:
            await wait_for_ever()
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
        return "written"

    assert run(one(Call(finish_anyway, timeout_s=0.02))) == "written"


@every_run
def test_a_cancelled_function_cleans_up(run: Run) -> None:
    """It may await for that, within the grace."""
    steps: list[str] = []

    async def function() -> None:
        try:
            await wait_for_ever()
        finally:
            await asyncio.sleep(0.02)
            steps.append("cleaned")

    error = run(caught(Call(function, timeout_s=0.02)))
    assert (steps, isinstance(error, CallTimeoutError) and error.still_runs) == (["cleaned"], False)


@every_run
@pytest.mark.parametrize("is_async", [False, True], ids=["ordinary", "async"])
def test_a_value_at_the_last_moment_reaches_nobody_else(run: Run, is_async: bool) -> None:
    """Where time and value race, each call has its own value or a CallTimeoutError, and so has the next."""

    def wait(number: int, seconds: float) -> int:
        time.sleep(seconds)
        return number

    async def wait_async(number: int, seconds: float) -> int:
        await asyncio.sleep(seconds)
        return number

    def program() -> Program[list[tuple[int, Any]]]:
        results = []
        for number in range(60):
            call = Call(wait_async if is_async else wait, (number, SECONDS[number % 4]), timeout_s=0.0023)
            results.append((number, (yield from caught(call))))
            results.append((-number, (yield Call(add, (-number, 0), timeout_s=20))))
        return results

    with promptly(10):
        results = run(program())
    assert all(number == got or isinstance(got, CallTimeoutError) for number, got in results)
    assert any(isinstance(got, CallTimeoutError) for _, got in results)


@every_run
def test_a_brief_call_has_no_time(run: Run) -> None:
    """Nothing is spent on one that is said to be over at once."""
    before = threading.active_count()
    assert run(one(Call(threading.active_count, timeout_s=0.0, brief=True))) == before


@every_run
def test_a_brief_call_may_be_of_an_async_function(run: Run) -> None:
    """What it returns is awaited like any."""
    assert run(one(Call(Adder(), (1, 2), brief=True))) == 3


def test_the_grace_is_small() -> None:
    """The promise of `a little more than its time` in numbers."""
    assert GRACE_S <= 0.25
