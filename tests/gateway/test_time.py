"""The time of a call: over when it should be, sync and async alike, and told as it is."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest

from magic_tools import (
    DefinitionError,
    ErrorCode,
    Policy,
    RunOptions,
    Tool,
    ToolCall,
    ToolResult,
    Toolset,
    abandoned_calls,
    tool,
)

Invoke: TypeAlias = Callable[..., ToolResult]

LIMIT_S = 0.05
LONG_S = 0.5


def invoke_sync(made: Tool[..., Any], **options: Any) -> ToolResult:
    return made.invoke("{}", call_id="c1", **options)


def invoke_async(made: Tool[..., Any], **options: Any) -> ToolResult:
    return asyncio.run(made.ainvoke("{}", call_id="c1", **options))


def invoke_inside_a_loop(made: Tool[..., Any], **options: Any) -> ToolResult:
    async def main() -> ToolResult:
        return made.invoke("{}", call_id="c1", **options)

    return asyncio.run(main())


@pytest.fixture(params=[invoke_sync, invoke_async, invoke_inside_a_loop], ids=lambda given: given.__name__)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Each way to make a call."""
    made: Invoke = request.param
    return made


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + 5
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert set(threading.enumerate()) <= before
    assert abandoned_calls() == 0


def blocking(policy: Policy, ran: list[str]) -> Tool[..., str]:
    @tool(timeout=LIMIT_S, policy=policy)
    def block() -> str:
        time.sleep(LONG_S)
        ran.append("late")
        return "late"

    return block


def awaiting(policy: Policy, ran: list[str]) -> Tool[..., Any]:
    @tool(timeout=LIMIT_S, policy=policy, name="block")
    async def wait() -> str:
        await asyncio.sleep(LONG_S)
        ran.append("late")
        return "late"

    return wait


def swallowing(policy: Policy, ran: list[str]) -> Tool[..., Any]:
    @tool(timeout=LIMIT_S, policy=policy, name="block")
    async def wait() -> str:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(LONG_S)
        await asyncio.sleep(LONG_S)
        ran.append("late")
        return "late"

    return wait


ABANDONED = "block took longer than 0.05 s and was abandoned; it may still take effect."
CANCELLED = "block took longer than 0.05 s and was cancelled; whether it had an effect is not known."
GIVEN_UP = "block took longer than 0.05 s and was given up; it changes nothing."
CHECK_FIRST = "Do not send it again before you have checked whether it took effect."


@pytest.mark.parametrize(
    ("make", "policy", "code", "said", "effect"),
    [
        (blocking, Policy(), ErrorCode.UNKNOWN_EFFECT, f"{ABANDONED} {CHECK_FIRST}", "unknown"),
        (awaiting, Policy(), ErrorCode.UNKNOWN_EFFECT, f"{CANCELLED} {CHECK_FIRST}", "unknown"),
        (swallowing, Policy(), ErrorCode.UNKNOWN_EFFECT, f"{ABANDONED} {CHECK_FIRST}", "unknown"),
        (blocking, Policy(read_only=True), ErrorCode.INTERNAL, f"{GIVEN_UP} The same call may be sent again.", "none"),
        (awaiting, Policy(idempotent=True), ErrorCode.INTERNAL, f"{CANCELLED} The same call", "unknown"),
        (blocking, Policy(idempotent=True), ErrorCode.INTERNAL, f"{ABANDONED} The same call", "unknown"),
    ],
)
def test_a_call_that_takes_too_long(
    invoke: Invoke,
    make: Callable[[Policy, list[str]], Tool[..., Any]],
    policy: Policy,
    code: ErrorCode,
    said: str,
    effect: str,
) -> None:
    """It is answered in its time; whether it was cancelled or still runs is said, and its effect is unknown unless."""
    ran: list[str] = []
    started = time.monotonic()
    result = invoke(make(policy, ran))
    seconds = time.monotonic() - started
    assert seconds < LONG_S * 2
    assert (result.call_id, result.is_error, result.code, result.effect) == ("c1", True, code, effect)
    assert result.content.startswith(said)
    assert result.retryable is (code is ErrorCode.INTERNAL)
    assert isinstance(result.exception, TimeoutError)


