"""Threads for calls that block: daemons that are kept for the next call, and left to themselves when given up."""

from __future__ import annotations

import contextvars
import inspect
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from types import GeneratorType
from typing import Any, NamedTuple, TypeAlias

from magic_tools.effects.program import CallCancelledError, CallTimeoutError, NoWorkerError

__all__ = [
    "MOST_ABANDONED",
    "NOTHING",
    "Attempt",
    "Daemon",
    "Job",
    "Tell",
    "Workers",
    "abandoned_calls",
    "attempted",
    "discard",
    "ends_the_run",
    "is_awaitable",
    "run_is_over",
]

MOST_ABANDONED = 64
"""How many calls that were given up may still run in a process before no other is begun in a thread."""


class Attempt(NamedTuple):
    """What an effect came to. A StopIteration of user code is thus never taken for a program's end."""

    value: Any = None
    error: BaseException | None = None

    def get(self) -> Any:
        """The value, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


NOTHING = Attempt()
"""What an effect came to that has no value."""

Tell: TypeAlias = Callable[[Attempt], object]
"""What a thread calls with what a call came to."""


def attempted(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Attempt:
    """What a call comes to, whatever it raises."""
    try:
        return Attempt(fn(*args, **kwargs))
    except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the one who waits for it
        return Attempt(error=error)


def is_awaitable(value: Any) -> bool:
    """Whether a value can be awaited; told some four times as fast as by `inspect.isawaitable`."""
    return hasattr(type(value), "__await__") or (type(value) is GeneratorType and inspect.isawaitable(value))


def discard(value: Any) -> None:
    """Let go of what a call returned; a coroutine that nobody will await is closed."""
    if inspect.iscoroutine(value) and inspect.getcoroutinestate(value) == inspect.CORO_CREATED:
        value.close()


def ends_the_run(error: BaseException | None) -> bool:
    """Whether this is an interrupt or an exit."""
    return isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit)


def run_is_over() -> CallCancelledError:
    """The error of what was asked for when the run had ended, or did not come to its end before."""
    return CallCancelledError("the run is over")


class Daemon(threading.Thread):
    """A thread that a process does not wait for at its end; `abandoned` while nobody waits for what it does."""

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
            interrupt = error.__context__  # an interrupt in the midst of it comes out as some fault with a lock
            if interrupt is None or isinstance(interrupt, Exception):
                raise NoWorkerError("the process has no thread left") from error
            raise interrupt from None


def abandoned_calls() -> int:
    """How many calls of this process that were given up for their time still run, each in a thread of its own."""
    return sum(isinstance(thread, Daemon) and thread.abandoned for thread in threading.enumerate())


class Job:
    """One call in a thread, under the context variables of who began it, whose `tell` is called when it is over."""

    def __init__(self, worker: _Worker, tell: Tell, fn: Callable[[], Any]) -> None:
        self._work = (contextvars.copy_context(), fn)
        self._worker = worker
        self.tell = tell
        self.attempt: Attempt | None = None

    def run(self) -> Attempt:
        """What the call comes to."""
        context, fn = self._work
        return attempted(context.run, fn)

    def give_up(self) -> Attempt:
        """What the call has come to; CallTimeoutError if it is not over, and what it then comes to, nobody gets."""
        return self._worker.give_up(self)

    def drop(self) -> None:
        """Give the call up, and what it has come to as well."""
        discard(self.give_up().value)


class Workers:
    """The threads of one run; each call is given an idle one or a new one, and all are gone after `close`.

    An interrupt of the thread that waits for a call may come at any moment. So here, and where one waits for what
    a thread does, stand only locks and queues that are made of one piece, unlike a Future, an Event or a Condition.
    """

    def __init__(self) -> None:
        self.closed = False
        self._closing = threading.Lock()
        self._closing.acquire()
        self._idle: deque[_Worker] = deque()
        self._all: set[_Worker] = set()

    def start(self, fn: Callable[[], Any], tell: Tell) -> Job:
        """Begin `fn()` in a thread; NoWorkerError where there can be none, CallCancelledError after `stop`."""
        if self.closed:
            raise run_is_over()
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = self._begun()
        job = Job(worker, tell, fn)
        worker.jobs.put(job)
        if self._is_closed():  # maybe the worker was told to end before the call came
            worker.refuse(job)
        return job

    def _is_closed(self) -> bool:
        """Whether it was closed by now, which another thread may do at any time."""
        return self.closed

    def _begun(self) -> _Worker:
        worker = _Worker(self)
        self._all.add(worker)  # before it begins: an interrupt on the way leaves none that `stop` does not know
        try:
            worker.begin()
        except NoWorkerError:
            self.forget(worker)
            raise
        return worker

    def sleep(self, seconds: float) -> None:
        """Let so many seconds pass, or as many as there are until `stop`."""
        if self._closing.acquire(timeout=seconds):
            self._closing.release()

    def release(self, worker: _Worker) -> None:
        """Keep a thread for the next call."""
        self._idle.append(worker)

    def forget(self, worker: _Worker) -> None:
        """A thread that has ended needs no end."""
        self._all.discard(worker)

    def stop(self) -> None:
        """Have the threads end; those whose call goes on are left to themselves, and end after it."""
        self.closed = True
        with suppress(RuntimeError):  # as it is stopped already
            self._closing.release()
        for worker in tuple(self._all):
            worker.stop()

    def close(self) -> None:
        """Stop, and wait for those that have no call."""
        self.stop()
        for worker in tuple(self._all):
            if worker.is_alive() and not worker.abandoned and worker is not threading.current_thread():
                worker.join()


class _Worker(Daemon):
    def __init__(self, home: Workers) -> None:
        super().__init__("magic-tools-worker")
        self.jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._home = home
        self._job: Job | None = None
        # Held where a call begins or ends, and where it is given up; the collector may do so in the midst of the first.
        self._turning = threading.RLock()

    def run(self) -> None:
        while (job := self.jobs.get()) is not None:
            if self._begin_job(job):
                self._end_job(job, job.run())
            del job  # a thread that waits for its next call keeps nothing of the last one
            if self.abandoned or self._home.closed:
                break
        self._home.forget(self)

    def give_up(self, job: Job) -> Attempt:
        with self._turning:
            if job.attempt is None:
                runs = job is self._job
                self.abandoned = self.abandoned or runs
                job.attempt = Attempt(error=CallTimeoutError(still_runs=runs))
            return job.attempt

    def refuse(self, job: Job) -> None:
        """Tell who waits for a call that has not begun that the run is over."""
        with self._turning:
            if job.attempt is None and job is not self._job:
                self._tell(job, Attempt(error=run_is_over()))

    def stop(self) -> None:
        """End after the call that is under way, if one is; who waits for that is told that the run is over."""
        with self._turning:
            if self._job is not None and self._job.attempt is None:
                self.abandoned = True
                self._tell(self._job, Attempt(error=run_is_over()))
        self.jobs.put(None)

    def _begin_job(self, job: Job) -> bool:
        with self._turning:
            if job.attempt is None and self._home.closed:
                self._tell(job, Attempt(error=run_is_over()))
            if job.attempt is None:
                self._job = job
                return True
            self._home.release(self)
            return False

    def _end_job(self, job: Job, attempt: Attempt) -> None:
        with self._turning:
            self._job = None
            if job.attempt is None:
                self._home.release(self)
                self._tell(job, attempt)
            else:
                discard(attempt.value)

    @staticmethod
    def _tell(job: Job, attempt: Attempt) -> None:
        job.attempt = attempt
        job.tell(attempt)
