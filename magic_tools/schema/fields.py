"""The fields of pydantic's object schemas: what their classes say of them, and the keys under which JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ForwardRef

from pydantic.errors import PydanticInvalidForJsonSchema
from typing_extensions import get_type_hints, is_typeddict

__all__ = ["class_hints", "field_keys", "fields_of"]


def class_hints(cls: type) -> dict[str, Any]:
    """The annotations of a class's fields, resolved and with their metadata; none where a name is not known."""
    if is_typeddict(cls):  # which has those of its bases too
        stated = dict(cls.__annotations__)
        if not any(isinstance(hint, str | ForwardRef) for hint in stated.values()):
            return stated
    for names in (None, {cls.__name__: cls}):  # a class in a function does not find itself by name
        with suppress(NameError):
            return get_type_hints(cls, localns=names, include_extras=True)
    return {}


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
