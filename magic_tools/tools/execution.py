"""The gateway that every tool call passes: raw arguments in, exactly one result out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic_core import to_json

from magic_tools.effects.program import Call, Program
from magic_tools.errors import ContextError, ParseError, ToolFailure
from magic_tools.loose.decode import Schema
from magic_tools.loose.issues import Finding, shown, told
from magic_tools.loose.phrases import Phrase, phrased, printable, say
from magic_tools.loose.scan import content_bounds
from magic_tools.loose.taker import Parsed
from magic_tools.messages import ErrorCode, Issue, Language, ToolResult, listed
from magic_tools.schema.hidden import ABSENT, context_value
from magic_tools.schema.signature import Signature, UndeclaredKeyError
from magic_tools.tools.results import ResultWriter

__all__ = ["Arguments", "Executable", "execute", "refused", "scopes_of"]

Arguments: TypeAlias = str | Mapping[str, Any] | None
"""What came for a call: the text that a model sent, or a mapping; absent, blank and `null` are no arguments."""

_MOST_CHARACTERS = 1_000

_OUT_OF_SCOPE = "{name} may not be used here and did not run: it needs the scope {scopes}."
_NOT_RUN = "The arguments of {name} were refused and it did not run: {issues}. Send the call again with this mended."
_FAILED_BEFORE = "{name} failed with {error} before it ran, so that nothing was done."
_FAILED = "{name} failed with {error}; whether it had an effect is not known."
_WITHHELD = "{name} ran, and its result was withheld: this {kind} is not what the tool promises to send."


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


def execute(
    target: Executable, arguments: Arguments, call_id: str, context: Any = None, language: Language = "en"
) -> Program[ToolResult]:
    """The program of one call. What a model got wrong, or the author's code raised, is an error result in a language.

    ContextError if the context does not hold what a hidden parameter wants.
    """
    if target.scopes and (missing := sorted(target.scopes - scopes_of(context))):
        words = say(_OUT_OF_SCOPE, name=target.name, scopes=tuple(missing))
        return refused(call_id, target.name, words, language, ErrorCode.REQUIRES_APPROVAL)
    try:
        parsed = _read(target, arguments, language)
    except ParseError as error:
        return _not_run(target, call_id, error.issues, language)
    except Exception as error:  # noqa: BLE001 - a validator's exception ends a run as little as a tool's
        words = say(_FAILED_BEFORE, name=target.name, error=type(error).__name__)
        return _failed(target, call_id, error, words, language)
    try:
        values = parsed.value if target.flat is None else {target.flat: parsed.value}
        args, kwargs = target.signature.bind(values, context)
    except UndeclaredKeyError as error:
        got = shown(error.value, secret=target.arguments.hides(error.place))
        finding = Finding(error.place, say("no key of this name"), got)
        return _not_run(target, call_id, told((finding,), language), language)
    try:
        value = yield Call(target.fn, args, kwargs)
    except Exception as error:  # noqa: BLE001 - a tool's exception never ends a run: the model is told its class
        words = say(_FAILED, name=target.name, error=type(error).__name__)
        return _failed(target, call_id, error, words, language)
    try:
        content = target.results.write(value)
    except Exception as error:  # noqa: BLE001 - how a value is written may be the author's code too
        words = say(_WITHHELD, name=target.name, kind=type(value).__name__)
        return _error(target, call_id, ErrorCode.INTERNAL, words, language, error)
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


def refused(
    call_id: str, name: str, words: Phrase, language: Language, code: ErrorCode = ErrorCode.INVALID_ARGUMENT
) -> ToolResult:
    """The result of a call whose tool did not run, because of what was asked."""
    return ToolResult(call_id, name, _sendable(words, language), is_error=True, code=code)


def _read(target: Executable, arguments: Arguments, language: Language) -> Parsed[Any]:
    text = arguments if isinstance(arguments, str) else _json_text(arguments, language)
    start, end = content_bounds(text)
    return target.arguments.parse("{}" if text[start:end].strip() in ("", "null") else text, language=language)


def _json_text(arguments: Mapping[str, Any] | None, language: Language) -> str:
    try:
        return to_json(arguments, inf_nan_mode="constants", fallback=dict).decode()
    except ValueError as error:
        finding = Finding((), say("values that JSON can hold"), say("some that it cannot"))
        raise ParseError("unparseable", told((finding,), language), "") from error


def _not_run(target: Executable, call_id: str, issues: tuple[Issue, ...], language: Language) -> ToolResult:
    return refused(call_id, target.name, say(_NOT_RUN, name=target.name, issues=listed(issues)), language)


def _failed(target: Executable, call_id: str, error: Exception, words: Phrase, language: Language) -> ToolResult:
    """The result of a call in which something raised: a ToolFailure in its own words, all else by its class."""
    code = ErrorCode.INTERNAL
    if isinstance(error, ToolFailure):
        with suppress(Exception):  # a subclass may have no words, or none that can be had: then its class says it
            code, words = error.code, say(str(error)) if str(error) else words
    return _error(target, call_id, code, words, language, error)


def _error(
    target: Executable, call_id: str, code: ErrorCode, words: Phrase, language: Language, error: Exception
) -> ToolResult:
    return ToolResult(call_id, target.name, _sendable(words, language), is_error=True, code=code, exception=error)


def _sendable(words: Phrase, language: Language) -> str:
    """The text in a length that helps, and in characters that every provider takes."""
    text = printable(phrased(words, language))
    if len(text) <= _MOST_CHARACTERS:
        return text
    cut = say("{start}... (cut; {count} characters in all)", start=text[:_MOST_CHARACTERS], count=len(text))
    return phrased(cut, language)
