"""Streams that break off: when another is asked for, what is told, and what is never made."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from magic_tools import (
    CallPiece,
    Capabilities,
    LimitError,
    Limits,
    Message,
    ModelError,
    ModelReply,
    ModelRequest,
    PartialValue,
    ScriptedModel,
    StreamCutError,
    TextPart,
    TextPiece,
    ToolCall,
    ToolStarted,
    Usage,
    output_tool,
    run,
    tool,
)
from magic_tools.models.scripted import CutReply
from tests.streaming.hearing import Hear


class Disk:
    """A tool that would write what was cut, and one beside it."""

    def __init__(self) -> None:
        self.written: list[tuple[str, str]] = []

    @tool
    def write(self, path: str = "x", content: str = "") -> str:
        """Write."""
        self.written.append((path, content))
        return "written"

    @tool
    def look(self, path: str) -> str:
        """Look."""
        self.written.append(("look", path))
        return "seen"

    @property
    def tools(self) -> list[Any]:
        return [self.write, self.look]


WRITE = ToolCall("c2", "write", '{"path": "/data", "content": "abc"}')
LOOK = ToolCall("c1", "look", '{"path": "/"}')

# Replies that break off before anything of a text was told: after how many pieces of 8 characters, and what came.
CUT_CALLS = {
    "before anything": (CutReply([WRITE], 0), ()),
    "after a name": (CutReply([WRITE], 1), ("write", "")),
    "in the arguments": (CutReply([WRITE], 3), ("write", '{"path": "/data"')),
    "after all of them": (CutReply([WRITE], 99), ("write", WRITE.arguments)),
    "after a whole call and a name": (CutReply([LOOK, WRITE], 4), ("look", LOOK.arguments, "write", "")),
    "after a whole call and half of one": (CutReply([LOOK, WRITE], 5), ("look", LOOK.arguments, "write", '{"path":')),
}


@pytest.mark.parametrize("case", CUT_CALLS)
def test_h3_a_call_that_is_cut(hear: Hear, case: str) -> None:
    """It is not made, nor is one beside it; the model is asked once more, and the history has no trace of it."""
    disk = Disk()
    model = ScriptedModel([CUT_CALLS[case][0], [LOOK], "done"])
    heard = hear("Hi", tools=disk.tools, model=model)
    assert heard.outcome.value == "done"
    assert disk.written == [("look", "/")]
    assert [len(request.messages) for request in model.requests] == [1, 1, 3]
    assert model.requests[0] == model.requests[1]
    assert [each.call.id for each in heard.events if isinstance(each, ToolStarted)] == ["c1"]
    assert heard.outcome == run("Hi", tools=Disk().tools, model=ScriptedModel([[LOOK], "done"]))
    model.verify()


@pytest.mark.parametrize("case", CUT_CALLS)
def test_h3_a_call_that_is_cut_twice(hear: Hear, case: str) -> None:
    """The second time is an error that has what came of it, and the run so far."""
    disk = Disk()
    reply, came = CUT_CALLS[case]
    model = ScriptedModel([reply, reply, "never"])
    heard = hear("Hi", tools=disk.tools, model=model)
    error = heard.error
    assert isinstance(error, StreamCutError)
    assert len(model.requests) == 2
    assert disk.written == []
    told = [text for call in error.partial.calls for text in (call.name, call.arguments)]
    assert tuple(told) == came
    assert error.partial.finish is None
    assert error.outcome is not None
    assert (error.outcome.stop, error.outcome.transcript) == ("model_error", (Message.user("Hi"),))
    assert not any(isinstance(each, ToolStarted) for each in heard.events)


TOLD: dict[str, tuple[Any, dict[str, Any], str]] = {
    "text": (CutReply("Hello there", 1), {}, "Hello th"),
    "text and half a call": (CutReply(["Hm.", WRITE], 3), {}, "Hm."),
    "an answer": (CutReply('{"a": 1, "b": 2}', 1), {"output": dict[str, int]}, '{"a": 1,'),
    "an answer by a call": (
        CutReply([ToolCall("c1", "hand_in", '{"a": 1, "b": 2}')], 2),
        {"output": output_tool("hand_in", "Hand in.", dict[str, int], screen=None)},
        "",
    ),
}


@pytest.mark.parametrize("case", TOLD)
def test_h3_a_cut_after_something_was_told(hear: Hear, case: str) -> None:
    """What was told cannot be taken back: it is an error at once, with what came."""
    reply, options, text = TOLD[case]
    disk = Disk()
    model = ScriptedModel([reply, "never"])
    heard = hear("Hi", tools=disk.tools, model=model, **options)
    assert heard.error.outcome.transcript == (Message.user("Hi"),)
    assert isinstance(heard.error, StreamCutError)
    assert (len(model.requests), disk.written) == (1, [])
    assert heard.error.partial.text == text
    assert heard.text == text * (heard.told[0] == "text")


def test_a_cut_text_that_is_no_answer(hear: Hear) -> None:
    """Where what came was not told, as prose around a typed answer is not, another reply is asked for."""
    model = ScriptedModel([CutReply("Let me think about that.", 2), '{"a": 1}'])
    heard = hear("Hi", output=dict[str, int], model=model)
    assert heard.outcome.value == {"a": 1}
    assert len(model.requests) == 2


def test_each_request_may_be_cut_once(hear: Hear) -> None:
    """The next request of the run has another try of its own."""
    disk = Disk()
    model = ScriptedModel([CutReply([LOOK], 1), [LOOK], CutReply([WRITE], 2), "done"])
    outcome = hear("Hi", tools=disk.tools, model=model).outcome
    assert (outcome.value, outcome.steps, len(model.requests)) == ("done", 2, 4)
    assert disk.written == [("look", "/")]


def test_arguments_begin_again(hear: Hear) -> None:
    """What was told of a cut call's arguments is told anew, from the beginning, with the second try."""
    heard = hear("Hi", tools=Disk().tools, model=ScriptedModel([CutReply([WRITE], 4), WRITE, "done"], piece=9))
    values = [each.value.value for each in heard.events if isinstance(each, PartialValue)]
    again = values.index({}, 1)
    assert values[again - 1]["path"] == "/data"
    assert values[-1] == {"path": "/data", "content": "abc"}


