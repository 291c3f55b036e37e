"""A run that is read while it goes on: which events there are, in which order, and the outcome that they end with."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from magic_tools import (
    Capabilities,
    Done,
    Limits,
    ModelReply,
    ModelRequest,
    Partial,
    PartialValue,
    Policy,
    RunOptions,
    ScriptedModel,
    TextDelta,
    TextPart,
    TextPiece,
    ToolCall,
    ToolFailure,
    ToolFinished,
    ToolStarted,
    Usage,
    arun_stream,
    output_tool,
    run,
    run_stream,
    tool,
)
from tests.streaming.hearing import Hear
from tests.ways import results_in


@tool
def stock(place: str, number: int = 1) -> str:
    """Say what is in stock."""
    return f"{number} in {place}"


@tool
def fail(why: str) -> str:
    """Fail."""
    raise ToolFailure(why)


def look(call_id: str, place: str) -> ToolCall:
    return ToolCall(call_id, "stock", f'{{"place": "{place}"}}')


def test_text(hear: Hear) -> None:
    """Text comes as it arrives, then the outcome."""
    heard = hear("Hi", model=ScriptedModel(["Hello there, you."], piece=6))
    *deltas, done = heard.events
    assert deltas == [TextDelta("Hello "), TextDelta("there,"), TextDelta(" you.")]
    assert isinstance(done, Done)
    assert done.outcome == run("Hi", model=ScriptedModel(["Hello there, you."]))


def test_a_run_with_a_call(hear: Hear) -> None:
    """What is said, what a call is to get, its beginning and its end, what is said then, the outcome: in this order."""
    model = ScriptedModel([["I look.", ToolCall("c1", "stock", '{"place": "Rome", "number": 3}')], "3 in Rome."])
    heard = hear("Hi", tools=[stock], model=model)
    assert heard.told == ["text", "value c1", "started c1", "finished c1", "text", "done"]
    assert heard.text == "I look.3 in Rome."
    assert heard.values("c1")[-1] == {"place": "Rome", "number": 3}
    (started,) = [each.call for each in heard.events if isinstance(each, ToolStarted)]
    (result,) = [each.result for each in heard.events if isinstance(each, ToolFinished)]
    assert started == ToolCall("c1", "stock", '{"place": "Rome", "number": 3}')
    assert (result.content, result.value) == ("3 in Rome", "3 in Rome")
    assert result is results_in(heard.outcome.transcript)[0]


def test_arguments_while_they_arrive(hear: Hear) -> None:
    """They grow, are marked as not validated, and say what of them is open; the call's id and tool are with them."""
    call = ToolCall("c1", "stock", '{"place": "Rome", "number": 12}')
    heard = hear("Hi", tools=[stock], model=ScriptedModel([call, "done"], piece=4))
    values = [each for each in heard.events if isinstance(each, PartialValue)]
    assert [each.value for each in values] == [
        Partial({}, (), validated=False),
        Partial({"place": "R"}, ("place",), validated=False),
        Partial({"place": "Rome"}, ("place",), validated=False),
        Partial({"place": "Rome"}, (), validated=False),
        Partial({"place": "Rome", "number": 12}, validated=False),
    ]
    assert {(each.call_id, each.tool) for each in values} == {("c1", "stock")}


def test_calls_end_when_they_end(hear: Hear) -> None:
    """Of calls side by side, the one that ends first is told first; the results of the run keep their order."""
    second = threading.Event()

    @tool
    def slow() -> str:
        """Wait for the other."""
        assert second.wait(5)
        return "slow"

    @tool
    def fast() -> str:
        """End at once."""
        return "fast"

    heard = hear(
        "Hi",
        tools=[slow, fast],
        model=ScriptedModel([[ToolCall("c1", "slow", ""), ToolCall("c2", "fast", "")], "done"]),
        options=RunOptions(trace=lambda event: second.set() if getattr(event, "call_id", "") == "c2" else None),
    )
    assert heard.told[:2] == ["started c1", "started c2"]
    assert heard.told[2:] == ["finished c2", "finished c1", "text", "done"]
    assert [each.content for each in results_in(heard.outcome.transcript)] == ["slow", "fast"]


def test_async_calls_end_when_they_end(hear: Hear) -> None:
    """The same of async tools."""

    @tool
    async def wait(seconds: float) -> float:
        """Wait so long."""
        await asyncio.sleep(seconds)
        return seconds

    calls = [ToolCall(f"c{at}", "wait", f'{{"seconds": {wait_s}}}') for at, wait_s in enumerate((0.3, 0.15, 0.0))]
    heard = hear("Hi", tools=[wait], model=ScriptedModel([calls, "done"]))
    ended = [each.result.call_id for each in heard.events if isinstance(each, ToolFinished)]
    assert ended == ["c2", "c1", "c0"]
    assert [each.call_id for each in results_in(heard.outcome.transcript)] == ["c0", "c1", "c2"]


