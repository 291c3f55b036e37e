"""What a schema forbids, to the last limit, and what of that the library takes as it stands."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from magic_tools.schema.forms import DECIMAL
from magic_tools.schema.limits import LIMITS, X_DECIMAL
from magic_tools.schema.walk import map_schema
from magic_tools.tools.bad_inputs.text_limits import TextLimits
from magic_tools.values import JsonObject

__all__ = ["Referee", "referee", "widened"]

Referee: TypeAlias = Callable[[Any], bool]
"""Tells whether a schema allows a JSON value."""


def referee(schema: JsonObject) -> Referee:
    """The referee of a schema: its formats and the limits of its texts count too; ValueError if it is none."""
    import jsonschema_rs

    keywords: dict[str, Any] = {X_DECIMAL: _DecimalLimits, LIMITS: TextLimits}
    try:
        return jsonschema_rs.validator_for(schema, validate_formats=True, keywords=keywords, offline=True).is_valid
    except jsonschema_rs.ValidationError as error:
        raise ValueError(error.message) from error
    except jsonschema_rs.ReferencingError as error:
        raise ValueError(str(error)) from error


def widened(schema: JsonObject) -> JsonObject:
    """The schema of all that the library takes, without mending it, for a value of a schema."""

    def widen(node: JsonObject, _: str) -> JsonObject:
        for allow in _LET_BE.values():
            node = allow(node)
        return node

    return map_schema(schema, widen)


class _DecimalLimits:
    """The limits of a Decimal as a keyword; it holds texts to them, and numbers in place of such texts."""

    def __init__(self, _parent: object, limits: Mapping[str, str], _path: object) -> None:
        self._limits = [(_IS_BROKEN[name], Decimal(limit)) for name, limit in limits.items()]

    def validate(self, instance: object) -> None:
        """ValueError for a number, as such or as text, that is beyond a limit; the rest is for other keywords."""
        text = str(instance)
        if isinstance(instance, bool) or not DECIMAL.shape.fullmatch(text):
            return
        for is_broken, limit in self._limits:
            if is_broken(Decimal(text), limit):
                raise ValueError(f"{text} is beyond a limit of {limit}")


def _digits(number: Decimal) -> tuple[int, int]:
    """How many digits a number has in all, and after its point, but for zeros at its end."""
    _, digits, exponent = number.normalize(Context(prec=10_000)).as_tuple()
    places = max(-exponent, 0) if isinstance(exponent, int) else 0
    return max(len(digits) + (exponent if isinstance(exponent, int) and exponent > 0 else 0), places), places


_IS_BROKEN: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
    "minimum": operator.lt,
    "exclusiveMinimum": operator.le,
    "maximum": operator.gt,
    "exclusiveMaximum": operator.ge,
    "multipleOf": lambda number, limit: (Fraction(number) / Fraction(limit)).denominator != 1,
    "maxDigits": lambda number, limit: _digits(number)[0] > limit,
    "decimalPlaces": lambda number, limit: _digits(number)[1] > limit,
}


def _patterns_of_python(node: JsonObject) -> JsonObject:
    return {keyword: held for keyword, held in node.items() if (keyword, held) != ("format", "regex")}


def _items_twice(node: JsonObject) -> JsonObject:
    return {keyword: held for keyword, held in node.items() if keyword != "uniqueItems"}


_LET_BE: Mapping[str, Callable[[JsonObject], JsonObject]] = {
    "a regular expression is one of Python's, not of JSON Schema's": _patterns_of_python,
    "what is twice in a set is once": _items_twice,
}
"""Why something that a schema forbids is taken as it stands, and the schema with that allowed."""
