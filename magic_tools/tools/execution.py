"""The gateway that every tool call passes: raw arguments in, exactly one result out."""

from __future__ import annotations

import copy

from magic_tools.effects.program import Call, Program
from magic_tools.loose.phrases import say
from magic_tools.messages import ErrorCode, ToolResult
from magic_tools.options import NO_FALLBACK
from magic_tools.tools.eager import eager
from magic_tools.tools.executable import Executable
from magic_tools.tools.failures import Failure, refused, while_it_ran
from magic_tools.tools.passage import Passage
from magic_tools.tools.preparing import Prepared, check_rules
from magic_tools.tools.scope import RunScope
from magic_tools.tools.trying import Success, Tried, checked, tries

__all__ = ["execute"]

_NO_LEAVE = "{name} did not run: it needs the leave of a person."
_ANSWERS = (ErrorCode.INVALID_ARGUMENT, ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.REQUIRES_APPROVAL)
"""What a tool says under these is its answer, for which nothing stands in."""


def execute(
    target: Executable,
    prepared: Prepared | Failure,
    call_id: str,
    scope: RunScope,
    nth: int = 1,
    approved: bool = False,
) -> Program[ToolResult]:
    """The program of one call, the `nth` of its run. What a model got wrong, or a tool raised, is an error result.

    Where the tool asks for a person's leave, the call is made only if it is `approved`.
    """
    passage = Passage(target, call_id, scope, nth)
    if isinstance(prepared, Failure):
        return passage.failed(prepared, None)
    if target.hooks.rules:
        refusal = yield from check_rules(target, prepared, scope)
        if refusal is not None:
            return passage.failed(refusal, prepared)
    if target.guards.approval and not approved:
        return passage.failed(refused(ErrorCode.REQUIRES_APPROVAL, say(_NO_LEAVE, name=target.name)), prepared)
    passage.begun(prepared)
    try:
        tried = yield from tries(target, prepared, scope, passage.note)
    except BaseException:
        passage.broken_off()
        raise
    if isinstance(tried, Success):
        return passage.succeeded(tried, prepared)
    if target.behaviour.fallback is NO_FALLBACK or tried.code in _ANSWERS:
        return passage.failed(tried, prepared)
    stand_in = yield from _stand_in(target, prepared, scope, tried)
    if isinstance(stand_in, Success):
        return passage.replaced(stand_in, tried, prepared)
    passage.alert(stand_in)
    return passage.failed(tried, prepared)


def _stand_in(target: Executable, prepared: Prepared, scope: RunScope, failure: Failure) -> Program[Tried]:
    """What is declared to stand in for a result, held to what the tool promises like any result."""
    declared = target.behaviour.fallback
    if callable(declared):
        arguments = (target.told(prepared.values), failure.exception)
        try:
            body = eager(declared, target.behaviour.timeout_s)
            value = yield Call(body, arguments, timeout_s=target.behaviour.timeout_s)
        except Exception as error:  # noqa: BLE001 - then there is none, and the failure is told, this one beside it
            if failure.exception is not None:
                failure.exception.add_note(f"The fall-back raised {type(error).__name__}.")
            return while_it_ran(target, error)
    else:
        value = copy.deepcopy(declared)  # which its taker may change
    return (yield from checked(target, prepared, scope, value, "fallback"))
