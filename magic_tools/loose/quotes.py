"""Where a string ends whose text may hold quotation marks that nobody escaped."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from magic_tools.loose.tokens import (
    CLEAN_VALUE,
    COMMAS,
    ENDS_OF,
    EXPRESSION,
    HALF_ITEM,
    KEY_BEFORE_QUOTE,
    LIKE_A_KEY,
    QUOTED_KEY,
    QUOTES,
    STANDS_ALONE,
    UNTIL,
)
from magic_tools.loose.work import Work

__all__ = ["Ended", "end_of_string"]

_MOST_REFUSED = 8
_BEFORE = frozenset(" \t\r\n([{<=,:;>“‘-—/|*_")
_AFTER = frozenset(" \t\r\n)]}>.,;:!?”’")
_KEY_INSIDE = re.compile(
    rf"[,{{]\s*+(?:[{QUOTES}][^{QUOTES}\n]{{1,64}}[{QUOTES}]\s*+[:：]|[\w$.-]{{1,64}}+\s*+[:：]\s*+[{QUOTES}])"
)


@dataclass(frozen=True, slots=True)
class Ended:
    """A string whose text stops at `stop`, and where what follows it begins.

    `how`: `inner` if it holds quotation marks of its own kind, `other` if it ends with one of another
    kind than it began with, `missing` if it has none at its end; `cut` and `unclear` are none that can be read.
    """

    stop: int
    after: int
    how: Literal["plain", "inner", "other", "missing", "cut", "unclear"] = "plain"


def end_of_string(
    text: str,
    start: int,
    limit: int,
    *,
    follows: Callable[[int], bool],
    declares: Callable[[str], bool] | None,
    work: Work,
) -> Ended:
    """Where the string that opens at `start` ends.

    A quotation mark ends it if what follows is structure (`follows`), and if no quotation inside the
    text is still open. Where text of the form `, "key": value` would be swallowed, and `declares` takes
    the key for one, the mark before it was left out.
    """
    opener, body = text[start], start + 1
    search = UNTIL[opener]
    first, refused, quoting = None, 0, False
    inner: list[int] = []
    doubtful = (EXPRESSION, LIKE_A_KEY, STANDS_ALONE) if declares else (EXPRESSION, HALF_ITEM)
    at = body
    while found := search.match(text, at, limit):
        mark, at = found.end() - 1, found.end()
        work.spend(at - found.start())
        if follows(at):
            if not quoting:
                return Ended(mark, at, _how(text, body, mark, inner))
            first, quoting = (mark if first is None else first), False
            refused += 1
            if refused == _MOST_REFUSED:
                break
        elif (lost := _lost_end(text, body, mark, declares, work)) is not None:
            if first is None or lost.stop != first + 1:
                return Ended(mark, at, "unclear") if inner and _closes(text, body, inner[0]) else lost
            if _KEY_INSIDE.search(text, body, first):
                return Ended(first, first + 1, "unclear")
            return Ended(first, first + 1, _how(text, body, first, inner[: inner.index(first)]))
        elif (not quoting and any(pattern.match(text, at, limit) for pattern in doubtful)) or (
            declares and body < mark and text[mark - 1] not in _BEFORE and KEY_BEFORE_QUOTE.match(text, at, limit)
        ):
            return Ended(mark, at, "unclear")
        else:
            quoting = not quoting and _opens_quotation(text, mark, body, limit)
        inner.append(mark)
    if first is not None:
        return Ended(first, first + 1, "unclear")
    ended = _otherwise_ended(text, start, limit, follows, work)
    return ended if ended.how != "cut" or not inner or text[limit - 1] not in "}]" else Ended(limit, limit, "unclear")


def _how(text: str, body: int, stop: int, inner: list[int]) -> Literal["plain", "inner", "unclear"]:
    """How a text ends that has these marks inside.

    One mark alone, right at its beginning or end, may be there twice by mistake, if it is not one of inches.
    """
    if not inner:
        return "plain"
    apostrophe = text[body - 1] == "'" and text[stop - 2].isalpha()
    at_end = inner[0] == stop - 1 and not text[stop - 2].isdigit() and not apostrophe
    is_doubled = len(inner) == 1 and (inner[0] == body or at_end)
    return "unclear" if is_doubled or _closes(text, body, inner[0]) else "inner"


def _closes(text: str, body: int, mark: int) -> bool:
    """Whether the first mark inside a text is one that closes, which then opens nothing: it stands behind a word."""
    before = text[max(body, mark - 2) : mark]
    if text[body - 1] != '"' or not before or not before[-1].isascii() or not before[-1].isalpha():
        return False
    is_prefix = before[-1] in "fFrRbBuU" and not before[0].isalnum()  # as in print(f"...")
    return not is_prefix and not text[mark + 1 : mark + 2].isalnum()


def _opens_quotation(text: str, mark: int, body: int, limit: int) -> bool:
    """Whether a mark inside a text looks like the first of two; that of inches or an apostrophe does not."""
    before_it = mark == body or text[mark - 1] in _BEFORE
    return before_it and mark + 1 < limit and text[mark + 1] not in _AFTER


def _lost_end(text: str, body: int, mark: int, declares: Callable[[str], bool] | None, work: Work) -> Ended | None:
    """Where the text ended whose own mark was left out, if the mark begins the next key."""
    if declares is None:
        return None
    key = QUOTED_KEY.match(text, mark)
    if key is None or not declares(key[1][1:-1]):
        return None
    before = text[body:mark].rstrip()
    work.spend(len(before))
    opened = before.endswith(("{", "["))
    content = before.rstrip("{[ \t\r\n")[:-1].rstrip() if opened else before[:-1].rstrip()
    if before.rstrip("{[ \t\r\n")[-1:] not in COMMAS or not content:
        return None
    if any(content.count(opening) > content.count(closing) for opening, closing in ("{}", "[]")):
        return None  # JSON inside of the text
    stop, after = body + len(content), body + len(before) - 1
    closes = any(content.count(opening) < content.count(closing) for opening, closing in ("{}", "[]"))
    if opened or closes or not CLEAN_VALUE.match(text, key.end()) or _KEY_INSIDE.search(text, body, stop):
        return Ended(stop, after, "unclear")
    if content.endswith('\\"'):  # as in "C:\": its mark is there, and the backslash is text
        return Ended(stop - 1, after, "missing") if content.count('"') == 1 else Ended(stop, after, "unclear")
    is_other = content[-1] in QUOTES and content.count(content[-1]) % 2  # it ends with a mark of another kind
    return Ended(stop - 1 if is_other else stop, after, "missing")


def _otherwise_ended(text: str, start: int, limit: int, follows: Callable[[int], bool], work: Work) -> Ended:
    """How a string ends that its own kind of mark never ends: with another kind, or not at all."""
    others = {'"': "”", "'": "’", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'"}.get(text[start], "")
    at = start + 1
    while others and (found := UNTIL[others].match(text, at, limit)):
        mark, at = found.end() - 1, found.end()
        work.spend(at - found.start())
        if text[mark] not in ENDS_OF[text[start]] and follows(at):
            opened = text.count("“", start + 1, mark) > text.count("”", start + 1, mark)
            return Ended(mark, at, "unclear" if opened else "other")
    return Ended(limit, limit, "cut")
