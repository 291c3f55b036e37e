"""A call as its model sent it: by the contract that the model knows, whether the tool was changed since or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from magic_tools.schema.forms import NAIVE_PATTERN, TIME_PATTERN
from magic_tools.schema.hidden import IdempotencyKey
from magic_tools.schema.walk import resolve
from magic_tools.tools.executable import Executable
from magic_tools.tools.idempotency import canonical_arguments, in_order, numbered
from magic_tools.tools.secrets import secrets_in
from magic_tools.values import JsonObject, JsonValue, digest

__all__ = ["Sent", "key_of", "sent"]

_MASK = "**********"
"""How pydantic writes a secret."""

_BY_FORMAT: Mapping[Any, TypeAdapter[Any]] = {
    "date-time": TypeAdapter(datetime),
    "date": TypeAdapter(date),
    "time": TypeAdapter(time),
    "duration": TypeAdapter(timedelta),
    "uuid": TypeAdapter(UUID),
}
_BY_PATTERN: Mapping[Any, TypeAdapter[Any]] = {
    NAIVE_PATTERN: _BY_FORMAT["date-time"],
    TIME_PATTERN: _BY_FORMAT["time"],
}


class Sent(NamedTuple):
    """By what a call is known again: its tool's name and promise, canonical arguments, and the secrets among them.

    A run that is pinned to an older version of the tool sends the same before and after the tool was changed.
    """

    name: str
    interface: str
    arguments: JsonValue
    secrets: tuple[str, ...]


def sent(target: Executable, values: Mapping[str, Any], old: JsonObject | None = None) -> Sent:
    """The call as it was sent; `old` are the arguments as the pinned version has them, where there is an adapter.

    ValueError, TypeError or RecursionError where a value has no JSON form.
    """
    upgrade = target.standing.upgrade
    if upgrade is None or old is None:
        data = canonical_arguments(target, values)
        if target.flat is not None and not target.is_open and isinstance(data, dict):
            data = data[target.flat]  # which is all that was sent
        return Sent(target.name, target.contract.interface_digest, data, secrets_in(values))
    pin, schema = upgrade.pin, upgrade.pin.input_schema or {}
    hidden = sorted(_secrets_of(old, schema, schema), key=lambda each: each[0])  # the nearest first, as of a tool's own
    data = numbered(in_order(_spelled(old, schema, schema), schema, schema))
    return Sent(pin.name, pin.interface, data, tuple(text for _, text in hidden))


def key_of(call: Sent, run_id: str) -> IdempotencyKey:
    """The key of a call: a digest of its run, its tool's promise, and its arguments."""
    return IdempotencyKey(digest([run_id, *call[:3], *call.secrets]))


def _spelled(data: JsonValue, schema: JsonObject, root: JsonObject) -> JsonValue:
    """A copy of the data in which times, ids and secrets are written as a typed argument is."""
    schema = resolve(schema, root)
    for branch in _branches(schema, root):
        data = _spelled(data, branch, root)
    if isinstance(data, list):
        return [_spelled(held, below, root) for held, below in _items(data, schema)]
    if isinstance(data, dict):
        return {key: _spelled(held, below, root) for key, held, below in _members(data, schema)}
    if not isinstance(data, str):
        return data
    if schema.get("writeOnly"):
        return _MASK
    adapter = _BY_FORMAT.get(schema.get("format")) or _BY_PATTERN.get(schema.get("pattern"))
    return data if adapter is None else _written(data, adapter)


def _secrets_of(data: JsonValue, schema: JsonObject, root: JsonObject, depth: int = 0) -> Iterator[tuple[int, str]]:
    """The secrets in the data, each with how deep it lies, in the order of the schema's properties."""
    schema = resolve(schema, root)
    if isinstance(data, str):
        if schema.get("writeOnly") or any(resolve(each, root).get("writeOnly") for each in _branches(schema, root)):
            yield depth, data
        return
    for branch in _branches(schema, root):
        yield from _secrets_of(data, branch, root, depth)
    if isinstance(data, list):
        for held, below in _items(data, schema):
            yield from _secrets_of(held, below, root, depth + 1)
    if isinstance(data, dict):
        places = {name: place for place, name in enumerate(schema.get("properties", {}))}
        for _, held, below in sorted(_members(data, schema), key=lambda each: places.get(each[0], len(places))):
            yield from _secrets_of(held, below, root, depth + 1)


def _branches(schema: JsonObject, root: JsonObject) -> list[JsonObject]:
    """The schemas any of which may be meant; of texts that may be one of several kinds none is."""
    found = [each for name in ("anyOf", "oneOf", "allOf") for each in schema.get(name, ())]
    texts = [each for each in found if resolve(each, root).get("type") == "string"]
    return found if len(texts) <= 1 else [each for each in found if each not in texts]


def _items(data: list[JsonValue], schema: JsonObject) -> Iterator[tuple[JsonValue, JsonObject]]:
    first = schema.get("prefixItems", ())
    for place, held in enumerate(data):
        yield held, _schema(first[place] if place < len(first) else schema.get("items"))


def _members(data: dict[str, JsonValue], schema: JsonObject) -> Iterator[tuple[str, JsonValue, JsonObject]]:
    named, others = schema.get("properties", {}), schema.get("additionalProperties")
    for key, held in data.items():
        yield key, held, _schema(named.get(key, others))


def _schema(below: object) -> JsonObject:
    return below if isinstance(below, dict) else {}


def _written(text: str, adapter: TypeAdapter[Any]) -> JsonValue:
    try:
        written: JsonValue = to_jsonable_python(adapter.validate_python(text))
    except ValidationError:  # it is no such thing to pydantic, and stays as it was sent
        return text
    return written
