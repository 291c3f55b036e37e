"""How large the schema of an output tool may be, and its texts."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields

from magic_tools.errors import DefinitionError
from magic_tools.schema.guard.budgets import SchemaLimits, refusal
from magic_tools.schema.guard.extent import check_extent
from magic_tools.schema.kinds import possible_kinds
from magic_tools.schema.walk import map_schema, resolve, types_of
from magic_tools.values import JsonObject

__all__ = ["NO_LIMITS", "OutputLimits", "check_limits", "with_object_root"]

NO_LIMITS = SchemaLimits(depth=sys.maxsize, properties=sys.maxsize)
"""For a schema from outside whose depth and width are looked at later, with those of all others."""

_UNDER_A_KEY = "Put the value under a key of an object, or pass summary=True, which puts it under 'data'."


@dataclass(frozen=True, slots=True)
class OutputLimits:
    """What an output tool's parameters may come to; None lifts a limit.

    `depth` is how many objects and arrays stand inside each other, the parameters themselves being the first:
    a list of models under a key is 3 deep. References, unions, tuples and maps are followed; a type that holds
    itself has no end, and so is over every limit. `properties` is for one object. `text_chars` is for each
    description in the schema, and for each text of an answer, keys aside, whose place does not itself state a
    maximum, values or a form, such as a date's. ValueError for a limit below 1.
    """

    depth: int | None = 5
    properties: int | None = 50
    text_chars: int | None = 200

    def __post_init__(self) -> None:
        for each in fields(self):
            limit = getattr(self, each.name)
            if limit is not None and (type(limit) is not int or limit < 1):
                raise ValueError(f"OutputLimits.{each.name} is a whole number from 1 on, or None, got {limit!r:.80}.")


def check_limits(schema: JsonObject, limits: OutputLimits, where: str) -> None:
    """DefinitionError, with the place and a way out, where a canonical schema is over a limit."""
    extent = SchemaLimits(
        depth=limits.depth or sys.maxsize,
        properties=limits.properties or sys.maxsize,
        checks=sys.maxsize,
        recursive=limits.depth is None,
    )
    try:
        check_extent(schema, extent, where)
    except DefinitionError as error:
        raise DefinitionError(_in_own_words(str(error))) from None
    if limits.text_chars is not None:
        _check_descriptions(schema, limits.text_chars, where)


def with_object_root(schema: JsonObject, where: str) -> JsonObject:
    """The schema with a root that itself says that it is an object; DefinitionError where it is not one object."""
    root = resolve(schema, schema)
    if types_of(root) != ("object",):
        for keyword in ("anyOf", "oneOf"):
            if keyword in root:
                raise refusal(where, f"/{keyword}", "the whole is one of several, and not one object", _UNDER_A_KEY)
        kinds = possible_kinds(root, schema)
        if "type" in root or "object" not in kinds or not (root.keys() & _OF_OBJECTS):
            what = f"the whole is {_named(sorted(kinds))}, and has to be an object"
            raise refusal(where, "", what, _UNDER_A_KEY)
    body = {"type": "object", **{keyword: held for keyword, held in root.items() if keyword not in ("type", "$defs")}}
    return {**body, "$defs": schema["$defs"]} if "$defs" in schema else body


_OF_OBJECTS = frozenset({"properties", "required", "additionalProperties", "patternProperties", "allOf"})
"""Keywords that say that an object is meant where no type is stated."""


def _named(kinds: list[str]) -> str:
    match kinds:
        case ["array"]:
            return "an array"
        case [kind]:
            return kind if kind == "null" else f"a {kind}"
        case _:
            return "of no one type"


def _in_own_words(text: str) -> str:
    """The words of an error about a schema from outside, with the limits that an author of an output tool has."""
    text = text.replace("set SchemaLimits.recursive", "lift the limit by OutputLimits(depth=None)")
    return text.replace("SchemaLimits.", "OutputLimits.")


def _check_descriptions(schema: JsonObject, most: int, where: str) -> None:
    def check(node: JsonObject, pointer: str) -> JsonObject:
        length = len(node.get("description", ""))
        if length > most:
            what = f"the description has {length:,} characters; the limit is {most:,}"
            raise refusal(where, f"{pointer}/description", what, "Shorten it, or raise OutputLimits.text_chars.")
        return node

    map_schema(schema, check)
