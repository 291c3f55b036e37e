"""`magic-tools fixtures`: what it prints of consumers, in three forms, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from magic_tools.contracts.fixture import Fixture
from magic_tools.contracts.uses import AgentUse, KeptCall, UiUse
from tests.cli.conftest import Command
from tests.consumers.desk import desk

HEAD = "from magic_tools import Policy, tool\n"
TOOL = '''
@tool(name="create", policy=Policy(id="desk.create", version={version!r}, risk="write"))
def create({parameters}) -> dict[str, str]:
    """{text}"""
'''
BEFORE = 'title: str, priority: str = "P3", note: str | None = None'


@pytest.fixture
def fixtures(folder: Path) -> Path:
    """What an agent and a page keep of the desk at 1.0.0."""
    contract = desk().contract
    Fixture("bot", contract, AgentUse((KeptCall('{"title": "x"}'),)), "#bots").save(folder / "kept")
    Fixture("page", contract, UiUse(("id",))).save(folder / "kept")
    return folder / "kept"


def write(file: str, parameters: str = BEFORE, version: str = "1.1.0", text: str = "Create a ticket.") -> None:
    Path(file).write_text(HEAD + TOOL.format(parameters=parameters, version=version, text=text))


def test_all_work(command: Command, fixtures: Path) -> None:
    """It ends with 0, and says so of each consumer."""
    write("same.py")
    done = command("fixtures", "same.py", "kept")
    assert done.code == 0
    assert done.out == (
        "agent bot, desk.create 1.0.0 -> 1.1.0: works\n\n"
        "ui page, desk.create 1.0.0 -> 1.1.0: works\n\n"
        "consumers: broken 0, unused 0, affected 0, upgraded 0, works 2; changes that\n"
        "nobody uses: breaking 0, behavioural 0\n"
    )
    assert done.err == ""


def test_one_breaks(command: Command, fixtures: Path) -> None:
    """It ends with 4, says who, where and whom to tell within 80 columns; with --fail-on never it ends with 0."""
    write("breaking.py", f"team: str, {BEFORE}")
    done = command("fixtures", "breaking.py", "kept")
    assert done.code == 4
    lines = done.out.splitlines()
    assert lines[:3] == ["agent bot, desk.create 1.0.0 -> 1.1.0: broken", "  kept/bot/desk.create.json", "  tell #bots"]
    assert "  breaking input.team" in lines
    assert max(map(len, lines)) <= 80
    assert command("fixtures", "breaking.py", "kept", "--fail-on", "never").code == 0


def test_one_gets_something_else(command: Command, fixtures: Path) -> None:
    """It ends with 0, and with 3 where that is asked for."""
    write("words.py", text="Open a ticket.")
    done = command("fixtures", "words.py", "kept")
    assert done.code == 0
    assert "agent bot, desk.create 1.0.0 -> 1.1.0: affected" in done.out
    assert command("fixtures", "words.py", "kept", "--fail-on", "behavioural").code == 3


def test_a_tool_is_gone(command: Command, fixtures: Path) -> None:
    """That breaks its consumers."""
    Path("other.py").write_text(HEAD + '\n@tool\ndef weather(city: str) -> str:\n    """Tell it."""\n')
    done = command("fixtures", "other.py", "kept")
    assert done.code == 4
    assert "There is no tool 'desk.create' any more." in done.out


def test_other_formats(command: Command, fixtures: Path) -> None:
    """JSON has all, and Markdown is for a pull request; both alone stand on the standard output."""
    write("formats.py", f"team: str, {BEFORE}")
    done = command("fixtures", "formats.py", "kept", "--format", "json")
    data = json.loads(done.out)
    assert (done.code, data["ok"], data["consumers"][0]["consumer"]) == (4, False, "bot")
    done = command("fixtures", "formats.py", "kept", "--format", "markdown")
    assert (done.code, done.err) == (4, "")
    assert done.out.startswith("### Consumers of tools\n")


def test_what_changed_since_the_snapshots(command: Command, fixtures: Path) -> None:
    """With the snapshots of what is released, only what this change does is told as used by nobody."""
    write("released.py", BEFORE.replace(", note: str | None = None", ""), "2.0.0")
    assert command("snapshot", "released.py").code == 0
    without = command("fixtures", "released.py", "kept")
    assert "breaking by schema, used by no kept consumer" in " ".join(without.out.split())
    done = command("fixtures", "released.py", "kept", "--snapshots", "snapshots")
    assert "nobody uses: breaking 0, behavioural 0" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.py", "kept"), "There is no file nowhere.py"),
        (("none.py", "kept"), "There is no tool in none.py"),
        (("same2.py", "nowhere"), "There is no folder nowhere of consumer fixtures"),
        (("same2.py", "empty"), "There is no fixture in empty: keep some with keep_fixture."),
        (("same2.py", "kept", "--snapshots", "nowhere"), "There is no folder nowhere of snapshots"),
        (("same2.py", "broken"), "broken/a.json: it cannot be read as JSON"),
    ],
)
def test_what_is_not_there(command: Command, fixtures: Path, arguments: tuple[str, ...], said: str) -> None:
    """It ends with 2 and says on the standard error what is missing, or cannot be read."""
    write("same2.py")
    Path("none.py").write_text("")
    Path("empty").mkdir()
    Path("broken").mkdir()
    Path("broken/a.json").write_text("{")
    done = command("fixtures", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
