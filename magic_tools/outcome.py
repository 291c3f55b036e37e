"""How a run ended, and what it waits for where it has only paused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from magic_tools.messages import Message, Repair, Usage
from magic_tools.values import JsonObject, JsonValue

__all__ = ["Outcome", "RequestUsage", "SavedState", "StopReason", "WaitingCall"]

T_co = TypeVar("T_co", covariant=True)

StopReason = Literal[
    "final",
    "output_tool",
    "step_limit",
    "deadline",
    "token_budget",
    "repeat",
    "stall",
    "needs_approval",
    "needs_input",
    "truncated",
    "refusal",
    "invalid_output",
    "tool_failures",
    "model_error",
    "cancelled",
    "contract_withdrawn",
]


class SavedState(Protocol):
    """Where a run stood, as something that can be written as JSON."""

    def to_data(self) -> JsonObject:
        """Plain JSON data."""
        ...


@dataclass(frozen=True, slots=True)
class RequestUsage:
    """What one request of a run cost, and who answered it, as the provider spells it."""

    model: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """A call that waits for a person: for leave (`approval`), or for what the person says (`question`).

    `preview` is what the tool's author has its effect shown as, else `arguments`: the canonical arguments,
    secrets left out. It stays as it is until the call is decided.
    """

    call_id: str
    name: str
    kind: Literal["approval", "question"]
    arguments: JsonValue
    preview: JsonValue


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T_co]):
    """How a run ended, or why it paused.

    `ok` is true where `value` is an answer of the model that fits the output type, `fallback` where it is
    what the caller had said to take in place of one. `stop` says why the run ended. `steps` counts the
    requests that `Limits.steps` bounds, `model` is who answered. `summary` is what an output tool with one
    was given, `output_tool` the name of the one that was called. `waiting` are the calls of a paused run that
    a person has to decide. `requests` are what each request cost, of which `usage` is the sum. Every call
    in `transcript` has its one result, also one that was not made.
    """

    value: T_co
    stop: StopReason
    ok: bool
    transcript: tuple[Message, ...]
    usage: Usage
    steps: int
    repairs: tuple[Repair, ...]
    model: str
    fallback: bool = False
    summary: str | None = None
    output_tool: str | None = None
    waiting: tuple[WaitingCall, ...] = ()
    requests: tuple[RequestUsage, ...] = ()
    saved: SavedState | None = field(default=None, repr=False, compare=False)

    @property
    def state(self) -> JsonObject:
        """Where the run stood, as plain JSON data that `resume` goes on from; ValueError if nothing was kept."""
        if self.saved is None:
            raise ValueError("this outcome was made without a state to go on from")
        return self.saved.to_data()