def test_what_a_cut_reply_cost(hear: Hear) -> None:
    """Its tokens count, as a request of its own, whether the run goes on or not."""
    cut = CutReply(ModelReply((WRITE,), "tool_calls", Usage(10, 1), "m-1"), 2)
    whole = ModelReply((TextPart("done"),), "stop", Usage(10, 5), "m-1")
    outcome = hear("Hi", tools=Disk().tools, model=ScriptedModel([cut, whole])).outcome
    assert (outcome.usage, outcome.steps) == (Usage(20, 6), 1)
    assert [each.usage for each in outcome.requests] == [Usage(10, 1), Usage(10, 5)]
    error = hear("Hi", tools=Disk().tools, model=ScriptedModel([cut, cut])).error
    assert error.outcome.usage == Usage(20, 2)
    assert [each.usage for each in error.outcome.requests] == [Usage(10, 1)] * 2


def test_a_cut_in_the_last_request(hear: Hear) -> None:
    """The request without tools at the end of the steps has another try too."""
    model = ScriptedModel([[LOOK], CutReply("done", 0), "done"])
    heard = hear("Hi", tools=Disk().tools, model=model, limits=Limits(steps=1))
    assert (heard.outcome.value, heard.outcome.stop) == ("done", "step_limit")


def test_a_run_that_is_not_streamed_has_no_second_try() -> None:
    """There nothing arrives in pieces: the model's error is the run's."""
    model = ScriptedModel([CutReply("x", 0), "never"])
    with pytest.raises(StreamCutError) as caught:
        run("Hi", model=model)
    assert len(model.requests) == 1
    assert caught.value.outcome is not None


class Own:
    """A model of somebody's own, whose streams are what it is given."""

    name = "own"
    capabilities = Capabilities(tools=True, streaming=True)

    def __init__(self, items: Callable[[], Iterator[Any]]) -> None:
        self.asked = 0
        self._items = items

    def complete(self, request: ModelRequest) -> ModelReply:
        raise NotImplementedError

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        raise NotImplementedError

    def stream(self, request: ModelRequest) -> Iterator[Any]:
        self.asked += 1
        return self._items()

    async def astream(self, request: ModelRequest) -> AsyncIterator[Any]:
        self.asked += 1
        for item in self._items():
            yield item


def test_a_stream_without_a_reply(hear: Hear) -> None:
    """One that ends without the whole reply has broken off."""
    silent, spoken = Own(lambda: iter(())), Own(lambda: iter([TextPiece("Hel")]))
    assert isinstance(hear("Hi", model=silent).error, StreamCutError)
    heard = hear("Hi", model=spoken)
    assert isinstance(heard.error, StreamCutError)
    assert (heard.text, heard.error.partial.text) == ("Hel", "Hel")
    assert (silent.asked, spoken.asked) == (2, 1)


