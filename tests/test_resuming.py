"""Runs that pause, are cancelled, or are lost, and go on: what was done is never done twice, nor done without leave."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, SecretStr

from magic_tools import (
    Capabilities,
    Context,
    ContextError,
    ErrorCode,
    IdempotencyKey,
    Injected,
    Limits,
    Message,
    ModelError,
    ModelReply,
    ModelRequest,
    Outcome,
    Policy,
    RunError,
    RunOptions,
    ScriptedModel,
    StallError,
    Tool,
    ToolCall,
    ToolFailure,
    ToolResult,
    Toolset,
    Usage,
    WaitingCall,
    aresume,
    arun,
    ask_user,
    output_tool,
    resume,
    run,
    tool,
)
from magic_tools.effects.workers import Attempt, Workers
from magic_tools.values import JsonValue
from tests.ways import Ways, results_in

APPROVAL = Policy(approval=True)


class Bank:
    """A function that needs leave, and others that do not, of which is kept what they did."""

    def __init__(self, policy: Policy = APPROVAL, **options: Any) -> None:
        self.done: list[str] = []

        @tool(policy=policy, **options)
        def pay(to: str, amount: int = 1) -> str:
            """Pay somebody."""
            self.done.append(f"pay {to} {amount}")
            return f"paid {to} {amount}"

        @tool
        def note(text: str) -> str:
            """Write something down."""
            self.done.append(f"note {text}")
            return f"noted {text}"

        self.pay = pay
        self.note = note

    @property
    def tools(self) -> tuple[Tool[..., Any], ...]:
        return (self.pay, self.note)


def call(call_id: str, name: str, /, **arguments: Any) -> ToolCall:
    return ToolCall(call_id, name, json.dumps(arguments))


PAY = call("p", "pay", to="Ann")


def stored(state: Any) -> Any:
    """A state as another process has it."""
    return json.loads(json.dumps(state))


def assert_whole(messages: tuple[Message, ...]) -> None:
    """Each call has its one result in the message after it, and an id of its own."""
    waiting: list[str] = []
    seen: list[str] = []
    for message in messages:
        if message.role == "tool":
            assert [part.call_id for part in message.parts if isinstance(part, ToolResult)] == waiting
            waiting = []
            continue
        assert waiting == []
        waiting = [each.id for each in message.calls]
        seen += waiting
    assert waiting == []
    assert len(set(seen)) == len(seen)


def paused(ways: Ways, tools: Any, *calls: ToolCall, **more: Any) -> Outcome[Any]:
    """A run that pauses after its first reply, which makes these calls."""
    outcome = ways.run("Go", tools=tools, model=ScriptedModel([calls]), **more)
    assert outcome.stop in ("needs_approval", "needs_input")
    assert_whole(outcome.transcript)
    return outcome


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


# What a person is shown


def previewed(make: Callable[..., Any]) -> Bank:
    bank = Bank()
    bank.pay.preview(make)
    return bank


@pytest.mark.parametrize("is_async", [False, True])
def test_a_preview_is_what_its_author_makes(ways: Ways, is_async: bool) -> None:
    """It is made once, of the arguments as the function would have them, and stays as it was."""
    made: list[int] = []

    def text(to: str, amount: int) -> Any:
        made.append(amount)
        return {"text": f"{amount} to {to}", "n": len(made)}

    async def later(to: str, amount: int) -> Any:
        await asyncio.sleep(0)
        return text(to, amount)

    bank = previewed(later if is_async else text)
    outcome = paused(ways, bank.tools, PAY)
    shown: JsonValue = {"text": "1 to Ann", "n": 1}
    assert outcome.waiting == (WaitingCall("p", "pay", "approval", {"to": "Ann", "amount": 1}, shown),)
    outcome = ways.resume(stored(outcome.state), tools=bank.tools, model=ScriptedModel([]))
    assert outcome.waiting[0].preview == shown
    ways.resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert made == [1]
    assert bank.done == ["pay Ann 1"]


@pytest.mark.parametrize(
    "shown",
    [
        "",
        0,
        False,
        [],
        {},
        pytest.param(None),
    ],
    ids=repr,
)
def test_a_preview_that_says_nothing_is_made_once_too(ways: Ways, shown: Any) -> None:
    """Also one that is empty, false or None stays as it is while the run stands still."""
    made: list[str] = []

    def preview(to: str) -> Any:
        made.append(to)
        return shown

    bank = previewed(preview)
    outcome = paused(ways, bank.tools, PAY)
    for _ in range(2):
        outcome = ways.resume(stored(outcome.state), tools=bank.tools, model=ScriptedModel([]))
    assert made == ["Ann"]


class Odd:
    def __str__(self) -> str:
        raise KeyError


def endless() -> list[Any]:
    held: list[Any] = []
    held.append(held)
    return held


def raised(error: BaseException) -> Any:
    raise error


@pytest.mark.parametrize(
    "make",
    [
        lambda: raised(KeyError("x")),
        lambda: raised(ToolFailure("not today")),
        lambda: raised(asyncio.CancelledError()),
        lambda: raised(RecursionError()),
        lambda: raised(StopIteration()),
        lambda: raised(BaseExceptionGroup("x", [KeyError()])),
        endless,
        lambda: "\ud800",
        lambda: {(1, 2): {3}, "to": "\udfff"},
    ],
    ids=["KeyError", "ToolFailure", "CancelledError", "Recursion", "Stop", "group", "endless", "surrogate", "keys"],
)
def test_a_preview_that_fails_shows_the_arguments(ways: Ways, make: Callable[[], Any]) -> None:
    """Whatever it raises, or returns that has no JSON form, the person sees the canonical arguments."""

    def preview(to: str) -> Any:
        return make()

    bank = previewed(preview)
    outcome = paused(ways, bank.tools, PAY)
    assert outcome.waiting[0].preview == {"to": "Ann", "amount": 1}
    assert stored(outcome.state) == outcome.state


def test_a_preview_that_takes_too_long(ways: Ways) -> None:
    """It has the time of its tool, and no more."""

    async def preview(to: str) -> str:
        await asyncio.sleep(30)
        return to

    bank = Bank(timeout=0.05)
    bank.pay.preview(preview)
    begun = time.monotonic()
    assert paused(ways, bank.tools, PAY).waiting[0].preview == {"to": "Ann", "amount": 1}
    assert time.monotonic() - begun < 10


def test_the_deadline_is_that_of_a_preview_too(ways: Ways) -> None:
    """A run with a deadline pauses within it, though the tool itself has no time limit."""

    async def preview(to: str) -> str:
        await asyncio.sleep(3)
        return to

    bank = Bank(timeout=None)
    bank.pay.preview(preview)
    begun = time.monotonic()
    paused(ways, bank.tools, PAY, limits=Limits(deadline_s=0.2))
    assert time.monotonic() - begun < 2


def test_an_interrupt_of_a_preview_can_be_gone_on_from(ways: Ways) -> None:
    """An interrupt goes straight out, with a state in which the call still waits, unmade."""
    errors = [KeyboardInterrupt()]

    def preview(to: str) -> str:
        if errors:
            raise errors.pop()
        return f"to {to}"

    bank = previewed(preview)
    with pytest.raises(KeyboardInterrupt) as caught:
        ways.run("Go", tools=bank.tools, model=ScriptedModel([PAY]))
    outcome = caught.value.outcome  # type: ignore[attr-defined]  # which it was given
    assert_whole(outcome.transcript)
    after = ways.resume(stored(outcome.state), tools=bank.tools, model=ScriptedModel([]))
    assert (after.stop, after.waiting[0].preview, bank.done) == ("needs_approval", "to Ann", [])


def test_what_is_shown_cannot_be_changed(ways: Ways) -> None:
    """Whoever changes what they were given changes nothing of what the run holds."""
    bank = previewed(lambda to: {"to": to})
    outcome = paused(ways, bank.tools, PAY)
    before = copy.deepcopy(outcome.state)
    waiting: Any = outcome.waiting[0]
    waiting.preview["to"] = "Eve"
    waiting.arguments["to"] = "Eve"
    outcome.state["pending"][0]["preview"]["to"] = "Eve"
    assert outcome.state == before


class Login(BaseModel):
    user: str
    password: SecretStr


def secret_bank(preview: Callable[..., Any] | None = None) -> tuple[list[str], Tool[..., Any]]:
    done: list[str] = []

    @tool(policy=APPROVAL)
    def log_in(login: Login, pin: SecretStr, token: Injected[str], vault: Injected[SecretStr]) -> str:
        """Log in."""
        done.append(f"{login.password.get_secret_value()} {pin.get_secret_value()} {token}")
        return f"in with {vault.get_secret_value()}"

    if preview is not None:
        log_in.preview(preview)
    return done, log_in


LOG_IN = call("l", "log_in", login={"user": "ann", "password": "pass-word-1"}, pin="pin-4711")
SECRETS = {"token": "token-0815", "vault": SecretStr("vault-0816")}
HIDDEN = ("pass-word-1", "pin-4711", "token-0815", "vault-0816")


def tell_all(login: Login, pin: SecretStr, token: str, vault: SecretStr) -> Any:
    texts = [login.password.get_secret_value(), pin.get_secret_value(), token, vault.get_secret_value()]
    return {"texts": texts, "one": " ".join(texts), texts[0]: [pin, vault]}


@pytest.mark.parametrize("preview", [None, tell_all])
def test_secrets_are_not_shown(ways: Ways, preview: Any) -> None:
    """Neither secret arguments nor what the context fills in is shown, also by an author who lets it slip."""
    _, log_in = secret_bank(preview)
    outcome = paused(ways, [log_in], LOG_IN, context=SECRETS)
    shown = json.dumps([outcome.waiting[0].arguments, outcome.waiting[0].preview])
    assert "ann" in shown or preview
    assert not [text for text in HIDDEN if text in shown]


def test_what_the_context_fills_in_is_not_in_the_state(ways: Ways) -> None:
    """Neither while the run waits, nor after its tool has told it on; the model's own words are as it wrote them."""
    done, log_in = secret_bank(tell_all)
    kept: list[Any] = []
    options = RunOptions(checkpoint=kept.append)
    outcome = paused(ways, [log_in], LOG_IN, context=SECRETS, options=options)
    kept.append(outcome.state)
    model = ScriptedModel([ModelError("down")])
    with pytest.raises(ModelError) as caught:
        ways.resume(stored(outcome.state), {"l": True}, tools=[log_in], model=model, context=SECRETS, options=options)
    assert done == ["pass-word-1 pin-4711 token-0815"]
    assert caught.value.outcome is not None
    kept.append(caught.value.outcome.state)
    assert len(kept) >= 4
    for state in kept:
        text = json.dumps(state)
        assert "token-0815" not in text
        assert "vault-0816" not in text
        pending = json.dumps([each["preview"] for each in state["pending"]])
        assert not [secret for secret in HIDDEN if secret in pending]


