"""What the adapters cost: of a request and its reply, and of each delta of a stream."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from magic_tools import (
    Capabilities,
    Message,
    ModelRequest,
    PartialValue,
    TextDelta,
    TextPart,
    ToolCall,
    ToolResult,
    arun,
    arun_stream,
    run,
    run_stream,
    tool,
)
from magic_tools.loose.stream import IncrementalParser
from magic_tools.models.forms import Forms
from magic_tools.models.remote import RemoteModel
from magic_tools.models.sdks import OPENAI
from magic_tools.outputs.answer import answer_for
from tests.cases.voices import VOICES, Call, Said, Voice

ROUNDS = 5
REQUESTS = 50
MOST_OF_A_REQUEST_US = 300.0
MOST_OF_A_DELTA_US = 10.0
TOOLS, MESSAGES = 20, 40
ABLE = Capabilities(native_schema=True, object_root=True)
DELTAS = 4_000

each_voice = pytest.mark.parametrize("voice", VOICES.values(), ids=VOICES)


class Place(BaseModel):
    """A place in a store."""

    shelf: str
    number: int = Field(ge=0)


def find(
    name: Annotated[str, Field(description="What to look for.")],
    kinds: list[Literal["new", "used"]],
    place: Place | None = None,
    most: int = 10,
) -> list[str]:
    """Find things of a name, of some kinds, in a place; at most so many."""
    return []


def request(voice: Voice) -> ModelRequest:
    """A conversation of forty messages, many of them calls and their results, with twenty tools and a typed answer."""
    arguments = json.dumps({"name": "a red chair", "kinds": ["new"], "place": {"shelf": "b", "number": 3}, "most": 5})
    messages = [Message.system("Be brief.")]
    while len(messages) + 4 < MESSAGES:
        call = ToolCall(f"c{len(messages)}", f"find_{len(messages) // 4}", arguments)
        messages += [
            Message.user("Where is a red chair? " * 5),
            Message("assistant", (TextPart("I look."), call)),
            Message("tool", (ToolResult(call.id, call.name, '["a red chair on shelf b"]' * 5),)),
            Message("assistant", (TextPart("It is on shelf b. " * 5),)),
        ]
    messages += [Message.user("And a blue one?")] * (MESSAGES - len(messages))
    told = tuple(tool(find, name=f"find_{at}").told() for at in range(TOOLS))
    answer = answer_for(list[Place], voice.wire.able("gpt-5"))
    return ModelRequest(tuple(messages), told, output=answer.format)


@each_voice
def test_a_request_and_its_reply(voice: Voice, say: Callable[[str], None]) -> None:
    """To write a request and to read its reply takes at most 300 microseconds, with the tools rendered before."""
    wire, asked = voice.wire, request(voice)
    forms = Forms(wire.dialect)
    calls = [Call(f"c{at}", f"find_{at}", ('{"name": "chair", "kinds": []}',)) for at in range(3)]
    body = voice.says_at_once("I look.", *calls).body
    spent: list[tuple[float, float]] = []
    for _ in range(1 + ROUNDS):  # the first warms up
        gc.collect()
        start = time.perf_counter()
        payloads = [wire.encode(asked, "gpt-5", form=forms.of(asked)) for _ in range(REQUESTS)]
        written = time.perf_counter()
        replies = [wire.reply(body, forms.of(asked)) for _ in range(REQUESTS)]
        spent.append((written - start, time.perf_counter() - written))
        assert (len(payloads[0]["tools"]), len(replies[0].calls)) == (TOOLS, 3)
    encode, decode = (min(column) / REQUESTS * 1e6 for column in zip(*spent[1:], strict=True))
    say(f"{wire.name}: {encode:.0f} us to write {TOOLS} tools and {MESSAGES} messages, {decode:.0f} to read a reply")
    assert encode + decode <= MOST_OF_A_REQUEST_US


CHARACTERS = 6 * DELTAS
ROWS = json.dumps([{"shelf": "b", "number": 3}] * (CHARACTERS // 29))
LOREM = "lorem ipsum dolor " * (CHARACTERS // 18)


def fragments(text: str) -> tuple[str, ...]:
    """A text in pieces of six characters, about what a token has."""
    return tuple(text[at : at + 6] for at in range(0, len(text), 6))


# What is streamed: the type that is asked for, what is said, and which events come of it, one of most deltas.
STREAMS: dict[str, tuple[Any, tuple[Said, ...], type[Any]]] = {
    "a text": (str, fragments(LOREM), TextDelta),
    "a text in a call": (str, (Call("c1", "note", fragments(json.dumps({"text": LOREM}))),), PartialValue),
    "rows in a call": (str, (Call("c1", "keep", fragments(f'{{"places": {ROWS}}}')),), PartialValue),
    "a typed answer": (list[Place], fragments(f'{{"value": {ROWS}}}'), PartialValue),
}


@tool
def note(text: str) -> str:
    """Note."""
    return "noted"


@tool
def keep(places: list[Place]) -> str:
    """Keep."""
    return "kept"


class Canned:
    """A service that has its answers: the events of each, as data, or their bodies."""

    sdk, host, key, given = OPENAI, "here", "", None

    def __init__(self, *answers: Any) -> None:
        self._answers = iter(answers)

    def fetch(self, *_: Any, **__: Any) -> bytes:
        body: bytes = next(self._answers)
        return body

    async def afetch(self, *_: Any, **__: Any) -> bytes:
        return self.fetch()

    def events(self, *_: Any, **__: Any) -> Iterator[Mapping[str, Any]]:
        yield from next(self._answers)

    async def aevents(self, *_: Any, **__: Any) -> AsyncIterator[Mapping[str, Any]]:
        for event in next(self._answers):
            yield event


def events_of(voice: Voice, said: tuple[Said, ...]) -> list[Mapping[str, Any]]:
    """The events of a stream, in which all texts are deltas of one."""
    if not isinstance(said[0], str):
        return [*voice.events(said, "tool_calls")]
    whole = [*voice.events(["".join(map(str, said))], "stop")]
    at = next(at for at, event in enumerate(whole) if "delta" in event.get("type", "delta") and len(str(event)) > 1_000)
    return [*whole[:at], *([*voice.events([each], None)][at] for each in said), *whole[at + 1 :]]


class Timed:
    """The ways to have one answer, each timed: streamed or not, awaited or not."""

    def __init__(self, voice: Voice, case: str) -> None:
        self.output, self.said, self.kind = STREAMS[case]
        self.voice = voice
        self.events = events_of(voice, self.said)
        self._streams = (self.events, [*voice.events(["done"], "stop")])
        self._bodies = tuple(json.dumps(self._payload(each)).encode() for each in self._streams)

    def _payload(self, events: list[Mapping[str, Any]]) -> Any:
        reader = self.voice.wire.reader()
        for event in events:
            reader.feed(event)
        return reader.payload()

    def _asked(self, *answers: Any) -> dict[str, Any]:
        service: Any = Canned(*answers)
        model = RemoteModel(self.voice.wire, "claude-opus-4-5", service)
        return {"model": model, "tools": [note, keep], "output": self.output}

    def read(self) -> None:
        """The wire's own part."""
        self.voice.wire.decode(self._payload(self.events))

    def whole(self) -> None:
        run("Hi", **self._asked(*self._bodies))

    def whole_awaited(self) -> None:
        asyncio.run(arun("Hi", **self._asked(*self._bodies)))

    def stream(self) -> None:
        count = sum(isinstance(event, self.kind) for event in run_stream("Hi", **self._asked(*self._streams)))
        assert count >= DELTAS // 2

    def stream_awaited(self) -> None:
        async def listen() -> int:
            events = arun_stream("Hi", **self._asked(*self._streams))
            return sum([isinstance(event, self.kind) async for event in events])

        assert asyncio.run(listen()) >= DELTAS // 2

    def values(self) -> None:
        """What is read of the answer, or of the arguments of a call, while they arrive."""
        fragments = self.said[0].fragments if isinstance(self.said[0], Call) else self.said
        growing = None if self.output is str else answer_for(self.output, ABLE).growing()
        parser = IncrementalParser(kinds=(dict,))
        for fragment in () if self.kind is TextDelta else map(str, fragments):
            if growing is not None:
                growing.feed(fragment)
            else:
                parser.feed(fragment)
                assert (parser.value, parser.open_path) is not None


