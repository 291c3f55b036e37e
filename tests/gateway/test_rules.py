"""Rules across arguments and on results: named checks of the author's, whose words reach the model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import Field

from magic_tools import DefinitionError, ErrorCode, Injected, Policy, RunOptions, Tool, ToolFailure, tool


def transfer_tool() -> Tool[..., Any]:
    """A tool with a rule across two arguments, one of which has a default."""

    @tool
    def transfer(source: str, target: str = "main", cents: Annotated[int, Field(ge=1)] = 1) -> str:
        return f"{cents} from {source} to {target}"

    @transfer.rule
    def not_to_itself(source: str, target: str) -> None:
        if source == target:
            raise ValueError(f"{source} cannot send to itself.")

    return transfer


def test_a_rule_lets_pass_what_holds() -> None:
    """A call that keeps the rule runs as ever."""
    assert transfer_tool().invoke({"source": "a"}).content == "1 from a to main"


@pytest.mark.parametrize("arguments", [{"source": "b", "target": "b"}, {"source": "main"}])
def test_a_rule_refuses_in_its_words(arguments: dict[str, Any]) -> None:
    """A ValueError refuses the call before it runs, by name and in its words; defaults count like what is sent."""
    result = transfer_tool().invoke(arguments)
    assert (result.is_error, result.code, result.effect) == (True, ErrorCode.INVALID_ARGUMENT, "none")
    assert result.content == (
        "The arguments of transfer were refused and it did not run: expected the rule not_to_itself to hold, "
        f"got {arguments['source']} cannot send to itself. Send the call again with this mended."
    )
    (issue,) = result.issues
    assert (issue.path, issue.expected) == ("", "the rule not_to_itself to hold")
    assert result.advice == "Send the call again with this mended."


def test_a_rule_in_chinese() -> None:
    """What the library says is in the run's language; what the author says stays."""
    result = transfer_tool().invoke({"source": "main"}, options=RunOptions(language="zh"))
    assert result.content == (
        "transfer 的参数未被接受，未执行：应为符合规则 not_to_itself，收到 main cannot send to itself。"
        "请改正后，重新发送此调用。"
    )


def test_arguments_are_read_before_the_rules() -> None:
    """A rule sees validated values only."""
    result = transfer_tool().invoke({"source": "main", "cents": 0})
    assert "cents: expected a number of at least 1" in result.content
    assert "not_to_itself" not in result.content


def test_every_broken_rule_is_told() -> None:
    """All rules are checked, so that one more call mends all."""
    made = transfer_tool()

    @made.rule
    def not_so_much(cents: int) -> bool:
        return cents < 100

    @made.rule
    def quietly(**everything: Any) -> None:
        assert everything == {"source": "main", "target": "main", "cents": 100}, "never"

    result = made.invoke({"source": "main", "cents": 100})
    assert "the rule not_to_itself to hold, got main cannot send to itself" in result.content
    assert "the rule not_so_much to hold, got what breaks it" in result.content
    assert "quietly" not in result.content


def refuse_by_assertion(source: str) -> None:
    assert source != "x", "x is closed"


async def refuse_later(source: str) -> None:
    await asyncio.sleep(0)
    if source == "x":
        raise ValueError("x is closed")


@pytest.mark.parametrize("check", [refuse_by_assertion, refuse_later])
@pytest.mark.parametrize("run", ["sync", "async"])
def test_rules_of_other_kinds(check: Callable[..., Any], run: str) -> None:
    """An assertion refuses like a ValueError, and a rule may be an async function."""
    made = transfer_tool()
    made.rule(check)
    result = made.invoke({"source": "x"}) if run == "sync" else asyncio.run(made.ainvoke({"source": "x"}))
    assert result.code is ErrorCode.INVALID_ARGUMENT
    assert "x is closed" in result.content
    assert not made.invoke({"source": "y"}).is_error


@pytest.mark.parametrize(
    ("error", "code", "content"),
    [
        (KeyError("secret"), ErrorCode.INTERNAL, "transfer failed with KeyError before it ran, so that nothing was"),
        (ToolFailure("Closed today.", ErrorCode.CONFLICT), ErrorCode.CONFLICT, "Closed today. Look at how"),
    ],
)  # fmt: skip
def test_a_rule_that_fails(error: Exception, code: ErrorCode, content: str) -> None:
    """What else a rule raises is told as of any code of the author's, and the call does not run."""
    made = transfer_tool()

    @made.rule
    def broken(source: str) -> None:
        raise error

    result = made.invoke({"source": "a"})
    assert (result.code, result.effect, result.exception) == (code, "none", error)
    assert result.content.startswith(content)
    assert "secret" not in result.content


