"""How runs end: within their limits, with an answer, with what was to be taken in place of one, or with an error."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from pydantic import BaseModel

from magic_tools import (
    Capabilities,
    DefinitionError,
    ErrorCode,
    Issue,
    LimitError,
    Limits,
    Message,
    ModelError,
    ModelReply,
    ModelRequest,
    Outcome,
    OutputError,
    Phases,
    Policy,
    RefusalError,
    RepeatError,
    RunError,
    RunOptions,
    ScriptedModel,
    StallError,
    TextPart,
    ToolCall,
    ToolFailuresError,
    ToolResult,
    TruncatedError,
    Usage,
    aextract,
    ask_user,
    extract,
    output_tool,
    resume,
    run,
    tool,
)
from magic_tools.options import NO_FALLBACK
from tests.ways import RunIt as Run


class Report(BaseModel):
    n: int
    note: str | None = None


@tool
def stock(sku: str) -> int:
    """How many there are."""
    if sku.startswith("none"):
        raise KeyError(sku)
    return len(sku)


def call(call_id: str, name: str, /, **arguments: Any) -> ToolCall:
    return ToolCall(call_id, name, json.dumps(arguments))


def results_of(outcome: Outcome[Any]) -> list[ToolResult]:
    return [part for message in outcome.transcript for part in message.parts if isinstance(part, ToolResult)]


class Ending(NamedTuple):
    """Replies that end a run without an answer: why, by which error, the last text, and whether there are issues."""

    replies: list[Any]
    stop: str
    kind: type[RunError]
    text: str
    limits: Limits = Limits()
    has_issues: bool = False


def cut(text: str) -> ModelReply:
    return ModelReply((TextPart(text),), "length")


def refused(text: str) -> ModelReply:
    return ModelReply((TextPart(text),), "refusal")


STOCK = call("s", "stock", sku="ab")
ENDINGS = {
    "step_limit": Ending([["So.", STOCK], ["More.", STOCK]], "step_limit", LimitError, "More.", Limits(steps=1)),
    "step_limit and no answer": Ending([STOCK, "no idea"], "step_limit", LimitError, "no idea", Limits(steps=1), True),
    "step_limit and silence": Ending([["Hm.", STOCK], "..."], "step_limit", LimitError, "...", Limits(steps=1)),
    "token_budget": Ending(
        [ModelReply((TextPart("Wait."), STOCK), "tool_calls", Usage(90, 20))], "token_budget", LimitError, "Wait.",
        Limits(tokens=100),
    ),
    "repeat": Ending([STOCK, STOCK, STOCK, ""], "repeat", RepeatError, ""),
    "stall": Ending(["", " \n"], "stall", StallError, ""),
    "truncated": Ending([cut('{"n": 1')], "truncated", TruncatedError, '{"n": 1'),
    "refusal": Ending([refused("I would rather not.")], "refusal", RefusalError, "I would rather not."),
    "invalid_output": Ending(["a", "b", '{"n": "c"}'], "invalid_output", OutputError, '{"n": "c"}', has_issues=True),
    "tool_failures": Ending(
        [*(call(f"s{n}", "stock", sku=f"none{n}") for n in range(3)), "?"], "tool_failures", ToolFailuresError, "?"
    ),
}  # fmt: skip


@pytest.fixture(params=list(ENDINGS.values()), ids=list(ENDINGS))
def ending(request: pytest.FixtureRequest) -> Ending:
    """Each way to end without an answer."""
    made: Ending = request.param
    return made


def end(run_it: Run, ending: Ending, **options: Any) -> Outcome[Any]:
    return run_it(
        "Go",
        tools=[stock],
        output=Report,
        model=ScriptedModel(ending.replies),
        limits=ending.limits,
        options=RunOptions(**options),
    )


# Fall-backs


def test_without_a_fall_back(run_it: Run, ending: Ending) -> None:
    """The error is raised that is of this ending, and carries the outcome."""
    with pytest.raises(ending.kind) as caught:
        end(run_it, ending)
    outcome = caught.value.outcome
    assert (outcome.stop, outcome.ok, outcome.fallback, outcome.value) == (ending.stop, False, False, None)
    assert type(caught.value) is ending.kind
    assert str(caught.value).endswith((".", '"'))
    assert "None" not in str(caught.value)


@pytest.mark.parametrize("value", [None, 0, "", "sorry", False, [], {"n": 0}, Report(n=0), ()], ids=repr)
def test_a_value_to_fall_back_on(run_it: Run, ending: Ending, value: Any) -> None:
    """It stands in for the answer, is marked, and the reason stays."""
    outcome = end(run_it, ending, fallback=value)
    assert (outcome.value, outcome.stop, outcome.ok, outcome.fallback) == (value, ending.stop, False, True)
    assert outcome.transcript[0] == Message.user("Go")


def test_the_last_text_to_fall_back_on(run_it: Run, ending: Ending) -> None:
    """`"text"` is what the model said last in the run, empty if it never spoke."""
    outcome = end(run_it, ending, fallback="text")
    assert (outcome.value, outcome.ok, outcome.fallback, outcome.stop) == (ending.text, False, True, ending.stop)


def test_the_last_text_is_of_this_run(run_it: Run) -> None:
    """What a model said in an earlier run is none of this one's."""
    earlier = run("First", model=ScriptedModel(["An earlier answer."]))
    prompt = [*earlier.transcript, Message.user("Now")]
    outcome = run_it(prompt, model=ScriptedModel(["", ""]), options=RunOptions(fallback="text"))
    assert outcome.value == ""


