"""What a call sends: as the tool promises, without what is masked or secret, and not beyond its size."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

import numpy as np
import pandas as pd
import pytest
from attrs import define
from pydantic import BaseModel, EmailStr, Field, SecretStr
from typing_extensions import NamedTuple, TypedDict

from magic_tools import (
    ErrorCode,
    IdempotencyKey,
    Injected,
    Policy,
    RunOptions,
    Tool,
    ToolCompleted,
    ToolFailure,
    tool,
)
from magic_tools.events import Event
from tests.gateway.by_hand import ByHand


class Person(BaseModel):
    name: str = Field(alias="fullName")
    email: EmailStr
    age: Annotated[int, Field(ge=0)] = 0
    rate: Decimal = Decimal("0.10")


class Row(TypedDict):
    id: Annotated[str, Field(pattern="^[A-Z]{2}[0-9]{4}$")]
    score: float


@dataclass
class Point:
    x: int
    y: int


class Pair(NamedTuple):
    left: int
    right: str


@define
class Box:
    sides: Any
    name: str


def returning(annotation: Any, value: Any, **options: Any) -> Tool[..., Any]:
    """A tool that is declared to return a type, and returns a value."""

    def give() -> Any:
        return value

    give.__annotations__ = {"return": annotation}
    return tool(give, **options)


ANN = Person(fullName="Ann", email="ann@example.org")


@pytest.mark.parametrize(
    ("annotation", "value", "path", "expected", "got"),
    [
        (Person, ANN.model_copy(update={"age": -1}), "age", "a number of at least 0", "-1"),
        (Person, ANN.model_copy(update={"email": "nobody"}), "email", "an e-mail address", '"nobody"'),
        (Row, {"id": "a1", "score": 1.0}, "id", "text that matches ^[A-Z]{2}[0-9]{4}$", '"a1"'),
        (Row, {"id": {"text": "AB1234"}, "score": 1.0}, "id", "a string", "an object with the keys text"),
        (Row, {"score": 1.0}, "id", "a value, since it is required", "nothing"),
        (list[Point], [Point(1, 2), Point("1", 2)], "[1].x", "an integer", '"1"'),  # type: ignore[arg-type]
        (Annotated[list[int], Field(max_length=2)], [1, 2, 3], "", "at most 2 items", "an array of 3"),
        (Annotated[str, Field(max_length=3)], "abcd", "", "text of at most 3 characters", '"abcd"'),
        (dict[str, Annotated[int, Field(le=9)]], {"a": 10}, "a", "a number of at most 9", "10"),
        (Any, {"a": [Ellipsis]}, "", "a value that has a JSON form", "one of type ellipsis"),
    ],
)  # fmt: skip
def test_what_breaks_the_schema(annotation: Any, value: Any, path: str, expected: str, got: str) -> None:
    """Also what the serialiser would let pass: limits, patterns, formats, changed fields; with its place."""
    result = returning(annotation, value).invoke()
    assert (result.is_error, result.code, result.value) == (True, ErrorCode.INTERNAL, None)
    (issue,) = result.issues
    assert (issue.path, issue.expected, issue.got) == (path, expected, got)


@pytest.mark.parametrize(
    ("annotation", "value", "data"),
    [
        (Person, ANN, {"fullName": "Ann", "email": "ann@example.org", "age": 0, "rate": "0.10"}),
        (Row, {"id": "AB1234", "score": 1.5}, {"id": "AB1234", "score": 1.5}),
        (Pair, Pair(1, "a"), [1, "a"]),
        (Any, Box([1, Point(1, 2)], "b"), {"sides": [1, {"x": 1, "y": 2}], "name": "b"}),
        (Any, np.float64(1.5), 1.5),
        (float, np.float64(1.5), 1.5),
        (int, np.int64(5), 5),
        (list[int], [np.int64(5)], [5]),
        (list[list[float]], np.array([[1.0, 2.0]]), [[1.0, 2.0]]),
        (bool, np.bool_(True), True),
        (Any, {"a": np.array([1, 2]), "b": pd.DataFrame({"c": [1, 2]})}, {"a": [1, 2], "b": [{"c": 1}, {"c": 2}]}),
        (list[dict[str, int]], pd.DataFrame({"c": [1, 2]}), [{"c": 1}, {"c": 2}]),
        (Any, [pd.NaT, 1], [None, 1]),
        (Any, ValueError("gone"), {"error": "ValueError", "message": "gone"}),
        (dict[str, Any], {"raw": b"\xff\xfe"}, {"raw": "//4="}),
        (bytes, b"\xff\xfe", "//4="),
        (float, float("nan"), None),
        (list[float], [1.0, float("inf")], [1.0, None]),
    ],
)
def test_what_is_sent(annotation: Any, value: Any, data: Any) -> None:
    """As JSON, by the declared type, numbers and tables of other packages included."""
    result = returning(annotation, value).invoke()
    assert not result.is_error, result.content
    sent = (
        result.content if isinstance(data, str) and not result.content.startswith('"') else json.loads(result.content)
    )
    assert sent in (data, json.dumps(data))
    assert result.value is value


def test_numpy_of_the_wrong_type_is_refused() -> None:
    """That it is foreign to pydantic does not make it what was declared."""
    assert returning(int, np.float64(1.5)).invoke().is_error
    assert returning(str, np.int64(1)).invoke().is_error
    assert returning(list[int], np.array(["a"])).invoke().issues[0].path == "[0]"


def test_masked_fields_are_for_the_program() -> None:
    """Neither the model nor the trace sees them, at any depth; the caller has them."""
    people = [{"name": "Ann", "phone": "no-5551", "home": {"phone": "no-5552", "city": "Rome"}}]
    policy = Policy(masks=("phone", "home.city"), log_fields=("name", "phone"))
    caller = ByHand()
    result = caller.call(returning(list[dict[str, Any]], people, policy=policy))
    assert json.loads(result.content) == [{"name": "Ann", "phone": "***", "home": {"phone": "***", "city": "***"}}]
    assert result.value is people
    assert "no-555" not in repr((caller.events, result))
    finished = caller.events[-1]
    assert isinstance(finished, ToolCompleted)
    assert finished.fields == {"name": ["Ann"], "phone": ["***", "***"], "status": "ok"}


def test_what_is_logged() -> None:
    """The arguments and result fields that the policy names, the status, and the prefix for metrics."""

    @tool(policy=Policy(metrics_prefix="tool.find", log_fields=("query", "limit", "total", "key")))
    def find(query: str, limit: int = 3, key: SecretStr | None = None) -> dict[str, int]:
        return {"total": 7}

    caller = ByHand(run_id="r1")
    caller.call(find, {"query": "x", "key": "hunter2"})
    finished = caller.events[-1]
    assert isinstance(finished, ToolCompleted)
    assert (finished.run_id, finished.call_id, finished.tool, finished.nth) == ("r1", "c1", "find", 1)
    assert finished.metrics_prefix == "tool.find"
    assert finished.fields == {"query": "x", "limit": 3, "total": 7, "key": "**********", "status": "ok"}
    assert (finished.is_error, finished.code, finished.effect, finished.chars) == (False, None, "applied", 11)
    caller.call(find, {"query": 5})
    refused = caller.events[-1]
    assert isinstance(refused, ToolCompleted)
    assert (refused.is_error, refused.code, refused.effect) == (False, None, "applied")
    caller.call(find, {"query": None})
    refused = caller.events[-1]
    assert isinstance(refused, ToolCompleted)
    assert (refused.fields, refused.effect) == ({"status": "INVALID_ARGUMENT"}, "none")
    assert [issue.path for issue in refused.issues] == ["query"]


@pytest.mark.parametrize(
    ("annotation", "value", "keep", "kept"),
    [
        (str, "é" * 500, (), None),
        (list[int], list(range(300)), (), None),
        (dict[str, Any], {"rows": list(range(300)), "total": 300, "next": {"cursor": "c9"}}, ("total", "next.cursor"),
         {"total": 300, "next.cursor": "c9"}),
    ],
)  # fmt: skip
def test_a_long_result_is_cut(annotation: Any, value: Any, keep: tuple[str, ...], kept: Any) -> None:
    """It says that it was cut, and how long it was; the fields to keep are whole, and the caller has all of it."""
    result = returning(annotation, value, keep=keep, policy=Policy(max_chars=200)).invoke()
    whole = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    sent = json.loads(result.content)
    assert (sent["cut"], sent["chars"], sent.get("kept")) == (True, len(whole), kept)
    assert whole.startswith(sent["head"])
    assert len(sent["head"]) > 50
    assert len(result.content) <= 300
    assert (result.is_error, result.value) == (False, value)


def test_a_result_of_just_its_size() -> None:
    """A result of as many characters as are allowed is whole."""
    assert returning(str, "x" * 200, policy=Policy(max_chars=200)).invoke().content == "x" * 200
    assert returning(str, "x" * 20_000).invoke().content == "x" * 20_000
    assert json.loads(returning(str, "x" * 20_001).invoke().content)["chars"] == 20_001


KEY = "sk-TEST-1234567890"


def leaking_words(key: SecretStr, tenant: str) -> str:
    raise ToolFailure(f"GET https://api.example.org/?token={key.get_secret_value()} of {tenant} failed")


def leaking_exception(key: SecretStr, tenant: str) -> str:
    raise ValueError(f"token={key.get_secret_value()} of {tenant}")


def leaking_result(key: SecretStr, tenant: str) -> str:
    return f"signed with {key.get_secret_value()}"


def leaking_data(key: SecretStr, tenant: str) -> Any:
    return {"auth": f'"{key.get_secret_value()}"', "n": [key]}


@pytest.mark.parametrize("body", [leaking_words, leaking_exception, leaking_result, leaking_data])
@pytest.mark.parametrize("retries", [0, 1])
def test_secrets_of_the_context_are_in_no_text(body: Any, retries: int, caplog: pytest.LogCaptureFixture) -> None:
    """Not in what is sent, in events, tracebacks or the result's repr, however the function lets them out."""
    caplog.set_level("DEBUG")
    events: list[Event] = []

    @tool(retries=retries, policy=Policy(log_fields=("auth",)))
    def leak(key: Injected[SecretStr], tenant: Injected[str]) -> Any:
        return body(key, tenant)

    context = {"key": SecretStr(KEY), "tenant": "tenant-number-9", "more": {"deep": [SecretStr("another secret")]}}
    caller = ByHand()
    result = caller.call(leak, context=context)
    result_too = leak.invoke(context=context, options=RunOptions(trace=events.append))
    told = repr((result, result_too, events, caller.events, caplog.text)) + result.content + result_too.content
    assert KEY not in told
    assert "***" in result.content or "ValueError" in result.content
    if result.is_error:
        assert "tenant-number-9" not in told


