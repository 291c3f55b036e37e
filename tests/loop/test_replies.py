"""Replies as models really give them: with names that nobody takes back, none at all, the same again."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from magic_tools import (
    Capabilities,
    ErrorCode,
    History,
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
    TextPart,
    ToolCall,
    ToolFailure,
    Usage,
    run,
    tool,
)
from tests.ways import RunIt, results_in


class Bodies:
    """A function that keeps what it was called with."""

    def __init__(self) -> None:
        self.calls: list[str] = []

        @tool
        def look(sku: str) -> str:
            """Look it up."""
            self.calls.append(sku)
            return f"{sku} is there"

        self.look = look


def look(*skus: str) -> list[ToolCall]:
    return [ToolCall("", "look", json.dumps({"sku": sku})) for sku in skus]


@pytest.mark.parametrize(
    ("name", "sent_back"),
    [
        ("functions.look", "functions_look"),
        ("st ock\n", "st_ock_"),
        ("", "unnamed"),
        ("x" * 500, "x" * 64),
        ("查找", "_"),
        ("lo\ud800ok", "lo_ok"),
    ],
)
def test_a_name_that_no_tool_can_have(run_it: RunIt, name: str, sent_back: str) -> None:
    """It is told as it came, and stands in the history as providers take one back."""
    with ScriptedModel([ToolCall("c", name, "{}"), "done"]) as model:
        outcome = run_it("Go", tools=[Bodies().look], model=model)
    assert [call.name for call in outcome.transcript[1].calls] == [sent_back]
    (result,) = results_in(outcome.transcript)
    assert result.code is ErrorCode.NOT_FOUND
    assert "there are: look" in result.content
    json.dumps([message.to_data() for message in outcome.transcript], ensure_ascii=False).encode()


def test_texts_that_cannot_be_sent_are_spelled_out(run_it: RunIt) -> None:
    """A lone surrogate in a text or an id stands in the history as characters that can be sent."""
    model = ScriptedModel([["hm \ud800", ToolCall("c\udfff", "look", '{"sku": "a"}')], "done"])
    outcome = run_it("Go", tools=[Bodies().look], model=model)
    json.dumps([message.to_data() for message in outcome.transcript], ensure_ascii=False).encode()
    assert outcome.transcript[1].text == "hm \\ud800"
    assert results_in(outcome.transcript)[0].call_id == outcome.transcript[1].calls[0].id == "c\\udfff"


@pytest.mark.parametrize("width", [2, 3, 5, 16])
@pytest.mark.parametrize("repeats", [1, 2])
def test_the_same_reply_again(run_it: RunIt, width: int, repeats: int) -> None:
    """Calls of one reply are made side by side, so that the whole reply again is a repeat of each of them."""
    bodies = Bodies()
    replies: list[Any] = [look(*(f"s{n}" for n in range(width)))] * (repeats + 2)
    outcome = run_it(
        "Go", tools=[bodies.look], model=ScriptedModel([*replies, "That is all."]), limits=Limits(repeats=repeats)
    )
    assert len(bodies.calls) == width * repeats
    assert (outcome.value, outcome.stop) == ("That is all.", "repeat")


def test_a_call_of_the_reply_before_is_a_repeat_in_any_order(run_it: RunIt) -> None:
    """Nothing else was done since, whichever of that reply's calls comes again, and how often in one reply."""
    bodies = Bodies()
    model = ScriptedModel([look("a", "b", "a"), look("b"), look("c", "a"), "done"])
    outcome = run_it("Go", tools=[bodies.look], model=model)
    assert sorted(bodies.calls) == ["a", "b", "c"]
    assert [result.is_error for result in results_in(outcome.transcript)] == [False, False, True, True, False, True]


def test_something_else_in_a_reply_between_makes_it_new(run_it: RunIt) -> None:
    """What was done in another reply since may have changed what comes of it."""
    bodies = Bodies()
    outcome = run_it("Go", tools=[bodies.look], model=ScriptedModel([*map(look, ["a", "b", "a"]), "done"]))
    assert (bodies.calls, outcome.stop) == (["a", "b", "a"], "final")