@pytest.mark.parametrize("is_async", [False, True])
def test_a_function_to_fall_back_on(run_it: Run, ending: Ending, is_async: bool) -> None:
    """It is told the last reply and what was wrong with it; what it gives stands in."""
    told: list[Any] = []

    def instead(reply: ModelReply | None, issues: tuple[Issue, ...]) -> str:
        told.append((reply, issues))
        return "instead"

    async def instead_later(reply: ModelReply | None, issues: tuple[Issue, ...]) -> str:
        await asyncio.sleep(0)
        return instead(reply, issues)

    outcome = end(run_it, ending, fallback=instead_later if is_async else instead)
    assert (outcome.value, outcome.stop, outcome.ok, outcome.fallback) == ("instead", ending.stop, False, True)
    ((reply, issues),) = told
    assert isinstance(reply, ModelReply)
    assert isinstance(issues, tuple)
    assert bool(issues) is ending.has_issues or ending.stop == "truncated"


@pytest.mark.parametrize("error", [KeyError("x"), RunError, ModelError("down"), asyncio.CancelledError()], ids=repr)
def test_a_function_that_raises_is_no_fall_back(run_it: Run, error: Any) -> None:
    """The error of the ending comes out, with what the function raised as its cause."""

    def instead(reply: ModelReply | None, issues: tuple[Issue, ...]) -> str:
        raise error if isinstance(error, BaseException) else RunError("other", run("x", model=ScriptedModel(["y"])))

    with pytest.raises(StallError) as caught:
        end(run_it, ENDINGS["stall"], fallback=instead)
    assert caught.value.__cause__ is not None
    assert caught.value.outcome.stop == "stall"


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_a_function_that_is_interrupted(run_it: Run, kind: type[BaseException]) -> None:
    """An interrupt is an interrupt."""

    def instead(reply: ModelReply | None, issues: tuple[Issue, ...]) -> str:
        raise kind

    with pytest.raises(kind):
        end(run_it, ENDINGS["stall"], fallback=instead)


def test_a_function_of_the_wrong_arity(run_it: Run) -> None:
    """Its TypeError is the cause of the ending's error."""
    with pytest.raises(StallError) as caught:
        end(run_it, ENDINGS["stall"], fallback=lambda: "x")
    assert isinstance(caught.value.__cause__, TypeError)


def test_a_fall_back_is_not_shared(run_it: Run) -> None:
    """What one caller does with it, the next does not see."""
    options = RunOptions(fallback={"items": []})
    first = run_it("Go", model=ScriptedModel(["", ""]), options=options).value
    first["items"].append("mine")
    assert run_it("Go", model=ScriptedModel(["", ""]), options=options).value == {"items": []}
    assert options.fallback == {"items": []}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(np.array([1, 2])),
        pytest.param(threading.Lock()),
    ],
    ids=["array", "lock"],
)
def test_odd_values_to_fall_back_on(run_it: Run, value: Any) -> None:
    """Any value will do, also one that cannot be compared, or copied."""
    outcome = run_it("Go", model=ScriptedModel(["", ""]), options=RunOptions(fallback=value))
    assert outcome.fallback
    assert type(outcome.value) is type(value)


