"""Replies in canonical form, and history in the form that a model is told."""

from __future__ import annotations

import json

import pytest

from magic_tools.chat import ModelReply, ModelRequest, OutputFormat, ToolDefinition
from magic_tools.loose.decode import compile_schema
from magic_tools.messages import Message, TextPart, ToolCall, ToolResult
from magic_tools.models.forms import Forms, replayed, restored
from magic_tools.tools.tool import Tool

TEXT = {"type": "string"}
EITHER = {"anyOf": [{"type": "object", "properties": {"a": TEXT}}, {"type": "object", "properties": {"b": TEXT}}]}
CALL = ToolCall("c1", "either", '{"value": {"a": "x"}}')
BARE = ToolCall("c1", "either", '{"a": "x"}')
TOOLS = (
    ToolDefinition("either", "", EITHER),
    ToolDefinition("plain", "", {"type": "object", "properties": {"u0": TEXT}}),
)


def test_a_reply_is_restored() -> None:
    """Arguments and answers come back in canonical form; what fits no schema of the request stays."""
    other = ToolCall("c2", "plain", '{"value": 1}')
    strange = ToolCall("c3", "unknown", '{"value": 1}')
    reply = ModelReply((TextPart('{"value": {"b": "y"}}'), CALL, other, strange), finish="tool_calls", model="m")
    request = ModelRequest((), TOOLS, output=OutputFormat("either", EITHER))
    assert restored(reply, Forms("openai-chat").of(request)) == ModelReply(
        (TextPart('{"b": "y"}'), BARE, other, strange), finish="tool_calls", model="m"
    )
    assert restored(reply, Forms("openai-chat").of(ModelRequest((), TOOLS))).parts[0] == reply.parts[0]
    assert restored(reply, Forms("openai-chat").of(ModelRequest(()))) == reply


def test_history_is_replayed_as_it_was_told() -> None:
    """Earlier turns of the model have the form that it is told; what others said stays."""
    history = (
        Message.user('{"a": "x"}'),
        Message("assistant", (TextPart('{"b":"y"}'), BARE)),
        Message("tool", (ToolResult("c1", "either", '{"a": "x"}'),)),
    )
    request = ModelRequest(history, TOOLS, output=OutputFormat("either", EITHER))
    told = replayed(request, Forms("openai-chat").of(request))
    assert told.messages == (
        history[0],
        Message("assistant", (TextPart('{"value":{"b":"y"}}'), ToolCall("c1", "either", '{"value":{"a": "x"}}'))),
        history[2],
    )
    plain = ModelRequest(history, TOOLS[1:])
    assert replayed(plain, Forms("openai-chat").of(plain)) == plain


SHUT = {"properties": {"a": TEXT, "b": {"type": "array"}}, "required": ["a"], "additionalProperties": False}
UNION = {"anyOf": [SHUT, {**SHUT, "required": ["b"]}]}


@pytest.mark.parametrize(
    ("written", "arguments", "repairs"),
    [
        pytest.param('{"value":{"a":"x"},}', {"a": "x"}, [], id="a comma in what was wrapped around"),
        pytest.param('{"value":{"a":"x",}}', {"a": "x"}, ["trailing_comma"], id="a comma in the value"),
        pytest.param('{"value":{"b":[1,],},}', {"b": [1]}, ["trailing_comma", "trailing_comma"], id="commas in both"),
        pytest.param('```json\n{"value": {"a": "x"}}\n```', {"a": "x"}, ["fence"], id="a fence"),
        pytest.param(
            '```\n{"value": {"a": "x",}}\n```', {"a": "x"}, ["fence", "trailing_comma"], id="a fence and a comma"
        ),
        pytest.param('{"a":"x",}', {"a": "x"}, ["trailing_comma"], id="not wrapped"),
        pytest.param('{"value":{"a":"x","a":"x"}}', {"a": "x"}, [], id="a key that says the same twice"),
    ],
)
def test_what_has_to_be_mended(written: str, arguments: object, repairs: list[str]) -> None:
    """Wrapped arguments get the repairs that others get, and what is mended in the value itself is listed."""
    calls = []
    taken = Tool.from_schema(lambda **sent: calls.append(sent), name="t", description="d", input_schema=UNION)
    reply = ModelReply((ToolCall("c", "t", written),))
    (call,) = restored(reply, Forms("openai-chat").of(ModelRequest((), (taken.told(),)))).parts
    assert isinstance(call, ToolCall)
    result = taken.invoke(call.arguments)
    assert (calls, sorted(repair.kind for repair in result.repairs)) == ([arguments], repairs)


@pytest.mark.parametrize("written", ['{"value":{"a":"x"', "Sure: {}", '{"value":', "", '```\n{"a"\n```', "[1]"])
def test_what_cannot_be_mended(written: str) -> None:
    """What the ladder cannot read stays as it came, for it to say what is wrong."""
    reply = ModelReply((ToolCall("c", "either", written), TextPart(written)))
    request = ModelRequest((), TOOLS, output=OutputFormat("either", EITHER))
    assert restored(reply, Forms("openai-chat").of(request)) == reply


def test_an_answer_in_prose() -> None:
    """An answer is taken out of what was wrapped around it wherever the ladder finds it, and the words stay."""
    text = 'Here it is:\n```json\n{"value": {"b": "y"},}\n```\nAnything else?'
    request = ModelRequest((), output=OutputFormat("either", EITHER))
    (part,) = restored(ModelReply((TextPart(text),)), Forms("openai-chat").of(request)).parts
    assert part == TextPart('Here it is:\n```json\n{"b": "y"}\n```\nAnything else?')
    assert compile_schema(EITHER).parse(part.text).value == {"b": "y"}


@pytest.mark.parametrize("text", ['{"a":"x",}', '```json\n{"a": "x"}\n```', 'So: {"a": "x"}'])
def test_mended_history_is_replayed_too(text: str) -> None:
    """What was mended when it came is in the form that the model is told when it is sent again."""
    request = ModelRequest((Message("assistant", (TextPart(text),)),), output=OutputFormat("either", EITHER))
    (message,) = replayed(request, Forms("openai-chat").of(request)).messages
    assert '{"value":{"a"' in message.text.replace(" ", "")
    (part,) = restored(ModelReply((TextPart(message.text),)), Forms("openai-chat").of(request)).parts
    assert isinstance(part, TextPart)
    assert compile_schema(EITHER).parse(part.text).value == json.loads('{"a": "x"}')
