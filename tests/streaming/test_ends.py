"""How a run that is streamed ends: by its limits, by a person's word, by an error; and what is kept of it meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from magic_tools import (
    ContextError,
    DefinitionError,
    Done,
    Event,
    Injected,
    LimitError,
    Limits,
    Message,
    ModelAttempted,
    ModelError,
    ModelReplied,
    ModelReply,
    RateLimitError,
    ReceiptIssued,
    RefusalError,
    RepeatError,
    RunError,
    RunOptions,
    ScriptedModel,
    StallError,
    TextPart,
    ToolAttempted,
    ToolCall,
    ToolCompleted,
    ToolFailure,
    ToolFailuresError,
    ToolFinished,
    ToolStarted,
    TruncatedError,
    Usage,
    aextract_stream,
    arun_stream,
    ask_user,
    extract_stream,
    resume,
    run,
    run_stream,
    tool,
)
from tests.resuming.bank import PAY, Bank, call, stored
from tests.streaming.hearing import Hear
from tests.ways import results_in


@tool
def look(at: int) -> int:
    """Look."""
    return at


@tool
def fail(at: int) -> int:
    """Fail."""
    raise ToolFailure(f"no {at}")


def looking(at: int, name: str = "look") -> ToolCall:
    return ToolCall(f"c{at}", name, f'{{"at": {at}}}')


ENDINGS: dict[str, tuple[list[Any], dict[str, Any], type[RunError], str]] = {
    "steps": ([looking(1), looking(2)], {"limits": Limits(steps=1)}, LimitError, "step_limit"),
    "tokens": (
        [ModelReply((looking(1),), "tool_calls", Usage(90, 20))],
        {"limits": Limits(tokens=100)},
        LimitError,
        "token_budget",
    ),
    "repeats": ([looking(1), looking(1), looking(1), looking(1)], {}, RepeatError, "repeat"),
    "stalls": (["", ""], {}, StallError, "stall"),
    "a cut": ([ModelReply((TextPart("Hel"),), "length")], {}, TruncatedError, "truncated"),
    "a cut call": ([ModelReply((ToolCall("c1", "look", '{"at'),), "length")], {}, TruncatedError, "truncated"),
    "a refusal": ([ModelReply((TextPart("No."),), "refusal")], {}, RefusalError, "refusal"),
    "a filter": ([ModelReply((TextPart("So"),), "content_filter")], {}, RefusalError, "refusal"),
    "failures": (
        [looking(1, "fail"), looking(2, "fail"), "", ""],
        {"limits": Limits(retries=1)},
        ToolFailuresError,
        "tool_failures",
    ),
}


@pytest.mark.parametrize("case", ENDINGS)
def test_ends_without_an_answer(hear: Hear, case: str) -> None:
    """The error is the one of a run that is not streamed, with the same outcome, after what there was to tell."""
    replies, options, kind, stop = ENDINGS[case]
    tools: list[Any] = [look, fail]
    heard = hear("Hi", tools=tools, model=ScriptedModel(replies), **options)
    outcome = heard.error.outcome
    with pytest.raises(kind) as caught:
        run("Hi", tools=tools, model=ScriptedModel(replies), **options)
    assert type(heard.error) is kind
    assert str(heard.error) == str(caught.value)
    assert (outcome, outcome.stop) == (caught.value.outcome, stop)
    assert not any(isinstance(each, Done) for each in heard.events)
    ended = [each.result.call_id for each in heard.events if isinstance(each, ToolFinished)]
    assert ended == [each.call_id for each in results_in(outcome.transcript)]


@pytest.mark.parametrize("fallback", [7, "text", lambda reply, issues: reply.text.upper()], ids=["value", "text", "fn"])
def test_a_fall_back(hear: Hear, fallback: Any) -> None:
    """With something to take in place of an answer, the stream ends with the outcome that has it."""
    options, limits = RunOptions(fallback=fallback), Limits(retries=0)
    heard = hear("Hi", output=int, model=ScriptedModel(["so"]), options=options, limits=limits)
    assert (heard.outcome.fallback, heard.outcome.ok) == (True, False)
    assert heard.outcome.value == {7: 7, "text": "so"}.get(fallback, "SO")


def test_a_call_that_needs_leave(hear: Hear) -> None:
    """The stream ends with the outcome of a run that waits, from whose state it goes on; nothing was made."""
    bank = Bank()
    heard = hear("Pay Ann", tools=bank.tools, model=ScriptedModel([["I will pay.", PAY]]))
    assert heard.told == ["text", "value p", "done"]
    outcome = heard.outcome
    assert (outcome.stop, outcome.ok, [each.call_id for each in outcome.waiting]) == ("needs_approval", False, ["p"])
    assert bank.done == []
    after = resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert (after.value, len(bank.done)) == ("done", 1)


def test_a_call_that_needs_leave_beside_one_that_does_not(hear: Hear) -> None:
    """What may be made is made and told; what waits is told by the outcome alone."""
    bank = Bank()
    model = ScriptedModel([[PAY, call("n", "note", text="a")]])
    heard = hear("Pay Ann", tools=bank.tools, model=model)
    assert bank.done == ["note a"]
    assert [type(each) for each in heard.events if isinstance(each, ToolStarted | ToolFinished)] == [
        ToolStarted,
        ToolFinished,
    ]
    assert heard.outcome.stop == "needs_approval"


def test_a_question(hear: Hear) -> None:
    """So it is with a question to the person."""
    model = ScriptedModel([ToolCall("q", "ask_user", '{"question": "Which Ann?"}')])
    outcome = hear("Pay Ann", tools=[ask_user], model=model).outcome
    assert (outcome.stop, outcome.waiting[0].kind) == ("needs_input", "question")


@pytest.mark.parametrize("error", [ModelError("down"), RateLimitError("slow"), ValueError("x")])
def test_a_model_that_fails(hear: Hear, error: Any) -> None:
    """The model's error comes out as it is, after what was told, with the outcome so far."""
    heard = hear("Hi", tools=[look], model=ScriptedModel([looking(1), error]))
    assert heard.error is error
    assert heard.told == ["value c1", "started c1", "finished c1"]
    assert (error.outcome.stop, error.outcome.steps) == ("model_error", 1)


