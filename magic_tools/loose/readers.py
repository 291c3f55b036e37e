"""What holds JSON to a type: the one interface behind the ladder, and pydantic's side of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from decimal import InvalidOperation
from functools import cached_property
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from magic_tools.loose.guide import Guide, guide_of
from magic_tools.loose.issues import Finding, Place
from magic_tools.loose.phrases import say
from magic_tools.loose.pydantic_issues import pydantic_issues
from magic_tools.schema.emit import Emitted, Said, Side, emit
from magic_tools.values import JsonObject

__all__ = ["Misfit", "PydanticReader", "Reader"]

T = TypeVar("T")


class Misfit(Exception):  # noqa: N818 - what the ladder weighs, not an error that a caller sees
    """A JSON text that is not of the type; why is worked out when `findings` are asked for."""

    def __init__(self, tell: Callable[[], tuple[Finding, ...]]) -> None:
        super().__init__()
        self._tell = tell

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong, of a place and one inside it only with the inner one."""
        return self._tell()


class Reader(Protocol[T]):
    """A type as the ladder needs it."""

    @property
    def guide(self) -> Guide:
        """What values are held to before they are read."""
        ...

    def schema(self, side: Side) -> JsonObject:
        """The canonical schema of what is read or written; not a copy."""
        ...

    def read(self, text: str) -> T:
        """The value of a JSON text; Misfit where it is none of the type."""
        ...

    def strangers(self, value: Any) -> tuple[Place, ...]:
        """Where in a value of Python's something is not of its type, as far as that is known."""
        ...

    @property
    def asks_more(self) -> bool:
        """Whether values are held to more than a schema states."""
        ...

    def unheld(self, value: Any) -> tuple[Place, ...]:
        """Where a value of Python's does not keep what no schema states, as far as that is known."""
        ...

    def write(self, value: T, fallback: Callable[[Any], Any] | None = None) -> str:
        """The JSON text of a value, with what JSON has no form for as `fallback` gives it; ValueError if it is none."""
        ...


_FOR_JSON = frozenset({"function-before", "function-wrap", "function-plain", "generator", "json"})
"""pydantic's kinds of steps that may want JSON's own form of a value, or that would use it up."""

_AMOUNTS = frozenset({"decimal", "date", "time", "datetime", "timedelta"})
_LIMITS = frozenset({"ge", "gt", "le", "lt", "multiple_of", "max_digits", "decimal_places", "now_op", "tz_constraint"})

_TOO_LARGE = (OverflowError, InvalidOperation)
"""What Python's arithmetic raises where pydantic holds a very large number to a limit."""

_TOO_LARGE_FINDING = Finding((), say("numbers of fewer digits"), say("one that is too large to be checked"))


class PydanticReader(Generic[T]):
    """An annotation, read and written by pydantic in its strict JSON mode.

    With `closed`, objects take no undeclared keys unless their own config says otherwise. `annotation`
    is what the adapter was made of, for the texts in it. `said` is of the root's fields, by name.
    """

    def __init__(
        self,
        adapter: TypeAdapter[T],
        *,
        where: str,
        closed: bool,
        annotation: Any,
        said: Mapping[str, Said] | None,
    ) -> None:
        self._adapter = adapter
        self._validate_json: Callable[..., T] = adapter.validator.validate_json
        self._to_json: Callable[..., bytes] = adapter.serializer.to_json
        self._where = where
        self._closed = closed
        self._annotation = annotation
        self._said = said

    @cached_property
    def guide(self) -> Guide:
        """Where pydantic needs help, by the schema of what is read."""
        return guide_of(self._input.guide, closed=self._closed and self._input.mixed, fills=not self._closed)

    def schema(self, side: Side) -> JsonObject:
        """The canonical schema, made on first use."""
        return (self._input if side == "input" else self._output).schema

    def read(self, text: str) -> T:
        """What pydantic makes of a JSON text; Misfit where it refuses it."""
        try:
            return self._validate_json(text, strict=True, extra=self._extra, by_alias=True)
        except ValidationError as error:
            refused = error  # the name of an except clause is gone when the findings are asked for
        except _TOO_LARGE:
            raise Misfit(lambda: (_TOO_LARGE_FINDING,)) from None
        raise Misfit(lambda: pydantic_issues(refused, json.loads(text), self.guide))

    def write(self, value: T, fallback: Callable[[Any], Any] | None = None) -> str:
        """The value under its aliases."""
        return self._to_json(value, by_alias=True, warnings="error", fallback=fallback).decode()

    def strangers(self, value: Any) -> tuple[Place, ...]:
        """Where in a value of Python's something is not of its type."""
        return self._refused(value, strict=True)

    def unheld(self, value: Any) -> tuple[Place, ...]:
        """Where a value of Python's does not keep what no schema states: its author's checks, limits of amounts."""
        return self._refused(value, strict=False) if self.asks_more else ()

    def _refused(self, value: Any, *, strict: bool) -> tuple[Place, ...]:
        try:
            self._adapter.validate_python(value, strict=strict, by_alias=True, by_name=True)
        except ValidationError as error:
            places = (_within(value, each["loc"]) for each in error.errors(include_url=False, include_context=False))
            return tuple(dict.fromkeys(places))
        except Exception:  # noqa: BLE001 - an author's check that fails has not found anything wrong
            return ()
        return ()

    @cached_property
    def asks_more(self) -> bool:
        """Whether values are held to more than a schema states, by steps that take Python's own form of them."""
        nodes = list(_nodes_of(self._adapter.core_schema))
        return not any(map(_is_for_json, nodes)) and any(map(_asks_more, nodes))

    @cached_property
    def _input(self) -> Emitted:
        return self._emit("input", self._said)

    @cached_property
    def _output(self) -> Emitted:
        return self._emit("output", None)

    @cached_property
    def _extra(self) -> Literal["forbid"] | None:
        return "forbid" if self._closed and not self._input.mixed else None

    def _emit(self, side: Side, said: Mapping[str, Said] | None) -> Emitted:
        return emit(
            self._adapter,
            side,
            where=self._where,
            closed=self._closed,
            annotation=self._annotation,
            said=said,
        )


def _within(value: Any, place: Place) -> Place:
    """As much of a place as there is in a value: pydantic also names the branches of unions."""
    for length, step in enumerate(place):
        try:
            value = value[step]
        except (LookupError, TypeError):
            return place[:length]
    return place


def _nodes_of(schema: Any) -> Iterator[Mapping[str, Any]]:
    """All schemas inside a core schema."""
    layer = [schema]
    while layer:
        held = layer.pop()
        if isinstance(held, Mapping):
            if isinstance(held.get("type"), str):
                yield held
            layer.extend(inner for key, inner in held.items() if key not in ("metadata", "serialization"))
        elif isinstance(held, list | tuple):
            layer.extend(held)


def _is_for_json(node: Mapping[str, Any]) -> bool:
    written = node.get("serialization", {}).get("type", "")
    return node["type"] in _FOR_JSON or (node["type"] == "function-after" and written.startswith("function"))


def _asks_more(node: Mapping[str, Any]) -> bool:
    return node["type"] == "function-after" or (node["type"] in _AMOUNTS and not _LIMITS.isdisjoint(node))
