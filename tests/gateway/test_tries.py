"""The tries of a call: made again only where that can help and do no harm, each told, and what stands in at the end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from magic_tools import (
    Alert,
    ContractViolation,
    DefinitionError,
    ErrorCode,
    IdempotencyKey,
    Injected,
    Policy,
    RunOptions,
    Tool,
    ToolAttempted,
    ToolCompleted,
    ToolFailure,
    tool,
)
from magic_tools.effects.program import Call, CallTimeoutError
from tests.gateway.by_hand import ByHand

READS, REPEATS, WRITES = Policy(read_only=True), Policy(idempotent=True), Policy()
BROKEN: Any = "not a number"


def counting(outcomes: Iterable[Any], policy: Policy, **options: Any) -> Tool[..., int]:
    """A tool whose tries come to these outcomes in turn; an exception is raised."""
    left: Iterator[Any] = iter(outcomes)

    @tool(policy=policy, **options)
    def count(most: int = 3) -> int:
        outcome = next(left)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome  # type: ignore[no-any-return]  # which may be anything

    return count


def attempts(caller: ByHand) -> list[tuple[Any, ...]]:
    events = [event for event in caller.events if isinstance(event, ToolAttempted)]
    return [(event.attempt, event.outcome, event.error) for event in events]


LATE = CallTimeoutError(still_runs=True)
LIMITED = ToolFailure("Too many.", ErrorCode.RATE_LIMITED)


@pytest.mark.parametrize(
    ("policy", "outcomes", "made"),
    [
        (READS, [ValueError(), 7], [(1, "raised", "ValueError"), (2, "ok", None)]),
        (REPEATS, [ValueError(), 7], [(1, "raised", "ValueError"), (2, "ok", None)]),
        (READS, [LATE, 7], [(1, "timed_out", "CallTimeoutError"), (2, "ok", None)]),
        (REPEATS, [LATE, LATE, 7], [(1, "timed_out", "CallTimeoutError"), (2, "timed_out", "CallTimeoutError"),
                                    (3, "ok", None)]),
        (READS, [BROKEN, 7], [(1, "broken_result", "ContractViolation"), (2, "ok", None)]),
        (READS, [LIMITED, 7], [(1, "failed", "ToolFailure"), (2, "ok", None)]),
        (WRITES, [LIMITED, 7], [(1, "failed", "ToolFailure"), (2, "ok", None)]),
        (WRITES, [ToolFailure("x", ErrorCode.CONFLICT, retryable=True), 7], [(1, "failed", "ToolFailure"),
                                                                              (2, "ok", None)]),
        (READS, [ToolFailure("x"), 7], [(1, "failed", "ToolFailure"), (2, "ok", None)]),
    ],
)  # fmt: skip
def test_what_is_tried_again(policy: Policy, outcomes: list[Any], made: list[Any]) -> None:
    """Raising, timing out and broken results of a tool that is safe to call twice, and where nothing was done."""
    caller = ByHand()
    result = caller.call(counting(outcomes, policy, retries=2))
    assert (result.is_error, result.value) == (False, 7)
    assert attempts(caller) == made
    assert len(caller.slept) == len(made) - 1


@pytest.mark.parametrize(
    ("policy", "outcome", "code"),
    [
        (WRITES, ValueError(), ErrorCode.INTERNAL),
        (WRITES, LATE, ErrorCode.UNKNOWN_EFFECT),
        (WRITES, BROKEN, ErrorCode.INTERNAL),
        (WRITES, ToolFailure("x"), ErrorCode.INTERNAL),
        (READS, ToolFailure("x", ErrorCode.NOT_FOUND), ErrorCode.NOT_FOUND),
        (READS, ToolFailure("x", ErrorCode.CONFLICT), ErrorCode.CONFLICT),
        (READS, ToolFailure("x", ErrorCode.INVALID_ARGUMENT), ErrorCode.INVALID_ARGUMENT),
        (READS, ToolFailure("x", ErrorCode.REQUIRES_APPROVAL), ErrorCode.REQUIRES_APPROVAL),
        (READS, ToolFailure("x", ErrorCode.RATE_LIMITED, retryable=False), ErrorCode.RATE_LIMITED),
        (WRITES, ToolFailure("x", retryable=True), ErrorCode.INTERNAL),
    ],
)
def test_what_is_not_tried_again(policy: Policy, outcome: Any, code: ErrorCode) -> None:
    """An answer of the tool's, and whatever may have had an effect that a second call would double."""
    caller = ByHand()
    result = caller.call(counting([outcome, 7], policy, retries=2))
    assert (result.is_error, result.code) == (True, code)
    assert (len(attempts(caller)), caller.slept) == (1, [])


