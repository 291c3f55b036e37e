"""What one phase of a run offers, and what is known of a call before it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Literal

from magic_tools.chat import FinishReason, ToolDefinition
from magic_tools.loop.state import CallFacts, Held, LoopState, Pending
from magic_tools.messages import ToolCall, ToolResult
from magic_tools.outcome import WaitingCall
from magic_tools.outputs.answer import Checked
from magic_tools.tools.executable import Executable
from magic_tools.tools.failures import Failure, Withdrawn, error_result
from magic_tools.tools.readying import Ready, arguments_shown, call_digest, promise_digest
from magic_tools.tools.scope import RunScope
from magic_tools.tools.toolset import Toolset

__all__ = ["Offer", "ambiguous", "facts_of", "facts_of_answer", "needs_leave", "waiting", "withdrawn"]


class Offer:
    """What one phase offers: the tools as they are called, and as the model is told of them."""

    def __init__(self, toolset: Toolset) -> None:
        self.toolset = toolset
        self.executables: Mapping[str, Executable] = toolset.executables
        self._last: tuple[Toolset, tuple[ToolDefinition, ...]] | None = None

    def told(self, state: LoopState) -> tuple[ToolDefinition, ...]:
        """The tools as the next request carries them; the same objects as long as they are the same."""
        offered = self.toolset.offered(state.transcript)
        if self._last is None or self._last[0] is not offered:
            self._last = (offered, offered.told())
        return self._last[1]

    def names(self, state: LoopState) -> tuple[str, ...]:
        """What a model is told that there is."""
        return self.toolset.offered(state.transcript).names


def ambiguous(offers: Iterable[Offer]) -> frozenset[str]:
    """The names under which different phases have different tools."""
    known: dict[str, object] = {}
    twice: set[str] = set()
    for offer in offers:
        for name, target in offer.executables.items():
            if known.setdefault(name, target.fn) != target.fn:
                twice.add(name)
    return frozenset(twice)


def facts_of(readied: Ready, scope: RunScope, *, variant: str, held: Held = "") -> CallFacts:
    """What is known of a call; `held` is why it waits already, if it does.

    `variant` tells its tool from another of the same name.
    """
    target = readied.target
    if target is None or isinstance(readied.prepared, Failure):
        return CallFacts(known=target is not None)
    guards, behaviour = target.guards, target.behaviour
    waits: Held = held or ("question" if behaviour.asks_person else "approval" if guards.approval else "")
    return CallFacts(
        digest=call_digest(readied, variant),
        exempt=behaviour.repeatable,
        reusable=guards.idempotent and scope.options.history.reuse and not (behaviour.repeatable or waits),
        read_only=guards.read_only or behaviour.asks_person,
        held=waits,
        contract=promise_digest(readied, scope) if waits else "",
        arguments=arguments_shown(readied) if waits else None,
    )


def facts_of_answer(answer: Checked) -> CallFacts:
    """What is known of a call that is meant for the answer."""
    return CallFacts(
        answer="valid" if answer.kind == "valid" else "invalid", issues=answer.issues, repairs=answer.repairs
    )


def needs_leave(readied: Ready) -> bool:
    """Whether a person is to be asked before a call is made."""
    return readied.target is not None and readied.target.guards.approval


def withdrawn(
    state: LoopState, ready: Callable[[ToolCall, FinishReason | None], Ready], scope: RunScope
) -> dict[str, ToolResult]:
    """What is said of the calls that wait for a person and whose tool is gone, refused, or not what it was, by id."""
    held = [each.call for each in state.pending if each.status == "held" and each.result is None]
    readied = [ready(call, state.finish) for call in held]
    return {
        each.call.id: error_result(each.call.id, each.call.name, each.prepared, scope.language, scope.redactor)
        for each in readied
        if isinstance(each.prepared, Withdrawn)
    }


def waiting(pending: Pending) -> WaitingCall:
    """A call as a person is told of it."""
    call, facts = pending.call, pending.facts
    kind: Literal["approval", "question"] = "question" if facts.held == "question" else "approval"
    return WaitingCall(call.id, call.name, kind, deepcopy(facts.arguments), deepcopy(pending.preview))
