"""What stands around a value in running text, where that shows that the value is only a part of something else."""

from __future__ import annotations

import re

from magic_tools.loose.tokens import END_MARK, QUOTED_KEY, QUOTES

__all__ = ["goes_on", "is_index", "is_part"]

_REACH_OF_A_MARK = 8
_REACH = 80  # characters before a value that are looked at

_TO_A_MEMBER = re.compile(rf"[}}\]\s]*+,?\s*+(?=[{QUOTES}])")
_CUT_KEY = re.compile(rf"[}}\]\s]*+,\s*+[{QUOTES}][\w $.\-]*+\Z")
_BEFORE_A_LATER_KEY = re.compile(rf"[{QUOTES}]\s*+,\s*+(?=[{QUOTES}])")
_CLOSES = re.compile(r"\s*+[,}\]]")
_PUNCTUATION = frozenset(".;:!?)>`~'\"*_|</")

_ITEM_BEFORE = re.compile(r",\s*\Z")
_CLOSER_AFTER = re.compile(r"\s*+[}\]]")
_NAMED_BEFORE = re.compile(r"\w\s*=\s*\Z")
_NAMED_AFTER = re.compile(r"\s*+(?:[,)]|/?>)")
_CALLED_BEFORE = re.compile(r"\w\(\s*\Z")
_CALLED_AFTER = re.compile(r"\s*+([,)])")
_OPERATED = re.compile(
    r"\*\*?\d|\s*+\+\s*+[\w\[{]|\s*+\|\s*+\{|\.[^\W\d]\w*\(|\[(?:-?\d*:-?\d*|\"[^\"\n]*\"|'[^'\n]*')\]"
)
_MARKER = re.compile(r"(?<![\w\])])\[/?[A-Z][\w ]*\]\Z")


def goes_on(text: str, start: int, end: int, limit: int, *, moved: bool) -> bool:
    """Whether more of a value stands behind what was read of it: another member, or the end of a text.

    `moved` says that brackets of it were mended, so that it may have been closed too soon.
    """
    member = _TO_A_MEMBER.match(text, end, limit)
    if member is not None and QUOTED_KEY.match(text, member.end(), limit):
        return True
    if _OPERATED.match(text, end, limit):
        return True
    if _CUT_KEY.match(text, end, limit) or (moved and _CLOSES.match(text, end, limit)):
        return True
    if end >= limit or text[end].isspace() or END_MARK.match(text, end, limit):
        return False
    if text[end] in QUOTES and not any(mark in text[max(0, start - _REACH_OF_A_MARK) : start] for mark in QUOTES):
        return True
    return (moved and text[end] not in _PUNCTUATION) or _has_later_key(text, end, limit)


def _has_later_key(text: str, end: int, limit: int) -> bool:
    """Whether a key follows the end of a text before the next value may begin."""
    openers = [place for place in (text.find(sign, end, limit) for sign in "{[\n") if place >= 0]
    found = _BEFORE_A_LATER_KEY.search(text, end, min(openers, default=limit))
    return found is not None and QUOTED_KEY.match(text, found.end(), limit) is not None


def is_part(text: str, start: int, end: int, limit: int, *, is_list: bool) -> bool:
    """Whether a value is an item of an array whose beginning is lost, or one of the arguments of a call."""
    first = max(0, start - _REACH)
    if _CLOSER_AFTER.match(text, end, limit) and _ITEM_BEFORE.search(text, first, start):
        return True
    if _NAMED_AFTER.match(text, end, limit) and _NAMED_BEFORE.search(text, first, start):
        return True
    called = _CALLED_AFTER.match(text, end, limit)
    if called is None or not (is_list or called[1] == ","):
        return False
    return _CALLED_BEFORE.search(text, first, start) is not None


def is_index(text: str, at: int, limit: int) -> bool:
    """Whether a square bracket is that of an index, as in `items["a"]`, and begins no array."""
    if at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_)]"):
        return False
    if text.startswith("{", at + 1) and at + 1 < limit:
        return False
    return _MARKER.search(text, max(0, at - _REACH), at) is None
