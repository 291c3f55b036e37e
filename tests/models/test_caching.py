"""Replies that are kept: for which requests they are given again, which are kept, and for how long."""

from __future__ import annotations

import asyncio
import json
import shelve
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from magic_tools.chat import (
    CallPiece,
    Capabilities,
    ModelReply,
    ModelRequest,
    OutputFormat,
    StreamingModel,
    TextPiece,
    ToolDefinition,
)
from magic_tools.errors import RateLimitError, StreamCutError
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, ToolResult, Usage
from magic_tools.models.caching import cached
from magic_tools.models.scripted import CutReply, ScriptedModel
from magic_tools.settings import ModelSettings, Timeouts
from tests.models.four_ways import FOUR_WAYS, STREAMED, Ask

REQUEST = ModelRequest((Message.user("Hi"),))
CALL = ToolCall("c1", "f", '{"a": 1}')
REPLY = ModelReply(
    (ProviderPart("anthropic", "{}", "I think"), TextPart("Hello \ud800 東京"), CALL),
    "tool_calls",
    Usage(10, 20, 5, 3),
    "a-2026",
    100,
    ("seed",),
)
SEARCH = ToolDefinition("search", "Search.", {"type": "object", "properties": {"q": {"type": "string"}}})
LOOK = ToolDefinition("look", "Look.", {"type": "object"})


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("again", FOUR_WAYS)
@pytest.mark.parametrize("first", FOUR_WAYS)
def test_the_same_request_gives_the_stored_reply(first: Ask, again: Ask) -> None:
    """It is asked once, however it is asked; the stored reply costs nothing, and says what it is."""
    store: dict[str, str] = {}
    with ScriptedModel([REPLY]) as model:
        assert first(cached(model, store), REQUEST) == REPLY
        kept = again(cached(model, store), REQUEST)
    assert kept == replace(REPLY, usage=Usage(), cached=True)


def test_pieces_of_a_stored_reply() -> None:
    """Streamed, each part of it comes at once."""
    model = cached(ScriptedModel([REPLY], piece=2), {})
    assert len(list(model.stream(REQUEST))) > 4
    assert list(model.stream(REQUEST))[:-1] == [
        TextPiece("Hello \ud800 東京"),
        CallPiece(0, "c1", "f", '{"a": 1}'),
    ]


WITH_RESULT = ModelRequest((*REQUEST.messages, Message("tool", (ToolResult("c1", "f", "3"),))))
WITH_THOUGHT = ModelRequest((Message("assistant", (ProviderPart("anthropic", '{"signature": "a"}'),)),))


def with_settings(**settings: Any) -> ModelRequest:
    return replace(REQUEST, settings=ModelSettings(**settings))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (REQUEST, ModelRequest((Message.user("Hi!"),))),
        (REQUEST, ModelRequest((Message.system("Hi"),))),
        (REQUEST, ModelRequest((*REQUEST.messages, *REQUEST.messages))),
        (REQUEST, replace(REQUEST, tools=(SEARCH,))),
        (replace(REQUEST, tools=(SEARCH,)), replace(REQUEST, tools=(replace(SEARCH, description="Find."),))),
        (replace(REQUEST, tools=(SEARCH,)), replace(REQUEST, tools=(replace(SEARCH, input_schema={}),))),
        (replace(REQUEST, tools=(SEARCH,)), replace(REQUEST, tools=(replace(SEARCH, strict=True),))),
        (replace(REQUEST, tools=(SEARCH,)), replace(REQUEST, tools=(SEARCH,), tool_choice="required")),
        (REQUEST, replace(REQUEST, output=OutputFormat("answer", {}))),
        (replace(REQUEST, output=OutputFormat("answer", {})), replace(REQUEST, output=OutputFormat("other", {}))),
        (WITH_RESULT, ModelRequest((*REQUEST.messages, Message("tool", (ToolResult("c1", "f", "4"),))))),
        (WITH_RESULT, ModelRequest((*REQUEST.messages, Message("tool", (ToolResult("c1", "f", "3", True),))))),
        (WITH_THOUGHT, ModelRequest((Message("assistant", (ProviderPart("anthropic", '{"signature": "b"}'),)),))),
        (REQUEST, with_settings(temperature=0)),
        (with_settings(temperature=0), with_settings(temperature=0.5)),
        (with_settings(seed=1), with_settings(top_p=1)),
        (with_settings(max_tokens=1), with_settings(max_tokens=2)),
        (with_settings(stop=("a",)), with_settings(stop=("b",))),
        (with_settings(unsupported="omit"), with_settings(unsupported="refuse")),
        (with_settings(extra={"user": "a"}), with_settings(extra={"user": "b"})),
        # Whoever has another key may be told another thing.
        (with_settings(extra={"api_key": "a"}), with_settings(extra={"api_key": "b"})),
    ],
)
def test_another_request_is_asked(one: ModelRequest, other: ModelRequest) -> None:
    """Whatever a reply may depend on makes another request."""
    with ScriptedModel(["one", "two"]) as inner:
        model = cached(inner, {})
        assert [model.complete(each).text for each in (one, other, one, other)] == ["one", "two", "one", "two"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (REQUEST, replace(REQUEST, note=print)),
        (REQUEST, with_settings()),
        (REQUEST, with_settings(timeouts=Timeouts(total_s=3))),
        (with_settings(temperature=0), with_settings(temperature=0.0)),
        (replace(REQUEST, tools=(SEARCH, LOOK)), replace(REQUEST, tools=(LOOK, SEARCH))),
        (WITH_RESULT, ModelRequest((*REQUEST.messages, Message("tool", (ToolResult("c1", "f", "3", value=[3]),))))),
    ],
)
def test_what_is_the_same_request(one: ModelRequest, other: ModelRequest) -> None:
    """What a reply does not depend on makes no other request."""
    with ScriptedModel(["one"]) as inner:
        model = cached(inner, {})
        assert [model.complete(each).text for each in (one, other)] == ["one", "one"]


