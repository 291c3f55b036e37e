"""Limits of dates, times, durations and bytes: which texts are within, and texts near them on either side."""

from __future__ import annotations

import base64
import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import TypeAdapter, ValidationError

from magic_tools.schema.forms import text_form
from magic_tools.schema.limits import LIMITS
from magic_tools.values import JsonObject

__all__ = ["beyond_limits", "keeps_limits", "near_limits"]

_LONGEST = 10_000

# What is next to a moment, by its type; the least step comes first.
_STEPS: Mapping[Any, tuple[dt.timedelta, ...]] = {
    dt.date: (dt.timedelta(days=1),),
    dt.datetime: (dt.timedelta(seconds=1), dt.timedelta(days=1)),
    dt.timedelta: (dt.timedelta(seconds=1), dt.timedelta(days=1)),
    dt.time: (dt.timedelta(seconds=1), dt.timedelta(minutes=1)),
}
# What is no day of the past, or of the future, for as long as anybody will run this.
_BEYOND_NOW: Mapping[str, str] = {"past": "2999-12-31", "future": "1999-12-31"}
_WORDS: Mapping[str, str] = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "now": "a moment in the {}",
    "minBytes": "at least {} bytes",
    "maxBytes": "at most {} bytes",
}
_IS_BROKEN: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, limit: value < limit,
    "exclusiveMinimum": lambda value, limit: value <= limit,
    "maximum": lambda value, limit: value > limit,
    "exclusiveMaximum": lambda value, limit: value >= limit,
    "minBytes": lambda value, limit: value < limit,
    "maxBytes": lambda value, limit: value > limit,
}


def keeps_limits(schema: JsonObject, text: str) -> bool:
    """Whether a text is within the limits that a schema states; one that is no value of the kind breaks none."""
    value = _value(schema, text)
    return value is None or not any(_is_broken(schema, name, limit, value) for name, limit in _limits(schema).items())


def near_limits(schema: JsonObject) -> Iterator[str]:
    """Texts at, beside and between the limits that a schema states; some of them are beyond one."""
    limits = _limits(schema)
    if "minBytes" in limits or "maxBytes" in limits:
        yield from (_bytes(int(limit)) for name, limit in limits.items() if name.endswith("Bytes"))
        return
    bounds = sorted(limit for name, text in limits.items() if (limit := _limit(schema, name, text)) is not None)
    steps = _STEPS.get(_kind(schema), ())
    moments = [*bounds, *(moved for bound in bounds for step in steps for moved in _beside(bound, step))]
    moments += [moved for low, high in pairwise(bounds) for moved in _beside(low, _distance(low, high) / 2)]
    for moment in moments:
        yield from _texts(moment)


def beyond_limits(schema: JsonObject) -> Iterator[tuple[str, str]]:
    """Texts beyond a limit that a schema states, each with what it asks for."""
    for name, limit in _limits(schema).items():
        if name == "now":
            day = _BEYOND_NOW[limit]
            texts = [day] if _kind(schema) is dt.date else [f"{day}T12:30:00Z", f"{day}T12:30:00"]
        elif name.endswith("Bytes"):
            count = int(limit) + (1 if name == "maxBytes" else -1)
            texts = [_bytes(count)] if 0 <= count <= _LONGEST else []
        else:
            texts = list(near_limits({**schema, LIMITS: {name: limit}}))
        for text in texts:
            if not keeps_limits({**schema, LIMITS: {name: limit}}, text):
                yield text, _WORDS[name].format(limit)


def _limits(schema: JsonObject) -> Mapping[str, str]:
    limits: Mapping[str, str] = schema.get(LIMITS, {})
    return {name: limit for name, limit in limits.items() if name in _WORDS}


def _kind(schema: JsonObject) -> Any:
    form = text_form(schema)
    return None if form is None else form.type


def _is_broken(schema: JsonObject, name: str, limit: str, value: Any) -> bool:
    if name == "now":
        now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
        moment = value if isinstance(value, dt.datetime) else dt.datetime.combine(value, now.time())
        return moment >= now if limit == "past" else moment <= now
    bound = _limit(schema, name, limit)
    return bound is not None and _IS_BROKEN[name](value, bound)


def _limit(schema: JsonObject, name: str, limit: str) -> Any:
    return int(limit) if name.endswith("Bytes") else None if name == "now" else _value(schema, limit)


def _value(schema: JsonObject, text: str) -> Any:
    """What a text stands for, to be compared; of bytes their number, of a moment with an offset that in UTC."""
    if "contentEncoding" in schema:
        try:
            return len(base64.urlsafe_b64decode(text.replace("+", "-").replace("/", "_")))
        except ValueError:
            return None
    if (kind := _kind(schema)) not in _STEPS:
        return None
    try:
        value = _adapter(kind).validate_python(text)
    except ValidationError:
        return None
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    return value.replace(tzinfo=None) if isinstance(value, dt.time) else value


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _beside(moment: Any, step: dt.timedelta) -> Iterator[Any]:
    """What is a step after a moment, and a step before it."""
    for move in (step, -step):
        try:
            if isinstance(moment, dt.time):
                yield (dt.datetime.combine(dt.date(2026, 11, 29), moment) + move).time()
            else:
                yield moment + move
        except OverflowError:
            continue  # there is nothing beyond the first and the last moment


def _distance(low: Any, high: Any) -> dt.timedelta:
    day = dt.date(2026, 11, 29)
    between = (dt.datetime.combine(day, each) if isinstance(each, dt.time) else each for each in (low, high))
    first, last = between
    distance: dt.timedelta = last - first
    return distance


def _texts(moment: Any) -> Iterator[str]:
    """A moment as text, and with an offset where it can have one: which of these a schema takes it says itself."""
    text: str = _adapter(type(moment)).dump_python(moment, mode="json")
    yield text
    if isinstance(moment, dt.datetime | dt.time):
        yield f"{text}Z"


def _bytes(count: int) -> str:
    return base64.b64encode(b"x" * min(count, _LONGEST)).decode()
