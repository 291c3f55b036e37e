"""What a schema allows, as a union of branches of one type each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeAlias

from magic_tools.contracts.diffing.parts import ANYTHING, Node, Part, key_of
from magic_tools.contracts.diffing.spans import Span
from magic_tools.contracts.spelling import kind_of
from magic_tools.values import JsonValue, canonical_json

__all__ = [
    "FREE",
    "Arrays",
    "Branch",
    "Objects",
    "Sealed",
    "Texts",
    "Values",
    "kind_of_branch",
    "matches",
    "values_of",
]

_UNIVERSAL = frozenset(
    {
        "",
        "^",
        "$",
        ".*",
        "^.*",
        ".*$",
        ".*?",
        "[\\s\\S]*",
        "^[\\s\\S]*$",
        "^[\\s\\S]*",
        "[\\s\\S]*$",
        "(?s).*",
        "(?s)^.*$",
    }
)
"""Patterns that every text has a match of: the search is not anchored, and `.` does not match the end of a line."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A constraint that is not looked into: two are the same, or nothing is known of them."""

    key: str


@dataclass(frozen=True, slots=True)
class Values:
    """Values that are listed, by their canonical text."""

    listed: Mapping[bytes, JsonValue] = field(hash=False)
    sources: Node = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts by length, patterns, formats, what they encode, and the limits of what they stand for."""

    least: int = 0
    most: int | None = None
    patterns: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset()
    contents: frozenset[str] = frozenset()
    limits: Mapping[str, str] = field(default_factory=dict, hash=False)
    nots: tuple[Node, ...] = ()
    sources: Node = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays by their first items, the items after those, and how many there are.

    `contains` holds what several items have to fit, and between how many.
    """

    first: tuple[Node, ...] = ()
    rest: Node = ANYTHING
    least: int = 0
    most: int | None = None
    unique: bool = False
    contains: tuple[tuple[Node, int, int | None], ...] = ()
    sealed: frozenset[Sealed] = frozenset()
    nots: tuple[Node, ...] = ()
    sources: Node = field(default=(), compare=False)

    def item(self, index: int) -> Node:
        """What the item of an index has to fit."""
        return self.first[index] if index < len(self.first) else self.rest


@dataclass(frozen=True, slots=True)
class Objects:
    """Objects by their fields.

    `rest` is what fields have to fit that are not named and match no pattern, `names` what every key has to fit, and
    `needs` which fields have to be there beside another.
    """

    fields: Mapping[str, Node] = field(default_factory=dict, hash=False)
    required: frozenset[str] = frozenset()
    patterns: Mapping[str, Node] = field(default_factory=dict, hash=False)
    rest: Node = ANYTHING
    names: tuple[Node, ...] = ()
    least: int = 0
    most: int | None = None
    needs: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    sealed: frozenset[Sealed] = frozenset()
    nots: tuple[Node, ...] = ()
    sources: Node = field(default=(), compare=False)

    def at(self, name: str) -> Node:
        """What a field has to fit, whether it is named or not."""
        if not self.patterns:
            return self.fields.get(name, self.rest)
        found = [node for pattern, node in self.patterns.items() if matches(pattern, name)]
        named = [self.fields[name]] if name in self.fields else []
        if not named and not found:
            return self.rest
        return tuple(dict.fromkeys(part for node in (*named, *found) for part in node))


Branch: TypeAlias = Values | Span | Texts | Arrays | Objects

FREE: tuple[Branch, ...] = (
    Values({b"null": None, b"true": True, b"false": False}),
    Span(),
    Texts(),
    Arrays(),
    Objects(),
)
"""Everything."""

_KINDS: Mapping[type[Any], str] = {Span: "number", Texts: "string", Arrays: "array", Objects: "object"}


def kind_of_branch(branch: Branch) -> str:
    """The type of what a branch allows; `values` for values that are listed."""
    return _KINDS.get(type(branch), "values")


def values_of(listed: list[JsonValue], sources: Node = ()) -> Values:
    """Listed values, once each."""
    return Values({canonical_json(value): value for value in listed}, sources)


def values_of_kind(branch: Values, kind: str) -> dict[bytes, JsonValue]:
    """Those of the values that are of one type."""
    return {text: value for text, value in branch.listed.items() if kind_of(value) == kind}


def is_universal(pattern: str) -> bool:
    """Whether every text has a match of a pattern, as far as that is known."""
    return pattern in _UNIVERSAL


def asked(patterns: frozenset[str]) -> frozenset[str]:
    """The patterns without those that every text matches."""
    return patterns - _UNIVERSAL


@lru_cache(maxsize=1_024)
def _searched(keyword: str, held: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.validator_for({keyword: held}, validate_formats=True)


def matches(pattern: str, text: str) -> bool:
    """Whether a text has a match of a pattern, by the rules of the engine that checks schemas."""
    return bool(_searched("pattern", pattern).is_valid(text))


def is_of_format(name: str, text: str) -> bool:
    """Whether a text has a format; every text has one that is not known."""
    return bool(_searched("format", name).is_valid(text))


def nots_of(branch: Branch) -> tuple[Node, ...]:
    """What a value of the branch does not fit."""
    return () if isinstance(branch, Values) else branch.nots


def without(branch: Branch, node: Node) -> Branch:
    """The branch without what fits a node; not for listed values."""
    if isinstance(branch, Values):
        raise TypeError("listed values are looked at one by one")
    known = {key_of(each) for each in branch.nots}
    return branch if key_of(node) in known else replace(branch, nots=(*branch.nots, node))


def with_sources(branch: Branch, part: Part) -> Branch:
    """The branch, told to come from one part more."""
    return replace(branch, sources=tuple(dict.fromkeys((part, *branch.sources))))
