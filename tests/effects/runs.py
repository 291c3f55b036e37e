"""What the tests of effects share: the ways to run a program, and functions that it may call."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from magic_tools.effects.program import Call, Effect, Emit, Program
from magic_tools.effects.runners import run_async, run_sync, stream_async, stream_sync
from magic_tools.effects.waiting import GRACE_S

Run: TypeAlias = Callable[[Program[Any]], Any]
Stream: TypeAlias = Callable[[Program[Any]], list[Any]]

TIME_S = 0.03
"""What a call is allowed that will not be over by then."""

SLACK_S = 1.5
"""What a busy machine may need more than a promise says."""

PROMPTLY_S = 2 * GRACE_S + SLACK_S
FOREVER_S = 30.0


def in_a_sync_run(program: Program[Any]) -> Any:
    return run_sync(program)


def in_an_async_run(program: Program[Any]) -> Any:
    return asyncio.run(run_async(program))


def in_a_sync_run_inside_a_loop(program: Program[Any]) -> Any:
    async def outer() -> Any:
        return run_sync(program)

    return asyncio.run(outer())


RUNS = [in_a_sync_run, in_an_async_run, in_a_sync_run_inside_a_loop]
SYNC_RUNS = [in_a_sync_run, in_a_sync_run_inside_a_loop]


def in_a_sync_stream(program: Program[Any]) -> list[Any]:
    return list(stream_sync(program))


def in_an_async_stream(program: Program[Any]) -> list[Any]:
    async def outer() -> list[Any]:
        return [value async for value in stream_async(program)]

    return asyncio.run(outer())


def in_a_sync_stream_inside_a_loop(program: Program[Any]) -> list[Any]:
    async def outer() -> list[Any]:
        return list(stream_sync(program))

    return asyncio.run(outer())


STREAMS = [in_a_sync_stream, in_an_async_stream, in_a_sync_stream_inside_a_loop]


def _named(run: Run) -> str:
    return getattr(run, "__name__", str(run))


every_stream = pytest.mark.parametrize("stream", STREAMS, ids=_named)
every_run = pytest.mark.parametrize("run", RUNS, ids=_named)
every_sync_run = pytest.mark.parametrize("run", SYNC_RUNS, ids=_named)


def one(effect: Effect) -> Program[Any]:
    return (yield effect)


def emits(*values: Any) -> Program[int]:
    for value in values:
        yield Emit(value)
    return len(values)


def told(effect: Effect) -> Program[str]:
    """What a program gets to see of an effect: its value, or the error."""
    try:
        value = yield effect
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"value: {value}"


def caught(effect: Effect) -> Program[Any]:
    """The error of an effect, or its value."""
    try:
        return (yield effect)
    except Exception as error:
        return error


def then(effect: Effect) -> Program[None]:
    """What an effect came to, and that the program can go on."""
    result = yield from told(effect)
    yield Emit(result)
    total = yield Call(add, (1, 2))
    yield Emit(total)


def add(left: int, right: int) -> int:
    return left + right


async def add_later(left: int, right: int) -> int:
    await asyncio.sleep(0)
    return left + right


class Adder:
    """An object that is called like an async function, and is none."""

    async def __call__(self, left: int, right: int) -> int:
        return await add_later(left, right)


def fail(error: BaseException) -> None:
    raise error


async def fail_later(error: BaseException) -> None:
    await asyncio.sleep(0)
    raise error


async def wait_for_ever() -> None:
    await asyncio.sleep(FOREVER_S)


async def stay_until(released: threading.Event) -> str:
    """What swallows every cancellation."""
    while not released.is_set():
        try:
            await asyncio.sleep(0.005)
        except asyncio.CancelledError:
            continue
    return "stayed"


@contextmanager
def released_at_end() -> Iterator[threading.Event]:
    """An event for what blocks; set at the end at the latest."""
    released = threading.Event()
    try:
        yield released
    finally:
        released.set()


@contextmanager
def promptly(at_most_s: float = PROMPTLY_S) -> Iterator[None]:
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < at_most_s


def eventually(condition: Callable[[], bool], within_s: float = 5.0) -> bool:
    """Whether something comes true, as an end of a thread does that nobody waits for."""
    end = time.monotonic() + within_s
    while not (so := condition()) and time.monotonic() < end:
        time.sleep(0.002)
    return so


def descriptors() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def threads_alive() -> set[threading.Thread]:
    """Those that have begun: an interrupt may leave one on the list of threads that never did."""
    return {thread for thread in threading.enumerate() if thread.is_alive()}
