"""The calls of one reply: made side by side where they may be, and answered in their order, each once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from magic_tools.effects.program import Gather, Program
from magic_tools.loose.phrases import say
from magic_tools.messages import ErrorCode, ToolCall, ToolResult
from magic_tools.tools.executable import Executable, scopes_of
from magic_tools.tools.execution import execute
from magic_tools.tools.failures import error_result, refused
from magic_tools.tools.scope import RunScope

__all__ = ["AT_ONCE", "call_all", "check_contexts"]

AT_ONCE = 8
"""How many calls are made side by side."""

_UNKNOWN = "There is no tool called {name}; there are: {names}. Nothing was run."


def call_all(
    targets: Mapping[str, Executable],
    calls: Sequence[ToolCall],
    scope: RunScope,
    *,
    names: Sequence[str],
    first: int = 1,
    at_once: int = AT_ONCE,
) -> Program[tuple[ToolResult, ...]]:
    """The results of calls, in their order; the first of them is so manieth of the run.

    At most `at_once` are under way at a time, and a call of a sequential tool is alone: those before it have ended
    when it begins, and those after it wait for it. `names` are told to a model that calls what there is not.
    """
    numbered = list(enumerate(calls, first))
    results: list[ToolResult] = []
    for is_alone, group in groupby(numbered, lambda each: _is_sequential(targets.get(each[1].name))):
        programs = [_one(targets.get(call.name), call, scope, nth, names) for nth, call in group]
        if is_alone or len(programs) == 1:
            for program in programs:
                results.append((yield from program))  # noqa: PERF401 - a comprehension cannot yield
        else:
            results += yield Gather(tuple(programs), at_once)
    return tuple(results)


def check_contexts(targets: Mapping[str, Executable], calls: Sequence[ToolCall], context: object) -> None:
    """ContextError if a context lacks what one of the called tools wants, before any of them runs."""
    granted = scopes_of(context)
    for call in calls:
        target = targets.get(call.name)
        if target is not None and target.scopes <= granted:
            target.signature.check_context(context)


def _is_sequential(target: Executable | None) -> bool:
    return target is not None and target.policy.sequential


def _one(
    target: Executable | None, call: ToolCall, scope: RunScope, nth: int, names: Sequence[str]
) -> Program[ToolResult]:
    if target is None:
        told = tuple(names) or say("none")
        failure = refused(ErrorCode.NOT_FOUND, say(_UNKNOWN, name=f"{call.name!r:.80}", names=told))
        return error_result(call.id, call.name, failure, scope.language, scope.redactor)
    return (yield from execute(target, call.arguments, call.id, scope, nth))
