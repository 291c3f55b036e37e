"""How numbers, texts and counts that are allowed now lie to those that were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from magic_tools.contracts.diffing.branches import Texts, asked
from magic_tools.contracts.diffing.limits import limits_within
from magic_tools.contracts.diffing.spans import Span, number_of, span_within, steps_in
from magic_tools.values import JsonValue

__all__ = ["Difference", "Relation", "related_spans", "related_texts", "relation_of_counts"]


class Relation(NamedTuple):
    """Whether something that was allowed is not any more, and whether something is that was not."""

    lost: bool
    gained: bool

    @property
    def word(self) -> str:
        """The relation as the end of a change's kind."""
        if self.lost and self.gained:
            return "changed"
        return "narrowed" if self.lost else "widened" if self.gained else "respelled"


Difference: TypeAlias = tuple[str, Relation, JsonValue, JsonValue]
"""What differs, how, and what was and is there."""


def relation_of_counts(
    least: int, most: int | None, new_least: int, new_most: int | None
) -> tuple[Relation, JsonValue, JsonValue]:
    """How counts from one number to another lie to those that were."""
    old, new = Span(Fraction(least), _maybe(most)), Span(Fraction(new_least), _maybe(new_most))
    return _relation(old, new), _bounds(old), _bounds(new)


def related_spans(old: Span, new: Span) -> Iterator[Difference]:
    """The differences of two spans of numbers."""
    if old.is_integer != new.is_integer:
        names = ("integer", "number") if old.is_integer else ("number", "integer")
        yield "type", Relation(new.is_integer, old.is_integer), *names
    elif old.step != new.step:
        relation = Relation(not steps_in(old, new), not steps_in(new, old))
        yield "multiple", relation, _written(old.step), _written(new.step)
    fine = (
        replace(old, step=None if old.step is None else Fraction(1))
        if old.is_integer and new.is_integer
        else replace(old, step=None)
    )
    wide = replace(new, step=fine.step)
    relation = _relation(fine, wide)
    if relation.lost or relation.gained:
        yield "range", relation, _bounds(old), _bounds(new)


def related_texts(old: Texts, new: Texts) -> Iterator[Difference]:
    """The differences of what two texts may be."""
    if (old.least, old.most) != (new.least, new.most):
        relation, before, after = relation_of_counts(old.least, old.most, new.least, new.most)
        yield "length", relation, before, after
    for subject, ours, theirs in (
        ("pattern", asked(old.patterns), asked(new.patterns)),
        ("format", old.formats, new.formats),
        ("content", old.contents, new.contents),
    ):
        if ours != theirs:
            yield subject, Relation(not theirs <= ours, not ours <= theirs), _texts(ours), _texts(theirs)
    if old.limits != new.limits:
        relation = Relation(not limits_within(old.limits, new.limits), not limits_within(new.limits, old.limits))
        yield "limits", relation, _limits(old.limits), _limits(new.limits)


def _limits(held: Mapping[str, str]) -> JsonValue:
    return {**held} or None


def _relation(old: Span, new: Span) -> Relation:
    return Relation(not span_within(old, new), not span_within(new, old))


def _maybe(count: int | None) -> Fraction | None:
    return None if count is None else Fraction(count)


def _bounds(span: Span) -> JsonValue:
    """The bounds as a person writes an interval, such as `[0, 10)`."""
    low = "(-inf" if span.low is None else f"{'(' if span.low_open else '['}{_written(span.low)}"
    high = "inf)" if span.high is None else f"{_written(span.high)}{')' if span.high_open else ']'}"
    return f"{low}, {high}"


def _written(number: Fraction | None) -> JsonValue:
    return None if number is None else number_of(number)


def _texts(held: frozenset[str]) -> JsonValue:
    if not held:
        return None
    return next(iter(held)) if len(held) == 1 else [*sorted(held)]
