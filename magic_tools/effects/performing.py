"""What an event loop does for a program: every effect, awaited."""

from __future__ import annotations

import contextvars
import inspect
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import closing, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

from magic_tools.effects.program import (
    Call,
    CallBrokenError,
    CallCancelledError,
    CallTimeoutError,
    Draw,
    Effect,
    Emit,
    Gather,
    NoWorkerError,
    Program,
    Sleep,
    close,
)
from magic_tools.effects.supplying import Supply, TaskSupply, ThreadSupply, items_awaited
from magic_tools.effects.waiting import GRACE_S, cancel, cancelled, clocked
from magic_tools.effects.workers import (
    NOTHING,
    Attempt,
    Workers,
    attempted,
    discard,
    ends_the_run,
    is_awaitable,
    run_is_over,
)

if TYPE_CHECKING:
    import asyncio

__all__ = [
    "Listener",
    "awaited",
    "emitting",
    "go_on",
    "in_order",
    "lane_count",
    "perform",
    "through",
    "to_nobody",
    "unbegun",
]


def go_on(program: Program[Any], attempt: Attempt) -> Effect:
    """The next effect of a program, after what the last one came to.

    An interrupt or an exit goes straight out, as the program has no say in it; a cancellation that came out of
    what was called, while nobody cancelled the run, is a CallCancelledError, and what else is no Exception is the
    cause of a CallBrokenError.
    """
    error = attempt.error
    if error is None:
        return program.send(attempt.value)
    if isinstance(error, Exception):
        return program.throw(error)
    if ends_the_run(error):
        raise error
    if _is_cancellation(error):
        return program.throw(CallCancelledError("the call was cancelled from inside"))
    return program.throw(CallBrokenError(error))


def _is_cancellation(error: BaseException | None) -> bool:
    import asyncio

    return isinstance(error, asyncio.CancelledError)


def unbegun(gather: Gather) -> list[Attempt]:
    """What the programs have come to before they begin."""
    return [Attempt(error=run_is_over())] * len(gather.programs)


def lane_count(gather: Gather) -> int:
    """How many of the programs can be under way at a time."""
    return min(max(gather.at_once, 1), len(gather.programs))


def in_order(attempts: list[Attempt]) -> Attempt:
    """The values of all, or what the first has raised of those that have; before all what goes straight out."""
    failed = [attempt for attempt in attempts if attempt.error is not None]
    if not failed:
        return Attempt([attempt.value for attempt in attempts])
    return next((attempt for attempt in failed if ends_the_run(attempt.error)), failed[0])


Listener: TypeAlias = Callable[[Any], object]
"""What is called with each value that a program emits."""


def to_nobody(_: Any) -> None:
    """What is emitted where nobody listens."""


async def through(program: Program[Any], workers: Workers, tell: Listener = to_nobody) -> Any:
    """The result of a program, each effect of which is awaited in this task."""
    try:
        effect = next(program)
        while True:
            effect = go_on(program, await perform(effect, workers, tell))
    except StopIteration as end:
        return end.value
    except BaseException:
        close(program)
        raise


async def emitting(program: Program[Any]) -> AsyncGenerator[Any, None]:
    """What a program emits, when it does; each other effect is awaited by whoever asks for the next."""
    with closing(Workers()) as workers:
        try:
            effect = next(program)
            while True:
                match effect:
                    case Emit():
                        yield effect.value
                        attempt = NOTHING
                    case Draw() | Gather():
                        async with _supply(effect, workers) as supply:
                            while (made := await supply.made()) is not None:
                                for value in made:
                                    yield value
                        attempt = supply.attempt
                        del supply  # a stream that goes on keeps nothing of what it has drawn
                    case _:
                        attempt = await perform(effect, workers, to_nobody)
                effect = go_on(program, attempt)
        except StopIteration:
            program.close()  # the end may be one that was thrown in
        except BaseException:
            close(program)
            raise


def _supply(effect: Draw | Gather, workers: Workers) -> Supply:
    """What an effect emits."""
    if isinstance(effect, Gather):
        return TaskSupply(lambda supply: _gathered(effect, workers, supply.put), grace_s=None)
    if effect.aopen is None:
        return ThreadSupply(effect, workers)
    return TaskSupply(partial(items_awaited, effect.aopen), effect.take, effect.timeout_s)


