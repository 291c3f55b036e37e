"""What holds for every test: no key, no model of the person's own, no way to the open network, no clock."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest
from hypothesis import settings

from tests.ways import ASYNC, SYNC, RunIt, Ways

settings.register_profile("untimed", deadline=None)
settings.register_profile("nightly", deadline=None, max_examples=20_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "untimed"))

_connect = socket.socket.connect


def _connect_to_this_machine(self: socket.socket, address: Any) -> None:
    host = address[0] if isinstance(address, tuple) else "localhost"
    if host not in ("localhost", "127.0.0.1", "::1"):
        raise AssertionError(f"a test tried to reach {host}: tests use this machine alone")
    _connect(self, address)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", _connect_to_this_machine)
    for name in os.environ:
        if name.startswith(("OPENAI_", "ANTHROPIC_")) or name == "MAGIC_TOOLS_MODEL":
            monkeypatch.delenv(name)


@pytest.fixture(params=[SYNC, ASYNC], ids=["sync", "async"])
def ways(request: pytest.FixtureRequest) -> Ways:
    """Both ways to run and to go on."""
    made: Ways = request.param
    return made


@pytest.fixture
def run_it(ways: Ways) -> RunIt:
    """Both ways to run."""
    return ways.run
