"""What stands between the quotation marks of a string, with its escapes read."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["CONTROL", "unescaped"]

_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))",
    re.DOTALL,
)
_SIMPLE: Mapping[str, str] = {
    '"': '"', "'": "'", "`": "`", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "\n": "", "\r": "", "\r\n": "", "\u2028": "", "\u2029": "",
}  # fmt: skip

_PATH = re.compile(r"[A-Za-z]:(?=\\)(?=.*\\[^\"'`\\/bfnrtux])(?:\\[^\\\"'\x00-\x1f]++)++\Z")
"""A path of Windows whose backslashes are not escaped, since one of them stands before what is no escape."""

_UNKNOWN = re.compile(r"(?<!\\)(?:\\\\)*+\\[^\"'`\\/bfnrtux\r\n\u2028\u2029]")
_COMMAND = re.compile(
    r"(?<!\\)\\(?=[bf][a-z]|n(?:abla|eq?\b|u\b|ot|eg)|r(?:ho|ight|angle|floor|ceil|m\b)|"
    r"t(?:heta|imes|ext|o\b|au\b|an\b|frac|ilde|op\b|riangle))"
)
"""The backslash of a command of LaTeX that reads like an escape; it is none beside one that JSON does not know."""

CONTROL = re.compile(r"[\x00-\x1f]")


def unescaped(raw: str) -> tuple[str, bool]:
    """The text that escapes stand for, and whether one of them was not of JSON; unknown ones keep their backslash."""
    if "\\" not in raw:
        return raw, False
    if _PATH.match(raw):
        return raw, True
    odd = False

    def read(found: re.Match[str]) -> str:
        nonlocal odd
        high, low, unit, byte, simple = found.groups()
        if high is not None:
            return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00))
        if unit is not None:
            return chr(int(unit, 16))
        odd = odd or byte is not None or simple not in '"\\/bfnrt'
        return chr(int(byte, 16)) if byte is not None else _SIMPLE.get(simple, found[0])

    if _UNKNOWN.search(raw):
        raw = _COMMAND.sub(r"\\\\", raw)
    return _ESCAPE.sub(read, raw), odd