def test_bad_arguments_are_not_tried_again() -> None:
    """The body never runs, and nothing is attempted."""
    caller = ByHand()
    assert caller.call(counting([7], READS, retries=2), '{"most": "x"}').code is ErrorCode.INVALID_ARGUMENT
    assert attempts(caller) == []


def test_the_waits_double() -> None:
    """From half a second on, each with up to a quarter by chance, and none after the last try."""
    caller = ByHand()
    result = caller.call(counting([ValueError()] * 7, READS, retries=6))
    assert result.is_error
    assert [0 <= slept - least <= 0.25 for slept, least in zip(caller.slept, [0.5, 1, 2, 4, 8, 8], strict=True)] == (
        [True] * 6
    )
    waits = [event.wait_s for event in caller.events if isinstance(event, ToolAttempted)]
    assert waits == [*caller.slept, None]
    assert len(set(caller.slept)) == 6  # by chance


@pytest.mark.parametrize("fallback", [0, lambda arguments, error: arguments["most"] - 3])
def test_a_fall_back_stands_in(fallback: Any) -> None:
    """After the last try, marked for the caller, in the trace, and for the model."""
    caller = ByHand()
    result = caller.call(counting([ValueError()] * 2, READS, retries=1, fallback=fallback))
    assert (result.is_error, result.fallback, result.value, result.code) == (False, True, 0, ErrorCode.INTERNAL)
    assert json.loads(result.content) == {
        "fallback": True,
        "note": "count failed. This was declared to stand in for its result: do not present it as its own.",
        "result": 0,
    }
    assert isinstance(result.exception, ValueError)
    last = caller.events[-1]
    assert isinstance(last, ToolCompleted)
    assert (last.fallback, last.is_error, last.fields) == (True, False, {"status": "fallback"})
    assert len(attempts(caller)) == 2


def test_a_fall_back_after_an_unknown_effect() -> None:
    """It says that the call may have had an effect, in the run's language."""
    result = ByHand(language="zh").call(counting([LATE], WRITES, fallback=0))
    assert (result.fallback, result.effect, result.code) == (True, "unknown", ErrorCode.UNKNOWN_EFFECT)
    assert json.loads(result.content)["note"] == (
        "count 失败了，是否已经产生作用，尚不清楚。这是事先声明的替代结果：请勿将其当作该工具的结果。"
    )


def test_a_fall_back_knows_what_was_raised() -> None:
    """It is given the arguments, those left out at their defaults, and what was raised; it may be async."""
    given: list[Any] = []

    async def look(arguments: dict[str, Any], error: Exception) -> int:
        await asyncio.sleep(0)
        given.append((arguments, error))
        return 1

    error = KeyError("x")
    assert counting([error], READS, fallback=look).invoke().value == 1
    assert given == [({"most": 3}, error)]
    assert counting([LATE], READS, fallback=look).invoke({"most": 5}).value == 1
    assert given[1] == ({"most": 5}, LATE)
    assert counting([BROKEN], READS, fallback=look).invoke().value == 1
    assert isinstance(given[2][1], ContractViolation)


@pytest.mark.parametrize(
    "code", [ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.INVALID_ARGUMENT, ErrorCode.REQUIRES_APPROVAL]
)
def test_nothing_stands_in_for_an_answer(code: ErrorCode) -> None:
    """What a tool says by these codes is its answer; and so are refused arguments."""
    result = counting([ToolFailure("No.", code)], READS, fallback=0).invoke()
    assert (result.is_error, result.fallback, result.code) == (True, False, code)
    assert counting([7], READS, fallback=0).invoke({"most": "x"}).is_error