@tool
def lookup(name: str, tenant: Injected[str]) -> str:
    """Look up."""
    return f"{name} {tenant}"


@pytest.mark.parametrize("stream", [run_stream, arun_stream])
@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"tools": [lookup], "context": {}}, ContextError),
        ({"limits": 3}, ValueError),
        ({"options": 3}, ValueError),
        ({"model": 3}, ValueError),
        ({"tools": [look, look]}, DefinitionError),
        ({"tools": [look], "options": RunOptions(tool_choice="nothing")}, ValueError),
    ],
    ids=str,
)
def test_what_cannot_begin(stream: Callable[..., Any], options: dict[str, Any], kind: type[Exception]) -> None:
    """It is an error of the call itself, before the first event is asked for and before any request."""
    model = ScriptedModel(["never"])
    with pytest.raises(kind):
        stream("Hi", **{"model": model, **options})
    assert model.requests == []


@pytest.mark.parametrize("stream", [extract_stream, aextract_stream])
def test_an_extract_that_cannot_begin(stream: Callable[..., Any]) -> None:
    """So it is with an extract."""
    with pytest.raises(ValueError, match="limits are a Limits"):
        stream(int, "Hi", model=ScriptedModel(["never"]), limits=3)


@pytest.mark.parametrize("stream", [run_stream, arun_stream])
def test_nothing_begins_before_the_first_event(stream: Callable[..., Any]) -> None:
    """A stream that is not read asks nothing."""
    model = ScriptedModel(["never"])
    stream("Hi", model=model)
    assert model.requests == []


