"""One cell under way: what its server says, and how its model is asked."""

from __future__ import annotations

import itertools
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any

from magic_tools import ModelSettings, RunOptions, arun, run, tool
from magic_tools.chat import ModelReply, ModelRequest, TextPiece
from magic_tools.errors import MagicToolsError
from magic_tools.events import ModelAttempted
from magic_tools.loop.streamed import Done, TextDelta
from magic_tools.messages import Message
from magic_tools.streaming import arun_stream, run_stream
from tests.chaos.cells import Cell, Found
from tests.chaos.faults import VALUE, Scene
from tests.chaos.server import Request, Step

__all__ = ["Play", "asked_async", "asked_sync", "came_of"]

_NUMBERS = itertools.count()
_EFFECTS: Counter[str] = Counter()


@dataclass
class Play:
    """One cell under way."""

    cell: Cell
    port: int
    name: str = field(init=False)
    waits: list[float] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    _replies: int = 0

    def __post_init__(self) -> None:
        self.name = f"cell-{self.cell.voice.prefix}-{next(_NUMBERS)}"

    def answer(self, request: Request) -> Iterable[Step]:
        """What the server says to the next request."""
        scene = Scene(self.cell.voice, self.name, request, self.port)
        fault, mode = self.cell.fault, self.cell.mode
        is_redirected = request.body is None or "localhost" in request.headers["host"]
        at = self._replies
        self._replies += 1
        before = 0 if fault.first or mode == "asked" else 1
        if at < before:
            return [scene.called()]
        if mode == "once" and at >= before + fault.requests and not is_redirected:
            return [scene.good()]
        return fault.plays(scene)

    def trace(self, event: object) -> None:
        """Keep the waits between tries."""
        if isinstance(event, ModelAttempted) and event.wait_s is not None:
            self.waits.append(event.wait_s)

    @property
    def settings(self) -> ModelSettings:
        """A second try for runs, small times for what hangs."""
        return ModelSettings(timeouts=self.cell.fault.timeouts, tries=1 if self.cell.mode == "asked" else 2)


@tool
def count(cell: str, place: int | None = None) -> str:
    """Count a call of a cell."""
    _EFFECTS[cell] += 1
    return "counted"


def _running(play: Play, model: Any) -> dict[str, Any]:
    options = RunOptions(settings=play.settings, trace=play.trace)
    return {"prompt": f"Count {play.name}.", "tools": [count], "model": model, "options": options}


def _request(play: Play) -> ModelRequest:
    return ModelRequest((Message.user(f"Count {play.name}."),), settings=play.settings)


def _heard(play: Play, events: Iterable[Any]) -> str:
    value = ""
    for event in events:
        value = _hear(play, event) or value
    return value


def _hear(play: Play, event: Any) -> str | None:
    """Keep the text that a stream tells; its value, where it is the end."""
    match event:
        case TextDelta(text) | TextPiece(text):
            play.told.append(text)
        case Done(outcome):
            return str(outcome.value)
        case ModelReply():
            return event.text
        case _:
            pass
    return None


def asked_sync(play: Play, model: Any) -> str:
    match play.cell.way, play.cell.mode:
        case "run", "asked":
            return str(model.complete(_request(play)).text)
        case "run", _:
            return str(run(**_running(play, model)).value)
        case _, "asked":
            return _heard(play, model.stream(_request(play)))
        case _:
            return _heard(play, run_stream(**_running(play, model)))


async def asked_async(play: Play, model: Any) -> str:
    match play.cell.way, play.cell.mode:
        case "arun", "asked":
            return str((await model.acomplete(_request(play))).text)
        case "arun", _:
            return str((await arun(**_running(play, model))).value)
        case _, mode:
            events: AsyncIterator[Any] = (
                model.astream(_request(play)) if mode == "asked" else arun_stream(**_running(play, model))
            )
            value = ""
            async for event in events:
                value = _hear(play, event) or value
            return value


def _shown(error: BaseException) -> str:
    return "\n".join([str(error), repr(error), *traceback.format_exception(error)])


def came_of(play: Play, seconds: float, value: str, error: Exception | None) -> Found:
    """What has come of a cell, as far as its server does not know it."""
    kind = VALUE if error is None else type(error).__name__
    if error is not None and not isinstance(error, MagicToolsError):
        kind = f"{kind}, which is not of this library"
    return Found(
        kind,
        "" if error is None else _shown(error),
        value if error is None else str(error),
        _EFFECTS[play.name],
        (),
        play.waits,
        seconds,
        "".join(play.told),
    )
