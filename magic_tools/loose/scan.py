"""Where in a model's text its answer may stand, in tiers: the first tier that fits holds the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from magic_tools.loose.repair import Damage, Span, read_span
from magic_tools.messages import Repair

__all__ = ["Finding", "content_bounds", "tiers"]

_BLANK = " \t\r\n\ufeff"
_CLOSED_BY = {"{": "}", "[": "]"}
_OPENER = re.compile(r"[{\[]")
_FENCE = re.compile(r"(`{3,}+|~{3,}+)[ \t]*+([\w+-]*+)\s*+")
_REASONING = re.compile(r"<(/?)(?:think|thinking|reasoning)>")
_JSON_TAGS = frozenset({"json", "jsonc", "json5"})
_LOOKS_PER_CHARACTER = 16

Finding = Span | Damage


@dataclass(frozen=True, slots=True)
class _Fence:
    """A code fence: the whole of it, its tag, and what stands inside."""

    start: int
    end: int
    tag: str
    findings: tuple[Finding, ...]


def content_bounds(text: str) -> tuple[int, int]:
    """Where a text begins and ends without the blanks and byte order marks around it."""
    return len(text) - len(text.lstrip(_BLANK)), len(text.rstrip(_BLANK))


def tiers(text: str, *, prose: bool) -> Iterator[list[Finding]]:
    """The candidates of each tier, or why a place that looks like one cannot be read.

    First the whole text, then fences tagged as JSON, then other fences, then the objects and arrays
    in running text. Without `prose`, a fence must hold the whole text and running text has no
    candidates. What stands inside an object or array, or in a block of reasoning, is never a candidate.
    """
    first, end = content_bounds(text)
    whole = list(_whole(text, first, end))
    yield whole
    if first >= end or (text[end - 1] == _CLOSED_BY.get(text[first]) and whole):
        return  # nothing, or one damaged value: what stands inside it is no answer
    start = _after_reasoning(text, first, end)
    if start is None:
        yield [Damage("truncated", first, end, "the reasoning has no end")]
        return
    fences = _fences(text, start, end)
    if not prose:
        fences = [fence for fence in fences if (fence.start, fence.end) == (start, end)]
    for tagged in (True, False):
        yield [
            _noted(finding, text, fence)
            for fence in fences
            if (fence.tag.lower() in _JSON_TAGS) is tagged
            for finding in fence.findings
        ]
    if prose:
        yield [_noted(finding, text) for finding in _spans(text, start, end)]


def _after_reasoning(text: str, start: int, end: int) -> int | None:
    """Where the answer may begin: after the last block of reasoning; None if one is not closed."""
    if text.startswith(tuple(_CLOSED_BY), start, end):
        return start
    after = start
    for tag in _REASONING.finditer(text, start, end):
        if tag[1]:
            after = tag.end()
    return None if _REASONING.match(text[after:end].lstrip(_BLANK)) else after


def _whole(text: str, start: int, end: int) -> Iterator[Finding]:
    if _OPENER.match(text, start, end):
        finding = _read(text, start, end)
        if isinstance(finding, Damage) or finding.end == end:
            yield finding
    else:
        yield Damage("unparseable", start, end, "there is no JSON in it" if start < end else "the text is empty")


def _fences(text: str, start: int, end: int) -> list[_Fence]:
    fences = []
    at = start
    while opening := _FENCE.search(text, at, end):
        marker, tag = opening[1], opening[2]
        body = opening.end()
        first = _read(text, body, end) if _OPENER.match(text, body, end) else None
        closer = text.find(marker, first.end if isinstance(first, Span) else body, end)
        close = end if closer < 0 else closer
        at = end if closer < 0 else closer + len(marker)
        findings = tuple(_spans(text, body, close)) or tuple(_scalar(text, body, close))
        fences.append(_Fence(opening.start(), at, tag, findings))
    return fences


def _spans(text: str, start: int, end: int) -> Iterator[Finding]:
    """The objects and arrays of a stretch of text, in order, looking at each character a bounded number of times."""
    looks = _LOOKS_PER_CHARACTER * (end - start)
    at = start
    while looks >= 0 and (opener := _OPENER.search(text, at, end)):
        finding = _read(text, opener.start(), end)
        yield finding
        looks -= finding.end - opener.start()
        at = finding.end
    if looks < 0:
        yield Damage("unparseable", at, end, "too damaged to be read")


def _scalar(text: str, start: int, end: int) -> Iterator[Finding]:
    body = text[start:end].rstrip(_BLANK)
    try:
        json.loads(body)
    except ValueError:
        return
    yield Span(body, start, start + len(body), ())


def _read(text: str, start: int, end: int) -> Finding:
    try:
        return read_span(text, start, end)
    except Damage as damage:
        return damage


def _noted(finding: Finding, text: str, fence: _Fence | None = None) -> Finding:
    """The finding, with what was left out around it listed as repairs."""
    if isinstance(finding, Damage):
        return finding
    notes = []
    start, end = finding.start, finding.end
    if fence is not None:
        start, end = fence.start, fence.end
        notes.append(Repair("fence", start, end, "took what stands inside a code fence"))
    first, last = content_bounds(text)
    if first < start:
        notes.append(Repair("prose", first, start, "left out the text before the value"))
    if end < last:
        notes.append(Repair("prose", end, last, "left out the text after the value"))
    listed = sorted((*notes, *finding.repairs), key=lambda repair: (repair.start or 0, -(repair.end or 0)))
    return replace(finding, repairs=tuple(listed))
