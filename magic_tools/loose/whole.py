"""A text read as one value from its beginning on, which may end before the text does."""

from __future__ import annotations

import json
import re

from magic_tools.loose.readings import Damage, Read
from magic_tools.loose.repair import read_members, read_value
from magic_tools.loose.shapes import Shape
from magic_tools.loose.tokens import QUOTED_KEY, QUOTES, TRIPLE, UNTIL
from magic_tools.loose.work import Work, WorkSpentError
from magic_tools.messages import Repair

__all__ = ["begun", "escaped_value", "whole_text"]

_ESCAPED = re.compile(r'(?:[\[{\s]|\\[nrt])*+\\"')
_UNESCAPED_QUOTE = re.compile(r'(?<!\\)"')
_HALF_KEY = re.compile(r"[^\W\d][\w$.\-]{0,63}[\"']\s*+:")
_SPAN = re.compile(r"(?:``?|[“„「『«])\s*+(?:json\s++)?[{\[]", re.IGNORECASE)
_JUNK = re.compile(r"(?:\s|;|`{2,}|~{2,}|<\|[^|>\n]{1,40}\|>|</[\w-]{1,40}>|[}\])])*+")


def whole_text(text: str, first: int, end: int, work: Work, shape: Shape | None) -> Read | None:
    """The text read as one value, where it begins like one; the value may end before the text does."""
    if (escaped := escaped_value(text, first, end, work, shape)) is not None:
        return escaped
    if _SPAN.match(text, first, end):
        return None
    starts = text[first] in "{[(" or text[first] in QUOTES or _HALF_KEY.match(text, first, end)
    if not starts or TRIPLE.match(text, first) or text.startswith("```", first):
        return None
    try:
        if QUOTED_KEY.match(text, first, end) or _HALF_KEY.match(text, first, end):
            reading = read_members(text, first, end, work, shape)
            junk = _JUNK.match(text, reading.end, end)
            if junk and junk.end() == end and not reading.missing:
                return reading._replace(end=end)
            return Damage("unparseable", first, end, "members without the brackets around them")
        reading = read_value(text, first, end, work, shape)
    except Damage as damage:
        return damage if damage.meant else None
    # Of a text that begins with a quotation mark, others show that it is prose and no string that was cut.
    is_prose = reading.cut and text[first] in QUOTES and UNTIL[text[first]].match(text, first + 1, end)
    return None if is_prose else reading


def escaped_value(text: str, first: int, end: int, work: Work, shape: Shape | None) -> Read | None:
    """What is meant by JSON that was escaped as if it stood in a string; None where it is not, or none."""
    if not _ESCAPED.match(text, first, end) or _UNESCAPED_QUOTE.search(text, first, end):
        return None
    try:
        inner = json.loads(f'"{text[first:end]}"', strict=False)
    except ValueError:
        return None
    try:
        reading = read_value(inner, 0, len(inner), work, shape)
    except Damage as damage:
        return Damage(damage.kind, first, end, damage.why, meant=damage.meant)
    if reading.end != len(inner):
        return None
    note = Repair("escaped", first, end, "read JSON that was escaped as if it stood in a string")
    placed = tuple(repair._replace(start=None, end=None) for repair in reading.repairs)
    return reading._replace(start=first, end=end, repairs=(note, *placed), strict=None)


def begun(text: str, first: int, end: int, shape: Shape | None) -> Damage | None:
    """Why a text that begins like JSON is none, although nothing else shows that it was meant as such."""
    if text[first] not in "{[":
        return None
    try:
        read_value(text, first, end, Work(len(text)), shape)
    except (Damage, WorkSpentError) as damage:
        return damage if isinstance(damage, Damage) else None
    return None
