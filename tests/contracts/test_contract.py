"""A tool's promise: what its two digests see and do not see, and its way into plain data."""

from __future__ import annotations

import copy
import json
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from magic_tools.contracts.contract import ToolContract
from magic_tools.values import JsonObject

ADDRESS: JsonObject = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
INPUT: JsonObject = {
    "type": "object",
    "properties": {
        "sku": {"type": "string", "description": "Article number", "examples": ["A-1"]},
        "count": {"type": "integer", "minimum": 1, "default": 1},
        "state": {"enum": ["new", "old"]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "home": {"$ref": "#/$defs/Address"},
        "work": {"$ref": "#/$defs/Address"},
    },
    "required": ["sku", "home"],
    "additionalProperties": False,
    "$defs": {"Address": ADDRESS},
}
CONTRACT = ToolContract("order", "Orders an article.", INPUT, {"type": "integer"})


def changed(*path: str, to: Any) -> ToolContract:
    """The contract with one place of its input schema set; with `None` that place is gone."""
    schema = copy.deepcopy(INPUT)
    node = schema
    for step in path[:-1]:
        node = node[step]
    if to is None:
        del node[path[-1]]
    else:
        node[path[-1]] = to
    return replace(CONTRACT, input_schema=schema)


def renamed() -> ToolContract:
    text = json.dumps(INPUT).replace("#/$defs/Address", "#/$defs/Place").replace('"Address":', '"Place":')
    return replace(CONTRACT, input_schema=json.loads(text))


def turned(value: Any) -> Any:
    """The value with the order of all keys turned around."""
    match value:
        case dict():
            return {key: turned(held) for key, held in reversed(value.items())}
        case list():
            return [turned(item) for item in value]
        case _:
            return value


SAME = {
    "order of keys": replace(CONTRACT, input_schema=turned(INPUT)),
    "order of required": changed("required", to=["home", "sku"]),
    "order of an enum": changed("properties", "state", "enum", to=["old", "new"]),
    "order of branches": changed("properties", "note", "anyOf", to=[{"type": "null"}, {"type": "string"}]),
    "name of a definition": renamed(),
    "a definition where it is used": changed("properties", "work", to=ADDRESS),
}
FOR_READERS = {
    "description of the tool": replace(CONTRACT, description="Orders one article."),
    "description": changed("properties", "sku", "description", to="The article's number"),
    "no description": changed("properties", "sku", "description", to=None),
    "examples": changed("properties", "sku", "examples", to=["B-2"]),
    "default": changed("properties", "count", "default", to=2),
    "description in a definition": changed("$defs", "Address", "properties", "city", "description", to="The town"),
    "title": changed("properties", "sku", "title", to="SKU"),
    "deprecated": changed("properties", "sku", "deprecated", to=True),
    "comment": changed("properties", "sku", "$comment", to="see the shop's manual"),
}
FOR_CALLS = {
    "id": replace(CONTRACT, id="buy"),
    "type": changed("properties", "sku", "type", to="integer"),
    "bound": changed("properties", "count", "minimum", to=0),
    "required": changed("required", to=["sku"]),
    "choice": changed("properties", "state", "enum", to=["new", "old", "lost"]),
    "branch": changed("properties", "note", "anyOf", to=[{"type": "string"}]),
    "open": changed("additionalProperties", to=True),
    "in a definition": changed("$defs", "Address", "required", to=[]),
    "new property": changed("properties", "gift", to={"type": "boolean"}),
    "a property called like a word for readers": changed("properties", "description", to={"type": "string"}),
    "renamed property": changed(
        "properties", to={"SKU" if k == "sku" else k: v for k, v in INPUT["properties"].items()}
    ),
    "unit": changed("properties", "count", "x-unit", to="kg"),
    "result": replace(CONTRACT, output_schema={"type": "number"}),
    "sides exchanged": replace(CONTRACT, input_schema=CONTRACT.output_schema, output_schema=INPUT),
}


@pytest.mark.parametrize("other", SAME.values(), ids=SAME)
def test_what_no_digest_sees(other: ToolContract) -> None:
    """Order, and how definitions are named and where they stand, change neither digest."""
    assert other.interface_digest == CONTRACT.interface_digest
    assert other.surface_digest == CONTRACT.surface_digest


@pytest.mark.parametrize("other", FOR_READERS.values(), ids=FOR_READERS)
def test_what_only_the_surface_sees(other: ToolContract) -> None:
    """What a model reads and no validator heeds changes the surface and not the interface."""
    assert other.interface_digest == CONTRACT.interface_digest
    assert other.surface_digest != CONTRACT.surface_digest


@pytest.mark.parametrize("other", FOR_CALLS.values(), ids=FOR_CALLS)
def test_what_both_digests_see(other: ToolContract) -> None:
    """What changes which calls are valid, or what comes back, changes both."""
    assert other.interface_digest != CONTRACT.interface_digest
    assert other.surface_digest != CONTRACT.surface_digest


def test_the_digests_are_of_different_things() -> None:
    """Both say how they were made, and are never the same."""
    assert CONTRACT.interface_digest.startswith("sha256:")
    assert CONTRACT.surface_digest.startswith("sha256:")
    assert CONTRACT.interface_digest != CONTRACT.surface_digest


def test_equality_is_of_all_that_is_said() -> None:
    """Two contracts are equal when every part is, also when one has made its digests and the other has not."""
    twin = copy.deepcopy(CONTRACT)
    assert twin.interface_digest
    assert twin == ToolContract("order", "Orders an article.", copy.deepcopy(INPUT), {"type": "integer"})
    assert twin != replace(twin, description="Other.")


def test_a_contract_cannot_be_set() -> None:
    """Its parts are those it was made of."""
    with pytest.raises(FrozenInstanceError):
        CONTRACT.id = "other"  # type: ignore[misc]  # the fault that is tested


def test_data_is_plain_and_whole() -> None:
    """The data survives JSON, holds every part and both digests, and is the caller's own."""
    data = CONTRACT.to_data()
    assert json.loads(json.dumps(data)) == {
        "id": "order",
        "description": "Orders an article.",
        "interface_digest": CONTRACT.interface_digest,
        "surface_digest": CONTRACT.surface_digest,
        "input_schema": INPUT,
        "output_schema": {"type": "integer"},
    }
    data["input_schema"]["properties"].clear()
    data["output_schema"].clear()
    assert CONTRACT.to_data()["input_schema"] == INPUT
    assert CONTRACT.output_schema == {"type": "integer"}
