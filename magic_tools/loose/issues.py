"""What is wrong with a value, as sentences that a model can act on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from string import Formatter
from typing import Any, TypeAlias

from pydantic_core import ErrorDetails, ValidationError

from magic_tools.loose.secrets import Secrets
from magic_tools.messages import Issue

__all__ = ["Finding", "cut", "gathered", "issues_of", "merged", "path_text", "shown"]

_MOST_ISSUES = 12
_MOST_CHARACTERS = 60
_MOST_WORDS = 300
_NOTHING = "nothing"

# What was expected, by pydantic's type of error; `{...}` is filled from the error's context.
_REQUIRED = "a value, since it is required"
_DECIMAL = "a decimal number as a string"
_DATE = "a date like 2026-11-29"
_DATETIME = "a date and time like 2026-11-29T12:30:00Z"
_TIME = "a time like 12:30:00"
_DURATION = "a duration like P1DT2H"
_EXPECTED: Mapping[str, str] = {
    **dict.fromkeys(("missing", "missing_argument", "missing_positional_only_argument"), _REQUIRED),
    **dict.fromkeys(("extra_forbidden", "unexpected_keyword_argument"), "no key of this name"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "an integer"),
    "int_parsing_size": "an integer of at most 4300 digits",
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    "string_type": "a string",
    "bytes_type": "a string",
    "bytes_too_short": "at least {min_length} bytes",
    "bytes_too_long": "at most {max_length} bytes",
    "bytes_invalid_encoding": "bytes as {encoding}",
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    "none_required": "null",
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type", "deque_type"), "an array"),
    **dict.fromkeys(("arguments_type", "iterable_type", "named_tuple_type"), "an array"),
    **dict.fromkeys(("dict_type", "frozen_dict_type", "ordered_dict_type", "counter_type"), "an object"),
    **dict.fromkeys(("model_type", "model_attributes_type", "dataclass_type"), "an object"),
    "greater_than_equal": "a number of at least {ge}",
    "greater_than": "a number above {gt}",
    "less_than_equal": "a number of at most {le}",
    "less_than": "a number below {lt}",
    "multiple_of": "a number that is a multiple of {multiple_of}",
    "finite_number": "a finite number",
    **dict.fromkeys(("decimal_type", "decimal_parsing"), _DECIMAL),
    "decimal_max_digits": "a decimal number of at most {max_digits} digits",
    "decimal_max_places": "a decimal number of at most {decimal_places} decimal places",
    "decimal_whole_digits": "a decimal number of at most {whole_digits} digits before the point",
    "string_too_short": "text of at least {min_length} characters",
    "string_too_long": "text of at most {max_length} characters",
    "string_pattern_mismatch": "text that matches {pattern}",
    "too_short": "at least {min_length} items",
    "too_long": "at most {max_length} items",
    "date_type": _DATE,
    **dict.fromkeys(("date_parsing", "date_from_datetime_parsing"), _DATE + " ({error})"),
    "date_past": "a date in the past",
    "date_future": "a date in the future",
    "datetime_type": _DATETIME,
    **dict.fromkeys(("datetime_parsing", "datetime_from_date_parsing"), _DATETIME + " ({error})"),
    "datetime_past": "a date and time in the past",
    "datetime_future": "a date and time in the future",
    "timezone_aware": _DATETIME + ", with its offset",
    "timezone_naive": "a date and time like 2026-11-29T12:30:00, without an offset",
    "time_type": _TIME,
    "time_parsing": _TIME + " ({error})",
    "time_delta_type": _DURATION,
    "time_delta_parsing": _DURATION + " ({error})",
    **dict.fromkeys(("uuid_type", "uuid_parsing"), "a UUID"),
    "union_tag_invalid": "{discriminator} to be one of {expected_tags}",
    "union_tag_not_found": "the key {discriminator}",
    "unwanted": "{wanted}",
}

_BOUNDS = {"greater_than_equal": "ge", "greater_than": "gt", "less_than_equal": "le", "less_than": "lt"}
"""Errors of bounds, which dates and durations have too, by the name of the bound."""

_OWN_WORDS = frozenset({"value_error", "assertion_error"})
_CHOICES = frozenset({"literal_error", "enum"})
_MISPLACED = frozenset(
    {"extra_forbidden", "unexpected_keyword_argument", "dict_type", "model_type", "model_attributes_type",
     "dataclass_type"}
)  # fmt: skip
_PREFIX = "Input should be "

_Place = tuple[str | int, ...]

Finding: TypeAlias = tuple[_Place, str, str]
"""One thing that is wrong: where, what was expected, and what came, as text."""


def issues_of(error: ValidationError, value: Any, secrets: Secrets) -> tuple[Issue, ...]:
    """The issues of a refused JSON value, one a place, the branches of a union joined by "or"; no secret is shown."""
    return gathered(_told(detail, value, secrets) for detail in error.errors(include_url=False))


def _told(detail: ErrorDetails, value: Any, secrets: Secrets) -> Finding:
    place, found = _finding(detail, value)
    if found is _ABSENT:
        return place, _expectation(detail), _NOTHING
    secret = secrets.cover(place, misplaced=detail["type"] in _MISPLACED)
    return place, _expectation(detail), shown(found, secret=secret)


def gathered(findings: Iterable[Finding]) -> tuple[Issue, ...]:
    """The findings as issues, one a place, its expectations joined by "or".

    Of a place and one inside it the inner says more, so that it stands alone.
    """
    expected: dict[_Place, list[str]] = {}
    got: dict[_Place, str] = {}
    for place, words, found in findings:
        if words not in expected.setdefault(place, []):
            expected[place].append(words)
        got[place] = found
    outer = {place[:length] for place in expected for length in range(len(place))}
    listed = [
        Issue(path_text(place), " or ".join(words), got[place])
        for place, words in expected.items()
        if place not in outer
    ]
    if len(listed) > _MOST_ISSUES:
        left = len(listed) - _MOST_ISSUES
        listed[_MOST_ISSUES:] = [Issue("", "the places above to be right first", f"{left} more that are not")]
    return tuple(listed)


def merged(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """The issues, those of one place joined by "or"."""
    expected: dict[tuple[str, str], list[str]] = {}
    for issue in issues:
        expected.setdefault((issue.path, issue.got), []).append(issue.expected)
    return tuple(Issue(path, " or ".join(dict.fromkeys(words)), got) for (path, got), words in expected.items())


def path_text(place: Iterable[str | int]) -> str:
    """A place in a value, like `items[2].price`; `""` for the whole of it."""
    text = ""
    for step in place:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.isidentifier():
            text += f".{step}" if text else step
        else:
            text += f"[{cut(json.dumps(step, ensure_ascii=False))}]"
    return _printable(text)


def shown(value: Any, *, secret: bool = False) -> str:
    """A value as a model may be reminded of it: short, and of an object or array only the outline."""
    if secret:
        return "a value that is not shown"
    if isinstance(value, Mapping):
        names = ", ".join(str(name) for name in value)
        return f"an object with the keys {cut(names)}" if names else "an empty object"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"an array of {len(value)}" if value else "an empty array"
    return cut(json.dumps(value, ensure_ascii=False, default=str))


def _printable(text: str) -> str:
    """The text with lone surrogates, which no output takes, spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()


