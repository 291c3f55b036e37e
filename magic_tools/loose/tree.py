"""The value that is being read out of damaged text: the brackets open in it, and what was mended so far."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from magic_tools.loose.issues import Place
from magic_tools.loose.notes import Note, listed
from magic_tools.loose.readings import Damage, Reading
from magic_tools.loose.shapes import Shape
from magic_tools.loose.strict import same
from magic_tools.loose.structure import IN_GAP, Frame, Structure

__all__ = ["Tree"]

_MOST_LEVELS = 500
_PYTHON_TEXT = re.compile(r"[uU](?=[\"'])")
_ELIDED = re.compile(r"(?://|\#|/\*)\s*(?:\.{3}|…|and so on\b|etc\b|more\s+(?:items|entries|rows)\b)", re.IGNORECASE)


class Tree:
    """A value as far as it was read: `at` is where the next token begins.

    `meant` once something shows that it is JSON, and no prose; `members` tells where the values of the
    outermost object stand.
    """

    def __init__(self, text: str, start: int, limit: int, shape: Shape | None) -> None:
        self.text = text
        self.start = self.at = start
        self.limit = limit
        self.root_shape = shape
        self.structure = Structure(text, start, limit)
        self.stack = self.structure.stack
        self.notes: list[Note] = []
        self.value: Any = None
        self.meant = False
        self.members: dict[str, tuple[int, int]] = {}
        self.value_at = start

    def note(self, kind: str, start: int, end: int) -> None:
        """List a repair."""
        self.notes.append((kind, start, end))

    def gap(self) -> int:
        """Where the next token begins; what stands before it is listed."""
        at = self.at
        if at < self.limit and (sign := self.text[at]) > " " and sign not in IN_GAP:
            return at
        end = self.structure.blanks(at)
        if end < self.limit and self.text[end] in IN_GAP:
            start, end = end, self.structure.gap(end)
            for note in self.structure.parts_of_gap(start, end):
                if note[0] == "comment" and _ELIDED.match(self.text, note[1], note[2]):
                    self.fail("a comment in place of what was left out", note[1])
                self.notes.append(note)
        return end

    def past_prefix(self, at: int) -> int:
        """Where the quotation mark stands of a text that begins with Python's `u`."""
        if _PYTHON_TEXT.match(self.text, at, self.limit):
            self.note("quotes", at, at + 1)
            return at + 1
        return at

    def open(self, opener: str, at: int) -> Frame:
        """Begin an object or array at a place; Damage if there are too many in one another."""
        if len(self.stack) >= _MOST_LEVELS:
            self.meant = True
            self.fail("more than 500 levels", at)
        above = self.stack[-1] if self.stack else None
        shape = self.root_shape
        if above is not None:
            shape = above.shape and (above.shape.member(above.key) if above.is_object else above.shape.item())
        frame = Frame(opener, shape)
        self.stack.append(frame)
        return frame

    def put(self, value: Any, end: int) -> None:
        """Put a value where it belongs; Damage if another stands there."""
        self.at = end
        if not self.stack:
            self.value = value
            return
        frame = self.stack[-1]
        frame.comma = None
        if not frame.is_object:
            frame.container.append(value)
            return
        if frame.key in frame.container and not same(frame.container[frame.key], value):
            raise Damage("ambiguous", end, self.limit, frame.key, place=self.path())
        frame.container[frame.key] = value
        if len(self.stack) == 1:
            self.members[frame.key] = (self.value_at, end)

    def path(self) -> Place:
        """Where in the whole value the next one belongs."""
        return tuple(frame.key if frame.is_object else len(frame.container) for frame in self.stack)

    def separated(self, frame: Frame, sign: str, at: int) -> None:
        """Note what separates items; Damage where commas and semicolons do, since they may be rows."""
        if sign in ",;" and frame.separator not in (None, sign):
            self.fail("two kinds of commas, which may separate rows", at)
        frame.separator = sign

    def close(self) -> None:
        """End the innermost object or array where it stands."""
        self.put(self.stack.pop().container, self.at)

    def whole(self) -> Reading:
        """What was read, whose brackets are closed."""
        return Reading(self.value, self.start, self.at, listed(self.notes), members=self.members)

    def ended(self, at: int, *, is_meant: bool, cut: bool) -> Reading:
        """What was read up to the end of the text, or to what shows that the end is meant, with brackets still open."""
        missing = len(self.stack)
        if missing and not is_meant:
            self._check_end()
        comma = self.stack[-1].comma if self.stack else None
        if comma is not None and is_meant:
            self.note("trailing_comma", comma, comma + 1)
        cut = cut or (comma is not None and not is_meant)
        touching = not is_meant and not cut and self.text[self.at - 1 : self.at] not in tuple("}])\"'”’`")
        while self.stack:
            self.note("missing_closer", at, at)
            self.close()
        repairs = listed(self.notes)
        return Reading(self.value, self.start, at, repairs, missing=missing, ended=is_meant, cut=cut, touching=touching)

    def _check_end(self) -> None:
        """Damage if the brackets that are missing are there after all, in another place than they should be."""
        if self.notes and self.notes[-1][0] == "comment" and self.text[self.limit - 1] in "}])":
            self.fail("a comment that may hide the end", self.notes[-1][1])
        for kind, start, _ in self.notes:
            if kind == "extra_closer" and any(self.text[start] == frame.closer for frame in self.stack):
                self.fail("a closing bracket that stands in another place than it should", start)

    def fail(self, why: str, at: int) -> NoReturn:
        """Leave with Damage, and with what was read so far."""
        raise Damage("unparseable", at, max(self.at, at), why, meant=self.meant, partial=self.so_far())

    def so_far(self) -> Any:
        """What was read before the damage, each bracket with what is in it."""
        held: Any = None
        for level, frame in enumerate(reversed(self.stack)):
            if level and frame.is_object:
                frame.container[frame.key] = held
            elif level:
                frame.container.append(held)
            held = frame.container
        return held or None