def test_a_fall_back_is_not_needed(run_it: Run) -> None:
    """Where there is an answer, or the run pauses, it is not taken, and not called."""

    def never(*_: Any) -> None:
        raise AssertionError

    options = RunOptions(fallback=never)
    outcome = run_it("Go", output=Report, model=ScriptedModel(['{"n": 1}']), options=options)
    assert (outcome.value, outcome.ok, outcome.fallback) == (Report(n=1), True, False)
    outcome = run_it(
        "Go", tools=[ask_user], model=ScriptedModel([call("a", "ask_user", question="?")]), options=options
    )
    assert (outcome.stop, outcome.fallback, outcome.value) == ("needs_input", False, None)
    model = ScriptedModel([STOCK, '{"n": 2}'])
    outcome = run_it("Go", tools=[stock], output=Report, model=model, limits=Limits(steps=1), options=options)
    assert (outcome.value, outcome.ok, outcome.fallback, outcome.stop) == (Report(n=2), True, False, "step_limit")


def test_a_fall_back_is_for_no_model_error(run_it: Run) -> None:
    """A model that cannot be asked is no ending without an answer: its error comes out."""
    with pytest.raises(ModelError) as caught:
        run_it("Go", model=ScriptedModel([ModelError("down")]), options=RunOptions(fallback="x"))
    assert caught.value.outcome is not None
    assert (caught.value.outcome.stop, caught.value.outcome.fallback) == ("model_error", False)


def test_extract_falls_back_too() -> None:
    """What `extract` gives is then the fall-back."""
    options = RunOptions(fallback="text")
    values: list[Any] = [
        extract(Report, "x", model=ScriptedModel(["no"]), limits=Limits(retries=0), options=options),
        asyncio.run(aextract(Report, "x", model=ScriptedModel(["no"]), limits=Limits(retries=0), options=options)),
    ]
    assert values == ["no", "no"]


def test_no_fall_back_stays_none_through_copies() -> None:
    """Options that were copied, or sent to another process, have a fall-back no more than before."""
    for options in (copy.deepcopy(RunOptions()), pickle.loads(pickle.dumps(RunOptions())), replace(RunOptions())):
        assert options.fallback is NO_FALLBACK
        with pytest.raises(StallError):
            run("Go", model=ScriptedModel(["", ""]), options=options)


# Errors and outcomes as objects


class Bad(Exception):
    def __init__(self, one: str, other: str) -> None:
        super().__init__("x")


def odd_failure() -> str:
    """Fail."""
    raise Bad("a", "b")


def odd_value() -> Any:
    """Give something that holds what cannot be copied."""
    return Locked(n=1)


class Locked(BaseModel):
    n: int

    def model_post_init(self, _: Any) -> None:
        object.__setattr__(self, "lock", threading.Lock())


def copies(value: Any) -> Iterator[Any]:
    yield copy.copy(value)
    yield copy.deepcopy(value)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(value, protocol))


def test_errors_can_be_sent_to_another_process(run_it: Run, ending: Ending) -> None:
    """Pickled or copied, an error of a run is of the same class and words, with the same outcome and state."""
    with pytest.raises(RunError) as caught:
        end(run_it, ending)
    error = caught.value
    for other in copies(error):
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert other.outcome == error.outcome
        assert other.outcome.state == error.outcome.state
        assert getattr(other, "issues", ()) == getattr(error, "issues", ())


def test_a_model_error_can_be_sent_to_another_process(run_it: Run) -> None:
    """Its outcome goes with it."""
    with pytest.raises(ModelError) as caught:
        run_it("Go", tools=[stock], model=ScriptedModel([STOCK, ModelError("down")]))
    for other in copies(caught.value):
        assert (str(other), other.outcome) == ("down", caught.value.outcome)


def test_outcomes_can_be_sent_to_another_process(run_it: Run) -> None:
    """Of a run that ended well, of one that pauses, and of one in which a tool raised."""
    outcomes = [
        run_it("Go", output=Report, model=ScriptedModel(['{"n": 1}'])),
        run_it("Go", tools=[ask_user], model=ScriptedModel([call("a", "ask_user", question="?")])),
        run_it("Go", tools=[stock], model=ScriptedModel([call("s", "stock", sku="none"), "well"])),
    ]
    for outcome in outcomes:
        for other in copies(outcome):
            assert other == outcome
            assert other.state == outcome.state


