"""What type checkers know: mypy holds the assertions below, and the tests that they are true when run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, assert_type

import pytest
from pydantic import BaseModel

import magic_tools
from magic_tools import (
    Message,
    Outcome,
    Parsed,
    Policy,
    Schema,
    ScriptedModel,
    ToolResult,
    Toolset,
    aextract,
    arun,
    bind_contract,
    compile_schema,
    extract,
    load_model,
    loads,
    parse,
    run,
    tool,
)
from magic_tools.chat import ChatModel


class Ticket(BaseModel):
    order_id: str


TICKET = '{"order_id": "A-1"}'


def model(*replies: str) -> ScriptedModel:
    return ScriptedModel(replies)


@tool
def plain(city: str, days: int = 1) -> list[int]:
    return [len(city)] * days


@tool(name="other", description="Another name.")
def named(city: str) -> float:
    return float(len(city))


@tool
async def later(city: str) -> str:
    return city


@tool
def described(city: Annotated[str, "City name"]) -> None:
    del city


class Shop:
    @tool
    def stock(self, sku: str) -> int:
        return len(sku)


def test_a_tool_keeps_its_signature() -> None:
    """A tool is called with the function's parameters, and gives the function's result."""
    as_function: Callable[[str, int], list[int]] = plain
    assert as_function is plain
    assert_type(plain("Rome", days=2), list[int])
    assert_type(named("Rome"), float)
    assert_type(described("Rome"), None)
    assert_type(later("Rome"), Coroutine[Any, Any, str]).close()
    assert_type(Shop().stock("a"), int)
    assert_type(plain.invoke({"city": "Rome"}), ToolResult)
    assert plain("Rome", days=2) == [4, 4]


def test_a_bound_function_keeps_its_signature() -> None:
    """Held to its contract it is called like the function, with the function's types."""
    bound = bind_contract(plain.contract, plain)
    assert_type(bound("Rome", days=2), list[int])
    assert bound("Rome", 2) == [4, 4]


def wrong_calls() -> None:
    """Never run: mypy refuses each line, and would complain of a `type: ignore` that nothing needs."""
    plain(5)  # type: ignore[arg-type]
    plain()  # type: ignore[call-arg]
    plain("Rome", day=2)  # type: ignore[call-arg]
    named("Rome", "Oslo")  # type: ignore[call-arg]
    tool("plain")  # type: ignore[call-overload]
    extract(Ticket, 5)  # type: ignore[call-overload]
    extract(Ticket, "x", limits=3)  # type: ignore[call-overload]
    run("x", retries=3)  # type: ignore[call-overload]
    Toolset(5)  # type: ignore[arg-type]
    bind_contract(plain.contract, plain)("Rome", day=2)  # type: ignore[call-arg]
    Policy(risk="low")  # type: ignore[arg-type]
    magic_tools.extrakt  # type: ignore[attr-defined]  # noqa: B018


def test_extract_gives_the_type() -> None:
    """A class gives a value of that class; other annotations, which are no classes to a checker, give Any."""
    assert_type(extract(Ticket, "x", model=model(TICKET)), Ticket)
    assert_type(extract(int, "x", model=model("5")), int)
    assert_type(extract(list[int], "x", model=model("[1]")), list[int])
    either = list[int] | None
    assert_type(extract(either, "x", model=model("[1]")), Any)
    assert_type(asyncio.run(aextract(Ticket, "x", model=model(TICKET))), Ticket)


def test_run_gives_an_outcome_of_the_type() -> None:
    """Without an output type the value is text."""
    assert_type(run("x", model=model("Hi")), Outcome[str])
    assert_type(run("x", model=model("Hi")).value, str)
    assert_type(run([Message.user("x")], tools=[plain, len_of], model=model("Hi")), Outcome[str])
    assert_type(run("x", output=Ticket, model=model(TICKET)), Outcome[Ticket])
    assert_type(run("x", output=list[int] | None, model=model("[1]")), Outcome[Any])
    assert_type(asyncio.run(arun("x", model=model("Hi"))), Outcome[str])
    assert_type(asyncio.run(arun("x", output=Ticket, model=model(TICKET))), Outcome[Ticket])


def len_of(text: str) -> int:
    return len(text)


def test_schemas_give_the_type() -> None:
    """Likewise what is compiled and parsed."""
    assert_type(compile_schema(Ticket), Schema[Ticket])
    assert_type(compile_schema(int | None), Schema[Any])
    assert_type(parse(Ticket, TICKET), Parsed[Ticket])
    assert_type(parse(int | None, "5"), Parsed[Any])
    assert_type(loads("[1]"), Parsed[Any])


def test_models_are_chat_models() -> None:
    """The scripted model, and what `load_model` gives, fit the protocol."""
    scripted: ChatModel = model()
    assert_type(load_model("openai:gpt-5", api_key="k"), ChatModel)
    assert isinstance(scripted, ChatModel)


class Till:
    """A tool may be a method."""

    @tool
    def price(self, item: str, count: int = 1) -> float:
        """What so many of an item cost."""
        return len(item) * float(count)


def test_a_method_keeps_its_parameters() -> None:
    """Taken from an object, a tool has the method's signature without its first parameter."""
    price = Till().price
    assert_type(price("tea"), float)
    assert price("tea", count=2) == 6.0
    with pytest.raises(TypeError):
        price(1)  # type: ignore[arg-type]  # the fault that a checker sees
