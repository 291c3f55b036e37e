"""The calls of one reply: side by side with a cap, sequential ones alone, results in call order, each id once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import pytest

from magic_tools import (
    Alert,
    ContextError,
    ErrorCode,
    Injected,
    Policy,
    RunOptions,
    ScriptedModel,
    ToolCall,
    ToolCompleted,
    ToolResult,
    Toolset,
    run,
    tool,
)

InvokeAll: TypeAlias = Callable[..., tuple[ToolResult, ...]]


def all_sync(tools: Toolset, calls: Sequence[ToolCall], *args: Any, **options: Any) -> tuple[ToolResult, ...]:
    return tools.invoke_all(calls, *args, **options)


def all_async(tools: Toolset, calls: Sequence[ToolCall], *args: Any, **options: Any) -> tuple[ToolResult, ...]:
    return asyncio.run(tools.ainvoke_all(calls, *args, **options))


@pytest.fixture(params=[all_sync, all_async], ids=lambda given: given.__name__)
def invoke_all(request: pytest.FixtureRequest) -> InvokeAll:
    """Both ways to make several calls."""
    made: InvokeAll = request.param
    return made


class Watch:
    """Tools that note how many of them were under way at once."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self.log: list[str] = []
        self._lock = threading.Lock()

    @contextmanager
    def under_way(self, name: str) -> Any:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.log.append(f"+{name}")
        yield
        with self._lock:
            self.now -= 1
            self.log.append(f"-{name}")

    @tool
    def block(self, name: str) -> str:
        with self.under_way(name):
            time.sleep(0.02)
        return name

    @tool
    async def wait(self, name: str) -> str:
        with self.under_way(name):
            await asyncio.sleep(0.02)
        return name

    @tool(policy=Policy(sequential=True))
    def alone(self, name: str) -> str:
        with self.under_way(name):
            time.sleep(0.01)
        return name

    @property
    def tools(self) -> Toolset:
        return Toolset(self.block, self.wait, self.alone)


def calls_of(*asked: str) -> list[ToolCall]:
    return [ToolCall(f"c{at}", name, f'{{"name": "{at}"}}') for at, name in enumerate(asked)]


def test_results_stand_in_call_order(invoke_all: InvokeAll) -> None:
    """Whatever ends first, each call has its one result, under its id."""

    @tool
    def sleep(ms: int) -> int:
        time.sleep(ms / 1000)
        return ms

    calls = [ToolCall(f"c{ms}", "sleep", f'{{"ms": {ms}}}') for ms in (60, 1, 30, 5)]
    results = invoke_all(Toolset(sleep), calls)
    assert [(result.call_id, result.value) for result in results] == [("c60", 60), ("c1", 1), ("c30", 30), ("c5", 5)]


@pytest.mark.parametrize("at_once", [1, 2, 3, 8])
@pytest.mark.parametrize("name", ["block", "wait"])
def test_the_cap(invoke_all: InvokeAll, name: str, at_once: int) -> None:
    """As many as are allowed are under way at once, and no more."""
    watch = Watch()
    results = invoke_all(watch.tools, calls_of(*[name] * 10), at_once=at_once)
    assert [result.value for result in results] == list("0123456789")
    assert watch.most == at_once


def test_a_sequential_tool_is_a_barrier(invoke_all: InvokeAll) -> None:
    """What was called before it has ended when it begins, and what was called after it waits for it."""
    watch = Watch()
    results = invoke_all(watch.tools, calls_of("block", "wait", "alone", "alone", "block", "wait"))
    assert [result.value for result in results] == list("012345")
    assert watch.log[4:8] == ["+2", "-2", "+3", "-3"]
    assert set(watch.log[:4]) == {"+0", "-0", "+1", "-1"}


def test_one_failure_takes_no_sibling_along(invoke_all: InvokeAll) -> None:
    """Of every kind of failure there is one result, and the others are as they would be alone."""

    @tool
    def fails() -> str:
        raise ValueError

    @tool(timeout=0.02)
    def late() -> str:
        time.sleep(0.1)
        return "late"

    @tool
    def fine(x: int) -> int:
        return x

    calls = [
        ToolCall("c1", "fine", '{"x": 1}'),
        ToolCall("c2", "fails", ""),
        ToolCall("c3", "nothing", "{}"),
        ToolCall("c4", "late", "{}"),
        ToolCall("c5", "fine", '{"x": '),
        ToolCall("c6", "fine", '{"x": 6}'),
    ]
    results = invoke_all(Toolset(fails, late, fine), calls)
    assert [(result.call_id, result.code, result.value) for result in results] == [
        ("c1", None, 1),
        ("c2", ErrorCode.INTERNAL, None),
        ("c3", ErrorCode.NOT_FOUND, None),
        ("c4", ErrorCode.UNKNOWN_EFFECT, None),
        ("c5", ErrorCode.INVALID_ARGUMENT, None),
        ("c6", None, 6),
    ]
    assert "there are: fails, late, fine" in results[2].content


