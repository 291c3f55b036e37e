"""What a schema forbids, to the last limit, and what of that the library may read all the same."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from magic_tools.loose.scalars import choices_of
from magic_tools.schema.forms import DECIMAL, text_form
from magic_tools.schema.limits import LIMITS, X_DECIMAL
from magic_tools.schema.walk import map_schema, resolve, types_of
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
    """The schema of all that the library takes or may take for a value of a schema.

    What it forbids must be refused, whichever readings are built.
    """

    def widen(node: JsonObject, _: str) -> JsonObject:
        for reading in _READINGS.values():
            node = reading(node, schema)
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


_DEPENDENT = ("dependentRequired", "dependentSchemas")


def _or(node: JsonObject, other: JsonObject) -> JsonObject:
    return {"anyOf": [node, other]}


def _quoted_booleans(node: JsonObject, _: JsonObject) -> JsonObject:
    return _or(node, {"type": "string", "pattern": "^(?i:true|false)$"}) if "boolean" in types_of(node) else node


def _digits_in_text(node: JsonObject, _: JsonObject) -> JsonObject:
    is_number = not {"integer", "number"}.isdisjoint(types_of(node))
    return _or(node, {"type": "string", "pattern": "^-?[0-9]+([.][0-9]+)?$"}) if is_number else node


def _numbers_for_text(node: JsonObject, _: JsonObject) -> JsonObject:
    form = text_form(node)
    if "string" not in types_of(node) or "format" in node or (form is not None and form is not DECIMAL):
        return node  # the digits of a number are no date and no UUID
    number: JsonObject = {"type": "number"}
    if choices := choices_of(node):
        number["enum"] = [json.loads(text) for text in choices if isinstance(text, str) and text.isdecimal()]
    elif form is DECIMAL and X_DECIMAL in node:
        number[X_DECIMAL] = node[X_DECIMAL]
    return node if number.get("enum") == [] else _or(node, number)


def _null_for_nothing(node: JsonObject, _: JsonObject) -> JsonObject:
    needed = node.get("required", ())
    properties = {
        name: held if name in needed else _or(held, {"type": "null"})
        for name, held in node.get("properties", {}).items()
    }
    return {**node, "properties": properties} if properties else node


def _null_asks_for_nothing(node: JsonObject, _: JsonObject) -> JsonObject:
    asking = [(name, keyword) for keyword in _DEPENDENT for name in node.get(keyword, ())]
    if not asking:
        return node
    kept = {keyword: held for keyword, held in node.items() if keyword not in _DEPENDENT}
    return {"allOf": [kept, *(_unless_null(name, keyword, node[keyword][name]) for name, keyword in asking)]}


def _unless_null(name: str, keyword: str, held: Any) -> JsonObject:
    return _or({keyword: {name: held}}, {"properties": {name: {"type": "null"}}, "required": [name]})


def _nothing_for_null(node: JsonObject, root: JsonObject) -> JsonObject:
    properties = node.get("properties", {})
    needed = [name for name in node.get("required", ()) if not _is_nullable(properties.get(name, {}), root)]
    return {**node, "required": needed} if "required" in node else node


def _is_nullable(schema: JsonObject, root: JsonObject, passed: tuple[str, ...] = ()) -> bool:
    """Whether a schema names null; one that takes anything does not."""
    if schema.get("$ref") in passed:
        return False
    passed = (*passed, *([schema["$ref"]] if "$ref" in schema else []))
    schema = resolve(schema, root)
    branches = (*schema.get("anyOf", ()), *schema.get("oneOf", ()))
    named = "null" in types_of(schema) or None in choices_of(schema)
    return named or any(_is_nullable(branch, root, passed) for branch in branches)


def _patterns_of_python(node: JsonObject, _: JsonObject) -> JsonObject:
    return {keyword: held for keyword, held in node.items() if (keyword, held) != ("format", "regex")}


def _items_twice(node: JsonObject, _: JsonObject) -> JsonObject:
    return {keyword: held for keyword, held in node.items() if keyword != "uniqueItems"}


def _any_branch(node: JsonObject, _: JsonObject) -> JsonObject:
    return {"anyOf" if keyword == "oneOf" else keyword: held for keyword, held in node.items()}


_READINGS: Mapping[str, Callable[[JsonObject, JsonObject], JsonObject]] = {
    "true and false may be quoted, in any case": _quoted_booleans,
    "clean digits in text are the number": _digits_in_text,
    "a bare number is the text of its source digits, and so a Decimal": _numbers_for_text,
    "null for what may be absent is absent": _null_for_nothing,
    "what is absent asks for nothing beside it": _null_asks_for_nothing,
    "a required value that may be null and is left out is null": _nothing_for_null,
    "a regular expression is one of Python's, not of JSON Schema's": _patterns_of_python,
    "what is twice in a set is once": _items_twice,
    "a value widened by the readings above may fit two branches, and is of one": _any_branch,
}
"""Why something that a schema forbids is not refused, or may come to be read, and the schema with that allowed."""
