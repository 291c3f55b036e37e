"""Objects with one level too many around what is wanted, or one too few."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from magic_tools.loose.guide import Guide
from magic_tools.loose.issues import path_text, shown
from magic_tools.messages import Issue
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.walk import resolve
from magic_tools.values import JsonObject

__all__ = ["told_by_shell"]

_Place = tuple[str, ...]


def told_by_shell(value: Any, guide: Guide, issues: tuple[Issue, ...]) -> tuple[Issue, ...]:
    """The issues of a refused value; where a level is too many or missing, that alone is told of its place."""
    for place, held, schema in _objects(value, guide.schema, guide.schema, ()):
        expected = _one_too_many(held, schema) or _one_missing(held, schema, guide.schema)
        if expected:
            path = path_text(place)
            found = Issue(path, expected, shown(held, secret=guide.secrets.cover(place, misplaced=True)))
            return (found, *(issue for issue in issues if not _is_inside(issue.path, path)))
    return issues


def _objects(
    value: Any, schema: JsonObject, root: JsonObject, place: _Place
) -> Iterator[tuple[_Place, Any, JsonObject]]:
    """The objects of a value whose properties are known, each with its schema, the outer ones first."""
    schema = _object_in(schema, root)
    if not isinstance(value, dict) or not schema.get("properties"):
        return
    yield place, value, schema
    for key, held in value.items():
        name = schema.get(OTHER_KEYS, {}).get(key, key)
        if name in schema["properties"]:
            yield from _objects(held, schema["properties"][name], root, (*place, key))


def _one_too_many(value: JsonObject, schema: JsonObject) -> str | None:
    declared = _declared(schema)
    if len(value) != 1:
        return None
    ((key, inner),) = value.items()
    if key in declared or not isinstance(inner, dict) or not inner or not inner.keys() <= declared:
        return None
    return f"what stands under the key {key!r}, without that key around it: one level is too many"


def _one_missing(value: JsonObject, schema: JsonObject, root: JsonObject) -> str | None:
    declared = schema["properties"]
    if len(declared) != 1 or not value or not value.keys().isdisjoint(_declared(schema)):
        return None
    ((name, inner),) = declared.items()
    within = _object_in(inner, root)
    if not within.get("properties") or not value.keys() <= _declared(within):
        return None
    return f"an object with the key {name!r}, and these keys inside that: one level is missing"


def _declared(schema: JsonObject) -> set[str]:
    return {*schema["properties"], *schema.get(OTHER_KEYS, {})}


def _object_in(schema: Any, root: JsonObject) -> JsonObject:
    """A schema followed to the one object that it stands for; an empty one where there is none, or several."""
    if not isinstance(schema, dict):
        return {}
    schema = resolve(schema, root)
    branches = [_object_in(branch, root) for branch in schema.get("anyOf") or schema.get("oneOf") or ()]
    objects = [branch for branch in branches if branch.get("properties")]
    return schema if not branches else objects[0] if len(objects) == 1 else {}


def _is_inside(path: str, outer: str) -> bool:
    return not outer or path == outer or path.startswith((f"{outer}.", f"{outer}["))
