"""Going through a JSON Schema: which keywords hold schemas, and references into `$defs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from magic_tools.values import JsonObject

__all__ = ["Change", "definition_name", "map_inner", "map_schema", "resolve", "subschemas", "types_of"]

# JSON Schema 2020-12, core, applicator and content vocabularies (json-schema.org/draft/2020-12).
_ONE = frozenset(
    {"items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems",
     "unevaluatedProperties", "contentSchema"}
)  # fmt: skip
_MANY = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs"})

Change: TypeAlias = Callable[[JsonObject, str], JsonObject]
"""Gives what a schema becomes, from the schema and its place: a JSON Pointer (RFC 6901) from the root."""


def subschemas(schema: JsonObject) -> Iterator[JsonObject]:
    """Every schema directly inside one."""
    for keyword, held in schema.items():
        inner: Iterable[Any] = ()
        if keyword in _ONE:
            inner = (held,)
        elif keyword in _MANY:
            inner = held
        elif keyword in _NAMED:
            inner = held.values()
        yield from (each for each in inner if isinstance(each, dict))  # true and false are schemas too


def map_schema(schema: JsonObject, change: Change, pointer: str = "") -> JsonObject:
    """A copy in which `change` was applied to every schema, the inner ones first."""
    return change(map_inner(schema, lambda inner, place: map_schema(inner, change, place), pointer), pointer)


def map_inner(schema: JsonObject, change: Callable[[JsonObject, str], Any], pointer: str = "") -> JsonObject:
    """A copy in which every schema directly inside is what `change` makes of it."""

    def mapped(held: Any, *steps: str) -> Any:
        if not isinstance(held, dict):
            return held
        return change(held, "/".join((pointer, *(_escaped(step) for step in steps))))

    copy: JsonObject = {}
    for keyword, held in schema.items():
        if keyword in _ONE:
            copy[keyword] = mapped(held, keyword)
        elif keyword in _MANY:
            copy[keyword] = [mapped(item, keyword, str(index)) for index, item in enumerate(held)]
        elif keyword in _NAMED:
            copy[keyword] = {name: mapped(item, keyword, name) for name, item in held.items()}
        else:
            copy[keyword] = held
    return copy


def resolve(schema: JsonObject, root: JsonObject) -> JsonObject:
    """The schema itself, or what its `$ref` into the root's `$defs` stands for, siblings included."""
    seen: set[str] = set()
    while (ref := schema.get("$ref")) is not None and ref not in seen:
        seen.add(ref)
        target = root if ref == "#" else root["$defs"][definition_name(ref)]
        schema = {**target, **{keyword: held for keyword, held in schema.items() if keyword != "$ref"}}
    return schema


def types_of(schema: JsonObject) -> tuple[str, ...]:
    """The types that a schema names, none where it leaves them open."""
    kinds = schema.get("type", ())
    return (kinds,) if isinstance(kinds, str) else tuple(kinds)


def definition_name(ref: str) -> str:
    """The name in `$defs` that a reference such as `#/$defs/Order` points to."""
    return ref.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")
