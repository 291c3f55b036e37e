"""All kept fixtures against the tools as they are now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from magic_tools.consumers.judging import Judged, judged
from magic_tools.consumers.replaying import door_of
from magic_tools.consumers.report import ConsumerCheck, FixtureReport, UnusedChange
from magic_tools.contracts.changes import EFFECTS, Change
from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.diff import diff
from magic_tools.contracts.fixture import Fixture, read_fixtures
from magic_tools.contracts.lifecycle import Instant, instant_of
from magic_tools.contracts.retired import read_reservations
from magic_tools.contracts.snapshot import read_snapshot
from magic_tools.contracts.snapshot_files import file_of
from magic_tools.contracts.used_parts import meets, steps_of
from magic_tools.contracts.uses import AgentUse
from magic_tools.tools.executable import Executable
from magic_tools.tools.tool import Tool
from magic_tools.values import canonical_json

__all__ = ["check_fixtures"]

_OF_VERSIONS = frozenset({"policy.accepts", "policy.deprecates", "policy.sunset"})
"""What together says which versions are served, and until when."""


def check_fixtures(
    tools: Iterable[Tool[..., Any]],
    directory: str | os.PathLike[str],
    *,
    snapshots: str | os.PathLike[str] | None = None,
    at: Instant | None = None,
) -> FixtureReport:
    """What the tools as they are now do to the consumers that keep fixtures of them; no tool is run.

    What changed is found by the tool's snapshot in the directory `snapshots`, and without one by the contracts that
    the fixtures hold. `at` is the time by which tools are warned of and rejected, the present without it.
    DefinitionError names a fixture, or snapshot, that cannot be read.
    """
    held = read_fixtures(directory)
    targets = {made.executable.contract.id: made.executable for made in tools}
    time = datetime.now(UTC) if at is None else instant_of(at, f"check_fixtures(at={at!r:.80})")
    folder = None if snapshots is None else Path(snapshots)
    checks = tuple(_checked(file, fixture, targets, time, folder) for file, fixture in held.items())
    unused = [
        UnusedChange(id_, change)
        for id_, target in sorted(targets.items())
        for change in _changes(target.contract, _old(id_, held.values(), folder))
        if _matters(change) and not _is_used(change, [each for each in checks if each.tool == id_])
    ]
    unused.sort(key=lambda each: -EFFECTS.index(each.change.effect))
    return FixtureReport(checks, tuple(unused))


def _checked(
    file: Path, fixture: Fixture, targets: Mapping[str, Executable], at: datetime, snapshots: Path | None
) -> ConsumerCheck:
    target = targets.get(fixture.tool)
    gone = None if target is not None else _gone(fixture, targets, snapshots)
    found = Judged(()) if target is None else judged(fixture, door_of(target, fixture.contract, at))
    return ConsumerCheck(
        fixture.consumer,
        fixture.kind,
        fixture.contact,
        fixture.tool,
        fixture.version,
        None if target is None else target.contract.version,
        file.as_posix(),
        _worst_first(found.findings),
        found.upgraded,
        found.bridged,
        len(fixture.use.calls) if isinstance(fixture.use, AgentUse) else 0,
        gone,
    )


def _gone(fixture: Fixture, targets: Mapping[str, Executable], snapshots: Path | None) -> str:
    """What is said of a fixture whose tool is not there: what it may be called now, and what to do."""
    same = [id_ for id_, target in targets.items() if _is_alike(target.contract, fixture.contract)]
    like = same or get_close_matches(fixture.tool, targets, 1)
    reserved = {} if snapshots is None else read_reservations(snapshots)
    retired = f" ({reserved[fixture.tool].words})" if fixture.tool in reserved else ""
    hint = f" It may be called {like[0]!r} now: keep the old id, or keep the fixture anew." if like else ""
    end = "" if hint else " Where the consumer is gone too, remove the fixture."
    return f"There is no tool {fixture.tool!r} any more{retired}.{hint}{end}"


def _is_alike(one: ToolContract, other: ToolContract) -> bool:
    return (one.input_schema, one.output_schema) == (other.input_schema, other.output_schema)


def _old(id_: str, fixtures: Iterable[Fixture], snapshots: Path | None) -> list[ToolContract]:
    """What a tool promised: by its snapshot, else by each of the contracts that fixtures of it hold."""
    if snapshots is not None and (file := file_of(snapshots, id_)).is_file():
        return [read_snapshot(file.read_text(encoding="utf-8"), file.as_posix()).contract]
    return list(dict.fromkeys(fixture.contract for fixture in fixtures if fixture.tool == id_))


def _changes(new: ToolContract, old: Iterable[ToolContract]) -> list[Change]:
    """What changed since any of several contracts, each once."""
    told = [change for contract in old for change in diff(contract, new)]
    return list({canonical_json([each.path, each.kind, each.before, each.after]): each for each in told}.values())


def _matters(change: Change) -> bool:
    """Whether a change does something, and is of what a consumer may use: what is said of an end is for all to read."""
    return change.effect != "compatible" and not change.path.startswith("policy.lifecycle")


def _is_used(change: Change, checks: Iterable[ConsumerCheck]) -> bool:
    """Whether a change reaches a consumer: something was found in it there, or in what is inside it or around it."""
    steps = steps_of(change.path)
    met = [each for check in checks for each in (*check.findings, *check.bridged)]
    if change.path in _OF_VERSIONS and any(each.path in _OF_VERSIONS for each in met):
        return True
    return any(meets(steps, steps_of(each.path)) for each in met)


def _worst_first(findings: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(sorted(findings, key=lambda each: (-EFFECTS.index(each.effect), each.path, each.kind)))
