"""Marks in a text, such as fences, told from what only looks like one inside a string of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from magic_tools.loose.repair import CLOSED_BY

__all__ = ["QUOTES", "Mark"]

QUOTES = "\"'“”„‘’‚＂＇"
"""What a model writes around strings; in a bracket it shows that this is meant as JSON."""

_IN_JSON = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\]]', re.DOTALL)


class Mark:
    """A pattern that is searched for wherever it does not stand in a bracket that also holds a quotation mark.

    Such a bracket is JSON, whole or damaged, and where the strings of damaged JSON end is not sure. One
    without is prose.
    """

    def __init__(self, pattern: str) -> None:
        self._in_prose = re.compile(rf"(?P<mark>{pattern})|[{{\[]", re.IGNORECASE)
        self._in_bracket = re.compile(rf"(?P<mark>{pattern})|[{QUOTES}{{}}\[\]]", re.IGNORECASE)

    def finditer(self, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
        """The matches from `start` to `end`, looking at each character once; brackets count from `start`."""
        awaited: list[str] = []
        pattern, at = self._in_prose, start
        while found := pattern.search(text, at, end):
            at = found.end()
            if found.lastgroup == "mark":
                yield found
            elif pattern is not _IN_JSON and found[0] in QUOTES:
                pattern, at = _IN_JSON, found.start()
            elif found[0] in CLOSED_BY:
                awaited.append(CLOSED_BY[found[0]])
                pattern = self._in_bracket if pattern is self._in_prose else pattern
            elif found[0] == awaited[-1]:
                awaited.pop()
                pattern = pattern if awaited else self._in_prose

    def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """The first match from `start` to `end`."""
        return next(self.finditer(text, start, end), None)
