"""Edits of a schema: what a version changes, one to three at a time, anywhere within."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.contracts.diffing.strategies import (
    Draw,
    Schema,
    constants,
    cut,
    fresh,
    kinds,
    names,
    nodes,
    schemas,
    sizes,
    small,
    within,
)

__all__ = ["pairs", "provable_pairs"]

BOUNDS: dict[str, st.SearchStrategy[Any]] = {
    "minimum": small,
    "maximum": small,
    "exclusiveMinimum": small,
    "exclusiveMaximum": small,
    "multipleOf": st.sampled_from([1, 2, 3, 0.5]),
    "minLength": sizes,
    "maxLength": sizes,
    "minItems": sizes,
    "maxItems": sizes,
    "uniqueItems": st.booleans(),
    "minContains": sizes,
    "maxContains": sizes,
    "minProperties": sizes,
    "maxProperties": sizes,
}
WORDS_OF = {
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems", "uniqueItems", "minContains", "maxContains"),
    "object": ("minProperties", "maxProperties"),
}


def _bound(draw: Draw, node: dict[str, Any]) -> None:
    kind = node.get("type")
    words = WORDS_OF.get(kind, ("minimum", "minLength")) if isinstance(kind, str) else tuple(BOUNDS)
    word = draw(st.sampled_from(words))
    if word in node and draw(st.booleans()):
        del node[word]
    else:
        node[word] = draw(BOUNDS[word])


def _type(draw: Draw, node: dict[str, Any]) -> None:
    have = node.get("type", [])
    have = [have] if isinstance(have, str) else list(have)
    if "integer" in have and draw(st.booleans()):
        have[have.index("integer")] = "number"
    elif (kind := draw(kinds)) in have:
        have.remove(kind)
    else:
        have.append(kind)
    node.pop("type", None)
    if have:
        node["type"] = list(dict.fromkeys(have))


def _enum(draw: Draw, node: dict[str, Any]) -> None:
    have = list(node.pop("enum", [node.pop("const")] if "const" in node else []))
    value = draw(constants)
    same = [each for each in have if repr(each) == repr(value)]
    have = [each for each in have if each not in same] if same else [*have, value]
    if have:
        node["enum"] = have


def _field(draw: Draw, node: dict[str, Any]) -> None:
    fields, name = node.setdefault("properties", {}), draw(names)
    match draw(st.sampled_from(["add", "require", "replace", "all"])):
        case "require":
            required = set(node.pop("required", [])) ^ {name}
            node["required"] = sorted(required)
        case "add" if name not in fields:
            fields[name] = draw(nodes_without_references)
        case "all":
            node["required"] = sorted(fields)
        case _ if name in fields:
            fields[name] = draw(nodes_without_references)


def _rest(draw: Draw, node: dict[str, Any]) -> None:
    node.pop("additionalProperties", None)
    if (rest := draw(st.sampled_from([None, True, False, {"type": "integer"}, {"type": "string"}]))) is not None:
        node["additionalProperties"] = fresh(rest)


def _items(draw: Draw, node: dict[str, Any]) -> None:
    word = draw(st.sampled_from(["items", "contains", "prefixItems"]))
    if word in node and draw(st.booleans()):
        del node[word]
    else:
        new = draw(nodes_without_references)
        node[word] = [*node.get("prefixItems", []), new] if word == "prefixItems" else new


def _branch(draw: Draw, node: dict[str, Any]) -> None:
    for word in ("anyOf", "oneOf", "allOf"):
        if word in node:
            match draw(st.sampled_from(["add", "drop", "other"])):
                case "add":
                    node[word] = [*node[word], draw(nodes_without_references)]
                case "drop" if len(node[word]) > 1:
                    del node[word][draw(st.integers(0, len(node[word]) - 1))]
                case _ if (other := "oneOf" if word == "anyOf" else "anyOf") not in node:
                    node[other] = node.pop(word)
            return
    whole = dict(node)
    node.clear()
    node[draw(st.sampled_from(["anyOf", "oneOf", "allOf"]))] = [whole, draw(nodes_without_references)]


def _condition(draw: Draw, node: dict[str, Any]) -> None:
    word = draw(st.sampled_from(["not", "if", "then", "else"]))
    if word in node and draw(st.booleans()):
        del node[word]
    else:
        node[word] = draw(nodes_without_references)


def _dependent(draw: Draw, node: dict[str, Any]) -> None:
    word = draw(st.sampled_from(["dependentRequired", "dependentSchemas"]))
    if node.pop(word, None) is None:
        needed = [draw(names)]
        node[word] = {draw(names): needed if word == "dependentRequired" else {"required": needed}}


def _remove_field(draw: Draw, node: dict[str, Any]) -> None:
    if node.get("properties"):
        name = draw(st.sampled_from(sorted(node["properties"])))
        body = node["properties"].pop(name)
        if draw(st.booleans()):
            node["properties"]["other"] = body


def _say(draw: Draw, node: dict[str, Any]) -> None:
    word, value = draw(
        st.sampled_from([("description", "d"), ("title", "T"), ("default", 1), ("x-unit", "s"), ("deprecated", True)])
    )
    if node.pop(word, None) is None:
        node[word] = value


def _pattern(draw: Draw, node: dict[str, Any]) -> None:
    word, value = draw(st.sampled_from([("pattern", "^a"), ("pattern", ".*"), ("format", "date"), ("format", "uuid")]))
    if node.pop(word, None) != value:
        node[word] = value


PROVABLE = (_bound, _type, _enum, _rest, _items, _condition, _dependent)
"""Edits that R1 alone judges."""
EDITS = (*PROVABLE, _field, _field, _branch, _branch, _remove_field, _say, _pattern)

nodes_without_references = nodes.map(
    lambda drawn: {"type": "integer"} if any("$ref" in held for held in within([drawn])) else fresh(drawn)
)


@st.composite
def edited(draw: Draw, schema: Schema, edits: tuple[Callable[[Draw, dict[str, Any]], None], ...] = EDITS) -> Schema:
    """The schema with one to three edits anywhere within."""
    whole = fresh(schema)
    for _ in range(draw(st.integers(1, 3))):
        found = list(within([whole]))
        node = draw(st.sampled_from(found))
        own = node.pop("$defs", None)
        draw(st.sampled_from(edits))(draw, node)
        if own is not None:
            node["$defs"] = own
    if "$defs" in whole:
        cut(whole)
    return whole


def _fields_of(schema: Schema) -> list[str]:
    """The names of all fields that are declared anywhere within."""
    return sorted(name for node in within([schema]) for name in node.get("properties", {}))


pairs = schemas.flatmap(lambda schema: st.tuples(st.just(schema), edited(schema)))
"""A schema, and one that differs from it in a few places."""

provable_pairs = schemas.flatmap(lambda schema: st.tuples(st.just(schema), edited(schema, PROVABLE))).filter(
    lambda pair: _fields_of(pair[0]) == _fields_of(pair[1])
)
"""Such pairs that differ in nothing of which R4, R5 or R8 speak."""
