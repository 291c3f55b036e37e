"""Section G of the cases drawn from public failures, but for what concerns providers: loops, threads, cancellation."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from typing import Any

import pytest

from magic_tools import ErrorCode, ScriptedModel, ToolCall, ToolResult, arun, run, tool

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("WHO", default="nobody")


def test_g2_a_sync_call_inside_a_running_loop() -> None:
    """It works, for ordinary and async tools, and the loop works on."""

    @tool
    async def later(x: int) -> int:
        await asyncio.sleep(0.001)
        return x

    async def main() -> tuple[Any, Any, str]:
        model = ScriptedModel([ToolCall("c1", "later", '{"x": 1}'), "done"])
        outcome = run("go", tools=[later], model=model)
        by_hand = later.invoke({"x": 2})
        await asyncio.sleep(0.001)
        return outcome.value, by_hand.value, "and on"

    assert asyncio.run(main()) == ("done", 2, "and on")


def test_g3_sync_tools_do_not_stall_the_loop() -> None:
    """Two that block run side by side while the loop goes on, and both see the caller's variables, unchanged after."""
    seen: list[str] = []
    beats: list[float] = []

    @tool
    def block(name: str) -> str:
        seen.append(WHO.get())
        WHO.set(name)
        time.sleep(0.3)
        return name

    async def heart() -> None:
        while True:
            beats.append(time.monotonic())
            await asyncio.sleep(0.02)

    async def main() -> float:
        WHO.set("Ada")
        beating = asyncio.ensure_future(heart())
        calls = [ToolCall("c1", "block", '{"name": "a"}'), ToolCall("c2", "block", '{"name": "b"}')]
        started = time.monotonic()
        await arun("go", tools=[block], model=ScriptedModel([calls, "done"]))
        seconds = time.monotonic() - started
        beating.cancel()
        assert WHO.get() == "Ada"
        return seconds

    assert asyncio.run(main()) < 0.55
    assert seen == ["Ada", "Ada"]
    assert len(beats) >= 10


def test_g3_a_tool_in_the_loop_s_own_thread() -> None:
    """An async tool is the way to run in the loop's own thread."""

    @tool
    async def here() -> int:
        return threading.get_ident()

    async def main() -> bool:
        return bool((await here.ainvoke()).value == threading.get_ident())

    assert asyncio.run(main())


def test_g4_the_caller_cancels() -> None:
    """It reaches the caller promptly; no further request is made; siblings are cancelled and awaited."""
    ended: list[str] = []

    @tool
    async def wait(name: str) -> str:
        try:
            await asyncio.sleep(10)
        finally:
            await asyncio.sleep(0.01)
            ended.append(name)
        return name

    calls = [ToolCall("c1", "wait", '{"name": "a"}'), ToolCall("c2", "wait", '{"name": "b"}')]
    model = ScriptedModel([calls, "done"])

    async def main() -> float:
        going = asyncio.ensure_future(arun("go", tools=[wait], model=model))
        await asyncio.sleep(0.05)
        started = time.monotonic()
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        return time.monotonic() - started

    assert asyncio.run(main()) < 0.5
    assert sorted(ended) == ["a", "b"]
    assert len(model.requests) == 1


@pytest.mark.parametrize("is_async", [False, True])
def test_g4_a_tool_s_own_task_is_cancelled(is_async: bool) -> None:
    """That ends this call with an error, and the run goes on."""

    @tool
    async def inner() -> str:
        raise asyncio.CancelledError

    model = ScriptedModel([ToolCall("c1", "inner", "{}"), "done"])
    asked: Any = {"tools": [inner], "model": model}
    outcome = asyncio.run(arun("go", **asked)) if is_async else run("go", **asked)
    (result,) = outcome.transcript[2].parts
    assert isinstance(result, ToolResult)
    assert (result.is_error, result.code, outcome.value) == (True, ErrorCode.INTERNAL, "done")
