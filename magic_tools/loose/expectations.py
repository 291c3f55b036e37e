"""What pydantic's errors say was expected, in the words of this library."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from decimal import Decimal
from string import Formatter

from pydantic_core import ErrorDetails, to_jsonable_python

from magic_tools.loose.issues import one_of
from magic_tools.loose.phrases import Phrase, fields_of, say, shortened

__all__ = [
    "ABSENT_KINDS",
    "CHECKED",
    "CHECKED_SAYING",
    "EXPECTED",
    "OWN_TEXTS",
    "REQUIRED",
    "VALUE_EXPECTED",
    "choices_in",
    "expectation",
]

REQUIRED = "a value, since it is required"
_DECIMAL = "a decimal number as a string"
_DATE = "an ISO 8601 date like 2026-11-29"
_DATETIME = "an ISO 8601 date and time like 2026-11-29T12:30:00Z"
_TIME = "an ISO 8601 time like 12:30:00"
_DURATION = "an ISO 8601 duration like P1DT2H"

EXPECTED: Mapping[str, str] = {
    **dict.fromkeys(("missing", "missing_argument", "missing_positional_only_argument"), REQUIRED),
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
    "timezone_naive": "an ISO 8601 date and time like 2026-11-29T12:30:00, without an offset",
    "time_type": _TIME,
    "time_parsing": _TIME + " ({error})",
    "time_delta_type": _DURATION,
    "time_delta_parsing": _DURATION + " ({error})",
    **dict.fromkeys(("uuid_type", "uuid_parsing"), "a UUID"),
    "union_tag_invalid": "{discriminator} to be one of {expected_tags}",
    "union_tag_not_found": "the key {discriminator}",
    "unwanted": "{wanted}",
}
"""Templates by pydantic's type of error, filled from the error's context."""

VALUE_EXPECTED: Mapping[str, str] = {
    "greater_than_equal": "a value of at least {ge}",
    "greater_than": "a value above {gt}",
    "less_than_equal": "a value of at most {le}",
    "less_than": "a value below {lt}",
}
"""The templates of bounds of what is no number, such as a date."""

OWN_TEXTS = (
    "one of {choices}",
    "at most {levels} of {name} inside each other, and not {found}",
    "a valid URL, {error}",
    "UUID version {expected_version} expected",
    "value is not a valid email address: {reason}",
    "URL scheme should be {expected_schemes}",
    "Invalid JSON: {error}",
    "Invalid python path: {error}",
    "could not interpret byte unit: {unit}",
    "Expected 4 octets in {text}",
    "At least 3 parts expected in {text}",
    "{text} is not a valid netmask",
)
"""Templates of texts that pydantic and this library's own checks hand on filled in."""

ABSENT_KINDS = frozenset(kind for kind, template in EXPECTED.items() if template == REQUIRED)
"""The types of errors of what is not there."""

CHECKED = "a value that passes its check"
CHECKED_SAYING = "a value that passes its check ({said})"

_BY_AUTHOR = frozenset({"value_error", "assertion_error"})
_CHOICES = frozenset({"literal_error", "enum"})
_BETWEEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(, | or )""")
_PART_OF_DURATION = re.compile("(-?[0-9]+) (day|hour|minute|second|microsecond)s?")
_PREFIX = "Input should be "


def expectation(detail: ErrorDetails) -> Phrase:
    """What an error says was expected."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in _BY_AUTHOR and "error" in context:
        return _checked(str(context["error"]))
    if kind in _CHOICES and "expected" in context:
        return one_of(choices_in(context["expected"]))
    template = _template(detail)
    if template is not None and fields_of(template) <= context.keys():
        return say(template, **{name: _field(name, context[name]) for name in fields_of(template)})
    if detail["msg"].startswith(_PREFIX):
        return _read(detail["msg"].removeprefix(_PREFIX))
    return _checked(detail["msg"])


def choices_in(text: str) -> list[str]:
    """The choices of a text in which pydantic lists them."""
    choices, start = [], 0
    for found in _BETWEEN.finditer(text):
        if found[1]:
            choices.append(text[start : found.start()])
            start = found.end()
    return [*choices, text[start:]]


def _template(detail: ErrorDetails) -> str | None:
    """The template of an error's type, of which somebody else's error may not have the fields."""
    kind = detail["type"]
    if isinstance(detail["input"], str):  # which a limit around a union calls long or short as it does a list
        kind = f"string_{kind}" if f"string_{kind}" in EXPECTED else kind
    bounds = [held for name, held in detail.get("ctx", {}).items() if kind in VALUE_EXPECTED and name in _BOUNDS]
    if any(not isinstance(bound, int | float | Decimal) for bound in bounds):
        return VALUE_EXPECTED[kind]
    return EXPECTED.get(kind)


_BOUNDS = frozenset({"ge", "gt", "le", "lt"})


def _field(name: str, held: object) -> object:
    if not isinstance(held, str):
        return held if isinstance(held, int | float | Decimal) else to_jsonable_python(held, fallback=str)
    if name == "expected_tags":
        return tuple(choices_in(held))
    return _duration(held) or _read(held) if name in _BOUNDS else _read(held)


def _duration(text: str) -> str | None:
    """A duration as JSON has it, of the words that pydantic has for it, such as `2 days and 1 hour`."""
    parts = [_PART_OF_DURATION.fullmatch(part) for part in text.split(" and ")]
    if not all(parts):
        return None
    return str(to_jsonable_python(dt.timedelta(**{f"{part[2]}s": int(part[1]) for part in parts if part})))


def _checked(said: str) -> Phrase:
    """What is expected where an author's own check has said what is wrong, or nothing."""
    said = " ".join(said.split())
    return say(CHECKED_SAYING, said=_read(said)) if said else say(CHECKED)


def _read(text: str) -> Phrase:
    """The phrase that a text is of which only some parts are filled in, else the text alone."""
    for template, pattern in _OWN_PATTERNS.items():
        found = pattern.fullmatch(text)
        if found:
            return say(template, **{name: shortened(held) for name, held in found.groupdict().items()})
    return shortened(text)


def _pattern(template: str) -> re.Pattern[str]:
    parts = (
        re.escape(words) + (f"(?P<{name}>.+)" if name else "") for words, name, _, _ in Formatter().parse(template)
    )
    return re.compile("".join(parts), re.DOTALL)


_OWN_PATTERNS = {template: _pattern(template) for template in OWN_TEXTS}
