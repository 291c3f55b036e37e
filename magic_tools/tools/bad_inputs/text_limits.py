"""Limits of dates, times, durations, whole numbers, UUIDs and bytes as texts: which texts are within, which beyond."""

from __future__ import annotations

import base64
import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from magic_tools.schema.forms import text_form
from magic_tools.schema.limits import LIMITS
from magic_tools.values import JsonObject

__all__ = ["TextLimits", "beyond_limits", "near_limits"]

_MOST_BYTES = 10_000
_SOME_DAY = dt.date(2026, 11, 29)

# What is next to a value, by its type; the least step comes first.
_STEPS: Mapping[Any, tuple[Any, ...]] = {
    int: (1,),
    dt.date: (dt.timedelta(days=1),),
    dt.datetime: (dt.timedelta(seconds=1), dt.timedelta(days=1)),
    dt.timedelta: (dt.timedelta(seconds=1), dt.timedelta(days=1)),
    dt.time: (dt.timedelta(seconds=1), dt.timedelta(minutes=1)),
}
# A day that is not past, or not to come, for as long as anybody will run this.
_BEYOND_NOW: Mapping[str, str] = {"past": "2999-12-31", "future": "1999-12-31"}
_OTHER_UUIDS = ("12345678-9abc-4def-8123-456789abcdef", "12345678-9abc-1def-8123-456789abcdef")

_Broken = Callable[[Any, Any], bool]

# By name of a limit: what it asks for, and whether a value breaks it.
_MEANT: Mapping[str, tuple[str, _Broken]] = {
    "minimum": ("at least {}", lambda value, limit: bool(value < limit)),
    "exclusiveMinimum": ("more than {}", lambda value, limit: bool(value <= limit)),
    "maximum": ("at most {}", lambda value, limit: bool(value > limit)),
    "exclusiveMaximum": ("less than {}", lambda value, limit: bool(value >= limit)),
    "multipleOf": ("a multiple of {}", lambda value, limit: bool(value % limit)),
    "minBytes": ("at least {} bytes", lambda value, limit: bool(value < limit)),
    "maxBytes": ("at most {} bytes", lambda value, limit: bool(value > limit)),
    "version": ("a UUID of version {}", lambda value, limit: bool(value != limit)),
    "now": ("a moment in the {}", lambda value, limit: _is_past(value) is not (limit == "past")),
}


class TextLimits:
    """The limits of a text as a keyword of JSON Schema."""

    def __init__(self, schema: Mapping[str, Any], limits: Mapping[str, str], _path: object) -> None:
        self._schema = dict(schema)
        read = {name: limit if name == "now" else _value(self._schema, name, limit) for name, limit in limits.items()}
        self._limits = {name: limit for name, limit in read.items() if name in _MEANT and limit is not None}

    def validate(self, instance: object) -> None:
        """ValueError for a text beyond a limit; one that is no value of the kind is for other keywords."""
        for name, limit in self._limits.items():
            value = _of_text(self._schema, instance) if isinstance(instance, str) else None
            if value is not None and _MEANT[name][1](value, limit):
                raise ValueError(f"{instance} is not {_MEANT[name][0].format(limit)}")


def near_limits(schema: JsonObject) -> Iterator[str]:
    """Texts at, beside and between the limits that a schema states; some of them are beyond one."""
    limits: Mapping[str, str] = schema.get(LIMITS, {})
    yield from (_bytes(int(limit)) for name, limit in limits.items() if name.endswith("Bytes"))
    stated = [limit for name, limit in limits.items() if name.endswith("imum")]
    bounds = sorted(value for limit in stated if (value := _of_text(schema, limit)) is not None)
    yield from (text for bound in bounds for text in _texts(bound))
    for bound in bounds:
        for step in _STEPS[type(bound)]:
            yield from (text for moved in _beside(bound, step) for text in _texts(moved))
    for low, high in pairwise(bounds):
        yield from (text for moved in _beside(low, _distance(low, high) // 2) for text in _texts(moved))


def beyond_limits(schema: JsonObject) -> Iterator[tuple[str, str]]:
    """Texts beyond a limit that a schema states, each with what that asks for."""
    for name, limit in schema.get(LIMITS, {}).items():
        alone = {**schema, LIMITS: {name: limit}}
        keyword = TextLimits(alone, alone[LIMITS], None)
        for text in _tried(alone, name, limit):
            try:
                keyword.validate(text)
            except ValueError:
                yield text, _MEANT[name][0].format(limit)


def _tried(schema: JsonObject, name: str, limit: str) -> Iterator[str]:
    match name:
        case "now":
            day = _BEYOND_NOW[limit]
            yield from (day, f"{day}T12:30:00Z", f"{day}T12:30:00")
        case "version":
            yield from _OTHER_UUIDS
        case "multipleOf":
            yield f"{int(limit) + 1}"
        case "minBytes" | "maxBytes":
            yield _bytes(int(limit) + (1 if name == "maxBytes" else -1))
        case _:
            yield from near_limits(schema)


def _value(schema: JsonObject, name: str, limit: str) -> Any:
    return int(limit) if name in ("multipleOf", "minBytes", "maxBytes", "version") else _of_text(schema, limit)


def _of_text(schema: JsonObject, text: str) -> Any:
    """What of a text is compared: of bytes their number, of a UUID its version, of a moment that in UTC."""
    if schema.get("format") == "uuid":
        return _read(UUID, text, lambda value: value.version)
    if "contentEncoding" in schema:
        return _read(str, text, lambda value: len(base64.b64decode(value, altchars=b"-_" if "-" in text else None)))
    form = text_form(schema)
    return _read(form.type, text, _comparable) if form is not None and form.type in _STEPS else None


def _read(kind: Any, text: str, measure: Callable[[Any], Any]) -> Any:
    try:
        return measure(_adapter(kind).validate_python(text))
    except (ValidationError, ValueError):
        return None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _comparable(value: Any) -> Any:
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    return value.replace(tzinfo=None) if isinstance(value, dt.time) else value


def _is_past(value: Any) -> bool:
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    return bool(value < (now if isinstance(value, dt.datetime) else now.date()))


def _beside(value: Any, step: Any) -> Iterator[Any]:
    """What is a step after a value, and a step before it."""
    for move in (step, -step):
        try:
            yield (dt.datetime.combine(_SOME_DAY, value) + move).time() if isinstance(value, dt.time) else value + move
        except OverflowError:
            continue  # there is nothing beyond the first and the last moment


def _distance(low: Any, high: Any) -> Any:
    if isinstance(low, dt.time):
        return dt.datetime.combine(_SOME_DAY, high) - dt.datetime.combine(_SOME_DAY, low)
    return high - low


def _texts(value: Any) -> Iterator[str]:
    """A value as text, and with an offset where it can have one: which of these a schema takes it says itself."""
    text = str(to_jsonable_python(value))
    yield text
    match value:
        case dt.datetime() | dt.time():
            yield f"{text}Z"
        case dt.timedelta():  # RFC 3339, appendix A, lets no part be left out between two others
            yield f"P{value.days}DT0H0M{value.seconds}S"


def _bytes(count: int) -> str:
    return base64.b64encode(b"x" * max(0, min(count, _MOST_BYTES))).decode()
