"""Whether two branches of a union can be told apart by what a model sends."""

from __future__ import annotations

from typing import Any

from magic_tools.schema.walk import types_of
from magic_tools.values import JsonObject, canonical_json

__all__ = ["alike"]

_NUMBERS = {"integer", "number"}
_SHAPES = ("format", "pattern", "contentEncoding")


def alike(one: JsonObject, other: JsonObject) -> str | None:
    """Why a value may be meant as either of two schemas; None where it is plain which one is meant."""
    left, right = _values(one), _values(other)
    if left is not None and right is not None:
        return "some value is in both" if left & right else None
    kinds = set(types_of(one)), set(types_of(other))
    if not all(kinds):
        return None  # of what has no type nothing can be said; that it has none is told elsewhere
    if "number" in kinds[0] | kinds[1] and all(_NUMBERS & each for each in kinds):
        return "a whole number is both"
    shared = kinds[0] & kinds[1]
    if "string" in shared:
        return _texts(one, other)
    if "object" in shared:
        return _objects(one, other)
    if "array" in shared:
        return _arrays(one, other)
    return f"both are of type {min(shared)}" if shared else None


def _values(schema: JsonObject) -> frozenset[bytes] | None:
    """The values that a schema is limited to one by one, in a form that can be compared."""
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    return None if values is None else frozenset(canonical_json(value) for value in values)


def _texts(one: JsonObject, other: JsonObject) -> str | None:
    shapes = [tuple(schema.get(word) for word in _SHAPES) for schema in (one, other)]
    if any(not any(shape) and _values(schema) is None for shape, schema in zip(shapes, (one, other), strict=True)):
        return "any text is the one"
    return "both are texts of one form" if shapes[0] == shapes[1] else None


def _arrays(one: JsonObject, other: JsonObject) -> str | None:
    held = [schema.get("items") for schema in (one, other)]
    if not all(isinstance(each, dict) for each in held):
        return "both are lists"
    why = alike(*(each for each in held if isinstance(each, dict)))
    return f"both are lists, and of their items {why}" if why else None


def _objects(one: JsonObject, other: JsonObject) -> str | None:
    fields: list[dict[str, Any]] = [schema.get("properties", {}) for schema in (one, other)]
    needed = [set(schema.get("required", ())) for schema in (one, other)]
    for name in fields[0].keys() & fields[1].keys():
        if all(isinstance(each[name], dict) and _values(each[name]) is not None for each in fields):
            left, right = (_values(each[name]) or frozenset() for each in fields)
            if not left & right:
                return None
    if not all(needed):
        return "both are objects, and one of them needs no key"
    shared = needed[0] & needed[1]
    return f"both are objects with the key {min(shared)!r}" if shared else None
