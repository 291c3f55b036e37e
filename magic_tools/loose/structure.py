"""What stands around a value in damaged JSON: its gaps, and whether what follows a place is structure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from magic_tools.loose.shapes import Shape
from magic_tools.loose.tokens import (
    AT_END,
    BARE_KEY,
    CLEAN_ITEM,
    CLEAN_VALUE,
    CLOSERS,
    COMMAS,
    END_MARK,
    HALF_QUOTED_KEY,
    KEY_BEFORE_QUOTE,
    NO_COLON,
    ODD_BLANKS,
    QUOTED_KEY,
    QUOTES,
    STARTS_ITEM,
)

__all__ = ["IN_GAP", "Frame", "Structure"]

_CLOSED_BY = {"{": "}", "[": "]", "(": ")"}
_BLANKS = re.compile(r"[ \t\r\n]*+")
IN_GAP = frozenset("\\/#\ufeff\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\x0b\x0c\x85") | frozenset(
    map(chr, range(0x2000, 0x200C))
)
_NOTE = r"//[^\n]*+|\#[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_GAP = re.compile(rf"(?:[ \t\r\n{ODD_BLANKS}]++|{_NOTE}|\\[nrt](?![\w\\]))*+")
_PART = re.compile(rf"(?P<comment>{_NOTE})|(?P<blank>[{ODD_BLANKS}]++|\\[nrt])")
_AFTER_CLOSERS = re.compile(rf"\s*+(?:[{{\[(}}\])]|[{QUOTES}]|-?\d|[\w$]++\s*+:|true|false|null|True|False|None)")
_PARAGRAPH = re.compile(r"[ \t\r]*+\n[ \t\r]*+\n")
_STARTS_PROSE = re.compile(r"[^\W\d_]|[*_#>\-]")


class Frame:
    """An object or array that is being read.

    `key` is the one whose value is due, `comma` the place of a comma after which nothing came yet; `bare`
    tells whether its keys are unquoted.
    """

    __slots__ = ("bare", "closer", "comma", "container", "is_object", "key", "separator", "shape")

    def __init__(self, opener: str, shape: Shape | None) -> None:
        self.closer = _CLOSED_BY[opener]
        self.is_object = opener == "{"
        self.container: Any = {} if self.is_object else []
        self.shape = shape
        self.key = ""
        self.bare = False
        self.comma: int | None = None
        self.separator: str | None = None

    def declares(self, key: str) -> bool:
        """Whether a key is one of the object, as far as is known."""
        return self.names is None or key in self.names

    @property
    def names(self) -> frozenset[str] | None:
        """The keys that are declared, None where any may come."""
        return self.shape.names if self.shape is not None and self.is_object else None


class Structure:
    """A text with the brackets that are open at some place in it."""

    __slots__ = ("_opened", "limit", "stack", "start", "text")

    def __init__(self, text: str, start: int, limit: int) -> None:
        self.text = text
        self.start = start
        self.limit = limit
        self._opened: dict[str, bool] = {}
        self.stack: list[Frame] = []

    def blanks(self, at: int) -> int:
        """Where the blanks of JSON from a place on end."""
        return _BLANKS.match(self.text, at, self.limit).end()  # type: ignore[union-attr]  # it matches nothing, too

    def gap(self, at: int) -> int:
        """Where the blanks and comments from a place on end."""
        end = self.blanks(at)
        if end < self.limit and self.text[end] in IN_GAP:
            end = _GAP.match(self.text, end, self.limit).end()  # type: ignore[union-attr]
        return end

    def parts_of_gap(self, start: int, end: int) -> Iterator[tuple[str, int, int]]:
        """The comments and odd blanks of a gap, each with its kind and place."""
        for part in _PART.finditer(self.text, start, end):
            yield part.lastgroup or "", part.start(), part.end()

    def ends(self, at: int) -> bool:
        """Whether a mark stands at a place that shows that the end was meant; a tag only if it opens before the value.

        Other tags are text of the value.
        """
        mark = END_MARK.match(self.text, at, self.limit)
        if mark is None or mark[1] is None:
            return mark is not None
        name = mark[1]
        if name not in self._opened:
            self._opened[name] = self.text.find(f"<{name}", 0, self.start) >= 0
        return self._opened[name]

    def follows(self, at: int) -> bool:
        """Whether what stands at a place is what follows a whole value."""
        text, start = self.text, at
        at = self.gap(at)
        if at > start and self._is_text(start, at):
            return False
        if at >= self.limit:
            return True
        if not self.stack:
            return self.ends(at)
        frame, sign = self.stack[-1], text[at]
        if sign in COMMAS:
            return self.member_follows(at + 1)
        if sign in "}])":
            return self.closers_follow(at)
        if self.ends(at):
            return text[at] == "<" or "\n" in text[start:at]
        if frame.is_object:
            return self.key_follows(at, new_line="\n" in text[start:at])
        new_item = sign in QUOTES and "\n" in text[start:at]
        return (
            new_item
            or sign in "{["
            or ((at > start or sign in QUOTES) and CLEAN_ITEM.match(text, at, self.limit) is not None)
        )

    def _is_text(self, start: int, end: int) -> bool:
        """Whether what seems to be a comment holds the one mark of a text, so that it is a part of that."""
        parts = self.parts_of_gap(start, end)
        return any(kind == "comment" and self.text.count('"', begin, stop) % 2 for kind, begin, stop in parts)

    def member_follows(self, at: int) -> bool:
        """Whether what stands behind a comma is a member of the innermost bracket, or its end."""
        text, limit, start = self.text, self.limit, at
        at = self.gap(at)
        if at >= limit or text[at] in "}])" or self.ends(at):
            return True
        if not self.stack[-1].is_object:
            return STARTS_ITEM.match(text, at, limit) is not None
        if text[at] in COMMAS or text.startswith(('\\"', "\\'"), at) or AT_END.match(text, at, limit):
            return True
        return self.key_follows(at, new_line="\n" in text[start:at], comma=True)

    def key_follows(self, at: int, *, new_line: bool = False, comma: bool = False) -> bool:
        """Whether a key of the innermost object stands at a place: one that is declared, or has a clear value.

        Behind a comma it may have lost one of its marks, or have none.
        """
        frame = self.stack[-1]
        text, limit = self.text, self.limit
        if NO_COLON.match(text, at, limit):
            return True
        found = QUOTED_KEY.match(text, at, limit)
        sure = found is not None and found[0][-1] != "="
        if found is None and (comma or frame.bare or new_line):
            found = BARE_KEY.match(text, at, limit)
            sure = found is not None and (frame.bare or new_line or frame.names is not None)
        if found is None and comma:
            found = HALF_QUOTED_KEY.match(text, at, limit) or KEY_BEFORE_QUOTE.match(text, at, limit)
        if found is None:
            return False
        key = found[1].strip(QUOTES)
        return (sure and frame.declares(key)) or CLEAN_VALUE.match(text, found.end(), limit) is not None

    def member_follows_at_once(self, at: int, *, new_line: bool) -> bool:
        """Whether a member of the innermost bracket stands at a place, behind another without a comma."""
        text, sign = self.text, self.text[at]
        if self.stack[-1].is_object:
            half = HALF_QUOTED_KEY.match(text, at, self.limit)
            return half is not None or self.key_follows(at, new_line=new_line)
        return sign in "{[" or sign in QUOTES or new_line or text.startswith(("true", "false", "null"), at)

    def outer_key_follows(self, at: int) -> bool:
        """Whether a key of the object outside of the innermost array stands at a place, with a clear value."""
        if len(self.stack) < 2 or self.stack[-1].is_object or not self.stack[-2].is_object:
            return False
        key = QUOTED_KEY.match(self.text, at, self.limit)
        if key is None or not CLEAN_VALUE.match(self.text, key.end(), self.limit):
            return False
        return self.stack[-2].declares(key[1][1:-1])

    def is_prose(self, end: int, at: int) -> bool:
        """Whether what stands at a place, behind a value that ends before it, is a paragraph beside the JSON."""
        text = self.text
        begins = _PARAGRAPH.match(text, end, self.limit) and _STARTS_PROSE.match(text, at, self.limit)
        return bool(begins) and text.find("}", at) < 0 and text.find("]", at) < 0

    def closers_follow(self, at: int) -> bool:
        """Whether the closing brackets at a place are those of the text, by what follows them."""
        run = CLOSERS.match(self.text, at, self.limit)
        end = run.end() if run else at
        if end >= self.limit:
            return True
        sign = self.text[end]
        if sign in COMMAS:
            return _AFTER_CLOSERS.match(self.text, self.gap(end + 1), self.limit) is not None
        if self.ends(end) or sign in "{[/#":
            return True
        if QUOTED_KEY.match(self.text, end, self.limit):
            return True
        closers = sum(map("".join(self.text[at:end].split()).count, "}])"))
        if closers < len(self.stack):
            return False
        if sign in ".:!?" and (end + 1 >= self.limit or self.text[end + 1].isspace()):
            return True  # a sentence ends behind the last of them
        return sign not in QUOTES and self.text[end - 1].isspace()