@pytest.mark.parametrize("secret", ["4711", '"', "{", 'a"b', "true"])
def test_json_stays_json_without_its_secrets(secret: str) -> None:
    """Whatever the secret is, a number too, what is sent of the rest can be read."""

    @tool
    def look(key: Injected[SecretStr]) -> dict[str, Any]:
        return {"said": key.get_secret_value(), "n": 4711, "list": [True, None, "x"], "{": 1}

    content = look.invoke(context={"key": SecretStr(secret)}).content
    sent = json.loads(content)
    assert sent["said"] == "***"
    assert sent["list"] == [True, None, "x"]
    assert (sent["n"] == 4711) is (secret != "4711")


def test_hidden_texts_may_be_in_a_result() -> None:
    """A result is the tool's own: what the context fills in may be a part of it."""

    @tool
    def orders(region: Injected[str]) -> list[str]:
        return [f"{region}-{number}" for number in range(2)]

    assert orders.invoke(context={"region": "north"}).content == '["north-0","north-1"]'


@pytest.mark.parametrize("policy", [Policy(), Policy(masks=("pin",))])
def test_a_broken_result_shows_nothing_secret(policy: Policy) -> None:
    """Not in the issues, the exception, the alert or the trace: what came is withheld where it is secret or masked."""
    events: list[Event] = []

    @tool(policy=policy)
    def look(key: Injected[SecretStr]) -> dict[str, int]:
        return {"key": key.get_secret_value(), "pin": "pin-4711"}  # type: ignore[dict-item]  # the fault

    options = RunOptions(trace=events.append, on_alert=events.append)
    result = look.invoke(context={"key": SecretStr(KEY)}, options=options)
    told = repr((result, result.issues, result.exception, events)) + result.content + str(result.exception)
    assert KEY not in told
    assert ("pin-4711" in told) is not bool(policy.masks)
    assert [issue.path for issue in result.issues] == ["key", "pin"]


