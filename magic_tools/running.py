"""One run, from a prompt to an outcome, and the shortest form of it: a typed answer from a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, overload

from typing_extensions import TypeVar

from magic_tools.chat import ChatModel
from magic_tools.effects.program import Program
from magic_tools.effects.runners import run_async, run_sync
from magic_tools.errors import (
    LimitError,
    ModelError,
    OutputError,
    RefusalError,
    RunError,
    StallError,
    ToolFailuresError,
    TruncatedError,
)
from magic_tools.loop.driver import Ended, drive
from magic_tools.loop.machine import LoopState
from magic_tools.messages import Message, Outcome, StopReason, ToolResult, listed
from magic_tools.models.registry import load_model
from magic_tools.options import Limits, RunOptions
from magic_tools.outputs.answer import answer_for
from magic_tools.tools.scope import RunScope
from magic_tools.tools.tool import Tool
from magic_tools.tools.toolset import Toolset

__all__ = ["Prompt", "Tools", "aextract", "arun", "extract", "run"]

T = TypeVar("T", default=str)

Prompt: TypeAlias = str | Message | Sequence[Message]
"""Text, a message, or several, such as an earlier `Outcome.transcript` and one more."""

Tools: TypeAlias = Toolset | Iterable[Tool[..., Any] | Callable[..., Any]]

_ENDINGS: Mapping[StopReason, tuple[type[RunError], str]] = {
    "step_limit": (LimitError, "The run used up its {limits.steps} steps, and its last reply was no answer."),
    "stall": (StallError, "The model went on giving empty replies."),
    "truncated": (
        TruncatedError,
        "The model's output was cut before its end; ModelSettings(max_tokens=...) allows more.",
    ),
    "refusal": (RefusalError, "The model declined to answer{said}"),
    "tool_failures": (
        ToolFailuresError,
        "A tool failed more than {limits.retries} times in a row, with no answer after: {failed}",
    ),
}


@overload
def run(
    prompt: Prompt, *, tools: Tools = ..., output: type[T] = ..., model: ChatModel | str | None = ...,
    instructions: str | None = ..., limits: Limits | None = ..., context: Any = ..., options: RunOptions | None = ...,
) -> Outcome[T]: ...  # fmt: skip
@overload
def run(
    prompt: Prompt, *, tools: Tools = ..., output: Any, model: ChatModel | str | None = ...,
    instructions: str | None = ..., limits: Limits | None = ..., context: Any = ..., options: RunOptions | None = ...,
) -> Outcome[Any]: ...  # fmt: skip
def run(
    prompt: Prompt,
    *,
    tools: Tools = (),
    output: Any = str,
    model: ChatModel | str | None = None,
    instructions: str | None = None,
    limits: Limits | None = None,
    context: Any = None,
    options: RunOptions | None = None,
) -> Outcome[Any]:
    """Ask a model until it has answered, running the tools that it calls on the way.

    `instructions` are the system message, in place of one that the prompt begins with. Without
    `model` it is that of the environment variable MAGIC_TOOLS_MODEL, else the embedded one. `context`,
    a mapping or an object, fills the tools' hidden parameters; a tool whose scopes are not all among
    the context's `scopes` is not offered. `options` say more, such as the language that the model is spoken to in.
    ContextError before the first request where it lacks
    something that a tool wants. RunError
    (LimitError, StallError, TruncatedError, RefusalError, ToolFailuresError, OutputError) where no
    valid answer came, ModelError where the model cannot be asked; both carry the `outcome` so far.
    """
    return _settled(run_sync(_program(prompt, tools, output, model, instructions, limits, context, options)))


@overload
async def arun(
    prompt: Prompt, *, tools: Tools = ..., output: type[T] = ..., model: ChatModel | str | None = ...,
    instructions: str | None = ..., limits: Limits | None = ..., context: Any = ..., options: RunOptions | None = ...,
) -> Outcome[T]: ...  # fmt: skip
@overload
async def arun(
    prompt: Prompt, *, tools: Tools = ..., output: Any, model: ChatModel | str | None = ...,
    instructions: str | None = ..., limits: Limits | None = ..., context: Any = ..., options: RunOptions | None = ...,
) -> Outcome[Any]: ...  # fmt: skip
async def arun(
    prompt: Prompt,
    *,
    tools: Tools = (),
    output: Any = str,
    model: ChatModel | str | None = None,
    instructions: str | None = None,
    limits: Limits | None = None,
    context: Any = None,
    options: RunOptions | None = None,
) -> Outcome[Any]:
    """`run`, awaited: ordinary functions run in worker threads, async ones in this event loop."""
    return _settled(await run_async(_program(prompt, tools, output, model, instructions, limits, context, options)))


@overload
def extract(
    target: type[T], text: str, *, model: ChatModel | str | None = ..., instructions: str | None = ...,
    limits: Limits | None = ..., options: RunOptions | None = ...,
) -> T: ...  # fmt: skip
@overload
def extract(
    target: Any, text: str, *, model: ChatModel | str | None = ..., instructions: str | None = ...,
    limits: Limits | None = ..., options: RunOptions | None = ...,
) -> Any: ...  # fmt: skip
def extract(
    target: Any,
    text: str,
    *,
    model: ChatModel | str | None = None,
    instructions: str | None = None,
    limits: Limits | None = None,
    options: RunOptions | None = None,
) -> Any:
    """The value of a type that a model reads out of a text.

    `target` is any annotation that pydantic can validate. Model, instructions and errors are those
    of `run`, which also gives usage, repairs and transcript: `run(text, output=target)`.
    """
    return run(text, output=target, model=model, instructions=instructions, limits=limits, options=options).value


@overload
async def aextract(
    target: type[T], text: str, *, model: ChatModel | str | None = ..., instructions: str | None = ...,
    limits: Limits | None = ..., options: RunOptions | None = ...,
) -> T: ...  # fmt: skip
@overload
async def aextract(
    target: Any, text: str, *, model: ChatModel | str | None = ..., instructions: str | None = ...,
    limits: Limits | None = ..., options: RunOptions | None = ...,
) -> Any: ...  # fmt: skip
async def aextract(
    target: Any,
    text: str,
    *,
    model: ChatModel | str | None = None,
    instructions: str | None = None,
    limits: Limits | None = None,
    options: RunOptions | None = None,
) -> Any:
    """`extract`, awaited."""
    outcome = await arun(text, output=target, model=model, instructions=instructions, limits=limits, options=options)
    return outcome.value


def _program(
    prompt: Prompt,
    tools: Tools,
    output: Any,
    model: ChatModel | str | None,
    instructions: str | None,
    limits: Limits | None,
    context: Any,
    options: RunOptions | None,
) -> Program[Ended]:
    toolset = (tools if isinstance(tools, Toolset) else Toolset(*tools)).permitted(context)
    chosen = load_model(model) if model is None or isinstance(model, str) else model
    if len(toolset) and not chosen.capabilities.tools:
        raise ModelError(f"The model {chosen.name} cannot call tools: pass another, such as model='openai:NAME'.")
    if not isinstance(limits, Limits | None):
        raise ValueError(f"limits are a Limits, such as Limits(steps=5), got {limits!r:.80}")
    if not isinstance(options, RunOptions | None):
        raise ValueError(f"options are RunOptions, such as RunOptions(language='zh'), got {options!r:.80}")
    scope = RunScope(context, options)
    answer = answer_for(output, chosen.capabilities, scope.language)
    messages = _messages(prompt, instructions)
    state = LoopState(messages, limits or Limits(), toolset.names, language=scope.language, run_id=scope.run_id)
    return drive(chosen, toolset, answer, state, scope)


def _messages(prompt: Prompt, instructions: str | None) -> tuple[Message, ...]:
    match prompt:
        case str():
            messages: tuple[Message, ...] = (Message.user(prompt),)
        case Message():
            messages = (prompt,)
        case _:
            messages = tuple(prompt)
    if not messages:
        raise ValueError("the prompt is empty: pass a text, a message or several")
    strange = [kind.__name__ for kind in map(type, messages) if not issubclass(kind, Message)]
    if strange:
        raise ValueError(f"the prompt holds a {strange[0]}: pass a text or Messages, such as Message.user(text)")
    _check_results(messages)
    if instructions is None:
        return messages
    return (Message.system(instructions), *(messages[1:] if messages[0].role == "system" else messages))


def _check_results(messages: tuple[Message, ...]) -> None:
    """ValueError unless each tool call has exactly one result before any other message, and each result its call."""
    waiting: list[str] = []
    for message in messages:
        if message.role == "tool":
            for part in message.parts:
                if not isinstance(part, ToolResult) or part.call_id not in waiting:
                    raise ValueError(f"the prompt holds a result without its call just before it: {part!r:.120}")
                waiting.remove(part.call_id)
        elif waiting:
            break
        else:
            waiting = [call.id for call in message.calls]
    if waiting:
        raise ValueError(f"the prompt holds a tool call without a result right after it: {', '.join(waiting)}")


def _settled(ended: Ended) -> Outcome[Any]:
    """The outcome of a run that has its answer; the error of one that has none."""
    outcome = ended.outcome
    if outcome.ok:
        return outcome
    refused = listed(ended.issues)
    if outcome.stop in _ENDINGS:
        kind, sentence = _ENDINGS[outcome.stop]
        known = {"limits": ended.limits, "said": _last_said(outcome), "failed": _last_failure(outcome)}
        raise kind(sentence.format(**known) + (f" It was refused: {refused}." if refused else ""), outcome)
    tries = "one try" if ended.limits.retries == 0 else f"{ended.limits.retries + 1} tries"
    raise OutputError(f"No answer fitted the output type in {tries}: {refused}.", outcome, ended.issues)


def _last_failure(outcome: Outcome[Any]) -> str:
    results = [part for message in outcome.transcript for part in message.parts if isinstance(part, ToolResult)]
    failed = [result for result in results if result.is_error]
    return f"{failed[-1].name}, of which the last words were: {failed[-1].content:.300}" if failed else "none"


def _last_said(outcome: Outcome[Any]) -> str:
    said = [message.text for message in outcome.transcript if message.role == "assistant"]
    return f": {said[-1].strip():.300}" if said and said[-1] else "."
