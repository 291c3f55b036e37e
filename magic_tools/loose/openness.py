"""What a schema says of a text that may have been cut, or that is no JSON at all."""

from __future__ import annotations

from typing import Any

from magic_tools.loose.scalars import choices_of
from magic_tools.schema.forms import text_form
from magic_tools.schema.walk import resolve, types_of
from magic_tools.values import JsonObject

__all__ = ["has_all_fields", "takes_text"]


def takes_text(schema: JsonObject) -> bool:
    """Whether a schema asks for text of any kind, and for nothing else."""
    return types_of(schema) == ("string",) and not choices_of(schema) and text_form(schema) is None


def has_all_fields(value: Any, missing: int, schema: JsonObject, root: JsonObject) -> bool:
    """Whether an object whose last `missing` brackets were not closed has every field that could still come.

    No array and no object of any keys shows that.
    """
    for _ in range(missing):
        schema = resolve(schema, root)
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties")
        if not isinstance(value, dict) or not properties or isinstance(others, dict) or others is True:
            return False
        if not value.keys() >= properties.keys():
            return False
        last = next(reversed(value))
        held = properties.get(last)
        value, schema = value[last], held if isinstance(held, dict) else {}
    return True
