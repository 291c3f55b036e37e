"""What is worth tracing: one frozen type for each, and how those are told who want to know."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar

from magic_tools.messages import ErrorCode, Issue, ToolEffect, Usage
from magic_tools.values import JsonValue

__all__ = [
    "Alert",
    "AttemptOutcome",
    "CallUpgraded",
    "DriftKind",
    "Event",
    "ModelAttempted",
    "ModelEvent",
    "ModelPassedOver",
    "ModelReplied",
    "ModelWaited",
    "ReceiptIssued",
    "Stage",
    "ToolAttempted",
    "ToolCompleted",
    "ToolDeprecated",
    "ToolDrifted",
    "Trace",
    "tell",
]

E = TypeVar("E")

AttemptOutcome = Literal["ok", "failed", "raised", "timed_out", "cancelled", "broken_result", "not_begun"]
Stage = Literal["result", "result_rule", "fallback"]
DriftKind = Literal["changed", "upgraded", "refused", "not_pinned", "missing"]


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
class ToolCompleted:
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


@dataclass(frozen=True, slots=True)
class CallUpgraded:
    """A call was made for an older version of its tool, and its arguments were brought up to the present one."""

    run_id: str
    call_id: str
    tool: str
    from_version: str
    to_version: str


@dataclass(frozen=True, slots=True)
class ToolDeprecated:
    """A tool near its end was used, which is told once a run, at its first call.

    `version` is the tool's own, `pinned` the one that the run is pinned to; `ends` is the instant, as ISO text, from
    which it will be refused. `replacement`, `guide` and `contact` are what its author names.
    """

    run_id: str
    call_id: str
    tool: str
    id: str
    version: str | None
    pinned: str | None
    ends: str | None
    replacement: str | None
    guide: str | None
    contact: str | None


@dataclass(frozen=True, slots=True)
class ToolDrifted:
    """A tool is not what a run is pinned to, which is told at the run's begin, and when it goes on.

    A `changed` one has other digests and is refused, as is a `refused` one, whose version does not serve that of the
    pin, and one that is `not_pinned`; an `upgraded` one is served by way of a declared adapter; a `missing` one is
    pinned and not there. `was` and `now` are version and digests of both, None where there is none.
    """

    run_id: str
    tool: str
    id: str
    kind: DriftKind
    was: str | None
    now: str | None


@dataclass(frozen=True, slots=True)
class ReceiptIssued:
    """A call of a tool that changes something had an effect, or nobody knows whether it had one.

    `contract` is the interface digest of what was promised, `arguments` a digest of the canonical arguments as they
    were sent, whatever an adapter made of them, `at` the instant as ISO text. `outcome` is `ok` or the error's code.
    The `key` is the call's idempotency key, which stands in no other event: whoever writes events down for all to read
    leaves it out, as its repr does.
    """

    run_id: str
    call_id: str
    tool: str
    id: str
    version: str | None
    contract: str
    arguments: str
    outcome: str
    effect: ToolEffect
    at: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ModelAttempted:
    """One try of a request to a model, the first being number 1: how it went, and the wait before the next.

    `error` is the class of what failed, None where it was answered; `status` is the server's, where it gave one.
    `wait_s` is None where no other try follows. `step` is the step of the run that the request is for.
    """

    model: str
    attempt: int
    seconds: float
    error: str | None = None
    status: int | None = None
    wait_s: float | None = None
    run_id: str = ""
    step: int = 0


@dataclass(frozen=True, slots=True)
class ModelReplied:
    """A request came to its reply: of which model, at what cost; `cached` where the reply was kept from another time.

    `omitted` are the settings that the model does not take and was not sent.
    """

    model: str
    finish: str | None
    usage: Usage
    seconds: float
    cached: bool = False
    omitted: tuple[str, ...] = ()
    run_id: str = ""
    step: int = 0


@dataclass(frozen=True, slots=True)
class ModelPassedOver:
    """A model of several could not answer, and the next was asked; `reason` says why."""

    model: str
    reason: str
    run_id: str = ""
    step: int = 0


@dataclass(frozen=True, slots=True)
class ModelWaited:
    """A request waited so many seconds for its turn within a rate limit."""

    model: str
    seconds: float
    run_id: str = ""
    step: int = 0


ModelEvent: TypeAlias = ModelAttempted | ModelReplied | ModelPassedOver | ModelWaited

ContractEvent: TypeAlias = CallUpgraded | ToolDeprecated | ToolDrifted | ReceiptIssued

Event: TypeAlias = ToolAttempted | ToolCompleted | Alert | ContractEvent | ModelEvent

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
