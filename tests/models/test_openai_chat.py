"""Chat completions: the tables of what goes out and what comes in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from pydantic import TypeAdapter

from magic_tools.chat import FinishReason, ModelReply, ModelRequest, OutputFormat, ToolDefinition
from magic_tools.errors import ModelError, SchemaRejectedError
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, ToolResult, Usage
from magic_tools.models.openai_chat import OPENAI, WIRE
from magic_tools.models.servers import SERVERS
from magic_tools.models.wire import Flavour
from magic_tools.settings import ModelSettings, Timeouts

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
OPEN_MAP = {"type": "object", "additionalProperties": {"type": "integer"}}
WEATHER = ToolDefinition("get_weather", "Current weather of a city.", CITY)
USER = Message.user("How warm is it in Rome?")
ASKED = {"role": "user", "content": "How warm is it in Rome?"}
CALL = ToolCall("c1", "get_weather", '{"city": "Rome"}')
CALLED = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'}}
RESULT = ToolResult("c1", "get_weather", '{"celsius": 21}')
ERROR = ToolResult("c2", "get_time", "there is no tool get_time", is_error=True)
HISTORY = (
    Message.system("Be brief."),
    USER,
    Message("assistant", (TextPart("Let me "), TextPart("look."), CALL, ToolCall("c2", "get_time", ""))),
    Message("tool", (RESULT, ERROR)),
)

# What a request and its settings become; what is left out of a payload here is filled in by the test.
PAYLOADS = [
    pytest.param(
        ModelRequest((Message.system("Be brief."), USER)),
        ModelSettings(),
        {"messages": [{"role": "system", "content": "Be brief."}, ASKED]},
        id="texts",
    ),
    pytest.param(
        ModelRequest(HISTORY),
        ModelSettings(),
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                ASKED,
                {
                    "role": "assistant",
                    "content": "Let me look.",
                    "tool_calls": [
                        CALLED,
                        {"id": "c2", "type": "function", "function": {"name": "get_time", "arguments": "{}"}},
                    ],
                },
                {"role": "tool", "tool_call_id": "c1", "content": '{"celsius": 21}'},
                {"role": "tool", "tool_call_id": "c2", "content": "there is no tool get_time"},
            ]
        },
        id="calls and results, in order",
    ),
    pytest.param(
        ModelRequest((USER, Message("assistant", (CALL,)))),
        ModelSettings(),
        {"messages": [ASKED, {"role": "assistant", "content": None, "tool_calls": [CALLED]}]},
        id="only calls",
    ),
    pytest.param(
        ModelRequest((USER, Message("assistant", ()))),
        ModelSettings(),
        {"messages": [ASKED, {"role": "assistant", "content": ""}]},
        id="an answer without a word",
    ),
    pytest.param(
        ModelRequest((USER,), tools=(WEATHER, ToolDefinition("count", "", OPEN_MAP))),
        ModelSettings(),
        {
            "messages": [ASKED],
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "get_weather",
                        "description": "Current weather of a city.",
                        "parameters": CITY,
                        "strict": True,
                    },
                },
                {"type": "function", "function": {"name": "count", "description": "", "parameters": OPEN_MAP}},
            ],
        },
        id="tools, strict where that is lossless",
    ),
    pytest.param(
        ModelRequest((USER,), tools=(WEATHER,), tool_choice="none"),
        ModelSettings(),
        {
            "messages": [ASKED],
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "get_weather",
                        "description": "Current weather of a city.",
                        "parameters": CITY,
                        "strict": True,
                    },
                }
            ],
            "tool_choice": "none",
        },
        id="tools not to be called",
    ),
    pytest.param(
        ModelRequest((USER,), tool_choice="none"),
        ModelSettings(),
        {"messages": [ASKED]},
        id="no choice without tools",
    ),
    pytest.param(
        ModelRequest((USER,), output=OutputFormat("place", CITY)),
        ModelSettings(),
        {
            "messages": [ASKED],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "place", "schema": CITY, "strict": True},
            },
        },
        id="output",
    ),
    pytest.param(
        ModelRequest((USER,), output=OutputFormat("counts", OPEN_MAP)),
        ModelSettings(),
        {
            "messages": [ASKED],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "counts", "schema": OPEN_MAP, "strict": False},
            },
        },
        id="output that no strict schema can say",
    ),
    pytest.param(
        ModelRequest((USER,)),
        ModelSettings(temperature=0.0, max_tokens=7, seed=0, timeouts=Timeouts(total_s=3.0)),
        {"messages": [ASKED], "temperature": 0.0, "max_completion_tokens": 7, "seed": 0},
        id="settings",
    ),
    pytest.param(
        ModelRequest((USER,)),
        ModelSettings(temperature=0.5, extra={"temperature": 1.0, "top_p": 0.9}),
        {"messages": [ASKED], "temperature": 1.0, "top_p": 0.9},
        id="extra wins",
    ),
    pytest.param(
        ModelRequest((USER,), output=OutputFormat("place", CITY)),
        ModelSettings(extra={"response_format": {"type": "json_object"}}),
        {"messages": [ASKED], "response_format": {"type": "json_object"}},
        id="extra replaces a key whole",
    ),
]


@pytest.mark.parametrize(("request_", "settings", "payload"), PAYLOADS)
def test_encode(request_: ModelRequest, settings: ModelSettings, payload: Mapping[str, Any]) -> None:
    """A request becomes exactly this payload, and leaves request and settings as they were."""
    extra = dict(settings.extra)
    assert WIRE.encode(request_, "m", settings) == {"model": "m", **payload}
    assert settings.extra == extra


EITHER = {"anyOf": [CITY, {"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]}]}


def test_a_union_is_wrapped_both_ways() -> None:
    """A tool of a union and its earlier call go out as an object of one key; no tool is sent for it to be refused."""
    call = ToolCall("c1", "find", '{"zip": "00184"}')
    request = ModelRequest((USER, Message("assistant", (call,))), (ToolDefinition("find", "", EITHER), WEATHER))
    payload = WIRE.encode(request, "m", ModelSettings())
    parameters = payload["tools"][0]["function"]["parameters"]
    assert (parameters["type"], list(parameters["properties"])) == ("object", ["value"])
    assert payload["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"value":{"zip": "00184"}}'


def test_only_so_many_tools_are_strict() -> None:
    """What a request's tools may spend together is minded: one tool more is sent, and is not strict."""
    wide = {f"p{n}": {"type": "string"} for n in range(2_000)}
    schema = {"type": "object", "properties": wide, "required": list(wide), "additionalProperties": False}
    tools = tuple(ToolDefinition(name, "", schema) for name in "abc")
    sent = WIRE.encode(ModelRequest((USER,), tools), "m", ModelSettings())["tools"]
    assert ["strict" in tool["function"] for tool in sent].count(True) == 2


