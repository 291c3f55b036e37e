"""What an annotation may declare of a value beside its type: a unit, a time zone, a resource, how deep it nests."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, ClassVar, TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from magic_tools.errors import DefinitionError
from magic_tools.schema.refusals import unwanted
from magic_tools.values import JsonObject

__all__ = ["MARK_WORDS", "MAX_DEPTH", "MaxDepth", "Resource", "Unit", "Zone"]

MAX_DEPTH = "x-max-depth"
"""Beside a reference: how many levels of what it refers to there may be; never in a schema that a model sees."""

MARK_WORDS: Mapping[str, str] = {"x-unit": "Unit: {}.", "x-zone": "Time zone: {}.", "x-resource": "Resource: {}."}
"""What a declaration is in words, by the keyword that states it."""


@dataclass(frozen=True, slots=True)
class _Declared:
    """Something declared of a value, which its schema states under `keyword` and which validates nothing."""

    keyword: ClassVar[str]
    example: ClassVar[str]
    name: str

    def __post_init__(self) -> None:
        stated: object = self.name
        if not (isinstance(stated, str) and stated.strip()):
            called = type(self).__name__
            raise DefinitionError(
                f"{called}({self.name!r}) declares nothing: name it, as in {called}({self.example!r})."
            )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonObject:
        written = handler(schema)
        for branch in (*written.get("anyOf", ()), *written.get("oneOf", ())):
            branch.pop(self.keyword, None)  # the outermost counts
        return {**written, self.keyword: self.name}


class Unit(_Declared):
    """The unit of a number, as in `Annotated[float, Unit("s")]`; another unit is another contract."""

    keyword = "x-unit"
    example = "s"


class Zone(_Declared):
    """The time zone that dates and times are meant in, as in `Annotated[datetime, Zone("UTC")]`."""

    keyword = "x-zone"
    example = "UTC"


class Resource(_Declared):
    """The resource that a value belongs to, as in `Annotated[str, Resource("crm.customer")]`."""

    keyword = "x-resource"
    example = "crm.customer"


@dataclass(frozen=True, slots=True)
class MaxDepth:
    """How many objects of a recursive class may stand inside each other, as in `Annotated[Node, MaxDepth(3)]`.

    The schema is unrolled to as many levels, and a value that is nested deeper is refused.
    """

    levels: int

    def __post_init__(self) -> None:
        if type(self.levels) is not int:  # True is an int to Python
            raise DefinitionError(f"MaxDepth({self.levels!r}) is no number of levels: give one, as in MaxDepth(3).")
        if self.levels < 1:
            raise DefinitionError(f"MaxDepth({self.levels}) lets no value be: the least is MaxDepth(1).")

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        of = _counted(source)

        def checked(value: Any) -> Any:
            if (found := _levels(value, of)) > self.levels:
                raise unwanted(f"at most {self.levels} of {of.__name__} inside each other, and not {found}")
            return value

        return core_schema.no_info_after_validator_function(checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonObject:
        return {**handler(schema), MAX_DEPTH: self.levels}


def _counted(source: Any) -> type:
    """The class whose objects are counted: that of an annotation, or of an optional one."""
    stated = get_args(source) if get_origin(source) in (Union, UnionType) else (source,)
    kinds = [get_origin(kind) or kind for kind in stated if kind is not NoneType]
    if len(kinds) != 1 or not _makes_objects(kinds[0]):
        raise TypeError(
            f"MaxDepth counts the objects of one class, and {source!r} is none: "
            "put it around a model, a dataclass or a NamedTuple"
        )
    return kinds[0]


def _makes_objects(kind: Any) -> TypeGuard[type]:
    return isinstance(kind, type) and (
        issubclass(kind, BaseModel)
        or dataclasses.is_dataclass(kind)
        or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    )


def _levels(value: Any, of: type) -> int:
    """How many objects of a class stand inside each other in a value, where that is deepest."""
    return max((_levels(held, of) for held in _inside(value)), default=0) + isinstance(value, of)


def _inside(value: Any) -> Iterable[Any]:
    match value:
        case Mapping():
            return value.values()
        case list() | tuple() | set() | frozenset():
            return value
        case BaseModel():
            return (held for _, held in value)
        case _ if dataclasses.is_dataclass(value):
            return (getattr(value, field.name) for field in dataclasses.fields(value))
        case _:
            return ()
