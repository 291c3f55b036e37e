"""The ladder from a model's text to a typed value: strict first, then listed repairs, then a clear refusal."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

from jiter import from_json

from magic_tools.errors import ParseError, ParseErrorKind
from magic_tools.loose.bare import Unreadable, bare_value
from magic_tools.loose.fit import Fitted, fit
from magic_tools.loose.issues import Finding, shown, told
from magic_tools.loose.labels import read_labels
from magic_tools.loose.openness import has_all_fields, takes_text
from magic_tools.loose.phrases import say
from magic_tools.loose.readers import Misfit, PydanticReader, Reader
from magic_tools.loose.readings import Damage, Read, Reading
from magic_tools.loose.refusals import Refusal, RefusedError, cut_short, partial_of, refusal_of, refuse
from magic_tools.loose.scan import content_bounds, tiers
from magic_tools.loose.shapes import Shape, shape_of
from magic_tools.loose.shells import told_by_shell
from magic_tools.loose.sources import Bare
from magic_tools.loose.strict import ConflictError, is_plain_json, levels_of, read_json, same
from magic_tools.messages import FinishReason, Language, Repair
from magic_tools.schema.walk import resolve, types_of
from magic_tools.values import JsonObject

__all__ = ["Ladder", "Parsed"]

T = TypeVar("T")

_DIGITS = tuple("0123456789")
_MOST_LEVELS = 500
_TIERS_OF_PROSE = 4
_KIND = attrgetter("kind")

_BY_ITSELF = ("stop", "tool_calls")
"""The finish reasons of a model that had said all it meant to say."""

_TELLING: tuple[ParseErrorKind, ...] = ("ambiguous", "truncated", "invalid", "unparseable")


class Parsed(NamedTuple, Generic[T]):
    """A value read from text, and what had to be repaired for it, in order of the text."""

    value: T
    repairs: tuple[Repair, ...]


class Ladder(Generic[T]):
    """The way from text to the values of one reader.

    With `closed` nothing is picked out of prose, and brackets are closed only where it is known that the
    text was not cut: the rules for tool arguments.
    """

    def __init__(self, reader: Reader[T], *, closed: bool) -> None:
        self._reader = reader
        self._closed = closed

    def parse(self, text: str, finish: FinishReason | None, language: Language) -> Parsed[T]:
        """The value that a text holds; ParseError with the issues in a language."""
        if self._unguarded and finish != "length":
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
        if self._is_untyped and finish != "length":
            try:
                return Parsed(from_json(text.encode(), catch_duplicate_keys=True, cache_mode="keys"), ())
            except ValueError:
                pass
        start, end = content_bounds(text)
        inner = text[start:end]
        open_ended = finish == "length" and inner.endswith(_DIGITS)  # a number does not show where it ends
        if not open_ended and (strict := self._strictly(inner)) is not None:
            return strict
        if finish == "length":
            refuse("truncated", *cut_short(text), partial=self._partial(text))
        return self._search(text, finish)

    # JSON as it stands.

    @cached_property
    def _is_untyped(self) -> bool:
        return isinstance(self._reader, PydanticReader) and not self._reader.guide.schema

    @cached_property
    def _unguarded(self) -> bool:
        """Whether pydantic alone tells what is JSON of the type, where anything is of the type at all."""
        return not self._reader.guide.guards and not self._is_untyped

    @cached_property
    def _shape(self) -> Shape | None:
        return shape_of(self._reader.guide.schema, self._reader.guide.schema)

    @cached_property
    def _root(self) -> JsonObject:
        return resolve(self._reader.guide.schema, self._reader.guide.schema)

    def _strictly(self, text: str) -> Parsed[T] | None:
        """What a text that is JSON comes to; None where it is none."""
        if is_plain_json(text):
            return self._of_json(text)
        try:
            value = read_json(text)
        except ConflictError as conflict:
            refuse("ambiguous", (conflict.key,), say("one value under the key"), say("two different values"))
        except (ValueError, RecursionError):
            return None
        return self._of_json(text) if self._is_readable(text) else self._beyond_pydantic(text, value)

    def _is_readable(self, text: str) -> bool:
        try:
            from_json(text.encode())
        except ValueError:
            return False
        return True

    def _beyond_pydantic(self, text: str, value: Any) -> Parsed[Any]:
        """JSON that only Python reads, as it is; a type that pydantic would have to hold it to refuses it."""
        if not self._is_untyped or levels_of(value) > _MOST_LEVELS:
            refuse("unparseable", (), say("JSON of at most 200 levels, in valid Unicode"), say("JSON that is not so"))
        return Parsed(json.loads(text), ())

    def _of_json(self, text: str) -> Parsed[T]:
        """What a JSON text comes to."""
        reader = self._reader
        if self._is_untyped:
            return Parsed(reader.read(text), ())
        if self._unguarded:
            try:
                return Parsed(reader.read(text), ())
            except Misfit:  # what was meant by it, fitting may tell
                value = self._with_sources(text)
        else:
            value = self._with_sources(text)
            fitted = self._fitted(value, mends=False)
            if not fitted.findings:
                try:
                    return Parsed(reader.read(json.dumps(fitted.value) if fitted.repairs else text), fitted.repairs)
                except Misfit:
                    pass
        return self._mended(value, text)

    def _with_sources(self, text: str) -> Any:
        try:
            return read_json(text)
        except RecursionError:
            refuse("unparseable", (), say("JSON that is nested less deeply"), say("JSON too deep to be checked"))

    def _fitted(self, value: Any, *, mends: bool) -> Fitted:
        try:
            return fit(value, self._reader.guide, mends=mends)
        except RecursionError:
            refuse("unparseable", (), say("JSON that is nested less deeply"), say("JSON too deep to be checked"))

    def _mended(self, value: Any, text: str | None, repairs: tuple[Repair, ...] = ()) -> Parsed[T]:
        """What a value comes to that does not fit as it stands, or that was repaired; `text` if that is its JSON."""
        if self._is_untyped:
            return self._plain(value, repairs)
        fitted = self._fitted(value, mends=True)
        written = text if text is not None and not fitted.repairs else self._written(fitted.value)
        misfit: Misfit | None = None
        try:
            read = self._reader.read(written)
        except Misfit as refusal:
            misfit = refusal
        else:
            if not fitted.findings:
                return Parsed(read, (*repairs, *fitted.repairs))
        first, further = fitted.findings, misfit.findings if misfit is not None else ()
        if self._unguarded and fitted.kind == "invalid":  # then the reader knows all, and says it best
            first, further = further, first
        known = {finding.place for finding in first}
        findings = (*first, *(finding for finding in further if finding.place not in known))
        refused = json.loads(text if text is not None else self._written(value))
        if fitted.kind == "invalid":
            findings = told_by_shell(refused, self._reader.guide, findings)
        raise RefusedError(Refusal(fitted.kind, findings, refused))

    def _plain(self, value: Any, repairs: tuple[Repair, ...]) -> Parsed[Any]:
        """A repaired value for which nothing is due."""
        if isinstance(value, Bare):
            refuse("unparseable", (), say("JSON"), say("text that is none ({why})", why=say("there is no JSON in it")))
        if "bare_text" in map(_KIND, repairs) and any(bare.digits for bare in _bare_texts(value)):
            refuse("unparseable", (), say("numbers as JSON writes them, or text in quotation marks"),
                    say("digits that are no such number"))  # fmt: skip
        written = self._written(value)
        try:
            return Parsed(from_json(written.encode(), cache_mode="keys"), repairs)
        except ValueError:  # what only Python reads, such as a lone surrogate
            return Parsed(json.loads(written), repairs)

    def _written(self, value: Any) -> str:
        try:
            return json.dumps(value)
        except RecursionError:
            refuse("unparseable", (), say("JSON that is nested less deeply"), say("JSON too deep to be checked"))

    # Text that is no JSON as it stands.

    def _search(self, text: str, finish: FinishReason | None) -> Parsed[T]:
        """The one value among the candidates of the first tier that has one that fits."""
        if takes_text(self._root) and not self._closed:
            return self._as_text(text)
        if self._takes_nothing and not text.strip():
            note = Repair("empty_as_object", None, None, "took an empty text for an object without keys")
            return self._mended({}, None, (note,))
        refusals: list[Refusal] = []
        levels = tiers(text, prose=not self._closed, shape=self._shape)
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
        return types_of(self._root) == ("object",)

    @cached_property
    def _hides(self) -> bool:
        return self._reader.guide.secrets.cover((), misplaced=True)

    @cached_property
    def _takes_nothing(self) -> bool:
        return (
            types_of(self._root) == ("object",)
            and not self._root.get("properties")
            and not self._closed
            and (not isinstance(self._root.get("additionalProperties"), dict))
        )

    @cached_property
    def _is_list(self) -> bool:
        return types_of(self._root) == ("array",) and isinstance(self._root.get("items"), dict)

    def _among(
        self, tier: list[Read], finish: FinishReason | None, text: str, refusals: list[Refusal]
    ) -> Parsed[T] | None:
        fits: list[tuple[Any, Parsed[T]]] = []
        if self._is_list and len(tier) > 1 and all(_is_item(found) for found in tier):
            return self._gathered(tier, finish, text, refusals)
        for found in tier:
            if isinstance(found, Damage):
                refusals.append(refusal_of(found, text))
            elif not self._is_whole(found, finish):
                raise RefusedError(Refusal("truncated", (Finding(*cut_short(text)),), partial_of(found)))
            elif isinstance(found.value, list) and self._is_object:
                if not refusals or refusals[-1].partial is None:
                    finding = Finding((), say("an object"), shown(found.value, secret=self._hides))
                    refusals.append(Refusal("invalid", (finding,), partial_of(found)))
            else:
                try:
                    fits.append((found.value, self._take(found)))
                except RefusedError as error:
                    refusals.append(error.refusal)
        distinct: list[tuple[Any, Parsed[T]]] = []
        for value, parsed in fits:
            if not any(same(value, other) for other, _ in distinct):
                distinct.append((value, parsed))
        alike = not self._is_untyped and all(_equal(distinct[0][1].value, parsed.value) for _, parsed in distinct)
        if len(distinct) > 1 and not alike:
            refuse("ambiguous", (), say("one answer"), say("{count} different ones", count=len(distinct)))
        return fits[0][1] if fits else None

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
            return self._mended([reading.value for reading in readings], None, (note, *repairs))
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
        return reading.ended or (not reading.touching and has_all_fields(reading.value, reading.missing, self._root,
                                                                        self._reader.guide.schema))  # fmt: skip

    def _take(self, reading: Reading) -> Parsed[T]:
        if reading.strict is None:
            return self._mended(reading.value, None, reading.repairs)
        parsed = self._strictly(reading.strict)
        if parsed is None:
            return self._mended(reading.value, None, reading.repairs)
        return parsed._replace(repairs=(*reading.repairs, *parsed.repairs))

    def _as_text(self, text: str) -> Parsed[T]:
        """A text where text is due: what a fence holds that is nothing but a JSON string, else all of it."""
        for tier in tiers(text, prose=False):
            for found in tier:
                if isinstance(found, Reading) and found.strict is not None and isinstance(found.value, str):
                    return self._take(found)
        return self._mended(text, None)

    def _labelled(self, text: str) -> Parsed[T] | None:
        """An object written as lines of `key: value`, where the keys are its fields."""
        if self._closed or self._shape is None or self._shape.names is None:
            return None
        try:
            reading = read_labels(text, self._shape)
        except Damage as damage:
            raise RefusedError(refusal_of(damage, text)) from None
        return self._take(reading) if reading is not None else None

    def _whole_text(self, text: str) -> Parsed[T] | None:
        """A choice, a number or a text that is the whole of a text, without quotation marks."""
        start, end = content_bounds(text)
        if self._is_untyped or self._closed or start >= end:
            return None
        words = text[start:end]
        note = Repair("bare_text", start, end, "took words without quotation marks for a text")
        for value in (_word(words), Bare(words), Bare(words.strip("`*_ ").rstrip("."))):
            try:
                parsed = self._mended(value, None, (note,))
            except RefusedError as error:
                if error.refusal.kind == "ambiguous":
                    raise
                continue
            if all(repair.kind not in ("one_as_list", "decoded") for repair in parsed.repairs):
                return parsed
        return None

    def _partial(self, text: str) -> Any:
        """What can be read of a text that was cut."""
        for tier in tiers(text, prose=not self._closed, shape=self._shape):
            for found in tier:
                if isinstance(found, Reading):
                    return partial_of(found)
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


def _bare_texts(value: Any) -> list[Bare]:
    found, layer = [], [value]
    while layer:
        found += [held for held in layer if isinstance(held, Bare)]
        layer = [
            inner
            for held in layer
            if isinstance(held, dict | list)
            for inner in (held.values() if isinstance(held, dict) else held)
        ]
    return found


def _equal(left: Any, right: Any) -> bool:
    """Whether two values of the type are one; what cannot be compared is not."""
    try:
        return type(left) is type(right) and bool(left == right) and repr(left) == repr(right)
    except Exception:  # noqa: BLE001 - how values are compared may be the author's code
        return False