def test_a_context_reaches_the_tools(hear: Hear) -> None:
    """What the context holds is filled in."""
    model = ScriptedModel([ToolCall("c1", "lookup", '{"name": "a"}'), "done"])
    heard = hear("Hi", tools=[lookup], model=model, context={"tenant": "t1"})
    assert [each.content for each in results_in(heard.outcome.transcript)] == ["a t1"]


def test_checkpoints(hear: Hear) -> None:
    """The state is kept before each effect, as of a run that is not streamed; from each of them a run goes on."""
    states: list[Any] = []
    others: list[Any] = []
    replies: list[Any] = [[looking(1), looking(2)], "done"]
    options = RunOptions(checkpoint=states.append, run_id="r")
    outcome = hear("Hi", tools=[look], model=ScriptedModel(replies), options=options).outcome
    run("Hi", tools=[look], model=ScriptedModel(replies), options=RunOptions(checkpoint=others.append, run_id="r"))
    assert len(states) == len(others) >= 4
    after = resume(stored(states[0]), tools=[look], model=ScriptedModel(replies))
    assert after.transcript == outcome.transcript
    after = resume(stored(states[-1]), tools=[look], model=ScriptedModel(["done"]))
    assert after.transcript == outcome.transcript


def test_a_checkpoint_that_fails(hear: Hear) -> None:
    """It ends the run with what it raised, before anything is done that it does not know of."""

    def fail_to_keep(_: Any) -> None:
        raise OSError("full")

    model = ScriptedModel(["never"])
    heard = hear("Hi", model=model, options=RunOptions(checkpoint=fail_to_keep))
    assert heard.error.outcome.stop == "cancelled"
    assert isinstance(heard.error, OSError)
    assert (heard.events, model.requests) == ([], [])


def test_traces(hear: Hear) -> None:
    """What is worth tracing is told as of a run that is not streamed, under its name and step."""
    traced: list[Event] = []
    replies: list[Any] = [ModelReply((looking(1),), "tool_calls", Usage(5, 3), "m-1"), "done"]
    heard = hear("Hi", tools=[look], model=ScriptedModel(replies), options=RunOptions(trace=traced.append, run_id="r"))
    assert [type(each) for each in traced] == [ModelReplied, ToolAttempted, ReceiptIssued, ToolCompleted, ModelReplied]
    assert {each.run_id for each in traced} == {"r"}
    replied = [each for each in traced if isinstance(each, ModelReplied)]
    assert [(each.step, each.model, each.finish, each.usage) for each in replied] == [
        (1, "m-1", "tool_calls", Usage(5, 3)),
        (2, "scripted", "stop", Usage()),
    ]
    assert heard.outcome.value == "done"


def test_a_trace_that_is_told_by_the_model(hear: Hear) -> None:
    """What a model notes on the way to a reply is told as of the step that it belongs to."""
    traced: list[Event] = []

    def attempted(request: Any) -> str:
        request.note(ModelAttempted("m", 1, 0.5))
        return "done"

    model = ScriptedModel([looking(1), attempted])
    hear("Hi", tools=[look], model=model, options=RunOptions(trace=traced.append, run_id="r"))
    (told,) = [each for each in traced if isinstance(each, ModelAttempted)]
    assert (told.run_id, told.step, told.model) == ("r", 2, "m")


def test_messages_as_a_prompt(hear: Hear) -> None:
    """A conversation goes on, under instructions."""
    first = hear("Hi", model=ScriptedModel(["Hello."])).outcome
    model = ScriptedModel(["Bye."])
    outcome = hear([*first.transcript, Message.user("Bye")], model=model, instructions="Be brief.").outcome
    assert [message.text for message in model.requests[0].messages] == ["Be brief.", "Hi", "Hello.", "Bye"]
    assert outcome.value == "Bye."
