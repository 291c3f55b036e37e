"""Section H of the cases drawn from public failures: streams, as a server sends them, through the whole library."""

from __future__ import annotations

import json
from typing import Any

import pytest

from magic_tools import StreamCutError, ToolStarted, tool
from tests.cases.voices import VOICES, Call, Voice, streamed
from tests.models.chat_chunks import call, chunk, ending, part
from tests.models.wire_server import Answer, WireServer
from tests.streaming.hearing import Hear, Heard
from tests.ways import results_in

each_voice = pytest.mark.parametrize("voice", VOICES.values(), ids=VOICES)


class Shop:
    """Tools that write down what they were called with."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    @tool
    def f(self, x: int) -> str:
        """One."""
        self.ran.append(f"f(x={x})")
        return f"f{x}"

    @tool
    def g(self, y: int) -> str:
        """Other."""
        self.ran.append(f"g(y={y})")
        return f"g{y}"

    @tool
    def search(self, q: str = "?") -> str:
        """Search."""
        self.ran.append(f"search({q})")
        return "found"

    @tool
    def write(self, path: str = "x", content: str = "") -> str:
        """Write."""
        self.ran.append(f"write({path}, {content})")
        return "written"

    @property
    def tools(self) -> list[Any]:
        return [self.f, self.g, self.search, self.write]


def heard_from(hear: Hear, server: WireServer, voice: Voice, *answers: Answer) -> tuple[Heard, Shop]:
    """What a run tells whose model gets these answers, and what it did."""
    server.answers.extend(answers)
    shop = Shop()
    return hear("Hi", tools=shop.tools, model=voice.model(server)), shop


def values_of(heard: Heard) -> list[str]:
    """What the calls of a run came to, in order."""
    return [each.content for each in results_in(heard.outcome.transcript)]


def check_requests(server: WireServer) -> None:
    """Every request asked for a stream."""
    assert all(asked.body["stream"] is True for asked in server.asked)


# The deltas of two calls, f(x=1) and g(y=2).
FRAGMENTS = {
    "no index": [call('{"x"', call_id="a", name="f"), call(":1}"), call('{"y":2}', call_id="b", name="g")],
    "a gap": [
        call('{"x"', index=0, call_id="a", name="f"),
        call('{"y"', index=2, call_id="b", name="g"),
        call(":1}", index=0),
        call(":2}", index=2),
    ],
    "both": [
        call('{"x"', index=0, call_id="a", name="f"),
        call(":1}"),
        call('{"y"', call_id="b", name="g"),
        call(":2}", index=1),
    ],
}


@pytest.mark.parametrize("case", FRAGMENTS)
def test_h1_deltas_without_their_index(hear: Hear, server: WireServer, case: str) -> None:
    """Each fragment goes to the call that it follows; a gap is no call."""
    answers = streamed([chunk(role="assistant"), *FRAGMENTS[case], ending("tool_calls")]), VOICES["chat"].says("done")
    heard, shop = heard_from(hear, server, VOICES["chat"], *answers)
    assert sorted(shop.ran) == ["f(x=1)", "g(y=2)"]
    assert values_of(heard) == ["f1", "g2"]
    assert heard.outcome.value == "done"


@pytest.mark.parametrize("wire", ["responses", "anthropic"])
def test_h1_gaps_elsewhere(hear: Hear, server: WireServer, wire: str) -> None:
    """Indices with gaps, and blocks that are interleaved, are no more in the formats that always have them."""
    voice, key = VOICES[wire], "output_index" if wire == "responses" else "index"
    said = Call("a", "f", ('{"x"', ":1}")), Call("b", "g", ('{"y"', ":2}"))
    events = [dict(event) for event in voice.events(said, "tool_calls")]
    for event in events:
        if key in event:
            event[key] = 3 * event[key] + 1
    own = [at for at, event in enumerate(events) if key in event]
    one, other = [at for at in own if events[at][key] == 1], [at for at in own if events[at][key] == 4]
    order = [at for pair in zip(one, other, strict=True) for at in pair]
    mixed = [events[place] for place in [*range(own[0]), *order, *range(own[-1] + 1, len(events))]]
    heard, shop = heard_from(hear, server, voice, streamed(mixed), voice.says("done"))
    assert sorted(shop.ran) == ["f(x=1)", "g(y=2)"]
    assert values_of(heard) == ["f1", "g2"]


ALL = '{"q":"x"}'
REPEATED = [call(each, index=0, call_id="call_1", name="search") for each in ('{"q"', ":", '"x"}')]
SUMMARY = call(ALL, index=0, call_id="call_1", name="search")
SAID_AGAIN = {
    "ids and names": [*REPEATED],
    "all of it": [*REPEATED, SUMMARY],
    "all of it, spelled otherwise": [*REPEATED, call('{"q": "x"}', index=0, call_id="call_1", name="search")],
    "all of it after all": [SUMMARY, SUMMARY],
    "a name that is split": [
        chunk(tool_calls=[part("", index=0, call_id="call_1", name="sea")]),
        chunk(tool_calls=[part("", index=0, name="rch")]),
        call(ALL, index=0),
    ],
    "with the last reason": [*REPEATED, {**SUMMARY, "choices": [{**SUMMARY["choices"][0], "finish_reason": "stop"}]}],
}


@pytest.mark.parametrize("case", SAID_AGAIN)
def test_h2_what_is_said_again(hear: Hear, server: WireServer, case: str) -> None:
    """One call, under its id and name, with its arguments once."""
    answers = streamed([*SAID_AGAIN[case], ending("tool_calls")]), VOICES["chat"].says("done")
    heard, shop = heard_from(hear, server, VOICES["chat"], *answers)
    assert shop.ran == ["search(x)"]
    (made,) = heard.outcome.transcript[1].calls
    assert (made.id, made.name, made.arguments) == ("call_1", "search", ALL)
    assert [each.call.id for each in heard.events if isinstance(each, ToolStarted)] == ["call_1"]
    assert heard.values("call_1")[-1] == {"q": "x"}


def test_h2_what_responses_say_again(hear: Hear, server: WireServer) -> None:
    """The events that end an item, and the response, hold all of it again."""
    voice = VOICES["responses"]
    events = list(voice.events([Call("call_1", "search", ('{"q"', ":", '"x"}'))], "tool_calls"))
    told = {"type": "response.function_call_arguments.done", "output_index": 0, "item_id": "i0", "arguments": ALL}
    heard, shop = heard_from(hear, server, voice, streamed([*events[:-2], told, *events[-2:]]), voice.says("done"))
    assert shop.ran == ["search(x)"]
    assert [(each.id, each.arguments) for each in heard.outcome.transcript[1].calls] == [("call_1", ALL)]


CUT = {
    "no argument": (Call("a", "write", whole=False),),
    "half of them": (Call("a", "write", ('{"path": "/data', ""), whole=False),),
    "all of them": (Call("a", "write", ('{"path": "/data"}',), whole=False),),
    "after a whole call": (Call("b", "f", ('{"x":1}',)), Call("a", "write", whole=False)),
    "after a whole call, half": (Call("b", "f", ('{"x":1}',)), Call("a", "write", ('{"path": "/da',), whole=False)),
}


@each_voice
@pytest.mark.parametrize("case", CUT)
def test_h3_the_stream_ends(hear: Hear, server: WireServer, voice: Voice, case: str) -> None:
    """No body runs, of a whole call beside it neither; the request is sent once more; the history has no half call."""
    cut = voice.says(*CUT[case], finish=None)
    heard, shop = heard_from(hear, server, voice, cut, voice.says("done"))
    assert (shop.ran, heard.outcome.value, len(server.asked)) == ([], "done", 2)
    assert server.asked[0].body == server.asked[1].body
    assert [message.role for message in heard.outcome.transcript] == ["user", "assistant"]
    check_requests(server)


@each_voice
@pytest.mark.parametrize("case", CUT)
def test_h3_it_ends_again(hear: Hear, server: WireServer, voice: Voice, case: str) -> None:
    """The second time is the end of the run."""
    heard, shop = heard_from(hear, server, voice, voice.says(*CUT[case], finish=None))
    assert isinstance(heard.error, StreamCutError)
    assert (shop.ran, len(server.asked)) == ([], 2)
    assert [each.name for each in heard.error.partial.calls] == [each.name for each in CUT[case]]
    assert not any(isinstance(each, ToolStarted) for each in heard.events)


@each_voice
def test_h3_it_ends_after_text(hear: Hear, server: WireServer, voice: Voice) -> None:
    """What was told cannot be taken back: that is the end of the run, with what came."""
    heard, shop = heard_from(hear, server, voice, voice.says("I write.", *CUT["half of them"], finish=None))
    error = heard.error
    assert [message.role for message in error.outcome.transcript] == ["user"]
    assert isinstance(error, StreamCutError)
    assert (shop.ran, len(server.asked), heard.text) == ([], 1, "I write.")
    assert error.partial.text == "I write."


@pytest.mark.parametrize("case", ["no argument", "half of them", "all of them", "after a whole call"])
def test_h3_a_block_without_its_end(hear: Hear, server: WireServer, case: str) -> None:
    """A block of Anthropic's that was not ended is cut, though the message says that it has ended."""
    voice = VOICES["anthropic"]
    heard, shop = heard_from(hear, server, voice, voice.says(*CUT[case]), voice.says("done"))
    assert (shop.ran, heard.outcome.value, len(server.asked)) == ([], "done", 2)