@pytest.mark.parametrize(
    ("replies", "limits", "told"),
    [
        pytest.param(
            [ToolCall("c1", "fail", '{"why": "no"}'), "done"],
            Limits(),
            ["value c1", "started c1", "failed c1", "text", "done"],
            id="a failure",
        ),
        pytest.param(
            [ToolCall("c1", "stock", '{"number": "x"}'), "done"],
            Limits(),
            ["value c1", "failed c1", "text", "done"],
            id="arguments that do not fit",
        ),
        pytest.param(
            [ToolCall("c1", "stock", '{"place": '), "done"],
            Limits(),
            ["value c1", "failed c1", "text", "done"],
            id="arguments that are no JSON",
        ),
        pytest.param(
            [ToolCall("c1", "stock", "[1]"), "done"],
            Limits(),
            ["failed c1", "text", "done"],
            id="arguments that are no object",
        ),
        pytest.param(
            [ToolCall("c1", "stork", "{}"), "done"],
            Limits(),
            ["value c1", "failed c1", "text", "done"],
            id="a tool that there is not",
        ),
        pytest.param(
            [[look("c1", "Rome"), look("c2", "Oslo")], "done"],
            Limits(calls_per_step=1),
            ["value c1", "value c2", "started c1", "finished c1", "failed c2", "text", "done"],
            id="one call too many",
        ),
        pytest.param(
            [look("c1", "Rome"), look("c2", "Rome"), "done"],
            Limits(),
            ["value c1", "started c1", "finished c1", "value c2", "failed c2", "text", "done"],
            id="a repeat",
        ),
        pytest.param(
            [look("c1", "Rome"), [look("c1", "Oslo"), look("c1", "Bern")], "done"],
            Limits(),
            [
                *("value c1", "started c1", "finished c1"),
                *("value c1_2", "value c1_3", "started c1_2", "started c1_3", "finished c1_2", "finished c1_3"),
                *("text", "done"),
            ],
            id="ids that are not their own",
        ),
        pytest.param(
            [ToolCall("", "stock", '{"place": "Rome"}'), "done"],
            Limits(),
            ["value call_1", "started call_1", "finished call_1", "text", "done"],
            id="no id",
        ),
    ],
)
def test_what_becomes_of_calls(hear: Hear, replies: list[Any], limits: Limits, told: list[str]) -> None:
    """Each call comes to one result under its id in the run; only one that is made has a beginning."""
    heard = hear("Hi", tools=[stock, fail], model=ScriptedModel(replies), limits=limits)
    settled = [each for each in heard.told if not each.startswith(("started", "finished"))]
    assert settled == [each for each in told if not each.startswith(("started", "finished"))]
    assert sorted(heard.told) == sorted(told)
    ended = [each.result for each in heard.events if isinstance(each, ToolFinished)]
    assert sorted(each.call_id for each in ended) == sorted(
        each.call_id for each in results_in(heard.outcome.transcript)
    )


def test_a_result_that_is_reused(hear: Hear) -> None:
    """The result of an idempotent call that is made again is told, without a beginning."""

    @tool(policy=Policy(read_only=True, idempotent=True))
    def read(place: str) -> str:
        """Read."""
        return place

    calls = [ToolCall(f"c{at}", "read", f'{{"place": "{place}"}}') for at, place in enumerate("aba")]
    heard = hear("Hi", tools=[read], model=ScriptedModel([*calls, "done"]))
    assert [each for each in heard.told if "c2" in each] == ["value c2", "finished c2"]
    (result,) = [each.result for each in heard.events if isinstance(each, ToolFinished) and each.result.reused]
    assert (result.call_id, result.content) == ("c2", "a")


def test_an_answer_by_a_call_is_no_call(hear: Hear) -> None:
    """A call that gives the answer is told as the answer; those beside it are told as not run."""
    hand_in = output_tool("hand_in", "Hand in.", dict[str, int], screen=None)
    replies = [[ToolCall("c1", "hand_in", '{"a": 1}'), look("c2", "Rome")]]
    heard = hear("Hi", tools=[stock], output=hand_in, model=ScriptedModel(replies))
    assert heard.told == ["value", "value c2", "failed c2", "done"]
    assert heard.outcome.value == {"a": 1}


