"""The key of a call, by which two tries of it are known to be one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from magic_tools.schema.hidden import IdempotencyKey
from magic_tools.tools.executable import Executable
from magic_tools.tools.plain import plain_form
from magic_tools.tools.secrets import secrets_in
from magic_tools.values import JsonValue, digest

__all__ = ["canonical_arguments", "key_of"]


def key_of(target: Executable, values: Mapping[str, Any], run_id: str) -> IdempotencyKey:
    """The key of a call: a digest of its run, its tool's contract, and its arguments."""
    told = [run_id, target.name, target.contract.interface_digest, canonical_arguments(target, values)]
    return IdempotencyKey(digest([*told, *secrets_in(values)]))


def canonical_arguments(target: Executable, values: Mapping[str, Any]) -> JsonValue:
    """The arguments as JSON data: those left out at their defaults, 1.0 as 1, secrets not shown."""
    data: JsonValue = to_jsonable_python(
        target.told(values), by_alias=True, inf_nan_mode="constants", bytes_mode="base64", fallback=plain_form
    )
    return _numbered(data)


def _numbered(data: JsonValue) -> JsonValue:
    """The data with whole numbers as integers, however they were written."""
    match data:
        case float() if data.is_integer():
            return int(data)
        case list():
            return [_numbered(held) for held in data]
        case dict():
            return {key: _numbered(held) for key, held in data.items()}
        case _:
            return data
