"""A directory of snapshots: each difference is told by its kind, what may be written is, and nothing is lost."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.drift import Drift, drifts_between
from magic_tools.contracts.lifecycle import Lifecycle
from magic_tools.contracts.policy import Policy
from magic_tools.contracts.retired import read_reservations
from magic_tools.contracts.snapshot import Snapshot
from magic_tools.contracts.snapshot_files import compare_snapshots, retire, unused_snapshots, write_snapshots
from magic_tools.errors import DefinitionError


def shot(id_: str = "stock", version: str | None = None, **parts: Any) -> Snapshot:
    """A snapshot of a tool of one parameter."""
    policy = Policy(version=version, lifecycle=parts.pop("lifecycle", Lifecycle()))
    schema = {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}
    given: dict[str, Any] = {"description": "How many.", "input_schema": schema, "output_schema": {"type": "integer"}}
    return Snapshot(ToolContract(id=id_, policy=policy, **given | parts), {"mcp": {"name": id_}})


def wanted(*shots: Snapshot) -> dict[str, Snapshot]:
    return {each.contract.id: each for each in shots}


def kinds(drifts: list[Drift]) -> list[tuple[str, str]]:
    return [(drift.id, drift.kind) for drift in drifts]


STOCK, ORDER = shot(version="1.0.0"), shot("order")
INTEGER = {"type": "object", "properties": {"sku": {"type": "integer"}}, "required": ["sku"]}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory of two snapshots."""
    write_snapshots(tmp_path / "snapshots", wanted(STOCK, ORDER))
    return tmp_path / "snapshots"


def test_what_there_was_nothing_of_is_written(tmp_path: Path) -> None:
    """Into a directory that need not exist, each is written to its file, told in order, and found again."""
    directory, both = tmp_path / "a" / "b", wanted(STOCK, ORDER)
    assert kinds(compare_snapshots(directory, both)) == [("order", "new"), ("stock", "new")]
    assert not directory.exists()
    written, left = write_snapshots(directory, both)
    assert (kinds(written), left) == ([("order", "new"), ("stock", "new")], [])
    assert (directory / "stock.json").read_text(encoding="utf-8") == STOCK.text
    assert sorted(file.name for file in directory.iterdir()) == ["order.json", "stock.json"]
    assert compare_snapshots(directory, both) == []
    assert write_snapshots(directory, both) == ([], [])


def test_a_change_is_classified(directory: Path) -> None:
    """What changed is told by its changes and versions, whoever holds the old contract being asked."""
    (drift,) = compare_snapshots(directory, wanted(shot(version="1.0.0", input_schema=INTEGER)))
    assert (drift.id, drift.kind, drift.effect, drift.bump) == ("stock", "changed", "breaking", "major")
    assert (drift.before, drift.after) == ("1.0.0", "1.0.0")
    assert drift.fault
    assert drift.place.endswith("/snapshots/stock.json")
    both = shot(version="1.0.0", input_schema=INTEGER, description="How many, then?")
    (worse,) = compare_snapshots(directory, wanted(both))
    assert [change.effect for change in worse.changes] == ["breaking", "behavioural"]
    assert worse.changes[0].path > worse.changes[1].path
    (risen,) = compare_snapshots(directory, wanted(shot(version="2.0.0", input_schema=INTEGER)))
    assert (risen.effect, risen.fault, risen.after) == ("breaking", None, "2.0.0")


def test_a_change_is_written_only_to_update(directory: Path) -> None:
    """What is there stays as it is, unless it is to be updated."""
    before, new = (directory / "order.json").read_bytes(), wanted(shot("order", description="How many, then?"))
    assert kinds(write_snapshots(directory, new)[1]) == [("order", "changed")]
    assert (directory / "order.json").read_bytes() == before
    written, left = write_snapshots(directory, new, update=True)
    assert (kinds(written), left) == ([("order", "changed")], [])
    assert compare_snapshots(directory, new) == []


