"""What reading a stretch of text comes to: a value with all that was mended, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from magic_tools.errors import ParseErrorKind
from magic_tools.loose.issues import Place
from magic_tools.messages import Repair

__all__ = ["Damage", "Read", "Reading"]


class Reading(NamedTuple):
    """A value that stands from `start` to `end` of a text, and what was done to get it.

    `strict` is its JSON text where it is JSON as it stands; of an object that had to be mended, `members` tells
    where the value of each key stands. `missing` brackets were still open where it ends;
    that this was meant shows where `ended`. With `cut` the text stops inside a token, or where another has to
    follow; with `touching` it stops right behind a token that does not show where it ends.
    """

    value: Any
    start: int
    end: int
    repairs: tuple[Repair, ...] = ()
    strict: str | None = None
    missing: int = 0
    ended: bool = False
    cut: bool = False
    touching: bool = False
    members: Mapping[str, tuple[int, int]] | None = None


class Damage(Exception):  # noqa: N818 - a finding that the ladder weighs, not an error that a caller sees
    """Why there is no value at an offset: the kind, how far was looked, words, and what was read so far.

    Of a key that says two things, `place` is where it stands in the value.
    `meant` is false where it may be prose: nothing shows that JSON was begun.
    """

    def __init__(
        self,
        kind: ParseErrorKind,
        offset: int,
        end: int,
        why: str,
        *,
        meant: bool = True,
        partial: Any = None,
        place: Place = (),
    ) -> None:
        super().__init__(why)
        self.kind: ParseErrorKind = kind
        self.offset = offset
        self.end = end
        self.why = why
        self.meant = meant
        self.partial = partial
        self.place = place


Read = Reading | Damage
