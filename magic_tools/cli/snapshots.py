"""`magic-tools snapshot`: what tools promise, kept in files that people review."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from magic_tools.cli.differences import Format, code_of_difference, show
from magic_tools.cli.printing import note, print_text
from magic_tools.cli.targets import InputError, find_tools
from magic_tools.contracts.drift import Drift
from magic_tools.contracts.report import Commands, told_written
from magic_tools.contracts.snapshot_files import compare_snapshots, retire, unused_snapshots, write_snapshots
from magic_tools.tools.picturing import Pictures

__all__ = ["snapshot_tools"]

_BY_DEFAULT = "docs/examples"
_DIRECTORY = Path("snapshots")


def snapshot_tools(
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLACES", help="modules, files or folders with tools; docs/examples by default"),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="write nothing, say what differs")] = False,
    update: Annotated[bool, typer.Option("--update", help="write what changed, too")] = False,
    retired: Annotated[
        list[str] | None,
        typer.Option("--retire", metavar="ID", help="remove the snapshot of a tool that is gone, reserve its id"),
    ] = None,
    any_version: Annotated[
        bool, typer.Option("--ignore-version", help="with --update: also where a version did not rise enough")
    ] = False,
    directory: Annotated[
        Path, typer.Option(metavar="FOLDER", file_okay=False, help="where the snapshots are")
    ] = _DIRECTORY,
    format_: Annotated[Format, typer.Option("--format", help="how to print what differs")] = "table",
) -> None:
    """Keep what each tool promises in a file, and say what changed.

    Without an option, tools that have no snapshot yet get one, and what changed is
    told and left as it is. With --update it is written, unless the version that
    the tool declares did not rise as the change asks. A file that cannot be read,
    or was changed by hand, is never written over.

    Ends with 0 where nothing is left that differs, with 4 where that breaks
    callers, 3 where it changes what they get, 1 where it does neither or cannot be
    read, and 2 where something named is missing.
    """
    if check + update + bool(retired) > 1:
        raise InputError("--check, --update and --retire are three things to do: take one of them.")
    if any_version and not update:
        raise InputError("--ignore-version goes with --update alone.")
    wanted = _wanted(places)
    with _told_of_files():
        if retired:
            _retire(directory, retired, wanted)
            return
        written, left = (
            ([], compare_snapshots(directory, wanted))
            if check
            else write_snapshots(directory, wanted, update=update, any_version=any_version)
        )
        left = [*left, *unused_snapshots(directory, wanted)]
    if not wanted and not left:
        raise InputError(f"There is no tool in {', '.join(places or [_BY_DEFAULT])}.")
    _say(written, left, len(wanted), format_, _commands(places, directory))
    if code := code_of_difference(left):
        raise typer.Exit(code)


def _say(written: list[Drift], left: list[Drift], tools: int, format_: Format, commands: Commands) -> None:
    say = print_text if format_ == "table" else note  # what a program reads is of one form
    for drift in written:
        say(told_written(drift))
    if left or format_ != "table":
        show(left, format_, commands)
    say(f"tools: {tools}, snapshots written: {len(written)}, that differ: {len(left)}")


def _retire(directory: Path, ids: list[str], wanted: Pictures) -> None:
    since = datetime.now(UTC).date().isoformat()
    for reservation in retire(directory, dict.fromkeys(ids), wanted, since):
        print_text(f"removed {(directory / reservation.id).as_posix()}.json: {reservation.words}")


def _wanted(places: list[str] | None) -> Pictures:
    """The snapshots of the tools that were named; InputError where the places are not there."""
    if not places and not Path(_BY_DEFAULT).exists():
        raise InputError(
            f"There is no folder {_BY_DEFAULT}, in which tools are looked for by default: name the modules, files or "
            "folders that have tools, as in `magic-tools snapshot shop.tools`."
        )
    return Pictures(find_tools(places or [_BY_DEFAULT]))


def _commands(places: list[str] | None, directory: Path) -> Commands:
    """The call that is under way, as a person goes on with it."""
    where = [] if directory == _DIRECTORY else ["--directory", directory.as_posix()]
    call = shlex.join(["magic-tools", "snapshot", *(places or []), *where])
    return Commands(call, f"{call} --update", f"{call} --update --ignore-version", f"{call} --retire {{}}")


@contextmanager
def _told_of_files() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read or written: {error.strerror}.") from error
