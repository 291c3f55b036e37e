"""What a stream costs an item: of what a program emits, and of what it draws."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any

import pytest

from magic_tools.effects.program import Draw, Emit, Gather, Program
from magic_tools.effects.runners import run_async, run_sync, stream_async, stream_sync

ITEMS = 100_000
ROUNDS = 5

# In microseconds an item, on a machine that needs so long for what every Python does: five hundredths of one for an
# item of a plain generator. On a slower or a busier one as much more.
PLAIN_US = 0.05
MOST_SYNC_US, MOST_AWAITED_US, MOST_IN_THREADS_US = 1.0, 3.0, 10.0


def plain() -> Iterator[int]:
    yield from range(ITEMS)


async def plain_awaited() -> AsyncIterator[int]:
    for item in range(ITEMS):
        yield item


def emitting(count: int = ITEMS) -> Program[None]:
    for item in range(count):
        yield Emit(item)


def side_by_side(at_once: int) -> Program[None]:
    yield Gather(tuple(emitting(ITEMS // at_once) for _ in range(at_once)), at_once)


def alone(item: int) -> tuple[int]:
    return (item,)


def drawing(*, awaits: bool = False, timeout_s: float | None = None) -> Program[None]:
    yield Draw(plain, alone, plain_awaited if awaits else None, timeout_s)


def read(items: Iterable[Any]) -> int:
    count = 0
    for _ in items:
        count += 1
    return count


async def read_awaited(items: AsyncIterator[Any]) -> int:
    count = 0
    async for _ in items:
        count += 1
    return count


def read_in_a_loop(items: AsyncIterator[Any]) -> int:
    return asyncio.run(read_awaited(items))


def drawn_by_a_run(program: Program[None]) -> int:
    run_sync(program)
    return ITEMS


def drawn_by_an_async_run(program: Program[None]) -> int:
    asyncio.run(run_async(program))
    return ITEMS


SYNC: dict[str, Callable[[], int]] = {
    "emitted": lambda: read(stream_sync(emitting())),
    "drawn": lambda: read(stream_sync(drawing())),
    "drawn by a run": lambda: drawn_by_a_run(drawing()),
}
AWAITED: dict[str, Callable[[], int]] = {
    "emitted": lambda: read_in_a_loop(stream_async(emitting())),
    "drawn": lambda: read_in_a_loop(stream_async(drawing(awaits=True))),
    "drawn in a time": lambda: read_in_a_loop(stream_async(drawing(awaits=True, timeout_s=60))),
    "drawn by a run": lambda: drawn_by_an_async_run(drawing(awaits=True)),
}
IN_THREADS: dict[str, Callable[[], int]] = {
    "drawn in a time": lambda: read(stream_sync(drawing(timeout_s=60))),
    "drawn for a loop": lambda: read_in_a_loop(stream_async(drawing())),
    "emitted side by side": lambda: read(stream_sync(side_by_side(4))),
    "emitted side by side for a loop": lambda: read_in_a_loop(stream_async(side_by_side(4))),
}


def microseconds(work: Callable[[], int]) -> float:
    """What an item takes."""
    gc.collect()
    start = time.perf_counter()
    assert work() == ITEMS
    return (time.perf_counter() - start) / ITEMS * 1e6


@pytest.mark.parametrize(
    ("kind", "works", "most_us"),
    [
        ("sync", SYNC, MOST_SYNC_US),
        ("awaited", AWAITED, MOST_AWAITED_US),
        ("in threads", IN_THREADS, MOST_IN_THREADS_US),
    ],
    ids=["sync", "awaited", "in threads"],
)
def test_the_time_an_item(
    kind: str, works: dict[str, Callable[[], int]], most_us: float, say: Callable[[str], None]
) -> None:
    """One in a thread, three in a loop, ten from thread to thread; by the measure of a plain generator."""
    spent: dict[str, list[float]] = {name: [] for name in ("plain", *works)}
    for _ in range(ROUNDS):  # one after the other, so that a busy moment meets all of them
        for name, work in {"plain": read_plain, **works}.items():
            spent[name].append(microseconds(work))
    best = {name: min(times) for name, times in spent.items()}
    told = ", ".join(f"{name} {best[name]:.2f} us ({best[name] / best['plain']:.0f} x)" for name in works)
    say(f"an item, {kind}: plain {best['plain']:.3f} us; {told}")
    for name in works:
        assert best[name] <= most_us * max(1.0, best["plain"] / PLAIN_US), name


def read_plain() -> int:
    return read(item for item in plain())
