"""What a run's end is to its caller: an outcome, what was to be taken in place of an answer, or an error."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from magic_tools.effects.program import Call, Program
from magic_tools.errors import (
    ContractWithdrawnError,
    LimitError,
    OutputError,
    PausedError,
    RefusalError,
    RepeatError,
    RunError,
    StallError,
    ToolFailuresError,
    TruncatedError,
)
from magic_tools.loop.driver import Ended
from magic_tools.loop.guards import UNKNOWN_NAMES, times_of
from magic_tools.messages import ErrorCode, ToolResult, listed
from magic_tools.options import NO_FALLBACK
from magic_tools.outcome import Outcome, StopReason

__all__ = ["settled", "value_of"]

T = TypeVar("T")

_PAUSES = ("needs_approval", "needs_input")

_ENDINGS: Mapping[StopReason, tuple[type[RunError], str]] = {
    "step_limit": (LimitError, "The run used up its {steps}, and its last reply was no answer."),
    "deadline": (LimitError, "The run used up its {limits.deadline_s:g} s, and came to no answer."),
    "token_budget": (LimitError, "The run used up its {limits.tokens} tokens, and came to no answer."),
    "repeat": (
        RepeatError,
        "The model went on sending calls that it had sent, so that nothing new could come of them, such as {repeated}.",
    ),
    "stall": (StallError, "The model went on giving empty replies, or the same again."),
    "truncated": (
        TruncatedError,
        "The model's output was cut before its end; ModelSettings(max_tokens=...) allows more.",
    ),
    "refusal": (RefusalError, "The model declined to answer{said}"),
    "tool_failures": (
        ToolFailuresError,
        "A tool failed more than {limits.retries} times in a row, with no answer after: {failed}",
    ),
    "contract_withdrawn": (
        ContractWithdrawnError,
        "The run cannot go on: a call waited for a person, and its tool is not what it was. {withdrawn}",
    ),
}


def settled(ended: Ended, fallback: Any) -> Program[Outcome[Any]]:
    """The outcome of a run that has its answer, has paused, or has something to take in place of an answer.

    Of any other the error is raised, which carries the outcome.
    """
    outcome = ended.outcome
    if outcome.ok or outcome.stop in _PAUSES:
        return outcome
    error = _error(ended)
    if fallback is NO_FALLBACK:
        raise error
    try:
        if callable(fallback):
            value = yield Call(fallback, (ended.reply, ended.issues))
        else:
            value = _last_text(ended) if isinstance(fallback, str) and fallback == "text" else _copied(fallback)
    except Exception as reason:
        raise error from reason
    return replace(outcome, value=value, fallback=True)


def _copied(value: Any) -> Any:
    """A copy that its taker may change; the value itself where it has none, such as a lock."""
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - whatever the value's own code raises
        return value


def value_of(outcome: Outcome[T]) -> T:
    """The value of a run; PausedError if it has none yet, as it waits for a person."""
    if outcome.stop in _PAUSES:
        calls = ", ".join(f"{each.name} ({each.kind})" for each in outcome.waiting)
        raise PausedError(f"The run waits for a person: {calls}. Its outcome has the state to resume it from.", outcome)
    return outcome.value


def _error(ended: Ended) -> RunError:
    outcome, refused, limits = ended.outcome, listed(ended.issues), ended.state.limits
    if outcome.stop not in _ENDINGS:
        tries = "one try" if limits.retries == 0 else f"{limits.retries + 1} tries"
        return OutputError(f"No answer fitted the output type in {tries}: {refused}.", outcome, ended.issues)
    kind, sentence = _ENDINGS[outcome.stop]
    if outcome.stop == "refusal" and ended.state.finish == "content_filter":
        sentence = "The provider's content filter took what the model said, or would have said{said}"
    known = {
        "limits": limits,
        "steps": f"{limits.steps} step{'' if limits.steps == 1 else 's'}",
        "said": f": {said[:300]}" if (said := _last_text(ended)) else ".",
        "failed": _failed(ended),
        "repeated": _repeated(ended),
        "withdrawn": _withdrawn(ended),
    }
    return kind(sentence.format(**known) + (f" It was refused: {refused}." if refused else ""), outcome)


def _failed(ended: Ended) -> str:
    """The tool that failed too often, and the last that it said."""
    counts = ended.state.failures
    spent = {name for name, count in counts.items() if count > ended.state.limits.retries}
    for result in _results(ended.outcome):
        is_unknown = UNKNOWN_NAMES in spent and result.name not in counts
        if result.is_error and (result.name in spent or is_unknown) and not _was_not_run(result):
            return f"{result.name}, of which the last words were: {result.content:.300}"
    return "none"


def _repeated(ended: Ended) -> str:
    """The call that was made last, and how often."""
    if not ended.state.recent:
        return "none"
    done = ended.state.recent[-1]
    names = (call.name for message in ended.outcome.transcript for call in message.calls if call.id == done.call_id)
    times = times_of(ended.state.recent, done.digest)
    return f"{next(names, 'one')} ({times} time{'' if times == 1 else 's'} before)"


def _withdrawn(ended: Ended) -> str:
    """What was said of the calls that waited, without what only a model could do."""
    told = (each.result for each in ended.state.pending if each.facts.held and each.result is not None)
    return " ".join(each.content.removesuffix(each.advice).rstrip() for each in told)


def _results(outcome: Outcome[Any]) -> Iterator[ToolResult]:
    """All results, the last first."""
    for message in reversed(outcome.transcript):
        yield from (part for part in reversed(message.parts) if isinstance(part, ToolResult))


def _was_not_run(result: ToolResult) -> bool:
    """Whether the loop itself has answered a call; a tool that says that something stands against it has raised."""
    return result.code is ErrorCode.CONFLICT and result.exception is None


def _last_text(ended: Ended) -> str:
    """The last text that the model gave in the run."""
    said = ended.outcome.transcript[ended.state.asked :]
    texts = (message.text.strip() for message in reversed(said) if message.role == "assistant")
    return next(filter(None, texts), "")
