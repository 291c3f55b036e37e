"""The fields of pydantic's object schemas, and the keys under which JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic.errors import PydanticInvalidForJsonSchema

__all__ = ["field_keys", "fields_of"]


def fields_of(schema: Any) -> Mapping[str, Any]:
    """The fields of a model, dataclass or TypedDict by name, from its core schema."""
    while "fields" not in schema or schema["type"] == "dataclass":  # validators stand around the fields
        if "schema" not in schema:
            return {}
        schema = schema["schema"]
    fields = schema["fields"]
    return fields if isinstance(fields, dict) else {field["name"]: field for field in fields}


def field_keys(name: str, field: Any, *, reading: bool) -> list[str]:
    """The keys that a field is read from, or the one that it is written under; its schema names the first.

    PydanticInvalidForJsonSchema where it is only read from deeper inside, which no schema can state.
    """
    if not reading:
        return [field.get("serialization_alias", name)]
    alias = field.get("validation_alias", name)
    if isinstance(alias, str):
        return [alias]
    keys = [path[0] for path in alias if isinstance(path, list) and len(path) == 1]
    if not keys:
        raise PydanticInvalidForJsonSchema(f"the field {name!r} is read from inside another (AliasPath)")
    return keys