def test_a_wish_that_cannot_be_is_refused_before_the_request() -> None:
    """A tool that was to be strict and cannot be is refused by name, and so is a schema that leads nowhere."""
    wished = ToolDefinition("count", "", OPEN_MAP, strict=True)
    with pytest.raises(SchemaRejectedError, match="'count' cannot be sent strict to openai-chat"):
        WIRE.encode(ModelRequest((USER,), (wished,)), "m", ModelSettings())
    broken = OutputFormat("place", {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}})
    with pytest.raises(
        SchemaRejectedError, match="The output type 'place' cannot be sent to openai-chat: the reference"
    ):
        WIRE.encode(ModelRequest((USER,), output=broken), "m", ModelSettings())


@pytest.mark.parametrize(("request_", "settings", "payload"), PAYLOADS)
def test_payload_fits_the_sdk(request_: ModelRequest, settings: ModelSettings, payload: Mapping[str, Any]) -> None:
    """The SDK's own types take each payload, and know every key of it."""
    encoded = WIRE.encode(request_, "m", settings)
    assert _consumed(TypeAdapter(CompletionCreateParamsNonStreaming).validate_python(encoded)) == encoded


def _consumed(validated: Any) -> Any:
    """Validated data with its lazy parts read, and so validated too."""
    match validated:
        case dict():
            return {key: _consumed(value) for key, value in validated.items()}
        case str() | int() | float() | None:
            return validated
        case _:
            return [_consumed(item) for item in validated]


