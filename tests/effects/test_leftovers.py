"""What is left after many runs: nothing, but threads of calls that cannot be stopped, and those are few."""

from __future__ import annotations

import asyncio
import gc
import random
import subprocess
import sys
import threading
import time
import weakref
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from magic_tools.effects import workers
from magic_tools.effects.program import (
    Call,
    CallTimeoutError,
    Effect,
    Emit,
    Gather,
    NoWorkerError,
    Program,
    Sleep,
    within,
)
from magic_tools.effects.runners import run_async, run_sync
from magic_tools.effects.workers import MOST_ABANDONED, Daemon, abandoned_calls
from tests.effects.runs import (
    Adder,
    Run,
    add,
    add_later,
    caught,
    descriptors,
    eventually,
    every_run,
    every_sync_run,
    fail,
    fail_later,
    in_a_sync_run,
    in_an_async_run,
    one,
    promptly,
    released_at_end,
    threads_alive,
    told,
    wait_for_ever,
)
from tests.effects.sources import Form, Source, every_form


@every_run
@pytest.mark.parametrize(
    "effect",
    [
        Call(add, (1, 2)),
        Call(add, (1, 2), timeout_s=20),
        Call(add_later, (1, 2)),
        Call(fail_later, (ValueError("bad"),)),
        Call(Adder(), (1, 2), timeout_s=20),
        Call(wait_for_ever, timeout_s=0.01),
        Call(time.sleep, (0.05,), timeout_s=0.2),
    ],
)
def test_the_end_of_a_run_is_the_end_of_its_threads(run: Run, effect: Effect) -> None:
    """They are gone when the result is there, not some time after it."""
    before, open_files = threads_alive(), descriptors()
    run(told(effect))
    assert (threads_alive(), descriptors()) == (before, open_files)
    run(one(Gather(tuple(told(effect) for _ in range(3)), 2)))
    assert (threads_alive(), descriptors()) == (before, open_files)


def some_calls(numbers: random.Random, count: int) -> list[Call]:
    """Calls that return, fail, time out in several ways, or cancel themselves."""

    async def cancel() -> None:
        raise asyncio.CancelledError

    kinds = [
        lambda: Call(add, (1, 2), timeout_s=20),
        lambda: Call(add_later, (1, 2)),
        lambda: Call(Adder(), (1, 2), timeout_s=20),
        lambda: Call(fail, (ValueError("bad"),), timeout_s=20),
        lambda: Call(fail_later, (ValueError("bad"),)),
        lambda: Call(cancel),
        lambda: Call(wait_for_ever, timeout_s=0.0005),
        lambda: Call(lambda: wait_for_ever(), timeout_s=0.001),
        lambda: Call(time.sleep, (numbers.uniform(0, 0.002),), timeout_s=0.001),
    ]
    return [numbers.choice(kinds)() for _ in range(count)]


@every_run
def test_thousands_of_calls_leave_nothing(run: Run) -> None:
    """Values, failures, time-outs and cancellations mixed, several at a time: all threads and descriptors are gone."""
    numbers = random.Random(11)
    open_files = descriptors()
    calls = some_calls(numbers, 3000)
    programs = tuple(told(call) for call in calls)
    with promptly(20):
        results = run(one(Gather(programs, 6)))
    assert len(results) == len(calls)
    assert {result.partition(":")[0] for result in results} <= {
        "value", "ValueError", "CallTimeoutError", "CallCancelledError",
    }  # fmt: skip
    assert eventually(lambda: abandoned_calls() == 0)
    assert descriptors() == open_files


