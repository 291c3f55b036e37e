"""Earlier results that stand for the same calls: as long as nothing has changed, and no longer."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from magic_tools import (
    ErrorCode,
    History,
    Limits,
    Policy,
    RunOptions,
    ScriptedModel,
    Tool,
    ToolFailure,
    ToolResult,
    ask_user,
    resume,
    run,
    tool,
)
from tests.stock import call, results_of
from tests.ways import RunIt

SAFE, ONCE, CHANGING = Policy(read_only=True, idempotent=True), Policy(idempotent=True), Policy()


class Desk:
    """Tools that count how often each was run, by name; what `look` says is the count."""

    def __init__(self) -> None:
        self.ran: Counter[str] = Counter()

    def made(self, name: str, policy: Policy, **options: Any) -> Tool[..., Any]:
        def body(n: int = 1) -> str:
            """Do it."""
            self.ran[name] += 1
            return f"{name} {self.ran[name]}"

        return tool(body, name=name, policy=policy, **options)

    def tools(self, **more: Any) -> list[Tool[..., Any]]:
        return [
            self.made("look", SAFE),
            self.made("read", SAFE),
            self.made("put", ONCE),
            self.made("set", ONCE),
            self.made("sell", CHANGING),
        ]


def told(run_it: RunIt, *replies: Any, **options: Any) -> tuple[Desk, list[ToolResult]]:
    """What was run for replies that call tools, and the results."""
    desk = Desk()
    calls = [
        [call(f"{at}{n}", name) for n, name in enumerate(reply.split())] for at, reply in enumerate(replies, start=1)
    ]
    outcome = run_it("Go", tools=desk.tools(), model=ScriptedModel([*calls, "done"]), **options)
    return desk, results_of(outcome)


def test_an_earlier_result_stands(run_it: RunIt) -> None:
    """The same call, after others that change nothing, gets what it got, under its own id, and is not made again."""
    desk, results = told(run_it, "look", "read", "look")
    again = results[2]
    assert (again.call_id, again.name, again.content, again.reused) == ("30", "look", "look 1", True)
    assert desk.ran == {"look": 1, "read": 1}
    assert [result.reused for result in results] == [False, False, True]


@pytest.mark.parametrize("change", ["sell", "put", "sell put", "read sell"])
def test_nothing_stands_after_a_change(run_it: RunIt, change: str) -> None:
    """Once anything was done that may have changed something, alone or beside others, the call is made anew."""
    desk, results = told(run_it, "look", change, "look")
    assert (results[-1].content, results[-1].reused) == ("look 2", False)
    assert desk.ran["look"] == 2


def test_a_change_that_was_made_is_not_made_again(run_it: RunIt) -> None:
    """The result of an idempotent call that changes something stands, where it was the only one of its reply."""
    desk, results = told(run_it, "put", "read", "put")
    assert (results[-1].content, results[-1].reused) == ("put 1", True)
    assert desk.ran["put"] == 1


@pytest.mark.parametrize("together", ["put set", "put read", "read put", "put sell"])
def test_calls_beside_a_change_stand_for_nothing(run_it: RunIt, together: str) -> None:
    """Of several calls of a reply, one of which changes something, nobody knows which saw it."""
    _, results = told(run_it, together, "look", *together.split())
    assert not any(result.reused for result in results)


def test_calls_that_change_nothing_stand_side_by_side(run_it: RunIt) -> None:
    """The results of several safe calls of one reply all stand, beside those that stood before."""
    desk, results = told(run_it, "look read", "put", "look read", "look", "read", limits=Limits(repeats=2))
    assert [result.content for result in results[3:]] == ["look 2", "read 2", "look 2", "read 2"]
    assert [result.reused for result in results] == [False] * 5 + [True] * 2
    assert desk.ran == {"look": 2, "read": 2, "put": 1}


def test_other_arguments_are_another_call(run_it: RunIt) -> None:
    """What stands, stands for the same arguments; others are made, and the earlier results still stand."""
    desk = Desk()
    calls = [call("1", "look", n=1), call("2", "look", n=2), call("3", "look"), call("4", "look", n=2)]
    outcome = run_it("Go", tools=desk.tools(), model=ScriptedModel([*calls, "done"]), limits=Limits(repeats=2))
    assert [result.content for result in results_of(outcome)] == ["look 1", "look 2", "look 1", "look 2"]


def test_a_call_that_failed_is_made_again(run_it: RunIt) -> None:
    """An error stands for nothing, also one of a tool that changes nothing; nor does a refusal of its arguments."""
    ran: list[int] = []

    @tool(policy=SAFE)
    def look() -> str:
        """Look."""
        ran.append(1)
        if len(ran) == 1:
            raise ToolFailure("Not now.", ErrorCode.INTERNAL)
        return "there"

    desk = Desk()
    model = ScriptedModel([call("1", "look"), call("2", "read"), call("3", "look"), "done"])
    outcome = run_it("Go", tools=[look, desk.made("read", SAFE)], model=model)
    first, _, last = results_of(outcome)
    assert (first.is_error, last.content, last.reused) == (True, "there", False)


def test_what_stood_in_for_a_result_stands_for_none(run_it: RunIt) -> None:
    """The fall-back of a tool is no result: the same call is made again."""
    ran: list[int] = []

    @tool(policy=SAFE, fallback="unknown")
    def look() -> str:
        """Look."""
        ran.append(1)
        raise KeyError

    desk = Desk()
    model = ScriptedModel([call("1", "look"), call("2", "read"), call("3", "look"), "done"])
    outcome = run_it("Go", tools=[look, desk.made("read", SAFE)], model=model)
    assert [result.reused for result in results_of(outcome)] == [False] * 3
    assert len(ran) == 2


def test_what_is_polled_is_always_made(run_it: RunIt) -> None:
    """A tool that says `repeatable` is asked each time."""
    desk = Desk()
    tools = [desk.made("look", SAFE, repeatable=True), desk.made("read", SAFE)]
    model = ScriptedModel([call("1", "look"), call("2", "read"), call("3", "look"), "done"])
    assert not any(result.reused for result in results_of(run_it("Go", tools=tools, model=model)))
    assert desk.ran["look"] == 2


def test_nothing_stands_without_reuse(run_it: RunIt) -> None:
    """With `History(reuse=False)` each call is made."""
    desk, results = told(run_it, "look", "read", "look", options=RunOptions(history=History(reuse=False)))
    assert desk.ran == {"look": 2, "read": 1}
    assert not any(result.reused for result in results)


def test_an_earlier_result_takes_no_room() -> None:
    """Calls that are answered by what came before do not count for the most calls of a reply."""
    desk = Desk()
    model = ScriptedModel([call("1", "look"), call("2", "read"), [call("3", "look"), call("4", "put")], "done"])
    outcome = run("Go", tools=desk.tools(), model=model, limits=Limits(calls_per_step=1))
    assert [result.is_error for result in results_of(outcome)] == [False] * 4


def test_earlier_results_stand_elsewhere_too() -> None:
    """A run that goes on from its state knows what stood, and what did not."""
    desk = Desk()
    kept: list[Any] = []
    options = RunOptions(checkpoint=lambda state: kept.append(json.loads(json.dumps(state))))
    calls = [call("1", "look"), call("2", "read")]
    run("Go", tools=desk.tools(), model=ScriptedModel([*calls, "done"]), options=options)
    outcome = resume(kept[-1], tools=desk.tools(), model=ScriptedModel([call("3", "look"), "done"]))
    assert (results_of(outcome)[-1].content, results_of(outcome)[-1].reused) == ("look 1", True)


def test_a_circle_of_earlier_results_is_a_repeat() -> None:
    """That nothing is made again does not let a model go round for ever."""
    _, results = told(run, "look", "read", "look", "read", "look")
    assert [result.reused for result in results] == [False, False, True, True, False]
    assert results[-1].code is ErrorCode.CONFLICT


def test_a_question_changes_nothing() -> None:
    """What stood before a person was asked stands after the answer."""
    desk = Desk()
    tools = [*desk.tools(), ask_user]
    calls = [call("1", "look"), call("2", "ask_user", question="Which?")]
    outcome = run("Go", tools=tools, model=ScriptedModel(calls))
    state = json.loads(json.dumps(outcome.state))
    after = resume(state, {"2": "this"}, tools=tools, model=ScriptedModel([call("3", "look"), "done"]))
    assert [result.reused for result in results_of(after)] == [False, False, True]