async def perform(effect: Effect, workers: Workers, tell: Listener) -> Attempt:
    """What an effect comes to; a cancellation of this task goes on to what it waits for, and comes out promptly."""
    import asyncio

    match effect:
        case Call():
            return await _called(effect, workers)
        case Sleep(seconds):
            await asyncio.sleep(clocked(seconds))
            return NOTHING
        case Gather():
            return await _gathered(effect, workers, tell)
        case Emit(value):
            tell(value)
            return NOTHING
        case Draw():
            async with _supply(effect, workers) as supply:
                while (made := await supply.made()) is not None:
                    for value in made:
                        tell(value)
            return supply.attempt
        case _:
            assert_never(effect)


async def awaited(awaitable: Awaitable[Any], timeout_s: float | None = None) -> Attempt:
    """What an awaitable comes to, in a task of its own, which is cancelled after its time."""
    import asyncio

    task = asyncio.get_running_loop().create_task(_attempted(awaitable))
    try:
        took_too_long = not await _is_done(task, timeout_s)
        if took_too_long:
            await cancelled({task}, GRACE_S)
    except asyncio.CancelledError:
        await cancelled({task}, GRACE_S)
        raise
    finally:
        if task.cancelled():  # maybe before it began
            discard(awaitable)
    if not task.done():
        return Attempt(error=CallTimeoutError(still_runs=True))
    attempt = Attempt(error=asyncio.CancelledError()) if task.cancelled() else task.result()
    if took_too_long and _is_cancellation(attempt.error):
        return Attempt(error=CallTimeoutError(still_runs=False))
    return attempt


async def _is_done(task: asyncio.Task[Any], timeout_s: float | None) -> bool:
    """Whether a task ends within its time; as `asyncio.wait` of that one task, in half of its own time."""
    loop = task.get_loop()
    waiting: asyncio.Future[None] = loop.create_future()

    def wake(_: object = None) -> None:
        if not waiting.done():
            waiting.set_result(None)

    task.add_done_callback(wake)
    timer = None if timeout_s is None else loop.call_later(timeout_s, wake)
    try:
        await waiting
    finally:
        if not task.done():
            task.remove_done_callback(wake)
        if timer is not None:
            timer.cancel()
    return task.done()


async def _attempted(awaitable: Awaitable[Any]) -> Attempt:
    """What an awaitable comes to; an exit that it raises thus ends the program, and not the loop at once."""
    try:
        return Attempt(await awaitable)
    except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the program
        return Attempt(error=error)


async def _called(call: Call, workers: Workers) -> Attempt:
    work = partial(call.afn or call.fn, *call.args, **call.kwargs)
    timeout_s = call.timeout_s
    if call.afn is not None or call.brief or inspect.iscoroutinefunction(call.fn):
        attempt = attempted(contextvars.copy_context().run, work)
    else:
        begun = time.monotonic()
        attempt = await _in_a_worker(work, timeout_s, workers)
        timeout_s = None if timeout_s is None else begun + timeout_s - time.monotonic()
    if attempt.error is None and is_awaitable(attempt.value):
        return await awaited(attempt.value, timeout_s)
    return attempt


async def _in_a_worker(work: partial[Any], timeout_s: float | None, workers: Workers) -> Attempt:
    import asyncio

    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[None] = loop.create_future()

    def tell(_: Attempt) -> None:
        with suppress(RuntimeError):  # of a loop that was closed while this waited
            loop.call_soon_threadsafe(waiting.cancel)

    try:
        job = workers.start(work, tell)
    except NoWorkerError as error:
        return Attempt(error=error)
    try:
        await asyncio.wait({waiting}, timeout=timeout_s)
    except BaseException:
        job.drop()
        raise
    return job.give_up()


async def _gathered(gather: Gather, workers: Workers, tell: Listener) -> Attempt:
    import asyncio

    attempts = unbegun(gather)
    waiting = iter(enumerate(gather.programs))
    lanes: set[asyncio.Task[None]] = set()

    async def lane() -> None:
        for index, program in waiting:
            attempts[index] = attempt = await _attempted(through(program, workers, tell))
            task = asyncio.current_task()
            if ends_the_run(attempt.error) or (task is not None and task.cancelling()):
                cancel(lanes)
                return

    lanes.update(asyncio.ensure_future(lane()) for _ in range(lane_count(gather)))
    try:
        if lanes:
            await asyncio.wait(lanes)
    except asyncio.CancelledError:
        await cancelled(lanes)  # for ever, if need be, as none takes longer for it than the grace
        raise
    return in_order(attempts)
