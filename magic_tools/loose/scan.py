"""Where in a model's text its answer may stand, in tiers: the first tier that fits holds the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from magic_tools.loose.marks import Mark, is_meant_as_json
from magic_tools.loose.repair import CLOSED_BY, Damage, Span, read_span
from magic_tools.messages import Repair

__all__ = ["Finding", "content_bounds", "tiers"]

_BLANK = " \t\r\n\ufeff"
_OPENER = re.compile(r"[{\[]")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_FENCE = Mark(r"(?P<marker>`{3,}+|~{3,}+)[ \t]*+(?P<tag>[\w+-]*+)\s*+")
_REASONING = Mark(r"<(?P<closing>/?)(?:think|thinking|reasoning)>")
_REASONING_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_JSON_TAGS = frozenset({"json", "jsonc", "json5"})

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
    if first >= end or (text[end - 1] == CLOSED_BY.get(text[first]) and whole):
        return  # nothing, or one damaged value: what stands inside it is no answer
    parts = _without_reasoning(text, first, end)
    if parts is None:
        yield [Damage("truncated", first, end, "the reasoning has no end")]
        return
    fences = [fence for start, stop in parts for fence in _fences(text, start, stop)]
    if not prose:
        fences = [fence for fence in fences if [(fence.start, fence.end)] == parts]
    for tagged in (True, False):
        yield [
            _noted(finding, text, fence)
            for fence in fences
            if (fence.tag.lower() in _JSON_TAGS) is tagged
            for finding in fence.findings
        ]
    if prose:
        yield [_noted(finding, text) for start, stop in parts for finding in _spans(text, start, stop)]
    else:
        yield [Damage("unparseable", first, end, "there is text around the value")]


def _without_reasoning(text: str, start: int, end: int) -> list[tuple[int, int]] | None:
    """The parts of a text that are no reasoning, blanks around them left out; None if reasoning has no end.

    Before an end of reasoning that has no beginning, all is reasoning.
    """
    parts: list[tuple[int, int]] = []
    at = start
    while tag := _REASONING.search(text, at, end):
        if tag["closing"]:
            parts.clear()
            at = tag.end()
            continue
        closing = _REASONING_END.search(text, tag.end(), end)
        if closing is None:
            return None
        parts.append((at, tag.start()))
        at = closing.end()
    parts.append((at, end))
    bounds = ((at, content_bounds(text[at:stop])) for at, stop in parts)
    return [(at + first, at + last) for at, (first, last) in bounds if first < last]


def _whole(text: str, start: int, end: int) -> Iterator[Finding]:
    if _OPENER.match(text, start, end):
        finding = _read(text, start, end)
        if isinstance(finding, Damage) or finding.end == end:
            yield finding
    elif text.startswith('"', start, end) and not _STRING.match(text, start, end):
        yield Damage("truncated", end, end, "a string has no end")
    else:
        yield Damage("unparseable", start, end, "there is no JSON in it" if start < end else "the text is empty")


def _fences(text: str, start: int, end: int) -> Iterator[_Fence]:
    at = start
    while opening := _FENCE.search(text, at, end):
        marker, body = opening["marker"], opening.end()
        marks = _FENCE.finditer(text, body, end)
        closing = next((mark for mark in marks if mark["marker"].startswith(marker)), None)
        close, at = (end, end) if closing is None else (closing.start(), closing.end("marker"))
        findings = tuple(_spans(text, body, close)) or tuple(_scalar(text, body, close))
        yield _Fence(opening.start(), at, opening["tag"], findings)


def _spans(text: str, start: int, end: int) -> Iterator[Finding]:
    """The objects and arrays of a stretch of text, in order.

    Damaged JSON is the last of them, since what seems to follow may stand in a string of it.
    """
    at = start
    while opener := _OPENER.search(text, at, end):
        finding = _read(text, opener.start(), end)
        yield finding
        at = finding.end
        if isinstance(finding, Damage) and is_meant_as_json(text, opener.start(), at):
            return


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
