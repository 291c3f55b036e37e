"""What providers count in schemas, each under the name that a limit has in `rules`."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from magic_tools.schema.walk import subschemas, types_of
from magic_tools.values import JsonObject

__all__ = ["MEASURES", "measured"]

MEASURES = (
    "levels",
    "properties",
    "characters in names and enums",
    "enum values",
    "characters in an enum of over 250 values",
    "strict tools",
    "optional parameters",
    "parameters of union type",
)

_MANY_VALUES = 250
_LEVELS = frozenset({"object", "array"})


def measured(schema: JsonObject) -> Counter[str]:
    """All measures of a schema; the levels of each of its definitions are counted by themselves."""
    counts = Counter({"strict tools": 1})
    ahead = [(0, schema)]
    while ahead:
        above, node = ahead.pop()
        level = above + (not _LEVELS.isdisjoint(types_of(node)))
        counts["levels"] = max(counts["levels"], level)
        if "properties" in node:
            _count_properties(node, counts)
        if "enum" in node or "const" in node:
            _count_values(node, counts)
        if "$defs" in node:
            counts["characters in names and enums"] += sum(map(len, node["$defs"]))
            ahead += [(0, held) for held in node["$defs"].values()]
            node = {keyword: held for keyword, held in node.items() if keyword != "$defs"}
        ahead += [(level, held) for held in subschemas(node)]
    return counts


def _count_properties(node: JsonObject, counts: Counter[str]) -> None:
    properties = node["properties"]
    counts["properties"] += len(properties)
    counts["characters in names and enums"] += sum(map(len, properties))
    counts["optional parameters"] += len(properties.keys() - set(node.get("required", ())))
    counts["parameters of union type"] += sum(
        "anyOf" in held or isinstance(held.get("type"), list) for held in properties.values()
    )


def _count_values(node: JsonObject, counts: Counter[str]) -> None:
    values = node.get("enum", [])
    length = sum(map(_length, values))
    counts["enum values"] += len(values)
    counts["characters in names and enums"] += length + (_length(node["const"]) if "const" in node else 0)
    if len(values) > _MANY_VALUES:
        name = "characters in an enum of over 250 values"
        counts[name] = max(counts[name], length)


def _length(value: Any) -> int:
    return len(value if isinstance(value, str) else json.dumps(value))
