"""The calls of one reply: made side by side where they may be, and answered in their order, each once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

from magic_tools.effects.program import Gather, Program
from magic_tools.messages import ToolCall, ToolResult
from magic_tools.tools.executable import Executable, scopes_of
from magic_tools.tools.execution import execute
from magic_tools.tools.failures import Failure, error_result
from magic_tools.tools.readying import Ready
from magic_tools.tools.scope import RunScope

__all__ = ["AT_ONCE", "Around", "call_all", "check_bounds", "check_contexts"]

AT_ONCE = 8
"""How many calls are made side by side."""

Around: TypeAlias = Callable[[ToolCall, Program[ToolResult]], Program[ToolResult]]
"""Goes around the program of each call, which it runs."""


def call_all(
    calls: Sequence[Ready],
    scope: RunScope,
    *,
    first: int = 1,
    at_once: int = AT_ONCE,
    approved: Collection[str] = (),
    around: Around | None = None,
) -> Program[tuple[ToolResult, ...]]:
    """The results of calls, in their order; the first of them is so manieth of the run.

    At most `at_once` are under way at a time, and a call of a sequential tool is alone: those before it have ended
    when it begins, and those after it wait for it. Those whose ids are `approved` a person has allowed.
    """
    numbered = list(enumerate(calls, first))
    results: list[ToolResult] = []
    for is_alone, group in groupby(numbered, lambda each: _is_sequential(each[1].target)):
        programs = []
        for nth, each in group:
            program = _one(each, scope, nth, each.call.id in approved)
            programs.append(program if around is None else around(each.call, program))
        if is_alone or len(programs) == 1:
            for program in programs:
                results.append((yield from program))  # noqa: PERF401 - a comprehension cannot yield
        else:
            results += yield Gather(tuple(programs), at_once)
    return tuple(results)


def check_bounds(at_once: int, deadline_s: float | None) -> None:
    """ValueError unless calls can be made so many at a time, and in so much time."""
    if isinstance(at_once, bool) or at_once < 1:
        raise ValueError(f"at_once is a whole number of at least 1, got {at_once!r:.40}")
    time_s: Any = deadline_s  # which a caller without a type checker may give as anything
    is_number = isinstance(time_s, int | float) and not isinstance(time_s, bool)
    if time_s is not None and not (is_number and time_s >= 0):
        raise ValueError(f"deadline_s is seconds, none or more, or None, got {time_s!r:.40}")


def check_contexts(targets: Mapping[str, Executable], calls: Sequence[ToolCall], context: object) -> None:
    """ContextError if a context lacks what one of the called tools wants, before any of them runs."""
    granted = scopes_of(context)
    for call in calls:
        target = targets.get(call.name)
        if target is not None and target.scopes <= granted:
            target.signature.check_context(context)


def _is_sequential(target: Executable | None) -> bool:
    return target is not None and target.policy.sequential


def _one(readied: Ready, scope: RunScope, nth: int, approved: bool) -> Program[ToolResult]:
    call, target, prepared = readied.call, readied.target, readied.prepared
    if target is not None:
        return (yield from execute(target, prepared, call.id, scope, nth, approved))
    if not isinstance(prepared, Failure):
        raise TypeError(f"a call of no tool that could be made: {call.name}")
    return error_result(call.id, call.name, prepared, scope.language, scope.redactor)
