"""Why a call has no result of its own, and what the model is told of it: the closed set of codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from magic_tools.effects.program import (
    CallBrokenError,
    CallCancelledError,
    CallTimeoutError,
    DeadlineError,
    NoWorkerError,
)
from magic_tools.errors import ToolFailure
from magic_tools.events import AttemptOutcome
from magic_tools.loose.phrases import Phrase, phrased, printable, say
from magic_tools.messages import ErrorCode, Issue, Language, ToolEffect, ToolResult
from magic_tools.tools.executable import Executable
from magic_tools.tools.secrets import Redactor

__all__ = [
    "CODES",
    "CodeRule",
    "Failure",
    "Withdrawn",
    "before_it_ran",
    "error_result",
    "refused",
    "while_it_ran",
    "without_secrets",
]

_MOST_CHARACTERS = 1_000


class CodeRule(NamedTuple):
    """What a code says: whether the same call may be sent again, what was done, and what the model should do."""

    retryable: bool
    effect: ToolEffect
    advice: Phrase


# After google.rpc.Code and AIP-193, read in November 2026; a failure may know more of its effect.
CODES: Mapping[ErrorCode, CodeRule] = {
    ErrorCode.INVALID_ARGUMENT: CodeRule(False, "none", say("Send the call again with this mended.")),
    ErrorCode.NOT_FOUND: CodeRule(False, "none", say("Check the name or the id: the same call would fail again.")),
    ErrorCode.CONFLICT: CodeRule(False, "none", say("Look at how things stand now, and then decide.")),
    ErrorCode.RATE_LIMITED: CodeRule(True, "none", say("Wait a little, then send the same call again.")),
    ErrorCode.REQUIRES_APPROVAL: CodeRule(False, "none", say("Do not send it again: it takes a person to allow it.")),
    ErrorCode.UNKNOWN_EFFECT: CodeRule(
        False, "unknown", say("Do not send it again before you have checked whether it took effect.")
    ),
    ErrorCode.INTERNAL: CodeRule(False, "unknown", say("Go on without it, and say what could not be done.")),
}

_AGAIN = say("The same call may be sent again.")
_ALL = say("the time for all calls")
_DONE = say("What it does was done: do not send it again.")

_FAILED_BEFORE = "{name} failed with {error} before it ran, so that nothing was done."
_FAILED = "{name} failed with {error}; whether it had an effect is not known."
_FAILED_READING = "{name} failed with {error}; it changes nothing."
_ABANDONED = "{name} took longer than {time} and was abandoned; it may still take effect."
_STOPPED = "{name} took longer than {time} and was cancelled; whether it had an effect is not known."
_STOPPED_READING = "{name} took longer than {time} and was given up; it changes nothing."
_CANCELLED = "{name} was cancelled from inside; whether it had an effect is not known."
_CANCELLED_READING = "{name} was cancelled from inside; it changes nothing."
_NO_WORKER = "{name} was not begun: too many calls that were given up still run."
_TOO_LATE = "{name} was not begun: the time for all calls is over."


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call, or one try of it, has no result of its own.

    `words` are for the model, `issues` say what was wrong with the arguments or the result.
    """

    code: ErrorCode
    words: Phrase
    retryable: bool = False
    effect: ToolEffect = "none"
    outcome: AttemptOutcome = "failed"
    exception: Exception | None = None
    issues: tuple[Issue, ...] = ()

    @property
    def advice(self) -> Phrase:
        """What the model should do."""
        rule = CODES[self.code]
        if self.retryable is rule.retryable:
            return _DONE if self.effect == "applied" else rule.advice
        return _AGAIN if self.retryable else CODES[ErrorCode.INTERNAL].advice


@dataclass(frozen=True, slots=True)
class Withdrawn(Failure):
    """Why no call of a tool is made in a run: what it was begun with is not served, or not any more."""

    @property
    def advice(self) -> Phrase:
        """What the model should do: to look anything up again would not help."""
        return CODES[ErrorCode.INTERNAL].advice


def refused(code: ErrorCode, words: Phrase, issues: tuple[Issue, ...] = ()) -> Failure:
    """The failure of a call whose tool did not run, because of what was asked or of how things stand."""
    return Failure(code, words, CODES[code].retryable, issues=issues)


