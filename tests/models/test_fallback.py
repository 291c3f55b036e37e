"""Several models as one: who is asked after whom, and what is told when nobody answers."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.chat import Capabilities, ModelReply, ModelRequest, StreamingModel, TextPiece
from magic_tools.errors import (
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    RateLimitError,
    StreamCutError,
    UnsupportedSettingError,
)
from magic_tools.events import ModelEvent, ModelPassedOver
from magic_tools.messages import Message, TextPart
from magic_tools.models.fallback import FallbackModel
from magic_tools.models.scripted import CutReply, ScriptedModel
from tests.models.four_ways import FOUR_WAYS, STREAMED, UNSTREAMED, Ask

REQUEST = ModelRequest((Message.user("Hi"),))


class Named(ScriptedModel):
    """A scripted model with a name of its own, which its replies do not tell."""

    def __init__(self, name: str, *replies: Any, **capabilities: Any) -> None:
        super().__init__(replies, capabilities=Capabilities(**{"streaming": True, **capabilities}))
        self.name = name


def reply(text: str, model: str = "") -> ModelReply:
    return ModelReply((TextPart(text),), "stop", model=model)


def heard(model: StreamingModel, ask: Ask) -> tuple[ModelReply, list[ModelEvent]]:
    """What a model answers, and the events on the way."""
    events: list[ModelEvent] = []
    return ask(model, ModelRequest(REQUEST.messages, note=events.append)), events


@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_the_first_that_can_answers(ask: Ask) -> None:
    """The next is asked after an error alone, with the same request, and each that was passed over is told of."""
    first = Named("a", RateLimitError("slow down"), reply("from a", "a-2026"))
    second = Named("b", ModelTimeoutError("too late"))
    third = Named("c", reply("from c"))
    model = FallbackModel([first, second, third])
    answer, events = heard(model, ask)
    assert answer == reply("from c", "c")
    assert events == [
        ModelPassedOver("a", "RateLimitError: slow down"),
        ModelPassedOver("b", "ModelTimeoutError: too late"),
    ]
    assert first.requests == second.requests == third.requests == [REQUEST]
    assert heard(model, ask) == (reply("from a", "a-2026"), [])
    assert len(third.requests) == 1


@pytest.mark.parametrize("ask", FOUR_WAYS)
@pytest.mark.parametrize("kind", [ModelError, ModelUnavailableError, ModelTimeoutError, RateLimitError])
def test_all_fail(kind: type[ModelError], ask: Ask) -> None:
    """The error is of the last one's class, has each name and reason in order, and the last error as its cause."""
    last = kind("and no")
    model = FallbackModel([Named("a", StreamCutError("gone", ModelReply(()))), Named("b", last)])
    with pytest.raises(ModelError) as raised:
        ask(model, REQUEST)
    assert type(raised.value) is kind
    assert str(raised.value) == (
        f"None of the models could answer: a: StreamCutError: gone; b: {kind.__name__}: and no"
    )
    assert raised.value.__cause__ is last


class TooLongError(RateLimitError):
    """An error whose class takes more than a text."""

    def __init__(self, seconds: float, limit: str) -> None:
        super().__init__(f"{seconds} s, says {limit}")


@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_all_fail_with_an_error_of_another_class(ask: Ask) -> None:
    """A class of somebody else's becomes the nearest of ours, since nobody knows how it is made."""
    with pytest.raises(RateLimitError, match="could answer: a: TooLongError: 90 s, says the plan") as raised:
        ask(FallbackModel([Named("a", TooLongError(90, "the plan"))]), REQUEST)
    assert type(raised.value) is RateLimitError
    assert isinstance(raised.value.__cause__, TooLongError)


@pytest.mark.parametrize("ask", STREAMED)
def test_all_fail_and_the_last_broke_off(ask: Ask) -> None:
    """A stream of which nothing came is an error like others, and keeps what it held."""
    model = FallbackModel([Named("a", RateLimitError("no")), Named("b", CutReply("text", after=0))])
    with pytest.raises(StreamCutError, match=r"a: RateLimitError: no; b: StreamCutError: .* after 0") as raised:
        ask(model, REQUEST)
    assert raised.value.partial.parts == ()


@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_a_setting_that_is_refused(ask: Ask) -> None:
    """A model that does not take a setting is passed over like another, and where none takes it, that is said."""
    first, second = Named("a", *[UnsupportedSettingError("a has no seed")] * 2), Named("b", reply("from b"))
    assert heard(FallbackModel([first, second]), ask)[0].text == "from b"
    with pytest.raises(UnsupportedSettingError, match="a: UnsupportedSettingError: a has no seed"):
        ask(FallbackModel([first]), REQUEST)


