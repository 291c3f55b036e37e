"""The Responses API: the table of what goes out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)
from pydantic import TypeAdapter

from magic_tools.chat import ModelRequest, OutputFormat, ToolDefinition
from magic_tools.errors import SchemaRejectedError, UnsupportedSettingError
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, ToolResult
from magic_tools.models.forms import Forms
from magic_tools.models.openai_responses import WIRE
from magic_tools.models.wire import Flavour
from magic_tools.settings import ModelSettings
from magic_tools.values import JsonObject

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
OPEN_MAP = {"type": "object", "additionalProperties": {"type": "integer"}}
WEATHER = ToolDefinition("get_weather", "Current weather of a city.", CITY)
SENT_WEATHER = {
    "type": "function",
    "name": "get_weather",
    "description": "Current weather of a city.",
    "parameters": CITY,
    "strict": True,
}
USER = Message.user("How warm is it in Rome?")
ASKED = {"role": "user", "content": "How warm is it in Rome?"}
CALL = ToolCall("c1", "get_weather", '{"city": "Rome"}')
CALLED = {"type": "function_call", "call_id": "c1", "name": "get_weather", "arguments": '{"city": "Rome"}'}
THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Rome it is."}],
    "encrypted_content": "s3al3d",
    "status": "completed",
}
SEARCH = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "weather Rome"},
}
PLAIN = "gpt-4.1"
KEEPING = {"store": False, "include": ["reasoning.encrypted_content"]}


def own(item: Mapping[str, Any], text: str = "", wire: str = "openai-responses") -> ProviderPart:
    """An item of the provider's own, as a part."""
    return ProviderPart(wire, json.dumps(item, ensure_ascii=False), text)


def turn(*parts: TextPart | ToolCall | ProviderPart) -> ModelRequest:
    """A question, and a turn of the model with these parts."""
    return ModelRequest((USER, Message("assistant", parts)))


