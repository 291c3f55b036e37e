"""Runs end within their limits: of time, of tokens, of steps and of calls."""

from __future__ import annotations

import asyncio
import time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from magic_tools import (
    Capabilities,
    ErrorCode,
    LimitError,
    Limits,
    ModelError,
    ModelReply,
    ModelRequest,
    Phases,
    Policy,
    RunOptions,
    ScriptedModel,
    TextPart,
    Usage,
    tool,
)
from tests.stock import REPORT, STOCK, call, results_of, stock
from tests.ways import RunIt as Run

# Limits


@pytest.mark.parametrize(
    ("name", "least"),
    [("steps", 1), ("repeats", 1), ("stalls", 0), ("retries", 0), ("calls_per_step", 1), ("tokens", 1)],
)
def test_counts(name: str, least: int) -> None:
    """Whole numbers from the least that makes sense; all else is a ValueError that names the limit."""
    assert getattr(Limits(**{name: least}), name) == least
    wrongs: list[Any] = [
        least - 1,
        -5,
        True,
        1.0,
        2.5,
        "3",
        Decimal(3),
        Fraction(3),
        float("inf"),
        float("nan"),
        [],
        np.int64(0),
    ]
    for wrong in wrongs if name == "tokens" else [*wrongs, None]:
        with pytest.raises(ValueError, match=rf"Limits\.{name} must be a whole number of at least {least}"):
            Limits(**{name: wrong})


@pytest.mark.parametrize(
    "wrong", [0, 0.0, -0.0, -1, True, "5", float("nan"), float("inf"), -float("inf"), Decimal(5), [5], 1j]
)
def test_deadlines_that_are_none(wrong: Any) -> None:
    """Seconds, more than none and not for ever, or None."""
    with pytest.raises(ValueError, match=r"Limits\.deadline_s must be seconds"):
        Limits(deadline_s=wrong)
    assert Limits(deadline_s=None).deadline_s is None
    assert Limits(deadline_s=0.001).deadline_s == 0.001
    assert Limits(deadline_s=10**9).deadline_s == 10**9


def test_limits_cannot_be_changed_or_misspelled() -> None:
    """They are frozen, and known by name."""
    with pytest.raises(AttributeError):
        Limits().steps = 5  # type: ignore[misc]  # the fault that is tested
    with pytest.raises(TypeError):
        Limits(step=5)  # type: ignore[call-arg]  # the fault that is tested


def test_each_limit_is_explained() -> None:
    """The docstring names each limit with its default, for a reason, and how many steps suit what."""
    told = Limits.__doc__ or ""
    assert "5 steps suit a simple question, 15 an analysis" in " ".join(told.split())
    parts = told.split("\n    - ")[1:]
    assert [part.split("`")[1] for part in parts] == list(Limits.__dataclass_fields__)
    for part, held in zip(parts, Limits.__dataclass_fields__.values(), strict=True):
        default, _, reason = part.replace("\n", " ").partition(f"{held.default}:")
        assert default.endswith(" "), f"{held.name} does not state its default"
        assert len(reason.split()) > 4, f"{held.name} has no reason"


def test_a_deadline_too_great_for_a_clock(run_it: Run) -> None:
    """However long, it is only a limit."""
    for seconds in (1e9, 1e18, 1e300, 10**300):
        limits = Limits(deadline_s=seconds)
        outcome = run_it("Go", tools=[stock], model=ScriptedModel([STOCK, "done"]), limits=limits)
        assert outcome.value == "done"


def test_a_deadline_greater_than_any_float(run_it: Run) -> None:
    """It is refused as a limit, or is one."""
    try:
        limits = Limits(deadline_s=10**400)
    except ValueError:
        return
    assert run_it("Go", model=ScriptedModel(["done"]), limits=limits).value == "done"


# The deadline


class Timed:
    """A model that takes so many seconds for each reply, and answers in the end."""

    name = "timed"

    def __init__(self, *replies: tuple[float, Any], capabilities: Capabilities | None = None) -> None:
        self.capabilities = capabilities or Capabilities(native_schema=True, tools=True)
        self.script = ScriptedModel([reply for _, reply in replies])
        self.seconds = [seconds for seconds, _ in replies]
        self.ended = 0

    @property
    def requests(self) -> list[ModelRequest]:
        return self.script.requests

    def complete(self, request: ModelRequest) -> ModelReply:
        seconds = self.seconds[len(self.requests)]
        reply = self.script.complete(request)
        time.sleep(seconds)
        self.ended += 1
        return reply

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        seconds = self.seconds[len(self.requests)]
        reply = self.script.complete(request)
        await asyncio.sleep(seconds)
        self.ended += 1
        return reply


def napping(seconds: float, is_async: bool, **options: Any) -> Any:
    def nap(n: int = 0) -> str:
        """Sleep."""
        time.sleep(seconds)
        return "slept"

    async def anap(n: int = 0) -> str:
        """Sleep."""
        await asyncio.sleep(seconds)
        return "slept"

    return tool(anap if is_async else nap, name="nap", **options)


