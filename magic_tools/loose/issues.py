"""What is wrong with a value, as sentences that a model can act on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic_core import ErrorDetails, ValidationError

from magic_tools.messages import Issue

__all__ = ["issues_of", "path_text", "shown"]

_MOST_ISSUES = 12
_MOST_CHARACTERS = 60
_NOTHING = "nothing"

# What was expected, by pydantic's type of error; `{...}` is filled from the error's context.
_EXPECTED: Mapping[str, str] = {
    "missing": "a value, since it is required",
    "missing_argument": "a value, since it is required",
    "extra_forbidden": "no key of this name",
    "unexpected_keyword_argument": "no key of this name",
    "int_type": "an integer",
    "int_parsing": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "float_parsing": "a number",
    "string_type": "a string",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "none_required": "null",
    "list_type": "an array",
    "tuple_type": "an array",
    "set_type": "an array",
    "frozen_set_type": "an array",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dataclass_type": "an object",
    "literal_error": "one of {expected}",
    "enum": "one of {expected}",
    "decimal_type": "a decimal number as a string",
    "decimal_parsing": "a decimal number as a string",
    "greater_than_equal": "a number of at least {ge}",
    "greater_than": "a number above {gt}",
    "less_than_equal": "a number of at most {le}",
    "less_than": "a number below {lt}",
    "multiple_of": "a number that is a multiple of {multiple_of}",
    "finite_number": "a finite number",
    "string_too_short": "text of at least {min_length} characters",
    "string_too_long": "text of at most {max_length} characters",
    "string_pattern_mismatch": "text that matches {pattern}",
    "too_short": "at least {min_length} items",
    "too_long": "at most {max_length} items",
    "union_tag_invalid": "{discriminator} to be one of {expected_tags}",
    "union_tag_not_found": "the key {discriminator}",
}


def issues_of(error: ValidationError, value: Any, hidden: frozenset[str]) -> tuple[Issue, ...]:
    """The issues of a refused JSON value, one a place: the branches of a union are joined by "or".

    What stands under a key of `hidden` is never shown.
    """
    expected: dict[tuple[str | int, ...], list[str]] = {}
    got: dict[tuple[str | int, ...], str] = {}
    for detail in error.errors(include_url=False):
        place, absent = _place(detail, value)
        words = _expectation(detail)
        if words not in expected.setdefault(place, []):
            expected[place].append(words)
        secret = not hidden.isdisjoint(place)
        got[place] = _NOTHING if absent else shown(detail["input"], secret=secret)
    listed = [Issue(path_text(place), " or ".join(words), got[place]) for place, words in expected.items()]
    if len(listed) > _MOST_ISSUES:
        left = len(listed) - _MOST_ISSUES
        listed[_MOST_ISSUES:] = [Issue("", "the places above to be right first", f"{left} more that are not")]
    return tuple(listed)


def path_text(place: Iterable[str | int]) -> str:
    """A place in a value, like `items[2].price`; `""` for the whole of it."""
    text = ""
    for step in place:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.isidentifier():
            text += f".{step}" if text else step
        else:
            text += f"[{json.dumps(step, ensure_ascii=False)}]"
    return _printable(text)


def shown(value: Any, *, secret: bool = False) -> str:
    """A value as a model may be reminded of it: short, and of an object or array only the outline."""
    if secret:
        return "a value that is not shown"
    if isinstance(value, Mapping):
        names = ", ".join(str(name) for name in value)
        return f"an object with the keys {_cut(names)}" if names else "an empty object"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"an array of {len(value)}" if value else "an empty array"
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def _printable(text: str) -> str:
    """The text with lone surrogates, which no output takes, spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()


def _cut(text: str) -> str:
    text = _printable(text)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}... ({len(text)} characters)"


def _expectation(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    if detail["type"] in ("value_error", "assertion_error"):
        return str(context["error"])
    template = _EXPECTED.get(detail["type"])
    if template is None:
        return detail["msg"].removeprefix("Input should be ")
    if detail["type"] in ("literal_error", "enum") and " or " not in context["expected"]:
        template = "{expected}"
    return template.format(**context)


def _place(detail: ErrorDetails, value: Any) -> tuple[tuple[str | int, ...], bool]:
    """Where an error stands in the value itself, and whether nothing stands there.

    pydantic's locations also name union branches and the like, which are no keys of the value.
    """
    place: list[str | int] = []
    absent = detail["type"] in ("missing", "missing_argument")
    for index, step in enumerate(detail["loc"]):
        held = isinstance(value, dict) and step in value
        if held or (isinstance(value, list) and isinstance(step, int) and step < len(value)):
            value = value[step]
        elif not (absent and index == len(detail["loc"]) - 1):
            continue
        place.append(step)
    return tuple(place), absent
