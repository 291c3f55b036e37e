"""A thousand runs at once on one event loop: each ends with its own answer, and nothing is left of them."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections import Counter

import pytest

from magic_tools import Message, Outcome, ScriptedModel, Tool, ToolCall, ToolResult, abandoned_calls, arun, tool

RUNS = 1_000

ran: Counter[int] = Counter()


@tool(name="double")
async def double_awaited(number: int) -> int:
    ran[number] += 1
    await asyncio.sleep(0)
    return 2 * number


@tool
def double(number: int) -> int:
    ran[number] += 1
    return 2 * number


async def one(number: int, made: Tool[..., int]) -> Outcome[str]:
    """A run of three steps, of which every number is its own."""
    calls = [ToolCall("c", "double", f'{{"number": {each}}}') for each in (number, number + RUNS)]
    with ScriptedModel([calls[0], calls[1], f"{number} is done"]) as model:
        return await arun(f"Double {number}", tools=[made], model=model)


@pytest.mark.parametrize("made", [double, double_awaited], ids=["function", "async function"])
def test_a_thousand_runs_at_once(made: Tool[..., int]) -> None:
    """None loses or mixes up anything: each has its question, calls, results and answer; no thread or task is left."""
    ran.clear()

    async def all_of_them() -> list[Outcome[str]]:
        outcomes = await asyncio.gather(*(one(number, made) for number in range(RUNS)))
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return outcomes

    asyncio.run(one(0, made))
    ran.clear()
    threads = set(threading.enumerate())
    outcomes = asyncio.run(all_of_them())
    assert ran == Counter(range(2 * RUNS))
    for number, outcome in enumerate(outcomes):
        assert (outcome.value, outcome.steps, outcome.stop) == (f"{number} is done", 3, "final")
        assert outcome.transcript[0] == Message.user(f"Double {number}")
        results = [part for message in outcome.transcript for part in message.parts if isinstance(part, ToolResult)]
        assert [result.value for result in results] == [2 * number, 2 * (number + RUNS)]
    gc.collect()
    assert abandoned_calls() == 0
    assert set(threading.enumerate()) == threads
