"""Functions of every kind, read: what each parameter stands for, and who fills it."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, NotRequired, get_args, get_origin

from pydantic.fields import FieldInfo
from typing_extensions import Unpack

from magic_tools.errors import DefinitionError
from magic_tools.schema.docstrings import read_docstring
from magic_tools.schema.hidden import hidden_mark, holds_hidden
from magic_tools.schema.hints import UNRESOLVED, Hints
from magic_tools.schema.signature import KEYWORD, Parameter, Signature

__all__ = ["ARGUMENTS", "open_signature", "read_signature"]

_EMPTY = inspect.Parameter.empty
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_UNPACK = (Unpack, typing.Unpack)  # two objects below Python 3.12
_STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def read_signature(fn: Callable[..., Any], *, is_method: bool | None = None) -> Signature:
    """The signature of a function, of whatever kind.

    What a `functools.partial` has bound is no parameter. `is_method` says whether the first parameter is
    the object or class that the function is called on; None finds that out. DefinitionError names the
    parameter that has no annotation, or an annotation that cannot be resolved.
    """
    function = fn.func if isinstance(fn, functools.partial) else fn
    name = getattr(function, "__name__", None) or type(function).__name__
    try:
        declared = _declared(fn)
    except (TypeError, ValueError) as error:
        raise DefinitionError(
            f"{fn!r} has no signature to read ({error}); wrap it in a function with annotations."
        ) from error
    hints = Hints(function)
    stated = list(declared.parameters.values())
    unbound = _is_unbound(function, stated) if is_method is None else is_method
    parameters = tuple(_parameter(name, parameter, hints) for parameter in stated[unbound:])
    returns, unresolved = _returned(name, declared.return_annotation, hints)
    receiver = stated[0].name if unbound else _receiver(function)
    return Signature(name, parameters, returns, read_docstring(_doc_of(function)), unresolved, unbound, receiver)


ARGUMENTS = "arguments"
"""The one parameter of an open signature: an object of whatever a schema from outside names."""


def open_signature(fn: Callable[..., Any], name: str) -> Signature:
    """The signature of a function that is called with an object's keys; the context fills what it hides."""
    function = fn.func if isinstance(fn, functools.partial) else fn
    hints = Hints(function)
    hidden = [each for each in _declared(fn).parameters.values() if _is_hidden(each, hints)]
    parameters = tuple(_parameter(name, each, hints) for each in hidden)
    taken = Parameter(ARGUMENTS, dict[str, Any], inspect.Parameter.VAR_KEYWORD, _EMPTY, required=True)
    return Signature(
        name, (*parameters, taken), _EMPTY, read_docstring(_doc_of(function)), receiver=_receiver(function)
    )


def _is_hidden(parameter: inspect.Parameter, hints: Hints) -> bool:
    with suppress(*UNRESOLVED):
        return parameter.annotation is not _EMPTY and hidden_mark(hints.sketch(parameter.annotation)) is not None
    return False


def _declared(fn: Callable[..., Any]) -> inspect.Signature:
    if not isinstance(fn, functools.partial):
        return inspect.signature(fn)
    bare = functools.partial(fn.func, *fn.args, **fn.keywords)  # what wraps leaves on fn brings the bound ones back
    declared = inspect.signature(bare)
    bound = [p.name for p in declared.parameters.values() if p.name in fn.keywords and p.kind in KEYWORD]
    return declared.replace(parameters=[p for name, p in declared.parameters.items() if name not in bound])


def _is_unbound(fn: Callable[..., Any], stated: list[inspect.Parameter]) -> bool:
    """Whether a function stands in a class body and wants its object, or the class, first."""
    scope = getattr(fn, "__qualname__", "").rpartition(".")[0]
    if not scope or scope.endswith("<locals>") or inspect.ismethod(fn) or not stated:
        return False
    return stated[0].name in ("self", "cls") or (stated[0].annotation is _EMPTY and stated[0].kind in _POSITIONAL)


