"""A function's signature: what a model may send for its parameters, and how a call is bound."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, NotRequired, TypeAlias, get_origin

from pydantic import BaseModel, PydanticUserError, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, SchemaError
from typing_extensions import TypedDict, get_type_hints

from magic_tools.errors import DefinitionError
from magic_tools.schema.defaults import json_default
from magic_tools.schema.docstrings import DocTexts, read_docstring
from magic_tools.schema.emit import check_stated
from magic_tools.values import JsonObject

__all__ = ["Parameter", "Signature", "adapt", "read_signature"]

_EMPTY = inspect.Parameter.empty
_KEYWORD = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter that a model fills.

    `annotation` is resolved; of `*args: T` it is `list[T]` and of `**kwargs: T` it is `dict[str, T]`.
    A default that is a `Field(...)` is part of the annotation too, so that validation fills it in.
    """

    name: str
    annotation: Any
    kind: inspect._ParameterKind
    default: Any

    @property
    def required(self) -> bool:
        """Whether a call without it is refused."""
        if self.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            return False
        return self.default is _EMPTY or (isinstance(self.default, FieldInfo) and self.default.is_required())


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function is called, takes, gives and says.

    `returns` is the resolved return annotation, or `inspect.Parameter.empty` where there is none.
    `unbound` is true of a method whose object is not known yet; its `self` is no parameter.
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: Any
    docs: DocTexts
    unbound: bool = False

    def adapter(self) -> TypeAdapter[dict[str, Any]]:
        """The validator of a call's arguments, which leaves absent ones absent."""
        hints = {p.name: p.annotation if p.required else NotRequired[p.annotation] for p in self.parameters}
        try:
            adapter = adapt(TypedDict(self.name, hints), where=self.name)  # type: ignore[operator]  # names known only now
            check_stated(adapter, where=self.name)
        except DefinitionError:
            for parameter in self.parameters:  # one of them: find it, to name it
                where = f"{self.name}(): parameter '{parameter.name}'"
                single = adapt(parameter.annotation, where=where)
                check_stated(single, where=where, annotation=parameter.annotation)
            raise
        return adapter

    def additions(self) -> dict[str, JsonObject]:
        """For each parameter the keywords that its own schema may lack: its docstring's text and its default."""
        added: dict[str, JsonObject] = {}
        for parameter in self.parameters:
            text = self.docs.parameters.get(parameter.name)
            added[parameter.name] = {"description": text} if text else {}
            if parameter.default is not _EMPTY and not isinstance(parameter.default, FieldInfo):
                with suppress(PydanticSerializationError):  # a default that JSON cannot hold is not told
                    added[parameter.name]["default"] = json_default(parameter.default)
        return added

    def bind(self, values: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and keyword arguments of a call, from validated values by parameter name.

        A key of a `**kwargs` object that names another parameter is a ValueError.
        """
        stars = any(p.kind is inspect.Parameter.VAR_POSITIONAL and p.name in values for p in self.parameters)
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for parameter in self.parameters:
            given = parameter.name in values
            value = values[parameter.name] if given else _own(parameter.default)
            match parameter.kind:
                case inspect.Parameter.VAR_POSITIONAL:
                    args.extend(value if given else ())
                case inspect.Parameter.VAR_KEYWORD:
                    self._merge(kwargs, value if given else {}, parameter.name)
                case inspect.Parameter.POSITIONAL_ONLY:
                    args.append(value)
                case inspect.Parameter.POSITIONAL_OR_KEYWORD if stars:
                    args.append(value)
                case _:
                    kwargs[parameter.name] = value
        return tuple(args), kwargs

    def _merge(self, kwargs: dict[str, Any], extra: Mapping[str, Any], name: str) -> None:
        taken = [p.name for p in self.parameters if p.name in extra and p.kind in _KEYWORD]
        if taken:
            raise ValueError(f"{name} may not hold the key {taken[0]!r}, which is a parameter of its own")
        kwargs.update(extra)


def _own(default: Any) -> Any:
    """A default that one call may change without the next one seeing it."""
    return copy.deepcopy(default) if isinstance(default, list | dict | set | BaseModel) else default


def adapt(annotation: Any, *, where: str) -> TypeAdapter[Any]:
    """The validator of an annotation; DefinitionError, starting with `where`, if there can be none.

    A text or a mapping is none: pydantic would run the one as Python, and take the other for its own core schema.
    """
    if isinstance(annotation, str | Mapping):
        raise DefinitionError(
            f"{where} is the {type(annotation).__name__} {annotation!r:.80}, and has to be a type, such as a model or "
            "list[int]. Were the arguments swapped?"
        )
    try:
        adapter = TypeAdapter(annotation)
        if not adapter.pydantic_complete:  # some name was not known yet: say which, unless it is by now
            adapter.rebuild(raise_errors=True)
    except NameError as error:
        raise DefinitionError(
            f"{where} has the annotation {annotation!r}, which uses a name that is not known ({_reason(error)}). "
            "Define or import it above, at the top of the module and not only under TYPE_CHECKING."
        ) from error
    except (PydanticUserError, SchemaError, TypeError) as error:
        raise DefinitionError(
            f"{where} has the annotation {annotation!r}, which cannot be made into a schema ({_reason(error)}). "
            "Use a type that pydantic can validate: a primitive, a container, an Enum, a dataclass, a BaseModel."
        ) from error
    return adapter


def _reason(error: Exception) -> str:
    """An error's text in one line, without the address that pydantic adds."""
    return " ".join(str(getattr(error, "message", error)).split("\n\n")[0].split())


def read_signature(fn: Callable[..., Any], *, namespace: Mapping[str, Any] | None = None) -> Signature:
    """The signature of a function; `namespace` holds local names that its annotations may use.

    What a `functools.partial` has bound is no parameter. DefinitionError names the parameter that has
    no annotation, or an annotation that cannot be resolved.
    """
    function = fn.func if isinstance(fn, functools.partial) else fn
    name = getattr(function, "__name__", None) or type(function).__name__
    try:
        declared = _declared(fn)
    except (TypeError, ValueError) as error:
        raise DefinitionError(
            f"{fn!r} has no signature to read ({error}); wrap it in a function with annotations."
        ) from error
    resolve = _resolver(function, namespace or {})
    stated = list(declared.parameters.values())
    unbound = _is_unbound(function, stated)
    parameters = tuple(_parameter(name, parameter, resolve) for parameter in stated[unbound:])
    returns = resolve(declared.return_annotation, f"{name}(): the result")
    return Signature(name, parameters, returns, read_docstring(inspect.getdoc(function)), unbound)


def _declared(fn: Callable[..., Any]) -> inspect.Signature:
    if not isinstance(fn, functools.partial):
        return inspect.signature(fn)
    bare = functools.partial(fn.func, *fn.args, **fn.keywords)  # what wraps leaves on fn brings the bound ones back
    declared = inspect.signature(bare)
    bound = [p.name for p in declared.parameters.values() if p.name in fn.keywords and p.kind in _KEYWORD]
    return declared.replace(parameters=[p for name, p in declared.parameters.items() if name not in bound])


# Evaluating an annotation's text can fail in any of these ways; other exceptions are the user's own.
_UNRESOLVED = (NameError, AttributeError, TypeError, SyntaxError)


_Resolve: TypeAlias = Callable[[Any, str], Any]
"""Gives what an annotation stands for, from the annotation and where it stands."""


def _resolver(fn: Callable[..., Any], namespace: Mapping[str, Any]) -> _Resolve:
    function = inspect.unwrap(fn)
    function = getattr(function, "__func__", function)
    if not inspect.isfunction(function):
        function = type(fn).__call__
    known = {**namespace, **_closure(function)}

    def resolve(annotation: Any, where: str) -> Any:
        if annotation is _EMPTY:
            return annotation
        holder = SimpleNamespace(__annotations__={"it": annotation})
        try:
            return get_type_hints(holder, getattr(function, "__globals__", {}), known, include_extras=True)["it"]
        except _UNRESOLVED as error:
            raise DefinitionError(
                f"{where} has the annotation {annotation!r}, which cannot be resolved ({error}). "
                "Import or define the name at run time, above the function and not only under TYPE_CHECKING."
            ) from error

    return resolve


def _closure(function: Any) -> dict[str, Any]:
    """What a function has of the names around it; one that is not bound yet, such as its own, is left out."""
    cells = (
        zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        if inspect.isfunction(function)
        else ()
    )
    known = {}
    for name, cell in cells:
        with suppress(ValueError):  # Python's word for a cell that is empty
            known[name] = cell.cell_contents
    return known


def _is_unbound(fn: Callable[..., Any], stated: list[inspect.Parameter]) -> bool:
    """Whether a function stands in a class body and wants its object, or the class, first."""
    scope = getattr(fn, "__qualname__", "").rpartition(".")[0]
    in_class = bool(scope) and not scope.endswith("<locals>") and not inspect.ismethod(fn)
    return in_class and bool(stated) and stated[0].name in ("self", "cls")


def _parameter(function: str, parameter: inspect.Parameter, resolve: _Resolve) -> Parameter:
    where = f"{function}(): parameter '{parameter.name}'"
    if parameter.annotation is _EMPTY:
        raise DefinitionError(
            f"{where} has no annotation, so a model cannot be told what to send. "
            f"Write its type, such as `{parameter.name}: str`."
        )
    annotation = resolve(parameter.annotation, where)
    origin: object = get_origin(annotation)
    if origin is NotRequired:
        raise DefinitionError(
            f"{where} has the annotation {annotation!r}, which is for a TypedDict. "
            "Give the parameter a default instead."
        )
    if isinstance(parameter.default, FieldInfo):
        annotation = Annotated[annotation, parameter.default]
    match parameter.kind:
        case inspect.Parameter.VAR_POSITIONAL:
            annotation = list[annotation]  # type: ignore[valid-type]  # built at run time
        case inspect.Parameter.VAR_KEYWORD:
            annotation = dict[str, annotation]  # type: ignore[valid-type]  # built at run time
    return Parameter(parameter.name, annotation, parameter.kind, parameter.default)
