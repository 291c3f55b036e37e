"""What providers count in schemas, each under the name that a limit has in `rules`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from magic_tools.schema.walk import subschemas, types_of
from magic_tools.values import JsonObject

__all__ = ["MEASURES", "nodes_of"]

_MANY_VALUES = 250

Nodes: TypeAlias = Sequence[tuple[int, JsonObject]]
"""A schema and all in it, itself first, each with how many objects and arrays lie in each other down to it."""


def nodes_of(schema: JsonObject) -> Nodes:
    """A schema and all in it as `MEASURES` take it; the levels of each definition are counted by themselves."""
    nodes: list[tuple[int, JsonObject]] = []
    ahead = [(0, schema)]
    while ahead:
        above, node = ahead.pop()
        level = above + (not _LEVELS.isdisjoint(types_of(node)))
        nodes.append((level, node))
        if "$defs" in node:
            ahead += [(0, held) for held in node["$defs"].values()]
            node = {keyword: held for keyword, held in node.items() if keyword != "$defs"}
        ahead += [(level, held) for held in subschemas(node)]
    return nodes


_LEVELS = frozenset({"object", "array"})


def _values(node: JsonObject) -> list[Any]:
    return [*node.get("enum", ()), *([node["const"]] if "const" in node else ())]


def _length(values: list[Any]) -> int:
    return sum(len(value if isinstance(value, str) else json.dumps(value)) for value in values)


def _characters(nodes: Nodes) -> int:
    names = sum(len(name) for _, node in nodes for name in (*node.get("properties", ()), *node.get("$defs", ())))
    return names + sum(_length(_values(node)) for _, node in nodes)


def _long_enum(nodes: Nodes) -> int:
    enums = (node["enum"] for _, node in nodes if "enum" in node)
    return max((_length(values) for values in enums if len(values) > _MANY_VALUES), default=0)


def _optional(node: JsonObject) -> int:
    return len(node.get("properties", {}).keys() - set(node.get("required", ())))


def _unions(node: JsonObject) -> int:
    held = node.get("properties", {}).values()
    return sum("anyOf" in schema or isinstance(schema.get("type"), list) for schema in held)


MEASURES: Mapping[str, Callable[[Nodes], int]] = {
    "levels": lambda nodes: max(level for level, _ in nodes),
    "properties": lambda nodes: sum(len(node.get("properties", ())) for _, node in nodes),
    "characters in names and enums": _characters,
    "enum values": lambda nodes: sum(len(node.get("enum", ())) for _, node in nodes),
    "characters in an enum of over 250 values": _long_enum,
    "strict tools": lambda _: 1,
    "optional parameters": lambda nodes: sum(_optional(node) for _, node in nodes),
    "parameters of union type": lambda nodes: sum(_unions(node) for _, node in nodes),
}
