"""Section I of the cases drawn from public failures: what a tool's result becomes."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import numpy as np
import pytest
from pydantic import BaseModel

from magic_tools import (
    ErrorCode,
    Policy,
    ScriptedModel,
    Tool,
    ToolCall,
    ToolFailure,
    ToolResult,
    run,
    tool,
)

SYNC: Callable[..., ToolResult] = lambda made: made.invoke()  # noqa: E731
ASYNC: Callable[..., ToolResult] = lambda made: asyncio.run(made.ainvoke())  # noqa: E731
both = pytest.mark.parametrize("invoke", [SYNC, ASYNC], ids=["sync", "async"])


class Col(Enum):
    RED = "r"


@dataclass
class Point:
    x: int
    y: int


class Opaque:
    pass


@both
def test_i1_values_of_many_kinds(invoke: Callable[..., ToolResult]) -> None:
    """Each has its JSON form."""

    @tool
    def give() -> dict[str, Any]:
        return {
            "at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
            "amt": Decimal("0.10"),
            "id": UUID(int=1),
            "c": Col.RED,
            "s": {1},
            "p": Point(1, 2),
            "path": Path("/x"),
        }

    assert json.loads(invoke(give).content) == {
        "at": "2026-01-02T03:04:05Z",
        "amt": "0.10",
        "id": "00000000-0000-0000-0000-000000000001",
        "c": "r",
        "s": [1],
        "p": {"x": 1, "y": 2},
        "path": "/x",
    }


@both
def test_i1_a_value_without_a_form(invoke: Callable[..., ToolResult]) -> None:
    """An error that names its type and no address; the run does not end by it."""

    @tool
    def give() -> dict[str, Any]:
        return {"at": [Opaque()]}

    result = invoke(give)
    assert (result.is_error, result.code) == (True, ErrorCode.INTERNAL)
    assert "Opaque" in result.content
    assert "0x" not in result.content + repr(result.issues)
    outcome = run("go", tools=[give], model=ScriptedModel([ToolCall("c1", "give", ""), "done"]))
    assert outcome.value == "done"


def test_i2_characters_go_as_they_are() -> None:
    """In results, in arguments that are sent again, in descriptions and in error texts: no escapes.

    That no wire escapes any is in test_other_wires.
    """

    @tool(description="Погода в городе")
    def look(city: Annotated[str, "город"]) -> dict[str, str]:
        if city == "失":
            raise ToolFailure("都市が見つかりません")
        return {"city": "東京"}

    calls = [ToolCall("c1", "look", '{"city": "你好"}'), ToolCall("c2", "look", '{"city": "失"}')]
    model = ScriptedModel([calls, "done"])
    run("go", tools=[look], model=model)
    asked, answered = model.requests[1].messages[-2:]
    first, second = answered.parts
    assert isinstance(first, ToolResult)
    assert isinstance(second, ToolResult)
    assert first.content == '{"city":"東京"}'
    assert second.content.startswith("都市が見つかりません")
    assert asked.calls[0].arguments == '{"city": "你好"}'
    (told,) = model.requests[0].tools
    assert told.description == "Погода в городе"
    assert "город" in json.dumps(look.definition(), ensure_ascii=False)


LIMIT = 10_000
BOUNDED = Policy(max_chars=LIMIT)


def local(fn: Callable[[], Any]) -> Tool[..., Any]:
    return tool(fn, policy=BOUNDED, name="give")


def imported(fn: Callable[[], Any]) -> Tool[..., Any]:
    return Tool.from_schema(
        lambda **_: fn(), name="give", description="Give.", input_schema={"type": "object"}, policy=BOUNDED
    )


def long_text() -> str:
    return "x" * (LIMIT - 60) + "👨‍👩‍👧" * 500_000


def long_list() -> Any:
    return list(range(100_000))


def long_error() -> str:
    raise ToolFailure("y" * 1_000_000)


@both
@pytest.mark.parametrize("make", [local, imported])
@pytest.mark.parametrize(("body", "count"), [(long_text, 2_509_940), (long_list, 588_891), (long_error, 1_000_000)])
def test_i3_results_of_any_size(
    invoke: Callable[..., ToolResult], make: Callable[..., Tool[..., Any]], body: Callable[[], Any], count: int
) -> None:
    """At most the limit and a short notice with the original size, cut at whole characters, and marked as cut."""
    body.__annotations__.setdefault("return", Any)
    result = invoke(make(body))
    assert len(result.content) <= LIMIT + 100
    assert str(count) in result.content
    result.content.encode()
    if result.is_error:
        assert len(str(result.exception)) == count
        return
    sent = json.loads(result.content)
    assert (sent["cut"], sent["chars"]) == (True, count)
    assert not sent["head"].endswith(("👨", "👨‍", "👨‍👩", "👨‍👩‍"))
    assert result.value == body()


class Measured(BaseModel):
    v: float


@both
@pytest.mark.parametrize(
    ("annotation", "value", "data"),
    [
        (dict[str, float], {"v": math.nan, "w": math.inf}, {"v": None, "w": None}),
        (dict, {"v": math.nan, "w": -math.inf}, {"v": None, "w": None}),
        (Any, {"f": np.float64(1.0), "i": np.int64(2), "b": np.bool_(True)}, {"f": 1.0, "i": 2, "b": True}),
        (Any, np.array([[1.0, np.nan], [2.0, 3.0]]), [[1.0, None], [2.0, 3.0]]),
        (Measured, Measured(v=math.nan), {"v": None}),
        (list[Measured], [Measured(v=math.inf), Measured(v=1)], [{"v": None}, {"v": 1.0}]),
    ],
)
def test_i4_what_is_no_number(invoke: Callable[..., ToolResult], annotation: Any, value: Any, data: Any) -> None:
    """The content is strict JSON, in which it is null."""

    def give() -> Any:
        return value

    give.__annotations__ = {"return": annotation}
    result = invoke(tool(give))
    assert not result.is_error
    assert json.loads(result.content, parse_constant=pytest.fail) == data
    assert "np." not in result.content
