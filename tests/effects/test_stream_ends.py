"""The ends of streams: by their readers, by cancellations, with their loop; nothing is left of them."""

from __future__ import annotations

import asyncio
import inspect
import random
import time
from collections.abc import Callable, Generator
from contextlib import aclosing, closing, suppress
from typing import Any

import pytest

from magic_tools.effects.program import (
    Call,
    Draw,
    Effect,
    Emit,
    Gather,
    Program,
    Sleep,
    within,
)
from magic_tools.effects.runners import stream_async, stream_sync
from magic_tools.effects.waiting import GRACE_S
from magic_tools.effects.workers import abandoned_calls
from tests.effects.runs import (
    FOREVER_S,
    eventually,
    one,
    promptly,
    threads_alive,
    told,
    wait_for_ever,
)
from tests.effects.sources import WAITS, Source, Wait, awaiting, draws_from, slowly, waiting_for


class Watched:
    """A program that emits one value after the other, and notes how it ended; alone, or among others."""

    def __init__(self) -> None:
        self.left_by: list[type[BaseException]] = []
        self.emitted = 0
        self.programs = [self._make() for _ in range(3)]

    def _make(self) -> Program[None]:
        try:
            while True:
                self.emitted += 1
                yield Emit(self.emitted)
                yield Sleep(0)
        except BaseException as error:
            self.left_by.append(type(error))
            raise

    def gathered(self, at_once: int) -> Program[Any]:
        return self.programs[0] if at_once == 0 else one(Gather(tuple(self.programs), at_once))

    def all_closed(self) -> bool:
        """Whether all that have begun are."""
        states = [inspect.getgeneratorstate(program) for program in self.programs]
        begun = [state for state in states if state != inspect.GEN_CREATED]
        return begun == [inspect.GEN_CLOSED] * len(self.left_by) and set(self.left_by) == {GeneratorExit}


every_place = pytest.mark.parametrize("at_once", [0, 1, 3], ids=["alone", "one by one", "side by side"])


def stopped_sync(stream: Generator[Any, None, None], how: str) -> None:
    match how:
        case "closed":
            with closing(stream):
                next(stream)
        case "left":
            for _ in stream:
                break
        case "thrown":
            next(stream)
            with pytest.raises(LookupError, match="by the reader"):
                stream.throw(LookupError("by the reader"))
        case _:
            next(stream)
            with suppress(StopIteration, RuntimeError):  # the latter where Python itself takes it for a mistake
                stream.throw(StopIteration)


@every_place
@pytest.mark.parametrize("how", ["closed", "left", "thrown", "thrown an end"])
@pytest.mark.parametrize("bounded", [False, True], ids=["", "within"])
def test_a_sync_stream_that_is_left_ends_its_programs(at_once: int, how: str, bounded: bool) -> None:
    """Closed, let go of, or by what is thrown in: they are closed, none goes on, and no other is begun."""
    watched = Watched()
    program = watched.gathered(at_once)
    with promptly():
        stopped_sync(stream_sync(within(program, 20) if bounded else program), how)
        assert eventually(watched.all_closed)  # those in threads of their own end at their next effect
    emitted = watched.emitted
    time.sleep(0.01)
    assert watched.emitted == emitted


@every_place
@pytest.mark.parametrize("how", ["closed", "left", "thrown", "thrown an end", "cancelled"])
@pytest.mark.parametrize("bounded", [False, True], ids=["", "within"])
def test_an_async_stream_that_is_left_ends_its_programs(at_once: int, how: str, bounded: bool) -> None:
    """Also one that nobody closes, and one whose reader is cancelled; no task is left."""
    watched = Watched()

    async def read() -> None:
        program = watched.gathered(at_once)
        stream = stream_async(within(program, 20) if bounded else program)
        match how:
            case "closed":
                async with aclosing(stream):
                    await anext(stream)
            case "left":
                async for _ in stream:
                    break
            case "thrown":
                await anext(stream)
                with pytest.raises(LookupError, match="by the reader"):
                    await stream.athrow(LookupError("by the reader"))
            case "thrown an end":
                await anext(stream)
                with suppress(StopAsyncIteration, RuntimeError):
                    await stream.athrow(StopIteration)
            case _:
                reader = asyncio.create_task(all_of(stream))
                await asyncio.sleep(0.005)
                reader.cancel("enough")
                with pytest.raises(asyncio.CancelledError, match="enough"):
                    await reader

    async def main() -> None:
        await read()
        for _ in range(50):  # the loop closes by itself what nobody has closed
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert watched.all_closed()

    with promptly():
        asyncio.run(main())


