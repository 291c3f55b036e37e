"""Drawing from iterators: every item, in order, and every error; seen alike in every form."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from magic_tools.effects.drawing import MOST_AHEAD
from magic_tools.effects.program import CallTimeoutError, Draw, Emit, Gather, NoWorkerError, Program
from magic_tools.effects.runners import stream_async, stream_sync
from magic_tools.effects.workers import Daemon, abandoned_calls
from tests.effects.runs import (
    eventually,
    in_a_sync_stream,
    in_an_async_stream,
    one,
    promptly,
    then,
    told,
)
from tests.effects.sources import FORMS, Form, Source, every_form


class Enough(BaseException):
    """What is no exception, and neither an interrupt nor an exit."""


@every_form
@pytest.mark.parametrize("count", [0, 1, 2, MOST_AHEAD - 1, MOST_AHEAD, MOST_AHEAD + 1, 1000])
def test_every_item_comes_in_order(form: Form, count: int) -> None:
    """And the iterator, which only one thread or task has used, is closed once, at its end."""
    source = Source(range(count))
    assert form.stream(then(form.draw(source))) == [*range(count), "value: None", 3]
    assert source.uses == ["open", *["next"] * (count + 1), "close"]
    assert len(source.users) == 1


@every_form
def test_what_take_makes_of_an_item_is_emitted(form: Form) -> None:
    """None, one or several, as an iterable of any kind."""
    source = Source([0, 1, 2, 3])
    made: list[Callable[[int], Any]] = [lambda at: (), lambda at: [at], lambda at: (at, at), lambda at: iter("abc")]
    assert form.stream(then(form.draw(source, lambda at: made[at](at)))) == [1, 2, 2, "a", "b", "c", "value: None", 3]


@every_form
def test_a_program_that_is_only_run_takes_every_item(form: Form) -> None:
    """What is made of them is emitted to nobody."""
    source, taken = Source(range(100)), []

    def take(item: int) -> tuple[int, ...]:
        taken.append(item)
        return (item, item)

    def program() -> Program[str]:
        result = yield from told(form.draw(source, take))
        return f"{len(taken)} items, {result}"

    assert form.run(program()) == "100 items, value: None"
    assert (taken, source.closed) == (list(range(100)), 1)


@every_form
@pytest.mark.parametrize("wrapped", [False, True], ids=["", "in a gather"])
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("bad"), "ValueError: bad"),
        (TimeoutError("its own"), "TimeoutError: its own"),
        (CallTimeoutError(still_runs=True), "CallTimeoutError: the call took too long, and still runs"),
        (asyncio.CancelledError("its own"), "CallCancelledError: the call was cancelled from inside"),
        (Enough("now"), "CallBrokenError: the call raised Enough"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_an_item_that_raises(form: Form, wrapped: bool, error: BaseException, said: str) -> None:
    """The items before it come out, the iterator is closed, and the program gets the error and goes on."""
    source = Source([1, 2, error, 3])
    program = then(form.draw(source))
    values = form.stream(one(Gather((program, one(Emit("beside"))), 2)) if wrapped else program)
    assert [value for value in values if value != "beside"] == [1, 2, said, 3]
    assert (source.asked, source.closed) == (3, 1)
    assert abandoned_calls() == 0


@every_form
@pytest.mark.parametrize("where", ["open", "item", "take"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interrupt_or_an_exit(form: Form, where: str, error: type[BaseException]) -> None:
    """It goes straight out, wherever it is raised; the program has no say in it."""
    source = Source([1, error("now") if where == "item" else 2, 3])

    def take(item: int) -> tuple[int]:
        if item == 2:
            raise error("now")
        return (item,)

    def fails() -> Any:
        raise error("now")

    draw = form.draw(source, take)
    if where == "open":
        draw = draw._replace(open=fails, aopen=fails if form.awaits else None)
    with promptly(), pytest.raises(error, match="now"):
        form.stream(then(draw))
    assert eventually(lambda: source.closed == (where != "open"))


@every_form
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("bad"), "ValueError: bad"),
        (StopIteration("an end"), "StopIteration: an end"),
        (StopAsyncIteration("an end"), "StopAsyncIteration: an end"),
        (asyncio.CancelledError("its own"), "CallCancelledError: the call was cancelled from inside"),
        (Enough("now"), "CallBrokenError: the call raised Enough"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
@pytest.mark.parametrize("lazy", [False, True], ids=["", "lazy"])
def test_a_take_that_raises(form: Form, error: BaseException, said: str, lazy: bool) -> None:
    """No end of an iterator is mistaken for that of the items, and of those no more is taken."""
    source = Source(range(100))

    def take(item: int) -> Iterator[int]:
        if item == 2:
            raise error
        return iter((item,))

    def take_lazily(item: int) -> Iterator[int]:
        yield item
        take(item)

    values = form.stream(then(form.draw(source, take_lazily if lazy else take)))
    if lazy and isinstance(error, StopIteration):
        said = "RuntimeError: generator raised StopIteration"
    assert values == [0, 1, said, 3]
    assert eventually(lambda: source.closed == 1)
    assert source.asked <= 3 + (2 * MOST_AHEAD if form.reads_ahead else 0)
    assert eventually(lambda: abandoned_calls() == 0)


@every_form
def test_what_cannot_be_opened(form: Form) -> None:
    """The error is the program's, and so is what is no iterator, of which a coroutine is closed."""

    def fails() -> Any:
        raise LookupError("no such door")

    async def coroutine() -> None:
        pass

    def failing(opened: Callable[[], Any]) -> list[Any]:
        return form.stream(then(Draw(opened, lambda item: (item,), opened if form.awaits else None, form.timeout_s)))

    assert failing(fails) == ["LookupError: no such door", 3]
    for opened, name in ((coroutine, "coroutine"), (lambda: 7, "int")):
        said, last = failing(opened)
        assert said.startswith(f"TypeError: '{name}' object is not ")
        assert last == 3
    gc.collect()


