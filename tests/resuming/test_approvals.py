"""Calls that need leave wait for it: with it they are made once, and without it never."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from magic_tools import (
    ErrorCode,
    Limits,
    ModelReply,
    Policy,
    RunError,
    ScriptedModel,
    ToolCall,
    WaitingCall,
    output_tool,
)
from magic_tools.values import JsonValue
from tests.resuming.bank import PAY, Bank, assert_whole, call, paused, stored
from tests.ways import Ways, results_in

# Leave


def test_a_call_that_needs_leave_pauses_the_run(ways: Ways) -> None:
    """Nothing of it is done; the outcome says what waits, in canonical form, and its transcript is whole."""
    bank = Bank()
    model = ScriptedModel([["I will pay.", call("p", "pay", to="Ann", amount=3.0)]])
    outcome = ways.run("Pay Ann", tools=bank.tools, model=model)
    assert (outcome.stop, outcome.ok, outcome.value, outcome.steps) == ("needs_approval", False, None, 1)
    shown: JsonValue = {"to": "Ann", "amount": 3}
    assert outcome.waiting == (WaitingCall("p", "pay", "approval", shown, shown),)
    assert bank.done == []
    assert_whole(outcome.transcript)
    (result,) = results_in(outcome.transcript)
    assert result.is_error
    assert "waits for a person" in result.content
    assert outcome.transcript[1].text == "I will pay."


def test_the_defaults_are_shown(ways: Ways) -> None:
    """What a call leaves out is shown as it will be."""
    (waiting,) = paused(ways, Bank().tools, PAY).waiting
    assert waiting.preview == waiting.arguments == {"to": "Ann", "amount": 1}


def test_with_leave_the_call_is_made_once(ways: Ways) -> None:
    """Then the model is told its result as if the run had not stood still."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY)
    model = ScriptedModel(["done"])
    after = ways.resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=model)
    assert (after.value, after.stop, after.ok, after.waiting, after.steps) == ("done", "final", True, (), 2)
    assert bank.done == ["pay Ann 1"]
    assert_whole(model.requests[0].messages)
    assert [result.content for result in results_in(after.transcript)] == ["paid Ann 1"]


def test_without_leave_the_model_is_told(ways: Ways) -> None:
    """The refusal is an error result under its code, nothing is done, and the run goes on."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY)
    after = ways.resume(stored(outcome.state), {"p": False}, tools=bank.tools, model=ScriptedModel(["sorry"]))
    (result,) = results_in(after.transcript)
    assert (result.is_error, result.code, result.effect) == (True, ErrorCode.REQUIRES_APPROVAL, "none")
    assert "refused" in result.content
    assert (after.value, after.ok, bank.done) == ("sorry", True, [])


def test_what_was_refused_is_not_asked_at_once_again(ways: Ways) -> None:
    """A model that was refused cannot have the person asked the same again: it is told so, and then the run ends."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY)
    model = ScriptedModel([call("q", "pay", to="Ann"), call("r", "pay", to="Ann"), "I may not."])
    after = ways.resume(stored(outcome.state), {"p": False}, tools=bank.tools, model=model)
    assert (after.value, after.stop, bank.done) == ("I may not.", "repeat", [])
    assert "refused" in results_in(after.transcript)[1].content


def test_what_was_refused_is_asked_anew_after_something_else(ways: Ways) -> None:
    """One refusal, or one leave, is for one call: the next of the same arguments waits again."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY)
    again = ScriptedModel([call("n", "note", text="no"), call("q", "pay", to="Ann")])
    after = ways.resume(stored(outcome.state), {"p": False}, tools=bank.tools, model=again)
    assert (after.stop, [each.call_id for each in after.waiting]) == ("needs_approval", ["q"])
    after = ways.resume(stored(after.state), {"q": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert bank.done == ["note no", "pay Ann 1"]
    assert after.ok


def test_an_id_that_comes_again_has_no_leave(ways: Ways) -> None:
    """Leave for a call is not that for a later one to which the model gives the same id."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY)
    after = ways.resume(
        stored(outcome.state), {"p": True}, tools=bank.tools, model=ScriptedModel([call("p", "pay", to="Eve")])
    )
    assert after.stop == "needs_approval"
    assert [(each.call_id, each.arguments) for each in after.waiting] == [("p_2", {"to": "Eve", "amount": 1})]
    assert bank.done == ["pay Ann 1"]