def test_another_model_is_asked() -> None:
    """Models that share a store are told apart by their identity, which their own settings are a part of, or name."""
    store: dict[str, str] = {}
    models = [ScriptedModel([str(number)]) for number in range(4)]
    models[1].name = "another"
    for model, identity in zip(models[2:], ("scripted at t=0", "scripted at t=1"), strict=True):
        model.identity = identity  # type: ignore[attr-defined]  # which models may have
    for _ in range(2):
        assert [cached(model, store).complete(REQUEST).text for model in models] == ["0", "1", "2", "3"]
    assert cached(cached(models[2], {}), store).complete(REQUEST).text == "2"


@pytest.mark.parametrize(
    "reply",
    [
        ModelReply((TextPart("cut"),), "length"),
        ModelReply((TextPart("no"),), "refusal"),
        ModelReply((TextPart("no"),), "content_filter"),
        ModelReply((TextPart("wait"),), "pause"),
        ModelReply((TextPart("?"),), "other"),
        ModelReply((), "stop"),
        ModelReply((TextPart(""),), "stop"),
    ],
)
@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_what_is_not_kept(reply: ModelReply, ask: Ask) -> None:
    """A reply that is not whole, or says nothing, is given as it is and asked anew."""
    store: dict[str, str] = {}
    with ScriptedModel([reply, "whole"]) as inner:
        model = cached(inner, store)
        assert ask(model, REQUEST) == reply
        assert store == {}
        assert ask(model, REQUEST).text == "whole"
    assert len(store) == 1


@pytest.mark.parametrize("odd", [None, ModelReply((TextPart("a"),), "ended")])  # type: ignore[arg-type]  # as a model might
def test_what_is_no_reply_is_not_kept(odd: Any) -> None:
    """It goes out as it is."""

    class Odd(ScriptedModel):
        def complete(self, request: ModelRequest) -> Any:
            return odd

    store: dict[str, str] = {}
    assert cached(Odd([]), store).complete(REQUEST) is odd
    assert store == {}


@pytest.mark.parametrize("finish", ["stop", "tool_calls", None])
def test_what_is_kept(finish: Any) -> None:
    """A whole reply is, and one of a model that does not say how it ended."""
    with ScriptedModel([ModelReply((TextPart("whole"),), finish)]) as inner:
        model = cached(inner, {})
        assert (model.complete(REQUEST).cached, model.complete(REQUEST).cached) == (False, True)


@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_errors_are_not_kept(ask: Ask) -> None:
    """They go out as they are, and the request is asked anew."""
    with ScriptedModel([RateLimitError("slow down"), "whole"]) as inner:
        model = cached(inner, {})
        with pytest.raises(RateLimitError, match="slow down"):
            ask(model, REQUEST)
        assert ask(model, REQUEST).text == "whole"