def before_it_ran(target: Executable, error: Exception) -> Failure:
    """The failure of a call in which something raised before its function ran."""
    words = say(_FAILED_BEFORE, name=target.name, error=_kind(error))
    return replace(_failure(target, error, words), effect="none")


def while_it_ran(target: Executable, error: Exception) -> Failure:
    """The failure of a try whose function raised, took too long, or was not begun."""
    reads = target.guards.read_only
    match error:
        case CallTimeoutError():
            given_up = _STOPPED_READING if reads else _ABANDONED if error.still_runs else _STOPPED
            limit = say("{seconds} s", seconds=f"{target.behaviour.timeout_s:g}") if error.own else _ALL
            words = say(given_up, name=target.name, time=limit)
            code = ErrorCode.INTERNAL if target.is_safe else ErrorCode.UNKNOWN_EFFECT
            failure = Failure(code, words, target.is_safe, "unknown", "timed_out", error)
        case CallCancelledError():
            words = say(_CANCELLED_READING if reads else _CANCELLED, name=target.name)
            failure = Failure(ErrorCode.INTERNAL, words, target.is_safe, "unknown", "cancelled", error)
        case _:
            words = say(_FAILED_READING if reads else _FAILED, name=target.name, error=_kind(error))
            failure = _failure(target, error, words)
    return replace(failure, effect="none") if reads else failure


def _failure(target: Executable, error: Exception, words: Phrase) -> Failure:
    """What an exception says: a ToolFailure in its own words and by its code, all else by its class."""
    match error:
        case NoWorkerError():
            words = say(_NO_WORKER, name=target.name)
            return Failure(ErrorCode.RATE_LIMITED, words, True, "none", "not_begun", error)
        case DeadlineError():
            words = say(_TOO_LATE, name=target.name)
            return Failure(ErrorCode.INTERNAL, words, False, "none", "not_begun", error)
        case ToolFailure():
            code = getattr(error, "code", ErrorCode.INTERNAL)  # which a careless subclass may not have set
            told = getattr(error, "retryable", None)
            rule = CODES[code]
            own = rule.retryable or (target.is_safe and rule.effect == "unknown")
            return Failure(code, _own_words(error, words), own if told is None else told, rule.effect, "failed", error)
        case _:
            return Failure(ErrorCode.INTERNAL, words, target.is_safe, "unknown", "raised", error)


def _kind(error: Exception) -> str:
    return type(error.__cause__ if isinstance(error, CallBrokenError) else error).__name__


def _own_words(error: ToolFailure, words: Phrase) -> Phrase:
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - a subclass may have no words that can be had: then its class says it
        return words
    return say(said) if said else words


def error_result(call_id: str, name: str, failure: Failure, language: Language, redactor: Redactor) -> ToolResult:
    """The result of a call that failed: words of a length that helps, without secrets, and what to do."""
    words = _bounded(redactor(printable(phrased(failure.words, language))), language)
    advice = phrased(failure.advice, language)
    return ToolResult(
        call_id,
        name,
        _sentences(words, advice, language),
        is_error=True,
        code=failure.code,
        retryable=failure.retryable,
        effect=failure.effect,
        issues=without_secrets(failure.issues, redactor),
        advice=advice,
        exception=failure.exception,
    )


def without_secrets(issues: tuple[Issue, ...], redactor: Redactor) -> tuple[Issue, ...]:
    """The issues with nothing secret in what they quote."""
    if not redactor:
        return issues
    return tuple(Issue(redactor(i.path), redactor(i.expected), redactor(i.got), i.language) for i in issues)


_ENDS = ".!?…。！？)）"


def _sentences(words: str, advice: str, language: Language) -> str:
    """Words and advice as sentences in a row."""
    stop, blank = ("。", "") if language == "zh" else (".", " ")
    return f"{words}{'' if words.endswith(tuple(_ENDS)) else stop}{blank}{advice}"


def _bounded(text: str, language: Language) -> str:
    if len(text) <= _MOST_CHARACTERS:
        return text
    cut = say("{start}... (cut; {count} characters in all)", start=text[:_MOST_CHARACTERS], count=len(text))
    return phrased(cut, language)
