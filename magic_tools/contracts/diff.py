"""The changes between two contracts, and whether the declared version says as much."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from magic_tools.contracts.changes import BUMPS, Bump, Change, Side, required_bump
from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.declared import declared_changes
from magic_tools.contracts.diffing.parts import Document, Numbers
from magic_tools.contracts.diffing.walking import Walk
from magic_tools.contracts.diffing.witness import proven
from magic_tools.contracts.spelling import Raw
from magic_tools.contracts.versions import Version, rise
from magic_tools.errors import DefinitionError

__all__ = ["diff", "diff_schemas", "version_fault"]

_BEFORE_RELEASE: Mapping[Bump, Bump] = {"none": "none", "patch": "patch", "minor": "patch", "major": "minor"}


def diff(old: ToolContract, new: ToolContract) -> list[Change]:
    """The changes from an old contract to a new one: its declarations, then input, output and error schema.

    An argument's default that changed breaks where the tool does more than read, or a call of it asks a person for
    leave: who left the argument out now asks for something else. An error schema that is not declared is one that
    anything fits.
    """
    changes = [*declared_changes(old, new), *_of_input(old, new)]
    changes += diff_schemas(old.output_schema, new.output_schema, side="output")
    changes += diff_schemas(old.error_schema or {}, new.error_schema or {}, side="error")
    return changes


def diff_schemas(old: Raw, new: Raw, *, side: Side) -> list[Change]:
    """The changes from an old schema to a new one, classified by who sends and who reads on that side.

    On the input side callers send by the old schema and the new tool reads; on the others the new tool sends, and
    those who hold the old schema read. An empty list where both say the same. DefinitionError for a reference that
    leads nowhere, for what is no schema, for schemas that nest too deep, and for another side.
    """
    if side not in get_args(Side):
        raise DefinitionError(f"diff_schemas(side={side!r:.40}) is to be one of: {', '.join(get_args(Side))}.")
    numbers = Numbers()
    try:
        if json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True):
            return []
        before, after = Document(old, numbers, "old"), Document(new, numbers, "new")
        walk = Walk(before, after, side)
        sent, taken = (before, after) if side == "input" else (after, before)
        return proven(walk.found, walk.space, sent, taken)
    except RecursionError:
        raise DefinitionError("The schemas nest too deep to be compared: give their inner parts less depth.") from None


def version_fault(old: ToolContract, new: ToolContract, changes: Sequence[Change]) -> str | None:
    """What is wrong with the declared version of a contract that changed, None where it rose enough.

    Before 1.0.0 a minor version may break, and a patch do all else (semver.org 2.0.0, 4). Where the old contract has
    no version there is nothing that could rise.
    """
    if old.version is None:
        return None
    if new.version is None:
        return f"{new.id} had the version {old.version} and has none now: declare one with Policy(version=...)."
    before, after = Version.parse(old.version), Version.parse(new.version)
    risen = rise(before, after)
    if risen == "fallen":
        return f"{new.id}: the version fell from {before} to {after}: take a later one."
    needed = required_bump(changes)
    wanted = needed if after.major else _BEFORE_RELEASE[needed]
    if BUMPS.index(risen) >= BUMPS.index(wanted):
        return None
    stays = f"stays {after}" if risen == "none" else f"goes from {before} to {after}, a {risen} version"
    return f"{new.id}: its version {stays}, and what changed needs a {wanted} one: {_next(before, wanted)}."


def _of_input(old: ToolContract, new: ToolContract) -> Iterable[Change]:
    """The changes of the arguments, with what a default does where a call has an effect."""
    acts = any(contract.policy.approval or contract.policy.risk not in (None, "read") for contract in (old, new))
    for change in diff_schemas(old.input_schema, new.input_schema, side="input"):
        if acts and change.kind == "default_changed":
            yield replace(
                change,
                effect="breaking",
                bump="major",
                why="leaving it out means something else: calls that do more than read now ask for something else.",
                advice="Keep the default, or declare an adapter with upgrade_from that gives old calls the old one.",
            )
        else:
            yield change


def _next(version: Version, bump: Bump) -> str:
    numbers = {
        "major": (version.major + 1, 0, 0),
        "minor": (version.major, version.minor + 1, 0),
    }.get(bump, (version.major, version.minor, version.patch + 1))
    return ".".join(map(str, numbers))
