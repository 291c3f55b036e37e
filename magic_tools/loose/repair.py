"""A value read from text that is nearly JSON, with every repair listed: one pass, no recursion."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn, TypeAlias

from magic_tools.loose.bare import Unreadable, bare_end, bare_value
from magic_tools.loose.closers import Closing, closing_at
from magic_tools.loose.escapes import CONTROL, unescaped
from magic_tools.loose.keys import read_key
from magic_tools.loose.notes import Note, listed
from magic_tools.loose.plain import (
    PLAIN_ITEM,
    PLAIN_PAIR,
    SURE_ITEM,
    SURE_KEY,
    SURE_SCALAR,
    SURE_VALUE,
    plain_value,
)
from magic_tools.loose.quotes import end_of_string
from magic_tools.loose.readings import Damage, Reading
from magic_tools.loose.scanner import Scanner
from magic_tools.loose.shapes import Shape
from magic_tools.loose.strict import same
from magic_tools.loose.structure import IN_GAP, Frame, Structure
from magic_tools.loose.tokens import CLEAN_VALUE, COMMAS, END_MARK, GROUPED, QUOTED_KEY, QUOTES, SCALAR_RUN, TRIPLE
from magic_tools.loose.work import Work

__all__ = ["read_members", "read_value"]

_MOST_LEVELS = 500
_STEP = 8
_MOST_OF_RUN = 100

_PYTHON_TEXT = re.compile(r"[uU](?=[\"'])")
_PARAGRAPH = re.compile(r"[ \t\r]*+\n[ \t\r]*+\n")
_STARTS_PROSE = re.compile(r"[^\W\d_]|[*_#>\-]")


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


class _Reader:
    """One way through a damaged value: each step reads a token and gives the next step."""

    def __init__(self, text: str, start: int, limit: int, work: Work, shape: Shape | None) -> None:
        self.text = text
        self.start = self.at = start
        self.limit = limit
        self.work = work
        self.root_shape = shape
        self.structure = Structure(text, limit)
        self.stack = self.structure.stack
        self.notes: list[Note] = []
        self.value: Any = None
        self.result: Reading | None = None
        self.meant = False
        self.scanner = Scanner(text, limit, work)
        self.members: dict[str, tuple[int, int]] = {}
        self.value_at = start

    def note(self, kind: str, start: int, end: int) -> None:
        self.notes.append((kind, start, end))

    def read(self) -> Reading:
        step: _Step = self.key if self.stack else self.whole
        try:
            steps = self.work.left // _STEP
            while step is not None and steps > 0:
                step = step()
                steps -= 1
            self.work.left = min(self.work.left, steps * _STEP)
            self.work.spend(1)
        except Unreadable as words:
            self.fail(str(words), self.at)
        if self.result is not None:
            return self.result
        return Reading(self.value, self.start, self.at, listed(self.notes), members=self.members)

    def whole(self) -> _Step:
        """The value itself; JSON needs no steps."""
        scanned = self.scanner.read(self.start)
        if scanned is None:
            return self.due()
        self.value, self.at = scanned
        self.result = Reading(self.value, self.start, self.at, strict=self.text[self.start : self.at])
        return None

    # What is read next.

    def items(self, frame: Frame) -> _Step:
        """Take the plain items of an array, several tokens in one step each; then whatever is due."""
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
        if END_MARK.match(self.text, at, self.limit) and not frame.is_object:
            return self.end(at, ended=True)
        if sign in COMMAS or (sign in "}])" and frame.is_object):
            self.fail("no value", at)
        if sign in "}])":
            return self.closed(at)
        if _PYTHON_TEXT.match(self.text, at, self.limit):
            return self.string(at + 1)
        return self.words(at)

    def member_outside(self, at: int) -> _Step:
        """The key of the outer object, where the array in it has no closing bracket of its own."""
        if len(self.stack) < 2 or self.stack[-1].is_object or not self.stack[-2].is_object:
            return None
        key = QUOTED_KEY.match(self.text, at, self.limit)
        if key is None or not CLEAN_VALUE.match(self.text, key.end(), self.limit):
            return None
        if not self.stack[-2].declares(key[1][1:-1]):
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
        if END_MARK.match(self.text, at, self.limit) and (frame.comma is not None or not frame.container):
            return self.end(at, ended=True)
        at += _PYTHON_TEXT.match(self.text, at, self.limit) is not None
        self.at = at
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
            return self.next_member(at, at + 1)
        if sign in "}])":
            return self.closed(at)
        if END_MARK.match(text, at, self.limit):
            return self.end(at, ended=True)
        new_line = "\n" in text[before:at]
        if frame.is_object:
            follows = self.structure.key_follows(at, new_line=new_line) or self.structure.half_key_follows(at)
        else:
            follows = sign in "{[" or sign in QUOTES or new_line or text.startswith(("true", "false", "null"), at)
        prose = _PARAGRAPH.match(text, before, self.limit) and _STARTS_PROSE.match(text, at, self.limit)
        if prose and not (follows and frame.is_object) and text.find("}", at) < 0 and text.find("]", at) < 0:
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
        return self.key if frame.is_object else partial(self.items, frame)

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
        self.at = at
        frame = self.stack[-1]
        run = None if frame.is_object else SCALAR_RUN.match(self.text, at, min(at + _MOST_OF_RUN, self.limit))
        if run is not None:
            if GROUPED.match(self.text, at):
                raise Unreadable("digits that may be one number or several")
            value, kind = bare_value(run[1], typed=False)
            self.note("missing_comma", run.end(1), run.end(1))
            if kind:
                self.note(kind, at, run.end(1))
            self.take(value, run.end(1))
            return self.next_member(None, run.end(1))
        stop, at_end = bare_end(self.structure, at)
        words = self.text[at:stop].rstrip()
        typed = frame.is_object and frame.names is not None
        try:
            value, kind = bare_value(words, typed=typed)
        except Unreadable:
            if at_end:
                return self.cut()
            raise
        if kind:
            self.note(kind, at, at + len(words))
        if at_end and kind == "bare_text":
            return self.cut(value)
        return self.take(value, at + len(words))

    def string(self, at: int) -> _Step:
        text = self.text
        triple = TRIPLE.match(text, at, self.limit)
        if triple is not None:
            end = text.find(triple[0], at + 3, self.limit)
            if end > 0 and (self.structure.follows(end + 3) or text.count("\n", at, end)):
                self.note("quotes", at, end + 3)
                return self.take_text(at + 3, end, end + 3)
        frame = self.stack[-1] if self.stack else None
        ended = end_of_string(
            text,
            at,
            self.limit,
            follows=self.structure.follows,
            declares=frame.declares if frame is not None and frame.is_object else None,
            work=self.work,
        )
        if ended.how == "cut":
            return self.cut(unescaped(text[at + 1 : self.limit])[0])
        if ended.how == "unclear":
            self.fail("a text whose end is not clear", at)
        if ended.how == "inner":
            self.note("inner_quotes", at, ended.after)
        elif ended.how == "missing":
            self.note("missing_quote", ended.stop, ended.stop)
        if text[at] != '"' or ended.how == "other":
            self.note("quotes", at, ended.after)
        return self.take_text(at + 1, ended.stop, ended.after)

    def take_text(self, start: int, stop: int, after: int) -> _Step:
        raw = self.text[start:stop]
        if CONTROL.search(raw):
            self.note("control_character", start, stop)
        value, odd = unescaped(raw)
        if odd:
            self.note("escape", start, stop)
        if self.stack and not self.stack[-1].is_object:
            self.meant = True
        return self.take(value, after)

    def bracket(self, at: int) -> _Step:
        """An object or array: as a whole where it is JSON, else member by member."""
        scanned = self.scanner.read(at) if self.stack else None
        if scanned is None:
            return self.push(self.text[at], at)
        self.meant = True
        return self.take(*scanned)

    def push(self, opener: str, at: int) -> _Step:
        if len(self.stack) >= _MOST_LEVELS:
            self.meant = True
            self.fail("more than 500 levels", at)
        above = self.stack[-1] if self.stack else None
        shape = self.root_shape
        if above is not None:
            shape = above.shape and (above.shape.member(above.key) if above.is_object else above.shape.item())
        frame = Frame(opener, shape)
        self.stack.append(frame)
        self.at = at + len(opener) if opener != "{" or self.text[at : at + 1] == "{" else at
        return self.key if frame.is_object else partial(self.items, frame)

    def take(self, value: Any, end: int) -> _Step:
        """Put a value where it belongs."""
        self.at = end
        if not self.stack:
            self.value = value
            return None
        frame = self.stack[-1]
        frame.comma = None
        if not frame.is_object:
            frame.container.append(value)
            return self.after
        if frame.key in frame.container and not same(frame.container[frame.key], value):
            raise Damage("ambiguous", end, self.limit, frame.key)
        frame.container[frame.key] = value
        if len(self.stack) == 1:
            self.members[frame.key] = (self.value_at, end)
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

    def close(self) -> None:
        value = self.stack.pop().container
        self.take(value, self.at)

    def cut(self, *last: Any) -> _Step:
        """The text stops where it cannot: what came of the last value is kept for the partial one."""
        if last and self.stack:
            frame = self.stack[-1]
            if frame.is_object:
                frame.container.setdefault(frame.key, last[0])
            else:
                frame.container.append(last[0])
        elif last:
            self.value = last[0]
        return self.end(self.limit, ended=False, cut=True)

    def end(self, at: int, *, ended: bool, cut: bool = False) -> _Step:
        """The end of the text, or what shows that it was meant, with brackets still open."""
        missing = len(self.stack)
        if self.stack and self.stack[-1].comma is not None and not ended:
            cut = True
        elif self.stack and self.stack[-1].comma is not None:
            self.note("trailing_comma", self.stack[-1].comma, self.stack[-1].comma + 1)
        touching = not ended and not cut and self.text[self.at - 1 : self.at] not in tuple("}])\"'”’`")
        while self.stack:
            self.note("missing_closer", at, at)
            self.close()
        self.result = Reading(
            self.value, self.start, at, listed(self.notes), missing=missing, ended=ended, cut=cut, touching=touching
        )
        return None

    def gap(self) -> int:
        """Where the next token begins; what stands before it is noted."""
        at = self.at
        if at < self.limit and (sign := self.text[at]) > " " and sign not in IN_GAP:
            return at
        end = self.structure.gap(at)
        if end > self.at:
            for kind, start, stop in self.structure.parts_of_gap(self.at, end):
                self.note(kind, start, stop)
        return end

    def fail(self, why: str, at: int) -> NoReturn:
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
