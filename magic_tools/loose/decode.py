"""The ladder from a model's text to a typed value: strict first, then listed repairs, then a clear refusal."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar, overload

from pydantic import TypeAdapter, ValidationError

from magic_tools.errors import ParseError, ParseErrorKind
from magic_tools.loose.fit import Fitted, fit
from magic_tools.loose.guide import Guide, guide_of
from magic_tools.loose.issues import issues_of
from magic_tools.loose.repair import Damage, Span
from magic_tools.loose.scalars import load_with_sources
from magic_tools.loose.scan import content_bounds, tiers
from magic_tools.loose.strict import identity, is_json
from magic_tools.messages import FinishReason, Issue, Repair
from magic_tools.schema.emit import Emitted, Side, check_stated, emit
from magic_tools.schema.identity import annotation_key
from magic_tools.schema.signature import adapt
from magic_tools.values import JsonObject

__all__ = ["Parsed", "Schema", "compile_schema", "loads", "parse"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """A value read from text, and what had to be repaired for it, in order of the text."""

    value: T
    repairs: tuple[Repair, ...]


class Schema(Generic[T]):
    """A compiled annotation: its JSON Schema, and the way from text to value and back.

    With `closed`, objects take no undeclared keys unless their own config says otherwise, and nothing
    is picked out of prose: the rules for tool arguments. `annotation` is what the adapter was made
    of, for the texts in it. `additions` are keywords for the root's fields, by name.
    """

    def __init__(
        self,
        adapter: TypeAdapter[T],
        *,
        name: str,
        closed: bool = False,
        annotation: Any = None,
        additions: Mapping[str, JsonObject] | None = None,
    ) -> None:
        self.name = name
        self._adapter = adapter
        self._closed = closed
        self._annotation = annotation
        self._additions = additions

    @property
    def json_schema(self) -> JsonObject:
        """The canonical JSON Schema (draft 2020-12) of what is read; a fresh copy."""
        return copy.deepcopy(self._input.schema)

    @property
    def output_schema(self) -> JsonObject:
        """The canonical JSON Schema of what `dump` writes; a fresh copy."""
        return copy.deepcopy(self._output.schema)

    def parse(self, text: str, *, finish: FinishReason | None = None) -> Parsed[T]:
        """The value that a model's text holds.

        `finish` is why the model stopped, where that is known: a text that was cut for its length is
        `truncated` unless it is whole JSON, and one that was not cut never is. ParseError says what is wrong.
        """
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
        """The JSON text of a value, under its aliases; a ValueError if pydantic cannot write it as the type."""
        return self._adapter.dump_json(value, by_alias=True, warnings="error").decode()

    @cached_property
    def _input(self) -> Emitted:
        return self._emit("input", self._additions)

    @cached_property
    def _output(self) -> Emitted:
        return self._emit("output", None)

    def _emit(self, side: Side, additions: Mapping[str, JsonObject] | None) -> Emitted:
        return emit(
            self._adapter,
            side,
            where=self.name,
            closed=self._closed,
            annotation=self._annotation,
            additions=additions,
        )

    @cached_property
    def _guide(self) -> Guide:
        return guide_of(self._input.guide, closed=self._closed and self._input.mixed)

    def _read(self, text: str, whole: str) -> Parsed[T] | None:
        """What a text that is JSON comes to; None where it is no JSON, ParseError where it does not fit."""
        if not is_json(text, whole):
            return None
        fitted = self._fit(text, whole)
        written = json.dumps(fitted.value) if fitted.repairs else text
        forbid = self._closed and not self._input.mixed
        try:
            value = self._adapter.validate_json(written, strict=True, extra="forbid" if forbid else None, by_alias=True)
        except ValidationError as error:
            known = {issue.path for issue in fitted.issues}
            found = issues_of(error, json.loads(written), self._guide.secrets)
            issues = (*fitted.issues, *(issue for issue in found if issue.path not in known))
            raise ParseError("invalid", issues, whole, json.loads(text)) from None
        if fitted.issues:
            raise ParseError("invalid", fitted.issues, whole, json.loads(text))
        return Parsed(value, fitted.repairs)

    def _fit(self, text: str, whole: str) -> Fitted:
        if not self._guide.guards:
            return Fitted(None, (), ())
        try:
            return fit(load_with_sources(text), self._guide)
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
        return replace(parsed, repairs=(*span.repairs, *parsed.repairs))


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
def compile_schema(target: type[T]) -> Schema[T]: ...
@overload
def compile_schema(target: Any) -> Schema[Any]: ...
def compile_schema(target: Any) -> Schema[Any]:
    """The compiled schema of any annotation, made once and kept.

    DefinitionError if the annotation cannot become a schema. With `MAGIC_TOOLS_CACHE=off` in the
    environment it is made at each call.
    """
    make = _compiled.__wrapped__ if os.environ.get("MAGIC_TOOLS_CACHE") == "off" else _compiled
    return make(_Target(target))


class _Target:
    """An annotation as a key of the cache, kept alive by it."""

    __slots__ = ("annotation", "key")

    def __init__(self, annotation: Any) -> None:
        self.annotation = annotation
        self.key = annotation_key(annotation)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Target) and self.key == other.key


@lru_cache(maxsize=1024)
def _compiled(target: _Target) -> Schema[Any]:
    annotation = target.annotation
    name = getattr(annotation, "__name__", None) or "answer"
    adapter = adapt(annotation, where="the target")
    check_stated(adapter, where="the target", annotation=annotation)
    return Schema(adapter, name=name, annotation=annotation)


@overload
def parse(target: type[T], text: str, *, finish: FinishReason | None = None) -> Parsed[T]: ...
@overload
def parse(target: Any, text: str, *, finish: FinishReason | None = None) -> Parsed[Any]: ...
def parse(target: Any, text: str, *, finish: FinishReason | None = None) -> Parsed[Any]:
    """The value of a type that a model's text holds; ParseError if it holds none, or is unclear."""
    return compile_schema(target).parse(text, finish=finish)


def loads(text: str, *, finish: FinishReason | None = None) -> Parsed[Any]:
    """The JSON value that a model's text holds; ParseError if it holds none, or is unclear."""
    return compile_schema(Any).parse(text, finish=finish)
