"""What sections D and I ask of the wires of OpenAI's responses and of Anthropic's messages, beside chat's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import pytest

from magic_tools import (
    ErrorCode,
    Message,
    ScriptedModel,
    TextPart,
    ToolCall,
    ToolFailure,
    ToolResult,
    tool,
)
from tests.cases.voices import VOICES, Call, Voice, Way
from tests.models.wire_server import WireServer
from tests.streaming.hearing import Hear
from tests.ways import RunIt, results_in

each_voice = pytest.mark.parametrize("voice", VOICES.values(), ids=VOICES)

C1, C2 = ToolCall("c1", "look", '{"at": 1}'), ToolCall("c2", "look", '{"at": 2}')
R1, R2 = ToolResult("c1", "look", "one"), ToolResult("c2", "look", "two")
ANSWERED = Message("tool", (R1, R2))
GO, THANKS, MORE = map(Message.user, ("go", "thanks", "and?"))

TURNS: dict[str, tuple[TextPart | ToolCall, ...]] = {
    "text before": (TextPart("I look."), C1, C2),
    "text after": (C1, C2, TextPart("Wait.")),
    "text between": (C1, TextPart("and"), C2),
    "calls alone": (C1, C2),
    "blanks": (TextPart("I look."), TextPart(" "), C1, C2, TextPart("\n")),
}


def check_anthropic(turns: Sequence[dict[str, Any]]) -> None:
    """Roles alternate from a user's on, each call has its result first in the next turn, and calls are last."""
    assert [turn["role"] for turn in turns] == ["user", "assistant"] * (len(turns) // 2) + ["user"] * (len(turns) % 2)
    called: list[str] = []
    for turn in turns:
        kinds = [block["type"] for block in turn["content"]]
        assert kinds
        if turn["role"] == "user":
            told = [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]
            assert told == called
            assert kinds == ["tool_result"] * len(told) + ["text"] * (len(kinds) - len(told))
        else:
            called = [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
            assert kinds == ["text"] * (len(kinds) - len(called)) + ["tool_use"] * len(called)
            assert all(isinstance(block["input"], dict) for block in turn["content"] if block["type"] == "tool_use")
        assert all(block["text"].strip() for block in turn["content"] if block["type"] == "text")


def check_responses(items: Sequence[dict[str, Any]]) -> None:
    """Each call has its result, before the user or the model says more."""
    waiting: list[str] = []
    for item in items:
        match item.get("type"):
            case "function_call":
                waiting.append(item["call_id"])
                assert isinstance(json.loads(item["arguments"]), dict)
            case "function_call_output":
                waiting.remove(item["call_id"])
            case _:
                assert item["content"]
                assert item["role"] == "assistant" or waiting == []
    assert waiting == []


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("results", [(ANSWERED,), (Message("tool", (R1,)), Message("tool", (R2,)))], ids=["one", "two"])
def test_d3_on_the_wire_of_anthropic(
    run_it: RunIt, server: WireServer, turn: str, results: tuple[Message, ...]
) -> None:
    """Results and the user's texts are one message behind the calls, which are last in theirs."""
    voice = VOICES["anthropic"]
    server.answers.append(voice.says_at_once("done"))
    history = (GO, Message("assistant", TURNS[turn]), *results, THANKS, MORE)
    assert run_it(history, model=voice.model(server)).value == "done"
    turns = server.asked[0].body["messages"]
    check_anthropic(turns)
    assert turns[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "one"},
        {"type": "tool_result", "tool_use_id": "c2", "content": "two"},
        {"type": "text", "text": "thanks"},
        {"type": "text", "text": "and?"},
    ]
    said = [part.text for part in TURNS[turn] if isinstance(part, TextPart) and part.text.strip()]
    assert [block["text"] for block in turns[1]["content"] if block["type"] == "text"] == said
    assert [block["id"] for block in turns[1]["content"] if block["type"] == "tool_use"] == ["c1", "c2"]


@pytest.mark.parametrize("turn", TURNS)
def test_d3_on_the_wire_of_responses(run_it: RunIt, server: WireServer, turn: str) -> None:
    """Results stand behind the calls, under their ids."""
    voice = VOICES["responses"]
    server.answers.append(voice.says_at_once("done"))
    history = (GO, Message("assistant", TURNS[turn]), ANSWERED, THANKS, MORE)
    assert run_it(history, model=voice.model(server)).value == "done"
    items = server.asked[0].body["input"]
    check_responses(items)
    assert [item["output"] for item in items if item.get("type") == "function_call_output"] == ["one", "two"]


def test_d3_what_a_run_itself_says(run_it: RunIt) -> None:
    """Nudges, refusals and last words of a run fit into the turns of both."""

    @tool
    def look(at: int) -> int:
        return at

    first, second = (ToolCall("", "look", json.dumps({"at": n})) for n in range(2))
    model = ScriptedModel([["I look.", first], "", second, "not a number", "3"])
    assert run_it("go", tools=[look], output=int, model=model).value == 3
    for request in model.requests:
        check_anthropic(VOICES["anthropic"].wire.encode(request, "m")["messages"])
        check_responses(VOICES["responses"].wire.encode(request, "m")["input"])


UNPARSED = ['{"a": ', "[1]", '"x"', "not JSON", '{"a": NaN}', "{'a': 1}", '{"a": "你好', '{"a": "\ud800"', "[" * 5_000]


@each_voice
@pytest.mark.parametrize("arguments", UNPARSED, ids=lambda text: ascii(text)[:24])
def test_d4_arguments_that_did_not_parse(run_it: RunIt, server: WireServer, voice: Voice, arguments: str) -> None:
    """In every format they are sent again as an object with what the model wrote in it, and the error behind them."""

    @tool
    def look(b: int) -> int:
        return b

    server.answers.extend([voice.says_at_once(Call("c1", "look", (arguments,))), voice.says_at_once("done")])
    outcome = run_it("go", tools=[look], model=voice.model(server))
    assert outcome.value == "done"
    (result,) = results_in(outcome.transcript)
    assert (result.is_error, result.code) == (True, ErrorCode.INVALID_ARGUMENT)
    body = server.asked[1].body
    if voice is VOICES["anthropic"]:
        check_anthropic(body["messages"])
        held: Any = body["messages"][1]["content"][0]["input"]
        assert body["messages"][2]["content"][0]["is_error"] is True
    elif voice is VOICES["responses"]:
        check_responses(body["input"])
        held = json.loads(body["input"][1]["arguments"])
    else:
        held = json.loads(body["messages"][1]["tool_calls"][0]["function"]["arguments"])
    assert held["unparsed_arguments"].startswith(arguments.partition("\ud800")[0])
    assert result.content in strings_in(body)


@each_voice
def test_d4_streamed(hear: Hear, server: WireServer, voice: Voice) -> None:
    """So are arguments that came in pieces and are whole, though no JSON."""

    @tool
    def look(b: int) -> int:
        return b

    server.answers.extend([voice.says(Call("c1", "look", ('{"b":', " no"))), voice.says("done")])
    heard = hear("go", tools=[look], model=voice.model(server))
    assert heard.outcome.transcript[1].calls == (ToolCall("c1", "look", '{"b": no'),)
    assert heard.told[-3:] == ["failed c1", "text", "done"]
    assert '{"b": no' in json.dumps(strings_in(server.asked[1].body)).replace("\\", "")


def strings_in(data: Any) -> list[str]:
    """All texts in a body."""
    match data:
        case str():
            return [data]
        case dict():
            return [text for held in data.values() for text in strings_in(held)]
        case list():
            return [text for held in data for text in strings_in(held)]
        case _:
            return []


DESCRIPTION, ERROR, RESULT, ARGUMENTS = "Погода в городе", "都市が見つかりません", "東京", "你好"


@each_voice
def test_i2_characters_go_as_they_are(way: Way, server: WireServer, voice: Voice) -> None:
    """In results, in arguments that are sent again, in descriptions and in error texts: no format escapes any."""

    @tool(description=DESCRIPTION)
    def look(city: Annotated[str, "город"]) -> dict[str, str]:
        if city == "失":
            raise ToolFailure(ERROR)
        return {"city": RESULT}

    calls = Call("c1", "look", (f'{{"city": "{ARGUMENTS}"}}',)), Call("c2", "look", ('{"city": "失"}',))
    says = voice.says if way.is_streamed else voice.says_at_once
    server.answers.extend([says(*calls), says("done")])
    assert way.run("go", tools=[look], model=voice.model(server)).value == "done"
    texts = strings_in(server.asked[1].body)
    assert not [text for text in texts if "\\u" in text]
    assert DESCRIPTION in texts
    assert "город" in texts
    assert f'{{"city":"{RESULT}"}}' in texts
    assert [text for text in texts if text.startswith(ERROR)]
    assert [text for text in texts if ARGUMENTS in text]


@each_voice
def test_i2_arguments_that_did_not_parse(way: Way, server: WireServer, voice: Voice) -> None:
    """Nor is what did not parse."""

    @tool
    def look(city: str) -> str:
        return city

    says = voice.says if way.is_streamed else voice.says_at_once
    server.answers.extend([says(Call("c1", "look", ('{"city": "你',))), says("done")])
    way.run("go", tools=[look], model=voice.model(server))
    texts = strings_in(server.asked[1].body)
    assert [text for text in texts if "你" in text]
    assert not [text for text in texts if "\\u" in text]
