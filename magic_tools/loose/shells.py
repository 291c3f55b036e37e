"""Objects with one level too many around what is wanted, or one too few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from magic_tools.loose.guide import Guide
from magic_tools.loose.issues import Finding, literal, shown
from magic_tools.loose.leaves import leaves_of
from magic_tools.loose.phrases import Phrase, say, shortened
from magic_tools.loose.unions import branch_meant
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.values import JsonObject

__all__ = ["told_by_shell"]

_MOST_OF_KEY = 60

_Place = tuple[str, ...]


def told_by_shell(value: Any, guide: Guide, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings of a refused value; where a level is too many or missing, that alone is told of its place."""
    for place, held, schemas in _objects(value, guide.schema, guide, ()):
        expected = _one_too_many(held, schemas) or _one_missing(held, schemas, guide)
        if expected:
            found = Finding(place, expected, shown(held, secret=guide.secrets.cover(place, misplaced=True)))
            return (found, *(finding for finding in findings if finding.place[: len(place)] != place))
    return findings


def _objects(
    value: Any, schema: Any, guide: Guide, place: _Place
) -> Iterator[tuple[_Place, JsonObject, list[JsonObject]]]:
    """The objects of a value whose properties are known, each with the schemas of a union that are of objects.

    The outer ones come first.
    """
    schemas = _of_objects(schema, guide)
    if not isinstance(value, dict) or not schemas:
        return
    yield place, value, schemas
    meant = branch_meant(value, schema, guide)
    properties = {} if meant is None else meant["properties"]
    for key, held in value.items():
        name = key if meant is None else meant.get(OTHER_KEYS, {}).get(key, key)
        if name in properties:
            yield from _objects(held, properties[name], guide, (*place, key))


def _of_objects(schema: Any, guide: Guide) -> list[JsonObject]:
    """The schemas of objects that a schema stands for; none where one of them leaves the keys open."""
    schemas = [leaf.schema for leaf in leaves_of([(0, schema)], guide.schema) if leaf.is_of_kind({})]
    return schemas if all(held.get("properties") for held in schemas) else []


def _one_too_many(value: JsonObject, schemas: Sequence[JsonObject]) -> Phrase | None:
    if len(value) != 1:
        return None
    ((key, inner),) = value.items()
    declared = [_declared(schema) for schema in schemas]
    if not isinstance(inner, dict) or not inner or any(key in names for names in declared):
        return None
    if not any(inner.keys() <= names for names in declared):
        return None
    return say("what stands under the key {key}, without that key around it: one level is too many", key=_quoted(key))


def _one_missing(value: JsonObject, schemas: Sequence[JsonObject], guide: Guide) -> Phrase | None:
    if len(schemas) != 1 or len(schemas[0]["properties"]) != 1:
        return None
    ((name, inner),) = schemas[0]["properties"].items()
    if not value or not value.keys().isdisjoint(_declared(schemas[0])):
        return None
    if not any(value.keys() <= _declared(within) for within in _of_objects(inner, guide)):
        return None
    return say("an object with the key {key}, and these keys inside that: one level is missing", key=_quoted(name))


def _declared(schema: JsonObject) -> set[str]:
    return {*schema["properties"], *schema.get(OTHER_KEYS, {})}


def _quoted(key: str) -> Phrase:
    return shortened(literal(key), _MOST_OF_KEY)
