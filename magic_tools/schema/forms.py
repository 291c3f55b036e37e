"""The texts that stand for values which JSON has no type for: how each is written, and in words."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from magic_tools.schema.binary import BASE64_WORDS, Base64Text
from magic_tools.values import JsonObject

__all__ = [
    "DECIMAL",
    "DECIMAL_PATTERN",
    "INTEGER_PATTERN",
    "NAIVE_PATTERN",
    "TIME_PATTERN",
    "TextForm",
    "text_form",
]

DECIMAL_PATTERN = "^[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$"
"""How a Decimal is written: a JSON string of digits. No backslash, which some grammar converters choke on."""

_HOUR_AND_MINUTE = "([01][0-9]|2[0-3]):[0-5][0-9]"
_SECOND = ":[0-5][0-9]([.][0-9]+)?"

NAIVE_PATTERN = f"^[0-9]{{4}}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T{_HOUR_AND_MINUTE}{_SECOND}$"
"""How a date and time without an offset is written; the format `date-time` (RFC 3339) always has one."""

TIME_PATTERN = f"^{_HOUR_AND_MINUTE}({_SECOND})?(Z|[+-]{_HOUR_AND_MINUTE})?$"
"""How a time of day is written, with its offset or without; the format `time` (RFC 3339) always has one."""

INTEGER_PATTERN = "^(0|-?[1-9][0-9]*)$"
"""How a whole number is written where JSON has nothing but text, as in a key."""


@dataclass(frozen=True, slots=True)
class TextForm:
    """A kind of text: the Python type, what all of a text must look like, what it is in words, and an example.

    `shown` finds what an author gives as an example in a text of his own.
    """

    type: Any
    shape: re.Pattern[str]
    words: str
    example: str | None = None
    shown: re.Pattern[str] | None = None

    @property
    def wanted(self) -> str:
        """What a text of this kind is, for one that sent another."""
        return f"{self.words} like {self.example}" if self.example else self.words

    def is_shown_in(self, text: str) -> bool:
        """Whether a text has an example of this kind."""
        return self.shown is not None and self.shown.search(text) is not None


# What pydantic reads beside these, such as `"0"` for a day in 1970, nobody means: shapes of ISO 8601 alone.
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MOMENT = re.compile(f"{_DAY}[Tt ][0-9]{{2}}:.+")
_BASE64_SHOWN = re.compile("[A-Za-z0-9+/_-]{2}={1,2}(?![A-Za-z0-9=])")
_BY_FORMAT: Mapping[object, TextForm] = {
    "date": TextForm(dt.date, re.compile(_DAY), "an ISO 8601 date", "2026-11-29", re.compile(_DAY)),
    "date-time": TextForm(dt.datetime, _MOMENT, "an ISO 8601 date and time", "2026-11-29T12:30:00Z", _MOMENT),
    "duration": TextForm(
        dt.timedelta,
        re.compile("[+-]?P.+"),
        "an ISO 8601 duration",
        "P1DT2H",
        re.compile("(?<![A-Za-z])PT?[0-9]+[A-Z]"),
    ),
}
DECIMAL = TextForm(Decimal, re.compile(DECIMAL_PATTERN), "a decimal number as a string of digits")
_BY_PATTERN: Mapping[object, TextForm] = {
    DECIMAL_PATTERN: DECIMAL,
    INTEGER_PATTERN: TextForm(int, re.compile(INTEGER_PATTERN), "a whole number as text"),
    NAIVE_PATTERN: TextForm(
        dt.datetime, _MOMENT, "an ISO 8601 date and time without an offset", "2026-11-29T12:30:00", _MOMENT
    ),
    TIME_PATTERN: TextForm(
        dt.time, re.compile("[0-9]{2}:.+"), "an ISO 8601 time", "12:30:00", re.compile("(?<![0-9])[0-9]{2}:[0-9]{2}")
    ),
}
_BY_ENCODING: Mapping[object, TextForm] = {
    "base64": TextForm(Base64Text, re.compile("[A-Za-z0-9+/]*={0,2}"), BASE64_WORDS, "aGVsbG8=", _BASE64_SHOWN),
    "base64url": TextForm(str, re.compile("[A-Za-z0-9+/_-]*={0,2}"), "bytes as base64url", "aGVsbG8=", _BASE64_SHOWN),
}


def text_form(schema: JsonObject) -> TextForm | None:
    """The kind of text that a schema asks for, where it is one of these."""
    return (
        _BY_FORMAT.get(schema.get("format"))
        or _BY_PATTERN.get(schema.get("pattern"))
        or _BY_ENCODING.get(schema.get("contentEncoding"))
    )
