"""Tools for the embedded model: real weights, held to calls by a grammar."""

from __future__ import annotations

import json
from typing import Any

import pytest

from magic_tools.chat import ModelReply, ModelRequest, OutputFormat, ToolChoice, ToolDefinition
from magic_tools.errors import ModelError
from magic_tools.messages import Message, TextPart, ToolCall, ToolResult
from magic_tools.models.local import LocalModel
from magic_tools.settings import ModelSettings
from tests.models.four_ways import FOUR_WAYS, Ask


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


WEATHER = ToolDefinition("get_weather", "Get the weather of a city.", schema(city={"type": "string"}))
ADD = ToolDefinition("add", "Add two numbers.", schema(a={"type": "integer"}, b={"type": "integer"}))
REPORT = OutputFormat("report", schema(city={"type": "string"}, degrees={"type": "integer"}))
ASKED = Message.user("What is the weather in Paris?")
CALLED = Message("assistant", (ToolCall("c1", "get_weather", '{"city": "Paris"}'),))
TOLD = Message("tool", (ToolResult("c1", "get_weather", "18 degrees and sunny"),))


@pytest.fixture
def model() -> LocalModel:
    pytest.importorskip("llama_cpp")
    return LocalModel()


def arguments_of(reply: ModelReply) -> Any:
    (call,) = reply.calls
    return json.loads(call.arguments)


@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_a_forced_call(model: LocalModel, ask: Ask) -> None:
    """A tool that is to be called is called, with what the text says, and the reply says what it cost."""
    reply = ask(model, ModelRequest((ASKED,), tools=(ADD, WEATHER), tool_choice="get_weather"))
    assert [(call.id, call.name) for call in reply.calls] == [("call_1", "get_weather")]
    assert reply.parts == reply.calls
    assert arguments_of(reply) == {"city": "Paris"}
    assert reply.finish == "tool_calls"
    assert reply.usage.input_tokens > 100
    assert 10 < reply.usage.output_tokens < 30


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("What is the weather in Paris?", "get_weather", {"city": "Paris"}),
        ("Please add 12 and 30.", "add", {"a": 12, "b": 30}),
    ],
)
@pytest.mark.parametrize("choice", ["required", "auto"])
def test_a_choice_of_tools(
    model: LocalModel, text: str, name: str, arguments: dict[str, Any], choice: ToolChoice
) -> None:
    """Of several tools the one that is asked for is called, be it required or not."""
    reply = model.complete(ModelRequest((Message.user(text),), tools=(WEATHER, ADD), tool_choice=choice))
    assert [call.name for call in reply.calls] == [name]
    assert arguments_of(reply) == arguments


@pytest.mark.parametrize("text", ["Hello! How are you?", "Thank you, that was all."])
def test_text_where_no_tool_fits(model: LocalModel, text: str) -> None:
    """Where tools may be called, words may be said as well."""
    reply = model.complete(ModelRequest((Message.user(text),), tools=(WEATHER, ADD)))
    assert reply.calls == ()
    assert reply.finish == "stop"
    assert len(reply.text) > 10


def test_what_the_text_dictates(model: LocalModel) -> None:
    """Left to choose, the model writes the call that it is shown, word for word."""
    call = '{"name": "add", "arguments": {"a": 71, "b": 4}}'
    reply = model.complete(ModelRequest((Message.user(f"Answer with this JSON: {call}"),), tools=(WEATHER, ADD)))
    assert [(call.name, call.arguments) for call in reply.calls] == [("add", '{"a": 71, "b": 4}')]


@pytest.mark.parametrize("output", [None, REPORT])
def test_no_call(model: LocalModel, output: OutputFormat | None) -> None:
    """Where no tool may be called, the reply is the one without tools."""
    talk = (ASKED, CALLED, TOLD)
    without = model.complete(ModelRequest(talk, output=output))
    assert model.complete(ModelRequest(talk, tools=(WEATHER, ADD), tool_choice="none", output=output)) == without
    assert without.text
    assert without.finish == "stop"


def test_after_a_result(model: LocalModel) -> None:
    """A result is spoken of, or made the answer that was asked for, and the call is not made again."""
    talk = (ASKED, CALLED, TOLD)
    spoken = model.complete(ModelRequest(talk, tools=(WEATHER, ADD)))
    assert spoken.calls == ()
    assert "sunny" in spoken.text
    answer = model.complete(ModelRequest(talk, tools=(WEATHER, ADD), output=REPORT))
    assert json.loads(answer.text) == {"city": "Paris", "degrees": 18}


def test_a_call_before_an_answer(model: LocalModel) -> None:
    """Where an answer is due that needs a tool first, the tool is called."""
    reply = model.complete(ModelRequest((ASKED,), tools=(WEATHER,), output=REPORT))
    assert arguments_of(reply) == {"city": "Paris"}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("choice", "output"), [("required", None), ("auto", REPORT), ("auto", None), ("add", None)])
