"""The scripted model: replies in order, and complaints that no code of the library swallows."""

from __future__ import annotations

import asyncio

import pytest

from magic_tools.chat import Capabilities, ChatModel, ModelReply, ModelRequest
from magic_tools.errors import ModelError, RateLimitError
from magic_tools.messages import Message, TextPart, ToolCall, Usage
from magic_tools.models.scripted import ScriptedModel, ScriptedReply

REQUEST = ModelRequest((Message.user("How warm is it in Rome?"),))
CALL = ToolCall("c1", "get_weather", '{"city": "Rome"}')
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
    """Each form of a scripted reply becomes the reply it stands for, the same awaited or not."""
    with ScriptedModel([scripted, scripted]) as model:
        assert model.complete(REQUEST) == reply
        assert asyncio.run(model.acomplete(REQUEST)) == reply


def test_order_and_requests() -> None:
    """Replies come in the order of the script, and what was asked is kept in order."""
    other = ModelRequest((Message.user("And now?"),))
    model = ScriptedModel(iter(["one", "two"]))
    assert [model.complete(REQUEST).parts, model.complete(other).parts] == [(TextPart("one"),), (TextPart("two"),)]
    assert model.requests == [REQUEST, other]
    model.verify()


def test_exception_is_raised() -> None:
    """A scripted exception is raised itself, at its turn, and the script goes on after it."""
    error = RateLimitError("slow down")
    with ScriptedModel(["one", error, "three"]) as model:
        model.complete(REQUEST)
        with pytest.raises(RateLimitError, match="slow down") as raised:
            model.complete(REQUEST)
        assert raised.value is error
        assert model.complete(REQUEST).parts == (TextPart("three"),)


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
    ],
)
def test_script_refused(script: list[ScriptedReply], complaint: str) -> None:
    """What is no script is refused when it is written, not when it is asked for."""
    with pytest.raises(ValueError, match=complaint):
        ScriptedModel(script)


def test_is_a_chat_model() -> None:
    """It fulfils the protocol, and its capabilities are those it is given."""
    weak = Capabilities()
    assert isinstance(ScriptedModel([]), ChatModel)
    assert ScriptedModel([]).name == "scripted"
    assert ScriptedModel([]).capabilities == Capabilities(
        native_schema=True, object_root=False, tools=True, forced_choice=True
    )
    assert ScriptedModel([], capabilities=weak).capabilities is weak
