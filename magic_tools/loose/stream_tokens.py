"""The tokens of JSON in a buffer that may stop inside one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["NO_SCALAR", "blanks_end", "decoded", "is_cut_escape", "run_end", "scalar", "word_end"]

NO_SCALAR: Any = object()
"""What a word says that is no number and no literal."""

_LONGEST_WORD = 4301  # Python reads whole numbers of at most 4300 digits, and there may be a sign

_BLANKS = re.compile(r"[\s\ufeff\u200b]*+")
_WORD = re.compile(r"[^\s\ufeff\u200b,:\[\]{}\"/]*+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?P<rest>(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+)")
_LITERALS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None}

# Whether an escaped high surrogate is half of a pair, only the next escape tells.
_HIGH = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
_ESCAPE = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
_RUN = re.compile(rf'(?:[^"\\]++|(?!{_HIGH}){_ESCAPE}|{_HIGH}(?=[^\\]|{_ESCAPE}))*+')
_CUT_ESCAPE = re.compile(rf"(?:{_HIGH})?(?:\\(?:u[0-9a-fA-F]{{0,3}})?)?\Z")
_unescaped = json.JSONDecoder(strict=False).decode


def blanks_end(buffer: str, at: int) -> int:
    """Where the blanks end that stand at a place, none or more."""
    return _end(_BLANKS, buffer, at)


def run_end(buffer: str, at: int) -> int:
    """Where, inside a string, its closing quote stands, or what is no character, or not yet."""
    return _end(_RUN, buffer, at)


def is_cut_escape(buffer: str, at: int) -> bool:
    """Whether the buffer ends before it tells what stands at a place inside a string."""
    return _CUT_ESCAPE.match(buffer, at) is not None


def decoded(run: str) -> str:
    """The characters that stand for themselves, or are escaped, in a stretch of a string."""
    if "\\" not in run:
        return run
    text: str = _unescaped(f'"{run}"')
    return text


def word_end(buffer: str, at: int) -> int | None:
    """Where a number or literal ends, which the character after it shows; None where that has not come."""
    end = _end(_WORD, buffer, at)
    return None if end == len(buffer) and end - at <= _LONGEST_WORD else end


def scalar(word: str) -> Any:
    """What a word says; `NO_SCALAR` also for a number of too many digits."""
    if word in _LITERALS:
        return _LITERALS[word]
    number = _NUMBER.fullmatch(word) if len(word) <= _LONGEST_WORD else None
    if number is None:
        return NO_SCALAR
    try:
        return float(word) if number["rest"] else int(word)
    except ValueError:
        return NO_SCALAR


def _end(pattern: re.Pattern[str], buffer: str, at: int) -> int:
    found = pattern.match(buffer, at)
    return at if found is None else found.end()
