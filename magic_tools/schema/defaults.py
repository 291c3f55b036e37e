"""Default values as JSON, so that the same default is the same text in every process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import PydanticUserError, Secret, SecretBytes, SecretStr, TypeAdapter
from pydantic_core import PydanticSerializationError, to_jsonable_python

from magic_tools.values import JsonValue

__all__ = ["json_default"]

_PLAIN = (str, bool, int, type(None))


def json_default(value: Any) -> JsonValue:
    """A default as JSON, sets in a fixed order.

    PydanticSerializationError for what JSON cannot hold, such as NaN, and for secrets, whose masked
    text is no value.
    """
    if type(value) in _PLAIN:
        return value  # type: ignore[no-any-return]  # just tested
    try:
        written = _written(TypeAdapter(type(value)).dump_python(value, by_alias=True))
        json.dumps(written, allow_nan=False)
    except (PydanticUserError, ValueError, TypeError, RecursionError) as error:
        raise PydanticSerializationError(f"JSON cannot hold the default {value!r}") from error
    return written  # type: ignore[no-any-return]  # pydantic made it JSON


def _written(value: Any) -> Any:
    match value:
        case Mapping():
            return {to_jsonable_python({key: None}).popitem()[0]: _written(held) for key, held in value.items()}
        case list() | tuple():
            return [_written(item) for item in value]
        case set() | frozenset():
            return sorted(map(_written, value), key=lambda item: json.dumps(item, sort_keys=True))
        case Secret() | SecretStr() | SecretBytes():
            raise ValueError("a secret")
        case _:
            return to_jsonable_python(value)
