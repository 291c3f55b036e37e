"""The release exercise: what its program shows, and what its page says, step by step from the command line."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from magic_tools import (
    Manifest,
    Receipts,
    Tool,
    ToolContract,
    check_fixtures,
    diff,
    required_bump,
    version_fault,
)

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "docs" / "examples" / "releasing.py"
PAGE = ROOT / "docs" / "how-to" / "release.md"
RELEASING = runpy.run_path(str(PROGRAM))
SESSION = re.compile(r"^```text\n(\$ .*?)^```$", re.MULTILINE | re.DOTALL)


def desk(version: str) -> Tool[..., Any]:
    """A version of the desk."""
    made: Tool[..., Any] = RELEASING["desk"](f"desk_{version.replace('.', '_')}.py")
    return made


@pytest.fixture
def field(tmp_path: Path) -> Path:
    """The folder of the agent in the field, which began with 1.0.0, and of what consumers keep."""
    first = desk("1.0.0")
    Manifest.of([first], at="2026-12-01").save(tmp_path / "agent.lock.json")
    RELEASING["keep"](first, tmp_path)
    return tmp_path


def run_on(day: str, version: str, folder: Path) -> list[str]:
    """What happens to the agent in the field on a day, with a version of the desk."""
    told: list[str] = RELEASING["in_the_field"](desk(version), folder, day)
    return told


def test_an_optional_urgency_is_a_minor_change() -> None:
    """It is compatible, asks for a minor version, and 1.1.0 is one."""
    old, new = desk("1.0.0").contract, desk("1.1.0").contract
    changes = diff(old, new)
    assert [(each.path, each.kind, each.effect) for each in changes] == [("input.urgency", "field_added", "compatible")]
    assert required_bump(changes) == "minor"
    assert version_fault(old, new, changes) is None


def test_another_default_is_a_major_change() -> None:
    """It has a business effect, so that it breaks; a version that did not rise enough is told, and 2.0.0 did."""
    old, small, new = desk("1.1.0").contract, RELEASING["too_small"](desk("2.0.0")).contract, desk("2.0.0").contract
    changes = diff(old, small)
    assert [(each.path, each.before, each.after, each.effect) for each in changes] == [
        ("input.priority", "P3", "P2", "breaking")
    ]
    assert required_bump(changes) == "major"
    assert "what changed needs a major one: 2.0.0" in str(version_fault(old, small, changes))
    assert required_bump(diff(old, new)) == "major"
    assert version_fault(old, new, diff(old, new)) is None


def test_the_contract_is_kept_in_a_file(tmp_path: Path) -> None:
    """What was released is read back equal, and compared with the code."""
    file = tmp_path / "create_ticket.json"
    file.write_text(desk("1.0.0").contract.to_json(), encoding="utf-8")
    assert diff(ToolContract.from_json(file), desk("1.0.0").contract) == []


def test_the_pinned_agent_goes_on_unchanged(field: Path) -> None:
    """It is offered what it knows and gets what it got, by way of the adapter; with 2.0.0 it is warned too."""
    assert run_on("2026-12-15", "1.0.0", field) == [
        "offered: priority, title",
        'result: {"id":"T-1","title":"The printer is on fire","priority":"P3"}',
    ]
    assert run_on("2027-01-01", "1.1.0", field) == [
        "offered: priority, title",
        "upgraded: create_ticket",
        "call upgraded: 1.0.0 -> 1.1.0",
        'result: {"id":"T-1","title":"The printer is on fire","priority":"P3"}',
    ]
    warned = run_on("2027-05-31", "2.0.0", field)
    assert warned[:4] == [
        "offered: priority, title",
        "upgraded: create_ticket",
        "call upgraded: 1.0.0 -> 2.0.0",
        "deprecated: until 2027-06-01, then create_ticket@2.0.0; ask the desk, desk@example.com",
    ]
    assert '"priority":"P3"' in warned[4]
    assert "is deprecated, and refused from 2027-06-01 on" in warned[4]


def test_an_agent_that_is_pinned_to_nothing_gets_the_new_default(tmp_path: Path) -> None:
    """The adapter is for old calls alone: whoever begins today is offered the urgency, and gets P2."""
    outcome, offered = RELEASING["agent"](desk("2.0.0"), RELEASING["SHORT"])
    assert sorted(offered) == ["priority", "title", "urgency"]
    assert '"priority":"P2"' in outcome.transcript[2].parts[0].content


def test_the_old_version_is_rejected(field: Path) -> None:
    """After its sunset no call is made, and replacement, guide and a human channel are named."""
    told = run_on("2027-06-01", "2.0.0", field)
    assert told[:2] == ["offered: nothing", "refused: create_ticket"]
    for named in ("create_ticket@2.0.0", "https://example.com/desk-2", "the desk, desk@example.com"):
        assert named in told[2]
    assert Receipts(field / "receipts.jsonl").read() == []


def test_receipts_are_readable_after_the_tool_is_retired(field: Path) -> None:
    """What was done under each version is still known when the tool refuses all calls, with its promise of then."""
    run_on("2026-12-15", "1.0.0", field)
    run_on("2027-01-15", "2.0.0", field)
    told = run_on("2028-03-01", "2.1.0", field)
    assert told[0] == "offered: nothing"
    assert "create_ticket is retired since 2028-03-01" in told[1]
    assert "cases.open" in told[1]
    receipts = Receipts(field / "receipts.jsonl").read()
    assert [(each.version, each.outcome, each.effect, each.at) for each in receipts] == [
        ("1.0.0", "ok", "applied", "2026-12-15T00:00:00Z"),
        ("2.0.0", "ok", "applied", "2027-01-15T00:00:00Z"),
    ]
    assert receipts[0].contract == desk("1.0.0").contract.interface_digest


def test_the_fixtures_tell_who_breaks(field: Path) -> None:
    """Without an adapter it is the agent that never says a priority, and nobody else; with it, nobody."""
    fixtures = field / "fixtures"

    def statuses(ticket: Tool[..., Any], at: str = "2027-01-15") -> dict[str, str]:
        return {each.consumer: each.status for each in check_fixtures([ticket], fixtures, at=at).consumers}

    assert statuses(desk("1.1.0")) == {"helper": "upgraded", "planner": "upgraded", "ticket-page": "works"}
    small = RELEASING["too_small"](desk("2.0.0"))
    assert statuses(small) == {"helper": "broken", "planner": "works", "ticket-page": "works"}
    (helper,) = check_fixtures([small], fixtures).having("broken")
    assert helper.contact == "#helper"
    assert [(each.path, each.before, each.after) for each in helper.findings] == [("input.priority", "P3", "P2")]
    assert statuses(desk("2.0.0")) == {"helper": "affected", "planner": "affected", "ticket-page": "works"}
    helper = check_fixtures([desk("2.0.0")], fixtures, at="2027-01-15").consumers[0]
    assert (helper.upgraded, [each.path for each in helper.bridged]) == (1, ["input.priority"])
    assert statuses(desk("2.0.0"), "2027-06-01") == {"helper": "broken", "planner": "broken", "ticket-page": "works"}


def run_program(*arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments], cwd=folder, capture_output=True, encoding="utf-8", check=True
    )
    assert done.stderr == ""
    return done.stdout


def test_as_a_program(tmp_path: Path) -> None:
    """It shows each step of the life, in order, and leaves nothing behind."""
    lines = run_program(folder=tmp_path).splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "1.0.0 is released",
        "an urgency is added",
        "the agent in the field, with 1.1.0",
        "the default becomes P2, as 1.2.0",
        "its consumers",
        "the default becomes P2, as 2.0.0",
        "its consumers",
        "the agent in the field, with 2.0.0",
        "after the sunset of 1.x",
        "after the end of the desk",
        "its receipts",
    ]
    assert "  needs a minor version" in lines
    assert "  tell #helper: breaking: input.priority default_changed P3 -> P2" in lines
    assert lines[-1] == "  2027-01-15T00:00:00Z create_ticket 2.0.0: ok, applied"
    assert list(tmp_path.iterdir()) == []


def test_the_page_from_the_command_line(tmp_path: Path) -> None:
    """Every command on the page, one after another in one folder, prints what the page shows below it."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    sessions = SESSION.findall(PAGE.read_text(encoding="utf-8"))
    assert sum(session.count("\n$ ") + 1 for session in sessions) > 15
    for session in sessions:
        written = ""
        for command in re.findall(r"^\$ (.*)$", session, re.MULTILINE):
            done = subprocess.run(
                command,
                shell=True,
                cwd=tmp_path,
                env=os.environ | {"PATH": path, "COLUMNS": "80"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                check=False,
            )
            assert done.returncode == 0, done.stdout
            written += f"$ {command}\n{done.stdout}"
        assert written == session
    assert (tmp_path / "snapshots" / "retired.json").exists()
