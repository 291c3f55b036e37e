"""The rules about one tool: for each a tool that it speaks of, and one that it leaves alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from magic_tools.contracts.lifecycle import Lifecycle
from magic_tools.contracts.policy import Policy
from magic_tools.errors import DefinitionError
from magic_tools.tools.lint.findings import LintConfig
from magic_tools.tools.lint.linter import lint
from magic_tools.tools.lint.tool_rules import TOOL_RULES
from magic_tools.tools.tool import Tool, tool

if TYPE_CHECKING:
    from decimal import Decimal as OnlyForCheckers

Text = Annotated[str, Field(max_length=80), "What it is."]
Whole = Annotated[int, Field(ge=0, le=9), "What it is."]


class Third(BaseModel):
    """The innermost."""

    value: Whole


class Second(BaseModel):
    """In the middle."""

    third: Annotated[Third, "What it is."]


class First(BaseModel):
    """The outermost."""

    seconds: Annotated[list[Second], Field(max_length=2), "What they are."]


def described(text: str, name: str | None = None) -> Tool[..., Any]:
    """A tool of which only the text and the name are to be judged."""

    def act(city: Text) -> str:
        return city

    return tool(act, name=name, description=text)


def exemplified(*examples: Any) -> Tool[..., Any]:
    """A tool with examples of its arguments."""

    @tool(policy=Policy(examples=examples))
    def act(city: Text, count: Whole = 1) -> str:
        """Do what is asked."""
        return city

    return act


def ending(**life: Any) -> Tool[..., Any]:
    """A tool whose life ends so."""

    @tool(policy=Policy(lifecycle=Lifecycle(**life)))
    def act(city: Text) -> str:
        """Do what is asked."""
        return city

    return act


def superseding(ends: date | str | None) -> Tool[..., Any]:
    """A tool that deprecates its older versions until a day."""

    @tool(policy=Policy(version="2.0.0", deprecates=("1.x",), sunset=ends))
    def act(city: Text) -> str:
        """Do what is asked."""
        return city

    return act


LONG_AGO, LATER = date(2020, 1, 1), date(9999, 1, 1)
SOON = datetime.now(UTC) + timedelta(days=5)


def without_docstring(city: Text) -> str:
    return city


def without_return(city: Text):  # type: ignore[no-untyped-def]  # that is what it is for
    """Do what is asked."""


def unresolved(city: Text) -> OnlyForCheckers:
    """Do what is asked."""
    raise NotImplementedError


def open_result(city: Text) -> Any:
    """Do what is asked."""


def nothing(city: Text) -> None:
    """Do what is asked."""


def four_nulls(a: Text | None = None, b: Text | None = None, c: Text | None = None, d: Text | None = None) -> str:
    """Do what is asked."""
    return ""


def three_nulls(a: Text | None = None, b: Text | None = None, c: Text | None = None, d: Text = "") -> str:
    """Do what is asked."""
    return ""


def deep(first: Annotated[First, "What it is."]) -> str:
    """Do what is asked."""
    return ""


def flat(seconds: Annotated[list[Second], Field(max_length=2), "What they are."]) -> str:
    """Do what is asked."""
    return ""


def for_somebody(tenant_id: Text) -> str:
    """Do what is asked."""
    return ""


def for_anyone(current_user: Text, roles: Text, user_agent: Text, max_price_eur: Whole) -> str:
    """Do what is asked."""
    return ""


def get_user(user_id: Text) -> str:
    """One person's data."""
    return ""


class Order(BaseModel):
    """An order."""

    customer_id: Text
    price_cents: Whole
    user_agent: Text


class Orders(BaseModel):
    """Several orders."""

    orders: Annotated[list[Order], Field(max_length=2), "What they are."]


def in_a_model(batch: Annotated[Orders, "What it is."]) -> str:
    """Do what is asked."""
    return ""


def get_customer(batch: Annotated[Orders, "What it is."], 用户编号: Text) -> str:
    """Do what is asked."""
    return ""


def within(scope: Annotated[Literal["title", "body"], "title: the title; body: the rest"], role: Text) -> str:
    """Do what is asked."""
    return ""


@tool(policy=Policy(id="a.b", version="1.0.0", owner="me", risk="read", scopes=("x",), examples=({"city": "Rome"},),
                    error_schema={"type": "object"}))  # fmt: skip
def declared(city: Text) -> str:
    """Do what is asked."""
    return ""