@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_what_is_no_model_error(ask: Ask) -> None:
    """A mistake in a program is not passed over."""
    second = Named("b", reply("from b"))
    with pytest.raises(ZeroDivisionError):
        ask(FallbackModel([Named("a", ZeroDivisionError()), second]), REQUEST)
    assert second.requests == []


@pytest.mark.parametrize("ask", STREAMED)
def test_a_stream_that_was_begun_is_not_told_again_by_another(ask: Ask) -> None:
    """What was handed on cannot be taken back, so the error goes out as it is, with what came."""
    second = Named("b", reply("from b"))
    model = FallbackModel([Named("a", CutReply("0123456789", after=1)), second])
    with pytest.raises(StreamCutError, match="after 1 of its pieces") as raised:
        heard(model, ask)
    assert raised.value.partial.text == "01234567"
    assert second.requests == []


class Failing(Named):
    """Fails with another error than one of a stream, when a piece has come."""

    def stream(self, request: ModelRequest) -> Any:
        yield TextPiece("Once")
        raise ModelTimeoutError("no more")

    async def astream(self, request: ModelRequest) -> Any:
        yield TextPiece("Once")
        raise ModelTimeoutError("no more")


@pytest.mark.parametrize("ask", STREAMED)
def test_a_stream_that_fails_with_any_error(ask: Ask) -> None:
    """It is what was handed on that counts, and not the class of the error."""
    second = Named("b", reply("from b"))
    with pytest.raises(ModelTimeoutError, match=r"^no more$"):
        ask(FallbackModel([Failing("a"), second]), REQUEST)
    assert second.requests == []


@pytest.mark.parametrize("ask", STREAMED)
def test_a_stream_that_was_not_begun(ask: Ask) -> None:
    """The next is asked, and its pieces alone come."""
    model = FallbackModel([Named("a", CutReply("0123456789", after=0)), Named("b", reply("from b"))])
    answer, events = heard(model, ask)
    assert answer.text == "from b"
    assert [event.model for event in events] == ["a"]


@pytest.mark.parametrize("ask", UNSTREAMED)
def test_a_cut_reply_that_nobody_was_shown(ask: Ask) -> None:
    """Where nothing is streamed, nothing was handed on."""
    error = StreamCutError("gone", ModelReply((TextPart("half"),)))
    assert ask(FallbackModel([Named("a", error), Named("b", reply("from b"))]), REQUEST).text == "from b"


def test_pieces_of_one_that_cannot_stream() -> None:
    """Its reply comes as one piece."""
    model = FallbackModel([Named("a", RateLimitError("no")), Named("b", reply("from b"), streaming=False)])
    assert list(model.stream(REQUEST)) == [TextPiece("from b"), reply("from b", "b")]


def test_capabilities() -> None:
    """They are those of all of them: each that no model lacks, and the smallest context that is known."""
    able = {"native_schema": True, "tools": True, "forced_choice": True, "thinking": True}
    models = [
        Named("a", **able, context_tokens=8_000),
        Named("b", **{**able, "forced_choice": False, "parallel_calls": True}),
        Named("c", **able, context_tokens=4_000),
    ]
    assert FallbackModel(models).capabilities == Capabilities(
        native_schema=True, tools=True, thinking=True, streaming=True, context_tokens=4_000
    )
    assert FallbackModel(models[:1]).capabilities == models[0].capabilities
    assert FallbackModel(models[1:2]).capabilities.context_tokens is None
    weak = FallbackModel([*models, Named("d", streaming=False, object_root=True)])
    assert weak.capabilities == Capabilities(context_tokens=4_000)


def test_object_root_is_a_bound() -> None:
    """Where one needs an object, the list does, if it holds its answers to schemas at all."""
    free, bound = Named("a", native_schema=True), Named("b", native_schema=True, object_root=True)
    none = Named("c")
    assert FallbackModel([free, bound]).capabilities.object_root
    assert not FallbackModel([free, free]).capabilities.object_root
    assert not FallbackModel([bound, none]).capabilities.native_schema


def test_names() -> None:
    """Its name has all of theirs, and its identity all of theirs."""
    first, second = Named("openai:a"), Named("anthropic:b")
    first.identity = "openai:a at home"  # type: ignore[attr-defined]  # which models may have
    model = FallbackModel([first, second])
    assert model.name == "openai:a | anthropic:b"
    assert model.identity == "openai:a at home | anthropic:b"
    assert repr(model) == "<FallbackModel openai:a | anthropic:b>"
    assert isinstance(model, StreamingModel)


def test_no_model() -> None:
    """A list of none is refused."""
    with pytest.raises(ValueError, match="needs one model or more"):
        FallbackModel([])
