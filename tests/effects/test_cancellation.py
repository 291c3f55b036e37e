"""A cancelled async run: the canceller hears of it promptly, and what was under way is cancelled and awaited."""

from __future__ import annotations

import asyncio
import gc
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from magic_tools.effects.program import Call, CallCancelledError, Effect, Gather, Program, Sleep, within
from magic_tools.effects.runners import run_async
from magic_tools.effects.waiting import GRACE_S
from magic_tools.effects.workers import abandoned_calls
from tests.effects.runs import (
    FOREVER_S,
    Run,
    add,
    eventually,
    every_run,
    one,
    promptly,
    released_at_end,
    stay_until,
    told,
    wait_for_ever,
)


async def cancelled(program: Program[Any], after_s: float = 0.015) -> None:
    """Run a program, cancel the run while it waits, and see that this comes out and that no task is left."""
    run = asyncio.create_task(run_async(program))
    await asyncio.sleep(after_s)
    assert not run.done()
    run.cancel("enough")
    with promptly(GRACE_S + 1.0), pytest.raises(asyncio.CancelledError, match="enough"):
        await run
    assert inspect.getgeneratorstate(program) == inspect.GEN_CLOSED


def others() -> set[asyncio.Task[Any]]:
    this = asyncio.current_task()
    return {task for task in asyncio.all_tasks() if task is not this}


@pytest.mark.parametrize(
    "effect",
    [
        Call(wait_for_ever),
        Call(wait_for_ever, timeout_s=FOREVER_S),
        Call(lambda: wait_for_ever()),
        Sleep(FOREVER_S),
        Gather((one(Call(wait_for_ever)),), 1),
        Gather((one(Call(wait_for_ever)), one(Sleep(FOREVER_S)), one(Gather((one(Sleep(FOREVER_S)),), 2))), 3),
    ],
    ids=lambda effect: type(effect).__name__,
)
@pytest.mark.parametrize("wrap", [lambda program: program, lambda program: within(program, FOREVER_S)])
def test_whatever_it_waits_for(effect: Effect, wrap: Callable[[Program[Any]], Program[Any]]) -> None:
    """Nothing is left in the loop when the canceller hears of it."""
    if isinstance(effect, Gather):  # whose programs can be run but once
        effect = Gather(tuple(one(Call(wait_for_ever)) for _ in effect.programs), effect.at_once)

    async def main() -> None:
        await cancelled(wrap(one(effect)))
        assert others() == set()

    asyncio.run(main())


@pytest.mark.parametrize("depth", [0, 1, 2, 4])
def test_a_sibling_that_swallows_it_is_waited_for_no_longer_than_the_grace(depth: int) -> None:
    """However deep it is: nothing of the run itself is left, only the function that does not end."""

    def nest(program: Program[Any], depth: int) -> Program[Any]:
        return program if depth == 0 else one(Gather((one(Sleep(FOREVER_S)), nest(program, depth - 1)), 2))

    async def main() -> None:
        with released_at_end() as released:
            await cancelled(nest(one(Call(stay_until, (released,))), depth))
            assert len(others()) == 1
        await asyncio.wait(others())

    asyncio.run(main())


def test_siblings_clean_up_before_the_canceller_hears_of_it() -> None:
    """Each is cancelled once, so that what it awaits to clean up is not cut short."""
    steps: list[str] = []

    async def function(number: int) -> None:
        try:
            await wait_for_ever()
        finally:
            await asyncio.sleep(0.02)
            steps.append(f"cleaned {number}")

    async def main() -> None:
        inner = one(Gather((one(Call(function, (2,))), one(Call(function, (3,)))), 2))
        await cancelled(one(Gather((one(Call(function, (1,))), inner), 2)))
        assert sorted(steps) == ["cleaned 1", "cleaned 2", "cleaned 3"]

    asyncio.run(main())


def test_cleaning_up_is_not_cut_short_where_all_tasks_are_cancelled_at_once() -> None:
    """As at the end of a loop."""
    steps: list[str] = []

    async def function() -> None:
        try:
            await wait_for_ever()
        finally:
            await asyncio.sleep(0.02)
            steps.append("cleaned")

    async def main() -> None:
        run = asyncio.create_task(run_async(one(Gather((one(Call(function)), one(Call(function))), 2))))
        await asyncio.sleep(0.02)
        for task in others():
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(main())
    assert steps == ["cleaned", "cleaned"]


@pytest.mark.parametrize("is_async", [False, True], ids=["ordinary", "async"])
def test_what_waited_for_its_turn_is_never_begun(is_async: bool) -> None:
    """A gather that is cancelled takes no other program, nor does one whose programs catch everything."""
    begun: list[int] = []

    async def wait_async(number: int) -> None:
        begun.append(number)
        await wait_for_ever()

    def wait(number: int, released: threading.Event) -> None:
        begun.append(number)
        released.wait()

    def program(number: int, released: threading.Event) -> Program[None]:
        call = Call(wait_async, (number,)) if is_async else Call(wait, (number, released))
        for _ in range(3):
            yield from told(call)

    async def main() -> None:
        with released_at_end() as released:
            await cancelled(one(Gather(tuple(program(number, released) for number in range(10)), 2)), 0.05)
            await asyncio.sleep(0.01)

    asyncio.run(main())
    assert sorted(begun) == [0, 1]


@pytest.mark.parametrize("timeout_s", [None, FOREVER_S])
def test_a_worker_that_blocks_is_left_to_itself(timeout_s: float | None) -> None:
    """It is counted until its call ends."""

    async def main() -> None:
        with released_at_end() as released:
            programs = tuple(one(Call(released.wait, timeout_s=timeout_s)) for _ in range(3))
            await cancelled(one(Gather(programs, 2)))
            assert abandoned_calls() == 2
            assert others() == set()
        assert eventually(lambda: abandoned_calls() == 0)

    asyncio.run(main())


