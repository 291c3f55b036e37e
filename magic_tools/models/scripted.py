"""A model for tests: it answers from a script and remembers what it was asked."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import TracebackType
from typing import Any, Self, TypeAlias

from magic_tools.chat import CallPiece, Capabilities, ModelReply, ModelRequest, Piece, ReplyPart, TextPiece
from magic_tools.errors import StreamCutError
from magic_tools.messages import TextPart, ToolCall

__all__ = ["CutReply", "ScriptedModel", "ScriptedReply"]

_Said: TypeAlias = str | ToolCall | Sequence[str | ToolCall] | ModelReply


@dataclass(frozen=True, slots=True)
class CutReply:
    """A reply that breaks off with a StreamCutError: streamed, when `after` so many of its pieces have come.

    Each call begins with a piece that holds its name alone. Where it is not streamed, nothing of it comes. ValueError
    for what has no pieces, or for fewer of them than none.
    """

    reply: _Said
    after: int = 0

    def __post_init__(self) -> None:
        _whole(self.reply)
        if type(self.after) is not int or self.after < 0:
            raise ValueError(f"CutReply.after is a number of pieces, 0 or more, got {self.after!r:.80}")


ScriptedReply: TypeAlias = _Said | CutReply | BaseException | Callable[[ModelRequest], "ScriptedReply"]

_Step: TypeAlias = ModelReply | CutReply | BaseException | Callable[[ModelRequest], ScriptedReply]

_ENDS = (ModelReply, CutReply, BaseException)
"""What a step is that is no function."""

_CAPABLE = Capabilities(native_schema=True, object_root=False, tools=True, forced_choice=True, streaming=True)


class ScriptedModel:
    """A `StreamingModel` that gives the replies of its script in order and keeps the `requests`.

    A reply is text, a call, a sequence of these, a whole `ModelReply`, one that breaks off, an exception to raise, or
    a function that looks at the request and gives one of these. Streamed, it comes in pieces of `piece` characters.
    A request beyond the script is an AssertionError; so are replies left over at the end of a
    `with` block that raised nothing, and at `verify()`. A script that is an iterator, such as a generator, is read on
    with each request; it may have no end, so what it has left is no fault. Several threads may ask at once.
    """

    name = "scripted"

    def __init__(
        self, replies: Iterable[ScriptedReply], *, capabilities: Capabilities = _CAPABLE, piece: int = 8
    ) -> None:
        if isinstance(replies, str):
            raise ValueError(f"the script is a list of replies, got only a text: put it in a list, {replies!r:.80}")
        if type(piece) is not int or piece < 1:
            raise ValueError(f"piece is a number of characters, 1 or more, got {piece!r:.80}")
        steps = map(_step, replies)
        goes_on = isinstance(replies, Iterator)
        self._left: deque[_Step] = deque(() if goes_on else steps)
        self._coming: Iterator[_Step] = steps if goes_on else iter(())
        self._length = len(self._left)
        self._taking = threading.RLock()  # one that a script that asks itself does not wait for
        self._piece = piece
        self.capabilities = capabilities
        self.requests: list[ModelRequest] = []

    def complete(self, request: ModelRequest) -> ModelReply:
        """The next reply of the script."""
        step = self._next(request)
        if isinstance(step, ModelReply):
            return step
        raise _cut(step, ()) if isinstance(step, CutReply) else step

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The next reply of the script, awaited."""
        return self.complete(request)

    def stream(self, request: ModelRequest) -> Iterator[Piece | ModelReply]:
        """The pieces of the next reply of the script, and at last the reply."""
        step = self._next(request)
        if isinstance(step, BaseException):
            raise step
        if isinstance(step, ModelReply):
            for _, piece in _pieces(step, self._piece):
                yield piece
            yield step
            return
        came = []
        for place, piece in islice(_pieces(_whole(step.reply), self._piece), step.after):
            came.append((place, piece))
            yield piece
        raise _cut(step, came)

    async def astream(self, request: ModelRequest) -> AsyncIterator[Piece | ModelReply]:
        """The pieces of the next reply of the script, and at last the reply, awaited."""
        for item in self.stream(request):
            yield item

    def verify(self) -> None:
        """AssertionError if a reply of the script was not asked for."""
        if self._left:
            count = f"{len(self._left)} of {self._length} scripted replies"
            raise AssertionError(f"{count} were not asked for; the next is {self._left[0]!r:.300}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.verify()

    def _next(self, request: ModelRequest) -> ModelReply | CutReply | BaseException:
        with self._taking:
            self.requests.append(request)
            number = len(self.requests)
            step = self._left.popleft() if self._left else next(self._coming, None)
            if step is None:
                raise AssertionError(
                    f"the script has {self._length} replies, but request {number} came: {_last_words(request)}"
                )
            if number > self._length:
                self._length = number
        while not isinstance(step, _ENDS):
            step = _step(step(request))
        return step


def _step(scripted: ScriptedReply) -> _Step:
    if isinstance(scripted, CutReply | BaseException):
        return scripted
    if callable(scripted) and not isinstance(scripted, type):
        return scripted
    return _whole(scripted)


def _whole(scripted: object) -> ModelReply:
    match scripted:
        case ModelReply():
            return scripted
        case str() | ToolCall():
            return _whole([scripted])
        case [*said] if all(isinstance(part, str | ToolCall) for part in said):
            parts: list[Any] = said
            calls = any(isinstance(part, ToolCall) for part in parts)
            return ModelReply(
                parts=tuple(TextPart(part) if isinstance(part, str) else part for part in parts),
                finish="tool_calls" if calls else "stop",
                model=ScriptedModel.name,
            )
        case _:
            raise ValueError(
                "a scripted reply is text, calls, a ModelReply, an exception, or a function that gives one of these, "
                f"got {scripted!r:.200}"
            )


def _pieces(reply: ModelReply, size: int) -> Iterator[tuple[int, Piece]]:
    """The pieces of a reply, and with each the place of its part in it."""
    calls = 0
    for place, part in enumerate(reply.parts):
        match part:
            case TextPart(text):
                yield from ((place, TextPiece(text[start : start + size])) for start in range(0, len(text), size))
            case ToolCall(id=call_id, name=name, arguments=written):
                yield place, CallPiece(calls, call_id, name, "")
                for start in range(0, len(written), size):
                    yield place, CallPiece(calls, call_id, name, written[start : start + size])
                calls += 1
            case _:
                pass


def _cut(step: CutReply, came: Sequence[tuple[int, Piece]]) -> StreamCutError:
    """The error that holds the parts of a reply of which pieces came, as far as they did."""
    whole = _whole(step.reply)
    texts: dict[int, list[str]] = {}
    for place, piece in came:
        texts.setdefault(place, []).append(piece.text if isinstance(piece, TextPiece) else piece.arguments)
    parts = tuple(_begun(whole.parts[place], "".join(held)) for place, held in texts.items())
    partial = replace(whole, parts=parts, finish=None)
    return StreamCutError(f"the scripted reply broke off after {len(came)} of its pieces", partial)


def _begun(part: ReplyPart, text: str) -> ReplyPart:
    return replace(part, arguments=text) if isinstance(part, ToolCall) else TextPart(text)


def _last_words(request: ModelRequest) -> str:
    if not request.messages:
        return "it has no messages"
    last = request.messages[-1]
    return f"its last message is {last.role}'s {last.parts!r:.300}"