NAME: contextvars.ContextVar[str] = contextvars.ContextVar("NAME", default="nobody")


@every_form
@pytest.mark.parametrize("deep", [False, True], ids=["", "in a gather"])
def test_context_variables(form: Form, deep: bool) -> None:
    """An iterator sees the caller's, keeps what it does to them from item to item, and changes none of the caller's."""

    def items() -> Iterator[str]:
        for number in range(3):
            yield NAME.get()
            NAME.set(f"item {number}")

    async def items_async() -> AsyncIterator[str]:
        for item in items():
            yield item

    def program() -> Program[None]:
        yield Draw(items, lambda item: ((item, NAME.get()),), items_async if form.awaits else None, form.timeout_s)
        yield Emit(NAME.get())

    token = NAME.set("Ada")
    try:
        values = form.stream(one(Gather((program(),), 1)) if deep else program())
        assert values == [("Ada", "Ada"), ("item 0", "Ada"), ("item 1", "Ada"), "Ada"]
        assert NAME.get() == "Ada"
    finally:
        NAME.reset(token)


@every_form
def test_without_a_thread_there_is_nothing_to_draw(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the process has none left the program is told so, and nothing has been opened."""

    def start(thread: Daemon) -> None:
        raise RuntimeError("can't start new thread")

    def program() -> Program[None]:
        said = yield from told(form.draw(source))
        monkeypatch.undo()
        yield Emit(said)
        yield from told(form.draw(Source("ab")))

    source = Source("xy")
    monkeypatch.setattr(Daemon, "start", start)
    none = ["NoWorkerError: the process has no thread left"]
    assert form.stream(program()) == ([*none, "a", "b"] if form.in_a_thread else ["x", "y", "value: None", "a", "b"])
    assert (source.uses == []) is form.in_a_thread


@pytest.mark.parametrize(
    ("stream", "first"), [(in_a_sync_stream, "ordinary"), (in_an_async_stream, "async")], ids=["sync", "async"]
)
def test_an_async_run_prefers_the_async_iterator(stream: Any, first: str) -> None:
    """In a sync run it is not touched."""

    async def items() -> AsyncIterator[str]:
        yield "async"

    assert stream(one(Draw(lambda: iter(["ordinary"]), lambda item: (item,), items))) == [first]


def test_where_an_ordinary_iterator_is_drawn() -> None:
    """In a sync run without a time in the caller's thread, else in one worker from open to close."""
    for form in FORMS:
        source = Source(range(40))
        form.run(one(form.draw(source)))
        if not form.awaits:
            assert (source.users == {threading.get_ident()}) is not form.in_a_thread
        assert len(source.users) == 1


@every_form
@pytest.mark.parametrize("error", [LookupError("by the reader"), NoWorkerError("by the reader")], ids=["", "no worker"])
def test_what_a_reader_throws_in_ends_it(form: Form, error: Exception) -> None:
    """It comes out again, whatever it is, and is no error of what is drawn."""
    source = Source(range(100))
    program = then(form.draw(source))

    async def main() -> None:
        stream = stream_async(program)
        assert await anext(stream) == 0
        with pytest.raises(type(error), match="by the reader"):
            await stream.athrow(error)

    if form.is_async:
        asyncio.run(main())
    else:
        stream = stream_sync(program)
        assert next(stream) == 0
        with pytest.raises(type(error), match="by the reader"):
            stream.throw(error)
    assert inspect.getgeneratorstate(program) == inspect.GEN_CLOSED
    assert eventually(lambda: source.closed == 1)
    assert eventually(lambda: abandoned_calls() == 0)
