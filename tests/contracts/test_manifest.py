"""Which tools a task is pinned to: written as a lock file, read again, and compared with what there is."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import pytest

from magic_tools import DefinitionError, Lifecycle, Manifest, Policy, Tool, Toolset, ask_user, tool
from magic_tools.contracts.manifest import FORMAT
from magic_tools.schema.dialects.table import DIALECTS
from magic_tools.schema.dialects.versions import RULE_VERSIONS

AT = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)


def made(fn: Any, version: str | None = "1.0.0", **policy: Any) -> Tool[..., Any]:
    return tool(fn, name="look", policy=Policy(version=version, **policy))


def look(text: str, limit: int = 5) -> list[str]:
    """Look something up."""
    return [text] * limit


def look_twice(text: str, limit: int = 5, often: int = 2) -> list[str]:
    """Look something up."""
    return [text] * limit * often


def look_well(text: Annotated[str, "What to look up"], limit: int = 5) -> list[str]:
    """Look something up."""
    return [text] * limit


def look_at_six(text: str, limit: int = 6) -> list[str]:
    """Look something up."""
    return [text] * limit


@tool(policy=Policy(id="crm.note", version="2.1.0"))
def note(text: str) -> str:
    """Write something down."""
    return text


def test_a_pin_is_of_identity_digests_and_what_a_model_reads() -> None:
    """A pin has the identifier, the name, the version, both digests, the description and the schemas."""
    made_ = made(look)
    (pin, other) = Manifest.of(Toolset(note, made_), AT).pins
    assert (pin.id, pin.name, pin.version) == ("crm.note", "note", "2.1.0")
    contract = made_.contract
    assert (other.interface, other.surface) == (contract.interface_digest, contract.surface_digest)
    assert (other.description, other.input_schema, other.output_schema) == (
        "Look something up.",
        contract.input_schema,
        contract.output_schema,
    )


def test_a_manifest_is_the_same_from_a_toolset_and_from_tools_in_any_order() -> None:
    """The pins stand in the order of their identifiers."""
    first = Manifest.of(Toolset(made(look), note), AT)
    assert first == Manifest.of([note, made(look)], AT)
    assert [pin.id for pin in first.pins] == ["crm.note", "look"]


@pytest.mark.parametrize(
    ("at", "created"), [(AT, AT), (date(2026, 12, 1), datetime(2026, 12, 1, tzinfo=UTC)), ("2026-12-01T09:30:00Z", AT)]
)
def test_when_a_manifest_was_made(at: Any, created: datetime) -> None:
    """It is an instant in UTC, however it is given."""
    assert Manifest.of([note], at).created == created


def test_without_a_time_a_manifest_is_made_now() -> None:
    """The present is taken."""
    before = datetime.now(UTC)
    assert before <= Manifest.of([note]).created <= datetime.now(UTC)


def test_a_lock_file_comes_back(tmp_path: Path) -> None:
    """What is saved is loaded equal, and saved again byte for byte; nothing else is left in the directory."""
    file = tmp_path / "tools.lock.json"
    manifest = Manifest.of([note, made(look)], AT)
    manifest.save(file)
    text = file.read_bytes()
    assert Manifest.load(file) == manifest
    Manifest.load(str(file)).save(file)
    assert file.read_bytes() == text
    assert [each.name for each in tmp_path.iterdir()] == ["tools.lock.json"]
    assert text.endswith(b"}\n")


def test_a_lock_file_is_sorted_and_says_what_it_is() -> None:
    """Its keys are in order, its format is named, and it has the rules of each dialect."""
    data = Manifest.of([note], AT).to_data()
    assert (data["format"], data["created"]) == (FORMAT, "2026-12-01T09:30:00Z")
    assert data["dialects"] == dict(sorted(RULE_VERSIONS.items()))


def test_every_dialect_has_a_version_of_its_rules() -> None:
    """The table of the versions has each dialect, and none that there is not."""
    assert RULE_VERSIONS.keys() == DIALECTS.keys()


def test_the_same_tools_have_not_drifted() -> None:
    """A manifest compared with its own tools, compiled anew, has no differences."""
    assert Manifest.of([note, made(look)], AT).compare(Toolset(made(look), note)) == []


@pytest.mark.parametrize("other", [look_twice, look_well, look_at_six])
def test_a_tool_that_changed(other: Any) -> None:
    """A new parameter, another text and another default are changes, told with both versions and all digests."""
    manifest = Manifest.of([made(look)], AT)
    (drifted,) = manifest.compare([made(other, "1.1.0")])
    assert (drifted.kind, drifted.id) == ("changed", "look")
    contract = made(other, "1.1.0").contract
    for part in ("version 1.0.0", manifest.pins[0].interface, manifest.pins[0].surface):
        assert part in (drifted.was or "")
        assert part in str(drifted)
    for part in ("version 1.1.0", contract.interface_digest, contract.surface_digest):
        assert part in (drifted.now or "")


def test_a_version_alone_is_no_change() -> None:
    """What a task relies on are the digests."""
    assert Manifest.of([made(look)], AT).compare([made(look, "1.0.1")]) == []


def test_tools_that_came_and_went() -> None:
    """What is not pinned is added, what is not there is missing, by identifier."""
    drifted = Manifest.of([note], AT).compare([made(look, None)])
    assert [(each.kind, each.id, each.was is None, each.now is None) for each in drifted] == [
        ("missing", "crm.note", False, True),
        ("added", "look", True, False),
    ]
    assert "without a version" in str(drifted[1])
    assert "not among the tools" in str(drifted[0])


def find(name: str, often: int = 1) -> dict[str, str]:
    """Find somebody."""
    return {"phone": name * often}


def find_twice(name: str, often: int = 2) -> dict[str, str]:
    """Find somebody."""
    return {"phone": name * often}


GUARDED = Policy(version="1.0.0", approval=True, risk="write", masks=("phone", "mail"), scopes=("crm",))


def test_guards_are_pinned(tmp_path: Path) -> None:
    """They stand in the lock file, none where none is declared, and come back."""
    manifest = Manifest.of([tool(find, policy=GUARDED), note], AT)
    told = {pin["id"]: pin["guards"] for pin in manifest.to_data()["pins"]}
    guards = {"approval": True, "masks": ["mail", "phone"], "risk": "write", "scopes": ["crm"]}
    assert told == {"crm.note": {}, "find": guards}
    manifest.save(tmp_path / "lock.json")
    assert Manifest.load(tmp_path / "lock.json") == manifest


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (Policy(version="1.0.0"), "(guards lost: approval, masks mail, masks phone, risk write, scopes crm)"),
        (replace(GUARDED, risk="destructive"), "(guards lost: risk write; gained: risk destructive)"),
        (replace(GUARDED, idempotent=True), "(guards gained: idempotent)"),
        (replace(GUARDED, read_only=True, risk="read"), "(guards lost: risk write; gained: read_only, risk read)"),
        (replace(GUARDED, masks=("phone",)), "(guards lost: masks mail)"),
    ],
)
def test_guards_that_were_lost_or_gained(policy: Policy, words: str) -> None:
    """They are a change, told by name, though both digests are the same."""
    (drifted,) = Manifest.of([tool(find, policy=GUARDED)], AT).compare([tool(find, policy=policy)])
    assert (drifted.kind, drifted.id, drifted.was) == ("changed", "find", drifted.now)
    assert str(drifted).startswith("find has changed: it promises the same, version 1.0.0, interface sha256:")
    assert str(drifted).endswith(words)


def test_guards_that_went_with_another_change() -> None:
    """They are told behind it."""
    (drifted,) = Manifest.of([tool(find, policy=GUARDED)], AT).compare([tool(find_twice, name="find")])
    assert str(drifted).startswith("find has changed. It was: version 1.0.0")
    assert str(drifted).endswith("(guards lost: approval, masks mail, masks phone, risk write, scopes crm)")


def test_the_end_of_a_tool_may_be_announced_to_a_pinned_task() -> None:
    """What is said of a tool's life is no part of what a task is pinned to, whether it is said first or changed."""
    ending, later = (Lifecycle(announced=day, replacement="crm.find") for day in ("2026-12-01", "2027-01-01"))
    plain, first, second = made(look), made(look, lifecycle=ending), made(look, lifecycle=later)
    assert len({each.contract.surface_digest for each in (plain, first, second)}) == 3
    for one in (plain, first, second):
        for other in (plain, first, second):
            assert Manifest.of([one], AT).compare([other]) == []


