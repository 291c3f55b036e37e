"""Data that anybody may have made, as plain JSON within its limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from magic_tools.errors import DefinitionError
from magic_tools.schema.guard.budgets import SchemaLimits, over, refusal
from magic_tools.schema.walk import escaped

__all__ = ["plain_copy"]

_MOST_LEVELS = 100
"""How deeply the data itself may be nested; whatever walks it later does so within Python's recursion limit."""

_MOST_DIGITS = 40
"""The longest whole number: 128 bits have 39 digits."""


def plain_copy(value: Any, limits: SchemaLimits, where: str) -> Any:
    """A copy of a JSON value in dicts, lists and scalars of its own.

    What it counts it counts on the way, so that a value that holds itself, or one part a million times, ends
    at a limit. DefinitionError for that, and for what is no JSON.
    """
    return _Copy(limits, where).visit(value, "", 0)


@dataclass(slots=True)
class _Copy:
    limits: SchemaLimits
    where: str
    nodes: int = 0
    characters: int = 0

    def visit(self, value: Any, pointer: str, level: int) -> Any:
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            raise over(self.where, pointer, "it holds more and more values", "nodes", self.limits.nodes)
        if level > _MOST_LEVELS:
            what = f"it is nested more than {_MOST_LEVELS} levels deep, or holds itself"
            raise refusal(self.where, pointer, what, "Name its parts in $defs and refer to them.")
        if isinstance(value, Mapping):
            return {
                self._key(key, pointer): self.visit(held, f"{pointer}/{escaped(str(key))}", level + 1)
                for key, held in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.visit(held, f"{pointer}/{index}", level + 1) for index, held in enumerate(value)]
        self._count(self._length(value, pointer), pointer)
        return value

    def _key(self, key: Any, pointer: str) -> str:
        if type(key) is not str:
            raise self._no_json(pointer, f"a key is of the type {type(key).__name__}")
        self._count(self._text(key, pointer), pointer)
        if len(key) > self.limits.names:
            raise over(self.where, pointer, f"a key has {len(key):,} characters", "names", self.limits.names)
        return key

    def _length(self, value: Any, pointer: str) -> int:
        """How many characters a scalar is counted for."""
        kind = type(value)
        if kind is str:
            if len(value) > self.limits.texts:
                raise over(self.where, pointer, f"a text has {len(value):,} characters", "texts", self.limits.texts)
            return self._text(value, pointer)
        if kind is int and abs(value) >= 10**_MOST_DIGITS:
            raise self._no_json(pointer, f"a number has more than {_MOST_DIGITS} digits")
        if kind is float and not math.isfinite(value):
            raise self._no_json(pointer, f"there is {value}")
        if kind not in (bool, int, float, type(None)):
            raise self._no_json(pointer, f"there is a value of the type {kind.__name__}")
        return len(str(value))

    def _text(self, text: str, pointer: str) -> int:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise self._no_json(pointer, "there is text that is no valid Unicode") from None
        return len(text)

    def _count(self, characters: int, pointer: str) -> None:
        self.characters += characters
        if self.characters > self.limits.characters:
            raise over(self.where, pointer, "it is longer and longer", "characters", self.limits.characters)

    def _no_json(self, pointer: str, what: str) -> DefinitionError:
        return refusal(self.where, pointer, f"{what}, which no JSON Schema can hold", "Write it as plain JSON data.")
