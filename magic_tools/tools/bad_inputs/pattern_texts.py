"""Texts that a simple regular expression matches."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

__all__ = ["pattern_texts"]

_ALPHABET = string.ascii_lowercase + string.digits + string.ascii_uppercase + " -_" + string.punctuation + "\t\n\0é数"
_TRIES = 32
_LONGEST = 100_000

_TOKEN = re.compile(
    r"""(?P<atom>\[\^?(?:\\.|[^\]\\])+\]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[^bBAZzpPkKu0-9]|[^\\^$()|*+?{}\[])
    |(?P<flags>\(\?[ims]+\))
    |(?P<open>\((?:\?[ims]*:|\?P?<[A-Za-z_]\w*>)?(?!\?))
    |(?P<close>\))
    |(?P<bar>\|)
    |(?P<repeat>(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?)
    |(?P<anchor>\\[bBAZz]|[\^$])""",
    re.DOTALL | re.VERBOSE,
)


def pattern_texts(pattern: str, least: int = 0) -> Iterator[str]:
    """Texts that a pattern is meant to match, the shortest first, and some of about `least` characters.

    None where it has look-around or the like. An anchor in the middle is passed over, and a count
    that makes a text huge is not kept, so that who uses a text tries it first.
    """
    tokens = _tokens(pattern)
    if tokens is None:
        return
    for more in (*range(_TRIES), *range(max(_TRIES, least - _TRIES), least + 1)):
        yield _Reader(tokens, more).text()


def _tokens(pattern: str) -> list[tuple[str, str]] | None:
    tokens, at = [], 0
    while at < len(pattern):
        found = _TOKEN.match(pattern, at)
        if found is None:
            return None
        tokens.append((found.lastgroup or "", found.group()))
        at = found.end()
    opened = sum(kind == "open" for kind, _ in tokens)
    return tokens if opened == sum(kind == "close" for kind, _ in tokens) else None


class _Reader:
    """One text of a pattern: `more` is how often, beyond the least, each repetition is done."""

    def __init__(self, tokens: list[tuple[str, str]], more: int) -> None:
        self._tokens = tokens
        self._more = more
        self._at = 0

    def text(self) -> str:
        """The text up to the end of the group: of its alternatives, one after another as `more` grows."""
        alternatives, parts = [], [""]
        while self._at < len(self._tokens):
            kind, token = self._tokens[self._at]
            self._at += 1
            match kind:
                case "close":
                    break
                case "bar":
                    alternatives.append("".join(parts))
                    parts = [""]
                case "open":
                    parts.append(self.text())
                case "repeat":
                    parts.append(self._repeated(parts.pop(), token))
                case "atom":
                    parts.append(_character(token))
        alternatives.append("".join(parts))
        return alternatives[self._more % len(alternatives)]

    def _repeated(self, part: str, token: str) -> str:
        least, most = _bounds(token)
        count = least + self._more if most is None else min(least + self._more, most)
        return part * min(count, _LONGEST // max(len(part), 1))


def _bounds(token: str) -> tuple[int, int | None]:
    if token[0] in "*+?":
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[token[0]]
    least, _, most = token[1 : token.index("}")].partition(",")
    return int(least), int(most) if most else None if "," in token else int(least)


def _character(atom: str) -> str:
    """A character that a class, an escape or a sign matches; none where it has none of the common ones."""
    try:
        matches = re.compile(atom, re.DOTALL).fullmatch
    except re.error:  # a class that only other engines read
        return ""
    return next((sign for sign in (*_ALPHABET, *atom) if matches(sign)), "")