def test_other_rules_of_a_dialect() -> None:
    """A dialect whose rules have another version by now is told, and so is one that is new or gone."""
    manifest = Manifest(Manifest.of([note], AT).pins, {**RULE_VERSIONS, "mcp": "2025-01.1", "old": "1"}, AT)
    drifted = manifest.compare([note])
    assert [(each.kind, each.id, each.was, each.now) for each in drifted] == [
        ("dialect", "mcp", "2025-01.1", RULE_VERSIONS["mcp"]),
        ("dialect", "old", "1", None),
    ]
    assert "the rules of the dialect mcp have changed: 2025-01.1" in str(drifted[0])


def test_the_search_of_a_set_is_no_tool_to_be_pinned() -> None:
    """A searchable set is pinned to what it finds."""
    tools = Toolset(note, made(look))
    assert Manifest.of(tools.searchable(), AT) == Manifest.of(tools, AT)
    assert Manifest.of(tools, AT).compare(tools.searchable()) == []


def test_two_tools_of_one_identifier() -> None:
    """They cannot be told apart in one manifest."""
    twin = tool(look, name="twin", policy=Policy(id="crm.note"))
    with pytest.raises(DefinitionError, match=r"the id 'crm\.note'"):
        Manifest.of([note, twin])


def test_a_function_is_no_tool() -> None:
    """A manifest is of tools, which have contracts; a question to the person is one."""
    with pytest.raises(DefinitionError, match="write @tool above"):
        Manifest.of([look])  # type: ignore[list-item]  # what is to be refused
    assert [pin.id for pin in Manifest.of([ask_user]).pins] == ["ask_user"]


