"""Events for the machine of the loop, and where a run stands after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from magic_tools.chat import FinishReason, ModelReply
from magic_tools.loop.machine import step
from magic_tools.loop.state import CallFacts, LoopState
from magic_tools.loop.steps import (
    Action,
    CallModel,
    Event,
    Replied,
    RunTools,
    ToolsRan,
)
from magic_tools.messages import Issue, Message, TextPart, ToolCall, ToolResult
from magic_tools.options import Limits

ASKED = Message.user("What is in stock?")
START = LoopState((ASKED,), Limits(), asked=1)
ISSUES = (Issue("name", "a string", "5"),)
LAST_WORD = "no tool can be called any more"
KNOWN = ("stock", "sell")


def text(answer: Any = "valid", said: str = "12", finish: FinishReason = "stop", **more: Any) -> Replied:
    """A reply of text, and what that is as an answer."""
    return Replied(
        ModelReply((TextPart(said),) if said else (), finish, **more), answer, ISSUES * (answer == "invalid")
    )


def facts(name: str, arguments: str = "", **more: Any) -> CallFacts:
    """What is known of a call of a tool, or of none."""
    if name not in KNOWN:
        return CallFacts(known=False)
    return CallFacts(**{"digest": f"{name} {arguments}", **more})


def calls(*names: str, finish: FinishReason = "tool_calls", ids: tuple[str, ...] = (), **more: Any) -> Replied:
    """A reply that calls these tools, under ids c1, c2 and so on; what follows a colon is a name's arguments."""
    told = [name.partition(":") for name in names]
    made = tuple(
        ToolCall(call_id, name, arguments or "{}")
        for call_id, (name, _, arguments) in zip(ids or [f"c{n}" for n in range(1, 30)], told, strict=False)
    )
    return Replied(
        ModelReply(made, finish), "silent", calls=tuple(facts(name, arguments, **more) for name, _, arguments in told)
    )


FRESH = iter(range(10**9))


def fresh(*names: str) -> Replied:
    """A reply that calls these tools with arguments that nobody gave before."""
    return calls(*(f"{name}:{next(FRESH)}" for name in names))


def ran(state: LoopState, action: Action, *failed: str) -> ToolsRan:
    """The results of the calls that are to be made, in which those of some names failed."""
    assert isinstance(action, RunTools)
    return ToolsRan(tuple(ToolResult(call.id, call.name, "ok", is_error=call.name in failed) for call in action.calls))


def said(event: Callable[..., Replied]) -> Replied:
    """A reply of a text that was not said before, or of none."""
    reply = event()
    parts = (TextPart(f"12 {next(FRESH)}"),) if reply.reply.parts else ()
    return reply._replace(reply=replace(reply.reply, parts=parts))


def after(*events: Event | str, state: LoopState = START) -> tuple[LoopState, Action]:
    """Where a run stands after events; a text stands for the results of the last calls, of which it failed."""
    action: Action = CallModel()
    for event in events:
        state, action = step(state, ran(state, action, *event.split()) if isinstance(event, str) else event)
    return state, action


def limited(**limits: int) -> LoopState:
    return START._replace(limits=Limits(**limits))
