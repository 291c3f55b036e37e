"""A stream that is left before its end: the run is cancelled, and nothing of it stays."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, closing
from typing import Any

import pytest

from magic_tools import (
    LimitError,
    Limits,
    ModelReply,
    ModelRequest,
    Policy,
    ScriptedModel,
    TextDelta,
    TextPart,
    TextPiece,
    ToolCall,
    ToolFinished,
    ToolStarted,
    aextract_stream,
    arun_stream,
    extract_stream,
    run_stream,
    tool,
)
from tests.effects.runs import eventually, promptly, threads_alive
from tests.streaming.hearing import Hear


@pytest.fixture(autouse=True)
def _no_thread_stays() -> Iterator[None]:
    before = threads_alive()
    yield
    assert eventually(lambda: threads_alive() <= before)


class Endless(ScriptedModel):
    """A model that goes on and on; `closed` once nobody listens any more, `came` counts its pieces."""

    def __init__(self) -> None:
        super().__init__([])
        self.closed = False
        self.came = 0

    def stream(self, request: ModelRequest) -> Iterator[Any]:
        try:
            while True:
                self.came += 1
                yield TextPiece("a")
        finally:
            self.closed = True

    async def astream(self, request: ModelRequest) -> AsyncIterator[Any]:
        try:
            while True:
                await asyncio.sleep(0)
                self.came += 1
                yield TextPiece("a")
        finally:
            self.closed = True


@pytest.mark.parametrize("limits", [Limits(), Limits(deadline_s=60)], ids=["no deadline", "a deadline"])
@pytest.mark.parametrize("least", [0, 1, 50])
def test_a_model_that_goes_on(limits: Limits, least: int) -> None:
    """Its stream is closed with the run's, before the next thing is done."""
    model = Endless()
    with closing(run_stream("Hi", model=model, limits=limits)) as events:
        for _ in range(least):
            assert next(events) == TextDelta("a")
    if least:
        assert eventually(lambda: model.closed)
        assert model.came <= least + 33
    assert next(events, None) is None


@pytest.mark.parametrize("limits", [Limits(), Limits(deadline_s=60)], ids=["no deadline", "a deadline"])
@pytest.mark.parametrize("least", [0, 1, 50])
def test_a_model_that_goes_on_awaited(limits: Limits, least: int) -> None:
    """The same, awaited; no task is left."""
    model = Endless()

    async def listen() -> None:
        async with aclosing(arun_stream("Hi", model=model, limits=limits)) as events:
            for _ in range(least):
                assert await anext(events) == TextDelta("a")
        assert model.closed == bool(least)
        assert len(asyncio.all_tasks()) == 1
        assert [event async for event in events] == []

    asyncio.run(listen())


def test_an_extract_that_goes_on() -> None:
    """The stream of an extract closes the run's."""
    model = Endless()
    with closing(extract_stream(str, "Hi", model=model)) as partials:
        assert [next(partials).value for _ in range(3)] == ["a", "aa", "aaa"]
    assert model.closed


def test_an_extract_that_goes_on_awaited() -> None:
    """The same, awaited."""
    model = Endless()

    async def listen() -> None:
        async with aclosing(aextract_stream(str, "Hi", model=model)) as partials:
            assert [(await anext(partials)).value for _ in range(3)] == ["a", "aa", "aaa"]
        assert model.closed
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(listen())


CALLS = [ToolCall("c1", "wait", '{"at": 1}'), ToolCall("c2", "wait", '{"at": 2}')]


class Waiting:
    """A tool that waits for ever, and what became of its calls."""

    def __init__(self) -> None:
        self.began: list[int] = []
        self.cancelled: list[int] = []

    @tool
    async def wait(self, at: int) -> int:
        """Wait."""
        self.began.append(at)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled.append(at)
            raise
        return at


@pytest.mark.parametrize("count", [1, 2])
def test_async_tools_that_are_under_way(count: int) -> None:
    """They are cancelled and awaited when the stream is closed, and no further request is made."""
    waiting, model = Waiting(), ScriptedModel([CALLS[:count]])
    with promptly(5), closing(run_stream("Hi", tools=[waiting.wait], model=model)) as events:
        started = 0
        for event in events:
            started += isinstance(event, ToolStarted)
            if started == count:
                break
        assert eventually(lambda: len(waiting.began) >= count - 1)
    assert sorted(waiting.cancelled) == sorted(waiting.began)
    assert len(model.requests) == 1


