"""Differences as they are told: where, of what kind, and what they do on the side that is looked at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from magic_tools.contracts.changes import Change, Effect, Side
from magic_tools.contracts.diffing.leaves import Relation
from magic_tools.contracts.diffing.parts import Node
from magic_tools.contracts.diffing.places import Place
from magic_tools.contracts.diffing.space import Space
from magic_tools.contracts.diffing.wording import change_of
from magic_tools.values import JsonValue

__all__ = ["Found", "Telling", "told_of"]

_NEAR = 8


@dataclass(frozen=True, slots=True)
class Found:
    """A change, where it is, and whether a value can prove it."""

    change: Change
    place: Place
    provable: bool


class Telling(ABC):
    """What was found so far on one side; every method that tells something gives whether it breaks."""

    def __init__(self, side: Side) -> None:
        self.space = Space()
        self.side: Side = side
        self.found: list[Found] = []

    @abstractmethod
    def compare(self, old: Node, new: Node, place: Place, *, quiet: bool) -> bool:
        """Tell of all differences of two nodes. `quiet`: no value can break it here."""

    def relate(
        self, subject: str, relation: Relation, place: Place, before: JsonValue, after: JsonValue, *, quiet: bool
    ) -> bool:
        """Tell of a difference by how what is allowed now lies to what was."""
        return self.moved(f"{subject}_{relation.word}", relation, place, before, after, quiet=quiet)

    def moved(
        self, kind: str, relation: Relation, place: Place, before: JsonValue, after: JsonValue, *, quiet: bool
    ) -> bool:
        """Tell of what is allowed now and was not, or the other way round."""
        broken = not quiet and (relation.lost if self.side == "input" else relation.gained)
        return self.tell(kind, place, before, after, "breaking" if broken else "compatible", provable=broken)

    def tell(
        self, kind: str, place: Place, before: JsonValue, after: JsonValue, effect: Effect, *, provable: bool = False
    ) -> bool:
        """Tell of a change; `provable`: a value may be found that it refuses."""
        found = Found(change_of(kind, place.path, before, after, effect, self.side), place, provable)
        if found not in self.found[-_NEAR:]:  # several branches may tell the same
            self.found.append(found)
        return effect == "breaking"


def told_of(node: Node) -> tuple[int, ...]:
    """By what two nodes are known to say the same."""
    return tuple(sorted({part.told for part in node}))
