"""Functions of every kind, read: what each parameter stands for, and who fills it."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import Annotated, Any, NotRequired, Self, get_args, get_origin

from pydantic.fields import FieldInfo
from typing_extensions import Unpack

from magic_tools.errors import DefinitionError
from magic_tools.schema.docstrings import read_docstring
from magic_tools.schema.hidden import hidden_mark, refuse_hidden
from magic_tools.schema.hints import Hints
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
    taken = _bound_names(fn) | ({stated[0].name} if unbound else _receiver(function))
    return Signature(name, parameters, returns, read_docstring(_doc_of(function)), unresolved, unbound, taken)


ARGUMENTS = "arguments"
"""The one parameter of an open signature: an object of whatever a schema from outside names."""


def open_signature(
    fn: Callable[..., Any],
    name: str,
    properties: Collection[str],
    given: Collection[str],
) -> Signature:
    """The signature of a function that is called with an object's keys; the context fills what it hides.

    `given` are the keys that are always there. DefinitionError if the function cannot be called with them.
    """
    function = fn.func if isinstance(fn, functools.partial) else fn
    hints = Hints(function)
    declared = _declared(fn)
    hidden = [each for each in declared.parameters.values() if _is_hidden(each, hints)]
    visible = [each for each in declared.parameters.values() if each not in hidden]
    taken = _bound_names(fn) | _receiver(function)
    faults = {
        "has filled already": taken & set(properties),
        "hides what the schema offers": {each.name for each in hidden} & set(properties),
        **_misfits(visible, set(properties) - {each.name for each in hidden}, set(given)),
    }
    for fault, names in faults.items():
        if names:
            raise DefinitionError(
                f"{name}(): the function {fault}: {', '.join(sorted(names))}. It is called with the schema's keys as "
                "keyword arguments: write **arguments, or the same names."
            )
    keys = Parameter(ARGUMENTS, dict[str, Any], inspect.Parameter.VAR_KEYWORD, _EMPTY, required=True)
    return Signature(
        name,
        (*(_parameter(name, each, hints) for each in hidden), keys),
        _EMPTY,
        read_docstring(_doc_of(function)),
        taken=taken,
        keys=None if _takes_all(visible) else frozenset(_named(visible)),
    )


def _misfits(stated: list[inspect.Parameter], properties: set[str], given: set[str]) -> dict[str, set[str]]:
    """Why a function cannot be called with keys by name, of which `given` are always there: the names, by the fault."""
    wanted = {each.name for each in stated if each.default is _EMPTY and each.kind not in _STARS}
    positional = {each.name for each in stated if each.kind is inspect.Parameter.POSITIONAL_ONLY}
    return {
        "wants by position": wanted & positional,
        "does not take": set() if _takes_all(stated) else properties - _named(stated),
        "wants, while the schema may leave it out": wanted & _named(stated) - given,
    }


def _takes_all(stated: list[inspect.Parameter]) -> bool:
    return any(each.kind is inspect.Parameter.VAR_KEYWORD for each in stated)


def _named(stated: Iterable[inspect.Parameter]) -> set[str]:
    return {parameter.name for parameter in stated if parameter.kind in KEYWORD}


def _is_hidden(parameter: inspect.Parameter, hints: Hints) -> bool:
    with suppress(Exception):  # whatever evaluating it may raise, such an annotation counts for nothing here
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


def _receiver(fn: Callable[..., Any]) -> frozenset[str]:
    """The name of the parameter that a bound method has filled, if a key can name it."""
    if not inspect.ismethod(fn):
        return frozenset()
    first = next(iter(inspect.signature(fn.__func__).parameters.values()), None)
    return frozenset({first.name} if first is not None and first.kind in KEYWORD else ())


def _bound_names(fn: Callable[..., Any]) -> frozenset[str]:
    """What a partial has bound, by position or by name, be it a parameter or a key of its open ones."""
    if not isinstance(fn, functools.partial):
        return frozenset()
    stated = list(inspect.signature(fn.func).parameters.values())[: len(fn.args)]
    return frozenset(fn.keywords) | {each.name for each in stated if each.kind in KEYWORD}


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
    except Exception as error:  # evaluating a text may raise anything, and all of it is the author's
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
    if default is not _EMPTY and not isinstance(default, FieldInfo):
        _check_one_default(annotation, default, where)
    if isinstance(default, FieldInfo):
        return Parameter(name, Annotated[annotation, default], kind, default, default.is_required())
    if kind in _STARS:
        return _starred(name, annotation, kind)
    return Parameter(name, annotation, kind, default, default is _EMPTY)


def _check_one_default(annotation: Any, default: Any, where: str) -> None:
    metadata = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    if any(isinstance(item, FieldInfo) and not item.is_required() for item in metadata):
        raise DefinitionError(
            f"{where} has two defaults, one in its Field and {default!r} in the signature. Keep the latter."
        )


def _resolved(annotation: Any, where: str, hints: Hints) -> Any:
    """What a parameter's annotation stands for; of a hidden one, only that it is hidden has to be known."""
    try:
        return hints.resolve(annotation)
    except NameError as error:
        with suppress(Exception):  # what cannot even be looked at is not known to be hidden
            sketch = hints.sketch(annotation)
            if hidden_mark(sketch) is not None:
                return sketch
        raise _unresolved(where, annotation, error) from error
    except Exception as error:  # evaluating a text may raise anything, and all of it is the author's
        raise _unresolved(where, annotation, error) from error


