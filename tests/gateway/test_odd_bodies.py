"""Bodies that nobody writes on purpose: each call still comes to its one result, and in its time."""

from __future__ import annotations

import asyncio
import copy
import pickle
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import count
from typing import Annotated, Any

import numpy as np
import pytest
from pydantic import AfterValidator, AwareDatetime, Field, SecretStr
from typing_extensions import TypedDict

from magic_tools import (
    ContextError,
    DefinitionError,
    ErrorCode,
    Injected,
    Policy,
    RunOptions,
    Tool,
    ToolCall,
    ToolFailure,
    ToolResult,
    Toolset,
    tool,
)
from magic_tools.tools import eager


def returning(annotation: Any, value: Any, **options: Any) -> Tool[..., Any]:
    def give() -> Any:
        return value

    give.__annotations__ = {"return": annotation}
    return tool(give, **options)


def nested(levels: int) -> Any:
    held: Any = 1
    for _ in range(levels):
        held = [held]
    return held


@pytest.mark.parametrize(
    "make",
    [
        lambda: nested(201),
        lambda: nested(254),
        lambda: nested(300),
        lambda: nested(5_000),
        lambda: 10**4300,
        lambda: {"n": 10**5000},
    ],
)
def test_what_no_other_can_read(make: Callable[[], Any]) -> None:
    """JSON that is too deep, or a number that is too long, is a broken result, for which a fall-back stands in."""
    value = make()
    result = returning(Any, value).invoke()
    assert (result.is_error, result.code) == (True, ErrorCode.INTERNAL)
    assert returning(Any, value, fallback=0).invoke().value == 0
    assert returning(Any, nested(199)).invoke().content == "[" * 199 + "1" + "]" * 199


@tool
def pairs() -> Iterator[int]:
    yield 1
    yield 2


@tool
async def pairs_later():  # type: ignore[no-untyped-def]
    yield 1
    yield 2


@tool
def breaks() -> Iterator[int]:
    yield 1
    raise ToolFailure("No such day.", ErrorCode.NOT_FOUND)


@tool(timeout=0.1, policy=Policy(read_only=True))
def slow() -> Iterator[int]:
    for number in range(3):
        time.sleep(0.08)
        yield number


@tool(timeout=0.1, policy=Policy(read_only=True))
def endless() -> Iterator[int]:
    for number in count():
        time.sleep(0.001)
        yield number


@pytest.mark.parametrize("run", ["sync", "async"])
def test_a_generator_is_read_within_the_call(run: str) -> None:
    """In its time, with the author's own words, and with its values for the program and the rules."""

    def call(made: Tool[..., Any]) -> ToolResult:
        return made.invoke() if run == "sync" else asyncio.run(made.ainvoke())

    assert (call(pairs).value, call(pairs).content) == ([1, 2], "[1,2]")
    assert call(pairs_later).value == [1, 2]
    assert (call(breaks).code, call(breaks).content[:12]) == (ErrorCode.NOT_FOUND, "No such day.")
    for made in (slow, endless):
        started = time.monotonic()
        assert call(made).content.startswith(f"{made.name} took longer than 0.1 s and was given up")
        assert time.monotonic() - started < 1
    time.sleep(0.2)


