"""The ends of drawing: by readers that want no more, by its time, by cancellations."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from dataclasses import replace
from typing import Any

import pytest

from magic_tools.effects.drawing import MOST_AHEAD
from magic_tools.effects.program import Call, CallTimeoutError, Draw, Emit, Program
from magic_tools.effects.runners import run_async, stream_async, stream_sync
from magic_tools.effects.workers import Attempt, Job, abandoned_calls
from tests.effects.runs import (
    FOREVER_S,
    TIME_S,
    add,
    caught,
    eventually,
    in_an_async_stream,
    one,
    promptly,
    then,
    threads_alive,
    told,
)
from tests.effects.sources import Form, Source, Wait, every_form, slowly


@every_form
@pytest.mark.parametrize("taken", [0, 1, 5, 100])
def test_a_reader_that_asks_no_more(form: Form, taken: int) -> None:
    """In the reader's own thread nothing is drawn that was not asked for; else a few items at most, then it waits."""
    source = Source(range(10**6))
    most = taken + 2 * MOST_AHEAD if form.reads_ahead else taken
    program = drawn_from = one(form.draw(source))
    asked: list[int] = []

    def look() -> None:
        time.sleep(0.01)
        asked.append(source.asked)

    async def main() -> None:
        async with aclosing(stream_async(drawn_from)) as stream:
            assert [await anext(stream) for _ in range(taken)] == list(range(taken))
            for _ in range(2):
                await asyncio.sleep(0.01)
                look()

    with promptly():
        if form.is_async:
            asyncio.run(main())
        else:
            with closing(stream_sync(program)) as stream:
                assert [next(stream) for _ in range(taken)] == list(range(taken))
                look()
                look()
    assert asked[0] == asked[1]
    assert taken <= asked[0] <= most
    assert eventually(lambda: source.closed == source.uses.count("open"))
    assert source.asked <= asked[0] + 1
    assert eventually(lambda: abandoned_calls() == 0)


WAITING = [
    pytest.param([Wait(), 1], [], id="before the first"),
    pytest.param([1, 2, Wait(), 3], [1, 2], id="between"),
    pytest.param([*range(MOST_AHEAD), Wait()], [*range(MOST_AHEAD)], id="after as many as are drawn ahead"),
]


@every_form
@pytest.mark.parametrize(("items", "came"), WAITING)
def test_one_that_takes_too_long(form: Form, items: list[Any], came: list[Any]) -> None:
    """It is given up after its time, with what came by then; whether it still runs is said truly."""
    source = Source(items)
    error: list[Any] = []

    def program() -> Program[None]:
        error.append((yield from caught(replace(form, timeout_s=TIME_S).draw(source))))
        total = yield Call(add, (1, 2), timeout_s=20)
        yield Emit(total)

    with promptly():
        assert form.stream(program()) == [*came, 3]
    assert isinstance(error[0], CallTimeoutError)
    assert error[0].still_runs is not form.awaits
    assert source.closed == form.awaits
    assert abandoned_calls() == (not form.awaits)
    source.woken.set()
    assert eventually(lambda: source.closed == 1)
    assert source.asked <= len(came) + 1
    assert eventually(lambda: abandoned_calls() == 0)


@every_form
@pytest.mark.parametrize("emits", [True, False])
def test_one_that_never_ends_but_never_waits(form: Form, emits: bool) -> None:
    """It is given up all the same, with a reader or without, though there is always an item at hand."""
    source = Source(iter(int, 1))
    draw = replace(form, timeout_s=TIME_S).draw(source, lambda item: (item,) if emits else ())
    with promptly():
        *_, said, last = form.stream(then(draw))
    assert (said.partition(":")[0], last) == ("CallTimeoutError", 3)
    assert eventually(lambda: source.closed == 1)
    with promptly():
        assert form.run(told(draw)).startswith("CallTimeoutError")


@every_form
def test_one_that_is_left_while_it_waits(form: Form) -> None:
    """A thread that cannot be stopped is left to itself, and counted until it has its item and has closed."""
    source = Source([1, Wait(), 2])

    def take(item: int) -> tuple[int]:
        if form.reads_ahead:
            assert eventually(lambda: source.asked == 2)
        raise LookupError("enough")

    def program() -> Program[None]:
        said = yield from told(form.draw(source, take))
        yield Emit((said, abandoned_calls(), source.closed))

    with promptly():
        assert form.stream(program()) == [("LookupError: enough", int(form.in_a_thread), int(not form.in_a_thread))]
    source.woken.set()
    assert eventually(lambda: source.closed == 1)
    assert eventually(lambda: abandoned_calls() == 0)


