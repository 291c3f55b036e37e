"""How runs end, at the edges: which tool failed, which answer was taken, what is beside an output tool."""

from __future__ import annotations

import json
from typing import Any

import pytest

from magic_tools import (
    Capabilities,
    ErrorCode,
    History,
    LimitError,
    Limits,
    Message,
    ModelReply,
    OutputError,
    Phases,
    RepeatError,
    RunOptions,
    ScriptedModel,
    StallError,
    TextPart,
    ToolCall,
    ToolFailure,
    ToolFailuresError,
    ToolResult,
    tool,
)
from tests.stock import REPORT, Report, call, results_of, stock
from tests.ways import RunIt

ALL = Capabilities(native_schema=True, tools=True, forced_choice=True)


def test_names_that_there_are_not_fail_together(run_it: RunIt) -> None:
    """Calls of unknown names are one row of failures, and the error says what was said of the last one."""
    model = ScriptedModel([*(call(name, name) for name in ("nowhere", "nobody", "nothing")), ""])
    with pytest.raises(ToolFailuresError, match="no answer after: nothing, of which the last words were: There is no"):
        run_it("Go", tools=[stock], model=model)


def test_the_error_tells_which_tool_failed(run_it: RunIt) -> None:
    """It is the one that failed too often, though another failed after it, and less often."""

    @tool
    def broken(n: int) -> int:
        """Break."""
        raise KeyError(n)

    @tool
    def shaky(n: int) -> int:
        """Break too."""
        raise ValueError(n)

    both = [[call(f"b{n}", "broken", n=n), call(f"s{n}", "shaky", n=n)] for n in (1, 2)]
    replies: list[Any] = [call("0", "broken", n=0), *both, ""]
    with pytest.raises(ToolFailuresError, match="no answer after: broken, of which"):
        run_it("Go", tools=[broken, shaky], model=ScriptedModel(replies))


def test_a_tool_whose_failure_is_a_conflict_is_told_too(run_it: RunIt) -> None:
    """What a tool itself says stands against it is a failure of the tool, unlike a call that was not made."""

    @tool
    def book(n: int) -> int:
        """Book."""
        raise ToolFailure(f"Seat {n} is taken.", ErrorCode.CONFLICT)

    model = ScriptedModel([*(call(str(n), "book", n=n) for n in range(3)), ""])
    with pytest.raises(ToolFailuresError, match=r"no answer after: book, of which the last words were: .*Seat 2"):
        run_it("Go", tools=[book], model=model)


@pytest.mark.parametrize(("output", "name"), [(REPORT, "report"), (Report, "final_answer"), (int, "final_answer")])
def test_repairs_of_an_answer_that_is_a_call(run_it: RunIt, output: Any, name: str) -> None:
    """What was mended in the call by which the answer was given is in the outcome."""
    arguments = '{"value": 2,}' if output is int else '{"n": 2,}'
    options = RunOptions(output_mode="tool") if output is not REPORT else None
    outcome = run_it("Go", output=output, model=ScriptedModel([ToolCall("1", name, arguments)]), options=options)
    assert outcome.value == (2 if output is int else Report(n=2))
    assert [repair.kind for repair in outcome.repairs] == ["trailing_comma"]


def test_a_call_that_is_no_answer_is_told_in_the_language(run_it: RunIt) -> None:
    """What is wrong with the arguments of an output tool is told in the run's language."""
    model = ScriptedModel([call("1", "report", n="x"), call("2", "report", n=2)])
    run_it("Go", output=REPORT, model=model, options=RunOptions(language="zh"))
    (result,) = model.requests[1].messages[-1].parts
    assert isinstance(result, ToolResult)
    assert "expected" not in result.content
    assert "整数" in result.content


def test_what_was_wrong_with_an_answer_beside_the_one_taken(run_it: RunIt) -> None:
    """A call that did not fit is answered by what is wrong with it, one that was not needed as not run."""
    calls = [call("1", "report", n="x"), call("2", "report", n=2), call("3", "report", n=3)]
    outcome = run_it("Go", output=REPORT, model=ScriptedModel([calls]))
    wrong, taken, left = results_of(outcome)
    assert (wrong.code, "n: expected an integer" in wrong.content) == (ErrorCode.INVALID_ARGUMENT, True)
    assert (taken.is_error, taken.content) == (False, "The answer was taken.")
    assert (left.code, left.content) == (ErrorCode.CONFLICT, "Not run: the answer was given in the same reply.")


