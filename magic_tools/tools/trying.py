"""The tries of one call: made, checked, told, and made again where that can do no harm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from magic_tools.effects.program import Call, CallTimeoutError, Program
from magic_tools.effects.retrying import Try, retried
from magic_tools.errors import ContractViolation
from magic_tools.events import Stage
from magic_tools.loose.issues import HIDDEN, Finding, told
from magic_tools.loose.phrases import Phrase, say
from magic_tools.messages import ErrorCode, Issue
from magic_tools.tools.executable import Executable
from magic_tools.tools.failures import Failure, while_it_ran, without_secrets
from magic_tools.tools.preparing import Prepared, asked, broken_rules, secrets_of
from magic_tools.tools.results import BrokenResultError, Written
from magic_tools.tools.scope import RunScope
from magic_tools.tools.trimming import is_masked

__all__ = ["Broken", "Success", "Tried", "checked", "reconciled", "tries"]

_WITHHELD = "{name} ran, and its result was withheld: this {kind} is not what the tool promises to send."
_NO_FORM = "{name} ran, and its result was withheld: it holds a value of type {kind}, which has no JSON form."
_APPLIED = "{name} gave no result, and it did take effect."
_NOT_APPLIED = "{name} gave no result, and it had no effect."


class Success(NamedTuple):
    """A try that came to a result which is what the tool promises."""

    value: Any
    written: Written


@dataclass(frozen=True, slots=True)
class Broken(Failure):
    """A try whose result is not what the tool promises, and so goes no further.

    `stage` is where that was found, `first` the first thing wrong with it, in English.
    """

    stage: Stage = "result"
    first: Issue = field(default_factory=lambda: Issue("", "", ""))


Tried: TypeAlias = Success | Failure

Note: TypeAlias = Callable[[Try[Tried]], None]
"""Told of each try."""


def tries(target: Executable, prepared: Prepared, scope: RunScope, note: Note | None) -> Program[Tried]:
    """What a call comes to after as many tries as its tool allows and as can do no harm."""
    if target.behaviour.retries == 0 and note is None:
        return (yield from _one(target, prepared, scope))
    return (
        yield from retried(
            lambda: _one(target, prepared, scope),
            tries=target.behaviour.retries + 1,
            again=lambda tried: _may_try_again(target, tried),
            note=note,
        )
    )


def _may_try_again(target: Executable, tried: Tried) -> bool:
    """Whether another try may help and can do no harm: the tool is safe to call twice, or nothing was done."""
    return isinstance(tried, Failure) and tried.retryable and (target.is_safe or tried.effect == "none")


def _one(target: Executable, prepared: Prepared, scope: RunScope) -> Program[Tried]:
    timeout_s = target.behaviour.timeout_s
    try:
        value = yield Call(target.body, prepared.args, prepared.kwargs, None, timeout_s, target.is_brief)
    except Exception as error:  # noqa: BLE001 - a tool's exception never ends a run: the model is told its class
        failure = while_it_ran(target, error)
        return (yield from reconciled(target, prepared, scope, failure))
    return (yield from checked(target, prepared, scope, value))


def checked(
    target: Executable, prepared: Prepared, scope: RunScope, value: Any, stage: Stage | None = None
) -> Program[Tried]:
    """A value as a result, if it is what the tool promises by type and by its author's rules."""
    try:
        written = target.results.write(value)
    except BrokenResultError as broken:
        words = say(_WITHHELD if broken.has_form else _NO_FORM, name=target.name, kind=broken.kind.__name__)
        return _broken(target, prepared, scope, stage or "result", broken.findings, words)
    if not target.hooks.result_rules:
        return Success(value, written)
    words = say(_WITHHELD, name=target.name, kind=type(value).__name__)
    try:
        held = asked(target, prepared, scope)
        findings = yield from broken_rules(target, target.hooks.result_rules, held, value)
    except Exception as error:  # noqa: BLE001 - a rule that cannot tell whether a result is right lets none pass
        finding = Finding((), say("a rule that can be checked"), say(type(error).__name__))
        return _broken(target, prepared, scope, stage or "result_rule", (finding,), words, error)
    if findings:
        return _broken(target, prepared, scope, stage or "result_rule", findings, words)
    return Success(value, written)


def _broken(
    target: Executable,
    prepared: Prepared,
    scope: RunScope,
    stage: Stage,
    findings: tuple[Finding, ...],
    words: Phrase,
    cause: Exception | None = None,
) -> Broken:
    """The failure of a broken result; what is masked or secret is not shown in what is said of it."""
    masks, secrets = target.guards.masks, secrets_of(target, prepared, scope)
    shown = [each._replace(got=HIDDEN) if is_masked(each.place, masks) else each for each in findings]
    issues = without_secrets(told(shown, "en"), secrets)
    violation = ContractViolation(stage, issues)
    violation.__cause__ = cause
    return Broken(
        ErrorCode.INTERNAL,
        words,
        retryable=target.is_safe,
        effect="none" if target.guards.read_only else "applied",
        outcome="broken_result",
        exception=violation,
        issues=without_secrets(told(shown, scope.language), secrets),
        stage=stage,
        first=issues[0],
    )


def reconciled(target: Executable, prepared: Prepared, scope: RunScope, failure: Failure) -> Program[Failure]:
    """A failure with what the author's function for it finds out of its effect, where that is unknown."""
    ask = target.hooks.reconcile
    if ask is None or failure.effect != "unknown":
        return failure
    try:
        held = asked(target, prepared, scope)
        said = yield ask.call(target.fn, held, timeout_s=target.behaviour.timeout_s)
    except Exception as error:  # noqa: BLE001 - then the effect is as unknown as before, and is told as such
        if failure.exception is not None:
            failure.exception.add_note(f"{ask.name}, which was asked for the effect, raised {type(error).__name__}.")
        return failure
    if said == "applied":
        words = say(_APPLIED, name=target.name)
        return replace(failure, code=ErrorCode.INTERNAL, words=words, effect="applied", retryable=False)
    if said == "not_applied" and not _still_runs(failure):
        words = say(_NOT_APPLIED, name=target.name)
        return replace(failure, code=ErrorCode.INTERNAL, words=words, effect="none", retryable=True)
    return failure


def _still_runs(failure: Failure) -> bool:
    """Whether a call may take effect yet, so that nobody can say that it had none."""
    return isinstance(failure.exception, CallTimeoutError) and failure.exception.still_runs