def test_a_coroutine_that_comes_with_the_cancellation_is_closed() -> None:
    """A worker has just returned one that nobody will await: no complaint of it."""

    async def main() -> None:
        returned = threading.Event()

        def function() -> Awaitable[None]:
            returned.set()
            return wait_for_ever()

        run = asyncio.create_task(run_async(one(Call(function))))
        await asyncio.sleep(0)
        assert returned.wait(5)
        time.sleep(0.02)  # the loop stands still: the run has not heard of it
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(main())
    gc.collect()


@pytest.mark.parametrize("passes", range(6))
def test_at_any_moment(passes: int) -> None:
    """After so many passes of the loop, and a second time while it ends: no complaint, and nothing left."""

    async def main() -> None:
        async def quick() -> None:
            await asyncio.sleep(0)

        def program() -> Program[None]:
            yield Call(quick)
            yield Gather((one(Call(quick)), one(Call(wait_for_ever)), one(Call(add, (1, 2)))), 2)

        for again in (False, True):
            run = asyncio.create_task(run_async(program()))
            for _ in range(passes):
                await asyncio.sleep(0)
            run.cancel()
            if again:
                await asyncio.sleep(0)
                run.cancel()
            with promptly(), pytest.raises(asyncio.CancelledError):
                await run
        await asyncio.sleep(0.01)
        assert others() == set()

    asyncio.run(main())
    gc.collect()


@pytest.mark.parametrize("passes", range(6))
def test_all_tasks_at_once_at_any_moment(passes: int) -> None:
    """Be it before a function that was called has begun: no complaint of it, and nothing left."""

    async def main() -> None:
        programs = (one(Call(lambda: wait_for_ever(), brief=True)), one(Call(wait_for_ever)))
        run = asyncio.create_task(run_async(one(Gather(programs, 2))))
        for _ in range(passes):
            await asyncio.sleep(0)
        for task in others():
            task.cancel()
        with promptly(), pytest.raises(asyncio.CancelledError):
            await run
        await asyncio.sleep(0)
        assert others() == set()

    asyncio.run(main())
    gc.collect()


def test_a_time_out_around_a_run_is_seen_as_one() -> None:
    """The cancellation is not swallowed on the way."""

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await run_async(told(Gather((told(Call(wait_for_ever)), told(Call(wait_for_ever))), 2)))
        with pytest.raises(ExceptionGroup) as caught:
            await in_a_group(told(Call(wait_for_ever)), one(Call(int, ("x",))))
        assert [type(error) for error in caught.value.exceptions] == [ValueError]

    async def in_a_group(*programs: Program[Any]) -> None:
        async with asyncio.TaskGroup() as group:
            for program in programs:
                group.create_task(run_async(program))

    with promptly():
        asyncio.run(main())


async def cancel_oneself() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


async def await_what_was_cancelled() -> None:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    future.cancel()
    await future


def raise_one() -> None:
    raise asyncio.CancelledError


@every_run
@pytest.mark.parametrize("function", [cancel_oneself, await_what_was_cancelled, raise_one, lambda: cancel_oneself()])
@pytest.mark.parametrize("timeout_s", [None, 20.0])
def test_a_cancellation_from_inside_is_thrown(run: Run, function: Callable[[], Any], timeout_s: float | None) -> None:
    """Nobody has cancelled the run, so it goes on."""

    def program() -> Program[int]:
        with pytest.raises(CallCancelledError, match="from inside"):
            yield Call(function, timeout_s=timeout_s)
        result: int = yield Call(add, (1, 2))
        return result

    assert run(program()) == 3


@pytest.mark.parametrize("effect", [Call(wait_for_ever), Sleep(FOREVER_S), Call(add, (1, 2))])
def test_a_program_that_yields_at_its_end_hides_nothing(effect: Effect) -> None:
    """What it asks for while it is closed is not done, and the canceller is told of the cancellation."""

    def program() -> Program[None]:
        try:
            yield Call(wait_for_ever)
        finally:
            yield effect

    async def main() -> None:
        for wrap in (lambda program: program, lambda program: within(program, FOREVER_S)):
            inner = program()
            run = asyncio.create_task(run_async(wrap(inner)))
            await asyncio.sleep(0.01)
            run.cancel()
            with promptly(), pytest.raises(asyncio.CancelledError):
                await run
            inner.close()

    asyncio.run(main())


@pytest.mark.parametrize("is_async", [False, True], ids=["ordinary", "async"])
def test_a_loop_that_is_closed_early(is_async: bool, caplog: pytest.LogCaptureFixture) -> None:
    """The tasks are destroyed, of which the loop itself complains; but nothing fails, and a worker can go on."""

    async def main(released: threading.Event) -> None:
        call = Call(wait_for_ever) if is_async else Call(released.wait)
        runs = {asyncio.create_task(run_async(one(Gather(tuple(told(call) for _ in range(3)), 2))))}
        await asyncio.wait(runs, timeout=0.02)

    loop = asyncio.new_event_loop()
    with released_at_end() as released:
        loop.run_until_complete(main(released))
        loop.close()
        del loop
    time.sleep(0.01)
    gc.collect()  # the tasks that nobody can resume
    assert eventually(lambda: abandoned_calls() == 0)
    messages = {record.getMessage().partition("\n")[0] for record in caplog.records}
    caplog.clear()
    assert messages == {"Task was destroyed but it is pending!"}