# What a request to a model and its settings become; the model's name is filled in by the test.
PAYLOADS = [
    pytest.param(
        ModelRequest((Message.system("Be brief."), USER)),
        PLAIN,
        ModelSettings(),
        {"input": [{"role": "system", "content": "Be brief."}, ASKED]},
        id="texts",
    ),
    pytest.param(
        ModelRequest(
            (
                Message.system("Be brief."),
                USER,
                Message("assistant", (TextPart("Let me "), TextPart("look."), CALL, ToolCall("c2", "get_time", ""))),
                Message(
                    "tool",
                    (
                        ToolResult("c1", "get_weather", '{"celsius": 21}'),
                        ToolResult("c2", "get_time", "there is no tool get_time", is_error=True),
                    ),
                ),
                Message("assistant", (TextPart("21 degrees."),)),
            )
        ),
        PLAIN,
        ModelSettings(),
        {
            "input": [
                {"role": "system", "content": "Be brief."},
                ASKED,
                {"role": "assistant", "content": "Let me look."},
                CALLED,
                {"type": "function_call", "call_id": "c2", "name": "get_time", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c1", "output": '{"celsius": 21}'},
                {"type": "function_call_output", "call_id": "c2", "output": "there is no tool get_time"},
                {"role": "assistant", "content": "21 degrees."},
            ]
        },
        id="calls and results, in order",
    ),
    pytest.param(
        turn(TextPart("Look:"), CALL, TextPart("Done.")),
        PLAIN,
        ModelSettings(),
        {
            "input": [
                ASKED,
                {"role": "assistant", "content": "Look:"},
                CALLED,
                {"role": "assistant", "content": "Done."},
            ]
        },
        id="texts on both sides of a call",
    ),
    pytest.param(
        ModelRequest(
            (
                Message.system(""),
                Message.user(""),
                USER,
                Message("assistant", ()),
                Message("assistant", (TextPart(""), CALL)),
                Message("tool", (ToolResult("c1", "get_weather", ""),)),
            )
        ),
        PLAIN,
        ModelSettings(),
        {"input": [ASKED, CALLED, {"type": "function_call_output", "call_id": "c1", "output": ""}]},
        id="no message without a text, but each result",
    ),
    pytest.param(
        ModelRequest((USER,), tools=(WEATHER, ToolDefinition("count", "", OPEN_MAP))),
        PLAIN,
        ModelSettings(),
        {
            "input": [ASKED],
            "tools": [
                SENT_WEATHER,
                {"type": "function", "name": "count", "description": "", "parameters": OPEN_MAP, "strict": False},
            ],
        },
        id="tools, strict where that is lossless, and else expressly not",
    ),
    *(
        pytest.param(
            ModelRequest((USER,), tools=(WEATHER,), tool_choice=choice),
            PLAIN,
            ModelSettings(),
            {"input": [ASKED], "tools": [SENT_WEATHER], "tool_choice": sent},
            id=f"choice {choice}",
        )
        for choice, sent in (
            ("none", "none"),
            ("required", "required"),
            ("get_weather", {"type": "function", "name": "get_weather"}),
        )
    ),
    pytest.param(
        ModelRequest((USER,), tool_choice="none"),
        PLAIN,
        ModelSettings(),
        {"input": [ASKED]},
        id="no choice without tools",
    ),
    pytest.param(
        ModelRequest((USER,), output=OutputFormat("place", CITY)),
        PLAIN,
        ModelSettings(),
        {
            "input": [ASKED],
            "text": {"format": {"type": "json_schema", "name": "place", "schema": CITY, "strict": True}},
        },
        id="output",
    ),
    pytest.param(
        ModelRequest((USER,), output=OutputFormat("counts", OPEN_MAP)),
        PLAIN,
        ModelSettings(),
        {
            "input": [ASKED],
            "text": {"format": {"type": "json_schema", "name": "counts", "schema": OPEN_MAP, "strict": False}},
        },
        id="output that no strict schema can say",
    ),
    pytest.param(
        ModelRequest((USER,)),
        PLAIN,
        ModelSettings(temperature=0.0, top_p=0.5, max_tokens=70),
        {"input": [ASKED], "temperature": 0.0, "top_p": 0.5, "max_output_tokens": 70},
        id="settings",
    ),
    pytest.param(
        ModelRequest((USER,), output=OutputFormat("place", CITY)),
        PLAIN,
        ModelSettings(temperature=0.5, extra={"temperature": 1.0, "text": {"verbosity": "low"}}),
        {"input": [ASKED], "temperature": 1.0, "text": {"verbosity": "low"}},
        id="extra replaces a key whole",
    ),
    pytest.param(ModelRequest((USER,)), "gpt-5.5", ModelSettings(), {"input": [ASKED], **KEEPING}, id="who thinks"),
    pytest.param(
        turn(own(THOUGHT), TextPart("Let me look."), own({**THOUGHT, "id": "rs_2"}), CALL, ToolCall("c2", "f", "{}")),
        "gpt-5.5",
        ModelSettings(),
        {
            "input": [
                ASKED,
                THOUGHT,
                {"role": "assistant", "content": "Let me look."},
                {**THOUGHT, "id": "rs_2"},
                CALLED,
                {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{}"},
            ],
            **KEEPING,
        },
        id="reasoning directly before what it came with",
    ),
    pytest.param(
        turn(own({**THOUGHT, "status": None, "content": None, "model": "x"}), own(SEARCH), TextPart("21.")),
        "o4-mini",
        ModelSettings(),
        {
            "input": [
                ASKED,
                {key: THOUGHT[key] for key in ("type", "id", "summary", "encrypted_content")},
                SEARCH,
                {"role": "assistant", "content": "21."},
            ],
            **KEEPING,
        },
        id="of reasoning what the API takes, of other items all",
    ),
    pytest.param(
        turn(
            own(THOUGHT), CALL, own(THOUGHT), own({**THOUGHT, "id": "rs_2"}), TextPart(""), own(THOUGHT, wire="other")
        ),
        "gpt-5.5",
        ModelSettings(),
        {"input": [ASKED, THOUGHT, CALLED], **KEEPING},
        id="no reasoning of which nothing came",
    ),
    pytest.param(
        turn(own({**THOUGHT, "encrypted_content": None}), own(SEARCH, wire="anthropic"), CALL),
        "gpt-5.5",
        ModelSettings(),
        {"input": [ASKED, CALLED], **KEEPING},
        id="no reasoning that the server cannot find, and nothing of another wire",
    ),
    pytest.param(
        turn(own({**THOUGHT, "encrypted_content": None}), CALL),
        "gpt-5.5",
        ModelSettings(extra={"store": True}),
        {
            "input": [ASKED, {key: value for key, value in THOUGHT.items() if key != "encrypted_content"}, CALLED],
            "store": True,
            "include": ["reasoning.encrypted_content"],
        },
        id="reasoning that the server keeps",
    ),
    pytest.param(
        turn(own({**THOUGHT, "encrypted_content": None}), CALL),
        "my-deployment",
        ModelSettings(),
        {"input": [ASKED, {key: value for key, value in THOUGHT.items() if key != "encrypted_content"}, CALLED]},
        id="reasoning of who is not known to reason",
    ),
    pytest.param(
        turn(own({**THOUGHT, "encrypted_content": ""}), CALL),
        "my-deployment",
        ModelSettings(extra={"store": False}),
        {"input": [ASKED, CALLED], "store": False},
        id="what the user has not kept cannot be found",
    ),
    pytest.param(
        turn(own(THOUGHT), CALL), PLAIN, ModelSettings(), {"input": [ASKED, CALLED]}, id="no reasoning for who has none"
    ),
    pytest.param(
        turn(
            own({"role": "assistant", "content": "", "phase": "commentary"}),
            TextPart("Looking."),
            CALL,
            own({"role": "assistant", "content": "", "phase": "final_answer"}),
            TextPart("2"),
            TextPart("1."),
            own({"role": "assistant", "content": "", "phase": "commentary"}),
        ),
        "gpt-5.5",
        ModelSettings(),
        {
            "input": [
                ASKED,
                {"role": "assistant", "content": "Looking.", "phase": "commentary"},
                CALLED,
                {"role": "assistant", "content": "21.", "phase": "final_answer"},
            ],
            **KEEPING,
        },
        id="messages keep their phases",
    ),
]


@pytest.mark.parametrize(("request_", "model", "settings", "payload"), PAYLOADS)
def test_encode(request_: ModelRequest, model: str, settings: ModelSettings, payload: JsonObject) -> None:
    """A request becomes exactly this payload, and leaves the settings as they were."""
    extra = dict(settings.extra)
    assert WIRE.encode(request_, model, settings) == {"model": model, **payload}
    assert settings.extra == extra


@cache
def _params(type_: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type_)


def _consumed(validated: Any) -> Any:
    """Validated data with its lazy parts read, and so validated too; keys that are not known are gone."""
    match validated:
        case dict():
            return {key: _consumed(value) for key, value in validated.items()}
        case str() | int() | float() | None:
            return validated
        case _:
            return [_consumed(item) for item in validated]


@pytest.mark.parametrize(("request_", "model", "settings", "payload"), PAYLOADS)
def test_payload_fits_the_sdk(request_: ModelRequest, model: str, settings: ModelSettings, payload: JsonObject) -> None:
    """The SDK's own types take each payload, streamed or not, and know every key of it."""
    encoded = WIRE.encode(request_, model, settings)
    assert _consumed(_params(ResponseCreateParamsNonStreaming).validate_python(encoded)) == encoded
    streamed = WIRE.encode(request_, model, settings, streamed=True)
    assert streamed == {**encoded, "stream": True}
    assert _consumed(_params(ResponseCreateParamsStreaming).validate_python(streamed)) == streamed


@pytest.mark.parametrize(
    ("written", "replayed"),
    [
        pytest.param('{ "city":"東京" }', '{ "city":"東京" }', id="its own spelling"),
        pytest.param("", "{}", id="nothing"),
        pytest.param("null", "{}", id="null"),
        pytest.param('{"a": ', '{"unparsed_arguments": "{\\"a\\": "}', id="cut"),
        pytest.param("[1]", '{"unparsed_arguments": "[1]"}', id="no object"),
    ],
)
def test_arguments_are_an_object_s_text(written: str, replayed: str) -> None:
    """Arguments of an earlier call go back as a text that parses as an object, with what the model wrote in it."""
    payload = WIRE.encode(turn(ToolCall("c1", "f", written)), PLAIN)
    assert payload["input"][1]["arguments"] == replayed


@pytest.mark.parametrize("call_id", ["c" * 64, "c" * 65, "c" * 400, "", "\ud800" * 65])
def test_call_ids_fit(call_id: str) -> None:
    """The id of a call has 1 to 64 characters, and is the same for its result; one that fits stays as it is."""
    other = ToolCall(call_id + "x" * 65, "f", "{}")
    request = ModelRequest(
        (
            USER,
            Message("assistant", (ToolCall(call_id, "f", "{}"), other)),
            Message("tool", (ToolResult(call_id, "f", "1"), ToolResult(other.id, "f", "2"))),
        )
    )
    first, second, *results = [item["call_id"] for item in WIRE.encode(request, PLAIN)["input"][1:]]
    assert results == [first, second]
    assert first != second
    assert all(1 <= len(sent) <= 64 for sent in (first, second))
    assert (first == call_id) is (len(call_id) == 64)


@pytest.mark.parametrize("setting", [ModelSettings(seed=0), ModelSettings(stop=("END",))])
def test_what_responses_lack_is_refused_or_left_out(setting: ModelSettings) -> None:
    """There is no seed and no stop: each is refused by name, or left out and listed, as the user says."""
    name = "seed" if setting.stop is None else "stop"
    with pytest.raises(UnsupportedSettingError, match=f"^openai-responses has no {name}: "):
        WIRE.encode(ModelRequest((USER,)), PLAIN, setting)
    omitting = ModelSettings(seed=setting.seed, stop=setting.stop, unsupported="omit")
    assert WIRE.encode(ModelRequest((USER,)), PLAIN, omitting) == {"model": PLAIN, "input": [ASKED]}
    assert WIRE.omitted(ModelRequest((USER,)), omitting) == (name,)


@pytest.mark.parametrize(
    ("model", "thinks"),
    [
        ("o1", True),
        ("o4-mini-2025-04-16", True),
        ("gpt-5", True),
        ("gpt-6.2-astra", True),
        ("ft:o4-mini-2025-04-16:us::1", True),
        ("gpt-5-chat-latest", False),
        ("gpt-5.3-chat-latest", False),
        ("gpt-4o", False),
        ("gpt-35-turbo", False),
        ("ft:gpt-4.1-mini:us::1", False),
        ("omni", False),
        ("my-deployment", False),
    ],
)
def test_who_thinks(model: str, thinks: bool) -> None:
    """Whether a model may think is told by its name; what all can do is the same."""
    held = WIRE.capabilities(model)
    assert held.thinking is thinks
    able = (held.tools, held.native_schema, held.object_root, held.strict_tools, held.forced_choice)
    assert all((*able, held.parallel_calls, held.streaming))
    assert ("store" in WIRE.encode(ModelRequest((USER,)), model)) is thinks


def test_a_server_that_lacks_thinking_is_asked_for_none() -> None:
    """Where a server is said not to know reasoning, nothing of it is included, whatever the model's name."""
    payload = WIRE.encode(ModelRequest((USER,)), "gpt-5", flavour=Flavour("mine", lacks=frozenset({"thinking"})))
    assert payload == {"model": "gpt-5", "input": [ASKED]}


EITHER = {"anyOf": [CITY, {"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]}]}


def test_a_union_is_wrapped_both_ways() -> None:
    """A tool of a union and its earlier call go out as an object of one key; a new call comes back without it."""
    find = ToolDefinition("find", "", EITHER)
    request = ModelRequest(turn(ToolCall("c1", "find", '{"zip": "00184"}')).messages, (find,))
    form = Forms(WIRE.dialect).of(request)
    payload = WIRE.encode(request, PLAIN, form=form)
    parameters = payload["tools"][0]["parameters"]
    assert (parameters["type"], list(parameters["properties"])) == ("object", ["value"])
    assert payload["input"][1]["arguments"] == '{"value":{"zip": "00184"}}'
    call = {**CALLED, "name": "find", "arguments": '{"value":{"zip": "00184"}}'}
    (found,) = WIRE.reply({"status": "completed", "output": [call]}, form).calls
    assert json.loads(found.arguments) == {"zip": "00184"}


def test_a_wish_that_cannot_be_is_refused_before_the_request() -> None:
    """A tool that was to be strict and cannot be is refused by name."""
    wished = ToolDefinition("count", "", OPEN_MAP, strict=True)
    with pytest.raises(SchemaRejectedError, match="'count' cannot be sent strict to openai-responses"):
        WIRE.encode(ModelRequest((USER,), (wished,)), PLAIN)
