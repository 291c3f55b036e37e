"""How a run goes, as its caller chooses: how far, and in what language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, get_args

from magic_tools.events import Alert, Trace
from magic_tools.messages import Language

__all__ = ["Limits", "RunOptions"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a run may go; about 5 steps suit a simple question, 15 an analysis.

    `steps` counts requests to the model, but for the last one that asks for an answer from what is
    known. `stalls` is how often in a row an empty reply gets a nudge. `retries` is how often in a
    row a failing answer or a failing tool is let go on.
    """

    steps: int = 10
    stalls: int = 1
    retries: int = 2

    def __post_init__(self) -> None:
        for name, least in (("steps", 1), ("stalls", 0), ("retries", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"Limits.{name} must be a whole number of at least {least}, got {value!r}")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run, or a call by hand, may be told beside its limits.

    `language` is that of all that the library itself says to the model: what is wrong with an answer or with
    arguments, and what is to be done. `trace` is called with each event, `on_alert` with each result that broke its
    tool's promise. `run_id` names the run in events and in idempotency keys; without one, each run gets its own.
    ValueError for a language that it does not speak.
    """

    language: Language = "en"
    trace: Trace | None = None
    on_alert: Callable[[Alert], Any] | None = None
    run_id: str | None = None

    def __post_init__(self) -> None:
        for name in ("trace", "on_alert"):
            hook = getattr(self, name)
            if hook is not None and (not callable(hook) or iscoroutinefunction(hook)):
                raise ValueError(f"RunOptions.{name} is an ordinary function of one event, got {hook!r:.80}")
        named: object = self.run_id  # which a caller without a type checker may give as anything
        if named is not None and not (isinstance(named, str) and named):
            raise ValueError(f"RunOptions.run_id is a text that is not empty, got {self.run_id!r:.80}")
        if self.language not in get_args(Language):
            spoken = " or ".join(map(repr, get_args(Language)))
            raise ValueError(f"RunOptions.language is {spoken}, got {self.language!r:.40}")
