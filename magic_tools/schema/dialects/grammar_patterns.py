"""Regular expressions in the dialect of llama-cpp-python's converter from schema to grammar.

A pattern of a JSON Schema speaks of the text that a JSON string stands for. The converter puts a
pattern between two quotes as it is, so what comes out of here speaks of the characters between
those quotes: a quote, a backslash and a control character are written as JSON escapes.

The rules were read in `llama_grammar.py` of llama-cpp-python 0.3.36 and tried against its C++ parser
in November 2026: a pattern must be anchored at both ends; there are no escapes but those of a grammar
literal; an escaped sign takes its neighbours into its repetition; empty alternatives make a
grammar that is refused; each optional repetition is one more nested group, and some thousands of
these overflow the parser's stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from string import ascii_letters, digits

__all__ = ["MOST_REPEATS", "GrammarPattern", "any_text", "grammar_pattern", "one_of_texts", "within_limit"]

MOST_REPEATS = 256

Ranges = tuple[tuple[int, int], ...]

_LAST = 0x10FFFF
_EVERYTHING: Ranges = ((0, _LAST),)
_DIGIT: Ranges = ((0x30, 0x39),)
_ASCII_WORD: Ranges = (*_DIGIT, (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE: Ranges = tuple(
    (ord(span[0]), ord(span[-1]))
    for span in ("\t\r", " ", "\xa0", "\u1680", "\u2000\u200a", "\u2028\u2029", "\u202f", "\u205f", "\u3000", "\ufeff")
)

_SHORT_ESCAPES = {0x22: '"', 0x5C: "\\", 0x08: "b", 0x0C: "f", 0x0A: "n", 0x0D: "r", 0x09: "t"}
_CONTROLS = {"n": 0x0A, "r": 0x0D, "t": 0x09, "f": 0x0C, "v": 0x0B, "0": 0x00}
_PLAIN = frozenset(ascii_letters + digits + " _,:;=@#%&!~'<>/+*?().|{}$")
_BARE = _PLAIN - frozenset("+*?().|{}") | {"-"}

_ONE_ESCAPE = r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)"
_MEMBER = re.compile(rf"{_ONE_ESCAPE}|.", re.DOTALL)
_TOKEN = re.compile(
    rf"""(?P<set>\[\^?(?:\\.|[^\]\\])*\])
    |(?P<escape>{_ONE_ESCAPE})
    |(?P<open>\((?:\?:|\?P?<[A-Za-z_]\w*>)?)
    |(?P<close>\))
    |(?P<bar>\|)
    |(?P<repeat>(?:[*+?]|\{{\d+(?:,\d*)?\}})[?+]?)
    |(?P<start>\^)
    |(?P<end>\$)
    |(?P<char>.)""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class GrammarPattern:
    """A pattern that the converter takes; `widened` says why it lets more texts pass than the original, if it does."""

    text: str
    widened: str


class _Unsayable(Exception):  # noqa: N818 - a way out of the recursion, never seen outside
    pass


def grammar_pattern(pattern: str) -> GrammarPattern | None:
    r"""A JSON Schema pattern (ECMA-262, searched for anywhere) as the converter takes it.

    None where it cannot be said: look-around, back references, word boundaries, flags, anchors
    inside, property classes. A `\w` also takes every character outside ASCII, as some engines do.
    """
    try:
        return _Translation(pattern).result()
    except _Unsayable:
        return None


def any_text(least: int = 0, most: int | None = None) -> str:
    """The pattern of all JSON strings that have from `least` to `most` characters."""
    return f"^{_unit(_EVERYTHING)}{_times(least, most)}$"


def one_of_texts(texts: Iterable[str]) -> str:
    """The pattern of exactly these strings."""
    return f"^({'|'.join(''.join(_sign(sign) for sign in text) for text in texts)})$"


def within_limit(least: int, most: int | None) -> tuple[int, int | None]:
    """The narrowest bounds around the given ones that the grammar's parser survives."""
    return min(least, MOST_REPEATS), most if most is not None and most <= MOST_REPEATS else None


