"""Whether a text is JSON as it stands, and whether two JSON texts say the same, to the last digit."""

from __future__ import annotations

import json
from collections.abc import Hashable
from decimal import Decimal, InvalidOperation
from typing import Any

from jiter import from_json

from magic_tools.errors import ParseError
from magic_tools.loose.issues import path_text
from magic_tools.messages import Issue

__all__ = ["identity", "is_json", "is_plain_json"]


def is_json(text: str, whole: str) -> bool:
    """Whether a text, a part of `whole`, is JSON.

    ParseError where it is and cannot be taken: `ambiguous` if one object says two things under one
    key, `unparseable` if it is nested too deeply or is no valid Unicode.
    """
    return is_plain_json(text) or _is_json_to_python(text, whole)


def is_plain_json(text: str) -> bool:
    """Whether a text is JSON in which no key is said twice.

    False too for a key that says the same twice, and for what only Python's reader takes.
    """
    try:
        from_json(text.encode(), catch_duplicate_keys=True, cache_mode="none")
    except ValueError:
        return False
    return True


def _is_json_to_python(text: str, whole: str) -> bool:
    try:
        json.loads(text, object_pairs_hook=_distinct, parse_float=_number, parse_constant=_constant)
    except _Conflict as conflict:
        issue = Issue(path_text((conflict.key,)), "one value under the key", "two different values")
        raise ParseError("ambiguous", (issue,), whole) from None
    except (ValueError, RecursionError):
        return False
    try:
        from_json(text.encode())
    except ValueError:
        issue = Issue("", "JSON of at most 200 levels, in valid Unicode", "JSON that is not so")
        raise ParseError("unparseable", (issue,), whole) from None
    return True


def identity(text: str) -> Hashable:
    """A key that two JSON texts share if they say the same; `1` and `1.0` do, `1` and `true` do not."""
    return _identity(json.loads(text, parse_float=_number, parse_constant=_constant))


class _Conflict(Exception):  # noqa: N818 - leaves json.loads through its hook, and this module never
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members and _identity(members[key]) != _identity(value):
            raise _Conflict(key)
        members[key] = value
    return members


def _number(source: str) -> Decimal | tuple[str, str]:
    try:
        return Decimal(source)
    except InvalidOperation:  # an exponent that no Decimal has
        return ("number", source)


def _constant(name: str) -> tuple[str, str]:
    return ("number", name)


def _identity(value: Any) -> Hashable:
    match value:
        case dict():
            return ("object", frozenset((key, _identity(held)) for key, held in value.items()))
        case list():
            return ("array", tuple(map(_identity, value)))
        case bool():
            return ("boolean", value)
        case _:
            return value  # type: ignore[no-any-return]  # text, null, or a number