@pytest.mark.parametrize(
    ("flavour", "differing"),
    [
        (OPENAI, {"max_completion_tokens": 7, "content": None}),
        (SERVERS["compatible"], {"max_tokens": 7, "content": ""}),
    ],
    ids=["openai", "compatible"],
)
def test_flavours(flavour: Flavour, differing: Mapping[str, Any]) -> None:
    """OpenAI and the servers like it get the token limit, and a turn without text, as each takes them."""
    payload = WIRE.encode(
        ModelRequest((Message("assistant", (CALL,)),)), "m", ModelSettings(max_tokens=7), flavour=flavour
    )
    (message,) = payload.pop("messages")
    assert payload | {"content": message["content"]} == {"model": "m", **differing}


@pytest.mark.parametrize(
    ("written", "replayed"),
    [
        pytest.param('{"city": "Rome"}', '{"city": "Rome"}', id="object, as it is"),
        pytest.param('{ "city":"東京" }', '{ "city":"東京" }', id="its own spelling"),
        pytest.param("", "{}", id="empty"),
        pytest.param(" \n", "{}", id="blank"),
        pytest.param("null", "{}", id="null"),
        pytest.param('{"a": ', '{"unparsed_arguments": "{\\"a\\": "}', id="cut"),
        pytest.param("{'a': '你好'}", "{\"unparsed_arguments\": \"{'a': '你好'}\"}", id="single quotes"),
        pytest.param("[1]", '{"unparsed_arguments": "[1]"}', id="array"),
        pytest.param('"x"', '{"unparsed_arguments": "\\"x\\""}', id="string"),
        pytest.param("5", '{"unparsed_arguments": "5"}', id="number"),
        pytest.param('{"a": NaN}', '{"unparsed_arguments": "{\\"a\\": NaN}"}', id="no JSON number"),
        pytest.param('{"a":' * 9000, json.dumps({"unparsed_arguments": '{"a":' * 9000}), id="too deep"),
    ],
)
def test_replayed_arguments(written: str, replayed: str) -> None:
    """Arguments go back as an object's text; what was no object goes back inside one, so that the model sees it."""
    history = (Message("assistant", (ToolCall("c1", "get_weather", written),)),)
    (message,) = WIRE.encode(ModelRequest(history), "m", ModelSettings())["messages"]
    assert message["tool_calls"][0]["function"]["arguments"] == replayed
    assert isinstance(json.loads(replayed), dict)