@pytest.mark.parametrize("fn", [odd_failure, odd_value])
def test_an_outcome_with_what_cannot_be_copied(run_it: Run, fn: Callable[..., Any]) -> None:
    """A tool's odd exception, or value, does not keep an outcome from being sent elsewhere."""
    outcome = run_it("Go", tools=[fn], model=ScriptedModel([call("a", fn.__name__), "done"]))
    for other in copies(outcome):
        assert other == outcome


def test_an_outcome_s_state_is_plain_and_its_own(run_it: Run) -> None:
    """Each look at it is a new copy, which is JSON."""
    outcome = run_it("Go", tools=[stock], model=ScriptedModel([STOCK, "done"]))
    first: Any = outcome.state
    assert json.loads(json.dumps(first)) == first
    first["transcript"].clear()
    first["limits"]["steps"] = 999
    assert outcome.state != first
    assert len(outcome.state["transcript"]) == 4


def test_an_outcome_without_a_state() -> None:
    """One that somebody made by hand has none to go on from."""
    outcome = Outcome("x", "final", True, (), Usage(), 0, (), "m")
    with pytest.raises(ValueError, match="without a state"):
        _ = outcome.state


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


# Tool choice


FORCED = Capabilities(native_schema=True, tools=True, forced_choice=True)


@pytest.mark.parametrize("choice", ["required", "stock", "none", "auto"])
def test_a_forced_choice_is_for_the_first_request(run_it: Run, choice: str) -> None:
    """It is lifted after that, else the model could never answer."""
    model = ScriptedModel([STOCK, "done"] if choice != "none" else ["done"], capabilities=FORCED)
    options = RunOptions(tool_choice=choice)
    outcome = run_it("Go", tools=[stock], model=model, options=options)
    assert outcome.value == "done"
    assert [request.tool_choice for request in model.requests] == ([choice, "auto"] if choice != "none" else ["none"])


def test_a_forced_choice_is_lifted_whatever_came(run_it: Run) -> None:
    """Also where the model did not do it, or did it wrong."""
    for first in ("", call("s", "stock", sku=5, x=1), call("s", "sell")):
        model = ScriptedModel([first, "done"], capabilities=FORCED)
        run_it("Go", tools=[stock], model=model, options=RunOptions(tool_choice="stock"))
        assert [request.tool_choice for request in model.requests] == ["stock", "auto"]


def test_a_forced_choice_after_a_request_that_failed(run_it: Run) -> None:
    """A request that came to nothing was not the first."""
    model = ScriptedModel([ModelError("down")], capabilities=FORCED)
    with pytest.raises(ModelError) as caught:
        run_it("Go", tools=[stock], model=model, options=RunOptions(tool_choice="stock"))
    assert caught.value.outcome is not None
    again = ScriptedModel([STOCK, "done"], capabilities=FORCED)
    resume(json.loads(json.dumps(caught.value.outcome.state)), tools=[stock], model=again)
    assert [request.tool_choice for request in again.requests] == ["stock", "auto"]


@pytest.mark.parametrize(
    ("choice", "tools", "capabilities", "kind", "words"),
    [
        ("sell", [stock], FORCED, ValueError, "is no tool of this run; there are: stock"),
        ("Required", [stock], FORCED, ValueError, "is no tool of this run"),
        ("sell", [], FORCED, ValueError, "there are: none"),
        ("stock", [stock], Capabilities(tools=True), ModelError, "cannot be made to call a tool"),
        ("required", [stock], Capabilities(tools=True), ModelError, "cannot be made to call a tool"),
        pytest.param("required", [], FORCED, ValueError, "tool"),
    ],
)
def test_choices_that_cannot_be(
    run_it: Run, choice: str, tools: Any, capabilities: Capabilities, kind: type[Exception], words: str
) -> None:
    """They are refused before the first request."""
    model = ScriptedModel(["done"], capabilities=capabilities)
    with pytest.raises(kind, match=words):
        run_it("Go", tools=tools, model=model, options=RunOptions(tool_choice=choice))
    assert model.requests == []


# How an answer is asked for


ALL = Capabilities(native_schema=True, tools=True, forced_choice=True)
NATIVE = Capabilities(native_schema=True)
TOOLS = Capabilities(tools=True)
NOTHING = Capabilities()