@pytest.mark.parametrize(
    ("ids", "answered"),
    [
        (["", ""], ["call_1", "call_2"]),
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a", "a_2", "a"], ["a", "a_2", "a_3"]),
        (["b", "", "call_1"], ["b", "call_2", "call_1"]),
    ],
)
def test_each_id_is_answered_once(invoke_all: InvokeAll, ids: list[str], answered: list[str]) -> None:
    """A call without an id, or with one that was there before, is answered under one of its own; nothing is swapped."""

    @tool
    def echo(x: int) -> int:
        return x

    results = invoke_all(Toolset(echo), [ToolCall(name, "echo", f'{{"x": {at}}}') for at, name in enumerate(ids)])
    assert [result.call_id for result in results] == answered
    assert [result.value for result in results] == list(range(len(ids)))


def test_no_calls(invoke_all: InvokeAll) -> None:
    """They come to no results."""
    assert invoke_all(Watch().tools, []) == ()


def test_the_context_is_looked_at_first(invoke_all: InvokeAll) -> None:
    """What it lacks is an error before any of the calls runs."""
    watch = Watch()

    @tool
    def mine(tenant: Injected[str]) -> str:
        return tenant

    tools = watch.tools | Toolset(mine)
    calls = [*calls_of("block"), ToolCall("c9", "mine", "")]
    with pytest.raises(ContextError, match="the hidden parameter 'tenant' wants 'tenant' in the context"):
        invoke_all(tools, calls)
    assert watch.log == []
    assert [result.value for result in invoke_all(tools, calls, {"tenant": "t1"})] == ["0", "t1"]


def test_a_deadline_for_all(invoke_all: InvokeAll) -> None:
    """After it what is under way is given up, and what was not begun says that nothing was done."""

    @tool(policy=Policy(sequential=True))
    def slow(ms: int) -> int:
        time.sleep(ms / 1000)
        return ms

    calls = [ToolCall(f"c{at}", "slow", f'{{"ms": {ms}}}') for at, ms in enumerate((1, 300, 1))]
    started = time.monotonic()
    first, second, third = invoke_all(Toolset(slow), calls, deadline_s=0.1)
    assert time.monotonic() - started < 0.29
    assert (first.value, second.code, third.code) == (1, ErrorCode.UNKNOWN_EFFECT, ErrorCode.INTERNAL)
    assert (second.effect, third.effect) == ("unknown", "none")
    assert third.content.startswith("slow was not begun: the time for all calls is over.")
    time.sleep(0.25)


def test_a_deadline_that_is_over_at_once(invoke_all: InvokeAll) -> None:
    """Every call still has its result."""
    watch = Watch()
    results = invoke_all(watch.tools, calls_of("block", "wait", "alone"), deadline_s=0)
    assert [result.effect for result in results] == ["none"] * 3
    assert watch.log == []


@pytest.mark.parametrize("at_once", [0, -1, True])
def test_a_cap_that_is_none(at_once: int) -> None:
    """At least one call has to be allowed."""
    with pytest.raises(ValueError, match="at_once is a whole number of at least 1"):
        Watch().tools.invoke_all([], at_once=at_once)


def test_the_number_of_a_call_in_its_run() -> None:
    """Events and alerts count the calls of a run, over all its replies."""

    @tool
    def count(x: int) -> int:
        return "two" if x == 2 else x  # type: ignore[return-value]  # the fault that is alerted of

    alerts: list[Alert] = []
    events: list[Any] = []
    calls = [ToolCall(f"c{at}", "count", f'{{"x": {at}}}') for at in range(4)]
    model = ScriptedModel([calls[:2], calls[2:], "done"])
    run("go", tools=[count], model=model, options=RunOptions(trace=events.append, on_alert=alerts.append))
    assert [(alert.tool, alert.nth, alert.call_id) for alert in alerts] == [("count", 3, "c2")]
    finished = [event for event in events if isinstance(event, ToolCompleted)]
    assert sorted((event.nth, event.call_id) for event in finished) == [(1, "c0"), (2, "c1"), (3, "c2"), (4, "c3")]
    assert len({event.run_id for event in events}) == 1


def test_a_thousand_calls_at_once() -> None:
    """Nothing is lost, ordinary and async alike."""

    @tool
    def double(x: int) -> int:
        time.sleep(0)
        return 2 * x

    @tool
    async def triple(x: int) -> int:
        await asyncio.sleep(0.001)
        return 3 * x

    async def main() -> list[ToolResult]:
        return await asyncio.gather(
            *((double, triple)[at % 2].ainvoke({"x": at}, call_id=f"c{at}") for at in range(1_000))
        )

    results = asyncio.run(main())
    assert [(result.call_id, result.value) for result in results] == [
        (f"c{at}", (2, 3)[at % 2] * at) for at in range(1_000)
    ]
