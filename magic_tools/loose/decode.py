"""The ladder from a model's text to a typed value: strict first, then listed repairs, then a clear refusal."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar, overload

import jiter
from pydantic import PydanticUserError, TypeAdapter, ValidationError

from magic_tools.errors import DefinitionError, ParseError, ParseErrorKind
from magic_tools.loose.fit import Fitted, fit, has_guards, load_with_sources
from magic_tools.loose.issues import issues_of
from magic_tools.loose.repair import Damage
from magic_tools.loose.scan import Finding, content_bounds, tiers
from magic_tools.messages import FinishReason, Issue, Repair
from magic_tools.schema.emit import Emitted, Side, emit
from magic_tools.schema.identity import annotation_key
from magic_tools.schema.signature import adapt
from magic_tools.schema.walk import subschemas
from magic_tools.values import JsonObject, canonical_json

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
    is picked out of prose: the rules for tool arguments. `additions` are keywords for the root's properties.
    """

    def __init__(
        self,
        adapter: TypeAdapter[T],
        *,
        name: str,
        closed: bool = False,
        additions: Mapping[str, JsonObject] | None = None,
    ) -> None:
        self.name = name
        self._adapter = adapter
        self._closed = closed
        self._additions = additions

    @property
    def json_schema(self) -> JsonObject:
        """The canonical JSON Schema (draft 2020-12) of what is read; a fresh copy."""
        return copy.deepcopy(self._input.schema)

    @cached_property
    def output_schema(self) -> JsonObject:
        """The canonical JSON Schema of what `dump` writes."""
        return self._emit("output").schema

    def parse(self, text: str, *, finish: FinishReason | None = None) -> Parsed[T]:
        """The value that a model's text holds.

        `finish` is why the model stopped, where that is known: a text that was cut for its length is
        `truncated` unless it is whole JSON. ParseError says what is wrong.
        """
        start, end = content_bounds(text)
        strict = self._read(text[start:end], text)
        if strict is not None:
            return strict
        if finish == "length":
            raise ParseError("truncated", (_cut_issue(text),), text)
        return self._search(text)

    def dump(self, value: T) -> str:
        """The JSON text of a value, under its aliases; a ValueError if it is not of the type."""
        return self._adapter.dump_json(value, by_alias=True, warnings="error").decode()

    @cached_property
    def _input(self) -> Emitted:
        return self._emit("input")

    def _emit(self, side: Side) -> Emitted:
        try:
            return emit(
                self._adapter, side, closed=self._closed, additions=self._additions if side == "input" else None
            )
        except PydanticUserError as error:
            raise DefinitionError(f"{self.name} holds a type that JSON Schema cannot state: {error}") from error

    @cached_property
    def _guarded(self) -> bool:
        return (self._input.mixed and self._closed) or has_guards(self._input.schema)

    @cached_property
    def _hidden(self) -> frozenset[str]:
        return frozenset(_write_only(self._input.schema))

    def _read(self, text: str, whole: str) -> Parsed[T] | None:
        """What a text that is JSON comes to; None where it is no JSON, ParseError where it does not fit."""
        if not _is_json(text, whole):
            return None
        fitted = fit(load_with_sources(text), self._input.schema) if self._guarded else Fitted(None, (), ())
        written = json.dumps(fitted.value) if fitted.repairs else text
        forbid = self._closed and not self._input.mixed
        try:
            value = self._adapter.validate_json(written, strict=True, extra="forbid" if forbid else None)
        except ValidationError as error:
            if any(detail["type"] == "json_invalid" for detail in error.errors(include_url=False)):
                return None
            data = json.loads(text)
            raise ParseError(
                "invalid", self._issues(fitted, issues_of(error, data, self._hidden)), whole, data
            ) from None
        if fitted.issues:
            raise ParseError("invalid", fitted.issues, whole, json.loads(text))
        return Parsed(value, fitted.repairs)

    def _issues(self, fitted: Fitted, found: tuple[Issue, ...]) -> tuple[Issue, ...]:
        places = {issue.path for issue in fitted.issues}
        return (*fitted.issues, *(issue for issue in found if issue.path not in places))

    def _search(self, text: str) -> Parsed[T]:
        """The one value among the candidates of the first tier that has one that fits."""
        refusals: list[ParseError] = []
        for tier in tiers(text, prose=not self._closed):
            fits: dict[bytes, Parsed[T]] = {}
            for finding in tier:
                try:
                    parsed = self._take(finding, text)
                except ParseError as refusal:
                    refusals.append(refusal)
                    if refusal.kind == "truncated":
                        raise
                else:
                    fits[canonical_json(json.loads(finding.json))] = parsed  # type: ignore[union-attr]
            if len(fits) > 1:
                issue = Issue("", "one answer", f"{len(fits)} different ones")
                raise ParseError("ambiguous", (issue,), text)
            for parsed in fits.values():
                return parsed
        raise min(refusals, key=lambda refusal: _TELLING.index(refusal.kind))

    def _take(self, finding: Finding, text: str) -> Parsed[T]:
        if isinstance(finding, Damage):
            raise ParseError(finding.kind, (_damage_issue(finding, text),), text)
        parsed = self._read(finding.json, text)
        if parsed is None:
            issue = Issue("", "JSON of at most 200 levels, in valid Unicode", "JSON that is neither")
            raise ParseError("unparseable", (issue,), text)
        return replace(parsed, repairs=(*finding.repairs, *parsed.repairs))


_TELLING: tuple[ParseErrorKind, ...] = ("ambiguous", "invalid", "truncated", "unparseable")
"""Which refusal says most of a text that has several."""


def _damage_issue(damage: Damage, text: str) -> Issue:
    if damage.kind == "truncated":
        return _cut_issue(text)
    return Issue("", "JSON", f"text that is none ({damage.why}, at character {damage.offset})")


def _cut_issue(text: str) -> Issue:
    return Issue("", "a whole JSON value", f"text that stops after {len(text)} characters, before its end")


class _Conflict(Exception):  # noqa: N818 - leaves json.loads through its hook, and this module never
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _is_json(text: str, whole: str) -> bool:
    """Whether a text is JSON; ParseError `ambiguous` if one object says two things under one key."""
    try:
        jiter.from_json(text.encode(), catch_duplicate_keys=True)
    except ValueError:  # no JSON, or a key twice, or what only Python's reader takes: that one tells which
        try:
            json.loads(text, object_pairs_hook=_distinct)
        except _Conflict as conflict:
            issue = Issue(conflict.key, "one value under the key", "two different values")
            raise ParseError("ambiguous", (issue,), whole) from None
        except (ValueError, RecursionError):
            return False
    return True


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members and canonical_json(members[key]) != canonical_json(value):
            raise _Conflict(key)
        members[key] = value
    return members


def _write_only(schema: JsonObject) -> Iterator[str]:
    """The names of properties that hold secrets, at any depth."""
    for name, held in schema.get("properties", {}).items():
        if any(inner.get("writeOnly") for inner in (held, *subschemas(held))):
            yield name
    for inner in subschemas(schema):
        yield from _write_only(inner)


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
    return Schema(adapt(annotation, where="the target"), name=name)


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
