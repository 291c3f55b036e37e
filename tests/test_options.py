"""What a run is told: a choice of tools, how its answer is asked for, and hooks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from magic_tools import (
    Capabilities,
    DefinitionError,
    LimitError,
    Limits,
    ModelError,
    OutputError,
    RunOptions,
    ScriptedModel,
    ToolCall,
    output_tool,
    resume,
    run,
)
from tests.stock import REPORT, STOCK, Report, call, results_of, stock
from tests.ways import RunIt as Run

# Tool choice


FORCED = Capabilities(native_schema=True, tools=True, forced_choice=True)


@pytest.mark.parametrize("choice", ["required", "stock", "none", "auto"])
def test_a_forced_choice_is_for_the_first_request(run_it: Run, choice: str) -> None:
    """It is lifted after that, else the model could never answer."""
    model = ScriptedModel([STOCK, "done"] if choice != "none" else ["done"], capabilities=FORCED)
    options = RunOptions(tool_choice=choice)
    outcome = run_it("Go", tools=[stock], model=model, options=options)
    assert outcome.value == "done"
    assert [request.tool_choice for request in model.requests] == ([choice, "auto"] if choice != "none" else ["none"])


def test_a_forced_choice_is_lifted_whatever_came(run_it: Run) -> None:
    """Also where the model did not do it, or did it wrong."""
    for first in ("", call("s", "stock", sku=5, x=1), call("s", "sell")):
        model = ScriptedModel([first, "done"], capabilities=FORCED)
        run_it("Go", tools=[stock], model=model, options=RunOptions(tool_choice="stock"))
        assert [request.tool_choice for request in model.requests] == ["stock", "auto"]


def test_a_forced_choice_after_a_request_that_failed(run_it: Run) -> None:
    """A request that came to nothing was not the first."""
    model = ScriptedModel([ModelError("down")], capabilities=FORCED)
    with pytest.raises(ModelError) as caught:
        run_it("Go", tools=[stock], model=model, options=RunOptions(tool_choice="stock"))
    assert caught.value.outcome is not None
    again = ScriptedModel([STOCK, "done"], capabilities=FORCED)
    resume(json.loads(json.dumps(caught.value.outcome.state)), tools=[stock], model=again)
    assert [request.tool_choice for request in again.requests] == ["stock", "auto"]


@pytest.mark.parametrize(
    ("choice", "tools", "capabilities", "kind", "words"),
    [
        ("sell", [stock], FORCED, ValueError, "is no tool of this run; there are: stock"),
        ("Required", [stock], FORCED, ValueError, "is no tool of this run"),
        ("sell", [], FORCED, ValueError, "there are: none"),
        ("stock", [stock], Capabilities(tools=True), ModelError, "cannot be made to call a tool"),
        ("required", [stock], Capabilities(tools=True), ModelError, "cannot be made to call a tool"),
        pytest.param("required", [], FORCED, ValueError, "tool"),
    ],
)
def test_choices_that_cannot_be(
    run_it: Run, choice: str, tools: Any, capabilities: Capabilities, kind: type[Exception], words: str
) -> None:
    """They are refused before the first request."""
    model = ScriptedModel(["done"], capabilities=capabilities)
    with pytest.raises(kind, match=words):
        run_it("Go", tools=tools, model=model, options=RunOptions(tool_choice=choice))
    assert model.requests == []


# How an answer is asked for


ALL = Capabilities(native_schema=True, tools=True, forced_choice=True)


NATIVE = Capabilities(native_schema=True)


TOOLS = Capabilities(tools=True)


NOTHING = Capabilities()


@pytest.mark.parametrize(
    ("mode", "capabilities", "used"),
    [
        (None, ALL, "native"),
        (None, NATIVE, "native"),
        (None, TOOLS, "tool"),
        (None, NOTHING, "prompt"),
        ("native", ALL, "native"),
        ("tool", ALL, "tool"),
        ("prompt", ALL, "prompt"),
        ("tool", TOOLS, "tool"),
        ("prompt", NOTHING, "prompt"),
    ],
)
@pytest.mark.parametrize("output", [Report, int, list[Report], Report | None])
def test_output_modes(run_it: Run, mode: Any, capabilities: Capabilities, used: str, output: Any) -> None:
    """As the model can, or as it is told; the answer is of the type in each."""
    text = {Report: '{"n": 1}', int: "5"}.get(output, '[{"n": 1}]' if output == list[Report] else "null")
    value = {Report: Report(n=1), int: 5}.get(output, [Report(n=1)] if output == list[Report] else None)
    is_object = output is Report
    answer = ToolCall("f", "final_answer", text if is_object else f'{{"value": {text}}}') if used == "tool" else text
    model = ScriptedModel([answer], capabilities=capabilities)
    outcome = run_it("Go", output=output, model=model, options=RunOptions(output_mode=mode))
    assert (outcome.value, outcome.ok) == (value, True)
    assert outcome.stop == ("output_tool" if used == "tool" else "final")
    assert outcome.output_tool == ("final_answer" if used == "tool" else None)
    (request,) = model.requests
    assert (request.output is not None) is (used == "native")
    assert [told.name for told in request.tools] == (["final_answer"] if used == "tool" else [])
    assert (request.messages[0].role == "system") is (used == "prompt")
    if used == "tool":
        assert request.tool_choice == ("required" if capabilities.forced_choice else "auto")


@pytest.mark.parametrize(
    ("mode", "capabilities"), [("native", TOOLS), ("native", NOTHING), ("tool", NATIVE), ("tool", NOTHING)]
)
def test_output_modes_that_a_model_lacks(run_it: Run, mode: Any, capabilities: Capabilities) -> None:
    """They are refused before the first request, with a way out."""
    model = ScriptedModel(["5"], capabilities=capabilities)
    for output in (int, str, Report):
        with pytest.raises(ModelError, match=rf"output_mode='{mode}': leave it out"):
            run_it("Go", output=output, model=model, options=RunOptions(output_mode=mode))
    assert model.requests == []


SHORT = output_tool("short", "A word, with its sense", int, summary=True)


def test_an_output_tool_that_the_model_cannot_call() -> None:
    """It is refused before the first request."""
    with pytest.raises(ModelError, match="cannot call tools"):
        run("Go", output=REPORT, model=ScriptedModel([], capabilities=NATIVE))


@pytest.mark.parametrize("wrong", ["Native", "json", "", 5, True])
def test_output_modes_that_are_none(wrong: Any) -> None:
    """A mode that there is not is a ValueError."""
    with pytest.raises(ValueError, match=r"RunOptions\.output_mode is 'native' or 'tool' or 'prompt'"):
        RunOptions(output_mode=wrong)


def test_text_in_each_mode(run_it: Run) -> None:
    """A text as the output is the reply as it is, unless a mode is asked for."""
    model = ScriptedModel(["Hi"], capabilities=ALL)
    assert run_it("Go", model=model).value == "Hi"
    model = ScriptedModel([call("f", "final_answer", value="Hi")], capabilities=ALL)
    outcome = run_it("Go", model=model, options=RunOptions(output_mode="tool"))
    assert (outcome.value, outcome.output_tool) == ("Hi", "final_answer")


@pytest.mark.parametrize(
    ("called", "value", "summary"),
    [
        (call("1", "report", n=5), Report(n=5), None),
        (call("1", "short", data=5, summary="Five."), 5, "Five."),
    ],
)
def test_several_output_tools(run_it: Run, called: ToolCall, value: Any, summary: str | None) -> None:
    """The outcome says which was called, and what with; one with a summary fills it."""
    model = ScriptedModel([called])
    outcome = run_it("Go", output=[REPORT, SHORT], model=model)
    assert (outcome.value, outcome.summary, outcome.output_tool) == (value, summary, called.name)
    assert (outcome.stop, outcome.ok) == ("output_tool", True)
    assert [told.name for told in model.requests[0].tools] == ["report", "short"]
    (result,) = results_of(outcome)
    assert not result.is_error


def test_several_answers_in_a_reply(run_it: Run) -> None:
    """The first that fits is the answer, and all calls are answered; nothing else of the reply is done."""
    done: list[str] = []

    def act() -> str:
        """Act."""
        done.append("act")
        return "acted"

    calls = [call("0", "act"), call("1", "report", n="x"), call("2", "report", n=2), call("3", "report", n=3)]
    outcome = run_it("Go", tools=[act], output=[REPORT, SHORT], model=ScriptedModel([["All done.", *calls]]))
    assert (outcome.value, outcome.stop, outcome.output_tool, done) == (Report(n=2), "output_tool", "report", [])
    assert [result.call_id for result in results_of(outcome)] == ["0", "1", "2", "3"]
    assert [result.is_error for result in results_of(outcome)] == [True, True, False, True]
    assert outcome.transcript[-2].text == "All done."


def test_an_answer_that_does_not_fit_beside_other_calls(run_it: Run) -> None:
    """The others run, and the answer is asked for again."""
    model = ScriptedModel([[call("1", "report", n="x"), STOCK], call("2", "report", n=2)])
    outcome = run_it("Go", tools=[stock], output=REPORT, model=model)
    assert outcome.value == Report(n=2)
    assert [result.is_error for result in results_of(outcome)] == [True, False, False]


def test_text_does_not_end_a_run_with_an_output_tool(run_it: Run) -> None:
    """It is told so, and counts as an answer that does not fit, though it be JSON of the type."""
    model = ScriptedModel(['{"n": 1}', call("1", "report", n=2)])
    assert run_it("Go", output=REPORT, model=model).value == Report(n=2)
    assert "report" in model.requests[1].messages[-1].text
    with pytest.raises(OutputError) as caught:
        run_it("Go", output=REPORT, model=ScriptedModel(["a", "b", "c"]))
    assert caught.value.outcome.stop == "invalid_output"


def test_the_last_request_offers_output_tools_alone(run_it: Run) -> None:
    """The model can do nothing but answer; a call of anything else is not made."""
    for capabilities, choice in ((ALL, "required"), (TOOLS, "auto")):
        model = ScriptedModel([STOCK, call("1", "short", data=2, summary="Two.")], capabilities=capabilities)
        outcome = run_it("Go", tools=[stock], output=[REPORT, SHORT], model=model, limits=Limits(steps=1))
        assert (outcome.value, outcome.stop, outcome.output_tool, outcome.ok) == (2, "step_limit", "short", True)
        last = model.requests[-1]
        assert [told.name for told in last.tools] == ["report", "short"]
        assert last.tool_choice == choice
        assert "report or short" in last.messages[-1].text
    model = ScriptedModel([STOCK, [STOCK, call("1", "report", n="x")]])
    with pytest.raises(LimitError) as caught:
        run_it("Go", tools=[stock], output=REPORT, model=model, limits=Limits(steps=1))
    assert "n: expected" in str(caught.value)
    assert [result.is_error for result in results_of(caught.value.outcome)] == [False, True, True]


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ([REPORT, REPORT], "Two output tools are called 'report'"),
        ([REPORT, Report], "make an output_tool of it too"),
        ((REPORT, None), "make an output_tool of it too"),
    ],
)
def test_output_tools_that_cannot_be(output: Any, words: str) -> None:
    """They are refused before the first request."""
    with pytest.raises(DefinitionError, match=words):
        run("Go", output=output, model=ScriptedModel([]))
    with pytest.raises(DefinitionError, match="both called 'stock'"):
        run("Go", tools=[stock], output=output_tool("stock", "x", Report), model=ScriptedModel([]))


@pytest.mark.parametrize("mode", ["native", "tool", "prompt"])
@pytest.mark.parametrize("said", ["", " \n", "..."])
def test_silence_where_nothing_may_be_the_answer(run_it: Run, mode: Any, said: str) -> None:
    """Where the output may be None, silence is the answer None, and no stall."""
    model = ScriptedModel([said], capabilities=ALL)
    outcome = run_it("Go", output=Report | None, model=model, options=RunOptions(output_mode=mode))
    assert (outcome.value, outcome.ok, outcome.stop) == (None, True, "final")


@pytest.mark.parametrize("output", [None, type(None)])
@pytest.mark.parametrize("mode", [None, "prompt"])
def test_an_output_that_is_none(run_it: Run, output: Any, mode: Any) -> None:
    """A run whose output is None ends with whatever says nothing."""
    for said in ("null", "", "None"):
        model = ScriptedModel([said])
        outcome = run_it("Go", tools=[stock], output=output, model=model, options=RunOptions(output_mode=mode))
        assert (outcome.value, outcome.ok) == (None, True)


def test_tools_and_a_typed_answer_together(run_it: Run) -> None:
    """In each mode; the text beside calls is kept, and is no answer though it fits."""
    for mode in ("native", "tool", "prompt"):
        last = call("f", "final_answer", n=2) if mode == "tool" else '{"n": 2}'
        model = ScriptedModel([['{"n": 1}', STOCK], last], capabilities=ALL)
        outcome = run_it("Go", tools=[stock], output=Report, model=model, options=RunOptions(output_mode=mode))
        assert outcome.value == Report(n=2)
        assert outcome.transcript[1].text == '{"n": 1}'
        assert outcome.transcript[1].calls[0].id == "s"


def test_the_text_of_several_parts(run_it: Run) -> None:
    """Texts before, between and after calls stand where they stood; joined, those of an answer are the answer."""
    model = ScriptedModel([["one ", STOCK, "two ", call("t", "stock", sku="b"), "three"], ['{"n"', ": 1}"]])
    outcome = run_it("Go", tools=[stock], output=Report, model=model)
    assert [type(part).__name__ for part in outcome.transcript[1].parts] == [
        "TextPart",
        "ToolCall",
        "TextPart",
        "ToolCall",
        "TextPart",
    ]
    assert outcome.value == Report(n=1)


# Options that are none


def test_options_that_are_none() -> None:
    """What a run cannot be told is a ValueError that names it."""
    wrongs: list[tuple[str, Any]] = [
        ("tool_choice", ""),
        ("tool_choice", None),
        ("run_id", ""),
        ("run_id", 5),
        ("settings", {"temperature": 1}),
        ("history", 40),
        ("checkpoint", "file.json"),
        ("trace", 5),
    ]
    for name, wrong in wrongs:
        with pytest.raises(ValueError, match=rf"RunOptions\.{name}"):
            RunOptions(**{name: wrong})


def test_hooks_that_would_have_to_be_awaited() -> None:
    """A checkpoint or a trace is an ordinary function."""

    async def later(_: Any) -> None:
        """Do it later."""

    for name in ("checkpoint", "trace", "on_alert"):
        with pytest.raises(ValueError, match="an ordinary function"):
            RunOptions(**{name: later})  # type: ignore[arg-type]  # the fault that is tested


def test_a_hook_that_hides_that_it_would_have_to_be_awaited(run_it: Run) -> None:
    """An object whose call is async saves nothing, and is refused, or awaited, but not passed over."""
    kept: list[Any] = []

    class Store:
        async def __call__(self, state: Any) -> None:
            kept.append(state)

    try:
        run_it("Go", model=ScriptedModel(["done"]), options=RunOptions(checkpoint=Store()))
    except ValueError:
        return
    assert kept
