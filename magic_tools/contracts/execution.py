"""How the calls of a tool go, as its contract says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from magic_tools.contracts.declaring import texts
from magic_tools.errors import DefinitionError

__all__ = ["Execution", "FallbackKind"]

FallbackKind = Literal["none", "value", "computed"]
"""What stands in for a result that does not come: nothing, a value, or what a function makes of the arguments."""


@dataclass(frozen=True, slots=True)
class Execution:
    """How long a try may take in seconds, how many more there may be, and what stands in for a result.

    `keep` names the result fields that survive where a result is cut; a `repeatable` tool may be polled.
    DefinitionError for what is none of these.
    """

    timeout_s: float | None = 30.0
    retries: int = 0
    fallback: FallbackKind = "none"
    repeatable: bool = False
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        seconds: object = self.timeout_s  # which a file may give as anything
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (is_number and self.timeout_s and 0 < self.timeout_s < float("inf")):
            raise DefinitionError(f"Execution(timeout_s={seconds!r:.80}) is to be seconds, more than none, or None.")
        tries: object = self.retries
        if isinstance(tries, bool) or not isinstance(tries, int) or tries < 0:
            raise DefinitionError(f"Execution(retries={tries!r:.80}) is to be a whole number of at least 0.")
        if self.fallback not in get_args(FallbackKind):
            known = ", ".join(get_args(FallbackKind))
            raise DefinitionError(f"Execution(fallback={self.fallback!r:.80}) is to be one of: {known}.")
        if not isinstance(self.repeatable, bool):
            raise DefinitionError(f"Execution(repeatable={self.repeatable!r:.80}) is to be True or False.")
        object.__setattr__(self, "keep", texts("Execution", "keep", self.keep))
