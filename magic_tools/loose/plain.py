"""Scalars, keys and pairs that need no second look, since what follows them is structure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from magic_tools.loose.sources import SourceFloat

__all__ = ["PLAIN_ITEM", "PLAIN_PAIR", "SURE_ITEM", "SURE_KEY", "SURE_SCALAR", "SURE_VALUE", "plain_value"]

_GAP = r"[ \t\r\n]*+"
_DOUBLE, _SINGLE = r"\"([^\"\\\x00-\x1f]*+)\"", r"'([^'\\\x00-\x1f]*+)'"
_NUMBER = r"(-?(?:0|[1-9]\d{0,17}+)(?:\.\d++)?+(?![\d.eE]))"
_WORD = "(true|false|null|True|False|None)"
_KEY_FOLLOWS = rf"(\"[^\"\\\n]*+\"|'[^'\\\n]*+'){_GAP}:"

SURE_KEY = re.compile(rf"(?:{_DOUBLE}|{_SINGLE}){_GAP}:{_GAP}")
SURE_SCALAR = re.compile(rf"(?:(-?(?:0|[1-9]\d*+)(?:\.\d++)?+(?:[eE][+-]?\d++)?+)|{_WORD})(?={_GAP}[,}}\])])")
SURE_VALUE: Mapping[str, re.Pattern[str]] = {
    quote: re.compile(rf"{text}(?={_GAP}(?:[}}\]]|,{_GAP}(?:[}}\]]|{_KEY_FOLLOWS})))")
    for quote, text in (('"', _DOUBLE), ("'", _SINGLE))
}
SURE_ITEM: Mapping[str, re.Pattern[str]] = {
    quote: re.compile(rf"{text}(?={_GAP}(?:\]|,{_GAP}[{quote}{{\[\d\]]))")
    for quote, text in (('"', _DOUBLE), ("'", _SINGLE))
}

PLAIN_PAIR = re.compile(
    rf"{_GAP}(?:{_DOUBLE}|{_SINGLE}){_GAP}:{_GAP}(?:{_DOUBLE}|{_SINGLE}|{_NUMBER}|{_WORD})"
    rf"(?={_GAP}(?:}}|,{_GAP}(?:}}|{_KEY_FOLLOWS})))(?:{_GAP}(,))?+"
)
"""A key with a plain value, and the comma behind it: several tokens in one step."""

PLAIN_ITEM = re.compile(
    rf"{_GAP}(?:{_DOUBLE}|{_SINGLE}|{_NUMBER}|{_WORD})(?={_GAP}(?:\]|,{_GAP}[\"'{{\[\d\]-]))(?:{_GAP}(,))?+"
)
"""A plain item of an array, and the comma behind it."""

_WORDS: Mapping[str, Any] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}


def plain_value(double: str | None, single: str | None, digits: str | None, word: str | None) -> Any:
    """The value of a scalar by the one form of it that was found; ValueError for more digits than Python reads."""
    if digits is not None:
        return int(digits) if digits.isdecimal() or digits[1:].isdecimal() else SourceFloat(digits)
    return _WORDS[word] if word is not None else single if double is None else double
