"""What is said to a model, in English or Chinese: the words apart from what fills them in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from string import Formatter
from typing import NamedTuple, assert_never

from magic_tools.loose.chinese import CHINESE
from magic_tools.messages import Language

__all__ = ["Phrase", "either", "fields_of", "phrased", "printable", "say", "shortened"]

_MOST_WORDS = 300


class Phrase(NamedTuple):
    """Words in English with a `{field}` where something is to be filled in, and what that is.

    A field is text, a number, another phrase, or a tuple of these, which is a list. Without fields the
    words stand as they are, whatever is in them.
    """

    template: str
    fields: Mapping[str, object]


def say(template: str, /, **fields: object) -> Phrase:
    """The phrase of a template and what fills it in."""
    return Phrase(template, fields)


def phrased(phrase: Phrase, language: Language) -> str:
    """The text of a phrase; what the table of Chinese does not have, such as an author's own words, stays as it is."""
    match language:
        case "en":
            template = phrase.template
        case "zh":
            template = CHINESE.get(phrase.template, phrase.template)
        case _:
            assert_never(language)
    if not phrase.fields:
        return template
    return _joined(list(_pieces(template, phrase.fields, language)), language)


def shortened(text: str, most: int = _MOST_WORDS, *, count: int | None = None) -> Phrase:
    """A text, or the start of one that is too long, with how long it is: `count`, where that is not its own length."""
    text = printable(text)
    if len(text) <= most:
        return say(text)
    return say("{start}... ({count} characters)", start=text[:most], count=len(text) if count is None else count)


def either(choices: Sequence[str]) -> Phrase:
    """One or another of some texts."""
    *some, last = choices
    return say("either {some} or {last}", some=tuple(some), last=last) if some else say(last)


def printable(text: str) -> str:
    """The text with lone surrogates, which no output takes, spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()


def fields_of(template: str) -> frozenset[str]:
    """The names that a template fills in."""
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name)


def _pieces(template: str, fields: Mapping[str, object], language: Language) -> Iterator[str]:
    for words, name, _, _ in Formatter().parse(template):
        if words:
            yield words
        if name:
            yield _text(fields[name], language)


def _text(held: object, language: Language) -> str:
    if isinstance(held, Phrase):
        return phrased(held, language)
    if isinstance(held, tuple):
        return _BETWEEN[language].join(_text(each, language) for each in held)
    return str(held)


_BETWEEN: Mapping[Language, str] = {"en": ", ", "zh": "、"}


def _joined(pieces: list[str], language: Language) -> str:
    """The pieces in a row; a blank stands between Chinese and what is none, as it is usual in print."""
    if language == "en":
        return "".join(pieces)
    text = ""
    for piece in pieces:
        apart = text and piece and {_is_chinese(text[-1]), _is_chinese(piece[0])} == {True, None}
        text += f" {piece}" if apart else piece
    return text


def _is_chinese(character: str) -> bool | None:
    """Whether it is a character of Chinese, None for one of ASCII, which a blank keeps apart from Chinese."""
    if character.isascii():
        return None if not character.isspace() else False
    return "\u4e00" <= character <= "\u9fff"