def cut(text: str, most: int = _MOST_CHARACTERS) -> str:
    """The start of a text that is too long, with how long it is."""
    text = _printable(text)
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def _expectation(detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    of_text = isinstance(detail["input"], str)  # which a limit around a union calls long or short as it does a list
    template = _EXPECTED.get(f"string_{kind}" if of_text else kind, _EXPECTED.get(kind))
    if kind in _OWN_WORDS and "error" in context:
        words = _check_words(str(context["error"]))
    elif kind in _CHOICES and "expected" in context:
        choices = context["expected"]
        words = f"one of {choices}" if " or " in choices else choices
    elif template is not None and _fields_of(template) <= context.keys():
        words = template.format(**context)
        if kind in _BOUNDS and not isinstance(context[_BOUNDS[kind]], int | float | Decimal):
            words = words.replace("a number", "a value", 1)
    elif detail["msg"].startswith(_PREFIX):
        words = detail["msg"].removeprefix(_PREFIX)
    else:
        words = _check_words(detail["msg"])
    return f"as its key {words}" if detail["loc"][-1:] == ("[key]",) else words


def _check_words(said: str) -> str:
    """What is expected where an author's own check has said what is wrong, or nothing."""
    said = " ".join(said.split())
    return f"a value that passes its check ({cut(said, _MOST_WORDS)})" if said else "a value that passes its check"


def _fields_of(template: str) -> set[str]:
    """The names that a template fills in, which an error of the same type that somebody else raises may not have."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


_ABSENT: Any = object()


def _finding(detail: ErrorDetails, value: Any) -> tuple[_Place, Any]:
    """Where an error stands in the value itself, and what stands there."""
    location, found = detail["loc"], detail["input"]
    if _EXPECTED.get(detail["type"]) == _REQUIRED:
        return (*_place(location[:-1], value, found), location[-1]), _ABSENT
    place = _place(location, value, found)
    if detail["type"] == "union_tag_invalid" and isinstance(found, Mapping):
        found = found.get(detail["ctx"]["discriminator"].strip("'"), found)
    return place, found


def _place(location: _Place, value: Any, found: Any) -> _Place:
    """The steps of an error's location that lead through the value to what was found.

    pydantic's locations also name branches of unions and the like, which are no keys of the value;
    one of these may be spelled like a key that the value has too.
    """
    for skipped in (None, *range(len(location))):
        place, reached = _followed(location, value, skipped)
        if reached == found:
            return place
    return _followed(location, value, None)[0]


def _followed(location: _Place, value: Any, skipped: int | None) -> tuple[_Place, Any]:
    place: list[str | int] = []
    for index, step in enumerate(location):
        in_array = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if index != skipped and (in_array or (isinstance(value, dict) and step in value)):
            value = value[step]
            place.append(step)
    return tuple(place), value
