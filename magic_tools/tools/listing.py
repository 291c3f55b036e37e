"""Lists of names in a sentence, cut where they are long."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["listed"]


def listed(names: Iterable[str], most: int = 12) -> str:
    """The first names and how many more there are; `none` where there are none."""
    held = list(names)
    more = f" and {len(held) - most} more" if len(held) > most else ""
    return (", ".join(held[:most]) or "none") + more
