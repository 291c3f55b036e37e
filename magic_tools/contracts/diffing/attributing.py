"""Which change it is for that a value is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from magic_tools.contracts.diffing.places import Step
from magic_tools.contracts.diffing.telling import Found

__all__ = ["is_about"]

_UNIONS = frozenset({"anyOf", "oneOf", "not", "if", "then", "else", "allOf", "$ref"})
_WIDE = ("schema", "branch", "type", "exclusion", "enum", "dependency", "unevaluated", "pattern")
"""The beginnings of kinds of changes that may show further in, or by fields that are missing."""

_NEAR = ("openness", "property_count", "names", "item_count", "contents", "uniqueness")
"""Those of changes that may show in a field or an item."""


def is_about(error: Any, found: Found) -> bool:
    """Whether an error of a validator, `jsonschema_rs`'s, is about a change: at its place, or one that shows there.

    A field that is missing, or not wanted, is told of the object, and belongs to the field.
    """
    path, steps = list(error.instance_path), found.place.steps
    if not all(_is_on(step, key) for step, key in zip(steps, path, strict=False)):
        return False
    word = str(error.schema_path[-1]) if error.schema_path else ""
    wide = found.change.kind.startswith(_WIDE)
    if len(path) >= len(steps):
        near = found.change.kind.startswith(_NEAR)
        if len(path) == len(steps):
            return wide or near or word not in ("required", "additionalProperties")
        return wide or (near and len(path) == len(steps) + 1)
    if word in ("required", "additionalProperties"):
        return len(path) == len(steps) - 1 and _names(error, word, steps)
    return bool(_UNIONS & {str(each) for each in error.schema_path})


def _is_on(step: Step, key: str | int) -> bool:
    match step:
        case ("field" | "item", which):
            return key == which
        case ("rest", after):
            return isinstance(key, int) and key >= int(after)
        case _:
            return isinstance(key, str)


def _names(error: Any, word: str, steps: Sequence[Step]) -> bool:
    kind, which = steps[-1]
    if word == "required":
        return bool(error.kind.property == which)
    return kind == "extra" or which in getattr(error.kind, "unexpected", (which,))  # one that is false names none
