"""Programs side by side: all of them, in order, never more at a time than allowed."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from magic_tools.effects.program import Call, CallCancelledError, Gather, Program, Sleep
from magic_tools.effects.runners import stream_async
from magic_tools.effects.workers import Daemon
from tests.effects.runs import Run, add, add_later, every_run, fail, fail_later, one, promptly, told, wait_for_ever
from tests.effects.sources import waiting_for


class Gauge:
    """How many are at work at once, and in which order they began."""

    def __init__(self) -> None:
        self.most = 0
        self.begun: list[int] = []
        self._now = 0
        self._lock = threading.Lock()

    def _enter(self, number: int) -> None:
        with self._lock:
            self.begun.append(number)
            self._now += 1
            self.most = max(self.most, self._now)

    def _leave(self) -> None:
        with self._lock:
            self._now -= 1

    def work(self, number: int) -> int:
        self._enter(number)
        time.sleep(0.002)
        self._leave()
        return number

    async def work_async(self, number: int) -> int:
        self._enter(number)
        await asyncio.sleep(0.002)
        self._leave()
        return number


@every_run
@pytest.mark.parametrize("timeout_s", [None, 20.0])
@pytest.mark.parametrize("is_async", [False, True], ids=["ordinary", "async"])
def test_the_cap_is_reached_and_never_passed(run: Run, is_async: bool, timeout_s: float | None) -> None:
    """Two hundred calls, eight at a time: the most that were seen at once are eight."""
    gauge = Gauge()
    function = gauge.work_async if is_async else gauge.work
    programs = tuple(one(Call(function, (number,), timeout_s=timeout_s)) for number in range(200))
    assert run(one(Gather(programs, 8))) == list(range(200))
    assert gauge.most == 8
    assert sorted(gauge.begun) == list(range(200))


@every_run
@pytest.mark.parametrize("at_once", [1, 3, 50])
def test_programs_begin_in_the_order_given(run: Run, at_once: int) -> None:
    """The next begins when the one before it has come to its first effect, and a place is free."""
    begun: list[int] = []

    def program(number: int) -> Program[None]:
        time.sleep(0.0005 * (3 - number % 3))
        begun.append(number)
        yield Call(time.sleep, (0.0001 * (number % 3),))

    run(one(Gather(tuple(program(number) for number in range(40)), at_once)))
    assert begun == list(range(40))


@every_run
@pytest.mark.parametrize("at_once", [0, 1, 2, 5, 100])
def test_results_are_in_order(run: Run, at_once: int) -> None:
    """Whichever is done first; a cap of none at all is one of one."""
    programs = tuple(one(Call(add_later if number % 2 else add, (number, 1))) for number in range(7))
    assert run(one(Gather(programs, at_once))) == [1, 2, 3, 4, 5, 6, 7]


@every_run
@pytest.mark.parametrize("at_once", [0, 1, 8])
def test_none_at_all_is_an_empty_list(run: Run, at_once: int) -> None:
    assert run(one(Gather((), at_once))) == []


@every_run
@pytest.mark.parametrize("at_once", [1, 2, 8])
@pytest.mark.parametrize("function", [fail, fail_later], ids=["ordinary", "async"])
def test_all_end_and_then_the_first_error_in_order_is_thrown(
    run: Run, at_once: int, function: Callable[..., Any]
) -> None:
    """Not the first in time; nothing is cut short by it."""
    ended: list[int] = []

    def program(number: int) -> Program[None]:
        yield Sleep(0.01 if number == 1 else 0)
        yield Call(ended.append, (number,))
        if number in (1, 3):
            yield Call(function, (LookupError(f"number {number}"),))

    gather = Gather(tuple(program(number) for number in range(6)), at_once)
    assert run(told(gather)) == "LookupError: number 1"
    assert sorted(ended) == list(range(6))


@every_run
def test_a_cancellation_from_inside_is_an_error_like_another(run: Run) -> None:
    """It ends neither the run nor the programs beside it."""

    async def cancel() -> None:
        raise asyncio.CancelledError("not by you")

    def program(number: int) -> Program[Any]:
        if number == 1:
            yield Call(cancel)
        return (yield Call(add, (number, 0)))

    def outer() -> Program[Any]:
        try:
            yield Gather(tuple(program(number) for number in range(4)), 2)
        except CallCancelledError as error:
            return str(error)

    assert run(outer()) == "the call was cancelled from inside"


@every_run
def test_a_program_that_is_itself_at_fault_fails_alone(run: Run) -> None:
    """What a program raises by itself, at its begin or later, be it a cancellation, is its own."""
    ended: list[int] = []

    def program(number: int, error: BaseException | None) -> Program[None]:
        if number % 2:
            yield Sleep(0)
        if error is not None:
            raise error
        ended.append(number)
        yield from ()

    errors = [None, ValueError("early"), asyncio.CancelledError("own"), asyncio.CancelledError("own"), None, None]
    gather = Gather(tuple(program(number, error) for number, error in enumerate(errors)), 1)
    assert run(told(gather)) == "ValueError: early"
    assert ended == [0, 4, 5]


@every_run
def test_gathers_in_gathers(run: Run) -> None:
    """Each has its own cap; the results nest."""

    def row(number: int) -> Program[Any]:
        return (yield Gather(tuple(one(Call(add, (number * 10, digit), timeout_s=20)) for digit in range(3)), 2))

    gather = Gather((one(Gather((row(0), row(1)), 2)), row(2), one(Gather((one(Gather((row(3),), 1)),), 4))), 3)
    assert run(one(gather)) == [[[0, 1, 2], [10, 11, 12]], [20, 21, 22], [[[30, 31, 32]]]]


@every_run
def test_deep_gathers(run: Run) -> None:
    """Twenty of them, one in the other, each with two places: none waits for a place of another."""

    def nest(depth: int) -> Program[int]:
        if depth == 0:
            return 1
        deep, flat = yield Gather((nest(depth - 1), one(Call(add_later, (0, 1)))), 2)
        return int(deep) + int(flat)

    with promptly(10):
        assert run(nest(20)) == 21


@every_run
def test_sleeps_side_by_side(run: Run) -> None:
    """Eight of them take about as long as one."""
    with promptly(0.1 * 8):
        assert run(one(Gather(tuple(one(Sleep(0.1)) for _ in range(8)), 8))) == [None] * 8


@every_run
@pytest.mark.parametrize("threads", [0, 1, 3])
def test_without_threads_enough_all_are_run_all_the_same(
    run: Run, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the process has no more, fewer are at work at once."""
    left = threads
    start = Daemon.start

    def start_some(thread: Daemon) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(Daemon, "start", start_some)
    programs = tuple(one(Call(add, (number, 1), brief=True)) for number in range(9))
    assert run(one(Gather(programs, 4))) == list(range(1, 10))


def test_siblings_clean_up_before_their_reader_goes_on() -> None:
    """What is called by programs side by side is cancelled once, and waited for within the grace."""
    steps: list[str] = []

    async def function() -> None:
        try:
            await wait_for_ever()
        finally:
            await asyncio.sleep(0.02)
            steps.append("cleaned")

    async def main() -> None:
        programs = (waiting_for(Call(function)), waiting_for(Call(function)))
        async with aclosing(stream_async(one(Gather(programs, 2)))) as stream:
            await anext(stream)
            await asyncio.sleep(0.01)
        assert steps == ["cleaned", "cleaned"]

    asyncio.run(main())
