"""Context variables: seen by whatever is called, and what is called changes none of the caller's."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from magic_tools.effects.program import Call, Emit, Gather, Program
from magic_tools.effects.runners import run_async, run_sync, stream_sync
from tests.effects.runs import Run, Stream, eventually, every_run, every_stream, one

NAME: contextvars.ContextVar[str] = contextvars.ContextVar("NAME", default="nobody")


@pytest.fixture(autouse=True)
def _ada() -> Iterator[None]:
    token = NAME.set("Ada")
    yield
    NAME.reset(token)


def change() -> str:
    before = NAME.get()
    NAME.set("changed")
    return before


async def change_later() -> str:
    await asyncio.sleep(0)
    return change()


class Changer:
    async def __call__(self) -> str:
        return await change_later()


def change_and_await() -> Awaitable[str]:
    change()
    return asyncio.sleep(0, "Ada")


CALLS = [
    Call(change),
    Call(change, brief=True),
    Call(change, timeout_s=20),
    Call(change_later),
    Call(change_later, timeout_s=20),
    Call(Changer()),
    Call(Changer(), brief=True),
    Call(Changer(), timeout_s=20),
    Call(change_and_await),
    Call(change_and_await, brief=True),
    Call(change, afn=change_later),
    Call(change, afn=change_and_await),
]


def twice(call: Call) -> Program[Any]:
    before = NAME.get()
    first = yield call
    second = yield call
    return before, first, second, NAME.get()


@every_run
@pytest.mark.parametrize("call", CALLS)
def test_a_call_sees_the_callers_and_changes_none(run: Run, call: Call) -> None:
    """Neither for the next call nor for the program."""
    assert run(twice(call)) == ("Ada", "Ada", "Ada", "Ada")
    assert NAME.get() == "Ada"


@every_run
@pytest.mark.parametrize("at_once", [1, 2])
@pytest.mark.parametrize("call", CALLS)
def test_so_it_is_in_a_gather(run: Run, call: Call, at_once: int) -> None:
    """Whatever thread or task a program is run by."""
    results = run(one(Gather(tuple(twice(call) for _ in range(3)), at_once)))
    assert results == [("Ada", "Ada", "Ada", "Ada")] * 3
    assert NAME.get() == "Ada"


@every_run
def test_a_program_in_a_gather_changes_none_of_the_callers(run: Run) -> None:
    """Not even where it is the only one, or where they are run one by one."""

    def program() -> Program[None]:
        NAME.set("program")
        yield Call(change)

    def outer(at_once: int) -> Program[str]:
        yield Gather((program(), program()), at_once)
        return NAME.get()

    assert [run(outer(1)), run(outer(2))] == ["Ada", "Ada"]


@every_stream
@pytest.mark.parametrize("at_once", [1, 2])
def test_nor_does_one_that_emits(stream: Stream, at_once: int) -> None:
    """However often it was asked for more."""

    def program() -> Program[None]:
        yield Emit(NAME.get())
        NAME.set("program")
        yield Emit("then " + NAME.get())

    def outer() -> Program[None]:
        yield Gather((program(),) if at_once == 1 else (program(), one(Call(change))), at_once)
        yield Emit(NAME.get())

    assert stream(outer()) == ["Ada", "then program", "Ada"]


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_program_that_is_left_ends_with_its_own(at_once: int) -> None:
    """What it cleans up with is what it has set."""
    seen: list[str] = []

    def program() -> Program[None]:
        NAME.set("program")
        try:
            yield Emit(1)
        finally:
            seen.append(NAME.get())

    with closing(stream_sync(one(Gather((program(), one(Call(change)))[:at_once], at_once)))) as stream:
        next(stream)
    assert eventually(lambda: seen == ["program"])


def test_an_async_run_changes_none_of_its_task() -> None:
    """The task that awaits a run has its variables as before."""

    async def main(call: Call) -> str:
        await run_async(one(call))
        return NAME.get()

    assert [asyncio.run(main(call)) for call in CALLS] == ["Ada"] * len(CALLS)


@pytest.mark.parametrize("runner", [run_sync, None], ids=["sync", "async"])
def test_each_of_many_threads_and_tasks_has_its_own(runner: Callable[[Program[Any]], Any] | None) -> None:
    """Runs at the same time do not see each other's."""

    def see() -> Program[Any]:
        first = yield Call(NAME.get, timeout_s=20)
        second = yield Call(change_later)
        return first, second

    async def one_run(name: str) -> Any:
        NAME.set(name)
        if runner is not None:
            return await asyncio.to_thread(runner, see())
        return await run_async(see())

    async def main() -> list[Any]:
        return await asyncio.gather(*(one_run(f"name {number}") for number in range(20)))

    assert asyncio.run(main()) == [(f"name {number}",) * 2 for number in range(20)]