def test_a_version_that_did_not_rise_keeps_its_snapshot(directory: Path) -> None:
    """An update is held back until the version has risen, or is given up."""
    before, new = (directory / "stock.json").read_bytes(), wanted(shot(version="1.1.0", input_schema=INTEGER))
    written, left = write_snapshots(directory, new, update=True)
    assert (written, kinds(left)) == ([], [("stock", "changed")])
    assert (directory / "stock.json").read_bytes() == before
    assert write_snapshots(directory, new, update=True, any_version=True)[1] == []
    assert compare_snapshots(directory, new) == []


@pytest.mark.parametrize(("version", "risen"), [("1.0.1", True), ("3.0.0", True), ("0.9.0", False), (None, False)])
def test_a_version_by_itself_is_a_change(directory: Path, version: str | None, risen: bool) -> None:
    """Where only the version changed that is told as compatible, and refused where it fell or was taken away."""
    new = wanted(shot(version=version))
    (drift,) = compare_snapshots(directory, new)
    assert (drift.kind, drift.effect, drift.bump, drift.fault is None) == ("changed", "compatible", "none", risen)
    (change,) = drift.changes
    assert (change.kind, change.before, change.after) == ("version_changed", "1.0.0", version)
    assert bool(write_snapshots(directory, new, update=True)[0]) == risen


def test_what_models_are_sent_is_a_kind_of_its_own(directory: Path) -> None:
    """Where the contract is the same and a definition is not, that is told with both, and asks for no version."""
    new = replace(STOCK, definitions={"mcp": {"name": "stock", "title": "Stock"}})
    (drift,) = compare_snapshots(directory, wanted(new))
    assert (drift.kind, drift.effect, drift.bump, drift.fault) == ("redefined", "behavioural", "none", None)
    (change,) = drift.changes
    assert (change.path, change.before, change.after) == ("definitions.mcp.title", None, "Stock")
    assert write_snapshots(directory, wanted(new), update=True)[1] == []
    assert compare_snapshots(directory, wanted(new)) == []


def test_another_spelling_is_a_kind_of_its_own(directory: Path) -> None:
    """Where neither contract nor definitions say something else, the text does not agree, and no more is said."""
    schema = {"type": "object", "properties": {"sku": {"$ref": "#/$defs/Sku"}}, "required": ["sku"]}
    new = shot(version="1.0.0", input_schema={**schema, "$defs": {"Sku": {"type": "string"}}})
    (drift,) = compare_snapshots(directory, wanted(new))
    assert (drift.kind, drift.changes, drift.effect) == ("respelled", (), None)
    assert write_snapshots(directory, wanted(new), update=True)[1] == []


def test_layout_is_no_difference(directory: Path) -> None:
    """A file whose lines or members somebody ordered otherwise is the same, and is let alone."""
    text = json.dumps(json.loads(STOCK.text), sort_keys=True).replace(", ", ",\r\n")
    (directory / "stock.json").write_bytes(text.encode())
    assert write_snapshots(directory, wanted(STOCK), update=True) == ([], [])
    assert (directory / "stock.json").read_bytes() == text.encode()


def old_format(**parts: Any) -> str:
    data = {"id": "stock", "description": "How many.", "input_schema": STOCK.contract.input_schema}
    digests = {"interface_digest": "sha256:1", "surface_digest": "sha256:2", "output_schema": {"type": "integer"}}
    return json.dumps({"format": "magic_tools snapshot 1", **data, **digests, **parts, "definitions": {}})


