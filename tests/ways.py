"""Both ways to run and to go on, so that each test of a run is one of sync and async runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from magic_tools import Message, Outcome, ToolResult, aresume, arun, resume, run

__all__ = ["ASYNC", "SYNC", "RunIt", "Ways", "results_in"]

RunIt: TypeAlias = Callable[..., Outcome[Any]]


class Ways(NamedTuple):
    """A way to run, and one to go on."""

    run: RunIt
    resume: RunIt


def _awaited_run(*args: Any, **kwargs: Any) -> Outcome[Any]:
    return asyncio.run(arun(*args, **kwargs))


def _awaited_resume(*args: Any, **kwargs: Any) -> Outcome[Any]:
    return asyncio.run(aresume(*args, **kwargs))


SYNC = Ways(run, resume)
ASYNC = Ways(_awaited_run, _awaited_resume)


def results_in(transcript: Iterable[Message]) -> list[ToolResult]:
    """All results, in order."""
    return [part for message in transcript for part in message.parts if isinstance(part, ToolResult)]
