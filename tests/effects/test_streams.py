"""What a program emits: all of it, in order, when it does, and only as long as somebody asks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from magic_tools.effects.program import Call, Draw, Effect, Emit, Gather, Program, Sleep, within
from magic_tools.effects.runners import stream_async, stream_sync
from magic_tools.effects.workers import Daemon, abandoned_calls
from tests.effects.runs import (
    Run,
    Stream,
    add,
    add_later,
    emits,
    every_run,
    every_stream,
    fail,
    fail_later,
    in_an_async_stream,
    one,
    promptly,
    told,
)
from tests.effects.sources import Form, Source, Wait, draws_from, every_form


def mixed() -> Program[str]:
    """Values between effects of all the other kinds."""
    yield Emit("first")
    got = yield Call(add, (1, 2))
    yield Emit(got)
    got = yield Call(add_later, (got, 2), timeout_s=20)
    yield Emit(got)
    yield Sleep(0.001)
    got = yield from emits("a", "b")
    yield Emit(got)
    got = yield Gather((emits("c", None), one(Call(add, (1, 1)))), 1)
    yield Emit(got)
    got = yield from told(Call(fail_later, (ValueError("bad"),)))
    yield Emit(got)
    return "result"


MIXED = ["first", 3, 5, "a", "b", 2, "c", None, [2, 2], "ValueError: bad"]


@every_stream
def test_values_come_in_the_order_in_which_they_are_emitted(stream: Stream) -> None:
    """Whatever the program does between them."""
    assert stream(mixed()) == MIXED
    assert stream(within(mixed(), 20)) == MIXED


@every_run
def test_a_program_that_is_only_run_emits_to_nobody(run: Run) -> None:
    """And comes to the same."""
    assert run(mixed()) == "result"
    assert run(one(Gather((mixed(), emits(1, 2), mixed()), 2))) == ["result", 2, "result"]


@every_stream
def test_an_emit_is_sent_nothing(stream: Stream) -> None:
    """Whatever the value, be it one that an effect or an end could be taken for."""

    def program() -> Program[None]:
        for value in (None, (), True, StopIteration(1), Emit(2), Emit, ValueError("only a value"), add_later):
            values.append(value)
            assert (yield Emit(value)) is None

    values: list[Any] = []
    assert stream(program()) == values
    assert len(values) == 8


@every_stream
def test_one_that_emits_nothing_is_an_empty_stream(stream: Stream) -> None:
    made: list[int] = []
    assert stream(one(Call(made.append, (1,)))) == []
    assert made == [1]


def steps_of(program: Program[Any], steps: list[Any]) -> dict[str, Callable[[], None]]:
    """What reads a stream, and notes each value that it gets, in both ways."""

    def read() -> None:
        for value in stream_sync(program):
            steps.append(("got", value))

    async def read_async() -> None:
        async for value in stream_async(program):
            steps.append(("got", value))

    return {"sync": read, "async": lambda: asyncio.run(read_async())}


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("gathered", [False, True], ids=["", "gathered"])
def test_a_program_goes_on_when_the_next_is_asked_for(way: str, gathered: bool) -> None:
    """No earlier: emitting and getting alternate."""
    steps: list[Any] = []

    def program() -> Program[None]:
        for number in range(3):
            steps.append(("emits", number))
            yield Emit(number)

    # Side by side an async run goes on meanwhile.
    wrapped = one(Gather((program(),), 1)) if gathered and way == "sync" else program()
    steps_of(wrapped, steps)[way]()
    assert steps == [(kind, number) for number in range(3) for kind in ("emits", "got")]


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("deep", [False, True], ids=["", "deep"])
def test_a_value_of_one_comes_while_others_still_run(way: str, deep: bool) -> None:
    """What one emits is there before those beside it have ended, which here wait for it."""
    got = threading.Event()

    def waits() -> Program[None]:
        yield Call(got.wait, (10,), timeout_s=20)
        yield Emit("second")

    def first() -> Program[None]:
        yield Emit("first")
        yield Call(got.wait, (10,), timeout_s=20)

    gather: Effect = Gather((waits(), first()), 2)
    if deep:
        gather = Gather((one(gather), waits()), 2)
    values = []
    with promptly():
        if way == "sync":
            for value in stream_sync(one(gather)):
                values.append(value)
                got.set()
        else:

            async def read() -> None:
                async for value in stream_async(one(gather)):
                    values.append(value)
                    got.set()

            asyncio.run(read())
    assert values == ["first", "second", "second"][: 3 if deep else 2]


@every_stream
@pytest.mark.parametrize("at_once", [1, 2, 5, 50])
def test_each_of_many_keeps_its_own_order(stream: Stream, at_once: int) -> None:
    """Nothing is lost or doubled, and all stand before what comes after the gather."""

    def program(number: int) -> Program[int]:
        for step in range(20):
            yield Emit((number, step))
            if step % 7 == 0:
                yield Call(add_later if number % 2 else add, (1, 2))
        return number

    def outer() -> Program[None]:
        results = yield Gather(tuple(program(number) for number in range(10)), at_once)
        yield Emit(results)

    *values, results = stream(outer())
    assert results == list(range(10))
    assert sorted(values) == [(number, step) for number in range(10) for step in range(20)]
    for number in range(10):
        assert [step for owner, step in values if owner == number] == list(range(20))
    if at_once == 1:
        assert values == sorted(values)


@every_stream
@pytest.mark.parametrize("at_once", [1, 3])
def test_one_that_fails_among_others(stream: Stream, at_once: int) -> None:
    """What it emitted stands, so does all of the others, and the program gets the error."""

    def fails() -> Program[None]:
        yield Emit("before")
        yield Call(fail, (LookupError("at last"),))

    def outer() -> Program[None]:
        got = yield from told(Gather((emits(1), fails(), emits(2, 3)), at_once))
        yield Emit(got)

    *values, last = stream(outer())
    assert sorted(map(str, values)) == ["1", "2", "3", "before"]
    assert last == "LookupError: at last"


@pytest.mark.parametrize("threads", [0, 1])
def test_without_threads_enough_values_come_all_the_same(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the process has none, one after the other, when they are emitted."""
    left = threads
    start = Daemon.start
    steps: list[Any] = []

    def start_some(thread: Daemon) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise RuntimeError("can't start new thread")
        start(thread)

    def program(number: int) -> Program[None]:
        steps.append(("emits", number))
        yield Emit(number)

    monkeypatch.setattr(Daemon, "start", start_some)
    steps_of(one(Gather(tuple(program(number) for number in range(4)), 3)), steps)["sync"]()
    assert [number for kind, number in steps if kind == "got"] == list(range(4))
    if threads == 0:
        assert [kind for kind, _ in steps[1:]] == ["got", "emits"] * 3 + ["got"]


