"""Annotations as pydantic is given them, where it would read or write something else than they say."""

from __future__ import annotations

import operator
import re
import sys
import typing
from collections import abc
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, NotRequired, Required, TypeVar, Union, get_args, get_origin

import typing_extensions
from pydantic import EncodedBytes, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema
from typing_extensions import ReadOnly, TypedDict, is_typeddict

from magic_tools.schema.binary import BASE64, Base64
from magic_tools.schema.fields import class_hints
from magic_tools.schema.identity import annotation_key
from magic_tools.schema.refusals import unwanted
from magic_tools.values import JsonObject

__all__ = ["ALIASES", "is_mere_member", "prepared"]

ALIASES = (typing_extensions.TypeAliasType, getattr(typing, "TypeAliasType", typing_extensions.TypeAliasType))
"""The classes of aliases made by `type X = ...` and by its older spelling; they differ below Python 3.14."""

# pydantic reads an Iterable lazily, so that its items would be checked in the tool's body, and knows no Iterator,
# Collection or Container; of a Sequence, Set or Mapping it writes few classes.
_READ_AS: Mapping[Any, type] = {
    **dict.fromkeys(
        (abc.Iterable, abc.Collection, abc.Container, abc.Reversible, abc.Sequence, abc.Iterator, abc.Generator), list
    ),
    abc.Set: frozenset,
    abc.Mapping: dict,
}
_USED_UP = (abc.Iterator, abc.Generator)

_PLAIN = frozenset({str, int, float, bool, NoneType})
_LEFT_ALONE = (abc.Callable, type, re.Pattern)
"""Generic types whose arguments are no values in JSON."""

_KEPT = frozenset({"__doc__", "__module__", "__qualname__", "__pydantic_config__", "__closed__", "__extra_items__"})
"""What a TypedDict that is made anew has of the one that it stands for."""


def prepared(annotation: Any) -> Any:
    """What pydantic is to validate in place of an annotation; the very same object where nothing has to change.

    Iterables are lists (and a Set, a Mapping what can be read as one), bytes are base64, a Literal may
    have members of an Enum, and a TypedDict may be `typing`'s on every Python; at any depth, but
    for the fields of classes, which pydantic alone reads.
    """
    return _Preparation().of(annotation)


@dataclass(frozen=True, slots=True)
class _WrittenFromAny:
    """In `Annotated`: whatever can become a `container` is written as one; with `used_up`, an iterator is given."""

    container: type
    used_up: bool

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        if "serialization" not in schema:
            written = core_schema.wrap_serializer_function_ser_schema(self._write)
            schema = {**schema, "serialization": written}
        return core_schema.no_info_after_validator_function(iter, schema) if self.used_up else schema

    def _write(self, value: Any, write: core_schema.SerializerFunctionWrapHandler) -> Any:
        return write(value if isinstance(value, str | bytes) else self.container(value))


@dataclass(frozen=True, slots=True)
class _Only:
    """In `Annotated` with an Enum: these of its members, and no other."""

    members: tuple[Enum, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, _: CoreSchema, handler: GetJsonSchemaHandler) -> JsonObject:
        return handler(core_schema.enum_schema(type(self.members[0]), list(self.members)))

    def _checked(self, member: Enum) -> Enum:
        if member not in self.members:
            raise unwanted(f"one of {', '.join(repr(one.value) for one in self.members)}")
        return member


def _is_mark(item: Any) -> bool:
    return isinstance(item, Base64 | _WrittenFromAny)


