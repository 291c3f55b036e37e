"""Where in a model's text its answer may stand, in tiers: the first tier that fits holds the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal, NamedTuple

from magic_tools.loose.bare import LEFT_OUT
from magic_tools.loose.brackets import ANY_QUOTE, Brackets, brackets_in
from magic_tools.loose.readings import Damage, Read, Reading, is_cut, is_prose, is_strict
from magic_tools.loose.repair import read_value
from magic_tools.loose.shapes import Shape
from magic_tools.loose.sources import Bare
from magic_tools.loose.strict import is_plain_json, read_json
from magic_tools.loose.surroundings import goes_on, is_citation, is_index, is_of_prose, is_part
from magic_tools.loose.tokens import ANSWER_TAGS, CHANNEL_END, REASONING, REASONING_END
from magic_tools.loose.whole import begun, escaped_value, whole_text
from magic_tools.loose.work import Work, WorkSpentError
from magic_tools.messages import Repair

__all__ = ["content_bounds", "tiers"]

_BLANK = " \t\r\n\ufeff"
_SIGN = re.compile(
    rf"(?P<fence>`{{3,}}+|~{{3,}}+|(?<![\w'])'{{3}}(?!'))|(?P<reasoning>{REASONING})|(?P<reasoned>{REASONING_END.pattern})|"
    rf"<(?P<end>/?)(?P<tag>{ANSWER_TAGS})(?:\s[^<>]{{0,200}})?>|(?P<opener>[{{\[])",
    re.IGNORECASE,
)
_MOST_REGIONS = 16
_KIND = attrgetter("kind")
_MOVED = frozenset({"missing_closer", "wrong_closer", "extra_closer"})
_COST_OF_A_LOOK, _COST_OF_MENDED = 50, 100
_FIRST_SIGNS = ("```", "~~~", "'''", "<", "◁", "{", "[")
_FENCE_TAG = re.compile(r"[ \t]*+([\w+#.-]*+)")
_JSON_TAGS = frozenset({"json", "jsonc", "json5", "jsonl", "ndjson"})
_MAY_GO_ON = re.compile(r"\s*+[,}\]]")
_NEVER_JSON = re.compile(r"\{\s*+[{\[(:;%|&<>=!@^~*+\-\])]")
_ESCAPED = re.compile(r'[\[{][\[{\s]{0,40}+\\"')
_REGION_ENDS = re.compile(r"\s*+(?:`{3}|~{3}|</|\Z)")
_TOKENS = re.compile(r"(?:\s|;|<\|[^|>\n]{1,40}\|>|</s>|</?(?:pre|code)>)*+")

_Kind = Literal["tagged", "fence", "prose"]


class _Candidate(NamedTuple):
    """A finding, the kind of place where it stands, and how far that place reaches."""

    finding: Read
    kind: _Kind
    start: int
    end: int
    mark: str | None = None


@dataclass(slots=True)
class _Region:
    """A fence or a tag that is open, and how many candidates there were before it."""

    kind: _Kind
    mark: str
    closing: str
    start: int
    body: int
    before: int


def content_bounds(text: str) -> tuple[int, int]:
    """Where a text begins and ends without the blanks and byte order marks around it."""
    return len(text) - len(text.lstrip(_BLANK)), len(text.rstrip(_BLANK))


def tiers(text: str, *, prose: bool, shape: Shape | None = None) -> Iterator[list[Read]]:
    """The candidates of each tier, or why a place that looks like one cannot be read.

    First the whole text, then answer tags and fences tagged as JSON, then other fences, then what is JSON in
    running text, then what can be mended there. Without `prose`, nothing but reasoning may stand around
    the value or the fence that holds it. What stands inside a value, or in reasoning, is never a candidate.
    """
    first, end = content_bounds(text)
    if first >= end:
        yield [Damage("unparseable", first, end, "the text is empty", meant=False)]
        return
    work = Work(len(text))
    try:
        whole = whole_text(text, first, end, work, shape)
        if isinstance(whole, Damage) or (whole is not None and whole.end == end):
            yield [whole]
            if isinstance(whole, Reading) or whole.kind == "ambiguous" or whole.end == end:
                return  # what stands inside one damaged value is no answer
        scan = _Scan(text, first, end, work, shape)
        scan.run()
    except WorkSpentError:
        yield [Damage("unparseable", first, end, "the text is too damaged")]
        return
    if scan.unfinished:
        yield [Damage("truncated", first, end, "the reasoning has no end")]
        return
    if not prose:
        alone = [candidate for candidate in scan.candidates if scan.stands_alone(candidate)]
        yield [scan.noted(candidate) for candidate in alone]
        if not alone:
            yield [Damage("unparseable", first, end, "there is text around the value")]
        return
    if not scan.candidates and whole is None and (damage := begun(text, first, end, shape)) is not None:
        yield [damage]
    for kind in ("tagged", "fence"):
        yield [scan.noted(candidate) for candidate in scan.candidates if candidate.kind == kind]
    yield [scan.noted(each) for each in scan.candidates if is_strict(each.finding) or is_cut(each.finding)]
    yield [scan.noted(candidate) for candidate in scan.candidates]


class _Scan:
    """One pass over a text: whatever may be an answer, in order, each read once."""

    def __init__(self, text: str, first: int, end: int, work: Work, shape: Shape | None) -> None:
        self.text = text
        self.first = first
        self.end = end
        self.work = work
        self.shape = shape
        self.candidates: list[_Candidate] = []
        self.regions: list[_Region] = []
        self.reasoning: list[tuple[int, int]] = []
        self.unfinished = False
        self.places = dict.fromkeys(_FIRST_SIGNS, first - 1)
        self.brackets: Brackets | None = None

    def run(self) -> None:
        at = self.first
        while (at := self._next(at)) < self.end:
            sign = _SIGN.match(self.text, at, self.end)
            if sign is None:
                at += 1
            elif sign["fence"]:
                at = self._fence(sign)
            elif sign["reasoning"]:
                at = self._reasoning(sign)
            elif sign["reasoned"]:
                at = self._reasoned(sign.end())
            elif sign["tag"]:
                at = self._tag(sign)
            else:
                at = self._opener(sign.start())
        for region in reversed(self.regions):
            self._leave(region, self.end, self.end)

    def _next(self, at: int) -> int:
        """The next place where a sign may begin; each kind is looked for once in each stretch of text."""
        for mark, place in self.places.items():
            if place < at:
                found = self.text.find(mark, at, self.end)
                self.places[mark] = found if found >= 0 else self.end
        return min(self.places.values())

    def _opener(self, at: int) -> int:
        text = self.text
        adjacent = bool(self.candidates) and self.candidates[-1].finding.end == at
        if text[at] == "[" and at > self.first and not adjacent and is_index(text, at, self.end):
            return at + 1
        if _NEVER_JSON.match(text, at, self.end) or is_of_prose(text, at, self.end):
            return at + 1
        try:
            found: Read = self._escaped(at) or read_value(text, at, self.end, self.work, self.shape)
        except Damage as damage:
            if not damage.meant:
                self.work.spend(_COST_OF_A_LOOK)
                return self._past_prose(at)
            found = damage
        self.work.spend(_COST_OF_A_LOOK if is_strict(found) else _COST_OF_MENDED)
        if isinstance(found, Reading) and not self.regions and is_prose(found) and not self._is_cut_answer(at, found):
            return at + 1
        if isinstance(found, Reading) and not self.regions and is_citation(text, at, found.end, self.end):
            return found.end
        if isinstance(found, Reading) and self._is_torn(at, found):
            found = Damage("unparseable", found.end, found.end, "a value that is only a part of another")
        kind = self.regions[-1].kind if self.regions else "prose"
        self.candidates.append(_Candidate(found, kind, at, found.end))
        if isinstance(found, Reading):
            return max(found.end, at + 1)
        if found.why == LEFT_OUT and at in self._known_brackets().closed_at:
            return self._known_brackets().closed_at[at] + 1  # an example of the form
        closing = self.regions[-1].closing if self.regions else ""
        after_it = text.find(closing, found.offset, self.end) if closing else -1
        return after_it if after_it > at else self.end  # what seems to follow may stand in a string of it

    def _escaped(self, at: int) -> Read | None:
        """What a bracket holds whose quotation marks are escaped."""
        if not _ESCAPED.match(self.text, at, self.end):
            return None
        closer = self._known_brackets().closed_at.get(at)
        return None if closer is None else escaped_value(self.text, at, closer + 1, self.work, self.shape)

    def _is_cut_answer(self, at: int, found: Reading) -> bool:
        """Whether the answer begins with this value, and stops inside it."""
        return is_cut(found) and not self.text[self.reasoning[-1][1] if self.reasoning else self.first : at].strip()

    @property
    def _wants_items(self) -> bool:
        return self.shape is not None and self.shape.names is None and self.shape.item() is not None

    def _known_brackets(self) -> Brackets:
        self.brackets = self.brackets or brackets_in(self.text, self.first, self.end)
        return self.brackets

    def _past_prose(self, at: int) -> int:
        """Where to go on behind a bracket that is no JSON: what stands in it beside quotation marks is no answer."""
        closer = self._known_brackets().closed_at.get(at)
        if at == self.first and closer in (None, self.end - 1):
            return self.end  # the whole text is this one bracket
        if closer is not None and ANY_QUOTE.search(self.text, at, closer):
            return closer + 1
        return at + 1

    def _is_torn(self, start: int, found: Reading) -> bool:
        """Whether a value is a part of something else, or more of it stands behind what was read."""
        if is_cut(found) or self._fills_its_region(start, found.end):
            return False
        moved = not _MOVED.isdisjoint(map(_KIND, found.repairs))
        stray = _MAY_GO_ON.match(self.text, found.end, self.end)
        is_item = stray is not None and self._wants_items and isinstance(found.value, dict)
        if is_item and self._known_brackets().stray_after(found.end) == self.end - 1:
            return False  # what is missing is the opening bracket of an array of such objects
        if goes_on(self.text, start, found.end, self.end, moved=moved):
            return True
        if is_part(self.text, start, found.end, self.end, is_list=isinstance(found.value, list)):
            return True
        if stray is None:
            return False
        if found.strict is not None and stray[0][-1] != "," and not is_plain_json(found.strict):
            return True  # a key that stands twice, and a bracket too many
        return stray[0][-1] == "," and self._known_brackets().stray_after(found.end) is not None

    def _fills_its_region(self, start: int, end: int) -> bool:
        """Whether nothing stands around a value in the fence or tag that it is in."""
        region = self.regions[-1] if self.regions else None
        if region is None or self.text[region.body : start].strip(_BLANK):
            return False
        return _REGION_ENDS.match(self.text, end, self.end) is not None

    def _fence(self, sign: re.Match[str]) -> int:
        marker = sign["fence"]
        region = next((region for region in self.regions if region.mark == "fence"), None)
        if region is not None:
            if not marker.startswith(region.closing):
                return sign.end()
            self._close(region, sign.start(), sign.end())
            return sign.end()
        tag = _FENCE_TAG.match(self.text, sign.end(), self.end)
        name = tag[1].lower() if tag else ""
        body = (
            tag.end() if tag and (name in _JSON_TAGS or self.text[tag.end() : tag.end() + 1].isspace()) else sign.end()
        )
        kind: _Kind = "tagged" if name in _JSON_TAGS else "fence"
        if marker[0] == "'" and not (name in _JSON_TAGS or self.text[body : body + 1] in ("\n", "\r", "{", "[")):
            return sign.end()
        if self.regions:
            kind = self.regions[-1].kind
        self.regions.append(_Region(kind, "fence", marker, sign.start(), body, len(self.candidates)))
        return body

    def _tag(self, sign: re.Match[str]) -> int:
        closing = f"</{sign['tag']}>"
        if not sign["end"] and len(self.regions) < _MOST_REGIONS:
            self.regions.append(_Region("tagged", "tag", closing, sign.start(), sign.end(), len(self.candidates)))
            return sign.end()
        region = next((each for each in reversed(self.regions) if each.closing.lower() == closing.lower()), None)
        if region is not None:
            self._close(region, sign.start(), sign.end())
        return sign.end()

    def _close(self, region: _Region, stop: int, end: int) -> None:
        while self.regions:
            inner = self.regions.pop()
            self._leave(inner, stop, end)
            if inner is region:
                return

    def _leave(self, region: _Region, stop: int, end: int) -> None:
        """Widen the candidates of a region to the whole of it; where it has none, it may hold a scalar."""
        inside = self.candidates[region.before :]
        if not inside and (scalar := self._scalar(region.body, stop)) is not None:
            inside = [_Candidate(scalar, region.kind, scalar.start, scalar.end)]
        self.candidates[region.before :] = [
            each._replace(start=region.start, end=max(end, each.end), mark=each.mark or region.mark) for each in inside
        ]

    def _scalar(self, start: int, stop: int) -> Reading | None:
        first, last = content_bounds(self.text[start:stop])
        words = self.text[start + first : start + last]
        if not words or words[0] in "{[":
            return None
        try:
            value = read_json(words)
        except ValueError:
            value, strict = Bare(words), None
        else:
            strict = words
        return Reading(value, start + first, start + last, strict=strict)

    def _reasoning(self, sign: re.Match[str]) -> int:
        """Leave out a block of reasoning."""
        ends = CHANNEL_END if sign[0].startswith("<|") else REASONING_END
        closing = ends.search(self.text, sign.end(), self.end)
        if closing is None:
            self.unfinished = True
            return self.end
        self.reasoning.append((sign.start(), closing.end()))
        return closing.end()

    def _reasoned(self, at: int) -> int:
        """Leave out all before the end of reasoning that has no beginning."""
        self.candidates.clear()
        self.regions.clear()
        self.reasoning = [(self.first, at)]
        return at

    def stands_alone(self, candidate: _Candidate) -> bool:
        """Whether nothing but reasoning and the marks of a chat stands around a candidate."""
        before, at = "", self.first
        for start, end in self.reasoning:
            if end <= candidate.start:
                before += self.text[at:start]
                at = end
        before += self.text[at : candidate.start]
        after = _TOKENS.match(self.text, candidate.end, self.end)
        return not before.strip(_BLANK) and after is not None and after.end() >= self.end and len(self.candidates) == 1

    def noted(self, candidate: _Candidate) -> Read:
        """The finding, with what was left out around it listed as repairs."""
        finding = candidate.finding
        if isinstance(finding, Damage):
            return finding
        before, after = [], []
        if self.first < candidate.start:
            before.append(Repair("prose", self.first, candidate.start, "left out the text before the value"))
        if candidate.mark is not None:
            words = {"fence": "took what stands inside a code fence", "tag": "took what stands inside a tag"}
            before.append(Repair(candidate.mark, candidate.start, candidate.end, words[candidate.mark]))
        if candidate.end < self.end:
            after.append(Repair("prose", candidate.end, self.end, "left out the text after the value"))
        return finding._replace(repairs=(*before, *finding.repairs, *after))
