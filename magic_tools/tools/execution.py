"""The gateway that every tool call passes: raw arguments in, exactly one result out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic_core import to_json

from magic_tools.effects import Call, Program
from magic_tools.errors import ContextError, ParseError, ToolFailure
from magic_tools.loose.decode import Schema
from magic_tools.loose.scan import content_bounds
from magic_tools.loose.taker import Parsed
from magic_tools.messages import ErrorCode, Issue, ToolResult
from magic_tools.schema.hidden import ABSENT, context_value
from magic_tools.schema.signature import Signature
from magic_tools.tools.results import ResultWriter

__all__ = ["Arguments", "Executable", "execute", "refused", "scopes_of"]

Arguments: TypeAlias = str | Mapping[str, Any] | None
"""What came for a call: the text that a model sent, or a mapping; absent, blank and `null` are no arguments."""

_MOST_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Executable:
    """A function with all that is needed to call it for a model.

    `arguments` reads an object of the parameters by name or, if `flat` names one of them, its value.
    """

    name: str
    fn: Callable[..., Any]
    signature: Signature
    arguments: Schema[Any]
    results: ResultWriter
    scopes: frozenset[str] = frozenset()
    flat: str | None = None


def execute(target: Executable, arguments: Arguments, call_id: str, context: Any = None) -> Program[ToolResult]:
    """The program of one call. What a model got wrong, or the author's code raised, is an error result.

    ContextError if the context does not hold what a hidden parameter wants.
    """
    if target.scopes and (missing := sorted(target.scopes - scopes_of(context))):
        text = f"{target.name} may not be used here and did not run: it needs the scope {', '.join(missing)}."
        return refused(call_id, target.name, text, ErrorCode.REQUIRES_APPROVAL)
    try:
        parsed = _read(target, arguments)
    except ParseError as error:
        return _not_run(target, call_id, "; ".join(str(issue) for issue in error.issues))
    except Exception as error:  # noqa: BLE001 - a validator's exception ends a run as little as a tool's
        return _failed(target, call_id, error, " before it ran, so that nothing was done")
    try:
        values = parsed.value if target.flat is None else {target.flat: parsed.value}
        args, kwargs = target.signature.bind(values, context)
    except ValueError as error:
        return _not_run(target, call_id, str(error))
    try:
        value = yield Call(target.fn, args, kwargs)
    except Exception as error:  # noqa: BLE001 - a tool's exception never ends a run: the model is told its class
        return _failed(target, call_id, error, "; whether it had an effect is not known")
    try:
        content = target.results.write(value)
    except Exception as error:  # noqa: BLE001 - how a value is written may be the author's code too
        kind = type(value).__name__
        text = f"{target.name} ran, and its result was withheld: this {kind} is not what the tool promises to send."
        return _error(target, call_id, ErrorCode.INTERNAL, text, error)
    return ToolResult(call_id, target.name, content, value=value, repairs=parsed.repairs)


def scopes_of(context: Any) -> frozenset[str]:
    """The scopes that a context grants: what it has under `scopes`; ContextError unless that is several texts."""
    scopes = context_value(context, "scopes")
    if scopes is ABSENT or scopes is None:
        return frozenset()
    if not isinstance(scopes, set | frozenset | list | tuple):
        raise ContextError(f"the context's scopes are a {type(scopes).__name__}: give a set of texts, one for each.")
    if strange := [scope for scope in scopes if not isinstance(scope, str)]:
        raise ContextError(f"the context's scopes hold a {type(strange[0]).__name__}: give a set of texts.")
    return frozenset(scopes)


def refused(call_id: str, name: str, text: str, code: ErrorCode = ErrorCode.INVALID_ARGUMENT) -> ToolResult:
    """The result of a call whose tool did not run, because of what was asked."""
    return ToolResult(call_id, name, _sendable(text), is_error=True, code=code)


def _read(target: Executable, arguments: Arguments) -> Parsed[Any]:
    text = arguments if isinstance(arguments, str) else _json_text(arguments)
    start, end = content_bounds(text)
    return target.arguments.parse("{}" if text[start:end].strip() in ("", "null") else text)


def _json_text(arguments: Mapping[str, Any] | None) -> str:
    try:
        return to_json(arguments, inf_nan_mode="constants", fallback=dict).decode()
    except ValueError as error:
        issue = Issue("", "values that JSON can hold", "some that it cannot")
        raise ParseError("unparseable", (issue,), "") from error


def _not_run(target: Executable, call_id: str, why: str) -> ToolResult:
    refusal = f"The arguments of {target.name} were refused and it did not run: {why}."
    return refused(call_id, target.name, f"{refusal} Send the call again with this mended.")


def _failed(target: Executable, call_id: str, error: Exception, effect: str) -> ToolResult:
    """The result of a call in which something raised: a ToolFailure in its own words, all else by its class."""
    code, text = ErrorCode.INTERNAL, f"{target.name} failed with {type(error).__name__}{effect}."
    if isinstance(error, ToolFailure):
        with suppress(Exception):  # a subclass may have no words, or none that can be had: then its class says it
            code, text = error.code, str(error) or text
    return _error(target, call_id, code, text, error)


def _error(target: Executable, call_id: str, code: ErrorCode, text: str, error: Exception) -> ToolResult:
    return ToolResult(call_id, target.name, _sendable(text), is_error=True, code=code, exception=error)


def _sendable(text: str) -> str:
    """The text in a length that helps, and in characters that every provider takes."""
    text = text.encode(errors="backslashreplace").decode()
    if len(text) <= _MOST_CHARACTERS:
        return text
    return f"{text[:_MOST_CHARACTERS]}... (cut; {len(text)} characters in all)"