def test_secrets_are_not_shown_where_a_resume_fails(ways: Ways) -> None:
    """Where a run that goes on is interrupted before it has looked at what waits, that is shown with as little."""
    _, log_in = secret_bank()
    errors: list[BaseException] = []
    log_in.rule(lambda: raised(errors.pop()) if errors else True)
    outcome = paused(ways, [log_in], LOG_IN, context=SECRETS)
    errors.append(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt) as caught:
        ways.resume(stored(outcome.state), {"l": True}, tools=[log_in], model=ScriptedModel([]), context=SECRETS)
    shown = repr(caught.value.outcome.waiting)  # type: ignore[attr-defined]  # which it was given
    assert "log_in" in shown
    assert not [text for text in HIDDEN if text in shown]


def test_a_secret_that_is_another_is_another_call(ways: Ways) -> None:
    """Leave is for the secret too, though it is not shown: another one in the state is asked about anew."""
    done, log_in = secret_bank()
    state = stored(paused(ways, [log_in], LOG_IN, context=SECRETS).state)
    changed = json.loads(json.dumps(state).replace("pass-word-1", "pass-word-2"))
    after = ways.resume(changed, {"l": True}, tools=[log_in], model=ScriptedModel([]), context=SECRETS)
    assert (after.stop, done) == ("needs_approval", [])


