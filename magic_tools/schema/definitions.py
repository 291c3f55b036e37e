"""The definitions of a schema: only those that are needed, under short and stable names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from magic_tools.schema.walk import definition_name, map_schema, subschemas
from magic_tools.values import JsonObject

__all__ = ["inline_single_uses", "shorten_names"]

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]")


def inline_single_uses(schema: JsonObject) -> JsonObject:
    """Put each definition that is used once, and not inside itself, where it is used."""
    definitions: dict[str, JsonObject] = schema.get("$defs", {})
    uses = Counter(_references(schema))
    once = {name for name in definitions if uses[name] == 1 and name not in _reachable(name, definitions)}

    def inline(node: JsonObject, _: str) -> JsonObject:
        name = _referred(node)
        if name not in once:
            return node
        target = map_schema(definitions[name], inline)
        return {**target, **{keyword: held for keyword, held in node.items() if keyword != "$ref"}}

    body = map_schema(_without_definitions(schema), inline)
    kept = {name: map_schema(definition, inline) for name, definition in definitions.items() if name not in once}
    return {**body, "$defs": kept} if kept else body


def shorten_names(schema: JsonObject) -> JsonObject:
    """Name each definition after its class, with a number where two classes share a name.

    pydantic tells such classes apart by their modules, which depend on how a file was loaded.
    """
    definitions: dict[str, JsonObject] = schema.get("$defs", {})
    short: dict[str, str] = {}
    for name in _in_order_of_use(schema):
        title = _NOT_IN_A_NAME.sub("_", definitions[name].get("title", name)) if "__" in name else name
        tried, count = title, 1
        while tried in short.values():
            count += 1
            tried = f"{title}{count}"
        short[name] = tried

    def rename(node: JsonObject, _: str) -> JsonObject:
        name = _referred(node)
        return {**node, "$ref": f"#/$defs/{short[name]}"} if name in short else node

    body = map_schema(_without_definitions(schema), rename)
    named = {short[name]: map_schema(definitions[name], rename) for name in short}
    return {**body, "$defs": dict(sorted(named.items()))} if named else body


def _in_order_of_use(schema: JsonObject) -> Iterator[str]:
    definitions: dict[str, JsonObject] = schema.get("$defs", {})
    seen: set[str] = set()
    ahead = [_without_definitions(schema)]
    while ahead:
        for name in _references(ahead.pop(0)):
            if name in definitions and name not in seen:
                seen.add(name)
                ahead.append(definitions[name])
                yield name


def _without_definitions(schema: JsonObject) -> JsonObject:
    return {keyword: held for keyword, held in schema.items() if keyword != "$defs"}


def _reachable(name: str, definitions: Mapping[str, JsonObject]) -> set[str]:
    reached: set[str] = set()
    ahead = [name]
    while ahead:
        for reference in _references(definitions[ahead.pop()]):
            if reference not in reached:
                reached.add(reference)
                ahead.append(reference)
    return reached


def _references(schema: JsonObject) -> Iterator[str]:
    if name := _referred(schema):
        yield name
    for inner in subschemas(schema):
        yield from _references(inner)


def _referred(schema: JsonObject) -> str | None:
    ref = schema.get("$ref")
    return definition_name(ref) if isinstance(ref, str) else None
