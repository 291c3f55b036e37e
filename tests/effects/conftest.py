"""What holds after every run: no thread, no descriptor, no complaint of what was never awaited or retrieved."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from tests.effects.runs import descriptors, eventually, threads_alive


@pytest.fixture(autouse=True)
def _nothing_stays(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    threads, open_files = threads_alive(), descriptors()
    yield
    assert eventually(lambda: threads_alive() <= threads)
    gc.collect(1)
    assert descriptors() == open_files
    assert [record.getMessage() for record in caplog.get_records("call")] == []


@pytest.fixture
def interrupt_after() -> Iterator[Callable[[float], None]]:
    """A KeyboardInterrupt in the main thread, after so many seconds; 0 takes it back."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)

    def after(seconds: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)

    yield after
    after(0)
    signal.signal(signal.SIGALRM, before)
