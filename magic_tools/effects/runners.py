"""The two runners: one program, one result, and nothing left behind but calls that could not be stopped."""

from __future__ import annotations

import contextvars
import inspect
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import closing
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Self, TypeVar, assert_never

from magic_tools.effects.drawing import drawn
from magic_tools.effects.performing import (
    Listener,
    emitting,
    go_on,
    in_order,
    lane_count,
    through,
    to_nobody,
    unbegun,
)
from magic_tools.effects.portal import Portal
from magic_tools.effects.program import Call, Draw, Emit, Gather, NoWorkerError, Program, Sleep, close
from magic_tools.effects.waiting import clocked
from magic_tools.effects.workers import (
    NOTHING,
    Attempt,
    Tell,
    Workers,
    attempted,
    discard,
    ends_the_run,
    is_awaitable,
    run_is_over,
)

__all__ = ["run_async", "run_sync", "stream_async", "stream_sync"]

T = TypeVar("T")


def run_sync(program: Program[T]) -> T:
    """The result of a program whose calls run in this thread, but for those that may block beyond their time.

    What async functions return is awaited on a thread with a loop of its own, closed at the end;
    so this works inside a running event loop too.
    """
    run = _SyncRun()
    try:
        return _told(run.emitting(program), to_nobody)  # type: ignore[no-any-return]  # a program's effects are untyped
    finally:
        run.close()


async def run_async(program: Program[T]) -> T:
    """The result of a program; ordinary functions run in worker threads, with this task's context variables."""
    with closing(Workers()) as workers:
        result: T = await through(program, workers)
        return result


def stream_sync(program: Program[Any]) -> Generator[Any, None, None]:
    """What a program emits, when it does; it goes on when the next is asked for, and ends when the stream is closed.

    Programs side by side, and what is drawn within a time, go on in threads of their own meanwhile.
    """
    with closing(_SyncRun()) as run:
        yield from run.emitting(program)


def stream_async(program: Program[Any]) -> AsyncGenerator[Any, None]:
    """What a program emits, when it does; it goes on when the next is awaited, and ends when the stream is closed.

    Programs side by side, and what is drawn, go on in tasks of their own meanwhile, in the loop that awaits them.
    """
    return emitting(program)


class _SyncRun:
    """What the effects of one run come to, and the threads that it needs for them, begun when they are needed."""

    __slots__ = ("_making", "_over", "_portals", "_workers")

    def __init__(self) -> None:
        self._making = threading.Lock()
        self._workers: Workers | None = None
        self._portals: list[Portal] = []
        self._over = False

    def emitting(self, program: Program[Any], begun: Attempt | None = None) -> Generator[Any, None, Any]:
        """What a program emits, and at last its result; no effect is begun once the run is over."""
        try:
            effect = next(program) if begun is None else begun.get()
            while not self._over:
                match effect:
                    case Call():
                        attempt = self._called(effect)
                    case Emit():
                        yield effect.value
                        attempt = NOTHING
                    case Draw():
                        attempt = yield from drawn(effect, self._threads, self._is_over)
                    case Gather():
                        attempt = yield from self._gathered(effect)
                    case Sleep(seconds):
                        (time.sleep if self._workers is None else self._workers.sleep)(clocked(seconds))
                        attempt = NOTHING
                    case _:
                        assert_never(effect)
                effect = go_on(program, attempt)
        except StopIteration as end:
            program.close()  # the end may be one that was thrown in
            return end.value
        except BaseException:
            close(program)
            raise
        close(program)
        raise run_is_over()

    def close(self) -> None:
        """End all threads but those of calls that cannot be stopped; what is still under way begins nothing more."""
        self._over = True
        if self._workers is None and not self._portals:
            return
        try:
            self._end_threads()
        except BaseException:
            self._end_threads()  # an interrupt on the way leaves nothing unended
            raise

    def _end_threads(self) -> None:
        with self._making:
            if self._workers is not None:
                self._workers.stop()
            for portal in self._portals:
                portal.stop()
        for portal in self._portals:
            portal.wait()
        if self._workers is not None:
            self._workers.close()

    def _is_over(self) -> bool:
        return self._over

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

    def _gathered(self, gather: Gather) -> Generator[Any, None, Attempt]:
        """What the programs emit, when they do, and what they come to: in threads, or in this one where that is all."""
        attempts = unbegun(gather)
        count = lane_count(gather)
        if count < 2 or not (yield from self._side_by_side(gather.programs, attempts, count)):
            yield from self._one_by_one(gather.programs, attempts)
        return in_order(attempts)

    def _one_by_one(self, programs: tuple[Program[Any], ...], attempts: list[Attempt]) -> Generator[Any, None, None]:
        """What programs emit that run in this thread; under context variables that are not those of the caller."""
        context = contextvars.copy_context()
        for index, program in enumerate(programs):
            attempts[index] = yield from _under(context, self.emitting(program))
            if self._goes_out(attempts[index]):
                break

    def _side_by_side(
        self, programs: tuple[Program[Any], ...], attempts: list[Attempt], count: int
    ) -> Generator[Any, None, bool]:
        """What programs emit that run in so many threads at most; whether there was one at least."""
        turns = _Turns(programs)
        ended: SimpleQueue[Attempt | Emit] = SimpleQueue()

        def emit(value: Any) -> None:
            ended.put(Emit(value))

        def lane() -> bool:
            """Whether something goes straight out, for which the others are not waited for."""
            for index, program, begun in turns:
                attempts[index] = attempted(_told, self.emitting(program, begun), emit)
                if self._goes_out(attempts[index]):
                    return True
            return False

        left = begun = self._begin_lanes(lane, ended.put, count)
        while left:
            match ended.get():
                case Emit(value):
                    yield value
                case Attempt(value=True):
                    break
                case _:
                    left -= 1
        return begun > 0

    def _goes_out(self, attempt: Attempt) -> bool:
        return self._over or ends_the_run(attempt.error)

    def _begin_lanes(self, lane: Callable[[], bool], tell: Tell, count: int) -> int:
        """How many threads take the programs in turn: fewer where no more can be had."""
        for begun in range(count):
            try:
                self._threads().start(lane, tell)
            except NoWorkerError:
                return begun
        return count

    def _threads(self) -> Workers:
        with self._making:
            if self._workers is None:
                self._workers = Workers()
            return self._workers


def _told(emitted: Generator[Any, None, Any], tell: Listener) -> Any:
    """What a generator comes to, all that it emits being told on the way."""
    try:
        while True:
            tell(next(emitted))
    except StopIteration as end:
        return end.value
    finally:
        emitted.close()


def _under(context: contextvars.Context, emitted: Generator[Any, None, Any]) -> Generator[Any, None, Attempt]:
    """The same generator, each step of which has these context variables, and what it comes to, whatever it raises."""
    try:
        while True:
            try:
                value = context.run(next, emitted)
            except StopIteration as end:
                return Attempt(end.value)
            except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the program
                return Attempt(error=error)
            yield value
    finally:
        context.run(emitted.close)


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
