"""The program of a run: it carries out what the machine decides, over the effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_never

from magic_tools.chat import ChatModel, ModelRequest
from magic_tools.effects.program import Call, Program
from magic_tools.errors import ModelError
from magic_tools.loop.machine import CallModel, Finish, LoopState, Replied, RunTools, Started, ToolsRan, step
from magic_tools.messages import Issue, Message, Outcome, StopReason, ToolResult
from magic_tools.options import Limits
from magic_tools.outputs.answer import Answer
from magic_tools.tools.batch import call_all
from magic_tools.tools.scope import RunScope
from magic_tools.tools.toolset import Toolset

__all__ = ["Ended", "drive"]


@dataclass(frozen=True, slots=True)
class Ended:
    """A run's outcome, and what was wrong with the last reply where that is no answer."""

    outcome: Outcome[Any]
    issues: tuple[Issue, ...]
    limits: Limits


def drive(model: ChatModel, toolset: Toolset, answer: Answer, state: LoopState, scope: RunScope) -> Program[Ended]:
    """The program of one run, from a state to its end; a ModelError carries the outcome so far."""
    targets = toolset.executables
    value: Any = None
    event: Started | Replied | ToolsRan = Started()
    while True:
        state, action = step(state, event)
        match action:
            case CallModel(tool_choice):
                told = toolset.offered(state.transcript).told()
                request = ModelRequest(answer.addressed(state.transcript), told, tool_choice, answer.format)
                try:
                    reply = yield Call(model.complete, (request,), afn=model.acomplete)
                except ModelError as error:
                    error.outcome = _outcome(state, model, None, "model_error", ok=False)
                    raise
                checked = answer.check(reply)
                value = checked.value
                event = Replied(reply, checked.kind, checked.issues, checked.repairs)
            case RunTools(calls):
                names = toolset.offered(state.transcript).names
                first = 1 + _answered(state.transcript)
                event = ToolsRan((yield from call_all(targets, calls, scope, names=names, first=first)))
            case Finish(stop, ok, issues):
                return Ended(_outcome(state, model, value if ok else None, stop, ok=ok), issues, state.limits)
            case _:
                assert_never(action)


def _answered(transcript: tuple[Message, ...]) -> int:
    """How many calls a run has made."""
    return sum(isinstance(part, ToolResult) for message in transcript for part in message.parts)


def _outcome(state: LoopState, model: ChatModel, value: Any, stop: StopReason, *, ok: bool) -> Outcome[Any]:
    return Outcome(
        value=value,
        stop=stop,
        ok=ok,
        transcript=state.transcript,
        usage=state.usage,
        steps=state.steps,
        repairs=state.repairs,
        model=state.model or model.name,
    )