@every_stream
@pytest.mark.parametrize("function", [fail, fail_later], ids=["ordinary", "async"])
@pytest.mark.parametrize("error", [LookupError("now"), KeyboardInterrupt("now"), SystemExit("now")])
@pytest.mark.parametrize("at_once", [0, 1, 2])
def test_what_a_program_does_not_catch_comes_after_its_values(
    stream: Stream, function: Callable[..., Any], error: BaseException, at_once: int
) -> None:
    """Errors, interrupts and exits, out of the program itself or out of one in a gather."""
    got: list[str] = []

    def program() -> Program[None]:
        yield Emit("one")
        yield Call(function, (error,))

    def noted() -> Program[None]:
        inner = Gather((program(),) * 1, at_once) if at_once == 1 else Gather((program(), emits()), 2)
        yield from (one(inner) if at_once else program())

    def read() -> None:
        for value in stream_sync(noted()):
            got.append(value)

    async def read_async() -> None:
        async for value in stream_async(noted()):
            got.append(value)

    with pytest.raises(type(error), match="now"):
        asyncio.run(read_async()) if stream is in_an_async_stream else read()
    assert got == ["one"]


@every_stream
def test_a_program_draws_from_the_stream_of_another(stream: Stream) -> None:
    """However deep: the values of the inner one are items of the outer, and its errors are thrown there."""

    def inner(number: int) -> Program[None]:
        yield Emit(number)
        yield Call(add_later, (1, 2))
        yield Gather((one(Emit(number + 1)), one(Sleep(0))), 2)
        yield Call(int, ("x",))

    def outer(deep: int) -> Program[None]:
        def again() -> Program[None]:
            return outer(deep - 1) if deep else inner(1)

        awaits = None if deep % 2 else lambda: stream_async(again())
        got = yield from told(Draw(lambda: stream_sync(again()), lambda item: (item, item), awaits))
        yield Emit(got)

    said = "ValueError: invalid literal for int() with base 10: 'x'"
    assert stream(outer(0)) == [1, 1, 2, 2, said]
    assert stream(outer(2)) == [1] * 8 + [2] * 8 + [said] * 4 + ["value: None"] * 2 + ["value: None"]


def test_each_item_may_be_asked_for_by_another() -> None:
    """By another thread, or another task: what is opened by one may be closed by another."""
    source = Source([*range(100)])

    async def main() -> list[Any]:
        stream = stream_async(draws_from(source, awaits=True))
        got = [await asyncio.create_task(asyncio.wait_for(anext(stream), 5)) for _ in range(40)]
        await asyncio.create_task(stream.aclose())
        return got

    assert asyncio.run(main()) == list(range(40))
    assert (len(source.users), source.closed) == (1, 1)
    source = Source([*range(100)])
    stream = stream_sync(draws_from(source, awaits=False))
    with ThreadPoolExecutor(4) as threads:
        assert [threads.submit(next, stream).result() for _ in range(40)] == list(range(40))
        threads.submit(stream.close).result()
    assert source.closed == 1


@every_form
def test_many_at_once_lose_nothing(form: Form) -> None:
    """Fifty that are drawn side by side, eight at a time; all are closed, and none still runs."""
    sources = [Source([*range(number), Wait(0.0001), *range(number, 40)]) for number in range(40)]

    def program(number: int) -> Program[None]:
        yield form.draw(sources[number], lambda item: ((number, item),))

    with promptly(10):
        values = form.stream(one(Gather(tuple(map(program, range(40))), 8)))
    for number in range(40):
        assert [item for owner, item in values if owner == number] == list(range(40))
    assert len(values) == 1600
    assert {source.closed for source in sources} == {1}
    assert abandoned_calls() == 0
