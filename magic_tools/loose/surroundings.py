"""What stands around a value in running text, where that shows that the value is only a part of something else."""

from __future__ import annotations

import re

from magic_tools.loose.tokens import CLEAN_VALUE, END_MARK, QUOTED_KEY, QUOTES

__all__ = ["goes_on", "is_citation", "is_index", "is_of_prose", "is_part"]

_REACH_OF_A_MARK = 8
_REACH, _REACH_AFTER = 80, 300
"""How many characters before and behind a value are looked at."""

_TO_A_MEMBER = re.compile(rf"[}}\]\s]*+,?\s*+(?=[{QUOTES}])")
_CUT_TEXT = re.compile(rf"\s*+(?:[{QUOTES}][^{QUOTES}\n]*+|-?[\w.]*+)\Z")
_ITEM_AFTER = re.compile(r"\s++[^\s\[\]{},]{1,40}+\s*+[\]}]")
_CUT_KEY = re.compile(rf"[}}\]\s]*+,\s*+[{QUOTES}][\w $.\-]*+\Z")
_BEFORE_A_LATER_KEY = re.compile(rf"[{QUOTES}\w]\s*+,\s*+(?=[{QUOTES}])")
_CLOSES = re.compile(r"\s*+[,}\]]")
_PUNCTUATION = frozenset(".;:!?)>`~'\"*_|</")

_IN_BRACES = re.compile(r"\{\s*(\*\*?|!|\.\.\.)?\s*\Z")
_WRAPPED = re.compile(r"\s*+\}")
_SIGNED = re.compile(r"(?:^|\s)(?:[-!]|\.\.\.)\Z|(?:^|\s)not\s\Z")
_ITEM_BEFORE = re.compile(r",\s*\Z")
_CLOSER_AFTER = re.compile(r"\s*+[}\]]")
_NAMED_BEFORE = re.compile(r"\w\s*=\s*\Z")
_NAMED_AFTER = re.compile(r"\s*+(?:\)|,\s*+\w++\s*+=|/?>)")
_CALLED_BEFORE = re.compile(r"\w\(\s*\Z")
_CALLED_AFTER = re.compile(r"\s*+([,)])")
_OPERATED = re.compile(
    r"\s*+(?:\*\*?|\^|x )\s*+\d|\s*+=>\s*+[\d\[{\"']|:\s?\d|\s++if\s[^\n]{0,200}\selse\s|\s*\n\s*\.[^\W\d]\w*\(|"
    r"\s*+\+\s*+[\w\[{]|\s*+\|\s*+\{|\s*+-\s*+\{[\"']|\.[^\W\d]\w*\(|\[(?:-?\d*:-?\d*(?::-?\d*)?|\"[^\"\n]*\"|'[^'\n]*')\]"
)
_NUMBERED = re.compile(r"\[\d{1,3}\]")
_SENTENCE_BEFORE = re.compile(r"\w \Z")
_SENTENCE_AFTER = re.compile(r",?\s+[^\W\d_]")
_OF_PROSE = re.compile(
    r"\[[^\[\]{}\n]{0,300}\]\(|\[\s*-?[\d.]+\s*,\s*-?[\d.]+\s*\)|"
    r"\[(?:\^|#|ref\b|[^\[\]{}\"'\n,:]{0,40}\s#)[^\[\]{}\"'\n]{0,100}\]",
    re.IGNORECASE,
)
_CHECKBOX = re.compile(r"\[[ xX]\][ \t]")
_BULLET = re.compile(r"(?:^|\n)[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\Z")
_MARKER = re.compile(r"(?<![\w\])])\[/?[A-Z][\w ]*\]\Z")


def goes_on(text: str, start: int, end: int, limit: int, *, moved: bool) -> bool:
    """Whether more of a value stands behind what was read of it: another member, or the end of a text.

    `moved` says that brackets of it were mended, so that it may have been closed too soon.
    """
    member = _TO_A_MEMBER.match(text, end, limit)
    key = QUOTED_KEY.match(text, member.end(), limit) if member is not None else None
    if key is not None and (CLEAN_VALUE.match(text, key.end(), limit) or _CUT_TEXT.match(text, key.end(), limit)):
        return True
    if _OPERATED.match(text, end, limit):
        return True
    if _CUT_KEY.match(text, end, limit) or (moved and _CLOSES.match(text, end, limit)):
        return True
    if _has_later_key(text, end, limit):
        return True
    if end >= limit or text[end].isspace() or END_MARK.match(text, end, limit):
        return False
    if text[end] in QUOTES and not any(mark in text[max(0, start - _REACH_OF_A_MARK) : start] for mark in QUOTES):
        return True
    return moved and text[end] not in _PUNCTUATION


def _has_later_key(text: str, end: int, limit: int) -> bool:
    """Whether a key follows the end of a text before the next value may begin."""
    limit = min(limit, end + _REACH_AFTER)
    openers = [place for place in (text.find(sign, end, limit) for sign in "{[\n") if place >= 0]
    found = _BEFORE_A_LATER_KEY.search(text, end, min(openers, default=limit))
    return found is not None and QUOTED_KEY.match(text, found.end(), limit) is not None


def is_part(text: str, start: int, end: int, limit: int, *, is_list: bool) -> bool:
    """Whether a value is an item of another whose beginning is lost or unreadable, or an argument of a call."""
    first = max(0, start - _REACH)
    braced = _IN_BRACES.search(text, first, start)
    if braced is not None and (braced[1] or not _WRAPPED.match(text, end, limit)):
        return True
    if is_list and _ITEM_AFTER.match(text, end, limit):
        return True
    if _SIGNED.search(text, first, start):
        return True
    if _CLOSER_AFTER.match(text, end, limit) and _ITEM_BEFORE.search(text, first, start):
        return True
    if _NAMED_AFTER.match(text, end, limit) and _NAMED_BEFORE.search(text, first, start):
        return True
    called = _CALLED_AFTER.match(text, end, limit)
    if called is None or not (is_list or called[1] == ","):
        return False
    return _CALLED_BEFORE.search(text, first, start) is not None


def is_of_prose(text: str, at: int, limit: int) -> bool:
    """Whether a bracket is that of a link, a reference, an interval, or a box to tick, as running text has them."""
    if _OF_PROSE.match(text, at, limit):
        return True
    return _CHECKBOX.match(text, at, limit) is not None and _BULLET.search(text, max(0, at - _REACH), at) is not None


def is_citation(text: str, start: int, end: int, limit: int) -> bool:
    """Whether a bracket is that of a reference by number in the middle of a sentence, as in "See [1], where"."""
    if not _NUMBERED.fullmatch(text, start, end) or not _SENTENCE_AFTER.match(text, end, limit):
        return False
    return _SENTENCE_BEFORE.search(text, max(0, start - _REACH), start) is not None


def is_index(text: str, at: int, limit: int) -> bool:
    """Whether a square bracket is that of an index, as in `items["a"]`, and begins no array."""
    if at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_)]"):
        return False
    if text.startswith("{", at + 1) and at + 1 < limit:
        return False
    return _MARKER.search(text, max(0, at - _REACH), at) is None
