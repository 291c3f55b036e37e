"""What holds after every run: no thread, no descriptor, no complaint of what was never awaited or retrieved."""

from __future__ import annotations

import gc
from collections.abc import Iterator

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
