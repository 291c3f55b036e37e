"""A schema in a provider's or a decoder's form: what had to change for it, and the way back for its answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from magic_tools.values import JsonObject

__all__ = ["DialectChange", "Move", "Rendered"]


@dataclass(frozen=True, slots=True)
class DialectChange:
    """One thing that a dialect cannot say as the canonical schema says it.

    `path` is a JSON Pointer into the canonical schema, `keyword` what was there, `what` what became of it.
    """

    path: str
    keyword: str
    what: str


@dataclass(frozen=True, slots=True)
class Move:
    """A value that a dialect has elsewhere: under `key` at the root, and canonically where `path` leads.

    An empty path is the whole value: the dialect has wrapped it.
    """

    key: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A schema in a dialect: `strict` where the provider can hold a model to it, every change, and what was moved."""

    schema: JsonObject
    strict: bool
    changes: tuple[DialectChange, ...]
    moves: tuple[Move, ...] = ()

    def restore(self, text: str, members: Mapping[str, str] | None = None) -> str:
        """The JSON text of a value in the dialect's form, with everything where the canonical schema has it.

        The values' own spelling stays as it is; `members` are the texts of the root's members, where it is
        no JSON as it stands. What is no object, or has the canonical form already, comes back unchanged.
        """
        tree = (_members(text) if members is None else dict(members)) if self.moves else None
        if tree is None or not any(move.key in tree for move in self.moves):
            return text
        for move in self.moves:
            held = tree.pop(move.key, None)
            if held is None:
                continue
            if not move.path:
                return _written(held) if not tree else text
            if not _put(tree, move.path, held):
                return text
        return _written(tree)

    def moved(self, text: str) -> str:
        """The JSON text of a canonical value in the dialect's form: what `restore` makes of it is the same value."""
        wrapper = next((move.key for move in self.moves if not move.path), None)
        if wrapper is not None:
            return _written({wrapper: text}) if _is_json(text) else text
        tree = _members(text) if self.moves else None
        if tree is None:
            return text
        for move in self.moves:
            held = _take(tree, move.path)
            if held is not None:
                tree[move.key] = held
        return _written(tree)


_Tree: TypeAlias = dict[str, Any]
"""An object's members by key, each the text that it was written in, or a tree of its own."""

_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)  # as text: no number is too long for that
_BLANKS = re.compile(r"[ \t\n\r]*")


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True


def _members(text: str) -> _Tree | None:
    """The members of an object as it spells them; None where the text is no JSON object, or says a key twice."""
    try:
        value, end = _DECODER.raw_decode(text, _after_blanks(text, 0))
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or _after_blanks(text, end) != len(text):
        return None
    members: _Tree = {}
    at = _after_blanks(text, text.index("{") + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        start = _after_blanks(text, _after_blanks(text, at) + len(":"))
        _, end = _DECODER.raw_decode(text, start)
        if key in members:
            return None
        members[key] = text[start:end]
        at = _after_blanks(text, end)
        at = _after_blanks(text, at + len(",")) if text[at] == "," else at
    return members


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _put(tree: _Tree, path: tuple[str, ...], held: Any) -> bool:
    """Put a member deeper into the tree; False where another value stands in its way."""
    *parents, name = path
    place: Any = tree
    for parent in parents:
        place = place.setdefault(parent, {})
        if not isinstance(place, dict):
            return False
    return place.setdefault(name, held) is held


def _take(tree: _Tree, path: tuple[str, ...]) -> Any:
    """Take a member out of the tree, and with it the objects that it leaves empty; None where there is none."""
    name, *rest = path
    if not rest:
        return tree.pop(name, None)
    inner = tree.get(name)
    inner = _members(inner) if isinstance(inner, str) else inner
    held = _take(inner, tuple(rest)) if inner else None
    if held is not None:
        tree[name] = inner
        if not inner:
            del tree[name]
    return held


def _written(held: Any) -> str:
    if isinstance(held, str):
        return held
    return (
        "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{_written(inner)}" for key, inner in held.items()) + "}"
    )
