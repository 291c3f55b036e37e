"""Tries of something that may fail: tenacity decides whether there is another and after what wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from magic_tools.effects.program import DeadlineError, Program, Sleep

__all__ = ["Try", "longest_wait_s", "retried"]

T = TypeVar("T")

# Between two tries: half a second, doubled each time, at most eight, and up to a quarter of a second more by chance,
# so that many callers do not come back at once; nor do they where they were all told to wait as long.
_FIRST_WAIT_S, _LONGEST_WAIT_S, _JITTER_S = 0.5, 8.0, 0.25
_DOUBLINGS = 5  # after so many, a wait is the longest
_LEAST_WAIT_S = 0.1
"""The shortest of the waits that are wholly by chance."""


@dataclass(frozen=True, slots=True)
class Try(Generic[T]):
    """One try: its number from 1, what it came to, its seconds, and the wait before the next, if there is one."""

    number: int
    outcome: T
    seconds: float
    wait_s: float | None


def longest_wait_s(retries: int) -> float:
    """The most seconds that all waits between one try and so many more take, where no outcome asks for more."""
    doubled = [min(_FIRST_WAIT_S * 2.0**number, _LONGEST_WAIT_S) for number in range(min(retries, _DOUBLINGS))]
    return sum(doubled) + _LONGEST_WAIT_S * (retries - len(doubled)) + _JITTER_S * retries


def retried(
    once: Callable[[], Program[T]],
    *,
    tries: int,
    again: Callable[[T], bool],
    told_wait_s: Callable[[T], float | None] = lambda _: None,
    note: Callable[[Try[T]], None] | None = None,
    by_chance: bool = False,
) -> Program[T]:
    """What something comes to after at most so many tries, `again` saying of each outcome whether another may help.

    An outcome may tell how long to wait at least. `note` is told of each try. Waits that are wholly `by_chance` lie
    anywhere below a bound that doubles from a second on, as suits callers of one server who do not know of each other.
    """
    from tenacity import (
        DoAttempt,
        DoSleep,
        RetryCallState,
        Retrying,
        retry_if_result,
        stop_after_attempt,
        wait_exponential,
        wait_random,
        wait_random_exponential,
    )

    spread = wait_random(0, _JITTER_S)
    backoff: Any = (
        wait_random_exponential(multiplier=2 * _FIRST_WAIT_S, max=_LONGEST_WAIT_S, min=_LEAST_WAIT_S)
        if by_chance
        else wait_exponential(multiplier=_FIRST_WAIT_S, max=_LONGEST_WAIT_S) + spread
    )

    def wait(state: RetryCallState) -> float:
        told_s = told_wait_s(_outcome(state))
        return max(float(backoff(state)), told_s + float(spread(state)) if told_s else 0.0)

    decider = Retrying(
        stop=stop_after_attempt(tries), wait=wait, retry=retry_if_result(again), retry_error_callback=_outcome
    )
    state = RetryCallState(decider, fn=None, args=(), kwargs={})
    decider.begin()
    decision: Any = decider.iter(state)
    while isinstance(decision, DoAttempt):
        started = time.monotonic()
        outcome = yield from once()
        seconds, number = time.monotonic() - started, state.attempt_number
        state.set_result(outcome)
        decision = decider.iter(state)
        wait_s = float(decision) if isinstance(decision, DoSleep) else None
        if note is not None:
            note(Try(number, outcome, seconds, wait_s))
        if wait_s is not None:
            try:
                yield Sleep(wait_s)
            except DeadlineError:
                return outcome
            state.prepare_for_next_attempt()
            decision = decider.iter(state)
    return decision  # type: ignore[no-any-return]  # the last outcome, which tenacity does not type


def _outcome(state: Any) -> Any:
    return state.outcome.result()
