"""Unions whose branches are told apart by a key."""

from __future__ import annotations

import functools

from magic_tools.schema.walk import definition_name, map_schema
from magic_tools.values import JsonObject

__all__ = ["require_tags"]


def require_tags(schema: JsonObject) -> JsonObject:
    """A schema in which every branch of a union by a tag requires it, as pydantic does whatever its default is."""
    wanted: dict[str, list[str]] = {}

    def require(node: JsonObject, _: str) -> JsonObject:
        tag = node.get("discriminator", {}).get("propertyName")
        if tag is None:
            return node
        for branch in node["oneOf"]:
            if "$ref" in branch:
                wanted.setdefault(definition_name(branch["$ref"]), []).append(tag)
        return {**node, "oneOf": [_requiring(branch, tag) for branch in node["oneOf"]]}

    written = map_schema(schema, require)
    for name, tags in wanted.items():
        written["$defs"][name] = functools.reduce(_requiring, tags, written["$defs"][name])
    return written


def _requiring(schema: JsonObject, tag: str) -> JsonObject:
    properties = schema.get("properties", {})
    if tag not in properties:
        return schema
    told = {keyword: held for keyword, held in properties[tag].items() if keyword != "default"}
    required = schema.get("required", [])
    return {
        **schema,
        "properties": {**properties, tag: told},
        "required": required if tag in required else [name for name in properties if name == tag or name in required],
    }
