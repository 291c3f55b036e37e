"""A function's signature: what a model may send for its parameters, and how a call is bound."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, PydanticUndefined

from magic_tools.errors import ContextError, DefinitionError
from magic_tools.schema.adapting import adapt, adapt_keys
from magic_tools.schema.defaults import check_defaults, json_default
from magic_tools.schema.docstrings import DocTexts
from magic_tools.schema.emit import check_stated
from magic_tools.schema.hidden import ABSENT, Hidden, context_value
from magic_tools.values import JsonObject, JsonValue

__all__ = ["KEYWORD", "Parameter", "Signature"]

_EMPTY = inspect.Parameter.empty
KEYWORD = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
"""The kinds of parameters that a call may name."""


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
        return all(p.hidden is None and p.kind in KEYWORD and _own(p.default) is p.default for p in self.all)

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
        own = (*(p.name for p in self.all if p.kind in KEYWORD), self.receiver)
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
