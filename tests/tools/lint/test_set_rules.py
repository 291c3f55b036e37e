"""The rules about tools beside each other: which pairs are near, which are not, and how many may be compared."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.tools.lint.findings import LintConfig
from magic_tools.tools.lint.linter import lint
from magic_tools.tools.lint.set_rules import REQUEST_RULES, SET_RULES
from magic_tools.tools.tool import Tool, tool


def named(name: str, text: str) -> Tool[..., Any]:
    """A tool of which only the name and the text are to be judged."""

    @tool(name=name, description=text)
    def act() -> str:
        return ""

    return act


PAIRS: list[tuple[tuple[str, str], tuple[str, str], list[tuple[str, str]]]] = [
    (
        ("get_user", "One person by number. Not for lists."),
        ("fetch_user", "An account's data. Not for lists."),
        [("fetch_user", "similar-names")],
    ),
    (
        ("get_user", "One person by number."),
        ("fetchUsers", "An account's data. Not for lists."),
        [("get_user", "missing-not-for"), ("fetchUsers", "similar-names")],
    ),
    (("get_user", "One person by number."), ("delete_user", "Take an account away."), []),
    (("get_user", "One person by number."), ("get_order", "What was bought."), []),
    (("get_user", "One person by number."), ("get_user_by_mail", "An account's data."), []),
    (
        ("search_documents", "Search the company's documents by keyword. Not for one of known id."),
        ("find_files", "Search the documents of the company by a keyword. Not for one of known id."),
        [("find_files", "overlapping-texts")],
    ),
    (
        ("weather", "The weather of a city."),
        ("forecast", "The forecast of a city."),
        [],
    ),
    (
        ("list_open", "List open tickets of a customer."),
        ("list_closed", "List closed tickets of a customer."),
        [("list_open", "missing-not-for"), ("list_closed", "overlapping-texts"), ("list_closed", "missing-not-for")],
    ),
    (
        ("list_open", "List open tickets of a customer. For closed ones use list_closed."),
        ("list_closed", "List shut tickets of one customer, the newest first. Do not use it for open ones."),
        [],
    ),
    (
        ("create_ticket", "Create a support ticket for a customer."),
        ("delete_ticket", "Delete a support ticket of a customer."),
        [],
    ),
    (
        ("stock_a", "查询商品在仓库的库存数量。"),
        ("stock_b", "查询商品在门店的库存数量。"),
        [("stock_a", "missing-not-for"), ("stock_b", "missing-not-for")],
    ),
    (
        ("stock_a", "查询商品在仓库的库存数量。不用于门店：请使用 stock_b。"),
        ("stock_b", "查询商品在门店的库存数量。不用于仓库。"),
        [],
    ),
    (("stock_a", "查询商品的库存。"), ("stock_b", "给客户发送邮件。"), []),
]


@pytest.mark.parametrize(("one", "other", "found"), PAIRS)
def test_which_tools_are_near(one: tuple[str, str], other: tuple[str, str], found: list[tuple[str, str]]) -> None:
    """Two tools that mean the same by name or text are told, and that each has to say what it is not for."""
    assert [(each.tool, each.rule) for each in lint([named(*one), named(*other)])] == found
    assert lint(named(*one)) == []
    assert lint(named(*other)) == []


def test_many_near_tools_are_one_finding_each() -> None:
    """A tool that is near to ten others has one finding, which names three of them and counts the rest."""
    tools = [named(f"list_{index}", "List the open tickets of a customer.") for index in range(11)]
    near = [each for each in lint(tools) if each.rule == "missing-not-for"]
    assert [each.tool for each in near] == [made.name for made in tools]
    assert "list_1, list_2, list_3 and 7 more" in near[0].message


def test_the_size_of_a_set() -> None:
    """A set over the threshold is one finding, of no tool in particular, that tells the size."""
    tools = [named("get_user", "One person."), named("send_mail", "A letter.")]
    assert lint(tools) == []
    (finding,) = lint(tools, config=LintConfig(total_tokens=20))
    assert (finding.rule, finding.tool, finding.path) == ("total-tokens", None, "")
    assert finding.message.startswith("the 2 tools take about ")
    assert finding.message.endswith(" tokens of each request, over 20")


@pytest.mark.parametrize(
    ("config", "rule"), [(LintConfig(overlap=0.4), "overlapping-texts"), (LintConfig(near=0.3), "missing-not-for")]
)
def test_a_threshold_can_be_set(config: LintConfig, rule: str) -> None:
    """What is well by the default measure is found by a stricter one."""
    tools = [named("weather", "The weather of a big city."), named("forecast", "The forecast of a big city")]
    assert rule in {each.rule for each in lint(tools, config=config)}


def test_each_rule_speaks_in_the_tables() -> None:
    """No rule about sets could be lost without a case failing."""
    spoken = {rule for _, _, found in PAIRS for _, rule in found}
    assert {rule.name for rule in SET_RULES} == spoken
    assert [rule.name for rule in REQUEST_RULES] == ["total-tokens"]
