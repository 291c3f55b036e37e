"""The two runners: one program, one result, and nothing left behind but calls that could not be stopped."""

from __future__ import annotations

import contextvars
import inspect
import threading
import time
from collections.abc import Awaitable
from concurrent.futures import TimeoutError as WaitedTooLong
from contextlib import closing
from functools import partial
from typing import Any, TypeVar, assert_never

from magic_tools.effects.performing import go_on, in_order, through
from magic_tools.effects.portal import Portal
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
from magic_tools.effects.workers import Attempt, Job, Workers, attempted

__all__ = ["run_async", "run_sync"]

T = TypeVar("T")


def run_sync(program: Program[T]) -> T:
    """The result of a program whose calls run in this thread, but for those that may block beyond their time.

    What async functions return is awaited on a thread with a loop of its own, closed at the end;
    so this works inside a running event loop too.
    """
    run = _SyncRun()
    try:
        return run.through(program)  # type: ignore[no-any-return]  # a program's effects are untyped
    finally:
        run.close()


async def run_async(program: Program[T]) -> T:
    """The result of a program; ordinary functions run in worker threads, with this task's context variables."""
    with closing(Workers()) as workers:
        result: T = await through(program, workers)
        return result


class _SyncRun:
    """What the effects of one run come to, and the threads that it needs for them, begun when they are needed."""

    __slots__ = ("_making", "_over", "_portals", "_workers")

    def __init__(self) -> None:
        self._making = threading.Lock()
        self._workers: Workers | None = None
        self._portals: list[Portal] = []
        self._over = False

    def through(self, program: Program[Any]) -> Any:
        """The result of a program."""
        try:
            effect = next(program)
            while True:
                effect = go_on(program, self._perform(effect))
        except StopIteration as end:
            return end.value
        finally:
            program.close()

    def close(self) -> None:
        """End all threads but those of calls that cannot be stopped; what is still under way begins nothing more."""
        self._over = True
        for portal in self._portals:
            portal.close()
        if self._workers is not None:
            self._workers.close()

    def _perform(self, effect: Effect) -> Attempt:
        if self._over:
            return Attempt(error=CallCancelledError("the run is over"))
        match effect:
            case Call():
                return self._called(effect)
            case Sleep(seconds):
                time.sleep(seconds)
                return Attempt()
            case Gather():
                return self._gathered(effect)
            case _:
                assert_never(effect)

    def _called(self, call: Call) -> Attempt:
        if call.timeout_s is None or call.brief or inspect.iscoroutinefunction(call.fn):
            attempt = attempted(contextvars.copy_context().run, call.fn, *call.args, **call.kwargs)
        else:
            attempt = self._in_a_worker(partial(call.fn, *call.args, **call.kwargs), call.timeout_s)
        if attempt.error is None and inspect.isawaitable(attempt.value):
            return self._awaited(attempt.value, call.timeout_s)
        return attempt

    def _in_a_worker(self, work: partial[Any], timeout_s: float) -> Attempt:
        try:
            job = self._threads().start(work)
        except NoWorkerError as error:
            return Attempt(error=error)
        try:
            return job.future.result(timeout_s)
        except WaitedTooLong:
            return Attempt(error=CallTimeoutError(still_runs=True)) if job.abandon() else job.future.result()
        finally:
            job.abandon()

    def _awaited(self, awaitable: Awaitable[Any], timeout_s: float | None) -> Attempt:
        with self._making:
            if not self._portals or self._portals[-1].abandoned:
                try:
                    self._portals.append(Portal())
                except NoWorkerError as error:
                    if inspect.iscoroutine(awaitable):
                        awaitable.close()
                    return Attempt(error=error)
        return self._portals[-1].attempt(awaitable, timeout_s)

    def _gathered(self, gather: Gather) -> Attempt:
        attempts = [Attempt()] * len(gather.programs)
        waiting, taking = iter(enumerate(gather.programs)), threading.Lock()

        def lane() -> None:
            while not self._over:
                with taking:
                    index, program = next(waiting, (-1, None))
                if program is None:
                    return
                attempts[index] = attempted(self.through, program)

        jobs = self._lanes(lane, min(gather.at_once, len(gather.programs)))
        try:
            if not jobs:
                lane()
            for job in jobs:
                job.future.result()
        except BaseException:
            self._over = True  # what runs beside this thread begins nothing more
            raise
        finally:
            for job in jobs:
                job.abandon()
        return in_order(attempts)

    def _lanes(self, lane: Any, count: int) -> list[Job]:
        """The threads that take the programs in turn: none for a single one, or where none can be had."""
        jobs: list[Job] = []
        for _ in range(count if count > 1 else 0):
            try:
                jobs.append(self._threads().start(lane))
            except NoWorkerError:
                break
        return jobs

    def _threads(self) -> Workers:
        with self._making:
            if self._workers is None:
                self._workers = Workers()
            return self._workers
