"""A function's signature: what a model may send for its parameters, and how a call is bound."""

from __future__ import annotations

import copy
import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, PydanticUndefined
from typing_extensions import Unpack

from magic_tools.errors import ContextError, DefinitionError
from magic_tools.schema.adapting import adapt, adapt_keys
from magic_tools.schema.defaults import check_defaults, json_default
from magic_tools.schema.docstrings import DocTexts, read_docstring
from magic_tools.schema.emit import check_stated
from magic_tools.schema.hidden import ABSENT, Hidden, context_value, hidden_mark, holds_hidden
from magic_tools.schema.hints import UNRESOLVED, Hints
from magic_tools.values import JsonObject, JsonValue

__all__ = ["ARGUMENTS", "Parameter", "Signature", "open_signature", "read_signature"]

_EMPTY = inspect.Parameter.empty
_KEYWORD = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_UNPACK = (Unpack, typing.Unpack)  # two objects below Python 3.12
_STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its resolved annotation, and whether a model fills it or, if `hidden`, the context does.

    Of `*args: T` the annotation is `list[T]`, of `**kwargs: T` it is `dict[str, T]`, and of the unpacked
    forms of both what is unpacked. A default that is a `Field(...)` is part of the annotation too, so that
    validation fills it in.
    """

    name: str
    annotation: Any
    kind: inspect._ParameterKind
    default: Any
    required: bool
    hidden: Hidden | None = None


@dataclass(frozen=True)
class Signature:
    """What a function is called, takes, gives and says.

    `parameters` are those that a model fills, `hidden` those that it never sees, `all` both in their order.
    `returns` is the resolved return annotation, or `inspect.Parameter.empty` where there is none or where it
    cannot be resolved, which is then in `unresolved_return`. `unbound` is true of a method whose object is
    not known yet; `receiver` is the name under which a method takes its object, which is no parameter.
    """

    name: str
    all: tuple[Parameter, ...]
    returns: Any
    docs: DocTexts
    unresolved_return: str | None = None
    unbound: bool = False
    receiver: str | None = None

    @functools.cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that a model fills."""
        return tuple(parameter for parameter in self.all if parameter.hidden is None)

    @functools.cached_property
    def hidden(self) -> tuple[Parameter, ...]:
        """The parameters that the context fills."""
        return tuple(parameter for parameter in self.all if parameter.hidden is not None)

    def adapter(self) -> TypeAdapter[dict[str, Any]]:
        """The validator of a call's arguments, which leaves absent ones absent."""
        try:
            adapter = adapt_keys(self.name, {p.name: (p.annotation, p.required) for p in self.parameters})
        except DefinitionError:
            self.check_each()
            raise
        self._check_defaults(adapter)
        return adapter

    def _check_defaults(self, adapter: TypeAdapter[dict[str, Any]]) -> None:
        """DefinitionError if a default is refused by its own annotation; none is made that a call would make.

        What JSON cannot hold is for Python's callers alone, and not checked.
        """
        fixed = [p for p in self.parameters if not _makes_default(p.annotation)]
        if len(fixed) < len(self.parameters):
            adapter = adapt_keys(self.name, {p.name: (p.annotation, p.required) for p in fixed})
        stated = {p.name: _stated_default(p.default) for p in fixed if p.name in self._told_defaults}
        check_defaults(adapter, stated, where=f"{self.name}()")

    @functools.cached_property
    def _told_defaults(self) -> dict[str, JsonValue]:
        """The defaults that JSON can hold, by parameter."""
        told = {}
        for parameter in self.parameters:
            default = _stated_default(parameter.default)
            if default is not _EMPTY and default is not PydanticUndefined:
                with suppress(PydanticSerializationError):
                    told[parameter.name] = json_default(default)
        return told

    def check_each(self) -> None:
        """DefinitionError, naming the parameter, if one of them alone cannot become a schema."""
        for parameter in self.parameters:
            where = f"{self.name}(): parameter '{parameter.name}'"
            check_stated(adapt(parameter.annotation, where=where), where=where, annotation=parameter.annotation)

    def additions(self) -> dict[str, JsonObject]:
        """For each parameter the keywords that its own schema may lack: its docstring's text and its default."""
        texts = self.docs.parameters
        added: dict[str, JsonObject] = {
            p.name: {"description": texts[p.name]} for p in self.parameters if p.name in texts
        }
        for parameter in self.parameters:
            if parameter.name in self._told_defaults and not isinstance(parameter.default, FieldInfo):
                added.setdefault(parameter.name, {})["default"] = self._told_defaults[parameter.name]
        return added

    def bind(self, values: Mapping[str, Any], context: Any = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and keyword arguments of a call, from validated values by parameter name.

        Hidden parameters come from the context; ContextError names one that it does not fill. A key of a
        `**kwargs` object that names another parameter is a ValueError.
        """
        if self._is_plain:
            return (), dict(values)
        stars = any(p.kind is inspect.Parameter.VAR_POSITIONAL and p.name in values for p in self.all)
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for parameter in self.all:
            given = parameter.name in values
            if parameter.hidden is not None:
                value = self._injected(parameter, context)
            else:
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

    def check_context(self, context: Any) -> None:
        """ContextError if the context does not fill a hidden parameter that has no default."""
        for parameter in self.hidden:
            self._injected(parameter, context)

    @functools.cached_property
    def _is_plain(self) -> bool:
        """Whether Python itself can fill in what a model left out, and every value goes by its name."""
        return all(p.hidden is None and p.kind in _KEYWORD and _own(p.default) is p.default for p in self.all)

    def _injected(self, parameter: Parameter, context: Any) -> Any:
        whole = parameter.hidden is not None and parameter.hidden.whole
        value = (ABSENT if context is None else context) if whole else context_value(context, parameter.name)
        if value is not ABSENT:
            return value
        if parameter.default is not _EMPTY:
            return _own(parameter.default)
        wanted = "a context" if whole else f"{parameter.name!r} in the context"
        raise ContextError(
            f"{self.name}(): the hidden parameter '{parameter.name}' wants {wanted}, and there is none. "
            f"Pass context={{{parameter.name!r}: ...}} to the call or the run, or give the parameter a default."
        )

    def _merge(self, kwargs: dict[str, Any], extra: Mapping[str, Any], name: str) -> None:
        own = (*(p.name for p in self.all if p.kind in _KEYWORD), self.receiver)
        taken = next((key for key in own if key in extra), None)
        if taken is not None:
            raise ValueError(f"{name} may not hold the key {taken!r}, which is a parameter of its own")
        kwargs.update(extra)


def _makes_default(annotation: Any) -> bool:
    """Whether a `Field` in an annotation makes a new default for each call."""
    metadata = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return any(isinstance(item, FieldInfo) and item.default_factory is not None for item in metadata)


def _stated_default(default: Any) -> Any:
    return default.default if isinstance(default, FieldInfo) else default


def _own(default: Any) -> Any:
    """A default that one call may change without the next one seeing it."""
    return copy.deepcopy(default) if isinstance(default, list | dict | set | BaseModel) else default


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
    bound = [p.name for p in declared.parameters.values() if p.name in fn.keywords and p.kind in _KEYWORD]
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
    return first.name if first is not None and first.kind in _KEYWORD else None


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
