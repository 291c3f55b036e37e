"""Replies that are no plain end: pauses, what a provider filters, what only a provider can read; streamed or not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from magic_tools import (
    LimitError,
    Limits,
    Message,
    ModelReply,
    ModelRequest,
    Policy,
    ProviderPart,
    RefusalError,
    RunOptions,
    ScriptedModel,
    StallError,
    TextPart,
    ToolCall,
    Usage,
    output_tool,
    tool,
)
from magic_tools.models import anthropic_messages, openai_chat, openai_responses
from magic_tools.models.wire import Wire
from tests.streaming.hearing import ASTREAMED, STREAMED
from tests.ways import ASYNC, SYNC, RunIt, Ways


@pytest.fixture(
    params=[SYNC.run, ASYNC.run, STREAMED, ASTREAMED], ids=["sync", "async", "streamed", "streamed and awaited"]
)
def run_it(request: pytest.FixtureRequest) -> RunIt:
    """The four ways to run."""
    made: RunIt = request.param
    return made


@tool
def look(at: int) -> int:
    """Look."""
    return at


LOOK = ToolCall("c1", "look", '{"at": 1}')
THOUGHT = ProviderPart("anthropic", '{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}', "Hm.")
SEARCH = ProviderPart("anthropic", '{"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}')


def paused(*parts: Any) -> ModelReply:
    """A reply after which the model is to be asked to go on."""
    return ModelReply(parts, "pause", Usage(5, 2))


def test_a_pause_goes_on(run_it: RunIt) -> None:
    """The model is asked again with what it said so far, and its next reply is the answer."""
    model = ScriptedModel([paused(TextPart("I search."), SEARCH), "It is 21."])
    outcome = run_it("Hi", model=model)
    assert (outcome.value, outcome.stop, outcome.steps, outcome.usage) == ("It is 21.", "final", 2, Usage(5, 2))
    said = Message("assistant", (TextPart("I search."), SEARCH))
    assert model.requests[1].messages == (Message.user("Hi"), said)
    assert outcome.transcript == (Message.user("Hi"), said, Message("assistant", (TextPart("It is 21."),)))


def test_a_pause_without_words(run_it: RunIt) -> None:
    """It is no silence: nothing is said to the model."""
    model = ScriptedModel([paused(SEARCH), paused(), "done"])
    outcome = run_it("Hi", model=model, limits=Limits(stalls=0))
    assert (outcome.value, outcome.steps) == ("done", 3)
    assert all(message.role != "user" for message in outcome.transcript[1:])


@pytest.mark.parametrize("output", [str, dict[str, int], output_tool("hand_in", "Hand in.", dict[str, int])])
def test_pauses_are_bounded_by_the_steps(run_it: RunIt, output: Any) -> None:
    """A model that pauses again and again has as many steps as any, and then one last request."""
    model = ScriptedModel([paused(TextPart("Wait."))] * 4)
    with pytest.raises(LimitError, match="3 steps") as caught:
        run_it("Hi", output=output, model=model, limits=Limits(steps=3))
    assert len(model.requests) == 4
    assert (caught.value.outcome.stop, caught.value.outcome.steps) == ("step_limit", 3)
    assert model.requests[3].tool_choice in ("none", "required")


def test_calls_beside_a_pause_are_made(run_it: RunIt) -> None:
    """A reply that calls tools goes on with their results, whatever else it says."""
    model = ScriptedModel([paused(SEARCH, LOOK), "done"])
    outcome = run_it("Hi", tools=[look], model=model)
    assert (outcome.value, [message.role for message in outcome.transcript]) == (
        "done",
        ["user", "assistant", "tool", "assistant"],
    )


def test_a_pause_before_a_typed_answer(run_it: RunIt) -> None:
    """What is said before a pause is no answer that could be refused."""
    model = ScriptedModel([paused(TextPart("I search."), SEARCH), '{"a": 1}'])
    outcome = run_it("Hi", output=dict[str, int], model=model, limits=Limits(retries=0))
    assert outcome.value == {"a": 1}


@pytest.mark.parametrize("text", ["", "So I"])
@pytest.mark.parametrize("output", [str, dict[str, int]])
def test_filtered_content(run_it: RunIt, text: str, output: Any) -> None:
    """It is a refusal that says who has refused, with what there was of words, after one request."""
    model = ScriptedModel([ModelReply((TextPart(text),) if text else (), "content_filter", Usage(5, 2)), "never"])
    with pytest.raises(RefusalError, match="content filter") as caught:
        run_it("Hi", output=output, model=model)
    assert (len(model.requests), caught.value.outcome.stop) == (1, "refusal")
    assert caught.value.outcome.usage == Usage(5, 2)
    assert text in str(caught.value)


def test_filtered_content_with_a_call(run_it: RunIt) -> None:
    """No call beside it is made."""
    made: list[int] = []

    @tool
    def mark(at: int) -> int:
        """Mark."""
        made.append(at)
        return at

    model = ScriptedModel([ModelReply((ToolCall("c1", "mark", '{"at": 1}'),), "content_filter")])
    with pytest.raises(RefusalError, match="content filter"):
        run_it("Hi", tools=[mark], model=model)
    assert made == []


def test_what_only_a_provider_reads(run_it: RunIt) -> None:
    """It is in the transcript and in the next request, at its place, as it came."""
    model = ScriptedModel([ModelReply((THOUGHT, TextPart("I look."), LOOK), "tool_calls"), "done"])
    outcome = run_it("Hi", tools=[look], model=model)
    said = Message("assistant", (THOUGHT, TextPart("I look."), LOOK))
    assert outcome.transcript[1] == model.requests[1].messages[1] == said
    stored = json.loads(json.dumps([message.to_data() for message in outcome.transcript]))
    assert tuple(Message.from_data(each) for each in stored) == outcome.transcript
    again = ScriptedModel(["Bye."])
    run_it([*outcome.transcript, Message.user("Bye")], model=again)
    assert again.requests[0].messages[1] == said


@pytest.mark.parametrize(
    ("wire", "is_sent"), [(anthropic_messages.WIRE, True), (openai_chat.WIRE, False), (openai_responses.WIRE, False)]
)
def test_who_is_sent_it(run_it: RunIt, wire: Wire, is_sent: bool) -> None:
    """Its own provider gets it back unchanged, the others nothing of it."""
    model = ScriptedModel([ModelReply((THOUGHT, LOOK), "tool_calls"), "done"])
    outcome = run_it("Hi", tools=[look], model=model)
    payload = json.dumps(wire.encode(ModelRequest(outcome.transcript), "claude-opus-4-5"))
    assert ("thinking" in payload) is is_sent
    assert ("Hm." in payload) is is_sent
    if is_sent:
        assert json.dumps(json.loads(THOUGHT.data)) in payload


def test_a_reply_of_thoughts_alone(run_it: RunIt) -> None:
    """It is a silence: the model is told so, and what it thought is no text."""
    model = ScriptedModel([ModelReply((THOUGHT,), "stop"), "done"])
    outcome = run_it("Hi", model=model)
    assert outcome.value == "done"
    assert outcome.transcript[1] == Message("assistant", (THOUGHT,))
    assert "empty" in outcome.transcript[2].text
    assert outcome.transcript[1].text == ""


def test_thoughts_do_not_make_a_reply_another(run_it: RunIt) -> None:
    """Silence after silence is a stall, whatever was thought, and so is the same answer again."""
    thoughts = [ProviderPart("anthropic", f'{{"type": "thinking", "thinking": "{n}"}}') for n in range(3)]
    with pytest.raises(StallError):
        run_it("Hi", model=ScriptedModel([ModelReply((each,), "stop") for each in thoughts]))
    same = [ModelReply((each, TextPart("x")), "stop") for each in thoughts]
    with pytest.raises(StallError):
        run_it("Hi", output=int, model=ScriptedModel(same), limits=Limits(retries=9))


def test_it_goes_through_a_pause_of_the_run(run_it: RunIt) -> None:
    """It survives a run that waits for a person, and goes on from its stored state."""

    @tool(policy=Policy(approval=True))
    def pay(to: str) -> str:
        """Pay."""
        return "paid"

    model = ScriptedModel([ModelReply((THOUGHT, ToolCall("p", "pay", '{"to": "Ann"}')), "tool_calls")])
    outcome = run_it("Hi", tools=[pay], model=model)
    assert outcome.stop == "needs_approval"
    state = json.loads(json.dumps(outcome.state))
    after = ScriptedModel(["done"])
    ways: Ways = SYNC
    resumed = ways.resume(state, {"p": True}, tools=[pay], model=after)
    assert after.requests[0].messages[1] == resumed.transcript[1] == outcome.transcript[1]
    assert resumed.transcript[1].parts[0] == THOUGHT


def test_it_is_told_nothing_of(run_it: RunIt) -> None:
    """Its text is no part of an answer, nor of a fall-back's."""
    options = RunOptions(fallback="text")
    model = ScriptedModel([ModelReply((THOUGHT, TextPart("so")), "stop")])
    outcome = run_it("Hi", output=int, model=model, limits=Limits(retries=0), options=options)
    assert outcome.value == "so"
