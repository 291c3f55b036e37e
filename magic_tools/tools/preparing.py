"""From what a model sent to a bound call: read, checked, completed from the context, or refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from pydantic_core import to_json

from magic_tools.chat import FinishReason
from magic_tools.effects.program import Program
from magic_tools.errors import ContextError, ParseError, UpgradeError
from magic_tools.loose.issues import Finding, shown, told
from magic_tools.loose.phrases import say, shortened
from magic_tools.loose.scan import content_bounds
from magic_tools.loose.taker import Parsed
from magic_tools.messages import ErrorCode, Issue, Language, Repair, listed
from magic_tools.schema.hidden import IdempotencyKey
from magic_tools.schema.signature import UndeclaredKeyError
from magic_tools.tools.behaviour import Attached
from magic_tools.tools.executable import Executable, scopes_of
from magic_tools.tools.failures import Failure, Withdrawn, before_it_ran, refused
from magic_tools.tools.scope import RunScope
from magic_tools.tools.secrets import Redactor, secrets_in, values_in
from magic_tools.tools.sending import key_of, sent
from magic_tools.tools.upgrading import Upgrade, upgraded_arguments
from magic_tools.values import JsonObject

__all__ = ["Arguments", "Prepared", "asked", "broken_rules", "check_rules", "prepare", "secrets_of"]

Arguments: TypeAlias = str | Mapping[str, Any] | None
"""What came for a call: the text that a model sent, or a mapping; absent, blank and `null` are no arguments."""

_OUT_OF_SCOPE = "{name} may not be used here and did not run: it needs the scope {scopes}."
_NOT_UPGRADED = (
    "{name} did not run: its arguments, which are those of version {old}, could not be brought up to version {new}."
)
_NOT_RUN = "The arguments of {name} were refused and it did not run: {issues}."


class Prepared(NamedTuple):
    """A call that may be made: how the function is called, and the values of its visible parameters.

    `old` are the arguments as the pinned version has them, where an adapter made the values of them.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    values: dict[str, Any]
    repairs: tuple[Repair, ...]
    key: IdempotencyKey | None = None
    old: JsonObject | None = None


def prepare(
    target: Executable, arguments: Arguments, scope: RunScope, finish: FinishReason | None = None
) -> Prepared | Failure:
    """The call that raw arguments ask for, or why it is not made; `finish` is why the model stopped.

    ContextError if the context does not hold what a hidden parameter wants.
    """
    if target.standing.refusal is not None:
        return Withdrawn(*target.standing.refusal)
    if target.scopes and (missing := sorted(target.scopes - scopes_of(scope.context))):
        return refused(ErrorCode.REQUIRES_APPROVAL, say(_OUT_OF_SCOPE, name=target.name, scopes=tuple(missing)))
    try:
        parsed, old = _read(target, arguments, scope.language, finish)
    except ParseError as error:
        return _not_run(target, error.issues)
    except UpgradeError as error:
        return _not_upgraded(target, error)
    except Exception as error:  # noqa: BLE001 - a validator's exception ends a run as little as a tool's
        return before_it_ran(target, error)
    values = target.values(parsed.value)
    key = key_of(sent(target, values, old), scope.run_id) if target.signature.wants_key else None
    try:
        args, kwargs = target.signature.bind(values, scope.context, key)
    except UndeclaredKeyError as error:
        got = shown(error.value, secret=target.arguments.hides(error.place))
        return _not_run(target, told((Finding(error.place, say("no key of this name"), got),), scope.language))
    return Prepared(args, kwargs, values, parsed.repairs, key, old)


def secrets_of(target: Executable, prepared: Prepared | None, scope: RunScope) -> Redactor:
    """What takes secrets out of texts: those of the context and the arguments, and what the context fills in."""
    if prepared is None:
        return _secrets_of_context(target, scope) if target.standing.upgrade is not None else scope.redactor
    hidden = target.signature.injected(scope.context, prepared.key)
    redactor = scope.redactor.with_secrets(*secrets_in(prepared.values))
    return redactor.with_texts(*values_in(*hidden.values())) if hidden else redactor


def _secrets_of_context(target: Executable, scope: RunScope) -> Redactor:
    """What takes the secrets of the context, and what it fills in, out of what an adapter raised."""
    try:
        hidden = target.signature.injected(scope.context, IdempotencyKey(""))
    except ContextError:  # a call out of its scope, whose context need not hold what the tool wants
        return scope.redactor
    return scope.redactor.with_texts(*values_in(*hidden.values()))


