"""A conversation as a local model is told it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from magic_tools.chat import ModelRequest, OutputFormat, ToolDefinition
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, ToolResult
from magic_tools.models.forms import Forms
from magic_tools.models.local_dialogue import dialogue_of
from magic_tools.models.local_offer import offer_of

WEATHER = ToolDefinition(
    "get_weather",
    "Tells the weather.\nOf any city.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False},
)
CLOCK = ToolDefinition("read_clock", "", {"type": "object", "properties": {}, "additionalProperties": False})
ANSWER = OutputFormat("answer", {"type": "object", "properties": {"sky": {"type": "string"}}, "required": ["sky"]})
ASKED = Message.user("Paris?")
CALLED = Message("assistant", (TextPart("I look."), ToolCall("c1", "get_weather", '{"city": "Paris"}')))
TOLD = Message("tool", (ToolResult("c1", "get_weather", "sunny"),))


def told(*messages: Message, **request: Any) -> list[tuple[str, str]]:
    """The turns, as role and content."""
    asked = ModelRequest(messages, **request)
    dialogue = dialogue_of(messages, offer_of(asked, Forms("simple").of(asked)))
    return [(turn["role"], turn["content"]) for turn in dialogue]


def test_calls_and_results() -> None:
    """A call is the JSON that the model would write itself, a result is told by the user, with the tool's name."""
    assert told(ASKED, CALLED, TOLD) == [
        ("user", "Paris?"),
        ("assistant", 'I look.\n{"name": "get_weather", "arguments": {"city": "Paris"}}'),
        ("user", "Result of get_weather:\nsunny"),
    ]


def test_results_in_a_row() -> None:
    """Results of one turn are one turn, be they in one message or in several."""
    both = Message("tool", (ToolResult("c1", "a", "1"), ToolResult("c2", "b", "2", is_error=True)))
    apart = tuple(Message("tool", (part,)) for part in both.parts)
    assert told(ASKED, both) == told(ASKED, *apart)
    assert told(ASKED, both)[1:] == [("user", "Result of a:\n1\n\nResult of b:\n2")]


@pytest.mark.parametrize(
    ("arguments", "written"),
    [('{"city": "東京"}', '{"city": "東京"}'), ("", "{}"), ('{"a": ', '{"unparsed_arguments": "{\\"a\\": "}')],
)
def test_arguments(arguments: str, written: str) -> None:
    """Arguments are told as they were written, where they can be read at all."""
    turn = Message("assistant", (ToolCall("c1", "get_weather", arguments),))
    assert told(ASKED, turn)[1] == ("assistant", f'{{"name": "get_weather", "arguments": {written}}}')


def test_what_is_anothers() -> None:
    """What only another provider can read is left out, and with it a turn that holds nothing else."""
    thinking = ProviderPart("anthropic", "{}", "Hm.")
    assert told(ASKED, Message("assistant", (thinking, TextPart("Yes.")))) == [
        ("user", "Paris?"),
        ("assistant", "Yes."),
    ]
    assert told(ASKED, Message("assistant", (thinking,)), ASKED) == [("user", "Paris?")] * 2


def test_a_forced_call() -> None:
    """One tool is asked for like an answer: by its schema, and led to its first bracket."""
    (role, task), asked = told(Message.system("Be exact."), ASKED, tools=(WEATHER, CLOCK), tool_choice="get_weather")
    assert role == "system"
    assert task.startswith("Be exact.\n\nYou are a data extraction assistant.")
    schema = {
        "type": "object",
        "description": WEATHER.description,
        "properties": {"name": {"const": "get_weather"}, "arguments": WEATHER.input_schema},
    }
    assert json.loads(task.splitlines()[3]) == schema
    assert "read_clock" not in task
    assert asked == ("user", "Text:\nParis?\n\nJSON:")


def test_a_choice_of_tools() -> None:
    """Where there is a choice, the model is shown each tool once; a tool without a description by its name."""
    (_, task), *shown, asked = told(ASKED, tools=(WEATHER, CLOCK), tool_choice="required")
    assert [each["properties"]["name"]["const"] for each in json.loads(task.splitlines()[1])["anyOf"]] == [
        "get_weather",
        "read_clock",
    ]
    assert shown == [
        ("user", "Text:\nTells the weather.\n\nJSON:"),
        ("assistant", '{"name": "get_weather", "arguments": {}}'),
        ("user", "Text:\nread clock\n\nJSON:"),
        ("assistant", '{"name": "read_clock", "arguments": {}}'),
    ]
    assert asked == ("user", "Text:\nParis?\n\nJSON:")


def test_a_call_or_text() -> None:
    """Where text will do as well, that is said and shown, and nothing leads to a bracket."""
    (_, task), *turns = told(ASKED, tools=(WEATHER,))
    assert task.endswith("answer with text.")
    assert [content for _, content in turns] == [
        "Hello!",
        "Hello! How can I help you?",
        "Tells the weather.",
        '{"name": "get_weather", "arguments": {}}',
        "Paris?",
    ]
    roles = [role for role, _ in turns]
    assert roles == ["user", "assistant"] * 2 + ["user"]


def test_a_result_is_shown_once() -> None:
    """With a result to speak of, the model is shown how to speak of one."""
    _, *turns = told(ASKED, CALLED, TOLD, tools=(WEATHER, CLOCK))
    assert [role for role, _ in turns] == ["user", "assistant"] * 5 + ["user"]
    assert turns[4][1].startswith("Result of get_weather:\n")
    assert turns[-1] == ("user", "Result of get_weather:\nsunny")


def test_an_answer_or_a_call() -> None:
    """An answer that may take a call first has its schema beside those of the calls."""
    (_, task), *turns = told(ASKED, tools=(WEATHER,), output=ANSWER)
    assert json.loads(task.splitlines()[1])["anyOf"][1] == ANSWER.schema
    assert turns[-1] == ("user", "Text:\nParis?\n\nJSON:")


def test_an_answer_of_results() -> None:
    """An answer made of results is one of a text that holds all that was said, and tools may still be called."""
    system = Message.system("Be exact.")
    (_, task), asked = told(system, ASKED, CALLED, TOLD, ASKED, tools=(WEATHER,), output=ANSWER)
    assert task.startswith("Be exact.\n\n")
    assert json.loads(task.splitlines()[3]) == ANSWER.schema
    assert json.loads(task.splitlines()[-1])["properties"]["arguments"] == WEATHER.input_schema
    assert asked[1].splitlines() == [
        *("Text:", "Paris?", ""),
        *("I look.", 'Call of get_weather with {"city": "Paris"}', ""),
        *("Result of get_weather:", "sunny", ""),
        *("Paris?", "", "JSON:"),
    ]


def test_no_tools_are_told() -> None:
    """Where no tool may be called, none is spoken of."""
    assert told(ASKED, tools=(WEATHER,), tool_choice="none") == told(ASKED)
    assert told(ASKED, tools=(WEATHER,), tool_choice="none", output=ANSWER) == told(ASKED, output=ANSWER)


def test_a_long_description() -> None:
    """Of a long description the beginning is shown."""
    long = ToolDefinition("long", "word " * 500, CLOCK.input_schema)
    _, *turns = told(ASKED, tools=(long,))
    assert max(len(content) for _, content in turns) == 120