@pytest.mark.parametrize(
    ("mode", "capabilities", "used"),
    [
        (None, ALL, "native"),
        (None, NATIVE, "native"),
        (None, TOOLS, "tool"),
        (None, NOTHING, "prompt"),
        ("native", ALL, "native"),
        ("tool", ALL, "tool"),
        ("prompt", ALL, "prompt"),
        ("tool", TOOLS, "tool"),
        ("prompt", NOTHING, "prompt"),
    ],
)
@pytest.mark.parametrize("output", [Report, int, list[Report], Report | None])
def test_output_modes(run_it: Run, mode: Any, capabilities: Capabilities, used: str, output: Any) -> None:
    """As the model can, or as it is told; the answer is of the type in each."""
    text = {Report: '{"n": 1}', int: "5"}.get(output, '[{"n": 1}]' if output == list[Report] else "null")
    value = {Report: Report(n=1), int: 5}.get(output, [Report(n=1)] if output == list[Report] else None)
    is_object = output is Report
    answer = ToolCall("f", "final_answer", text if is_object else f'{{"value": {text}}}') if used == "tool" else text
    model = ScriptedModel([answer], capabilities=capabilities)
    outcome = run_it("Go", output=output, model=model, options=RunOptions(output_mode=mode))
    assert (outcome.value, outcome.ok) == (value, True)
    assert outcome.stop == ("output_tool" if used == "tool" else "final")
    assert outcome.output_tool == ("final_answer" if used == "tool" else None)
    (request,) = model.requests
    assert (request.output is not None) is (used == "native")
    assert [told.name for told in request.tools] == (["final_answer"] if used == "tool" else [])
    assert (request.messages[0].role == "system") is (used == "prompt")
    if used == "tool":
        assert request.tool_choice == ("required" if capabilities.forced_choice else "auto")


@pytest.mark.parametrize(
    ("mode", "capabilities"), [("native", TOOLS), ("native", NOTHING), ("tool", NATIVE), ("tool", NOTHING)]
)
def test_output_modes_that_a_model_lacks(run_it: Run, mode: Any, capabilities: Capabilities) -> None:
    """They are refused before the first request, with a way out."""
    model = ScriptedModel(["5"], capabilities=capabilities)
    for output in (int, str, Report):
        with pytest.raises(ModelError, match=rf"output_mode='{mode}': leave it out"):
            run_it("Go", output=output, model=model, options=RunOptions(output_mode=mode))
    assert model.requests == []


REPORT = output_tool("report", "The report", Report)
SHORT = output_tool("short", "A word, with its sense", int, summary=True)


def test_an_output_tool_that_the_model_cannot_call() -> None:
    """It is refused before the first request."""
    with pytest.raises(ModelError, match="cannot call tools"):
        run("Go", output=REPORT, model=ScriptedModel([], capabilities=NATIVE))


@pytest.mark.parametrize("wrong", ["Native", "json", "", 5, True])
def test_output_modes_that_are_none(wrong: Any) -> None:
    """A mode that there is not is a ValueError."""
    with pytest.raises(ValueError, match=r"RunOptions\.output_mode is 'native' or 'tool' or 'prompt'"):
        RunOptions(output_mode=wrong)


def test_text_in_each_mode(run_it: Run) -> None:
    """A text as the output is the reply as it is, unless a mode is asked for."""
    model = ScriptedModel(["Hi"], capabilities=ALL)
    assert run_it("Go", model=model).value == "Hi"
    model = ScriptedModel([call("f", "final_answer", value="Hi")], capabilities=ALL)
    outcome = run_it("Go", model=model, options=RunOptions(output_mode="tool"))
    assert (outcome.value, outcome.output_tool) == ("Hi", "final_answer")


@pytest.mark.parametrize(
    ("called", "value", "summary"),
    [
        (call("1", "report", n=5), Report(n=5), None),
        (call("1", "short", data=5, summary="Five."), 5, "Five."),
    ],
)
def test_several_output_tools(run_it: Run, called: ToolCall, value: Any, summary: str | None) -> None:
    """The outcome says which was called, and what with; one with a summary fills it."""
    model = ScriptedModel([called])
    outcome = run_it("Go", output=[REPORT, SHORT], model=model)
    assert (outcome.value, outcome.summary, outcome.output_tool) == (value, summary, called.name)
    assert (outcome.stop, outcome.ok) == ("output_tool", True)
    assert [told.name for told in model.requests[0].tools] == ["report", "short"]
    (result,) = results_of(outcome)
    assert not result.is_error


