"""What a run tells while it goes on, to whoever reads it as a stream."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from magic_tools.asking import asked
from magic_tools.chat import CallPiece, ChatModel, ModelReply, ModelRequest, Piece, TextPiece, fault_of
from magic_tools.effects.program import Call, CallBrokenError, CallCancelledError, Emit, NoWorkerError, Program
from magic_tools.errors import ModelError, StreamCutError
from magic_tools.loop.state import LoopState
from magic_tools.loose.partial import Partial
from magic_tools.loose.stream import IncrementalParser
from magic_tools.messages import ToolCall, ToolResult
from magic_tools.outcome import Outcome
from magic_tools.outputs.answer import Answer
from magic_tools.outputs.growing_answer import GrowingAnswer
from magic_tools.tools.failures import Failure
from magic_tools.tools.readying import Ready
from magic_tools.transcripts import with_own_ids

__all__ = ["Done", "PartialValue", "RunEvent", "Telling", "TextDelta", "ToolFinished", "ToolStarted", "reply_of"]

T = TypeVar("T")
_NO_KEYWORDS: Mapping[str, Any] = {}

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text of the model that has just arrived; in a run with a typed answer, what arrives of that is a PartialValue."""

    text: str


@dataclass(frozen=True, slots=True)
class PartialValue(Generic[T]):
    """A value as far as it has arrived: the answer, or the arguments of a call, whose id and tool are then told.

    A call of an output tool is the answer. Each holds all that came so far. Where the model is asked again, another
    value begins.
    """

    value: Partial[T]
    call_id: str | None = None
    tool: str | None = None


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call is about to be made; its arguments are whole, and fit."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call has come to its result; one that was not made, such as a repeat, comes to an error without a start."""

    result: ToolResult


@dataclass(frozen=True, slots=True)
class Done(Generic[T_co]):
    """The run has ended; the last event of its stream."""

    outcome: Outcome[T_co]


RunEvent: TypeAlias = TextDelta | PartialValue[Any] | ToolStarted | ToolFinished | Done[Any]


def reply_of(
    model: ChatModel, request: ModelRequest, timeout_s: float | None, telling: Telling | None = None
) -> Program[ModelReply]:
    """The reply of a model, which is checked to be one; where there is a `telling`, what arrives is emitted.

    Where it breaks off before anything was told of the text or of the answer, the model is asked once more.
    """
    reply: ModelReply
    try:
        if telling is None:
            reply = yield Call(model.complete, (request,), _NO_KEYWORDS, model.acomplete, timeout_s)
        else:
            reply = yield from _streamed(model, request, timeout_s, telling)
    except (CallBrokenError, CallCancelledError, NoWorkerError) as error:
        raise ModelError(f"The model {model.name} gave no reply: {error}.") from error
    if fault := fault_of(reply):
        raise ModelError(f"The model {model.name} gave no reply that can be read: {fault}.")
    return reply


def _streamed(
    model: ChatModel, request: ModelRequest, timeout_s: float | None, telling: Telling
) -> Program[ModelReply]:
    began = time.monotonic()
    told = telling.reply()
    try:
        return (yield from asked(model, request, streamed=True, timeout_s=timeout_s, told=told))
    except StreamCutError as error:
        if told.has_answered:
            raise
        telling.note_cut(error.partial)
    if timeout_s is not None:
        timeout_s = max(0.0, timeout_s - (time.monotonic() - began))
    return (yield from asked(model, request, streamed=True, timeout_s=timeout_s, told=telling.reply()))


class Telling:
    """What a run emits while it goes on.

    `note_cut` is told of each reply that broke off and for which another is asked for.
    """

    def __init__(self, answer: Answer, state: LoopState, note_cut: Callable[[ModelReply], None]) -> None:
        self.note_cut = note_cut
        self._answer = answer
        self._ids = state.ids
        self._seen = len(state.transcript)
        self._finished: set[str] = set()

    def reply(self) -> ReplyTelling:
        """What tells the reply that comes next."""
        return ReplyTelling(self._answer, self._ids)

    def call(self, readied: Ready, program: Program[ToolResult]) -> Program[ToolResult]:
        """A call, of which are told its beginning, unless it is refused as it is, and its end."""
        if not isinstance(readied.prepared, Failure):
            yield Emit(ToolStarted(readied.call))
        result = yield from program
        self._finished.add(result.call_id)
        yield Emit(ToolFinished(result))
        return result

    def step(self, state: LoopState) -> Program[None]:
        """The results, since the step before, of calls that were answered without being made."""
        self._ids = state.ids
        told = {*self._answer.tool_names}
        for message in state.transcript[self._seen :]:
            for part in message.parts:
                if isinstance(part, ToolResult) and part.call_id not in self._finished and part.name not in told:
                    yield Emit(ToolFinished(part))
        self._seen = len(state.transcript)


class ReplyTelling:
    """The pieces of one reply as events of a run."""

    def __init__(self, answer: Answer, taken: frozenset[str]) -> None:
        self.has_answered = False
        """Whether something was told of the text or of the answer."""
        self._answer = answer
        self._taken = taken
        self._text = answer.growing()
        self._begun: dict[int, ToolCall] = {}
        self._calls: dict[int, GrowingAnswer | _Arguments] = {}

    def __call__(self, piece: Piece) -> tuple[RunEvent, ...]:
        """The events of a piece; none of one that holds what is no text, as the whole reply will be looked at."""
        return self._of_text(piece.text) if isinstance(piece, TextPiece) else self._of_call(piece)

    def _of_text(self, text: object) -> tuple[RunEvent, ...]:
        if not text or not isinstance(text, str):
            return ()
        if self._text is None:
            self.has_answered = True
            return (TextDelta(text),)
        partial = self._text.feed(text)
        if partial is None:
            return ()
        self.has_answered = True
        return (PartialValue(partial),)

    def _of_call(self, piece: CallPiece) -> tuple[RunEvent, ...]:
        if not _is_sound(piece):
            return ()
        growing = self._calls.get(piece.index)
        if growing is None:
            self._begun[piece.index] = ToolCall(piece.id, piece.name, "")
            if not piece.arguments:
                return ()
            growing = self._calls[piece.index] = self._growing(piece)
        partial = growing.feed(piece.arguments)
        if partial is None:
            return ()
        if isinstance(growing, _Arguments):
            return (PartialValue(partial, growing.call.id, growing.call.name),)
        self.has_answered = True
        return (PartialValue(partial),)

    def _growing(self, piece: CallPiece) -> GrowingAnswer | _Arguments:
        """What reads the arguments of a call, whose name and id are whole when they come: under its id in the run."""
        until_it = [self._begun[index] for index in sorted(self._begun) if index <= piece.index]
        return self._answer.growing(piece.name) or _Arguments(with_own_ids(until_it, self._taken)[-1])


def _is_sound(piece: CallPiece) -> bool:
    """Whether a piece, which a model of somebody's own may have made, holds what it is to hold."""
    index: object = piece.index
    call_id: object = piece.id
    name: object = piece.name
    arguments: object = piece.arguments
    texts = isinstance(call_id, str) and isinstance(name, str) and isinstance(arguments, str)
    return texts and isinstance(index, int)


class _Arguments:
    """The arguments of a call while they arrive, as plain data."""

    def __init__(self, call: ToolCall) -> None:
        self.call = call
        self._parser = IncrementalParser(kinds=(dict,))

    def feed(self, piece: str) -> Partial[Any] | None:
        """The arguments as far as they have come; None where there is no more to see than before."""
        self._parser.feed(piece)
        if not self._parser.changed:
            return None
        return Partial(self._parser.value, self._parser.open_path, validated=False)
