"""`magic-tools fixtures`: what the tools as they are now do to the consumers that keep fixtures of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, assert_never

import typer

from magic_tools.cli.differences import BEHAVIOURAL, BREAKING, FailOn
from magic_tools.cli.printing import print_json, print_text
from magic_tools.cli.targets import InputError, find_tools
from magic_tools.consumers.checking import check_fixtures
from magic_tools.contracts.changes import Effect

__all__ = ["check_consumers"]

ReportFormat = Literal["table", "json", "markdown"]


def check_consumers(
    module: Annotated[
        str, typer.Argument(metavar="MODULE", help="the module, file or folder with the tools", show_default=False)
    ],
    directory: Annotated[
        Path, typer.Argument(metavar="DIRECTORY", help="where consumers keep their fixtures", show_default=False)
    ],
    format_: Annotated[ReportFormat, typer.Option("--format", help="markdown is for a pull request")] = "table",
    snapshots: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="the snapshots of what is released", show_default=False)
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="DATE", help="the time by which tools are warned of and rejected; else now"),
    ] = None,
    fail_on: Annotated[FailOn, typer.Option(help="from which effect on to fail")] = "breaking",
) -> None:
    """Say which consumers of tools a change breaks.

    The calls that consumers keep are read by the tools as they are now, and the
    parts of results and declarations that they use are compared; no tool is run.
    Changes that nobody uses are named too.
    Without --snapshots, what changed is found by the contracts in the fixtures.

    Ends with 0 where every consumer works, with 4 where one breaks or its tool is
    gone, and with 3 where none does but one gets something else and --fail-on is
    behavioural; with --fail-on never always with 0. It ends with 2 where something
    named is missing or cannot be read.
    """
    tools = find_tools([module])
    if not len(tools):
        raise InputError(f"There is no tool in {module}.")
    if snapshots is not None and not snapshots.is_dir():
        raise InputError(f"There is no folder {snapshots.as_posix()} of snapshots.")
    report = check_fixtures(tools, directory, snapshots=snapshots, at=at)
    if not report.consumers:
        raise InputError(f"There is no fixture in {directory.as_posix()}: keep some with keep_fixture.")
    match format_:
        case "table":
            print_text(str(report))
        case "json":
            print_json(report.to_data())
        case "markdown":
            print_text(report.to_markdown())
        case _:
            assert_never(format_)
    if code := _code(report.effect, fail_on):
        raise typer.Exit(code)


def _code(effect: Effect | None, fail_on: FailOn) -> int:
    """How the command ends, as a comparison of contracts does."""
    if effect == "breaking" and fail_on != "never":
        return BREAKING
    return BEHAVIOURAL if effect == fail_on == "behavioural" else 0
