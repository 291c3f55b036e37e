"""Two kinds of objects compared, field by field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher

from magic_tools.contracts.changes import Effect
from magic_tools.contracts.diffing.branches import Objects
from magic_tools.contracts.diffing.fitting import Form
from magic_tools.contracts.diffing.leaves import Relation, relation_of_counts
from magic_tools.contracts.diffing.parts import ANYTHING, key_of, written
from magic_tools.contracts.diffing.places import Place
from magic_tools.contracts.diffing.telling import Telling, told_of
from magic_tools.values import JsonValue

__all__ = ["FieldTelling", "Pair"]

_LIKE = 0.6
_MOST_FRESH = 20


@dataclass(frozen=True, slots=True)
class Pair:
    """Two kinds of objects; `had` and `has` are the fields that any of the old and of the new kinds may have."""

    old: Objects
    new: Objects
    had: frozenset[str]
    has: frozenset[str]


class FieldTelling(Telling):
    """What is told of objects."""

    def objects(self, pair: Pair, place: Place, *, quiet: bool) -> bool:
        """Tell of the differences of two kinds of objects."""
        old, new, space = pair.old, pair.new, self.space
        found = False
        for name in dict.fromkeys((*old.fields, *sorted(old.required), *new.fields, *sorted(new.required))):
            found |= self._field(pair, name, place.field(name), quiet=quiet)
        found |= self._rest(old, new, place, quiet=quiet)
        least, new_least = max(old.least, len(old.required)), max(new.least, len(new.required))
        if (old.least, old.most) != (new.least, new.most) and (least, old.most) != (new_least, new.most):
            relation, before, after = relation_of_counts(least, old.most, new_least, new.most)
            found |= self.relate("property_count", relation, place, before, after, quiet=quiet)
        if old.sealed != new.sealed:
            found |= self.relate("unevaluated", Relation(True, True), place, None, None, quiet=quiet)
        checks: dict[str, tuple[Callable[[Objects, Objects], bool], Callable[[Objects], JsonValue]]] = {
            "names": (
                lambda one, other: all(space.names_met(one, node) for node in other.names),
                lambda branch: written(branch.names),
            ),
            "dependency": (
                lambda one, other: all(space.needs_met(one, *need) for need in other.needs.items()),
                lambda branch: {name: [*sorted(needs)] for name, needs in branch.needs.items()} or None,
            ),
            "pattern_fields": (
                lambda one, other: (
                    one.patterns.keys() == other.patterns.keys() or space.narrower(one, other, strict=False)
                ),
                lambda branch: [*branch.patterns] or None,
            ),
        }
        for subject, (holds, told) in checks.items():
            relation = Relation(not holds(old, new), not holds(new, old))
            if relation.lost or relation.gained:
                found |= self.relate(subject, relation, place, told(old), told(new), quiet=quiet)
        for pattern, node in old.patterns.items():
            if pattern in new.patterns:
                found |= self.compare(node, new.patterns[pattern], place.extra(), quiet=quiet)
        return found

    def _field(self, pair: Pair, name: str, here: Place, *, quiet: bool) -> bool:
        old, new = pair.old, pair.new
        before, after = name in old.required, name in new.required
        if (
            before == after
            and name in old.fields
            and name in new.fields
            and told_of(old.at(name)) == told_of(new.at(name))
        ):
            return False
        had, has = self._has(old, name), self._has(new, name)
        if name not in old.fields and name not in new.fields:  # of which only is said that it has to be there
            had = has = True
        if had and not has:
            return self._removed(pair, name, here, quiet=quiet)
        if has and not had:
            return self._added(pair, name, here, quiet=quiet)
        if not had:
            return False
        found = False
        if before != after:
            word = "required_added" if after else "required_removed"
            found = self.moved(word, Relation(after, before), here, before, after, quiet=quiet)
        return self.compare(old.at(name), new.at(name), here, quiet=quiet) or found

    def _has(self, branch: Objects, name: str) -> bool:
        if name not in branch.fields and name not in branch.required:
            return False
        return not self.space.is_impossible(branch.at(name))

    def _removed(self, pair: Pair, name: str, here: Place, *, quiet: bool) -> bool:
        old, new = pair.old, pair.new
        if name in new.fields and name in pair.has:  # it is only that this kind of object must not have it
            lost = not self.space.included(old.at(name), new.at(name))
            return self.moved("field_excluded", Relation(lost, False), here, name, None, quiet=quiet)
        needed = name in old.required
        breaks = self.side == "input" or (needed and not quiet)
        provable = needed if self.side != "input" else not self.space.included(old.at(name), new.at(name))
        effect: Effect = "breaking" if breaks else "behavioural"
        return self.tell("field_removed", here, name, self._twin(pair, name), effect, provable=provable and not quiet)

    def _twin(self, pair: Pair, name: str) -> str | None:
        """The new field that a removed one seems to be called now."""
        key, fresh = key_of(pair.old.at(name)), [each for each in pair.new.fields if each not in pair.had]
        if len(fresh) > _MOST_FRESH:  # of so many, none is likely to be the one
            return None
        same = {each: SequenceMatcher(None, name, each).ratio() for each in fresh if key_of(pair.new.at(each)) == key}
        best = max(same, key=lambda each: same[each], default=None)
        return best if best is not None and (same[best] >= _LIKE or len(fresh) == 1) else None

    def _added(self, pair: Pair, name: str, here: Place, *, quiet: bool) -> bool:
        old, new = pair.old, pair.new
        needed = name in new.required
        free = old.rest == ANYTHING and not old.patterns and name not in old.fields
        narrowed = needed or (not free and not self.space.included(old.at(name), new.at(name)))
        widened = not free and not self.space.included(new.at(name), old.at(name))
        word = "required_field_added" if needed else "field_added"
        return self.moved(word, Relation(narrowed, widened), here, None, name, quiet=quiet)

    def _rest(self, old: Objects, new: Objects, place: Place, *, quiet: bool) -> bool:
        """Tell of what changed in fields that are not named."""
        if told_of(old.rest) == told_of(new.rest):
            return False
        shut, shuts = self.space.is_nothing(old.rest), self.space.is_nothing(new.rest)
        if not shut and not shuts and old.rest != ANYTHING and new.rest != ANYTHING:
            return self.compare(old.rest, new.rest, place.extra(), quiet=quiet)
        relation = Relation(not self.space.included(old.rest, new.rest), not self.space.included(new.rest, old.rest))
        words = [
            "closed" if closed else "open" if node == ANYTHING else "typed"
            for node, closed in ((old.rest, shut), (new.rest, shuts))
        ]
        return self.relate("openness", relation, place, *words, quiet=quiet)

    def names_in(self, form: Form) -> frozenset[str]:
        """The fields that any kind of object in a form may have."""
        kinds = [branch for branch in form if isinstance(branch, Objects)]
        return frozenset(name for branch in kinds for name in branch.fields if self._has(branch, name))