def completion(finish: object = "stop", **message: Any) -> dict[str, Any]:
    """The body of a chat completion, as OpenAI sends it."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m-2026",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
    }


def called(arguments: object = "{}", **fields: Any) -> dict[str, Any]:
    """A tool call in such a body."""
    return {"type": "function", "function": {"name": "f", "arguments": arguments}, **fields}


@pytest.mark.parametrize(
    ("payload", "parts"),
    [
        pytest.param(completion(content="Hi"), (TextPart("Hi"),), id="text"),
        pytest.param(completion(content=None), (), id="no content"),
        pytest.param(completion(), (), id="content left out"),
        pytest.param(completion(content=""), (), id="empty content"),
        pytest.param(
            completion(content=[{"type": "thinking", "thinking": "?"}, {"type": "text", "text": "Hi"}, 1]),
            (TextPart("Hi"),),
            id="content in parts",
        ),
        pytest.param(
            completion(content="See:", tool_calls=[called('{"x": 1}', id="a"), called('{"y"', id="b", new=1)]),
            (TextPart("See:"), ToolCall("a", "f", '{"x": 1}'), ToolCall("b", "f", '{"y"')),
            id="text and calls, arguments raw",
        ),
        pytest.param(completion(tool_calls=[called(None, id="a")]), (ToolCall("a", "f", ""),), id="arguments null"),
        pytest.param(
            completion(tool_calls=[{"id": "a", "function": {"name": "f"}}]),
            (ToolCall("a", "f", ""),),
            id="arguments left out",
        ),
        pytest.param(
            completion(tool_calls=[called({"x": "é"}, id="a")]),
            (ToolCall("a", "f", '{"x": "é"}'),),
            id="arguments as an object",
        ),
        pytest.param(
            completion(function_call={"name": "f", "arguments": "{}"}),
            (ToolCall("call_1", "f", "{}"),),
            id="the older form of a call",
        ),
        pytest.param(completion(tool_calls=None, content="Hi"), (TextPart("Hi"),), id="calls null"),
    ],
)
def test_decode_parts(payload: Mapping[str, Any], parts: tuple[TextPart | ToolCall, ...]) -> None:
    """Text and calls come out in the order of the API, with arguments as they were written."""
    assert WIRE.decode(payload) == ModelReply(parts, finish="stop", model="m-2026")


@pytest.mark.parametrize(
    ("sent", "ids"),
    [
        pytest.param([{}, {}], ["call_1", "call_2"], id="missing"),
        pytest.param([{"id": ""}, {"id": None}], ["call_1", "call_2"], id="empty"),
        pytest.param([{"id": "x"}, {"id": "x"}, {"id": "x"}], ["x", "call_1", "call_2"], id="repeated"),
        pytest.param([{"id": "call_1"}, {"id": "call_1"}], ["call_1", "call_2"], id="repeated, like ours"),
        pytest.param([{}, {"id": "call_1"}], ["call_2", "call_1"], id="a later one keeps its own"),
        pytest.param([{"id": 7}, {"id": ["a"]}], ["call_1", "call_2"], id="no text"),
        pytest.param([{"id": "b"}, {"id": "a"}], ["b", "a"], id="as sent"),
    ],
)
def test_decode_ids(sent: list[dict[str, Any]], ids: list[str]) -> None:
    """Call ids come out non-empty and unique, the same ones each time."""
    reply = WIRE.decode(completion(tool_calls=[called(**fields) for fields in sent]))
    assert [part.id for part in reply.parts if isinstance(part, ToolCall)] == ids


@pytest.mark.parametrize(
    ("sent", "finish"),
    [
        ("stop", "stop"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("eos_token", "other"),
        ("", None),
        (None, None),
        (3, None),
    ],
)
def test_decode_finish(sent: object, finish: FinishReason | None) -> None:
    """Why a reply ended is told in our words; what is unknown is `other`, what is unsaid is None."""
    assert WIRE.decode(completion(sent, content="Hi")).finish == finish
    unsaid: dict[str, Any] = {"choices": [{"message": {"content": "Hi"}}]}
    assert WIRE.decode(unsaid) == ModelReply((TextPart("Hi"),))


def test_decode_refusal() -> None:
    """A refusal is a finish of its own, and its words are the text."""
    reply = WIRE.decode(completion("stop", content=None, refusal="I can't do that"))
    assert (reply.parts, reply.finish) == ((TextPart("I can't do that"),), "refusal")
    assert WIRE.decode(completion("stop", content="Hi", refusal=None)).finish == "stop"


@pytest.mark.parametrize(
    ("sent", "usage"),
    [
        pytest.param(
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 15,
                "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            Usage(10, 5, 4, 3),
            id="whole",
        ),
        pytest.param({"prompt_tokens": 10, "completion_tokens": 5}, Usage(10, 5), id="without details"),
        pytest.param({"prompt_tokens": None, "prompt_tokens_details": None}, Usage(), id="nulls"),
        pytest.param(None, Usage(), id="null"),
        pytest.param("many", Usage(), id="text"),
    ],
)
def test_decode_usage(sent: object, usage: Usage) -> None:
    """Tokens are counted where the server says them; what it does not say is 0."""
    assert WIRE.decode(completion(content="Hi") | {"usage": sent}).usage == usage


@pytest.mark.parametrize(
    ("payload", "complaint"),
    [
        pytest.param({"error": {"message": "no such\nmodel"}}, "is an error: no such model", id="an error"),
        pytest.param({"error": "overloaded", "choices": []}, "is an error: overloaded", id="an error in a word"),
        pytest.param({}, "holds no choice with a message", id="empty"),
        pytest.param({"choices": []}, "holds no choice with a message", id="no choices"),
        pytest.param({"choices": None}, "holds no choice with a message", id="choices null"),
        pytest.param({"choices": [{"text": "Hi"}]}, "holds no choice with a message", id="another API"),
        pytest.param({"choices": [{"message": None}]}, "holds no choice with a message", id="message null"),
        pytest.param([1], r"not a JSON object: \[1\]", id="an array"),
        pytest.param(None, "not a JSON object: null", id="null"),
        pytest.param(
            completion(tool_calls=[{"id": "a"}]), "call without a function's name", id="call without function"
        ),
        pytest.param(
            completion(tool_calls=[{"function": {"name": ""}}]), "call without a function's name", id="empty name"
        ),
        pytest.param(completion(tool_calls=["f"]), "call without a function's name", id="call as a word"),
        pytest.param({"error": "no " * 400}, r"(no ){99}no\.\.\. \(1199 characters\)$", id="long"),
        pytest.param({"error": "x" * 999}, r"is an error: \.\.\. \(999 characters\)$", id="long, without blanks"),
    ],
)
def test_decode_refuses(payload: Any, complaint: str) -> None:
    """What holds no reply is a ModelError that says what came, shortened, on one line."""
    with pytest.raises(ModelError, match=complaint) as raised:
        WIRE.decode(payload)
    assert "\n" not in str(raised.value)


def test_long_ids() -> None:
    """An id that another provider gave, and this one does not take, is another one, the same for call and result."""
    long = "toolu_" + "x" * 60
    history = (
        Message("assistant", (ToolCall(long, "f", "{}"), ToolCall("c" * 40, "f", "{}"))),
        Message("tool", (ToolResult(long, "f", "1"), ToolResult("c" * 40, "f", "2"))),
    )
    called, first, second = WIRE.encode(ModelRequest((USER, *history)), "m")["messages"][1:]
    ids = [call["id"] for call in called["tool_calls"]]
    assert ids == [first["tool_call_id"], second["tool_call_id"]]
    assert ids[1] == "c" * 40
    assert len(ids[0]) <= 40
    assert ids[0] != ids[1]


@pytest.mark.parametrize("flavour", [OPENAI, SERVERS["compatible"]], ids=["OpenAI", "compatible"])
def test_thoughts_go_back_to_servers_that_tell_them(flavour: Flavour) -> None:
    """With the calls that they led to; OpenAI's own service is sent none, nor is a turn without calls."""
    message = {"content": None, "reasoning_content": "Hm.", "tool_calls": [CALLED]}
    reply = WIRE.decode({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    thought = reply.parts[0]
    assert isinstance(thought, ProviderPart)
    assert thought.text == "Hm."
    history = (USER, Message("assistant", reply.parts), Message("tool", (RESULT,)), Message("assistant", (thought,)))
    _, called, _ = WIRE.encode(ModelRequest(history), "m", flavour=flavour)["messages"]
    assert called.get("reasoning_content") == (None if flavour is OPENAI else "Hm.")


def test_an_empty_message_of_a_user_is_sent() -> None:
    """A conversation is not to lose its question, be it empty."""
    assert WIRE.encode(ModelRequest((Message.user(""),)), "m")["messages"] == [{"role": "user", "content": ""}]