@pytest.mark.parametrize(
    ("text", "words", "effect"),
    [
        (old_format(), "of these nothing changed", None),
        (old_format(description="How much."), "of these something did", "behavioural"),
        (old_format(input_schema=INTEGER), "of these something did", "breaking"),
    ],
)
def test_the_first_format_is_compared_as_far_as_it_goes(
    directory: Path, text: str, words: str, effect: str | None
) -> None:
    """A file of the first format is told as that, what it holds is compared, and an update writes it anew."""
    (directory / "stock.json").write_text(text)
    (drift,) = compare_snapshots(directory, wanted(STOCK))
    assert (drift.kind, drift.effect) == ("old", effect)
    assert words in drift.says
    assert kinds(write_snapshots(directory, wanted(STOCK))[1]) == [("stock", "old")]
    assert (directory / "stock.json").read_text() == text
    assert write_snapshots(directory, wanted(STOCK), update=True, any_version=True)[1] == []
    assert compare_snapshots(directory, wanted(STOCK)) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "cannot be read as JSON"),
        (b"\xff\xfe", "cannot be read as JSON"),
        (b"<<<<<<< ours\n", "a merge was not ended"),
        (b'{"name": "left-pad"}', "no snapshot and no contract"),
        (STOCK.text.replace('"id"', '"id": "stock", "id"').encode(), "the member 'id' stands twice in one object"),
        (STOCK.text.replace('"integer"', "NaN").encode(), "NaN is a number that JSON cannot hold"),
        (b'{"format": "magic_tools snapshot 9"}', "which this magic_tools does not know"),
        (STOCK.text.replace("string", "number").encode(), "it was changed after it was written"),
        (shot("other").text.encode(), "it holds the tool 'other'"),
    ],
)
def test_what_cannot_be_trusted_is_never_written_over(directory: Path, content: bytes, words: str) -> None:
    """A file that is broken, newer, another's or changed by hand is told, and stays, whatever is asked for."""
    file = directory / "stock.json"
    file.write_bytes(content)
    (drift,) = compare_snapshots(directory, wanted(STOCK))
    assert (drift.kind, drift.effect) == ("unreadable", None)
    assert words in drift.says
    assert "estore it from version control" in drift.says
    assert kinds(write_snapshots(directory, wanted(STOCK), update=True, any_version=True)[1]) == [
        ("stock", "unreadable")
    ]
    assert file.read_bytes() == content


def test_a_snapshot_without_a_tool_is_told_and_kept(directory: Path) -> None:
    """What no tool belongs to any more is told, in order, and nothing but `retire` removes it."""
    (directory / "broken.json").write_text('{"format": "magic_tools snapshot 2"')
    assert kinds(unused_snapshots(directory, {"order"})) == [("broken", "unreadable"), ("stock", "unused")]
    write_snapshots(directory, wanted(ORDER), update=True, any_version=True)
    assert (directory / "stock.json").exists()
    assert kinds(unused_snapshots(directory, {"order", "stock"})) == [("broken", "unreadable")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (f"<<<<<<< ours\n{STOCK.text}=======\n{STOCK.text}>>>>>>> theirs\n".encode(), "a merge was not ended"),
        (b"{}", "no snapshot and no contract"),
        (b"[]", "it is JSON, and no object"),
        (b"", "cannot be read as JSON"),
        (b"\x00\xff", "cannot be read as JSON"),
        (STOCK.text[:-20].encode(), "cannot be read as JSON"),
        (STOCK.text.replace("snapshot 2", "snapshot 9").encode(), "which this magic_tools does not know"),
        (STOCK.text.replace("magic_tools snapshot 2", "mine").encode(), "no snapshot and no contract"),
        (STOCK.text.replace('"id"', '"id": "x", "id"').encode(), "the member 'id' stands twice"),
    ],
)
def test_what_cannot_be_read_is_told_though_no_tool_belongs_to_it(directory: Path, content: bytes, words: str) -> None:
    """A file that is broken, empty, merged by halves or of another format is never passed over, and stays."""
    file = directory / "gone.json"
    file.write_bytes(content)
    (drift,) = unused_snapshots(directory, {"order", "stock"})
    assert (drift.id, drift.kind, drift.effect) == ("gone", "unreadable", None)
    assert words in drift.says
    assert "No tool belongs to it: restore it from version control, or delete it." in drift.says
    assert file.read_bytes() == content


def test_an_unused_snapshot_is_known_in_any_layout(directory: Path) -> None:
    """However its members are ordered and laid out, and with a byte order mark, it is a snapshot without a tool."""
    data = json.loads(STOCK.text)
    for text in (json.dumps(data, sort_keys=True), "\ufeff" + STOCK.text, json.dumps(data, separators=(",", ":"))):
        (directory / "stock.json").write_text(text, encoding="utf-8")
        assert kinds(unused_snapshots(directory, {"order"})) == [("stock", "unused")]


