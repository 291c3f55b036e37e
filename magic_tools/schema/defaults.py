"""Default values as JSON, so that the same default is the same text in every process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import PydanticUserError, Secret, SecretBytes, SecretStr, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from magic_tools.errors import DefinitionError
from magic_tools.schema.binary import base64_text
from magic_tools.values import JsonValue

__all__ = ["check_defaults", "json_default"]

_PLAIN = (str, bool, int, type(None))


def json_default(value: Any) -> JsonValue:
    """A default as JSON, sets in a fixed order.

    PydanticSerializationError for what JSON cannot hold, such as NaN, and for secrets, whose masked
    text is no value.
    """
    kind: Any = type(value)
    if kind in _PLAIN:
        return value  # type: ignore[no-any-return]  # just tested
    try:
        written = _written(_writer(kind).dump_python(value, by_alias=True))
        json.dumps(written, allow_nan=False)
    except (PydanticUserError, ValueError, TypeError, RecursionError) as error:
        raise PydanticSerializationError(f"JSON cannot hold the default {value!r}") from error
    return written  # type: ignore[no-any-return]  # pydantic made it JSON


def check_defaults(adapter: TypeAdapter[Any], defaults: Mapping[str, Any], *, where: str) -> set[str]:
    """The names of the defaults that are no values of their annotations although they may stand there: None.

    Python has None for "absent". A value is not told apart from one that pydantic would make the right type
    of. DefinitionError, naming the parameter, if an adapter of arguments by name refuses any other default.
    """
    absent: set[str] = set()
    try:
        adapter.validate_python(dict(defaults))
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_context=False):
            name = str(detail["loc"][0]) if detail["loc"] else ""
            if name not in defaults or detail["type"] == "missing":
                continue
            if defaults[name] is not None:
                raise DefinitionError(
                    f"{where}: parameter '{name}' has the default {defaults[name]!r}, which its own annotation refuses "
                    f"({detail['msg']}). Change one of the two."
                ) from None
            absent.add(name)
    return absent


@lru_cache(maxsize=128)
def _writer(of: Any) -> TypeAdapter[Any]:
    return TypeAdapter(of)


def _written(value: Any) -> Any:
    match value:
        case Mapping():
            return {_key(key): _written(held) for key, held in value.items()}
        case list() | tuple():
            return [_written(item) for item in value]
        case set() | frozenset():
            return sorted(map(_written, value), key=lambda item: json.dumps(item, sort_keys=True))
        case bytes():
            return base64_text(value)
        case Secret() | SecretStr() | SecretBytes():
            raise ValueError("a secret")
        case _:
            return to_jsonable_python(value)


def _key(key: Any) -> str:
    return base64_text(key) if isinstance(key, bytes) else str(to_jsonable_python({key: None}).popitem()[0])