class Giving:
    """A model of somebody's own that gives whatever it has."""

    name = "own"
    capabilities = Capabilities(tools=True)

    def __init__(self, *replies: Any) -> None:
        self.replies = iter(replies)

    def complete(self, request: ModelRequest) -> ModelReply:
        reply = next(self.replies)
        if isinstance(reply, BaseException):
            raise reply
        made: ModelReply = reply
        return made

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        return self.complete(request)


GOOD = ModelReply((TextPart("done"),), "stop")


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("done", "it is a str, and not a ModelReply"),
        (None, "it is a NoneType"),
        ({"parts": []}, "it is a dict"),
        (replace(GOOD, parts=[TextPart("done")]), "not a tuple of TextPart, ToolCall and ProviderPart"),  # type: ignore[arg-type]
        (replace(GOOD, parts=("done",)), "not a tuple of TextPart, ToolCall and ProviderPart"),  # type: ignore[arg-type]
        (ModelReply((ToolCall("c", "look", {"sku": "a"}),)), "a ToolCall holds a dict where a text is due"),  # type: ignore[arg-type]
        (ModelReply((ToolCall("c", None, "{}"),)), "a ToolCall holds a NoneType"),  # type: ignore[arg-type]
        (ModelReply((ToolCall(5, "look", "{}"),)), "a ToolCall holds a int"),  # type: ignore[arg-type]
        (ModelReply((TextPart(None),)), "a TextPart holds a NoneType"),  # type: ignore[arg-type]
        (replace(GOOD, usage=None), "its usage is None"),  # type: ignore[arg-type]
        (replace(GOOD, usage=Usage(-1, 0)), "its usage is Usage"),
        (replace(GOOD, usage=Usage(True, 0)), "its usage is Usage"),
        (replace(GOOD, finish="done"), "its finish is 'done'"),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_what_is_no_reply(run_it: RunIt, reply: Any, fault: str) -> None:
    """It is a ModelError that says what is wrong with it, before anything is made of it; the run can go on."""
    bodies = Bodies()
    with pytest.raises(ModelError, match="The model own gave no reply that can be read: ") as caught:
        run_it("Go", tools=[bodies.look], model=Giving(reply))
    assert fault in str(caught.value)
    assert bodies.calls == []
    assert caught.value.outcome is not None
    assert (caught.value.outcome.stop, caught.value.outcome.state["steps"]) == ("model_error", 0)


@pytest.mark.parametrize("error", [ConnectionError("down"), TimeoutError(), ZeroDivisionError()])
def test_what_a_model_raises_is_raised(run_it: RunIt, error: Exception) -> None:
    """It keeps its class, and carries the outcome with the reason."""
    with pytest.raises(type(error)) as caught:
        run_it("Go", model=Giving(error))
    outcome: Outcome[Any] = caught.value.outcome  # type: ignore[attr-defined]  # which it was given
    assert (outcome.stop, outcome.transcript) == ("model_error", (Message.user("Go"),))


