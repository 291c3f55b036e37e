"""What an event loop does for a program: every effect, awaited."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, assert_never

from magic_tools.effects.program import (
    Call,
    CallCancelledError,
    CallTimeoutError,
    Effect,
    Gather,
    NoWorkerError,
    Program,
    Sleep,
)
from magic_tools.effects.workers import Attempt, Workers, attempted

if TYPE_CHECKING:
    import asyncio

__all__ = ["GRACE_S", "awaited", "go_on", "in_order", "perform", "through"]

GRACE_S = 0.2
"""How long a call that is being cancelled may take for it before it is left to itself, in seconds."""


def go_on(program: Program[Any], attempt: Attempt) -> Effect:
    """The next effect of a program, after what the last one came to.

    An interrupt or an exit goes straight out, as the program has no say in it; a cancellation that came out of
    what was called, while nobody cancelled the run, is a CallCancelledError.
    """
    error = attempt.error
    if error is None:
        return program.send(attempt.value)
    if isinstance(error, Exception):
        return program.throw(error)
    if _is_cancellation(error):
        return program.throw(CallCancelledError("the call was cancelled from inside"))
    raise error


def _is_cancellation(error: BaseException) -> bool:
    import asyncio

    return isinstance(error, asyncio.CancelledError)


def in_order(attempts: list[Attempt]) -> Attempt:
    """The values of all, or what the first has raised of those that have."""
    failed = (attempt for attempt in attempts if attempt.error is not None)
    return next(failed, Attempt([attempt.value for attempt in attempts]))


async def through(program: Program[Any], workers: Workers) -> Any:
    """The result of a program, each effect of which is awaited in this task."""
    with closing(program):
        try:
            effect = next(program)
            while True:
                effect = go_on(program, await perform(effect, workers))
        except StopIteration as end:
            return end.value


async def perform(effect: Effect, workers: Workers) -> Attempt:
    """What an effect comes to; a cancellation of this task goes on to what it waits for, and comes out promptly."""
    import asyncio

    match effect:
        case Call():
            return await _called(effect, workers)
        case Sleep(seconds):
            await asyncio.sleep(seconds)
            return Attempt()
        case Gather():
            return await _gathered(effect, workers)
        case _:
            assert_never(effect)


async def awaited(awaitable: Awaitable[Any], timeout_s: float | None = None) -> Attempt:
    """What an awaitable comes to, in a task of its own, which is cancelled after its time."""
    import asyncio

    task = asyncio.ensure_future(_attempted(awaitable))
    try:
        await asyncio.wait({task}, timeout=timeout_s)
        if task.done():
            return task.result()
    finally:
        if not task.done():
            await _stopped({task})
        if task.done() and inspect.iscoroutine(awaitable):
            awaitable.close()  # which is of interest where the task was cancelled before it began
    return Attempt(error=CallTimeoutError(still_runs=not task.done()))


async def _attempted(awaitable: Awaitable[Any]) -> Attempt:
    """What an awaitable comes to; an exit that it raises thus ends the program, and not the loop at once."""
    try:
        return Attempt(await awaitable)
    except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the program
        return Attempt(error=error)


async def _stopped(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and wait a little for those that clean up."""
    import asyncio

    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=GRACE_S)


async def _called(call: Call, workers: Workers) -> Attempt:
    if call.afn is not None:
        return await _begun(partial(call.afn, *call.args, **call.kwargs), call.timeout_s)
    work = partial(call.fn, *call.args, **call.kwargs)
    if inspect.iscoroutinefunction(call.fn):
        return await _begun(work, call.timeout_s)
    if call.brief:
        return attempted(work)
    attempt = await _in_a_worker(work, call.timeout_s, workers)
    if inspect.isawaitable(attempt.value):
        return await awaited(attempt.value, call.timeout_s)
    return attempt


async def _begun(work: partial[Any], timeout_s: float | None) -> Attempt:
    attempt = attempted(work)
    return attempt if attempt.error is not None else await awaited(attempt.value, timeout_s)


async def _in_a_worker(work: partial[Any], timeout_s: float | None, workers: Workers) -> Attempt:
    import asyncio

    try:
        job = workers.start(work)
    except NoWorkerError as error:
        return Attempt(error=error)
    waiting = asyncio.wrap_future(job.future)
    try:
        await asyncio.wait({waiting}, timeout=timeout_s)
        if waiting.done() or not job.abandon():
            return job.future.result()
        return Attempt(error=CallTimeoutError(still_runs=True))
    finally:
        waiting.cancel()
        job.abandon()


async def _gathered(gather: Gather, workers: Workers) -> Attempt:
    import asyncio

    attempts = [Attempt()] * len(gather.programs)
    waiting = iter(enumerate(gather.programs))

    async def lane() -> None:
        for index, program in waiting:
            attempts[index] = await _attempted(through(program, workers))

    lanes = {asyncio.ensure_future(lane()) for _ in range(min(gather.at_once, len(gather.programs)))}
    try:
        if lanes:
            await asyncio.wait(lanes)
    except asyncio.CancelledError:
        await _stopped(lanes)
        raise
    return in_order(attempts)
