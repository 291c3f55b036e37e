"""What keeps a run from going on and on: limits, failures in a row, calls made again, and circles of calls."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from magic_tools.loop.state import Done, LoopState, Pending
from magic_tools.messages import ErrorCode, ToolResult
from magic_tools.options import Limits
from magic_tools.outcome import StopReason

__all__ = [
    "KEPT_BACK",
    "UNKNOWN_NAMES",
    "after_calls",
    "after_one",
    "earlier_of",
    "failures_after",
    "goes_round",
    "has_time_left",
    "limit_reached",
    "reusable_after",
    "seconds_left",
    "times_of",
    "unsure_after",
]

KEPT_BACK = 0.1
"""The part of the time and of the tokens that is kept back for the last request."""

_LONGEST_CIRCLE = 4
_LONGEST_TOKEN = 64
UNKNOWN_NAMES = ""
"""Under this name the failures of all calls to unknown tools are counted."""

_NOT_MADE = (ErrorCode.INVALID_ARGUMENT, ErrorCode.REQUIRES_APPROVAL)


def limit_reached(state: LoopState) -> StopReason | None:
    """Which limit leaves no more than the last request, if one does."""
    limits, share = state.limits, 1 - KEPT_BACK
    if state.steps >= limits.steps:
        return "step_limit"
    if limits.deadline_s is not None and state.seconds >= share * limits.deadline_s:
        return "deadline"
    if limits.tokens is not None and _tokens(state) >= share * limits.tokens:
        return "token_budget"
    return None


def has_time_left(state: LoopState) -> bool:
    """Whether time and tokens are left for a last request."""
    limits = state.limits
    return (limits.deadline_s is None or state.seconds < limits.deadline_s) and (
        limits.tokens is None or _tokens(state) < limits.tokens
    )


def seconds_left(state: LoopState) -> float | None:
    """The seconds that what is done next may take; the last request has those that were kept back too."""
    if state.limits.deadline_s is None:
        return None
    share = 1 if state.closing else 1 - KEPT_BACK
    return max(0.0, share * state.limits.deadline_s - state.seconds)


def _tokens(state: LoopState) -> int:
    return state.usage.input_tokens + state.usage.output_tokens


def failures_after(failures: Mapping[str, int], pending: Iterable[Pending]) -> Mapping[str, int]:
    """The failures in a row after the results of a reply; several of one tool are one.

    What was not run, as a repeat or as one call too many, is no failure of its tool. No call of an unknown name can
    succeed, so that what ends their row is the success of another call.
    """
    failed: dict[str, bool] = {}
    succeeded = False
    for each in pending:
        if each.status != "to_run" or each.result is None:
            continue
        name = each.call.name if each.facts.known else UNKNOWN_NAMES
        failed[name] = failed.get(name, False) or each.result.is_error
        succeeded = succeeded or not each.result.is_error
    if succeeded:
        failed.setdefault(UNKNOWN_NAMES, False)
    if not failures and not any(failed.values()):
        return failures
    return {**failures, **{name: failures.get(name, 0) + 1 if bad else 0 for name, bad in failed.items()}}


def earlier_of(recent: tuple[Done, ...], digest: str, turn: int, repeats: int) -> Done | None:
    """What a call of a turn repeats, so that nothing new can come of it; None for one that may be made.

    Either it was made `repeats` times, and nothing else since, or it goes on with a circle of two to four calls
    which has gone round that often again, each time with the same results.
    """
    last = _last_of(recent, digest)
    if last is None:
        return None
    if _is_next(recent, last, turn):
        return last if last.times >= repeats else None
    for length in range(2, _LONGEST_CIRCLE + 1):
        start = len(recent) - length
        if start < length * repeats or recent[start].digest != digest:
            continue
        circle = recent[start:]
        rounds = (recent[start - length * each : start - length * (each - 1)] for each in range(1, repeats + 1))
        if all(map(_is_same_round, rounds, (circle,) * repeats)):
            return recent[start]
    return None


def _last_of(recent: tuple[Done, ...], digest: str) -> Done | None:
    return next((done for done in reversed(recent) if done.digest == digest), None)


def _is_next(recent: tuple[Done, ...], last: Done, turn: int) -> bool:
    """Whether nothing was done between a call and one of a turn; those of one reply are made side by side."""
    return not any(last.turn < done.turn < turn for done in recent)


def times_of(recent: tuple[Done, ...], digest: str) -> int:
    """How often a call was made among the latest ones."""
    return sum({done.call_id: done.times for done in recent if done.digest == digest}.values())


def _is_same_round(one: tuple[Done, ...], other: tuple[Done, ...]) -> bool:
    return all(a.digest == b.digest and a.token == b.token and a.token != "" for a, b in zip(one, other, strict=True))


def after_one(recent: tuple[Done, ...], done: Done, limits: Limits) -> tuple[Done, ...]:
    """The latest calls with one more, as many of them as a circle, or the same reply again, can be seen in."""
    last = _last_of(recent, done.digest)
    if last is not None and _is_next(recent, last, done.turn):
        recent = tuple(each for each in recent if each is not last)
        done = done._replace(times=last.times + done.times)
    kept = max(_LONGEST_CIRCLE * (limits.repeats + 2), 2 * limits.calls_per_step)
    return (*recent, done)[-kept:]


def goes_round(recent: tuple[Done, ...], earlier: Done, turn: int) -> tuple[Done, ...]:
    """The latest calls with one that would go on with a circle, as if it had come to what it came to before."""
    return recent if _is_next(recent, earlier, turn) else (*recent, earlier._replace(turn=turn))


def after_calls(state: LoopState, pending: Iterable[Pending]) -> tuple[tuple[Done, ...], bool]:
    """The latest calls after those of a reply, and whether something was done."""
    recent, something = state.recent, False
    for each in pending:
        digest = each.facts.digest
        if each.status == "repeat":
            known = earlier_of(recent, digest, state.steps, state.limits.repeats)
            recent = recent if known is None else goes_round(recent, known, state.steps)
        elif digest and each.result is not None and _was_made(state, each, each.result):
            something = something or not each.result.reused
            counts = not (each.facts.exempt or (each.result.is_error and each.result.retryable))
            token = _token(each.result) if counts else ""
            recent = after_one(recent, Done(digest, token, each.call.id, int(counts), state.steps), state.limits)
    return recent, something


def _was_made(state: LoopState, pending: Pending, result: ToolResult) -> bool:
    """Whether the function of a call ran, as far as its result shows, or ran before for the same result."""
    refused = result.is_error and result.effect == "none" and result.code in _NOT_MADE
    if pending.status == "to_run":
        return not refused
    by_person = refused and bool(pending.facts.held)  # who is not to be asked again at once
    return result.reused or by_person or pending.facts.digest in state.unsure


def _token(result: ToolResult) -> str:
    if len(result.content) < _LONGEST_TOKEN:
        return f"{result.is_error}{result.content}"
    return hashlib.sha256(f"{result.is_error}{result.content}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def reusable_after(reusable: Mapping[str, ToolResult], pending: tuple[Pending, ...]) -> Mapping[str, ToolResult]:
    """The results that stand for the same calls from now on: all are forgotten once something may have changed."""
    if not reusable and not any(each.facts.reusable for each in pending):
        return reusable
    ran = [each for each in pending if each.status == "to_run" and each.facts.digest and each.result is not None]
    changing = [each for each in ran if not each.facts.read_only]
    kept = {} if changing else reusable
    if changing and len(ran) > 1:  # in whatever order they went
        return kept
    fresh = {each.facts.digest: each.result for each in ran if each.result is not None and _stands(each)}
    return {**kept, **fresh} if fresh else kept


def unsure_after(unsure: frozenset[str], pending: tuple[Pending, ...]) -> frozenset[str]:
    """The digests of the calls of which nobody knows whether they had an effect."""
    for each in pending:
        if each.result is None or each.status != "to_run" or not each.facts.digest:
            continue
        if each.result.code is ErrorCode.UNKNOWN_EFFECT:
            unsure |= {each.facts.digest}
        elif each.facts.digest in unsure:
            unsure -= {each.facts.digest}
    return unsure


def _stands(pending: Pending) -> bool:
    """Whether what a call came to would be what the same call comes to."""
    result = pending.result
    return pending.facts.reusable and result is not None and not result.is_error and not result.fallback
