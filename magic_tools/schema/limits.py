"""Limits that no keyword of JSON Schema can state of a text: in words for a reader, and as data to compare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from magic_tools.schema.wording import WORDS
from magic_tools.values import JsonObject

__all__ = ["AMOUNT", "BYTES", "DECIMAL", "INTEGER", "LIMITS", "MOMENT", "UUID", "X_DECIMAL", "with_limits"]

X_DECIMAL = "x-decimal"
"""What a Decimal is held to; its description says it in words."""

LIMITS = "x-limits"
"""What a date, a time, a duration, a UUID or bytes are held to; the description says it in words."""

_Limits = Mapping[str, tuple[str, str]]

# By pydantic's name: the keyword, and the words for it.
AMOUNT: _Limits = {
    "ge": ("minimum", "at least {}"),
    "gt": ("exclusiveMinimum", "more than {}"),
    "le": ("maximum", "at most {}"),
    "lt": ("exclusiveMaximum", "less than {}"),
}
INTEGER: _Limits = {**AMOUNT, "multiple_of": ("multipleOf", "a multiple of {}")}
DECIMAL: _Limits = {
    **INTEGER,
    "max_digits": ("maxDigits", "at most {} digits"),
    "decimal_places": ("decimalPlaces", "at most {} decimal places"),
}
MOMENT: _Limits = {
    "ge": ("minimum", "from {} on"),
    "gt": ("exclusiveMinimum", "after {}"),
    "le": ("maximum", "until {}"),
    "lt": ("exclusiveMaximum", "before {}"),
    "now_op": ("now", "in the {}"),
}
UUID: _Limits = {"version": ("version", "a UUID of version {}")}
BYTES: _Limits = {"min_length": ("minBytes", "at least {} bytes"), "max_length": ("maxBytes", "at most {} bytes")}


def with_limits(
    written: JsonObject, schema: Mapping[str, Any], known: _Limits, *, keyword: str = LIMITS, kind: str = ""
) -> JsonObject:
    """A schema with what its core schema holds a value to; `kind` is what the words begin with."""
    limits = [(key, str(to_jsonable_python(limit))) for key, limit in schema.items() if key in known]
    if not limits:
        return written
    words = ", ".join(known[key][1].format(limit) for key, limit in limits)
    told = f"{kind}: {words}." if kind else f"{words[0].upper()}{words[1:]}."
    return {**written, keyword: dict(sorted((known[key][0], limit) for key, limit in limits)), WORDS: [told]}