# For what leave holds


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
    """Where the contract changed, the person is asked anew, shown anew, and can then give leave."""
    DONE.clear()
    outcome = paused(ways, Bank().tools, PAY)
    tools = [another(fn)]
    after = ways.resume(stored(outcome.state), {"p": True}, tools=tools, model=ScriptedModel([]))
    assert (after.stop, DONE) == ("needs_approval", [])
    assert_whole(after.transcript)
    assert after.waiting[0].preview == after.waiting[0].arguments
    after = ways.resume(stored(after.state), {"p": True}, tools=tools, model=ScriptedModel(["done"]))
    assert (after.value, DONE) == ("done", ["ran"])


def test_leave_for_a_tool_of_another_text(ways: Ways) -> None:
    """A text for the model is no part of what is promised: leave holds."""
    DONE.clear()
    outcome = paused(ways, Bank().tools, PAY)
    tools = [another(with_narrower_name)]
    assert ways.resume(stored(outcome.state), {"p": True}, tools=tools, model=ScriptedModel(["done"])).ok
    assert DONE == ["ran"]


def test_leave_for_arguments_that_fit_no_more(ways: Ways) -> None:
    """Where the call cannot be made any more, the model is told why, and nothing is asked."""

    def pay(to: int) -> str:
        """Pay somebody."""
        DONE.append("ran")
        return "paid"

    DONE.clear()
    outcome = paused(ways, Bank().tools, PAY)
    after = ways.resume(stored(outcome.state), {"p": True}, tools=[another(pay)], model=ScriptedModel(["done"]))
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
    """The model is told that there is none, and the run goes on."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY)
    for tools in ([bank.note], Toolset(bank.pay).renamed({"pay": "pay_out"})):
        after = ways.resume(stored(outcome.state), {"p": True}, tools=tools, model=ScriptedModel(["done"]))
        assert (results_in(after.transcript)[0].code, after.value, bank.done) == (ErrorCode.NOT_FOUND, "done", [])


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
    state = allowed_and_not_begun(ways)
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


# Questions


ASK = call("a", "ask_user", question="Which Ann?")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("Ann Lee", "Ann Lee"),
        ("", ""),
        ('{"a": 1}', '{"a": 1}'),
        ("安妮\n\u2028", "安妮\n\u2028"),
        (5, "5"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        ({"name": "Ann", "ids": [1, 2.5]}, '{"name":"Ann","ids":[1,2.5]}'),
        (("a", "b"), '["a","b"]'),
        (Login(user="ann", password=SecretStr("x")), '{"user":"ann","password":"**********"}'),
    ],
    ids=repr,
)
def test_a_question_is_answered(ways: Ways, answer: Any, told: str) -> None:
    """A text is told as it is, all else as JSON."""
    outcome = paused(ways, [ask_user], ASK)
    assert outcome.stop == "needs_input"
    assert outcome.waiting == (
        WaitingCall("a", "ask_user", "question", {"question": "Which Ann?"}, {"question": "Which Ann?"}),
    )
    after = ways.resume(stored(outcome.state), {"a": answer}, tools=[ask_user], model=ScriptedModel(["ok"]))
    (result,) = results_in(after.transcript)
    assert (result.content, result.is_error, after.value) == (told, False, "ok")


@pytest.mark.parametrize("answer", [object(), {1: object()}, b"\xff", lambda: 5], ids=["object", "in", "bytes", "fn"])
def test_answers_without_a_json_form(ways: Ways, answer: Any) -> None:
    """They are a ValueError, and the run can still be gone on with."""
    state = stored(paused(ways, [ask_user], ASK).state)
    with pytest.raises(ValueError):  # noqa: PT011 - in the words of the encoder
        ways.resume(state, {"a": answer}, tools=[ask_user], model=ScriptedModel([]))
    assert ways.resume(state, {"a": "x"}, tools=[ask_user], model=ScriptedModel(["ok"])).ok


def test_both_kinds_at_once(ways: Ways) -> None:
    """A call that needs leave goes before a question in the reason; each is decided in its own way."""
    bank = Bank()
    tools = (*bank.tools, ask_user)
    outcome = paused(ways, tools, ASK, PAY)
    assert outcome.stop == "needs_approval"
    assert [(each.call_id, each.kind) for each in outcome.waiting] == [("a", "question"), ("p", "approval")]
    one = ways.resume(stored(outcome.state), {"p": True}, tools=tools, model=ScriptedModel([]))
    assert (one.stop, bank.done) == ("needs_input", ["pay Ann 1"])
    other = ways.resume(stored(outcome.state), {"a": True}, tools=tools, model=ScriptedModel([]))
    assert other.stop == "needs_approval"
    with pytest.raises(ValueError, match="True or False"):
        ways.resume(stored(other.state), {"p": "true"}, tools=tools, model=ScriptedModel([]))
    bank.done.clear()
    both = ways.resume(stored(outcome.state), {"p": False, "a": "Lee"}, tools=tools, model=ScriptedModel(["ok"]))
    assert results_in(both.transcript)[0].content == "Lee"
    assert bank.done == []


def test_questions_that_are_none(ways: Ways) -> None:
    """A question that is too long, or not there, is told to the model, and no person is bothered."""
    wrongs: list[dict[str, Any]] = [{"question": "x" * 501}, {}, {"question": [5]}, {"question": "a", "to": "b"}]
    for arguments in wrongs:
        outcome = ways.run("Go", tools=[ask_user], model=ScriptedModel([call("a", "ask_user", **arguments), "ok"]))
        assert (outcome.value, results_in(outcome.transcript)[0].code) == ("ok", ErrorCode.INVALID_ARGUMENT)


def test_a_question_that_was_answered_is_not_asked_twice(ways: Ways) -> None:
    """The same question again is a repeat, and is told with the answer."""
    state = stored(paused(ways, [ask_user], ASK).state)
    model = ScriptedModel([call("b", "ask_user", question="Which Ann?"), "ok"])
    after = ways.resume(state, {"a": "Lee"}, tools=[ask_user], model=model)
    assert after.value == "ok"
    assert "Lee" in results_in(after.transcript)[1].content


def test_nobody_can_be_asked_by_hand() -> None:
    """Outside of a run the tool says so."""
    result = ask_user.invoke({"question": "Who?"})
    assert (result.code, result.content.startswith("Nobody can be asked here")) == (ErrorCode.CONFLICT, True)


def test_ask_user_under_another_name(ways: Ways) -> None:
    """Renamed, it asks all the same."""
    tools = Toolset(ask_user).renamed({"ask_user": "ask"})
    outcome = paused(ways, tools, call("a", "ask", question="Who?"))
    assert (outcome.stop, outcome.waiting[0].name) == ("needs_input", "ask")
    assert ways.resume(stored(outcome.state), {"a": "x"}, tools=tools, model=ScriptedModel(["ok"])).ok


# Another process


SHOP = '''
import json, os, sys
from magic_tools import *

PATH, LOG = sys.argv[1:3]

def log(text):
    with open(LOG, "a") as file:
        file.write(text + chr(10))

@tool(policy=Policy(approval=True))
def pay(to: str, amount: int = 1) -> str:
    """Pay somebody."""
    log(f"pay {to} {amount}")
    return f"paid {to}"

@tool
def note(text: str) -> str:
    """Write something down."""
    log(f"note {text}")
    return "noted"

@tool
def die(how: str) -> str:
    """End the process."""
    log(f"die {how}")
    if how == "exit":
        raise SystemExit(7)
    if how == "kill":
        os.kill(os.getpid(), 9)
    os._exit(7)

def save(state):
    with open(PATH + ".new", "w") as file:
        json.dump(state, file)
    os.replace(PATH + ".new", PATH)

def call(id, name, **arguments):
    return ToolCall(id, name, json.dumps(arguments))

def read():
    with open(PATH) as file:
        return json.load(file)

TOOLS = [pay, note, die, ask_user]
'''


def in_a_process(script: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SHOP + textwrap.dedent(script), *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


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


# What the model cannot answer


def test_after_a_model_error(ways: Ways) -> None:
    """A run that its model failed goes on, with what was done done once, and as many steps as were left."""
    bank = Bank(Policy())
    replies: Any = [PAY, ModelError("down")]
    with pytest.raises(ModelError) as caught:
        ways.run("Go", tools=bank.tools, model=ScriptedModel(replies), limits=Limits(steps=2))
    assert caught.value.outcome is not None
    state = stored(caught.value.outcome.state)
    with pytest.raises(ModelError) as again:
        ways.resume(state, tools=bank.tools, model=ScriptedModel([ModelError("still down")]))
    assert again.value.outcome is not None
    assert {**again.value.outcome.state, "seconds": 0} == {**caught.value.outcome.state, "seconds": 0}
    model = ScriptedModel(["done"])
    after = ways.resume(state, tools=bank.tools, model=model)
    assert (after.value, after.steps, after.stop, bank.done) == ("done", 2, "final", ["pay Ann 1"])


def test_after_a_model_error_in_the_last_request(ways: Ways) -> None:
    """The last request is made again as the last."""
    bank = Bank(Policy())
    with pytest.raises(ModelError) as caught:
        ways.run("Go", tools=bank.tools, model=ScriptedModel([PAY, ModelError("down")]), limits=Limits(steps=1))
    assert caught.value.outcome is not None
    model = ScriptedModel(["done"])
    after = ways.resume(stored(caught.value.outcome.state), tools=bank.tools, model=model)
    assert (after.value, after.stop, after.steps, bank.done) == ("done", "step_limit", 1, ["pay Ann 1"])
    assert model.requests[0].tool_choice == "none"
    assert sum("last reply" in message.text for message in model.requests[0].messages) == 1


def test_after_a_fault_of_the_model_s_own(ways: Ways) -> None:
    """Whatever else a model raises carries the outcome too."""
    bank = Bank(Policy())
    with pytest.raises(ZeroDivisionError) as caught:
        ways.run("Go", tools=bank.tools, model=ScriptedModel([PAY, ZeroDivisionError()]))
    outcome = caught.value.outcome  # type: ignore[attr-defined]  # which it was given
    assert ways.resume(stored(outcome.state), tools=bank.tools, model=ScriptedModel(["done"])).value == "done"
    assert bank.done == ["pay Ann 1"]


# Cancellation


class SlowModel:
    """A model that takes its time for a reply."""

    name = "slow"
    capabilities = Capabilities(native_schema=True, tools=True)

    def __init__(self, seconds: float = 30) -> None:
        self.seconds = seconds
        self.ends: list[str] = []

    def complete(self, request: ModelRequest) -> ModelReply:
        time.sleep(self.seconds)
        return ModelReply(())

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.ends.append("cancelled")
            raise
        return ModelReply(())


def cancelled(after_s: float, *args: Any, **kwargs: Any) -> tuple[BaseException, float]:
    """What a run raises that is cancelled, and how long that took."""

    async def main() -> tuple[BaseException, float]:
        task = asyncio.ensure_future(arun(*args, **kwargs))
        await asyncio.sleep(after_s)
        assert not task.done()
        begun = time.monotonic()
        task.cancel()
        try:
            await task
        except asyncio.CancelledError as error:
            assert asyncio.all_tasks() == {asyncio.current_task()}
            return error, time.monotonic() - begun
        raise AssertionError("the run was not cancelled")

    return asyncio.run(main())


def slow_tools(ends: list[str]) -> Toolset:
    """Tools that take long, fast ones, and of which is kept what became of them."""

    async def wait(n: int) -> str:
        """Wait long."""
        ends.append(f"begun {n}")
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            ends.append(f"cancelled {n}")
            raise
        return "waited"

    def quick(n: int) -> str:
        """Do something."""
        ends.append(f"quick {n}")
        return f"done {n}"

    async def look(n: int) -> str:
        """Look something up, slowly the first time."""
        ends.append(f"look {n}")
        if ends.count(f"look {n}") == 1:
            await asyncio.sleep(30)
        return f"seen {n}"

    return Toolset(wait, quick, tool(look, policy=Policy(read_only=True)))


def test_a_cancelled_model_call() -> None:
    """The caller has the cancellation promptly; the run goes on as if it had not been asked."""
    model = SlowModel()
    error, took = cancelled(0.05, "Go", model=model)
    assert took < 2
    assert model.ends == ["cancelled"]
    outcome: Outcome[Any] = error.outcome  # type: ignore[attr-defined]  # which it was given
    assert (outcome.stop, outcome.ok, outcome.waiting) == ("cancelled", False, ())
    assert resume(stored(outcome.state), model=ScriptedModel(["done"])).value == "done"


def test_a_cancelled_batch() -> None:
    """All calls under way are cancelled; of each is known whether it was done, was begun, or was not."""
    ends: list[str] = []
    calls = [call("q", "quick", n=1), call("w", "wait", n=2), call("l", "look", n=3), call("v", "wait", n=4)]
    tools = slow_tools(ends)
    error, took = cancelled(0.3, "Go", tools=tools, model=ScriptedModel([calls]))
    assert took < 2
    assert sorted(ends) == ["begun 2", "begun 4", "cancelled 2", "cancelled 4", "look 3", "quick 1"]
    outcome: Outcome[Any] = error.outcome  # type: ignore[attr-defined]  # which it was given
    assert_whole(outcome.transcript)
    told = {result.call_id: result.code for result in results_in(outcome.transcript)}
    assert told == {
        "q": None,
        "w": ErrorCode.UNKNOWN_EFFECT,
        "l": ErrorCode.UNKNOWN_EFFECT,
        "v": ErrorCode.UNKNOWN_EFFECT,
    }
    after = resume(stored(outcome.state), tools=tools, model=ScriptedModel(["done"]))
    assert ends.count("quick 1") == 1
    assert ends.count("begun 2") == 1
    assert ends.count("look 3") == 2
    assert [result.code for result in results_in(after.transcript)] == [
        None,
        ErrorCode.UNKNOWN_EFFECT,
        None,
        ErrorCode.UNKNOWN_EFFECT,
    ]


def test_a_cancelled_call_that_cannot_be_stopped() -> None:
    """The caller does not wait for a function in a thread; its call is of unknown effect."""
    release, begun = threading.Event(), threading.Event()

    def block() -> str:
        """Block."""
        begun.set()
        release.wait(20)
        return "done"

    try:
        error, took = cancelled(0.2, "Go", tools=[block], model=ScriptedModel([call("b", "block")]))
    finally:
        release.set()
    assert begun.is_set()
    assert took < 2
    (result,) = results_in(error.outcome.transcript)  # type: ignore[attr-defined]  # which it was given
    assert result.code is ErrorCode.UNKNOWN_EFFECT


def test_a_cancelled_call_that_will_not_end() -> None:
    """One that does not end when it is cancelled keeps nobody waiting long."""

    async def stubborn() -> str:
        """Go on."""
        for _ in range(3):
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                continue
        return "done"

    async def main() -> float:
        task = asyncio.ensure_future(arun("Go", tools=[stubborn], model=ScriptedModel([call("s", "stubborn")])))
        await asyncio.sleep(0.1)
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - begun

    assert asyncio.run(main()) < 0.9


@pytest.mark.parametrize("how", ["wait_for", "timeout"])
def test_a_time_limit_of_the_caller_s_own(how: str) -> None:
    """The TimeoutError has the cancellation as its cause, and that the outcome."""

    async def main() -> BaseException | None:
        begun = arun("Go", model=SlowModel())
        try:
            if how == "wait_for":
                await asyncio.wait_for(begun, 0.1)
            else:
                async with asyncio.timeout(0.1):
                    await begun
        except TimeoutError as error:
            return error.__cause__
        return None

    cause = asyncio.run(main())
    assert isinstance(cause, asyncio.CancelledError)
    outcome: Outcome[Any] = cause.outcome  # type: ignore[attr-defined]  # which it was given
    assert resume(stored(outcome.state), model=ScriptedModel(["done"])).value == "done"


def test_a_cancelled_resume_can_be_gone_on_from() -> None:
    """A run that is resumed and cancelled, over and over, loses nothing."""
    ends: list[str] = []
    tools = slow_tools(ends)
    error, _ = cancelled(0.1, "Go", tools=tools, model=ScriptedModel([call("q", "quick", n=1), call("w", "wait", n=2)]))
    state = stored(error.outcome.state)  # type: ignore[attr-defined]  # which it was given

    async def main(state: Any) -> Any:
        task = asyncio.ensure_future(aresume(state, tools=tools, model=SlowModel()))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        return stored(caught.value.outcome.state)  # type: ignore[attr-defined]  # which it was given

    for _ in range(3):
        state = asyncio.run(main(state))
    after = resume(state, tools=tools, model=ScriptedModel(["done"]))
    assert after.value == "done"
    assert ends == ["quick 1", "begun 2", "cancelled 2"]


def test_cancelled_while_a_state_is_kept() -> None:
    """Cancelled during the checkpoint before a call, that call was not begun, and is made when the run goes on."""
    bank = Bank(Policy())
    release = threading.Event()

    def checkpoint(state: Any) -> None:
        if state["pending"]:
            release.wait(20)

    try:
        error, took = cancelled(
            0.2, "Go", tools=bank.tools, model=ScriptedModel([PAY]), options=RunOptions(checkpoint=checkpoint)
        )
    finally:
        release.set()
    assert took < 2
    assert bank.done == []
    state = stored(error.outcome.state)  # type: ignore[attr-defined]  # which it was given
    assert resume(state, tools=bank.tools, model=ScriptedModel(["done"])).value == "done"
    assert bank.done == ["pay Ann 1"]


def test_an_interrupt_from_the_keyboard() -> None:
    """A real one, in the middle of a call of a sync run: it is promptly there, and the run goes on."""
    begun: list[str] = []

    def pay(to: str) -> str:
        """Pay somebody."""
        begun.append(to)
        threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
        time.sleep(3)
        return "paid"

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as caught:
        run("Go", tools=[pay], model=ScriptedModel([PAY]))
    assert time.monotonic() - started < 2
    outcome: Outcome[Any] = caught.value.outcome  # type: ignore[attr-defined]  # which it was given
    assert_whole(outcome.transcript)
    after = resume(stored(outcome.state), tools=[pay], model=ScriptedModel(["done"]))
    assert results_in(after.transcript)[0].code is ErrorCode.UNKNOWN_EFFECT
    assert begun == ["Ann"]


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_an_exit_out_of_a_tool(ways: Ways, kind: type[BaseException]) -> None:
    """It goes straight out, with what was done, and what is not known."""
    bank = Bank(Policy())

    def leave() -> None:
        """Leave."""
        raise kind

    model = ScriptedModel([PAY, [call("l", "leave"), call("m", "note", text="x")]])
    with pytest.raises(kind) as caught:
        ways.run("Go", tools=[*bank.tools, leave], model=model)
    outcome: Outcome[Any] = caught.value.outcome  # type: ignore[attr-defined]  # which it was given
    assert_whole(outcome.transcript)
    after = ways.resume(stored(outcome.state), tools=[*bank.tools, leave], model=ScriptedModel(["done"]))
    assert results_in(after.transcript)[1].code is ErrorCode.UNKNOWN_EFFECT
    assert bank.done.count("pay Ann 1") == 1
    assert bank.done.count("note x") <= 1


def test_an_exit_out_of_a_run_within_a_run(ways: Ways) -> None:
    """An interrupt of a run that a tool makes carries the outcome of the whole, so that this can go on."""
    bank = Bank(Policy())

    def delegate() -> str:
        """Have another agent do it."""
        inner = ScriptedModel([KeyboardInterrupt()])
        return str(run("Inner", model=inner).value)

    tools = [*bank.tools, delegate]
    with pytest.raises(KeyboardInterrupt) as caught:
        ways.run("Outer", tools=tools, model=ScriptedModel([PAY, call("d", "delegate")]))
    outcome: Outcome[Any] = caught.value.outcome  # type: ignore[attr-defined]  # which it was given
    assert outcome.transcript[0] == Message.user("Outer")
    assert [result.content for result in results_in(outcome.transcript)][:1] == ["paid Ann 1"]


def test_an_error_that_is_raised_again(ways: Ways) -> None:
    """An exception that is one object for several runs carries the outcome of the last."""
    error = OSError("disk full")

    def checkpoint(state: Any) -> None:
        raise error

    for prompt in ("one", "two"):
        with pytest.raises(OSError, match="disk full"):
            ways.run(prompt, model=ScriptedModel([]), options=RunOptions(checkpoint=checkpoint))
        outcome: Outcome[Any] = error.outcome  # type: ignore[attr-defined]  # which it was given
        assert outcome.transcript == (Message.user(prompt),)


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


def test_calls_that_had_no_turn_yet() -> None:
    """Of a batch wider than what is made side by side, those not begun are made when the run goes on."""
    ends: list[str] = []
    tools = slow_tools(ends)
    calls = [call(f"w{n}", "wait", n=n) for n in range(11)]
    error, _ = cancelled(0.3, "Go", tools=tools, model=ScriptedModel([calls]))
    assert sorted(text for text in ends if "begun" in text) == sorted(f"begun {n}" for n in range(8))
    outcome: Outcome[Any] = error.outcome  # type: ignore[attr-defined]  # which it was given
    codes = [result.code for result in results_in(outcome.transcript)]
    assert codes == [ErrorCode.UNKNOWN_EFFECT] * 8 + [ErrorCode.CONFLICT] * 3
    made: list[int] = []

    async def wait(n: int) -> str:
        """Wait long."""
        made.append(n)
        return "waited"

    after = resume(stored(outcome.state), tools=[wait], model=ScriptedModel(["done"]))
    assert sorted(made) == [8, 9, 10]
    assert [result.code for result in results_in(after.transcript)] == [ErrorCode.UNKNOWN_EFFECT] * 8 + [None] * 3


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


# States that are none, or that cannot go on


def test_a_run_that_has_ended_cannot_go_on(ways: Ways) -> None:
    """Whether well or not: what is asked then is another run."""
    model = ScriptedModel(["done", "", "", ModelReply((), "refusal")])
    ended = [ways.run("Go", model=model)]
    for kind in (StallError, RunError):
        with pytest.raises(kind) as caught:
            ways.run("Go", model=model)
        ended.append(caught.value.outcome)
    ended.append(ways.run("Go", model=ScriptedModel([ModelReply((), "refusal")]), options=RunOptions(fallback="sorry")))
    for outcome in ended:
        with pytest.raises(ValueError, match=rf"this run has ended \({outcome.stop}\): begin another"):
            ways.resume(stored(outcome.state), model=ScriptedModel([]))


A_STATE = run("Go", tools=Bank().tools, model=ScriptedModel([[PAY]])).state


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        "{}",
        json.dumps(A_STATE),
        5,
        {},
        {"version": 1},
        {**A_STATE, "version": 2},
        {**A_STATE, "version": 0},
        {**A_STATE, "version": "1"},
        {**A_STATE, "version": None},
        {key: value for key, value in A_STATE.items() if key != "version"},
        pytest.param({**A_STATE, "version": True}),
    ],
    ids=lambda state: f"{state!r:.30}" if not isinstance(state, dict) else f"version {state.get('version', 'none')}",
)
def test_states_that_are_none(ways: Ways, state: Any) -> None:
    """Something else, or the state of another version, is a ValueError that says so."""
    with pytest.raises(ValueError, match="not the data of a run's state"):
        ways.resume(state, tools=Bank().tools, model=ScriptedModel([]))


def changed(path: str, value: Any) -> Any:
    """The state of a run that waits, with something else in one place."""
    state = copy.deepcopy(A_STATE)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = state
    for part in way:
        place = place[part]
    place[last] = value
    return state


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param("transcript", {}),
        ("transcript", None),
        ("transcript.0", {"role": "boss", "parts": []}),
        ("transcript.0.role", "tool"),
        ("transcript.1.parts.0.arguments", {"to": "Ann"}),
        ("limits.steps", 0),
        ("limits.steps", "9"),
        ("limits.speed", 1),
        ("limits.deadline_s", -1),
        ("usage", []),
        ("pending", 5),
        ("pending.0.status", "running"),
        ("pending.0.status", None),
        ("pending.0.call", {"type": "text", "text": "x"}),
        ("pending.0.facts", {}),
        ("pending.0.result", {"type": "tool_call", "id": "x", "name": "pay", "arguments": ""}),
        ("steps", "1"),
        ("seconds", None),
        ("language", "fr"),
        ("phase", "nowhere"),
        ("hinted", 0),
        ("repairs", [["fence"]]),
        pytest.param("steps", -100),
        pytest.param("steps", True),
        pytest.param("seconds", float("nan")),
        pytest.param("seconds", -1e9),
        pytest.param("usage.input_tokens", "12"),
        pytest.param("failures", {"pay": "2"}),
        pytest.param("finish", "because"),
        pytest.param("closing", "whenever"),
        pytest.param("tool_choice", ""),
        pytest.param("asked", -1),
        ("recent", [{"digest": 1, "token": 2, "call_id": 3, "count": "x"}]),
        pytest.param("pending.0.facts.held", "hostage"),
        pytest.param("pending.0.facts.held", ""),
        pytest.param("pending.0.facts.digest", 7),
        pytest.param("pending.0.approved", "no"),
        pytest.param("pending", []),
        pytest.param("pending.0.call.id", "other"),
        pytest.param("transcript.1.parts.0.id", "other"),
        pytest.param("transcript", []),
    ],
    ids=str,
)
def test_garbage_in_a_state(path: str, value: Any) -> None:
    """What `to_data` cannot have written is a ValueError at once, and nothing is asked or done."""
    bank = Bank()
    model = ScriptedModel(["done"] * 5)
    with pytest.raises(ValueError, match=r"."):
        resume(changed(path, value), tools=bank.tools, model=model)
    assert (model.requests, bank.done) == ([], [])


def test_a_state_whose_calls_are_gone_is_never_sent(ways: Ways) -> None:
    """A transcript that is not whole is not sent, as it is not in a prompt."""
    model = ScriptedModel(["done"])
    with pytest.raises(ValueError, match=r"."):
        ways.resume(changed("pending", []), tools=Bank().tools, model=model)
    assert model.requests == []


def test_a_state_is_not_changed_by_going_on(ways: Ways) -> None:
    """The same state can be gone on with again."""
    bank = Bank()
    state = stored(A_STATE)
    before = copy.deepcopy(state)
    ways.resume(state, {"p": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert state == before


def test_a_context_that_lacks_something(ways: Ways) -> None:
    """It is said before anything is done, as at the beginning."""

    @tool(policy=APPROVAL)
    def pay(to: str, bank: Injected[str]) -> str:
        """Pay somebody."""
        return f"{to} {bank}"

    state = stored(paused(ways, [pay], PAY, context={"bank": "b"}).state)
    with pytest.raises(ContextError, match="bank"):
        ways.resume(state, {"p": True}, tools=[pay], model=ScriptedModel([]))
    assert ways.resume(state, {"p": True}, tools=[pay], model=ScriptedModel(["ok"]), context={"bank": "c"}).ok


def test_options_that_are_none(ways: Ways) -> None:
    """As `run` does, `resume` refuses what is no RunOptions."""
    with pytest.raises(ValueError, match="options are RunOptions"):
        ways.resume(A_STATE, {"p": True}, tools=Bank().tools, model=ScriptedModel([]), options={"language": "zh"})


# What lasts


def test_the_time_that_a_run_stands_still_is_free(ways: Ways) -> None:
    """A deadline is of the time in which the run was under way."""
    bank = Bank()
    limits = Limits(deadline_s=3)
    state = stored(paused(ways, bank.tools, PAY, limits=limits).state)
    time.sleep(3.2)
    after = ways.resume(state, {"p": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert (after.stop, bank.done) == ("final", ["pay Ann 1"])
    assert after.state["seconds"] < 3


def test_the_time_that_was_spent_is_spent(ways: Ways) -> None:
    """What a run took before it paused counts when it goes on."""

    def wait() -> str:
        """Wait."""
        time.sleep(0.5)
        return "waited"

    bank = Bank()
    tools = (*bank.tools, wait)
    outcome = paused(ways, tools, call("w", "wait"), PAY, limits=Limits(deadline_s=60))
    assert 0.45 < outcome.state["seconds"] < 30


def test_the_time_of_what_was_cancelled_is_spent() -> None:
    """A run that is cancelled over and over has its time spent all the same."""
    error, _ = cancelled(0.6, "Go", model=SlowModel(), limits=Limits(deadline_s=60))
    assert error.outcome.state["seconds"] > 0.4  # type: ignore[attr-defined]  # which it was given


def test_the_time_of_a_model_that_fails_is_spent(ways: Ways) -> None:
    """A run whose model fails slowly, over and over, comes to its deadline."""

    class Failing(SlowModel):
        def complete(self, request: ModelRequest) -> ModelReply:
            time.sleep(0.5)
            raise ModelError("down")

        async def acomplete(self, request: ModelRequest) -> ModelReply:
            await asyncio.sleep(0.5)
            raise ModelError("down")

    with pytest.raises(ModelError) as caught:
        ways.run("Go", model=Failing(), limits=Limits(deadline_s=60))
    assert caught.value.outcome is not None
    assert caught.value.outcome.state["seconds"] > 0.4


def test_limits_last(ways: Ways) -> None:
    """Steps, tokens and failures go on from where they were."""
    bank = Bank()
    reply = ModelReply((PAY,), "tool_calls", Usage(50, 10))
    outcome = ways.run("Go", tools=bank.tools, model=ScriptedModel([reply]), limits=Limits(tokens=100, steps=2))
    last = ScriptedModel([ModelReply((call("n", "note", text="x"),), "tool_calls", Usage(20, 15)), "end"])
    after = ways.resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=last)
    assert (after.value, after.steps, after.usage) == ("end", 2, Usage(70, 25))
    assert after.stop == "step_limit"
    assert last.requests[1].tool_choice == "none"


def test_the_language_lasts(ways: Ways) -> None:
    """A run goes on in its own language, whatever the options say."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY, options=RunOptions(language="zh"))
    for options in (None, RunOptions(language="en")):
        model = ScriptedModel(["好"])
        after = ways.resume(stored(outcome.state), {"p": False}, tools=bank.tools, model=model, options=options)
        assert "人" in results_in(after.transcript)[0].content


