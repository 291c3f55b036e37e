"""Snapshots: what differs is told by kind, what is written is what was wanted, and other files are let alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest

from magic_tools.contracts.snapshot import Drift, compare_snapshots, snapshot_text, write_snapshots
from magic_tools.values import JsonObject

WANTED: dict[str, JsonObject] = {
    "stock": {"id": "stock", "description": "庫存 \u2028"},
    "order": {"id": "order", "input_schema": {"type": "object"}},
}

Kind = Literal["new", "changed", "stale"]


def kinds(drifts: list[Drift]) -> list[tuple[str, Kind]]:
    return [(drift.file.name, drift.kind) for drift in drifts]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory whose snapshots are the wanted ones."""
    write_snapshots(tmp_path / "snapshots", WANTED)
    return tmp_path / "snapshots"


def test_a_snapshot_is_readable_json() -> None:
    """Its text is the data under the format's name, keys as they come, characters as they are, ended by a newline."""
    text = snapshot_text(WANTED["stock"])
    assert text.endswith("}\n")
    assert "庫存" in text
    assert list(json.loads(text).items()) == [("format", "magic_tools snapshot 1"), *WANTED["stock"].items()]


def test_written_is_what_was_wanted(tmp_path: Path) -> None:
    """Into a directory that need not exist, each is written to its file, told in order, and found again."""
    directory = tmp_path / "a" / "b"
    assert kinds(compare_snapshots(directory, WANTED)) == [("order.json", "new"), ("stock.json", "new")]
    assert not directory.exists()
    assert kinds(write_snapshots(directory, WANTED)) == [("order.json", "new"), ("stock.json", "new")]
    for name, data in WANTED.items():
        assert (directory / f"{name}.json").read_text(encoding="utf-8") == snapshot_text(data)
    assert compare_snapshots(directory, WANTED) == []
    assert write_snapshots(directory, WANTED) == []


def test_a_change_is_told_line_by_line(directory: Path) -> None:
    """Of a changed snapshot the old and the new lines are told, under the file's own name."""
    wanted = WANTED | {"order": {"id": "order", "input_schema": {"type": "array"}}}
    (drift,) = compare_snapshots(directory, wanted)
    assert (drift.file, drift.kind) == (directory / "order.json", "changed")
    assert f"--- {directory / 'order.json'}\n+++ the code\n" in drift.lines
    assert '-    "type": "object"\n+    "type": "array"\n' in drift.lines
    assert kinds(write_snapshots(directory, wanted)) == [("order.json", "changed")]
    assert compare_snapshots(directory, wanted) == []


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{}", b'{\r\n  "format": "magic_tools snapshot 1"}'])
def test_whatever_else_stands_there_is_a_change(directory: Path, content: bytes) -> None:
    """A file under a wanted name that is something else, text or not, is told and made right."""
    (directory / "order.json").write_bytes(content)
    assert [drift.file.name for drift in compare_snapshots(directory, WANTED)] == ["order.json"]
    write_snapshots(directory, WANTED)
    assert compare_snapshots(directory, WANTED) == []


def test_a_stale_snapshot_is_told_and_removed(directory: Path) -> None:
    """A snapshot whose tool is gone is told last, with the tool's name, and removed by writing."""
    left = {"stock": WANTED["stock"], "zoo": {"id": "zoo"}}
    drifts = compare_snapshots(directory, left)
    assert kinds(drifts) == [("zoo.json", "new"), ("order.json", "stale")]
    assert drifts[1].lines == "no tool is called 'order' any more\n"
    assert (directory / "order.json").exists()
    write_snapshots(directory, left)
    assert sorted(file.name for file in directory.iterdir()) == ["stock.json", "zoo.json"]


def test_other_files_are_let_alone(directory: Path) -> None:
    """Files that no snapshot of ours is, whatever they are called, are neither told nor removed."""
    (directory / "package.json").write_text('{"name": "shop"}')
    (directory / "binary.json").write_bytes(b"\x00\xff")
    (directory / "folder.json").mkdir()
    (directory / "notes.txt").write_text(snapshot_text({"id": "notes"}))
    before = sorted(directory.iterdir())
    assert compare_snapshots(directory, WANTED) == []
    assert write_snapshots(directory, WANTED) == []
    assert sorted(directory.iterdir()) == before
