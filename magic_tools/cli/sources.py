"""What two contracts are compared from: files, folders of snapshots, code, and what git has of them."""

from __future__ import annotations

import posixpath
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from magic_tools.cli.printing import note
from magic_tools.cli.targets import InputError, find_tools, read_text
from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.retired import RETIRED, Reservation, parse_reservations
from magic_tools.contracts.snapshot import Snapshot, is_of_others, is_snapshot, read_snapshot
from magic_tools.errors import DefinitionError
from magic_tools.tools.picturing import Pictures

__all__ = ["Source", "load_source"]

_GIT = "git:"
_IN_GIT = "snapshots"
_FILES = (".json", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Source:
    """Tools by id, the file of each, and the ids that are reserved; `single` where one file was named."""

    snapshots: Mapping[str, Snapshot]
    places: dict[str, str]
    reserved: dict[str, Reservation]
    single: bool = False


def load_source(spec: str, *, may_lack: bool = False) -> Source:
    """What stands under a name: a contract's or snapshot's file, a folder of snapshots, code, or `git:REV[:PATH]`.

    InputError says what is not there; with `may_lack` a revision at which there is no folder of snapshots yet has no
    tools, which is said on the standard error.
    """
    if spec.startswith(_GIT):
        return _of_git(spec, may_lack=may_lack)
    path = Path(spec)
    if path.suffix in _FILES:
        return _of_files(spec, [(path.as_posix(), read_text(spec))], single=True)
    if path.is_dir() and (files := _snapshots_in(path)):
        return _of_files(spec, files)
    return _of_code(spec)


def _of_files(spec: str, files: Iterable[tuple[str, str]], *, single: bool = False) -> Source:
    snapshots: dict[str, Snapshot] = {}
    places: dict[str, str] = {}
    reserved: dict[str, Reservation] = {}
    for place, text in files:
        if PurePosixPath(place).name == RETIRED and not single:
            reserved = parse_reservations(text, place)
            continue
        held = _read(place, text)
        id_ = held.contract.id
        if id_ in snapshots:
            raise InputError(f"{spec} has the tool {id_!r} twice, in {places[id_]} and {place}: remove one.")
        snapshots[id_], places[id_] = held, place
    return Source(snapshots, places, reserved, single)


def _read(place: str, text: str) -> Snapshot:
    if not place.endswith((".yaml", ".yml")):
        return read_snapshot(text, place)
    try:
        return Snapshot(ToolContract.from_yaml(text), {}, "contract")
    except DefinitionError as error:
        raise DefinitionError(f"{place}: {error}") from error


def _snapshots_in(folder: Path) -> list[tuple[str, str]]:
    files = [file for file in sorted(folder.glob("*.json")) if file.is_file()]
    held = [(file.as_posix(), file.read_text(encoding="utf-8", errors="surrogateescape")) for file in files]
    is_of_snapshots = any(is_snapshot(text) or PurePosixPath(place).name == RETIRED for place, text in held)
    return _ours(held) if is_of_snapshots else []


def _ours(files: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of the files of a folder of snapshots all but those of others; such as cannot be read are among them."""
    return [(place, text) for place, text in files if PurePosixPath(place).name == RETIRED or not is_of_others(text)]


def _of_code(spec: str) -> Source:
    tools = find_tools([spec])
    if not len(tools):
        what = "neither a snapshot nor a tool" if Path(spec).is_dir() else "no tool"
        raise InputError(f"There is {what} in {spec}.")
    snapshots = Pictures(tools)
    places = {made.executable.contract.id: _file_of(made.__module__) for made in tools}
    return Source(snapshots, places, {})


def _file_of(module: str) -> str:
    """The file of a module, as a person names it who stands in this folder."""
    file = Path(getattr(sys.modules.get(module), "__file__", None) or "")
    here = Path.cwd()
    return file.relative_to(here).as_posix() if file.is_relative_to(here) else file.as_posix()


def _of_git(spec: str, *, may_lack: bool) -> Source:
    """What a revision has, read without touching the files that are checked out."""
    revision, _, path = spec.removeprefix(_GIT).partition(":")
    if not revision or revision.startswith("-"):
        raise InputError(f"{spec!r} names no revision: write git:REV, or git:REV:PATH, such as git:main:snapshots.")
    below = PurePosixPath("/", _git(spec, "rev-parse", "--show-prefix").decode("utf-8", "surrogateescape").rstrip("\n"))
    looked_at = posixpath.normpath(below / (path or _IN_GIT))
    path = posixpath.relpath(looked_at, below)  # as git lists it: from this folder on
    commit = _git(spec, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    listed = _git(spec, "ls-tree", "-r", "-z", commit, "--", path).decode("utf-8", "surrogateescape")
    blobs = {}
    for entry in filter(None, listed.split("\0")):
        about, _, name = entry.partition("\t")
        if name == path or (PurePosixPath(name).parent.as_posix() == path and name.endswith(".json")):
            blobs[name] = about.split()[2]
    files = list(zip(blobs, _contents(spec, list(blobs.values())), strict=True))
    if path in blobs:
        return _of_files(spec, files, single=True)
    ours = _ours(files)
    if not ours:
        lacks = f"There is no snapshot in {looked_at.removeprefix('/') or 'the root'} at {revision}"
        if not may_lack or PurePosixPath(path).suffix in _FILES:
            raise InputError(f"{lacks}: name the place, from this folder on, as in git:{revision}:PATH.")
        note(f"{lacks}: every tool counts as new.")
    return _of_files(spec, ours)


def _contents(spec: str, blobs: list[str]) -> Iterator[str]:
    held = _git(spec, "cat-file", "--batch", given="".join(f"{blob}\n" for blob in blobs))
    start = 0
    for _ in blobs:
        head = held.index(b"\n", start)
        size = int(held[start:head].split()[2])
        yield held[head + 1 : head + 1 + size].decode("utf-8", "surrogateescape")
        start = head + size + 2


def _git(spec: str, *arguments: str, given: str = "") -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - the revision is checked not to be an option
            ["git", *arguments],  # noqa: S607 - whichever git the person has
            input=given.encode(),
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise InputError(f"{spec} wants git, which is not installed.") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise InputError(f"{spec} cannot be read: {said or 'there is no such revision'}.")
    return done.stdout
