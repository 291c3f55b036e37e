"""Threads for calls that block: daemons that are kept for the next call, and left to themselves when given up."""

from __future__ import annotations

import contextvars
import inspect
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, NamedTuple

from magic_tools.effects.program import NoWorkerError

__all__ = ["MOST_ABANDONED", "Attempt", "Daemon", "Job", "Workers", "abandoned_calls", "attempted"]

MOST_ABANDONED = 64
"""How many calls that were given up may still run in a process before no other is begun in a thread."""


class Attempt(NamedTuple):
    """What an effect came to. A StopIteration of user code is thus never taken for a program's end."""

    value: Any = None
    error: BaseException | None = None


def attempted(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Attempt:
    """What a call comes to, whatever it raises."""
    try:
        return Attempt(fn(*args, **kwargs))
    except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the one who waits for it
        return Attempt(error=error)


class Daemon(threading.Thread):
    """A thread that a process does not wait for at its end; `abandoned` once nobody waits for what it does."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.abandoned = False

    def begin(self) -> None:
        """Start it; NoWorkerError where too many others were left to themselves, or the process has no more."""
        if abandoned_calls() >= MOST_ABANDONED:
            raise NoWorkerError(f"{MOST_ABANDONED} calls that were given up still run in this process")
        try:
            self.start()
        except RuntimeError as error:
            raise NoWorkerError("the process has no thread left") from error


def abandoned_calls() -> int:
    """How many calls of this process that were given up for their time still run, each in a thread of its own."""
    return sum(isinstance(thread, Daemon) and thread.abandoned for thread in threading.enumerate())


class Job:
    """One call in a thread, under the context variables of who began it."""

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self._work = (contextvars.copy_context(), fn, args)
        self.future: Future[Attempt] = Future()
        self.future.set_running_or_notify_cancel()  # from here on nobody but the thread ends it
        self.worker: _Worker

    def run(self) -> Attempt:
        """What the call comes to."""
        context, fn, args = self._work
        return attempted(context.run, fn, *args)

    def abandon(self) -> bool:
        """Give the call up, if it is not over by now; what it then comes to, nobody gets."""
        return self.worker.abandon(self)


class Workers:
    """The threads of one run; each call is given an idle one or a new one, and all are gone after `close`."""

    def __init__(self) -> None:
        self._idle: deque[_Worker] = deque()
        self._closed = False

    def start(self, fn: Callable[..., Any], *args: Any) -> Job:
        """Begin `fn(*args)` in a thread; NoWorkerError where there can be none."""
        job = Job(fn, args)
        try:
            job.worker = self._idle.pop()
        except IndexError:
            job.worker = _Worker(self)
            job.worker.begin()
        job.worker.jobs.put(job)
        return job

    def release(self, worker: _Worker) -> None:
        """Keep a thread for the next call."""
        self._idle.append(worker)
        if self._closed:
            self._end_idle(wait=False)

    def close(self) -> None:
        """End the threads; those whose call goes on end after it."""
        self._closed = True
        self._end_idle(wait=True)

    def _end_idle(self, *, wait: bool) -> None:
        while self._idle:
            worker = self._idle.pop()
            worker.jobs.put(None)
            if wait:
                worker.join()


class _Worker(Daemon):
    def __init__(self, home: Workers) -> None:
        super().__init__("magic-tools-worker")
        self.jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._home = home
        self._ending = threading.Lock()

    def run(self) -> None:
        while (job := self.jobs.get()) is not None:
            attempt = job.run()
            with self._ending:
                if self.abandoned:
                    if inspect.iscoroutine(attempt.value):
                        attempt.value.close()  # which nobody will await
                    return
                self._home.release(self)
                job.future.set_result(attempt)
            del job, attempt  # a thread that waits for its next call keeps nothing of the last one

    def abandon(self, job: Job) -> bool:
        with self._ending:
            over = job.future.done()
            self.abandoned = self.abandoned or not over
        return not over
