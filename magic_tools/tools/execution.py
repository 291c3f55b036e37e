"""The gateway that every tool call passes: raw arguments in, exactly one result out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic_core import to_json

from magic_tools.effects import Call, Program
from magic_tools.errors import ParseError, ToolFailure
from magic_tools.loose.decode import Parsed, Schema
from magic_tools.messages import ErrorCode, Issue, ToolResult
from magic_tools.schema.signature import Signature
from magic_tools.tools.results import ResultWriter

__all__ = ["Arguments", "Executable", "execute", "refused"]

Arguments: TypeAlias = str | Mapping[str, Any] | None
"""What came for a call: the text that a model sent, or a mapping; absent, blank and `null` are no arguments."""

_MOST_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Executable:
    """A function with all that is needed to call it for a model."""

    name: str
    fn: Callable[..., Any]
    signature: Signature
    arguments: Schema[dict[str, Any]]
    results: ResultWriter


def execute(target: Executable, arguments: Arguments, call_id: str) -> Program[ToolResult]:
    """The program of one call. What a model got wrong, or the function raised, is an error result."""
    try:
        parsed = _read(target, arguments)
        args, kwargs = target.signature.bind(parsed.value)
    except ParseError as error:
        return refused(call_id, target.name, _refusal(error.issues))
    except ValueError as error:
        return refused(call_id, target.name, f"{error}. The tool did not run: send the call again, mended.")
    try:
        value = yield Call(target.fn, args, kwargs)
    except ToolFailure as failure:
        return _failed(target, call_id, failure.code, str(failure), failure)
    except Exception as error:  # noqa: BLE001 - a tool's exception never ends a run: the model is told its class
        text = f"The tool failed with {type(error).__name__}; whether it had an effect is not known."
        return _failed(target, call_id, ErrorCode.INTERNAL, text, error)
    try:
        content = target.results.write(value)
    except ValueError as error:
        text = "The tool ran, and its result was withheld, since it is not what the tool promises."
        return _failed(target, call_id, ErrorCode.INTERNAL, text, error)
    return ToolResult(call_id, target.name, content, value=value, repairs=parsed.repairs)


def refused(call_id: str, name: str, text: str, code: ErrorCode = ErrorCode.INVALID_ARGUMENT) -> ToolResult:
    """The result of a call whose tool did not run, because of what was asked."""
    return ToolResult(call_id, name, _bounded(text), is_error=True, code=code)


def _read(target: Executable, arguments: Arguments) -> Parsed[dict[str, Any]]:
    text = arguments if isinstance(arguments, str) else to_json(arguments, inf_nan_mode="constants").decode()
    return target.arguments.parse("{}" if text.strip() in ("", "null") else text)


def _refusal(issues: tuple[Issue, ...]) -> str:
    listed = "; ".join(str(issue) for issue in issues)
    return f"The arguments were refused and the tool did not run: {listed}. Send the call again with this mended."


def _failed(target: Executable, call_id: str, code: ErrorCode, text: str, error: Exception) -> ToolResult:
    return ToolResult(call_id, target.name, _bounded(text), is_error=True, code=code, exception=error)


def _bounded(text: str) -> str:
    if len(text) <= _MOST_CHARACTERS:
        return text
    return f"{text[:_MOST_CHARACTERS]}... (cut; {len(text)} characters in all)"
