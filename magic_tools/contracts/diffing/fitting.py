"""Whether a value fits what a schema allows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

from magic_tools.contracts.diffing.branches import (
    Arrays,
    Branch,
    Objects,
    Texts,
    Values,
    is_of_format,
    kind_of_branch,
    matches,
)
from magic_tools.contracts.diffing.parts import Node
from magic_tools.contracts.diffing.spans import Span, fraction
from magic_tools.contracts.spelling import kind_of
from magic_tools.values import JsonValue, canonical_json

__all__ = ["Fitting", "Form", "TooManyError"]

Form: TypeAlias = tuple[Branch, ...]
"""What a node allows: what any of the branches does, nothing where there is none."""


class TooManyError(Exception):
    """What a schema allows has more cases than are looked at, or cannot be told without a value."""


class Fitting(ABC):
    """Values and what they fit."""

    @abstractmethod
    def form(self, node: Node) -> Form:
        """What a node allows; TooManyError if that has too many cases."""

    def is_nothing(self, node: Node) -> bool:
        """Whether no value fits."""
        return bool(node) and not self.form(node)

    def accepts(self, node: Node, value: JsonValue) -> bool:
        """Whether a value fits a node."""
        return any(self.fits(branch, value) for branch in self.form(node))

    def fits(self, branch: Branch, value: JsonValue) -> bool:
        """Whether a value fits a branch."""
        if isinstance(branch, Values):
            return canonical_json(value) in branch.listed
        if kind_of_branch(branch) != kind_of(value) or any(self.accepts(node, value) for node in branch.nots):
            return False
        match branch, value:
            case Span(), int() | float():
                return self._in_span(branch, value)
            case Texts(), str():
                return self._in_texts(branch, value)
            case Arrays(), list():
                return self._in_arrays(branch, value)
            case Objects(), dict():
                return self._in_objects(branch, value)
            case _:
                return False

    def _in_span(self, branch: Span, value: float) -> bool:
        number = fraction(value)
        above = branch.low is None or number > branch.low or (number == branch.low and not branch.low_open)
        below = branch.high is None or number < branch.high or (number == branch.high and not branch.high_open)
        return above and below and (branch.step is None or (number / branch.step).denominator == 1)

    def _in_texts(self, branch: Texts, value: str) -> bool:
        if branch.limits:
            raise TooManyError
        return (
            _counts(branch.least, branch.most, len(value))
            and all(matches(pattern, value) for pattern in branch.patterns)
            and all(is_of_format(name, value) for name in branch.formats)
        )

    def _in_arrays(self, branch: Arrays, value: list[JsonValue]) -> bool:
        if branch.sealed:
            raise TooManyError
        if not _counts(branch.least, branch.most, len(value)):
            return False
        if branch.unique and len({canonical_json(item) for item in value}) < len(value):
            return False
        for node, least, most in branch.contains:
            if not _counts(least, most, sum(self.accepts(node, item) for item in value)):
                return False
        return all(self.accepts(branch.item(index), item) for index, item in enumerate(value))

    def _in_objects(self, branch: Objects, value: dict[str, JsonValue]) -> bool:
        if branch.sealed:
            raise TooManyError
        if not branch.required <= value.keys() or not _counts(branch.least, branch.most, len(value)):
            return False
        if any(name in value and not wanted <= value.keys() for name, wanted in branch.needs.items()):
            return False
        if not all(self.accepts(node, name) for node in branch.names for name in value):
            return False
        return all(self.accepts(branch.at(name), held) for name, held in value.items())


def _counts(least: int, most: int | None, count: int) -> bool:
    return least <= count and (most is None or count <= most)
