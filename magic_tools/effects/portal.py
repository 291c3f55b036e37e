"""An event loop on a thread of its own, for what an ordinary thread has to have awaited."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from magic_tools.effects.performing import awaited
from magic_tools.effects.program import CallTimeoutError, NoWorkerError
from magic_tools.effects.waiting import GRACE_S, clocked
from magic_tools.effects.workers import Attempt, Daemon, discard, run_is_over

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

__all__ = ["Portal"]


class _Request:
    """Something to be awaited, and where what it comes to is to be put."""

    def __init__(self, awaitable: Awaitable[Any], timeout_s: float | None) -> None:
        self.awaitable = awaitable
        self.timeout_s = timeout_s
        self.answer: SimpleQueue[Attempt] = SimpleQueue()
        self._taking = threading.Lock()

    def take(self) -> bool:
        """Whether one is the first: the loop that begins it, or who will no longer wait for that."""
        return self._taking.acquire(blocking=False)


class Portal(Daemon):
    """A thread with an event loop that awaits what others give it, from `begin` until `stop`.

    It is `abandoned` while something that it awaits does not let its loop go on, or does not end after `stop`.
    """

    def __init__(self) -> None:
        super().__init__("magic-tools-portal")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._beginning = threading.Lock()  # held until there is a loop, or can be none
        self._beginning.acquire()
        self._telling = threading.Lock()  # held where the loop is told something, and where it is told no more
        self._stopped = False
        self._failure: BaseException | None = None

    @property
    def is_free(self) -> bool:
        """Whether it can be given something."""
        return not (self.abandoned or self._stopped)

    def attempt(self, awaitable: Awaitable[Any], timeout_s: float | None) -> Attempt:
        """What an awaitable comes to in the time allowed, with the context variables of the calling thread.

        If what is awaited does not let the loop go on, the whole thread is given up.
        """
        request = _Request(awaitable, timeout_s)
        if not self._tell(self._begin_task, request):
            discard(awaitable)
            return self._not_ended()
        try:
            return request.answer.get(timeout=None if timeout_s is None else clocked(timeout_s) + 2 * GRACE_S)
        except Empty:
            still_runs = not request.take()
            self.abandoned = True
            self._tell(self._goes_on)
            return Attempt(error=CallTimeoutError(still_runs=still_runs))

    def stop(self) -> None:
        """Have it cancel what it still awaits, and end; nothing more is awaited."""
        with self._telling, suppress(RuntimeError):  # of a loop that is closed by now
            self._stopped = True
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._loop.stop)

    def wait(self) -> None:
        """Wait a little for its end; then it is left to itself."""
        try:
            if self.is_alive():
                self.join(0 if self.abandoned else 2 * GRACE_S)
        finally:
            self.abandoned = self.is_alive()

    def run(self) -> None:
        """Serve until stopped; what breaks the loop, or what it cannot be had for, is told to those who wait."""
        import asyncio

        try:
            with asyncio.Runner() as runner:
                self._serve(runner.get_loop())
        except OSError as error:
            self._fail(NoWorkerError(f"the process can have no event loop: {error}"))
            self._beginning.release()

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._telling:
            self._loop = loop
        self._beginning.release()
        while not self._stopped:
            try:
                loop.run_forever()  # which what is awaited may end too
            except BaseException as error:  # noqa: BLE001 - it belongs to those who wait
                self._fail(error)

    def _fail(self, error: BaseException) -> None:
        with self._telling:
            self._failure, self._stopped = error, True

    def _tell(self, callback: Callable[..., object], *args: Any) -> bool:
        with self._beginning, self._telling:
            if self._loop is None or self._stopped:
                return False
            self._loop.call_soon_threadsafe(callback, *args)
            return True

    def _begin_task(self, request: _Request) -> None:
        import asyncio

        if self._stopped:
            request.answer.put(self._not_ended())
            discard(request.awaitable)
        elif request.take():
            task = asyncio.create_task(awaited(request.awaitable, request.timeout_s))
            task.add_done_callback(partial(self._end_task, request))
        else:
            discard(request.awaitable)

    def _end_task(self, request: _Request, task: asyncio.Task[Attempt]) -> None:
        discard(request.awaitable)
        request.answer.put(self._not_ended() if task.cancelled() else task.result())

    def _not_ended(self) -> Attempt:
        return Attempt(error=self._failure or run_is_over())

    def _goes_on(self) -> None:
        if not self._stopped:
            self.abandoned = False
