"""Values that prove that a change breaks: one side may send them, and the other refuses them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from magic_tools.contracts.changes import Change, Witness
from magic_tools.contracts.diffing.attributing import is_about
from magic_tools.contracts.diffing.branches import FREE, Arrays, Objects, Texts, Values, nots_of
from magic_tools.contracts.diffing.fitting import TooManyError
from magic_tools.contracts.diffing.parts import Document, Node
from magic_tools.contracts.diffing.places import Place, Step
from magic_tools.contracts.diffing.space import Space
from magic_tools.contracts.diffing.spans import Span, number_of
from magic_tools.contracts.diffing.telling import Found
from magic_tools.values import JsonValue

__all__ = ["proven"]

_MOST_TRIES = 2_000
_LEAST_EACH = 40
_DEEPEST = 8
_MOST_ITEMS = 100

# A text of each format that schemas assert, and texts that patterns are often of.
_OF_FORMAT = {
    "date": "2026-01-31", "time": "10:00:00Z", "date-time": "2026-01-31T10:00:00Z", "duration": "P1D",
    "email": "a@example.com", "uuid": "123e4567-e89b-12d3-a456-426614174000", "uri": "https://example.com/a",
    "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "hostname": "example.com",
}  # fmt: skip
_TEXTS = ("", "a", "A", "0", "aa", "zz", "AA", "00", "aB", "ABC", "abc", "000", "tomorrow", "a-1", "AB1234", "é")
_OTHERS: Sequence[JsonValue] = (None, True, 0, 1, -1, 0.5, "", "a", [], ["a"], {}, {"extra": 1})


_MISSING: Any = object()


class _NoValueError(Exception):
    """No value was found that fits."""


def proven(found: Iterable[Found], space: Space, sent: Document, taken: Document) -> list[Change]:
    """The changes, those that a value can prove with such a value where one was found within bounds.

    Every value is tried on both whole schemas by a validator of its own, so that it proves what it is shown for.
    """
    changes = list(found)
    provable = [each for each in changes if each.provable]
    if not provable:
        return [each.change for each in changes]
    tries = max(_LEAST_EACH, _MOST_TRIES // len(provable))
    search = _Search(space, sent, taken)
    return [
        replace(each.change, witness=search.witness(each, tries)) if each.provable else each.change for each in changes
    ]


class _Search:
    """A search for values that one document's schema takes and the other's refuses."""

    def __init__(self, space: Space, sent: Document, taken: Document) -> None:
        self._space = space
        self._sent, self._taken = sent, taken
        self._left = _MOST_TRIES
        self._simplest: dict[Node, JsonValue] = {}
        self._least_objects: dict[int, tuple[Objects | None, dict[str, Any]]] = {}

    def witness(self, found: Found, tries: int) -> Witness | None:
        """A value that is refused for what a change is about."""
        for value in itertools.islice(self._candidates(found.place), min(tries, self._left)):
            self._left -= 1
            if self._sent.validator.is_valid(value):
                errors = self._taken.validator.iter_errors(value)
                if any(is_about(error, found) for error in errors):
                    return Witness(value)
        return None

    def _candidates(self, place: Place) -> Iterator[JsonValue]:
        try:
            yield from self._along(self._sent.root, self._taken.root, place.steps)
        except TooManyError:
            return

    def _along(self, sent: Node, taken: Node, steps: Sequence[Step]) -> Iterator[JsonValue]:
        """Values that go through a place, and differ there."""
        if not steps:
            yield from self._samples(sent, 0)
            yield from self._beyond(taken)
            yield from self._counted(sent, taken)
            return
        (kind, which), rest = steps[0], steps[1:]
        others = self._space.form(taken)
        for branch in self._space.form(sent):
            match branch:
                case Objects() if kind in ("field", "extra"):
                    name = str(which) if kind == "field" else self._new_name(branch)
                    inner = next((other.at(name) for other in others if isinstance(other, Objects)), ())
                    yield from self._around(branch, name, self._along(branch.at(name), inner, rest), last=not rest)
                case Arrays() if kind in ("item", "rest"):
                    index = int(which)
                    inner = next((other.item(index) for other in others if isinstance(other, Arrays)), ())
                    yield from self._among(branch, index, self._along(branch.item(index), inner, rest))

    def _around(self, branch: Objects, name: str, values: Iterator[JsonValue], *, last: bool) -> Iterator[JsonValue]:
        """Objects with the least that they need: without the last field, with one more, and with each of its values."""
        try:
            base = self._least_object(branch, 0, but=name)
        except _NoValueError:
            return
        if last:
            yield base
            yield {**base, self._new_name(branch): 1}
        for value in values:
            yield {**base, name: value}

    def _among(self, branch: Arrays, index: int, values: Iterator[JsonValue]) -> Iterator[JsonValue]:
        try:
            base = [self._least(branch.item(each), 0) for each in range(max(index, branch.least))]
        except _NoValueError:
            return
        for value in values:
            yield [*base[:index], value, *base[index + 1 :]]

    def _samples(self, node: Node, depth: int) -> Iterator[JsonValue]:
        """Values that fit a node, or nearly so, the simplest first."""
        if depth > _DEEPEST:
            return
        for branch in self._space.form(node) if node else FREE:
            match branch:
                case Values():
                    yield from branch.listed.values()
                case Span():
                    yield from _numbers_about(branch)
                case Texts():
                    yield from _texts_about(branch)
                case Arrays():
                    yield from self._arrays_about(branch, depth)
                case Objects():
                    yield from self._objects_about(branch, depth)

    def _arrays_about(self, branch: Arrays, depth: int) -> Iterator[JsonValue]:
        try:
            base = [self._least(branch.item(index), depth) for index in range(branch.least)]
        except _NoValueError:
            base = []
        yield base
        for value in itertools.islice(self._samples(branch.item(len(base)), depth + 1), 6):
            yield [*base, value]
            yield [*base, value, value]
        if branch.most is not None and branch.most < _MOST_ITEMS:
            item = next(self._samples(branch.rest, depth + 1), 0)
            yield [*base, *[item] * (branch.most - len(base))]

    def _objects_about(self, branch: Objects, depth: int) -> Iterator[JsonValue]:
        try:
            base = self._least_object(branch, depth)
        except _NoValueError:
            return
        yield base
        yield {**base, self._new_name(branch): 1}
        whole = dict(base)
        for name in branch.fields:
            for value in itertools.islice(self._samples(branch.at(name), depth + 1), 4):
                whole.setdefault(name, value)
                yield {**base, name: value}
        yield whole
        for value in itertools.islice(self._samples(branch.rest, depth + 1), 3):
            yield {**base, self._new_name(branch): value}

    def _beyond(self, taken: Node) -> Iterator[JsonValue]:
        """Values about what a node takes, and some of every type."""
        yield from _OTHERS
        for branch in self._space.form(taken) if taken else ():
            for node in nots_of(branch):
                yield from self._samples(node, 1)
            match branch:
                case Span():
                    yield from _numbers_about(branch)
                case Texts():
                    yield from _texts_about(branch)
                case _:
                    pass

    def _counted(self, sent: Node, taken: Node) -> Iterator[JsonValue]:
        """Arrays and objects of what is sent, of one more or less than what is taken counts."""
        for branch, other in itertools.product(self._space.form(sent), self._space.form(taken)):
            match branch, other:
                case Arrays(), Arrays():
                    wanted = {other.least, *(count for _, *ends in other.contains for count in ends)}
                    several = [value for node, *_ in other.contains for value in self._some(node)]
                    for count in _about({*wanted, other.most}):
                        yield from self._arrays_of(branch, count, several)
                case Objects(), Objects():
                    for count in _about({other.least, other.most}):
                        yield from self._objects_of(branch, count)

    def _arrays_of(self, branch: Arrays, count: int, several: list[JsonValue]) -> Iterator[JsonValue]:
        try:
            first = [self._least(branch.item(index), 0) for index in range(min(count, len(branch.first)))]
        except _NoValueError:
            return
        items = [*self._some(branch.rest), *several] or [0]
        left = count - len(first)
        yield [*first, *itertools.islice(itertools.cycle(items), left)]
        yield from ([*first, *[item] * left] for item in items)

    def _some(self, node: Node) -> list[JsonValue]:
        return list(itertools.islice(self._samples(node, 1), 6))

    def _objects_of(self, branch: Objects, count: int) -> Iterator[JsonValue]:
        try:
            made = self._least_object(branch, 0)
            for name in branch.fields:
                if len(made) < count:
                    made.setdefault(name, self._least(branch.at(name), 0))
            yield {**made, **{f"extra{index}": self._least(branch.rest, 0) for index in range(count - len(made))}}
        except _NoValueError:
            return

    def _least(self, node: Node, depth: int) -> JsonValue:
        """The simplest value that fits a node."""
        if node in self._simplest:
            return self._simplest[node]
        for value in itertools.islice(self._samples(node, depth + 1), 12):
            if not node or self._space.accepts(node, value):
                self._simplest[node] = value
                return value
        raise _NoValueError

    def _least_object(self, branch: Objects, depth: int, but: str | None = None) -> dict[str, JsonValue]:
        """The simplest values of all fields that have to be there, but for one."""
        kept, known = self._least_objects.get(id(branch), (None, {}))
        if kept is not branch:
            known = {name: self._found(branch.at(name), depth) for name in sorted(branch.required)}
            self._least_objects[id(branch)] = (branch, known)
        if any(value is _MISSING for name, value in known.items() if name != but):
            raise _NoValueError
        return {name: value for name, value in known.items() if name != but}

    def _found(self, node: Node, depth: int) -> Any:
        try:
            return self._least(node, depth)
        except _NoValueError:
            return _MISSING

    def _new_name(self, branch: Objects) -> str:
        """A name for a field that is not declared."""
        told = [name for node in branch.names for name in self._samples(node, 0) if isinstance(name, str)]
        numbered = (f"extra{count}" for count in range(len(branch.fields) + 1))
        names = [name for name in (*told, "extra", "k", *numbered) if name not in branch.fields]
        return next((name for name in names if all(self._space.accepts(node, name) for node in branch.names)), names[0])


def _about(counts: set[int | None]) -> list[int]:
    """The counts, and those beside them, but for very large ones."""
    near = {count + step for count in counts if count is not None for step in (-1, 0, 1)}
    return sorted(count for count in near if 0 <= count <= _MOST_ITEMS)


def _numbers_about(span: Span) -> Iterator[JsonValue]:
    step = span.step or Fraction(1)
    bounds = [bound for bound in (span.low, span.high) if bound is not None]
    for bound in bounds:
        for number in (bound, bound + step, bound - step, bound + step / 2, bound - step / 2):
            yield number_of(number)
    if len(bounds) == 2:
        yield number_of((bounds[0] + bounds[1]) / 2)
    yield from (0, 1, 0.5, -1, 1.5, number_of(step * 1), number_of(step * 2))


def _texts_about(texts: Texts) -> Iterator[JsonValue]:
    for name in sorted(texts.formats):
        if name in _OF_FORMAT:
            yield _OF_FORMAT[name]
    for count in (texts.least, texts.least - 1, texts.most, None if texts.most is None else texts.most + 1):
        if count is not None and 0 <= count <= 10_000:
            yield "a" * count
    yield from _TEXTS
