"""Runs that are lost go on from a state that was kept: what was done is never done twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from magic_tools import (
    ErrorCode,
    IdempotencyKey,
    Injected,
    Limits,
    ModelError,
    Outcome,
    Policy,
    RunOptions,
    ScriptedModel,
    ToolCall,
    resume,
    tool,
)
from tests.resuming.bank import PAY, Bank, assert_whole, call, in_a_process, paused, raised, stored
from tests.ways import Ways, results_in

# Another process


def test_another_process_goes_on(ways: Ways, tmp_path: Path) -> None:
    """A state in a file is all that another process needs, with the tools."""
    bank = Bank()
    outcome = paused(ways, bank.tools, call("n", "note", text="x"), PAY, limits=Limits(steps=4))
    path, log = tmp_path / "state.json", tmp_path / "log"
    path.write_text(json.dumps(outcome.state))
    done = in_a_process(
        """
        model = ScriptedModel([[call("q", "pay", to="Bob")]])
        outcome = resume(read(), {"p": True}, tools=TOOLS, model=model)
        save(outcome.state)
        print(outcome.stop, outcome.waiting[0].arguments, outcome.steps)
        """,
        path,
        log,
    )
    assert done.stdout == "needs_approval {'to': 'Bob', 'amount': 1} 2\n", done.stderr
    assert log.read_text() == "pay Ann 1\n"
    after = ways.resume(json.loads(path.read_text()), {"q": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert (after.value, after.steps, bank.done) == ("done", 3, ["note x", "pay Bob 1"])
    assert [result.content for result in results_in(after.transcript)] == ["noted x", "paid Ann", "paid Bob 1"]


@pytest.mark.parametrize("how", ["exit", "kill", "os"])
@pytest.mark.parametrize("way", ["run(*a, **k)", "__import__('asyncio').run(arun(*a, **k))"])
def test_a_process_that_ends_in_the_middle_of_a_call(how: str, way: str, tmp_path: Path) -> None:
    """What was done before is not done again; the call that ended it is of unknown effect; the rest is done."""
    path, log = tmp_path / "state.json", tmp_path / "log"
    first = in_a_process(
        f"""
        def go(*a, **k):
            return {way}

        model = ScriptedModel([
            [call("a", "note", text="one")],
            [call("b", "note", text="two")],
            [call("d", "die", how={how!r})],
        ])
        go("Go", tools=TOOLS, model=model, options=RunOptions(checkpoint=save))
        """,
        path,
        log,
    )
    assert first.returncode in (7, -9), first.stderr
    assert log.read_text().split("\n")[:3] == ["note one", "note two", f"die {how}"]
    state = json.loads(path.read_text())
    assert [(each["call"]["id"], each["status"]) for each in state["pending"]] == [("d", "started")]
    bank = Bank()
    after = resume(state, tools=[*bank.tools, tool(die_here, name="die")], model=ScriptedModel(["done"]))
    assert (after.value, bank.done, after.steps) == ("done", [], 4)
    assert [result.code for result in results_in(after.transcript)] == [None, None, ErrorCode.UNKNOWN_EFFECT]


def die_here(how: str) -> str:
    """End the process."""
    raise AssertionError("a lost call was made again")


# Calls that were lost


def kept_states(ways: Ways, tools: Any, replies: Any, **more: Any) -> list[Any]:
    """The states that a run keeps, as another process reads them."""
    kept: list[Any] = []
    ways.run(
        "Go",
        tools=tools,
        model=ScriptedModel(replies),
        options=RunOptions(checkpoint=lambda state: kept.append(stored(state)), run_id="r"),
        **more,
    )
    return kept


def test_a_state_is_kept_before_each_effect(ways: Ways) -> None:
    """Before each request and each call; in a state before a call, that call is begun."""
    bank = Bank(Policy())
    states = kept_states(ways, bank.tools, [PAY, call("n", "note", text="x"), "done"])
    assert [[(each["call"]["id"], each["status"]) for each in state["pending"]] for state in states] == [
        [],
        [("p", "started")],
        [],
        [("n", "started")],
        [],
    ]
    assert [state["steps"] for state in states] == [0, 1, 1, 2, 2]


def test_going_on_from_every_kept_state(ways: Ways) -> None:
    """From wherever, no call is made twice by the run and what goes on, unless it was never begun."""
    bank = Bank(Policy())
    replies: list[Any] = [[call(f"{n}{m}", "pay", to=f"{n}{m}") for m in range(3)] for n in range(2)]
    replies += ["done"]
    states = kept_states(ways, bank.tools, replies)
    assert len(bank.done) == 6
    for state in states:
        begun = {each["call"]["id"] for each in state["pending"] if each["status"] == "started"}
        told = {part["call_id"] for m in state["transcript"] for part in m["parts"] if part["type"] == "tool_result"}
        bank.done.clear()
        model = ScriptedModel(replies[state["steps"] :])
        after = ways.resume(state, tools=bank.tools, model=model)
        made = {text.split()[1] for text in bank.done}
        assert made.isdisjoint(begun | told)
        assert made | begun | told == {f"{n}{m}" for n in range(2) for m in range(3)}
        assert len(bank.done) == len(made)
        assert_whole(after.transcript)
        assert after.value == "done"


def lost(ways: Ways, tools: Any, *calls: ToolCall, **more: Any) -> Any:
    """The state of a run that was lost when these calls had begun."""
    states = kept_states(ways, tools, [calls, "done"], **more)
    return max(
        (state for state in states if state["pending"]),
        key=lambda state: [each["status"] == "started" and each["result"] is None for each in state["pending"]],
    )


def test_a_call_that_was_lost_is_not_made_again(ways: Ways) -> None:
    """Its effect is not known, which the model is told; the run goes on."""
    bank = Bank(Policy())
    state = lost(ways, bank.tools, PAY)
    bank.done.clear()
    model = ScriptedModel(["done"])
    after = ways.resume(state, tools=bank.tools, model=model)
    (result,) = results_in(after.transcript)
    assert (result.is_error, result.code, result.effect) == (True, ErrorCode.UNKNOWN_EFFECT, "unknown")
    assert not result.retryable
    assert (after.value, bank.done) == ("done", [])


def test_a_call_of_unknown_effect_is_not_made_blindly_later(ways: Ways) -> None:
    """Also after something else, and without anybody who could say what became of it, it is not made again."""
    bank = Bank(Policy())
    state = lost(ways, bank.tools, PAY)
    bank.done.clear()
    model = ScriptedModel([call("q", "pay", to="Ann"), call("n", "note", text="x"), call("r", "pay", to="Ann"), "done"])
    after = ways.resume(state, tools=bank.tools, model=model)
    assert [result.call_id for result in results_in(after.transcript)] == ["p", "q", "n", "r"]
    assert bank.done == ["note x"]


@pytest.mark.parametrize("policy", [Policy(read_only=True), Policy(idempotent=True)])
def test_a_call_that_does_no_harm_is_made_again(ways: Ways, policy: Policy) -> None:
    """One that changes nothing, or no more than once, is simply made."""
    bank = Bank(policy)
    state = lost(ways, bank.tools, PAY)
    bank.done.clear()
    after = ways.resume(state, tools=bank.tools, model=ScriptedModel(["done"]))
    assert (results_in(after.transcript)[0].content, bank.done) == ("paid Ann 1", ["pay Ann 1"])


def unsure() -> str:
    raise ConnectionError("no way to know")


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("found", "runs", "code", "effect"),
    [
        (lambda: "applied", False, ErrorCode.INTERNAL, "applied"),
        (lambda: "not_applied", True, None, "applied"),
        (lambda: "unknown", False, ErrorCode.UNKNOWN_EFFECT, "unknown"),
        (unsure, False, ErrorCode.UNKNOWN_EFFECT, "unknown"),
        (lambda: None, False, ErrorCode.UNKNOWN_EFFECT, "unknown"),
        (lambda: False, False, ErrorCode.UNKNOWN_EFFECT, "unknown"),
        (lambda: "NOT_APPLIED", False, ErrorCode.UNKNOWN_EFFECT, "unknown"),
        (lambda: ["not_applied"], False, ErrorCode.UNKNOWN_EFFECT, "unknown"),
        (lambda: raised(asyncio.CancelledError()), False, ErrorCode.UNKNOWN_EFFECT, "unknown"),
    ],
    ids=["applied", "not_applied", "unknown", "raises", "None", "False", "capitals", "list", "cancelled"],
)
def test_a_lost_call_is_looked_after(
    ways: Ways, is_async: bool, found: Callable[[], Any], runs: bool, code: Any, effect: str
) -> None:
    """What its author's function finds out decides: only where it says that nothing was done is the call made."""
    bank = Bank(Policy())
    asked: list[Any] = []

    def reconcile(to: str, amount: int) -> Any:
        asked.append((to, amount))
        return found()

    async def reconcile_later(to: str, amount: int) -> Any:
        await asyncio.sleep(0)
        return reconcile(to, amount)

    bank.pay.reconcile(reconcile_later if is_async else reconcile)
    state = lost(ways, bank.tools, PAY)
    bank.done.clear()
    assert asked == []
    after = ways.resume(state, tools=bank.tools, model=ScriptedModel(["done"]))
    (result,) = results_in(after.transcript)
    assert asked == [("Ann", 1)]
    assert (result.code, result.effect) == (code, effect)
    assert bank.done == (["pay Ann 1"] if runs else [])
    assert after.value == "done"


