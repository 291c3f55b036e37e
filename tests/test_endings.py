"""How runs end: with an answer, with what was to be taken in place of one, or with an error."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from pydantic import BaseModel

from magic_tools import (
    Issue,
    LimitError,
    Limits,
    Message,
    ModelError,
    ModelReply,
    Outcome,
    OutputError,
    RefusalError,
    RepeatError,
    RunError,
    RunOptions,
    ScriptedModel,
    StallError,
    TextPart,
    ToolFailuresError,
    TruncatedError,
    Usage,
    aextract,
    ask_user,
    extract,
    run,
)
from magic_tools.options import NO_FALLBACK
from tests.stock import STOCK, Report, call, results_of, stock
from tests.ways import RunIt as Run


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