def test_a_generator_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that gives more than can be sent is an error and not the end of the process."""
    monkeypatch.setattr(eager, "MOST_ITEMS", 1_000)

    @tool
    def numbers() -> Iterator[int]:
        yield from count()

    @tool
    async def numbers_later() -> Any:
        async def all_of_them() -> AsyncIterator[int]:
            for number in count():
                yield number

        return all_of_them()

    for made in (numbers, numbers_later):
        assert made.invoke().content.startswith(f"{made.name} failed with OverflowError")


def test_an_async_function_that_returns_a_coroutine() -> None:
    """Its result is that of the coroutine."""

    @tool
    async def five() -> int:
        async def inner() -> int:
            return 5

        return inner()  # type: ignore[return-value]  # what is tested

    assert (five.invoke().value, asyncio.run(five.ainvoke()).value) == (5, 5)


class Odd(BaseException):
    pass


@pytest.mark.parametrize("error", [Odd(), BaseExceptionGroup("x", [Odd()]), pytest.fail.Exception("x")])
def test_what_is_no_exception(error: BaseException) -> None:
    """Whatever is raised but an interrupt or an exit is a failure of this one call."""

    @tool
    def odd() -> int:
        raise error

    result = odd.invoke()
    assert result.content.startswith(f"odd failed with {type(error).__name__}; whether it had an effect is not known.")
    calls = [ToolCall("a", "pairs", ""), ToolCall("b", "odd", ""), ToolCall("c", "pairs", "")]
    assert [each.is_error for each in Toolset(odd, pairs).invoke_all(calls)] == [False, True, False]


class Contradicting(Exception):
    __cause__ = property(lambda self: 1 / 0)


def test_an_exception_that_cannot_be_shown() -> None:
    """The trace then has its class."""
    events: list[Any] = []

    @tool
    def odd() -> int:
        raise Contradicting

    assert odd.invoke(options=RunOptions(trace=events.append)).is_error
    assert events[-1].detail == "Contradicting, whose traceback cannot be told\n"


@pytest.mark.parametrize(
    ("annotation", "value", "good"),
    [
        (AwareDatetime, datetime(2020, 1, 1), None),
        (Annotated[Decimal, Field(le=100)], Decimal(1234), Decimal(99)),
        (Annotated[Decimal, Field(max_digits=3)], Decimal("12.34"), Decimal("12.3")),
        (Annotated[date, Field(ge=date(2021, 1, 1))], date(2000, 1, 1), date(2022, 1, 1)),
        (list[Annotated[Decimal, Field(ge=0)]], [Decimal(1), Decimal(-1)], [Decimal(1)]),
    ],
)
def test_limits_that_no_schema_states(annotation: Any, value: Any, good: Any) -> None:
    """What the declared type asks for beyond its schema counts for results too."""
    broken = returning(annotation, value).invoke()
    assert broken.issues[0].expected == "a value that passes the checks of its type"
    assert good is None or not returning(annotation, good).invoke().is_error


def even(number: int) -> int:
    if number % 2:
        raise ValueError("odd")
    return number


def test_an_author_s_own_check_counts_for_results() -> None:
    """With the place of what breaks it."""
    made = returning(list[Annotated[int, AfterValidator(even)]], [2, 3])
    (issue,) = made.invoke().issues
    assert (issue.path, issue.expected, issue.got) == ("[1]", "a value that passes the checks of its type", "3")


@pytest.mark.parametrize("said", [False, np.False_, 0, "the bad thing"])
def test_what_a_rule_may_say_of_a_breach(said: Any) -> None:
    """False of any kind, or the words themselves."""

    @tool
    def give(x: int) -> int:
        return x

    @give.rule
    def never(x: int) -> Any:
        return said

    result = give.invoke({"x": 1})
    assert result.is_error
    assert ("the bad thing" if isinstance(said, str) else "what breaks it") in result.content


def test_a_rule_that_is_a_generator() -> None:
    """Its body would never run."""
    with pytest.raises(DefinitionError, match="is a generator, whose body nobody would run"):

        @pairs.rule
        def never() -> Iterator[None]:
            yield


class Person(TypedDict):
    name: str
    phone: str


def test_fields_to_mask_or_keep_are_known() -> None:
    """A misspelled one is an error at definition, where the fields are declared."""
    with pytest.raises(
        DefinitionError, match=r"names 'phone_no', and the result has no such field; it has: name, phone"
    ):
        returning(list[Person], [], policy=Policy(masks=("phone_no",)))
    with pytest.raises(DefinitionError, match=r"tool\(keep=\.\.\.\) names 'total'"):
        returning(Person, {}, keep=("total",))
    assert returning(dict[str, int], {"a": 1}, policy=Policy(masks=("a",))).invoke().content == '{"a":"***"}'


def test_a_mask_leaves_the_mark_of_a_fall_back() -> None:
    """It is of the result's own fields."""
    made = tool(
        lambda: 1 / 0, name="f", description="F.", fallback={"note": "x"}, policy=Policy(masks=("note", "fallback"))
    )
    content = made.invoke().content
    assert content.startswith('{"fallback":true,"note":"f failed')
    assert content.endswith('"result":{"note":"***"}}')


