"""Edges of pauses and lost calls: what is said by name, and what is known of a call that was lost."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools import (
    ErrorCode,
    Policy,
    RunOptions,
    ScriptedModel,
)
from tests.resuming.bank import PAY, Bank, call, paused, stored
from tests.ways import Ways, results_in


def test_a_refusal_names_the_tool(ways: Ways) -> None:
    """The model is told which call a person did not allow, in the words of the run's language."""
    bank = Bank()
    for language, words in (
        ("en", "Not run: a person was asked to allow pay, and refused."),
        ("zh", "pay"),
    ):
        options: Any = RunOptions(language=language)  # type: ignore[arg-type]  # one of the two
        state = stored(paused(ways, bank.tools, PAY, options=options).state)
        after = ways.resume(state, {"p": False}, tools=bank.tools, model=ScriptedModel(["ok"]))
        (result,) = results_in(after.transcript)
        assert words in result.content
        assert "{" not in result.content


def test_a_call_by_hand_is_told_by_name() -> None:
    """Without leave, the result names the tool."""
    assert Bank().pay.invoke({"to": "Ann"}).content.startswith("pay did not run: it needs the leave of a person.")


def test_decisions_where_nothing_waits(ways: Ways) -> None:
    """The error says that there is none to decide, or which there are."""
    bank = Bank()
    kept: list[Any] = []
    ways.run("Go", tools=bank.tools, model=ScriptedModel(["done"]), options=RunOptions(checkpoint=kept.append))
    with pytest.raises(ValueError, match="no call 'p' waits for a decision; there are: none"):
        ways.resume(stored(kept[0]), {"p": True}, tools=bank.tools, model=ScriptedModel([]))
    state = stored(paused(ways, bank.tools, PAY).state)
    with pytest.raises(ValueError, match="no call 'q' waits for a decision; there are: 'p'"):
        ways.resume(state, {"q": True}, tools=bank.tools, model=ScriptedModel([]))


def lost_payment(ways: Ways, bank: Bank) -> Any:
    """The state of a run that was lost when the payment had begun."""
    kept: list[Any] = []
    options = RunOptions(checkpoint=lambda state: kept.append(stored(state)))
    ways.run("Go", tools=bank.tools, model=ScriptedModel([PAY, "done"]), options=options)
    bank.done.clear()
    return next(state for state in kept if state["pending"] and state["pending"][0]["status"] == "started")


def test_a_call_of_unknown_effect_beside_another(ways: Ways) -> None:
    """It is known among others of its reply, wherever it stands there."""
    bank = Bank(Policy())
    both = [call("m", "note", text="y"), call("q", "pay", to="Ann")]
    model = ScriptedModel([call("n", "note", text="x"), both, "done"])
    after = ways.resume(lost_payment(ways, bank), tools=bank.tools, model=model)
    unknown = ErrorCode.UNKNOWN_EFFECT
    assert [result.code for result in results_in(after.transcript)] == [unknown, None, None, unknown]
    assert bank.done == ["note x", "note y"]


def test_a_call_of_unknown_effect_that_is_sent_again_and_again(ways: Ways) -> None:
    """Once it was answered by that, it is a repeat like any other, though it was not made."""
    bank = Bank(Policy())
    again = [call(each, "pay", to="Ann") for each in "qr"]
    model = ScriptedModel([call("n", "note", text="x"), *again, "done"])
    after = ways.resume(lost_payment(ways, bank), tools=bank.tools, model=model)
    unknown = ErrorCode.UNKNOWN_EFFECT
    assert [result.code for result in results_in(after.transcript)] == [unknown, None, unknown, ErrorCode.CONFLICT]
    assert bank.done == ["note x"]


def test_a_call_that_was_made_after_all_is_no_longer_unknown(ways: Ways) -> None:
    """Where its author's function said that nothing was done, and it was then made, nobody looks for it again."""
    bank = Bank(Policy())
    found = ["unknown", "not_applied"]
    asked: list[str] = []

    def reconcile(to: str, amount: int) -> str:
        asked.append(to)
        return found.pop(0)

    bank.pay.reconcile(reconcile)
    state = lost_payment(ways, bank)
    note = call("n", "note", text="x")
    again = [call(each, "pay", to="Ann") for each in "qr"]
    other = call("m", "note", text="y")
    model = ScriptedModel([note, again[0], other, again[1], "done"])
    after = ways.resume(state, tools=bank.tools, model=model)
    assert [result.is_error for result in results_in(after.transcript)] == [True, False, False, False, False]
    assert bank.done == ["note x", "pay Ann 1", "note y", "pay Ann 1"]
    assert asked == ["Ann", "Ann"]


def test_what_is_told_of_a_lost_call(ways: Ways) -> None:
    """It is named where it was lost, and where it is sent again."""
    bank = Bank(Policy())
    model = ScriptedModel([call("n", "note", text="x"), call("q", "pay", to="Ann"), "done"])
    after = ways.resume(lost_payment(ways, bank), tools=bank.tools, model=model)
    lost, _, again = results_in(after.transcript)
    assert lost.content.startswith("pay was begun before the run was stopped;")
    assert again.content.startswith("pay was called with these arguments before,")


def test_a_rule_is_asked_once_for_a_call_of_a_run(ways: Ways) -> None:
    """Where no person is asked for leave, nothing of a call is looked at twice."""
    asked: list[str] = []
    bank = Bank(Policy())

    @bank.pay.rule
    def small(to: str) -> None:
        asked.append(to)

    ways.run("Go", tools=bank.tools, model=ScriptedModel([PAY, "done"]))
    assert asked == ["Ann"]