def test_many_cancelled_runs_leave_nothing() -> None:
    """Cancelled at random moments; no task stays in the loop."""
    numbers = random.Random(13)

    async def main() -> None:
        runs = []
        for _ in range(300):
            programs = tuple(told(call) for call in some_calls(numbers, 3))
            run = asyncio.create_task(run_async(one(Gather(programs, 2))))
            asyncio.get_running_loop().call_later(numbers.uniform(0, 0.1), run.cancel)
            runs.append(run)
            await asyncio.sleep(0)
        await asyncio.wait(runs)
        assert {run.cancelled() for run in runs} == {False, True}
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with promptly(20):
        asyncio.run(main())
    assert eventually(lambda: abandoned_calls() == 0)
    gc.collect()


def test_a_thousand_runs_at_once_lose_nothing() -> None:
    """Each has its worker calls made, and its own values."""

    def program(number: int) -> Program[tuple[int, int]]:
        first = yield Call(add, (number, 1))
        second = yield Call(add, (number, 2), timeout_s=60)
        return first, second

    async def main() -> list[tuple[int, int]]:
        return await asyncio.gather(*(run_async(program(number)) for number in range(1000)))

    with promptly(20):
        assert asyncio.run(main()) == [(number + 1, number + 2) for number in range(1000)]


def test_sync_runs_in_many_threads_lose_nothing() -> None:
    """Their portals and workers are their own."""

    def program(number: int) -> Program[Any]:
        first = yield Call(add_later, (number, 1))
        rest = yield Gather(tuple(one(Call(add_later, (number, step), timeout_s=60)) for step in range(3)), 2)
        return [first, *rest]

    async def main() -> list[Any]:
        return await asyncio.gather(*(asyncio.to_thread(run_sync, program(number)) for number in range(60)))

    with promptly(20):
        assert asyncio.run(main()) == [[number + 1, number, number + 1, number + 2] for number in range(60)]


@every_run
def test_abandoned_calls_are_counted_until_they_end(run: Run) -> None:
    """Each by itself."""
    events = [threading.Event() for _ in range(3)]

    def is_count(left: int) -> bool:
        return abandoned_calls() == left

    def program() -> Program[int]:
        for event in events:
            yield from caught(Call(event.wait, timeout_s=0.005))
        return abandoned_calls()

    try:
        assert run(program()) == 3
        for left, event in zip((2, 1, 0), events, strict=True):
            event.set()
            assert eventually(partial(is_count, left))
    finally:
        for event in events:
            event.set()