@pytest.mark.parametrize("ask", STREAMED)
def test_streams_that_broke_are_not_kept(ask: Ask) -> None:
    """Nor is what came of one that was left alone before its end."""
    store: dict[str, str] = {}
    model = cached(ScriptedModel([CutReply("0123456789", after=2), "0123456789"]), store)
    with pytest.raises(StreamCutError):
        ask(model, REQUEST)
    left_alone = model.stream(REQUEST)
    assert next(left_alone) == TextPiece("01234567")
    left_alone.close()  # type: ignore[attr-defined]  # of a generator
    assert store == {}


def test_time_to_live() -> None:
    """A reply is given for so many seconds, and asked anew after them."""
    clock = Clock()
    inner = ScriptedModel(["one", "two"])
    model = cached(inner, {}, ttl_s=60, clock=clock)
    told = []
    for seconds in (0, 59.9, 0.1, 59.9):
        clock.now += seconds
        told.append(model.complete(REQUEST).text)
    assert told == ["one", "one", "two", "two"]


def test_for_ever() -> None:
    """Without a time it is kept for ever."""
    clock = Clock()
    model = cached(ScriptedModel(["one"]), {}, clock=clock)
    model.complete(REQUEST)
    clock.now += 1e9
    assert model.complete(REQUEST).cached


@pytest.mark.parametrize("ttl_s", [0, -1, float("nan"), True, "60"])
def test_no_time_to_live(ttl_s: Any) -> None:
    """A time that is none is refused."""
    with pytest.raises(ValueError, match="ttl_s is how many seconds"):
        cached(ScriptedModel([]), {}, ttl_s=ttl_s)


def damaged(**changes: Any) -> Callable[[str], str]:
    """The entry with its reply changed."""

    def change(entry: str) -> str:
        data = json.loads(entry)
        return json.dumps({**data, "reply": {**data["reply"], **changes}})

    return change


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: entry[:-1],
        lambda entry: "",
        lambda entry: "[]",
        lambda entry: "7",
        lambda entry: '{"at": 0}',
        lambda entry: entry.replace('"at": ', '"at": "now", "was": '),
        lambda entry: "[" * 100_000,
        damaged(parts=None),
        damaged(parts=[{"type": "text"}]),
        damaged(parts=[{"type": "tool_result"}]),
        damaged(usage=[1, 2, 3]),
        damaged(usage=[1, 2, 3, -4]),
        damaged(finish="ended"),
        damaged(cached=None),
    ],
)
def test_a_damaged_entry_counts_as_none(damage: Callable[[str], str]) -> None:
    """It is asked anew, and what is stored then is whole."""
    store: dict[str, str] = {}
    model = cached(ScriptedModel(["one", "two"]), store)
    model.complete(REQUEST)
    ((key, entry),) = store.items()
    store[key] = damage(entry)
    assert [model.complete(REQUEST).text for _ in range(2)] == ["two", "two"]


def test_results_are_not_stored() -> None:
    """The store holds digests of requests and no requests, so no key and no result of a tool."""
    store: dict[str, str] = {}
    asked = replace(WITH_RESULT, settings=ModelSettings(extra={"api_key": "sk-TEST-1234567890"}))
    cached(ScriptedModel(["one"]), store).complete(asked)
    ((key, entry),) = store.items()
    assert key.startswith("sha256:")
    assert "Hi" not in key + entry
    assert "sk-TEST" not in key + entry


def test_a_store_in_a_file(tmp_path: Path) -> None:
    """Anything like a dict of texts will do, such as a shelf."""
    path = str(tmp_path / "replies")
    with shelve.open(path) as shelf:
        cached(ScriptedModel([REPLY]), shelf).complete(REQUEST)
    with shelve.open(path) as shelf:
        assert cached(ScriptedModel([]), shelf).complete(REQUEST).parts == REPLY.parts


def test_many_at_once() -> None:
    """Equal requests at once may each be asked, and each has a reply."""
    model = cached(ScriptedModel(["one"] * 5), {})

    async def ask() -> list[ModelReply]:
        return await asyncio.gather(*(model.acomplete(REQUEST) for _ in range(5)))

    assert {reply.text for reply in asyncio.run(ask())} == {"one"}


def test_it_is_called_like_the_model_inside() -> None:
    """It has the name and the capabilities of the model, and is a streaming one whatever that is."""
    inner = ScriptedModel([], capabilities=Capabilities(tools=True))
    model = cached(inner, {})
    assert isinstance(model, StreamingModel)
    assert (model.name, model.capabilities) == ("scripted", Capabilities(tools=True))
    assert repr(model).startswith("<CachedModel of <")
