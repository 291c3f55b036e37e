"""The embedded model's replies read while they are written: whole, in order, and given up at once."""

from __future__ import annotations

import asyncio
import functools
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing, closing
from typing import Any

import pytest

from magic_tools.asking import asked
from magic_tools.chat import CallPiece, ModelReply, ModelRequest, OutputFormat, Piece, TextPiece, ToolDefinition
from magic_tools.effects.program import CallTimeoutError, within
from magic_tools.effects.runners import run_async, run_sync
from magic_tools.effects.workers import Daemon
from magic_tools.errors import ModelError, ModelTimeoutError, StreamCutError
from magic_tools.messages import Message, TextPart, ToolCall
from magic_tools.models.local import LocalModel
from magic_tools.models.weights import Weights, checked, embedded_weights, loaded_weights
from magic_tools.settings import ModelSettings, Timeouts
from tests.models.four_ways import STREAMED, Ask, items_awaited, items_of

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
PLACE = {"type": "object", "properties": {"place": CITY}, "required": ["place"], "additionalProperties": False}
WEATHER = ToolDefinition("get_weather", "Get the weather of a city.", CITY)
ASKED = (Message.user("What is the weather in Paris?"),)
HELLO = ModelRequest((Message.user("Say hello."),))
CALL = ModelRequest(ASKED, tools=(WEATHER,), tool_choice="get_weather")
GOODBYE = ModelRequest((Message.user("Say goodbye."),), settings=ModelSettings(max_tokens=3))


@pytest.fixture
def model() -> LocalModel:
    pytest.importorskip("llama_cpp")
    return LocalModel()


@pytest.fixture
def weights() -> Weights:
    pytest.importorskip("llama_cpp")
    return loaded_weights(checked(embedded_weights()), None)


class Writing:
    """What a loaded model writes: as many tokens as it wants, each counted, by a text that never ends by itself."""

    def __init__(self, weights: Weights, monkeypatch: pytest.MonkeyPatch, pieces: tuple[bytes, ...] = ()) -> None:
        self.count = 0
        self.pause_s = 0.0
        self._weights = weights
        self._tokens = weights.llama.tokenize(b" word", add_bos=False)
        self._fails_at: int | None = None
        if pieces:
            monkeypatch.setattr(weights.llama, "detokenize", lambda tokens: pieces[tokens[0]])
            self._tokens = list(range(len(pieces)))

        @functools.wraps(weights.llama.generate)
        def generate(_: list[int], **__: Any) -> Iterator[int]:
            while True:
                time.sleep(self.pause_s)
                if self.count == self._fails_at:
                    raise RuntimeError("llama_decode returned 1")
                self.count += 1
                yield self._tokens[(self.count - 1) % len(self._tokens)]

        monkeypatch.setattr(weights.llama, "eval", lambda _: None)
        monkeypatch.setattr(weights.llama, "generate", generate)
        if pieces:
            monkeypatch.setattr(weights, "is_end", lambda _: False)

    def fail_at(self, count: int) -> None:
        """Fail in place of the token after so many."""
        self._fails_at = count

    def has_stopped(self) -> bool:
        """Whether the work ends within two seconds, and the weights are free for the next."""
        if not self._weights.lock.acquire(timeout=2):
            return False
        self._weights.lock.release()
        count = self.count
        time.sleep(0.05)
        return self.count == count


@pytest.fixture
def writing(weights: Weights, monkeypatch: pytest.MonkeyPatch) -> Writing:
    made = Writing(weights, monkeypatch)
    made.pause_s = 0.005
    return made


def joined(pieces: list[Piece]) -> str:
    return "".join(piece.text if isinstance(piece, TextPiece) else piece.arguments for piece in pieces)


@pytest.mark.parametrize("items", [items_of, items_awaited])
def test_text(model: LocalModel, items: Callable[..., list[Any]]) -> None:
    """The pieces of a text are the text, the last item is the reply, and it is that of a request not streamed."""
    *pieces, reply = items(model, HELLO)
    assert reply == model.complete(HELLO)
    assert all(isinstance(piece, TextPiece) for piece in pieces)
    assert len(pieces) > 5
    assert joined(pieces) == reply.text
    assert reply.finish == "stop"
    assert (reply.usage.input_tokens > 20, reply.usage.output_tokens >= len(pieces)) == (True, True)


