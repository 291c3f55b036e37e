"""The keys of damaged JSON: quoted in any way, half quoted, or bare, each with what stands for its colon."""

from __future__ import annotations

import re
from typing import NamedTuple

from magic_tools.loose.bare import Unreadable
from magic_tools.loose.escapes import unescaped
from magic_tools.loose.notes import Note
from magic_tools.loose.structure import Structure
from magic_tools.loose.tokens import BARE_KEY, COLON, HALF_QUOTED_KEY, KEY_BEFORE_QUOTE, QUOTED_KEY, QUOTES

__all__ = ["Key", "read_key"]

_ANY_KEY = {quote: re.compile(rf"{quote}((?:[^{quote}\\]|\\.)*+){quote}", re.DOTALL) for quote in "\"'`"}
_WORDS = re.compile(r"([^\W\d][\w$.\-\\]{0,63}+(?: [\w$.\-]{1,30}+){0,4})[ \t]*+(?:=>|[:：](?![:/]))")
_ANY_WORDS = re.compile(r"[\w$.\- ]*+")
_SHOWS_A_VALUE = re.compile(rf"[{{\[]|(?:-?\d[\w.+\-]*|[a-zA-Z]+|[{QUOTES}][^{QUOTES}\n]*[{QUOTES}])\s*[,}}]")


class Key(NamedTuple):
    """A key, where what follows its colon begins, whether it has no quotation marks, and how it was mended."""

    name: str
    end: int
    bare: bool
    notes: tuple[Note, ...]


def read_key(structure: Structure, at: int, *, meant: bool) -> Key | None:
    """The key at a place; None where the text stops inside it or before its value, Unreadable where there is none.

    `meant` says that JSON was begun, so that a word at the end of the text may be a key.
    """
    if structure.text[at] in QUOTES:
        return _quoted(structure, at)
    return _bare(structure, at, meant=meant)


def _quoted(structure: Structure, at: int) -> Key | None:
    text, limit = structure.text, structure.limit
    found = QUOTED_KEY.match(text, at, limit)
    pattern = _ANY_KEY.get(text[at])
    whole = pattern.match(text, at, limit) if pattern else None
    end = found.end(1) if found else whole.end() if whole else limit
    colon = structure.gap(end)
    if colon < limit and COLON.match(text, colon) is None:
        half = HALF_QUOTED_KEY.match(text, at, limit)
        if half is not None:
            return Key(half[1], half.end(), False, (("missing_quote", half.end(1), half.end(1)),))
    if end >= limit or colon >= limit:
        return None
    name, odd = unescaped(text[at + 1 : end - 1])
    notes = (("escape", at, end),) if odd else ()
    is_json = text[at] == '"' and text[end - 1] == '"'
    return _with_colon(structure, name, end, bare=False, notes=notes if is_json else (*notes, ("quotes", at, end)))


def _bare(structure: Structure, at: int, *, meant: bool) -> Key | None:
    text, limit = structure.text, structure.limit
    found = BARE_KEY.match(text, at, limit) or _WORDS.match(text, at, limit)
    if found is not None:
        name = found[1].replace("\\_", "_")
        return _with_colon(structure, name, found.end(1), bare=True, notes=(("bare_key", at, found.end(1)),))
    lost = KEY_BEFORE_QUOTE.match(text, at, limit)
    if lost is not None:
        return Key(lost[1], lost.end(), False, (("missing_quote", at, at),))
    words = _ANY_WORDS.match(text, at, limit)
    if meant and words is not None and words.end() >= limit:
        return None
    raise Unreadable("a value without a key" if text[at] in ":：" else "no key where one is due")


def _with_colon(structure: Structure, name: str, end: int, *, bare: bool, notes: tuple[Note, ...]) -> Key:
    colon = structure.gap(end)
    notes = (*notes, *structure.parts_of_gap(end, colon))
    found = COLON.match(structure.text, colon, structure.limit)
    if found is not None:
        return Key(name, found.end(), bare, notes if found[0] == ":" else (*notes, ("colon", colon, found.end())))
    if _SHOWS_A_VALUE.match(structure.text, colon, structure.limit) is None or ":" in name:
        raise Unreadable("a key without a value")
    return Key(name, colon, bare, (*notes, ("missing_colon", end, end)))
