"""One run, from a prompt to an outcome, and the shortest form of it: a typed answer from a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, overload

from typing_extensions import TypeVar

from magic_tools.chat import ChatModel
from magic_tools.effects.runners import run_async, run_sync
from magic_tools.loop.driver import Course
from magic_tools.options import Limits, RunOptions
from magic_tools.outcome import Outcome
from magic_tools.starting import Decisions, Prompt, Run, Tools, beginning, going_on

__all__ = ["aextract", "aresume", "arun", "extract", "outcome_kept", "resume", "run"]

T = TypeVar("T", default=str)


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
    return _sync(beginning(prompt, tools, output, model, instructions, limits, context, options))


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
    return await _async(beginning(prompt, tools, output, model, instructions, limits, context, options))


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


@overload
def resume(
    state: Mapping[str, Any], decisions: Decisions | None = ..., *, tools: Tools = ..., output: type[T] = ...,
    model: ChatModel | str | None = ..., context: Any = ..., options: RunOptions | None = ...,
) -> Outcome[T]: ...  # fmt: skip
@overload
def resume(
    state: Mapping[str, Any], decisions: Decisions | None = ..., *, tools: Tools = ..., output: Any,
    model: ChatModel | str | None = ..., context: Any = ..., options: RunOptions | None = ...,
) -> Outcome[Any]: ...  # fmt: skip
def resume(
    state: Mapping[str, Any],
    decisions: Decisions | None = None,
    *,
    tools: Tools = (),
    output: Any = str,
    model: ChatModel | str | None = None,
    context: Any = None,
    options: RunOptions | None = None,
) -> Outcome[Any]:
    """Go on with a run that has paused, was cancelled or was lost, from its state; in any process.

    `decisions` are by the ids of the calls that wait: True or False for one that needs approval, for a question
    the answer. What is not decided still waits. Leave holds for exactly the call that it was given for: where its
    tool promises something else by now, or its arguments come to something else, the person is asked anew. No call
    that was made is made again. One that was under way is `UNKNOWN_EFFECT`, unless its tool is read-only or
    idempotent or can tell by its `reconcile` that nothing was done.

    Limits, language and what was spent are those of the state; tools, output, model, context and the other options
    are given as to `run`. ValueError for a state that is none, or of a run that has ended, and for a decision that
    no call waits for.
    """
    return _sync(going_on(state, decisions, tools, output, model, context, options))


@overload
async def aresume(
    state: Mapping[str, Any], decisions: Decisions | None = ..., *, tools: Tools = ..., output: type[T] = ...,
    model: ChatModel | str | None = ..., context: Any = ..., options: RunOptions | None = ...,
) -> Outcome[T]: ...  # fmt: skip
@overload
async def aresume(
    state: Mapping[str, Any], decisions: Decisions | None = ..., *, tools: Tools = ..., output: Any,
    model: ChatModel | str | None = ..., context: Any = ..., options: RunOptions | None = ...,
) -> Outcome[Any]: ...  # fmt: skip
async def aresume(
    state: Mapping[str, Any],
    decisions: Decisions | None = None,
    *,
    tools: Tools = (),
    output: Any = str,
    model: ChatModel | str | None = None,
    context: Any = None,
    options: RunOptions | None = None,
) -> Outcome[Any]:
    """`resume`, awaited."""
    return await _async(going_on(state, decisions, tools, output, model, context, options))


def _sync(begun: Run) -> Outcome[Any]:
    with outcome_kept(begun.course):
        return run_sync(begun.program)


async def _async(begun: Run) -> Outcome[Any]:
    with outcome_kept(begun.course):
        return await run_async(begun.program)


@contextmanager
def outcome_kept(course: Course) -> Iterator[None]:
    """Whatever ends a run from outside, such as a cancellation, carries the outcome so far."""
    try:
        yield
    except BaseException as error:
        if course.given is None or getattr(error, "outcome", None) is not course.given:  # but maybe that of another run
            with suppress(AttributeError, TypeError):  # of an exception that holds nothing more
                error.outcome = course.outcome("cancelled")  # type: ignore[attr-defined]  # it is given one
        raise
