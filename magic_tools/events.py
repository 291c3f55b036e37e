"""What is worth tracing: one frozen type for each, and how those are told who want to know."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar

from magic_tools.messages import ErrorCode, Issue, ToolEffect
from magic_tools.values import JsonValue

__all__ = ["Alert", "AttemptOutcome", "Event", "Stage", "ToolAttempted", "ToolFinished", "Trace", "tell"]

E = TypeVar("E")

AttemptOutcome = Literal["ok", "failed", "raised", "timed_out", "cancelled", "broken_result", "not_begun"]
Stage = Literal["result", "result_rule", "fallback"]


@dataclass(frozen=True, slots=True)
class ToolAttempted:
    """One try of a call, the first being number 1: how it went, in how many seconds, and the wait before the next.

    `error` is the class of what was raised. `wait_s` is None where no other try follows.
    """

    run_id: str
    call_id: str
    tool: str
    attempt: int
    outcome: AttemptOutcome
    seconds: float
    error: str | None = None
    wait_s: float | None = None


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call came to its one result; `nth` counts the calls of its run.

    `fields` are the arguments and result fields that the tool's policy names, under their names, and its
    `status`: `ok`, `fallback` or the error's code. `detail` is the traceback of what was raised, with secrets
    left out. `chars` is the length of the whole result before it was cut.
    """

    run_id: str
    call_id: str
    tool: str
    nth: int
    is_error: bool
    code: ErrorCode | None
    effect: ToolEffect
    fallback: bool
    seconds: float
    chars: int
    issues: tuple[Issue, ...] = ()
    metrics_prefix: str | None = None
    fields: Mapping[str, JsonValue] = field(default_factory=dict)
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Alert:
    """A result was not what its tool promises, and did not flow on: the first thing wrong with it.

    One for each call, of its first such result, also where a later try was good; and one for a fall-back.
    `nth` counts the calls of the run. `stage` is what it failed: the schema of the `result`, a `result_rule`, or
    the check of a `fallback`. `path`, `expected` and `got` are as in an Issue; masked fields are not shown.
    """

    run_id: str
    call_id: str
    tool: str
    nth: int
    stage: Stage
    path: str
    expected: str
    got: str


Event: TypeAlias = ToolAttempted | ToolFinished | Alert

Trace: TypeAlias = Callable[[Event], Any]
"""Whoever wants to know: called with each event when it happens, in the thread in which the program runs."""


def tell(hook: Callable[[E], Any] | None, event: E) -> None:
    """Call a hook with an event; what it raises is logged by its class, since it must not undo what was done."""
    if hook is None:
        return
    try:
        hook(event)
    except Exception as error:  # noqa: BLE001 - a tool's effect stands, whatever becomes of the news of it
        name, kind = getattr(hook, "__qualname__", type(hook).__name__), type(error).__name__
        words = "%s raised %s on %s"  # and not what it says, since that may hold what the event hides
        logging.getLogger("magic_tools").error(words, name, kind, type(event).__name__)  # noqa: TRY400