class _Preparation:
    """One preparation; `known` is what the aliases and TypedDicts that were met are made into, by their keys."""

    def __init__(self, known: Mapping[Hashable, Any] | None = None) -> None:
        self.known = dict(known or {})

    def of(self, annotation: Any) -> Any:
        if isinstance(annotation, type) and annotation in _PLAIN:
            return annotation
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self._annotated(annotation, *arguments)
        if (replaced := self._replaced(annotation, origin, arguments)) is not None:
            return Annotated[replaced]
        if origin is Literal:
            return _literal(annotation, arguments)
        if isinstance(annotation, ALIASES) or isinstance(origin, ALIASES):
            return self._once(annotation, self._alias)
        if is_typeddict(origin or annotation):
            return self._once(annotation, self._typed_dict)
        if isinstance(annotation, NewType):
            return self._or_same(annotation, annotation.__supertype__)
        return annotation if origin in _LEFT_ALONE else self._generic(annotation, origin, arguments)

    def _or_same(self, annotation: Any, meant: Any) -> Any:
        """What an annotation stands for, made ready, or the annotation itself if that needs nothing."""
        made = self.of(meant)
        return annotation if made is meant else made

    def _annotated(self, annotation: Any, inner: Any, *metadata: Any) -> Any:
        if inner is bytes and any(isinstance(item, EncodedBytes | Base64) for item in metadata):
            return annotation
        made = self.of(inner)
        if made is inner:
            return annotation
        base, *stated = get_args(Annotated[(made, *metadata)])
        return Annotated[(base, *sorted(stated, key=_is_mark))]  # last, so that limits are of what has been read

    def _replaced(self, annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> tuple[Any, Any] | None:
        """The type to read in place of one, and the mark that makes it read and written as that one says."""
        if annotation is bytes:
            return bytes, BASE64
        meant = origin or annotation
        container = _READ_AS.get(meant) if isinstance(meant, type) else None
        if container is None:
            return None
        inner = tuple(map(self.of, arguments[: 2 if container is dict else 1]))
        read: Any = container[inner] if inner else container  # type: ignore[index]  # each of them is generic
        return read, _WrittenFromAny(container, meant in _USED_UP)

    def _generic(self, annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Any:
        made = tuple(argument if argument is Ellipsis else self.of(argument) for argument in arguments)
        if all(map(operator.is_, made, arguments)):
            return annotation
        if origin is UnionType:
            return Union[made]  # noqa: UP007 - of types that are known only now
        return origin[made[0] if len(made) == 1 else made]  # NotRequired takes no tuple

    def _once(self, annotation: Any, make: Callable[[Any, Hashable], Any]) -> Any:
        """What an alias or a TypedDict is made into; where it leads back to itself, what is known of it so far."""
        key = annotation_key(annotation)
        if key not in self.known:
            self.known[key] = annotation
            self.known[key] = make(annotation, key)
        return self.known[key]

    def _alias(self, alias: Any, _: Hashable) -> Any:
        definition = get_origin(alias) or alias
        arguments = dict(zip(definition.__type_params__, get_args(alias), strict=False))
        return self._or_same(alias, _filled(definition.__value__, arguments))

    def _typed_dict(self, annotation: Any, key: Hashable) -> Any:
        cls = get_origin(annotation) or annotation
        arguments = dict(zip(getattr(cls, "__parameters__", ()), get_args(annotation), strict=False))
        hints = {name: _filled(hint, arguments) for name, hint in class_hints(cls).items()}
        if hints.keys() != cls.__required_keys__ | cls.__optional_keys__:
            return annotation  # some name is not known, which pydantic will say
        probe = _Preparation(self.known)
        if not _is_refused(cls) and all(probe.of(hint) is hint for hint in hints.values()):
            return annotation
        keys = {
            name: Any if _is_required(hint, name in cls.__required_keys__) else NotRequired[Any]
            for name, hint in hints.items()
        }
        made = TypedDict(cls.__name__, keys)  # type: ignore[misc]  # names known only now
        for attribute in _KEPT & set(dir(cls)):
            setattr(made, attribute, getattr(cls, attribute))
        self.known[key] = made  # before its fields, which may lead back to it
        made.__annotations__.update({name: self.of(hint) for name, hint in hints.items()})
        return made


def _is_refused(cls: Any) -> bool:
    """Whether pydantic refuses a TypedDict for being `typing`'s."""
    return sys.version_info < (3, 12) and typing.is_typeddict(cls)


def _is_required(hint: Any, stated: bool) -> bool:
    """Whether a TypedDict's key is required: what it says itself counts, which Python does not see in a text."""
    while (origin := get_origin(hint)) in (Annotated, ReadOnly, Required, NotRequired):
        if origin in (Required, NotRequired):
            return origin is Required
        hint = get_args(hint)[0]
    return stated


def _filled(annotation: Any, arguments: Mapping[Any, Any]) -> Any:
    """An annotation with its type variables filled in."""
    if isinstance(annotation, TypeVar):
        return arguments.get(annotation, annotation)
    free = () if isinstance(annotation, type) else getattr(annotation, "__parameters__", ())
    if arguments.keys().isdisjoint(free):
        return annotation
    return annotation[tuple(arguments.get(variable, variable) for variable in free)]


def _literal(annotation: Any, values: tuple[Any, ...]) -> Any:
    """A Literal without members of an Enum, which pydantic never reads from JSON unless they are text or numbers."""
    members = [value for value in values if is_mere_member(value)]
    if not members:
        return annotation
    by_class = {type(member): tuple(other for other in members if type(other) is type(member)) for member in members}
    rest = tuple(value for value in values if not is_mere_member(value))
    branches = [Annotated[cls, _Only(chosen)] for cls, chosen in by_class.items()]
    return Union[(*branches, *([Literal[rest]] if rest else []))]


def is_mere_member(value: Any) -> bool:
    """Whether a value is a member of an Enum and nothing else, so that JSON has no value that is equal to it."""
    return isinstance(value, Enum) and not isinstance(value, str | int | float)
