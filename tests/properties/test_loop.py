"""Whatever a model replies and a tool does, a run ends within its limits, its transcript is whole, and it can go on.

A script is replies that a model gives over and over; what a person decides of calls that wait is drawn with it. There
are 500 scripts for each promise here, and 20,000 with the profile `nightly` (`nox -s nightly`).
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from magic_tools import (
    Capabilities,
    ErrorCode,
    History,
    Limits,
    Message,
    ModelError,
    ModelReply,
    ModelRequest,
    Outcome,
    Phases,
    Policy,
    RunError,
    RunOptions,
    TextPart,
    Tool,
    ToolCall,
    ToolFailure,
    ToolResult,
    Usage,
    arun,
    ask_user,
    output_tool,
    tool,
)
from magic_tools.chat import FinishReason
from magic_tools.loop import driver, machine
from magic_tools.loop.state import LoopState
from magic_tools.loop.steps import Action, Event
from tests.ways import ASYNC, SYNC, Ways

EXAMPLES = 20_000 if settings().max_examples > 1_000 else 500  # of the profile that is loaded
many = settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

Script: TypeAlias = list[ModelReply | ModelError]


class Number(BaseModel):
    n: int


class Word(BaseModel):
    w: str


class Bodies(Counter[str]):
    """How often each function ran."""


BODIES = Bodies()


def made(fn: Callable[..., Any], **options: Any) -> Tool[..., Any]:
    return tool(fn, **options)


def double(n: int = 1) -> int:
    BODIES["double"] += 1
    return 2 * n


async def later(n: int) -> str:
    BODIES["later"] += 1
    await asyncio.sleep(0)
    return "later" * n


def broken(n: int = 1) -> int:
    raise KeyError(n)


def sorry() -> None:
    raise ToolFailure("Not today.", ErrorCode.RATE_LIMITED)


def liar() -> int:
    return "no number"  # type: ignore[return-value]  # a tool that does not keep its promise


async def slow(n: int = 1) -> int:
    await asyncio.sleep(30)
    return n


def pay(n: int = 1) -> str:
    BODIES["pay"] += 1
    return f"paid {n}"


def look(n: int = 1) -> int:
    BODIES["look"] += 1
    return n


def poll() -> str:
    return "not yet"


TOOLS = (
    made(double),
    made(later),
    made(broken),
    made(sorry),
    made(liar),
    made(slow, timeout=0.001),
    made(pay, policy=Policy(approval=True)),
    made(look, policy=Policy(idempotent=True, read_only=True)),
    made(poll, repeatable=True),
    ask_user,
)
NAMES = [each.name for each in TOOLS]
PHASES = Phases({"one": TOOLS[:5], "two": TOOLS}, move={"double": "two", "look": "one"})
ASKED = (Message.system("Be brief."), Message.user("How many?"))
NUMBER = output_tool("number", "The number", Number)
WORD = output_tool("word", "The word", Word, summary=True)

texts = st.sampled_from(
    ["", " ", "...", "done", "well", '{"n": 1}', '{"n": "x"}', '```json\n{"n": 2,}\n```', '{"n": 1', "null"]
)
good = st.builds(
    lambda name, n: ToolCall("", name, '{"question": "who?"}' if name == "ask_user" else f'{{"n": {n}}}'),
    st.sampled_from(["double", "later", "look", "pay", "pay", "ask_user", "slow"]),
    st.sampled_from(["1", "1.0", "2", "3"]),
)
odd = st.builds(
    ToolCall,
    st.sampled_from(["", "", "a", "b", "call_1", "a_2"]),
    st.sampled_from([*NAMES, "unknown", "", "final_answer", "number", "word"]),
    st.sampled_from(
        [
            "", '{"n": 1}', '{"n": 2,}', '{"n": "x"}', '{"m": 1}', '{"n": 1', "[]", '{"value": [1]}',
            '{"data": {"w": "x"}, "summary": "One."}',
        ]
    ),
)  # fmt: skip
a_call = st.sampled_from([True, True, True, False]).flatmap(lambda is_good: good if is_good else odd)
parts_of: dict[str, st.SearchStrategy[tuple[TextPart | ToolCall, ...]]] = {
    "call": a_call.map(lambda call: (call,)),
    "calls": st.lists(a_call, min_size=2, max_size=4).map(tuple),
    "text": texts.map(lambda text: (TextPart(text),)),
    "mixed": st.lists(st.one_of(texts.map(TextPart), a_call), max_size=4).map(tuple),
}


SELDOM: tuple[FinishReason | None, ...] = (None, "other", "length", "refusal")
USUAL: tuple[FinishReason | None, ...] = ("stop", "tool_calls")


@st.composite
def replies(draw: st.DrawFn) -> ModelReply | ModelError:
    """Mostly calls, sometimes a text, seldom what ends a run at once."""
    kind = draw(st.sampled_from(["call"] * 9 + ["calls"] * 6 + ["text"] * 3 + ["mixed"] * 2 + ["error"]))
    if kind == "error":
        return ModelError("down")
    return ModelReply(
        draw(parts_of[kind]),
        draw(st.sampled_from(USUAL * 12 + SELDOM)),
        Usage(draw(st.integers(0, 9)), draw(st.integers(0, 9))),
        draw(st.sampled_from(["", "some-model"])),
        draw(st.sampled_from([None, None, None, 5])),
    )


scripts = st.lists(replies(), min_size=2, max_size=10)
some_limits = st.builds(
    Limits,
    steps=st.integers(1, 9),
    repeats=st.integers(1, 2),
    stalls=st.integers(0, 2),
    retries=st.integers(0, 2),
    calls_per_step=st.sampled_from([1, 2, 3, 9, 9]),
    tokens=st.sampled_from([None, None, None, 20, 60]),
)


@dataclass(frozen=True)
class Case:
    """A run, but for the way in which it is run."""

    script: Script
    limits: Limits
    capabilities: Capabilities
    output: Any
    tools: Any
    decisions: list[bool]
    history: History


cases = st.builds(
    Case,
    scripts,
    some_limits,
    st.builds(Capabilities, st.booleans(), st.booleans(), st.just(True), st.booleans()),
    st.sampled_from([str, Number, Number | None, list[int], NUMBER, [NUMBER, WORD]]),
    st.sampled_from([TOOLS, TOOLS, PHASES]),
    st.lists(st.booleans(), min_size=1, max_size=4),
    st.sampled_from([History(), History(reuse=False), History(messages=6, result_chars=20, recent=1)]),
)


@dataclass
class EndlessModel:
    """A model that says its script over and over, from some reply on, and keeps what it was asked."""

    script: Script
    capabilities: Capabilities
    begin: int = 0
    requests: list[ModelRequest] = field(default_factory=list)
    stop_at: int = -1
    name = "endless"

    def __post_init__(self) -> None:
        shift = self.begin % len(self.script)
        self.left = cycle([*self.script[shift:], *self.script[:shift]])

    def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        if len(self.requests) - 1 == self.stop_at:
            raise KeyboardInterrupt
        reply = next(self.left)
        if isinstance(reply, ModelError):
            raise ModelError(str(reply))
        return reply

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        await asyncio.sleep(0)
        return self.complete(request)


@dataclass
class Ending:
    """What a case came to: its last outcome, the error that carried it, and how often it paused."""

    outcome: Outcome[Any]
    error: str = ""
    pauses: int = 0


def ended(case: Case, model: EndlessModel, how: Ways = SYNC, state: Any = None, **options: Any) -> Ending:
    """The end of a case, in which a person decides what is to be decided, by what was drawn."""
    begin, go_on = how
    decisions = cycle(case.decisions)
    told = RunOptions(run_id="r", history=case.history, **options)
    last = Ending(Outcome(None, "final", False, (), Usage(), 0, (), ""))
    same = {"tools": case.tools, "output": case.output, "model": model, "options": told}
    for pauses in range(50):
        try:
            if state is None:
                outcome = begin(ASKED, limits=case.limits, **same)
            else:
                decided = {
                    each.call_id: next(decisions) if each.kind == "approval" else "Bob" for each in last.outcome.waiting
                }
                outcome = go_on(json.loads(json.dumps(state)), decided, **same)
        except (RunError, ModelError) as error:
            return Ending(error.outcome or pytest.fail("no outcome"), f"{type(error).__name__}: {error}", pauses)
        last = Ending(outcome, "", pauses)
        if not outcome.waiting:
            return last
        assert_whole(outcome.transcript)
        state = outcome.state
    pytest.fail("a run went on pausing")


def assert_whole(messages: tuple[Message, ...]) -> None:
    """Each call has one result, right after its message; each result has its call; ids are there and unique."""
    waiting: Counter[str] = Counter()
    seen: set[str] = set()
    for message in messages:
        assert message.parts, "a message without parts"
        if message.role == "tool":
            answered = Counter(part.call_id for part in message.parts if isinstance(part, ToolResult))
            assert answered == waiting
            waiting = Counter()
            continue
        assert not waiting, "a call without its result"
        ids = [call.id for call in message.calls]
        assert all(ids)
        assert seen.isdisjoint(ids)
        assert len(set(ids)) == len(ids)
        seen.update(ids)
        waiting = Counter(ids)
    assert not waiting


@many
@given(case=cases)
def test_every_run_ends_well(case: Case) -> None:
    """The number of requests and calls is bounded, every request and the ending are whole, and the outcome agrees."""
    BODIES.clear()
    model = EndlessModel(case.script, case.capabilities)
    end = ended(case, model)
    outcome, limits = end.outcome, case.limits

    assert len(model.requests) <= limits.steps + 1
    assert outcome.steps <= limits.steps
    assert sum(BODIES.values()) <= limits.steps * limits.calls_per_step
    assert BODIES["pay"] <= sum(case.decisions) * limits.steps * limits.calls_per_step
    if not any(case.decisions):
        assert BODIES["pay"] == 0
    for request in model.requests:
        assert_whole(request.messages)
        assert request.messages[-1].role in ("user", "tool")
    assert_whole(outcome.transcript)
    assert outcome.transcript[: len(ASKED)] == ASKED

    said = [
        reply for reply, _ in zip(cycle(case.script), model.requests, strict=False) if isinstance(reply, ModelReply)
    ]
    assert outcome.usage == sum((reply.usage for reply in said), Usage())
    assert outcome.ok is (end.error == "")
    if not outcome.ok:
        assert outcome.value is None
    if limits.tokens is not None and outcome.stop != "token_budget":
        before = sum((reply.usage for reply in said[:-1]), Usage())
        assert before.input_tokens + before.output_tokens < limits.tokens


@many
@given(case=cases)
def test_async_is_as_sync(case: Case) -> None:
    """The same replies come to the same requests, outcome and error, sync and async."""
    one, other = (EndlessModel(case.script, case.capabilities) for _ in range(2))
    assert ended(case, one, SYNC) == ended(case, other, ASYNC)
    assert one.requests == other.requests


def through_json(state: LoopState, event: Event) -> tuple[LoopState, Action]:
    """A step from a state that was written and read in between."""
    read = LoopState.from_data(json.loads(json.dumps(state.to_data())))
    assert read == state
    return machine.step(read, event)


@many
@given(case=cases)
def test_state_may_be_stored_at_every_step(case: Case) -> None:
    """A run whose state goes through JSON before every step is the run that keeps it."""
    one, other = (EndlessModel(case.script, case.capabilities) for _ in range(2))
    kept = ended(case, one)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "step", through_json)
        assert ended(case, other) == kept
    assert one.requests == other.requests


@many
@given(case=cases, place=st.integers(0, 30))
def test_a_run_goes_on_from_any_state_that_was_kept(case: Case, place: int) -> None:
    """Lost before any of its effects, a run goes on from the state that was kept there as if nothing had been."""
    case = replace(case, decisions=[True])
    kept: list[tuple[int, Any]] = []
    one = EndlessModel(case.script, case.capabilities)
    whole = ended(case, one, checkpoint=lambda state: kept.append((len(one.requests), state)))
    quiet = [each for each in kept if not any(pending["status"] == "started" for pending in each[1]["pending"])]
    asked, state = quiet[place % len(quiet)]
    other = EndlessModel(case.script, case.capabilities, asked)
    again = ended(case, other, state=state)
    assert again.outcome == whole.outcome
    assert again.error == whole.error
    assert other.requests == one.requests[asked:]


@many
@given(case=cases, place=st.integers(0, 6), how=st.sampled_from([SYNC, ASYNC]))
def test_a_run_that_is_stopped_goes_on(case: Case, place: int, how: Ways) -> None:
    """Stopped while the model is asked, by an interrupt, a run goes on from what that carries, with nothing lost."""
    one = EndlessModel(case.script, case.capabilities)
    whole = ended(replace(case, decisions=[True]), one, how)
    if place >= len(one.requests):
        return
    other = EndlessModel(case.script, case.capabilities, stop_at=place)
    with pytest.raises(KeyboardInterrupt) as caught:
        ended(replace(case, decisions=[True]), other, how)
    outcome = caught.value.outcome  # type: ignore[attr-defined]  # which it was given
    assert_whole(outcome.transcript)
    assert (outcome.stop, outcome.ok) == ("cancelled", False)
    rest = EndlessModel(case.script, case.capabilities, place)
    assert ended(replace(case, decisions=[True]), rest, how, outcome.state).outcome == whole.outcome


@settings(max_examples=EXAMPLES // 10, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases, after_s=st.floats(0, 0.004))
def test_a_run_that_is_cancelled_at_any_point_goes_on(case: Case, after_s: float) -> None:
    """Cancelled whenever, the caller has the cancellation at once, and what it carries is whole and can go on."""
    model = EndlessModel(case.script, case.capabilities)
    same = {"tools": case.tools, "output": case.output, "model": model}

    async def cancelled() -> Outcome[Any] | None:
        task = asyncio.ensure_future(arun(ASKED, limits=case.limits, **same))
        await asyncio.sleep(after_s)
        begun = time.monotonic()
        task.cancel()
        ended_by: Any = None
        try:
            await task
        except (RunError, ModelError, asyncio.CancelledError) as error:
            ended_by = error
        took_s = time.monotonic() - begun
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert took_s < 5
        return ended_by.outcome if isinstance(ended_by, asyncio.CancelledError) else None  # type: ignore[attr-defined]

    outcome = asyncio.run(cancelled())
    if outcome is None:
        return
    asked = len(model.requests)
    assert_whole(outcome.transcript)
    again = ended(case, model, ASYNC, outcome.state)
    assert_whole(again.outcome.transcript)
    assert again.outcome.steps <= case.limits.steps
    assert len(model.requests) <= asked + case.limits.steps + 1


def test_there_are_enough() -> None:
    """Each of these promises is held to 500 scripts at least."""
    assert EXAMPLES >= 500
