"""What providers count in schemas, each under the name that a limit has in `rules`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from magic_tools.schema.walk import subschemas, types_of
from magic_tools.values import JsonObject

__all__ = ["MEASURES", "nodes_of"]

_MANY_VALUES = 250

Nodes: TypeAlias = Sequence[JsonObject]
"""A schema and all in it, itself first."""


def nodes_of(schema: JsonObject) -> Nodes:
    """A schema and all in it, itself first, as `MEASURES` take it."""
    nodes = [schema]
    for node in nodes:
        nodes.extend(subschemas(node))
    return nodes


def _levels(schema: JsonObject) -> int:
    """How deep objects and arrays lie in each other; each definition is counted by itself."""
    definitions = schema.get("$defs", {})
    body = {keyword: held for keyword, held in schema.items() if keyword != "$defs"} if definitions else schema
    own = 1 if {"object", "array"} & set(types_of(schema)) else 0
    return max(own + max(map(_levels, subschemas(body)), default=0), *map(_levels, definitions.values()), 0)


def _values(node: JsonObject) -> list[Any]:
    return [*node.get("enum", ()), *([node["const"]] if "const" in node else ())]


def _length(values: list[Any]) -> int:
    return sum(len(value if isinstance(value, str) else json.dumps(value)) for value in values)


def _characters(nodes: Nodes) -> int:
    names = sum(len(name) for node in nodes for name in (*node.get("properties", ()), *node.get("$defs", ())))
    return names + sum(_length(_values(node)) for node in nodes)


def _long_enum(nodes: Nodes) -> int:
    enums = (node["enum"] for node in nodes if "enum" in node)
    return max((_length(values) for values in enums if len(values) > _MANY_VALUES), default=0)


def _optional(node: JsonObject) -> int:
    return len(node.get("properties", {}).keys() - set(node.get("required", ())))


def _unions(node: JsonObject) -> int:
    held = node.get("properties", {}).values()
    return sum("anyOf" in schema or isinstance(schema.get("type"), list) for schema in held)


MEASURES: Mapping[str, Callable[[Nodes], int]] = {
    "levels": lambda nodes: _levels(nodes[0]),
    "properties": lambda nodes: sum(len(node.get("properties", ())) for node in nodes),
    "characters in names and enums": _characters,
    "enum values": lambda nodes: sum(len(node.get("enum", ())) for node in nodes),
    "characters in an enum of over 250 values": _long_enum,
    "strict tools": lambda _: 1,
    "optional parameters": lambda nodes: sum(map(_optional, nodes)),
    "parameters of union type": lambda nodes: sum(map(_unions, nodes)),
}
