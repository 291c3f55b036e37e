"""Both limits of a number, where one of them was not kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from magic_tools.loose.guide import Guide
from magic_tools.loose.issues import Place
from magic_tools.loose.phrases import Phrase, say
from magic_tools.schema.walk import resolve
from magic_tools.values import JsonObject

__all__ = ["ranged"]

_ONE_LIMIT = frozenset(
    {"a number of at least {ge}", "a number of at most {le}", "a number of at least {limit}",
     "a number of at most {limit}"}
)  # fmt: skip


def ranged(expected: Phrase, place: Place, guide: Guide) -> Phrase:
    """What is expected of a number, with its other limit too if the schema has both, so that one mending is enough."""
    if expected.template not in _ONE_LIMIT:
        return expected
    for schema in _at(guide.schema, place, guide.schema):
        if "minimum" in schema and "maximum" in schema:
            return say("a number from {ge} to {le}", ge=schema["minimum"], le=schema["maximum"])
    return expected


def _at(schema: JsonObject, place: Place, root: JsonObject) -> Iterator[JsonObject]:
    """The schemas that a place may have, those of the branches of unions among them."""
    node = resolve(schema, root)
    for branch in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from _at(branch, place, root)
    if not place:
        yield node
        return
    inner = _inside(node, place[0])
    if isinstance(inner, dict):
        yield from _at(inner, place[1:], root)


def _inside(node: JsonObject, step: str | int) -> Any:
    if isinstance(step, str):
        return node.get("properties", {}).get(step, node.get("additionalProperties"))
    first = node.get("prefixItems", ())
    return first[step] if step < len(first) else node.get("items")