def test_several_answers_in_a_reply(run_it: Run) -> None:
    """The first that fits is the answer, and all calls are answered; nothing else of the reply is done."""
    done: list[str] = []

    def act() -> str:
        """Act."""
        done.append("act")
        return "acted"

    calls = [call("0", "act"), call("1", "report", n="x"), call("2", "report", n=2), call("3", "report", n=3)]
    outcome = run_it("Go", tools=[act], output=[REPORT, SHORT], model=ScriptedModel([["All done.", *calls]]))
    assert (outcome.value, outcome.stop, outcome.output_tool, done) == (Report(n=2), "output_tool", "report", [])
    assert [result.call_id for result in results_of(outcome)] == ["0", "1", "2", "3"]
    assert [result.is_error for result in results_of(outcome)] == [True, True, False, True]
    assert outcome.transcript[-2].text == "All done."


def test_an_answer_that_does_not_fit_beside_other_calls(run_it: Run) -> None:
    """The others run, and the answer is asked for again."""
    model = ScriptedModel([[call("1", "report", n="x"), STOCK], call("2", "report", n=2)])
    outcome = run_it("Go", tools=[stock], output=REPORT, model=model)
    assert outcome.value == Report(n=2)
    assert [result.is_error for result in results_of(outcome)] == [True, False, False]


def test_text_does_not_end_a_run_with_an_output_tool(run_it: Run) -> None:
    """It is told so, and counts as an answer that does not fit, though it be JSON of the type."""
    model = ScriptedModel(['{"n": 1}', call("1", "report", n=2)])
    assert run_it("Go", output=REPORT, model=model).value == Report(n=2)
    assert "report" in model.requests[1].messages[-1].text
    with pytest.raises(OutputError) as caught:
        run_it("Go", output=REPORT, model=ScriptedModel(["a", "b", "c"]))
    assert caught.value.outcome.stop == "invalid_output"


def test_the_last_request_offers_output_tools_alone(run_it: Run) -> None:
    """The model can do nothing but answer; a call of anything else is not made."""
    for capabilities, choice in ((ALL, "required"), (TOOLS, "auto")):
        model = ScriptedModel([STOCK, call("1", "short", data=2, summary="Two.")], capabilities=capabilities)
        outcome = run_it("Go", tools=[stock], output=[REPORT, SHORT], model=model, limits=Limits(steps=1))
        assert (outcome.value, outcome.stop, outcome.output_tool, outcome.ok) == (2, "step_limit", "short", True)
        last = model.requests[-1]
        assert [told.name for told in last.tools] == ["report", "short"]
        assert last.tool_choice == choice
        assert "report or short" in last.messages[-1].text
    model = ScriptedModel([STOCK, [STOCK, call("1", "report", n="x")]])
    with pytest.raises(LimitError) as caught:
        run_it("Go", tools=[stock], output=REPORT, model=model, limits=Limits(steps=1))
    assert "n: expected" in str(caught.value)
    assert [result.is_error for result in results_of(caught.value.outcome)] == [False, True, True]


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ([REPORT, REPORT], "Two output tools are called 'report'"),
        ([REPORT, Report], "make an output_tool of it too"),
        ((REPORT, None), "make an output_tool of it too"),
    ],
)
def test_output_tools_that_cannot_be(output: Any, words: str) -> None:
    """They are refused before the first request."""
    with pytest.raises(DefinitionError, match=words):
        run("Go", output=output, model=ScriptedModel([]))
    with pytest.raises(DefinitionError, match="both called 'stock'"):
        run("Go", tools=[stock], output=output_tool("stock", "x", Report), model=ScriptedModel([]))


@pytest.mark.parametrize("mode", ["native", "tool", "prompt"])
@pytest.mark.parametrize("said", ["", " \n", "..."])
def test_silence_where_nothing_may_be_the_answer(run_it: Run, mode: Any, said: str) -> None:
    """Where the output may be None, silence is the answer None, and no stall."""
    model = ScriptedModel([said], capabilities=ALL)
    outcome = run_it("Go", output=Report | None, model=model, options=RunOptions(output_mode=mode))
    assert (outcome.value, outcome.ok, outcome.stop) == (None, True, "final")


