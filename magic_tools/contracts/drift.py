"""How one tool came to differ: between a snapshot and the code, or between any two sets of contracts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from magic_tools.contracts.changes import EFFECTS, Bump, Change, Effect, required_bump, worst
from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.diff import diff, version_fault
from magic_tools.contracts.retired import Reservation, reservation_for
from magic_tools.contracts.snapshot import Snapshot
from magic_tools.values import JsonObject, canonical_json

__all__ = ["Drift", "DriftKind", "drift_between", "drifts_between", "is_reused"]

DriftKind = Literal[
    "new",
    "added",
    "changed",
    "redefined",
    "respelled",
    "old",
    "unused",
    "removed",
    "unreserved",
    "reused",
    "unreadable",
]
"""What became of a tool.

`new` has no snapshot and `unused` no tool; `added` and `removed` are the same between two sets. `changed` promises
something else; `redefined` promises the same and is sent to some provider otherwise; `respelled` says the same in
another order. `old` stands in the first format. `unreserved` is to retire and has no reservation yet, `reused` has an
id that is reserved, and `unreadable` is a file that cannot be trusted.
"""


@dataclass(frozen=True, slots=True)
class Drift:
    """One tool that differs: the file to look at, a sentence that says how, and the changes, the worst first.

    `before` and `after` are its declared versions. `fault` says that the version did not rise as the changes ask.
    """

    id: str
    kind: DriftKind
    place: str
    says: str
    changes: tuple[Change, ...] = ()
    before: str | None = None
    after: str | None = None
    fault: str | None = None

    @property
    def effect(self) -> Effect | None:
        """The worst effect of the changes; None where there is none."""
        return worst(self.changes)

    @property
    def bump(self) -> Bump:
        """By which part the version has to rise."""
        return required_bump(self.changes)

    def to_data(self) -> JsonObject:
        """Plain JSON data."""
        return {
            "id": self.id,
            "kind": self.kind,
            "place": self.place,
            "says": self.says,
            "effect": self.effect,
            "bump": self.bump,
            "version": {"before": self.before, "after": self.after, "fault": self.fault},
            "changes": [change.to_data() for change in self.changes],
        }


def drift_between(old: Snapshot, new: Snapshot, place: str) -> Drift | None:
    """How a tool's snapshot differs from an older one; None where both promise, and are sent as, the same."""
    first = "old" in (old.kind, new.kind)
    known = _as_the_first_format(new.contract, old.contract) if first else new.contract
    changes = _ranked(diff(old.contract, known)) or _of_version(old.contract, known)
    versions = (old.contract.version, new.contract.version)
    if changes:
        fault = version_fault(old.contract, known, changes)
        return Drift(new.contract.id, "changed", place, "", changes, *versions, fault)
    if old.kind == new.kind == "snapshot" and (redefined := tuple(_redefined(old.definitions, new.definitions))):
        says = "it promises the same, and models are sent something else of it"
        return Drift(new.contract.id, "redefined", place, says, redefined, *versions)
    return None


def drifts_between(
    old: Mapping[str, Snapshot],
    new: Mapping[str, Snapshot],
    places: Mapping[str, str],
    reserved: Mapping[str, Reservation],
) -> list[Drift]:
    """How two sets of tools, by id, differ, in order of ids; `places` are the files to look at."""
    drifts = []
    for id_ in sorted(old.keys() | new.keys()):
        place = places.get(id_, "")
        if id_ not in new:
            drifts.append(_removed(old[id_].contract, place, reserved.get(id_)))
        elif (reservation := reservation_for(id_, reserved)) and is_reused(new[id_].contract, reservation):
            drifts.append(_reused(new[id_].contract, place, reservation))
        elif id_ not in old:
            drifts.append(_added(new[id_].contract, place))
        elif drift := drift_between(old[id_], new[id_], place):
            drifts.append(drift)
    return drifts


def is_reused(contract: ToolContract, reservation: Reservation) -> bool:
    """Whether a reserved id is used anew: by all but the very tool that is to retire, its interface as it was."""
    is_to_retire = contract.policy.lifecycle.retired is not None
    return not is_to_retire or contract.interface_digest != reservation.interface_digest


def _as_the_first_format(new: ToolContract, old: ToolContract) -> ToolContract:
    """What the first format would have held of a contract: what it did not hold has not changed."""
    return replace(
        old,
        description=new.description,
        input_schema=new.input_schema,
        output_schema=new.output_schema,
        error_schema=new.error_schema,
    )


def _ranked(changes: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda each: (-EFFECTS.index(each.effect), each.path, each.kind)))


def _of_version(old: ToolContract, new: ToolContract) -> tuple[Change, ...]:
    """The change of a version under which nothing else changed."""
    if old.version == new.version:
        return ()
    why = "callers get the same under another version."
    return (Change("version", "version_changed", old.version, new.version, "compatible", why, bump="none"),)


def _added(contract: ToolContract, place: str) -> Drift:
    why = "nobody relies on it yet."
    change = Change("", "tool_added", None, contract.id, "compatible", why, bump="minor")
    return Drift(contract.id, "added", place, "the tool is new", (change,), None, contract.version)


def _removed(contract: ToolContract, place: str, reservation: Reservation | None) -> Drift:
    says = "the tool is gone" if reservation is None else f"the tool is gone, and {reservation.words}"
    why = "whoever calls it finds no tool."
    advice = "Announce the end first, by Policy(lifecycle=Lifecycle(...)), and name what is used instead."
    change = Change("", "tool_removed", contract.id, None, "breaking", why, advice, "major")
    return Drift(contract.id, "removed", place, says, (change,), contract.version, None)


def _reused(contract: ToolContract, place: str, reservation: Reservation) -> Drift:
    why = "whoever kept the id means the tool that is gone."
    change = Change(
        "id",
        "retired_id_used_anew",
        reservation.surface_digest,
        contract.surface_digest,
        "breaking",
        why,
        "Give the new tool an id of its own, by Policy(id=...).",
        "major",
    )
    return Drift(contract.id, "reused", place, reservation.words, (change,), reservation.version, contract.version)


def _redefined(old: JsonObject, new: JsonObject) -> Iterator[Change]:
    """What models are sent otherwise, though the contract is the same."""
    for path, before, after in _leaves("definitions", old, new):
        yield Change(
            path,
            "definition_changed",
            before,
            after,
            "behavioural",
            "models read it, though the contract is the same: the dialect's rules changed, or whether it is strict.",
            "Read it as a model would.",
            "none",
        )


def _leaves(path: str, before: Any, after: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted(before.keys() | after.keys()):
            yield from _leaves(f"{path}.{name}", before.get(name), after.get(name))
    elif canonical_json(before) != canonical_json(after):
        yield path, before, after
