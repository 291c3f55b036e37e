"""A run, or an answer, read while it arrives."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, closing
from typing import Any, overload

from typing_extensions import TypeVar

from magic_tools.chat import ChatModel
from magic_tools.effects.runners import stream_async, stream_sync
from magic_tools.loop.driver import Course
from magic_tools.loop.streamed import Done, PartialValue, RunEvent, TextDelta
from magic_tools.loose.partial import Partial
from magic_tools.options import Limits, RunOptions
from magic_tools.running import outcome_kept
from magic_tools.starting import Prompt, Run, Tools, beginning

__all__ = ["aextract_stream", "arun_stream", "extract_stream", "run_stream"]

T = TypeVar("T", default=str)


def run_stream(
    prompt: Prompt,
    *,
    tools: Tools = (),
    output: Any = str,
    model: ChatModel | str | None = None,
    instructions: str | None = None,
    limits: Limits | None = None,
    context: Any = None,
    options: RunOptions | None = None,
) -> Generator[RunEvent, None, None]:
    """`run`, told while it goes on: text and values as they arrive, calls as they begin and end, at last the outcome.

    The events are `TextDelta`, `PartialValue`, `ToolStarted`, `ToolFinished` and, the last one, `Done`. The run goes
    on when the next event is asked for, and is cancelled when the iterator is closed. What it raises is what `run`
    raises, and StreamCutError, with what came as its `partial`, where a reply breaks off after some of it was told;
    one that breaks off before is asked for once more. A call of which not all has come is never made. A model that
    cannot stream tells each reply in one piece.
    """
    return _events(beginning(prompt, tools, output, model, instructions, limits, context, options, streamed=True))


def arun_stream(
    prompt: Prompt,
    *,
    tools: Tools = (),
    output: Any = str,
    model: ChatModel | str | None = None,
    instructions: str | None = None,
    limits: Limits | None = None,
    context: Any = None,
    options: RunOptions | None = None,
) -> AsyncGenerator[RunEvent, None]:
    """What `run_stream` tells, awaited: its events are read with `async for`."""
    return _events_awaited(
        beginning(prompt, tools, output, model, instructions, limits, context, options, streamed=True)
    )


@overload
def extract_stream(
    target: type[T], text: str, *, model: ChatModel | str | None = ..., instructions: str | None = ...,
    limits: Limits | None = ..., options: RunOptions | None = ...,
) -> Generator[Partial[T], None, None]: ...  # fmt: skip
@overload
def extract_stream(
    target: Any, text: str, *, model: ChatModel | str | None = ..., instructions: str | None = ...,
    limits: Limits | None = ..., options: RunOptions | None = ...,
) -> Generator[Partial[Any], None, None]: ...  # fmt: skip
def extract_stream(
    target: Any,
    text: str,
    *,
    model: ChatModel | str | None = None,
    instructions: str | None = None,
    limits: Limits | None = None,
    options: RunOptions | None = None,
) -> Generator[Partial[Any], None, None]:
    """`extract`, told while the answer arrives: as far as it has come, and at last, `complete`, validated.

    Each value is all that came so far, and grows as the stream is read: `Partial.snapshot()` is for those who keep it.
    Errors are those of `run_stream`.
    """
    return _partials(beginning(text, (), target, model, instructions, limits, None, options, streamed=True))


@overload
def aextract_stream(
    target: type[T], text: str, *, model: ChatModel | str | None = ..., instructions: str | None = ...,
    limits: Limits | None = ..., options: RunOptions | None = ...,
) -> AsyncGenerator[Partial[T], None]: ...  # fmt: skip
@overload
def aextract_stream(
    target: Any, text: str, *, model: ChatModel | str | None = ..., instructions: str | None = ...,
    limits: Limits | None = ..., options: RunOptions | None = ...,
) -> AsyncGenerator[Partial[Any], None]: ...  # fmt: skip
def aextract_stream(
    target: Any,
    text: str,
    *,
    model: ChatModel | str | None = None,
    instructions: str | None = None,
    limits: Limits | None = None,
    options: RunOptions | None = None,
) -> AsyncGenerator[Partial[Any], None]:
    """What `extract_stream` tells, awaited: its values are read with `async for`."""
    return _partials_awaited(beginning(text, (), target, model, instructions, limits, None, options, streamed=True))


def _events(begun: Run) -> Generator[RunEvent, None, None]:
    with outcome_kept(begun.course):
        yield from stream_sync(begun.program)


async def _events_awaited(begun: Run) -> AsyncGenerator[RunEvent, None]:
    with outcome_kept(begun.course):
        async with aclosing(stream_async(begun.program)) as emitted:
            async for event in emitted:
                yield event


def _partials(begun: Run) -> Generator[Partial[Any], None, None]:
    reading = _Reading(begun.course)
    with closing(_events(begun)) as events:
        for event in events:
            if (partial := reading.of(event)) is not None:
                yield partial


async def _partials_awaited(begun: Run) -> AsyncGenerator[Partial[Any], None]:
    reading = _Reading(begun.course)
    async with aclosing(_events_awaited(begun)) as events:
        async for event in events:
            if (partial := reading.of(event)) is not None:
                yield partial


class _Reading:
    """The events of a run as an answer that grows; each reply of the model is another."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._text = ""
        self._replies = 0

    def of(self, event: RunEvent) -> Partial[Any] | None:
        """The answer as an event tells it; None where it tells nothing of that."""
        match event:
            case TextDelta(text):  # the answer is text
                replies = len(self._course.state.requests)
                self._text = self._text + text if replies == self._replies else text
                self._replies = replies
                return Partial(self._text, open_path=(), validated=False)
            case PartialValue(partial, None):
                return partial
            case Done(outcome):
                return Partial(outcome.value, complete=True, repairs=outcome.repairs)
            case _:
                return None
