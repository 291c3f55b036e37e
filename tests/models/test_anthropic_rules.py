"""Anthropic's messages: what a model can do, and what is sent of what it cannot take."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from magic_tools.chat import Capabilities, ModelRequest, OutputFormat, ToolDefinition
from magic_tools.errors import UnsupportedSettingError
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, ToolResult
from magic_tools.models.anthropic_messages import WIRE
from magic_tools.settings import ModelSettings

MODEL = "claude-opus-4-6"
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
WEATHER = ToolDefinition("get_weather", "Current weather of a city.", CITY)
USER = Message.user("How warm is it in Rome?")
THOUGHT = {"type": "thinking", "thinking": "Rome, 東京?", "signature": "c2ln"}
THINKING = ProviderPart("anthropic", json.dumps(THOUGHT), "Rome, 東京?")


@pytest.mark.parametrize("name", ["temperature", "top_p", "seed"])
def test_settings_that_are_not_there(name: str) -> None:
    """What the API has no more is refused by its name, or left out and listed."""
    wish: dict[str, Any] = {name: 1}
    settings = ModelSettings(**wish, unsupported="omit")
    assert name not in WIRE.encode(ModelRequest((USER,)), MODEL, settings)
    assert WIRE.omitted(ModelRequest((USER,)), settings) == (name,)
    with pytest.raises(UnsupportedSettingError, match=f"anthropic has no {name}: "):
        WIRE.encode(ModelRequest((USER,)), MODEL, ModelSettings(**wish))


BUDGET = {"thinking": {"type": "enabled", "budget_tokens": 2048}}
ADAPTIVE = {"thinking": {"type": "adaptive"}}


@pytest.mark.parametrize(
    ("choice", "model", "extra", "sent"),
    [
        ("auto", MODEL, {}, None),
        ("none", MODEL, {}, {"type": "none"}),
        ("required", MODEL, {}, {"type": "any"}),
        ("get_weather", MODEL, {}, {"type": "tool", "name": "get_weather"}),
        ("required", MODEL, ADAPTIVE, {"type": "any"}),
        ("required", MODEL, BUDGET, None),
        ("get_weather", MODEL, BUDGET, None),
        ("none", MODEL, BUDGET, {"type": "none"}),
        ("required", "claude-opus-5-5", {}, None),
        ("get_weather", "claude-opus-5-5", {}, None),
        ("none", "claude-opus-5-5", {}, {"type": "none"}),
    ],
)
def test_choices(choice: str, model: str, extra: Mapping[str, Any], sent: object) -> None:
    """A call is forced where that is allowed, and else left to the model."""
    made = WIRE.encode(ModelRequest((USER,), (WEATHER,), choice), model, ModelSettings(extra=extra))
    assert made.get("tool_choice") == sent


def test_an_older_model() -> None:
    """A model that cannot be held to a schema is sent no word of strictness, and the answer's schema as a text."""
    made = WIRE.encode(ModelRequest((USER,), (WEATHER,), output=OutputFormat("place", CITY)), "claude-sonnet-4-0")
    assert made["tools"] == [{"name": "get_weather", "description": WEATHER.description, "input_schema": CITY}]
    assert "output_config" not in made
    assert made["system"].endswith(json.dumps(CITY))


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"city": "東京", "n": 1.0}', {"city": "東京", "n": 1.0}),
        ("", {}),
        ("null", {}),
        ('{"a": ', {"unparsed_arguments": '{"a": '}),
        ("[1]", {"unparsed_arguments": "[1]"}),
        ('{"a": NaN}', {"unparsed_arguments": '{"a": NaN}'}),
    ],
)
def test_arguments_are_an_object(arguments: str, sent: object) -> None:
    """Arguments that are no object go back inside one, and the error's result behind them."""  # case D4
    bad = ToolResult("c1", "get_weather", "not JSON", is_error=True)
    history = (USER, Message("assistant", (ToolCall("c1", "get_weather", arguments),)), Message("tool", (bad,)))
    _, called, given = WIRE.encode(ModelRequest(history), MODEL)["messages"]
    assert called["content"][0]["input"] == sent
    assert given["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "not JSON", "is_error": True},
    ]


def test_foreign_ids_and_names() -> None:
    """Ids and names that other providers give become such as the API takes, each another, a call's and its result's
    the same."""
    ids = ["functions.f:0", "functions_f:0", "toolu_1", "", "x" * 200, "\ud800"]
    calls = tuple(ToolCall(call_id, "get wether/天気", "{}") for call_id in ids)
    results = tuple(ToolResult(call_id, "f", "no such tool") for call_id in ids)
    made = WIRE.encode(ModelRequest((USER, Message("assistant", calls), Message("tool", results))), MODEL)
    _, called, given = made["messages"]
    sent = [block["id"] for block in called["content"]]
    assert sent == [block["tool_use_id"] for block in given["content"]]
    assert len(set(sent)) == len(ids)
    assert sent[2] == "toolu_1"
    (name,) = {block["name"] for block in called["content"]}
    assert [tool["name"] for tool in made["tools"]] == [name]
    for word in (*sent, name):
        assert 1 <= len(word) <= 128
        assert word.isascii()
        assert word.replace("-", "_").replace("_", "a").isalnum()


def test_what_is_shared() -> None:
    """Neither a request nor its tools are changed by being sent, whatever is done with the payload's turns."""
    history = (USER, Message("assistant", (THINKING, TextPart("Hm. "))))
    request = ModelRequest(history, (WEATHER,))
    first = WIRE.encode(request, MODEL)
    first["messages"][1]["content"][0]["signature"] = "other"
    first["tools"].clear()
    assert WIRE.encode(request, MODEL) == WIRE.encode(ModelRequest(history, (WEATHER,)), MODEL)
    assert THINKING.data == json.dumps(THOUGHT)


SAFE = Capabilities(object_root=True, tools=True, parallel_calls=True, streaming=True)


@pytest.mark.parametrize(
    ("models", "native", "forced", "thinking", "context"),
    [
        (["claude-3-opus-20240229", "claude-3-5-sonnet-20241022"], False, True, False, 200_000),
        (
            ["claude-3-7-sonnet-latest", "claude-opus-4-20250514", "claude-opus-4-1@20250805"],
            False,
            True,
            True,
            200_000,
        ),
        (["claude-sonnet-4-5-20250929", "us.anthropic.claude-haiku-4-5-20251001-v1:0"], True, True, True, 200_000),
        (
            ["claude-opus-4-6", "anthropic/claude-opus-4.8", "claude-sonnet-5", "claude-fable-5"],
            True,
            True,
            True,
            10**6,
        ),
        (["claude-haiku-5-5"], True, True, True, 10**6),
        (["claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1", "claude-mythos-5-2"], True, False, True, 10**6),
    ],
)
def test_capabilities(models: list[str], native: bool, forced: bool, thinking: bool, context: int) -> None:
    """What a model can do is known by its name, as every platform spells it."""
    for model in models:
        assert WIRE.capabilities(model) == Capabilities(
            native_schema=native,
            object_root=True,
            tools=True,
            forced_choice=forced,
            strict_tools=native,
            parallel_calls=True,
            streaming=True,
            thinking=thinking,
            context_tokens=context,
        )


@pytest.mark.parametrize("model", ["deepseek-chat", "claude-opus-latest", "claude-mythos-preview", "my-deployment", ""])
def test_capabilities_of_the_unknown(model: str) -> None:
    """Of a model of an unknown version only what is safe is asked."""
    assert WIRE.capabilities(model) == SAFE