@pytest.mark.parametrize("timeout", [None, 30.0])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_slow_tool_meets_the_deadline(run_it: Run, is_async: bool, timeout: float | None) -> None:
    """It is given up at nine tenths of the time, and what is left is for the last request."""
    nap = napping(1.5, is_async, timeout=timeout)
    model = ScriptedModel([call("n", "nap"), "no more time"])
    begun = time.monotonic()
    outcome = run_it("Go", tools=[nap], model=model, limits=Limits(deadline_s=0.5))
    assert 0.4 < time.monotonic() - begun < 1.3
    assert (outcome.value, outcome.stop, outcome.ok, outcome.steps) == ("no more time", "deadline", True, 1)
    assert model.requests[1].tool_choice == "none"
    (result,) = results_of(outcome)
    assert result.is_error
    assert 0.4 < outcome.state["seconds"] < 1.3


@pytest.mark.parametrize("is_async", [False, True])
def test_several_slow_tools_meet_the_deadline(run_it: Run, is_async: bool) -> None:
    """All of them together have the time that is left, whether side by side or, being sequential, one by one."""
    for policy in (Policy(), Policy(sequential=True)):
        nap = napping(1.5, is_async, policy=policy)
        calls = [call(f"n{n}", "nap", n=n) for n in range(10)]
        begun = time.monotonic()
        outcome = run_it("Go", tools=[nap], model=ScriptedModel([calls, "end"]), limits=Limits(deadline_s=0.5))
        assert time.monotonic() - begun < 1.3
        assert (outcome.stop, len(results_of(outcome))) == ("deadline", 10)


def test_a_fast_call_beside_slow_ones_has_its_result(run_it: Run) -> None:
    """What was done in time is told."""
    nap = napping(1.5, is_async=False)
    model = ScriptedModel([[call("n", "nap"), STOCK], "end"])
    outcome = run_it("Go", tools=[nap, stock], model=model, limits=Limits(deadline_s=0.5))
    assert [result.is_error for result in results_of(outcome)] == [True, False]


def test_a_slow_model_meets_the_deadline(run_it: Run) -> None:
    """It is given up, and asked once more for the rest of the time."""
    model = Timed((1.5, "too late"), (0, "in time"))
    begun = time.monotonic()
    outcome = run_it("Go", tools=[stock], model=model, limits=Limits(deadline_s=0.5))
    assert time.monotonic() - begun < 1.3
    assert (outcome.value, outcome.stop, outcome.ok, outcome.steps) == ("in time", "deadline", True, 0)
    assert "last reply" in model.requests[1].messages[-1].text


def test_a_model_that_is_slow_to_the_end(run_it: Run) -> None:
    """The last request is given up too; the error says that the time was used up."""
    model = Timed((1.5, "too late"), (1.5, "too late again"))
    begun = time.monotonic()
    with pytest.raises(LimitError, match=r"used up its 0\.5 s") as caught:
        run_it("Go", model=model, limits=Limits(deadline_s=0.5))
    assert time.monotonic() - begun < 1.3
    assert (caught.value.outcome.stop, caught.value.outcome.ok) == ("deadline", False)
    outcome = run_it(
        "Go",
        model=Timed((1.5, "a"), (1.5, "b")),
        limits=Limits(deadline_s=0.3),
        options=RunOptions(fallback=lambda reply, issues: (reply, issues)),
    )
    assert outcome.value == (None, ())


def test_no_last_request_where_the_time_is_spent(run_it: Run) -> None:
    """A step that could not be stopped in time leaves nothing for it."""

    def move(_: Any) -> None:
        time.sleep(0.6)

    model = ScriptedModel([STOCK])
    with pytest.raises(LimitError) as caught:
        run_it("Go", tools=Phases({"a": [stock]}, move=move), model=model, limits=Limits(deadline_s=0.5))
    assert (caught.value.outcome.stop, len(model.requests)) == ("deadline", 1)


def test_an_answer_after_the_deadline_is_not_lost(run_it: Run) -> None:
    """A deadline cuts what is under way; an answer that has come is one."""
    model = Timed((0.46, "done"), (0, "last"))
    outcome = run_it("Go", model=model, limits=Limits(deadline_s=0.6))
    assert (outcome.value, outcome.ok) == ("done", True)
    assert outcome.stop == "final"


def test_a_model_s_own_time_out_is_not_the_deadline(run_it: Run) -> None:
    """What the model itself raises for its own time comes out as its own error."""
    limits = Limits(deadline_s=60)
    for error in (TimeoutError("own"), ModelError("own")):
        with pytest.raises(type(error), match="own"):
            run_it("Go", model=ScriptedModel([error]), limits=limits)


