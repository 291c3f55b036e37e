"""Null in schemas: whether one takes it, and one that takes it too."""

from __future__ import annotations

from magic_tools.schema.kinds import possible_kinds
from magic_tools.schema.walk import types_of
from magic_tools.values import JsonObject

__all__ = ["accepts_null", "or_null"]

_SCALARS = frozenset({"string", "number", "integer", "boolean"})

# What would still refuse null beside a type that takes it; a list of values is given null too.
_BESIDE_A_TYPE = frozenset({"$ref", "allOf", "anyOf", "const", "not", "oneOf"})


def accepts_null(schema: JsonObject | bool, root: JsonObject) -> bool:
    """Whether null is a value of a schema, as far as its types, values and branches say."""
    return "null" in possible_kinds(schema, root)


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
