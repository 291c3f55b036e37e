"""How much may be looked at for one text, so that the time it takes grows with its length alone."""

from __future__ import annotations

__all__ = ["Work", "WorkSpentError"]

_TIMES = 16
_AT_LEAST = 50_000


class WorkSpentError(Exception):
    """More was looked at than a text of its length is worth."""


class Work:
    """A budget of characters: sixteen looks at each of a text."""

    __slots__ = ("_kept", "left")

    def __init__(self, length: int) -> None:
        self.left = _TIMES * length + _AT_LEAST
        self._kept = self.left // 3

    def spend(self, characters: int) -> None:
        """WorkSpentError where the budget is spent."""
        self.left -= characters
        if self.left < 0:
            raise WorkSpentError

    def allows(self, characters: int) -> bool:
        """Whether so many more characters leave a third of the budget, for what has to be done."""
        return self.left - characters > self._kept
