"""The items of an iterator, drawn by a program that runs in a thread: in that one, or on one of their own."""

from __future__ import annotations

import contextvars
import time
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from magic_tools.effects.program import Draw, NoWorkerError
from magic_tools.effects.waiting import clocked
from magic_tools.effects.workers import NOTHING, Attempt, Job, Workers, run_is_over

__all__ = ["MOST_AHEAD", "Over", "Pump", "drawn"]

MOST_AHEAD = 16
"""How many items are drawn that nobody has taken yet, where a thread or a task of their own draws them."""


class Over(NamedTuple):
    """What stands after the last of the items: what drawing them came to."""

    attempt: Attempt


def drawn(draw: Draw, workers: Callable[[], Workers], is_over: Callable[[], bool]) -> Generator[Any, None, Attempt]:
    """What is made of the items, one by one, and at the end what it all came to.

    With a time that is allowed, they are drawn on a thread of their own, which can be left to itself.
    CallCancelledError where the run is over meanwhile.
    """
    if draw.timeout_s is not None:
        return (yield from _timed(draw, draw.timeout_s, workers))
    context = contextvars.copy_context()
    items = _items(draw)
    try:
        while not is_over():
            try:
                item = context.run(next, items)
            except StopIteration:
                return NOTHING
            except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the program
                return Attempt(error=error)
            try:
                made = tuple(draw.take(item))
            except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the program
                return Attempt(error=error)
            yield from made
    finally:
        context.run(items.close)
    raise run_is_over()


def _items(draw: Draw) -> Generator[Any, None, None]:
    """The items of what is opened, which is closed however it ends."""
    opened = items = draw.open()
    try:
        items = iter(opened)
        for item in items:  # noqa: UP028 - `yield from` would close them once more
            yield item
    finally:
        for each in (items,) if items is opened else (items, opened):
            with suppress(Exception):  # what it makes of its end does not stand in the way
                if (close := getattr(each, "close", None)) is not None:
                    close()


def _timed(draw: Draw, timeout_s: float, workers: Callable[[], Workers]) -> Generator[Any, None, Attempt]:
    end = time.monotonic() + clocked(timeout_s)
    queue: SimpleQueue[Any] = SimpleQueue()
    pump = Pump(draw, queue.put)
    try:
        if (failed := pump.begin(workers())) is not None:
            return failed
        while not isinstance(item := _next(queue, end, pump), Over):
            try:
                made = tuple(draw.take(item))
            except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the program
                return Attempt(error=error)
            yield from made
            pump.taken()
    finally:
        pump.end()
    return item.attempt


def _next(queue: SimpleQueue[Any], end: float, pump: Pump) -> Any:
    """The next item, or, when the time is over, those that had come by then and at last what came of the rest."""
    with suppress(Empty):
        if (left := end - time.monotonic()) > 0:
            return queue.get(timeout=left)
    queue.put(Over(pump.give_up()))
    return queue.get()


class Pump:
    """Draws items in a thread and puts them somewhere, at last an `Over`; until nobody wants more."""

    def __init__(self, draw: Draw, put: Callable[[Any], object]) -> None:
        self._draw = draw
        self._put = put
        self._job: Job | None = None
        self._ended = False
        self._taken = 0
        self._room: SimpleQueue[None] = SimpleQueue()

    def begin(self, workers: Workers) -> Attempt | None:
        """Begin to draw; what that came to, where there is no thread for it."""
        try:
            self._job = workers.start(self._run, lambda attempt: self._put(Over(attempt)))
        except NoWorkerError as error:
            return Attempt(error=error)
        return None

    def taken(self) -> None:
        """One more of the items has been taken, so that there may be room for others."""
        self._taken += 1
        if self._taken % MOST_AHEAD == 0:
            self._room.put(None)

    def give_up(self) -> Attempt:
        """What drawing has come to; CallTimeoutError if it is not over."""
        attempt = NOTHING if self._job is None else self._job.give_up()
        self.stop()  # only now: an end that the thread is told to come to is none of the items
        return attempt

    def end(self) -> None:
        """Stop, and let go of what drawing comes to."""
        self.stop()
        if self._job is not None:
            self._job.drop()

    def stop(self) -> None:
        """Have the thread end when it has the item that it waits for."""
        self._ended = True
        self._room.put(None)

    def _run(self) -> None:
        with closing(_items(self._draw)) as items:
            for count, item in enumerate(items, 1):
                self._put(item)
                if count % MOST_AHEAD == 0 and not self._ended:
                    self._room.get()
                if self._ended:
                    break
