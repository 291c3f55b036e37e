"""Functions answered by a model: a template says what is asked, the return annotation what the answer is."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from magic_tools.chat import ChatModel
from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import compile_annotation
from magic_tools.messages import Message
from magic_tools.options import Limits, RunOptions
from magic_tools.outcome import Outcome
from magic_tools.running import arun, run
from magic_tools.schema.hidden import Hidden
from magic_tools.schema.hints import Hints
from magic_tools.schema.subjects import Subject, hidden_of, subject_of
from magic_tools.settling import value_of
from magic_tools.starting import Tools
from magic_tools.tools.templates import Template
from magic_tools.tools.tool import Tool
from magic_tools.tools.toolset import Toolset

__all__ = ["PromptDecorator", "PromptFunction", "prompt"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")
OutcomeT = TypeVar("OutcomeT")


@dataclass(frozen=True)
class _Plan:
    """All that is known of a prompt before it is called."""

    subject: Subject
    template: Template
    hidden: Mapping[str, Hidden]
    settings: Mapping[str, Any]
    system: tuple[Message, ...]

    @functools.cached_property
    def output(self) -> Any:
        """The type of the answer; DefinitionError, caused by a NameError where a name is not known yet."""
        subject = self.subject
        where = f"{subject.name}(): the result"
        annotation = subject.signature.return_annotation
        if annotation is inspect.Signature.empty:
            raise DefinitionError(f"{where} has no annotation, and it says what a model answers: write {_RETURNS}.")
        try:
            output = Hints(subject.function).resolve(annotation)
        except Exception as error:  # evaluating a text may raise anything, and all of it is the author's
            raise DefinitionError(
                f"{where} has the annotation {annotation!r}, which cannot be resolved ({error!r}). "
                "Define or import the name where the function can see it, and not only under TYPE_CHECKING."
            ) from error
        if output is None or output is type(None):
            raise DefinitionError(f"{where} is None, and a model's answer is the result: write {_RETURNS}.")
        compile_annotation(output, where=where, side="input")
        return output

    def arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a call by parameter, with defaults; TypeError if the function itself would not take it."""
        subject = self.subject
        try:
            bound = subject.signature.bind(*subject.args, *args, **{**subject.keywords, **kwargs})
        except TypeError as error:
            raise TypeError(f"{subject.name}(): {error}") from None
        bound.apply_defaults()
        return bound.arguments

    def messages(self, arguments: Mapping[str, Any]) -> tuple[Message, ...]:
        return (*self.system, Message.user(self.template.filled(arguments)))

    def context(self, arguments: Mapping[str, Any]) -> Any:
        """What fills the tools' hidden parameters: the values of the function's own."""
        for name, mark in self.hidden.items():
            if mark.whole:
                return arguments[name]
        return {name: arguments[name] for name in self.hidden} or None


_RETURNS = "its type, such as `-> str` or a model"


