"""Which branch of a new union is which of the old one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from magic_tools.contracts.diffing.branches import Branch, Objects
from magic_tools.contracts.diffing.space import Space

__all__ = ["paired"]

B = TypeVar("B", bound=Branch)


def paired(
    space: Space, olds: Sequence[Branch], news: Sequence[Branch]
) -> tuple[list[tuple[Branch, Branch]], list[Branch], list[Branch]]:
    """The branches that belong together, in order, and those of either side that are left; those most alike first."""
    if len(olds) == len(news) == 1:
        return [(olds[0], news[0])], [], []
    scored = sorted(
        ((-_likeness(space, old, new), i, j) for i, old in enumerate(olds) for j, new in enumerate(news)),
    )
    mine: dict[int, int] = {}
    for score, i, j in scored:
        if score < 0 and i not in mine and j not in mine.values():
            mine[i] = j
    left = [i for i in range(len(olds)) if i not in mine]
    right = [j for j in range(len(news)) if j not in mine.values()]
    if len(left) == len(right) == 1:
        mine[left.pop()] = right.pop()
    pairs = [(olds[i], news[mine[i]]) for i in sorted(mine)]
    return pairs, [olds[i] for i in left], [news[j] for j in right]


def _likeness(space: Space, old: Branch, new: Branch) -> int:
    """How alike two branches are; 0 for two that have nothing in common."""
    if old == new:
        return 1_000_000
    if space.apart(old, new):
        return 0
    if isinstance(old, Objects) and isinstance(new, Objects):
        shared = old.fields.keys() & new.fields.keys()
        odd = len(old.fields.keys() ^ new.fields.keys())
        return max(1, 100 + 10 * len(shared) - odd)
    return 100 if space.narrower(old, new, strict=True) or space.narrower(new, old, strict=True) else 1
