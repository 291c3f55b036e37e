"""Iterators to draw from, which note what is done to them, and the forms in which a program draws."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from magic_tools.effects.program import Call, Draw, Effect, Emit, Gather, Program, Sleep
from tests.effects.runs import (
    FOREVER_S,
    Run,
    Stream,
    in_a_sync_run,
    in_a_sync_stream,
    in_an_async_run,
    in_an_async_stream,
    one,
    told,
    wait_for_ever,
)


@dataclass(frozen=True)
class Wait:
    """No item, but so many seconds before the next."""

    seconds: float = FOREVER_S


class Source:
    """Items, at whose place an exception is raised and a `Wait` waited for; it notes each use, and by whom."""

    def __init__(self, items: Iterable[Any] = (), at_close: BaseException | None = None) -> None:
        self._items = iter(items)
        self._at_close = at_close
        self.uses: list[str] = []
        self.users: set[object] = set()
        self.woken = threading.Event()

    @property
    def asked(self) -> int:
        """How often another item was asked for."""
        return self.uses.count("next")

    @property
    def closed(self) -> int:
        """How often it was closed."""
        return self.uses.count("close")

    def note(self, use: str) -> None:
        self.uses.append(use)
        self.users.add(threading.get_ident())

    def note_in_a_task(self, use: str) -> None:
        self.uses.append(use)
        self.users.add(asyncio.current_task())

    def open(self) -> Iterator[Any]:
        self.note("open")
        return _Drawn(self)

    def aopen(self) -> AsyncIterator[Any]:
        self.note_in_a_task("open")
        return _DrawnAsync(self)

    def next(self) -> Any:
        """The next item, or a `Wait` before it; StopIteration at the end."""
        item = next(self._items)
        if isinstance(item, BaseException):
            raise item
        return item

    def end(self) -> None:
        if self._at_close is not None:
            raise self._at_close


class _Drawn(Iterator[Any]):
    def __init__(self, source: Source) -> None:
        self._source = source

    def __next__(self) -> Any:
        self._source.note("next")
        while isinstance(item := self._source.next(), Wait):
            self._source.woken.wait(item.seconds)
        return item

    def close(self) -> None:
        self._source.note("close")
        self._source.end()


class _DrawnAsync(AsyncIterator[Any]):
    def __init__(self, source: Source) -> None:
        self._source = source

    async def __anext__(self) -> Any:
        self._source.note_in_a_task("next")
        try:
            while isinstance(item := self._source.next(), Wait):
                await asyncio.sleep(item.seconds)
        except StopIteration:
            raise StopAsyncIteration from None
        return item

    async def aclose(self) -> None:
        await asyncio.sleep(0)
        self._source.note_in_a_task("close")
        self._source.end()


@dataclass(frozen=True)
class Form:
    """One way to draw: in a sync or an async run, in a time or without one, by an async iterator or an ordinary one."""

    name: str
    stream: Stream
    run: Run
    timeout_s: float | None = None
    awaits: bool = False

    @property
    def is_async(self) -> bool:
        """Whether the run is."""
        return self.run is in_an_async_run

    @property
    def in_a_thread(self) -> bool:
        """Whether a worker draws."""
        return not self.awaits and (self.is_async or self.timeout_s is not None)

    @property
    def reads_ahead(self) -> bool:
        """Whether items are drawn before they are asked for."""
        return self.awaits or self.in_a_thread

    def draw(self, source: Source, take: Callable[[Any], Iterable[Any]] = lambda item: (item,)) -> Draw:
        """The effect."""
        return Draw(source.open, take, source.aopen if self.awaits else None, self.timeout_s)


FORMS = [
    Form("sync", in_a_sync_stream, in_a_sync_run),
    Form("sync in a time", in_a_sync_stream, in_a_sync_run, FOREVER_S),
    Form("async", in_an_async_stream, in_an_async_run, awaits=True),
    Form("async in a time", in_an_async_stream, in_an_async_run, FOREVER_S, awaits=True),
    Form("async by a thread", in_an_async_stream, in_an_async_run),
    Form("async by a thread in a time", in_an_async_stream, in_an_async_run, FOREVER_S),
]

every_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)


def slowly(items: Iterable[Any], seconds: float = 0.001) -> Iterator[Any]:
    for item in items:
        time.sleep(seconds)
        yield item


def waiting_for(*effects: Effect) -> Program[None]:
    """What emits one value, and then waits for ever."""
    yield Emit("first")
    for effect in effects:
        yield from told(effect)


def awaiting(source: Source, timeout_s: float | None = None) -> Draw:
    return Draw(source.open, lambda item: (item,), source.aopen, timeout_s)


WAITS: list[Callable[[Source], Effect]] = [
    lambda source: Sleep(FOREVER_S),
    lambda source: Call(wait_for_ever),
    lambda source: Gather((one(Call(wait_for_ever)), one(Sleep(FOREVER_S))), 2),
    lambda source: awaiting(source),
    lambda source: awaiting(source, FOREVER_S),
    lambda source: Gather((one(awaiting(source)), one(Sleep(0))), 2),
]
"""What a stream may wait for; the source has nothing but a `Wait`."""


def draws_from(source: Source, *, awaits: bool, timeout_s: float | None = None) -> Program[Any]:
    return (yield Draw(source.open, lambda item: (item,), source.aopen if awaits else None, timeout_s))