NO_TEXT: Any = 7


@pytest.mark.parametrize(
    "items", [[3], [TextPiece("a"), "x"], [TextPiece(NO_TEXT), None], [ModelReply((NO_TEXT,))]], ids=str
)
def test_a_stream_of_what_is_none(hear: Hear, items: list[Any]) -> None:
    """What is neither piece nor reply is a ModelError that says so, and is not asked for again."""
    model = Own(lambda: iter(items))
    error = hear("Hi", model=model).error
    assert error.outcome.stop == "model_error"
    assert isinstance(error, ModelError)
    assert "gave no reply that can be read" in str(error)
    assert model.asked == 1


def test_pieces_that_are_none(hear: Hear) -> None:
    """Pieces that hold no texts are passed over where the reply is one."""
    pieces = [TextPiece(NO_TEXT), CallPiece(0, "c1", "look", NO_TEXT), CallPiece(NO_TEXT, NO_TEXT, NO_TEXT, "{}")]
    heard = hear("Hi", model=Own(lambda: iter([*pieces, TextPiece("Hi"), ModelReply((TextPart("Hi"),))])))
    assert (heard.told, heard.text, heard.outcome.value) == (["text", "done"], "Hi", "Hi")


def test_a_cut_of_what_is_none(hear: Hear) -> None:
    """What a model says that came is passed on as it is, and nothing is counted of what is no reply."""

    def items() -> Iterator[Any]:
        yield TextPiece("Hel")
        raise StreamCutError("cut", NO_TEXT)

    heard = hear("Hi", model=Own(items))
    assert (heard.error.partial, heard.error.outcome.usage) == (7, Usage())


def test_a_name_that_grows(hear: Hear) -> None:
    """What a call is of is known when its arguments come: then its name is whole."""
    arguments = '{"a": 1}'
    pieces = [
        CallPiece(0, "c1", "hand", ""),
        CallPiece(0, "c1", "hand_in", ""),
        CallPiece(0, "c1", "hand_in", arguments),
    ]
    reply = ModelReply((ToolCall("c1", "hand_in", arguments),), "tool_calls")
    hand_in = output_tool("hand_in", "Hand in.", dict[str, int], screen=None)
    heard = hear("Hi", output=hand_in, model=Own(lambda: iter([*pieces, reply])))
    assert (heard.told, heard.values()) == (["value", "done"], [{"a": 1}])


@pytest.mark.parametrize("raised", [ValueError("x"), ModelError("down"), KeyError("y")])
def test_a_stream_that_raises(hear: Hear, raised: Exception) -> None:
    """What a model raises in the midst is raised, with the run so far."""

    def items() -> Iterator[Any]:
        yield TextPiece("Hel")
        raise raised

    model = Own(items)
    heard = hear("Hi", model=model)
    assert heard.error is raised
    assert (heard.text, model.asked) == ("Hel", 1)
    error: Any = raised
    assert error.outcome.transcript == (Message.user("Hi"),)


class Slow(ScriptedModel):
    """A model whose first stream breaks off, and whose other streams do not end."""

    def __init__(self) -> None:
        super().__init__([])
        self.asked = 0
        self.over = threading.Event()

    def stream(self, request: ModelRequest) -> Iterator[Any]:
        self.asked += 1
        yield CallPiece(0, "c1", "look", "")
        self.over.wait(0.1 if self.asked == 1 else 10)
        raise StreamCutError("cut", ModelReply(()))

    async def astream(self, request: ModelRequest) -> AsyncIterator[Any]:
        self.asked += 1
        yield CallPiece(0, "c1", "look", "")
        await asyncio.sleep(0.1 if self.asked == 1 else 10)
        raise StreamCutError("cut", ModelReply(()))


def test_the_time_of_a_second_try(hear: Hear) -> None:
    """It has the time that the first has left; when that is over, the run goes on as one whose time is over."""
    model, began = Slow(), time.monotonic()
    heard = hear("Hi", model=model, limits=Limits(deadline_s=1.0))
    model.over.set()
    assert time.monotonic() - began < 4
    assert heard.error.outcome.stop == "deadline"
    assert isinstance(heard.error, LimitError)
    assert model.asked == 3