def test_calls_without_an_id(ways: Ways) -> None:
    """What waits has an id of its own, by which it is decided."""
    bank = Bank()
    outcome = paused(ways, bank.tools, call("", "pay", to="Ann"), call("", "pay", to="Bob"))
    one, other = (each.call_id for each in outcome.waiting)
    assert one
    assert other
    assert one != other
    ways.resume(stored(outcome.state), {other: True, one: False}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert bank.done == ["pay Bob 1"]


def test_other_calls_run_first_and_once(ways: Ways) -> None:
    """Calls of the same reply that need no leave are made before the person is asked, and never again."""
    bank = Bank()
    calls = (call("a", "note", text="one"), PAY, call("b", "note", text="two"), call("c", "nothing"))
    outcome = paused(ways, bank.tools, *calls)
    assert sorted(bank.done) == ["note one", "note two"]
    assert [result.call_id for result in results_in(outcome.transcript)] == ["a", "p", "b", "c"]
    after = ways.resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert sorted(bank.done) == ["note one", "note two", "pay Ann 1"]
    assert [result.content for result in results_in(after.transcript)][:3] == ["noted one", "paid Ann 1", "noted two"]
    assert_whole(after.transcript)


def test_several_calls_are_decided_one_by_one(ways: Ways) -> None:
    """What is decided is done at once; what is not decided still waits, as it was shown."""
    bank = Bank()
    names = ["Ann", "Bob", "Eve"]
    outcome = paused(ways, bank.tools, *(call(name, "pay", to=name) for name in names))
    assert [each.call_id for each in outcome.waiting] == names
    first = outcome.waiting
    nothing = ScriptedModel([])
    outcome = ways.resume(stored(outcome.state), {"Bob": True}, tools=bank.tools, model=nothing)
    assert (bank.done, outcome.waiting) == (["pay Bob 1"], (first[0], first[2]))
    outcome = ways.resume(stored(outcome.state), {"Eve": False}, tools=bank.tools, model=nothing)
    assert outcome.waiting == first[:1]
    with pytest.raises(ValueError, match=r"no call 'Bob' waits .*there are: 'Ann'"):
        ways.resume(stored(outcome.state), {"Bob": True}, tools=bank.tools, model=nothing)
    outcome = ways.resume(stored(outcome.state), {"Ann": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert bank.done == ["pay Bob 1", "pay Ann 1"]
    assert [result.is_error for result in results_in(outcome.transcript)] == [False, False, True]
    assert outcome.value == "done"


@pytest.mark.parametrize("decisions", [None, {}])
def test_nothing_decided(ways: Ways, decisions: Any) -> None:
    """Without a decision a run pauses as it did, as often as one likes, and the model is not asked."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY)
    for _ in range(3):
        again = ways.resume(stored(outcome.state), decisions, tools=bank.tools, model=ScriptedModel([]))
        assert (again.stop, again.waiting, again.transcript) == (outcome.stop, outcome.waiting, outcome.transcript)
        outcome = again
    assert bank.done == []


@pytest.mark.parametrize(
    "decisions",
    [
        {"p": 1},
        {"p": 0},
        {"p": "yes"},
        {"p": "True"},
        {"p": None},
        {"p": [True]},
        {"p": {"approved": True}},
        {"q": True},
        {"": True},
        {0: True},
        {None: True},
        {"p": True, "q": True},
        {"P": True},
        {"n": True},
        pytest.param(["p"]),
        pytest.param(True),
        pytest.param("p"),
    ],
    ids=str,
)
def test_wrong_decisions(ways: Ways, decisions: Any) -> None:
    """What is no decision, or of no call that waits, is a ValueError before anything is done."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY, call("n", "note", text="x"))
    bank.done.clear()
    with pytest.raises(ValueError, match=r"needs approval, which is True or False|waits for a decision|decisions"):
        ways.resume(stored(outcome.state), decisions, tools=bank.tools, model=ScriptedModel([]))
    assert bank.done == []


def test_a_call_by_hand_needs_leave() -> None:
    """`invoke` makes no call that needs leave unless it is told that it was given; so its async twin."""
    bank = Bank()
    for result in (bank.pay.invoke({"to": "Ann"}), asyncio.run(bank.pay.ainvoke('{"to": "Ann"}'))):
        assert (result.is_error, result.code, result.effect) == (True, ErrorCode.REQUIRES_APPROVAL, "none")
    assert bank.done == []
    assert bank.pay.invoke({"to": "Ann"}, approved=True).content == "paid Ann 1"
    assert asyncio.run(bank.pay.ainvoke({"to": "Bob"}, approved=True)).content == "paid Bob 1"


def test_the_fall_back_of_a_tool_is_no_way_round_leave() -> None:
    """A tool with a fall-back refuses like any other."""
    bank = Bank(fallback="paid nobody")
    result = bank.pay.invoke({"to": "Ann"})
    assert (result.code, result.fallback) == (ErrorCode.REQUIRES_APPROVAL, False)


@pytest.mark.parametrize("policy", [Policy(approval=True, idempotent=True), Policy(approval=True, read_only=True)])
def test_an_earlier_result_stands_for_no_leave(ways: Ways, policy: Policy) -> None:
    """Where a tool is idempotent too, the second call is not answered by the first without a person's word."""
    bank = Bank(policy)
    outcome = paused(ways, bank.tools, PAY)
    model = ScriptedModel([call("n", "note", text="x"), call("q", "pay", to="Ann")])
    outcome = ways.resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=model)
    assert (outcome.stop, [each.call_id for each in outcome.waiting]) == ("needs_approval", ["q"])


def test_the_same_call_twice_in_a_reply_waits_once(ways: Ways) -> None:
    """The second would be a repeat, and is told with what the first came to."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY, call("q", "pay", amount=1, to="Ann"))
    assert [each.call_id for each in outcome.waiting] == ["p"]
    after = ways.resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert bank.done == ["pay Ann 1"]
    assert [result.is_error for result in results_in(after.transcript)] == [False, True]
    assert "paid Ann 1" in results_in(after.transcript)[1].content


@pytest.mark.parametrize("arguments", ['{"to": [5]}', '{"to": "Ann", "amoun": 1}', '{"to": ', "[]", '{"to": null}', ""])
def test_arguments_that_do_not_fit_are_not_asked_about(ways: Ways, arguments: str) -> None:
    """The model is told at once; no person is shown what could not be made anyway."""
    bank = Bank()
    model = ScriptedModel([ToolCall("p", "pay", arguments), "sorry"])
    outcome = ways.run("Go", tools=bank.tools, model=model)
    assert (outcome.value, bank.done) == ("sorry", [])
    assert results_in(outcome.transcript)[0].code is ErrorCode.INVALID_ARGUMENT


def test_calls_over_the_most_of_a_reply_are_not_asked_about(ways: Ways) -> None:
    """What is not made for want of room needs no leave."""
    bank = Bank()
    calls = [call(name, "pay", to=name) for name in "abc"]
    outcome = paused(ways, bank.tools, *calls, limits=Limits(calls_per_step=2))
    assert [each.call_id for each in outcome.waiting] == ["a", "b"]


def test_nobody_is_asked_at_the_end(ways: Ways) -> None:
    """Calls of a last, a cut or a declined reply are answered as not run, without a pause."""
    bank = Bank()
    model = ScriptedModel([call("n", "note", text="x"), PAY])
    with pytest.raises(RunError) as caught:
        ways.run("Go", tools=bank.tools, model=model, limits=Limits(steps=1))
    assert (caught.value.outcome.stop, caught.value.outcome.waiting) == ("step_limit", ())
    for finish in ("length", "refusal"):
        with pytest.raises(RunError):
            ways.run("Go", tools=bank.tools, model=ScriptedModel([ModelReply((PAY,), finish)]))
    assert bank.done == ["note x"]


def test_an_answer_beside_it_ends_the_run(ways: Ways) -> None:
    """Where the same reply gives the answer by an output tool, nobody is asked."""

    class Report(BaseModel):
        text: str

    bank = Bank()
    report = output_tool("report", "The report", Report)
    outcome = ways.run(
        "Go", tools=bank.tools, output=report, model=ScriptedModel([[PAY, call("r", "report", text="all")]])
    )
    assert (outcome.value, outcome.stop, outcome.waiting, bank.done) == (Report(text="all"), "output_tool", (), [])


# Rules


@pytest.mark.parametrize("is_async", [False, True])
def test_a_call_that_a_rule_refuses_is_not_asked_about(ways: Ways, is_async: bool) -> None:
    """The author's rules come before the person: what they refuse the model is told at once."""
    bank = Bank()

    def most(amount: int) -> None:
        if amount > 10:
            raise ValueError("at most 10")

    async def most_later(amount: int) -> None:
        await asyncio.sleep(0)
        most(amount)

    bank.pay.rule(most_later if is_async else most)
    outcome = ways.run("Go", tools=bank.tools, model=ScriptedModel([call("p", "pay", to="Ann", amount=11), "sorry"]))
    assert outcome.value == "sorry"
    assert (results_in(outcome.transcript)[0].code, bank.done) == (ErrorCode.INVALID_ARGUMENT, [])
    assert "at most 10" in results_in(outcome.transcript)[0].content


def test_a_rule_that_refuses_after_leave(ways: Ways) -> None:
    """A rule that has changed its mind while the run stood still stands above the leave."""
    bank = Bank()
    is_open = [True]
    bank.pay.rule(lambda: is_open[0])
    state = stored(paused(ways, bank.tools, PAY).state)
    is_open[0] = False
    for decisions in ({"p": True}, {}):
        after = ways.resume(state, decisions, tools=bank.tools, model=ScriptedModel(["sorry"]))
        assert (after.value, bank.done) == ("sorry", [])
        assert results_in(after.transcript)[0].code is ErrorCode.INVALID_ARGUMENT