def test_a_call_that_blocks_the_loop_of_a_sync_run() -> None:
    """An async function that never awaits cannot be cancelled; the caller gets its answer all the same."""

    @tool(timeout=LIMIT_S)
    async def block() -> str:
        time.sleep(LONG_S)
        return "late"

    started = time.monotonic()
    result = block.invoke()
    assert time.monotonic() - started < LONG_S * 0.99 + 0.3
    assert (result.code, result.content) == (ErrorCode.UNKNOWN_EFFECT, f"{ABANDONED} {CHECK_FIRST}")


def test_the_time_in_chinese(invoke: Invoke) -> None:
    """In the run's language."""
    result = invoke(awaiting(Policy(), []), options=RunOptions(language="zh"))
    assert result.content == (
        "block 用时超过 0.05 秒，已被取消；是否已经产生作用，尚不清楚。在查明它是否已经产生作用之前，请勿重新发送。"
    )


def test_a_late_value_reaches_nobody(invoke: Invoke) -> None:
    """What an abandoned call comes to later is no later call's result."""
    numbers = iter(range(10))

    @tool(timeout=LIMIT_S)
    def give() -> int:
        number = next(numbers)
        if number == 0:
            time.sleep(3 * LIMIT_S)
        return number

    assert invoke(give).code is ErrorCode.UNKNOWN_EFFECT
    given = [invoke(give).value for _ in range(5)]
    time.sleep(3 * LIMIT_S)
    assert [*given, invoke(give).value] == [1, 2, 3, 4, 5, 6]


def test_a_call_within_its_time(invoke: Invoke) -> None:
    """A time that is not used up changes nothing."""

    @tool(timeout=5)
    def quick() -> str:
        time.sleep(0.001)
        return threading.current_thread().name

    @tool(timeout=5)
    async def soon() -> int:
        await asyncio.sleep(0.001)
        return 7

    assert invoke(quick).content.startswith("magic-tools-worker")
    assert invoke(soon).value == 7


def thread_name() -> str:
    return threading.current_thread().name


@tool(timeout=None)
def without_end() -> str:
    return thread_name()


@tool
def with_the_usual_time() -> str:
    return thread_name()


THREADS: list[str] = []


@tool
def brief(x: int = 1) -> int:
    return x + 1


def test_where_a_sync_run_calls() -> None:
    """In the caller's own thread where there is no time, or where it could do nothing; else in a worker."""
    own = threading.current_thread().name
    assert without_end.invoke().content == own
    assert with_the_usual_time.invoke().content.startswith("magic-tools-worker")
    before = threading.active_count()
    assert brief.invoke().value == 2
    assert threading.active_count() == before
    assert brief.executable.is_brief
    assert not with_the_usual_time.executable.is_brief


@pytest.mark.parametrize("seconds", [0, -1, True, "5", float("nan"), [], 1j])
def test_a_time_that_is_none(seconds: Any) -> None:
    """It is an error at definition."""
    with pytest.raises(DefinitionError, match=r"tool\(timeout=\.\.\.\) wants seconds, more than none, or None"):
        tool(timeout=seconds)


def test_a_cancelled_call_is_cancelled_at_once() -> None:
    """A caller's cancellation reaches it promptly, with the siblings cancelled, and is no error result."""
    ended: list[str] = []

    @tool(timeout=None)
    async def wait(name: str) -> str:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            ended.append(name)
            raise
        return name

    async def main() -> float:
        calls = [ToolCall(name, "wait", f'{{"name": "{name}"}}') for name in ("a", "b")]
        run = asyncio.ensure_future(Toolset(wait).ainvoke_all(calls))
        await asyncio.sleep(0.05)
        started = time.monotonic()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        return time.monotonic() - started

    assert asyncio.run(main()) < 0.5
    assert sorted(ended) == ["a", "b"]


def test_an_inner_cancellation_is_an_error_result(invoke: Invoke) -> None:
    """A task of the tool's own that is cancelled ends that call alone."""

    @tool
    async def inner() -> str:
        task = asyncio.ensure_future(asyncio.sleep(10))
        task.cancel()
        await task
        return "never"

    result = invoke(inner)
    assert (result.is_error, result.code, result.effect) == (True, ErrorCode.INTERNAL, "unknown")
    assert result.content.startswith("inner was cancelled from inside; whether it had an effect is not known.")
