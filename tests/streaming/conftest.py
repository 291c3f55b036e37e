"""Both ways to read a stream."""

from __future__ import annotations

import pytest

from tests.streaming.hearing import Hear, Read, hear, hear_awaited, read, read_awaited


@pytest.fixture(name="hear", params=[hear, hear_awaited], ids=["sync", "async"])
def both_ways_to_hear(request: pytest.FixtureRequest) -> Hear:
    """What a run tells."""
    made: Hear = request.param
    return made


@pytest.fixture(name="read", params=[read, read_awaited], ids=["sync", "async"])
def both_ways_to_read(request: pytest.FixtureRequest) -> Read:
    """What an answer that arrives tells."""
    made: Read = request.param
    return made
