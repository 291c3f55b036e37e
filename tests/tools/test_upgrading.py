"""Declared adapters by hand: old arguments and results as a tool takes and gives them today."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from magic_tools import DefinitionError, Policy, Tool, Toolset, UpgradeError, tool


class Ticket(BaseModel):
    id: str
    priority: str


def create(title: str, priority: str = "P2", urgency: int | None = None) -> Ticket:
    """Open a ticket."""
    return Ticket(id="T-1", priority=priority)


def made(version: str | None = "2.0.0") -> Tool[..., Any]:
    return tool(create, name="create_ticket", policy=Policy(version=version))


def adapted() -> Tool[..., Any]:
    """A tool with an adapter of its arguments from each of two ranges, and one of its results."""
    ticket = made()

    @ticket.upgrade_from("1.x")
    def with_priority(old: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"priority": "P3", **old}

    @ticket.upgrade_from("0.x")
    def from_name(old: dict[str, Any]) -> dict[str, Any]:
        old["title"] = old.pop("name")
        return old

    @ticket.upgrade_from(">=0.1.0 <2", part="result")
    def with_fields(old: Any) -> Any:
        return {"id": old, "priority": "P3"} if isinstance(old, str) else old

    return ticket


def test_old_arguments_as_new_ones() -> None:
    """The adapter whose range holds the version makes them; what was given stays as it was."""
    ticket = adapted()
    old = {"name": "Broken"}
    assert ticket.upgrade("1.4.2", {"title": "Broken"}) == {"title": "Broken", "priority": "P3"}
    assert ticket.upgrade("0.9.0", old) == {"title": "Broken"}
    assert old == {"name": "Broken"}


def test_an_old_result_as_a_new_one() -> None:
    """An adapter of results is asked apart from those of arguments, by its own ranges."""
    assert adapted().upgrade_result("0.5.0", "T-7") == {"id": "T-7", "priority": "P3"}


def test_an_adapter_stays_a_function() -> None:
    """The decorator gives back what it was given."""
    ticket = made()

    def same(old: Mapping[str, Any]) -> Mapping[str, Any]:
        return old

    assert ticket.upgrade_from("1.x")(same) is same


def test_all_names_of_a_tool_have_its_adapters() -> None:
    """A tool under another name is adapted as well, whether it was renamed before or after."""
    ticket = made()
    before = Toolset(ticket).renamed({"create_ticket": "open"})["open"]
    ticket.upgrade_from("1.x")(dict)
    assert before.upgrade("1.0.0", {"title": "a"}) == {"title": "a"}


@pytest.mark.parametrize("version", ["2.0.0", "3.0.0", "1.0.0-rc.1"])
def test_a_version_that_no_adapter_covers(version: str) -> None:
    """It is an error that names the version and the ranges that there are."""
    with pytest.raises(UpgradeError, match=rf"no adapter of the arguments from version {version}; .*for: 1\.x, 0\.x"):
        adapted().upgrade(version, {"title": "a"})
    with pytest.raises(UpgradeError, match="no adapter of the result from version"):
        made().upgrade_result(version, "T-1")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "made an object with the keys priority, which does not fit: title: expected"),
        ({"title": "a", "colour": 1}, "which does not fit: colour: expected no key of this name"),
        ({"title": "a", "urgency": "7"}, "keys priority, title, urgency, which does not fit: "),
        ({"title": None}, "which does not fit: title: expected a string, got null"),
    ],
)
def test_what_an_adapter_makes_has_to_fit(arguments: dict[str, Any], words: str) -> None:
    """The error says which adapter made what, and where that does not fit; nothing of it is repaired."""
    with pytest.raises(UpgradeError, match=words) as caught:
        adapted().upgrade("1.0.0", arguments)
    assert "The adapter with_priority of create_ticket, for the arguments from 1.0.0 to 2.0.0," in str(caught.value)
    assert caught.value.made == {"priority": "P3", **arguments}


def test_where_a_result_does_not_fit() -> None:
    """What is made of a result is held to the output schema of today."""
    with pytest.raises(UpgradeError, match="priority") as caught:
        adapted().upgrade_result("1.0.0", {"id": "T-1"})
    assert caught.value.issues


@pytest.mark.parametrize("gives", [None, 5, ["title"], "title"])
def test_what_are_no_arguments(gives: Any) -> None:
    """Arguments are a mapping by name."""
    ticket = made()
    ticket.upgrade_from("1.x")(lambda old: gives)
    with pytest.raises(UpgradeError, match="made no arguments by name, but a value of type"):
        ticket.upgrade("1.0.0", {})


def test_an_adapter_that_raises() -> None:
    """The error names the class, and has the exception as its cause."""
    ticket = made()

    @ticket.upgrade_from("1.x")
    def careless(old: Mapping[str, Any]) -> Any:
        return old["nothing"]

    with pytest.raises(UpgradeError, match=r"The adapter careless .* raised KeyError\.") as caught:
        ticket.upgrade("1.0.0", {})
    assert isinstance(caught.value.__cause__, KeyError)


def test_what_no_json_can_hold() -> None:
    """An adapter gives JSON data; Decimals and models have their usual forms."""
    ticket = made()
    ticket.upgrade_from("1.x")(lambda old: {"title": object})
    ticket.upgrade_from("0.x")(lambda old: {"title": Decimal("1.50")})
    with pytest.raises(UpgradeError, match=r"made an object|no JSON can hold"):
        ticket.upgrade("1.0.0", {})
    assert ticket.upgrade("0.1.0", {}) == {"title": "1.50"}


def test_a_secret_is_not_in_the_words() -> None:
    """What was made is on the error for the program, and its values are in no text."""

    @tool(policy=Policy(version="2.0.0"))
    def log_in(user: str, password: SecretStr) -> str:
        """Log in."""
        return user

    log_in.upgrade_from("1.x")(lambda old: {"user": 5, **old})
    with pytest.raises(UpgradeError) as caught:
        log_in.upgrade("1.0.0", {"password": ["hunter2"]})
    assert "hunter2" not in str(caught.value)
    assert caught.value.made == {"user": 5, "password": ["hunter2"]}


def test_the_error_is_pickled() -> None:
    """It comes back whole from another process."""
    with pytest.raises(UpgradeError) as caught:
        adapted().upgrade("1.0.0", {})
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.made, again.issues) == (str(caught.value), caught.value.made, caught.value.issues)
    assert str(copy.copy(again)) == str(caught.value)


async def later(old: Any) -> Any:
    return old


@pytest.mark.parametrize(
    ("version", "ranges", "part", "fn", "words"),
    [
        (None, ["1.x"], "arguments", dict, r"it has none: give it Policy\(version='2\.0\.0'\)"),
        ("2.0.0", ["2.x"], "arguments", dict, r"has the tool's own version, 2\.0\.0"),
        ("2.0.0", ["*"], "result", dict, "has the tool's own version"),
        ("2.0.0", ["1.x", "1.4.x"], "arguments", dict, r"upgrade_from\('1\.4\.x'\) and upgrade_from\('1\.x'\)"),
        ("2.0.0", [">=1 <2", "1.0.0"], "result", dict, "of its result share versions"),
        ("2.0.0", ["1.0.0", "1.0.0"], "arguments", dict, "share versions"),
        ("2.0.0", ["1"], "arguments", dict, "is no range of versions"),
        ("2.0.0", ["1.x"], "error", dict, r"part=\.\.\.\) is 'arguments' or 'result', got 'error'"),
        ("2.0.0", ["1.x"], "arguments", later, "takes an ordinary function"),
        ("2.0.0", ["1.x"], "arguments", 5, "takes an ordinary function"),
    ],
)
def test_adapters_that_cannot_be(version: str | None, ranges: list[str], part: Any, fn: Any, words: str) -> None:
    """What would never, or not surely, be used is a definition error."""
    ticket = made(version)
    *before, last = ranges
    for each in before:
        ticket.upgrade_from(each, part=part)(fn)
    attach = ticket.upgrade_from(last, part=part)
    with pytest.raises(DefinitionError, match=words):
        attach(fn)


@pytest.mark.parametrize(
    "ranges", [["1.x", "0.x"], ["1.0.0", "1.0.1"], [">=1.0.0 <1.5.0", ">=1.5.0 <2"], ["1.0.x", "1.1.x"]]
)
def test_ranges_that_only_touch(ranges: list[str]) -> None:
    """Ranges side by side may stand side by side, and the same range for both parts."""
    ticket = made()
    for each in ranges:
        ticket.upgrade_from(each)(dict)
        ticket.upgrade_from(each, part="result")(dict)
    known = [(str(adapter.versions), adapter.part) for adapter in ticket.executable.hooks.adapters]
    assert known == [(each, part) for each in ranges for part in ("arguments", "result")]