@pytest.mark.parametrize(
    ("fallback", "alerted", "notes"),
    [
        ("five", [("fallback", "an integer")], []),
        (lambda arguments, error: None,
         [("fallback", "a value, since the function is not declared to return None")], []),
        (lambda arguments, error: 1 / 0, [], ["The fall-back raised ZeroDivisionError."]),
    ],
)  # fmt: skip
def test_a_fall_back_that_is_no_result(fallback: Any, alerted: list[Any], notes: list[str]) -> None:
    """It is held to the declared type like any result: then the failure is told, and the caller sees why."""
    alerts: list[Alert] = []
    result = ByHand(on_alert=alerts.append).call(counting([ValueError("x")], READS, fallback=fallback))
    assert (result.is_error, result.fallback, result.code) == (True, False, ErrorCode.INTERNAL)
    assert result.content.startswith("count failed with ValueError; it changes nothing.")
    assert isinstance(result.exception, ValueError)
    assert [(alert.stage, alert.expected) for alert in alerts] == alerted
    assert getattr(result.exception, "__notes__", []) == notes


def test_a_fall_back_that_generates() -> None:
    """What it generates is read, as of any body."""

    @tool(fallback=lambda arguments, error: (number for number in (1, 2)))
    def fails() -> list[int]:
        raise ValueError

    assert fails.invoke().value == [1, 2]


def test_a_fall_back_is_each_caller_s_own() -> None:
    """What one caller does to it, the next does not see."""

    @tool(fallback={"a": [1]})
    def fails() -> dict[str, list[int]]:
        raise ValueError

    fails.invoke().value["a"].append(2)
    assert fails.invoke().value == {"a": [1]}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"retries": -1}, r"tool\(retries=\.\.\.\) wants a whole number of at least 0, got -1"),
        ({"retries": True}, "wants a whole number"),
        ({"retries": 1.5}, "wants a whole number"),
        ({"fallback": lambda: 1}, r"tool\(fallback=\.\.\.\) wants a value, or a function of the arguments and of what"),
        ({"keep": "id"}, r"tool\(keep=\.\.\.\) wants names of result fields, such as \('id',\), got 'id'"),
        ({"keep": [1]}, r"tool\(keep=\.\.\.\) wants names of result fields"),
        ({"keep": {"id": 1}}, r"tool\(keep=\.\.\.\) wants names of result fields"),
    ],
)
def test_options_that_are_none(options: dict[str, Any], words: str) -> None:
    """They are errors at definition."""
    with pytest.raises(DefinitionError, match=words):
        tool(**options)


def paying(said: Any, asked: list[Any], **options: Any) -> Tool[..., str]:
    """A tool that loses its answer, and a function that says what became of it."""

    @tool(**options)
    def pay(cents: int, account: Injected[str], key: Injected[IdempotencyKey]) -> str:
        raise ConnectionError

    @pay.reconcile
    def look_up(key: str, cents: int, account: str) -> Literal["applied", "not_applied", "unknown"]:
        asked.append((key, cents, account))
        if isinstance(said, Exception):
            raise said
        return said  # type: ignore[no-any-return]  # which may be anything

    return pay


@pytest.mark.parametrize(
    ("said", "code", "effect", "content"),
    [
        ("applied", ErrorCode.INTERNAL, "applied",
         "pay gave no result, and it did take effect. What it does was done: do not send it again."),
        ("not_applied", ErrorCode.INTERNAL, "none",
         "pay gave no result, and it had no effect. The same call may be sent again."),
        ("unknown", ErrorCode.INTERNAL, "unknown", "pay failed with ConnectionError; whether it had an effect is not"),
        ("who knows", ErrorCode.INTERNAL, "unknown", "pay failed with ConnectionError; whether it had an effect is"),
        (KeyError("secret"), ErrorCode.INTERNAL, "unknown", "pay failed with ConnectionError; whether it had an eff"),
    ],
)  # fmt: skip
def test_an_unknown_effect_is_looked_up(said: Any, code: ErrorCode, effect: str, content: str) -> None:
    """The author's function is asked, with the key of the call, before an effect is called unknown."""
    asked: list[Any] = []
    result = ByHand().call(paying(said, asked), {"cents": 5}, context={"account": "a1"})
    assert (result.code, result.effect, result.retryable) == (code, effect, effect == "none")
    assert result.content.startswith(content)
    assert [each[1:] for each in asked] == [(5, "a1")]
    assert asked[0][0].startswith("sha256:")
    assert "secret" not in result.content


