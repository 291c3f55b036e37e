"""A request on its way to a server: tried again where that can help, after waits that the server may choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from magic_tools.effects.program import Program
from magic_tools.effects.retrying import Try, retried
from magic_tools.events import ModelAttempted
from magic_tools.models.failures import answered, may_pass, status_of, told_wait_s

__all__ = ["TRIES", "sent"]

TRIES = 3


@dataclass(frozen=True, slots=True)
class _Answer:
    response: Any = None
    error: Exception | None = None


def sent(
    once: Callable[[], Program[Any]],
    *,
    name: str = "",
    tries: int = TRIES,
    note: Callable[[ModelAttempted], Any] | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Program[Any]:
    """What a request is answered; what the last of at most so many tries raises.

    It is sent again after a lost connection, a timeout, and a status of 408, 409, 429 or 5xx, if nothing of the answer
    was handed on by then: after a wait by chance, of up to a second, which doubles, or longer where Retry-After says
    so, in seconds or as a date, and up to a minute. `note` is told of each try.
    """

    def tell(each: Try[_Answer]) -> None:
        if note is not None:
            error = each.outcome.error
            kind = None if error is None else type(error).__name__
            note(ModelAttempted(name, each.number, each.seconds, kind, status_of(error), each.wait_s))

    answer = yield from retried(
        lambda: _tried(once),
        tries=tries,
        again=lambda each: each.error is not None and may_pass(each.error, now()),
        told_wait_s=lambda each: told_wait_s(each.error, now()),
        note=tell,
        by_chance=True,
    )
    if answer.error is not None:
        raise answer.error
    return answer.response


def _tried(once: Callable[[], Program[Any]]) -> Program[_Answer]:
    try:
        return _Answer((yield from once()))
    except Exception as error:  # noqa: BLE001 - whatever it is, whoever asked is told in the end
        return _Answer(error=answered(error))
