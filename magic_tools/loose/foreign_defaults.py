"""What a JSON Schema says for values that are left out, put in their place."""

from __future__ import annotations

import copy
from typing import Any

from magic_tools.schema.kinds import fits
from magic_tools.schema.walk import resolve, subschemas
from magic_tools.values import JsonObject

__all__ = ["has_defaults", "with_defaults"]


def has_defaults(schema: JsonObject) -> bool:
    """Whether a default is stated anywhere in a schema."""
    ahead = [schema]
    for node in ahead:
        ahead += subschemas(node)
    return any("default" in node for node in ahead)


def with_defaults(value: Any, schema: Any, root: JsonObject) -> Any:
    """A value that fits a schema, with the defaults of what its objects leave out.

    What `properties`, `additionalProperties`, arrays, `allOf` and the first branch of a union that the value fits
    say counts, at every depth. A default is given as it stands, and one that its own schema refuses stands for
    nothing.
    """
    if not isinstance(schema, dict) or not isinstance(value, dict | list):
        return value
    schema = resolve(schema, root)
    for part in schema.get("allOf", ()):
        value = with_defaults(value, part, root)
    for branches in (schema.get("anyOf", ()), schema.get("oneOf", ())):
        meant = next((branch for branch in branches if isinstance(branch, dict) and fits(value, branch, root)), None)
        value = with_defaults(value, meant, root)
    if isinstance(value, list):
        first = schema.get("prefixItems", ())
        return [
            with_defaults(item, first[index] if index < len(first) else schema.get("items"), root)
            for index, item in enumerate(value)
        ]
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    filled = {key: with_defaults(held, properties.get(key, others), root) for key, held in value.items()}
    for key, held in properties.items():
        if key not in filled and (stated := _default_of(held, root)):
            filled[key] = copy.deepcopy(stated[0])
    return filled


def _default_of(schema: Any, root: JsonObject) -> list[Any]:
    """The default that a property has, also by a reference or an `allOf`; none where it does not fit."""
    if not isinstance(schema, dict):
        return []
    here = resolve(schema, root)
    if "default" in here:
        return [here["default"]] if fits(here["default"], schema, root) else []
    found = [held for part in here.get("allOf", ()) for held in _default_of(part, root)]
    return found[:1] if found and fits(found[0], schema, root) else []
