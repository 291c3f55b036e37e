"""The schemas of which a union is one, however its branches are nested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from magic_tools.loose.scalars import choices_of, is_number, is_of_type
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.forms import DECIMAL, text_form
from magic_tools.schema.walk import kinds_of, resolve
from magic_tools.values import JsonObject

__all__ = ["Leaf", "are_of_one", "branches_of", "choices_in", "held_schema", "leaves_of"]


class Leaf(NamedTuple):
    """A schema without branches of its own, and the number of the branch that it belongs to."""

    number: int
    schema: JsonObject

    def declared(self, value: JsonObject) -> int:
        """How many of an object's keys it has a property for."""
        names = {**self.schema.get("properties", {}), **self.schema.get(OTHER_KEYS, {})}
        return sum(key in names for key in value)

    def is_of_kind(self, value: Any) -> bool:
        """Whether a value is of its JSON type."""
        choices = choices_of(self.schema)
        if choices:
            return any(_kind(choice) is _kind(value) for choice in choices)
        if is_number(value) and text_form(self.schema) is DECIMAL:
            return True
        return is_of_type(value, {"type": list(kinds_of(self.schema))})

    @property
    def first_item(self) -> Any:
        """The schema of an array's first item."""
        first = self.schema.get("prefixItems")
        return first[0] if first else self.schema.get("items", True)


def leaves_of(schemas: Iterable[tuple[int, Any]], root: JsonObject) -> list[Leaf]:
    """The leaves of numbered schemas, each with its schema's number."""
    return [Leaf(number, leaf) for number, schema in schemas for leaf in _without_branches(schema, root, set())]


def are_of_one(leaves: Sequence[Leaf]) -> bool:
    """Whether there is no choice left between branches."""
    return len({leaf.number for leaf in leaves}) <= 1


def branches_of(schema: Any, root: JsonObject) -> Sequence[Any]:
    """The branches of a schema that is a union, else none."""
    held = resolve(schema, root) if isinstance(schema, dict) else {}
    return held.get("anyOf") or held.get("oneOf") or ()


def choices_in(schema: Any, root: JsonObject) -> list[Any]:
    """The values that a schema lists, in whichever of its branches; none where it takes others too."""
    listed: list[Any] = []
    for leaf in _without_branches(schema, root, set()):
        choices = choices_of(leaf)
        if not choices:
            return []
        listed += choices
    return listed


def held_schema(schema: JsonObject | None, step: str | int) -> Any:
    """The schema of what an object or array has under a key, or at an index; None where it is not known."""
    if schema is None:
        return None
    if isinstance(step, int):
        first = schema.get("prefixItems", ())
        return first[step] if step < len(first) else schema.get("items")
    name = schema.get(OTHER_KEYS, {}).get(step, step)
    return schema.get("properties", {}).get(name, schema.get("additionalProperties"))


def _without_branches(schema: Any, root: JsonObject, seen: set[str]) -> Iterator[JsonObject]:
    """The schemas of which a schema is a union, each with what is said beside its branches.

    Nothing is followed twice, so that a schema that refers to itself is looked at in linear time.
    """
    if not isinstance(schema, dict):
        yield from ({},) if schema else ()
        return
    ref = schema.get("$ref")
    if ref in seen:
        return
    if ref is not None:
        seen.add(ref)
    held = resolve(schema, root)
    if held.get("not") == {}:  # the long form of `false`
        return
    for part in held.get("allOf", ()):
        held = _both(resolve(part, root), held) if isinstance(part, dict) else held
    branches = held.get("anyOf") or held.get("oneOf")
    if not branches:
        yield held
        return
    beside = {word: said for word, said in held.items() if word not in ("anyOf", "oneOf")}
    for branch in branches:
        for leaf in _without_branches(branch, root, seen):
            yield _both(beside, leaf)


def _both(outer: JsonObject, inner: JsonObject) -> JsonObject:
    """One schema with what two say of a value and its keys."""
    if outer.keys().isdisjoint(("properties", "required", "type", OTHER_KEYS)):
        return inner
    properties = {**outer.get("properties", {}), **inner.get("properties", {})}
    required = [*outer.get("required", ()), *inner.get("required", ())]
    return {**outer, **inner, "properties": properties, "required": required}


def _kind(value: Any) -> type:
    return float if is_number(value) else type(value)