def test_what_was_wrong_with_an_answer_beside_others_at_the_end(run_it: RunIt) -> None:
    """The last reply's calls are answered so too: what does not fit by why, what could not be called as not run."""
    model = ScriptedModel([call("0", "stock", sku="a"), [call("1", "stock", sku="b"), call("2", "report", n="x")]])
    with pytest.raises(LimitError) as caught:
        run_it("Go", tools=[stock], output=REPORT, model=model, limits=Limits(steps=1))
    _, late, wrong = results_of(caught.value.outcome)
    assert (late.code, late.content) == (ErrorCode.CONFLICT, "Not run: the run is at its end.")
    assert (wrong.code, "n: expected an integer" in wrong.content) == (ErrorCode.INVALID_ARGUMENT, True)


def test_text_in_place_of_a_call_is_told_in_the_error(run_it: RunIt) -> None:
    """The error says what was expected: a call, by the name of the output tool."""
    with pytest.raises(OutputError, match=r"expected a call of report, got text alone"):
        run_it("Go", output=REPORT, model=ScriptedModel(["a", "b", "c"]))


@pytest.mark.parametrize("said", ["", " \n", "..."])
def test_silence_where_a_call_is_the_answer(run_it: RunIt, said: str) -> None:
    """It gets its nudge, which names the tool, and is no answer where the type does not take None."""
    model = ScriptedModel([said, said])
    with pytest.raises(StallError):
        run_it("Go", output=Report, model=model, options=RunOptions(output_mode="tool"))
    assert model.requests[1].messages[-1].text == (
        "Your reply was empty. Give the answer by calling final_answer, or call another tool."
    )


def test_a_cut_text_where_a_call_is_the_answer(run_it: RunIt) -> None:
    """A reply that stopped at its length ends the run, whatever of it there is."""
    outcome = run_it(
        "Go",
        output=REPORT,
        model=ScriptedModel([ModelReply((), "length")]),
        options=RunOptions(fallback=None),
    )
    assert outcome.stop == "truncated"


def test_an_answer_by_the_library_s_own_tool_is_any_of_its_type(run_it: RunIt) -> None:
    """The tool by which a typed answer is asked for states no limits, and searches for nothing."""
    note = "```\nDROP TABLE users;\n```" * 50
    model = ScriptedModel([call("1", "final_answer", n=1, note=note)])
    outcome = run_it("Go", output=Report, model=model, options=RunOptions(output_mode="tool"))
    assert outcome.value == Report(n=1, note=note)
    assert "maxLength" not in json.dumps(model.requests[0].tools[0].input_schema)


def test_a_forced_tool_goes_before_the_answer(run_it: RunIt) -> None:
    """The first request forces what was asked for, and the next one a call, where a call is the answer."""
    model = ScriptedModel([call("0", "stock", sku="a"), call("1", "report", n=2)])
    run_it("Go", tools=[stock], output=REPORT, model=model, options=RunOptions(tool_choice="stock"))
    assert [request.tool_choice for request in model.requests] == ["stock", "required"]


def test_the_error_names_the_call_that_was_repeated(run_it: RunIt) -> None:
    """It is the one that was made again, and not another."""

    @tool
    def look() -> str:
        """Look."""
        return "nothing"

    model = ScriptedModel([call("0", "stock", sku="a"), *(call(str(n), "look") for n in range(1, 4)), ""])
    with pytest.raises(RepeatError, match="such as look "):
        run_it("Go", tools=[stock, look], model=model)


@pytest.mark.parametrize("earlier", [(), (Message.user("Old"), Message("assistant", (TextPart("x"),)))])
def test_the_question_of_a_run_stays_in_its_window(run_it: RunIt, earlier: tuple[Message, ...]) -> None:
    """What the loop itself says to the model does not push it out, nor is an older one taken for it."""
    asked = Message.user("Go")
    model = ScriptedModel(["", call("0", "stock", sku="a"), "done"])
    run_it([*earlier, asked], tools=[stock], model=model, options=RunOptions(history=History(messages=3)))
    assert [message.role for message in model.requests[-1].messages] == ["user", "assistant", "tool"]
    assert model.requests[-1].messages[0] == asked


def test_one_tool_in_two_phases_is_one_tool(run_it: RunIt) -> None:
    """A call that was made in another phase is a repeat, unlike one of another tool of the same name."""
    phases = Phases({"a": [stock], "b": [stock, book]}, move={"stock": "b"})
    model = ScriptedModel([call("1", "stock", sku="a"), call("2", "stock", sku="a"), "done"])
    first, again = results_of(run_it("Go", tools=phases, model=model))
    assert (first.is_error, again.code) == (False, ErrorCode.CONFLICT)


@tool
def book(n: int) -> int:
    """Book."""
    return n
