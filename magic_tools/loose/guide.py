"""What a value is held to beside pydantic: a schema, which of its parts need that, and where its secrets are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from magic_tools.loose.scalars import choices_of
from magic_tools.loose.secrets import Secrets, secrets_of
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.forms import text_form
from magic_tools.schema.walk import definition_name, subschemas
from magic_tools.values import JsonObject

__all__ = ["Guide", "guide_of"]


@dataclass(frozen=True, slots=True)
class Guide:
    """A schema to hold values to: `guards` are the ids of those of its parts that need it, or hold one that does."""

    schema: JsonObject
    secrets: Secrets
    guards: frozenset[int]


def guide_of(schema: JsonObject, *, closed: bool) -> Guide:
    """The guide of a schema; with `closed`, what its objects do not declare is to be refused by this layer."""
    held = {id(part): [id(inner) for inner in _inside(part, schema)] for part in _parts(schema)}
    guards = {id(part) for part in _parts(schema) if _is_guarded(part, closed)}
    grown = True
    while grown:  # to what holds a guard, by whatever reference
        above = {part for part, inner in held.items() if not guards.isdisjoint(inner)}
        grown = not above <= guards
        guards |= above
    return Guide(schema, secrets_of(schema), frozenset(guards))


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
    numbers = any(isinstance(choice, int | float) for choice in choices_of(schema))
    shut = closed and schema.get("additionalProperties") is False
    return numbers or shut or OTHER_KEYS in schema or text_form(schema) is not None