@pytest.mark.parametrize("count", [1, 2])
def test_async_tools_that_are_under_way_awaited(count: int) -> None:
    """The same, awaited; also where the task that listens is cancelled."""
    for is_cancelled in (False, True):
        waiting, model = Waiting(), ScriptedModel([CALLS[:count]])
        outcomes: list[Any] = []

        async def listen(waiting: Waiting = waiting, model: ScriptedModel = model, stay: bool = is_cancelled) -> None:
            async with aclosing(arun_stream("Hi", tools=[waiting.wait], model=model)) as events:
                async for event in events:
                    if isinstance(event, ToolStarted) and event.call.id == f"c{count}" and not stay:
                        break

        async def main(is_cancelled: bool = is_cancelled, outcomes: list[Any] = outcomes) -> None:
            task = asyncio.create_task(listen())
            if is_cancelled:
                await asyncio.sleep(0.1)
                task.cancel("enough")
            try:
                await task
            except asyncio.CancelledError as error:
                outcomes.append(error.outcome)  # type: ignore[attr-defined]  # it is given one
            assert len(asyncio.all_tasks()) == 1

        with promptly(5):
            asyncio.run(main())
        assert sorted(waiting.cancelled) == sorted(waiting.began)
        assert len(model.requests) == 1
        assert [outcome.stop for outcome in outcomes] == ["cancelled"] * is_cancelled


def test_ordinary_tools_that_are_under_way() -> None:
    """Calls that cannot be stopped end by themselves; those that have not begun do not begin."""
    began: list[int] = []
    over = threading.Event()

    @tool
    def wait(at: int) -> int:
        """Wait."""
        began.append(at)
        over.wait(10)
        return at

    calls = [ToolCall(f"c{at}", "wait", f'{{"at": {at}}}') for at in range(12)]
    model = ScriptedModel([calls])
    with closing(run_stream("Hi", tools=[wait], model=model)) as events:
        while not isinstance(next(events), ToolStarted):
            pass
        assert eventually(lambda: len(began) > 1)
    over.set()
    assert len(began) <= 8
    assert len(model.requests) == 1


def test_left_between_two_calls() -> None:
    """A call that comes after the event at which the stream was left is not made."""
    made: list[int] = []

    @tool(policy=Policy(sequential=True))
    def mark(at: int) -> int:
        """Mark."""
        made.append(at)
        return at

    calls = [ToolCall(f"c{at}", "mark", f'{{"at": {at}}}') for at in range(3)]
    with closing(run_stream("Hi", tools=[mark], model=ScriptedModel([calls]))) as events:
        while not isinstance(next(events), ToolFinished):
            pass
    assert made == [0]


def test_a_deadline(hear: Hear) -> None:
    """A model that goes on and on is given up when the time is over, as one that is not streamed; text stays told."""
    model, began = Endless(), time.monotonic()
    heard = hear("Hi", model=model, limits=Limits(deadline_s=0.3))
    assert time.monotonic() - began < 3
    assert isinstance(heard.error, LimitError)
    assert heard.error.outcome.stop == "deadline"
    assert eventually(lambda: model.closed)  # on the thread that was left to itself
    assert set(heard.told) == {"text"}


def test_a_deadline_in_a_call(hear: Hear) -> None:
    """A call is given up when the time is over, and told as what is known of it."""
    waiting = Waiting()
    model = ScriptedModel([CALLS[0], ModelReply((TextPart("done"),), "stop")])
    heard = hear("Hi", tools=[waiting.wait], model=model, limits=Limits(deadline_s=1.5))
    assert heard.told == ["value c1", "started c1", "failed c1", "text", "done"]
    (result,) = [each.result for each in heard.events if isinstance(each, ToolFinished)]
    assert (result.effect, waiting.cancelled) == ("unknown", [1])
    assert (heard.outcome.value, heard.outcome.stop) == ("done", "deadline")