def _receiver(fn: Callable[..., Any]) -> str | None:
    """The name of the parameter that a bound method has filled, if a key can name it."""
    if not inspect.ismethod(fn):
        return None
    first = next(iter(inspect.signature(fn.__func__).parameters.values()), None)
    return first.name if first is not None and first.kind in KEYWORD else None


def _doc_of(fn: Callable[..., Any]) -> str | None:
    """The docstring of a function; of a callable object that of its call, else of its class."""
    if inspect.isroutine(fn) or isinstance(fn, type):
        return fn.__doc__ or inspect.getdoc(fn)
    return inspect.getdoc(type(fn).__call__) if getattr(type(fn).__call__, "__doc__", None) else inspect.getdoc(fn)


def _returned(function: str, annotation: Any, hints: Hints) -> tuple[Any, str | None]:
    """The resolved return annotation; one with names that only a type checker knows is kept as it is written."""
    if annotation is _EMPTY:
        return _EMPTY, None
    try:
        return hints.resolve(annotation), None
    except NameError:
        return _EMPTY, str(annotation)
    except UNRESOLVED as error:
        raise _unresolved(f"{function}(): the result", annotation, error) from error


def _parameter(function: str, parameter: inspect.Parameter, hints: Hints) -> Parameter:
    where = f"{function}(): parameter '{parameter.name}'"
    name, kind, default = parameter.name, parameter.kind, parameter.default
    if parameter.annotation is _EMPTY:
        raise DefinitionError(
            f"{where} has no annotation, so a model cannot be told what to send. Write its type, such as `{name}: str`."
        )
    annotation = _resolved(parameter.annotation, where, hints)
    mark = hidden_mark(annotation)
    if mark is not None:
        if kind not in (*_POSITIONAL, inspect.Parameter.KEYWORD_ONLY):
            raise DefinitionError(
                f"{where} is hidden, and a context fills only parameters of one value: drop the star."
            )
        return Parameter(name, annotation, kind, default, required=False, hidden=mark)
    _check_place(annotation, where)
    if isinstance(default, FieldInfo):
        return Parameter(name, Annotated[annotation, default], kind, default, default.is_required())
    if kind in _STARS:
        return _starred(name, annotation, kind)
    return Parameter(name, annotation, kind, default, default is _EMPTY)


def _resolved(annotation: Any, where: str, hints: Hints) -> Any:
    """What a parameter's annotation stands for; of a hidden one, only that it is hidden has to be known."""
    try:
        return hints.resolve(annotation)
    except NameError as error:
        sketch = hints.sketch(annotation)
        if hidden_mark(sketch) is not None:
            return sketch
        raise _unresolved(where, annotation, error) from error
    except UNRESOLVED as error:
        raise _unresolved(where, annotation, error) from error


def _unresolved(where: str, annotation: Any, error: Exception) -> DefinitionError:
    return DefinitionError(
        f"{where} has the annotation {annotation!r}, which cannot be resolved ({error}). "
        "Import or define the name at run time, above the function and not only under TYPE_CHECKING."
    )


def _check_place(annotation: Any, where: str) -> None:
    if holds_hidden(annotation):
        raise DefinitionError(
            f"{where} has the annotation {annotation!r}, with Injected or Context inside: they hide a whole "
            "parameter. Write Injected[...] around all of it."
        )
    origin: object = get_origin(annotation)
    if origin is NotRequired:
        raise DefinitionError(
            f"{where} has the annotation {annotation!r}, which is for a TypedDict. "
            "Give the parameter a default instead."
        )


def _starred(name: str, annotation: Any, kind: inspect._ParameterKind) -> Parameter:
    """`*args` as an array and `**kwargs` as an object, of one type each or, unpacked, of what they unpack."""
    required = False
    if get_origin(annotation) in _UNPACK:
        (annotation,) = get_args(annotation)
        required = bool(getattr(annotation, "__required_keys__", ()))
    elif getattr(annotation, "__unpacked__", False):  # `*args: *tuple[int, str]`
        annotation = get_origin(annotation)[get_args(annotation)]
    elif kind is inspect.Parameter.VAR_POSITIONAL:
        annotation = list[annotation]
    else:
        annotation = dict[str, annotation]
    return Parameter(name, annotation, kind, _EMPTY, required)