def test_a_lost_call_that_was_allowed(ways: Ways) -> None:
    """Where nothing was done, the leave that was given still holds for that very call."""
    bank = Bank()
    bank.pay.reconcile(lambda: "not_applied")
    outcome = paused(ways, bank.tools, PAY)
    kept: list[Any] = []
    ways.resume(
        stored(outcome.state),
        {"p": True},
        tools=bank.tools,
        model=ScriptedModel(["done"]),
        options=RunOptions(checkpoint=kept.append),
    )
    state = next(stored(state) for state in kept if state["pending"] and state["pending"][0]["status"] == "started")
    bank.done.clear()
    assert ways.resume(state, tools=bank.tools, model=ScriptedModel(["done"])).value == "done"
    assert bank.done == ["pay Ann 1"]
    with pytest.raises(ValueError, match="no call 'p' waits for a decision"):
        ways.resume(state, {"p": True}, tools=bank.tools, model=ScriptedModel([]))


def test_a_lost_call_of_a_tool_that_is_gone(ways: Ways) -> None:
    """Nobody knows what became of it, and that is what is told."""
    bank = Bank(Policy())
    state = lost(ways, bank.tools, PAY)
    after = ways.resume(state, tools=[bank.note], model=ScriptedModel(["done"]))
    assert results_in(after.transcript)[0].code is ErrorCode.UNKNOWN_EFFECT


