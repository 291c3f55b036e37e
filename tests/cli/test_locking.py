"""`magic-tools lock`: a lock file that says which tools a task relies on, and what is no more as it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from magic_tools.contracts.manifest import Manifest
from tests.cli.conftest import Command, Done
from tests.cli.test_snapshots import HEAD, tool


def write(folder: Path, name: str, *tools: str) -> str:
    (folder / name).write_text(HEAD + "".join(tools))
    return name


@pytest.fixture
def locked(command: Command, folder: Path) -> Path:
    """The lock file of a tool."""
    assert command("lock", write(folder, "shop.py", tool())).code == 0
    return folder / "tools.lock.json"


def test_tools_are_locked(command: Command, folder: Path) -> None:
    """The file has each tool with its digests, a check finds nothing, and locking again leaves its bytes."""
    write(folder, "shop.py", tool(), tool("stock", None))
    done = command("lock", "shop.py")
    assert done == Done(0, "wrote tools.lock.json; tools: 2, that differ: 0\n", "")
    manifest = Manifest.load(folder / "tools.lock.json")
    assert [(pin.id, pin.version) for pin in manifest.pins] == [("crm.find", "1.0.0"), ("stock", None)]
    before = (folder / "tools.lock.json").read_bytes()
    assert command("lock", "shop.py", "--check") == Done(0, "tools: 2, that differ: 0\n", "")
    assert command("lock", "shop.py") == Done(0, "left tools.lock.json; tools: 2, that differ: 0\n", "")
    assert (folder / "tools.lock.json").read_bytes() == before


@pytest.mark.parametrize(
    ("now", "code", "head"),
    [
        (tool(version="2.0.0", parameters="name: str"), 4, "crm.find  1.0.0 -> 2.0.0: changed, breaking"),
        (tool(version="1.1.0", text="Find a customer."), 3, "crm.find  1.0.0 -> 1.1.0: changed, behavioural"),
        (tool(version="1.1.0", parameters="query: str, top: int = 1"), 1, "crm.find  1.0.0 -> 1.1.0: changed, compat"),
        (tool() + tool("stock", "3.0.0"), 1, "stock  added, compatible"),
        (tool("stock"), 4, "crm.find  1.0.0: removed, breaking"),
    ],
    ids=["breaking", "behavioural", "compatible", "added", "removed"],
)  # fmt: skip
def test_what_drifted_is_told(command: Command, folder: Path, locked: Path, now: str, code: int, head: str) -> None:
    """Each tool is told with both digests and what its change does, and the end is as grave; nothing is written."""
    write(folder, "now.py", now)
    before = locked.read_bytes()
    (pin,) = Manifest.load(locked).pins
    done = command("lock", "now.py", "--check")
    assert done.code == code
    assert head in done.out
    if "crm.find" in head:
        assert pin.interface in "".join(done.out.split())
        assert pin.surface in "".join(done.out.split())
    assert done.out.endswith("To lock the tools as they are now: magic-tools lock now.py\n")
    assert max(map(len, done.out.splitlines())) <= 80
    assert locked.read_bytes() == before
    done = command("lock", "now.py")
    assert done.code == 0
    assert head in done.out
    assert done.out.splitlines()[-1].startswith("wrote tools.lock.json; tools: ")
    assert command("lock", "now.py", "--check").code == 0


def test_rules_of_a_dialect_that_changed(command: Command, locked: Path) -> None:
    """Where a dialect says it otherwise by now, that is a change of what models are told."""
    data = json.loads(locked.read_text())
    data["dialects"]["mcp"] = "2020-01.1"
    locked.write_text(json.dumps(data))
    done = command("lock", "shop.py", "--check")
    assert done.code == 3
    assert "dialect mcp  redefined, behavioural\n" in done.out
    assert 'dialect_rules_changed: "2020-01.1" -> ' in done.out


def test_other_places_and_forms(command: Command, folder: Path, locked: Path) -> None:
    """The file can be another, and what differs be told to programs, with nothing else on the standard output."""
    locked.rename(folder / "other.json")
    write(folder, "now.py", tool(version="2.0.0", parameters="name: str"))
    call = ("lock", "now.py", "--file", "other.json", "--check", "--format")
    done = command(*call, "json")
    assert (done.code, json.loads(done.out)["effect"]) == (4, "breaking")
    assert "magic-tools: To lock the tools as they are now: magic-tools lock now.py --file other.json\n" in done.err
    assert command(*call, "github").out.startswith("::error file=other.json,title=crm.find%3A ")
    assert command(*call, "markdown").out.startswith("### Tool contracts\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument 'PLACES'"),
        (("bare.py",), "There is no tool in bare.py."),
        (("shop.py", "--check"), "tools.lock.json cannot be read or written: No such file or directory."),
        (("shop.py", "--file", "torn.json", "--check"), "torn.json is no manifest"),
        (("shop.py", "--file", "torn.json"), "torn.json is no manifest"),
        (("shop.py", "--file", "nowhere/a.json"), "nowhere/a.json cannot be read or written: No such file"),
        (("shop.py", "--format", "xml"), "'xml'"),
    ],
)
def test_what_cannot_be_locked(command: Command, folder: Path, arguments: tuple[str, ...], words: str) -> None:
    """What is not there or no lock file is named, nothing is written over it, and the command ends with 2."""
    write(folder, "shop.py", tool())
    (folder / "bare.py").write_text("X = 1\n")
    (folder / "torn.json").write_text("{")
    done = command("lock", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())
    assert (folder / "torn.json").read_text() == "{"
    assert not (folder / "tools.lock.json").exists()
