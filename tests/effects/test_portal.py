"""The loop on a thread of its own."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from magic_tools.effects.portal import Portal
from magic_tools.effects.program import Call, CallCancelledError, CallTimeoutError, Program
from magic_tools.effects.runners import run_sync
from magic_tools.effects.workers import abandoned_calls
from tests.effects.runs import (
    TIME_S,
    Run,
    add_later,
    eventually,
    every_sync_run,
    fail_later,
    promptly,
    released_at_end,
    stay_until,
    told,
    wait_for_ever,
)


@pytest.fixture
def portal() -> Iterator[Portal]:
    portal = Portal()
    portal.begin()
    yield portal
    portal.stop()
    portal.wait()
    assert not portal.is_alive()


def test_many_threads_use_it_at_once(portal: Portal) -> None:
    """Each gets the values, the errors and the time-outs of its own."""

    def use(number: int) -> str:
        match number % 3:
            case 0:
                return repr(portal.attempt(add_later(number, 1), 20).get())
            case 1:
                return str(portal.attempt(fail_later(ValueError(f"bad {number}")), None).error)
            case _:
                return type(portal.attempt(wait_for_ever(), 0.005).error).__name__

    with ThreadPoolExecutor(16) as threads, promptly(10):
        results = list(threads.map(use, range(200)))
    expected = [(repr(number + 1), f"bad {number}", "CallTimeoutError")[number % 3] for number in range(200)]
    assert results == expected


def test_it_is_stopped_while_others_wait(portal: Portal) -> None:
    """They are told so, promptly; what they waited for is cancelled."""
    with ThreadPoolExecutor(4) as threads, promptly():
        waiting = [threads.submit(portal.attempt, wait_for_ever(), timeout_s) for timeout_s in (None, 30, None, 30)]
        assert eventually(lambda: not any(future.done() for future in waiting))
        portal.stop()
        errors = [future.result().error for future in waiting]
    assert [type(error) for error in errors] == [CallCancelledError] * 4
    assert str(errors[0]) == "the run is over"


def test_after_its_end_it_takes_nothing(portal: Portal) -> None:
    """A coroutine that it is given then is closed."""
    portal.stop()
    portal.stop()
    portal.wait()
    attempt = portal.attempt(add_later(1, 2), None)
    assert (type(attempt.error), portal.is_free) == (CallCancelledError, False)
    gc.collect()


def test_it_is_stopped_before_it_began_or_at_once() -> None:
    """As by an interrupt in the midst of its beginning."""
    never = Portal()
    never.stop()
    never.wait()
    for _ in range(50):
        portal = Portal()
        portal.begin()
        portal.stop()
        portal.wait()
        assert not portal.is_alive()


def test_stopping_races_with_asking() -> None:
    """Whoever asks gets a value or is told of the end; nobody waits for ever, no coroutine is left unawaited."""
    with ThreadPoolExecutor(4) as threads, promptly(15):
        for _ in range(60):
            portal = Portal()
            portal.begin()
            asked = [threads.submit(portal.attempt, add_later(1, 2), None) for _ in range(6)]
            asked[0].result()
            portal.stop()
            attempts = [future.result() for future in asked]
            assert all(attempt.value == 3 or isinstance(attempt.error, CallCancelledError) for attempt in attempts)
            portal.wait()
            assert not portal.is_alive()
    gc.collect()


def test_what_swallows_the_end_is_left_and_counted() -> None:
    """The thread ends when that does."""
    portal = Portal()
    portal.begin()
    with released_at_end() as released:
        attempt = portal.attempt(stay_until(released), TIME_S)
        assert isinstance(attempt.error, CallTimeoutError)
        assert attempt.error.still_runs
        assert abandoned_calls() == 0
        portal.stop()
        with promptly():
            portal.wait()
        assert abandoned_calls() == 1
    assert eventually(lambda: abandoned_calls() == 0)


@every_sync_run
def test_a_function_that_stops_or_closes_the_loop(run: Run) -> None:
    """Nobody waits for ever: the loop goes on, and what it cannot do is an error of the function."""

    async def stop() -> str:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)
        return "stopped"

    async def close() -> None:
        asyncio.get_running_loop().close()

    def program() -> Program[list[str]]:
        first = yield from told(Call(stop))
        second = yield from told(Call(close))
        third = yield from told(Call(add_later, (1, 2)))
        return [first, second, third]

    with promptly():
        results = run(program())
    assert results == ["value: stopped", "RuntimeError: Cannot close a running event loop", "value: 3"]


@every_sync_run
def test_tasks_that_a_function_leaves_are_cancelled_at_the_end(run: Run) -> None:
    """And its asynchronous generators are closed."""
    ended: list[str] = []
    kept = []

    async def background() -> None:
        try:
            await wait_for_ever()
        finally:
            ended.append("task")

    async def numbers() -> object:
        yield 1

    async def function() -> None:
        kept.append(asyncio.create_task(background()))
        await asyncio.sleep(0)

    run(told(Call(function)))
    assert ended == ["task"]


def test_a_function_may_run_a_program_itself() -> None:
    """A sync run in a function of a sync run has a portal of its own."""

    async def outer() -> str:
        return str(run_sync(told(Call(add_later, (1, 2)))))

    before = threading.active_count()
    assert run_sync(told(Call(outer))) == "value: value: 3"
    assert threading.active_count() == before
