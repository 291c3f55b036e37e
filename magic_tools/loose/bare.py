"""Values that stand in damaged JSON without quotation marks: words, texts, and numbers of every notation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import whitespace
from typing import Any, NamedTuple

from magic_tools.loose.escapes import unescaped
from magic_tools.loose.notes import Note
from magic_tools.loose.sources import Bare, SourceFloat, SourceInt
from magic_tools.loose.structure import Structure
from magic_tools.loose.tokens import COMMAS, GROUPED, QUOTED_KEY, QUOTES, REFUSED_WORDS, SCALAR_RUN

__all__ = ["LEFT_OUT", "Unreadable", "Words", "bare_value", "read_words"]

_MOST_OF_RUN = 100
LEFT_OUT = "words that stand for a value that was left out"
_BLANK = f"{whitespace}\u200b\ufeff\u00a0\u3000"


class Unreadable(Exception):  # noqa: N818 - a finding that the reader turns into damage
    """Words that are no value, and why."""


class Words(NamedTuple):
    """A value without quotation marks, where it ends, and how it was mended.

    `cut` where the whole text stops inside it, `goes_on` where the next item follows it without a comma.
    """

    value: Any
    end: int
    notes: tuple[Note, ...] = ()
    cut: bool = False
    goes_on: bool = False


_KEY = re.compile(r"([^\W\d][\w$-]*)\s*[:：]\s")
_HIDES = re.compile(r"(?://|\#)[^\n]*[,}\]]")
_STOP = re.compile(rf"[,，;；、\n}}\]){{\[<~{QUOTES}]|(?<=\s)(?://|\#)|/\*")
_WORDS: Mapping[str, Any] = {"true": True, "false": False, "null": None, "none": None}
_CONSTANTS: Mapping[str, float] = {
    name: float(name.lower()) for name in ("NaN", "nan", "Infinity", "+Infinity", "-Infinity", "inf", "-inf", "+inf")
}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_OTHER_INTEGER = re.compile(r"\+(?:0|[1-9][0-9]*)")
_BASED = re.compile(r"[+-]?0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_OTHER_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?|\d+(?:\.\d+){2,}|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}")
_LIKE_DIGITS = re.compile(r"[+-]?\.?\d[\d_.]*(?:[eE][+-]?\d*)?[jJn]?")
_EXPRESSION = re.compile(
    r"\S\s+(?:[+*/%^]|[=!<>]=|[=<>]|&&|\|\||\?\?|\*\*)\s+\S|[\w)\"']\s+-\s+[\d(]|\d\s*(?:[+*%^]{1,2}|<<|>>|&)\s*\d|\d\s+[-/]\s+\w|"
    r"^\d+\s*[-/]\s*\d+$|^\*{1,2}[^\W\d][\w.]*$|\d\s*[-/*+=^]$|\\$"
)
_PHRASE = re.compile(r"\sif\s.+\selse\s|\sfor\s+\w+\s+in\s|\S\s+\|\s+\S|^-?\w+\s+(?:and|or)\s+-?\w+$|^-[^\W\d]")
_PREFIXED = re.compile(r"(?:\W{1,3}|[^\W\d]{1,2}|\W\w)\s*([\"']).*\1", re.DOTALL)
_CALL = re.compile(r"^(?!\w+://)[^\W\d][\w.]*\(|^(?:new|await|function|not|typeof)\s|^lambda\b")


def read_words(structure: Structure, at: int) -> Words:
    """What stands at a place without quotation marks; Unreadable where it is not clear what that is."""
    text, limit, frame = structure.text, structure.limit, structure.stack[-1]
    run = None if frame.is_object else SCALAR_RUN.match(text, at, min(at + _MOST_OF_RUN, limit))
    if run is not None:
        if GROUPED.match(text, at):
            raise Unreadable("digits that may be one number or several")
        value, kind = bare_value(run[1], typed=False)
        end = run.end(1)
        comma: Note = ("missing_comma", end, end)
        return Words(value, end, (comma, (kind, at, end)) if kind else (comma,), goes_on=True)
    stop, at_end = _end_of_words(structure, at)
    words = _without_blanks(text, at, stop)
    end = at + len(words)
    if words and not frame.is_object and words[-1] in QUOTES and words.count(words[-1]) % 2:
        raise Unreadable("what may be one text or several")
    key = _KEY.match(words) if frame.is_object and frame.names is not None else None
    if key is not None and frame.declares(key[1]):
        raise Unreadable("a key where a value is due")
    try:
        value, kind = bare_value(words, typed=frame.is_object and frame.names is not None)
    except Unreadable:
        if at_end:
            return Words(None, end, cut=True)
        raise
    if kind == "bare_text" and frame.closer == ")":
        raise Unreadable("an expression")
    return Words(value, end, ((kind, at, end),) if kind else (), cut=at_end and kind == "bare_text")


def _without_blanks(text: str, start: int, stop: int) -> str:
    """The words of a stretch of text without the blanks behind them, be they escaped or not."""
    while stop > start:
        if text[stop - 1] in _BLANK:
            stop -= 1
        elif text[stop - 2 : stop] in ("\\n", "\\r", "\\t"):
            stop -= 2
        else:
            break
    return text[start : max(start, stop)]


def _end_of_words(structure: Structure, at: int) -> tuple[int, bool]:
    """Where the words that start at a place end, and whether that is where the text stops."""
    text, limit, frame = structure.text, structure.limit, structure.stack[-1]
    start = at
    while found := _STOP.search(text, at, limit):
        stop, sign = found.start(), found[0]
        if sign in ("//", "#") and _HIDES.match(text, stop, limit) and not _is_scalar(text[start:stop].strip()):
            raise Unreadable("words that may go on behind a mark of comments")
        if sign in ("//", "#", "/*") or _ends_at(structure, start, stop, sign):
            return stop, False
        if sign == "{" or (sign == "[" and (not frame.is_object or text[stop - 1].isalnum())):
            raise Unreadable("an expression")
        at = found.end()
    return limit, True


def _ends_at(structure: Structure, start: int, stop: int, sign: str) -> bool:
    text, limit, frame = structure.text, structure.limit, structure.stack[-1]
    if sign in COMMAS:
        return not frame.is_object or structure.member_follows(stop + 1)
    if sign == "\n":
        after = structure.gap(stop)
        if not frame.is_object:
            return after < limit
        ends = after < limit and (structure.ends(after) or structure.key_follows(after, new_line=True))
        return bool(ends)
    if sign in "}])":
        return (sign != ")" or frame.closer == ")") and structure.closers_follow(stop)
    if structure.ends(stop):
        return True
    if frame.is_object:
        return sign in QUOTES and QUOTED_KEY.match(text, stop, limit) is not None and structure.key_follows(stop)
    return (sign in QUOTES or sign in "{[") and text[stop - 1].isspace() and _is_scalar(text[start:stop].strip())


def _is_scalar(words: str) -> bool:
    return words.lower() in _WORDS or _NUMBER.fullmatch(words) is not None


def bare_value(words: str, *, typed: bool) -> tuple[Any, str]:
    """The value that words stand for, and what kind of repair that is; `""` where it is JSON.

    Text that is no value of another kind is `Bare`. Unreadable where it stands for a value that was left
    out, or for something that would have to be computed. `typed` says that the keys are known.
    """
    words = words.strip().removesuffix(";").rstrip()
    if not words:
        raise Unreadable("no value")
    if words.lower() in _WORDS:
        return _WORDS[words.lower()], "" if words in ("true", "false", "null") else "literal"
    if words in _CONSTANTS:
        return SourceFloat(words, _CONSTANTS[words]), "" if words in ("NaN", "Infinity", "-Infinity") else "number"
    if words[0] in "+-.0123456789" and (number := _number(words)) is not None:
        return number
    return _text(words, typed=typed), "bare_text"


def _number(words: str) -> tuple[Any, str] | None:
    try:
        if _INTEGER.fullmatch(words):
            return int(words), ""
        if _OTHER_INTEGER.fullmatch(words):
            return SourceInt(words, int(words)), "number"
        if _BASED.fullmatch(words):
            return _based(words), "number"
    except ValueError:
        raise Unreadable("a whole number of more than 4300 digits") from None
    if _NUMBER.fullmatch(words):
        return SourceFloat(words), ""
    if _OTHER_NUMBER.fullmatch(words) and words not in ("+", "-", "."):
        return SourceFloat(words), "number"
    if _DATE.fullmatch(words):
        return Bare(words), "bare_text"
    return (Bare(words, digits=True), "bare_text") if _LIKE_DIGITS.fullmatch(words) else None


def _based(words: str) -> SourceInt:
    """A number of another base, if it has no more digits than Python writes; ValueError if it has."""
    number = int(words, 0)
    str(number)
    return SourceInt(words, number)


def _text(words: str, *, typed: bool) -> Bare:
    if REFUSED_WORDS.fullmatch(words):
        raise Unreadable(LEFT_OUT)
    if words.startswith(("--", "++", "+-", "-+", "\\", "!", ":", "=")) or _PREFIXED.fullmatch(words):
        raise Unreadable("an expression")
    if _EXPRESSION.search(words) or _CALL.search(words) or _PHRASE.search(words):
        raise Unreadable("an expression")
    if any(words.count(opening) != words.count(closing) for opening, closing in ("[]", "{}")):
        raise Unreadable("a bracket inside of words")
    if not typed and re.search(r":\s", words):
        raise Unreadable("what may be a text, or a key and its value")
    mark = words[-1]
    if mark in QUOTES and words.count(mark) % 2:
        words = unescaped(words[:-1].rstrip())[0]
        if not words:
            raise Unreadable("no value")
        if not typed and _LIKE_DIGITS.fullmatch(words):
            raise Unreadable("what may be a number, or a text")
    return Bare(words)