def test_what_had_no_effect_is_tried_again() -> None:
    """A tool that is not safe to call twice is tried again once it is known that nothing was done."""
    asked: list[Any] = []
    caller = ByHand()
    caller.call(paying("not_applied", asked, retries=2), {"cents": 5}, context={"account": "a1"})
    assert len(attempts(caller)) == 3
    assert len({each[0] for each in asked}) == 1  # the key is one for all tries


def test_a_call_that_still_runs_may_yet_take_effect() -> None:
    """That it has had none so far is then no reason to try again."""
    asked: list[Any] = []
    made = paying("not_applied", asked, retries=2)

    def answers(call: Call) -> Any:
        if call.fn is made.executable.body:
            raise CallTimeoutError(still_runs=True)
        return call.fn(*call.args, **call.kwargs)

    caller = ByHand(answers=answers)
    result = caller.call(made, {"cents": 5}, context={"account": "a1"})
    assert (result.code, result.effect) == (ErrorCode.UNKNOWN_EFFECT, "unknown")
    assert (len(attempts(caller)), len(asked)) == (1, 1)


def test_a_read_is_not_looked_up() -> None:
    """A tool that changes nothing has no effect to ask for, and there is one function to ask."""
    asked: list[Any] = []
    made = paying("applied", asked, policy=READS)
    assert ByHand().call(made, {"cents": 5}, context={"account": "a1"}).effect == "none"
    assert asked == []
    with pytest.raises(DefinitionError, match="it has a reconcile function already, look_up"):
        made.reconcile(lambda: "applied")


class Directory(BaseModel):
    email: str
    phone: str


def test_an_alert_says_which_and_where() -> None:
    """Of a result that breaks its promise: tool, call of the run, stage, path, expected and got; nothing masked."""
    alerts: list[Alert] = []

    @tool(policy=Policy(read_only=True, masks=("phone",)), fallback=lambda arguments, error: [])
    def look_up(name: str) -> list[Directory]:
        return [{"email": {"work": name}, "phone": 5}]  # type: ignore[list-item]  # the fault that is tested

    caller = ByHand(on_alert=alerts.append, run_id="run-7")
    result = caller.call(look_up, {"name": "secret"})
    assert (result.fallback, result.value) == (True, [])
    expected, got = "a string", "an object with the keys work"
    assert alerts == [Alert("run-7", "c1", "look_up", 1, "result", "[0].email", expected, got)]
    assert alerts[0] in caller.events
    assert [issue.path for issue in result.issues] == ["[0].email", "[0].phone"]


@pytest.mark.parametrize("outcomes", [[BROKEN, 7], [BROKEN, ValueError(), 7], [BROKEN] * 3])
def test_one_alert_for_each_call(outcomes: list[Any]) -> None:
    """Also where a later try was good, and where all were broken: what came was not what was promised."""
    alerts: list[Alert] = []
    caller = ByHand(on_alert=alerts.append)
    caller.call(counting(outcomes, READS, retries=2))
    assert [(alert.stage, alert.expected) for alert in alerts] == [("result", "an integer")]
    assert [event for event in caller.events if isinstance(event, Alert)] == alerts


def test_a_masked_field_is_not_in_an_alert() -> None:
    """What came in it is not shown, be it ever so wrong."""
    alerts: list[Alert] = []

    @tool(policy=Policy(masks=("phone",)))
    def look_up() -> Directory:
        return {"email": "a", "phone": 5_550_123}  # type: ignore[return-value]  # the fault that is tested

    assert look_up.invoke(options=RunOptions(on_alert=alerts.append)).is_error
    (alert,) = alerts
    assert (alert.path, alert.expected, alert.got) == ("phone", "a string", "a value that is not shown")


@pytest.mark.parametrize("name", ["trace", "on_alert"])
def test_a_hook_that_fails_undoes_nothing(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """The result stands; that the hook failed is logged by its class, and nothing of what it says."""

    def hook(event: Any) -> None:
        raise KeyError("secret")

    options: dict[str, Callable[..., Any]] = {name: hook}
    result = counting([BROKEN], READS).invoke(options=RunOptions(**options))  # type: ignore[arg-type]  # by name
    assert result.code is ErrorCode.INTERNAL
    assert "hook raised KeyError on " in caplog.text
    assert "secret" not in caplog.text
