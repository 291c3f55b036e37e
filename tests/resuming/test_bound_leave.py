"""For what leave holds: for that call, with those arguments, of the tool as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

import pytest

from magic_tools import (
    ContractWithdrawnError,
    ErrorCode,
    Injected,
    Policy,
    RunOptions,
    ScriptedModel,
    Tool,
    Toolset,
    output_tool,
    tool,
)
from tests.resuming.bank import APPROVAL, PAY, Bank, Login, assert_whole, call, paused, stored, unpinned
from tests.ways import Ways, results_in


def another(fn: Callable[..., Any], policy: Policy = APPROVAL) -> Tool[..., Any]:
    """A tool `pay` of another signature."""
    return tool(fn, name="pay", policy=policy)


DONE: list[str] = []


def with_currency(to: str, amount: int = 1, currency: str = "EUR") -> str:
    """Pay somebody."""
    DONE.append("ran")
    return "paid"


def with_wider_amount(to: str, amount: float = 1) -> str:
    """Pay somebody."""
    DONE.append("ran")
    return "paid"


def with_another_default(to: str, amount: int = 1_000_000) -> str:
    """Pay somebody."""
    DONE.append("ran")
    return "paid"


def with_another_result(to: str, amount: int = 1) -> int:
    """Pay somebody."""
    DONE.append("ran")
    return 1


def with_narrower_name(to: Annotated[str, "A name"], amount: int = 1) -> str:
    """Pay somebody."""
    DONE.append("ran")
    return "paid"


@pytest.mark.parametrize("fn", [with_currency, with_wider_amount, with_another_default, with_another_result])
def test_leave_for_a_tool_that_promises_something_else_by_now(ways: Ways, fn: Callable[..., Any]) -> None:
    """Where the contract of an unpinned run changed, the person is asked anew, shown anew, and can then give leave."""
    DONE.clear()
    outcome = paused(ways, Bank().tools, PAY)
    tools = [another(fn)]
    after = ways.resume(unpinned(outcome.state), {"p": True}, tools=tools, model=ScriptedModel([]))
    assert (after.stop, DONE) == ("needs_approval", [])
    assert_whole(after.transcript)
    assert after.waiting[0].preview == after.waiting[0].arguments
    after = ways.resume(stored(after.state), {"p": True}, tools=tools, model=ScriptedModel(["done"]))
    assert (after.value, DONE) == ("done", ["ran"])


def test_leave_for_a_tool_of_another_text(ways: Ways) -> None:
    """A text for the model is no part of what is promised: in a run that is not pinned leave holds."""
    DONE.clear()
    outcome = paused(ways, Bank().tools, PAY)
    tools = [another(with_narrower_name)]
    assert ways.resume(unpinned(outcome.state), {"p": True}, tools=tools, model=ScriptedModel(["done"])).ok
    assert DONE == ["ran"]


def test_leave_for_arguments_that_fit_no_more(ways: Ways) -> None:
    """Where the call of an unpinned run cannot be made any more, the model is told why, and nothing is asked."""

    def pay(to: int) -> str:
        """Pay somebody."""
        DONE.append("ran")
        return "paid"

    DONE.clear()
    outcome = paused(ways, Bank().tools, PAY)
    after = ways.resume(unpinned(outcome.state), {"p": True}, tools=[another(pay)], model=ScriptedModel(["done"]))
    assert (results_in(after.transcript)[0].code, DONE) == (ErrorCode.INVALID_ARGUMENT, [])


def edited(state: Any, **arguments: Any) -> Any:
    """The state with other arguments wherever the call stands."""
    text = json.dumps(json.dumps({"to": "Ann"}))
    assert text in json.dumps(state)
    return json.loads(json.dumps(state).replace(text, json.dumps(json.dumps(arguments))))


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        ({"to": "Eve"}, False),
        ({"to": "Ann", "amount": 2}, False),
        ({"to": "Ann "}, False),
        ({"to": "ann"}, False),
        ({"to": "Ａnn"}, False),
        ({"to": "Ann", "amount": 1}, True),
        ({"amount": 1.0, "to": "Ann"}, True),
    ],
)
def test_leave_is_for_the_arguments(ways: Ways, arguments: dict[str, Any], holds: bool) -> None:
    """A state in which the arguments were edited needs leave anew, unless they come to the same."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY)
    state = edited(stored(outcome.state), **arguments)
    after = ways.resume(state, {"p": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert (after.stop, bank.done) == (("final", ["pay Ann 1"]) if holds else ("needs_approval", []))
    if not holds:
        assert after.waiting[0].arguments == {"to": "Ann", "amount": 1} | arguments


def test_leave_for_a_tool_that_is_gone(ways: Ways) -> None:
    """The run ends before anything is done; whoever forgot the tools can resume the state that they have with them."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY)
    for tools in ([bank.note], Toolset(bank.pay).renamed({"pay": "pay_out"}), ()):
        for state in (stored(outcome.state), unpinned(outcome.state)):
            with pytest.raises(
                ContractWithdrawnError, match=r"no tool called 'pay' any more.*: (note|pay_out|none)\."
            ) as caught:
                ways.resume(state, {"p": True}, tools=tools, model=ScriptedModel([]))
            assert caught.value.outcome.stop == "contract_withdrawn"
            assert_whole(caught.value.outcome.transcript)
    assert ways.resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=ScriptedModel(["done"])).ok
    assert bank.done == ["pay Ann 1"]


@pytest.mark.parametrize("output", [int, output_tool("end", "The end", Login)])
def test_another_output_than_that_of_the_run(ways: Ways, output: Any) -> None:
    """A run that has been asked for one type of answer does not go on with another."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY, output=output)
    with pytest.raises(ValueError, match="begun with another output"):
        ways.resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=ScriptedModel([]))
    assert bank.done == []


def test_leave_is_for_what_the_context_fills_in(ways: Ways) -> None:
    """Under another tenant it is another call, for which the person is asked anew."""
    done: list[str] = []

    @tool(policy=Policy(approval=True))
    def pay(to: str, tenant: Injected[str]) -> str:
        """Pay somebody."""
        done.append(f"{to} of {tenant}")
        return "paid"

    outcome = paused(ways, [pay], PAY, context={"tenant": "shop-1"})
    state = stored(outcome.state)
    again = ways.resume(state, {"p": True}, tools=[pay], model=ScriptedModel([]), context={"tenant": "shop-2"})
    assert (again.stop, done) == ("needs_approval", [])
    after = ways.resume(state, {"p": True}, tools=[pay], model=ScriptedModel(["ok"]), context={"tenant": "shop-1"})
    assert (after.ok, done) == (True, ["Ann of shop-1"])


def test_leave_for_a_tool_whose_scope_is_gone(ways: Ways) -> None:
    """A context that grants less by now refuses, whatever a person allowed."""
    bank = Bank(Policy(approval=True, scopes=("money",)))
    outcome = paused(ways, bank.tools, PAY, context={"scopes": ["money"]})
    after = ways.resume(
        stored(outcome.state), {"p": True}, tools=bank.tools, model=ScriptedModel(["done"]), context={"scopes": []}
    )
    assert results_in(after.transcript)[0].is_error
    assert bank.done == []


def test_a_tool_that_needs_no_leave_any_more(ways: Ways) -> None:
    """What waits still waits until it is decided, and then runs, or does not."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY)
    free = Bank(Policy())
    state = stored(outcome.state)
    assert ways.resume(state, tools=free.tools, model=ScriptedModel([])).stop == "needs_approval"
    assert free.done == []
    assert ways.resume(state, {"p": False}, tools=free.tools, model=ScriptedModel(["no"])).value == "no"
    assert free.done == []
    assert ways.resume(state, {"p": True}, tools=free.tools, model=ScriptedModel(["yes"])).value == "yes"
    assert free.done == ["pay Ann 1"]


def test_a_tool_that_needs_leave_by_now_does_not_run_without(ways: Ways) -> None:
    """A call that was lost before it began is not made, where its tool has begun to ask for leave."""
    free = Bank(Policy())
    kept: list[Any] = []
    ways.run(
        "Go",
        tools=free.tools,
        model=ScriptedModel([[call("n", "note", text="x"), PAY], "done"]),
        options=RunOptions(checkpoint=kept.append),
    )
    before = next(state for state in kept if state["pending"])
    bank = Bank()
    lost = stored(before)
    for pending in lost["pending"]:
        pending["status"] = "to_run"
    model = ScriptedModel(["done"])
    after = ways.resume(lost, tools=bank.tools, model=model)
    assert "pay Ann 1" not in bank.done
    assert_whole(after.transcript)


def test_a_tool_that_needs_leave_by_now_asks_for_it(ways: Ways) -> None:
    """A call that was lost before it began waits for leave, where its tool has begun to ask for it."""
    free = Bank(Policy())
    errors: list[BaseException] = [KeyboardInterrupt()]

    def checkpoint(state: Any) -> None:
        if state["pending"] and errors:
            raise errors.pop()

    with pytest.raises(KeyboardInterrupt) as caught:
        ways.run("Go", tools=free.tools, model=ScriptedModel([PAY]), options=RunOptions(checkpoint=checkpoint))
    state = stored(caught.value.outcome.state)  # type: ignore[attr-defined]  # which it was given
    after = ways.resume(state, tools=Bank().tools, model=ScriptedModel(["done"]))
    assert after.stop == "needs_approval"


class SlowBank(Bank):
    """A bank of which one payment interrupts the run, so that others were allowed and not begun."""

    def __init__(self) -> None:
        super().__init__()

        @tool(policy=Policy(approval=True, sequential=True))
        def stop() -> None:
            """Stop the run."""
            raise KeyboardInterrupt

        self.stop = stop

    @property
    def tools(self) -> tuple[Tool[..., Any], ...]:
        return (self.pay, self.note, self.stop)


def allowed_and_not_begun(ways: Ways) -> Any:
    """A state in which a call was allowed, and was not begun when the run was stopped."""
    bank = SlowBank()
    outcome = paused(ways, bank.tools, call("s", "stop"), PAY)
    with pytest.raises(KeyboardInterrupt) as caught:
        ways.resume(stored(outcome.state), {"s": True, "p": True}, tools=bank.tools, model=ScriptedModel([]))
    assert bank.done == []
    return stored(caught.value.outcome.state)  # type: ignore[attr-defined]  # which it was given


def test_leave_that_was_given_and_not_used_still_holds(ways: Ways) -> None:
    """A call that was allowed and not begun is made when the run goes on, without a second question."""
    bank = SlowBank()
    after = ways.resume(allowed_and_not_begun(ways), tools=bank.tools, model=ScriptedModel(["done"]))
    assert (after.value, bank.done) == ("done", ["pay Ann 1"])
    assert [result.code for result in results_in(after.transcript)] == [ErrorCode.UNKNOWN_EFFECT, None]


def test_leave_that_was_given_and_not_used_is_for_that_call(ways: Ways) -> None:
    """It holds no more where the arguments in the state were edited."""
    bank = SlowBank()
    state = edited(allowed_and_not_begun(ways), to="Eve", amount=1_000_000)
    after = ways.resume(state, tools=bank.tools, model=ScriptedModel(["done"]))
    assert bank.done == []
    assert after.stop == "needs_approval"


@pytest.mark.parametrize("fn", [with_currency, with_another_default])
def test_leave_that_was_given_and_not_used_is_for_that_contract(ways: Ways, fn: Callable[..., Any]) -> None:
    """It holds no more where the tool promises something else, or its call comes to something else."""
    DONE.clear()
    state = unpinned(allowed_and_not_begun(ways))
    after = ways.resume(state, tools=[another(fn)], model=ScriptedModel(["done"]))
    assert DONE == []
    assert after.stop == "needs_approval"


def test_leave_of_a_call_that_may_be_made_again_is_for_that_contract(ways: Ways) -> None:
    """An idempotent call that was under way is not made with other arguments than those that were allowed."""
    bank = Bank(Policy(approval=True, idempotent=True))
    outcome = paused(ways, bank.tools, PAY)
    kept: list[Any] = []
    ways.resume(
        stored(outcome.state),
        {"p": True},
        tools=bank.tools,
        model=ScriptedModel(["done"]),
        options=RunOptions(checkpoint=kept.append),
    )
    started = next(state for state in kept if state["pending"] and state["pending"][0]["status"] == "started")
    bank.done.clear()
    after = ways.resume(edited(stored(started), to="Eve"), tools=bank.tools, model=ScriptedModel(["done"]))
    assert bank.done == []
    assert after.stop == "needs_approval"
