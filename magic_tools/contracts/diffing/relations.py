"""Whether a value fits, whether two schemas have a value in common, and whether one allows all that the other does."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace

from magic_tools.contracts.diffing.branches import (
    Arrays,
    Branch,
    Objects,
    Texts,
    Values,
    asked,
    kind_of_branch,
    matches,
    nots_of,
)
from magic_tools.contracts.diffing.fitting import Fitting, Form, TooManyError
from magic_tools.contracts.diffing.limits import limits_within
from magic_tools.contracts.diffing.parts import ANYTHING, Node, key_of
from magic_tools.contracts.diffing.spans import (
    Span,
    by_low,
    common_span,
    in_steps_of,
    joins,
    span_within,
    steps_in,
)
from magic_tools.contracts.diffing.splitting import splits

__all__ = ["Relations"]

_MOST_LISTED = 128
_MOST_WORK = 400_000


class Relations(Fitting):
    """Relations between nodes, each found once.

    They are answered with yes only where that is proven. `strict` counts also what an open object may hold beside its
    fields; otherwise that is no promise, and nobody may rely on it (R2 of the rules).
    """

    def __init__(self) -> None:
        self._included: dict[tuple[tuple[int, ...], tuple[int, ...], bool], bool] = {}
        self._under_way: dict[tuple[tuple[int, ...], tuple[int, ...], bool], int] = {}
        self._lowest = 0
        self._apart: dict[frozenset[tuple[int, ...]], bool] = {}
        self._work = 0

    @abstractmethod
    def common(self, one: Branch, other: Branch) -> Branch | None:
        """What two branches allow both, None where that is nothing."""

    def disjoint(self, first: Node, second: Node) -> bool:
        """Whether no value fits both."""
        pair = frozenset({key_of(first), key_of(second)})
        if pair not in self._apart:
            self._apart[pair] = False  # until it is proven, also from inside
            self._apart[pair] = all(self.apart(one, other) for one in self.form(first) for other in self.form(second))
        return self._apart[pair]

    def apart(self, one: Branch, other: Branch) -> bool:
        """Whether no value fits both branches."""
        if isinstance(one, Values):
            return not any(self.fits(other, value) for value in one.listed.values())
        if isinstance(other, Values):
            return self.apart(other, one)
        if kind_of_branch(one) != kind_of_branch(other):
            return True
        if self._ruled_out(one, other) or self._ruled_out(other, one):
            return True
        match one, other:
            case Span(), Span():
                return common_span(one, other).is_empty
            case Texts(), Texts():
                return _beyond(one.least, other.most) or _beyond(other.least, one.most)
            case Arrays(), Arrays():
                return self._arrays_apart(one, other)
            case Objects(), Objects():
                sure = [name for name in one.required | other.required if self._sure(one, other, name)]
                return any(self.disjoint(one.at(name), other.at(name)) for name in sure)
            case _:
                return False

    def _arrays_apart(self, one: Arrays, other: Arrays) -> bool:
        if _beyond(one.least, other.most) or _beyond(other.least, one.most):
            return True
        sure = range(min(max(one.least, other.least), max(len(one.first), len(other.first)) + 1))
        return any(self.disjoint(one.item(index), other.item(index)) for index in sure)

    def _sure(self, one: Objects, other: Objects, name: str) -> bool:
        return name in one.required or name in other.required

    def _ruled_out(self, one: Branch, other: Branch) -> bool:
        return any(self.within((other,), self.form(node), strict=True) for node in nots_of(one))

    def included(self, sent: Node, taken: Node, *, strict: bool = False) -> bool:
        """Whether all that may be sent by one node is taken by the other."""
        ours, theirs = key_of(sent), key_of(taken)
        if not theirs or set(theirs) <= set(ours):
            return True
        key = (ours, theirs, strict)
        if key in self._included:
            return self._included[key]
        if key in self._under_way:  # taken for true: if it is not, that comes out where it was begun
            self._lowest = min(self._lowest, self._under_way[key])
            return True
        self._work += 1
        if self._work > _MOST_WORK:
            return False
        depth = self._under_way[key] = len(self._under_way) + 1
        outer, self._lowest = self._lowest, depth
        try:
            answer = self.within(self.form(sent), self.form(taken), strict=strict)
        except TooManyError:
            answer = False
        finally:
            del self._under_way[key]
            lowest, self._lowest = self._lowest, min(outer, self._lowest) if outer else self._lowest
        if not answer or lowest >= depth:  # it rests on nothing that is still open
            self._included[key] = answer
        return answer

    def within(self, sent: Iterable[Branch], taken: Form, *, strict: bool = False) -> bool:
        """Whether each branch that may be sent is taken by some of the others together."""
        return all(self._covered(branch, taken, strict) or self._is_void(branch) for branch in sent)

    def _is_void(self, branch: Branch) -> bool:
        """Whether all of the branch is excepted again."""
        return any(self.within((_plainly(branch),), self.form(node), strict=True) for node in nots_of(branch))

    def _covered(self, branch: Branch, taken: Form, strict: bool) -> bool:
        if isinstance(branch, Values):
            return all(any(self.fits(other, value) for other in taken) for value in branch.listed.values())
        same = [other for other in taken if kind_of_branch(other) == kind_of_branch(branch)]
        if any(self.narrower(branch, other, strict=strict) for other in same):
            return True
        if any(self._covered_in_two(branch, other, taken, strict) for other in same if nots_of(other)):
            return True
        match branch:
            case Span():
                return self._span_covered(branch, taken)
            case Objects() if len(same) > 1:
                return self._split_covered(branch, taken, strict)
            case _:
                return False

    def _covered_in_two(self, branch: Branch, other: Branch, taken: Form, strict: bool) -> bool:
        """Whether a branch is covered by another but for what that excepts, and this by the others."""
        if not self.narrower(branch, _plainly(other), strict=strict):
            return False
        excepted = [self.common(branch, each) for node in nots_of(other) for each in self.form(node)]
        others = tuple(each for each in taken if each is not other)
        return self.within([each for each in excepted if each is not None], others, strict=strict)

    def _span_covered(self, branch: Span, taken: Form) -> bool:
        """Whether numbers are covered by several branches together: one by one, or span after span."""
        listed = branch.listed(_MOST_LISTED)
        if listed is not None:
            return all(any(self.fits(other, value) for other in taken) for value in listed)
        spans = [other for other in taken if isinstance(other, Span) and not other.nots and steps_in(branch, other)]
        left = branch.tight()
        for span in sorted((in_steps_of(branch, span) for span in spans), key=by_low):
            if not joins(left, span):
                continue
            if span.high is None:
                return True
            left = replace(left, low=span.high, low_open=not span.high_open).tight()
            if left.is_empty:
                return True
        return False

    def _split_covered(self, branch: Objects, taken: Form, strict: bool) -> bool:
        """Whether objects are covered by several branches together, for each case of a field that tells them apart."""
        return any(self.within(pieces, taken, strict=strict) for pieces in splits(self, branch, taken))

    def narrower(self, sent: Branch, taken: Branch, *, strict: bool) -> bool:
        """Whether all that fits one branch fits the other."""
        if not all(self.avoids(sent, node) for node in nots_of(taken)):
            return False
        match sent, taken:
            case Values(), _:
                return all(self.fits(taken, value) for value in sent.listed.values())
            case Span(), Span():
                return span_within(sent, taken)
            case Texts(), Texts():
                return _texts_within(sent, taken)
            case Arrays(), Arrays():
                return self._arrays_within(sent, taken, strict)
            case Objects(), Objects():
                return self._objects_within(sent, taken, strict)
            case _:
                return False

    def avoids(self, branch: Branch, node: Node) -> bool:
        """Whether nothing of the branch fits the node."""
        if any(self.included(node, each, strict=True) for each in nots_of(branch)):
            return True
        return all(self.apart(branch, other) for other in self.form(node))

    def _arrays_within(self, sent: Arrays, taken: Arrays, strict: bool) -> bool:
        if not _range_within(sent.least, sent.most, taken.least, taken.most) or not taken.sealed <= sent.sealed:
            return False
        if taken.unique and not (sent.unique or (sent.most is not None and sent.most <= 1)):
            return False
        longest = max(len(sent.first), len(taken.first))
        looked = range(longest if sent.most is None else min(longest, sent.most))
        if not all(self.included(sent.item(index), taken.item(index), strict=strict) for index in looked):
            return False
        if (sent.most is None or sent.most > longest) and not self.included(sent.rest, taken.rest, strict=strict):
            return False
        return all(self.contains(sent, *wanted) for wanted in taken.contains)

    def contains(self, sent: Arrays, node: Node, least: int, most: int | None) -> bool:
        """Whether as many items as are wanted fit a node in all that is sent."""
        return self._contains_enough(sent, node, least) and (most is None or self._contains_few(sent, node, most))

    def _contains_enough(self, sent: Arrays, node: Node, least: int) -> bool:
        if any(low >= least and self.included(known, node, strict=True) for known, low, _ in sent.contains):
            return True
        sure = [sent.item(index) for index in range(min(sent.least, len(sent.first) + least))]
        return sum(self.included(item, node, strict=True) for item in sure) >= least

    def _contains_few(self, sent: Arrays, node: Node, most: int) -> bool:
        if sent.most is not None and sent.most <= most:
            return True
        return any(
            high is not None and high <= most and self.included(node, known, strict=True)
            for known, _, high in sent.contains
        )

    def _objects_within(self, sent: Objects, taken: Objects, strict: bool) -> bool:
        return (
            taken.required <= sent.required
            and taken.sealed <= sent.sealed
            and max(sent.least, len(sent.required)) >= taken.least
            and (taken.most is None or _within_most(self.most_fields(sent), taken.most))
            and all(self.needs_met(sent, name, wanted) for name, wanted in taken.needs.items())
            and all(self.names_met(sent, node) for node in taken.names)
            and self._fields_within(sent, taken, strict)
        )

    def most_fields(self, branch: Objects) -> int | None:
        """How many fields there can be at most."""
        if branch.patterns or not self.is_nothing(branch.rest):
            return branch.most
        named = sum(not self.is_nothing(branch.at(name)) for name in branch.fields)
        return named if branch.most is None else min(named, branch.most)

    def needs_met(self, sent: Objects, name: str, wanted: frozenset[str]) -> bool:
        """Whether the objects have all that is wanted beside a field."""
        if wanted <= sent.needs.get(name, frozenset()) | sent.required | {name}:
            return True
        return self.is_nothing(sent.at(name))

    def names_met(self, sent: Objects, node: Node) -> bool:
        """Whether all keys of the objects fit a node."""
        if any(self.included(known, node, strict=True) for known in sent.names):
            return True
        if self.within((Texts(),), self.form(node), strict=True):
            return True
        if sent.patterns or not self.is_nothing(sent.rest):
            return False
        possible = [name for name in sent.fields if not self.is_nothing(sent.at(name))]
        return all(self.accepts(node, name) for name in possible)

    def _fields_within(self, sent: Objects, taken: Objects, strict: bool) -> bool:
        """Whether every field that may be sent is taken as it may be sent."""
        for name in dict.fromkeys((*sent.fields, *sent.required)):
            if not self.included(sent.at(name), taken.at(name), strict=strict):
                return False
        said = strict or sent.rest != ANYTHING
        excepted = self._named_in(sent.nots)
        for name in taken.fields:
            if name not in sent.fields and name not in sent.required:
                told = name in excepted or any(matches(pattern, name) for pattern in sent.patterns)
                if (said or told) and not self.included(sent.at(name), taken.at(name), strict=strict):
                    return False
        for pattern, node in sent.patterns.items():
            if not self._pattern_taken(pattern, node, taken, strict):
                return False
        others = [node for pattern, node in taken.patterns.items() if said and pattern not in sent.patterns]
        return all(self.included(sent.rest, rest, strict=strict) for rest in (taken.rest, *others))

    def _named_in(self, nodes: Iterable[Node]) -> set[str]:
        """The fields that any of several nodes names, which then are declared, though by an exception."""
        kinds = [branch for node in nodes for branch in self.form(node) if isinstance(branch, Objects)]
        return {name for branch in kinds for name in (*branch.fields, *branch.required)}

    def _pattern_taken(self, pattern: str, node: Node, taken: Objects, strict: bool) -> bool:
        """Whether fields by a pattern are taken, whatever else their names may match."""
        wanted = [other for each, other in taken.patterns.items() if each != pattern]
        wanted += [held for name, held in taken.fields.items() if matches(pattern, name)]
        wanted.append(taken.patterns.get(pattern, taken.rest))
        return all(self.included(node, each, strict=strict) for each in wanted)


def _beyond(least: int, most: int | None) -> bool:
    return most is not None and least > most


def _range_within(least: int, most: int | None, wanted_least: int, wanted_most: int | None) -> bool:
    return least >= wanted_least and (wanted_most is None or (most is not None and most <= wanted_most))


def _within_most(most: int | None, wanted: int) -> bool:
    return most is not None and most <= wanted


def _texts_within(sent: Texts, taken: Texts) -> bool:
    return (
        _range_within(sent.least, sent.most, taken.least, taken.most)
        and asked(taken.patterns) <= sent.patterns
        and taken.formats <= sent.formats
        and taken.contents <= sent.contents
        and limits_within(sent.limits, taken.limits)
    )


def _plainly(branch: Branch) -> Branch:
    """The branch with what is excepted."""
    return branch if isinstance(branch, Values) else replace(branch, nots=())
