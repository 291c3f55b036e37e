"""A function's signature: what a model may send for its parameters, and how a call is bound."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, NotRequired

from pydantic import PydanticUndefinedAnnotation, PydanticUserError, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_jsonable_python
from typing_extensions import TypedDict, get_type_hints

from magic_tools.errors import DefinitionError
from magic_tools.schema.docstrings import DocTexts, read_docstring
from magic_tools.schema.emit import stated_text
from magic_tools.values import JsonObject

__all__ = ["Parameter", "Signature", "adapt", "read_signature"]

_EMPTY = inspect.Parameter.empty
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter that a model fills.

    `annotation` is resolved; of `*args: T` it is `list[T]` and of `**kwargs: T` it is `dict[str, T]`.
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

    def fallback(self) -> Any:
        """The value of a call that leaves it out."""
        if isinstance(self.default, FieldInfo):
            return self.default.get_default(call_default_factory=True)
        return self.default


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function is called, takes, gives and says.

    `returns` is the resolved return annotation, or `inspect.Parameter.empty` where there is none
    or it cannot be resolved. `unbound` is true of a method whose object is not known yet; its `self`
    is no parameter.
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
            return TypeAdapter(TypedDict(self.name, hints))  # type: ignore[operator]  # the functional form, with names known only now
        except _NOT_COMPILED:
            for parameter in self.parameters:  # one of them: find it, to name it
                adapt(parameter.annotation, where=f"{self.name}(): parameter '{parameter.name}'")
            raise

    def additions(self) -> dict[str, JsonObject]:
        """For each parameter the keywords that its own schema lacks: its text and its default."""
        added: dict[str, JsonObject] = {}
        for parameter in self.parameters:
            metadata = getattr(parameter.annotation, "__metadata__", ())
            text = stated_text(metadata) or self.docs.parameters.get(parameter.name)
            keywords: JsonObject = {"description": text} if text else {}
            if not parameter.required and parameter.default is not _EMPTY:
                keywords |= _json_default(parameter.fallback())
            added[parameter.name] = keywords
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
            value = values[parameter.name] if given else parameter.fallback()
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
        taken = [p.name for p in self.parameters if p.name in extra and p.kind is not inspect.Parameter.POSITIONAL_ONLY]
        if taken:
            raise ValueError(f"{name} may not hold the key {taken[0]!r}, which is a parameter of its own")
        kwargs.update(extra)


_NOT_COMPILED = (PydanticUserError, PydanticUndefinedAnnotation, TypeError, NameError)


def adapt(annotation: Any, *, where: str) -> TypeAdapter[Any]:
    """The validator of an annotation; DefinitionError, starting with `where`, if there can be none."""
    try:
        return TypeAdapter(annotation)
    except _NOT_COMPILED as error:
        reason = str(error).splitlines()[0]
        raise DefinitionError(
            f"{where} has the annotation {annotation!r}, which cannot be made into a schema ({reason}). "
            "Use a type that pydantic can validate: a primitive, a container, an Enum, a dataclass, a BaseModel."
        ) from error


def read_signature(fn: Callable[..., Any], *, namespace: Mapping[str, Any] | None = None) -> Signature:
    """The signature of a function; `namespace` holds local names that its annotations may use.

    DefinitionError names the parameter that has no annotation, or one that cannot be resolved.
    """
    name = getattr(fn, "__name__", None) or type(fn).__name__
    try:
        declared = inspect.signature(fn)
    except (TypeError, ValueError) as error:
        raise DefinitionError(
            f"{fn!r} has no signature to read ({error}); wrap it in a function with annotations."
        ) from error
    resolve = _resolver(fn, namespace or {})
    stated = list(declared.parameters.values())
    unbound = _is_unbound(fn, stated)
    parameters = tuple(_parameter(name, parameter, resolve) for parameter in stated[unbound:])
    try:
        returns = resolve(declared.return_annotation)
    except _UNRESOLVED:
        returns = _EMPTY
    return Signature(name, parameters, returns, read_docstring(inspect.getdoc(fn)), unbound)


# Evaluating an annotation's text can fail in any of these ways; other exceptions are the user's own.
_UNRESOLVED = (NameError, AttributeError, TypeError, SyntaxError)


def _resolver(fn: Callable[..., Any], namespace: Mapping[str, Any]) -> Callable[[Any], Any]:
    function = inspect.unwrap(fn)
    function = getattr(function, "__func__", function)
    if not inspect.isfunction(function):
        function = type(fn).__call__
    closure = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
    known = {**namespace, **closure}

    def resolve(annotation: Any) -> Any:
        if annotation is _EMPTY:
            return annotation
        holder = SimpleNamespace(__annotations__={"it": annotation})
        return get_type_hints(holder, getattr(function, "__globals__", {}), known, include_extras=True)["it"]

    return resolve


def _is_unbound(fn: Callable[..., Any], stated: list[inspect.Parameter]) -> bool:
    """Whether a function stands in a class body and wants its object first."""
    scope = getattr(fn, "__qualname__", "").rpartition(".")[0]
    in_class = bool(scope) and not scope.endswith("<locals>") and not inspect.ismethod(fn)
    return in_class and bool(stated) and stated[0].name == "self" and stated[0].annotation is _EMPTY


def _parameter(function: str, parameter: inspect.Parameter, resolve: Callable[[Any], Any]) -> Parameter:
    where = f"{function}(): parameter '{parameter.name}'"
    if parameter.annotation is _EMPTY:
        raise DefinitionError(
            f"{where} has no annotation, so a model cannot be told what to send. "
            f"Write its type, such as `{parameter.name}: str`."
        )
    try:
        annotation = resolve(parameter.annotation)
    except _UNRESOLVED as error:
        raise DefinitionError(
            f"{where} has the annotation {parameter.annotation!r}, which cannot be resolved ({error}). "
            "Import or define the name at run time, above the function and not only under TYPE_CHECKING."
        ) from error
    if isinstance(parameter.default, FieldInfo):
        annotation = Annotated[annotation, parameter.default]
    match parameter.kind:
        case inspect.Parameter.VAR_POSITIONAL:
            annotation = list[annotation]  # type: ignore[valid-type]  # built at run time
        case inspect.Parameter.VAR_KEYWORD:
            annotation = dict[str, annotation]  # type: ignore[valid-type]  # built at run time
    return Parameter(parameter.name, annotation, parameter.kind, parameter.default)


def _json_default(value: Any) -> JsonObject:
    """The `default` keyword, or nothing for a default that JSON cannot hold."""
    try:
        written = to_jsonable_python(value, by_alias=True)
        json.dumps(written, allow_nan=False)
    except (PydanticSerializationError, ValueError, TypeError):
        return {}
    return {"default": written}
