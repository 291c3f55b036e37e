"""The ways in which a value may fit a schema that combines others."""

from __future__ import annotations

from collections.abc import Iterator

from magic_tools.schema.walk import resolve
from magic_tools.values import JsonObject

__all__ = ["is_combined", "ways_of"]

_UNIONS = ("anyOf", "oneOf")
_CONDITIONS = ("allOf", "if", "then", "else", "dependentRequired", "dependentSchemas")
_SILENT = frozenset({"title", "description", "default", "examples", "discriminator", "$defs", *_UNIONS})


def is_combined(schema: JsonObject) -> bool:
    """Whether other schemas hold of the same value beside what a schema says itself; a bare union is none."""
    if any(keyword in schema for keyword in _CONDITIONS):
        return True
    says = any(keyword not in _SILENT and not keyword.startswith("x-") for keyword in schema)
    return says and any(keyword in schema for keyword in _UNIONS)


def ways_of(schema: JsonObject, root: JsonObject, inside: tuple[str, ...] = ()) -> Iterator[tuple[JsonObject, str]]:
    """The branches of a bare union; else, of each branch, what it and the schema around it say in one schema.

    Each comes with the reference that it was, or `""`; those that are among `inside` have no end, and are left out.
    What two schemas say of one keyword is told by the later one alone, so that who makes a value tries it first.
    """
    branches = [branch for keyword in _UNIONS for branch in schema.get(keyword, ())]
    branches = [branch for branch in branches if branch.get("$ref") not in inside]
    if not is_combined(schema):
        yield from ((branch, "") for branch in branches)
        return
    own = {keyword: held for keyword, held in schema.items() if keyword not in (*_SILENT, *_CONDITIONS)}
    for part in schema.get("allOf", ()):
        if part.get("$ref") not in inside:
            own = _joined(own, resolve(part, root))
    for branch in branches or [{}]:
        for way in _conditional(_joined(own, resolve(branch, root)), schema, root):
            yield way, str(branch.get("$ref", ""))


def _conditional(way: JsonObject, schema: JsonObject, root: JsonObject) -> Iterator[JsonObject]:
    """A schema with what follows from conditions: once as if they held, and once as if not."""
    for name, needed in schema.get("dependentRequired", {}).items():
        if name in way.get("required", ()):
            way = _joined(way, {"required": needed})
    for name, held in schema.get("dependentSchemas", {}).items():
        if name in way.get("required", ()) and isinstance(held, dict):
            way = _joined(way, resolve(held, root))
    if "if" not in schema:
        yield way
        return
    met, then, otherwise = (resolve(_as_schema(schema.get(keyword)), root) for keyword in ("if", "then", "else"))
    yield _joined(_joined(way, met), then)
    yield _joined(way, otherwise)


def _as_schema(held: object) -> JsonObject:
    return held if isinstance(held, dict) else {}


def _joined(one: JsonObject, other: JsonObject) -> JsonObject:
    """What two schemas say of one value; of a field that both have, what both say."""
    fields = dict(one.get("properties", {}))
    for name, held in other.get("properties", {}).items():
        fields[name] = _joined(fields[name], held) if name in fields else held
    needed = dict.fromkeys((*one.get("required", ()), *other.get("required", ())))
    joined = {**one, **other}
    return joined | ({"properties": fields} if fields else {}) | ({"required": list(needed)} if needed else {})