def test_a_rule_may_look_at_hidden_values() -> None:
    """It is the author's code: it may name hidden parameters, of which the model still learns nothing."""

    @tool
    def pay(cents: int, limit: Injected[int]) -> int:
        return cents

    @pay.rule
    def within_limit(cents: int, limit: int) -> None:
        if cents > limit:
            raise ValueError("this is more than is allowed")

    assert pay.invoke({"cents": 5}, context={"limit": 5}).value == 5
    refused = pay.invoke({"cents": 6}, context={"limit": 5})
    assert "more than is allowed" in refused.content


class Till:
    def __init__(self, floor: int) -> None:
        self.floor = floor

    @tool
    def take(self, cents: int) -> int:
        return cents

    @take.rule
    def above_floor(self, cents: int) -> bool:
        return cents > self.floor

    @take.result_rule
    def no_more(self, result: int, cents: int) -> bool:
        return result <= cents + self.floor


def test_rules_of_methods() -> None:
    """A rule in a class body is given the object that the tool was called on."""
    assert Till(1).take.invoke({"cents": 2}).value == 2
    assert Till(2).take.invoke({"cents": 2}).is_error
    assert Till(-9).take.invoke({"cents": 2}).code is ErrorCode.INTERNAL


def test_a_rule_holds_for_every_name_of_a_tool() -> None:
    """A rule that is attached later holds for what was renamed before, and the function itself stays as it was."""
    made = transfer_tool()
    other = made.renamed("send")

    def never(source: str) -> bool:
        return source != "q"

    assert made.rule(never) is never
    assert other.invoke({"source": "q"}).is_error
    assert made("q", "q") == "1 from q to q"


def test_rules_of_a_tool_from_a_schema() -> None:
    """They name keys of the schema, which only a call shows to be there."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a"]}
    made = Tool.from_schema(lambda **given: sum(given.values()), name="add", description="Add.", input_schema=schema)

    @made.rule
    def in_order(a: int, b: int = 10) -> bool:
        return a < b

    assert made.invoke({"a": 1}).content == "1"
    assert made.invoke({"a": 10}).is_error
    assert made.invoke({"a": 10, "b": 11}).content == "21"


def test_a_rule_of_open_parameters() -> None:
    """What is left out of `*args` and `**kwargs` is empty for it; its words may have braces and percent signs."""

    @tool
    def add(*numbers: int, **named: int) -> int:
        return sum(numbers) + sum(named.values())

    @add.rule
    def not_too_many(numbers: list[int], named: dict[str, int]) -> None:
        if len(numbers) + len(named) > 1:
            raise ValueError("one {x} at 100 %s")

    assert add.invoke({}).value == 0
    assert add.invoke({"named": {"a": 3}}).value == 3
    assert "got one {x} at 100 %s. Send" in add.invoke({"numbers": [1, 2]}).content


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda amount: None, r"<lambda>\(\) asks for amount, and is given arguments by name: cents, source, target"),
        (lambda source, /: None, "asks for arguments by place"),
    ],
)  # fmt: skip
def test_a_rule_that_asks_for_what_is_not_there(rule: Callable[..., Any], words: str) -> None:
    """A misspelled name is an error when the rule is attached, and lists the names that there are."""
    made = transfer_tool()
    with pytest.raises(DefinitionError, match=words):
        made.rule(rule)


def test_a_result_rule_refuses() -> None:
    """A result that breaks a rule never flows on; the caller learns which rule it was, the model that it ran."""

    @tool(policy=Policy(read_only=True))
    def count(most: int) -> int:
        return 7

    @count.result_rule
    def no_more_than_asked(result: int, most: int) -> None:
        if result > most:
            raise ValueError(f"{result} are more than {most}")

    assert count.invoke({"most": 7}).value == 7
    result = count.invoke({"most": 6})
    assert (result.is_error, result.code, result.value) == (True, ErrorCode.INTERNAL, None)
    assert result.content.startswith("count ran, and its result was withheld: this int is not what the tool promises")
    assert str(result.exception) == "result_rule: expected the rule no_more_than_asked to hold, got 7 are more than 6"


def test_a_result_rule_that_fails_lets_nothing_pass() -> None:
    """A rule that cannot tell withholds the result as one that refuses."""

    @tool
    def count() -> int:
        return 7

    @count.result_rule
    def broken(result: int) -> None:
        raise KeyError("secret")

    result = count.invoke()
    assert result.is_error
    assert "secret" not in result.content
    assert str(result.exception) == "result_rule: expected a rule that can be checked, got KeyError"


def test_a_result_rule_takes_the_result() -> None:
    """One without a parameter for it is an error when it is attached."""
    with pytest.raises(DefinitionError, match="is to take the result, as its first parameter"):
        transfer_tool().result_rule(lambda: None)
