"""What a schema tells its reader beside what it validates, and what a change of that does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from magic_tools.contracts.changes import Effect, Side
from magic_tools.contracts.diffing.parts import Part
from magic_tools.contracts.spelling import DECLARED, VALIDATES
from magic_tools.values import JsonValue, canonical_json

__all__ = ["note_changes", "notes_of"]

_ABSENT: Any = object()


def notes_of(parts: Iterable[Part]) -> Mapping[str, JsonValue]:
    """What several schemas tell of one value, the outer ones first."""
    notes: dict[str, JsonValue] = {}
    for part in parts:
        for word, held in part.top.items():
            if word not in VALIDATES or word in DECLARED:
                notes.setdefault(word, held)
    return notes


def note_changes(
    old: Mapping[str, JsonValue], new: Mapping[str, JsonValue], side: Side
) -> Iterator[tuple[str, JsonValue, JsonValue, Effect]]:
    """Kind, both notes and effect of each difference."""
    for word in sorted(old.keys() | new.keys()):
        before, after = old.get(word, _ABSENT), new.get(word, _ABSENT)
        if before is not _ABSENT and after is not _ABSENT and canonical_json(before) == canonical_json(after):
            continue
        kind = "added" if before is _ABSENT else "removed" if after is _ABSENT else "changed"
        yield (
            f"{word.removeprefix('x-')}_{kind}",
            None if before is _ABSENT else before,
            None if after is _ABSENT else after,
            _effect(word, kind, side),
        )


def _effect(word: str, kind: str, side: Side) -> Effect:
    """What a change of a note does (R6 to R8): no model reads the texts of an error."""
    if word in DECLARED:
        return "breaking" if kind == "changed" else "behavioural"
    return "behavioural" if word == "default" or side != "error" else "compatible"
