"""A JSON value taken for one of another type that it stands for beyond doubt: each way by itself."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any, NamedTuple

from magic_tools.loose.readings import Damage, Reading
from magic_tools.loose.repair import read_value
from magic_tools.loose.scalars import choices_of, is_chosen, is_number
from magic_tools.loose.shapes import Shape
from magic_tools.loose.sources import SourceFloat, source_of
from magic_tools.loose.strict import ConflictError, read_json
from magic_tools.loose.work import Work, WorkSpentError
from magic_tools.schema.forms import text_form
from magic_tools.schema.walk import types_of
from magic_tools.values import JsonObject

__all__ = ["Mended", "chosen", "decoded", "folded", "scalar"]


class Mended(NamedTuple):
    """What a value was taken for, and the kind and words of the repair."""

    value: Any
    kind: str
    note: str


_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_BOOLEANS = {"true": True, "false": False}
_SEPARATORS = re.compile(r"[\s_\-]+")
_MOST_DIGITS = 4300
_FORMS = frozenset({"format", "contentEncoding", "contentMediaType"})
_DIGIT = re.compile(r"\d")
_AS_TEXT = "took a number for a text by its source digits"


def scalar(value: Any, schema: JsonObject) -> Mended | None:
    """A scalar in the type of a schema, where it is written in another; None where nothing is sure.

    Text becomes true, false or a number where that is all it says; a number becomes text by its source digits, or
    an integer where it has no fraction. Nothing else: no 0 for false, no units, no percent, no groups of digits.
    """
    kinds = types_of(schema)
    match value:
        case bool() | None:
            return None
        case str():
            return _of_text(value.strip(), kinds) if "string" not in kinds else None
        case float() if "integer" in kinds and "number" not in kinds:
            return _whole(value)
        case int() | float() if "string" in kinds and not {"integer", "number"} & set(kinds):
            has_form = not _FORMS.isdisjoint(schema) or text_form(schema) is not None  # for digits are no date
            source = source_of(value)
            return None if has_form or not _DIGIT.search(source) else Mended(source, "number_as_text", _AS_TEXT)
    return None


def _of_text(text: str, kinds: tuple[str, ...]) -> Mended | None:
    if "boolean" in kinds and text.lower() in _BOOLEANS:
        return Mended(_BOOLEANS[text.lower()], "text_as_boolean", "took a text for true or false")
    if ("integer" in kinds or "number" in kinds) and _INTEGER.fullmatch(text) and len(text) <= _MOST_DIGITS:
        return Mended(int(text), "text_as_number", "took a text of digits for a number")
    if "number" in kinds and _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        return Mended(SourceFloat(text), "text_as_number", "took a text of digits for a number")
    return None


def _whole(value: float) -> Mended | None:
    """A number without a fraction as an integer, to the last digit."""
    if not math.isfinite(value):
        return None
    exact = Decimal(source_of(value))
    if exact != exact.to_integral_value() or exact.adjusted() > _MOST_DIGITS:
        return None
    return Mended(int(exact), "number_as_integer", "took a number without a fraction for an integer")


def chosen(value: Any, schema: JsonObject) -> tuple[Mended, ...]:
    """The choices of a schema that a value may stand for, though it is none of them: one is an answer, two are none.

    They are the same but for case, blanks, `_` and `-`, or the same digits in another type.
    """
    choices = choices_of(schema)
    near: list[Any] = []
    if isinstance(value, str):
        plain = _plain(value) if any(map(str.isalnum, value)) else None
        alike = [choice for choice in choices if isinstance(choice, str) and _plain(choice) == plain]
        near = [choice for choice in alike if choice.strip() == value.strip()] or alike or near_values(value, choices)
    elif is_number(value):
        near = [choice for choice in choices if choice == source_of(value)]
        near = near or [choice for choice in choices if type(choice) is int and choice == value]
    return tuple(
        Mended(choice, "near_choice", f"took it for {json.dumps(choice, ensure_ascii=False)}") for choice in near
    )


def near_values(text: str, choices: list[Any]) -> list[Any]:
    """The choices of another type that a text spells out."""
    kinds = {bool: "boolean", int: "integer", float: "number"}
    read = [_of_text(text.strip(), (kinds[type(choice)],)) for choice in choices if type(choice) in kinds]
    values = {made.value for made in read if made is not None}
    return [choice for choice in choices if any(is_chosen(value, [choice]) for value in values)]


def _plain(text: str) -> str:
    return _SEPARATORS.sub("_", text.strip()).casefold()


def folded(key: str) -> str:
    """What a key is but for its case, its blanks, and a backslash before an underscore."""
    return "".join(key.replace("\\_", "_").split()).casefold()


def decoded(text: str, shape: Shape | None) -> Reading | None:
    """The object or array that a text holds, as JSON or nearly so; None where it is not that, and nothing else."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "[", "(", '"'):
        return None
    try:
        value = read_json(stripped)
    except ConflictError:
        return None
    except (ValueError, RecursionError):
        pass
    else:
        return Reading(value, 0, len(stripped), strict=stripped) if isinstance(value, dict | list | str) else None
    try:
        reading = read_value(stripped, 0, len(stripped), Work(len(stripped)), shape)
    except (Damage, WorkSpentError):
        return None
    return reading if reading.end == len(stripped) and isinstance(reading.value, dict | list) else None
