"""`magic-tools lock`: the tools that a task may rely on, pinned in a lock file and held to it."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from magic_tools.cli.differences import Format, code_of_difference, show
from magic_tools.cli.printing import note, print_text
from magic_tools.cli.targets import InputError, find_tools
from magic_tools.contracts.changes import Change
from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.diff import diff
from magic_tools.contracts.drift import Drift
from magic_tools.contracts.manifest import Drifted, Manifest, Pin
from magic_tools.contracts.report import in_width
from magic_tools.tools.toolset import Toolset

__all__ = ["lock_tools"]

_FILE = Path("tools.lock.json")


def lock_tools(
    places: Annotated[
        list[str], typer.Argument(metavar="PLACES", help="modules, files or folders with tools", show_default=False)
    ],
    check: Annotated[bool, typer.Option("--check", help="write nothing, say what is not as it is locked")] = False,
    file: Annotated[Path, typer.Option(metavar="FILE", dir_okay=False, help="the lock file")] = _FILE,
    format_: Annotated[Format, typer.Option("--format", help="how to print what differs")] = "table",
) -> None:
    """Pin tools by versions and digests, and check the pins.

    A run that is given the manifest, `RunOptions(manifest=Manifest.load(FILE))`,
    refuses a tool that changed since. A file in which nothing would change is let
    alone.

    Ends with 0 where nothing differs or the file was written, and a check with 4
    where a change breaks callers, 3 where they get something else, 1 where it does
    neither, and 2 where something named is missing.
    """
    tools = find_tools(places)
    if not len(tools):
        raise InputError(f"There is no tool in {', '.join(places)}.")
    try:
        locked = Manifest.load(file) if check or file.exists() else None
        drifted = [] if locked is None else list(_drifts(locked, tools, file.as_posix()))
        if not check and (drifted or locked is None):
            Manifest.of(tools).save(file)
    except OSError as error:
        raise InputError(f"{file} cannot be read or written: {error.strerror}.") from error
    if drifted or format_ != "table":
        show(drifted, format_)
    done = "" if check else f"{'wrote' if drifted or locked is None else 'left'} {file.as_posix()}; "
    say = print_text if format_ == "table" else note
    say(f"{done}tools: {len(tools)}, that differ: {len(drifted)}")
    if check and drifted:
        where = [] if file == _FILE else ["--file", file.as_posix()]
        again = f"To lock the tools as they are now: {shlex.join(['magic-tools', 'lock', *places, *where])}"
        say(in_width(again, shutil.get_terminal_size().columns) if format_ == "table" else again)
        raise typer.Exit(code_of_difference(drifted))


def _drifts(locked: Manifest, tools: Toolset, place: str) -> Iterator[Drift]:
    """What is not as locked, each with both digests and what its change does."""
    pins = {pin.id: pin for pin in locked.pins}
    contracts = {made.executable.contract.id: made.executable.contract for made in tools}
    for drifted in locked.compare(tools):
        says, pin, contract = str(drifted), pins.get(drifted.id), contracts.get(drifted.id)
        if drifted.kind == "dialect":
            yield Drift(f"dialect {drifted.id}", "redefined", place, says, (_of_rules(drifted),))
        elif pin is None:
            added = Change("", "tool_added", None, drifted.id, "compatible", "no task relies on it yet.", bump="minor")
            yield Drift(drifted.id, "added", place, says, (added,))
        elif contract is None:
            gone = Change("", "tool_removed", drifted.id, None, "breaking", "a task finds no such tool.", bump="major")
            yield Drift(drifted.id, "removed", place, says, (gone,), pin.version)
        else:
            yield Drift(drifted.id, "changed", place, says, _since(pin, contract), pin.version, contract.version)


def _of_rules(drifted: Drifted) -> Change:
    why = "models may be told the same contract in other words."
    path = f"dialects.{drifted.id}"
    return Change(path, "dialect_rules_changed", drifted.was, drifted.now, "behavioural", why, bump="none")


def _since(pin: Pin, contract: ToolContract) -> tuple[Change, ...]:
    """What changed of what a pin holds; it holds no declarations."""
    was = replace(
        contract,
        name=pin.name,
        description=pin.description,
        input_schema=contract.input_schema if pin.input_schema is None else pin.input_schema,
        output_schema=contract.output_schema if pin.output_schema is None else pin.output_schema,
    )
    return tuple(diff(was, contract))
