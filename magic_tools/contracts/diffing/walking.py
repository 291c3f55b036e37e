"""Two schemas gone through together: each difference told where it is, with what it does."""

from __future__ import annotations

from magic_tools.contracts.changes import Effect, Side
from magic_tools.contracts.diffing.branches import FREE, Arrays, Branch, Objects, Texts, Values, kind_of_branch, nots_of
from magic_tools.contracts.diffing.fields import FieldTelling, Pair
from magic_tools.contracts.diffing.fitting import Form, TooManyError
from magic_tools.contracts.diffing.leaves import Relation, related_spans, related_texts, relation_of_counts
from magic_tools.contracts.diffing.notes import note_changes, notes_of
from magic_tools.contracts.diffing.pairing import paired
from magic_tools.contracts.diffing.parts import Document, Node, key_of, written
from magic_tools.contracts.diffing.places import Place
from magic_tools.contracts.diffing.spans import Span
from magic_tools.contracts.diffing.telling import told_of
from magic_tools.contracts.spelling import kind_of
from magic_tools.values import JsonValue

__all__ = ["Walk"]

_MOST_AGAIN = 1_000
_DEEPEST_AGAIN = 6


class Walk(FieldTelling):
    """One walk through an old and a new schema on one side.

    A pair of schemas is told of at every place where it stands, but for circles, which are told of once, and up to a
    bound on what is told again. What breaks is told where it is; where several branches break it only together, at the
    place that holds them.
    """

    def __init__(self, old: Document, new: Document, side: Side) -> None:
        super().__init__(side)
        self._seen: dict[object, bool] = {}
        self._under_way: set[object] = set()
        self._again = 0
        root = Place(side)
        self.compare(old.root, new.root, root, quiet=False)
        broken = not self._holds(old.root, new.root)
        if broken and not any(each.change.effect == "breaking" for each in self.found):
            self.tell("schema_changed", root, None, None, "breaking", provable=True)

    def _holds(self, old: Node, new: Node) -> bool:
        """Whether whoever relies on the old schema is served by the new one, as far as values go."""
        return self.space.included(old, new) if self.side == "input" else self.space.included(new, old)

    def compare(self, old: Node, new: Node, place: Place, *, quiet: bool) -> bool:
        """Tell of all differences of two nodes; gives whether one breaks. `quiet`: no value can break it here."""
        if told_of(old) == told_of(new):
            return False
        key = (key_of(old), key_of(new), told_of(old), told_of(new), quiet)
        if key in self._under_way:  # told of where it was begun
            return True
        if key in self._seen:
            self._again += 1
            if self._again > _MOST_AGAIN or len(place.steps) > _DEEPEST_AGAIN:
                return self._seen[key]
        self._under_way.add(key)
        self._seen[key] = self._differences(old, new, place, quiet=quiet)
        self._under_way.discard(key)
        return self._seen[key]

    def _differences(self, old: Node, new: Node, place: Place, *, quiet: bool) -> bool:
        broken = not quiet and not self._holds(old, new)
        try:
            found = self._told_differences(old, new, place, quiet=not broken)
        except TooManyError:  # then there is only to be told that something differs, and whether it breaks
            found = self._notes(old, new, place)
            if not broken:
                effect: Effect = "behavioural" if self.side != "error" else "compatible"
                self.tell("schema_respelled", place, None, None, effect)
        if broken and not found:
            found = self.tell("schema_changed", place, None, None, "breaking", provable=True)
        return found

    def _told_differences(self, old: Node, new: Node, place: Place, *, quiet: bool) -> bool:
        before, after = self.space.form(old), self.space.form(new)
        alone = max(len(before), len(after)) <= 1
        found = self._notes(*((_all_of(old, before), _all_of(new, after)) if alone else (old, new)), place)
        return self._kinds(before, after, place, quiet=quiet, alone=alone) or found

    def _notes(self, old: Node, new: Node, place: Place) -> bool:
        found = False
        for kind, before, after, effect in note_changes(notes_of(old), notes_of(new), self.side):
            found |= self.tell(kind, place, before, after, effect)
        return found

    def _kinds(self, before: Form, after: Form, place: Place, *, quiet: bool, alone: bool) -> bool:
        if before != after and FREE in (before, after):
            relation = Relation(before == FREE, after == FREE)
            return self.relate("schema", relation, place, _kinds_told(before), _kinds_told(after), quiet=quiet)
        old_kinds, new_kinds = _kinds_of(before), _kinds_of(after)
        gone, come = (
            [kind for kind in old_kinds if kind not in new_kinds],
            [kind for kind in new_kinds if kind not in old_kinds],
        )
        if len(old_kinds) == len(new_kinds) == 1 and gone:
            return self.relate("type", Relation(True, True), place, _type_of(before), _type_of(after), quiet=quiet)
        found = False
        for kind in gone:
            word = "null_removed" if kind == "null" else "type_removed"
            narrowed = not self.space.within(_of_kind(before, kind), after)
            found |= self.moved(word, Relation(narrowed, False), place, _named(before, kind), None, quiet=quiet)
        for kind in come:
            word = "null_added" if kind == "null" else "type_added"
            widened = not self.space.within(_of_kind(after, kind), before)
            found |= self.moved(word, Relation(False, widened), place, None, _named(after, kind), quiet=quiet)
        for kind in old_kinds:
            if kind in new_kinds:
                found |= self._kind(kind, before, after, place, quiet=quiet, alone=alone)
        return found

    def _kind(self, kind: str, before: Form, after: Form, place: Place, *, quiet: bool, alone: bool) -> bool:
        """Tell of the differences of what is of one type."""
        olds = [each for each in before if kind_of_branch(each) == kind]
        news = [each for each in after if kind_of_branch(each) == kind]
        pairs, lost, gained = paired(self.space, olds, news)
        found = False
        for old, new in pairs:
            if not alone:
                found |= self._notes(old.sources, new.sources, place)
            if isinstance(old, Objects) and isinstance(new, Objects):
                pair = Pair(old, new, self.names_in(before), self.names_in(after))
                found |= self.objects(pair, place, quiet=quiet)
            found |= self._branches(old, new, place, quiet=quiet)
        had, has = _listed(before, kind), _listed(after, kind)
        for branch in lost:
            word = "enum_introduced" if has and not news else "branch_removed"
            narrowed = not self.space.within([branch], after)
            found |= self.moved(word, Relation(narrowed, False), place, kind, has or None, quiet=quiet)
        for branch in gained:
            word = "enum_lifted" if had and not olds else "branch_added"
            widened = not self.space.within([branch], before)
            found |= self.moved(word, Relation(False, widened), place, had or None, kind, quiet=quiet)
        return found | self._values(had, has, before, after, place, quiet=quiet)

    def _values(
        self, had: list[JsonValue], has: list[JsonValue], before: Form, after: Form, place: Place, *, quiet: bool
    ) -> bool:
        lost = [value for value in had if not any(self.space.fits(branch, value) for branch in after)]
        gained = [value for value in has if not any(self.space.fits(branch, value) for branch in before)]
        if len(had) == len(has) == 1 and lost and gained:
            return self.relate("const", Relation(True, True), place, had[0], has[0], quiet=quiet)
        found = False
        for value in lost:
            found |= self.moved("enum_value_removed", Relation(True, False), place, value, None, quiet=quiet)
        for value in gained:
            found |= self.moved("enum_value_added", Relation(False, True), place, None, value, quiet=quiet)
        return found

    def _branches(self, old: Branch, new: Branch, place: Place, *, quiet: bool) -> bool:
        found = self._exclusions(old, new, place, quiet=quiet)
        match old, new:
            case Span(), Span():
                for subject, relation, before, after in related_spans(old, new):
                    found |= self.relate(subject, relation, place, before, after, quiet=quiet)
            case Texts(), Texts():
                for subject, relation, before, after in related_texts(old, new):
                    found |= self.relate(subject, relation, place, before, after, quiet=quiet)
            case Arrays(), Arrays():
                found |= self._arrays(old, new, place, quiet=quiet)
        return found

    def _exclusions(self, old: Branch, new: Branch, place: Place, *, quiet: bool) -> bool:
        """Tell of what was allowed but for something, and is not any more, or the other way round."""
        ours, theirs = {key_of(node) for node in nots_of(old)}, {key_of(node) for node in nots_of(new)}
        if ours == theirs:
            return False
        relation = Relation(
            any(not self.space.avoids(old, node) for node in nots_of(new)),
            any(not self.space.avoids(new, node) for node in nots_of(old)),
        )
        return self.relate("exclusion", relation, place, written(nots_of(old)), written(nots_of(new)), quiet=quiet)

    def _arrays(self, old: Arrays, new: Arrays, place: Place, *, quiet: bool) -> bool:
        found = False
        if (old.least, old.most) != (new.least, new.most):
            relation, before, after = relation_of_counts(old.least, old.most, new.least, new.most)
            found |= self.relate("item_count", relation, place, before, after, quiet=quiet)
        if old.unique != new.unique:
            found |= self.relate(
                "uniqueness", Relation(new.unique, old.unique), place, old.unique, new.unique, quiet=quiet
            )
        if old.sealed != new.sealed:
            found |= self.relate("unevaluated", Relation(True, True), place, None, None, quiet=quiet)
        lost = any(not self.space.contains(old, *wanted) for wanted in new.contains)
        gained = any(not self.space.contains(new, *wanted) for wanted in old.contains)
        if lost or gained:
            had, has = (written(node for node, *_ in branch.contains) for branch in (old, new))
            found |= self.relate("contents", Relation(lost, gained), place, had, has, quiet=quiet)
        longest = max(len(old.first), len(new.first))
        ends = [most for most in (old.most, new.most) if most is not None]
        for index in range(min([longest, *ends])):
            found |= self.compare(old.item(index), new.item(index), place.item(index), quiet=quiet)
        if all(most > longest for most in ends):
            found |= self.compare(old.rest, new.rest, place.rest(longest), quiet=quiet)
        return found


