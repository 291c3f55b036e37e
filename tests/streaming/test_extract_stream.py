"""An answer that is read out of a text while it arrives."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from magic_tools import (
    Capabilities,
    Limits,
    ModelReply,
    OutputError,
    Partial,
    RefusalError,
    RunOptions,
    ScriptedModel,
    StreamCutError,
    TextPart,
    ToolCall,
    extract,
)
from magic_tools.models.scripted import CutReply
from tests.streaming.hearing import Read


class Person(BaseModel):
    name: str
    age: int


def test_an_answer(read: Read) -> None:
    """It grows, and the last value is the whole one, validated."""
    model = ScriptedModel(['{"name": "Ann", "age": 30}'], piece=6)
    partials = read(Person, "Ann is 30.", model=model)
    *growing, last = partials
    assert [each.value for each in growing] == [
        {},
        {"name": "An"},
        {"name": "Ann"},
        {"name": "Ann", "age": 30},
    ]
    assert [each.open_path for each in growing] == [(), ("name",), (), None]
    assert not any(each.complete for each in growing)
    assert last == Partial(Person(name="Ann", age=30), complete=True)
    assert last.value == extract(Person, "Ann is 30.", model=ScriptedModel(['{"name": "Ann", "age": 30}']))
    assert [message.text for message in model.requests[0].messages] == ["Ann is 30."]


@pytest.mark.parametrize(
    ("target", "reply", "value"),
    [
        pytest.param(list[int], "[1, 2]", [1, 2], id="a list"),
        pytest.param(int, "7", 7, id="a number"),
        pytest.param({"type": "object", "properties": {"a": {"type": "integer"}}}, '{"a": 1}', {"a": 1}, id="a schema"),
        pytest.param(Person | None, "null", None, id="nothing"),
    ],
)
@pytest.mark.parametrize("mode", ["native", "tool", "prompt"])
def test_targets(read: Read, target: Any, reply: str, value: Any, mode: Any) -> None:
    """Of whatever type, asked for in whatever way, the last value is that of `extract`."""
    said: Any = reply
    if mode == "tool":
        is_object = reply.startswith("{")
        said = ToolCall("c1", "final_answer", reply if is_object else f'{{"value": {reply}}}')
    partials = read(target, "x", model=ScriptedModel([said], piece=1), options=RunOptions(output_mode=mode))
    assert partials[-1].complete
    assert partials[-1].value == value
    assert not any(each.complete for each in partials[:-1])


def test_text(read: Read) -> None:
    """Text grows as text, of which the whole is open until the end."""
    partials = read(str, "x", model=ScriptedModel(["Hello you"], piece=4))
    assert partials == [
        Partial("Hell", (), validated=False),
        Partial("Hello yo", (), validated=False),
        Partial("Hello you", (), validated=False),
        Partial("Hello you", complete=True),
    ]


@pytest.mark.parametrize("first", ["...", ModelReply((TextPart("Wait."),), "pause")], ids=["nothing said", "a pause"])
def test_another_text_begins(read: Read, first: Any) -> None:
    """Where the model is asked again, its next reply is another text."""
    partials = read(str, "x", model=ScriptedModel([first, "Hello"]))
    assert [each.value for each in partials] == ["..." if first == "..." else "Wait.", "Hello", "Hello"]


def test_another_value_begins(read: Read) -> None:
    """Where an answer is refused, the next one is another value."""
    model = ScriptedModel(['{"name": "Ann", "age": "?"}', '{"name": "Ann", "age": 30}'])
    partials = read(Person, "x", model=model)
    assert [issue.path for each in partials for issue in each.errors][:1] == ["age"]
    assert {} in [each.value for each in partials[2:]]
    assert partials[-1] == Partial(Person(name="Ann", age=30), complete=True)


def test_repairs_are_told(read: Read) -> None:
    """What had to be mended is told with the last value."""
    last = read(Person, "x", model=ScriptedModel(["{'name': 'Ann', 'age': 30}"]))[-1]
    assert last.value == Person(name="Ann", age=30)
    assert last.repairs


def test_a_model_that_cannot_stream(read: Read) -> None:
    """Its answer comes at once."""
    model = ScriptedModel(['{"name": "Ann", "age": 30}'], capabilities=Capabilities(native_schema=True))
    partials = read(Person, "x", model=model)
    assert [each.value for each in partials] == [{"name": "Ann", "age": 30}, Person(name="Ann", age=30)]


def test_errors(read: Read) -> None:
    """They are those of a run, and carry its outcome."""
    with pytest.raises(OutputError) as unfit:
        read(Person, "x", model=ScriptedModel(["{}"]), limits=Limits(retries=0))
    assert unfit.value.outcome.stop == "invalid_output"
    with pytest.raises(RefusalError):
        read(Person, "x", model=ScriptedModel([ModelReply((TextPart("No."),), "refusal")]))
    with pytest.raises(StreamCutError) as cut:
        read(Person, "x", model=ScriptedModel([CutReply('{"name": "Ann"}', 1)]))
    assert cut.value.partial.text == '{"name":'


def test_a_fall_back(read: Read) -> None:
    """What is taken in place of an answer is the last value."""
    last = read(int, "x", model=ScriptedModel(["so"]), limits=Limits(retries=0), options=RunOptions(fallback=7))[-1]
    assert last == Partial(7, complete=True)


def test_instructions(read: Read) -> None:
    """They are the system message."""
    model = ScriptedModel(["1"])
    read(int, "x", model=model, instructions="Count.")
    assert [message.text for message in model.requests[0].messages] == ["Count.", "x"]


def test_a_snapshot_of_a_text(read: Read) -> None:
    """A text that is open is its own snapshot."""
    partial = read(str, "x", model=ScriptedModel(["Hello you"], piece=4))[0]
    assert partial.snapshot() == partial
