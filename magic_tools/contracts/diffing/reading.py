"""The keywords of one schema as branches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from magic_tools.contracts.diffing.branches import FREE, Arrays, Branch, Objects, Sealed, Texts, is_universal, values_of
from magic_tools.contracts.diffing.parts import ANYTHING, Node, Part
from magic_tools.contracts.diffing.spans import Span, common_span, common_step, fraction
from magic_tools.contracts.spelling import LIMITS, VALIDATES, Raw, says_nothing_fits
from magic_tools.schema.walk import types_of
from magic_tools.values import JsonObject, JsonValue

__all__ = ["listed_by", "plain_branches"]

_CONTENTS = ("contentEncoding", "contentMediaType")
_COMBINE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
_TYPES = ("null", "boolean", "number", "string", "array", "object")


def plain_branches(part: Part) -> tuple[Branch, ...]:
    """What a schema allows by its own keywords, but for listed values and those that choose, add up or take away."""
    top = part.top
    if not top.keys() & (VALIDATES - _COMBINE - {"enum", "const"}):
        return FREE
    kinds = types_of(top) or _TYPES
    values: list[JsonValue] = [*([None] if "null" in kinds else []), *((True, False) if "boolean" in kinds else ())]
    found: list[Branch] = [values_of(values, (part,))] if values else []
    found += [_READERS[kind](part) for kind in kinds if kind in _READERS]
    return tuple(found)


def listed_by(part: Part) -> list[JsonValue] | None:
    """The values that a schema lists, None where it lists none."""
    top = part.top
    if "const" not in top:
        return top.get("enum")
    return [value for value in [top["const"]] if "enum" not in top or value in top["enum"]]


def _span(part: Part, *, whole: bool) -> Span:
    top = part.top
    span = Span(step=Fraction(1) if whole else None)
    if "multipleOf" in top:
        span = replace(span, step=common_step(span, Span(step=fraction(top["multipleOf"]))))
    for low, high, is_open in (("minimum", "maximum", False), ("exclusiveMinimum", "exclusiveMaximum", True)):
        bounds = Span(
            fraction(top[low]) if low in top else None, fraction(top[high]) if high in top else None, is_open, is_open
        )
        span = replace(common_span(span, bounds), step=span.step)
    return replace(span, sources=(part,))


def _texts(part: Part) -> Texts:
    top = part.top
    return Texts(
        int(top.get("minLength", 0)),
        _whole(top, "maxLength"),
        frozenset([top["pattern"]] if "pattern" in top else ()),
        frozenset([top["format"]] if "format" in top else ()),
        frozenset(f"{word}={top[word]}" for word in _CONTENTS if word in top),
        _limits(top),
        sources=(part,),
    )


def _limits(top: JsonObject) -> dict[str, str]:
    """The limits that a schema states, by name; one that is not stated by names is only known again."""
    limits: dict[str, str] = {}
    for word in sorted(LIMITS & top.keys()):
        held = top[word]
        limits |= {name: str(limit) for name, limit in (held if isinstance(held, dict) else {word: held}).items()}
    return limits


def _arrays(part: Part) -> Arrays:
    top, node = part.top, part.document.part
    contains: tuple[tuple[Node, int, int | None], ...] = ()
    least, most = int(top.get("minItems", 0)), _whole(top, "maxItems")
    if "contains" in top and not part.document.speller.top(top["contains"]).keys() & VALIDATES:  # which any item is
        least = max(least, int(top.get("minContains", 1)))
        most = _least_of(most, _whole(top, "maxContains"))
    elif "contains" in top:
        contains = (((node(top["contains"]),), int(top.get("minContains", 1)), _whole(top, "maxContains")),)
    first = tuple((node(each),) for each in top.get("prefixItems", ()))
    rest: Node = (node(top["items"]),) if "items" in top else ANYTHING
    ends = [index for index, each in enumerate(top.get("prefixItems", ())) if _is_false(part, each)]
    if "items" in top and _is_false(part, top["items"]):
        ends.append(len(first))
    most = _least_of(most, min(ends, default=None))
    sealed = _sealed(part, "unevaluatedItems")
    return Arrays(
        first,
        rest,
        least,
        most,
        top.get("uniqueItems") is True,
        contains,
        sealed,
        sources=(part,),
    )


def _objects(part: Part) -> Objects:
    top, node = part.top, part.document.part
    patterns: dict[str, Node] = {name: (node(held),) for name, held in top.get("patternProperties", {}).items()}
    for_all: Node = tuple(each for name, held in patterns.items() if is_universal(name) for each in held)
    rest: Node = (node(top["additionalProperties"]),) if "additionalProperties" in top else ANYTHING
    most = _whole(top, "maxProperties")
    names: tuple[Node, ...] = ()
    if "propertyNames" in top and _is_false(part, top["propertyNames"]):
        most = 0
    elif "propertyNames" in top:
        names = ((node(top["propertyNames"]),),)
    return Objects(
        {name: (node(held), *for_all) for name, held in top.get("properties", {}).items()},
        frozenset(top.get("required", ())),
        {name: held for name, held in patterns.items() if not is_universal(name)},
        for_all or rest,
        names,
        int(top.get("minProperties", 0)),
        most,
        {name: frozenset(held) for name, held in top.get("dependentRequired", {}).items()},
        _sealed(part, "unevaluatedProperties"),
        sources=(part,),
    )


def _sealed(part: Part, word: str) -> frozenset[Sealed]:
    return frozenset([Sealed(f"{word} {part.key}")] if word in part.top else ())


def _is_false(part: Part, schema: Raw) -> bool:
    return says_nothing_fits(part.document.speller.top(schema))


def _least_of(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def _whole(top: JsonObject, word: str) -> int | None:
    return math.floor(top[word]) if word in top else None


_READERS: Mapping[str, Callable[[Part], Branch]] = {
    "integer": lambda part: _span(part, whole=True),
    "number": lambda part: _span(part, whole=False),
    "string": _texts,
    "array": _arrays,
    "object": _objects,
}
