"""Where in two schemas a difference is, as a person reads it and as a value is built along it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Place", "Step"]

Step: TypeAlias = tuple[Literal["field", "item", "rest", "extra"], str | int]
"""A field by its name, an item by its index, one of the other items, or a field that is not named."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a schema; `path` is such as `input.rows[].qty`."""

    path: str
    steps: tuple[Step, ...] = ()

    def field(self, name: str) -> Place:
        """The place of a field."""
        told = f".{name}" if _PLAIN.fullmatch(name) else f"[{json.dumps(name, ensure_ascii=False)}]"
        return Place(self.path + told, (*self.steps, ("field", name)))

    def item(self, index: int) -> Place:
        """The place of the item of an index."""
        return Place(f"{self.path}[{index}]", (*self.steps, ("item", index)))

    def rest(self, after: int) -> Place:
        """The place of the items after those that stand by themselves."""
        return Place(f"{self.path}[]" if not after else f"{self.path}[{after}:]", (*self.steps, ("rest", after)))

    def extra(self) -> Place:
        """The place of fields that are not named."""
        return Place(f"{self.path}{{}}", (*self.steps, ("extra", 0)))
