"""What holds for every case: it comes to the same whether a run is awaited or not, streamed or not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cases.voices import Way
from tests.models.wire_server import WireServer
from tests.streaming.hearing import ASTREAMED, STREAMED, Hear, hear, hear_awaited
from tests.ways import ASYNC, SYNC, RunIt

WAYS = {
    "sync": Way(SYNC.run, is_streamed=False),
    "async": Way(ASYNC.run, is_streamed=False),
    "streamed": Way(STREAMED, is_streamed=True),
    "streamed and awaited": Way(ASTREAMED, is_streamed=True),
}


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest) -> Way:
    """The four ways to run."""
    return WAYS[request.param]


@pytest.fixture
def run_it(way: Way) -> RunIt:
    """A run, in each of the four ways."""
    return way.run


@pytest.fixture(name="hear", params=[hear, hear_awaited], ids=["sync", "async"])
def both_ways_to_hear(request: pytest.FixtureRequest) -> Hear:
    """Both ways to read a stream."""
    made: Hear = request.param
    return made


@pytest.fixture
def server() -> Iterator[WireServer]:
    """A server on the loopback."""
    with WireServer() as made:
        yield made
