"""What the pytest plugin does once a test holds a tool to its snapshot."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from magic_tools.contracts.drift import Drift
from magic_tools.contracts.report import Commands, hints, in_width, told_written
from magic_tools.contracts.report_table import as_text
from magic_tools.contracts.snapshot_files import compare_snapshots, unused_snapshots, write_snapshots
from magic_tools.tools.picturing import Pictures
from magic_tools.tools.tool import Tool
from magic_tools.tools.toolset import Toolset

__all__ = ["SnapshotRun"]

_WIDTH = 80

Tools = Tool[..., Any] | Callable[..., Any] | Iterable[Tool[..., Any] | Callable[..., Any]]


class SnapshotRun:
    """The snapshots that one run of tests holds tools to; `kept_from` says why it may not write, where it may not."""

    def __init__(
        self, mode: Literal["check", "update", "new"], root: Path, directory: Path, kept_from: str | None = None
    ) -> None:
        self.written: list[str] = []
        self._mode = mode
        self._root = root
        self._directory = directory
        self._kept_from = kept_from
        self._held: dict[Path, set[str]] = {}

    def hold(self, tools: Tools, directory: Path | None = None) -> None:
        """AssertionError unless each tool is as its snapshot says, or was written there."""
        __tracebackhide__ = True
        pictures = Pictures(_toolset(tools).pinnable)
        if not pictures:
            raise AssertionError(
                f"There is no tool to hold to a snapshot: assert_tool_snapshot was given {tools!r:.80}, which has none."
            )
        where = _from_here(self._directory if directory is None else self._root / directory)
        self._held.setdefault(where, set()).update(pictures)
        if self._mode == "check":
            left = compare_snapshots(where, pictures)
        else:
            written, left = write_snapshots(where, pictures, update=self._mode == "update")
            self.written += map(told_written, written)
        if left:
            raise AssertionError(self._told(left, where))

    def unused(self) -> list[str]:
        """What is to be said of snapshots, in the directories that were used, to which nothing was held."""
        left = [drift for where, ids in self._held.items() for drift in unused_snapshots(where, ids)]
        said = [f"unreadable: {drift.says}" for drift in left if drift.kind == "unreadable"]
        unused = [f"unused: {drift.place}: no test held a tool to it" for drift in left if drift.kind == "unused"]
        if unused:
            unused.append("If the tool is gone: magic-tools snapshot MODULE --retire ID")
        return said + unused

    def _told(self, left: list[Drift], where: Path) -> str:
        told = [in_width(hint, _WIDTH) for hint in hints(left, self._commands(where))]
        lines = ["tools differ from their snapshots", "", as_text(left), "", *told]
        return "\n".join([*lines, *([f"Snapshots are {self._kept_from}."] if self._kept_from else [])])

    def _commands(self, where: Path) -> Commands:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[
            0
        ]  # as in `tests/test_shop.py::test_it (call)`
        again = f"pytest {shlex.quote(test)}" if test else "pytest"
        by_hand = f"magic-tools snapshot MODULE --directory {shlex.quote(where.as_posix())}"
        return Commands(
            f"{again} --tool-snapshots=new",
            f"{again} --tool-snapshots=update",
            f"{by_hand} --update --ignore-version",
            f"{by_hand} --retire {{}}",
        )


def _toolset(tools: Tools) -> Toolset:
    if isinstance(tools, Toolset):
        return tools
    return Toolset(*tools) if isinstance(tools, Iterable) else Toolset(tools)


def _from_here(directory: Path) -> Path:
    """A directory as it is named from where the person stands."""
    here = Path.cwd()
    return directory.relative_to(here) if directory.is_relative_to(here) else directory