def test_a_timed_out_result_can_be_kept() -> None:
    """It goes through pickle and copy as any other."""

    @tool(timeout=0.01)
    def late() -> int:
        time.sleep(0.05)
        return 1

    result = late.invoke()
    assert pickle.loads(pickle.dumps(result)) == result
    assert copy.deepcopy(result) == result
    time.sleep(0.06)


def test_a_time_for_all_is_told_as_that() -> None:
    """And not as the call's own."""

    @tool(policy=Policy(read_only=True))
    def late() -> int:
        time.sleep(0.1)
        return 1

    (result,) = Toolset(late).invoke_all([ToolCall("a", "late", "")], deadline_s=0.02)
    assert result.content.startswith("late took longer than the time for all calls and was given up")
    with pytest.raises(ValueError, match="deadline_s is seconds"):
        Toolset(late).invoke_all([], deadline_s=float("nan"))
    time.sleep(0.1)


@pytest.mark.parametrize(
    ("failure", "advice"),
    [
        (
            ToolFailure("x", ErrorCode.RATE_LIMITED, retryable=False),
            "Go on without it, and say what could not be done.",
        ),
        (ToolFailure("x", ErrorCode.CONFLICT, retryable=True), "The same call may be sent again."),
        (ToolFailure("x", ErrorCode.RATE_LIMITED), "Wait a little, then send the same call again."),
    ],
)
def test_the_advice_is_that_of_the_field(failure: ToolFailure, advice: str) -> None:
    """What a model is told and what the program sees agree."""

    @tool
    def fails() -> int:
        raise failure

    assert fails.invoke().advice.startswith(advice)


@dataclass
class Raw:
    data: Any


@pytest.mark.parametrize(
    ("value", "content"),
    [
        (np.array([b"a", b"\xff"]), '["YQ==","/w=="]'),
        (Raw(b"ab"), '{"data":"YWI="}'),
        ({"a": [Raw([b"\xff"])]}, '{"a":[{"data":["/w=="]}]}'),
    ],
)
def test_bytes_have_one_form(value: Any, content: str) -> None:
    """The standard alphabet of base64, wherever they stand undeclared."""
    assert returning(Any, value).invoke().content == content


def test_a_secret_that_the_body_takes_away() -> None:
    """What was in the context at the start stays secret; and so does one that is a key there."""

    @tool
    def take(held: Injected[dict[str, Any]]) -> str:
        return held.pop("key").get_secret_value()  # type: ignore[no-any-return]

    assert take.invoke(context={"held": {"key": SecretStr("hunter2")}}).content == "***"

    @tool
    def look() -> str:
        return "hunter2"

    assert look.invoke(context={"c": {SecretStr("hunter2"): 1}}).content == "***"


def test_an_async_hook_is_refused() -> None:
    """Nobody would await it."""

    async def later(event: Any) -> None: ...

    with pytest.raises(ValueError, match="is an ordinary function of one event"):
        RunOptions(on_alert=later)


class Failing:
    @property
    def tenant(self) -> str:
        raise ZeroDivisionError


def test_a_context_that_fails() -> None:
    """It is told as a fault of the context."""

    @tool
    def look(tenant: Injected[str] = "x") -> str:
        return tenant

    with pytest.raises(ContextError, match="its own code raised ZeroDivisionError"):
        look.invoke(context=Failing())
