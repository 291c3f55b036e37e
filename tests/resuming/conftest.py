"""What holds after every run that pauses, is cancelled, or is lost: no thread of it is left."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """No thread of a run outlives it, but those of functions that cannot be stopped."""
    before = set(threading.enumerate())
    yield
    end = time.monotonic() + 5
    while (left := set(threading.enumerate()) - before) and time.monotonic() < end:
        if all(getattr(thread, "abandoned", False) for thread in left):
            break
        time.sleep(0.01)
    else:
        assert not left