def _unresolved(where: str, annotation: Any, error: Exception) -> DefinitionError:
    why = f"{type(error).__name__}: {error}" if not isinstance(error, NameError | SyntaxError | TypeError) else error
    way_out = (
        "Import or define the name at run time, above the function and not only under TYPE_CHECKING; of a method whose "
        "annotations name its own class, make the tool later: tool(obj.method)."
        if isinstance(error, NameError)
        else "Write a type, such as str, list[int], Literal['a', 'b'] or a model."
    )
    return DefinitionError(f"{where} has the annotation {annotation!r}, which cannot be resolved ({why}). {way_out}")


def _check_place(annotation: Any, where: str) -> None:
    refuse_hidden(annotation, f"{where} has the annotation {annotation!r}, which")
    if _holds_self(annotation):
        raise DefinitionError(
            f"{where} has the annotation {annotation!r}, and Self stands for no class here: write the class's name."
        )
    origin: object = get_origin(annotation)
    if origin is NotRequired:
        raise DefinitionError(
            f"{where} has the annotation {annotation!r}, which is for a TypedDict. "
            "Give the parameter a default instead."
        )


def _holds_self(annotation: Any) -> bool:
    return annotation is Self or any(map(_holds_self, get_args(annotation)))


def _starred(name: str, annotation: Any, kind: inspect._ParameterKind) -> Parameter:
    """`*args` as an array and `**kwargs` as an object, of one type each or, unpacked, of what they unpack."""
    unpacked = _unpacked(annotation)
    if unpacked is not None:
        return Parameter(name, unpacked, kind, _EMPTY, not _may_be_empty(unpacked))
    held = list[annotation] if kind is inspect.Parameter.VAR_POSITIONAL else dict[str, annotation]
    return Parameter(name, held, kind, _EMPTY, required=False)


def _unpacked(annotation: Any) -> Any:
    """What an annotation unpacks, as `Unpack[X]` or `*X`; None where it unpacks nothing."""
    if get_origin(annotation) in _UNPACK:
        return get_args(annotation)[0]
    if getattr(annotation, "__unpacked__", False):
        return get_origin(annotation)[get_args(annotation)]
    return None


def _may_be_empty(unpacked: Any) -> bool:
    """Whether a tuple or a TypedDict may hold nothing."""
    if get_origin(unpacked) is not tuple:
        return not getattr(unpacked, "__required_keys__", ())
    items = get_args(unpacked)
    return not items or Ellipsis in items
