"""The branches of a union tried on a value: which one is meant, and which ones pydantic might take instead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from magic_tools.loose.record import Record
from magic_tools.loose.scalars import choices_of, is_chosen
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.walk import resolve
from magic_tools.values import JsonObject

__all__ = ["Attempt", "declared_keys", "is_of_other_tag", "is_of_tag", "overlooked", "rivals"]


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """A branch of a union tried: the way through it, what it made of the value, and which of its keys it declares.

    `is_open` where the branch takes any other key too, `is_other` where a key of the value says that another is meant.
    """

    branch: JsonObject
    walk: Record
    fitted: Any
    declared: frozenset[str]
    is_open: bool
    is_other: bool

    @property
    def is_taken(self) -> bool:
        """Whether pydantic may take the branch though this layer objects."""
        return bool(self.walk.findings) and not self.walk.misfit


def declared_keys(value: Any, schema: JsonObject) -> frozenset[str]:
    """The keys of a value that a schema declares."""
    if not isinstance(value, dict):
        return frozenset()
    properties = {**schema.get("properties", {}), **schema.get(OTHER_KEYS, {})}
    return frozenset(key for key in value if key in properties)


def is_of_other_tag(value: Any, schema: JsonObject, root: JsonObject) -> bool:
    """Whether a key with a fixed value in the schema has another value in the object."""
    return any(not is_chosen(value[key], choices) for key, choices in _tags(value, schema, root))


def is_of_tag(value: Any, schema: JsonObject, root: JsonObject) -> bool:
    """Whether the object has a key that has a fixed value in the schema, and each of them that value."""
    tags = _tags(value, schema, root)
    return bool(tags) and all(is_chosen(value[key], choices) for key, choices in tags)


def _tags(value: Any, schema: JsonObject, root: JsonObject) -> list[tuple[str, list[Any]]]:
    """The keys of an object that have a fixed value in the schema."""
    if not isinstance(value, dict):
        return []
    properties = schema.get("properties", {})
    held = [(key, choices_of(resolve(each, root))) for key, each in properties.items() if key in value]
    return [(key, choices) for key, choices in held if choices]


def overlooked(made: Attempt, tries: Iterable[Attempt]) -> bool:
    """Whether a branch would drop keys that another one declares, which may be the one that is meant."""
    return not made.is_open and any(other.declared > made.declared and not other.is_other for other in tries)


def rivals(tries: list[Attempt], chosen: Attempt | None, *, exact: bool | None) -> list[Attempt]:
    """The branches that pydantic may take, in spite of what is found, in place of the chosen one.

    Of scalars it takes the first that is exact; of objects, where `exact` is None, the one that
    declares most of the keys.
    """
    taken = [made for made in tries if made.is_taken]
    if chosen is None:
        return taken if exact is not None else taken[:1]
    if exact is None:
        return [made for made in taken if len(made.declared) >= len(chosen.declared)][:1]
    return [made for made in taken if not exact or tries.index(made) < tries.index(chosen)]
