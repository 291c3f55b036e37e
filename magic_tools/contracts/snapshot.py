"""Contracts as files, one a tool, so that a change of what a model sees is a change that someone reads."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from magic_tools.values import JsonObject

__all__ = ["Drift", "compare_snapshots", "snapshot_text", "write_snapshots"]


@dataclass(frozen=True, slots=True)
class Drift:
    """One snapshot that is not what the code says: the file, how it differs, and the lines."""

    file: Path
    kind: Literal["new", "changed", "stale"]
    lines: str


_FORMAT = "magic_tools snapshot 1"


def snapshot_text(data: JsonObject) -> str:
    """The text of a snapshot file: what it is, then the data, keys as they come."""
    return json.dumps({"format": _FORMAT, **data}, ensure_ascii=False, indent=2) + "\n"


def compare_snapshots(directory: Path, wanted: Mapping[str, JsonObject]) -> list[Drift]:
    """How a directory's snapshots differ from the wanted ones, by name; an empty list where they do not.

    A snapshot that no name wants is `stale`; files that are no snapshots are let alone.
    """
    drifts = []
    for name, data in sorted(wanted.items()):
        file = directory / f"{name}.json"
        new = snapshot_text(data)
        old = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
        if old != new:
            drifts.append(Drift(file, "changed" if old else "new", _diff(file, old, new)))
    stale = [file for file in directory.glob("*.json") if file.stem not in wanted and _is_snapshot(file)]
    return drifts + [Drift(file, "stale", f"no tool is called {file.stem!r} any more\n") for file in sorted(stale)]


def write_snapshots(directory: Path, wanted: Mapping[str, JsonObject]) -> list[Drift]:
    """Make a directory's snapshots the wanted ones; gives what was not so before."""
    drifts = compare_snapshots(directory, wanted)
    directory.mkdir(parents=True, exist_ok=True)
    for drift in drifts:
        if drift.kind == "stale":
            drift.file.unlink()
        else:
            drift.file.write_text(snapshot_text(wanted[drift.file.stem]), encoding="utf-8")
    return drifts


def _is_snapshot(file: Path) -> bool:
    return file.is_file() and f'"format": "{_FORMAT}"' in file.read_text(encoding="utf-8", errors="replace")[:100]


def _diff(file: Path, old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), str(file), "the code", lineterm="")
    return "\n".join(lines) + "\n"
