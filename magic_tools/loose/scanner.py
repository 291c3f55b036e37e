"""Undamaged parts of a damaged text, read by Python's own reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from magic_tools.loose.issues import Place
from magic_tools.loose.readings import Damage
from magic_tools.loose.strict import DECODER, ConflictError, conflict_place
from magic_tools.loose.work import Work

__all__ = ["Scanner"]

_MAY_BE_JSON = re.compile(r"\{\s*+[\"}]|\[\s*+(?:[\"{\[\]\d-]|true|false|null)")

# The reader is given growing parts of the text, since its errors cost what stands before them.
_FIRST_PART, _GROWTH, _MOST_OF_A_WORD = 2_000, 16, 12


class Scanner:
    """Reads brackets that are JSON as they stand, as long as a text is worth the tries; `path` is where they belong."""

    __slots__ = ("_limit", "_path", "_text", "_work", "_works")

    def __init__(self, text: str, limit: int, work: Work, path: Callable[[], Place]) -> None:
        self._text = text
        self._limit = limit
        self._path = path
        self._work = work
        self._works = True

    def read(self, at: int) -> tuple[Any, int] | None:
        """The value of the bracket at a place, and its end; None where it is damaged, Damage if it says two things."""
        length = _FIRST_PART if self._works and _MAY_BE_JSON.match(self._text, at, self._limit) else 0
        while length and self._work.allows(length):
            part = self._text[at : min(at + length, self._limit)]
            try:
                value, end = DECODER.raw_decode(part)
            except json.JSONDecodeError as error:
                self._work.spend(error.pos)
                is_end = error.pos >= len(part) - _MOST_OF_A_WORD or error.msg.startswith("Unterminated")
                if at + length >= self._limit or not is_end:
                    return None
            except ConflictError as conflict:
                place = (*self._path(), *conflict_place(self._text[at : self._limit], conflict.key))
                raise Damage("ambiguous", at, self._limit, conflict.key, place=place) from None
            except (RecursionError, ValueError):  # too deep, or an integer with too many digits
                self._works = False
                return None
            else:
                return value, at + end
            length *= _GROWTH
        return None
