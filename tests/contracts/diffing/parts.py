"""What a sampler reads in a schema: its parts, what a reference leads to, what a pattern and a limit take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

from magic_tools.tools.bad_inputs.pattern_texts import pattern_texts

__all__ = ["MEANT", "allows", "declared", "item_at", "matches", "named", "parts", "resolve", "within_limits"]

MEANT: Mapping[str, frozenset[str]] = {
    "object": frozenset({"properties", "required", "additionalProperties", "patternProperties", "minProperties"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems", "contains"}),
    "string": frozenset({"minLength", "maxLength", "pattern", "format"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}),
}


def allows(schema: Any) -> jsonschema_rs.Draft202012Validator:
    """Who says of a value whether the schema takes it; formats are asserted (R5)."""
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


def declared(facts: Sequence[Mapping[str, Any]]) -> set[str]:
    return {name for fact in facts for name in fact.get("properties", {})}


def within_limits(number: Any, facts: Sequence[Mapping[str, Any]]) -> bool:
    return all(
        fact.get("minimum", number) <= number <= fact.get("maximum", number)
        and fact.get("exclusiveMinimum", number - 1) < number < fact.get("exclusiveMaximum", number + 1)
        for fact in facts
    )


def item_at(fact: Mapping[str, Any], place: int) -> Any:
    prefix = fact.get("prefixItems", ())
    return prefix[place] if place < len(prefix) else fact.get("items")


@cache
def pattern_referee(pattern: str) -> jsonschema_rs.Draft202012Validator:
    return allows({"pattern": pattern})


def matches(pattern: str, text: str) -> bool:
    return pattern_referee(pattern).is_valid(text)


def named(pattern: str, names: Sequence[str]) -> list[str]:
    """Names that a pattern takes."""
    made = list(pattern_texts(pattern))[:5] if pattern.startswith("^") else []
    return [name for name in [*made, *names] if matches(pattern, name)]


def parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    """All objects within a schema, whatever they are."""
    if isinstance(schema, dict):
        yield schema
    for held in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(held)


def resolve(root: Any, ref: str) -> Any:
    """What a reference within the schema leads to."""
    place = root
    for step in ref.removeprefix("#").split("/")[1:]:
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        place = place[int(name)] if isinstance(place, list) else place[name]
    return place