def test_a_byte_order_mark_is_no_difference(directory: Path) -> None:
    """An editor that puts one before the text did not change the snapshot."""
    (directory / "stock.json").write_text("\ufeff" + STOCK.text, encoding="utf-8")
    assert compare_snapshots(directory, wanted(STOCK)) == []
    (drift,) = compare_snapshots(directory, wanted(shot(version="1.0.0", input_schema=INTEGER)))
    assert drift.kind == "changed"


def test_other_files_are_let_alone(directory: Path) -> None:
    """JSON that is plainly something else, folders and files of other kinds are not told of."""
    (directory / "package.json").write_text('{"name": "shop"}')
    (directory / "folder.json").mkdir()
    (directory / "notes.txt").write_text(STOCK.text)
    retire(directory, ["order"], {"stock"}, "2026-11-30")
    assert unused_snapshots(directory, {"stock"}) == []


def test_a_tool_that_is_gone_leaves_its_id_reserved(directory: Path) -> None:
    """Its snapshot is gone, and its last version and digests are kept beside the others that are."""
    (first,) = retire(directory, ["stock"], {"order"}, "2026-11-30")
    assert (first.id, first.version, first.since) == ("stock", "1.0.0", "2026-11-30")
    assert first.interface_digest == STOCK.contract.interface_digest
    assert not (directory / "stock.json").exists()
    retire(directory, ["order"], set(), "2026-12-01")
    assert {id_: each.since for id_, each in read_reservations(directory).items()} == {
        "order": "2026-12-01",
        "stock": "2026-11-30",
    }
    assert read_reservations(directory)["stock"] == first
    assert "version" not in json.loads((directory / "retired.json").read_text())["retired"]["order"]


def test_a_reserved_id_cannot_be_used_anew(directory: Path) -> None:
    """A tool under it is told, by a change that breaks, and no call writes it, even the very same tool."""
    retire(directory, ["stock"], {"order"}, "2026-11-30")
    for new in (STOCK, shot(version="3.0.0", description="Something else.")):
        (drift,) = compare_snapshots(directory, wanted(new))
        assert (drift.kind, drift.effect) == ("reused", "breaking")
        assert drift.says == (
            "the id 'stock' is reserved: it was a tool's that is retired since 2026-11-30, last in version 1.0.0"
        )
        assert kinds(write_snapshots(directory, wanted(new), update=True, any_version=True)[1]) == [("stock", "reused")]
    assert not (directory / "stock.json").exists()


END = Lifecycle(retired="2027-06-01", reason="The warehouse closes.")


@pytest.mark.parametrize(
    ("id_", "parts"),
    [
        ("stock", {"input_schema": INTEGER}),
        ("stock", {"output_schema": {"type": "string"}}),
        ("STOCK", {}),
        ("Stock", {"lifecycle": Lifecycle()}),
    ],
)
def test_no_declaration_frees_a_reserved_id(directory: Path, id_: str, parts: dict[str, Any]) -> None:
    """Another tool under it is one anew also if it is to retire itself, in whatever letters; the entry stays."""
    retire(directory, ["stock"], {"order"}, "2026-11-30")
    before = (directory / "retired.json").read_bytes()
    new = wanted(shot(id_, version="9.0.0", **{"lifecycle": END, **parts}))
    assert kinds(compare_snapshots(directory, new)) == [(id_, "reused")]
    written, left = write_snapshots(directory, new, update=True, any_version=True)
    assert (written, kinds(left)) == ([], [(id_, "reused")])
    assert (directory / "retired.json").read_bytes() == before
    (between,) = drifts_between({}, new, {}, read_reservations(directory))
    assert (between.kind, between.effect) == ("reused", "breaking")