@pytest.mark.parametrize("items", [items_of, items_awaited])
def test_calls(model: LocalModel, items: Callable[..., list[Any]]) -> None:
    """A call comes with its name first and then its arguments, piece by piece."""
    *pieces, reply = items(model, CALL)
    assert reply == model.complete(CALL)
    assert pieces[0] == CallPiece(0, "call_1", "get_weather", "")
    assert {(piece.index, piece.id, piece.name) for piece in pieces} == {(0, "call_1", "get_weather")}
    assert len(pieces) > 3
    assert joined(pieces) == reply.calls[0].arguments


def test_another_form(model: LocalModel) -> None:
    """What the model is told flat comes whole, where its schema has it."""
    tool = ToolDefinition("get_weather", "Get the weather of a city.", PLACE)
    *pieces, reply = items_of(model, ModelRequest(ASKED, tools=(tool,), tool_choice="required"))
    assert pieces[0] == CallPiece(0, "call_1", "get_weather", "")
    assert json.loads(joined(pieces[1:])) == {"place": {"city": "Paris"}}
    assert len(pieces) == 2
    *pieces, reply = items_of(model, ModelRequest(ASKED, output=OutputFormat("x", PLACE)))
    assert pieces == [TextPiece(reply.text)]
    assert json.loads(reply.text) == {"place": {"city": "Paris"}}


