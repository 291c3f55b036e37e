"""A directory of snapshots, one file a tool, and how it is compared with the code and made to agree."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.drift import Drift, drift_between, drifts_between, is_reused
from magic_tools.contracts.identifiers import checked_id
from magic_tools.contracts.retired import (
    RETIRED,
    Reservation,
    read_reservations,
    reservation_for,
    reservation_text,
    reserve,
)
from magic_tools.contracts.snapshot import Snapshot, is_of_others, read_snapshot
from magic_tools.errors import DefinitionError

__all__ = ["compare_snapshots", "file_of", "retire", "unused_snapshots", "write_snapshots"]


def file_of(directory: Path, id_: str) -> Path:
    """The file of a tool's snapshot."""
    return directory / f"{id_}.json"


def compare_snapshots(directory: Path, wanted: Mapping[str, Snapshot]) -> list[Drift]:
    """How the snapshots of these tools, by id, differ from the code, in order of ids; files of others are let alone.

    DefinitionError where the file of reserved ids cannot be read.
    """
    reserved = read_reservations(directory)
    return [
        drift for id_ in sorted(wanted) for drift in _drifts(directory, wanted[id_], reservation_for(id_, reserved))
    ]


def unused_snapshots(directory: Path, used: Collection[str]) -> list[Drift]:
    """The snapshots of tools that there are no more, and files of nobody that cannot be read, in order.

    JSON that is plainly something else is let alone.
    """
    files = sorted(file for file in directory.glob("*.json") if file.stem not in used and file.name != RETIRED)
    return [drift for file in files if file.is_file() for drift in _drifts_of_nobody(file)]


def write_snapshots(
    directory: Path, wanted: Mapping[str, Snapshot], *, update: bool = False, any_version: bool = False
) -> tuple[list[Drift], list[Drift]]:
    """Make the snapshots of these tools what the code says: gives what was written, and what was left as it is.

    What there was nothing of is written. What changed is written only to `update`, and where its version did not
    rise as it has to only with `any_version`. Nothing is ever written over a file that cannot be read, nor under a
    reserved id.
    """
    written: list[Drift] = []
    left: list[Drift] = []
    for drift in compare_snapshots(directory, wanted):
        (written if _may_be_written(drift, update, any_version) else left).append(drift)
    for drift in written:
        if drift.kind == "unreserved":
            _reserve(directory, [_reservation_of(wanted[drift.id].contract)])
        else:
            _write(file_of(directory, drift.id), wanted[drift.id].text)
    return written, left


def retire(directory: Path, ids: Iterable[str], known: Collection[str], since: str) -> list[Reservation]:
    """Turn the snapshots of tools that are gone into reservations of their ids, since a date.

    DefinitionError for an id that is `known` to be a tool's, or has no snapshot that can be read; then nothing is done.
    """
    reserved = read_reservations(directory)
    left = [_left(directory, id_, known, since, reserved) for id_ in ids]
    _reserve(directory, left)
    for reservation in left:
        file_of(directory, reservation.id).unlink()
    return left


def _drifts(directory: Path, new: Snapshot, reservation: Reservation | None) -> Iterator[Drift]:
    contract, file = new.contract, file_of(directory, new.contract.id)
    if reservation is not None and is_reused(contract, reservation):
        yield from drifts_between({}, {contract.id: new}, {contract.id: file.as_posix()}, {contract.id: reservation})
        return
    if contract.policy.lifecycle.retired is not None and reservation != _reservation_of(contract):
        says = f"it is to retire, and {RETIRED} does not say so yet, which keeps its id for it"
        yield Drift(contract.id, "unreserved", (directory / RETIRED).as_posix(), says)
    yield from _drifts_of_file(file, new)


def _drifts_of_file(file: Path, new: Snapshot) -> Iterator[Drift]:
    id_, place = new.contract.id, file.as_posix()
    if not file.exists():
        yield Drift(id_, "new", place, "it has no snapshot yet", after=new.contract.version)
        return
    text = file.read_text(encoding="utf-8", errors="surrogateescape")
    if new.is_text(text):
        return
    try:
        old = read_snapshot(text, place)
    except DefinitionError as error:
        says = f"{error} Restore it from version control, or delete it and write it anew."
        yield Drift(id_, "unreadable", place, says, after=new.contract.version)
        return
    if old.contract.id != id_:
        says = f"{place}: it holds the tool {old.contract.id!r}: restore it from version control, or delete it."
        yield Drift(id_, "unreadable", place, says, after=new.contract.version)
        return
    yield _drift_of_text(old, new, place)


def _drifts_of_nobody(file: Path) -> Iterator[Drift]:
    """How a file differs to which no tool belongs."""
    place = file.as_posix()
    try:
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        yield Drift(file.stem, "unreadable", place, f"{place}: it cannot be read: {error.strerror}.")
        return
    if is_of_others(text):
        return
    try:
        read_snapshot(text, place)
    except DefinitionError as error:
        says = f"{error} No tool belongs to it: restore it from version control, or delete it."
        yield Drift(file.stem, "unreadable", place, says)
        return
    yield Drift(file.stem, "unused", place, "there is no such tool any more")


def _drift_of_text(old: Snapshot, new: Snapshot, place: str) -> Drift:
    """How a text that is not the wanted one differs."""
    drift = drift_between(old, new, place)
    if old.kind == "old":
        says = "it stands in the first format, which holds schemas and text only; of these "
        says += "nothing changed" if drift is None else "something did"
        drift = drift or Drift(new.contract.id, "old", place, "", (), None, new.contract.version)
        return replace(drift, kind="old", says=says)
    says = "it says the same, in another order or by other names of definitions"
    versions = (old.contract.version, new.contract.version)
    return drift or Drift(new.contract.id, "respelled", place, says, (), *versions)


def _may_be_written(drift: Drift, update: bool, any_version: bool) -> bool:
    match drift.kind:
        case "new" | "unreserved":
            return True
        case "changed" | "redefined" | "respelled" | "old":
            return update and (drift.fault is None or any_version)
        case _:
            return False


def _left(
    directory: Path, id_: str, known: Collection[str], since: str, reserved: Mapping[str, Reservation]
) -> Reservation:
    file = file_of(directory, checked_id(id_, f"The id {id_!r:.80}"))
    if id_ in known:
        raise DefinitionError(
            f"The tool {id_!r} is still in the code: take it out first, or declare its end by "
            "Policy(lifecycle=Lifecycle(retired=...)), which reserves its id too."
        )
    if not file.is_file():
        why = f"{reserved[id_].words}" if id_ in reserved else f"there is no {file.as_posix()}"
        raise DefinitionError(f"There is nothing to retire for {id_!r}: {why}.")
    text = file.read_text(encoding="utf-8", errors="surrogateescape")
    return replace(reserve(read_snapshot(text, file.as_posix()).contract, since), id=id_)


def _reservation_of(contract: ToolContract) -> Reservation:
    """The reservation of a tool that declares when it retires."""
    retired = contract.policy.lifecycle.retired
    return reserve(contract, "" if retired is None else retired.date().isoformat())


def _reserve(directory: Path, reservations: Iterable[Reservation]) -> None:
    reserved = read_reservations(directory) | {each.id: each for each in reservations}
    _write(directory / RETIRED, reservation_text(reserved))


def _write(file: Path, text: str) -> None:
    """Write a file whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(text.encode())
        unfinished.replace(file)
    except OSError as error:
        with suppress(OSError):  # on a disk that is only read, where there is none
            unfinished.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(file)) from error