def microseconds(read: Callable[[], None]) -> float:
    """The least that it takes of several times, the first of which warms up."""
    spent = []
    for _ in range(1 + ROUNDS):
        gc.collect()
        start = time.perf_counter()
        read()
        spent.append(time.perf_counter() - start)
    return min(spent[1:]) * 1e6


@each_voice
@pytest.mark.parametrize("case", STREAMS)
def test_a_delta_of_a_stream(voice: Voice, case: str, say: Callable[[str], None]) -> None:
    """From a server's event to one of `run_stream` streaming adds less than ten microseconds a delta.

    That is beside what a run costs that is not streamed, and beside the reading of values that arrive, which
    test_stream measures.
    """
    timed = Timed(voice, case)
    count = len(timed.events)
    reading, values = microseconds(timed.read) / count, microseconds(timed.values) / count
    adds = (microseconds(timed.stream) - microseconds(timed.whole)) / count
    awaited = (microseconds(timed.stream_awaited) - microseconds(timed.whole_awaited)) / count
    figures = f"{reading:.1f} us to read, {adds:.1f} to tell, {awaited:.1f} awaited, of them {values:.1f} for values"
    say(f"{voice.wire.name}, {case}, a delta: {figures}")
    assert max(reading, adds - values, awaited - values) < MOST_OF_A_DELTA_US
