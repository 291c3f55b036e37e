"""A value read from text that is nearly JSON, with every repair listed: one pass, no recursion."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

from magic_tools.loose.bare import Unreadable, read_words
from magic_tools.loose.closers import Closing, closing_at
from magic_tools.loose.keys import read_key
from magic_tools.loose.plain import (
    PLAIN_ITEM,
    PLAIN_PAIR,
    SURE_ITEM,
    SURE_KEY,
    SURE_SCALAR,
    SURE_VALUE,
    plain_value,
)
from magic_tools.loose.readings import Reading
from magic_tools.loose.scanner import Scanner
from magic_tools.loose.shapes import Shape
from magic_tools.loose.structure import Frame
from magic_tools.loose.texts import read_text
from magic_tools.loose.tokens import COMMAS, QUOTES
from magic_tools.loose.tree import Tree
from magic_tools.loose.work import Work, WorkSpentError

__all__ = ["read_members", "read_value"]

_STEP = 8


def read_value(text: str, start: int, limit: int, work: Work, shape: Shape | None = None) -> Reading:
    """The value that stands at `start`, mended where that is needed; Damage if there is none.

    It ends at its own closing bracket, `limit` at the latest. `shape` tells which keys are declared.
    WorkSpentError where that takes too long.
    """
    return _Reader(text, start, limit, work, shape).read()


def read_members(text: str, start: int, limit: int, work: Work, shape: Shape | None = None) -> Reading:
    """The object whose opening bracket is missing before its first key at `start`."""
    reader = _Reader(text, start, limit, work, shape)
    reader.note("missing_opener", start, start)
    reader.push("{", start)
    return reader.read()


_Step: TypeAlias = "Callable[[], _Step] | None"


class _Reader(Tree):
    """One way through a damaged value: each step reads a token and gives the next step."""

    def __init__(self, text: str, start: int, limit: int, work: Work, shape: Shape | None) -> None:
        super().__init__(text, start, limit, shape)
        self.work = work
        self.scanner = Scanner(text, limit, work, self.path)
        self.result: Reading | None = None

    def read(self) -> Reading:
        step: _Step = self.key if self.stack else self.root
        try:
            for left in range(self.work.left // _STEP, 0, -1):
                if step is None:
                    self.work.left = min(self.work.left, left * _STEP)
                    break
                step = step()
            else:
                raise WorkSpentError
        except Unreadable as words:
            self.fail(str(words), self.at)
        return self.whole() if self.result is None else self.result

    def root(self) -> _Step:
        """The value itself; JSON needs no steps."""
        scanned = self.scanner.read(self.start)
        if scanned is None:
            return self.due()
        self.value, self.at = scanned
        self.result = Reading(self.value, self.start, self.at, strict=self.text[self.start : self.at])
        return None

    # What is read next.

    def items(self) -> _Step:
        """Take the plain items of an array, several tokens in one step each; then whatever is due."""
        frame = self.stack[-1]
        while (found := PLAIN_ITEM.match(self.text, self.at, self.limit)) is not None:
            text, quoted, digits, word, comma = found.groups()
            if quoted is not None:
                self.note("quotes", found.start(2) - 1, found.end(2) + 1)
            elif word is not None and word[0] in "TFN":
                self.note("literal", found.start(4), found.end(4))
            frame.container.append(plain_value(text, quoted, digits, word))
            self.meant = self.meant or text is not None or quoted is not None
            self.at = found.end()
            frame.comma = None if comma is None else found.start(5)
            if comma is None:
                return self.after
            if frame.separator != ",":
                self.separated(frame, ",", self.at - 1)
        return self.due()

    def due(self) -> _Step:
        """A value, where one has to stand."""
        text, at = self.text, self.gap()
        if at >= self.limit:
            return self.cut()
        sign = text[at]
        if sign in "{[":
            return self.bracket(at)
        found = SURE_SCALAR.match(text, at, self.limit)
        if found is not None:
            return self.scalar(found)
        if sign in "\"'" and self.stack:
            frame = self.stack[-1]
            found = (SURE_VALUE if frame.is_object else SURE_ITEM)[sign].match(text, at, self.limit)
            if found is not None and (not frame.is_object or found[2] is None or frame.declares(found[2][1:-1])):
                if sign == "'":
                    self.note("quotes", at, found.end())
                return self.take(found[1], found.end())
        if sign in QUOTES:
            return self.member_outside(at) or self.string(at)
        if sign == "(":
            self.note("tuple", at, at + 1)
            return self.push("(", at)
        return self.due_otherwise(at, sign)

    def due_otherwise(self, at: int, sign: str) -> _Step:
        """What stands in the place of a value, if it is no bracket, string or plain scalar."""
        frame = self.stack[-1] if self.stack else None
        if frame is None:
            self.fail("no value", at)
        if self.structure.ends(at) and not frame.is_object:
            return self.end(at, ended=True)
        if sign in COMMAS or (sign in "}])" and frame.is_object):
            self.fail("no value", at)
        if sign in "}])":
            return self.closed(at)
        body = self.past_prefix(at)
        return self.string(body) if body > at else self.words(at)

    def member_outside(self, at: int) -> _Step:
        """The key of the outer object, where the array in it has no closing bracket of its own."""
        if not self.structure.outer_key_follows(at):
            return None
        comma, self.stack[-1].comma = self.stack[-1].comma, None
        self.note("missing_closer", at if comma is None else comma, at if comma is None else comma)
        self.close()
        self.stack[-1].comma = comma
        return self.key

    def key(self) -> _Step:
        """A key, or the end of the object."""
        frame = self.stack[-1]
        if self.pairs(frame):
            return self.after
        at = self.gap()
        if at >= self.limit:
            return self.cut()
        found = SURE_KEY.match(self.text, at, self.limit)
        if found is not None:
            if found[1] is None:
                self.note("quotes", at, found.end(2) + 1)
            return self.keyed(found[found.lastindex or 1], found.end())
        sign = self.text[at]
        if sign in "}])":
            return self.closed(at)
        if sign in COMMAS and (frame.comma is not None or not frame.container):
            frame.comma = at if frame.comma is None else frame.comma
            self.note("extra_comma", at, at + 1)
            self.at = at + 1
            return self.key
        if self.structure.ends(at) and (frame.comma is not None or not frame.container):
            return self.end(at, ended=True)
        self.at = at = self.past_prefix(at)
        key = read_key(self.structure, at, meant=self.meant)
        if key is None:
            return self.cut()
        self.notes += key.notes
        frame.bare = frame.bare or key.bare
        return self.keyed(key.name, key.end)

    def pairs(self, frame: Frame) -> bool:
        """Take keys with plain values, several tokens in one step each; whether one was taken that no comma follows."""
        text, limit, container, notes, at = self.text, self.limit, frame.container, self.notes, self.at
        is_root, declares = len(self.stack) == 1, frame.declares if frame.names is not None else None
        while (found := PLAIN_PAIR.match(text, at, limit)) is not None:
            double, single, held, quoted, digits, word, following, comma = found.groups()
            key = double if single is None else single
            if key in container or (declares and following is not None and not declares(following[1:-1])):
                break
            if single is not None:
                notes.append(("quotes", found.start(2) - 1, found.end(2) + 1))
            if quoted is not None:
                notes.append(("quotes", found.start(4) - 1, found.end(4) + 1))
            elif word is not None and word[0] in "TFN":
                notes.append(("literal", found.start(6), found.end(6)))
            container[key] = plain_value(held, quoted, digits, word)
            if is_root:
                colon = text.index(":", found.end(2 if double is None else 1))
                self.members[key] = (colon + 1, found.end() if comma is None else found.start(8))
            at = found.end()
            frame.comma = at - 1 if comma is not None else None
            self.meant, self.at = True, at
            if comma is None:
                return True
        return False

    def keyed(self, key: str, end: int) -> _Step:
        frame = self.stack[-1]
        frame.key, frame.comma = key, None
        self.meant = True
        self.at = end
        if len(self.stack) == 1:
            self.value_at = end
        return self.due

    def after(self) -> _Step:
        """What follows a value."""
        if not self.stack:
            return None
        before, at = self.at, self.gap()
        if at >= self.limit:
            return self.end(at, ended=False)
        text, sign, frame = self.text, self.text[at], self.stack[-1]
        if sign == frame.closer and sign != ")" and frame.comma is None:
            return self.take(self.stack.pop().container, at + 1)
        if sign in COMMAS:
            if sign != ",":
                self.note("separator", at, at + 1)
            if frame.separator != sign:
                self.separated(frame, sign, at)
            return self.next_member(at, at + 1)
        if sign in "}])":
            return self.closed(at)
        if self.structure.ends(at):
            return self.end(at, ended=True)
        follows = self.structure.member_follows_at_once(at, new_line="\n" in text[before:at])
        if not (follows and frame.is_object) and self.structure.is_prose(before, at):
            return self.end(before, ended=True)
        if not follows or frame.closer == ")":  # texts side by side are one text in Python
            self.fail("something that is no comma and no closing bracket", at)
        self.note("missing_comma", before, before)
        return self.next_member(None, at)

    def next_member(self, comma: int | None, at: int) -> _Step:
        frame = self.stack[-1]
        frame.comma = comma
        self.meant = True
        self.at = at
        return self.key if frame.is_object else self.items

    # Values.

    def scalar(self, found: re.Match[str]) -> _Step:
        digits, word = found.groups()
        if word is not None and word[0] in "TFN":
            self.note("literal", found.start(), found.end())
        try:
            return self.take(plain_value(None, None, digits, word), found.end())
        except ValueError:
            self.fail("a whole number of more than 4300 digits", found.start())

    def words(self, at: int) -> _Step:
        if self.notes and self.notes[-1][0] == "comment" and self.notes[-1][2] > self.at and self.stack[-1].is_object:
            self.fail("a comment in place of a value", self.notes[-1][1])
        self.at = at
        read = read_words(self.structure, at)
        self.notes += read.notes
        if read.cut:
            return self.cut(read.value)
        self.take(read.value, read.end)
        return self.next_member(None, read.end) if read.goes_on else self.after

    def string(self, at: int) -> _Step:
        self.at = at
        read = read_text(self.structure, at, self.work)
        if read.cut:
            return self.cut(read.value)
        self.notes += read.notes
        if self.stack and not self.stack[-1].is_object:
            self.meant = True
        return self.take(read.value, read.end)

    def bracket(self, at: int) -> _Step:
        """An object or array: as a whole where it is JSON, else member by member."""
        scanned = self.scanner.read(at) if self.stack else None
        if scanned is None:
            return self.push(self.text[at], at)
        self.meant = True
        return self.take(*scanned)

    def push(self, opener: str, at: int) -> _Step:
        frame = self.open(opener, at)
        self.at = at + len(opener) if opener != "{" or self.text[at : at + 1] == "{" else at
        return self.key if frame.is_object else self.items

    def take(self, value: Any, end: int) -> _Step:
        self.put(value, end)
        return self.after

    # Ends.

    def closed(self, at: int) -> _Step:
        """A closing bracket, with whatever it closes beside its own."""
        frame = self.stack[-1]
        closing = Closing(1, at + 1, None) if self.text[at] == frame.closer else closing_at(self.structure, at)
        if closing is None:
            self.fail("a closing bracket that does not fit what is open", at)
        if frame.closer == ")" and len(frame.container) == 1 and frame.comma is None and closing.levels == 1:
            self.stack.pop()  # round brackets around one value are not more than the value
            return self.take(frame.container[0], closing.end)
        if closing.levels == 0 and not frame.container:
            self.fail("a closing bracket where a value is due", at)
        if frame.comma is not None and not frame.container:
            self.fail("a comma without anything beside it", frame.comma)
        if frame.comma is not None and closing.levels:
            self.note("trailing_comma", frame.comma, frame.comma + 1)
            frame.comma = None
        if closing.kind is not None:
            self.note(closing.kind, at, closing.end)
        for level in range(closing.levels):
            self.at = closing.end if level == closing.levels - 1 else at
            self.close()
        self.at = closing.end
        return self.after

    def cut(self, last: str | None = None) -> _Step:
        """The text stops where it cannot: what came of the last value is kept for the partial one."""
        frame = self.stack[-1] if self.stack else None
        if frame is None:
            self.value = last
        elif last is not None and frame.is_object:
            frame.container.setdefault(frame.key, last)
        elif last is not None:
            frame.container.append(last)
        return self.end(self.limit, ended=False, cut=True)

    def end(self, at: int, *, ended: bool, cut: bool = False) -> _Step:
        self.result = self.ended(at, is_meant=ended, cut=cut)
        return None
