"""A key for an annotation under which no two different annotations meet."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated, Any, Literal, get_args, get_origin

__all__ = ["annotation_key"]


def annotation_key(annotation: Any) -> Hashable:
    """A key that is equal only for annotations that mean the same, in the same order.

    Python calls `int | str` and `str | int` equal, and `Annotated[int, 1]` and `Annotated[int, True]`;
    these keys do not. Classes and other objects count by identity, so that a key is good only as long
    as its annotation is alive.
    """
    if isinstance(annotation, list):  # the parameters in Callable[[int], str], a new list each time
        return tuple(map(annotation_key, annotation))
    origin = get_origin(annotation)
    if origin is None:
        return id(annotation)
    arguments = get_args(annotation)
    if origin is Literal:
        return (id(origin), *((id(type(value)), value) for value in arguments))
    if origin is Annotated:
        inner, *metadata = arguments
        return (id(origin), annotation_key(inner), *(_metadata_key(item) for item in metadata))
    return (id(origin), *(annotation_key(argument) for argument in arguments))


def _metadata_key(item: Any) -> Hashable:
    return ("text", item) if isinstance(item, str) else id(item)
