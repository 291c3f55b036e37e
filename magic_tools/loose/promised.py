"""The schema of what a type writes, as written values are held to it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.networks import validate_email
from pydantic_core import PydanticCustomError

from magic_tools.loose.foreign import ForeignReader
from magic_tools.loose.issues import Finding
from magic_tools.schema.guard.guard import PATTERN_BYTES
from magic_tools.schema.walk import map_schema
from magic_tools.values import JsonObject

__all__ = ["Promise"]


def _reads(kind: type) -> Callable[[str], bool]:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)

    def is_one(text: str) -> bool:
        try:
            adapter.validate_json(json.dumps(text), strict=True)
        except ValidationError:
            return False
        return True

    return is_one


def _is_email(text: str) -> bool:
    try:
        validate_email(text)
    except PydanticCustomError:
        return False
    return True


# What a type writes under a format, it reads too, though the format itself may ask for more: a naive date and time has
# no offset, a duration may be negative, and addresses may have letters of any script.
_FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date-time": _reads(dt.datetime),
    "time": _reads(dt.time),
    "duration": _reads(dt.timedelta),
    "email": _is_email,
}


class Promise:
    """A canonical schema of one of our own types, and what in written JSON data is not as it says.

    A pattern that Python alone can match is left to the type.
    """

    def __init__(self, schema: JsonObject) -> None:
        self._reader = ForeignReader(schema, _validator)

    @cached_property
    def is_open(self) -> bool:
        """Whether it promises nothing."""
        return not self._reader.schema("output")

    def fits(self, data: Any) -> bool:
        """Whether data is as promised."""
        return self._reader.fits(data)

    def findings(self, data: Any) -> tuple[Finding, ...]:
        """What is wrong with data that is not."""
        return self._reader.findings(data)


def _validator(schema: JsonObject) -> Any:
    import jsonschema_rs

    def made(held: JsonObject) -> Any:
        return jsonschema_rs.Draft202012Validator(
            held,
            validate_formats=True,
            formats=dict(_FORMATS),
            pattern_options=jsonschema_rs.FancyRegexOptions(size_limit=PATTERN_BYTES),
            offline=True,
        )

    try:
        return made(schema)
    except jsonschema_rs.ValidationError:
        return made(map_schema(schema, lambda held, _: {key: held[key] for key in held if key != "pattern"}))
