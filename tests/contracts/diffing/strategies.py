"""Schemas of all kinds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from hypothesis import strategies as st

from magic_tools.contracts.changes import Side

__all__ = [
    "Draw", "Schema", "constants", "cut", "fresh", "kinds", "names", "nodes", "places", "schemas", "sides", "sizes",
    "small", "within",
]  # fmt: skip

Schema: TypeAlias = Any
Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]

ONE = ("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else")
SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")
NAMED = ("properties", "patternProperties", "dependentSchemas", "$defs")
SAME_VALUE = ("anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas")
"""The keywords whose schemas are of the value itself: a reference through these alone would never end."""

sides: st.SearchStrategy[Side] = st.sampled_from(["input", "output", "error"])
names = st.sampled_from(["a", "b", "k"])
small = st.integers(-2, 5)
sizes = st.integers(0, 3)
constants: st.SearchStrategy[Any] = st.sampled_from(
    ["a", "b", "ab", "", 0, 1, 2, 1.5, True, False, None, [], [1], {"a": 1}]
)


def _words(given: dict[str, Any], **optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({word: st.just(value) for word, value in given.items()}, optional=optional)


numbers = st.sampled_from(["integer", "number"]).flatmap(
    lambda kind: _words(
        {"type": kind},
        minimum=small,
        maximum=small,
        exclusiveMinimum=small | st.just(0.5),
        exclusiveMaximum=small,
        multipleOf=st.sampled_from([1, 2, 3, 0.5]),
    )
)
texts = _words(
    {"type": "string"},
    minLength=sizes,
    maxLength=sizes,
    pattern=st.sampled_from(["^a", "^[a-z]+$", ".*", "^[ab]$"]),
    format=st.sampled_from(["date", "email"]),
)
kinds = st.sampled_from(["string", "integer", "number", "null", "boolean", "array", "object"])
leaves: st.SearchStrategy[Schema] = st.one_of(
    numbers,
    texts,
    kinds.map(lambda kind: {"type": kind}),
    st.lists(kinds, min_size=1, max_size=3, unique=True).map(lambda held: {"type": held}),
    st.lists(constants, min_size=1, max_size=3, unique_by=repr).map(lambda held: {"enum": held}),
    constants.map(lambda value: {"const": value}),
    st.sampled_from([{}, True, {"minimum": 1}, {"required": ["a"]}, {"minLength": 2}, {"not": {}}, False]),
    st.sampled_from(["N", "M"]).map(lambda name: {"$ref": f"#/$defs/{name}"}),
)


def fresh(schema: Schema) -> Schema:
    """The same, of which nothing is a part of anything else: it is going to be edited."""
    return json.loads(json.dumps(schema))


def _containers(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    """Objects and arrays of these, and what is said of them together."""
    rest = st.one_of(st.booleans(), inner)
    fields = st.dictionaries(names, inner, max_size=3)
    required = st.lists(names, max_size=2, unique=True)
    plain_objects = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": fields}, optional={"required": required, "additionalProperties": rest}
    )
    tagged = st.lists(st.tuples(st.sampled_from(["x", "y", "z"]), fields), min_size=2, max_size=3).map(
        lambda held: [
            {"type": "object", "properties": {**body, "t": {"const": tag}}, "required": ["t"]} for tag, body in held
        ]
    )
    return st.one_of(
        plain_objects,
        plain_objects,
        _words(
            {"type": "object"},
            properties=fields,
            additionalProperties=rest,
            patternProperties=st.dictionaries(st.sampled_from(["^a", "b$", "^n_"]), inner, max_size=2),
            propertyNames=st.sampled_from([{"enum": ["a", "b"]}, {"maxLength": 1}, {"pattern": "^a"}]),
            minProperties=sizes,
            maxProperties=sizes,
            dependentRequired=st.dictionaries(names, required, max_size=1),
            dependentSchemas=st.dictionaries(names, inner, max_size=1),
        ),
        _words({"type": "array"}, items=inner, minItems=sizes, maxItems=sizes, uniqueItems=st.booleans()),
        _words(
            {"type": "array"},
            prefixItems=st.lists(inner, min_size=1, max_size=2),
            items=rest,
            minItems=sizes,
            contains=inner,
            minContains=sizes,
            maxContains=sizes,
        ),
        st.lists(inner, min_size=1, max_size=3).map(lambda held: {"anyOf": held}),
        st.lists(inner, min_size=1, max_size=3).map(lambda held: {"oneOf": held}),
        st.tuples(st.sampled_from(["anyOf", "oneOf"]), tagged).map(lambda held: {held[0]: held[1]}),
        st.lists(inner, min_size=1, max_size=2).map(lambda held: {"allOf": held}),
        st.tuples(inner, inner).map(lambda held: {"allOf": [held[0]], "not": held[1]}),
        st.tuples(plain_objects, inner, inner).map(lambda held: {**held[0], "if": held[1], "then": held[2]}),
    )


nodes = st.recursive(leaves, _containers, max_leaves=5)


def _rooted(drawn: tuple[Schema, dict[str, Schema]]) -> Schema:
    """A whole schema, whose references lead to something and end."""
    root, definitions = fresh(drawn)
    whole = root if isinstance(root, dict) else {"allOf": [root]}
    known = {name: body if isinstance(body, dict) else {"allOf": [body]} for name, body in definitions.items()}
    if any("$ref" in node for node in within([whole, *known.values()])):
        whole = {**whole, "$defs": known}
        cut(whole)
    return whole


schemas: st.SearchStrategy[Schema] = st.tuples(nodes, st.fixed_dictionaries({"N": nodes, "M": nodes})).map(_rooted)
"""Whole schemas; their references, if any, lead to the definitions N and M, which may lead to each other."""


def places(schema: Schema) -> Iterator[tuple[Any, Any]]:
    """Each schema within a schema, as the holder and the key under which it stands; outer ones come first."""
    if not isinstance(schema, dict):
        return
    held: list[tuple[Any, Any]] = [(schema, word) for word in ONE if word in schema]
    held += [(schema[word], place) for word in SEVERAL if word in schema for place in range(len(schema[word]))]
    held += [(schema[word], name) for word in NAMED if word in schema for name in schema[word]]
    for holder, key in held:
        yield holder, key
        yield from places(holder[key])


def within(several: list[Schema]) -> Iterator[dict[str, Any]]:
    """The schemas, and each schema within one of them, but for true and false."""
    for schema in several:
        found = [schema, *(holder[key] for holder, key in places(schema))]
        yield from (node for node in found if isinstance(node, dict))


def cut(whole: Schema) -> None:
    """References that would come back to themselves of the same value lead to nothing more."""
    for name, body in whole["$defs"].items():
        for reference in list(_of_the_same_value(body)):
            if _comes_back(whole, reference["$ref"], f"#/$defs/{name}", set()):
                del reference["$ref"]


def _comes_back(whole: Schema, at: str, start: str, seen: set[str]) -> bool:
    if at == start:
        return True
    seen.add(at)
    body = whole["$defs"][at.rsplit("/", 1)[1]]
    return any(
        _comes_back(whole, next_["$ref"], start, seen)
        for next_ in _of_the_same_value(body)
        if next_["$ref"] not in seen
    )


def _of_the_same_value(schema: Schema) -> Iterator[dict[str, Any]]:
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield schema
    for word in SAME_VALUE:
        held = schema.get(word, [])
        for inner in (
            held.values() if word == "dependentSchemas" and held else held if isinstance(held, list) else [held]
        ):
            yield from _of_the_same_value(inner)
