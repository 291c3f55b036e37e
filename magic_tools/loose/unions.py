"""Of a union that refuses a value, the branch that was meant, whose faults alone are worth telling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from magic_tools.loose.guide import Guide
from magic_tools.loose.issues import HIDDEN, NOTHING, Finding, Place, shown, with_keys
from magic_tools.loose.leaves import Leaf, are_of_one, leaves_of
from magic_tools.loose.phrases import phrased
from magic_tools.loose.tags import by_tags
from magic_tools.values import JsonObject

__all__ = ["Branch", "branch_meant", "tag_fault", "union_findings"]

_LEVELS = 2
"""How many arrays deep the items are looked at to tell which array was meant."""


class Branch(NamedTuple):
    """A branch of a union: its schema, None where that is not known, and what is wrong with the value by it."""

    schema: Any
    findings: Sequence[Finding]


def union_findings(value: Any, place: Place, branches: Sequence[Branch], guide: Guide) -> list[Finding]:
    """What to tell of a value that no branch takes: what is wrong by the branch that was meant.

    That is one of the value's own JSON type. Of objects a key that says which kind they are decides alone, and is
    told alone where it says none of the kinds, or is missing. Else it is the branch that declares most of the
    value's keys, and then the one by which least is wrong. What a finding of any branch does not show, none shows.
    """
    told = {_text(finding): finding for finding in _told(value, place, branches, guide)}
    hidden = {finding.place for branch in branches for finding in branch.findings if finding.got == HIDDEN}
    return [finding._replace(got=HIDDEN) if finding.place in hidden else finding for finding in told.values()]


def branch_meant(value: Any, schema: Any, guide: Guide) -> JsonObject | None:
    """The one schema without branches that a value is meant for; None where that is not sure."""
    if schema is None:
        return None
    narrowed = _narrowed_apart(value, (), schema, guide)
    return narrowed[0].schema if not isinstance(narrowed, Finding) and len(narrowed) == 1 else None


def tag_fault(value: Any, place: Place, schema: Any, guide: Guide) -> Finding | None:
    """What is wrong with the key that should say of which kind an object is; None where that is not known."""
    narrowed = None if schema is None else _narrowed_apart(value, place, schema, guide)
    return narrowed if isinstance(narrowed, Finding) else None


def _narrowed_apart(value: Any, place: Place, schema: Any, guide: Guide) -> list[Leaf] | Finding:
    leaves = [Leaf(number, leaf.schema) for number, leaf in enumerate(leaves_of([(0, schema)], guide.schema))]
    return _narrowed(value, place, leaves, guide)


def _text(finding: Finding) -> tuple[Place, str, str]:
    return finding.place, phrased(finding.expected, "en"), phrased(finding.got, "en")


def _told(value: Any, place: Place, branches: Sequence[Branch], guide: Guide) -> Sequence[Finding]:
    if any(branch.schema is None for branch in branches):
        inside = [branch for branch in branches if all(finding.place != place for finding in branch.findings)]
        return _nearest(value, place, inside or branches, guide)
    leaves = leaves_of(enumerate(branch.schema for branch in branches), guide.schema)
    narrowed = _narrowed(value, place, leaves, guide)
    if isinstance(narrowed, Finding):
        return [narrowed]
    meant = [branches[index] for index in sorted({leaf.number for leaf in narrowed})]
    return _nearest(value, place, [branch for branch in meant if branch.findings] or branches, guide)


def _narrowed(
    value: Any, place: Place, leaves: list[Leaf], guide: Guide, levels: int = _LEVELS
) -> list[Leaf] | Finding:
    """Those of the leaves that may be meant, or what is wrong with the key that should tell."""
    leaves = [leaf for leaf in leaves if leaf.is_of_kind(value)] or leaves
    if are_of_one(leaves):
        return leaves
    if isinstance(value, dict):
        return _by_keys(value, place, leaves, guide)
    if isinstance(value, list) and value and levels:
        first = leaves_of(((leaf.number, leaf.first_item) for leaf in leaves), guide.schema)
        narrowed = _narrowed(value[0], (*place, 0), first, guide, levels - 1)
        if isinstance(narrowed, Finding):
            return narrowed
        meant = {leaf.number for leaf in narrowed}
        return [leaf for leaf in leaves if leaf.number in meant] or leaves
    return leaves


def _by_keys(value: JsonObject, place: Place, leaves: list[Leaf], guide: Guide) -> list[Leaf] | Finding:
    told = by_tags(value, place, leaves, guide.schema, guide.secrets)
    if isinstance(told, Finding):
        return told
    most = max(leaf.declared(value) for leaf in told)
    return [leaf for leaf in told if leaf.declared(value) == most]


def _nearest(value: Any, place: Place, branches: Sequence[Branch], guide: Guide) -> Sequence[Finding]:
    """What is wrong by the branches by which least is wrong with an object or array, by all with another value."""
    places = [{finding.place for finding in branch.findings} for branch in branches]
    if isinstance(value, dict | list):
        fewest = min(map(len, places))
        branches = [branch for branch, held in zip(branches, places, strict=True) if len(held) == fewest]
        places = [held for held in places if len(held) == fewest]
    if all(held == places[0] for held in places):
        return [finding for branch in branches for finding in branch.findings]
    return _shapes(value, place, branches, guide) or branches[0].findings


def _shapes(value: Any, place: Place, branches: Sequence[Branch], guide: Guide) -> list[Finding]:
    """The objects that may be meant by their keys, where nothing tells which it is and each lacks some."""
    lacking = all(any(finding.got == NOTHING for finding in branch.findings) for branch in branches)
    if not isinstance(value, dict) or not lacking or any(branch.schema is None for branch in branches):
        return []
    leaves = leaves_of(((0, branch.schema) for branch in branches), guide.schema)
    keys = [
        leaf.schema.get("required") or list(leaf.schema.get("properties", ()))
        for leaf in leaves
        if leaf.is_of_kind(value)
    ]
    got = shown(value, secret=guide.secrets.cover(place))
    return [Finding(place, with_keys(names), got) for names in keys if names]
