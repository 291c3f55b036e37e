"""Whether a text is JSON as it stands, and whether two JSON values say the same, to the last digit."""

from __future__ import annotations

import json
from collections.abc import Hashable
from decimal import Decimal, InvalidOperation
from typing import Any

from jiter import from_json

from magic_tools.loose.issues import Place
from magic_tools.loose.sources import SourceFloat, SourceInt, source_of

__all__ = [
    "DECODER",
    "ConflictError",
    "conflict_place",
    "distinct",
    "identity",
    "is_plain_json",
    "levels_of",
    "read_json",
    "same",
]


class ConflictError(Exception):
    """One object says two things under one key."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def is_plain_json(text: str) -> bool:
    """Whether a text is JSON in which no key is said twice.

    False too for a key that says the same twice, and for what only Python's reader takes.
    """
    try:
        from_json(text.encode(), catch_duplicate_keys=True, cache_mode="keys")
    except ValueError:
        return False
    return True


def read_json(text: str) -> Any:
    """The value of a JSON text, its numbers as they were written.

    ValueError where it is none, ConflictError where a key says two things, RecursionError where it is too deep.
    """
    return DECODER.decode(text)


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object; ConflictError if a key stands for two values."""
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    members = {}
    for key, value in pairs:
        if key in members and not same(members[key], value):
            raise ConflictError(key)
        members[key] = value
    return members


class _Conflict:
    """Stands for an object in which a key says two things."""

    def __init__(self, key: str) -> None:
        self.key = key


def conflict_place(text: str, key: str) -> Place:
    """Where in the JSON that a text begins with a key says two things; the key alone if that is not known."""
    try:
        value, _ = _MARKING.raw_decode(text)
    except (ValueError, RecursionError):
        return (key,)
    left: list[tuple[Place, Any]] = [((), value)]
    while left:
        place, held = left.pop()
        match held:
            case _Conflict():
                return (*place, held.key)
            case dict():
                left += [((*place, name), inner) for name, inner in held.items()]
            case list():
                left += [((*place, index), inner) for index, inner in enumerate(held)]
    return (key,)


def _marked(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Conflict:
    try:
        return distinct(pairs)
    except ConflictError as conflict:
        return _Conflict(conflict.key)


_MARKING = json.JSONDecoder(parse_int=str, object_pairs_hook=_marked)


def same(left: Any, right: Any) -> bool:
    """Whether two values say the same; those too deep to be compared do not."""
    try:
        return identity(left) == identity(right)
    except RecursionError:
        return False


def identity(value: Any) -> Hashable:
    """A key that two JSON values share if they say the same; `1` and `1.0` do, `1` and `true` do not."""
    match value:
        case dict():
            return ("object", frozenset((key, identity(held)) for key, held in value.items()))
        case list():
            return ("array", tuple(map(identity, value)))
        case bool():
            return ("boolean", value)
        case float():
            return _number(source_of(value))
        case str():
            return str(value)
        case _:
            return value  # type: ignore[no-any-return]  # null or an integer


def _whole_number(source: str) -> int:
    return SourceInt(source, 0) if source == "-0" else int(source)


DECODER = json.JSONDecoder(
    parse_float=SourceFloat, parse_int=_whole_number, parse_constant=SourceFloat, object_pairs_hook=distinct
)
"""Python's own reader, with numbers as they were written, for objects that say one thing under a key."""


def levels_of(value: Any) -> int:
    """How many objects and arrays stand around the innermost one, itself included."""
    levels, layer = 0, [value]
    while layer := [held for held in layer if isinstance(held, dict | list)]:
        levels += 1
        layer = [inner for held in layer for inner in (held.values() if isinstance(held, dict) else held)]
    return levels


def _number(source: str) -> Hashable:
    try:
        number = Decimal(source)
    except InvalidOperation:  # an exponent that no Decimal has
        return ("number", source)
    return number if number.is_finite() else ("number", str(number))
