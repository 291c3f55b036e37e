"""Edges of the loop's decisions: the same again, beside what cannot be made, at the end of its limits."""

from __future__ import annotations

import json

import pytest

from magic_tools.loop.machine import closed, progressed, step
from magic_tools.loop.state import CallFacts, LoopState
from magic_tools.loop.steps import (
    AskPerson,
    CallModel,
    ChoosePhase,
    Event,
    Finish,
    Moved,
    Previewed,
    RunTools,
    Started,
    TimedOut,
    ToolsRan,
)
from magic_tools.messages import ErrorCode, Message, TextPart, ToolResult
from tests.loop.events import ASKED, ISSUES, after, calls, fresh, limited, ran, text


@pytest.mark.parametrize(
    ("event", "action"),
    [
        (text("silent", ""), Finish("step_limit", ok=False)),
        (text("invalid"), Finish("step_limit", ok=False, issues=ISSUES)),
        (TimedOut(), Finish("step_limit", ok=False)),
        (calls("stock"), Finish("step_limit", ok=False)),
    ],
)
def test_the_reason_of_the_last_request_is_that_of_the_end(event: Event, action: Finish) -> None:
    """No count that the last reply fills up takes its place, nor the time that it took."""
    state, _ = after(calls("stock"), "", state=limited(steps=1, retries=0, stalls=0))
    assert after(event, state=state)[1] == action


def test_text_where_a_call_is_the_answer_is_told_so() -> None:
    """The model is told what to call, and counts as one that gave an answer that does not fit."""
    state, action = after(text("uncalled"), state=limited(retries=1)._replace(answer_tools=("report", "short")))
    assert action == CallModel("auto")
    assert state.transcript[-1] == Message.user(
        "Text does not end this run. Give the answer by calling either report or short."
    )
    assert state.refusals == 1
    assert after(text("uncalled", "13"), state=state)[1] == Finish("invalid_output", ok=False)


def test_a_repeat_is_no_failure_of_its_tool() -> None:
    """What was not run, as it was run before, or was one call too many, does not count as another failure."""
    state = limited(retries=1, calls_per_step=2)
    state, action = after(calls("stock:1"), "stock", calls("stock:1", "sell:1"), "", state=state)
    assert (action, state.failures["stock"]) == (CallModel("auto"), 1)
    state, action = after(calls("sell:2", "sell:3", "stock:2"), "", state=state)
    assert (action, state.failures["stock"]) == (CallModel("auto"), 1)


def test_a_call_again_whose_first_was_refused() -> None:
    """A call that stands twice in a reply, and was refused before it ran, is none of the latest calls."""
    state, action = after(calls("stock:1", "stock:1"))
    assert isinstance(action, RunTools)
    (made,) = action.calls
    refusal = ToolResult(made.id, "stock", "No.", is_error=True, code=ErrorCode.INVALID_ARGUMENT, effect="none")
    state, action = after(ToolsRan((refusal,)), state=state)
    assert (action, state.recent) == (CallModel("auto"), ())
    assert LoopState.from_data(json.loads(json.dumps(state.to_data()))) == state


def test_a_call_that_was_under_way_is_told_so() -> None:
    """Where the run ends while a call is made, its result names it, and says that nothing is known of it."""
    state, _ = after(calls("stock", "sell"))
    under_way, waits = closed(progressed(state, ["c1"], {}))[-1].parts
    assert isinstance(under_way, ToolResult)
    assert isinstance(waits, ToolResult)
    assert under_way == ToolResult(
        "c1",
        "stock",
        "stock was under way when the run was stopped; whether it had an effect is not known.",
        is_error=True,
        code=ErrorCode.UNKNOWN_EFFECT,
        effect="unknown",
    )
    assert (waits.content, waits.effect) == ("Not run: the run was stopped before.", "none")


def test_a_repeat_of_the_last_call_is_not_counted_as_one() -> None:
    """It was not made, so that the latest calls stay as they were."""
    state, _ = after(calls("stock:1"), "", calls("sell:1"), "")
    assert after(calls("sell:1"), state=state)[0].recent == state.recent
    assert [(done.digest, done.times) for done in state.recent] == [("stock 1", 1), ("sell 1", 1)]


def test_a_repeat_is_told_what_that_call_came_to() -> None:
    """It is the result of the same call that is told, and not of another that was made before."""
    state, _ = after(
        calls("stock:1", ids=("a",)),
        ToolsRan((ToolResult("a", "stock", "three"),)),
        calls("sell:1", ids=("b",)),
        ToolsRan((ToolResult("b", "sell", "sold"),)),
        calls("sell:1", ids=("c",)),
    )
    (result,) = state.transcript[-1].parts
    assert isinstance(result, ToolResult)
    assert "sell was called with these arguments before (1 time)" in result.content
    assert result.content.endswith("It was: sold")


