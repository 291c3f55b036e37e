"""A request on its way to a server: tried again where that can help, after waits that the server may choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from magic_tools.effects.program import Call, Program
from magic_tools.effects.retrying import retried

__all__ = ["LONGEST_WAIT_S", "TRIES", "sent", "told_wait_s"]

TRIES = 3
LONGEST_WAIT_S = 60.0
"""A server that asks for a longer wait is not asked again."""

# What may be otherwise a moment later (RFC 9110; 529 is what Anthropic says when it is overloaded).
_PASSING = frozenset({408, 409, 429, *range(500, 600)})
_LOST = frozenset({"APIConnectionError", "APITimeoutError"})
"""The SDKs' classes of requests that were not answered."""


@dataclass(frozen=True, slots=True)
class _Answer:
    response: Any = None
    error: Exception | None = None


def sent(ask: Call, *, tries: int = TRIES, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Program[Any]:
    """What a request is answered; what the last of at most so many tries raises.

    It is sent again after a lost connection, a timeout, and a status of 408, 409, 429 or 5xx, after half a second that
    doubles, or longer where Retry-After says so: in seconds or as a date, and up to a minute.
    """
    answer = yield from retried(
        lambda: _once(ask),
        tries=tries,
        again=lambda each: _may_pass(each, now()),
        told_wait_s=lambda each: told_wait_s(each.error, now()),
    )
    if answer.error is not None:
        raise answer.error
    return answer.response


def told_wait_s(error: Exception | None, now: datetime) -> float | None:
    """How many seconds a server wants to be left alone; None where it does not say, or says nothing that is one."""
    headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(KeyError, ValueError):
            return _above_none(float(headers[name]) * factor)
    with suppress(KeyError, ValueError):
        moment = parsedate_to_datetime(headers["retry-after"])
        return _above_none((moment - now).total_seconds())
    return None


def _above_none(seconds: float) -> float | None:
    return seconds if seconds > 0 else None


def _once(ask: Call) -> Program[_Answer]:
    try:
        return _Answer((yield ask))
    except Exception as error:  # noqa: BLE001 - whatever it is, whoever asked is told in the end
        return _Answer(error=error)


def _may_pass(answer: _Answer, now: datetime) -> bool:
    if answer.error is None or (told_wait_s(answer.error, now) or 0) > LONGEST_WAIT_S:
        return False
    names = {base.__name__ for base in type(answer.error).__mro__}
    return getattr(answer.error, "status_code", None) in _PASSING or not names.isdisjoint(_LOST)
