"""What reading a stretch of text comes to: a value with all that was mended, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from magic_tools.errors import ParseErrorKind
from magic_tools.loose.issues import Place
from magic_tools.loose.sources import Bare
from magic_tools.messages import Repair

__all__ = ["Damage", "Read", "Reading", "is_cut", "is_prose", "is_strict"]


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


def is_strict(finding: Read) -> bool:
    """Whether a value was read that is JSON as it stands."""
    return isinstance(finding, Reading) and finding.strict is not None


def is_cut(finding: Read) -> bool:
    """Whether a value was read that the text stops inside of."""
    return isinstance(finding, Reading) and bool(finding.cut or (finding.missing and not finding.ended))


def is_prose(reading: Reading) -> bool:
    """Whether a bracket is one of running text, such as `[Lee, 2024]`: words without quotation marks, and no keys."""
    value = reading.value
    if not isinstance(value, list) or any(isinstance(held, dict | list) or type(held) is str for held in value):
        return False
    return any(isinstance(held, Bare) for held in value)