SCRIPTS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "text": (["done"], {}),
    "nothing at first": (["", "done"], {}),
    "calls": ([[look("c1", "Rome"), look("c2", "Oslo")], ["And ", look("c1", "Bern")], "done"], {}),
    "a typed answer": (['{"a": "x"}', '{"a": 1}'], {"output": dict[str, int]}),
    "an answer by a tool": (
        [ToolCall("c1", "final_answer", '{"value": [1]}')],
        {"output": list[int], "options": RunOptions(output_mode="tool")},
    ),
    "a fall-back": (["x"], {"output": int, "limits": Limits(retries=0), "options": RunOptions(fallback=7)}),
    "costs": (
        [
            ModelReply((look("c1", "Rome"),), "tool_calls", Usage(5, 3, 2, 1), "m-1"),
            ModelReply((TextPart("done"),), "stop", Usage(7, 4), "m-2"),
        ],
        {},
    ),
    "the last request": ([look("c1", "Rome"), "done"], {"limits": Limits(steps=1)}),
    "Chinese": (["", "好"], {"options": RunOptions(language="zh")}),
}


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("streaming", [True, False], ids=["a model that streams", "one that cannot"])
def test_the_outcome_is_that_of_a_run(hear: Hear, script: str, streaming: bool) -> None:
    """A stream ends with the very outcome of a run that is not streamed, after the same requests."""
    replies, options = SCRIPTS[script]
    able = Capabilities(native_schema=True, tools=True, forced_choice=True, streaming=streaming)
    one, other = ScriptedModel(replies, capabilities=able), ScriptedModel(replies, capabilities=able)
    heard = hear("Hi", tools=[stock], model=one, **options)
    assert heard.outcome == run("Hi", tools=[stock], model=other, **options)
    assert one.requests == other.requests
    one.verify()


def test_costs_by_request(hear: Hear) -> None:
    """The outcome tells what each request cost."""
    replies, options = SCRIPTS["costs"]
    outcome = hear("Hi", tools=[stock], model=ScriptedModel(replies), **options).outcome
    assert [(each.model, each.usage) for each in outcome.requests] == [
        ("m-1", Usage(5, 3, 2, 1)),
        ("m-2", Usage(7, 4)),
    ]
    assert outcome.usage == Usage(12, 7, 2, 1)


def test_a_model_that_cannot_stream(hear: Hear) -> None:
    """Each of its replies is told in one piece, and `stream` is not called."""
    model = ScriptedModel(
        [["I look.", look("c1", "Rome")], "It is there."], capabilities=Capabilities(tools=True), piece=1
    )
    model.stream = model.astream = None  # type: ignore[assignment,method-assign]  # which is not to be called
    heard = hear("Hi", tools=[stock], model=model)
    assert heard.told == ["text", "value c1", "started c1", "finished c1", "text", "done"]
    texts = [each.text for each in heard.events if isinstance(each, TextDelta)]
    assert texts == ["I look.", "It is there."]
    assert heard.values("c1") == [{"place": "Rome"}]


class Waiting:
    """A model whose second piece comes when the first was heard."""

    name = "waiting"
    capabilities = Capabilities(streaming=True)

    def __init__(self) -> None:
        self.heard = False
        self.was_heard: bool | None = None

    def complete(self, request: ModelRequest) -> ModelReply:
        raise NotImplementedError

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        raise NotImplementedError

    def stream(self, request: ModelRequest) -> Iterator[TextPiece | ModelReply]:
        yield TextPiece("a")
        self.was_heard = self.heard
        yield TextPiece("b")
        yield ModelReply((TextPart("ab"),), "stop")

    async def astream(self, request: ModelRequest) -> AsyncIterator[TextPiece | ModelReply]:
        yield TextPiece("a")
        for _ in range(500):
            if self.heard:
                break
            await asyncio.sleep(0.01)
        self.was_heard = self.heard
        yield TextPiece("b")
        yield ModelReply((TextPart("ab"),), "stop")


def test_what_has_come_is_told_at_once() -> None:
    """An event is there before the next piece is."""
    model = Waiting()
    for event in run_stream("Hi", model=model):
        model.heard = model.heard or event == TextDelta("a")
    assert model.was_heard is True


def test_what_has_come_is_told_at_once_awaited() -> None:
    """The same, awaited."""
    model = Waiting()

    async def listen() -> None:
        async for event in arun_stream("Hi", model=model):
            model.heard = model.heard or event == TextDelta("a")

    asyncio.run(listen())
    assert model.was_heard is True
