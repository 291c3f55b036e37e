"""The ladder from a model's text to a typed value: strict first, then listed repairs, then a clear refusal."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Generic, NamedTuple, TypeVar, overload

from pydantic import TypeAdapter

from magic_tools.errors import ParseError, ParseErrorKind
from magic_tools.loose.fit import Fitted, fit
from magic_tools.loose.foreign import foreign_reader
from magic_tools.loose.readers import Misfit, PydanticReader, Reader
from magic_tools.loose.repair import Damage, Span
from magic_tools.loose.scalars import load_with_sources
from magic_tools.loose.scan import content_bounds, tiers
from magic_tools.loose.shells import told_by_shell
from magic_tools.loose.strict import identity, is_json, is_plain_json
from magic_tools.messages import FinishReason, Issue, Repair
from magic_tools.schema.adapting import adapt
from magic_tools.schema.emit import Said, Side
from magic_tools.schema.guard.budgets import SchemaLimits
from magic_tools.schema.identity import annotation_key
from magic_tools.values import JsonObject, Kept

__all__ = ["Parsed", "Schema", "compile_annotation", "compile_schema", "loads", "parse"]

T = TypeVar("T")


class Parsed(NamedTuple, Generic[T]):
    """A value read from text, and what had to be repaired for it, in order of the text."""

    value: T
    repairs: tuple[Repair, ...]


class Schema(Generic[T]):
    """A compiled annotation, or JSON Schema: its canonical schema, and the way from text to value and back.

    With `closed`, objects take no undeclared keys unless their own config says otherwise, and nothing
    is picked out of prose: the rules for tool arguments. The objects of a schema from outside, whose
    `foreign_reader` stands in place of an adapter, are open and closed as it says. `annotation` is what
    the adapter was made of, for the texts in it. `said` is of the root's fields, by name.
    """

    def __init__(
        self,
        adapter: TypeAdapter[T] | Reader[T],
        *,
        name: str,
        closed: bool = False,
        annotation: Any = None,
        said: Mapping[str, Said] | None = None,
        where: str | None = None,
    ) -> None:
        self.name = name
        self._closed = closed
        self._reader: Reader[T] = (
            PydanticReader(adapter, where=where or name, closed=closed, annotation=annotation, said=said)
            if isinstance(adapter, TypeAdapter)
            else adapter
        )

    def check(self, side: Side) -> None:
        """DefinitionError, starting with `where` or else the name, if no schema can state a side."""
        self._reader.schema(side)

    @cached_property
    def _unguarded(self) -> bool:
        return not self._reader.guide.guards

    @cached_property
    def _kept_input(self) -> Kept:
        return Kept(self._reader.schema("input"))

    @cached_property
    def _kept_output(self) -> Kept:
        return Kept(self._reader.schema("output"))

    @property
    def json_schema(self) -> JsonObject:
        """The canonical JSON Schema (draft 2020-12) of what is read; a fresh copy."""
        return self._kept_input.fresh()

    @property
    def output_schema(self) -> JsonObject:
        """The canonical JSON Schema of what `dump` writes; a fresh copy."""
        return self._kept_output.fresh()

    def parse(self, text: str, *, finish: FinishReason | None = None) -> Parsed[T]:
        """The value that a model's text holds.

        `finish` is why the model stopped, where that is known: a text that was cut for its length is
        `truncated` unless it is whole JSON, and one that was not cut never is. ParseError says what is wrong.
        """
        if finish != "length" and is_plain_json(text):
            return self._taken(text, text)
        start, end = content_bounds(text)
        open_ended = finish == "length" and text[end - 1 : end] in _DIGITS  # a number does not show where it ends
        strict = None if open_ended else self._read(text[start:end], text)
        if strict is not None:
            return strict
        if finish == "length":
            raise ParseError("truncated", (_cut_issue(text),), text)
        try:
            return self._search(text)
        except ParseError as error:
            if error.kind == "truncated" and finish in _BY_ITSELF:
                raise ParseError("unparseable", error.issues, text) from None
            raise

    def dump(self, value: T) -> str:
        """The JSON text of a value, under its aliases; a ValueError if it cannot be written as the type."""
        return self._reader.write(value)

    def _read(self, text: str, whole: str) -> Parsed[T] | None:
        """What a text that is JSON comes to; None where it is no JSON, ParseError where it does not fit."""
        return self._taken(text, whole) if is_json(text, whole) else None

    def _taken(self, text: str, whole: str) -> Parsed[T]:
        """What a text, a part of `whole`, comes to that is JSON; ParseError where it does not fit."""
        reader = self._reader
        misfit: Misfit | None = None
        if self._unguarded:
            try:
                return Parsed(reader.read(text), ())
            except Misfit as refusal:  # what was meant by it, fitting may tell
                misfit = refusal
        fitted = self._fit(text, whole)
        if misfit is None or fitted.repairs:
            try:
                value = reader.read(json.dumps(fitted.value) if fitted.repairs else text)
            except Misfit as refusal:
                misfit = refusal
            else:
                if not fitted.issues:
                    return Parsed(value, fitted.repairs)
                misfit = None
        known = {issue.path for issue in fitted.issues}
        further = misfit.issues if misfit is not None else ()
        issues = (*fitted.issues, *(issue for issue in further if issue.path not in known))
        refused = json.loads(text)
        raise ParseError("invalid", told_by_shell(refused, reader.guide, issues), whole, refused)

    def _fit(self, text: str, whole: str) -> Fitted:
        guide = self._reader.guide
        if not guide.guards and not guide.mends:
            return Fitted(None, (), ())
        try:
            return fit(load_with_sources(text), guide)
        except RecursionError:
            issue = Issue("", "JSON that is nested less deeply", "JSON too deep to be checked")
            raise ParseError("unparseable", (issue,), whole) from None

    def _search(self, text: str) -> Parsed[T]:
        """The one value among the candidates of the first tier that has one that fits."""
        refusals: list[ParseError] = []
        damage: Damage | None = None
        for tier in tiers(text, prose=not self._closed):
            fits: dict[Hashable, Parsed[T]] = {}
            for finding in tier:
                if isinstance(finding, Damage):
                    damage = finding
                    if damage.kind == "truncated":
                        raise ParseError("truncated", (_cut_issue(text),), text)
                    continue
                try:
                    fits.setdefault(identity(finding.json), self._take(finding, text))
                except ParseError as refusal:
                    refusals.append(refusal)
            if len(fits) > 1:
                issue = Issue("", "one answer", f"{len(fits)} different ones")
                raise ParseError("ambiguous", (issue,), text)
            for parsed in fits.values():
                return parsed
        raise _most_telling(refusals, damage, text)

    def _take(self, span: Span, text: str) -> Parsed[T]:
        parsed = self._read(span.json, text)
        if parsed is None:
            raise ParseError("unparseable", (Issue("", "JSON", "text that is nearly so"),), text)
        return parsed._replace(repairs=(*span.repairs, *parsed.repairs))


_DIGITS = tuple("0123456789")

_BY_ITSELF = ("stop", "tool_calls")
"""The finish reasons of a model that had said all it meant to say."""

_TELLING: tuple[ParseErrorKind, ...] = ("ambiguous", "invalid", "truncated", "unparseable")


def _most_telling(refusals: list[ParseError], damage: Damage | None, text: str) -> ParseError:
    """The refusal that says most of a text; where there is none, the last damage that was found."""
    if refusals:
        return min(refusals, key=lambda refusal: _TELLING.index(refusal.kind))
    why = f"{damage.why}, at character {damage.offset}" if damage else "there is no JSON in it"
    return ParseError("unparseable", (Issue("", "JSON", f"text that is none ({why})"),), text)


def _cut_issue(text: str) -> Issue:
    return Issue("", "a whole JSON value", f"text that stops after {len(text)} characters, before its end")


@overload
def compile_schema(target: type[T], *, limits: SchemaLimits | None = ...) -> Schema[T]: ...
@overload
def compile_schema(target: Any, *, limits: SchemaLimits | None = ...) -> Schema[Any]: ...
def compile_schema(target: Any, *, limits: SchemaLimits | None = None) -> Schema[Any]:
    """The compiled schema of any annotation, made once and kept, or of a JSON Schema.

    DefinitionError if the annotation cannot become a schema. With `MAGIC_TOOLS_CACHE=off` in the
    environment it is made at each call, as that of a JSON Schema always is, which may have changed. Such
    a mapping may be written by anybody and in any draft: it is guarded, by `limits` if they are given, and
    values are plain JSON data.
    """
    if isinstance(target, Mapping):
        title = target.get("title")
        reader = foreign_reader(target, where="the target", limits=limits)
        return Schema(reader, name=title if isinstance(title, str) else "answer")
    return compile_annotation(target, where="the target", side="input")


def compile_annotation(annotation: Any, *, where: str, side: Side) -> Schema[Any]:
    """The compiled schema of an annotation, from the cache where it is there.

    DefinitionError, starting with `where`, if no schema can state the side for which it is wanted.
    """
    make = _compiled if _caches() else _compiled.__wrapped__
    return make(_Target(annotation, where, side))


def _caches() -> bool:
    return os.environ.get("MAGIC_TOOLS_CACHE") != "off"


class _Target:
    """An annotation as a key of the cache, kept alive by it; where it stands is for its errors alone."""

    __slots__ = ("annotation", "key", "side", "where")

    def __init__(self, annotation: Any, where: str, side: Side) -> None:
        self.annotation = annotation
        self.key = (annotation_key(annotation), side)
        self.where = where
        self.side = side

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Target) and self.key == other.key


@lru_cache(maxsize=1024)
def _compiled(target: _Target) -> Schema[Any]:
    annotation = target.annotation
    name = getattr(annotation, "__name__", None) or "answer"
    schema: Schema[Any] = Schema(
        adapt(annotation, where=target.where), name=name, annotation=annotation, where=target.where
    )
    schema.check(target.side)
    return schema


@overload
def parse(target: type[T], text: str, *, finish: FinishReason | None = None) -> Parsed[T]: ...
@overload
def parse(target: Any, text: str, *, finish: FinishReason | None = None) -> Parsed[Any]: ...
def parse(target: Any, text: str, *, finish: FinishReason | None = None) -> Parsed[Any]:
    """The value of a type, or JSON Schema, that a model's text holds; ParseError if it holds none, or is unclear."""
    try:
        schema = _kept(target) if isinstance(target, type) else compile_schema(target)
    except _NotKept:
        schema = compile_schema(target)
    return schema.parse(text, finish=finish)


class _NotKept(Exception):  # noqa: N818 - what keeps a schema out of the cache, never seen outside
    """Nothing is to be kept, which is looked at when a class is first met."""


@lru_cache(maxsize=1024)
def _kept(target: type) -> Schema[Any]:
    """The schema of a class, found sooner than by the key that other annotations need."""
    if not _caches():
        raise _NotKept
    return compile_schema(target)


def loads(text: str, *, finish: FinishReason | None = None) -> Parsed[Any]:
    """The JSON value that a model's text holds; ParseError if it holds none, or is unclear."""
    return compile_schema(Any).parse(text, finish=finish)
