"""JSON scalars: how they were written, and whether they are of a schema's type, form and choices."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from magic_tools.schema.forms import TextForm, text_form
from magic_tools.schema.walk import types_of
from magic_tools.values import JsonObject

__all__ = [
    "LENIENT_FORMATS",
    "choices_of",
    "is_chosen",
    "is_exact",
    "is_number",
    "is_of_type",
    "read_form",
]


LENIENT_FORMATS = frozenset({"fraction", "ipvanyaddress", "ipvanyinterface", "ipvanynetwork"})
"""Formats of texts in whose place pydantic reads numbers too, and some of them true and false."""


def is_exact(value: Any, schema: JsonObject) -> bool:
    """Whether a scalar is of a schema's very type: no integer for a number, no text for a date or a choice."""
    if isinstance(value, int) and not isinstance(value, bool) and "integer" not in types_of(schema):
        return False
    return not choices_of(schema) and text_form(schema) is None


@lru_cache
def _reader(of: Any) -> TypeAdapter[Any]:
    return TypeAdapter(of)


def read_form(form: TextForm, text: str) -> Any:
    """What pydantic makes of a text of a kind, or the text itself where it refuses it."""
    try:
        return _reader(form.type).validate_json(json.dumps(text), strict=True)
    except ValidationError:
        return text


KEY_READERS: Mapping[object, Callable[[str], object]] = {
    "uuid": UUID, "ipv4": IPv4Address, "ipv6": IPv6Address, "path": Path
}  # fmt: skip
"""What keys of a format stand for: two texts for one of these would be one key."""


def read_key(names: JsonObject, key: str) -> object:
    """What a key stands for by the schema of its object's keys, or the key itself where it is none of these."""
    try:
        return KEY_READERS.get(names.get("format"), str)(key)
    except ValueError:
        return key


def is_of_type(value: Any, schema: JsonObject) -> bool:
    """Whether a JSON value, of whatever kind, is of a type that a schema names; any is where it names none."""
    kinds = types_of(schema)
    return not kinds or not _kinds(value).isdisjoint(kinds)


def _kinds(value: Any) -> frozenset[str]:
    """The JSON Schema types that a value is of."""
    match value:
        case None:
            return frozenset({"null"})
        case bool():
            return frozenset({"boolean"})
        case int():
            return frozenset({"integer", "number"})
        case float():
            return frozenset({"number"})
        case str():
            return frozenset({"string"})
        case list():
            return frozenset({"array"})
        case _:
            return frozenset({"object"})


def choices_of(schema: JsonObject) -> list[Any]:
    """The values that a schema lists, none where it does not."""
    return [schema["const"]] if "const" in schema else schema.get("enum", [])


def is_chosen(value: Any, choices: list[Any]) -> bool:
    """Whether a value is among the choices, those of another kind of number not counted."""
    return any(_is_choice(value, choice) for choice in choices)


def _is_choice(value: Any, choice: Any) -> bool:
    """Whether a value is a choice: `true` is not 1, nor is 1.0, while 1 is 1.0 too."""
    if isinstance(choice, float):
        return is_number(value) and bool(value == choice)
    return (
        bool(value == choice) and isinstance(value, bool) is isinstance(choice, bool) and not isinstance(value, float)
    )


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number, which true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)
