"""What an author declares of a tool."""

from __future__ import annotations

import dataclasses
import datetime as dt
from types import MappingProxyType
from typing import Any

import pytest

from magic_tools.contracts.policy import RISKS, Policy, WrongExample
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
        ({"examples": ({"day": float("nan")},)}, r"Policy\(examples=...\), number 1 is to hold plain JSON data"),
        ({"examples": ({}, {"days": {1}})}, r"number 2 .*a value of set is in it"),
        ({"examples": ({1: "x"},)}, "it is no mapping from names to values"),
        ({"error_schema": "object"}, r"Policy\(error_schema=...\) is to hold plain JSON data by name"),
        ({"error_schema": {"type": "objekt"}}, r"^Policy\(error_schema=...\): at /type, .*objekt"),
        ({"error_schema": {"properties": {"a": {"$ref": "#/$defs/A"}}}}, r"error_schema=...\): .*leads to no schema"),
        ({"error_schema": {"required": "code"}}, r"^Policy\(error_schema=...\): at /required"),
        ({"wrong_examples": ({"limit": 0},)}, r"is to be such as \(WrongExample\("),
        ({"wrong_examples": WrongExample({}, "why")}, "is to hold several"),
        ({"max_chars": 0}, r"Policy\(max_chars=0\) is to be a whole number of at least 1"),
        ({"risk": "low"}, r"Policy\(risk='low'\) is to be one of: read, read_sensitive, write, destructive"),
        ({"data_class": "top secret"}, r"Policy\(data_class='top secret'\) is no identifier"),
        ({"title": ""}, r"Policy\(title=''\) is to be a text that is not blank"),
        ({"id": "../crm"}, r"Policy\(id='../crm'\) is no identifier"),
        ({"id": "nul"}, "the name of a device of Windows"),
        ({"version": "2.1"}, r"Policy\(version='2.1'\): '2.1' is no version.*write '2.1.0'"),
        ({"version": "v2.1.0"}, "without the letter"),
        ({"read_only": True, "risk": "write"}, r"Policy\(read_only=True, risk='write'\) contradicts itself"),
        ({"read_only": True, "risk": "destructive"}, "contradicts itself"),
        ({"accepts": ("1.x",)}, "says which versions are served, and version is missing"),
        ({"version": "2.0.0", "accepts": "2.x"}, r"write accepts=\('2.x',\)"),
        ({"version": "2.0.0", "accepts": ("2",)}, r"Policy\(accepts=...\): '2' is no range"),
        ({"version": "2.0.0", "accepts": ("1.x",)}, "leaves out the version itself, 2.0.0: add.*'2.x'"),
        ({"version": "2.0.0-rc.1", "accepts": ("2.x",)}, "leaves out the version itself, 2.0.0-rc.1"),
        ({"version": "2.0.0", "deprecates": ("2.x",)}, "has the version itself, 2.0.0: to end the tool"),
        ({"version": "2.0.0", "deprecates": ("^1",)}, r"Policy\(deprecates=...\): '\^1' is no range"),
        ({"version": "2.0.0", "sunset": "2027-01-01"}, "is of the versions in deprecates, and there are none"),
        ({"version": "2.0.0", "deprecates": ("1.x",), "sunset": "soon"}, r"Policy\(sunset='soon'\) is no date"),
        ({"lifecycle": "active"}, r"Policy\(lifecycle='active'\) is to be such as Lifecycle\("),
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


@pytest.mark.parametrize(
    "declared",
    [
        *({"risk": risk} for risk in RISKS),
        *({"risk": risk, "approval": True} for risk in RISKS),
        {"risk": "read_sensitive", "read_only": True},
        {"version": "2.1.0", "accepts": ("2.x", "3.0.0-beta")},
        {"version": "2.0.0-rc.1", "accepts": ("2.0.0-rc.1",)},
        {"version": "2.1.0", "deprecates": ("1.x", "2.0.x"), "sunset": dt.date(2027, 1, 1)},
        {"wrong_examples": (WrongExample({"limit": 0}, "below 1"),), "examples": ({"limit": 1},)},
    ],
)
def test_what_may_be_declared(declared: dict[str, Any]) -> None:
    """Any risk goes with an approval, and versions with the ranges that they leave."""
    policy = Policy(**declared)
    assert {name: getattr(policy, name) for name in declared if name != "sunset"} == {
        name: held for name, held in declared.items() if name != "sunset"
    }


def test_ranges_are_kept_in_one_spelling() -> None:
    """Blanks in a range count nothing, so that two policies that say the same are equal."""
    assert Policy(version="2.0.0", accepts=(" >=1.0.0   <3 ",)) == Policy(version="2.0.0", accepts=(">=1.0.0 <3",))


def test_the_sunset_of_versions_is_an_instant() -> None:
    """A date, a datetime and a text say the same instant, which is kept in UTC; without one there is none."""
    days = ("2027-01-01", dt.date(2027, 1, 1), dt.datetime(2027, 1, 1, 8, tzinfo=dt.timezone(dt.timedelta(hours=8))))
    for day in days:
        policy = Policy(version="2.0.0", deprecates=("1.x",), sunset=day)
        assert policy.ends_deprecated == policy.sunset == dt.datetime(2027, 1, 1, tzinfo=dt.UTC)
        assert dataclasses.replace(policy, owner="me").ends_deprecated == policy.ends_deprecated
    assert Policy().ends_deprecated is None


def test_examples_are_data_of_their_own() -> None:
    """What was given as an example is kept as JSON has it, whatever becomes of it."""
    inner: dict[str, Any] = {"days": (1, 2)}
    policy = Policy(examples=(inner, MappingProxyType({"at": MappingProxyType({"x": 1})})))
    wrong = WrongExample(inner, "why")
    inner["days"] = ()
    assert policy.examples == ({"days": [1, 2]}, {"at": {"x": 1}})
    assert wrong.arguments == {"days": [1, 2]}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (({"x": {1}}, "why"), r"WrongExample\(arguments=...\) is to hold plain JSON data by name"),
        (("x", "why"), "it is no mapping from names to values"),
        (({}, ""), r"WrongExample\(why=''\) is to be a text that is not blank"),
        (({}, None), r"WrongExample\(why=None\)"),
        (({}, "why", " "), r"WrongExample\(rule=' '\)"),
    ],
)
def test_what_is_no_wrong_example(given: tuple[Any, ...], words: str) -> None:
    """It has arguments, a reason, and perhaps the name of a rule."""
    with pytest.raises(DefinitionError, match=words):
        WrongExample(*given)