def check_rules(target: Executable, prepared: Prepared, scope: RunScope) -> Program[Failure | None]:
    """Why the author's rules across arguments refuse a call, if they do: all that they say at once."""
    try:
        findings = yield from broken_rules(target, target.hooks.rules, asked(target, prepared, scope))
    except Exception as error:  # noqa: BLE001 - a rule's exception ends a run as little as a tool's
        return before_it_ran(target, error)
    return _not_run(target, told(findings, scope.language)) if findings else None


def broken_rules(
    target: Executable, rules: list[Attached], held: Mapping[str, Any], *first: Any
) -> Program[tuple[Finding, ...]]:
    """What the author's rules find wrong: each raises ValueError, or gives a text, False or the like, for what does."""
    findings: list[Finding] = []
    for rule in rules:
        try:
            holds = yield rule.call(target.fn, held, *first, timeout_s=target.behaviour.timeout_s)
            said = "" if holds is None or (holds and not isinstance(holds, str)) else holds or None
        except (ValueError, AssertionError) as error:
            said = str(error).strip() or None
        if said != "":
            got = say("what breaks it") if not isinstance(said, str) else shortened(said.rstrip("."))
            findings.append(Finding((), say("the rule {rule} to hold", rule=rule.name), got))
    return tuple(findings)


def asked(target: Executable, prepared: Prepared, scope: RunScope) -> dict[str, Any]:
    """All that a function beside a tool may ask for by name: arguments and hidden values."""
    return {**target.told(prepared.values), **target.signature.injected(scope.context, prepared.key)}


def _read(
    target: Executable, arguments: Arguments, language: Language, finish: FinishReason | None
) -> tuple[Parsed[Any], JsonObject | None]:
    """The arguments as the tool takes them and, where an adapter made those, as they were sent."""
    text = arguments if isinstance(arguments, str) else _json_text(arguments, language)
    text = "{}" if _are_none(text) else text
    upgrade = target.standing.upgrade
    if upgrade is None:
        return target.arguments.parse(text, finish=finish, language=language), None
    old = upgrade.pin.reader.parse(text, finish=finish, language=language)
    return _upgraded(target, upgrade, old), old.value


def _upgraded(target: Executable, upgrade: Upgrade, old: Parsed[Any]) -> Parsed[Any]:
    """The arguments of a call that was made for an older version, as the tool takes them today; UpgradeError if not."""
    versions = upgrade.from_version, upgrade.to_version
    _, new = upgraded_arguments(target.name, upgrade.adapter, versions, old.value, target.arguments)
    note = f"read as arguments of version {versions[0]}, and brought up to {versions[1]} by {upgrade.adapter.name}"
    return Parsed(new.value, (*old.repairs, Repair("upgrade", None, None, note)))


def _not_upgraded(target: Executable, error: UpgradeError) -> Failure:
    upgrade = target.standing.upgrade
    if upgrade is None:
        return before_it_ran(target, error)
    words = say(_NOT_UPGRADED, name=target.name, old=upgrade.from_version, new=upgrade.to_version)
    if target.takes_secrets or '"writeOnly"' in json.dumps(upgrade.pin.input_schema):
        error = UpgradeError(f"An adapter of {target.name} failed. What it said is left out: the tool takes secrets.")
    return Failure(ErrorCode.INTERNAL, words, exception=error)


def _are_none(text: str) -> bool:
    """Whether a text holds no arguments: nothing, blanks, or `null`."""
    if text.startswith("{"):
        return False
    start, end = content_bounds(text)
    return text[start:end].strip() in ("", "null")


def _json_text(arguments: Mapping[str, Any] | None, language: Language) -> str:
    try:
        return to_json(arguments, inf_nan_mode="constants", fallback=dict).decode()
    except ValueError as error:
        finding = Finding((), say("values that JSON can hold"), say("some that it cannot"))
        raise ParseError("unparseable", told((finding,), language), "") from error


def _not_run(target: Executable, issues: tuple[Issue, ...]) -> Failure:
    return refused(ErrorCode.INVALID_ARGUMENT, say(_NOT_RUN, name=target.name, issues=listed(issues)), issues)