@every_run
def test_abandoned_calls_are_bounded(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many that still run no other is begun in a thread, whoever asks; when they have ended, it is again."""
    monkeypatch.setattr(workers, "MOST_ABANDONED", 4)
    made: list[str] = []

    def program() -> Program[list[Any]]:
        results = []
        for _ in range(6):
            results.append((yield from caught(Call(released.wait, timeout_s=0.005))))
        results.append((yield Call(add, (1, 2), brief=True)))
        return results

    with released_at_end() as released:
        results = run(program())
        assert [type(result) for result in results] == [CallTimeoutError] * 4 + [NoWorkerError] * 2 + [int]
        assert abandoned_calls() == 4
        for other in (in_a_sync_run, in_an_async_run):
            with pytest.raises(NoWorkerError, match="4 calls that were given up still run"):
                other(one(Call(made.append, ("made",), timeout_s=20)))
        with pytest.raises(NoWorkerError):
            in_a_sync_run(one(Call(add_later, (1, 2))))
        assert in_an_async_run(one(Call(add_later, (1, 2)))) == 3
        assert in_a_sync_run(one(Call(add, (1, 2)))) == 3
    assert eventually(lambda: abandoned_calls() == 0)
    assert run(one(Call(made.append, ("made",), timeout_s=20))) is None
    assert made == ["made"]


def test_the_bound_is_what_a_process_can_bear() -> None:
    """Some dozens, not thousands."""
    assert 16 <= MOST_ABANDONED <= 256


@every_run
@pytest.mark.parametrize(
    "call",
    [Call(add, (1, 2), timeout_s=20), Call(Adder(), (1, 2), timeout_s=20), Call(add_later, (1, 2))],
)
def test_without_a_thread_a_call_is_not_begun(run: Run, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the process has none left the program is told so, and can go on; a coroutine is not left unawaited."""

    def start(thread: Daemon) -> None:
        raise RuntimeError("can't start new thread")

    def program() -> Program[Any]:
        first = yield from told(call)
        monkeypatch.undo()
        second = yield from told(call)
        return first, second

    monkeypatch.setattr(Daemon, "start", start)
    first, second = run(program())
    needs_none = call.fn is add_later and run is in_an_async_run
    assert first == ("value: 3" if needs_none else "NoWorkerError: the process has no thread left")
    assert second == "value: 3"
    gc.collect()


@every_sync_run
def test_without_a_loop_a_call_is_not_begun(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the process has no file descriptor left for one."""
    new_event_loop = asyncio.new_event_loop

    def no_loop() -> asyncio.AbstractEventLoop:
        if threading.current_thread().name != "magic-tools-portal":
            return new_event_loop()
        raise OSError(24, "Too many open files")

    def program() -> Program[Any]:
        monkeypatch.setattr(asyncio.events, "new_event_loop", no_loop)
        first = yield from told(Call(add_later, (1, 2)))
        monkeypatch.undo()
        second = yield from told(Call(add_later, (1, 2)))
        return first, second

    with promptly():
        first, second = run(program())
    assert first == "NoWorkerError: the process can have no event loop: [Errno 24] Too many open files"
    assert second == "value: 3"
    gc.collect()


def test_a_thread_that_waits_keeps_nothing_of_its_last_call() -> None:
    """What a call was given and has returned is let go of when the program does."""
    import weakref

    class Big:
        pass

    def program() -> Program[list[bool]]:
        given = Big()
        references = [weakref.ref(given)]
        returned = yield Call(Big, timeout_s=20)
        references.append(weakref.ref(returned))
        yield Call(str, (given,), timeout_s=20)
        del given, returned
        yield Sleep(0.01)
        gc.collect()
        return [reference() is None for reference in references]

    assert in_a_sync_run(program()) == [True, True]
    assert in_an_async_run(program()) == [True, True]


@pytest.mark.parametrize("runner", ["run_sync(program())", "asyncio.run(run_async(program()))"])
def test_a_process_ends_though_calls_of_it_do_not(runner: str) -> None:
    """Threads that were left to themselves hold up nothing, and say nothing."""
    code = f"""
import asyncio, time
from magic_tools.effects.program import Call, CallTimeoutError
from magic_tools.effects.runners import run_async, run_sync
def program():
    try:
        yield Call(time.sleep, (60,), timeout_s=0.05)
    except CallTimeoutError as error:
        return error.still_runs
print({runner})
"""
    with promptly(15):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2]
        )
    assert (done.stdout, done.stderr, done.returncode) == ("True\n", "", 0)


@every_run
def test_a_gather_under_a_deadline_leaves_nothing(run: Run) -> None:
    """Its calls are cancelled, or given up and counted."""
    with released_at_end() as released:
        programs = tuple(caught(Call(wait_for_ever if number % 2 else released.wait)) for number in range(6))
        results = run(within(one(Gather(programs, 6)), 0.25))
        assert [type(result) for result in results] == [CallTimeoutError] * 6
        assert [result.still_runs for result in results] == [True, False] * 3
        assert abandoned_calls() == 3
    assert eventually(lambda: abandoned_calls() == 0)


@every_form
def test_what_is_over_is_let_go_of(form: Form) -> None:
    """Though its time is not, and its loop and its run go on."""

    class Taking:
        def __call__(self, item: int) -> tuple[int]:
            return (item,)

    def program() -> Program[None]:
        take = Taking()
        kept = weakref.ref(take)
        yield form.draw(Source([1, 2]), take)
        del take
        yield Sleep(0.01)
        gc.collect()
        yield Emit(kept() is None)

    assert form.stream(program()) == [1, 2, True]
