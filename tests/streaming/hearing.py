"""Both ways to read a stream, so that each test of one is one of sync and async streams."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from magic_tools import (
    Done,
    Outcome,
    Partial,
    PartialValue,
    RunEvent,
    TextDelta,
    ToolFinished,
    ToolStarted,
    aextract_stream,
    arun_stream,
    extract_stream,
    run_stream,
)

__all__ = ["ASTREAMED", "STREAMED", "Hear", "Heard", "Read", "hear", "hear_awaited", "read", "read_awaited"]


@dataclass
class Heard:
    """The events of a run, each as it was when it came, and what the stream raised, if it did."""

    events: list[RunEvent] = field(default_factory=list)
    error: Any = None

    def add(self, event: RunEvent) -> None:
        """One more event, as it is now."""
        self.events.append(replace(event, value=as_it_is(event.value)) if isinstance(event, PartialValue) else event)

    @property
    def outcome(self) -> Outcome[Any]:
        """The outcome, which is the last event, and the only one of its kind."""
        if self.error is not None:
            raise self.error
        *others, last = self.events
        assert isinstance(last, Done)
        assert not any(isinstance(each, Done) for each in others)
        return last.outcome

    @property
    def text(self) -> str:
        """All that was told of texts."""
        return "".join(each.text for each in self.events if isinstance(each, TextDelta))

    def values(self, call_id: str | None = None) -> list[Any]:
        """What was told of the answer, or of the arguments of a call."""
        return [each.value.value for each in self.events if isinstance(each, PartialValue) and each.call_id == call_id]

    @property
    def told(self) -> list[str]:
        """The events in short, those of one kind in a row as one."""
        short: list[str] = []
        for each in self.events:
            match each:
                case TextDelta():
                    kind = "text"
                case PartialValue(call_id=call_id):
                    kind = f"value {call_id}" if call_id else "value"
                case ToolStarted(call):
                    kind = f"started {call.id}"
                case ToolFinished(result):
                    kind = f"{'failed' if result.is_error else 'finished'} {result.call_id}"
                case _:
                    kind = "done"
            if not short or short[-1] != kind:
                short.append(kind)
        return short


def as_it_is(partial: Partial[Any]) -> Partial[Any]:
    """A partial value that does not grow on."""
    return partial.snapshot() if isinstance(partial.value, dict | list) else partial


Hear: TypeAlias = Callable[..., Heard]
Read: TypeAlias = Callable[..., list[Partial[Any]]]


def hear(*args: Any, **kwargs: Any) -> Heard:
    """What `run_stream` tells."""
    heard = Heard()
    events = run_stream(*args, **kwargs)
    try:
        for event in events:
            heard.add(event)
    except BaseException as error:
        heard.error = error
    return heard


def hear_awaited(*args: Any, **kwargs: Any) -> Heard:
    """What `arun_stream` tells."""
    heard = Heard()
    events = arun_stream(*args, **kwargs)

    async def listen() -> None:
        try:
            async for event in events:
                heard.add(event)
        except BaseException as error:
            heard.error = error

    asyncio.run(listen())
    return heard


def read(*args: Any, **kwargs: Any) -> list[Partial[Any]]:
    """What `extract_stream` tells, each as it was when it came."""
    return [as_it_is(partial) for partial in extract_stream(*args, **kwargs)]


def read_awaited(*args: Any, **kwargs: Any) -> list[Partial[Any]]:
    """What `aextract_stream` tells, each as it was when it came."""

    async def listen() -> list[Partial[Any]]:
        return [as_it_is(partial) async for partial in aextract_stream(*args, **kwargs)]

    return asyncio.run(listen())


def _streamed(*args: Any, **kwargs: Any) -> Outcome[Any]:
    return hear(*args, **kwargs).outcome


def _streamed_awaited(*args: Any, **kwargs: Any) -> Outcome[Any]:
    return hear_awaited(*args, **kwargs).outcome


STREAMED, ASTREAMED = _streamed, _streamed_awaited
"""A run by its stream, and by one that is awaited."""
