"""Functions whose body nobody runs: what stands below a decorator, and what of its parameters a model never sees."""

from __future__ import annotations

import dis
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any

from pydantic.fields import FieldInfo

from magic_tools.errors import DefinitionError
from magic_tools.schema.hidden import Hidden, hidden_mark, refuse_hidden
from magic_tools.schema.hints import Hints

__all__ = ["Subject", "hidden_of", "subject_of"]

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class Subject:
    """A function that stands for something else, by its name.

    `args` and `keywords` are what a method or a partial has filled in. With `has_receiver` its first parameter is the
    object or, if `of_class`, the class that it is called on.
    """

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)
    has_receiver: bool = False
    of_class: bool = False

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The signature of the function, with what is filled in."""
        return inspect.signature(self.function)

    @property
    def is_async(self) -> bool:
        """Whether calling it gives something to await."""
        return inspect.iscoroutinefunction(self.function)

    @property
    def is_method(self) -> bool:
        """Whether its object or class is still to come."""
        return self.has_receiver and not self.args

    @property
    def visible(self) -> list[str]:
        """The names of its parameters without that of its object."""
        return list(self.signature.parameters)[self.has_receiver :]

    def shown_signature(self, receiver: tuple[Any, ...]) -> inspect.Signature:
        """What a caller has to give."""
        given = (*receiver, *self.args)
        if not given and not self.keywords:
            return self.signature
        return inspect.signature(functools.partial(self.function, *given, **self.keywords))


def subject_of(fn: Any) -> Subject:
    """What a callable is as a subject; DefinitionError if it is no function, or if its body does something."""
    subject = _unwrapped(fn)
    function = subject.function
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise DefinitionError(f"{subject.name}() is a generator, and a model gives one answer: drop the yield.")
    if hasattr(function, "__wrapped__"):
        raise DefinitionError(
            f"{subject.name}() has a decorator below that would never run: write @prompt directly above `def`."
        )
    if _outline(function.__code__) not in _placeholders():
        raise DefinitionError(
            f"{subject.name}() has a body, which would never run: a model answers in its place. "
            "Write `...`, a docstring or `raise NotImplementedError` there."
        )
    return subject


def hidden_of(subject: Subject) -> dict[str, Hidden]:
    """The marks of the parameters that are hidden, by name; DefinitionError if they cannot be what they are."""
    hints = Hints(subject.function)
    stated = {name: subject.signature.parameters[name] for name in subject.visible}
    marks = {name: _mark(parameter, hints, subject.name) for name, parameter in stated.items()}
    hidden = {name: mark for name, mark in marks.items() if mark is not None}
    if len(hidden) > 1 and any(mark.whole for mark in hidden.values()):
        raise DefinitionError(
            f"{subject.name}(): of the hidden parameters {', '.join(hidden)} one is a Context, which is all of the "
            "run's context: let it be the only one, or make each of them Injected[...]."
        )
    return hidden


def _unwrapped(fn: Any) -> Subject:
    if isinstance(fn, functools.partial):
        below = _unwrapped(fn.func)
        return replace(below, args=(*below.args, *fn.args), keywords={**below.keywords, **fn.keywords})
    if isinstance(fn, classmethod | staticmethod):
        of_class = isinstance(fn, classmethod)
        return replace(_unwrapped(fn.__func__), has_receiver=of_class, of_class=of_class)
    if inspect.ismethod(fn):
        return replace(_unwrapped(fn.__func__), args=(fn.__self__,), has_receiver=True)
    if inspect.isfunction(fn):
        return Subject(fn.__name__, fn, has_receiver=_is_method(fn))
    if callable(fn) and inspect.isfunction(type(fn).__call__):
        return Subject(type(fn).__name__, type(fn).__call__, (fn,), has_receiver=True)
    raise DefinitionError(f"{fn!r:.80} is no function in Python, as is wanted here: write one with `def`.")


def _is_method(fn: Callable[..., Any]) -> bool:
    """Whether a function stands in a class body and wants its object, or the class, first."""
    scope = fn.__qualname__.rpartition(".")[0]
    first = next(iter(inspect.signature(fn).parameters.values()), None)
    if not scope or scope.endswith("<locals>") or first is None or first.kind not in _POSITIONAL:
        return False
    return first.name in ("self", "cls") or first.annotation is inspect.Parameter.empty


def _mark(parameter: inspect.Parameter, hints: Hints, name: str) -> Hidden | None:
    """The mark of a parameter, if it is hidden; names in its annotation may be known to type checkers alone."""
    where = f"{name}(): parameter '{parameter.name}'"
    if isinstance(parameter.default, FieldInfo):
        raise DefinitionError(f"{where} has a Field for its default, and a call is not validated: write the value.")
    annotation = None if parameter.annotation is inspect.Parameter.empty else parameter.annotation
    try:
        resolved = hints.resolve(annotation)
    except Exception as error:  # whatever evaluating a text may raise
        resolved = None
        with suppress(Exception):
            resolved = hints.sketch(annotation)
        if hidden_mark(resolved) is None and re.search(r"\b(Injected|Context)\b", str(annotation)):
            raise DefinitionError(
                f"{where} has the annotation {annotation!r}, which cannot be resolved ({error!r}). "
                f"Import what hides it at run time, and not only under TYPE_CHECKING."
            ) from error
    mark = hidden_mark(resolved)
    if mark is None:
        refuse_hidden(resolved, f"{where} has the annotation {annotation!r}, which")
    elif parameter.kind in _STARS:
        raise DefinitionError(f"{where} is hidden, and a context has one value of a name: drop the star.")
    return mark


_SKIPPED = frozenset({"CACHE", "NOP", "RESUME"})


def _outline(code: CodeType) -> tuple[tuple[str, Any], ...]:
    """What code does, step by step, whatever its texts say."""
    return tuple(
        (step.opname, "" if step.opname == "LOAD_CONST" and isinstance(step.argval, str) else step.argval)
        for step in dis.get_instructions(code)
        if step.opname not in _SKIPPED
    )


@functools.cache
def _placeholders() -> frozenset[tuple[tuple[str, Any], ...]]:
    """The outlines of bodies that only stand where a body has to."""
    return frozenset(
        _outline(code)
        for body in ("...", *(f"raise NotImplementedError{said}" for said in ("", "()", "('')")))
        for lead in ("def", "async def")
        for code in _codes(f"{lead} placeholder(): {body}")
    )


def _codes(source: str) -> Iterator[CodeType]:
    constants = compile(source, "<placeholder>", "exec").co_consts
    return (constant for constant in constants if isinstance(constant, CodeType))
