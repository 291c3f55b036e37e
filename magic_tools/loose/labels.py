"""Objects written as lines of `key: value`, read where the keys are the fields of the type."""

from __future__ import annotations

import re
from typing import Any

from magic_tools.loose.bare import Unreadable, bare_value
from magic_tools.loose.mending import folded
from magic_tools.loose.readings import Damage, Reading
from magic_tools.loose.repair import read_value
from magic_tools.loose.scan import content_bounds
from magic_tools.loose.shapes import Shape
from magic_tools.loose.sources import Bare
from magic_tools.loose.strict import same
from magic_tools.loose.tokens import ENDS_OF, QUOTES
from magic_tools.loose.work import Work, WorkSpentError
from magic_tools.messages import Repair

__all__ = ["read_labels"]

_LABEL = re.compile(
    r"[ \t]*+(?:[-*+•>][ \t]++|\d{1,3}[.)])?[ \t]*+(?P<mark>[*_`\"']{0,3})(?P<key>[^\W\d][\w .\-\\]{0,63}?)"
    r"(?:(?P=mark)[ \t]*+[:：=]|[:：](?P=mark))[ \t]*+(?P<value>[^\n]*+)"
)
_NEXT_KEY = re.compile(r"[,;&]\s*[*_`\"']*([^\W\d][\w.\-]{0,63})[*_`\"']*\s*[:：=]")


def read_labels(text: str, shape: Shape) -> Reading | None:
    """The object of lines that name fields; None where a line does not, so that nothing is left out.

    Running text may stand before the first line, if it ends with a colon, and after the last, behind an empty line.
    """
    names = {folded(name): name for name in shape.names or ()}
    start, end = content_bounds(text)
    members: dict[str, Any] = {}
    first: int | None = None
    at, blank = start, False
    for line in text[start:end].split("\n"):
        found = _LABEL.fullmatch(line.rstrip("\r"))
        name = names.get(folded(found["key"])) if found else None
        if found is not None and name is not None:
            words = found["value"].strip()
            if any(folded(other[1]) in names for other in _NEXT_KEY.finditer(words)):
                return None  # more than one of them on a line
            try:
                value = _value(words)
            except Unreadable:
                return None
            if name in members and not same(members[name], value):
                raise Damage("ambiguous", at, end, name, place=(name,))
            members[name], first = value, at if first is None else first
        elif line.strip() and first is None:
            if not line.rstrip().endswith((":", "：")):
                return None
        elif line.strip() and blank:
            break
        elif line.strip():
            return None
        blank = not line.strip()
        at += len(line) + 1
    if first is None:
        return None
    note = Repair("labels", first, min(at, end), "read lines of keys and values as an object")
    return Reading(members, first, min(at, end), (note,))


def _value(words: str) -> Any:
    if not words:
        raise Unreadable("no value")
    words = words.rstrip(",;") if words[:1] in QUOTES or words[:1] in ("{", "[") else words.removesuffix(",")
    if words[:1] in ("{", "[") or (words[:1] in QUOTES and words[-1:] in ENDS_OF[words[0]]):
        try:
            reading = read_value(words, 0, len(words), Work(len(words)))
        except (Damage, WorkSpentError):
            return Bare(words)
        return reading.value if reading.end == len(words) and not reading.cut else Bare(words)
    return bare_value(words, typed=True)[0]
