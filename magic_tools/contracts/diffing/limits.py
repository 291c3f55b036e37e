"""The limits of decimals, moments, durations and bytes, which no keyword of JSON Schema states of a text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import Any

from pydantic import TypeAdapter, ValidationError

__all__ = ["limits_within"]

# By word: whether it is a lower bound, and whether the bound itself is left out.
_BOUNDS: Mapping[str, tuple[bool, bool]] = {
    "minimum": (True, False),
    "exclusiveMinimum": (True, True),
    "minBytes": (True, False),
    "maximum": (False, False),
    "exclusiveMaximum": (False, True),
    "maxBytes": (False, False),
    "maxDigits": (False, False),
    "decimalPlaces": (False, False),
}
_TWINS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum"), ("minimum", "exclusiveMinimum")),
    **dict.fromkeys(("maximum", "exclusiveMaximum"), ("maximum", "exclusiveMaximum")),
}
_DURATION = TypeAdapter(timedelta)


def limits_within(sent: Mapping[str, str], taken: Mapping[str, str]) -> bool:
    """Whether all within some limits is within others; limits that cannot be compared are not."""
    return all(_is_kept(word, limit, sent) for word, limit in taken.items())


def _is_kept(word: str, limit: str, sent: Mapping[str, str]) -> bool:
    if sent.get(word) == limit:
        return True
    if word == "multipleOf" and word in sent:
        return _is_multiple(sent[word], limit)
    if word not in _BOUNDS:
        return False
    lower, is_open = _BOUNDS[word]
    for twin in _TWINS.get(word, (word,)):
        if twin in sent and _is_stricter(sent[twin], limit, lower, _BOUNDS[twin][1] or not is_open):
            return True
    return False


def _is_multiple(own: str, limit: str) -> bool:
    try:
        return (Fraction(own) / Fraction(limit)).denominator == 1
    except (ValueError, ZeroDivisionError):  # a schema from outside may state anything
        return False


def _is_stricter(own: str, limit: str, lower: bool, at_the_bound: bool) -> bool:
    mine, theirs = _value(own), _value(limit)
    try:
        return bool(mine > theirs if lower else mine < theirs) or (at_the_bound and bool(mine == theirs))
    except TypeError:  # a number and a moment, or moments with and without a zone
        return False


def _value(text: str) -> Any:
    """A limit as something that has an order."""
    for read in (Fraction, date.fromisoformat, datetime.fromisoformat, time.fromisoformat):
        try:
            return read(text)
        except (ValueError, ZeroDivisionError):
            continue
    try:
        return _DURATION.validate_python(text)
    except ValidationError:
        return None
