"""The places of a schema, each as a rule wants to see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from magic_tools.loose.issues import path_text
from magic_tools.schema.emit import Side
from magic_tools.schema.walk import definition_name, subschemas, types_of
from magic_tools.values import JsonObject

__all__ = ["Place", "is_open", "object_levels", "places"]

Kind = Literal["root", "field", "item", "value", "branch", "part"]

_ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "$id",
     "$defs"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """One schema inside a tool's arguments or its result.

    `kind` is what it is of the schema around it: a field of an object, an item of an array, a value of a map, a branch
    of a union, a part of an `allOf`. `name` is that of the field that it is or belongs to. `schema` is resolved, and of
    `T | None` that of T; `text` is all that is said of it, by the field that it belongs to as well. `recursive` is true
    of what is inside itself.
    """

    side: Side
    kind: Kind
    path: str
    name: str
    text: str
    schema: JsonObject
    branches: tuple[JsonObject, ...]
    recursive: bool

    @property
    def values(self) -> list[Any]:
        """The values that it is limited to one by one; none where it is not."""
        return list(self.schema.get("enum", [self.schema["const"]] if "const" in self.schema else []))


def places(schema: JsonObject, side: Side) -> Iterator[Place]:
    """Every schema inside one and itself; what a definition in `$defs` holds comes once, where it is first used."""
    start = Place(side, "root", "result" if side == "output" else "", "", "", schema, (), False)
    return _Walk(schema).through(start, frozenset())


def is_open(schema: Any) -> bool:
    """Whether a schema takes anything."""
    return schema is True or (
        isinstance(schema, dict) and all(word in _ANNOTATIONS or word.startswith("x-") for word in schema)
    )


def object_levels(schema: JsonObject, root: JsonObject) -> int:
    """How many objects stand inside each other at most; what is inside itself counts once."""
    return _Walk(root).levels(schema, frozenset())


class _Walk:
    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._seen: set[str] = set()
        self._levels: dict[str, int] = {}

    def through(self, given: Place, above: frozenset[str]) -> Iterator[Place]:
        """A place, whose schema is not resolved yet, and all that are inside it; `above` is what it is inside."""
        schema, refs = self._resolved(given.schema)
        known, recursive = not refs.isdisjoint(self._seen), not refs.isdisjoint(above)
        said = str(schema.get("description", ""))
        text = f"{given.text} {said}".strip() if said not in given.text else given.text
        branches = tuple(self._resolved(each)[0] for each in _branches(schema))
        held = {"$ref": next(iter(refs))} if recursive else schema
        place = replace(given, text=text, schema=held, branches=() if recursive else branches, recursive=recursive)
        yield place
        if not known:
            self._seen |= refs
            for inner in _inside(replace(place, schema=schema)):
                yield from self.through(inner, above | refs)

    def levels(self, schema: JsonObject, above: frozenset[str]) -> int:
        """How many objects stand inside each other; each definition is counted once."""
        schema, refs = self._resolved(schema)
        key = " ".join(sorted(refs))
        if not refs.isdisjoint(above):
            return 0
        if key in self._levels:
            return self._levels[key]
        below = max((self.levels(inner, above | refs) for inner in subschemas(schema)), default=0)
        count = below + ("properties" in schema or "additionalProperties" in schema)
        if key:
            self._levels[key] = count
        return count

    def _resolved(self, schema: JsonObject) -> tuple[JsonObject, frozenset[str]]:
        """A schema with what its `$ref` stands for, or its only branch that is not null, and the references followed.

        A reference that leads nowhere in this document stays.
        """
        followed: set[str] = set()
        while True:
            ref, branches = str(schema.get("$ref", "")), _branches(schema)
            target = self._target(ref) if ref not in followed else None
            if target is not None:
                followed.add(ref)
                schema = {**target, **_without(schema, "$ref")}
            elif len(branches) == 1:
                schema = {**branches[0], **_without(schema, "anyOf", "oneOf")}
            else:
                break
        kinds = [kind for kind in types_of(schema) if kind != "null"]
        return ({**schema, "type": kinds[0]} if len(kinds) == 1 else schema), frozenset(followed)

    def _target(self, ref: str) -> JsonObject | None:
        definitions: JsonObject = self._root.get("$defs", {})
        found = _without(self._root, "$defs") if ref == "#" else definitions.get(definition_name(ref))
        return found if isinstance(found, dict) else None


def _branches(schema: JsonObject) -> list[JsonObject]:
    """The branches of a union but for null."""
    union = schema.get("anyOf") or schema.get("oneOf") or []
    return [each for each in union if isinstance(each, dict) and each.get("type") != "null"]


def _without(schema: JsonObject, *keywords: str) -> JsonObject:
    return {keyword: held for keyword, held in schema.items() if keyword not in keywords}


def _inside(place: Place) -> Iterator[Place]:
    """The places directly inside one, their schemas not resolved."""
    schema = place.schema
    for name, held in schema.get("properties", {}).items():
        step = path_text((name,))
        path = f"{place.path}{step}" if not place.path or step.startswith("[") else f"{place.path}.{step}"
        field = replace(place, kind="field", path=path, name=name, text="")
        yield replace(field, schema=held if isinstance(held, dict) else {})
    for kind, step, held in _elements(schema):
        if isinstance(held, dict):
            yield replace(place, kind=kind, path=place.path + step, schema=held)


def _elements(schema: JsonObject) -> Iterator[tuple[Kind, str, Any]]:
    yield "item", "[]", schema.get("items")
    yield "value", "[*]", schema.get("additionalProperties")
    yield from (("value", "[*]", each) for each in schema.get("patternProperties", {}).values())
    yield from (("item", f"[{index}]", each) for index, each in enumerate(schema.get("prefixItems", ())))
    yield from (("branch", "", each) for each in _branches(schema))
    yield from (("part", "", each) for each in schema.get("allOf", ()))
