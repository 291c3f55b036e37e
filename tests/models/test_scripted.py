"""The scripted model: replies in order, and complaints that no code of the library swallows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import pytest

from magic_tools.chat import CallPiece, Capabilities, ModelReply, ModelRequest, StreamingModel, TextPiece
from magic_tools.errors import ModelError, RateLimitError, StreamCutError
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, Usage
from magic_tools.models.scripted import CutReply, ScriptedModel, ScriptedReply
from tests.models.four_ways import FOUR_WAYS, STREAMED, UNSTREAMED, Ask, items_awaited, items_of

REQUEST = ModelRequest((Message.user("How warm is it in Rome?"),))
CALL = ToolCall("c1", "get_weather", '{"city": "Rome"}')
NOTHING: Any = None
WHOLE = ModelReply((TextPart("cut"),), finish="length", usage=Usage(3, 4), model="other")


@pytest.mark.parametrize(
    ("scripted", "reply"),
    [
        pytest.param("Hi", ModelReply((TextPart("Hi"),), finish="stop", model="scripted"), id="text"),
        pytest.param("", ModelReply((TextPart(""),), finish="stop", model="scripted"), id="empty text"),
        pytest.param(CALL, ModelReply((CALL,), finish="tool_calls", model="scripted"), id="call"),
        pytest.param(
            ["I look.", CALL],
            ModelReply((TextPart("I look."), CALL), finish="tool_calls", model="scripted"),
            id="text and call",
        ),
        pytest.param((CALL, CALL), ModelReply((CALL, CALL), finish="tool_calls", model="scripted"), id="calls"),
        pytest.param([], ModelReply((), finish="stop", model="scripted"), id="nothing"),
        pytest.param(WHOLE, WHOLE, id="whole reply"),
    ],
)
def test_reply(scripted: ScriptedReply, reply: ModelReply) -> None:
    """Each form of a scripted reply becomes the reply it stands for, the same awaited or not, streamed or not."""
    with ScriptedModel([scripted] * 4) as model:
        assert [ask(model, REQUEST) for ask in FOUR_WAYS] == [reply] * 4


def test_order_and_requests() -> None:
    """Replies come in the order of the script, and what was asked is kept in order."""
    other = ModelRequest((Message.user("And now?"),))
    model = ScriptedModel(iter(["one", "two"]))
    assert [model.complete(REQUEST).parts, model.complete(other).parts] == [(TextPart("one"),), (TextPart("two"),)]
    assert model.requests == [REQUEST, other]
    model.verify()


@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_exception_is_raised(ask: Ask) -> None:
    """A scripted exception is raised itself, at its turn, and the script goes on after it."""
    error = RateLimitError("slow down")
    with ScriptedModel(["one", error, "three"]) as model:
        ask(model, REQUEST)
        with pytest.raises(RateLimitError, match="slow down") as raised:
            ask(model, REQUEST)
        assert raised.value is error
        assert ask(model, REQUEST).parts == (TextPart("three"),)


@pytest.mark.parametrize("request_", [REQUEST, ModelRequest(())], ids=["with a message", "without"])
def test_request_beyond_the_script(request_: ModelRequest) -> None:
    """A request too many is an AssertionError that counts and says what was asked; no ModelError handler takes it."""
    model = ScriptedModel(["one"])
    model.complete(REQUEST)
    asked = "How warm is it in Rome" if request_.messages else "no messages"
    with pytest.raises(AssertionError, match=f"1 replies, but request 2 came.*{asked}") as raised:
        model.complete(request_)
    assert not isinstance(raised.value, ModelError)


def test_unused_replies() -> None:
    """Replies left over fail, with their number and the next of them, at `verify` and at the end of `with`."""
    model = ScriptedModel(["one", "two", "three"])
    model.complete(REQUEST)
    with pytest.raises(AssertionError, match=r"2 of 3 scripted replies were not asked for.*'two'"):
        model.verify()
    with pytest.raises(AssertionError, match="2 of 3"), model:
        pass


def test_own_error_comes_first() -> None:
    """An error of the `with` body is not hidden by a complaint about unused replies."""
    with pytest.raises(ZeroDivisionError), ScriptedModel(["one"]):
        _ = 1 / 0


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        pytest.param("one", "put it in a list", id="a text"),
        pytest.param([None], "got None", id="None"),
        pytest.param([["one", 2]], r"got \['one', 2\]", id="a number among the parts"),
        pytest.param([RateLimitError], "got <class", id="a class, not an exception"),
    ],
)
def test_script_refused(script: Any, complaint: str) -> None:
    """What is no script is refused when it is written, not when it is asked for."""
    with pytest.raises(ValueError, match=complaint):
        ScriptedModel(script)


def test_is_a_streaming_model() -> None:
    """It fulfils the protocol, and its capabilities are those it is given."""
    weak = Capabilities()
    assert isinstance(ScriptedModel([]), StreamingModel)
    assert ScriptedModel([]).name == "scripted"
    assert ScriptedModel([]).capabilities == Capabilities(
        native_schema=True, object_root=False, tools=True, forced_choice=True, streaming=True
    )
    assert ScriptedModel([], capabilities=weak).capabilities is weak


@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_a_function_looks_at_the_request(ask: Ask) -> None:
    """A function is given the request, and what it gives is the reply; what it asserts fails at the request."""

    def answer(request: ModelRequest) -> ScriptedReply:
        assert "Rome" in request.messages[0].text
        return CALL

    model = ScriptedModel([answer, answer, lambda _: RateLimitError("slow down"), lambda _: NOTHING])
    assert ask(model, REQUEST).calls == (CALL,)
    with pytest.raises(AssertionError):
        ask(model, ModelRequest((Message.user("And in Oslo?"),)))
    with pytest.raises(RateLimitError, match="slow down"):
        ask(model, REQUEST)
    with pytest.raises(ValueError, match="got None"):
        ask(model, REQUEST)


@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_an_iterator_is_read_on_with_each_request(ask: Ask) -> None:
    """Of a generator no more is read than was asked for; it may have no end, and what it has left is no fault."""
    taken = []

    def script() -> Iterator[str]:
        for number in range(3):
            taken.append(number)
            yield f"reply {number}"

    with ScriptedModel(script()) as model:
        assert (ask(model, REQUEST).text, taken) == ("reply 0", [0])
        assert (ask(model, REQUEST).text, taken) == ("reply 1", [0, 1])
    ask(model, REQUEST)
    with pytest.raises(AssertionError, match="the script has 3 replies, but request 4 came"):
        ask(model, REQUEST)
    with ScriptedModel(repeat("ok")) as endless:
        assert ask(endless, REQUEST).text == "ok"
    bad = ScriptedModel(iter([NOTHING]))
    with pytest.raises(ValueError, match="got None"):
        ask(bad, REQUEST)


@pytest.mark.parametrize("read", [items_of, items_awaited])
def test_pieces(read: Any) -> None:
    """Streamed, texts and arguments come in pieces of so many characters, each call's name before its arguments."""
    reply: ScriptedReply = ["I look.", CALL, ToolCall("c2", "now", "")]
    hidden = ModelReply((ProviderPart("anthropic", "{}", "I think"), TextPart("a")))
    with ScriptedModel([reply, "", hidden], piece=5) as model:
        items = read(model, REQUEST)
        assert items[:-1] == [
            TextPiece("I loo"),
            TextPiece("k."),
            CallPiece(0, "c1", "get_weather", ""),
            CallPiece(0, "c1", "get_weather", '{"cit'),
            CallPiece(0, "c1", "get_weather", 'y": "'),
            CallPiece(0, "c1", "get_weather", 'Rome"'),
            CallPiece(0, "c1", "get_weather", "}"),
            CallPiece(1, "c2", "now", ""),
        ]
        assert items[-1].parts == (TextPart("I look."), CALL, ToolCall("c2", "now", ""))
        assert len(read(model, REQUEST)) == 1
        assert read(model, REQUEST) == [TextPiece("a"), hidden]


