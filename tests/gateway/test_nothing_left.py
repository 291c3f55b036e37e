"""After ten thousand calls of every kind nothing is left but what is counted, and that ends too."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from magic_tools import ErrorCode, Policy, ToolCall, ToolFailure, Toolset, abandoned_calls, tool

CALLS = 10_000


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0  # noqa: PTH208 - the names alone


@tool(timeout=0.001, policy=Policy(read_only=True))
def late(x: int) -> int:
    time.sleep(0.01)
    return x


@tool(timeout=0.001)
async def late_later(x: int) -> int:
    await asyncio.sleep(5)
    return x


@tool
def fails(x: int) -> int:
    raise ToolFailure(f"no {x}")


@tool
async def fails_later(x: int) -> int:
    await asyncio.sleep(0)
    raise KeyError(x)


@tool
def works(x: int) -> int:
    time.sleep(0)
    return x


@tool
async def cancels(x: int) -> int:
    raise asyncio.CancelledError


TOOLS = Toolset(late, late_later, fails, fails_later, works, cancels)


def calls(count: int) -> list[ToolCall]:
    names = ("late", "late_later", "fails", "fails_later", "works", "works", "cancels", "fails", "works", "nothing")
    return [ToolCall(f"c{at}", names[at % len(names)], f'{{"x": {at}}}') for at in range(count)]


async def cancelled(count: int) -> None:
    """As many calls, cancelled while they are under way."""

    @tool
    async def wait(x: int) -> int:
        await asyncio.sleep(5)
        return x

    going = [asyncio.ensure_future(wait.ainvoke({"x": at})) for at in range(count)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    for each in going:
        each.cancel()
    done = await asyncio.gather(*going, return_exceptions=True)
    assert all(isinstance(each, asyncio.CancelledError) for each in done)
    assert len(asyncio.all_tasks()) == 1


def test_ten_thousand_calls() -> None:
    """Time-outs, failures and cancellations, sync and async: no thread, task or descriptor is left, and no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        works.invoke({"x": 1})
        asyncio.run(cancelled(1))
        threads, open_before = threading.active_count(), descriptors()
        results: list[Any] = []
        for _ in range(CALLS // 400):
            results += TOOLS.invoke_all(calls(200))
            results += asyncio.run(TOOLS.ainvoke_all(calls(100)))
            asyncio.run(cancelled(100))
        assert len(results) == CALLS // 400 * 300
        codes = {(result.name, result.code) for result in results}
        deadline = time.monotonic() + 5
        while abandoned_calls() and time.monotonic() < deadline:
            time.sleep(0.01)
        gc.collect()
    assert codes >= {
        ("late_later", ErrorCode.UNKNOWN_EFFECT),
        ("fails", ErrorCode.INTERNAL),
        ("fails_later", ErrorCode.INTERNAL),
        ("works", None),
        ("cancels", ErrorCode.INTERNAL),
        ("nothing", ErrorCode.NOT_FOUND),
    }
    slow = {code for name, code in codes if name == "late"}  # one whose value was there when it was looked for is good
    assert ErrorCode.INTERNAL in slow
    assert slow <= {ErrorCode.INTERNAL, ErrorCode.RATE_LIMITED, None}
    assert abandoned_calls() == 0
    assert threading.active_count() == threads
    assert descriptors() == open_before
