"""How a model is asked as a program: what is emitted on the way, and what a stream without an end is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from magic_tools import CallPiece, Capabilities, Message, ModelReply, ModelRequest, ScriptedModel, TextPiece, ToolCall
from magic_tools.asking import asked, pieces_of
from magic_tools.chat import Piece
from magic_tools.effects.runners import run_sync, stream_sync
from magic_tools.errors import StreamCutError
from magic_tools.messages import ProviderPart, TextPart

REQUEST = ModelRequest((Message.user("Hi"),))
REPLY = ModelReply((ProviderPart("w", "{}", "hm"), TextPart("Hello"), ToolCall("c1", "f", "{}")), "tool_calls")


class Breaking(ScriptedModel):
    """A model whose streams end when their pieces do."""

    def __init__(self, *pieces: Piece) -> None:
        super().__init__([])
        self.pieces = pieces

    def stream(self, request: ModelRequest) -> Iterator[Piece | ModelReply]:
        yield from self.pieces

    async def astream(self, request: ModelRequest) -> AsyncIterator[Piece | ModelReply]:
        for piece in self.pieces:
            yield piece


def test_a_stream_without_a_reply() -> None:
    """It is one that was cut, with all that came: the text, and each call as far as it is there."""
    model = Breaking(
        TextPiece("Hel"),
        CallPiece(0, "a", "f", '{"x"'),
        TextPiece("lo"),
        CallPiece(1, "b", "g", ""),
        CallPiece(0, "a", "f", ": 1"),
    )
    with pytest.raises(StreamCutError, match="The stream of scripted ended without a reply") as caught:
        run_sync(asked(model, REQUEST, streamed=True))
    assert caught.value.partial == ModelReply(
        (TextPart("Hello"), ToolCall("a", "f", '{"x": 1'), ToolCall("b", "g", ""))
    )
    with pytest.raises(StreamCutError) as caught:
        run_sync(asked(Breaking(), REQUEST, streamed=True))
    assert caught.value.partial == ModelReply(())


@pytest.mark.parametrize("streaming", [True, False])
def test_what_is_emitted(streaming: bool) -> None:
    """What is made of each piece; of a model that cannot stream, of each part that a person may read."""
    model = ScriptedModel([REPLY, REPLY], capabilities=Capabilities(streaming=streaming), piece=100)
    told: list[Any] = list(stream_sync(asked(model, REQUEST, streamed=True, told=lambda piece: (piece, "."))))
    pieces = [each for each in told if each != "."]
    assert told == [each for piece in pieces for each in (piece, ".")]
    assert "".join(each.text for each in pieces if isinstance(each, TextPiece)) == "Hello"
    assert [(each.index, each.id, each.name) for each in pieces if isinstance(each, CallPiece)][-1] == (0, "c1", "f")
    assert list(stream_sync(asked(model, REQUEST, streamed=False))) == []


def test_pieces_of_a_reply() -> None:
    """One for each text and each call, which are counted."""
    reply = ModelReply((TextPart("a"), ToolCall("x", "f", "1"), TextPart("b"), ToolCall("y", "g", "2")))
    assert pieces_of(reply) == (
        TextPiece("a"),
        CallPiece(0, "x", "f", "1"),
        TextPiece("b"),
        CallPiece(1, "y", "g", "2"),
    )
