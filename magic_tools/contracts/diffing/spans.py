"""Numbers between bounds, and how such spans lie to each other."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

from magic_tools.contracts.diffing.parts import Node

__all__ = [
    "Span",
    "by_low",
    "common_span",
    "common_step",
    "fraction",
    "in_steps_of",
    "joins",
    "span_within",
    "steps_in",
]


@dataclass(frozen=True, slots=True)
class Span:
    """Numbers between bounds, each of which may be open, all multiples of a step where there is one."""

    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False
    step: Fraction | None = None
    nots: tuple[Node, ...] = ()
    sources: Node = field(default=(), compare=False)

    @property
    def is_integer(self) -> bool:
        """Whether all of them are whole."""
        return self.step is not None and self.step.denominator == 1

    def tight(self) -> Span:
        """The same with bounds that are reached where there is a step."""
        if self.step is None:
            return self
        low, high = self.low, self.high
        if low is not None:
            count = low / self.step
            low = self.step * (math.floor(count) + 1 if self.low_open else math.ceil(count))
        if high is not None:
            count = high / self.step
            high = self.step * (math.ceil(count) - 1 if self.high_open else math.floor(count))
        return replace(self, low=low, high=high, low_open=False, high_open=False)

    @property
    def is_empty(self) -> bool:
        """Whether there is no such number."""
        own = self.tight()
        if own.low is None or own.high is None:
            return False
        return own.low > own.high or (own.low == own.high and (own.low_open or own.high_open))

    def listed(self, most: int) -> list[int | float] | None:
        """All of them, if they are no more than that."""
        own = self.tight()
        if own.low is None or own.high is None:
            return None
        if own.low == own.high and not (own.low_open or own.high_open):
            return [number_of(own.low)]
        if own.step is None:
            return None
        count = (own.high - own.low) / own.step + 1
        return None if count > most else [number_of(own.low + own.step * index) for index in range(int(count))]

    def less(self, other: Span) -> list[Span] | None:
        """What is left of the span without another; None where that is no span, because of steps or exceptions."""
        if other.nots or not steps_in(self, other):
            return None
        below = (
            []
            if other.low is None
            else [replace(common_span(self, Span(high=other.low, high_open=not other.low_open)), step=self.step)]
        )
        above = (
            []
            if other.high is None
            else [replace(common_span(self, Span(low=other.high, low_open=not other.high_open)), step=self.step)]
        )
        left = [replace(each, nots=self.nots, sources=self.sources) for each in (*below, *above)]
        return [each for each in left if not each.is_empty]


def fraction(number: float) -> Fraction:
    """A JSON number as it is written."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def number_of(number: Fraction) -> int | float:
    """The number as JSON writes it."""
    return int(number) if number.denominator == 1 else float(number)


def steps_in(sent: Span, taken: Span) -> bool:
    """Whether the steps of what is taken lie on those of what is sent."""
    if taken.step is None:
        return True
    return sent.step is not None and (sent.step / taken.step).denominator == 1


def in_steps_of(sent: Span, taken: Span) -> Span:
    """What is taken, in the steps of what is sent."""
    return replace(taken, step=sent.step).tight()


def by_low(span: Span) -> tuple[bool, object, bool]:
    """Where a span begins, as a key to sort by."""
    return (span.low is not None, span.low or 0, span.low_open)


def joins(left: Span, span: Span) -> bool:
    """Whether the span holds the least of what is left."""
    if span.low is None:
        return True
    if left.low is None:
        return False
    return span.low < left.low or (span.low == left.low and (left.low_open or not span.low_open))


def span_within(sent: Span, taken: Span) -> bool:
    """Whether all numbers of one span are in the other."""
    if not steps_in(sent, taken):
        return False
    ours, theirs = sent.tight(), in_steps_of(sent, taken)
    low = theirs.low is None or (ours.low is not None and (ours.low, ours.low_open) >= (theirs.low, theirs.low_open))
    high = theirs.high is None or (
        ours.high is not None and (-ours.high, ours.high_open) >= (-theirs.high, theirs.high_open)
    )
    return low and high


def common_span(one: Span, other: Span) -> Span:
    """What two spans have in common, as far as bounds tell: of two steps, none is kept."""
    low = max(
        (each for each in ((one.low, one.low_open), (other.low, other.low_open)) if each[0] is not None), default=None
    )
    high = min(((each.high, not each.high_open) for each in (one, other) if each.high is not None), default=None)
    step = one.step if other.step is None else other.step if one.step is None else None
    return Span(
        low=None if low is None else low[0],
        high=None if high is None else high[0],
        low_open=low is not None and low[1],
        high_open=high is not None and not high[1],
        step=step,
    )


def common_step(one: Span, other: Span) -> Fraction | None:
    """The step of what is a multiple of both steps."""
    if one.step is None or other.step is None:
        return one.step if other.step is None else other.step
    first, second = one.step, other.step
    return Fraction(
        math.lcm(first.numerator * second.denominator, second.numerator * first.denominator),
        first.denominator * second.denominator,
    )
