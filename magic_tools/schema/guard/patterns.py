"""Regular expressions that anybody may have written: what each costs to match, and why one is not matched at all."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import Literal, TypeAlias

__all__ = ["PATTERN_BYTES", "WHY", "Unfit", "program_of"]

PATTERN_BYTES = 2**18
"""The largest program that a pattern may compile to: the time it takes grows with it, as with the text."""

Unfit: TypeAlias = Literal["wrong", "backtracking", "large"]
"""Why a pattern is not matched: it is none, it has to be tried over and over, or its program is too large."""

WHY: dict[Unfit, tuple[str, str]] = {
    "wrong": ("is no regular expression that JSON Schema knows", "Correct it (its syntax is that of ECMA-262)"),
    "backtracking": (
        "cannot be matched in a time that grows only with the text",
        "Write it without lookaround, such as (?=...), and back-references, such as \\1",
    ),
    "large": (f"compiles to more than {PATTERN_BYTES:,} bytes", "Write a shorter one, with smaller counts"),
}
"""What is wrong with a pattern, and a way out, by why it is unfit."""

_LARGER = 2**22
_NAMED_GROUP = re.compile(r"\\k<\w+>")
_GOES_BACK = re.compile(r"\(\?<?[=!]|\(\?>|\\[1-9k]")


@lru_cache(maxsize=1024)
def program_of(pattern: str) -> int | Unfit:
    """The bytes that a pattern takes in an engine that never goes back, as a power of two; why, if it takes none."""
    for exponent in range(8, PATTERN_BYTES.bit_length()):
        if _compiles(pattern, 2**exponent):
            return 1 << exponent
    numbered = _NAMED_GROUP.sub(r"\\1", pattern)  # the engine that goes back does not know such names
    if not _compiles(numbered, _LARGER, goes_back=True) and not _compiles(pattern, _LARGER):
        return "wrong"
    return "backtracking" if _GOES_BACK.search(pattern) else "large"


def _compiles(pattern: str, most: int, *, goes_back: bool = False) -> bool:
    import jsonschema_rs

    engine = jsonschema_rs.FancyRegexOptions if goes_back else jsonschema_rs.RegexOptions
    with suppress(jsonschema_rs.ValidationError):
        jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=engine(size_limit=most), offline=True)
        return True
    return False
