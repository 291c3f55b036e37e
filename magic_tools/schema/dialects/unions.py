"""Unions by the rules of providers: which branches there are, and whether a value can fit two."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from magic_tools.schema.dialects.literals import values_of
from magic_tools.schema.dialects.notes import Here
from magic_tools.schema.dialects.rules import Rules
from magic_tools.schema.dialects.spelling import followed
from magic_tools.schema.kinds import EVERY_KIND, possible_kinds
from magic_tools.schema.walk import KEYWORDS_OF, types_of
from magic_tools.values import JsonObject

__all__ = ["union_form", "with_types_inside"]

_EXACTLY_ONE = "Exactly one of these."
_OF_TYPES = frozenset().union(*KEYWORDS_OF.values())


def union_form(form: JsonObject, given: JsonObject, root: JsonObject, rules: Rules, here: Here) -> JsonObject:
    """A form with `anyOf` where the provider knows no `oneOf`, and words where that takes a value of two branches."""
    if "oneOf" not in form or rules.knows("oneOf"):
        return form
    if "discriminator" in given:
        here.change("oneOf", "made anyOf: its discriminator tells the branches apart")
    elif _exclude_each_other(given["oneOf"], types_of(given), root):
        here.change("oneOf", "made anyOf: no value fits two of its branches")
    else:
        here.say("oneOf", _EXACTLY_ONE)
    return {("anyOf" if keyword == "oneOf" else keyword): held for keyword, held in form.items()}


def with_types_inside(schema: JsonObject, root: JsonObject, here: Here) -> JsonObject:
    """A union of objects that says their type beside its branches, with the type in each branch instead."""
    types, unions = types_of(schema), [keyword for keyword in ("anyOf", "oneOf") if keyword in schema]
    if "object" not in types or len(unions) != 1 or schema.keys() & _OF_TYPES:
        return schema
    branches = []
    for branch in schema[unions[0]]:
        own = types_of(followed(branch, root)[0])
        if not set(own) <= set(types) or (not own and "$ref" in branch):
            return schema
        branches.append(branch if own else {"type": schema["type"], **branch})
    here.change("type", "left out: each of its branches says it")
    return {**{keyword: held for keyword, held in schema.items() if keyword != "type"}, unions[0]: branches}


@dataclass(frozen=True, slots=True)
class _Branch:
    """What tells a branch from others: types, values, and of an object its names and the values under them.

    None stands for any values, and for any names.
    """

    kinds: Set[str]
    values: Set[Any] | None
    tags: dict[str, Set[Any]]
    required: Set[str]
    names: Set[str] | None

    def excludes(self, other: _Branch) -> bool:
        common = self.kinds & other.kinds
        if not common or (self.values is not None and other.values is not None and not self.values & other.values):
            return True
        return common == {"object"} and (self._wants_more(other) or other._wants_more(self) or self._is_tagged(other))

    def _wants_more(self, other: _Branch) -> bool:
        """Whether it requires what the other does not take."""
        return other.names is not None and not self.required <= other.names

    def _is_tagged(self, other: _Branch) -> bool:
        """Whether a key that is always there has other values in the other."""
        names = self.tags.keys() & other.tags.keys() & (self.required | other.required)
        return any(not self.tags[name] & other.tags[name] for name in names)


def _exclude_each_other(branches: list[JsonObject], types: Iterable[str], root: JsonObject) -> bool:
    read = [_read(branch, root) for branch in branches]
    values = [branch.values for branch in read]
    known = [held for held in values if held is not None]
    if len(known) == len(values):
        return sum(map(len, known)) == len(frozenset().union(*known))
    allowed = frozenset("number" if kind == "integer" else kind for kind in types) or EVERY_KIND
    return all(
        first.excludes(second) or not first.kinds & second.kinds & allowed for first, second in combinations(read, 2)
    )


def _read(branch: JsonObject, root: JsonObject) -> _Branch:
    body, _ = followed(branch, root)
    tags = {name: values for name, held in body.get("properties", {}).items() if (values := _values(held)) is not None}
    is_closed = body.get("additionalProperties") is False and "patternProperties" not in body
    names = frozenset(body.get("properties", ())) if is_closed else None
    return _Branch(possible_kinds(branch, root), _values(body), tags, frozenset(body.get("required", ())), names)


def _values(schema: JsonObject | bool) -> Set[Any] | None:
    """The values that a schema lists, where each is a scalar; 1 is 1.0 and not true, as in JSON."""
    values = [] if isinstance(schema, bool) else values_of(schema)
    if not values or any(isinstance(value, list | dict) for value in values):
        return None
    return frozenset((isinstance(value, bool), value) for value in values)