def test_characters_stay_whole(weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    """A character in several tokens is one piece; one that is cut is left out, and what is none is marked."""
    parts = (*(bytes([byte]) for byte in "a😀é".encode()), b"\xff", b"b", "中".encode()[:2])
    Writing(weights, monkeypatch, parts)
    settings = ModelSettings(max_tokens=len(parts))
    *pieces, reply = items_of(LocalModel(settings=settings), HELLO)
    assert [piece.text for piece in pieces] == ["a", "😀", "é", "\ufffd", "b"]
    assert reply.text == "a😀é\ufffdb"
    assert (reply.finish, reply.usage.output_tokens) == ("length", len(parts))


def test_a_stop_text_over_several_pieces(weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    """What may be the beginning of a text to stop at is held back until it is clear; nothing of that text comes."""
    Writing(weights, monkeypatch, (b"one ", b"EN", b"E ", b"E", b"N", b"D and more"))
    *pieces, reply = items_of(LocalModel(settings=ModelSettings(stop=("END", "no"))), HELLO)
    assert [piece.text for piece in pieces] == ["one ", "ENE "]
    assert (reply.text, reply.finish, reply.usage.output_tokens) == ("one ENE ", "stop", 6)
    *pieces, reply = items_of(LocalModel(settings=ModelSettings(stop=("END",), max_tokens=5)), HELLO)
    assert [piece.text for piece in pieces] == ["one ", "ENE ", "EN"]


def test_pieces_come_at_once(model: LocalModel, writing: Writing) -> None:
    """A piece is there while the model still writes."""
    stream: Any = model.stream(HELLO)
    with closing(stream) as items:
        assert next(items) == TextPiece(" word")
        assert writing.count < 1024


def test_a_stream_that_is_left(model: LocalModel, writing: Writing) -> None:
    """Who stops reading stops the work."""
    for item in model.stream(HELLO):
        assert item == TextPiece(" word")
        break
    assert writing.has_stopped()
    assert writing.count < 100


def test_an_awaited_stream_that_is_left(model: LocalModel, writing: Writing) -> None:
    """Who closes an awaited stream stops the work; so does a task that is cancelled in its midst."""

    async def leave() -> None:
        stream: Any = model.astream(HELLO)
        async with aclosing(stream) as items:
            async for item in items:
                assert item == TextPiece(" word")
                break

    async def read(read: list[Any]) -> None:
        async for item in model.astream(HELLO):
            read.append(item)

    async def cancel() -> None:
        came: list[Any] = []
        task = asyncio.create_task(read(came))
        while not came:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    for way in (leave, cancel):
        asyncio.run(way())
        assert writing.has_stopped()
        assert writing.count < 200


def test_a_cancelled_request(model: LocalModel, writing: Writing) -> None:
    """So does a request that is not streamed, whether it is at work or waits for its turn."""

    async def cancel() -> None:
        tasks = [asyncio.create_task(model.acomplete(HELLO)) for _ in range(3)]
        while not writing.count:
            await asyncio.sleep(0.005)
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(result) for result in results] == [asyncio.CancelledError] * 3

    asyncio.run(cancel())
    assert writing.has_stopped()
    assert writing.count < 200
    until = time.monotonic() + 2
    while (left := [t for t in threading.enumerate() if isinstance(t, Daemon) and t.abandoned]) and (
        time.monotonic() < until
    ):
        time.sleep(0.01)
    assert left == []


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("run", [run_sync, lambda program: asyncio.run(run_async(program))])
def test_given_up_from_outside(model: LocalModel, writing: Writing, run: Callable[..., Any], streamed: bool) -> None:
    """A request whose time is bounded by who asks, and not by its settings, stops as well."""
    with pytest.raises(CallTimeoutError):
        run(within(asked(model, HELLO, streamed=streamed), 0.1))
    assert writing.has_stopped()
    assert writing.count < 200


def test_asking_while_reading(model: LocalModel) -> None:
    """Who reads a stream may ask the same model, or read another stream beside it: nobody waits for himself."""
    alone = model.complete(HELLO), model.complete(GOODBYE)
    first, second = model.stream(HELLO), model.stream(HELLO)
    both = [next(first), next(second), next(first)]
    assert all(isinstance(piece, TextPiece) for piece in both)
    assert model.complete(GOODBYE) == alone[1]
    assert ([*first][-1], [*second][-1]) == (alone[0], alone[0])


def test_a_slow_reader(model: LocalModel, writing: Writing) -> None:
    """A stream that nobody reads on does not keep the model from others."""
    writing.pause_s = 0.0
    stream: Any = model.stream(HELLO)
    with closing(stream) as items:
        next(items)
        assert model.complete(GOODBYE).finish == "length"
        assert len([*items]) == 1024


@pytest.mark.parametrize("ask", STREAMED)
def test_a_stream_that_breaks(model: LocalModel, writing: Writing, ask: Ask) -> None:
    """What llama.cpp could not go on with is a StreamCutError with what came; before anything came, a ModelError."""
    writing.fail_at(3)
    with pytest.raises(StreamCutError, match="broke off: The model local failed: llama_decode returned 1") as caught:
        ask(model, HELLO)
    assert caught.value.partial == ModelReply((TextPart(" word word word"),))
    writing.fail_at(writing.count)
    with pytest.raises(ModelError, match=r"^The model local failed: llama_decode returned 1$") as early:
        ask(model, HELLO)
    assert not isinstance(early.value, StreamCutError)


@pytest.mark.parametrize("ask", STREAMED)
def test_a_call_that_breaks(weights: Weights, monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    """Of a call that broke off its arguments are told as far as they came."""
    Writing(weights, monkeypatch, (b'{"name": "get_wea', b'ther", "arguments": ', b'{"ci')).fail_at(3)
    with pytest.raises(StreamCutError) as caught:
        ask(LocalModel(), CALL)
    assert caught.value.partial == ModelReply((ToolCall("call_1", "get_weather", '{"ci'),))


@pytest.mark.parametrize("ask", STREAMED)
def test_a_stream_out_of_time(writing: Writing, ask: Ask) -> None:
    """A stream has the time that is allowed: what came until then is kept."""
    model = LocalModel(settings=ModelSettings(timeouts=Timeouts(total_s=0.3)))
    with pytest.raises(StreamCutError, match=r"did not answer within 0\.3 s") as caught:
        ask(model, HELLO)
    assert caught.value.partial.text.startswith(" word word")
    assert writing.has_stopped()
    with pytest.raises(ModelTimeoutError, match="did not answer within 0 s"):
        ask(LocalModel(settings=ModelSettings(timeouts=Timeouts(total_s=0))), HELLO)


def test_no_thread(model: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the process has no thread for a stream, that is said."""
    monkeypatch.setattr("magic_tools.effects.workers.MOST_ABANDONED", 0)
    with pytest.raises(ModelError, match="The model local cannot begin: 0 calls that were given up"):
        items_of(model, HELLO)


def test_a_wrong_setting(writing: Writing) -> None:
    """What is wrong with the settings is told in a stream as it is without one."""
    with pytest.raises(ValueError, match="knows no colour"):
        items_of(LocalModel(settings=ModelSettings(extra={"colour": 1})), HELLO)
    assert writing.has_stopped()
