"""Whatever a model replies, a run ends within its limits, its transcript is whole, and async gives what sync gives."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from magic_tools.chat import Capabilities, ModelReply, ModelRequest
from magic_tools.effects.program import Program
from magic_tools.effects.runners import run_async, run_sync
from magic_tools.errors import ModelError, ToolFailure
from magic_tools.loop import driver, machine
from magic_tools.loop.driver import Ended, drive
from magic_tools.loop.machine import Action, Event, LoopState
from magic_tools.messages import Message, Outcome, TextPart, ToolCall, ToolResult, Usage
from magic_tools.options import Limits
from magic_tools.outputs.answer import answer_for
from magic_tools.tools.scope import RunScope
from magic_tools.tools.tool import tool
from magic_tools.tools.toolset import Toolset

Script: TypeAlias = list[ModelReply | ModelError]
Runner: TypeAlias = Callable[[Program[Ended]], Ended]


class Number(BaseModel):
    n: int


@tool
def double(n: int = 1) -> int:
    return 2 * n


@tool
async def later(n: int) -> str:
    return "later" * n


@tool
def broken(n: int = 1) -> int:
    raise KeyError(n)


@tool
def sorry() -> None:
    raise ToolFailure("Not today.")


@tool
def liar() -> int:
    return "no number"  # type: ignore[return-value]  # a tool that does not keep its promise


TOOLS = Toolset(double, later, broken, sorry, liar)
ASKED = (Message.system("Be brief."), Message.user("How many?"))

texts = st.sampled_from(
    ["", " ", "...", "done", '{"n": 1}', '{"n": "x"}', '```json\n{"n": 2,}\n```', '{"n": 1', "null"]
)
calls = st.builds(
    ToolCall,
    st.sampled_from(["", "", "a", "b", "call_1", "a_2"]),
    st.sampled_from([*TOOLS.names, "double", "later", "unknown", ""]),
    st.sampled_from(["", '{"n": 1}', '{"n": 2,}', '{"n": "x"}', '{"m": 1}', '{"n": 1', "[]"]),
)
replies = st.builds(
    ModelReply,
    st.one_of(
        texts.map(lambda text: (TextPart(text),)),
        st.lists(calls, min_size=1, max_size=3).map(tuple),
        st.lists(st.one_of(texts.map(TextPart), calls), max_size=4).map(tuple),
    ),
    st.sampled_from(["stop", "tool_calls", "stop", "tool_calls", None, "other", "length", "refusal"]),
    st.builds(Usage, st.integers(0, 9), st.integers(0, 9)),
    st.sampled_from(["", "some-model"]),
)
scripts = st.lists(st.one_of(replies, replies, replies, replies, st.builds(ModelError, st.just("down"))), min_size=1)
some_limits = st.builds(Limits, st.integers(1, 4), st.integers(0, 2), st.integers(0, 2))
some_capabilities = st.builds(Capabilities, st.booleans(), st.booleans(), st.just(True))
targets = st.sampled_from([str, Number, Number | None, list[int]])


@dataclass
class EndlessModel:
    """A model that says its script over and over, and keeps what it was asked."""

    script: Script
    capabilities: Capabilities
    requests: list[ModelRequest] = field(default_factory=list)
    name = "endless"

    def __post_init__(self) -> None:
        self.left = cycle(self.script)

    def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        reply = next(self.left)
        if isinstance(reply, ModelError):
            raise reply
        return reply

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        return self.complete(request)


def awaited(program: Program[Ended]) -> Ended:
    return asyncio.run(run_async(program))


def ending(runner: Runner, model: EndlessModel, target: Any, limits: Limits) -> tuple[Outcome[Any], Any]:
    """What a run comes to: its outcome, and the issues or the error that go with it."""
    state = LoopState(ASKED, limits, TOOLS.names)
    try:
        ended = runner(drive(model, TOOLS, answer_for(target, model.capabilities), state, RunScope()))
    except ModelError as error:
        return error.outcome or pytest.fail("the error carries no outcome"), str(error)
    return ended.outcome, ended.issues


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


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(script=scripts, limits=some_limits, capabilities=some_capabilities, target=targets)
def test_every_run_ends_well(script: Script, limits: Limits, capabilities: Capabilities, target: Any) -> None:
    """The number of requests is bounded, every request and the ending are whole, and the outcome agrees with itself."""
    model = EndlessModel(script, capabilities)
    outcome, issues = ending(run_sync, model, target, limits)

    assert len(model.requests) <= limits.steps + 1
    assert outcome.steps <= limits.steps
    for request in model.requests:
        assert_whole(request.messages)
        assert request.messages[-1].role in ("user", "tool")
    assert_whole(outcome.transcript)
    assert outcome.transcript[: len(ASKED)] == ASKED

    auto = [request for request in model.requests if request.tool_choice == "auto"]
    assert len(auto) == outcome.steps + (outcome.stop == "model_error" and model.requests[-1].tool_choice == "auto")
    assert model.requests[: len(auto)] == auto, "after the last request there was another"
    assert len(model.requests) - len(auto) <= 1

    said = [reply for reply, _ in zip(cycle(script), model.requests, strict=False) if isinstance(reply, ModelReply)]
    assert outcome.usage == sum((reply.usage for reply in said), Usage())
    if outcome.ok:
        assert issues == ()
        assert answer_for(target, capabilities).check(said[-1]).value == outcome.value
    else:
        assert outcome.value is None


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(script=scripts, limits=some_limits, capabilities=some_capabilities, target=targets)
def test_async_is_as_sync(script: Script, limits: Limits, capabilities: Capabilities, target: Any) -> None:
    """The same replies come to the same requests, outcome and issues, sync and async."""
    one, other = EndlessModel(script, capabilities), EndlessModel(script, capabilities)
    assert ending(run_sync, one, target, limits) == ending(awaited, other, target, limits)
    assert one.requests == other.requests


def through_json(state: LoopState, event: Event) -> tuple[LoopState, Action]:
    """A step from a state that was written and read in between."""
    read = LoopState.from_data(json.loads(json.dumps(state.to_data())))
    assert read == state
    return machine.step(read, event)


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(script=scripts, limits=some_limits, capabilities=some_capabilities, target=targets)
def test_state_may_be_stored_at_every_step(
    script: Script, limits: Limits, capabilities: Capabilities, target: Any
) -> None:
    """A run whose state goes through JSON before every step is the run that keeps it."""
    one, other = EndlessModel(script, capabilities), EndlessModel(script, capabilities)
    kept = ending(run_sync, one, target, limits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "step", through_json)
        assert ending(run_sync, other, target, limits) == kept
    assert one.requests == other.requests