async def all_of(stream: Any) -> list[Any]:
    return [value async for value in stream]


@pytest.mark.parametrize("at_once", [0, 1, 3], ids=["alone", "one by one", "side by side"])
@pytest.mark.parametrize("wrapped", [False, True], ids=["", "in a generator"])
def test_a_stream_that_outlives_its_loop_leaves_nothing(at_once: int, wrapped: bool) -> None:
    """One that is kept, and closed by nobody before the loop ends, ends with it, and nothing complains."""
    watched = Watched()
    kept: list[Any] = []

    async def again(stream: Any) -> Any:
        async with aclosing(stream):
            async for value in stream:
                yield value

    async def main() -> None:
        stream: Any = stream_async(watched.gathered(at_once))
        kept.append(again(stream) if wrapped else stream)
        await anext(kept[0])

    with promptly():
        asyncio.run(main())
    assert watched.all_closed()


@pytest.mark.parametrize("timeout_s", [None, FOREVER_S])
def test_what_runs_beside_ends_with_a_sync_stream(timeout_s: float | None) -> None:
    """Programs that draw for ever, call for ever or sleep: each ends when the reader is gone, and so do the threads."""
    endless = Source(slowly(range(10**9)))
    made: list[int] = []

    def calls() -> Program[None]:
        while True:
            yield from told(Call(made.append, (1,), timeout_s=timeout_s))
            yield from told(Sleep(0.001))

    before = threads_alive()
    programs = (draws_from(endless, awaits=False, timeout_s=timeout_s), calls(), one(Sleep(FOREVER_S)))
    with promptly(), closing(stream_sync(one(Gather(programs, 3)))) as stream:
        assert [next(stream) for _ in range(3)] == [0, 1, 2]
    assert eventually(lambda: threads_alive() == before)
    assert endless.closed == 1


@pytest.mark.parametrize("awaits", [False, True], ids=["by a thread", "awaited"])
def test_a_stream_in_a_stream_ends_with_it(awaits: bool) -> None:
    """Left by its reader, the outer one closes the inner one, and that its programs."""
    watched = Watched()

    def inner() -> Program[Any]:
        return watched.gathered(0)

    def outer() -> Program[Any]:
        opened = (lambda: stream_async(inner())) if awaits else None
        return (yield Draw(lambda: stream_sync(inner()), lambda item: (item,), opened))

    async def main() -> None:
        async with aclosing(stream_async(outer())) as stream:
            assert await anext(stream) == 1

    with closing(stream_sync(outer())) as stream:
        assert next(stream) == 1
    assert watched.all_closed()
    watched = Watched()
    with promptly():
        asyncio.run(main())
    assert eventually(watched.all_closed)


@pytest.mark.parametrize("effect", WAITS)
def test_a_reader_that_is_cancelled_while_it_waits(effect: Callable[[Source], Effect]) -> None:
    """It hears of it promptly, with its own words; nothing is left in the loop."""
    source = Source([Wait()])
    program = waiting_for(effect(source))

    async def main() -> None:
        reader = asyncio.create_task(all_of(stream_async(program)))
        await asyncio.sleep(0.015)
        reader.cancel("enough")
        with promptly(GRACE_S + 1.0), pytest.raises(asyncio.CancelledError, match="enough"):
            await reader
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert inspect.getgeneratorstate(program) == inspect.GEN_CLOSED
    assert source.closed == source.uses.count("open")


