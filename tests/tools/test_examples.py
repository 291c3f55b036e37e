"""The examples of a policy: right ones are taken, wrong ones refused, each checked as soon as it can be."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pytest
from pydantic import Field

from magic_tools import DefinitionError, Injected, Policy, Tool, WrongExample, lint, tool

Count = Annotated[int, Field(ge=1, le=9)]


def made(*examples: Any, wrong: tuple[WrongExample, ...] = ()) -> Tool[..., Any]:
    """A tool with these examples, defined now."""

    @tool(policy=Policy(examples=examples, wrong_examples=wrong))
    def order(sku: str, count: Count = 1) -> str:
        """Order."""
        return sku

    return order


@pytest.mark.parametrize("example", [{"sku": "A"}, {"sku": "A", "count": 9}, {"sku": "A", "count": "2"}])
def test_right_examples_that_are_taken(example: dict[str, Any]) -> None:
    """What a call would run with is a right example; one that has to be mended the linter tells."""
    assert made(example).contract.policy.examples == (example,)


@pytest.mark.parametrize(
    ("example", "words"),
    [
        ({}, r"order\(\): Policy\(examples=...\), number 2, is refused by the arguments: sku: "),
        ({"sku": "A", "count": 10}, "count: .*9"),
        ({"sku": "A", "counts": 1}, "counts"),
        ({"sku": None}, "sku"),
    ],
)
def test_right_examples_that_are_refused(example: dict[str, Any], words: str) -> None:
    """A tool is not defined with an example that it would refuse; the number and the fault are told."""
    with pytest.raises(DefinitionError, match=words):
        made({"sku": "A"}, example)


def test_wrong_examples_that_the_arguments_refuse() -> None:
    """A wrong example is one that the schema refuses."""
    wrong = (WrongExample({}, "no sku"), WrongExample({"sku": "A", "count": 10}, "too many"))
    assert made(wrong=wrong).contract.policy.wrong_examples == wrong


@pytest.mark.parametrize("arguments", [{"sku": "A"}, {"sku": "A", "count": "2"}])
def test_wrong_examples_that_pass(arguments: dict[str, Any]) -> None:
    """A tool is not defined with a wrong example that it would run, mended or not."""
    words = (
        r"order\(\): Policy\(wrong_examples=...\), number 2 \(late\), is not refused by the arguments: bound them, or"
    )
    with pytest.raises(DefinitionError, match=words):
        made(wrong=(WrongExample({}, "no sku"), WrongExample(arguments, "late")))


def test_a_rule_s_example_has_to_come_to_the_rule() -> None:
    """What the schema refuses shows nothing of a rule."""
    with pytest.raises(DefinitionError, match="does not come to the rule in_stock, for the arguments refuse it: sku"):
        made(wrong=(WrongExample({}, "gone", rule="in_stock"),))


GONE = WrongExample({"sku": "gone"}, "sold out", rule="in_stock")


def test_a_rule_s_example_is_tried_when_the_contract_is_asked_for() -> None:
    """Rules come after the definition: until the rule is there the contract is refused, and the tool works."""
    order = made(wrong=(GONE,))
    assert order.invoke({"sku": "gone"}).content == "gone"
    with pytest.raises(DefinitionError, match="names the rule in_stock, and there is none of this name, but: none"):
        _ = order.contract

    @order.rule
    def known(sku: str) -> bool:
        return bool(sku)

    with pytest.raises(DefinitionError, match=r"but: known\. Attach it with @order\.rule, or name another"):
        _ = order.contract

    @order.rule
    def in_stock(sku: str) -> None:
        if sku == "gone":
            raise ValueError("it is sold out")

    assert order.contract.rules == ("known", "in_stock")
    assert lint(order) is not None


def with_rule(rule: Any, **policy: Any) -> Tool[..., Any]:
    """The tool with this rule, called in_stock."""
    order = made(wrong=(GONE,))
    rule.__name__ = "in_stock"
    order.rule(rule)
    return order


def test_a_rule_that_lets_its_example_pass() -> None:
    """Rule and example are held to each other."""
    with pytest.raises(DefinitionError, match=r"number 1 \(sold out\), is not refused by the rule in_stock: mend"):
        _ = with_rule(lambda sku: sku != "away").contract


def test_a_rule_that_breaks() -> None:
    """A rule that raises what is no refusal has not refused, and what it raised is told."""
    with pytest.raises(DefinitionError, match="makes the rule in_stock raise KeyError: 'gone'"):
        _ = with_rule(lambda sku: {}[sku]).contract


def test_an_async_rule_is_tried() -> None:
    """Whether or not a loop is running."""

    async def rule(sku: str) -> bool:
        await asyncio.sleep(0)
        return sku != "gone"

    async def contract() -> tuple[str, ...]:
        return with_rule(rule).contract.rules

    assert with_rule(rule).contract.rules == asyncio.run(contract()) == ("in_stock",)


def test_a_rule_is_given_defaults_and_all_by_name() -> None:
    """It is tried with all arguments, those that are left out at their defaults."""
    seen: list[dict[str, Any]] = []

    def rule(**arguments: Any) -> bool:
        seen.append(arguments)
        return False

    order = with_rule(rule)
    assert order.contract == order.contract
    assert seen == [{"sku": "gone", "count": 1}], "it was not tried once"


def untried(sku: str, stock: dict[str, int]) -> bool:
    raise RuntimeError("it was tried")


def untried_of_all(**held: Any) -> bool:
    raise RuntimeError("it was tried")


@pytest.mark.parametrize("rule", [untried, untried_of_all])
def test_a_rule_that_needs_the_context_is_not_tried(rule: Any) -> None:
    """What hidden parameters hold nobody knows before a call: only that the rule is there is checked."""

    @tool(policy=Policy(wrong_examples=(GONE,)))
    def order(sku: str, stock: Injected[dict[str, int]]) -> str:
        """Order."""
        return sku

    rule.__name__ = "in_stock"
    order.rule(rule)
    assert order.contract.rules == ("in_stock",)


def test_a_rule_of_a_method_is_tried_on_its_object() -> None:
    """Without an object it is not tried; with one it is."""

    class Shop:
        gone = "nothing"

        @tool(policy=Policy(wrong_examples=(GONE,)))
        def order(self, sku: str) -> str:
            """Order."""
            return sku

        @order.rule
        def in_stock(self, sku: str) -> bool:
            return sku != self.gone

    assert Shop.order.contract.rules == ("in_stock",)
    with pytest.raises(DefinitionError, match="is not refused by the rule in_stock"):
        _ = Shop().order.contract
    Shop.gone = "gone"
    assert Shop().order.contract.rules == ("in_stock",)
    assert Shop.order.contract.rules == ("in_stock",)


def test_examples_of_a_schema_from_outside() -> None:
    """They are held to a schema that was given, too."""
    options: dict[str, Any] = {
        "name": "order", "description": "Order.",
        "input_schema": {"type": "object", "properties": {"sku": {"type": "string", "maxLength": 3}}},
    }  # fmt: skip
    Tool.from_schema(lambda **order: order, policy=Policy(examples=({"sku": "abc"},)), **options)
    with pytest.raises(DefinitionError, match=r"order\(\): Policy\(examples=...\), number 1, is refused"):
        Tool.from_schema(lambda **order: order, policy=Policy(examples=({"sku": "abcd"},)), **options)