@each_voice
def test_h3_nothing_comes(hear: Hear, server: WireServer, voice: Voice) -> None:
    """So it is with a stream that ends before anything came."""
    heard, _ = heard_from(hear, server, voice, voice.says(finish=None), voice.says("done"))
    assert (heard.outcome.value, len(server.asked)) == ("done", 2)


@each_voice
def test_h3_the_connection_breaks(hear: Hear, server: WireServer, voice: Voice) -> None:
    """A connection that is lost in a call is a cut as well."""
    broken = voice.says(*CUT["after a whole call, half"], finish=None)
    heard, shop = heard_from(hear, server, voice, Answer(**{**vars(broken), "breaks": True}), voice.says("done"))
    assert (shop.ran, heard.outcome.value, len(server.asked)) == ([], "done", 2)


def test_h4_blocks_that_begin_empty(hear: Hear, server: WireServer) -> None:
    """The empty input of a beginning is not joined with the deltas, and the turn is sent back as whole blocks."""
    voice = VOICES["anthropic"]
    said = "", Call("a", "search", ('{"q":', '"x"}')), Call("b", "write")
    heard, shop = heard_from(hear, server, voice, voice.says(*said), voice.says("done"))
    assert sorted(shop.ran) == ["search(x)", "write(x, )"]
    assert [(each.id, each.arguments) for each in heard.outcome.transcript[1].calls] == [("a", ALL), ("b", "{}")]
    turn = server.asked[1].body["messages"][1]
    assert turn == {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "a", "name": "search", "input": {"q": "x"}},
            {"type": "tool_use", "id": "b", "name": "write", "input": {}},
        ],
    }