def broken(path: str, value: Any) -> Any:
    data = json.loads(json.dumps(Manifest.of([note], AT).to_data()))
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = data
    for part in way:
        place = place[part]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("format", "other", "has the format 'other'"),
        ("created", 5, "created: expected a text, got 5"),
        ("created", "soon", "created is no date"),
        ("created", "2026-12-01T09:30:00", "created has no zone"),
        ("dialects", [], "dialects: expected versions by name"),
        ("dialects", {"mcp": 1}, "dialects: expected versions by name"),
        ("pins", {}, "pins: expected an array"),
        ("pins.0", None, r"pins\[0\]: expected an object"),
        ("pins.0.id", "../etc", r"pins\[0\], id"),
        ("pins.0.version", "2", "'2' is no version"),
        ("pins.0.version", 2, "version: expected a text, got 2"),
        ("pins.0.interface", "sha256:12", r"pins\[0\], interface: expected a digest"),
        ("pins.0.surface", None, "surface: expected a digest"),
        ("pins.0.guards", KeyError, "the key 'guards' is missing"),
        ("pins.0.guards", [], r"pins\[0\], guards: expected an object"),
        ("pins.0.guards", {"approval": False}, "guards, approval: expected true, or no such key, got False"),
        ("pins.0.guards", {"masks": []}, "guards, masks: expected texts in an array"),
        ("pins.0.guards", {"scopes": "a"}, "guards, scopes: expected texts in an array"),
        ("pins.0.guards", {"risk": "high"}, "guards, risk: expected one of read, read_sensitive, write, destructive"),
        ("pins.0.guards", {"more": True}, "guards: the key 'more' is unknown"),
        ("pins.0.description", None, "description: expected a text"),
        ("pins.0.input_schema", None, "input_schema: expected a JSON Schema"),
        ("pins.0.output_schema", KeyError, "the key 'output_schema' is missing"),
        ("pins.0.more", 1, "the key 'more' is unknown"),
        ("more", 1, "the key 'more' is unknown"),
        ("pins", KeyError, "the key 'pins' is missing"),
    ],
)
def test_a_lock_file_that_is_none(path: str, value: Any, words: str, tmp_path: Path) -> None:
    """What is not as it is written is refused, naming the file and the place."""
    file = tmp_path / "tools.lock.json"
    file.write_text(json.dumps(broken(path, value)), encoding="utf-8")
    with pytest.raises(DefinitionError, match=words) as caught:
        Manifest.load(file)
    assert "tools.lock.json" in str(caught.value) or path == "pins.0.version"


@pytest.mark.parametrize("text", ["", "[", "[" * 100_000, "\ud800"])
def test_a_lock_file_that_is_no_json(text: str, tmp_path: Path) -> None:
    """It is refused by name."""
    file = tmp_path / "a.json"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(DefinitionError, match=r"a\.json is no manifest"):
        Manifest.load(file)


@pytest.mark.parametrize("data", [None, [], 5, "text"])
def test_data_that_is_no_manifest(data: object) -> None:
    """It is an object, and nothing else."""
    with pytest.raises(DefinitionError, match="the manifest: expected an object"):
        Manifest.from_data(data)


def test_a_pin_cannot_be_changed_by_whoever_changes_the_contract() -> None:
    """The schemas in a manifest are its own."""
    manifest = Manifest.of([note], AT)
    before = json.dumps(manifest.to_data())
    note.contract.input_schema.clear()
    assert json.dumps(manifest.to_data()) == before