def test_pieces_have_eight_characters_by_default() -> None:
    """So a longer text comes in several."""
    with ScriptedModel(["0123456789"]) as model:
        assert items_of(model, REQUEST)[:-1] == [TextPiece("01234567"), TextPiece("89")]


@pytest.mark.parametrize("size", [0, -1, 1.5, True, None])
def test_no_size_of_a_piece(size: Any) -> None:
    """A size that is no number of characters is refused."""
    with pytest.raises(ValueError, match="piece is a number of characters"):
        ScriptedModel(["one"], piece=size)


@pytest.mark.parametrize(
    ("after", "parts"),
    [
        (0, ()),
        (1, (TextPart("I lo"),)),
        (2, (TextPart("I look."),)),
        (3, (TextPart("I look."), ToolCall("c1", "f", ""))),
        (4, (TextPart("I look."), ToolCall("c1", "f", '{"a"'))),
        (5, (TextPart("I look."), ToolCall("c1", "f", '{"a": 1}'))),
        (6, (TextPart("I look."), ToolCall("c1", "f", '{"a": 1}'), ToolCall("c2", "g", ""))),
        (7, (TextPart("I look."), ToolCall("c1", "f", '{"a": 1}'), ToolCall("c2", "g", "{}"))),
        (9, (TextPart("I look."), ToolCall("c1", "f", '{"a": 1}'), ToolCall("c2", "g", "{}"))),
    ],
)
@pytest.mark.parametrize("awaited", [False, True])
def test_h3_a_stream_is_cut_at_each_place(after: int, parts: tuple[Any, ...], awaited: bool) -> None:
    """So many pieces come, and then an error that holds what they were pieces of; also when all of them came."""
    reply: list[str | ToolCall] = ["I look.", ToolCall("c1", "f", '{"a": 1}'), ToolCall("c2", "g", "{}")]
    model = ScriptedModel([CutReply(reply, after), CutReply(reply, after)], piece=4)
    with pytest.raises(StreamCutError, match=f"after {min(after, 7)} of its pieces") as raised:
        (items_awaited if awaited else items_of)(model, REQUEST)
    assert raised.value.partial == ModelReply(parts, model="scripted")
    came: list[Any] = []
    with pytest.raises(StreamCutError):
        came.extend(model.stream(REQUEST))
    assert len(came) == min(after, 7)


