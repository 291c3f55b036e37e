"""A call before it is made: read and checked, told from others, shown to a person, or looked after when it was lost."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from typing import NamedTuple

from pydantic_core import from_json, to_json

from magic_tools.chat import FinishReason
from magic_tools.effects.program import Program
from magic_tools.loose.phrases import say
from magic_tools.messages import ErrorCode, ToolCall, ToolResult
from magic_tools.tools.executable import Executable
from magic_tools.tools.failures import Failure, Withdrawn, error_result, refused
from magic_tools.tools.idempotency import canonical_arguments
from magic_tools.tools.passage import without_secrets_in
from magic_tools.tools.plain import plain_form
from magic_tools.tools.preparing import Prepared, asked, check_rules, prepare, secrets_of
from magic_tools.tools.receipting import drafted, tell_receipt
from magic_tools.tools.scope import RunScope
from magic_tools.tools.secrets import secrets_in
from magic_tools.tools.sending import sent
from magic_tools.tools.trying import reconciled
from magic_tools.values import JsonValue, digest

__all__ = [
    "LOST",
    "UNSURE",
    "Ready",
    "arguments_shown",
    "call_digest",
    "preview_of",
    "promise_digest",
    "ready",
    "recovered",
    "ruled",
]

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_UNKNOWN = "There is no tool called {name}; there are: {names}. Nothing was run."
_UNKNOWN_NOW = (
    "There is no tool called {name} any more, to which this run is pinned ({pinned}); there are: {names}. "
    "Nothing was run."
)
LOST = "{name} was begun before the run was stopped; whether it had an effect is not known."
"""What is said of a call that was under way when the run was stopped."""

UNSURE = (
    "{name} was called with these arguments before, and whether it had an effect is not known: it was not run again."
)
"""What is said of a call that is sent again."""


class Ready(NamedTuple):
    """A call with the tool that it is of, if there is one, and what is to be called, or why nothing is."""

    call: ToolCall
    target: Executable | None
    prepared: Prepared | Failure


def ready(
    target: Executable | None,
    call: ToolCall,
    scope: RunScope,
    names: Sequence[str],
    finish: FinishReason | None = None,
) -> Ready:
    """The call with what it comes to as one of a tool; `names` are told to a model that calls what there is not.

    ContextError if the context does not hold what a hidden parameter wants.
    """
    if target is None:
        told = tuple(names) or say("none")
        if call.name in scope.gone:
            words = say(_UNKNOWN_NOW, name=f"{call.name!r:.80}", pinned=scope.gone[call.name], names=told)
            return Ready(call, None, Withdrawn(ErrorCode.NOT_FOUND, words))
        words = say(_UNKNOWN, name=f"{call.name!r:.80}", names=told)
        return Ready(call, None, refused(ErrorCode.NOT_FOUND, words))
    return Ready(call, target, prepare(target, call.arguments, scope, finish))


def call_digest(readied: Ready, variant: str = "") -> str:
    """By what two calls are known to be one: a digest of name and canonical arguments; empty where nothing is run.

    In a run that is pinned to an older version, it is of what that version was sent, whatever an adapter makes of it.
    `variant` tells a tool from another of the same name.
    """
    target, prepared = readied.target, readied.prepared
    if target is None or isinstance(prepared, Failure):
        return ""
    try:
        name, _, arguments, secrets = sent(target, prepared.values, prepared.old)
    except (ValueError, TypeError, RecursionError):  # a value has no JSON form, and the raw text stands for it
        name, arguments, secrets = target.name, readied.call.arguments, secrets_in(prepared.values)
    told = [variant, name, arguments, *secrets]
    return hashlib.sha256(_ENCODER.encode(told).encode()).hexdigest()


def ruled(readied: Ready, scope: RunScope) -> Program[Ready]:
    """The call after the author's rules, before a person is asked whether it may be made."""
    target, prepared = readied.target, readied.prepared
    if target is None or isinstance(prepared, Failure) or not target.hooks.rules:
        return readied
    refusal = yield from check_rules(target, prepared, scope)
    return readied if refusal is None else Ready(readied.call, target, refusal)


def arguments_shown(readied: Ready) -> JsonValue:
    """The canonical arguments of a call, secrets left out; the raw text of one that cannot be read."""
    target, prepared = readied.target, readied.prepared
    if target is None or isinstance(prepared, Failure):
        return readied.call.arguments
    return _canonical(target, prepared, readied.call)


def promise_digest(readied: Ready, scope: RunScope) -> str:
    """A digest of what a person gives leave for beside the arguments: the tool's promise, and what is filled in.

    Of what the context fills in, texts and numbers count; other objects have nothing by which to know them again.
    """
    target, prepared = readied.target, readied.prepared
    if target is None or isinstance(prepared, Failure):
        return ""
    hidden = target.signature.injected(scope.context, prepared.key)
    filled = {name: value for name, value in hidden.items() if isinstance(value, str | int | float | None)}
    return digest([target.contract.interface_digest, {name: str(value) for name, value in filled.items()}])


def preview_of(readied: Ready, scope: RunScope) -> Program[JsonValue]:
    """What a person is shown of a call: what its author has made for it, else the canonical arguments."""
    target, prepared = readied.target, readied.prepared
    shown = arguments_shown(readied)
    if target is None or isinstance(prepared, Failure) or target.hooks.preview is None:
        return shown
    call = target.hooks.preview.call(target.fn, asked(target, prepared, scope), timeout_s=target.behaviour.timeout_s)
    try:
        made = yield call
        data: JsonValue = from_json(
            to_json(made, by_alias=True, bytes_mode="base64", inf_nan_mode="strings", fallback=plain_form)
        )
    except Exception as error:  # noqa: BLE001 - whoever is asked sees what is asked for, though not as its author meant
        told = "the preview of %s raised %s: the arguments are shown in its place"
        logging.getLogger("magic_tools").error(told, target.name, type(error).__name__)  # noqa: TRY400 - without its words
        return shown
    return without_secrets_in(data, secrets_of(target, prepared, scope))


def recovered(readied: Ready, scope: RunScope, words: str = LOST) -> Program[ToolResult | None]:
    """What is known of a call of which nobody knows whether it had an effect; None where it may be made again.

    It may where it changes nothing, or no more than once, or where the author's function for it says that it had no
    effect. In a pinned run the pin has to say so too: what was begun may have been another version's.
    """
    call, target, prepared = readied.call, readied.target, readied.prepared
    failure = Failure(ErrorCode.UNKNOWN_EFFECT, say(words, name=call.name), effect="unknown")
    if target is not None and target.is_safe:
        return None
    if target is None or isinstance(prepared, Failure):
        return error_result(call.id, call.name, failure, scope.language, scope.redactor)
    found = yield from reconciled(target, prepared, scope, failure)
    if found.effect == "none":
        return None
    if words is LOST:
        tell_receipt(target, drafted(target, prepared, scope, call.id), scope, call.id, found.code, found.effect)
    return error_result(call.id, call.name, found, scope.language, secrets_of(target, prepared, scope))


def _canonical(target: Executable, prepared: Prepared, call: ToolCall) -> JsonValue:
    """The canonical arguments, or the raw text where a value has no JSON form."""
    try:
        return canonical_arguments(target, prepared.values)
    except (ValueError, TypeError, RecursionError):
        return call.arguments