@pytest.mark.parametrize(
    ("lost_call", "code"),
    [
        (ToolCall("x", "pay", '{"to": true}'), ErrorCode.INVALID_ARGUMENT),
        (ToolCall("x", "nowhere", "{}"), ErrorCode.NOT_FOUND),
    ],
    ids=["arguments", "name"],
)
def test_a_lost_call_that_was_never_to_be_made(ways: Ways, lost_call: ToolCall, code: ErrorCode) -> None:
    """One that was refused before it ran had no effect, whenever the run was lost: the model is told what was wrong."""
    bank = Bank(Policy())
    states = kept_states(ways, bank.tools, [lost_call, "done"])
    state = next(state for state in states if state["pending"])
    after = ways.resume(state, tools=bank.tools, model=ScriptedModel(["done"]))
    assert results_in(after.transcript)[0].code is code


def test_a_batch_of_which_some_had_ended(ways: Ways) -> None:
    """Results that were there stand; what was under way is looked after; what was not begun is made."""
    bank = Bank(Policy())

    @tool(policy=Policy(sequential=True))
    def leave(n: int) -> str:
        """Leave."""
        raise KeyboardInterrupt

    calls = [call("a", "pay", to="a"), call("b", "pay", to="b"), call("l", "leave", n=1), call("c", "pay", to="c")]
    tools = [*bank.tools, leave]
    kept: list[Any] = []
    with pytest.raises(KeyboardInterrupt) as caught:
        ways.run(
            "Go",
            tools=tools,
            model=ScriptedModel([calls]),
            options=RunOptions(checkpoint=lambda s: kept.append(stored(s))),
        )
    assert sorted(bank.done) == ["pay a 1", "pay b 1"]
    for state in (stored(caught.value.outcome.state), kept[-1]):  # type: ignore[attr-defined]  # which it was given
        bank.done.clear()
        after = ways.resume(state, tools=tools, model=ScriptedModel(["done"]))
        assert bank.done == ["pay c 1"]
        told = [(result.call_id, result.content, result.code) for result in results_in(after.transcript)]
        assert told[:2] == [("a", "paid a 1", None), ("b", "paid b 1", None)]
        assert told[2][2] is ErrorCode.UNKNOWN_EFFECT
        assert told[3] == ("c", "paid c 1", None)


