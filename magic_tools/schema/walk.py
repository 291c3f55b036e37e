"""Going through a JSON Schema: which keywords hold schemas, and references into `$defs`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from magic_tools.values import JsonObject

__all__ = [
    "IDLE",
    "KEYWORDS_OF",
    "Change",
    "definition_name",
    "escaped",
    "kinds_of",
    "map_inner",
    "map_schema",
    "resolve",
    "subschemas",
    "types_of",
]

# JSON Schema 2020-12, core, applicator and content vocabularies (json-schema.org/draft/2020-12).
_HOLDS: Mapping[str, Literal["one", "many", "named"]] = {
    **dict.fromkeys(
        ("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems",
         "unevaluatedProperties", "contentSchema"),
        "one",
    ),
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), "many"),
    **dict.fromkeys(("properties", "patternProperties", "dependentSchemas", "$defs"), "named"),
}  # fmt: skip

_NUMBER = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})

# What each type's keywords are (JSON Schema 2020-12, validation and applicator vocabularies).
KEYWORDS_OF: Mapping[str, frozenset[str]] = {
    "object": frozenset(
        {"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
         "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"}
    ),
    "array": frozenset(
        {"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains",
         "unevaluatedItems"}
    ),
    "string": frozenset({"pattern", "format", "minLength", "maxLength"}),
    "integer": _NUMBER,
    "number": _NUMBER,
    "boolean": frozenset(),
    "null": frozenset(),
}  # fmt: skip

# Values with which a keyword asks for nothing.
IDLE: Mapping[str, Any] = {"uniqueItems": False, "deprecated": False, "minLength": 0, "minItems": 0, "minProperties": 0}

Change: TypeAlias = Callable[[JsonObject, str], JsonObject]
"""Gives what a schema becomes, from the schema and its place: a JSON Pointer (RFC 6901) from the root."""


def subschemas(schema: JsonObject) -> list[JsonObject]:
    """Every schema directly inside one."""
    found: list[JsonObject] = []
    for keyword, held in schema.items():
        kind = _HOLDS.get(keyword)
        if kind is None:
            continue
        inner = (held,) if kind == "one" else held.values() if kind == "named" else held
        found += [each for each in inner if isinstance(each, dict)]  # true and false are schemas too
    return found


def map_schema(schema: JsonObject, change: Change, pointer: str = "") -> JsonObject:
    """A copy in which `change` was applied to every schema, the inner ones first."""
    return change(map_inner(schema, lambda inner, place: map_schema(inner, change, place), pointer), pointer)


def map_inner(schema: JsonObject, change: Callable[[JsonObject, str], Any], pointer: str = "") -> JsonObject:
    """A copy in which every schema directly inside is what `change` makes of it."""
    copy: JsonObject = {}
    for keyword, held in schema.items():
        kind = _HOLDS.get(keyword)
        if kind is None:
            copy[keyword] = held
        elif kind == "one":
            copy[keyword] = change(held, f"{pointer}/{keyword}") if isinstance(held, dict) else held
        elif kind == "many":
            copy[keyword] = [
                change(item, f"{pointer}/{keyword}/{index}") if isinstance(item, dict) else item
                for index, item in enumerate(held)
            ]
        else:
            copy[keyword] = {
                name: change(item, f"{pointer}/{keyword}/{escaped(name)}") if isinstance(item, dict) else item
                for name, item in held.items()
            }
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


def kinds_of(schema: JsonObject) -> tuple[str, ...]:
    """The types a schema allows: those it names, else the one its keywords belong to, else none known."""
    if "type" in schema:
        return types_of(schema)
    return next(((kind,) for kind, keywords in KEYWORDS_OF.items() if keywords & schema.keys()), ())


def definition_name(ref: str) -> str:
    """The name in `$defs` that a reference such as `#/$defs/Order` points to."""
    return ref.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")


def escaped(step: str) -> str:
    """A key as a step of a JSON Pointer."""
    return step.replace("~", "~0").replace("/", "~1") if "~" in step or "/" in step else step
