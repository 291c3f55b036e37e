"""The cells of a provider, played against one server: side by side, each watched, and what they leave behind."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from magic_tools import load_model
from magic_tools.chat import ChatModel
from tests.chaos.cells import Cell, Found
from tests.chaos.faults import KEY, Pace
from tests.chaos.plays import Play, asked_async, asked_sync, came_of
from tests.chaos.server import ChaosServer
from tests.chaos.voices import Voice

__all__ = ["Report", "played"]

_LONGEST_S = 60.0
"""After this time a cell is taken to hang."""

_AT_ONCE: Mapping[Pace, int] = {"patient": 48, "impatient": 40, "heavy": 1}
"""How many cells are under way at a time: fewer where a busy machine would look like a slow server."""

_BETWEEN_S = 0.02
"""What is between the beginnings of the first of them."""


class _Stage:
    """Where the cells of one provider are played."""

    def __init__(self, server: ChaosServer, voice: Voice, nobody: int) -> None:
        self.server = server
        self._models = {port: self._model(voice, port) for port in (server.port, nobody)}
        self._nobody = nobody

    @staticmethod
    def _model(voice: Voice, port: int) -> ChatModel:
        return load_model(f"{voice.prefix}:m", base_url=f"http://127.0.0.1:{port}{voice.base}", api_key=KEY)

    def begin(self, cell: Cell) -> tuple[Play, ChatModel]:
        """A cell, and the model that it asks."""
        play = Play(cell, self.server.port)
        self.server.cells[play.name] = play.answer
        if cell.fault.is_apart:
            return play, self._model(cell.voice, self.server.port)
        return play, self._models[self.server.port if cell.fault.is_answered else self._nobody]

    def end(self, play: Play, began: float, value: str, error: Exception | None = None) -> Found:
        """What has come of a cell."""
        requests = self.server.asked.get(play.name, ())
        return replace(came_of(play, time.monotonic() - began, value, error), requests=requests)


_HUNG = Found("hung")


def _all_in_sync(stage: _Stage, cells: Sequence[Cell], at_once: int, tell: Callable[[Any], None]) -> None:
    waiting = iter(cells)
    taking = threading.Lock()

    def lane() -> None:
        while True:
            with taking:
                taken = next(waiting, None)
            if taken is None:
                return
            play, model = stage.begin(taken)
            began = time.monotonic()
            try:
                found = stage.end(play, began, asked_sync(play, model))
            except Exception as error:
                found = stage.end(play, began, "", error)
            tell((taken, found))

    lanes = [threading.Thread(target=lane, name="chaos-cell", daemon=True) for _ in range(at_once)]
    for each in lanes:
        each.start()
        time.sleep(_BETWEEN_S)
    for each in lanes:
        each.join()


def _all_in_async(stage: _Stage, cells: Sequence[Cell], at_once: int, tell: Callable[[Any], None]) -> None:
    async def one(cell: Cell, seats: asyncio.Semaphore) -> None:
        async with seats:
            play, model = stage.begin(cell)
            began = time.monotonic()
            try:
                found = stage.end(play, began, await asyncio.wait_for(asked_async(play, model), _LONGEST_S))
            except TimeoutError:
                found = _HUNG
            except Exception as error:
                found = stage.end(play, began, "", error)
            tell((cell, found))

    async def all_of_them() -> None:
        seats = asyncio.Semaphore(at_once)
        tasks = []
        for cell in cells:
            tasks.append(asyncio.create_task(one(cell, seats)))
            if len(tasks) < at_once:
                await asyncio.sleep(_BETWEEN_S)
        await asyncio.gather(*tasks)

    asyncio.run(all_of_them())


class Report(NamedTuple):
    """What came of the cells of a provider; log records that hold the key, and what was left behind."""

    found: dict[Cell, Found]
    leaks: Sequence[str]
    left: Sequence[str]


def played(voice: Voice, cells: Sequence[Cell]) -> Report:
    """The cells of a provider, played side by side as far as their pace allows."""
    with ChaosServer() as server, _nobodys_port() as nobody, _listening() as leaks:
        stage = _Stage(server, voice, nobody)
        found: dict[Cell, Found] = {}
        for pace, at_once in _AT_ONCE.items():
            for playing, is_async in ((_all_in_sync, False), (_all_in_async, True)):
                chosen = [cell for cell in cells if cell.fault.pace == pace and cell.way.startswith("a") == is_async]
                found |= _watched(stage, chosen, at_once, playing)
        del stage
        return Report(found, leaks, _left(server))


def _watched(stage: _Stage, cells: Sequence[Cell], at_once: int, playing: Callable[..., None]) -> dict[Cell, Found]:
    """What came of the cells; what has not come to its end when nothing else does has hung."""
    told: SimpleQueue[tuple[Cell, Found]] = SimpleQueue()
    threading.Thread(target=playing, args=(stage, cells, at_once, told.put), name="chaos-cells", daemon=True).start()
    found: dict[Cell, Found] = {}
    while len(found) < len(cells):
        try:
            cell, came = told.get(timeout=_LONGEST_S + 5)
        except Empty:
            break
        found[cell] = came
    return {cell: found.get(cell, _HUNG) for cell in cells}


@contextmanager
def _nobodys_port() -> Iterator[int]:
    """A port at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


class _Leaks(logging.Handler):
    """Keeps the log records that hold the key."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        if KEY in text:
            self.found.append(f"{record.name}: {text}")


@contextmanager
def _listening() -> Iterator[Sequence[str]]:
    """The log records of every logger, at every level, that hold the key."""
    root, handler = logging.getLogger(), _Leaks()
    level, handlers = root.level, root.handlers
    root.handlers = [handler]  # and none that would keep them all
    root.setLevel(logging.DEBUG)
    try:
        yield handler.found
    finally:
        root.setLevel(level)
        root.handlers = handlers


def _left(server: ChaosServer) -> Sequence[str]:
    """Threads and connections that are left behind, once their models are gone."""
    end = time.monotonic() + 5
    while True:
        gc.collect()
        threads = [thread.name for thread in threading.enumerate() if thread.name.startswith("magic-tools")]
        left = [*threads, *["a connection"] * server.open_connections]
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.05)
