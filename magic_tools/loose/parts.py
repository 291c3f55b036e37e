"""The parts of a type: what each field of an object and each item of a list is validated by, alone."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from functools import cached_property, lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, Required, Union, get_args, get_origin

from pydantic import AliasChoices, AliasPath, BaseModel, Field, RootModel
from pydantic.fields import FieldInfo
from typing_extensions import ReadOnly, is_typeddict

from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import Schema, compile_schema
from magic_tools.schema.fields import class_hints
from magic_tools.schema.prepare import ALIASES

__all__ = ["Part"]

_QUALIFIERS = (Required, NotRequired, ReadOnly)


class Part:
    """A place in the values of a type, by the annotation there; `required` is whether it has to be in them."""

    def __init__(self, annotation: Any, *, required: bool = True) -> None:
        self.required = required
        self._annotation = annotation
        self._meant, self._is_bare = _unwrapped(annotation)

    @cached_property
    def schema(self) -> Schema[Any] | None:
        """What validates a whole value; None where the annotation stands for nothing on its own."""
        try:
            return compile_schema(self._annotation)
        except DefinitionError:
            return None

    @property
    def has_parts(self) -> bool:
        """Whether it is a model, dataclass, TypedDict or list, or one of these and None."""
        return self._item is not None or bool(self._fields)

    @property
    def is_sum_of_items(self) -> bool:
        """Whether it is a list of which nothing is demanded but of its items."""
        return self._item is not None and self._is_bare

    def inside(self, step: str | int) -> Part | None:
        """The part under a key of JSON or an index; None where nothing is declared."""
        return self._item if isinstance(step, int) else self._fields.get(step)

    @cached_property
    def _item(self) -> Part | None:
        arguments = get_args(self._meant)
        return Part(arguments[0]) if get_origin(self._meant) is list and arguments else None

    @cached_property
    def _fields(self) -> Mapping[str, Part]:
        if not isinstance(self._meant, type) or get_origin(self._meant) is not None:
            return {}
        kept = os.environ.get("MAGIC_TOOLS_CACHE") != "off"
        return (_fields_of if kept else _fields_of.__wrapped__)(self._meant)


def _unwrapped(annotation: Any) -> tuple[Any, bool]:
    """The type that an annotation names, None beside it left out, and whether it says nothing more than that.

    Where something more may read another JSON than that of the type, it is Any.
    """
    bare = True
    while True:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            if any(hasattr(item, "__get_pydantic_core_schema__") for item in arguments[1:]):
                return Any, False
            annotation, bare = arguments[0], bare and all(isinstance(item, str) for item in arguments[1:])
        elif origin in (Union, UnionType) and len(arguments) == 2 and NoneType in arguments:
            annotation = next(branch for branch in arguments if branch is not NoneType)
        elif isinstance(annotation, ALIASES):
            annotation = annotation.__value__
        else:
            return annotation, bare


@lru_cache(maxsize=1024)
def _fields_of(cls: type) -> Mapping[str, Part]:
    """The fields of an object type by their keys in JSON; none of another type."""
    if issubclass(cls, BaseModel):
        if issubclass(cls, RootModel):
            return {}
        by_name = any(cls.model_config.get(word) for word in ("populate_by_name", "validate_by_name"))
        return _by_key(cls.model_fields, by_name=by_name)
    hints = class_hints(cls) if dataclasses.is_dataclass(cls) or is_typeddict(cls) else {}
    if is_typeddict(cls):
        return _by_key({name: _typed_dict_field(cls, name, hint) for name, hint in hints.items()})
    if dataclasses.is_dataclass(cls):
        fields = (field for field in dataclasses.fields(cls) if field.init and field.name in hints)
        return _by_key({field.name: _dataclass_field(field, hints[field.name]) for field in fields})
    return {}


def _dataclass_field(field: dataclasses.Field[Any], hint: Any) -> FieldInfo:
    if isinstance(field.default, FieldInfo):
        return FieldInfo.from_annotated_attribute(hint, field.default)
    info = FieldInfo.from_annotation(hint)
    if field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING:
        info.default = None  # which one it is does not matter here
    return info


def _typed_dict_field(cls: Any, name: str, hint: Any) -> FieldInfo:
    required = name in cls.__required_keys__
    while (origin := get_origin(hint)) in _QUALIFIERS:
        required = required if origin is ReadOnly else origin is Required
        hint = get_args(hint)[0]
    info = FieldInfo.from_annotation(hint)
    if not required:
        info.default = None
    return info


def _by_key(fields: Mapping[str, FieldInfo], *, by_name: bool = False) -> Mapping[str, Part]:
    parts: dict[str, Part] = {}
    for name, info in fields.items():
        part = Part(_alone(info), required=info.is_required())
        parts.update(dict.fromkeys([*_keys(name, info), *([name] if by_name else [])], part))
    return parts


def _keys(name: str, info: FieldInfo) -> list[str]:
    alias = info.validation_alias or info.alias or name
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    plain = [
        choice.path[0] if isinstance(choice, AliasPath) and len(choice.path) == 1 else choice for choice in choices
    ]
    return [key for key in plain if isinstance(key, str)]


def _alone(info: FieldInfo) -> Any:
    """The annotation that says of a value all that a field does: without its default and its keys."""
    metadata = list(info.metadata)
    if info.discriminator is not None:
        metadata.append(Field(discriminator=info.discriminator))
    if info.json_schema_extra is not None:  # which says what is secret
        metadata.append(Field(json_schema_extra=info.json_schema_extra))
    return Annotated[(info.annotation, *metadata)] if metadata else info.annotation
