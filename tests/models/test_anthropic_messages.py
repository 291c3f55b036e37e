"""Anthropic's messages: the tables of what goes out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
from pydantic import TypeAdapter

from magic_tools.chat import ModelRequest, OutputFormat, ToolDefinition
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, ToolResult
from magic_tools.models.anthropic_messages import WIRE
from magic_tools.settings import ModelSettings

MODEL = "claude-opus-4-6"
PLAIN = ModelSettings()

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
OPEN_MAP = {"type": "object", "additionalProperties": {"type": "integer"}}
WEATHER = ToolDefinition("get_weather", "Current weather of a city.", CITY)
USER = Message.user("How warm is it in Rome?")
CALL = ToolCall("c1", "get_weather", '{"city": "Rome"}')
LATE = ToolCall("c2", "get_time", "")
RESULT = ToolResult("c1", "get_weather", '{"celsius": 21}')
ERROR = ToolResult("c2", "get_time", "there is no tool get_time", is_error=True)
THOUGHT = {"type": "thinking", "thinking": "Rome, 東京?", "signature": "c2ln"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Rome"}}
THINKING = ProviderPart("anthropic", json.dumps(THOUGHT), "Rome, 東京?")
SEARCHING = ProviderPart("anthropic", json.dumps(SEARCH))

WRITTEN = {"name": "get_weather", "description": "Current weather of a city.", "input_schema": CITY, "strict": True}
CALLED = {"type": "tool_use", "id": "c1", "name": "get_weather", "input": {"city": "Rome"}}
CALLED_LATE = {"type": "tool_use", "id": "c2", "name": "get_time", "input": {}}
GIVEN = {"type": "tool_result", "tool_use_id": "c1", "content": '{"celsius": 21}'}
REFUSED = {"type": "tool_result", "tool_use_id": "c2", "content": "there is no tool get_time", "is_error": True}


def text(words: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": words}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A turn of the user's."""
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A turn of the model's."""
    return {"role": "assistant", "content": list(blocks)}


ASKED = user(text("How warm is it in Rome?"))


def ended(name: str) -> dict[str, Any]:
    """A tool of the history alone."""
    return {"name": name, "description": "Cannot be called any more.", "input_schema": {"type": "object"}}


