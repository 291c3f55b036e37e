"""A type, and what values and JSON texts come to in it: as they stand, or mended, or refused with findings."""

from __future__ import annotations

import json
from functools import cached_property
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

from jiter import from_json

from magic_tools.loose.fit import Fitted, fit
from magic_tools.loose.phrases import say
from magic_tools.loose.readers import Misfit, PydanticReader, Reader
from magic_tools.loose.readings import Reading
from magic_tools.loose.refusals import Refusal, RefusedError, refuse
from magic_tools.loose.shapes import Shape, shape_of
from magic_tools.loose.shells import told_by_shell
from magic_tools.loose.sources import Bare
from magic_tools.loose.strict import ConflictError, conflict_place, is_plain_json, levels_of, read_json
from magic_tools.messages import Repair
from magic_tools.schema.walk import resolve
from magic_tools.values import JsonObject

__all__ = ["Parsed", "Taker"]

T = TypeVar("T")

_MOST_LEVELS = 500
_STARTS = frozenset('{["-0123456789tfnNI')
"""With what JSON may begin, NaN and Infinity included."""

_KIND = attrgetter("kind")


class Parsed(NamedTuple, Generic[T]):
    """A value read from text, and what had to be repaired for it, in order of the text."""

    value: T
    repairs: tuple[Repair, ...]


class Taker(Generic[T]):
    """Takes JSON texts, and values that were read with their sources, for the type of one reader.

    RefusedError from each of its ways where there is no value of the type in it.
    """

    def __init__(self, reader: Reader[T]) -> None:
        self._reader = reader

    @cached_property
    def is_untyped(self) -> bool:
        """Whether the type is any JSON."""
        return isinstance(self._reader, PydanticReader) and not self._reader.guide.schema

    @cached_property
    def unguarded(self) -> bool:
        """Whether pydantic alone tells what is JSON of the type, where anything is of the type at all."""
        return not self._reader.guide.guards and not self.is_untyped

    @cached_property
    def shape(self) -> Shape | None:
        """The keys that are declared."""
        return shape_of(self._reader.guide.schema, self._reader.guide.schema)

    @cached_property
    def root(self) -> JsonObject:
        """The schema of the whole value."""
        return resolve(self._reader.guide.schema, self._reader.guide.schema)

    def take(self, reading: Reading) -> Parsed[T]:
        """What a candidate comes to, with what was mended in it before."""
        if reading.strict is None:
            return self.mended(reading.value, None, reading.repairs)
        parsed = self.strictly(reading.strict)
        if parsed is None:
            return self.mended(reading.value, None, reading.repairs)
        return parsed._replace(repairs=(*reading.repairs, *parsed.repairs))

    def strictly(self, text: str) -> Parsed[T] | None:
        """What a text that is JSON comes to; None where it is none."""
        if text[:1] not in _STARTS:
            return None
        if is_plain_json(text):
            return self._of_json(text)
        try:
            value = read_json(text)
        except ConflictError as conflict:
            place = conflict_place(text, conflict.key)
            refuse("ambiguous", place, say("one value under the key"), say("two different values"))
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
        if not self.is_untyped or levels_of(value) > _MOST_LEVELS:
            refuse("unparseable", (), say("JSON of at most 200 levels, in valid Unicode"), say("JSON that is not so"))
        return Parsed(json.loads(text), ())

    def _of_json(self, text: str) -> Parsed[T]:
        """What a JSON text comes to."""
        reader = self._reader
        if self.is_untyped:
            return Parsed(reader.read(text), ())
        if self.unguarded:
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
        return self.mended(value, text)

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

    def mended(self, value: Any, text: str | None, repairs: tuple[Repair, ...] = ()) -> Parsed[T]:
        """What a value comes to that does not fit as it stands, or that was repaired; `text` if that is its JSON."""
        if self.is_untyped:
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
        if self.unguarded and fitted.kind == "invalid":  # then the reader knows all, and says it best
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
