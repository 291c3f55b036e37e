"""The texts of damaged JSON: in any quotation marks, with marks and line breaks of their own in them."""

from __future__ import annotations

from typing import NamedTuple

from magic_tools.loose.bare import Unreadable
from magic_tools.loose.escapes import CONTROL, unescaped
from magic_tools.loose.notes import Note
from magic_tools.loose.quotes import end_of_string
from magic_tools.loose.structure import Structure
from magic_tools.loose.tokens import TRIPLE
from magic_tools.loose.work import Work

__all__ = ["Text", "read_text"]


class Text(NamedTuple):
    """A text, where what follows it begins, and how it was mended; `cut` where the whole stops inside it."""

    value: str
    end: int
    notes: tuple[Note, ...] = ()
    cut: bool = False


def read_text(structure: Structure, at: int, work: Work) -> Text:
    """The text whose quotation mark stands at a place; Unreadable where it is not clear how far it goes."""
    text, limit = structure.text, structure.limit
    triple = TRIPLE.match(text, at, limit)
    if triple is not None:
        end = text.find(triple[0], at + 3, limit)
        if end > 0 and (structure.follows(end + 3) or text.count("\n", at, end)):
            return _content(text, at + 3, end, end + 3, (("quotes", at, end + 3),))
    frame = structure.stack[-1] if structure.stack else None
    ended = end_of_string(
        text,
        at,
        limit,
        follows=structure.follows,
        declares=frame.declares if frame is not None and frame.is_object else None,
        work=work,
    )
    if ended.how == "cut" and _seems_whole(structure, at):
        raise Unreadable("a text whose end is escaped")
    if ended.how == "cut":
        return Text(unescaped(text[at + 1 : limit])[0], limit, cut=True)
    if ended.how == "unclear":
        raise Unreadable("a text whose end is not clear")
    notes: list[Note] = []
    if ended.how == "inner":
        notes.append(("inner_quotes", at, ended.after))
    elif ended.how == "missing":
        notes.append(("missing_quote", ended.stop, ended.stop))
    if text[at] != '"' or ended.how == "other":
        notes.append(("quotes", at, ended.after))
    return _content(text, at + 1, ended.stop, ended.after, tuple(notes))


def _content(text: str, start: int, stop: int, after: int, notes: tuple[Note, ...]) -> Text:
    raw = text[start:stop]
    value, odd = unescaped(raw)
    if CONTROL.search(raw):
        notes = (*notes, ("control_character", start, stop))
    return Text(value, after, (*notes, ("escape", start, stop)) if odd else notes)


def _seems_whole(structure: Structure, at: int) -> bool:
    """Whether a text without an end stops with an escaped quotation mark, and all the brackets that are open."""
    tail = structure.text[at : structure.limit]
    held = tail.rstrip("}]) \t\r\n")
    closers = "".join(tail[len(held) :].split())
    return held.endswith("\\" + tail[0]) and closers == "".join(frame.closer for frame in reversed(structure.stack))
