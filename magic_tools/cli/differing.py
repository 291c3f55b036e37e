"""`magic-tools diff`: what a change of contracts does to those who hold the old ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from magic_tools.cli.differences import FailOn, Format, code_of_effect, show
from magic_tools.cli.sources import Source, load_source
from magic_tools.cli.targets import InputError
from magic_tools.contracts.drift import drifts_between
from magic_tools.tools.listing import listed

__all__ = ["compare_contracts"]


def compare_contracts(
    old: Annotated[str, typer.Argument(metavar="OLD", help="what callers hold", show_default=False)],
    new: Annotated[str, typer.Argument(metavar="NEW", help="what they are to get", show_default=False)],
    format_: Annotated[
        Format, typer.Option("--format", help="markdown is for a pull request, github for a workflow's log")
    ] = "table",
    fail_on: Annotated[FailOn, typer.Option(help="from which effect on to fail")] = "breaking",
) -> None:
    """Say what changed between contracts, and whom it breaks.

    OLD and NEW are each a contract or snapshot (.json, .yaml), a folder of
    snapshots, a module, file or folder of tools, or git:REV, which is the folder
    snapshots at a revision; git:REV:PATH names another place in it. Of a single
    file, only the tool in it is compared. A revision OLD that has no snapshots yet
    has no tools: each of NEW is told as added.

    Ends with 0 where nothing changed or all is compatible, with 4 where something
    breaks callers, and with 3 where nothing does but callers get something else
    and --fail-on is behavioural; with --fail-on never always with 0. It ends with 2
    where something named is missing or cannot be read.
    """
    before, after = load_source(old, may_lack=True), load_source(new)
    if before.snapshots and (before.single or after.single):
        before, after = _alone(old, before, new, after)
    reserved = before.reserved | after.reserved
    drifts = drifts_between(before.snapshots, after.snapshots, before.places | after.places, reserved)
    show(drifts, format_)
    if code := code_of_effect(drifts, fail_on):
        raise typer.Exit(code)


def _alone(old: str, before: Source, new: str, after: Source) -> tuple[Source, Source]:
    """Both sides cut down to the tool of a single file; two such files are compared whatever their ids are."""
    if before.single and after.single:
        (kept,), (other,) = before.snapshots, after.snapshots
        return before, replace(after, snapshots={kept: after.snapshots[other]}, places={kept: after.places[other]})
    (kept,) = (before if before.single else after).snapshots
    for spec, side in ((old, before), (new, after)):
        if kept not in side.snapshots:
            raise InputError(
                f"There is no tool with the id {kept!r} in {spec}; there are: {listed(side.snapshots, like=kept)}."
            )
    return _only(before, kept), _only(after, kept)


def _only(side: Source, id_: str) -> Source:
    return replace(side, snapshots={id_: side.snapshots[id_]}, places={id_: side.places[id_]})