class _Translation:
    """One pattern on its way, token by token; groups and alternatives pass as they are."""

    def __init__(self, pattern: str) -> None:
        self._tokens = [(match.lastgroup or "", match.group()) for match in _TOKEN.finditer(pattern)]
        self._from_start = self._tokens[:1] == [("start", "^")]
        self._to_end = self._tokens[-1:] == [("end", "$")]
        self._out: list[str] = []
        self._depth = 0
        self._split = False
        self._widened = ""
        # What stood before: an atom may be repeated; after an opening or a bar something must come.
        self._last = "open"

    def result(self) -> GrammarPattern:
        inner = self._tokens[self._from_start : len(self._tokens) - self._to_end]
        for kind, text in inner:
            self._out.append(self._translated(kind, text))
        # `^a|b$` anchors each side of the bar at one end only.
        if self._depth or (inner and self._last == "open") or (self._split and (self._from_start or self._to_end)):
            raise _Unsayable
        rest = f"{_unit(_EVERYTHING)}*"
        body = "".join(self._out)
        body = f"({body})" if self._split else body
        text = f"^{'' if self._from_start else rest}{body}{'' if self._to_end else rest}$"
        return GrammarPattern(text, self._widened)

    def _translated(self, kind: str, text: str) -> str:
        match kind:
            case "open":
                self._depth += 1
                self._last = "open"
                return "("
            case "close" | "bar" if self._last == "open":
                raise _Unsayable
            case "close":
                self._depth -= 1
                if self._depth < 0:
                    raise _Unsayable
                self._last = "atom"
                return ")"
            case "bar":
                self._split |= self._depth == 0
                self._last = "open"
                return "|"
            case "repeat":
                return self._repeat(text)
            case "start" | "end":
                raise _Unsayable
        self._last = "atom"
        return self._atom(kind, text)

    def _repeat(self, text: str) -> str:
        if self._last != "atom":
            raise _Unsayable
        self._last = "repeat"
        if text[0] in "*+?":
            return text[0]
        bounds = text[1 : text.index("}")].split(",")
        least = int(bounds[0])
        most = least if len(bounds) == 1 else int(bounds[1]) if bounds[1] else None
        if most == 0 or (most is not None and most < least):
            raise _Unsayable
        limited = within_limit(least, most)
        if limited != (least, most):
            self._widened = f"widened: the grammar counts to {MOST_REPEATS}"
        return _times(*limited)

    def _atom(self, kind: str, text: str) -> str:
        match kind:
            case "char" if text == ".":
                return _unit(_without(((0x0A, 0x0A),)))
            case "char":
                return _sign(text)
            case "set":
                return _unit(self._set(text))
            case _:
                return _unit(self._member(text))

    def _set(self, text: str) -> Ranges:
        negated = text.startswith("[^")
        body = text[2 if negated else 1 : -1]
        # `[]a]`, `[[:alpha:]]` and `[a&&b]` mean different things to different engines.
        if not body or any(sign in body for sign in ("[", "&&", "--", "~~")):
            raise _Unsayable
        ranges = tuple(self._members(_MEMBER.findall(body)))
        return _without(ranges) if negated else ranges

    def _members(self, members: list[str]) -> Iterator[tuple[int, int]]:
        index = 0
        while index < len(members):
            here = self._member(members[index])
            if members[index + 1 : index + 2] == ["-"] and index + 2 < len(members):
                there = self._member(members[index + 2])
                first, last = here[0][0], there[0][0]
                if here != ((first, first),) or there != ((last, last),) or last < first:
                    raise _Unsayable
                yield first, last
                index += 3
            else:
                yield from here
                index += 1

    def _member(self, text: str) -> Ranges:
        """The characters that one sign or one escape stands for."""
        name = text[1:] if text.startswith("\\") and len(text) > 1 else ""
        if name[:1] in ("x", "u") and len(name) > 1:
            code = int(name[1:], 16)
        elif name in _CONTROLS:
            code = _CONTROLS[name]
        elif name.isalnum():
            return self._shorthand(name)
        else:
            code = ord(name or text)
        return ((code, code),)

    def _shorthand(self, name: str) -> Ranges:
        match name:
            case "d":
                return _DIGIT
            case "D":
                return _without(_DIGIT)
            case "w":
                self._widened = self._widened or r"widened: \w takes every character outside ASCII"
                return (*_ASCII_WORD, (0x80, _LAST))
            case "W":
                return _without(_ASCII_WORD)
            case "s":
                return _SPACE
            case "S":
                return _without(_SPACE)
            case _:
                raise _Unsayable


def _sign(sign: str) -> str:
    """One sign that stands for itself."""
    bare = sign in _BARE or (sign.isalpha() and not sign.isascii())
    return sign if bare else _unit(((ord(sign), ord(sign)),))


def _times(least: int, most: int | None) -> str:
    if most is None:
        return "*" if least == 0 else "+" if least == 1 else f"{{{least},}}"
    return f"{{{least}}}" if least == most else f"{{{least},{most}}}"


def _without(ranges: Ranges) -> Ranges:
    """Every character but these."""
    rest, start = [], 0
    for first, last in sorted(ranges):
        if first > start:
            rest.append((start, first - 1))
        start = max(start, last + 1)
    return (*rest, (start, _LAST)) if start <= _LAST else tuple(rest)


def _unit(ranges: Ranges) -> str:
    """One character of a set, as it may stand between the quotes of a JSON string."""
    escaped = [code for code in (*range(0x20), 0x22, 0x5C) if any(first <= code <= last for first, last in ranges)]
    special = tuple((code, code) for code in (*range(0x20), 0x22, 0x5C))
    plain = _without((*_without(ranges), *special))
    alternatives = [f"[{''.join(_class_text(plain))}]"] if plain else []
    alternatives += _json_escapes(escaped)
    if not alternatives:
        raise _Unsayable
    return alternatives[0] if plain and len(alternatives) == 1 else f"({'|'.join(alternatives)})"


def _json_escapes(codes: Iterable[int]) -> Iterator[str]:
    short, long = "", {"0": "", "1": ""}
    for code in codes:
        if code in _SHORT_ESCAPES:
            short += _class_sign(ord(_SHORT_ESCAPES[code]))
        else:
            long[f"{code:02x}"[0]] += f"{code:x}"[-1]
    if short:
        yield rf"\\[{short}]"
    for high, lows in long.items():
        if lows:
            yield rf"\\u00{high}[{lows}]"


def _class_text(ranges: Ranges) -> Iterator[str]:
    for first, last in ranges:
        yield _class_sign(first) if first == last else f"{_class_sign(first)}-{_class_sign(last)}"


def _class_sign(code: int) -> str:
    if chr(code) in _PLAIN:
        return chr(code)
    return rf"\x{code:02X}" if code < 0x100 else rf"\u{code:04X}" if code < 0x10000 else rf"\U{code:08X}"
