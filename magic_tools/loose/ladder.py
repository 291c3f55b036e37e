"""The ladder from a model's text to a typed value: strict first, then listed repairs, then a clear refusal."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Any, Generic, TypeVar

from jiter import from_json

from magic_tools.chat import FinishReason
from magic_tools.errors import ParseError, ParseErrorKind
from magic_tools.loose.bare import Unreadable, bare_value
from magic_tools.loose.issues import Finding, shown, told
from magic_tools.loose.labels import read_labels
from magic_tools.loose.openness import has_all_fields, takes_text
from magic_tools.loose.phrases import say
from magic_tools.loose.readers import Misfit, Reader
from magic_tools.loose.readings import Damage, Read, Reading
from magic_tools.loose.refusals import Refusal, RefusedError, cut_short, partial_of, refusal_of, refuse
from magic_tools.loose.scan import content_bounds, tiers
from magic_tools.loose.sources import Bare
from magic_tools.loose.strict import identity
from magic_tools.loose.taker import Parsed, Taker
from magic_tools.messages import Language, Repair
from magic_tools.schema.walk import types_of

__all__ = ["Ladder"]

T = TypeVar("T")

_DIGITS = tuple("0123456789")
_TIERS_OF_PROSE = 4

_BY_ITSELF = ("stop", "tool_calls")
"""The finish reasons of a model that had said all it meant to say."""

_TELLING: tuple[ParseErrorKind, ...] = ("ambiguous", "truncated", "invalid", "unparseable")


class Ladder(Generic[T]):
    """The way from text to the values of one reader.

    With `closed` nothing is picked out of prose, and brackets are closed only where it is known that the
    text was not cut: the rules for tool arguments.
    """

    def __init__(self, reader: Reader[T], *, closed: bool) -> None:
        self._reader = reader
        self._taker = Taker(reader)
        self._closed = closed

    def parse(self, text: str, finish: FinishReason | None, language: Language) -> Parsed[T]:
        """The value that a text holds; ParseError with the issues in a language."""
        if self._taker.unguarded and finish != "length":
            try:  # most texts need no more than this
                from_json(text.encode(), catch_duplicate_keys=True, cache_mode="keys")
                return Parsed(self._reader.read(text), ())
            except (ValueError, Misfit):
                pass
        try:
            return self._climb(text, finish)
        except RefusedError as error:
            refusal = error.refusal
            kind = refusal.kind
            if kind == "truncated" and finish in _BY_ITSELF:
                kind = "unparseable"
            raise ParseError(kind, told(refusal.findings, language), text, refusal.partial) from None

    def _climb(self, text: str, finish: FinishReason | None) -> Parsed[T]:
        if self._taker.is_untyped and finish != "length":
            try:
                return Parsed(from_json(text.encode(), catch_duplicate_keys=True, cache_mode="keys"), ())
            except ValueError:
                pass
        start, end = content_bounds(text)
        inner = text[start:end]
        open_ended = finish == "length" and inner.endswith(_DIGITS)  # a number does not show where it ends
        if not open_ended and (strict := self._taker.strictly(inner)) is not None:
            return strict
        if finish == "length":
            refuse("truncated", *cut_short(text), partial=self._partial(text))
        return self._search(text, finish)

    # Text that is no JSON as it stands.

    def _search(self, text: str, finish: FinishReason | None) -> Parsed[T]:
        """The one value among the candidates of the first tier that has one that fits."""
        if takes_text(self._taker.root) and not self._closed:
            return self._as_text(text)
        if self._takes_nothing and not text.strip():
            note = Repair("empty_as_object", None, None, "took an empty text for an object without keys")
            return self._taker.mended({}, None, (note,))
        refusals: list[Refusal] = []
        levels = tiers(text, prose=not self._closed, shape=self._taker.shape)
        for tier in _for_lists(levels) if self._is_list else levels:
            parsed = self._among(tier, finish, text, refusals)
            if parsed is not None:
                return parsed
        if not any(refusal.kind in ("truncated", "ambiguous") for refusal in refusals):
            lines = self._labelled(text) or self._whole_text(text)
            if lines is not None:
                return lines
        nothing = refusal_of(Damage("unparseable", 0, 0, "there is no JSON in it"), text)
        raise RefusedError(min(refusals, key=lambda refusal: _TELLING.index(refusal.kind), default=nothing))

    @cached_property
    def _is_object(self) -> bool:
        return types_of(self._taker.root) == ("object",)

    @cached_property
    def _hides(self) -> bool:
        return self._reader.guide.secrets.cover((), misplaced=True)

    @cached_property
    def _takes_nothing(self) -> bool:
        return (
            types_of(self._taker.root) == ("object",)
            and not self._taker.root.get("properties")
            and not self._closed
            and (not isinstance(self._taker.root.get("additionalProperties"), dict))
        )

    @cached_property
    def _is_list(self) -> bool:
        return types_of(self._taker.root) == ("array",) and isinstance(self._taker.root.get("items"), dict)

    def _among(
        self, tier: list[Read], finish: FinishReason | None, text: str, refusals: list[Refusal]
    ) -> Parsed[T] | None:
        fits: list[tuple[Any, Parsed[T]]] = []
        if self._is_list and len(tier) > 1 and all(_is_item(found) for found in tier):
            return self._gathered(tier, finish, text, refusals)
        seen: set[str] = set()
        for found in tier:
            if isinstance(found, Reading) and found.strict is not None:
                if found.strict in seen:
                    continue
                seen.add(found.strict)
            if isinstance(found, Damage):
                refusals.append(refusal_of(found, text))
            elif self._closed and (half := _half_quoted(found, text)) is not None:
                refusals.append(refusal_of(half, text))
            elif not self._is_whole(found, finish):
                raise RefusedError(Refusal("truncated", (Finding(*cut_short(text)),), partial_of(found)))
            elif isinstance(found.value, list) and self._is_object:
                if not refusals or refusals[-1].partial is None:
                    finding = Finding((), say("an object"), shown(found.value, secret=self._hides))
                    refusals.append(Refusal("invalid", (finding,), partial_of(found)))
            else:
                try:
                    fits.append((found.value, self._taker.take(found)))
                except RefusedError as error:
                    refusals.append(error.refusal)
        if len(fits) > 1:
            self._check_alike(fits)
        return fits[0][1] if fits else None

    def _check_alike(self, fits: list[tuple[Any, Parsed[T]]]) -> None:
        """RefusedError if several values that fit do not say the same."""
        distinct = {_identity(value): parsed for value, parsed in fits}
        alike = not self._taker.is_untyped and all(_equal(fits[0][1].value, each.value) for each in distinct.values())
        if len(distinct) > 1 and not alike:
            refuse("ambiguous", (), say("one answer"), say("{count} different ones", count=len(distinct)))

    def _gathered(
        self, tier: list[Read], finish: FinishReason | None, text: str, refusals: list[Refusal]
    ) -> Parsed[T] | None:
        """All the candidates of a tier, each of which is an item, as one array."""
        readings = [found for found in tier if isinstance(found, Reading)]
        if not all(self._is_whole(reading, finish) for reading in readings):
            refuse("truncated", *cut_short(text), partial=[partial_of(reading) for reading in readings])
        repairs = tuple(
            repair for reading in readings for repair in reading.repairs if repair.kind not in ("prose", "fence", "tag")
        )
        note = Repair(
            "many_as_list",
            readings[0].start,
            readings[-1].end,
            f"took {len(readings)} values for the items of an array",
        )
        try:
            return self._taker.mended([reading.value for reading in readings], None, (note, *repairs))
        except RefusedError as error:
            refusals.append(error.refusal)
            return None

    def _is_whole(self, reading: Reading, finish: FinishReason | None) -> bool:
        """Whether nothing of the value can be missing."""
        if reading.cut or not reading.missing:
            return not reading.cut
        if finish in _BY_ITSELF:
            return True
        if self._closed:
            return False
        if reading.ended or reading.touching:
            return reading.ended
        return has_all_fields(reading.value, reading.missing, self._taker.root, self._reader.guide.schema)

    def _as_text(self, text: str) -> Parsed[T]:
        """A text where text is due: what a fence holds that is nothing but a JSON string, else all of it."""
        for tier in tiers(text, prose=False):
            for found in tier:
                if isinstance(found, Reading) and found.strict is not None and isinstance(found.value, str):
                    return self._taker.take(found)
        return self._taker.mended(text, None)

    def _labelled(self, text: str) -> Parsed[T] | None:
        """An object written as lines of `key: value`, where the keys are its fields."""
        if self._closed or self._taker.shape is None or self._taker.shape.names is None:
            return None
        try:
            reading = read_labels(text, self._taker.shape)
        except Damage as damage:
            raise RefusedError(refusal_of(damage, text)) from None
        return self._taker.take(reading) if reading is not None else None

    def _whole_text(self, text: str) -> Parsed[T] | None:
        """A choice, a number or a text that is the whole of a text, without quotation marks."""
        start, end = content_bounds(text)
        if self._taker.is_untyped or self._closed or start >= end or text[start] in "{[":
            return None
        words = text[start:end]
        note = Repair("bare_text", start, end, "took words without quotation marks for a text")
        for value in (_word(words), Bare(words), Bare(words.strip("`*_ ").rstrip("."))):
            try:
                parsed = self._taker.mended(value, None, (note,))
            except RefusedError as error:
                if error.refusal.kind == "ambiguous":
                    raise
                continue
            if all(repair.kind not in ("one_as_list", "decoded") for repair in parsed.repairs):
                return parsed
        return None

    def _partial(self, text: str) -> Any:
        """What can be read of a text that was cut."""
        for tier in tiers(text, prose=not self._closed, shape=self._taker.shape):
            for found in tier:
                if isinstance(found, Reading):
                    return partial_of(found)
        return None


def _half_quoted(reading: Reading, text: str) -> Damage | None:
    """The first text that lost its opening quotation mark, and maybe more: too little is known of it to act on."""
    for kind, start, end, _ in reading.repairs:
        if kind != "bare_text" or start is None or end is None:
            continue
        words = text[start:end]
        if '"' in words or words.endswith("'"):
            return Damage("unparseable", start, end, "a text without its opening quotation mark")
    return None


def _for_lists(levels: Iterable[list[Read]]) -> list[list[Read]]:
    """The tiers; for an array, what is JSON in running text is no answer without what can be mended beside it."""
    known = list(levels)
    whole = len(known) < _TIERS_OF_PROSE or len(known[-1]) == len(known[-2])
    return known if whole else [*known[:-2], known[-1]]


def _word(words: str) -> Any:
    """A word or number that is no JSON as it is written, such as `None`; any other text as it is."""
    try:
        return bare_value(words, typed=True)[0]
    except Unreadable:
        return Bare(words)


def _is_item(found: Read) -> bool:
    return isinstance(found, Reading) and isinstance(found.value, dict)


def _identity(value: Any) -> Hashable:
    """What values share that say the same; those too deep to be compared do not."""
    try:
        return identity(value)
    except RecursionError:
        return id(value)


def _equal(left: Any, right: Any) -> bool:
    """Whether two values of the type are one; what cannot be compared is not."""
    try:
        return type(left) is type(right) and bool(left == right) and repr(left) == repr(right)
    except Exception:  # noqa: BLE001 - how values are compared may be the author's code
        return False
