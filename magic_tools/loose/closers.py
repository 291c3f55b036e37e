"""What a closing bracket of another kind than the one that is due means, by what follows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from magic_tools.loose.structure import Frame, Structure
from magic_tools.loose.tokens import BARE_KEY, COMMAS, QUOTED_KEY

__all__ = ["Closing", "closing_at"]


class Closing(NamedTuple):
    """How many brackets a closing one closes, where what was read of it ends, and what kind of repair that is."""

    levels: int
    end: int
    kind: str | None


def closing_at(structure: Structure, at: int) -> Closing | None:
    """The reading of a closing bracket with which what follows fits best; None where none fits.

    It may close an outer bracket, the inner ones having none of their own; be meant for another kind; stand
    in the wrong order with the next; or be too many.
    """
    ranked = [(_fit(structure, closing), -place) for place, closing in enumerate(_closings(structure, at))]
    best = max(ranked, default=(0, 0))
    return list(_closings(structure, at))[-best[1]] if best[0] else None


def _closings(structure: Structure, at: int) -> Iterator[Closing]:
    text, stack, sign = structure.text, structure.stack, structure.text[at]
    for level, frame in enumerate(reversed(stack)):
        if frame.closer == sign:
            yield Closing(level + 1, at + 1, "missing_closer")
            break
    yield Closing(1, at + 1, "wrong_closer")
    following = structure.gap(at + 1)
    if len(stack) > 1 and text[following : following + 1] == stack[-1].closer and stack[-2].closer == sign:
        yield Closing(2, following + 1, "wrong_closer")
    yield Closing(0, at + 1, "extra_closer")


def _fit(structure: Structure, closing: Closing) -> int:
    """How well what follows fits what would then be open: 2 if it does, 1 if brackets would be missing, else 0."""
    text, limit = structure.text, structure.limit
    left = structure.stack[: len(structure.stack) - closing.levels]
    at = structure.gap(closing.end)
    if at >= limit or structure.ends(at):
        return 1 if left else 2
    sign = text[at]
    if not left:
        return 0 if sign in "}])" or sign in COMMAS else 1
    if sign in "}])":
        return 2 if sign == left[-1].closer else 0
    return 2 if sign in COMMAS and _continues(structure, left[-1], at + 1) else 0


def _continues(structure: Structure, frame: Frame, at: int) -> bool:
    """Whether what follows a comma is a member of an object, or an item, as the frame wants."""
    text, limit = structure.text, structure.limit
    at = structure.gap(at)
    is_key = QUOTED_KEY.match(text, at, limit) or BARE_KEY.match(text, at, limit)
    return bool(is_key) is frame.is_object
