"""Schemas from anywhere in one spelling, and their references followed."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any
from urllib.parse import unquote

from magic_tools.errors import SchemaRejectedError
from magic_tools.schema.dialects.phrases import SILENT, described
from magic_tools.schema.walk import subschemas
from magic_tools.values import JsonObject

__all__ = ["at", "followed", "joined_with", "leads_to", "located", "name_for", "spelled"]

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_NAMED = ("properties", "patternProperties")
_MANY = ("anyOf", "oneOf", "allOf", "prefixItems")

# What may stand beside an `allOf` and in it, and be the outer schema's alone.
_TEXTS = frozenset({"description", "title", "default", "examples", "deprecated"})

# Keywords that mean something else beside each other than apart (JSON Schema 2020-12, core, 10.3).
_TOGETHER = (
    frozenset({"properties", "patternProperties", "additionalProperties", "unevaluatedProperties"}),
    frozenset({"prefixItems", "items", "unevaluatedItems"}),
    frozenset({"if", "then", "else"}),
    frozenset({"contains", "minContains", "maxContains"}),
)


# Keywords that look at what stands beside them, and so mean something else in another schema.
_LEFT_OVER = frozenset({"unevaluatedProperties", "unevaluatedItems"})


def spelled(schema: JsonObject) -> JsonObject:
    """A copy without `true` and `false` for schemas where a form may need more, nor an `allOf` that can be merged."""
    copy = dict(schema)
    if isinstance(copy.get("items"), list):  # as drafts before 2020-12 write it
        copy["prefixItems"] = copy.pop("items")
        if "additionalItems" in copy:
            copy["items"] = copy.pop("additionalItems")
    for keyword in _NAMED:
        if keyword in copy:
            copy[keyword] = {name: _object(held) for name, held in copy[keyword].items()}
    for keyword in _MANY:
        if keyword in copy:
            copy[keyword] = [_object(held) for held in copy[keyword]]
    if copy.get("items") is True:
        copy["items"] = {}
    return _merged(copy)


def _object(schema: JsonObject | bool) -> JsonObject:
    match schema:
        case bool():
            return {} if schema else {"not": {}}
        case _:
            return schema


def _merged(schema: JsonObject) -> JsonObject:
    """The schema with the branches of its `allOf` as its own keywords, where they say the same so."""
    if not schema.get("allOf"):
        return schema
    joined: JsonObject | None = {keyword: held for keyword, held in schema.items() if keyword != "allOf"}
    for branch in schema["allOf"]:
        joined = joined_with(branch, joined) if joined is not None else None
    return schema if joined is None else spelled(joined)


def joined_with(inner: JsonObject, outer: JsonObject) -> JsonObject | None:
    """One schema that says what two say together, the outer one's texts first; None where none does."""
    said_twice = {keyword for keyword in inner.keys() & outer.keys() if inner[keyword] != outer[keyword]}
    apart = _LEFT_OVER & inner.keys() and outer.keys() - _TEXTS
    together = any(group & inner.keys() and group & outer.keys() for group in _TOGETHER)
    if said_twice - _TEXTS or apart or together:
        return None
    return _with_texts(inner, outer)


def _with_texts(inner: JsonObject, outer: JsonObject) -> JsonObject:
    texts = [schema["description"] for schema in (outer, inner) if "description" in schema]
    joined = {**inner, **outer}
    return {**joined, "description": described(texts[0], texts[1:])} if texts else joined


def located(ref: Any, root: JsonObject) -> tuple[str, JsonObject]:
    """The JSON Pointer that a reference holds, and the schema there; SchemaRejectedError if there is none."""
    if not isinstance(ref, str) or not (ref == "#" or ref.startswith("#/")):
        raise SchemaRejectedError(
            f"the reference {ref!r:.80} leads out of the schema: put what it names into $defs and refer to it there."
        )
    place = unquote(ref[1:])
    target = at(place, root)
    if target is None:
        raise SchemaRejectedError(f"the reference {ref!r:.80} leads to no schema: define it in $defs.")
    return place, target


def at(place: str, root: JsonObject) -> JsonObject | None:
    """The schema at a place, a JSON Pointer; None where there is none."""
    target: Any = root
    for step in place.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        match target:
            case dict() if step in target:
                target = target[step]
            case list() if step.isdecimal() and int(step) < len(target):
                target = target[int(step)]
            case _:
                return None
    return _object(target) if isinstance(target, dict | bool) else None


def name_for(place: str, taken: Collection[str]) -> str:
    """A name in `$defs` for what stands at a place: its own where it is plain, else one like it."""
    name = _NOT_IN_A_NAME.sub("_", place.rpartition("/")[2].replace("~1", "/").replace("~0", "~")) or "root"
    numbered = (f"{name}{count}" for count in range(2, len(taken) + 3))
    return next(tried for tried in (name, *numbered) if tried not in taken)


def followed(schema: JsonObject, root: JsonObject) -> tuple[JsonObject, str | None]:
    """What a schema's reference leads to, with the texts that stand beside it, and where that was.

    A schema without a reference, or with more than texts beside it, is what it was.
    """
    schema, place = spelled(schema), None
    passed: set[str] = set()
    while "$ref" in schema and not schema.keys() - _TEXTS - SILENT - {"$ref"}:
        place, target = located(schema["$ref"], root)
        if place in passed:
            raise SchemaRejectedError(f"the reference '#{place:.80}' leads to nothing but itself: define it.")
        passed.add(place)
        beside = {keyword: held for keyword, held in schema.items() if keyword in _TEXTS}
        schema = _with_texts(spelled(target), beside)
    return schema, place


def leads_to(place: str, schema: JsonObject, root: JsonObject) -> bool:
    """Whether a reference in a schema, or in what its references lead to, leads to a place."""
    ahead, passed = [schema], set[str]()
    while ahead:
        node = ahead.pop()
        ahead.extend(subschemas(node))
        if "$ref" in node:
            inner, target = located(node["$ref"], root)
            if inner == place:
                return True
            if inner not in passed:
                passed.add(inner)
                ahead.append(target)
    return False
