"""A snapshot's file: one text for what it says, read back to the same, and told plainly where it is something else."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.policy import Policy
from magic_tools.contracts.snapshot import Snapshot, is_snapshot, json_text, parse_object, read_snapshot
from magic_tools.errors import DefinitionError

STOCK = ToolContract(
    id="shop.stock",
    name="stock",
    description="庫存 \u2028",
    input_schema={
        "type": "object",
        "properties": {"sku": {"type": "string", "pattern": "^P[0-9]$"}, "count": {"type": "integer"}},
        "required": ["sku"],
        "additionalProperties": False,
    },
    output_schema={"type": "integer"},
    policy=Policy(version="1.2.0", owner="shop"),
)
SNAPSHOT = Snapshot(STOCK, {"mcp": {"name": "stock", "inputSchema": {"type": "object"}}})
OLD = {
    "format": "magic_tools snapshot 1",
    "id": "stock",
    "description": "How many.",
    "interface_digest": "sha256:" + "0" * 64,
    "surface_digest": "sha256:" + "1" * 64,
    "input_schema": {"type": "object"},
    "output_schema": {},
    "definitions": {"openai-chat": {}},
}


def test_a_snapshot_is_readable_json() -> None:
    """It begins with what it is and whose, members that count most first, characters as they are, and ends a line."""
    text = SNAPSHOT.text
    assert text.startswith('{\n  "format": "magic_tools snapshot 2",\n  "contract": {\n    "id": "shop.stock",\n')
    assert text.endswith("}\n")
    assert "庫存 \u2028" in text
    assert list(json.loads(text)["contract"])[:4] == ["id", "name", "version", "description"]


def test_it_is_read_back_to_the_same() -> None:
    """Contract and definitions come back equal, and give the same text."""
    back = read_snapshot(SNAPSHOT.text, "stock.json")
    assert (back, back.kind) == (SNAPSHOT, "snapshot")
    assert back.text == SNAPSHOT.text


def test_the_order_of_members_says_nothing() -> None:
    """However objects are ordered, and however a file is laid out, it is the same snapshot, and the same text."""

    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: turned(value[name]) for name in reversed(value)}
        return [turned(item) for item in value] if isinstance(value, list) else value

    schema = turned(STOCK.input_schema)
    assert list(schema) != list(STOCK.input_schema)
    assert Snapshot(replace(STOCK, input_schema=schema), turned(SNAPSHOT.definitions)).text == SNAPSHOT.text
    assert SNAPSHOT.is_text(json.dumps(turned(json.loads(SNAPSHOT.text)), indent=7))


@pytest.mark.parametrize("place", [("contract", "description"), ("definitions", "mcp", "name"), ("format",)])
def test_any_other_value_is_another_snapshot(place: tuple[str, ...]) -> None:
    """One value changed anywhere makes it another one."""
    data = json.loads(SNAPSHOT.text)
    held = data
    for step in place[:-1]:
        held = held[step]
    held[place[-1]] += "x"
    assert not SNAPSHOT.is_text(json.dumps(data))


@pytest.mark.parametrize(("one", "other"), [(True, 1), (1, 1.0), (0, False), (None, False)])
def test_values_that_python_holds_equal_differ(one: Any, other: Any) -> None:
    """What is another JSON value is another snapshot, whatever Python says."""
    first, second = (Snapshot(STOCK, {"mcp": {"default": value}}) for value in (one, other))
    assert not first.is_text(second.text)


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "NaN"])
def test_what_is_none_is_not_it(text: str) -> None:
    """A text that is no JSON, or no object, is not the snapshot."""
    assert not SNAPSHOT.is_text(text)


def test_lone_surrogates_are_written_as_escapes() -> None:
    """What UTF-8 cannot hold stays what it is."""
    text = json_text({"pattern": "\ud800-\udfff 😀"})
    assert text.encode().decode() == '{\n  "pattern": "\\ud800-\\udfff 😀"\n}\n'
    assert json.loads(text) == {"pattern": "\ud800-\udfff 😀"}


def test_a_contract_by_itself_is_read() -> None:
    """The file of a contract gives it, without definitions."""
    assert read_snapshot(STOCK.to_json(), "c.json") == Snapshot(STOCK, {}, "contract")


def test_the_first_format_is_read() -> None:
    """Schemas and texts of the first format are there, its digests, of another normal form, are let alone."""
    back = read_snapshot(json.dumps(OLD), "stock.json")
    assert back.kind == "old"
    assert (back.contract.id, back.contract.description, back.contract.version) == ("stock", "How many.", None)
    assert back.definitions == {"openai-chat": {}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "s.json: it cannot be read as JSON: Expecting value"),
        ("{", "s.json: it cannot be read as JSON: "),
        ("<<<<<<< HEAD\n{\n=======\n{", "s.json: it cannot be read as JSON: a merge was not ended in it"),
        ('{"format": "a", "format": "b"}', "the member 'format' stands twice in one object"),
        ("[1]", "s.json: it is JSON, and no object"),
        ("[" * 100_000, "s.json: it is nested too deeply"),
        ('{"format": "magic_tools snapshot 3"}', "its format is 'magic_tools snapshot 3', which this magic_tools"),
        ('{"format": "magic_tools snapshot 2"}', "it is no snapshot and no contract"),
        ('{"format": "magic_tools snapshot 2", "contract": {}, "definitions": {}}', "s.json: "),
        ('{"format": "magic_tools snapshot 2", "contract": [], "definitions": {}}', "no snapshot and no contract"),
        ('{"name": "left-pad"}', "s.json: it is no snapshot and no contract"),
        ('{"id": "a", "flavour": "sweet"}', "s.json: .*flavour"),
        (SNAPSHOT.text.replace("^P[0-9]$", "^Q[0-9]$"), "s.json: interface_digest.*it was changed after"),
        (SNAPSHOT.text.replace("庫存", "貨"), "s.json: surface_digest.*it was changed after it was written"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told(text: str, words: str) -> None:
    """A file that is broken, newer, something else or changed by hand is named with what is wrong."""
    with pytest.raises(DefinitionError, match=words):
        read_snapshot(text, "s.json")


def test_a_file_says_whether_it_is_a_snapshot() -> None:
    """Snapshots of every format say so, also broken ones, and other JSON does not."""
    assert is_snapshot(SNAPSHOT.text)
    assert is_snapshot(json.dumps(OLD))
    assert is_snapshot(SNAPSHOT.text[:60])
    assert not is_snapshot('{"name": "left-pad"}')
    assert not is_snapshot("")


def test_an_object_is_parsed_as_it_is() -> None:
    """Objects that hold the same names at different places are no fault."""
    assert parse_object('{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}', "x") == {"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}