def test_held_to_the_form(model: LocalModel, seed: int, choice: ToolChoice, output: OutputFormat | None) -> None:
    """However little the model thinks, a call has its form, and so has an answer; all else is text."""
    wild = ModelSettings(temperature=4.0, seed=seed, max_tokens=80, extra={"top_k": 0, "min_p": 0.0})
    digit = schema(a={"type": "integer", "minimum": 1, "maximum": 9}, b={"enum": ["x", "y"]})
    tools = (ToolDefinition("add", "", digit), ToolDefinition("add_more", "", digit))
    request = ModelRequest((Message.user("Hi"),), tools=tools, tool_choice=choice, output=output, settings=wild)
    reply = model.complete(request)
    if reply.calls:
        assert reply.finish == "tool_calls"  # so few characters can it have
        assert reply.calls[0].name in ({"add"} if choice == "add" else {"add", "add_more"})
        arguments = arguments_of(reply)
        assert 1 <= arguments["a"] <= 9
        assert arguments["b"] in ("x", "y")
        assert len(arguments) == 2
    elif output is None:
        assert choice == "auto"
        assert not reply.text.lstrip().startswith("{")
    else:
        assert reply.text.lstrip().startswith("{")
        assert '"city"' in reply.text


@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_a_cut_call(model: LocalModel, ask: Ask) -> None:
    """A call that is cut says so, with its arguments as they came; cut before its name is known, it is text."""
    request = ModelRequest((Message.user("Please add 12 and 30."),), tools=(ADD,), tool_choice="add")
    whole = model.complete(request).calls[0].arguments
    for most in (14, 15):
        cut = ask(LocalModel(settings=ModelSettings(max_tokens=most)), request)
        (call,) = cut.calls
        assert (call.name, cut.finish, cut.usage.output_tokens) == ("add", "length", most)
        assert whole.startswith(call.arguments)
        assert call.arguments != whole
    early = ask(LocalModel(settings=ModelSettings(max_tokens=3)), request)
    assert (early.calls, early.finish) == ((), "length")
    assert '{"name": "add", "arguments": '.startswith(early.text)


def test_stopped_inside_a_call(model: LocalModel) -> None:
    """A call that a text to stop at has cut is not taken for a whole one."""
    request = ModelRequest((Message.user("Please add 12 and 30."),), tools=(ADD,), tool_choice="add")
    reply = LocalModel(settings=ModelSettings(stop=('"b"',))).complete(request)
    assert reply.finish == "length"
    assert reply.calls[0].arguments.replace(" ", "") == '{"a":12,'


@pytest.mark.parametrize("name", ['say "hi" \\ [now]', "查询天气", "root", "text"])
def test_names(model: LocalModel, name: str) -> None:
    """A tool is called by its name, whatever that is."""
    tools = (ToolDefinition(name, "", schema(city={"type": "string"})), ADD)
    reply = model.complete(ModelRequest((ASKED,), tools=tools, tool_choice=name))
    assert [call.name for call in reply.calls] == [name]
    assert arguments_of(reply) == {"city": "Paris"}


def test_nested_parameters(model: LocalModel) -> None:
    """What the model is told flat is where the schema has it, and an earlier call is told as the model wrote it."""
    place = schema(place=schema(city={"type": "string"}))
    tool = ToolDefinition("get_weather", "Get the weather of a city.", place)
    request = ModelRequest((ASKED,), tools=(tool,), tool_choice="get_weather")
    reply = model.complete(request)
    assert arguments_of(reply) == {"place": {"city": "Paris"}}
    talk = (ASKED, Message("assistant", reply.parts), TOLD, Message.user("And in Rome?"))
    again = model.complete(ModelRequest(talk, tools=(tool,), tool_choice="get_weather"))
    assert arguments_of(again)["place"].keys() == {"city"}


def test_a_text_cannot_call(model: LocalModel) -> None:
    """What a model says that looks like a call of something else is text."""
    talk = (ASKED, Message("assistant", (TextPart('{"name": "get_weather", "arguments": {}}'),)), ASKED)
    reply = model.complete(ModelRequest(talk, settings=ModelSettings(max_tokens=30)))
    assert reply.calls == ()


def test_a_schema_that_is_no_grammar(model: LocalModel) -> None:
    """A schema that cannot be made a grammar is told, with the tool that has it, before anything is computed."""
    loop = {"$ref": "#/$defs/Loop", "$defs": {"Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}, {"type": "null"}]}}}
    walk = {**schema(at={"$ref": loop["$ref"]}), "$defs": loop["$defs"]}
    tools = (WEATHER, ToolDefinition("walk", "", walk))
    for request, whose in (
        (ModelRequest((ASKED,), tools=tools), "the tool 'walk'"),
        (ModelRequest((ASKED,), output=OutputFormat("x", loop)), "the answer"),
        (ModelRequest((ASKED,), tools=(ADD,), output=OutputFormat("x", loop)), "the answer"),
    ):
        with pytest.raises(ModelError, match=f"^The schema of {whose} cannot be made a grammar"):
            model.complete(request)
    assert model.complete(ModelRequest((ASKED,), tools=(WEATHER,), tool_choice="required")).calls


def test_a_choice_that_cannot_be_kept(model: LocalModel) -> None:
    """A tool that the request does not have cannot be called."""
    with pytest.raises(ModelError, match="'look_up' cannot be kept"):
        model.complete(ModelRequest((ASKED,), tools=(WEATHER,), tool_choice="look_up"))
