"""What each kind of repair in a text did, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import TypeAlias

from magic_tools.messages import Repair

__all__ = ["Note", "listed"]

Note: TypeAlias = tuple[str, int, int]
"""A kind of repair, and where it begins and ends."""

_START = itemgetter(1)
_NOTES: Mapping[str, str] = {
    "trailing_comma": "dropped a comma before a closing bracket",
    "extra_comma": "dropped one of two commas",
    "missing_comma": "put in a comma that was missing",
    "separator": "took this for a comma",
    "colon": "took this for a colon",
    "missing_colon": "put in a colon that was missing",
    "quotes": "took these for JSON's quotation marks",
    "inner_quotes": "took quotation marks inside a text for a part of it",
    "missing_quote": "put in a quotation mark that was missing",
    "control_character": "took a line break or another control character in a text as it is",
    "escape": "read an escape that is not of JSON",
    "bare_key": "took a word without quotation marks for a key",
    "bare_text": "took words without quotation marks for a text",
    "literal": "read a word as true, false or null",
    "number": "read a number that is not written as in JSON",
    "comment": "left out a comment",
    "blank": "took a character that is no blank of JSON for one",
    "tuple": "took round brackets for square ones",
    "missing_closer": "put in a closing bracket that was missing",
    "wrong_closer": "took a closing bracket for one of another kind",
    "extra_closer": "left out a closing bracket that closes nothing",
    "missing_opener": "put in the opening bracket that was missing",
}


def listed(notes: Iterable[Note]) -> tuple[Repair, ...]:
    """The repairs in the order of the text."""
    new = tuple.__new__  # the constructor of a NamedTuple is Python code, and a text may need hundreds of repairs
    return tuple([new(Repair, (kind, start, end, _NOTES[kind])) for kind, start, end in sorted(notes, key=_START)])
