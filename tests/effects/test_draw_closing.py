"""How iterators that were drawn from are closed: once, by what they have for it, and waited for a little."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

import pytest

from magic_tools.effects.program import Draw, Program
from magic_tools.effects.runners import stream_async
from magic_tools.effects.waiting import GRACE_S
from tests.effects.runs import (
    FOREVER_S,
    TIME_S,
    eventually,
    in_an_async_stream,
    promptly,
    then,
)
from tests.effects.sources import Form, Source, every_form


class Stubborn:
    """What swallows each cancellation, until released, from its second item on or when it is closed."""

    def __init__(self, where: str) -> None:
        self.released = False
        self.closed = 0
        self._where = where
        self._items = 0

    def __aiter__(self) -> Stubborn:
        return self

    async def __anext__(self) -> int:
        self._items += 1
        if self._items > 1:
            await (self._stay() if self._where == "item" else asyncio.sleep(0 if self.released else FOREVER_S))
        return self._items

    async def _stay(self) -> None:
        while not self.released:
            try:
                await asyncio.sleep(0.005)
            except asyncio.CancelledError:
                continue

    async def aclose(self) -> None:
        self.closed += 1
        if self._where == "close":
            await self._stay()


@pytest.mark.parametrize("where", ["item", "close"])
@pytest.mark.parametrize("how", ["time", "cancelled", "closed"])
def test_an_async_iterator_that_swallows_its_cancellation(where: str, how: str) -> None:
    """It is waited for no longer than the grace, and said to run on; when it goes on after all, it is closed."""
    stubborn = Stubborn(where)
    timeout_s = TIME_S if how == "time" else None
    program = then(Draw(lambda: iter(()), lambda item: (item,), lambda: stubborn, timeout_s))
    values: list[Any] = []

    async def read() -> None:
        async with aclosing(stream_async(program)) as stream:
            async for value in stream:
                values.append(value)
                if how == "closed":
                    await asyncio.sleep(0.01)
                    break

    async def main() -> None:
        with promptly(2 * GRACE_S + 1.0):
            reader = asyncio.create_task(read())
            await asyncio.sleep(0.01)
            if how == "cancelled":
                reader.cancel()
            await asyncio.wait({reader})
        assert reader.cancelled() is (how == "cancelled")
        stubborn.released = True
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})

    with promptly():
        asyncio.run(main())
    late = "CallTimeoutError: the call took too long, and still runs"
    assert values == ([1, late, 3] if how == "time" else [1])
    assert stubborn.closed == 1


class ClosedLong:
    """Three items, and so many seconds to close."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.steps: list[str] = []

    def __aiter__(self) -> ClosedLong:
        return self

    async def __anext__(self) -> int:
        self.steps.append("item")
        if len(self.steps) == 4:
            raise StopAsyncIteration
        return len(self.steps)

    async def aclose(self) -> None:
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.steps.append("cancelled")
            raise
        self.steps.append("closed")

    def left_at(self, last: int, timeout_s: float | None = None) -> Program[None]:
        def take(item: int) -> tuple[int]:
            if item == last:
                raise LookupError("enough")
            return (item,)

        return then(Draw(lambda: iter(()), take, lambda: self, timeout_s))


@pytest.mark.parametrize("last", [2, 3, 4])
@pytest.mark.parametrize("timeout_s", [None, 0.015, FOREVER_S])
def test_closing_is_not_cut_short(last: int, timeout_s: float | None) -> None:
    """What an async iterator awaits for it is waited for, within the grace, though nobody reads or the time is over."""
    items = ClosedLong(0.03)
    said = "value: None" if last == 4 else "LookupError: enough"
    assert in_an_async_stream(items.left_at(last, timeout_s)) == [*range(1, last), said, 3]
    assert items.steps == ["item"] * 4 + ["closed"]


def test_closing_that_takes_too_long_is_cancelled() -> None:
    """When the reader has left, or the time is over, and after the grace."""

    async def main() -> None:
        for items, last, timeout_s in ((ClosedLong(FOREVER_S), 3, None), (ClosedLong(FOREVER_S), 4, TIME_S)):
            with promptly(2 * GRACE_S + 1.0):
                *values, said, _ = [value async for value in stream_async(items.left_at(last, timeout_s))]
                await asyncio.sleep(0.01)
            assert values == [1, 2, 3][: last - 1]
            assert said.partition(":")[0] == ("LookupError" if last == 3 else "CallTimeoutError")
            assert items.steps == ["item"] * 4 + ["cancelled"]
            assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


class Opened:
    """What is iterated by a generator of its own, and has to be closed itself."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.steps: list[str] = []

    def __iter__(self) -> Iterator[int]:
        try:
            yield from range(self.count)
        finally:
            self.steps.append("iterator closed")

    async def __aiter__(self) -> AsyncIterator[int]:
        try:
            for item in range(self.count):
                yield item
        finally:
            await asyncio.sleep(0)
            self.steps.append("iterator closed")


class OpenedOrdinarily(Opened):
    def close(self) -> None:
        self.steps.append("closed")


class OpenedAwaited(Opened):
    async def close(self) -> None:
        await asyncio.sleep(0)
        self.steps.append("closed")


@every_form
@pytest.mark.parametrize("take_all", [True, False], ids=["all", "some"])
def test_what_is_opened_may_be_iterable(form: Form, take_all: bool) -> None:
    """The iterator that it gives is closed, and then what was opened, by `close` where there is no `aclose`."""
    opened = (OpenedAwaited if form.awaits else OpenedOrdinarily)(3 if take_all else 1000)

    def take(item: int) -> tuple[int]:
        if item == 1 and not take_all:
            raise ValueError("enough")
        return (item,)

    values = form.stream(then(Draw(lambda: opened, take, (lambda: opened) if form.awaits else None, form.timeout_s)))  # type: ignore[arg-type, return-value]  # no iterators
    assert values == ([0, 1, 2, "value: None", 3] if take_all else [0, "ValueError: enough", 3])
    assert eventually(lambda: opened.steps == ["iterator closed", "closed"])


@every_form
def test_what_cannot_be_closed_need_not(form: Form) -> None:
    """Such as the items of a list."""
    items: list[Any] = [3, 4]

    class Plain:
        def __aiter__(self) -> Plain:
            return self

        async def __anext__(self) -> int:
            if not items:
                raise StopAsyncIteration
            return items.pop(0)  # type: ignore[no-any-return]

    draw = Draw(lambda: items, lambda item: (item,), (lambda: Plain()) if form.awaits else None, form.timeout_s)  # type: ignore[arg-type, return-value]  # no iterator
    assert form.stream(then(draw)) == [3, 4, "value: None", 3]


@every_form
@pytest.mark.parametrize("items", [[1, 2], [1, LookupError("of an item")]], ids=["", "after an error"])
def test_a_close_that_raises_stands_in_the_way_of_nothing(form: Form, items: list[Any]) -> None:
    """Neither of the end nor of an error."""
    source = Source(items, at_close=ValueError("at the end"))
    values = form.stream(then(form.draw(source)))
    assert values == ([1, 2, "value: None", 3] if items == [1, 2] else [1, "LookupError: of an item", 3])
    assert source.closed == 1
