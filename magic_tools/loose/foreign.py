"""Values held to a JSON Schema from outside: plain JSON data, checked by jsonschema-rs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from pydantic_core import to_json

from magic_tools.loose.effort import takes_more_checks
from magic_tools.loose.foreign_defaults import has_defaults, with_defaults
from magic_tools.loose.foreign_issues import foreign_issues
from magic_tools.loose.guide import Guide, guide_of
from magic_tools.loose.issues import Finding, Place, shown, told
from magic_tools.loose.phrases import say
from magic_tools.loose.readers import Misfit
from magic_tools.messages import listed
from magic_tools.schema.emit import Side
from magic_tools.schema.guard.guard import PATTERN_BYTES, SchemaLimits, guard
from magic_tools.values import JsonObject

__all__ = ["ForeignReader", "foreign_reader"]

_MOST_CHECKS = 10_000
"""How many checks it may take to say what is wrong; each costs some tens of microseconds."""


def foreign_reader(schema: Any, *, where: str, limits: SchemaLimits | None = None) -> ForeignReader:
    """The reader of a JSON Schema that anybody may have written; DefinitionError where the guard refuses it."""
    return ForeignReader(guard(schema, where=where, limits=limits))


class ForeignReader:
    """A canonical schema that a guard has passed, as the ladder needs it.

    Formats count. What its objects do not declare they take as far as the schema itself allows. A value
    is what `json.loads` gives, but for whole numbers such as `1.0`, which are integers to the last digit: no
    Decimal, no date; numbers that no float can hold are refused. Defaults stand for what is left out, unless
    the value would then not fit.
    """

    def __init__(self, schema: JsonObject, validator_of: Callable[[JsonObject], Any] | None = None) -> None:
        self._schema = schema
        self._validator = (validator_of or _validator)(schema)

    @cached_property
    def _has_defaults(self) -> bool:
        return has_defaults(self._schema)

    @cached_property
    def guide(self) -> Guide:
        """What may be mended in a value that does not fit."""
        return replace(guide_of(self._schema, closed=False), guards=frozenset())  # jsonschema-rs leaves none open

    def schema(self, side: Side) -> JsonObject:  # noqa: ARG002 - the same for what is read and what is written
        """The canonical schema, as the guard made it."""
        return self._schema

    def read(self, text: str) -> Any:
        """The JSON value of a text; Misfit where the schema forbids it."""
        value = json.loads(text, parse_float=_number, parse_constant=_finite)
        try:
            fits = self.fits(value)
        except UnicodeEncodeError:
            raise Misfit(lambda: (Finding((), say("text in valid Unicode"), say("text that is not so")),)) from None
        if not fits:
            raise Misfit(lambda: self.findings(value))
        if not self._has_defaults:
            return value
        filled = with_defaults(value, self._schema, self._schema)
        return filled if self.fits(filled) else value

    def fits(self, value: Any) -> bool:
        """Whether JSON data is what the schema allows."""
        return bool(self._validator.is_valid(value))

    def strangers(self, value: Any) -> tuple[Place, ...]:  # noqa: ARG002 - its findings say all that there is to say
        """None that the schema would not name."""
        return ()

    asks_more = False

    def unheld(self, value: Any) -> tuple[Place, ...]:  # noqa: ARG002 - a schema is all that there is
        """None."""
        return ()

    def write(self, value: Any, fallback: Callable[[Any], Any] | None = None) -> str:
        """The JSON text of a value; ValueError if the schema forbids it.

        What JSON has no type for, such as a date or a dataclass, is written as pydantic writes it.
        """
        text = to_json(value, by_alias=True, inf_nan_mode="constants", bytes_mode="base64", fallback=fallback).decode()
        try:
            self.read(text)
        except Misfit as misfit:
            raise ValueError(listed(told(misfit.findings, "en"))) from None
        return text

    def findings(self, value: Any) -> tuple[Finding, ...]:
        """What is wrong with JSON data that does not fit."""
        if not takes_more_checks(value, self._schema, _MOST_CHECKS):
            with suppress(RecursionError, ValueError):  # what jsonschema-rs raises of a value too deep for it, too
                return foreign_issues(self._validator.iter_errors(value), self.guide)
        got = shown(value, secret=self.guide.secrets.cover((), misplaced=True))
        return (Finding((), say("a value that fits its schema"), got),)


def _validator(schema: JsonObject) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(
        schema,
        validate_formats=True,
        pattern_options=jsonschema_rs.RegexOptions(size_limit=PATTERN_BYTES),
        offline=True,
    )


def _number(source: str) -> float | int:
    """A number with a point or an exponent, as an integer where it has no fraction: to JSON Schema they are one."""
    number = _finite(source)
    if not number.is_integer():
        return number
    exact = Decimal(source)
    return int(exact) if exact == exact.to_integral_value() else number


def _finite(source: str) -> float:
    number = float(source)
    if not math.isfinite(number):
        raise Misfit(lambda: (Finding((), say("numbers that a 64-bit float can hold"), shown(source)),))
    return number
