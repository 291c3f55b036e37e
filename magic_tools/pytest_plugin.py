"""Snapshots of tools in tests: `assert_tool_snapshot`, the option `--tool-snapshots` and what a run says at its end.

Every run of pytest where magic_tools is installed imports this module, which therefore imports next to nothing.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping
from contextvars import ContextVar, Token
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from magic_tools.snapshot_testing import SnapshotRun

__all__ = ["assert_tool_snapshot"]

_RUN: ContextVar[_Plugin | None] = ContextVar("magic_tools_snapshot_run", default=None)
"""The run of pytest that this is in; a run within a run, as pytester makes one, has its own."""

_BUILDERS = (
    "CI", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "CIRCLECI", "TRAVIS", "APPVEYOR", "DRONE", "TF_BUILD",
    "JENKINS_URL", "TEAMCITY_VERSION", "CODEBUILD_BUILD_ID", "BITBUCKET_BUILD_NUMBER",
)  # fmt: skip
"""What services that build set in the environment (their manuals, November 2026)."""

_FALSE = frozenset({"", "0", "false", "no", "off"})


def assert_tool_snapshot(tools: Any, *, directory: str | Path | None = None) -> None:
    """Hold a tool, a toolset or several tools to their snapshots.

    `directory` is where these are: by default the ini option `tool_snapshots_dir`, which is `snapshots`; from the
    rootdir. AssertionError says what changed, which bump it needs and what accepts it. With `--tool-snapshots=new`
    missing snapshots are written, with `update` changed ones too.
    """
    __tracebackhide__ = True
    plugin = _RUN.get()
    if plugin is None:
        raise RuntimeError("assert_tool_snapshot is for tests that pytest runs, in the thread of the test.")
    plugin.run.hold(tools, None if directory is None else Path(directory))


@pytest.fixture(name="assert_tool_snapshot")
def _assert_tool_snapshot() -> Any:
    """`assert_tool_snapshot`, for tests that do not import it."""
    return assert_tool_snapshot


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option and the ini option."""
    parser.getgroup("magic_tools").addoption(
        "--tool-snapshots",
        choices=("check", "update", "new"),
        default="check",
        help="check the snapshots of tools (default), write changed and missing ones (update), or missing ones (new); "
        "under CI or xdist they are only checked",
    )
    parser.addini("tool_snapshots_dir", "where the snapshots of tools are, from the rootdir", default="snapshots")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to know of this run."""
    config.pluginmanager.register(_Plugin(config), "magic_tools_snapshots")


class _Plugin:
    """What one run of pytest knows of the snapshots in it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._asked = config.getoption("--tool-snapshots")
        self._kept_from = None if self._asked == "check" else _keeps_from_writing(config, os.environ)
        self._selected = False
        self._run: SnapshotRun | None = None
        self._token: Token[_Plugin | None] | None = None

    @property
    def run(self) -> SnapshotRun:
        """What holds tools to their snapshots, made when the first is held."""
        if self._run is None:
            # As late as that, because it takes longer to import than most test suites take to start.
            work: Any = importlib.import_module("magic_tools.snapshot_testing")
            mode = "check" if self._kept_from else self._asked
            directory = self._config.rootpath / self._config.getini("tool_snapshots_dir")
            self._run = work.SnapshotRun(mode, self._config.rootpath, directory, self._kept_from)
        return self._run

    def pytest_report_header(self) -> list[str]:
        """Whether something that was asked for is not done."""
        return [f"tool snapshots: {self._kept_from}"] if self._kept_from else []

    def pytest_sessionstart(self) -> None:
        self._token = _RUN.set(self)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._selected = self._selected or bool(session.shouldfail or session.shouldstop)
        if self._token is not None:
            _RUN.reset(self._token)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self._selected = self._selected or bool(items)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
        """What was written, and which snapshots nothing was held to in a whole run."""
        if self._run is None:
            return
        lines = [*self._run.written, *(self._run.unused() if self._is_whole(exitstatus) else ())]
        if lines:
            terminalreporter.section("tool snapshots")
            for line in lines:
                terminalreporter.line(line)

    def _is_whole(self, exitstatus: int) -> bool:
        """Whether every test ran that there is, as far as can be known."""
        option = self._config.option
        chosen = ("lf", "stepwise", "ignore", "ignore_glob", "deselect")
        here = self._config.args_source is not pytest.Config.ArgsSource.ARGS
        at_root = self._config.invocation_params.dir == self._config.rootpath
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        return here and at_root and ended and not self._selected and not any(getattr(option, n, None) for n in chosen)


def _keeps_from_writing(config: pytest.Config, environment: Mapping[str, str]) -> str | None:
    """Why nothing may be written here, if so."""
    for name in _builders(environment):
        return f"checked and not written, because this runs under CI ({name} is set)"
    if (
        "PYTEST_XDIST_WORKER" in environment
        or getattr(config.option, "numprocesses", None)
        or getattr(config.option, "tx", None)
    ):
        return "checked and not written, because tests run in parallel (pytest-xdist): run them without it to write"
    return None


def _builders(environment: Mapping[str, str]) -> Iterator[str]:
    return (name for name in _BUILDERS if environment.get(name, "").strip().lower() not in _FALSE)