def test_a_model_that_cancels_itself(run_it: RunIt) -> None:
    """It gave no reply; nobody has cancelled the run."""
    with pytest.raises(ModelError, match="The model own gave no reply") as caught:
        run_it("Go", model=Giving(asyncio.CancelledError()))
    assert caught.value.outcome is not None


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"model": 5}, "model=... is a name or a ChatModel"),
        ({"model": lambda request: GOOD}, "model=... is a name or a ChatModel"),
        ({"tools": None}, "tools=... takes several"),
        ({"tools": Bodies().look}, "tools=... takes several"),
        ({"tools": "look"}, "tools=... takes several"),
        ({"tools": 5}, "tools=... takes several"),
        ({"instructions": 5}, "instructions are a text"),
        ({"options": RunOptions(history=History(messages=2))}, "no room for the question, a call and its result"),
        (
            {"options": RunOptions(history=History(messages=3)), "instructions": "Be brief."},
            "no room for the question, a call and its result: give 4 or more",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_a_run_cannot_be_made_of(run_it: RunIt, more: dict[str, Any], words: str) -> None:
    """It is said before anything is asked, in words that help."""
    with pytest.raises(ValueError, match=words.replace(".", r"\.")):
        run_it("Go", **{"model": Giving(GOOD), **more})


@pytest.mark.parametrize("prompt", [None, 5, 5.5])
def test_prompts_that_are_none(run_it: RunIt, prompt: Any) -> None:
    """Text or messages are wanted."""
    with pytest.raises(ValueError, match="the prompt is a text or Messages"):
        run_it(prompt, model=Giving(GOOD))


def test_a_tool_may_be_called_as_the_output_tool_would_be(run_it: RunIt) -> None:
    """Then that has another name."""

    @tool
    def final_answer(n: int) -> int:
        """No answer at all."""
        return n

    replies: list[Any] = [ToolCall("a", "final_answer", '{"n": 1}'), ToolCall("b", "final_answer_2", '{"value": 5}')]
    model = ScriptedModel(replies, capabilities=Capabilities(tools=True))
    outcome = run_it("Go", tools=[final_answer], output=int, model=model)
    assert (outcome.value, outcome.output_tool) == (5, "final_answer_2")


class Crash(BaseException):
    """What ends a program."""


@pytest.mark.parametrize("error", [Crash("disk"), OSError("disk"), KeyboardInterrupt()])
def test_what_a_checkpoint_raises(run_it: RunIt, error: BaseException) -> None:
    """It ends the run as it is, before the effect, and carries the outcome."""

    def keep(_: Any) -> None:
        raise error

    model = ScriptedModel([GOOD])
    with pytest.raises(type(error)) as caught:
        run_it("Go", model=model, options=RunOptions(checkpoint=keep))
    assert caught.value is error or isinstance(error, KeyboardInterrupt)
    assert model.requests == []
    assert caught.value.outcome.stop == "cancelled"  # type: ignore[attr-defined]  # which it was given


def test_a_default_model_is_not_needed_for_a_wrong_prompt() -> None:
    """What is wrong with a call is said whatever model there is."""
    with pytest.raises(ValueError, match="the prompt is empty"):
        run([], model=Giving(GOOD))


@pytest.mark.parametrize("finish", ["length", "refusal"])
def test_nothing_is_found_out_of_calls_that_are_not_made(run_it: RunIt, finish: Any) -> None:
    """The author's functions beside a tool are not asked about a call of a reply that was cut or declined."""
    asked: list[str] = []

    @tool(policy=Policy(approval=True))
    def pay(to: str) -> str:
        """Pay somebody."""
        return "paid"

    @pay.rule
    def is_known(to: str) -> None:
        asked.append(to)

    reply = ModelReply((ToolCall("c", "pay", '{"to": "Ann"}'),), finish)
    with pytest.raises(RunError):
        run_it("Go", tools=[pay], model=ScriptedModel([reply]))
    assert asked == []


def test_what_is_known_to_have_had_no_effect_may_be_sent_again(run_it: RunIt) -> None:
    """The author's function says so of a call whose effect nobody knew: then the same call is no repeat."""
    done: list[str] = []

    @tool
    def pay(to: str) -> str:
        """Pay somebody."""
        done.append(to)
        if len(done) == 1:
            raise ToolFailure("The line broke.", ErrorCode.UNKNOWN_EFFECT)
        return "paid"

    said = iter(["unknown", "not_applied"])

    @pay.reconcile
    def was_paid() -> str:
        return next(said)

    calls: list[Any] = [ToolCall(str(n), "pay", '{"to": "Ann"}') for n in range(2)]
    outcome = run_it("Go", tools=[pay], model=ScriptedModel([*calls, "done"]))
    assert (done, [result.content for result in results_in(outcome.transcript)][1]) == (["Ann", "Ann"], "paid")
