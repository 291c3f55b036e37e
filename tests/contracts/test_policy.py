"""What an author declares of a tool."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from magic_tools.contracts.policy import Policy
from magic_tools.errors import DefinitionError
from magic_tools.tools.tool import tool


@pytest.mark.parametrize("name", ["tags", "phases", "scopes"])
def test_a_bare_text_is_not_several(name: str) -> None:
    """Where several texts are due, a bare one is refused, and the error says how to write it."""
    declared: dict[str, Any] = {name: "read"}
    with pytest.raises(DefinitionError, match=rf"Policy\({name}='read'\) is a bare text.* write {name}=\('read',\)"):
        Policy(**declared)


def test_a_policy_is_frozen() -> None:
    """Nobody changes what was declared; two policies that declare the same are equal."""
    policy = Policy(tags=("read",), lint_ignore={"missing-bounds": "counted upstream"})
    with pytest.raises(dataclasses.FrozenInstanceError):
        policy.owner = "me"  # type: ignore[misc]  # what is tested
    assert policy == Policy(tags=("read",), lint_ignore={"missing-bounds": "counted upstream"})


def test_a_policy_holds_what_is_its_own() -> None:
    """What was given in a list, or one by one, stays, whatever becomes of the list."""
    tags = ["read"]
    given: dict[str, Any] = {"tags": tags, "scopes": iter(["crm.read"])}
    policy = Policy(**given)
    tags.append("write")
    assert (policy.tags, policy.scopes, policy.scopes) == (("read",), ("crm.read",), ("crm.read",))


def test_what_a_tool_declares() -> None:
    """A tool has its policy; the contract has its id and error schema, which count in both digests."""
    schema = {"type": "object", "properties": {"code": {"type": "string"}}}

    @tool(policy=Policy(id="crm.find", error_schema=schema, read_only=True))
    def find(name: str) -> str:
        """Find."""
        return name

    @tool(policy=Policy(id="crm.find"))
    def plain(name: str) -> str:
        """Find."""
        return name

    contract = find.contract
    assert (find.name, contract.id, contract.error_schema) == ("find", "crm.find", schema)
    assert contract.to_data()["error_schema"] == schema
    assert "error_schema" not in plain.contract.to_data()
    assert contract.interface_digest != plain.contract.interface_digest
    assert contract.surface_digest != plain.contract.surface_digest
    assert (find.told().read_only, plain.told().read_only) == (True, False)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"id": " "}, r"Policy\(id=' '\) is to be a text that is not blank"),
        ({"version": 1.0}, r"Policy\(version=1.0\)"),
        ({"scopes": ("",)}, r"Policy\(scopes=\('',\)\) is to hold texts"),
        ({"tags": (1,)}, r"Policy\(tags=\(1,\)\)"),
        ({"tags": {"read": "why"}}, r"Policy\(tags=\{'read': 'why'\}\) is to hold several"),
        ({"phases": None}, r"Policy\(phases=None\) is to hold several"),
        ({"examples": {"city": "Rome"}}, r"Policy\(examples=\{'city': 'Rome'\}\) is to hold several"),
        ({"examples": ("Rome",)}, r"Policy\(examples=...\) is to hold arguments by name"),
        ({"read_only": "no"}, r"Policy\(read_only='no'\) is to be True or False"),
    ],
)
def test_declarations_of_the_wrong_kind(declared: dict[str, Any], message: str) -> None:
    """What would be taken for something else is refused where it is declared."""
    with pytest.raises(DefinitionError, match=message):
        Policy(**declared)


def test_a_policy_can_be_a_key() -> None:
    """Equal policies have one hash, whatever mappings they hold."""
    first, second = (Policy(tags=("a",), examples=({"x": 1},), lint_ignore={"a": "b"}) for _ in range(2))
    assert {first: 1}[second] == 1
