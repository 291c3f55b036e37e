"""What stands around JSON, in a buffer that may stop anywhere: prose, and blocks of reasoning."""

from __future__ import annotations

import re

from magic_tools.loose.tokens import REASONING_TAGS

__all__ = ["Prose", "is_meant_as_json"]

_MARK = re.compile(rf"(?P<tag><(?P<closing>/?)(?:{REASONING_TAGS})>)|[{{\[]", re.IGNORECASE)
_REASONING_END = re.compile(rf"</(?:{REASONING_TAGS})>", re.IGNORECASE)
_CUT_TAG = re.compile(r"</?[a-z]{0,10}\Z", re.IGNORECASE)
_LONGEST_CUT_TAG = len("</scratchpad")

_LOOSE_QUOTE = re.compile("['‘’‚“”„＂＇]")
_LOOSE_KEY = re.compile(r"[A-Za-z_$][\w$-]{0,63}+[ \t]{0,8}+:")
_CUT_KEY = re.compile(r"[A-Za-z_$][\w$-]{0,63}+[ \t]{0,8}+\Z")


class Prose:
    """Searches text for opening brackets outside of reasoning."""

    def __init__(self) -> None:
        self._in_reasoning = False

    def search(self, buffer: str, at: int, before: str) -> tuple[str, int]:
        """The next of `{`, `[` and `</`, and where it ends; or nothing, and from where to search when there is more.

        `</` is the end of reasoning that had no beginning: all before it was reasoning. `before` is the character
        before the buffer.
        """
        while True:
            if self._in_reasoning:
                end = _REASONING_END.search(buffer, at)
                if end is None:
                    return "", max(at, len(buffer) - _LONGEST_CUT_TAG)
                self._in_reasoning, at = False, end.end()
            mark = _MARK.search(buffer, at)
            if mark is None:
                cut = buffer.rfind("<", max(at, len(buffer) - _LONGEST_CUT_TAG))
                return "", cut if cut >= 0 and _CUT_TAG.match(buffer, cut) else len(buffer)
            at = mark.end()
            if mark["closing"]:
                return "</", at
            if mark["tag"]:
                self._in_reasoning = True
            elif not _is_index(buffer, mark.start(), before):
                return mark[0], at


def _is_index(buffer: str, at: int, before: str) -> bool:
    """Whether a bracket follows a name, as in `items[0]`."""
    last = buffer[at - 1] if at else before
    return buffer[at] == "[" and (last.isalnum() or last in ("_", ")", "]"))


def is_meant_as_json(buffer: str, at: int, *, in_object: bool) -> bool | None:
    """Whether what stands first in a bracket, and is no JSON, is a looser kind of it; None if too little is there.

    Else the bracket is a part of the prose, as in "Dear {name}".
    """
    if in_object and _CUT_KEY.match(buffer, at):
        return None
    return bool(_LOOSE_QUOTE.match(buffer, at) or (in_object and _LOOSE_KEY.match(buffer, at)))
