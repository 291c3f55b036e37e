"""Interrupts of streams: straight out, at once, whatever they wait for."""

from __future__ import annotations

import asyncio
import inspect
import random
import signal
from collections.abc import Callable
from typing import Any

import pytest

from magic_tools.effects.program import (
    Call,
    Effect,
    Emit,
    Gather,
    Program,
    within,
)
from magic_tools.effects.runners import stream_async, stream_sync
from magic_tools.effects.workers import abandoned_calls
from tests.effects.runs import (
    FOREVER_S,
    add_later,
    eventually,
    one,
    promptly,
)
from tests.effects.sources import WAITS, Source, Wait, draws_from, slowly, waiting_for


@pytest.mark.parametrize("in_a_time", [False, True], ids=["", "within"])
@pytest.mark.parametrize("effect", WAITS)
def test_an_interrupt_while_a_sync_stream_waits(
    effect: Callable[[Source], Effect], in_a_time: bool, interrupt_after: Callable[[float], None]
) -> None:
    """It comes out promptly, after what had been emitted."""
    got: list[Any] = []
    source = Source([Wait()])
    program = waiting_for(effect(source))

    def read() -> None:
        for value in stream_sync(within(program, FOREVER_S) if in_a_time else program):
            got.append(value)

    interrupt_after(0.02)
    with promptly(), pytest.raises(KeyboardInterrupt):
        read()
    assert (got, inspect.getgeneratorstate(program)) == (["first"], inspect.GEN_CLOSED)
    source.woken.set()
    assert eventually(lambda: source.closed == source.uses.count("open"))


# An interrupt may meet a coroutine that was just made, or a destructor, which swallows it.
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interrupts_at_random_leave_nothing(interrupt_after: Callable[[float], None]) -> None:
    """Whatever a sync stream does just then; and nothing but they comes out."""
    numbers = random.Random(17)

    def program() -> Program[None]:
        for _ in range(20):
            yield Emit(1)
            yield from draws_from(Source(range(40)), awaits=False)
            yield from draws_from(Source(range(40)), awaits=False, timeout_s=20)
            yield Gather(tuple(draws_from(Source(range(9)), awaits=False, timeout_s=20) for _ in range(3)), 3)
            yield Gather((draws_from(Source(slowly(range(9))), awaits=False), one(Call(add_later, (1, 2)))), 2)

    interrupted = 0
    for _ in range(150):
        try:
            interrupt_after(numbers.uniform(0.0003, 0.008))
            for _ in stream_sync(program()):
                pass
            interrupt_after(0)
        except KeyboardInterrupt:
            interrupted += 1
    assert interrupted > 100
    assert eventually(lambda: abandoned_calls() == 0)


@pytest.mark.parametrize("effect", WAITS)
def test_an_interrupt_while_an_async_stream_waits(effect: Callable[[Source], Effect]) -> None:
    """The loop cancels the reader for it; `asyncio.run` raises the interrupt, and nothing is left."""
    got: list[Any] = []
    source = Source([Wait()])
    program = waiting_for(effect(source))

    async def main() -> None:
        asyncio.get_running_loop().call_later(0.015, signal.raise_signal, signal.SIGINT)
        async for value in stream_async(program):
            got.append(value)

    with promptly(), pytest.raises(KeyboardInterrupt):
        asyncio.run(main())
    assert (got, inspect.getgeneratorstate(program)) == (["first"], inspect.GEN_CLOSED)
    assert source.closed == source.uses.count("open")
