"""The exceptions of the library, one tree.

MagicToolsError
├── DefinitionError            the programmer's code cannot become a tool or a schema
├── ContextError               a context does not hold what a hidden parameter wants
├── SchemaRejectedError        a provider's form cannot say what a schema says
├── ParseError                 a text is not the value that was asked for
├── ContractViolation          a result is not what its tool promises
├── UpgradeError               a declared adapter made of old data what does not fit today
├── ToolFailure                raised by a tool to tell the model something
├── ModelError                 a model could not be asked or did not answer
│   ├── ModelUnavailableError  nothing is installed or set that could answer
│   ├── ModelTimeoutError      no answer within the time allowed
│   ├── RateLimitError         the provider asks to slow down
│   ├── StreamCutError         an answer broke off while it arrived
│   └── UnsupportedSettingError  the model does not take a setting
└── RunError                   a run ended without the value that was asked for
    ├── PausedError            it waits for a person, where only a value was asked for
    ├── LimitError             the steps, the time or the tokens were spent
    ├── RepeatError            the model went on calling the same again
    ├── StallError             the model went on saying nothing
    ├── TruncatedError         the model's output was cut
    ├── RefusalError           the model or its provider declined to answer
    ├── ToolFailuresError      a tool went on failing
    ├── ContractWithdrawnError  a call waited for a person, and its tool is not what it was
    └── OutputError            no answer fitted the output type
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from magic_tools.chat import ModelReply
from magic_tools.messages import ErrorCode, Issue, listed
from magic_tools.outcome import Outcome

__all__ = [
    "ContextError",
    "ContractViolation",
    "ContractWithdrawnError",
    "DefinitionError",
    "LimitError",
    "MagicToolsError",
    "ModelError",
    "ModelTimeoutError",
    "ModelUnavailableError",
    "OutputError",
    "ParseError",
    "ParseErrorKind",
    "PausedError",
    "RateLimitError",
    "RefusalError",
    "RepeatError",
    "RunError",
    "SchemaRejectedError",
    "StallError",
    "StreamCutError",
    "ToolFailure",
    "ToolFailuresError",
    "TruncatedError",
    "UnsupportedSettingError",
    "UpgradeError",
]

ParseErrorKind = Literal["truncated", "unparseable", "ambiguous", "invalid"]


class MagicToolsError(Exception):
    """Every exception that the library raises on purpose is one of these."""


class DefinitionError(MagicToolsError):
    """A function or an annotation cannot become a tool or a schema.

    The text names the function, the parameter, the annotation and a way out.
    """


class ContextError(MagicToolsError):
    """The context of a call or a run does not hold what a tool's hidden parameter wants."""


class SchemaRejectedError(MagicToolsError):
    """A provider's form of a schema was asked for that cannot say what the schema says."""


class ParseError(MagicToolsError):
    """A text is not the value that was asked for.

    `kind` is `truncated` (the text stops before its end), `unparseable` (it is not JSON and no
    repair is safe), `ambiguous` (it can be read in two ways) or `invalid` (it was read, and the
    type refuses it). `issues` says what is wrong, place by place; `text` is the whole input;
    `partial` is the JSON value that was read, where one was.
    """

    def __init__(self, kind: ParseErrorKind, issues: tuple[Issue, ...], text: str, partial: Any = None) -> None:
        super().__init__(f"{kind}: " + listed(issues))
        self.kind: ParseErrorKind = kind
        self.issues = issues
        self.text = text
        self.partial = partial

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, self.issues, self.text, self.partial)


class ContractViolation(MagicToolsError):  # noqa: N818 - the field's word for it
    """A result is not what its tool promises: at which stage it was found, and what is wrong."""

    def __init__(self, stage: str, issues: tuple[Issue, ...]) -> None:
        super().__init__(f"{stage}: " + listed(issues))
        self.stage = stage
        self.issues = issues

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.stage, self.issues)


class UpgradeError(MagicToolsError):
    """There is no adapter from an older version, or it raised, or what it made does not fit the schema of today.

    `made` is what it made, None where it made nothing, and `issues` say where that does not fit.
    """

    def __init__(self, message: str, made: Any = None, issues: tuple[Issue, ...] = ()) -> None:
        super().__init__(message)
        self.made = made
        self.issues = issues

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.made, self.issues)


class ToolFailure(MagicToolsError):  # noqa: N818 - a tool raises it as an answer to the model, not as a fault
    """Raised by a tool to tell the model what went wrong, in the author's own words.

    `retryable` is whether the same call may be made again; where it is None, the code says so.
    """

    def __init__(self, message: str, code: ErrorCode = ErrorCode.INTERNAL, *, retryable: bool | None = None) -> None:
        super().__init__(message)
        self.code = ErrorCode(code)
        self.retryable = retryable

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), retryable=self.retryable), (str(self), self.code)


class ModelError(MagicToolsError):
    """A model could not be asked or did not answer; `outcome` holds the run so far, if there was one."""

    outcome: Outcome[Any] | None = None


class ModelUnavailableError(ModelError):
    """No model can answer here; the text says what to install or set."""


class ModelTimeoutError(ModelError):
    """The model did not answer within the time allowed."""


class RateLimitError(ModelError):
    """The provider refused the request because of its rate or quota limits."""


class StreamCutError(ModelError):
    """An answer broke off while it arrived; `partial` is what came, in which the arguments of a call may be cut."""

    def __init__(self, message: str, partial: ModelReply) -> None:
        super().__init__(message)
        self.partial = partial

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.partial), {"outcome": self.outcome}


class UnsupportedSettingError(ModelError):
    """A setting was asked for that the model's wire does not have; nothing was sent."""


class RunError(MagicToolsError):
    """A run ended without the value that was asked for; `outcome` holds history, usage and steps."""

    def __init__(self, message: str, outcome: Outcome[Any]) -> None:
        super().__init__(message)
        self.outcome = outcome

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.outcome)


class PausedError(RunError):
    """The run waits for a person, where only its value was asked for; `outcome` has what waits, and its state."""


class LimitError(RunError):
    """The steps, the time or the tokens were spent, and no valid answer came from what was known."""


class RepeatError(RunError):
    """The model went on making calls that it had made, though nothing new could come of them."""


class StallError(RunError):
    """The model went on replying without text, call or value."""


class TruncatedError(RunError):
    """The model's output was cut, so that the answer is not whole."""


class RefusalError(RunError):
    """The model or its provider declined to answer."""


class ToolFailuresError(RunError):
    """One tool failed more often in a row than `Limits.retries` allows."""


class ContractWithdrawnError(RunError):
    """A call waited for a person, and by now its tool is gone, refused, or not what it promised.

    The text says what happened, and what the tool's author names for that: a replacement, a guide, a contact.
    """


class OutputError(RunError):
    """No answer fitted the output type within the tries allowed; `issues` are those of the last one."""

    def __init__(self, message: str, outcome: Outcome[Any], issues: tuple[Issue, ...]) -> None:
        super().__init__(message, outcome)
        self.issues = issues

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.outcome, self.issues)
