"""Marks in a text, such as fences, told from what only looks like one inside a string of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from magic_tools.loose.repair import CLOSED_BY, Damage, read_span

__all__ = ["Mark", "is_meant_as_json"]

_QUOTES = "\"'“”„‘’‚＂＇"
_QUOTE = re.compile(f"[{_QUOTES}]")
_IN_JSON = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\]]', re.DOTALL)


class Mark:
    """A pattern that is searched for wherever it does not stand in a bracket that also holds a quotation mark.

    Such a bracket is meant as JSON; one without is prose. Behind JSON that is damaged no mark is found.
    """

    def __init__(self, pattern: str) -> None:
        self._in_prose = re.compile(rf"(?P<mark>{pattern})|[{{\[]", re.IGNORECASE)
        self._in_bracket = re.compile(rf"(?P<mark>{pattern})|[{_QUOTES}{{}}\[\]]", re.IGNORECASE)

    def finditer(self, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
        """The matches from `start` to `end`, looking at each character a few times; brackets count from `start`."""
        awaited: list[str] = []
        opened = start
        pattern, at = self._in_prose, start
        while found := pattern.search(text, at, end):
            at = found.end()
            if found.lastgroup == "mark":
                yield found
            elif pattern is not _IN_JSON and found[0] in _QUOTES:
                pattern, at = _IN_JSON, found.start()
            elif found[0] in CLOSED_BY:
                opened = opened if awaited else found.start()
                awaited.append(CLOSED_BY[found[0]])
                pattern = self._in_bracket if pattern is self._in_prose else pattern
            elif found[0] == awaited[-1]:
                awaited.pop()
                if awaited:
                    continue
                if is_meant_as_json(text, opened, at) and _is_damaged(text, opened, at):
                    return  # where its strings end is not sure, nor what stands in them
                pattern = self._in_prose

    def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """The first match from `start` to `end`."""
        return next(self.finditer(text, start, end), None)


def is_meant_as_json(text: str, start: int, end: int) -> bool:
    """Whether a bracket from `start` to `end` is JSON, whole or damaged, and not prose.

    A bracket without quotation marks is prose, and so is one that follows a name, as in `items['a']`.
    """
    follows_a_name = text[start] == "[" and start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_)]")
    return not follows_a_name and _QUOTE.search(text, start, end) is not None


def _is_damaged(text: str, start: int, end: int) -> bool:
    try:
        read_span(text, start, end)
    except Damage:
        return True
    return False