@pytest.mark.parametrize("output", [None, type(None)])
@pytest.mark.parametrize("mode", [None, "prompt"])
def test_an_output_that_is_none(run_it: Run, output: Any, mode: Any) -> None:
    """A run whose output is None ends with whatever says nothing."""
    for said in ("null", "", "None"):
        model = ScriptedModel([said])
        outcome = run_it("Go", tools=[stock], output=output, model=model, options=RunOptions(output_mode=mode))
        assert (outcome.value, outcome.ok) == (None, True)


def test_tools_and_a_typed_answer_together(run_it: Run) -> None:
    """In each mode; the text beside calls is kept, and is no answer though it fits."""
    for mode in ("native", "tool", "prompt"):
        last = call("f", "final_answer", n=2) if mode == "tool" else '{"n": 2}'
        model = ScriptedModel([['{"n": 1}', STOCK], last], capabilities=ALL)
        outcome = run_it("Go", tools=[stock], output=Report, model=model, options=RunOptions(output_mode=mode))
        assert outcome.value == Report(n=2)
        assert outcome.transcript[1].text == '{"n": 1}'
        assert outcome.transcript[1].calls[0].id == "s"


def test_the_text_of_several_parts(run_it: Run) -> None:
    """Texts before, between and after calls stand where they stood; joined, those of an answer are the answer."""
    model = ScriptedModel([["one ", STOCK, "two ", call("t", "stock", sku="b"), "three"], ['{"n"', ": 1}"]])
    outcome = run_it("Go", tools=[stock], output=Report, model=model)
    assert [type(part).__name__ for part in outcome.transcript[1].parts] == [
        "TextPart",
        "ToolCall",
        "TextPart",
        "ToolCall",
        "TextPart",
    ]
    assert outcome.value == Report(n=1)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_an_answer_in_exactly_the_last_step(run_it: Run, steps: int) -> None:
    """It is a success like any other: the limit was not met."""
    calls = [call(f"{n}", "stock", sku="a" * n) for n in range(1, steps)]
    for output, answer in ((str, "done"), (REPORT, call("r", "report", n=1))):
        model = ScriptedModel([*calls, answer])
        outcome = run_it("Go", tools=[stock], output=output, model=model, limits=Limits(steps=steps))
        assert (outcome.ok, outcome.steps, len(model.requests)) == (True, steps, steps)
        assert outcome.stop in ("final", "output_tool")


def test_every_stop_has_what_was(run_it: Run, ending: Ending) -> None:
    """Transcript, usage, steps and who answered, in the error as in the outcome of a fall-back."""
    with pytest.raises(RunError) as caught:
        end(run_it, ending)
    outcome = end(run_it, ending, fallback=None)
    assert replace(outcome, fallback=False) == replace(caught.value.outcome)
    assert outcome.model == "scripted"
    assert outcome.steps >= 1
    calls = [each.id for message in outcome.transcript for each in message.calls]
    assert [result.call_id for result in results_of(outcome)] == calls


def test_options_that_are_none() -> None:
    """What a run cannot be told is a ValueError that names it."""
    wrongs: list[tuple[str, Any]] = [
        ("tool_choice", ""),
        ("tool_choice", None),
        ("run_id", ""),
        ("run_id", 5),
        ("settings", {"temperature": 1}),
        ("history", 40),
        ("checkpoint", "file.json"),
        ("trace", 5),
    ]
    for name, wrong in wrongs:
        with pytest.raises(ValueError, match=rf"RunOptions\.{name}"):
            RunOptions(**{name: wrong})


def test_hooks_that_would_have_to_be_awaited() -> None:
    """A checkpoint or a trace is an ordinary function."""

    async def later(_: Any) -> None:
        """Do it later."""

    for name in ("checkpoint", "trace", "on_alert"):
        with pytest.raises(ValueError, match="an ordinary function"):
            RunOptions(**{name: later})  # type: ignore[arg-type]  # the fault that is tested


def test_a_hook_that_hides_that_it_would_have_to_be_awaited(run_it: Run) -> None:
    """An object whose call is async saves nothing, and is refused, or awaited, but not passed over."""
    kept: list[Any] = []

    class Store:
        async def __call__(self, state: Any) -> None:
            kept.append(state)

    try:
        run_it("Go", model=ScriptedModel(["done"]), options=RunOptions(checkpoint=Store()))
    except ValueError:
        return
    assert kept