def test_repeats_of_one_call_are_not_those_of_another() -> None:
    """Each may be made as often as the limit says, whatever was made before it."""
    state = limited(repeats=2)
    for call in ("stock:1", "stock:1", "sell:1", "sell:1"):
        state, action = after(calls(call), state=state)
        assert isinstance(action, RunTools)
        state, _ = step(state, ran(state, action))
    assert isinstance(after(calls("sell:1"), state=state)[1], CallModel)


def test_a_circle_with_what_may_be_polled_is_none() -> None:
    """What is polled may have something new to say each time, so that the calls around it may be made again."""
    state = limited(steps=50)
    for _ in range(6):
        for event in (calls("stock", exempt=True), calls("sell")):
            state, action = after(event, state=state)
            assert isinstance(action, RunTools)
            state, _ = step(state, ran(state, action))


def test_what_there_is_not_is_nothing_done() -> None:
    """Between two of the same call, one of an unknown tool, or with wrong arguments, makes no difference."""
    for name, code in (("nowhere", ErrorCode.NOT_FOUND), ("stock", ErrorCode.INVALID_ARGUMENT)):
        wrong = calls(name)._replace(calls=(CallFacts(known=name == "stock"),))
        refusal = ToolResult("c1_2", name, "No.", is_error=True, code=code, effect="none")
        state, _ = after(calls("sell:1"), "", wrong, ToolsRan((refusal,)))
        assert isinstance(after(calls("sell:1"), state=state)[1], CallModel)


def test_what_could_not_be_made_beside_a_repeat_is_told_as_not_run() -> None:
    """Where a reply of nothing but repeats ends the tools, a call that there is not is no repeat."""
    state, _ = after(calls("stock:1"), "", calls("stock:1"))
    assert state.hinted
    state, action = after(calls("stock:1", "nowhere"), state=state)
    assert (action, state.closing) == (CallModel("none", last=True), "repeat")
    repeat, other = state.transcript[-2].parts
    assert isinstance(repeat, ToolResult)
    assert isinstance(other, ToolResult)
    assert "stock was called with these arguments before (1 time)" in repeat.content
    assert other.content == "Not run: the run is at its end."


def test_what_is_no_repeat_does_not_end_the_run() -> None:
    """After a hint, a reply whose only call cannot be made is let go on: it repeats nothing."""
    state, _ = after(calls("stock:1"), "", calls("stock:1"))
    assert state.hinted
    state, action = after(calls("nowhere"), state=state)
    assert isinstance(action, RunTools)
    assert state.closing is None


def test_the_seconds_of_all_events_add_up() -> None:
    """Whatever happened took its time, also what a person was shown, and where the conversation moved to."""
    state, action = after(calls("stock", held="approval")._replace(seconds=1.0))
    assert isinstance(action, AskPerson)
    state, _ = after(Previewed({"c1": None}, 2.0), state=state)
    state, _ = after(Started({"c1": True}), state=state._replace(phase="a"))
    state, action = after(ToolsRan((ToolResult("c1", "stock", "ok"),), 4.0), state=state)
    assert isinstance(action, ChoosePhase)
    state, _ = after(Moved("b", 8.0), state=state)
    state, _ = after(TimedOut(16.0), state=state)
    assert (state.seconds, state.phase, state.closing) == (31.0, "b", "deadline")


def test_the_answer_that_was_just_refused_is_a_stall() -> None:
    """Given again it is told so, and counts as silence does; another one begins the count again."""
    state = limited(retries=9, stalls=1)
    wrong, other = text("invalid", "12"), text("invalid", "13")
    state, action = after(wrong, wrong, state=state)
    assert (action, state.stalls) == (CallModel("auto"), 1)
    assert state.transcript[-1].text.startswith("Your reply is the one that was refused before: name: expected a")
    assert after(wrong, state=state)[1] == Finish("stall", ok=False, issues=ISSUES)
    assert after(other, wrong, other, state=state)[0].stalls == 0


def test_what_was_answered_before_the_run_is_not_said_again() -> None:
    """An answer like one of the earlier conversation is no stall."""
    asked = (ASKED, Message("assistant", (TextPart("12"),)), Message.user("Are you sure?"))
    state, _ = after(text("invalid", "12"), state=limited()._replace(transcript=asked, asked=3))
    assert (state.stalls, state.refusals) == (0, 1)


def test_the_same_calls_beside_each_other_fail_once() -> None:
    """A failure of a reply counts for its tool though another call of it in the same reply came to something."""
    state, action = after(fresh("stock", "stock"))
    assert isinstance(action, RunTools)
    bad, good = (ToolResult(call.id, call.name, "ok", is_error=n == 0) for n, call in enumerate(action.calls))
    assert step(state, ToolsRan((bad, good)))[0].failures["stock"] == 1