CASES: list[tuple[Callable[..., Any], list[tuple[str, str]]]] = [
    (without_docstring, [("missing-docstring", "")]),
    (described("  "), [("missing-docstring", "")]),
    (described("Do what is asked."), []),
    (without_return, [("missing-return", "result")]),
    (unresolved, [("unresolved-return", "result")]),
    (open_result, [("open-result", "result")]),
    (nothing, []),
    (described("word " * 101), [("long-tool-text", "")]),
    (described("word " * 100), []),
    (described("字" * 151), [("long-tool-text", "")]),
    (described("字" * 150), []),
    (described("incomprehensibility" * 54), [("long-tool-text", "")]),
    (described("incomprehensibility" * 53), []),
    (described("Do it.", "n" * 41), [("long-tool-name", "")]),
    (described("Do it.", "n" * 40), []),
    (four_nulls, [("many-null-defaults", "")]),
    (three_nulls, []),
    (deep, [("deep-nesting", "first")]),
    (flat, []),
    (for_somebody, [("chosen-identity", "tenant_id")]),
    (for_anyone, [("chosen-identity", "current_user"), ("chosen-identity", "roles")]),
    (get_user, []),
    (in_a_model, [("chosen-identity", f"batch.orders[].{name}") for name in ("customer_id", "price_cents")]),
    (get_customer, [("chosen-identity", name) for name in ("batch.orders[].price_cents", "用户编号")]),
    (within, [("chosen-identity", "role")]),
    (exemplified({"city": "Rome"}, {"city": "Oslo", "count": 2}), []),
    (exemplified({"city": 5}), [("wrong-example", "")]),
    (exemplified({"city": "Rome", "count": "2"}), [("wrong-example", "")]),
    (ending(announced=LONG_AGO, replacement="find"), []),
    (ending(announced=LONG_AGO, guide="Write to us."), [("no-replacement", "")]),
    (ending(replacement="find"), []),
    (ending(rejected=SOON, replacement="find"), [("sunset-near", "")]),
    (ending(retired=SOON, replacement="find"), [("sunset-near", "")]),
    (ending(rejected=LONG_AGO, retired=SOON, replacement="find"), [("sunset-past", "")]),
    (ending(rejected=LATER, replacement="find"), []),
    (superseding(SOON), [("sunset-near", "")]),
    (superseding(LONG_AGO), [("sunset-past", "")]),
    (superseding(LATER), []),
    (superseding(None), []),
]


@pytest.mark.parametrize(("function", "found"), CASES)
def test_what_is_found_of_a_tool(function: Callable[..., Any], found: list[tuple[str, str]]) -> None:
    """Each rule speaks of what it is about, and of nothing else that looks like it."""
    assert [(each.rule, each.path) for each in lint(function)] == found


def test_what_production_asks_for() -> None:
    """The profile wants seven declarations, each an error of its own that says what to write."""
    findings = lint(get_user, profile="production")
    assert [(each.rule, each.severity) for each in findings] == [
        (f"undeclared-{name}", "error")
        for name in ("id", "version", "owner", "risk", "scopes", "examples", "error-schema")
    ]
    assert findings[1].message == "does not declare its version"
    assert findings[1].advice == 'Declare it: @tool(policy=Policy(version="1.0.0")).'
    assert lint(declared, profile="production") == []
    assert lint(get_user) == []


def test_each_example_is_named_with_what_is_wrong() -> None:
    """An example is found by its number, and the message says what had to be mended in it."""
    messages = [each.message for each in lint(exemplified({"city": "Rome"}, {"city": "Rome", "count": "9"}))]
    assert len(messages) == 1
    assert messages[0].startswith("has an example (number 2) that has to be repaired: ")
    assert '"9"' in messages[0] or "count" in messages[0]


NEW_YEAR = date(2027, 1, 1)


@pytest.mark.parametrize(
    ("ends", "config", "message"),
    [
        ("2027-01-02", LintConfig(today=NEW_YEAR), "refuses all calls from 2027-01-02, in 1 days"),
        ("2027-01-31", LintConfig(today=NEW_YEAR), "refuses all calls from 2027-01-31, in 30 days"),
        ("2027-01-31T00:00:01Z", LintConfig(today=NEW_YEAR), None),
        ("2027-01-31", LintConfig(today=NEW_YEAR, sunset_days=29), None),
        ("2027-01-01", LintConfig(today=NEW_YEAR), "refuses all calls since 2027-01-01, and is still here"),
        ("2020-01-01", LintConfig(), "refuses all calls since 2020-01-01, and is still here"),
        ("9999-01-01", LintConfig(), None),
    ],
)
def test_a_sunset_is_told_by_the_day_that_is_given(ends: str, config: LintConfig, message: str | None) -> None:
    """It is near within the days of the config, from the day that it gives, and past from its own first instant on."""
    found = lint(ending(rejected=ends, replacement="find"), config=config)
    assert [each.message for each in found] == ([] if message is None else [message])


def test_the_sunset_of_older_versions_names_them() -> None:
    """What is refused is said: not the tool, but the versions that it deprecates."""
    (found,) = lint(superseding("2027-01-05"), config=LintConfig(today=NEW_YEAR))
    assert found.message == "refuses calls for 1.x from 2027-01-05, in 4 days"


def test_a_day_that_is_none() -> None:
    """What is no date is refused where the linter is set up."""
    day: Any = "2027-01-01"
    with pytest.raises(DefinitionError, match="The lint setting today is '2027-01-01': make it a date"):
        LintConfig(today=day)


def test_each_rule_speaks_in_the_tables() -> None:
    """No rule about tools could be lost without a case failing."""
    spoken = {rule for _, found in CASES for rule, _ in found}
    assert {rule.name for rule in TOOL_RULES if rule.profile == "default"} == spoken


@pytest.mark.parametrize(
    ("config", "function", "rule"),
    [
        (LintConfig(tool_units=3), described("One two three."), "long-tool-text"),
        (LintConfig(tool_characters=9), described("One two three."), "long-tool-text"),
        (LintConfig(null_defaults=2), three_nulls, "many-null-defaults"),
        (LintConfig(object_levels=1), flat, "deep-nesting"),
        (LintConfig(name_characters=3), flat, "long-tool-name"),
    ],
)
def test_a_threshold_can_be_set(config: LintConfig, function: Callable[..., Any], rule: str) -> None:
    """What is well by the default measure is found by a stricter one."""
    assert lint(function) == []
    assert rule in {each.rule for each in lint(function, config=config)}