@each_voice
def test_h4_a_call_without_arguments(hear: Hear, server: WireServer, voice: Voice) -> None:
    """It is made, in every format, and sent back with an object for its arguments."""
    heard, shop = heard_from(hear, server, voice, voice.says(Call("b", "write")), voice.says("done"))
    assert shop.ran == ["write(x, )"]
    sent = json.dumps(server.asked[1].body)
    assert '"{}"' in sent or '"input": {}' in sent
    assert "delta" not in sent
    assert heard.told[-4:] == ["started b", "finished b", "text", "done"]
    assert heard.values("b") in ([], [{}])


@each_voice
def test_a_whole_run(hear: Hear, server: WireServer, voice: Voice) -> None:
    """Text, calls and the answer come as they arrive; what it cost is counted; the second request has the results."""
    said = "I look.", Call("a", "f", ('{"x"', ":1}")), Call("b", "g", ('{"y":2}',))
    heard, _ = heard_from(hear, server, voice, voice.says(*said), voice.says("Hel", "lo"))
    assert heard.told[:3] == ["text", "value a", "value b"]
    assert heard.told[-2:] == ["text", "done"]
    assert heard.text == "I look.Hello"
    assert values_of(heard) == ["f1", "g2"]
    assert [(each.usage.input_tokens, each.usage.output_tokens) for each in heard.outcome.requests] == [(10, 7)] * 2
    assert heard.outcome.model == "m"
    check_requests(server)