@pytest.mark.parametrize("passes", range(12))
@pytest.mark.parametrize("again", [False, True])
def test_a_reader_that_is_cancelled_at_any_moment(passes: int, again: bool) -> None:
    """After so many passes of the loop, and a second time while it ends: no complaint, and nothing left."""
    sources = [Source([0, Wait(0), 1, Wait()]) for _ in range(3)]

    def program() -> Program[None]:
        yield from draws_from(Source([1, Wait(0), 2]), awaits=True)
        yield Gather(tuple(draws_from(source, awaits=source is not sources[2]) for source in sources), 3)

    async def main() -> None:
        reader = asyncio.create_task(all_of(stream_async(program())))
        for _ in range(passes):
            await asyncio.sleep(0)
        reader.cancel()
        if again:
            await asyncio.sleep(0)
            reader.cancel()
        with promptly(), pytest.raises(asyncio.CancelledError):
            await reader
        await asyncio.sleep(0.01)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    try:
        asyncio.run(main())
    finally:
        sources[2].woken.set()
    assert eventually(lambda: all(source.closed == source.uses.count("open") for source in sources))
    assert eventually(lambda: abandoned_calls() == 0)


def test_a_time_out_around_a_reader_is_seen_as_one() -> None:
    """It is not swallowed on the way, and what came before stands."""
    got: list[Any] = []

    async def main() -> None:
        async with asyncio.timeout(0.02), aclosing(stream_async(waiting_for(Call(wait_for_ever)))) as stream:
            async for value in stream:
                got.append(value)

    with promptly(), pytest.raises(TimeoutError):
        asyncio.run(main())
    assert got == ["first"]


def test_readers_that_leave_at_random_moments_leave_nothing() -> None:
    """Cancelled, or closing their stream, while it does this or that: all iterators are closed, no task is left."""
    numbers = random.Random(19)
    sources: list[Source] = []

    def source() -> Source:
        items = [numbers.choice([1, Wait(0), Wait(0.001), Wait(0.003)]) for _ in range(numbers.randrange(60))]
        sources.append(Source(items if numbers.random() < 0.8 else [*items, LookupError("bad")]))
        return sources[-1]

    def draw() -> Draw:
        made = source()
        timeout_s = numbers.choice([None, 0.002, 20.0])
        return Draw(made.open, lambda item: (item,), numbers.choice([None, made.aopen]), timeout_s)

    def program() -> Program[None]:
        yield from told(draw())
        yield Emit(1)
        yield from told(Gather(tuple(one(draw()) for _ in range(3)), 2))

    async def read(stop_after: int) -> None:
        async with aclosing(stream_async(program())) as stream:
            async for _ in stream:
                stop_after -= 1
                if stop_after == 0:
                    return

    async def main() -> None:
        readers = []
        for _ in range(200):
            reader = asyncio.create_task(read(numbers.randrange(100)))
            if numbers.random() < 0.5:
                asyncio.get_running_loop().call_later(numbers.uniform(0, 0.1), reader.cancel)
            readers.append(reader)
            await asyncio.sleep(0)
        await asyncio.wait(readers)
        assert {reader.cancelled() for reader in readers} == {False, True}
        assert [reader.exception() for reader in readers if not reader.cancelled() and reader.exception()] == []
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with promptly(20):
        asyncio.run(main())
    assert eventually(lambda: all(source.closed == source.uses.count("open") for source in sources))
    assert eventually(lambda: abandoned_calls() == 0)


@pytest.mark.parametrize("effect", [Emit("late"), Sleep(FOREVER_S), Call(wait_for_ever), awaiting(Source([1]))])
@pytest.mark.parametrize("bounded", [False, True], ids=["", "within"])
def test_a_program_that_asks_for_more_at_its_end_gets_nothing(effect: Effect, bounded: bool) -> None:
    """Its reader has left it: it is neither heard nor waited for."""

    def program() -> Program[None]:
        try:
            yield from waiting_for(Emit("second"))
        finally:
            yield effect

    async def main(inner: Program[None]) -> None:
        async with aclosing(stream_async(inner)) as stream:
            assert await anext(stream) == "first"

    for is_async in (False, True):
        inner = program()
        wrapped = within(inner, FOREVER_S) if bounded else inner
        with promptly():
            asyncio.run(main(wrapped)) if is_async else stopped_sync(stream_sync(wrapped), "closed")
        inner.close()
