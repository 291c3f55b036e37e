"""Annotations and JSON Schemas compiled, and model text read by them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar, overload

from pydantic import TypeAdapter

from magic_tools.chat import FinishReason
from magic_tools.loose.foreign import foreign_reader
from magic_tools.loose.issues import Place
from magic_tools.loose.ladder import Ladder
from magic_tools.loose.readers import PydanticReader, Reader
from magic_tools.loose.taker import Parsed
from magic_tools.messages import Language
from magic_tools.schema.adapting import adapt
from magic_tools.schema.emit import Said, Side
from magic_tools.schema.guard.budgets import SchemaLimits
from magic_tools.schema.identity import annotation_key
from magic_tools.values import JsonObject, Kept

__all__ = ["Parsed", "Schema", "compile_annotation", "compile_schema", "loads", "parse"]

T = TypeVar("T")


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
    def _ladder(self) -> Ladder[T]:
        return Ladder(self._reader, closed=self._closed)

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

    def parse(self, text: str, *, finish: FinishReason | None = None, language: Language = "en") -> Parsed[T]:
        """The value that a model's text holds.

        `finish` is why the model stopped, where that is known: a text that was cut for its length is
        `truncated` unless it is whole JSON, and one that was not cut never is. ParseError says what is wrong, in
        English or Chinese (`language`).
        """
        return self._ladder.parse(text, finish, language)

    def hides(self, place: Place) -> bool:
        """Whether what stands at a place where nothing is declared may be one of the type's secrets."""
        return self._reader.guide.secrets.cover(place, misplaced=True)

    def strangers(self, value: Any) -> tuple[Place, ...]:
        """Where in a value something is not of the type, so that `dump` cannot write it."""
        return self._reader.strangers(value)

    @property
    def asks_more(self) -> bool:
        """Whether the type asks for more of its values than its schema states."""
        return self._reader.asks_more

    def unheld(self, value: Any) -> tuple[Place, ...]:
        """Where a value does not keep what the type asks for and no schema states, such as its author's checks."""
        return self._reader.unheld(value)

    def dump(self, value: T, *, fallback: Callable[[Any], Any] | None = None) -> str:
        """The JSON text of a value, under its aliases; a ValueError if it cannot be written as the type.

        `fallback` gives what JSON has no form for as something that has one.
        """
        return self._reader.write(value, fallback)


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
def parse(
    target: type[T], text: str, *, finish: FinishReason | None = None, language: Language = "en"
) -> Parsed[T]: ...
@overload
def parse(target: Any, text: str, *, finish: FinishReason | None = None, language: Language = "en") -> Parsed[Any]: ...
def parse(target: Any, text: str, *, finish: FinishReason | None = None, language: Language = "en") -> Parsed[Any]:
    """The value of a type, or JSON Schema, that a model's text holds; ParseError if it holds none, or is unclear."""
    try:
        schema = _kept(target) if isinstance(target, type) else compile_schema(target)
    except _NotKept:
        schema = compile_schema(target)
    return schema.parse(text, finish=finish, language=language)


class _NotKept(Exception):  # noqa: N818 - what keeps a schema out of the cache, never seen outside
    """Nothing is to be kept, which is looked at when a class is first met."""


@lru_cache(maxsize=1024)
def _kept(target: type) -> Schema[Any]:
    """The schema of a class, found sooner than by the key that other annotations need."""
    if not _caches():
        raise _NotKept
    return compile_schema(target)


def loads(text: str, *, finish: FinishReason | None = None, language: Language = "en") -> Parsed[Any]:
    """The JSON value that a model's text holds; ParseError if it holds none, or is unclear."""
    return compile_schema(Any).parse(text, finish=finish, language=language)