@pytest.mark.parametrize(
    ("name", "act"),
    [
        ("stock.json", lambda directory: write_snapshots(directory, wanted(shot(version="2.0.0")), update=True)),
        ("retired.json", lambda directory: retire(directory, ["stock"], {"order"}, "2026-11-30")),
    ],
)
def test_what_cannot_be_written_is_named(
    directory: Path, monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[Path], Any]
) -> None:
    """The file that was to be written is, not one that nobody knows, of which nothing is left."""

    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError) as caught:
        act(directory)
    assert caught.value.filename == str(directory / name)
    assert sorted(file.name for file in directory.iterdir()) == ["order.json", "stock.json"]


def test_a_tool_that_is_to_retire_reserves_its_id(directory: Path) -> None:
    """What declares its own end has a reservation from then on, kept up to date, and is no use anew of it."""
    ending = shot("depot", version="1.0.0", lifecycle=END)
    assert kinds(compare_snapshots(directory, wanted(ending))) == [("depot", "unreserved"), ("depot", "new")]
    assert write_snapshots(directory, wanted(ending))[1] == []
    assert read_reservations(directory)["depot"].since == "2027-06-01"
    assert compare_snapshots(directory, wanted(ending)) == []
    later = shot("depot", version="1.0.0", lifecycle=Lifecycle(retired="2028-01-01", reason="Later."))
    assert kinds(compare_snapshots(directory, wanted(later))) == [("depot", "unreserved"), ("depot", "changed")]
    (back,) = compare_snapshots(directory, wanted(shot("depot", version="1.0.0")))
    assert back.kind == "reused"


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (["stock", "order"], "The tool 'order' is still in the code: take it out first"),
        (["stock", "zoo"], "There is nothing to retire for 'zoo': there is no .*/snapshots/zoo.json"),
        (["stock", "gone"], "There is nothing to retire for 'gone': the id 'gone' is reserved: it was"),
        (["stock", "torn"], "torn.json: it cannot be read as JSON"),
        (["stock", "../stock"], "The id '../stock' is no identifier"),
    ],
)
def test_what_cannot_retire(directory: Path, ids: list[str], words: str) -> None:
    """It is told, and nothing is done, not even with the ids that could."""
    write_snapshots(directory, wanted(shot("gone")))
    retire(directory, ["gone"], (), "2026-01-01")
    (directory / "torn.json").write_text("{")
    before = {file.name: file.read_bytes() for file in directory.iterdir()}
    with pytest.raises(DefinitionError, match=words):
        retire(directory, ids, {"order"}, "2026-11-30")
    assert {file.name: file.read_bytes() for file in directory.iterdir()} == before


FIELDS = {"since": "2026-11-30", "interface_digest": "sha256:1", "surface_digest": "sha256:2"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "retired.json: it cannot be read as JSON"),
        ("{}", "retired.json: it is to hold the reserved ids"),
        ('{"format": "magic_tools retired ids 2", "retired": {}}', "is not 'magic_tools retired ids 1'"),
        ('{"format": "magic_tools retired ids 1", "retired": []}', "retired.json: it is to hold the reserved ids"),
        ('{"format": "magic_tools retired ids 1", "retired": {"a": 1}}', "retired.json: a: it is to hold since"),
        ('{"format": "magic_tools retired ids 1", "retired": {"a": {"since": "x"}}}', "a: it is to hold since"),
        (
            json.dumps({"format": "magic_tools retired ids 1", "retired": {"a": {**FIELDS, "until": "x"}}}),
            "a: it is to hold since",
        ),
    ],
)
@pytest.mark.parametrize(
    "act",
    [
        lambda directory: compare_snapshots(directory, wanted(STOCK)),
        lambda directory: write_snapshots(directory, wanted(STOCK), update=True),
        lambda directory: retire(directory, ["stock"], (), "2026-11-30"),
    ],
    ids=["compare", "write", "retire"],
)
def test_reservations_that_cannot_be_read(directory: Path, text: str, words: str, act: Callable[[Path], Any]) -> None:
    """Nothing goes on without the reserved ids: a broken file is told, and stays."""
    (directory / "retired.json").write_text(text)
    with pytest.raises(DefinitionError, match=words):
        act(directory)
    assert (directory / "retired.json").read_text() == text
    assert (directory / "stock.json").exists()
