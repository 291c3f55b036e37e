"""The texts that annotations state, put where they belong in a schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, Required, Union, get_args, get_origin

from typing_extensions import ReadOnly, TypeAliasType, get_type_hints

from magic_tools.values import JsonObject

__all__ = ["describe", "field_annotations"]

_QUALIFIERS = (Required, NotRequired, ReadOnly)


def describe(schema: JsonObject, annotation: Any) -> None:
    """Give a schema, and those of what it holds, the texts in `Annotated[T, "text"]` that they lack."""
    annotation, text = _plain(annotation)
    if text:
        schema.setdefault("description", text)
    for inner, held in _held(schema, annotation):
        if isinstance(inner, dict):
            describe(inner, held)


def field_annotations(cls: type | None) -> dict[str, Any]:
    """The annotations of a class's fields by name, resolved and with their metadata."""
    if cls is None:
        return {}
    fields = getattr(cls, "__pydantic_fields__", None)
    if fields is not None:
        return {name: Annotated[field.annotation, *field.metadata, None] for name, field in fields.items()}
    for names in (None, {cls.__name__: cls}):  # a class in a function does not find itself by name
        with suppress(NameError):
            return get_type_hints(cls, localns=names, include_extras=True)
    return {}  # pydantic resolved the names where the class stands; a text that cannot be found so is left out


def _plain(annotation: Any) -> tuple[Any, str | None]:
    """The type that an annotation comes down to, and the first bare string of its metadata."""
    text = None
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *metadata = get_args(annotation)
            text = text or next((item for item in metadata if isinstance(item, str)), None)
        elif origin in _QUALIFIERS:
            (annotation,) = get_args(annotation)
        elif isinstance(annotation, TypeAliasType):
            annotation = annotation.__value__
        else:
            return annotation, text


def _held(schema: JsonObject, annotation: Any) -> Sequence[tuple[Any, Any]]:
    """The schemas directly inside one, each with the annotation that it was made of."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        branches = schema.get("anyOf") or schema.get("oneOf") or []
        # pydantic puts null last; where it has left out or joined branches, none can be told
        stated = sorted(arguments, key=lambda argument: argument is NoneType)
        return list(zip(branches, stated, strict=True)) if len(branches) == len(stated) else []
    if not isinstance(origin, type):
        return []
    if issubclass(origin, Mapping) and len(arguments) == 2:
        return [(schema.get("additionalProperties"), arguments[1])]
    if origin is tuple and Ellipsis not in arguments:
        return list(zip(schema.get("prefixItems", ()), arguments, strict=False))
    return [(schema.get("items"), arguments[0])] if arguments and "items" in schema else []
