"""What schemas allow, as unions of branches: read from their keywords, added up and taken away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from magic_tools.contracts.diffing.branches import (
    FREE,
    Arrays,
    Branch,
    Objects,
    Texts,
    Values,
    kind_of_branch,
    values_of,
    values_of_kind,
    with_sources,
    without,
)
from magic_tools.contracts.diffing.fitting import Form, TooManyError
from magic_tools.contracts.diffing.parts import ANYTHING, Node, Part, key_of, nothing_of
from magic_tools.contracts.diffing.reading import listed_by, plain_branches
from magic_tools.contracts.diffing.relations import Relations
from magic_tools.contracts.diffing.spans import Span, common_span, common_step
from magic_tools.contracts.spelling import DECLARED, VALIDATES, Raw, says_nothing_fits
from magic_tools.values import JsonValue

__all__ = ["Space"]

_MOST_BRANCHES = 64
_LENIENT = frozenset(
    {"type", "maxLength", "items", "prefixItems", "maxItems", "uniqueItems", "properties", "additionalProperties",
     "patternProperties", "propertyNames", "maxProperties", "dependentRequired", *DECLARED}
)  # fmt: skip


class Space(Relations):
    """What nodes allow, and how they relate; what was found once is kept."""

    def __init__(self) -> None:
        super().__init__()
        self._forms: dict[tuple[tuple[int, int], ...], Form | None] = {}
        self._parts: dict[tuple[int, int], Form] = {}
        self._reading: set[int] = set()

    def form(self, node: Node) -> Form:
        """What a node allows, as the branches of its schemas added up; TooManyError if there are too many."""
        if not node:
            return FREE
        key = tuple((part.key, part.told) for part in node)
        if key not in self._forms:
            self._forms[key] = self._sum_of(node)
        known = self._forms[key]
        if known is None:
            raise TooManyError
        return known

    def _sum_of(self, node: Node) -> Form | None:
        try:
            found = self._of_part(node[0])
            for part in node[1:]:
                found = self._both(found, self._of_part(part))
        except TooManyError:
            return None
        return found

    def _of_part(self, part: Part) -> Form:
        key = (part.key, part.told)
        if key not in self._parts:
            if part.key in self._reading:  # it is made of itself, with nothing between
                raise TooManyError
            self._reading.add(part.key)
            try:
                self._parts[key] = self._read(part)
            finally:
                self._reading.discard(part.key)
        return tuple(branch if part in branch.sources else with_sources(branch, part) for branch in self._parts[key])

    def _read(self, part: Part) -> Form:
        top, node = part.top, part.document.part
        found = self._plain(part)
        for each in top.get("allOf", ()):
            found = self._both(found, self._of_part(node(each)))
        if "anyOf" in top:
            found = self._both(found, self._any(node(each) for each in top["anyOf"]))
        if "oneOf" in top:
            found = self._both(found, self._one([node(each) for each in top["oneOf"]]))
        if "not" in top:
            found = self._less(found, (node(top["not"]),))
        if "if" in top:
            found = self._both(found, self._chosen(part))
        for name, held in top.get("dependentSchemas", {}).items():
            found = self._both(found, self._depending(part, name, held))
        return self._kept(self._unsealed(part, found))

    def _unsealed(self, part: Part, form: Form) -> Form:
        """The same where what is left over is known: nothing chooses, so that all that is named is looked at."""
        if _chooses(part):
            return form
        return tuple(_with_leftovers(part, branch) for branch in form)

    def _plain(self, part: Part) -> Form:
        """What a schema allows by its own keywords; of listed values those that fit what is asked for beside them."""
        found, listed = plain_branches(part), listed_by(part)
        if listed is None:
            return found
        own = [value for value in listed if any(self.fits(branch, value) for branch in found)]
        return (values_of(own, (part,)),) if own else ()

    def _chosen(self, part: Part) -> Form:
        """What `if`, `then` and `else` allow together."""
        top, node = part.top, part.document.part
        condition: Node = (node(top["if"]),)
        met = self.form(condition)
        if "then" in top:
            met = self._both(met, self._of_part(node(top["then"])))
        unmet = self._less(FREE, condition)
        if "else" in top:
            unmet = self._both(unmet, self._of_part(node(top["else"])))
        return (*met, *unmet)

    def _depending(self, part: Part, name: str, held: Raw) -> Form:
        """What an object may be that has to fit more where it has a field."""
        absent = Objects(fields={name: nothing_of(part.document)}, sources=(part,))
        present = self._both((Objects(required=frozenset({name})),), self._of_part(part.document.part(held)))
        return (*(branch for branch in FREE if not isinstance(branch, Objects)), absent, *present)

    def _any(self, parts: Iterable[Part]) -> Form:
        return tuple(branch for part in parts for branch in self._of_part(part))

    def _one(self, parts: list[Part]) -> Form:
        """What exactly one of several allows."""
        found: list[Branch] = []
        for part in parts:
            others = [(other,) for other in parts if other is not part]
            own = self._of_part(part)
            for other in others:
                if other[0].key == part.key or not self.disjoint((part,), other):
                    own = self._less(own, other)
            found += own
        return tuple(found)

    def _less(self, form: Form, node: Node) -> Form:
        """A form without what fits a node."""
        taken = self.form(node)
        left: list[Branch] = []
        for branch in form:
            if isinstance(branch, Values):
                listed = [value for value in branch.listed.values() if not self.accepts(node, value)]
                left.append(values_of(listed, branch.sources))
            elif all(self.apart(branch, other) for other in taken):
                left.append(branch)
            elif (rest := _left_of(branch, taken, node)) is not None:
                left += rest
            elif not self.within((branch,), taken, strict=True):
                left.append(without(branch, node))
        return self._kept(left)

    def _both(self, one: Form, other: Form) -> Form:
        if one is FREE:
            return other
        if other is FREE:
            return one
        found = [self.common(first, second) for first in one for second in other]
        return self._kept([branch for branch in found if branch is not None])

    def _kept(self, branches: Iterable[Branch]) -> Form:
        """The branches that allow anything, all listed values as one, and none twice."""
        listed: dict[bytes, JsonValue] = {}
        sources: dict[Part, None] = {}
        kept: list[Branch] = []
        for branch in branches:
            if isinstance(branch, Values):
                listed |= branch.listed
                sources |= dict.fromkeys(branch.sources)
            elif isinstance(branch, Texts) and branch.most == 0:
                listed |= {b'""': ""} if self.fits(branch, "") else {}
                sources |= dict.fromkeys(branch.sources)
            elif not self._is_empty(branch) and branch not in kept:
                kept.append(branch)
        if len(kept) > _MOST_BRANCHES:
            raise TooManyError
        return (*([Values(listed, tuple(sources))] if listed else []), *kept)

    def _is_empty(self, branch: Branch) -> bool:
        match branch:
            case Span():
                return branch.is_empty
            case Texts() | Arrays() if branch.most is not None and branch.least > branch.most:
                return True
            case Arrays():
                return any(
                    self.is_impossible(branch.item(index)) for index in range(min(branch.least, len(branch.first) + 1))
                )
            case Objects():
                most = self.most_fields(branch) if branch.least else branch.most
                over = most is not None and max(branch.least, len(branch.required)) > most
                return over or any(self.is_impossible(branch.at(name)) for name in branch.required)
            case _:
                return False

    def is_impossible(self, node: Node) -> bool:
        """Whether it is known that no value fits."""
        if any(part.key in self._reading for part in node) or (len(node) == 1 and _takes_some(node[0])):
            return False
        try:
            return self.is_nothing(node)
        except TooManyError:
            return False

    def common(self, one: Branch, other: Branch) -> Branch | None:
        """What two branches allow both, None where that is nothing."""
        sources = tuple(dict.fromkeys((*one.sources, *other.sources)))
        if isinstance(one, Values):
            return values_of([value for value in one.listed.values() if self.fits(other, value)], sources)
        if isinstance(other, Values):
            return self.common(other, one)
        nots = tuple({key_of(node): node for node in (*one.nots, *other.nots)}.values())
        match one, other:
            case Span(), Span():
                return replace(common_span(one, other), step=common_step(one, other), nots=nots, sources=sources)
            case Texts(), Texts():
                return Texts(
                    max(one.least, other.least), _least_of(one.most, other.most), one.patterns | other.patterns,
                    one.formats | other.formats, one.contents | other.contents, _both_limits(one, other), nots, sources,
                )  # fmt: skip
            case Arrays(), Arrays():
                return replace(_common_arrays(one, other), nots=nots, sources=sources)
            case Objects(), Objects():
                return replace(_common_objects(one, other), nots=nots, sources=sources)
            case _:
                return None


def _least_of(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def _common_arrays(one: Arrays, other: Arrays) -> Arrays:
    longest = max(len(one.first), len(other.first))
    return Arrays(
        tuple(_joined(one.item(index), other.item(index)) for index in range(longest)),
        _joined(one.rest, other.rest),
        max(one.least, other.least),
        _least_of(one.most, other.most),
        one.unique or other.unique,
        (*one.contains, *other.contains),
        one.sealed | other.sealed,
    )


def _common_objects(one: Objects, other: Objects) -> Objects:
    if (one.patterns and other.rest) or (other.patterns and one.rest):
        raise TooManyError  # a field by a pattern would have to fit what the other asks of all others
    names = dict.fromkeys((*one.fields, *other.fields))
    patterns = {
        pattern: _joined(one.patterns.get(pattern, ANYTHING), other.patterns.get(pattern, ANYTHING))
        for pattern in dict.fromkeys((*one.patterns, *other.patterns))
    }
    needs = {
        name: one.needs.get(name, frozenset()) | other.needs.get(name, frozenset())
        for name in dict.fromkeys((*one.needs, *other.needs))
    }
    return Objects(
        {name: _joined(one.at(name), other.at(name)) for name in names},
        one.required | other.required,
        patterns,
        _joined(one.rest, other.rest),
        (*one.names, *other.names),
        max(one.least, other.least),
        _least_of(one.most, other.most),
        needs,
        one.sealed | other.sealed,
    )


def _joined(one: Node, other: Node) -> Node:
    return tuple({part.key: part for part in (*one, *other)}.values())


def _takes_some(part: Part) -> bool:
    """Whether something fits for sure: the empty value of a type, by keywords that do not forbid that."""
    return "type" in part.top and part.top.keys() & VALIDATES <= _LENIENT


def _both_limits(one: Texts, other: Texts) -> Mapping[str, str]:
    if any(one.limits[word] != other.limits[word] for word in one.limits.keys() & other.limits.keys()):
        raise TooManyError
    return {**one.limits, **other.limits}


def _left_of(branch: Branch, taken: Form, node: Node) -> list[Branch] | None:
    """What is left of a branch without a node, where that can be told without an exception."""
    kind = kind_of_branch(branch)
    if any(values_of_kind(other, kind) for other in taken if isinstance(other, Values)):
        return None
    match branch:
        case Span():
            left: list[Span] = [branch]
            for other in taken:
                if isinstance(other, Span):
                    pieces = [each.less(other) for each in left]
                    if any(piece is None for piece in pieces):
                        return None
                    left = [each for piece in pieces for each in piece or ()]
            return [*left]
        case Objects():
            objects = [other for other in taken if isinstance(other, Objects)]
            if (
                len(objects) == 1
                and len(objects[0].required) == 1
                and objects[0] == Objects(required=objects[0].required)
            ):
                (name,) = objects[0].required
                nothing = nothing_of(node[0].document)
                return [] if name in branch.required else [replace(branch, fields={**branch.fields, name: nothing})]
            return None
        case _:
            return None


def _chooses(part: Part) -> bool:
    """Whether what a schema looks at in a value depends on the value."""
    top = part.top
    if top.keys() & {"anyOf", "oneOf", "if", "dependentSchemas", "contains"}:
        return True
    return any(_chooses(part.document.part(each)) for each in top.get("allOf", ()))


def _with_leftovers(part: Part, branch: Branch) -> Branch:
    """The branch with what is asked of all that nothing else names."""
    top = part.top
    match branch:
        case Objects() if "unevaluatedProperties" in top and branch.rest == ANYTHING:
            return replace(branch, rest=(part.document.part(top["unevaluatedProperties"]),), sealed=frozenset())
        case Arrays() if "unevaluatedItems" in top and branch.rest == ANYTHING:
            rest: Node = (part.document.part(top["unevaluatedItems"]),)
            most = branch.most
            if says_nothing_fits(rest[0].top):
                most = len(branch.first) if most is None else min(most, len(branch.first))
            return replace(branch, rest=rest, most=most, sealed=frozenset())
        case _:
            return branch