def _all_of(node: Node, form: Form) -> Node:
    return (*node, *(part for branch in form for part in branch.sources))


def _kinds_of(form: Form) -> list[str]:
    kinds: dict[str, None] = {}
    for branch in form:
        if isinstance(branch, Values):
            kinds |= dict.fromkeys(kind_of(value) for value in branch.listed.values())
        else:
            kinds[kind_of_branch(branch)] = None
    return list(kinds)


def _kinds_told(form: Form) -> JsonValue:
    return "anything" if form == FREE else [*_kinds_of(form)]


def _listed(form: Form, kind: str) -> list[JsonValue]:
    return [
        value
        for branch in form
        if isinstance(branch, Values)
        for value in branch.listed.values()
        if kind_of(value) == kind
    ]


def _of_kind(form: Form, kind: str) -> list[Branch]:
    own: list[Branch] = [branch for branch in form if kind_of_branch(branch) == kind]
    listed = {
        text: value
        for branch in form
        if isinstance(branch, Values)
        for text, value in branch.listed.items()
        if kind_of(value) == kind
    }
    return [*own, *([Values(listed)] if listed else [])]


def _named(form: Form, kind: str) -> str:
    spans = [branch for branch in form if isinstance(branch, Span)]
    return "integer" if kind == "number" and spans and all(span.is_integer for span in spans) else kind


def _type_of(form: Form) -> JsonValue:
    (kind,) = _kinds_of(form)
    return (
        _listed(form, kind)[0]
        if len(form) == 1 and isinstance(form[0], Values) and len(form[0].listed) == 1 and kind not in ("null",)
        else _named(form, kind)
    )
