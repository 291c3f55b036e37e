"""What a value is held to beside pydantic: a schema, which of its parts need that, and where its secrets are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from magic_tools.loose.scalars import KEY_READERS, LENIENT_FORMATS, choices_of
from magic_tools.loose.secrets import Secrets, secrets_of
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.forms import text_form
from magic_tools.schema.nulls import accepts_null
from magic_tools.schema.walk import definition_name, resolve, subschemas
from magic_tools.values import JsonObject

__all__ = ["Guide", "droppable_nulls", "guide_of", "omissible_nulls"]


@dataclass(frozen=True, slots=True)
class Guide:
    """A schema to hold values to, by the ids of those of its parts that need it, or hold one that does.

    `guards` are parts to which pydantic's strict JSON mode does not hold a value, so that it has to be looked at
    before. With `fills`, what is required and may be null is taken for null where an object of an answer leaves it out.
    """

    schema: JsonObject
    secrets: Secrets
    guards: frozenset[int]
    fills: bool = False


def guide_of(schema: JsonObject, *, closed: bool, fills: bool = False) -> Guide:
    """The guide of a schema; with `closed`, what its objects do not declare is to be refused by this layer."""
    parts = list(_parts(schema))
    held = {id(part): [id(inner) for inner in _inside(part, schema)] for part in parts}
    guards = _with_holders(
        {id(part) for part in parts if _is_guarded(part, closed) or _has_rival_objects(part, schema)}, held
    )
    return Guide(schema, secrets_of(schema), guards, fills)


def droppable_nulls(schema: JsonObject, root: JsonObject) -> frozenset[str]:
    """The properties that may be absent and may not be null: null for one of them is meant as absent."""
    required = schema.get("required", ())
    return frozenset(
        name
        for name, held in schema.get("properties", {}).items()
        if name not in required and not accepts_null(held, root)
    )


def omissible_nulls(schema: JsonObject, root: JsonObject) -> list[str]:
    """The properties that are required and may be null: one that is left out is meant as null."""
    properties = schema.get("properties", {})
    return [name for name in schema.get("required", ()) if name in properties and accepts_null(properties[name], root)]


def _with_holders(parts: set[int], held: Mapping[int, Iterable[int]]) -> frozenset[int]:
    """The parts, and what holds one of them, by whatever reference."""
    grown = True
    while grown:
        above = {part for part, inner in held.items() if not parts.isdisjoint(inner)}
        grown = not above <= parts
        parts = parts | above
    return frozenset(parts)


def _parts(schema: JsonObject) -> Iterator[JsonObject]:
    yield schema
    for inner in subschemas(schema):
        yield from _parts(inner)


def _inside(part: JsonObject, root: JsonObject) -> Iterator[JsonObject]:
    yield from subschemas({word: held for word, held in part.items() if word != "$defs"})
    if "$ref" in part:
        yield root["$defs"][definition_name(part["$ref"])]


def _is_guarded(schema: JsonObject, closed: bool) -> bool:
    """Whether pydantic's strict JSON mode does not hold a value to these words."""
    lenient = any(choice is None or isinstance(choice, int | float) for choice in choices_of(schema))
    shut = closed and schema.get("additionalProperties") is False
    lenient = lenient or schema.get("format") in LENIENT_FORMATS or "prefixItems" in schema
    lenient = lenient or schema.get("propertyNames", {}).get("format") in KEY_READERS
    return lenient or shut or OTHER_KEYS in schema or text_form(schema) is not None


def _has_rival_objects(schema: JsonObject, root: JsonObject) -> bool:
    """Whether two branches of a union are objects that no fixed value under a key tells apart."""
    resolved = [resolve(branch, root) for branch in schema.get("anyOf") or schema.get("oneOf") or ()]
    objects = [branch["properties"] for branch in resolved if branch.get("properties")]
    if len(objects) < 2 or "discriminator" in schema:
        return False
    fixed = [
        {key: str(choices_of(resolve(held, root))) for key, held in named.items() if choices_of(resolve(held, root))}
        for named in objects
    ]
    shared = set(fixed[0]).intersection(*fixed[1:])
    return not any(len({each[key] for each in fixed}) == len(fixed) for key in shared)
