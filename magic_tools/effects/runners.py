"""The two runners: one program, one result, and nothing left behind but calls that could not be stopped."""

from __future__ import annotations

import contextvars
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Self, TypeVar, assert_never

from magic_tools.effects.performing import (
    clocked,
    ends_the_run,
    go_on,
    in_order,
    lane_count,
    through,
    unbegun,
)
from magic_tools.effects.portal import Portal
from magic_tools.effects.program import Call, Effect, Gather, NoWorkerError, Program, Sleep, close
from magic_tools.effects.workers import Attempt, Tell, Workers, attempted, discard, is_awaitable, run_is_over

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
        try:
            run.close()
        except BaseException:
            run.close()  # an interrupt on the way leaves nothing unended
            raise


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

    def through(self, program: Program[Any], begun: Attempt | None = None) -> Any:
        """The result of a program, which may have come to its first effect; none is begun once the run is over."""
        try:
            effect = next(program) if begun is None else begun.get()
            while True:
                effect = go_on(program, self._perform(effect))
        except StopIteration as end:
            return end.value
        except BaseException:
            close(program)
            raise

    def close(self) -> None:
        """End all threads but those of calls that cannot be stopped; what is still under way begins nothing more."""
        self._over = True
        if self._workers is None and not self._portals:
            return
        with self._making:
            if self._workers is not None:
                self._workers.stop()
            for portal in self._portals:
                portal.stop()
        for portal in self._portals:
            portal.wait()
        if self._workers is not None:
            self._workers.close()

    def _perform(self, effect: Effect) -> Attempt:
        if self._over:
            raise run_is_over()
        match effect:
            case Call():
                return self._called(effect)
            case Sleep(seconds):
                (time.sleep if self._workers is None else self._workers.sleep)(clocked(seconds))
                return Attempt()
            case Gather():
                return self._gathered(effect)
            case _:
                assert_never(effect)

    def _called(self, call: Call) -> Attempt:
        timeout_s = call.timeout_s
        if timeout_s is None or call.brief or inspect.iscoroutinefunction(call.fn):
            attempt = attempted(contextvars.copy_context().run, call.fn, *call.args, **call.kwargs)
        else:
            begun = time.monotonic()
            attempt = self._in_a_worker(partial(call.fn, *call.args, **call.kwargs), timeout_s)
            timeout_s += begun - time.monotonic()
        if attempt.error is None and is_awaitable(attempt.value):
            return self._awaited(attempt.value, timeout_s)
        return attempt

    def _in_a_worker(self, work: partial[Any], timeout_s: float) -> Attempt:
        answer: SimpleQueue[Attempt] = SimpleQueue()
        try:
            job = self._threads().start(work, answer.put)
        except NoWorkerError as error:
            return Attempt(error=error)
        try:
            return answer.get(timeout=clocked(timeout_s))
        except Empty:
            return job.give_up()
        except BaseException:
            job.drop()
            raise

    def _awaited(self, awaitable: Awaitable[Any], timeout_s: float | None) -> Attempt:
        try:
            portal = self._portal()
        except BaseException as error:
            discard(awaitable)
            if isinstance(error, NoWorkerError):
                return Attempt(error=error)
            raise
        return portal.attempt(awaitable, timeout_s)

    def _portal(self) -> Portal:
        with self._making:
            if self._over:
                raise run_is_over()
            free = next((portal for portal in self._portals if portal.is_free), None)
            if free is not None:
                return free
            portal = Portal()
            self._portals.append(portal)  # before it begins: an interrupt on the way leaves none that is not ended
            try:
                portal.begin()
            except NoWorkerError:
                self._portals.remove(portal)
                raise
            return portal

    def _gathered(self, gather: Gather) -> Attempt:
        attempts = unbegun(gather)
        turns = _Turns(gather.programs)
        ended: SimpleQueue[Attempt] = SimpleQueue()

        def lane() -> bool:
            """Whether something goes straight out, for which the others are not waited for."""
            for index, program, begun in turns:
                attempts[index] = attempted(self.through, program, begun)
                if self._over or ends_the_run(attempts[index].error):
                    return True
            return False

        count = self._begin_lanes(lane, ended.put, lane_count(gather))
        if count == 0:
            contextvars.copy_context().run(lane)
        for _ in range(count):
            if ended.get().value is True:
                break
        return in_order(attempts)

    def _begin_lanes(self, lane: Callable[[], bool], tell: Tell, count: int) -> int:
        """How many threads take the programs in turn: none for a single one, or where none can be had."""
        for begun in range(count if count > 1 else 0):
            try:
                self._threads().start(lane, tell)
            except NoWorkerError:
                return begun
        return count if count > 1 else 0

    def _threads(self) -> Workers:
        with self._making:
            if self._workers is None:
                self._workers = Workers()
            return self._workers


class _Turns:
    """Programs, each of which one thread takes: begun in order, the next only when one has come to its first effect."""

    def __init__(self, programs: tuple[Program[Any], ...]) -> None:
        self._waiting = iter(enumerate(programs))
        self._beginning = threading.Lock()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[int, Program[Any], Attempt]:
        with self._beginning:
            index, program = next(self._waiting)
            return index, program, attempted(next, program)
