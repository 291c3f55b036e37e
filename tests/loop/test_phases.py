"""Phases of a run: what each offers, what moves to the next, and that a run that goes on stands where it was."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from magic_tools import (
    DefinitionError,
    ErrorCode,
    Limits,
    ModelError,
    Outcome,
    Phases,
    Policy,
    RunOptions,
    ScriptedModel,
    Tool,
    ToolCall,
    ToolFailure,
    ToolResult,
    Toolset,
    arun,
    ask_user,
    output_tool,
    resume,
    run,
    tool,
)
from magic_tools.loop.phases import Progress
from tests.ways import Ways


@tool
def find(what: str = "it") -> str:
    """Find something."""
    if what == "nothing":
        raise ToolFailure("There is none.", ErrorCode.NOT_FOUND)
    return f"found {what}"


@tool
def buy(what: str = "it") -> str:
    """Buy it."""
    return f"bought {what}"


@tool
def look() -> str:
    """Look around."""
    return "nothing new"


@tool(policy=Policy(approval=True))
def pay(amount: int = 1) -> str:
    """Pay for it."""
    return f"paid {amount}"


@tool(policy=Policy(idempotent=True, read_only=True))
def check() -> str:
    """Check whether all is well."""
    return "all is well"


def shop(**move: str) -> Phases:
    return Phases({"find": [find, look, pay], "buy": [buy, look]}, move=move or {"find": "buy"})


def call(call_id: str, name: str, /, **arguments: Any) -> ToolCall:
    return ToolCall(call_id, name, json.dumps(arguments))


def stored(state: Any) -> Any:
    """A state as another process has it."""
    return json.loads(json.dumps(state))


def offered(model: ScriptedModel) -> list[list[str]]:
    """What each request offered."""
    return [[told.name for told in request.tools] for request in model.requests]


def results_of(outcome: Outcome[Any]) -> list[ToolResult]:
    return [part for message in outcome.transcript for part in message.parts if isinstance(part, ToolResult)]


FIND, BUY = ["find", "look", "pay"], ["buy", "look"]


def test_the_first_phase_is_where_a_run_begins(ways: Ways) -> None:
    """Unless another is named; its tools are offered, and no others."""
    model = ScriptedModel(["done", "done"])
    outcome = ways.run("Go", tools=shop(), model=model)
    assert outcome.state["phase"] == "find"
    ways.run("Go", tools=Phases({"find": [find], "buy": [buy]}, move={"buy": "find"}, start="buy"), model=model)
    assert offered(model) == [FIND, ["buy"]]


def test_a_tool_s_success_moves_on(ways: Ways) -> None:
    """By the mapping; what is not in it stays, and back is a way too."""
    model = ScriptedModel([call("1", "look"), call("2", "find"), call("3", "buy"), call("4", "find", what="b"), "done"])
    outcome = ways.run("Go", tools=shop(find="buy", buy="find"), model=model)
    assert offered(model) == [FIND, FIND, BUY, FIND, BUY]
    assert (outcome.value, outcome.state["phase"]) == ("done", "buy")


@pytest.mark.parametrize("arguments", [{"what": "nothing"}, {"wha": "it"}, {"what": 5.5, "x": 1}])
def test_a_failure_moves_nowhere(ways: Ways, arguments: dict[str, Any]) -> None:
    """Neither what a tool refuses nor arguments that do not fit."""
    model = ScriptedModel([call("1", "find", **arguments), "done"])
    ways.run("Go", tools=shop(), model=model)
    assert offered(model) == [FIND, FIND]


def test_calls_that_were_not_made_move_nowhere(ways: Ways) -> None:
    """A call too many, and a repeat."""
    model = ScriptedModel([[call("1", "look"), call("2", "find")], call("3", "find"), call("4", "find", x=1), "done"])
    ways.run("Go", tools=shop(), model=model, limits=Limits(calls_per_step=1))
    assert offered(model) == [FIND, FIND, BUY, BUY]


def test_of_several_the_last_counts(ways: Ways) -> None:
    """In the order in which they were called, not in that in which they ended; those that failed do not."""

    async def slow() -> str:
        """Take a while."""
        await asyncio.sleep(0.1)
        return "slow"

    def quick() -> str:
        """Be quick."""
        return "quick"

    def fail() -> str:
        """Fail."""
        raise KeyError

    tools = [slow, quick, fail]
    phases = Phases({"a": tools, "b": tools, "c": tools}, move={"slow": "b", "quick": "c", "fail": "a"})
    for calls, phase in [
        (["quick", "slow"], "b"),
        (["slow", "quick"], "c"),
        (["slow", "quick", "fail"], "c"),
        (["fail"], "a"),
    ]:
        model = ScriptedModel([[call(name, name) for name in calls], "done"])
        assert ways.run("Go", tools=phases, model=model).state["phase"] == phase


def test_a_function_moves(ways: Ways) -> None:
    """It is told where the run stands, once for each reply with calls; None is to stay."""
    told: list[Progress] = []

    def move(progress: Progress) -> str | None:
        told.append(progress)
        return {1: None, 2: "buy", 3: "buy"}[progress.steps]

    model = ScriptedModel([call("1", "look"), [call("2", "find"), call("x", "look")], call("3", "buy"), "done"])
    outcome = ways.run("Go", tools=Phases({"find": [find, look], "buy": [buy]}, move=move), model=model)
    assert offered(model) == [["find", "look"], ["find", "look"], ["buy"], ["buy"]]
    assert [(each.phase, each.steps, [result.name for result in each.results]) for each in told] == [
        ("find", 1, ["look"]),
        ("find", 2, ["find", "look"]),
        ("buy", 3, ["buy"]),
    ]
    assert told[1].results[0].value == "found it"
    assert told[0].transcript == outcome.transcript[:2]


@pytest.mark.parametrize("wrong", ["nowhere", "", 5, "Buy"])
def test_a_function_that_moves_nowhere(ways: Ways, wrong: Any) -> None:
    """A phase that there is not is a DefinitionError that says which there are; what was done is not lost."""
    model = ScriptedModel([call("1", "find")])
    phases = Phases({"find": [find], "buy": [buy]}, move=lambda progress: wrong)
    with pytest.raises(DefinitionError, match=r"There is no phase .*there are: find, buy") as caught:
        ways.run("Go", tools=phases, model=model)
    outcome: Outcome[Any] = caught.value.outcome  # type: ignore[attr-defined]  # which it was given
    assert [result.content for result in results_of(outcome)] == ["found it"]


def test_a_function_that_moves_to_what_is_no_phase(ways: Ways) -> None:
    """Whatever it gives that is none is a DefinitionError."""
    phases = Phases({"find": [find]}, move=lambda progress: ["find"])  # type: ignore[arg-type, return-value]
    with pytest.raises(DefinitionError, match="There is no phase"):
        ways.run("Go", tools=phases, model=ScriptedModel([call("1", "find")]))


def test_a_function_that_raises(ways: Ways) -> None:
    """Its error comes out, and what was done is not done again when the run goes on."""
    made: list[str] = []

    def act() -> str:
        """Act."""
        made.append("act")
        return "acted"

    errors = [ZeroDivisionError()]

    def move(progress: Progress) -> str | None:
        if errors:
            raise errors.pop()
        return "b"

    phases = Phases({"a": [act], "b": [act, look]}, move=move)
    with pytest.raises(ZeroDivisionError) as caught:
        ways.run("Go", tools=phases, model=ScriptedModel([call("1", "act")]))
    outcome: Outcome[Any] = caught.value.outcome  # type: ignore[attr-defined]  # which it was given
    after = ways.resume(stored(outcome.state), tools=phases, model=ScriptedModel(["done"]))
    assert (after.value, made) == ("done", ["act"])


def test_a_tool_of_another_phase(ways: Ways) -> None:
    """It is as unknown as any other: it does not run, and the model is told what there is now."""
    model = ScriptedModel([[call("1", "buy"), call("2", "find")], call("3", "find"), call("4", "buy"), "done"])
    outcome = ways.run("Go", tools=shop(), model=model)
    first, second, third, fourth = results_of(outcome)
    assert (first.code, third.code) == (ErrorCode.NOT_FOUND, ErrorCode.NOT_FOUND)
    assert "find, look, pay" in first.content
    assert "buy, look" in third.content
    assert (second.content, fourth.content) == ("found it", "bought it")


def test_one_name_in_two_phases(ways: Ways) -> None:
    """A name may stand for another function in another phase."""

    def early() -> str:
        """Go."""
        return "early"

    def late() -> str:
        """Go."""
        return "late"

    phases = Phases({"a": [tool(early, name="go")], "b": [tool(late, name="go")]}, move={"go": "b"})
    outcome = ways.run("Go", tools=phases, model=ScriptedModel([call("1", "go"), call("2", "go"), "done"]))
    texts = [result.content for result in results_of(outcome)]
    assert texts[0] == "early"


def test_one_name_in_two_phases_is_no_repeat(ways: Ways) -> None:
    """The same name and arguments in another phase, of another function, is another call."""

    def early() -> str:
        """Go."""
        return "early"

    def late() -> str:
        """Go."""
        return "late"

    phases = Phases({"a": [tool(early, name="go")], "b": [tool(late, name="go")]}, move={"go": "b"})
    outcome = ways.run("Go", tools=phases, model=ScriptedModel([call("1", "go"), call("2", "go"), "done"]))
    assert [result.content for result in results_of(outcome)] == ["early", "late"]


@pytest.mark.parametrize(
    ("scopes", "names"), [([], []), (["shop"], [["find"], ["buy"]]), (["shop", "money"], [["find", "pay"], ["buy"]])]
)
def test_scopes_hold_in_each_phase(ways: Ways, scopes: list[str], names: list[list[str]]) -> None:
    """What the context does not grant is offered in no phase."""

    def scoped(name: str, *wanted: str) -> Tool[..., Any]:
        def act() -> str:
            """Act."""
            return "acted"

        return tool(act, name=name, policy=Policy(scopes=wanted))

    phases = Phases(
        {"a": [scoped("find", "shop"), scoped("pay", "money")], "b": [scoped("buy", "shop")]}, move={"find": "b"}
    )
    model = ScriptedModel([call("1", "find"), "done"])
    outcome = ways.run("Go", tools=phases, model=model, context={"scopes": scopes})
    assert offered(model) == (names or [[], []])
    assert results_of(outcome)[0].is_error is (not scopes)


def test_phases_of_a_toolset(ways: Ways) -> None:
    """`Policy(phases=...)` says where a tool serves; one that names none serves everywhere."""

    def made(name: str, *phases: str) -> Tool[..., Any]:
        def act() -> str:
            """Act."""
            return "acted"

        return tool(act, name=name, policy=Policy(phases=phases))

    toolset = Toolset(made("find", "a"), made("look"), made("buy", "b", "c"))
    phases = Phases.of(toolset, "a", "b", "c", move={"find": "b", "buy": "c"})
    assert {name: held.names for name, held in phases.tools.items()} == {
        "a": ("find", "look"),
        "b": ("look", "buy"),
        "c": ("look", "buy"),
    }
    model = ScriptedModel([call("1", "find"), call("2", "buy"), "done"])
    assert ways.run("Go", tools=phases, model=model).state["phase"] == "c"
    assert Phases.of(toolset, "b", "a", move={"find": "b"}, start="a").start == "a"
    assert repr(phases) == "Phases(a, b, c)"


@pytest.mark.parametrize(
    ("tools", "more", "words"),
    [
        ({}, {"move": {}}, "Phases take tools by the name"),
        ([find], {"move": {}}, "Phases take tools by the name"),
        (None, {"move": {}}, "Phases take tools by the name"),
        ({"": [find]}, {"move": {}}, "name of a phase"),
        ({5: [find]}, {"move": {}}, "name of a phase"),
        ({None: [find]}, {"move": {}}, "name of a phase"),
        ({"a": [find]}, {"move": {"find": "b"}}, "no phase 'b'; there are: a"),
        ({"a": [find]}, {"move": {"buy": "a"}}, "names the tool 'buy', which no phase has"),
        ({"a": [find]}, {"move": {"Find": "a"}}, "names the tool 'Find'"),
        ({"a": [find]}, {"move": {find: "a"}}, "names the tool"),
        ({"a": [find]}, {"move": {}, "start": "b"}, "no phase 'b'"),
        ({"a": [find]}, {"move": {}, "start": ""}, "no phase ''"),
        ({"a": [find]}, {"move": "a"}, "function or a mapping"),
        ({"a": [find]}, {"move": None}, "function or a mapping"),
        ({"a": [find]}, {"move": [("find", "a")]}, "function or a mapping"),
        ({"a": [find, find]}, {"move": {}}, "Two tools are called 'find'"),
        ({"a": "find"}, {"move": {}}, "several tools"),
        ({"a": [5]}, {"move": {}}, "no tool"),
        pytest.param({"a": [find], "b": [buy]}, {"move": {}}, "never be reached"),
        pytest.param({"a": [find], "b": [buy]}, {"move": {"buy": "a"}}, "never be reached"),
        pytest.param({"a": [find], "b": [buy]}, {"move": {"find": "a"}}, "never be reached"),
        pytest.param({"a": find}, {"move": {}}, "."),
        pytest.param({"a": None}, {"move": {}}, "."),
        pytest.param({"a": [find]}, {"move": {"find": ["a"]}}, "no phase"),
        pytest.param({"a": [find]}, {"move": {}, "start": ["a"]}, "no phase"),
        pytest.param({"a": [find]}, {"move": arun}, "function"),
    ],
)
def test_phases_that_cannot_be(tools: Any, more: dict[str, Any], words: str) -> None:
    """A fault of the definition is a DefinitionError where the phases are made, and says which."""
    with pytest.raises(DefinitionError, match=words):
        Phases(tools, **more)


def test_phases_of_nothing() -> None:
    """Without a name there is no phase."""
    with pytest.raises(DefinitionError, match="Phases take tools by the name"):
        Phases.of(Toolset(find), move={})


def test_phases_may_be_without_tools(ways: Ways) -> None:
    """A phase in which the model can only answer is one."""
    model = ScriptedModel([call("1", "find"), "done"])
    assert ways.run("Go", tools=Phases({"a": [find], "b": []}, move={"find": "b"}), model=model).value == "done"
    assert offered(model) == [["find"], []]


def test_a_forced_choice_is_of_the_first_phase() -> None:
    """A tool that the first request is to force has to be one that it offers."""
    with pytest.raises(ValueError, match="is no tool of this run; there are: find, look, pay"):
        run("Go", tools=shop(), model=ScriptedModel([]), options=RunOptions(tool_choice="buy"))


def test_an_output_tool_may_have_the_name_of_none_in_any_phase() -> None:
    """Else its calls could not be told from those of a later phase."""

    def final_answer() -> str:
        """Answer."""
        return ""

    phases = Phases({"a": [find], "b": [final_answer]}, move={"find": "b"})
    end = output_tool("final_answer", "The end", {"type": "object", "properties": {}})
    with pytest.raises(DefinitionError, match="both called 'final_answer'"):
        run("Go", tools=phases, output=end, model=ScriptedModel([]))
    model = ScriptedModel([ToolCall("a", "final_answer_2", '{"value": 5}')])
    assert run("Go", tools=phases, output=int, model=model, options=RunOptions(output_mode="tool")).value == 5


# A run that goes on


def test_the_phase_is_in_the_state(ways: Ways) -> None:
    """A run that goes on stands in the phase in which it was, not in the first."""
    model = ScriptedModel([call("1", "find"), ModelError("down")])
    with pytest.raises(ModelError) as caught:
        ways.run("Go", tools=shop(), model=model)
    assert caught.value.outcome is not None
    state = stored(caught.value.outcome.state)
    assert state["phase"] == "buy"
    again = ScriptedModel([call("2", "buy"), "done"])
    assert ways.resume(state, tools=shop(), model=again).value == "done"
    assert offered(again) == [BUY, BUY]


@pytest.mark.parametrize("tools", [[find, buy], Phases({"find": [find]}, move={}), Phases({"Buy": [buy]}, move={}), []])
def test_a_phase_that_is_gone(ways: Ways, tools: Any) -> None:
    """It is a ValueError that says which there are."""
    with pytest.raises(ModelError) as caught:
        ways.run("Go", tools=shop(), model=ScriptedModel([call("1", "find"), ModelError("down")]))
    assert caught.value.outcome is not None
    with pytest.raises(ValueError, match="the run stands in the phase 'buy'"):
        ways.resume(stored(caught.value.outcome.state), tools=tools, model=ScriptedModel([]))


def test_a_run_without_phases_goes_on_without() -> None:
    """Nor can one that had none go on with some."""
    outcome = run("Go", tools=[pay], model=ScriptedModel([call("1", "pay")]))
    with pytest.raises(ValueError, match="the run stands in the phase ''"):
        resume(outcome.state, {"1": True}, tools=shop(), model=ScriptedModel([]))


def test_a_paused_call_moves_on_when_it_was_made(ways: Ways) -> None:
    """What a call with leave comes to moves the run like any other."""
    phases = shop(pay="buy")
    outcome = ways.run("Go", tools=phases, model=ScriptedModel([call("p", "pay")]))
    assert (outcome.stop, outcome.state["phase"]) == ("needs_approval", "find")
    for allowed, names in ((True, BUY), (False, FIND)):
        model = ScriptedModel(["done"])
        ways.resume(stored(outcome.state), {"p": allowed}, tools=phases, model=model)
        assert offered(model) == [names]


def test_a_call_that_waits_while_another_moves_on(ways: Ways) -> None:
    """Of a reply that calls a tool that needs leave, and one that moves on, the first can still be allowed."""
    outcome = ways.run("Go", tools=shop(), model=ScriptedModel([[call("p", "pay"), call("f", "find")]]))
    assert [each.call_id for each in outcome.waiting] == ["p"]
    model = ScriptedModel(["done"])
    after = ways.resume(stored(outcome.state), {"p": True}, tools=shop(), model=model)
    assert [result.content for result in results_of(after)] == ["paid 1", "found it"]
    assert offered(model) == [BUY]


def test_a_call_that_waits_while_another_moves_on_is_still_shown(ways: Ways) -> None:
    """Gone on with without a decision, it waits still."""
    outcome = ways.run("Go", tools=shop(), model=ScriptedModel([[call("p", "pay"), call("f", "find")]]))
    after = ways.resume(stored(outcome.state), tools=shop(), model=ScriptedModel(["done"]))
    assert after.waiting == outcome.waiting


def test_one_name_in_two_phases_and_leave(ways: Ways) -> None:
    """Leave is for the tool that was called, not for one of the same name in the phase after."""
    made: list[str] = []

    def early(amount: int = 1) -> str:
        """Pay."""
        made.append("early")
        return "paid"

    def late(amount: int = 1) -> str:
        """Pay all."""
        made.append("late")
        return "paid"

    approval = Policy(approval=True)
    phases = Phases(
        {"a": [find, tool(early, name="pay", policy=approval)], "b": [tool(late, name="pay", policy=approval)]},
        move={"find": "b"},
    )
    outcome = ways.run("Go", tools=phases, model=ScriptedModel([[call("p", "pay"), call("f", "find")]]))
    ways.resume(stored(outcome.state), {"p": True}, tools=phases, model=ScriptedModel(["done"]))
    assert made == ["early"]


def test_the_last_of_a_reply_counts_also_where_it_ran_first(ways: Ways) -> None:
    """In the order in which they were called, whatever waited in between."""
    tools: list[Tool[..., Any]] = [find, pay]
    phases = Phases({"a": tools, "b": tools, "c": tools}, move={"pay": "b", "find": "c"})
    outcome = ways.run("Go", tools=phases, model=ScriptedModel([[call("p", "pay"), call("f", "find")]]))
    after = ways.resume(stored(outcome.state), {"p": True}, tools=phases, model=ScriptedModel(["done"]))
    assert after.state["phase"] == "c"


def test_a_function_is_asked_once_for_a_reply(ways: Ways) -> None:
    """It is told all results of a reply at once, also where one of its calls has waited."""
    told: list[list[str]] = []

    def move(progress: Progress) -> None:
        told.append([result.name for result in progress.results])

    phases = Phases({"a": [find, pay]}, move=move)
    outcome = ways.run("Go", tools=phases, model=ScriptedModel([[call("p", "pay"), call("f", "find")]]))
    ways.resume(stored(outcome.state), {"p": True}, tools=phases, model=ScriptedModel(["done"]))
    assert told == [["pay", "find"]]


def test_the_answer_of_a_person_moves_on(ways: Ways) -> None:
    """A question that was answered is a success of its tool."""
    phases = Phases({"a": [ask_user], "b": [buy]}, move={"ask_user": "b"})
    outcome = ways.run("Go", tools=phases, model=ScriptedModel([call("q", "ask_user", question="What?")]))
    model = ScriptedModel(["done"])
    ways.resume(stored(outcome.state), {"q": "a book"}, tools=phases, model=model)
    assert offered(model) == [["buy"]]


def test_a_function_is_asked_after_a_person_s_word(ways: Ways) -> None:
    """Also where all calls of a reply were decided by a person, as by a refusal."""

    def move(progress: Progress) -> str | None:
        return "b" if any(result.code is ErrorCode.REQUIRES_APPROVAL for result in progress.results) else None

    phases = Phases({"a": [pay], "b": [buy]}, move=move)
    outcome = ways.run("Go", tools=phases, model=ScriptedModel([call("p", "pay")]))
    model = ScriptedModel(["done"])
    ways.resume(stored(outcome.state), {"p": False}, tools=phases, model=model)
    assert offered(model) == [["buy"]]


def test_an_earlier_result_moves_on_too(ways: Ways) -> None:
    """A call that is answered by what the same call came to before is a success like that."""
    quiet = tool(look_quietly, name="look", policy=Policy(read_only=True))
    phases = Phases({"a": [check, find], "b": [check, quiet]}, move={"check": "b", "look": "a"})
    model = ScriptedModel([call("1", "check"), call("2", "look"), call("3", "check"), "done"])
    outcome = ways.run("Go", tools=phases, model=model)
    assert results_of(outcome)[2].reused
    assert outcome.state["phase"] == "b"


def look_quietly() -> str:
    """Look around."""
    return "nothing new"


def test_the_move_of_a_call_that_had_ended_is_not_lost(ways: Ways) -> None:
    """Lost after some calls of a reply had ended, a run goes on in the phase to which those move."""

    @tool(policy=Policy(sequential=True))
    def leave() -> str:
        """Leave."""
        raise KeyboardInterrupt

    phases = Phases({"find": [find, look, leave], "buy": [buy]}, move={"find": "buy"})
    calls = [call("1", "find"), call("2", "look"), call("3", "leave")]
    with pytest.raises(KeyboardInterrupt) as caught:
        ways.run("Go", tools=phases, model=ScriptedModel([calls]))
    state = stored(caught.value.outcome.state)  # type: ignore[attr-defined]  # which it was given
    model = ScriptedModel(["done"])
    after = ways.resume(state, tools=phases, model=model)
    assert [result.is_error for result in results_of(after)] == [False, False, True]
    assert offered(model) == [["buy"]]


def test_a_run_goes_on_in_the_same_phase_from_every_state(ways: Ways) -> None:
    """Whichever kept state it goes on from, it comes to the phase to which the whole run came."""
    kept: list[Any] = []
    calls = [call("1", "find"), call("2", "look")]
    options = RunOptions(checkpoint=lambda state: kept.append(stored(state)))
    phases = shop()
    ways.run("Go", tools=phases, model=ScriptedModel([calls, "done"]), options=options)
    ended = [
        state for state in kept if state["pending"] and all(each["result"] is not None for each in state["pending"])
    ]
    assert ended
    for state in ended:
        model = ScriptedModel(["done"])
        ways.resume(state, tools=phases, model=model)
        assert offered(model) == [BUY]


def test_the_move_of_a_function_that_failed_is_made_when_the_run_goes_on(ways: Ways) -> None:
    """A function that could not say where to go is asked again."""
    errors = [ZeroDivisionError()]

    def move(progress: Progress) -> str | None:
        if errors:
            raise errors.pop()
        return "buy"

    phases = Phases({"find": [find], "buy": [buy]}, move=move)
    with pytest.raises(ZeroDivisionError) as caught:
        ways.run("Go", tools=phases, model=ScriptedModel([call("1", "find")]))
    state = stored(caught.value.outcome.state)  # type: ignore[attr-defined]  # which it was given
    model = ScriptedModel(["done"])
    ways.resume(state, tools=phases, model=model)
    assert offered(model) == [["buy"]]


def test_a_call_that_was_lost_is_looked_for_in_its_phase(ways: Ways) -> None:
    """One that does no harm is made again."""
    kept: list[Any] = []
    phases = Phases({"a": [check], "b": [buy]}, move={"check": "b"})
    ways.run(
        "Go",
        tools=phases,
        model=ScriptedModel([call("1", "check"), "done"]),
        options=RunOptions(checkpoint=lambda state: kept.append(stored(state))),
    )
    state = next(state for state in kept if state["pending"])
    model = ScriptedModel(["done"])
    after = ways.resume(state, tools=phases, model=model)
    assert (results_of(after)[0].content, offered(model)) == ("all is well", [["buy"]])
