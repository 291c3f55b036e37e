"""Lists of names in a sentence, cut where they are long."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

__all__ = ["listed"]


def listed(names: Iterable[str], most: int = 12, *, like: str | None = None) -> str:
    """The first names and how many more there are; `none` where there are none.

    Of more than `most` those that are most like the name that was meant, if there is one, come first.
    """
    held = list(names)
    if len(held) <= most:
        return ", ".join(held) or "none"
    if like is not None:
        held.sort(key=lambda name: -SequenceMatcher(None, like, name).ratio())
    return f"{', '.join(held[:most])} and {len(held) - most} more"
