"""How a run goes, as its caller chooses: how far, and in what language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

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
    """What a run may be told beside its limits.

    `language` is that of all that the library itself says to the model: what is wrong with an answer or with
    arguments, and what is to be done. ValueError for one that it does not speak.
    """

    language: Language = "en"

    def __post_init__(self) -> None:
        if self.language not in get_args(Language):
            spoken = " or ".join(map(repr, get_args(Language)))
            raise ValueError(f"RunOptions.language is {spoken}, got {self.language!r:.40}")
