"""Whoever stops to read, or is cancelled, leaves nothing behind: the connection is closed, and no thread goes on."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import aclosing, closing
from typing import Any

import pytest

from magic_tools import ModelSettings, RunOptions, Timeouts, arun, load_model
from magic_tools.loop.streamed import TextDelta
from magic_tools.streaming import arun_stream, run_stream
from tests.chaos.faults import KEY, Scene
from tests.chaos.server import ChaosServer, End, Request, Step
from tests.chaos.voices import VOICES, Voice

each_voice = pytest.mark.parametrize("voice", VOICES, ids=lambda voice: voice.prefix)
with_and_without_an_end = pytest.mark.parametrize("total_s", [None, 30.0], ids=["no time in all", "a time in all"])


@pytest.fixture
def server() -> Iterator[ChaosServer]:
    with ChaosServer() as started:
        yield started


def _asking(server: ChaosServer, voice: Voice, total_s: float | None, *ends: Step) -> dict[str, Any]:
    """What a run is called with whose server tells half of the text, and then ends so."""

    def answer(request: Request) -> Iterable[Step]:
        return [Scene(voice, "cell-0", request, server.port).begun(told=True), *ends]

    server.cells["cell-0"] = answer
    model = load_model(f"{voice.prefix}:m", base_url=f"http://127.0.0.1:{server.port}{voice.base}", api_key=KEY)
    options = RunOptions(settings=ModelSettings(timeouts=Timeouts(10, 20, 20, total_s), tries=1))
    return {"prompt": "Say cell-0.", "model": model, "options": options}


def _until(is_so: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Whether it is so, within some seconds."""
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        gc.collect()
        time.sleep(0.02)
    return is_so()


def _has_no_thread() -> bool:
    return not [thread for thread in threading.enumerate() if thread.name.startswith("magic-tools")]


@each_voice
@with_and_without_an_end
def test_a_stream_that_is_read_no_further(server: ChaosServer, voice: Voice, total_s: float | None) -> None:
    """Though the server would go on hanging."""
    asking = _asking(server, voice, total_s, End.HANG)
    with closing(run_stream(**asking)) as events:
        assert next(events) == TextDelta("It is ")
        assert server.open_connections == 1
    assert _until(lambda: server.open_connections == 0)
    assert _until(_has_no_thread)


@each_voice
@with_and_without_an_end
def test_an_async_stream_that_is_read_no_further(server: ChaosServer, voice: Voice, total_s: float | None) -> None:
    """The connection is closed while the loop goes on."""
    asking = _asking(server, voice, total_s, End.HANG)

    async def leaving() -> None:
        async with aclosing(arun_stream(**asking)) as events:
            assert await anext(events) == TextDelta("It is ")
            assert server.open_connections == 1
        assert await asyncio.to_thread(_until, lambda: server.open_connections == 0)

    asyncio.run(leaving())
    assert _until(_has_no_thread)


@each_voice
@with_and_without_an_end
@pytest.mark.parametrize("streamed", [False, True], ids=["run", "stream"])
def test_a_run_that_is_cancelled(server: ChaosServer, voice: Voice, total_s: float | None, streamed: bool) -> None:
    """Promptly, with its connection closed and no other request."""
    asking = _asking(server, voice, total_s, End.HANG)

    async def reading() -> None:
        if streamed:
            async for _ in arun_stream(**asking):
                pass
        else:
            await arun(**asking)

    async def cancelling() -> None:
        task = asyncio.create_task(reading())
        assert await asyncio.to_thread(_until, lambda: bool(server.asked))
        await asyncio.sleep(0.05)
        task.cancel()
        began = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - began < 3
        assert await asyncio.to_thread(_until, lambda: server.open_connections == 0)

    asyncio.run(cancelling())
    assert len(server.asked["cell-0"]) == 1
    assert _until(_has_no_thread)
