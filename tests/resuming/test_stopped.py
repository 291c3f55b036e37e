"""Runs that are cancelled or interrupted, or that their model fails, go on, and what they took is spent."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections import deque
from queue import SimpleQueue
from typing import Any

import pytest

from magic_tools import (
    Capabilities,
    ErrorCode,
    Limits,
    Message,
    ModelError,
    ModelReply,
    ModelRequest,
    Outcome,
    Policy,
    RunOptions,
    ScriptedModel,
    Toolset,
    aresume,
    arun,
    resume,
    run,
    tool,
)
from magic_tools.effects.program import CallCancelledError
from magic_tools.effects.workers import Attempt, Workers
from tests.resuming.bank import PAY, Bank, assert_whole, call, paused, stored
from tests.ways import Ways, results_in

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
        attempt = told.get(timeout=1)
    finally:
        workers.close()
    assert isinstance(attempt.error, CallCancelledError)


# Interrupts


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


# The time that was spent


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