# What a request and its settings become; model and limit are filled in by the test where a payload lacks them.
PAYLOADS = [
    pytest.param(ModelRequest((USER,)), PLAIN, {"messages": [ASKED]}, id="a text"),
    pytest.param(
        ModelRequest((Message.system("Be brief."), USER, Message.system(" "), Message.system("In French."))),
        PLAIN,
        {"system": "Be brief.\n\nIn French.", "messages": [ASKED]},
        id="system messages, wherever they stand",
    ),
    pytest.param(
        ModelRequest((USER, Message("assistant", (TextPart("Warm."), CALL, LATE)), Message("tool", (RESULT, ERROR)))),
        PLAIN,
        {
            "messages": [ASKED, assistant(text("Warm."), CALLED, CALLED_LATE), user(GIVEN, REFUSED)],
            "tools": [ended("get_weather"), ended("get_time")],
            "tool_choice": {"type": "none"},
        },
        id="calls and results without tools",
    ),
    pytest.param(
        ModelRequest((USER, Message("assistant", (CALL,)), Message("tool", (RESULT,))), tools=(WEATHER,)),
        PLAIN,
        {"messages": [ASKED, assistant(CALLED), user(GIVEN)], "tools": [WRITTEN]},
        id="calls and results with tools",
    ),
    pytest.param(
        ModelRequest(
            (
                USER,
                Message("assistant", (CALL, TextPart("Let me "), LATE, TextPart("look."))),
                Message("tool", (RESULT,)),
                Message("tool", (ERROR,)),
                Message.user("thanks"),
                Message.user("and Paris?"),
            ),
            tools=(WEATHER,),
        ),
        PLAIN,
        {
            "messages": [
                ASKED,
                assistant(text("Let me "), text("look."), CALLED, CALLED_LATE),
                user(GIVEN, REFUSED, text("thanks"), text("and Paris?")),
            ],
            "tools": [WRITTEN],
        },
        id="results first, calls last",  # case D3
    ),
    pytest.param(
        ModelRequest(
            (USER, Message("assistant", (CALL,)), Message.user("and Paris?"), Message("tool", (RESULT,))), (WEATHER,)
        ),
        PLAIN,
        {"messages": [ASKED, assistant(CALLED), user(GIVEN, text("and Paris?"))], "tools": [WRITTEN]},
        id="results before what was said before them",
    ),
    pytest.param(
        ModelRequest(
            (
                Message.user("a"),
                Message("assistant", (TextPart(""), TextPart("\n"))),
                Message("user", (TextPart("b"), TextPart("\n"), TextPart("c"))),
                Message.user(" "),
                Message("assistant", (TextPart("d"),)),
                Message("assistant", (TextPart("e \n"), TextPart(" "))),
            )
        ),
        PLAIN,
        {"messages": [user(text("a"), text("b\nc")), assistant(text("d"), text("e"))]},
        id="blank texts, roles in turn, and no blanks at the end",
    ),
    pytest.param(
        ModelRequest((Message("assistant", (TextPart("Hello?"),)), USER)),
        PLAIN,
        {"messages": [user(text("(The conversation begins.)")), assistant(text("Hello?")), ASKED]},
        id="the model spoke first",
    ),
    pytest.param(
        ModelRequest((Message.system("Be brief."),)),
        PLAIN,
        {"system": "Be brief.", "messages": [user(text("(The conversation begins.)"))]},
        id="nobody has spoken",
    ),
    pytest.param(
        ModelRequest((USER, Message("assistant", (THINKING, TextPart("Hm."), CALL)), Message("tool", (RESULT,)))),
        PLAIN,
        {
            "messages": [ASKED, assistant(THOUGHT, text("Hm."), CALLED), user(GIVEN)],
            "tools": [ended("get_weather")],
            "tool_choice": {"type": "none"},
        },
        id="thinking, in its place",
    ),
    pytest.param(
        ModelRequest((USER, Message("assistant", (THINKING, CALL, THINKING, LATE, TextPart("Hm."))))),
        ModelSettings(extra={"tools": []}),
        {"messages": [ASKED, assistant(THOUGHT, CALLED, THOUGHT, text("Hm."), CALLED_LATE)], "tools": []},
        id="nothing changes before thinking",
    ),
    pytest.param(
        ModelRequest((USER, Message("assistant", (SEARCHING,)), Message("assistant", (TextPart("Warm."),)))),
        PLAIN,
        {"messages": [ASKED, assistant(SEARCH, text("Warm."))]},
        id="a turn that was paused",
    ),
    pytest.param(
        ModelRequest((USER, Message("assistant", (ProviderPart("openai-responses", "{}"),)), Message.user("Well?"))),
        PLAIN,
        {"messages": [user(text("How warm is it in Rome?"), text("Well?"))]},
        id="another provider's own",
    ),
    pytest.param(
        ModelRequest(
            (
                USER,
                Message("assistant", (CALL, LATE)),
                Message("tool", (ToolResult("c1", "f", ""), ToolResult("c2", "g", " ", is_error=True))),
            ),
            tools=(WEATHER,),
        ),
        PLAIN,
        {
            "messages": [
                ASKED,
                assistant(CALLED, CALLED_LATE),
                user(
                    {"type": "tool_result", "tool_use_id": "c1"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": "The tool failed.", "is_error": True},
                ),
            ],
            "tools": [WRITTEN],
        },
        id="results without a word",
    ),
    pytest.param(
        ModelRequest((USER,), tools=(WEATHER, ToolDefinition("count", "", OPEN_MAP)), tool_choice="none"),
        PLAIN,
        {
            "messages": [ASKED],
            "tools": [WRITTEN, {"name": "count", "description": "", "input_schema": OPEN_MAP}],
            "tool_choice": {"type": "none"},
        },
        id="tools not to be called, strict where that is lossless",
    ),
    pytest.param(ModelRequest((USER,), tool_choice="none"), PLAIN, {"messages": [ASKED]}, id="no choice without tools"),
    pytest.param(
        ModelRequest((USER,), output=OutputFormat("place", CITY)),
        PLAIN,
        {"messages": [ASKED], "output_config": {"format": {"type": "json_schema", "schema": CITY}}},
        id="an answer of a type",
    ),
    pytest.param(
        ModelRequest((Message.system("Be brief."), USER), output=OutputFormat("counts", OPEN_MAP)),
        PLAIN,
        {
            "system": (
                "Be brief.\n\nWhen you give your answer, it is one JSON value that fits this JSON Schema, with nothing "
                'before or after it:\n{"type": "object", "additionalProperties": {"type": "integer"}}'
            ),
            "messages": [ASKED],
        },
        id="an answer of a type that nothing can hold it to",
    ),
    pytest.param(
        ModelRequest((USER,), output=OutputFormat("place", CITY)),
        ModelSettings(extra={"output_config": {"effort": "low"}}),
        {
            "system": (
                "When you give your answer, it is one JSON value that fits this JSON Schema, with nothing before or "
                f"after it:\n{json.dumps(CITY)}"
            ),
            "messages": [ASKED],
            "output_config": {"effort": "low"},
        },
        id="an output_config of the caller's own",
    ),
    pytest.param(
        ModelRequest((USER,), settings=ModelSettings(max_tokens=99)),
        ModelSettings(max_tokens=7, stop=("END",), extra={"cache_control": {"type": "ephemeral"}}),
        {
            "messages": [ASKED],
            "max_tokens": 99,
            "stop_sequences": ["END"],
            "cache_control": {"type": "ephemeral"},
        },
        id="settings",
    ),
]


def plain(held: Any) -> Any:
    """Validated data as it stands, with what is lazy in it read."""
    if isinstance(held, Mapping):
        return {key: plain(each) for key, each in held.items()}
    return [plain(each) for each in held] if isinstance(held, Iterable) and not isinstance(held, str) else held


SDK: TypeAdapter[Any] = TypeAdapter(MessageCreateParamsNonStreaming)
STREAMING_SDK: TypeAdapter[Any] = TypeAdapter(MessageCreateParamsStreaming)


@pytest.mark.parametrize(("request_", "settings", "payload"), PAYLOADS)
def test_payloads(request_: ModelRequest, settings: ModelSettings, payload: dict[str, Any]) -> None:
    """A request becomes this payload, which the SDK's own types know to the last key."""
    made = WIRE.encode(request_, MODEL, settings)
    assert made == {"model": MODEL, "max_tokens": 16_384} | payload
    assert plain(SDK.validate_python(made)) == made


@pytest.mark.parametrize(("request_", "settings", "payload"), PAYLOADS)
def test_streamed_payloads(request_: ModelRequest, settings: ModelSettings, payload: dict[str, Any]) -> None:
    """A request for a stream is the same, and says so."""
    made = WIRE.encode(request_, MODEL, settings, streamed=True)
    assert made == {"model": MODEL, "max_tokens": 16_384, "stream": True} | payload
    assert plain(STREAMING_SDK.validate_python(made)) == made


def test_the_check_of_payloads_can_fail() -> None:
    """A key that the SDK does not know is found, however deep it is."""
    made = WIRE.encode(ModelRequest((USER,)), MODEL)
    made["messages"][0]["content"][0]["id"] = "t1"
    assert plain(SDK.validate_python(made)) != made
