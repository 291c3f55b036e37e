"""The two runners: one program, one result, and nothing left behind however it ends."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from magic_tools.effects.program import Call, Program
from magic_tools.effects.runners import run_async, run_sync
from tests.effects.runs import (
    Adder,
    Run,
    add,
    add_later,
    every_run,
    fail,
    fail_later,
    in_a_sync_run,
    in_a_sync_run_inside_a_loop,
    in_an_async_run,
    one,
)

NAME: contextvars.ContextVar[str] = contextvars.ContextVar("NAME", default="nobody")


def no_call() -> Program[int]:
    yield from ()
    return 7


def nested() -> Program[int]:
    first: int = yield from one(Call(add, (1, 2)))
    second: int = yield from one(Call(add_later, (first,), {"right": 4}))
    return first * second


def recovering(call: Call) -> Program[str]:
    try:
        yield call
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing was raised"


@every_run
@pytest.mark.parametrize(
    ("program", "result"),
    [
        (no_call, 7),
        (nested, 21),
        (partial(one, Call(add, (1, 2))), 3),
        (partial(one, Call(add, (1,), {"right": 2})), 3),
        (partial(one, Call(add_later, (1, 2))), 3),
        (partial(one, Call(Adder(), (1, 2))), 3),
        (partial(one, Call(partial(add_later, 1), (2,))), 3),
        (partial(one, Call(lambda: add_later(1, 2))), 3),
        (partial(recovering, Call(fail, (ValueError("bad"),))), "ValueError: bad"),
        (partial(recovering, Call(fail_later, (ValueError("bad"),))), "ValueError: bad"),
        (partial(recovering, Call(fail, (StopIteration("early"),))), "StopIteration: early"),
        (
            partial(recovering, Call(fail_later, (StopIteration("early"),))),
            "RuntimeError: coroutine raised StopIteration",
        ),
        (partial(recovering, Call(add, (1,))), "TypeError: add() missing 1 required positional argument: 'right'"),
    ],
)
def test_a_program_gives_the_same_everywhere(run: Run, program: Callable[[], Program[Any]], result: object) -> None:
    """Ordinary and async functions, results and exceptions: both runners do the same with them."""
    assert run(program()) == result


@every_run
@pytest.mark.parametrize("function", [fail, fail_later], ids=["ordinary", "async"])
def test_what_a_program_does_not_catch_is_raised(run: Run, function: Callable[..., Any]) -> None:
    """An exception of a call leaves the runner as it was raised."""
    error = LookupError("no such order")
    with pytest.raises(LookupError, match="no such order") as caught:
        run(one(Call(function, (error,))))
    assert caught.value is error


@every_run
def test_a_stop_iteration_never_ends_a_program(run: Run) -> None:
    """One that a function raises is a fault of that function; it is not taken for the program's result."""
    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        run(one(Call(fail, (StopIteration("looks like a result"),))))


@every_run
def test_calls_are_made_in_order(run: Run) -> None:
    """A call is made once, when it is asked for and after the one before it is done."""
    made: list[int] = []

    async def note_later(number: int) -> None:
        made.append(number)

    def program() -> Program[list[int]]:
        yield Call(made.append, (1,))
        yield Call(note_later, (2,))
        made.append(3)
        yield Call(made.append, (4,))
        return list(made)

    assert run(program()) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("run", "answer"),
    [(in_a_sync_run, "fn"), (in_an_async_run, "afn"), (in_a_sync_run_inside_a_loop, "fn")],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_an_async_run_prefers_the_async_twin(run: Run, answer: str) -> None:
    """`afn` is awaited in an async run, and in a sync one it is not touched."""

    async def twin() -> str:
        return "afn"

    assert run(one(Call(lambda: "fn", afn=twin))) == answer


@every_run
@pytest.mark.parametrize("is_async", [False, True], ids=["ordinary", "async"])
def test_context_variables_reach_every_function(run: Run, is_async: bool) -> None:
    """What the caller has set is seen by its functions, whatever thread they run in."""

    async def ask_later() -> str:
        return NAME.get()

    token = NAME.set("Ada")
    try:
        assert run(one(Call(ask_later if is_async else NAME.get))) == "Ada"
    finally:
        NAME.reset(token)


