"""One change between two contracts: where, of what kind, what it does to those who rely on the old one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from magic_tools.values import JsonObject, JsonValue

__all__ = ["BUMPS", "EFFECTS", "Bump", "Change", "Effect", "Side", "Witness", "required_bump", "worst"]

Side = Literal["input", "output", "error"]
"""Who sends by a schema: on the input side those who hold the old contract, on the others the new tool."""

Effect = Literal["compatible", "behavioural", "breaking"]
"""What a change does to whoever holds the old contract: nothing, another behaviour, or a failure."""

Bump = Literal["none", "patch", "minor", "major"]
"""By which part a version has to rise (semver.org 2.0.0)."""

EFFECTS: tuple[Effect, ...] = ("compatible", "behavioural", "breaking")
"""The effects, the mildest first."""

BUMPS: tuple[Bump, ...] = ("none", "patch", "minor", "major")
"""The parts of a version, the least first."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A value that one side may send and the other refuses; it is of the whole schema, so that it can be tried."""

    value: JsonValue


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between an old contract and a new one.

    `path` begins with the part that it is in: `input.rows[].qty` is a field of the items of an argument, `policy.risk`
    a declaration. `kind` is a stable identifier such as `field_removed`. `before` and `after` are JSON data, None for
    what is not there. `why` says whom the effect reaches, `advice` what to do. `bump` is what the change alone asks
    of the version, and `witness`, where one was found, a value that proves that it breaks.
    """

    path: str
    kind: str
    before: JsonValue
    after: JsonValue
    effect: Effect
    why: str
    advice: str = ""
    bump: Bump = "patch"
    witness: Witness | None = None

    def to_data(self) -> JsonObject:
        """Plain JSON data."""
        return {
            "path": self.path,
            "kind": self.kind,
            "before": self.before,
            "after": self.after,
            "effect": self.effect,
            "bump": self.bump,
            "why": self.why,
            "advice": self.advice,
            **({} if self.witness is None else {"witness": self.witness.value}),
        }


def worst(changes: Iterable[Change]) -> Effect | None:
    """The effect of a set of changes, which is that of the worst of them; None where there is none."""
    return max((change.effect for change in changes), key=EFFECTS.index, default=None)


def required_bump(changes: Iterable[Change]) -> Bump:
    """By which part the version has to rise for a set of changes: major where one breaks."""
    return max((change.bump for change in changes), key=BUMPS.index, default="none")
