"""Recursive definitions unrolled to a declared depth: one definition for each level."""

from __future__ import annotations

from collections.abc import Mapping

from magic_tools.errors import DefinitionError
from magic_tools.schema.definitions import MARK, leads_to
from magic_tools.schema.marks import MAX_DEPTH
from magic_tools.schema.walk import definition_name, map_schema
from magic_tools.values import JsonObject

__all__ = ["unrolled"]


def unrolled(schema: JsonObject) -> JsonObject:
    """A schema in which what is declared of depths has been done; DefinitionError where no value would be left.

    What stands between two levels is unrolled with them. In place of one level too many, an array is
    empty, and a branch of a union or a property that may be absent is gone.
    """
    definitions: dict[str, JsonObject] = schema.get("$defs", {})
    levels = _Levels(definitions)
    body = map_schema(schema, levels.begin)  # with the definitions
    return _pruned({**body, "$defs": {**body["$defs"], **levels.made}}) if levels.made else body


class _Levels:
    """The definitions of levels that are made on the way; each is named after its class, and marked."""

    def __init__(self, definitions: Mapping[str, JsonObject]) -> None:
        self.definitions = definitions
        self.made: dict[str, JsonObject] = {}

    def begin(self, node: JsonObject, _: str) -> JsonObject:
        """A schema whose own declaration of a depth has been done."""
        kept = {keyword: held for keyword, held in node.items() if keyword != MAX_DEPTH}
        if len(kept) == len(node):
            return kept
        if "anyOf" in kept:  # an optional one
            return {**kept, "anyOf": [self._started(branch, node[MAX_DEPTH]) for branch in kept["anyOf"]]}
        return self._started(kept, node[MAX_DEPTH])

    def _started(self, node: JsonObject, left: int) -> JsonObject:
        if "$ref" not in node:
            return node
        name = definition_name(node["$ref"])
        return {**node, **self._reference(name, name, left)}

    def _reference(self, name: str, of: str, left: int) -> JsonObject:
        """A reference to a definition, in which so many levels of another are left."""
        if of not in leads_to(name, self.definitions):
            return {"$ref": f"#/$defs/{name}"}
        level = f"{name}{MARK}{of}_{left}"
        if level not in self.made:
            self.made[level] = {}  # which keeps what leads back here from making it again
            self.made[level] = map_schema(self.definitions[name], lambda node, _: self._inside(node, of, left))
        return {"$ref": f"#/$defs/{level}"}

    def _inside(self, node: JsonObject, of: str, left: int) -> JsonObject:
        if "$ref" not in node:
            return node
        kept = {keyword: held for keyword, held in node.items() if keyword != MAX_DEPTH}
        name = definition_name(node["$ref"])
        if name == of:
            left = min(left - 1, node.get(MAX_DEPTH, left))
        return {**kept, **self._reference(name, of, left)} if left else _NOTHING


_NOTHING: JsonObject = {"not": {}}
"""What no value fits, in place of one level too many."""


def _pruned(schema: JsonObject) -> JsonObject:
    """A schema without the places where no value could stand."""
    definitions: dict[str, JsonObject] = schema["$defs"]
    empty: set[str] = set()
    while True:  # until no definition turns out to have no values because of another one
        kept = {name: _possible(definition, empty) for name, definition in definitions.items()}
        found = {name for name, definition in kept.items() if definition == _NOTHING}
        if found == empty:
            break
        empty = found
    body = _possible({keyword: held for keyword, held in schema.items() if keyword != "$defs"}, empty)
    if body == _NOTHING:
        raise DefinitionError(
            "its MaxDepth leaves no value, since each level demands a further one; let the field be None, or a list"
        )
    return {**body, "$defs": {name: definition for name, definition in kept.items() if name not in empty}}


def _possible(schema: JsonObject, empty: set[str]) -> JsonObject:
    return map_schema(schema, lambda node, _: _without_nothing(node, empty))


def _without_nothing(node: JsonObject, empty: set[str]) -> JsonObject:
    """A schema, whose inner ones are pruned, without those that no value fits; `_NOTHING` where none fits itself."""
    if "$ref" in node and definition_name(node["$ref"]) in empty:
        return _NOTHING
    node = dict(node)
    if "properties" in node:
        gone = {name for name, held in node["properties"].items() if held == _NOTHING}
        if gone & set(node.get("required", ())):
            return _NOTHING
        node["properties"] = {name: held for name, held in node["properties"].items() if name not in gone}
    if node.get("additionalProperties") == _NOTHING:
        node["additionalProperties"] = False
    if _NOTHING in (first := node.get("prefixItems", [])):
        return _up_to(node, first.index(_NOTHING))
    if node.get("items") == _NOTHING:
        return _up_to(node, len(first))
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            branches = [branch for branch in node.pop(keyword) if branch != _NOTHING]
            if not branches:
                return _NOTHING
            if len(branches) == 1:
                node.pop("discriminator", None)
                node = {**branches[0], **node}
            else:
                node[keyword] = branches
    return node


def _up_to(array: JsonObject, count: int) -> JsonObject:
    """The schema of an array of at most so many items."""
    if array.get("minItems", 0) > count:
        return _NOTHING
    first = array.get("prefixItems", [])[:count]
    kept = {keyword: held for keyword, held in array.items() if keyword not in ("items", "prefixItems")}
    return {**kept, **({"prefixItems": first} if first else {}), "maxItems": count}
