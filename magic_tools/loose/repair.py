"""A span of text that is nearly JSON, made JSON, with every repair listed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from magic_tools.messages import Repair

__all__ = ["CLOSED_BY", "Damage", "Span", "read_span"]

# What matters for where a span ends: a string (to the end of the text where nothing closes it), a bracket,
# and a comma that has nothing between it and a closing bracket.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]|,(?=\s*+[\]}])', re.DOTALL)
CLOSED_BY = {"{": "}", "[": "]"}
_CLOSED_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
# What a literal or a number looks like when the text stops inside it.
_BEGUN = re.compile(r"t(?:r(?:u)?)?|f(?:a(?:l(?:s)?)?)?|n(?:u(?:l)?)?|-")


class Damage(Exception):  # noqa: N818 - a finding that the ladder weighs, not an error that a caller sees
    """Why a span cannot be read: the kind, where (offsets of the whole text), how far was looked, and words."""

    def __init__(self, kind: Literal["truncated", "unparseable"], offset: int, end: int, why: str) -> None:
        super().__init__(why)
        self.kind: Literal["truncated", "unparseable"] = kind
        self.offset = offset
        self.end = end
        self.why = why


@dataclass(frozen=True, slots=True)
class Span:
    """JSON text that stands from `start` to `end` of a larger text, and what was done to get it."""

    json: str
    start: int
    end: int
    repairs: tuple[Repair, ...]


def read_span(text: str, start: int, limit: int) -> Span:
    """The object or array that opens at `start`, without its trailing commas; Damage if there is none.

    The span ends at its own closing bracket, `limit` at the latest.
    """
    extent = _extent(text, start, limit)
    json_text = _blanked(text[start : extent.end], [comma - start for comma in extent.commas])
    try:
        json.loads(json_text)
    except json.JSONDecodeError as error:
        at = start + error.pos
        cut = extent.open_from is not None and (at >= extent.open_from or _BEGUN.fullmatch(text, at, limit))
        raise Damage("truncated" if cut else "unparseable", at, extent.end, error.msg) from None
    except RecursionError:
        raise Damage("unparseable", start, extent.end, "nested too deeply") from None
    except ValueError:  # an integer of more digits than Python reads
        raise Damage("unparseable", start, extent.end, "a whole number of more than 4300 digits") from None
    repairs = tuple(
        Repair("trailing_comma", at, at + 1, "dropped a comma before a closing bracket") for at in extent.commas
    )
    return Span(json_text, start, extent.end, repairs)


def _blanked(text: str, commas: list[int]) -> str:
    """The text with blanks for some commas, so that every offset stays what it was."""
    if not commas:
        return text
    characters = list(text)
    for comma in commas:
        characters[comma] = " "
    return "".join(characters)


@dataclass(frozen=True, slots=True)
class _Extent:
    """How far a bracket reaches, the trailing commas inside, and where it is still open at the end of the text.

    `open_from` is the start of the string that nothing closes, or the end; None where the bracket is closed.
    """

    end: int
    commas: tuple[int, ...]
    open_from: int | None


def _extent(text: str, start: int, limit: int) -> _Extent:
    """The extent of the bracket at `start`; a closing bracket of the other kind closes nothing."""
    awaited: list[str] = []
    commas: list[int] = []
    last, after = "", start
    for token in _TOKEN.finditer(text, start, limit):
        match token[0]:
            case "{" | "[" as opener:
                awaited.append(CLOSED_BY[opener])
            case "}" | "]" as closer if closer == awaited[-1]:
                awaited.pop()
                if not awaited:
                    return _Extent(token.end(), tuple(commas), None)
            case "," if last not in CLOSED_BY or text[after : token.start()].strip():  # else its slot is empty
                commas.append(token.start())
        last, after = token[0], token.end()
    unclosed = last.startswith('"') and not _CLOSED_STRING.fullmatch(last)
    return _Extent(limit, tuple(commas), after - len(last) if unclosed else limit)
