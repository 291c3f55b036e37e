"""Null in schemas: whether one takes it, and one that takes it too."""

from __future__ import annotations

from magic_tools.schema.dialects.spelling import located
from magic_tools.schema.walk import types_of
from magic_tools.values import JsonObject

__all__ = ["accepts_null", "or_null"]

_SCALARS = frozenset({"string", "number", "integer", "boolean"})

# What would still refuse null beside a type that takes it; a list of values is given null too.
_BESIDE_A_TYPE = frozenset({"$ref", "allOf", "anyOf", "const", "not", "oneOf"})


def accepts_null(schema: JsonObject | bool, root: JsonObject) -> bool:
    """Whether null is a value of a schema, as far as its types, values and branches say."""
    return _accepts(schema, root, {})


def _accepts(schema: JsonObject | bool, root: JsonObject, known: dict[str, bool]) -> bool:
    """As `accepts_null`; `known` has each definition that was looked at once, so that none is looked at twice."""
    if isinstance(schema, bool):
        return schema
    if None not in schema.get("enum", [None]) or schema.get("const") is not None:
        return False
    if "type" in schema and "null" not in types_of(schema):
        return False
    if "$ref" in schema:
        place, target = located(schema["$ref"], root)
        if place not in known:
            known[place] = False  # where it holds itself
            known[place] = _accepts(target, root, known)
        if not known[place]:
            return False
    unions = [schema[keyword] for keyword in ("anyOf", "oneOf") if keyword in schema]
    return all(any(_accepts(branch, root, known) for branch in branches) for branches in unions) and all(
        _accepts(branch, root, known) for branch in schema.get("allOf", ())
    )


def or_null(form: JsonObject) -> JsonObject:
    """A form that takes null too, its text kept outside."""
    if "anyOf" in form and not form.keys() - {"anyOf", "description"}:
        return {**form, "anyOf": [*form["anyOf"], {"type": "null"}]}
    kinds = types_of(form)
    if kinds and _SCALARS.issuperset(kinds) and not form.keys() & _BESIDE_A_TYPE:
        nulled = {**form, "type": [*kinds, "null"]}
        return {**nulled, "enum": [*form["enum"], None]} if "enum" in form else nulled
    text = {keyword: held for keyword, held in form.items() if keyword == "description"}
    rest = {keyword: held for keyword, held in form.items() if keyword != "description"}
    return {**text, "anyOf": [rest, {"type": "null"}]}
