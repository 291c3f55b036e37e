"""Whatever is sent and whatever a body does, there is exactly one result, in its time, that is valid or an error."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, EmailStr, Field
from typing_extensions import NamedTuple, TypedDict

from magic_tools import ErrorCode, Policy, Tool, ToolCall, ToolFailure, ToolResult, Toolset, tool
from magic_tools.tools.failures import CODES

LIMIT_S = 0.05


class Colour(Enum):
    RED = "red"


class Item(BaseModel):
    sku: Annotated[str, Field(pattern="^[A-Z]{2}$")]
    count: Annotated[int, Field(ge=0)] = 0
    mail: EmailStr | None = None


@dataclass
class Point:
    x: int
    tags: list[str]


class Row(TypedDict):
    id: int
    name: Annotated[str, Field(max_length=3)]


class Pair(NamedTuple):
    left: int
    right: str


class Opaque:
    pass


ANNOTATIONS = [
    int, str, bool, float, Decimal, bytes, date, None, Any, Colour, Item, Point, Row, Pair, list[int], set[str],
    dict[str, int], dict[str, Any], list[Item], tuple[int, str], int | None, str | list[int], Literal["a", 1],
    Annotated[int, Field(ge=3, le=9)],
]  # fmt: skip

MISFIT: Any = Point("1", [2])  # type: ignore[arg-type, list-item]  # not what it is declared to hold
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=8),
    st.binary(max_size=4), st.decimals(allow_nan=False, allow_infinity=False), st.dates(), st.uuids(), st.timedeltas(),
    st.sampled_from([Colour.RED, Opaque(), Ellipsis, Item(sku="AB"), Item.model_construct(sku=1), Point(1, ["a"]),
                     MISFIT, Pair(1, "a"), ValueError("x"), "AB", "a", 5, "x" * 300]),
)  # fmt: skip
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3),
        st.tuples(inner, inner), st.fixed_dictionaries({"id": inner, "name": inner}),
    ),
    max_leaves=6,
)  # fmt: skip

raised = st.sampled_from(
    [ValueError("x"), KeyError(), StopIteration(1), StopAsyncIteration(), RecursionError(), TimeoutError(),
     asyncio.CancelledError(), ExceptionGroup("x", [ValueError()]), ToolFailure(""),
     ToolFailure("no", ErrorCode.CONFLICT), ToolFailure("later", ErrorCode.RATE_LIMITED),
     ToolFailure("?", ErrorCode.UNKNOWN_EFFECT)]
)  # fmt: skip

arguments = st.one_of(
    st.none(), st.text(max_size=20), st.just('{"x": 1}'), st.just('{"x": 1, "y": "a"}'), st.just('{"x": "1",}'),
    st.dictionaries(st.sampled_from(["x", "y", "z"]), st.one_of(st.integers(), st.text(max_size=3), st.none())),
)  # fmt: skip


@dataclass
class Behaviour:
    """What a body does: gives a value, raises, or takes too long first."""

    value: Any = None
    error: BaseException | None = None
    late: bool = False

    def now(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


behaviours = st.one_of(
    st.builds(Behaviour, value=values), st.builds(Behaviour, value=values), st.builds(Behaviour, error=raised)
)
rarely_late = st.one_of(*[behaviours] * 15, st.builds(Behaviour, value=values, late=st.just(True)))
policies = st.builds(Policy, read_only=st.booleans(), idempotent=st.booleans(), max_chars=st.sampled_from([50, 20_000]))


def made_of(annotation: Any, behaviour: Behaviour, policy: Policy, *, is_async: bool, **options: Any) -> Tool[..., Any]:
    """A tool whose body behaves so."""

    def body(x: int, y: str = "a") -> Any:
        if behaviour.late:
            time.sleep(3 * LIMIT_S)
        return behaviour.now()

    async def async_body(x: int, y: str = "a") -> Any:
        if behaviour.late:
            await asyncio.sleep(3 * LIMIT_S)
        return behaviour.now()

    fn: Callable[..., Any] = async_body if is_async else body
    fn.__annotations__["return"] = annotation
    return tool(fn, name="made", timeout=LIMIT_S if behaviour.late else 5, policy=policy, **options)


def check(result: ToolResult, made: Tool[..., Any], call_id: str) -> None:
    """What holds for every result."""
    assert (result.call_id, result.name) == (call_id, "made")
    result.content.encode()
    if result.is_error:
        assert result.code is not None
        assert result.content.endswith(result.advice)
        assert result.advice
        assert len(result.content) < 1_200
        assert result.value is None
        assert result.effect in ("none", "unknown", "applied")
        return
    if result.fallback:
        sent = json.loads(result.content)
        assert sent.get("fallback") is True or sent["cut"] is True
        return
    assert (result.code, result.effect, result.advice) == (None, "applied", "")
    schema = made.contract.output_schema
    if len(result.content) >= made.policy.max_chars and '{"cut":true' in result.content:
        assert json.loads(result.content)["chars"] > made.policy.max_chars
        return
    data = [result.content]
    if not isinstance(result.value, str) or isinstance(result.value, Enum):
        try:
            data.append(json.loads(result.content, parse_constant=pytest.fail))
        except json.JSONDecodeError:
            assert isinstance(result.value, str | Enum)
    assert any(jsonschema_rs.is_valid(schema, each, validate_formats=True) for each in data), result.content


@settings(max_examples=400)
@given(
    annotation=st.sampled_from(ANNOTATIONS), behaviour=rarely_late, policy=policies, sent=arguments,
    is_async=st.booleans(),
)  # fmt: skip
def test_one_result(annotation: Any, behaviour: Behaviour, policy: Policy, sent: Any, is_async: bool) -> None:
    """By itself, sync and async alike, in its time."""
    made = made_of(annotation, behaviour, policy, is_async=is_async)
    started = time.monotonic()
    result = made.invoke(sent, call_id="c1")
    assert time.monotonic() - started < 4
    check(result, made, "c1")
    again = asyncio.run(made.ainvoke(sent, call_id="c1"))
    check(again, made, "c1")
    assert (again.content, again.code, again.effect, again.retryable, again.fallback, again.repairs, again.issues) == (
        result.content, result.code, result.effect, result.retryable, result.fallback, result.repairs, result.issues
    )  # fmt: skip


@settings(max_examples=150)
@given(
    annotation=st.sampled_from(ANNOTATIONS), behaviour=behaviours, policy=policies, sent=arguments,
    is_async=st.booleans(), fallback=values,
)  # fmt: skip
def test_with_a_fall_back(
    annotation: Any, behaviour: Behaviour, policy: Policy, sent: Any, is_async: bool, fallback: Any
) -> None:
    """What stands in is held to the same, whatever it is."""
    made = made_of(annotation, behaviour, policy, is_async=is_async, fallback=lambda arguments, error: fallback)
    check(made.invoke(sent, call_id="c1"), made, "c1")


@settings(max_examples=100)
@given(st.lists(st.tuples(behaviours, st.booleans(), arguments, st.booleans()), max_size=6))
def test_in_a_batch(asked: list[tuple[Behaviour, bool, Any, bool]]) -> None:
    """Each call has the result that it has alone, under its id and in its place."""
    tools = []
    calls = []
    alone = []
    for at, (behaviour, is_async, sent, sequential) in enumerate(asked):
        text = sent if isinstance(sent, str) else json.dumps(sent)
        made = made_of(Any, behaviour, Policy(sequential=sequential), is_async=is_async).renamed(f"made{at}")
        tools.append(made)
        calls.append(ToolCall(f"c{at}", made.name, text))
        alone.append(made.invoke(text, call_id=f"c{at}"))
    assert [repr(result) for result in Toolset(*tools).invoke_all(calls)] == list(map(repr, alone))
    assert [repr(result) for result in asyncio.run(Toolset(*tools).ainvoke_all(calls))] == list(map(repr, alone))


@given(st.sampled_from(list(ErrorCode)), st.sampled_from([None, True, False]))
def test_the_code_of_a_failure(code: ErrorCode, retryable: bool | None) -> None:
    """It says what may be done, unless the failure itself says so."""

    @tool
    def made() -> str:
        raise ToolFailure("No.", code, retryable=retryable)

    result = made.invoke()
    rule = CODES[code]
    assert (result.code, result.effect) == (code, rule.effect)
    assert result.retryable is (rule.retryable if retryable is None else retryable)