def test_hidden_texts_are_in_no_failure() -> None:
    """What the context fills in is no text for the model, be it in the author's own words."""

    @tool
    def fails(database: Injected[str], key: Injected[IdempotencyKey]) -> str:
        raise ToolFailure(f"cannot reach {database} for {key}")

    result = fails.invoke(context={"database": "postgres://db.internal/9"})
    assert result.content.startswith("cannot reach *** for ***. ")


def test_secret_arguments_are_in_no_text() -> None:
    """A model's own secret is not told back to it, nor traced."""
    events: list[Event] = []

    @tool
    def log_in(password: SecretStr) -> str:
        raise ToolFailure(f"{password.get_secret_value()} is wrong")

    @tool
    def echo(password: SecretStr) -> str:
        return password.get_secret_value()

    options = RunOptions(trace=events.append)
    assert log_in.invoke({"password": "hunter2-hunter2"}, options=options).content.startswith("*** is wrong. ")
    assert echo.invoke({"password": "hunter2-hunter2"}, options=options).content == "***"
    assert "hunter2" not in repr(events)


def test_the_whole_failure_is_in_the_trace() -> None:
    """The traceback that the model is not told, an operator finds there."""
    caller = ByHand()

    @tool
    def fails() -> str:
        raise KeyError("order 17")

    result = caller.call(fails)
    finished = caller.events[-1]
    assert isinstance(finished, ToolCompleted)
    assert "order 17" not in result.content
    assert finished.detail is not None
    assert "KeyError: 'order 17'" in finished.detail
    assert "in fails" in finished.detail
