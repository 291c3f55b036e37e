"""Section C of the cases drawn from public failures: what a model sends as arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from magic_tools import (
    LimitError,
    Limits,
    Message,
    RunError,
    ScriptedModel,
    ToolCall,
    ToolFailuresError,
    ToolResult,
    run,
    tool,
)

SYNC: Callable[..., ToolResult] = lambda made, arguments: made.invoke(arguments)  # noqa: E731
ASYNC: Callable[..., ToolResult] = lambda made, arguments: asyncio.run(made.ainvoke(arguments))  # noqa: E731
both = pytest.mark.parametrize("invoke", [SYNC, ASYNC], ids=["sync", "async"])


@both
@pytest.mark.parametrize("arguments", ["", "   ", "{}", "null", None])
def test_c1_no_arguments(invoke: Callable[..., ToolResult], arguments: Any) -> None:
    """A call without arguments is a call with none; a missing one is named, and not by a decoder's words."""

    @tool
    def now() -> str:
        return "12:00"

    @tool
    def ls(limit: int = 10) -> int:
        return limit

    @tool
    def f(x: int) -> int:
        return x

    assert invoke(now, arguments).content == "12:00"
    assert invoke(ls, arguments).value == 10
    refused = invoke(f, arguments)
    assert refused.is_error
    assert "x: expected a value, since it is required, got nothing" in refused.content
    assert not any(word in refused.content for word in ("Expecting", "line 1", "char 0", "JSONDecode"))


@both
def test_c2_encoded_twice(invoke: Callable[..., ToolResult]) -> None:
    """What is unwrapped follows the annotation, not the look of the text."""

    @tool
    def f(city: str) -> str:
        return city

    @tool
    def g(todos: list[str]) -> list[str]:
        return todos

    @tool
    def h(body: str, ref: str) -> list[str]:
        return [body, ref]

    @tool
    def k(v: str | list[str]) -> str | list[str]:
        return v

    assert invoke(f, '"{\\"city\\": \\"Rome\\"}"').value == "Rome"
    assert invoke(g, '{"todos": "[\\"a\\", \\"b\\"]"}').value == ["a", "b"]
    assert invoke(h, '{"body": "{\\"k\\": 1}", "ref": "42"}').value == ['{"k": 1}', "42"]
    assert invoke(k, '{"v": "[1]"}').value == "[1]"


@both
@pytest.mark.parametrize("arguments", ['{"path": "/data/a', "[1]", '"x"', "5", "x{" * 100_000])
def test_c3_arguments_that_do_not_parse(invoke: Callable[..., ToolResult], arguments: str) -> None:
    """They are never taken for none: the body does not run, and the text is short, however long they are."""
    ran: list[Any] = []

    @tool
    def clean(path: str | None = None) -> str:
        ran.append(path)
        return "cleaned"

    result = invoke(clean, arguments)
    assert (result.is_error, ran) == (True, [])
    assert "clean" in result.content
    assert len(result.content) < 1_100
    if arguments in ("[1]", '"x"', "5"):
        assert "expected an object" in result.content


@both
@pytest.mark.parametrize("arguments", ["{'path': '/data/a'}", '{"path": "/data/a",}'])
def test_c3_arguments_that_can_be_mended(invoke: Callable[..., ToolResult], arguments: str) -> None:
    """Other quotation marks and a comma too many are mended, and listed."""

    @tool
    def clean(path: str | None = None) -> str | None:
        return path

    result = invoke(clean, arguments)
    assert result.value == "/data/a"
    assert len(result.repairs) == 1 + arguments.count("'") // 4


@tool
def get_weather(city: str = "Rome") -> str:
    """Weather."""
    return f"sunny in {city}"


@tool
def get_time() -> str:
    """Time."""
    return "12:00"


WRONG = [ToolCall("c1", "get_wether", "{}"), ToolCall("c2", "get_time", "{}")]


def test_c4_a_tool_that_does_not_exist() -> None:
    """It is answered with the names that there are; its sibling runs, and the run goes on."""
    model = ScriptedModel([WRONG, "done"])
    outcome = run("go", tools=[get_weather, get_time], model=model)
    first, second = outcome.transcript[2].parts
    assert isinstance(first, ToolResult)
    assert isinstance(second, ToolResult)
    assert (first.call_id, first.is_error, second.call_id, second.content) == ("c1", True, "c2", "12:00")
    assert all(name in first.content for name in ("get_wether", "get_weather", "get_time"))
    assert outcome.value == "done"


def test_c4_ten_times_in_a_row() -> None:
    """It ends in a limit."""
    model = ScriptedModel([WRONG[:1]] * 10)
    with pytest.raises((ToolFailuresError, LimitError)) as caught:
        run("go", tools=[get_weather, get_time], model=model, limits=Limits(steps=5))
    assert isinstance(caught.value, RunError)
    assert len(model.requests) <= 6


def ids_of(message: Message) -> list[str]:
    return [part.call_id for part in message.parts if isinstance(part, ToolResult)]


@pytest.mark.parametrize("ids", [("", ""), ("call_1", "call_1")])
def test_c5_ids_that_are_missing_or_repeated(ids: tuple[str, str]) -> None:
    """Both bodies run; each result carries the id of its own call, which no other call of the request has."""
    calls = [
        ToolCall(name, "get_weather", f'{{"city": "{city}"}}') for name, city in zip(ids, ("Rome", "Oslo"), strict=True)
    ]
    model = ScriptedModel([calls, [ToolCall("call_1", "get_weather", '{"city": "Bern"}')], "done"])
    transcript = run("go", tools=[get_weather], model=model).transcript
    asked = [[call.id for call in message.calls] for message in transcript if message.calls]
    answered = [ids_of(message) for message in transcript if message.role == "tool"]
    assert asked == answered
    every = [name for names in asked for name in names]
    assert all(every)
    assert len(set(every)) == 3
    said = [part.content for message in transcript for part in message.parts if isinstance(part, ToolResult)]
    assert said == ["sunny in Rome", "sunny in Oslo", "sunny in Bern"]


@tool
def wipe(dry_run: bool, n: int = 1) -> list[Any]:
    """Wipe."""
    return [dry_run, n]


@both
@pytest.mark.parametrize(
    ("arguments", "value", "named"),
    [
        ({"dry_run": "false"}, [False, 1], ""),
        ({"dry_run": "no"}, None, "dry_run"),
        ({"dry_run": 0}, None, "dry_run"),
        ({"dry_run": "maybe"}, None, "dry_run"),
        ({"dry_run": False, "n": True}, None, "n"),
        ({"dry_run": False, "n": 3.0}, [False, 3], ""),
        ({"dry_run": False, "n": 3.5}, None, "n"),
        ({"dry_run": False, "n": "3"}, [False, 3], ""),
    ],
)
def test_c6_booleans_and_numbers(
    invoke: Callable[..., ToolResult], arguments: dict[str, Any], value: list[Any] | None, named: str
) -> None:
    """What is not true or false is no boolean, a boolean is no number, and no text ever becomes true."""
    result = invoke(wipe, arguments)
    assert result.value == value
    assert result.is_error is (value is None)
    assert f"{named}: expected" in result.content or value is not None
