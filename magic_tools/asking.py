"""A model as a program: how one is asked, and what a model is that is a program itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any

from magic_tools.chat import (
    CallPiece,
    Capabilities,
    ChatModel,
    ModelReply,
    ModelRequest,
    Piece,
    StreamingModel,
    TextPiece,
)
from magic_tools.effects.program import Call, Draw, Emit, Program
from magic_tools.effects.runners import run_async, run_sync, stream_async, stream_sync
from magic_tools.errors import StreamCutError
from magic_tools.messages import TextPart, ToolCall

__all__ = ["ProgramModel", "asked", "pieces_of"]

_NO_KEYWORDS: Mapping[str, Any] = {}


class ProgramModel(ABC):
    """A `StreamingModel` that says in one program how it answers, for sync, async and streamed requests alike."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What a person would call this model."""

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """What it can do; the same for its whole life."""

    @abstractmethod
    def answering(self, request: ModelRequest, *, streamed: bool) -> Program[ModelReply]:
        """The program that comes to the reply, and emits its pieces on the way where it is `streamed`."""

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request."""
        return run_sync(self.answering(request, streamed=False))

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request, awaited."""
        return await run_async(self.answering(request, streamed=False))

    def stream(self, request: ModelRequest) -> Iterator[Piece | ModelReply]:
        """The pieces of the reply to a request, and at last the reply."""
        return stream_sync(_with_reply(self.answering(request, streamed=True)))

    def astream(self, request: ModelRequest) -> AsyncIterator[Piece | ModelReply]:
        """The pieces of the reply to a request, and at last the reply, awaited."""
        return stream_async(_with_reply(self.answering(request, streamed=True)))


def _as_it_is(piece: Piece) -> tuple[Piece, ...]:
    return (piece,)


def _with_reply(program: Program[ModelReply]) -> Program[None]:
    reply = yield from program
    yield Emit(reply)


def asked(
    model: ChatModel,
    request: ModelRequest,
    *,
    streamed: bool,
    timeout_s: float | None = None,
    told: Callable[[Piece], Iterable[Any]] = _as_it_is,
) -> Program[ModelReply]:
    """The reply of a model; where it is `streamed`, what `told` makes of each piece is emitted on the way.

    A model that cannot stream is one whose reply arrives in one piece. StreamCutError if a stream ends without a reply.
    """
    if not streamed or not model.capabilities.streaming or not isinstance(model, StreamingModel):
        reply: ModelReply = yield Call(model.complete, (request,), _NO_KEYWORDS, model.acomplete, timeout_s)
        if streamed and isinstance(reply, ModelReply):
            for piece in pieces_of(reply):
                for each in told(piece):
                    yield Emit(each)
        return reply
    replies: list[Any] = []
    came: list[Piece] = []

    def take(item: Any) -> Iterable[Any]:
        if isinstance(item, TextPiece | CallPiece):
            came.append(item)
            return told(item)
        replies.append(item)
        return ()

    yield Draw(lambda: model.stream(request), take, lambda: model.astream(request), timeout_s)
    if not replies:
        raise StreamCutError(f"The stream of {model.name} ended without a reply.", _reply_in(came))
    return replies[-1]  # type: ignore[no-any-return]  # whatever it is, who asked looks at it


def _reply_in(pieces: Iterable[Piece]) -> ModelReply:
    """What pieces make up, though they may not be whole."""
    texts: list[str] = []
    calls: dict[int, list[CallPiece]] = {}
    for piece in pieces:
        if isinstance(piece, CallPiece):
            calls.setdefault(piece.index, []).append(piece)
        else:
            texts.append(str(piece.text))
    text = "".join(texts)
    cut = (ToolCall(got[-1].id, got[-1].name, "".join(each.arguments for each in got)) for got in calls.values())
    return ModelReply((*((TextPart(text),) if text else ()), *cut))


def pieces_of(reply: ModelReply) -> tuple[Piece, ...]:
    """A reply as the pieces of a stream in which each of its parts arrives at once."""
    pieces: list[Piece] = []
    calls = 0
    for part in reply.parts:
        match part:
            case TextPart(text):
                pieces.append(TextPiece(text))
            case ToolCall(id=call_id, name=name, arguments=arguments):
                pieces.append(CallPiece(calls, call_id, name, arguments))
                calls += 1
            case _:
                pass
    return tuple(pieces)
