"""The data of a manifest as it is read: each part held to what it has to be, with its place in the error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

__all__ = ["DIGEST", "PIN_FIELDS", "dialects_in", "object_in", "schema_in", "text_in"]

PIN_FIELDS = (
    "id", "name", "version", "interface", "surface", "guards", "description", "input_schema", "output_schema"
)  # fmt: skip

DIGEST = re.compile("sha256:[0-9a-f]{64}")


def object_in(data: object, keys: frozenset[str], where: str) -> Mapping[str, Any]:
    """The data, if it is an object of these keys and no others."""
    if not isinstance(data, Mapping):
        raise DefinitionError(f"{where}: expected an object, got {data!r:.80}.")
    for fault, names in (("is missing", keys - set(data)), ("is unknown", set(data) - keys)):
        if names:
            raise DefinitionError(f"{where}: the key {sorted(map(str, names))[0]!r} {fault}.")
    return data


def text_in(held: Mapping[str, Any], key: str, where: str, form: re.Pattern[str] | None = None) -> str:
    """The text under a key."""
    text = held[key]
    if not isinstance(text, str) or (form is not None and not form.fullmatch(text)):
        wanted = "a text" if form is None else f"a digest ({form.pattern})"
        raise DefinitionError(f"{where}, {key}: expected {wanted}, got {text!r:.80}.")
    return text


def schema_in(held: Mapping[str, Any], key: str, where: str) -> JsonObject:
    """The JSON Schema under a key."""
    schema = held[key]
    if not isinstance(schema, dict):
        raise DefinitionError(f"{where}, {key}: expected a JSON Schema, got {schema!r:.80}.")
    return schema


def dialects_in(held: Mapping[str, Any], where: str) -> dict[str, str]:
    """The versions of the dialects' rules."""
    dialects = held["dialects"]
    if not isinstance(dialects, Mapping) or not all(isinstance(each, str) for each in dialects.values()):
        raise DefinitionError(f"{where}, dialects: expected versions by name, got {dialects!r:.80}.")
    return dict(dialects)