def test_idempotency_keys_last(ways: Ways) -> None:
    """A call that is made again after a crash has the key that it had, also where the options name another run."""
    keys: list[str] = []

    @tool(policy=Policy(idempotent=True))
    def pay(to: str, key: Injected[IdempotencyKey]) -> str:
        """Pay somebody."""
        keys.append(str(key))
        return f"paid {to}"

    kept: list[Any] = []
    options = RunOptions(checkpoint=lambda state: kept.append(stored(state)))
    ways.run("Go", tools=[pay], model=ScriptedModel([PAY, "done"]), options=options)
    state = next(state for state in kept if state["pending"])
    assert state["run_id"]
    for again in (None, RunOptions(run_id="another")):
        ways.resume(state, tools=[pay], model=ScriptedModel(["done"]), options=again)
    assert len(keys) == 3
    assert len(set(keys)) == 1
    ways.run("Go", tools=[pay], model=ScriptedModel([PAY, "done"]))
    assert len(set(keys)) == 2


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


def test_the_context_is_not_in_the_state(ways: Ways) -> None:
    """Neither what tools were given of it, nor what they sent on of its secrets, nor its names."""

    class Deep(BaseModel):
        key: SecretStr
        name: str

    @tool
    def look(what: str, deep: Injected[Deep], ctx: Context) -> str:
        """Look something up."""
        return f"{what}: {deep.key.get_secret_value()}"

    @tool
    def fail(token: Injected[str]) -> str:
        """Fail."""
        raise ToolFailure(f"no such token: {token}")

    kept: list[Any] = []
    context = {"deep": Deep(key=SecretStr("deep-secret"), name="deep-name"), "token": "token-0815", "more": "more-17"}
    calls = [call("a", "look", what="x"), call("b", "fail"), ASK]
    outcome = paused(ways, [look, fail, ask_user], *calls, context=context, options=RunOptions(checkpoint=kept.append))
    text = json.dumps([*kept, outcome.state])
    assert not [secret for secret in ("deep-secret", "deep-name", "token-0815", "more-17") if secret in text]


def test_a_call_that_comes_when_a_run_ends_is_not_waited_for() -> None:
    """Where a run ends just as a call is given to a thread that was idle, whoever waits for the call is told so."""
    workers = Workers()
    told: SimpleQueue[Attempt] = SimpleQueue()
    workers.start(lambda: None, told.put)
    told.get(timeout=5)
    idle = workers._idle

    class Late(deque[Any]):
        def pop(self) -> Any:  # type: ignore[override]  # as a deque has it
            try:
                return idle.pop()
            finally:
                workers.stop()

    workers._idle = Late()
    workers.start(lambda: None, told.put)
    try:
        told.get(timeout=1)
    finally:
        workers.close()


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """No thread of a run outlives it, but those of functions that cannot be stopped."""
    before = set(threading.enumerate())
    yield
    end = time.monotonic() + 5
    while (left := set(threading.enumerate()) - before) and time.monotonic() < end:
        if all(getattr(thread, "abandoned", False) for thread in left):
            break
        time.sleep(0.01)
    else:
        assert not left
