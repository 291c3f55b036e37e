"""How often a validator looks at a value, before it is asked to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from magic_tools.schema.walk import resolve
from magic_tools.values import JsonObject

__all__ = ["takes_more_checks"]

_LISTS_FOR_THE_SAME = ("allOf", "anyOf", "oneOf")
_FOR_THE_SAME = ("not", "if", "then", "else")
_FOR_ITEMS = ("contains", "unevaluatedItems")


def takes_more_checks(value: Any, schema: JsonObject, most: int) -> bool:
    """Whether a value is held to more than `most` schemas, each branch and each reference followed.

    For a recursive union that is a power of how deep the value is, which no look at the schema alone
    can tell. Counted without following anything twice.
    """
    try:
        return _Counting(schema, most).checks(value, schema) > most
    except RecursionError:  # a value so deep in so many unions is one that takes more
        return True


@dataclass(slots=True)
class _Counting:
    root: JsonObject
    most: int
    known: dict[tuple[int, int], int] = field(default_factory=dict)

    def checks(self, value: Any, schema: Any) -> int:
        key = (id(value), id(schema))
        if key in self.known:
            return self.known[key]
        if not isinstance(schema, dict):
            return 0 if schema is None else 1
        total = 1
        for held, inner in _held_to(value, resolve(schema, self.root)):
            total += self.checks(held, inner)
            if total > self.most:
                break
        self.known[key] = total
        return total


def _held_to(value: Any, schema: JsonObject) -> Iterator[tuple[Any, Any]]:
    """The value and those directly inside it, each with the schemas that it may be held to, None for no schema."""
    for keyword in _LISTS_FOR_THE_SAME:
        yield from ((value, branch) for branch in schema.get(keyword, ()))
    yield from ((value, schema[keyword]) for keyword in _FOR_THE_SAME if keyword in schema)
    yield from ((value, dependent) for dependent in schema.get("dependentSchemas", {}).values())
    if isinstance(value, dict):
        named = schema.get("properties", {})
        for key, held in value.items():
            yield held, named.get(key, schema.get("additionalProperties"))
            yield key, schema.get("propertyNames")
            yield from ((held, pattern) for pattern in schema.get("patternProperties", {}).values())
            yield held, schema.get("unevaluatedProperties")
    if isinstance(value, list):
        first = schema.get("prefixItems", ())
        for item, stated in zip_longest(value, first[: len(value)], fillvalue=schema.get("items")):
            yield item, stated
            yield from ((item, schema.get(keyword)) for keyword in _FOR_ITEMS)