class PromptFunction(Generic[P, R, OutcomeT]):
    """A function that a model answers, called like the function it is made of. Made by `prompt`."""

    def __init__(self, plan: _Plan, receiver: tuple[Any, ...] = ()) -> None:
        subject = plan.subject
        functools.update_wrapper(self, subject.function, updated=())
        self.__name__ = subject.name
        self.__signature__ = subject.shown_signature(receiver)
        if subject.is_async and sys.version_info >= (3, 12):
            inspect.markcoroutinefunction(self)
        self._plan = plan
        self._receiver = receiver

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """The model's answer; TypeError, and the errors of `run`, if there is none."""
        ask = self._asking(args, kwargs)
        answer: Any = _value(ask) if self._plan.subject.is_async else value_of(ask())
        return answer  # type: ignore[no-any-return]  # R is what the function says it returns

    def run(self, /, *args: P.args, **kwargs: P.kwargs) -> OutcomeT:
        """The whole outcome of the run; of an async function, awaited."""
        return self._asking(args, kwargs)()  # type: ignore[no-any-return]

    def messages(self, /, *args: P.args, **kwargs: P.kwargs) -> tuple[Message, ...]:
        """The messages that a call with these arguments begins with; no model is asked."""
        return self._plan.messages(self._plan.arguments((*self._receiver, *args), kwargs))

    def _asking(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Callable[[], Any]:
        """The run of a call, not begun yet; all that can be wrong with its arguments is told by now."""
        plan = self._plan
        arguments = plan.arguments((*self._receiver, *args), kwargs)
        return functools.partial(
            arun if plan.subject.is_async else run,
            plan.messages(arguments),
            output=plan.output,
            context=plan.context(arguments),
            **plan.settings,
        )

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> PromptFunction[P, R, OutcomeT]: ...
    @overload
    def __get__(
        self: PromptFunction[Concatenate[S, Q], R, OutcomeT], instance: S, owner: type | None = None
    ) -> PromptFunction[Q, R, OutcomeT]: ...
    def __get__(self, instance: object, owner: type | None = None) -> PromptFunction[..., R, OutcomeT]:
        subject = self._plan.subject
        if self._receiver or not subject.is_method or (instance is None and not subject.of_class):
            return self
        receiver = (type(instance) if owner is None else owner) if subject.of_class else instance
        return PromptFunction(self._plan, (receiver,))

    def __reduce__(self) -> str | tuple[Any, ...]:
        if self._receiver:
            return getattr, (self._receiver[0], self._plan.subject.function.__name__)
        return self._plan.subject.function.__qualname__  # pickle finds it again by its name, as it does functions

    def __copy__(self) -> PromptFunction[P, R, OutcomeT]:
        return self

    def __deepcopy__(self, _: Any) -> PromptFunction[P, R, OutcomeT]:
        return self

    def __repr__(self) -> str:
        return f"<Prompt {self._plan.subject.name}>"


async def _value(ask: Callable[[], Any]) -> Any:
    return value_of(await ask())


class PromptDecorator(Protocol):
    """What `prompt` gives: a function goes in, one that a model answers comes out."""

    @overload
    def __call__(  # type: ignore[overload-overlap]  # what is async is not what gives any value: the first is for it
        self, fn: Callable[P, Coroutine[Any, Any, T]], /
    ) -> PromptFunction[P, Coroutine[Any, Any, T], Coroutine[Any, Any, Outcome[T]]]: ...
    @overload
    def __call__(self, fn: Callable[P, T], /) -> PromptFunction[P, T, Outcome[T]]: ...


def prompt(
    template: str,
    *,
    model: ChatModel | str | None = None,
    tools: Tools = (),
    instructions: str | None = None,
    limits: Limits | None = None,
    options: RunOptions | None = None,
) -> PromptDecorator:
    """Make a function that a model answers; used as a decorator.

    `template` is what is asked: `{name}` stands for the value of a parameter, with attributes, keys and formats as in
    `str.format`, and `{{` and `}}` for braces. Values are data: text goes in as it is and all else as JSON, unless the
    field has a format or conversion of Python's. The return annotation is the type of the answer. The body is never
    run: it is `...`, a docstring, or `raise NotImplementedError`. Parameters that are `Injected` or `Context` are the
    context of the run and no part of the template. The other options are those of `run`; `instructions` go in as
    they are.

    DefinitionError if template and parameters do not match, or the function is none that a model could answer.
    """
    if callable(template):
        raise DefinitionError('prompt takes a template first: write @prompt("...") above the function.')
    _check("instructions", instructions, str)
    _check("limits", limits, Limits)
    _check("options", options, RunOptions)
    settings = {"model": model, "tools": _compiled(tools), "limits": limits, "options": options}
    system = () if instructions is None else (Message.system(instructions),)

    def decorate(fn: Any) -> Any:
        if isinstance(fn, Tool | PromptFunction):
            raise DefinitionError(f"{fn!r} is no plain function: write @prompt directly above `def`.")
        subject = subject_of(fn)
        hidden = hidden_of(subject)
        shown = {name: name not in hidden for name in subject.signature.parameters}
        made = Template(template, shown, where=f"{subject.name}(): the template")
        _check_use(subject, hidden.keys() | made.names)
        plan = _Plan(subject, made, hidden, settings, system)
        try:
            _ = plan.output
        except DefinitionError as error:
            if not isinstance(error.__cause__, NameError):
                raise
        return PromptFunction(plan)  # whose answer's type, if it was not known yet, is found at its first call

    return decorate


def _check(option: str, given: object, kind: type) -> None:
    if given is not None and not isinstance(given, kind):
        raise DefinitionError(f"prompt({option}=...) wants a {kind.__name__}, got {given!r:.80}.")


def _compiled(tools: Any) -> Any:
    """A toolset of tools and functions that come one by one, compiled once; anything else as it is."""
    if not isinstance(tools, list | tuple | AbstractSet | Iterator):
        return tools
    items = tuple(tools)
    return Toolset(*items) if all(map(callable, items)) else items


def _check_use(subject: Subject, used: AbstractSet[str]) -> None:
    """DefinitionError if a parameter goes nowhere."""
    for name in subject.visible:
        if name not in used:
            raise DefinitionError(
                f"{subject.name}(): parameter '{name}' is not in the template, so that its value would go nowhere. "
                f"Write {{{name}}} where it belongs, or drop it; what tools alone are to get is Injected[...]."
            )
