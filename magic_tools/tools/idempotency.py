"""The arguments of a call in one form, by which two tries of it are known to be one."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from pydantic_core import to_jsonable_python

from magic_tools.schema.walk import resolve
from magic_tools.tools.executable import Executable
from magic_tools.tools.plain import plain_form
from magic_tools.values import JsonObject, JsonValue

__all__ = ["canonical_arguments", "in_order", "numbered"]


def canonical_arguments(target: Executable, values: Mapping[str, Any]) -> JsonValue:
    """The arguments as JSON data: those left out at their defaults, 1.0 as 1, secrets not shown."""
    data: JsonValue = to_jsonable_python(
        target.told(values), by_alias=True, inf_nan_mode="constants", bytes_mode="base64", fallback=plain_form
    )
    schema = target.arguments_schema
    if schema is None:
        return numbered(data)
    if target.flat is None or target.is_open or not isinstance(data, dict):
        return numbered(in_order(data, schema, schema))
    return numbered({target.flat: in_order(data[target.flat], schema, schema)})


def in_order(data: JsonValue, schema: JsonObject, root: JsonObject) -> JsonValue:
    """The data with the items of each set in one order, whatever the order in which Python keeps them."""
    schema = resolve(schema, root)
    for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        data = in_order(data, branch, root)
    if isinstance(data, list):
        first, rest = schema.get("prefixItems", ()), schema.get("items")
        items = [*first, *[rest] * (len(data) - len(first))]
        data = [
            in_order(held, item, root) if isinstance(item, dict) else held
            for held, item in zip_longest(data, items[: len(data)])
        ]
        return sorted(data, key=_text_of) if schema.get("uniqueItems") else data
    if isinstance(data, dict):
        named, others = schema.get("properties", {}), schema.get("additionalProperties")
        below = {key: named.get(key, others) for key in data}
        return {
            key: in_order(held, below[key], root) if isinstance(below[key], dict) else held
            for key, held in data.items()
        }
    return data


def _text_of(data: JsonValue) -> str:
    return json.dumps(data, sort_keys=True)


def numbered(data: JsonValue) -> JsonValue:
    """The data with whole numbers as integers, however they were written, and what is no JSON number as its name."""
    match data:
        case float() if not math.isfinite(data):
            return str(data)
        case float() if data.is_integer():
            return int(data)
        case list():
            return [numbered(held) for held in data]
        case dict():
            return {key: numbered(held) for key, held in data.items()}
        case _:
            return data
