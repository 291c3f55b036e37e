"""A function's signature: what a model may send for its parameters, and how a call is bound."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, PydanticUndefined

from magic_tools.errors import ContextError, DefinitionError
from magic_tools.schema.adapting import adapt, adapt_keys, stated_field
from magic_tools.schema.defaults import check_defaults, json_default
from magic_tools.schema.docstrings import DocTexts
from magic_tools.schema.emit import Said, check_stated
from magic_tools.schema.hidden import ABSENT, Hidden, IdempotencyKey, context_value, holds_key
from magic_tools.values import JsonObject, JsonValue

__all__ = ["KEYWORD", "Parameter", "Signature", "UndeclaredKeyError"]

_EMPTY = inspect.Parameter.empty
KEYWORD = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
"""The kinds of parameters that a call may name."""


class UndeclaredKeyError(ValueError):
    """A key of a `**kwargs` object, at a place, that is none it may have, and its value."""

    def __init__(self, name: str, key: str, value: Any) -> None:
        super().__init__(f"{name}.{key}: expected no key of this name")
        self.place = (name, key)
        self.value = value


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
    not known yet. `taken` are names that are filled already and no parameters: that under which a method
    takes its object, and what a partial has bound. `keys` are the only ones that an open object may have,
    where the function takes no others.
    """

    name: str
    all: tuple[Parameter, ...]
    returns: Any
    docs: DocTexts
    unresolved_return: str | None = None
    unbound: bool = False
    taken: frozenset[str] = frozenset()
    keys: frozenset[str] | None = None

    @functools.cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that a model fills."""
        return tuple(parameter for parameter in self.all if parameter.hidden is None)

    @functools.cached_property
    def hidden(self) -> tuple[Parameter, ...]:
        """The parameters that the context fills."""
        return tuple(parameter for parameter in self.all if parameter.hidden is not None)

    @functools.cached_property
    def wants_key(self) -> bool:
        """Whether a hidden parameter is to be given the key of the call."""
        return any(holds_key(parameter.annotation) for parameter in self.hidden)

    @functools.cached_property
    def adapter(self) -> TypeAdapter[dict[str, Any]]:
        """The validator of a call's arguments, which leaves absent ones absent."""
        try:
            return self._adapter_of(self.parameters)
        except DefinitionError:
            self.check_each()
            raise

    def _adapter_of(self, parameters: Sequence[Parameter]) -> TypeAdapter[dict[str, Any]]:
        return adapt_keys(self.name, {p.name: (p.annotation, p.required) for p in parameters})

    @functools.cached_property
    def _told_defaults(self) -> dict[str, JsonValue]:
        """The defaults that JSON can hold, by parameter, as their annotations read them.

        DefinitionError if a default is refused by its own annotation; none is made that a call would make.
        """
        fixed = [p for p in self.parameters if not _makes_default(p.annotation)]
        stated = {p.name: _stated_default(p.default) for p in fixed}
        told = {name: default for name, default in stated.items() if _is_told(default)}
        if not told:
            return {}
        adapter = self.adapter if len(fixed) == len(self.parameters) else self._adapter_of(fixed)
        absent = check_defaults(adapter, told, where=f"{self.name}()")
        annotations = {p.name: p.annotation for p in fixed}
        return {
            name: json_default(_read(default, annotations[name]))
            for name, default in told.items()
            if name not in absent
        }

    def check_each(self) -> None:
        """DefinitionError, naming the parameter, if one of them alone cannot become a schema."""
        for parameter in self.parameters:
            where = f"{self.name}(): parameter '{parameter.name}'"
            with warnings.catch_warnings():  # an alias is for a key, and pydantic warns of one that stands alone
                warnings.simplefilter("ignore")
                check_stated(adapt(parameter.annotation, where=where), where=where, annotation=parameter.annotation)

    def said(self) -> dict[str, Said]:
        """For each parameter what is said of it beside its type: by its `Field`, its annotation, and its docstring.

        DefinitionError if a default is refused by its own annotation.
        """
        texts = self.docs.parameters
        said = {}
        for parameter in self.parameters:
            name = parameter.name
            keywords: JsonObject = {"description": texts[name]} if name in texts else {}
            if name in self._told_defaults and not isinstance(parameter.default, FieldInfo):
                keywords["default"] = self._told_defaults[name]
            said[name] = Said(parameter.annotation, stated_field(parameter.annotation), keywords)
        return said

    def filled(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Validated values by parameter name, those that were left out at their defaults, those with a star empty."""
        left_out = [p for p in self.parameters if p.name not in values]
        stars = {p.name: _EMPTY_STARS[p.kind]() for p in left_out if p.kind in _EMPTY_STARS}
        return {**values, **stars, **{p.name: _made(p.default) for p in left_out if not _is_required(p.default)}}

    def injected(self, context: Any, key: IdempotencyKey | None = None) -> dict[str, Any]:
        """What the hidden parameters are given, by name; ContextError names one that the context does not fill."""
        return {parameter.name: self._injected(parameter, context, key) for parameter in self.hidden}

    def bind(
        self, values: Mapping[str, Any], context: Any = None, key: IdempotencyKey | None = None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and keyword arguments of a call, from validated values by parameter name.

        Hidden parameters come from the context, or are the key of the call; ContextError names one that is not
        filled. A key of a `**kwargs` object that names another parameter is an UndeclaredKeyError.
        """
        if self._is_plain:
            return (), dict(values)
        stars = any(p.kind is inspect.Parameter.VAR_POSITIONAL and p.name in values for p in self.all)
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for parameter in self.all:
            given = parameter.name in values
            if parameter.hidden is not None:
                value = self._injected(parameter, context, key)
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
        self.injected(context, IdempotencyKey())

    @functools.cached_property
    def _is_plain(self) -> bool:
        """Whether Python itself can fill in what a model left out, and every value goes by its name."""
        return all(p.hidden is None and p.kind in KEYWORD and _own(p.default) is p.default for p in self.all)

    def _injected(self, parameter: Parameter, context: Any, key: IdempotencyKey | None) -> Any:
        if key is not None and holds_key(parameter.annotation):
            return key
        whole = parameter.hidden is not None and parameter.hidden.whole
        value = (ABSENT if context is None else context) if whole else self._of_context(context, parameter.name)
        if value is not ABSENT:
            return value
        if not _is_required(parameter.default):
            return _made(parameter.default)
        wanted = "a context" if whole else f"{parameter.name!r} in the context"
        way_out = "context=..." if whole else f"context={{{parameter.name!r}: ...}}"
        raise ContextError(
            f"{self.name}(): the hidden parameter '{parameter.name}' wants {wanted}, and there is none. "
            f"Pass {way_out} to the call or the run, or give the parameter a default."
        )

    def _of_context(self, context: Any, name: str) -> Any:
        try:
            return context_value(context, name)
        except Exception as error:
            raise ContextError(
                f"{self.name}(): the context's {name!r} cannot be read: its own code raised {type(error).__name__}."
            ) from error

    def _merge(self, kwargs: dict[str, Any], extra: Mapping[str, Any], name: str) -> None:
        own = {p.name for p in self.all if p.kind in KEYWORD} | self.taken
        for key, value in extra.items():
            if key in own or (
                self.keys is not None and key not in self.keys
            ):  # in the words for every unknown key, so that nobody learns what is hidden
                raise UndeclaredKeyError(name, key, value)
        kwargs.update(extra)


def _makes_default(annotation: Any) -> bool:
    """Whether a `Field` in an annotation makes a new default for each call."""
    metadata = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return any(isinstance(item, FieldInfo) and item.default_factory is not None for item in metadata)


_CHANGEABLE = (list, dict, set, tuple, deque, bytearray, BaseModel)
"""What a call may change, itself or what is in it."""

_EMPTY_STARS: Mapping[inspect._ParameterKind, type] = {
    inspect.Parameter.VAR_POSITIONAL: list,
    inspect.Parameter.VAR_KEYWORD: dict,
}

_NUMBERS = (bool, int, float, Decimal)


def _read(default: Any, annotation: Any) -> Any:
    """A default as its annotation reads it, where that is a number of another kind, such as 5 for a Decimal."""
    base = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if base not in _NUMBERS or type(default) is base or default is None:
        return default
    return TypeAdapter(base).validate_python(default)


def _is_told(default: Any) -> bool:
    """Whether there is a default, and JSON can hold it: what it cannot hold is for Python's callers alone."""
    if default is _EMPTY or default is PydanticUndefined:
        return False
    with suppress(PydanticSerializationError):
        json_default(default)
        return True
    return False


def _stated_default(default: Any) -> Any:
    return default.default if isinstance(default, FieldInfo) else default


def _is_required(default: Any) -> bool:
    return default.is_required() if isinstance(default, FieldInfo) else default is _EMPTY


def _made(default: Any) -> Any:
    """The value of a default for one call, also of one that a `Field` states."""
    if not isinstance(default, FieldInfo):
        return _own(default)
    return default.get_default(call_default_factory=True, validated_data={})


def _own(default: Any) -> Any:
    """A default that one call may change without the next one seeing it."""
    return copy.deepcopy(default) if isinstance(default, _CHANGEABLE) or _is_data(default) else default


def _is_data(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type | FieldInfo)
