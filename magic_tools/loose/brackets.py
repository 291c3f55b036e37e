"""Which brackets of a text belong together, whatever stands between them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from magic_tools.loose.tokens import QUOTES

__all__ = ["ANY_QUOTE", "Brackets", "brackets_in"]

ANY_QUOTE = re.compile(f"[{QUOTES}]")
_BRACKET = re.compile(r"[{}\[\]]")
_OPENS = {"}": "{", "]": "["}


@dataclass(frozen=True, slots=True)
class Brackets:
    """Where the bracket that opens at a place is closed, and the closing ones that close nothing, in order."""

    closed_at: Mapping[int, int]
    stray: tuple[int, ...]

    def stray_after(self, place: int) -> int | None:
        """The first bracket from a place on that closes nothing."""
        index = bisect_left(self.stray, place)
        return self.stray[index] if index < len(self.stray) else None


def brackets_in(text: str, start: int, end: int) -> Brackets:
    """The brackets of a part of a text, each closed by the next of its kind that is not needed further in."""
    opened: list[int] = []
    closed_at: dict[int, int] = {}
    stray: list[int] = []
    for found in _BRACKET.finditer(text, start, end):
        sign = found[0]
        if sign not in _OPENS:
            opened.append(found.start())
        elif opened and text[opened[-1]] == _OPENS[sign]:
            closed_at[opened.pop()] = found.start()
        else:
            stray.append(found.start())
    return Brackets(closed_at, tuple(stray))