@pytest.mark.parametrize(
    ("run", "is_caller"),
    [(in_a_sync_run, True), (in_an_async_run, False), (in_a_sync_run_inside_a_loop, True)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_where_ordinary_functions_run(run: Run, is_caller: bool) -> None:
    """In a sync run in the caller's thread; in an async run in another, so that the loop goes on."""
    assert (run(one(Call(threading.get_ident))) == threading.get_ident()) is is_caller


def test_async_functions_of_a_sync_run_share_a_loop() -> None:
    """What the first opened on its loop (a connection, a lock) the next can use."""

    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    def program() -> Program[bool]:
        first = yield Call(loop)
        second = yield Call(loop)
        return first is second and not first.is_closed()

    assert run_sync(program()) is True


def test_a_sync_run_without_async_functions_starts_no_thread() -> None:
    """The portal is opened by the first awaitable, not before."""
    before = threading.active_count()
    assert run_sync(one(Call(threading.active_count))) == before


def test_an_async_run_awaits_async_functions_where_it_is() -> None:
    """No worker thread stands between: the function runs in the caller's loop."""

    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    async def outer() -> bool:
        same = [await run_async(one(call)) is asyncio.get_running_loop() for call in (Call(loop), Call(min, afn=loop))]
        return same == [True, True] and threading.active_count() == before

    before = threading.active_count()
    assert asyncio.run(outer())


class Watched:
    """A program that makes one call and notes how it ended."""

    def __init__(self, call: Call) -> None:
        self.left_by: type[BaseException] | None = None
        self.program = self._make(call)

    def _make(self, call: Call) -> Program[Any]:
        try:
            return (yield call)
        except BaseException as error:
            self.left_by = type(error)
            raise

    @property
    def state(self) -> str:
        return inspect.getgeneratorstate(self.program)


@every_run
@pytest.mark.parametrize("function", [fail, fail_later], ids=["ordinary", "async"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_everything_passes_by_the_program(
    run: Run, function: Callable[..., Any], error: type[BaseException]
) -> None:
    """An interrupt or an exit is raised; the program is closed and has no say in it."""
    watched = Watched(Call(function, (error("now"),)))
    with pytest.raises(error, match="now"):
        run(watched.program)
    assert (watched.state, watched.left_by) == (inspect.GEN_CLOSED, GeneratorExit)


def test_an_interrupt_while_waiting_cancels_the_awaited() -> None:
    """Ctrl-C in a sync run that waits for an async function ends that function, the loop and the thread."""
    ended_by: list[type[BaseException]] = []
    person = threading.get_ident()

    async def wait_for_ever() -> None:
        signal.pthread_kill(person, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        except BaseException as error:
            ended_by.append(type(error))
            raise

    watched = Watched(Call(wait_for_ever))
    with pytest.raises(KeyboardInterrupt):
        run_sync(watched.program)
    assert (watched.state, watched.left_by) == (inspect.GEN_CLOSED, GeneratorExit)
    assert ended_by == [asyncio.CancelledError]


def test_a_cancelled_async_run_cancels_what_it_awaits() -> None:
    """The awaited function learns of it, the program is closed, and the canceller is told."""
    ended_by: list[type[BaseException]] = []

    async def cancel() -> Watched:
        started = asyncio.Event()

        async def wait_for_ever() -> None:
            started.set()
            try:
                await asyncio.Event().wait()
            except BaseException as error:
                ended_by.append(type(error))
                raise

        watched = Watched(Call(wait_for_ever))
        run = asyncio.create_task(run_async(watched.program))
        await started.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        return watched

    watched = asyncio.run(cancel())
    assert (watched.state, watched.left_by) == (inspect.GEN_CLOSED, GeneratorExit)
    assert ended_by == [asyncio.CancelledError]


@pytest.mark.parametrize("error", [None, ValueError("too late")], ids=["returns", "raises"])
def test_a_cancelled_async_run_does_not_wait_for_a_worker(error: Exception | None) -> None:
    """A worker thread cannot be stopped: the run ends at once, and what the worker comes to is dropped."""

    async def cancel() -> Watched:
        started, go_on = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        def block() -> None:
            loop.call_soon_threadsafe(started.set)
            go_on.wait()
            if error is not None:
                raise error

        watched = Watched(Call(block))
        run = asyncio.create_task(run_async(watched.program))
        await started.wait()
        run.cancel()
        try:
            with pytest.raises(asyncio.CancelledError):
                await run
            return watched
        finally:
            go_on.set()

    watched = asyncio.run(cancel())
    assert (watched.state, watched.left_by) == (inspect.GEN_CLOSED, GeneratorExit)


@every_run
def test_a_program_that_fails_itself_is_closed(run: Run) -> None:
    """Its own exception is raised, and what it opened on the way is closed."""
    closed: list[bool] = []

    def program() -> Program[None]:
        try:
            yield Call(add_later, (1, 2))
            raise ArithmeticError("of the program")
        finally:
            closed.append(True)

    with pytest.raises(ArithmeticError, match="of the program"):
        run(program())
    assert closed == [True]