@every_form
def test_what_is_given_up_is_never_taken_for_whole(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes to do so: its thread does not come to an end of its own meanwhile."""
    give_up = Job.give_up

    def give_up_slowly(job: Job) -> Attempt:
        time.sleep(0.01)
        return give_up(job)

    monkeypatch.setattr(Job, "give_up", give_up_slowly)
    source = Source(iter(int, 1))
    *_, said, last = form.stream(then(replace(form, timeout_s=TIME_S).draw(source)))
    assert (said.partition(":")[0], last) == ("CallTimeoutError", 3)
    assert eventually(lambda: source.closed == 1)


@every_form
@pytest.mark.parametrize("slow_after", [1, 50])
def test_the_time_passes_for_a_slow_reader_too(form: Form, slow_after: int) -> None:
    """What came within it is not lost, and at the latest then there is an end."""
    source = Source(range(10**6))
    draw = replace(form, timeout_s=TIME_S).draw(source)
    got: list[Any] = []

    def slowly(value: Any) -> None:
        got.append(value)
        if len(got) == slow_after:
            time.sleep(TIME_S * 2)

    async def main() -> None:
        async for value in stream_async(then(draw)):
            slowly(value)
            await asyncio.sleep(0)

    with promptly():
        if form.is_async:
            asyncio.run(main())
        else:
            for value in stream_sync(then(draw)):
                slowly(value)
    *items, said, _ = got
    assert items == list(range(len(items)))
    assert slow_after <= len(items) <= slow_after + 2 * MOST_AHEAD or len(items) < slow_after
    assert said.startswith("CallTimeoutError")
    assert eventually(lambda: source.closed == 1)


@every_form
def test_an_end_that_races_with_the_time(form: Form) -> None:
    """Whatever comes first: with an end all items have come, else there is a CallTimeoutError after some of them."""
    ends: list[str] = []
    for number in range(60):
        source = Source([0, 1, Wait(0.0016 + 0.00003 * number), 2, 3])
        *items, said, last = form.stream(then(replace(form, timeout_s=0.0026).draw(source)))
        assert last == 3
        assert items == [0, 1, 2, 3][: len(items)]
        assert said.startswith("CallTimeoutError") or items == [0, 1, 2, 3]
        ends.append(said.partition(":")[0])
        assert eventually(lambda: source.closed == source.uses.count("open"))  # noqa: B023 - it is asked at once
    assert "CallTimeoutError" in ends
    assert eventually(lambda: abandoned_calls() == 0)


@pytest.mark.parametrize("error", [SystemExit("now"), KeyboardInterrupt("now")], ids=["exit", "interrupt"])
def test_an_exit_at_the_last_moment(error: BaseException) -> None:
    """Raised by what is cancelled for its time: it goes straight out all the same."""

    async def items() -> AsyncIterator[int]:
        yield 1
        try:
            await asyncio.sleep(FOREVER_S)
        finally:
            raise error

    with promptly(), pytest.raises(type(error), match="now"):
        in_an_async_stream(then(Draw(lambda: iter(()), lambda item: (item,), items, TIME_S)))


@pytest.mark.parametrize("timeout_s", [None, FOREVER_S])
def test_a_cancellation_inside_an_async_iterator(timeout_s: float | None) -> None:
    """Though it cancels its own task, nobody has cancelled the run, which goes on."""

    async def cancels_itself() -> AsyncIterator[int]:
        yield 1
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    async def main() -> list[Any]:
        task = asyncio.current_task()
        program = then(Draw(lambda: iter(()), lambda item: (item,), cancels_itself, timeout_s))
        values = [value async for value in stream_async(program)]
        assert task is not None
        assert task.cancelling() == 0
        return values

    assert asyncio.run(main()) == [1, "CallCancelledError: the call was cancelled from inside", 3]


@pytest.mark.parametrize("awaits", [False, True], ids=["by a thread", "awaited"])
@pytest.mark.parametrize("ends", [True, False], ids=["", "endless"])
def test_a_loop_that_is_closed_early(awaits: bool, ends: bool, caplog: pytest.LogCaptureFixture) -> None:
    """The tasks are destroyed, of which the loop itself complains; but nothing fails, and no thread stays."""
    source = Source([*range(1000), Wait()] if ends else slowly(iter(int, 1)))
    before = threads_alive()

    async def main() -> None:
        draw = Draw(source.open, lambda item: (item,), source.aopen if awaits else None)
        task = asyncio.create_task(run_async(told(draw)))
        await asyncio.wait({task}, timeout=0.02)
        source.users.clear()

    loop = asyncio.new_event_loop()
    loop.run_until_complete(main())
    loop.close()
    del loop
    source.woken.set()
    # The collector ends the tasks that nobody can resume, and with them the threads of their runs.
    assert eventually(lambda: gc.collect() >= 0 and threads_alive() == before)
    messages = {record.getMessage().partition("\n")[0] for record in caplog.records}
    caplog.clear()
    assert messages == {"Task was destroyed but it is pending!"}