def test_reconcile_is_given_the_key(ways: Ways) -> None:
    """The key by which the effect can be looked for is that of the call that was lost."""
    keys: list[str] = []

    @tool
    def pay(to: str, key: Injected[IdempotencyKey]) -> str:
        """Pay somebody."""
        keys.append(str(key))
        return f"paid {to}"

    @pay.reconcile
    def found(key: str) -> str:
        keys.append(str(key))
        return "applied"

    state = lost(ways, [pay], PAY)
    ways.resume(state, tools=[pay], model=ScriptedModel(["done"]))
    assert len(keys) == 2
    assert len(set(keys)) == 1


# Checkpoints


@pytest.mark.parametrize("place", range(5))
def test_a_checkpoint_that_raises_ends_the_run_before_the_effect(ways: Ways, place: int) -> None:
    """Nothing is done that could not be kept; what it raised comes out with the outcome, and the run can go on."""
    bank = Bank(Policy())
    replies: Any = [PAY, call("n", "note", text="x"), "done"]
    model = ScriptedModel(replies)
    count = iter(range(9))

    def checkpoint(state: Any) -> None:
        if next(count) == place:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full") as caught:
        ways.run("Go", tools=bank.tools, model=model, options=RunOptions(checkpoint=checkpoint))
    assert len(model.requests) == [0, 1, 1, 2, 2][place]
    assert len(bank.done) == [0, 0, 1, 1, 2][place]
    outcome: Outcome[Any] = caught.value.outcome  # type: ignore[attr-defined]  # which it was given
    rest = ScriptedModel(replies[outcome.steps :])
    after = ways.resume(stored(outcome.state), tools=bank.tools, model=rest)
    assert (after.value, bank.done) == ("done", ["pay Ann 1", "note x"])
    assert [result.is_error for result in results_in(after.transcript)] == [False, False]


@pytest.mark.parametrize("error", [ModelError("no"), TimeoutError("no"), ValueError("no"), KeyError("no")], ids=repr)
def test_whatever_a_checkpoint_raises(ways: Ways, error: Exception) -> None:
    """It is raised as it is, and not taken for something else that went wrong."""

    def checkpoint(state: Any) -> None:
        raise error

    limits = Limits(deadline_s=60)
    with pytest.raises(type(error)) as caught:
        ways.run("Go", model=ScriptedModel([]), options=RunOptions(checkpoint=checkpoint), limits=limits)
    assert caught.value is error


@pytest.mark.parametrize("place", range(9))
def test_a_checkpoint_that_raises_in_a_batch(ways: Ways, place: int) -> None:
    """Of several calls, none is made whose state was not kept, and none is made twice."""
    bank = Bank(Policy())
    count = iter(range(99))

    def checkpoint(state: Any) -> None:
        if next(count) == place:
            raise OSError("disk full")

    replies: list[Any] = [[call(name, "pay", to=name) for name in "abc"], "done"]
    options = RunOptions(checkpoint=checkpoint)
    try:
        ways.run("Go", tools=bank.tools, model=ScriptedModel(replies), options=options)
    except OSError as error:
        outcome: Outcome[Any] = error.outcome  # type: ignore[attr-defined]  # which it was given
        assert_whole(outcome.transcript)
        rest = ScriptedModel(replies[outcome.steps :])
        ways.resume(stored(outcome.state), tools=bank.tools, model=rest)
    assert sorted(bank.done) == ["pay a 1", "pay b 1", "pay c 1"]


def test_what_a_checkpoint_does_with_the_state_is_its_own_affair(ways: Ways) -> None:
    """It may change what it is given, as the run has its own."""
    bank = Bank(Policy())

    def spoil(state: Any) -> None:
        for value in state.values():
            if isinstance(value, list | dict):
                value.clear()
        state.clear()

    model = ScriptedModel([PAY, call("n", "note", text="x"), "done"])
    outcome = ways.run("Go", tools=bank.tools, model=model, options=RunOptions(checkpoint=spoil))
    assert (outcome.value, bank.done) == ("done", ["pay Ann 1", "note x"])
    assert_whole(outcome.transcript)


def test_states_are_kept_when_a_run_goes_on_too(ways: Ways) -> None:
    """The checkpoint of `resume` is called like that of `run`, also after leave."""
    bank = Bank()
    state = stored(paused(ways, bank.tools, PAY).state)
    kept: list[Any] = []
    ways.resume(
        state,
        {"p": True},
        tools=bank.tools,
        model=ScriptedModel(["done"]),
        options=RunOptions(checkpoint=lambda state: kept.append((stored(state), list(bank.done)))),
    )
    (first, done), (second, _) = kept
    assert (first["pending"][0]["status"], first["pending"][0]["approved"], done) == ("started", True, [])
    assert second["pending"] == []
