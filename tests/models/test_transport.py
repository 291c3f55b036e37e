"""A request on its way: what is sent again, after what wait, and what is not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from magic_tools import Message, ModelError, ModelRequest, ModelSettings, RateLimitError
from magic_tools.effects.program import Program
from magic_tools.models.failures import LONGEST_WAIT_S
from magic_tools.models.registry import load_model
from magic_tools.models.transport import sent
from tests.gateway.by_hand import ByHand
from tests.models.wire_server import Answer, WireServer

REQUEST = ModelRequest((Message.user("Hi"),))
NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


class Response:
    def __init__(self, headers: Mapping[str, str]) -> None:
        self.headers = headers


class StatusError(Exception):
    def __init__(self, status_code: int, **headers: str) -> None:
        super().__init__(status_code)
        self.status_code = status_code
        self.response = Response({name.replace("_", "-"): value for name, value in headers.items()})


class APIConnectionError(Exception):
    pass


class APITimeoutError(APIConnectionError):
    pass


def sending(*answers: Any, tries: int = 3) -> tuple[ByHand, Any]:
    """A caller, and what a request comes to whose tries are answered so."""
    left = iter(answers)

    def ask() -> Program[Any]:
        yield from ()
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return answer

    caller = ByHand()
    return caller, caller.run(sent(ask, tries=tries, now=lambda: NOW))


@pytest.mark.parametrize(
    ("told", "least", "most"),
    [
        ({"retry_after": "3"}, 3, 3.3),
        ({"retry_after": "Mon, 30 Nov 2026 12:00:05 GMT"}, 5, 5.3),
        ({"retry_after_ms": "2500"}, 2.5, 2.8),
        ({"retry_after": "0"}, 0.1, 1.0),
        ({"retry_after": "-1"}, 0.1, 1.0),
        ({"retry_after": "abc"}, 0.1, 1.0),
        ({"retry_after": "nan"}, 0.1, 1.0),
        ({"retry_after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.1, 1.0),
        ({}, 0.1, 1.0),
        ({"retry_after": str(int(LONGEST_WAIT_S))}, LONGEST_WAIT_S, LONGEST_WAIT_S + 0.3),
    ],
)
@pytest.mark.parametrize("status", [429, 529, 503])
def test_g1_what_a_server_asks_for(told: dict[str, str], least: float, most: float, status: int) -> None:
    """Its wait is kept, in seconds or as a date; where it says nothing that is one, the usual wait is made."""
    caller, answer = sending(StatusError(status, **told), "hello")
    assert answer == "hello"
    (slept,) = caller.slept
    assert least <= slept <= most


@pytest.mark.parametrize("told", ["999999", "61", "Tue, 01 Dec 2026 12:00:00 GMT"])
def test_g1_a_wait_that_is_too_long(told: str) -> None:
    """It is not made: the request is not sent again."""
    with pytest.raises(StatusError):
        sending(StatusError(429, retry_after=told), "hello")


@pytest.mark.parametrize("error", [StatusError(400), StatusError(401), StatusError(404), ValueError("x")])
def test_g1_what_is_sent_once(error: Exception) -> None:
    """What would be refused again is not sent again."""
    with pytest.raises(type(error)):
        sending(error, "hello")


@pytest.mark.parametrize(
    "error", [*map(StatusError, (408, 409, 429, 500, 502, 529)), APIConnectionError(), APITimeoutError()]
)
def test_what_is_sent_again(error: Exception) -> None:
    """What may pass, twice more by default, and then what was raised last is raised."""
    caller, answer = sending(error, error, "hello")
    assert (answer, len(caller.slept)) == ("hello", 2)
    with pytest.raises(type(error)):
        sending(error, error, error, "hello")
    with pytest.raises(type(error)):
        sending(error, "hello", tries=1)


def test_a_wait_that_is_too_long_is_told() -> None:
    """The error names the number, and the request was made once."""
    with WireServer() as wire:
        wire.answers.append(Answer({"error": {"message": "slow"}}, 429, headers={"Retry-After": "999999"}))
        model = load_model("openai:m", base_url=wire.base_url, settings=ModelSettings())
        with pytest.raises(
            RateLimitError, match="slow; it asks to wait 999999 s, and no request waits longer than 60 s"
        ):
            model.complete(REQUEST)
        assert len(wire.asked) == 1
        wire.answers[0] = Answer({"error": {"message": "no"}}, 400)
        with pytest.raises(ModelError, match="refuses the request"):
            model.complete(REQUEST)
        assert len(wire.asked) == 2