def test_a_deadline_that_is_met_exactly_while_a_tool_cleans_up(run_it: Run) -> None:
    """A call that is cancelled at the deadline, and does not end at once, keeps nobody waiting long."""

    async def stubborn() -> str:
        """Go on."""
        for _ in range(3):
            try:
                await asyncio.sleep(0.6)
            except asyncio.CancelledError:
                continue
        return "done"

    begun = time.monotonic()
    model = ScriptedModel([call("s", "stubborn"), "end"])
    options = RunOptions(fallback=None)
    outcome = run_it("Go", tools=[stubborn], model=model, limits=Limits(deadline_s=0.5), options=options)
    assert outcome.stop == "deadline"
    assert time.monotonic() - begun < 1.7


# Tokens, steps and calls


def spending(tokens: int, *parts: Any, finish: Any = None) -> ModelReply:
    told = tuple(TextPart(part) if isinstance(part, str) else part for part in parts)
    return ModelReply(told, finish, Usage(tokens - tokens // 3, tokens // 3))


@pytest.mark.parametrize(
    ("spent", "stop", "requests"),
    [
        ([89], "final", 2),
        ([90], "token_budget", 2),
        ([99], "token_budget", 2),
        ([100], "token_budget", 1),
        ([10_000], "token_budget", 1),
        ([45, 44], "final", 3),
        ([45, 45], "token_budget", 3),
        ([0, 0, 0], "final", 4),
    ],
)
def test_tokens(run_it: Run, spent: list[int], stop: str, requests: int) -> None:
    """From nine tenths on there is one more request; from the whole on there is none."""
    calls = [spending(tokens, call(f"c{n}", "stock", sku="a" * n)) for n, tokens in enumerate(spent, 1)]
    model = ScriptedModel([*calls, spending(0, "done")])
    limits = Limits(tokens=100)
    if requests == len(spent):
        with pytest.raises(LimitError, match="used up its 100 tokens") as caught:
            run_it("Go", tools=[stock], model=model, limits=limits)
        outcome = caught.value.outcome
    else:
        outcome = run_it("Go", tools=[stock], model=model, limits=limits)
        assert outcome.value == "done"
    assert (outcome.stop, len(model.requests)) == (stop, requests)
    assert outcome.usage.input_tokens + outcome.usage.output_tokens == sum(spent)


def test_cached_and_reasoning_tokens_are_not_counted_twice(run_it: Run) -> None:
    """They are part of what was sent and received."""
    reply = ModelReply((STOCK,), None, Usage(40, 40, 40, 40))
    outcome = run_it("Go", tools=[stock], model=ScriptedModel([reply, "done"]), limits=Limits(tokens=100))
    assert outcome.stop == "final"


def test_an_answer_over_the_budget_is_one(run_it: Run) -> None:
    """What was paid for is taken."""
    model = ScriptedModel([spending(500, "done")])
    outcome = run_it("Go", model=model, limits=Limits(tokens=100))
    assert (outcome.value, outcome.ok, outcome.stop) == ("done", True, "final")


@pytest.mark.parametrize("most", [1, 2, 16])
def test_calls_of_a_step(run_it: Run, most: int) -> None:
    """So many are made; those beyond are answered as not run, and may be sent again."""
    made: list[int] = []

    def act(n: int) -> int:
        """Act."""
        made.append(n)
        return n

    calls = [call(f"c{n}", "act", n=n) for n in range(most + 2)]
    model = ScriptedModel([calls, calls[most:], "done"])
    outcome = run_it("Go", tools=[act], model=model, limits=Limits(calls_per_step=most))
    results = results_of(outcome)
    assert [result.is_error for result in results[: most + 2]] == [False] * most + [True] * 2
    assert {result.code for result in results[most : most + 2]} == {ErrorCode.RATE_LIMITED}
    assert all(result.retryable and str(most) in result.content for result in results[most : most + 2])
    assert sorted(made) == list(range(most + min(most, 2)))


def test_a_reply_of_a_thousand_calls(run_it: Run) -> None:
    """No more than the limit are made, and each has its result."""
    calls = [call("", "stock", sku=str(n)) for n in range(1_000)]
    outcome = run_it("Go", tools=[stock], model=ScriptedModel([calls, "done"]))
    assert len(results_of(outcome)) == 1_000
    assert sum(not result.is_error for result in results_of(outcome)) == 16


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_an_answer_in_exactly_the_last_step(run_it: Run, steps: int) -> None:
    """It is a success like any other: the limit was not met."""
    calls = [call(f"{n}", "stock", sku="a" * n) for n in range(1, steps)]
    for output, answer in ((str, "done"), (REPORT, call("r", "report", n=1))):
        model = ScriptedModel([*calls, answer])
        outcome = run_it("Go", tools=[stock], output=output, model=model, limits=Limits(steps=steps))
        assert (outcome.ok, outcome.steps, len(model.requests)) == (True, steps, steps)
        assert outcome.stop in ("final", "output_tool")
