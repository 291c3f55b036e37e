"""Case E4, and what is like it, on every wire and streamed: a model or its provider declines, or pauses."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from magic_tools import RefusalError, Usage, output_tool, tool
from tests.cases.voices import VOICES, Call, Refused, Voice, Way, streamed
from tests.models.wire_server import Answer, WireServer

each_voice = pytest.mark.parametrize("voice", VOICES.values(), ids=VOICES)

WORDS = "I can't do that"


class Total(BaseModel):
    total: int


OUTPUTS = {
    "text": str,
    "typed": Total,
    "in a wrapper": list[Total],
    "a tool": output_tool("hand_in", "Hand in.", Total),
}


def responding(*output: dict[str, Any]) -> Answer:
    """A response with these items."""
    usage = {"input_tokens": 10, "output_tokens": 7}
    return Answer({"status": "completed", "output": list(output), "usage": usage})


def stopped(*content: dict[str, Any], details: object = None) -> Answer:
    """A message of Anthropic's that stopped as a refusal."""
    usage = {"input_tokens": 10, "output_tokens": 7}
    return Answer({"content": list(content), "stop_reason": "refusal", "stop_details": details, "usage": usage})


CALLED = Call("c1", "act", ('{"action": "go"}',))
EXPLAINED = {"type": "refusal", "explanation": WORDS}
EXPLAINED_STREAM: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 10, "output_tokens": 1}}},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "refusal", "stop_details": EXPLAINED},
        "usage": {"output_tokens": 7},
    },
    {"type": "message_stop"},
]
TEXT = {"type": "text", "text": WORDS}
USE = {"type": "tool_use", "id": "c1", "name": "act", "input": {"action": "go"}}
ITEM = {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": WORDS}]}
CALL_ITEM = {"type": "function_call", "call_id": "c1", "name": "act", "arguments": '{"action": "go"}'}

# A refusal in each format: as one body, and streamed.
REFUSALS: dict[str, tuple[str, Answer, Answer]] = {
    "responses": ("responses", responding(ITEM), VOICES["responses"].says(Refused(WORDS))),
    "responses, with a call": (
        "responses",
        responding(ITEM, CALL_ITEM),
        VOICES["responses"].says(Refused(WORDS), CALLED),
    ),
    "anthropic": ("anthropic", stopped(TEXT), VOICES["anthropic"].says(WORDS, finish="refusal")),
    "anthropic, with a call": (
        "anthropic",
        stopped(TEXT, USE),
        VOICES["anthropic"].says(WORDS, CALLED, finish="refusal"),
    ),
    "anthropic, explained": ("anthropic", stopped(details=EXPLAINED), streamed(EXPLAINED_STREAM)),
    "chat": (
        "chat",
        VOICES["chat"].says_at_once(Refused(WORDS)),
        VOICES["chat"].says(Refused("I can't "), Refused("do that")),
    ),
    "chat, beside an answer": (
        "chat",
        VOICES["chat"].says_at_once('{"total": 1}', Refused(WORDS)),
        VOICES["chat"].says('{"total": 1}', Refused(WORDS)),
    ),
    "chat, with a call": (
        "chat",
        VOICES["chat"].says_at_once(Refused(WORDS), CALLED),
        VOICES["chat"].says(Refused(WORDS), CALLED),
    ),
}


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("case", REFUSALS)
def test_e4_a_refusal(way: Way, server: WireServer, case: str, output: str) -> None:
    """It is one error with its words after one request, in every format, streamed or not, and no call of it is made."""
    made: list[str] = []

    @tool
    def act(action: str) -> str:
        """Act."""
        made.append(action)
        return action

    wire, at_once, in_pieces = REFUSALS[case]
    server.answers.append(in_pieces if way.is_streamed else at_once)
    with pytest.raises(RefusalError, match=WORDS) as caught:
        way.run("go", tools=[act], output=OUTPUTS[output], model=VOICES[wire].model(server))
    outcome = caught.value.outcome
    assert len(server.asked) == 1
    assert server.asked[0].body.get("stream", False) is way.is_streamed
    assert (outcome.stop, outcome.steps, outcome.usage) == ("refusal", 1, Usage(10, 7))
    assert WORDS in outcome.transcript[1].text
    assert made == []


@each_voice
def test_e4_what_the_provider_filters(way: Way, server: WireServer, voice: Voice) -> None:
    """Where a provider takes the words away, the refusal says so; Anthropic has nothing of the kind."""
    if voice is VOICES["anthropic"]:
        return
    answer = voice.says("So I", finish="content_filter")
    server.answers.append(answer if way.is_streamed else voice.says_at_once("So I", finish="content_filter"))
    with pytest.raises(RefusalError, match="content filter"):
        way.run("go", output=Total, model=voice.model(server))
    assert len(server.asked) == 1


def test_a_pause_of_anthropic_s(way: Way, server: WireServer) -> None:
    """It goes on with what was said, which is sent back as it came."""
    voice = VOICES["anthropic"]
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "Rome"}}
    events = [*voice.events(["I search."], "pause")]
    own: list[Any] = [
        {"type": "content_block_start", "index": 1, "content_block": {**search, "input": {}}},
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": '{"query": "Rome"}'},
        },
        {"type": "content_block_stop", "index": 1},
    ]
    body = {"content": [{"type": "text", "text": "I search."}, search], "stop_reason": "pause_turn"}
    paused = streamed([*events[:-2], *own, *events[-2:]]) if way.is_streamed else Answer(body)
    server.answers.extend([paused, voice.says("21.") if way.is_streamed else voice.says_at_once("21.")])
    outcome = way.run("go", model=voice.model(server))
    assert (outcome.value, outcome.steps) == ("21.", 2)
    assert server.asked[1].body["messages"][1:] == [{"role": "assistant", "content": body["content"]}]
