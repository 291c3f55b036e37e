"""Which types of JSON the values of a schema may have."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from magic_tools.schema.dialects.spelling import located
from magic_tools.schema.walk import types_of
from magic_tools.values import JsonObject

__all__ = ["EVERY_KIND", "fits", "kind_of_value", "possible_kinds"]

EVERY_KIND = frozenset({"array", "boolean", "null", "number", "object", "string"})
"""The types of JSON; an integer is a number."""

_KIND_OF = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}


_HOMES = ("$schema", "$defs", "definitions")


def kind_of_value(value: Any) -> str:
    """The type that a schema would state for a JSON value."""
    return _KIND_OF.get(type(value), "null")


def possible_kinds(schema: JsonObject | bool, root: JsonObject) -> Set[str]:
    """The types that a schema leaves its values, as far as its types, values, references and branches say."""
    return _possible(schema, root, {})


def _possible(schema: JsonObject | bool, root: JsonObject, known: dict[str, Set[str]]) -> Set[str]:
    """As `possible_kinds`; `known` has each definition that was looked at once, so that none is looked at twice."""
    if isinstance(schema, bool):
        return EVERY_KIND if schema else frozenset()
    kinds: Set[str] = frozenset() if schema.get("not") in ({}, True) else EVERY_KIND
    if "type" in schema:
        kinds = kinds & _plain(types_of(schema))
    for keyword in ("const", "enum"):
        if keyword in schema:
            values = [schema[keyword]] if keyword == "const" else schema[keyword]
            kinds = kinds & _plain(map(kind_of_value, values))
    if "$ref" in schema:
        place, target = located(schema["$ref"], root)
        if place not in known:
            known[place] = frozenset()  # where it holds itself
            known[place] = _possible(target, root, known)
        kinds = kinds & known[place]
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            kinds = kinds & frozenset().union(*(_possible(branch, root, known) for branch in schema[keyword]))
    for branch in schema.get("allOf", ()):
        kinds = kinds & _possible(branch, root, known)
    return kinds


def _plain(kinds: Any) -> Set[str]:
    return frozenset("number" if kind == "integer" else kind for kind in kinds)


def fits(value: Any, schema: JsonObject, root: JsonObject) -> bool:
    """Whether a schema inside `root` takes a value; false too for a schema that cannot be checked."""
    import jsonschema_rs

    document = {**{keyword: held for keyword, held in root.items() if keyword in _HOMES}, "allOf": [schema]}
    try:
        return jsonschema_rs.Draft202012Validator(document, offline=True).is_valid(value)
    except ValueError:
        return False