@pytest.mark.parametrize("ask", UNSTREAMED)
def test_a_cut_reply_that_is_not_streamed(ask: Ask) -> None:
    """It fails like a lost connection: nothing of it has come."""
    with ScriptedModel([CutReply(WHOLE, after=1), "two"]) as model:
        with pytest.raises(StreamCutError) as raised:
            ask(model, REQUEST)
        assert raised.value.partial == ModelReply((), usage=Usage(3, 4), model="other")
        assert ask(model, REQUEST).text == "two"


@pytest.mark.parametrize("ask", STREAMED)
def test_a_function_may_give_a_cut_reply(ask: Ask) -> None:
    """What a function gives is anything that a script may have."""
    with ScriptedModel([lambda request: CutReply(request.messages[0].text, after=1)]) as model:
        with pytest.raises(StreamCutError) as raised:
            ask(model, REQUEST)
        assert raised.value.partial.text == "How warm"


@pytest.mark.parametrize(
    ("reply", "after", "complaint"),
    [
        ("one", -1, "number of pieces"),
        ("one", True, "number of pieces"),
        ("one", 1.5, "number of pieces"),
        (RateLimitError("no"), 1, "got RateLimitError"),
        (None, 1, "got None"),
    ],
)
def test_no_cut_reply(reply: Any, after: Any, complaint: str) -> None:
    """What cannot be cut there is refused when it is written."""
    with pytest.raises(ValueError, match=complaint):
        CutReply(reply, after)


@pytest.mark.parametrize("is_iterator", [False, True])
def test_threads_share_a_script(is_iterator: bool) -> None:
    """Each reply is given once, whoever asks at the same time."""
    texts = [str(number) for number in range(500)]

    def script() -> Iterator[str]:
        for text in texts:
            time.sleep(0.0001)  # so that others come meanwhile
            yield text

    model = ScriptedModel(script() if is_iterator else texts)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: model.complete(REQUEST).text, texts))
    assert sorted(replies) == sorted(texts)
    assert len(model.requests) == 500
