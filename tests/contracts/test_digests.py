"""Digests of schemas: blind for order and names, sharp for all else, and quick where definitions are entangled."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from magic_tools.contracts.digests import interface_form, schema_digest
from magic_tools.values import JsonObject


def node(name: str = "Node", **properties: Any) -> JsonObject:
    body = {"type": "object", "properties": properties or {"next": {"$ref": f"#/$defs/{name}"}}}
    return {"$ref": f"#/$defs/{name}", "$defs": {name: body}}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, id="keys"),
        pytest.param({"type": ["string", "null"]}, {"type": ["null", "string"]}, id="types"),
        pytest.param({"required": ["a", "b"]}, {"required": ["b", "a"]}, id="required"),
        pytest.param({"enum": [1, "1", None]}, {"enum": [None, 1, "1"]}, id="mixed enum"),
        pytest.param({"oneOf": [{"type": "null"}, {}]}, {"oneOf": [{}, {"type": "null"}]}, id="oneOf"),
        pytest.param({"allOf": [{"type": "null"}, {}]}, {"allOf": [{}, {"type": "null"}]}, id="allOf"),
        pytest.param(node("Node"), node("Knot"), id="name of a recursive definition"),
        pytest.param(
            {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string"}}},
            {"properties": {"a": {"type": "string"}}},
            id="definition in place",
        ),
        pytest.param(
            {"properties": {"a": {"$ref": "#/$defs/x~1y~0z"}}, "$defs": {"x/y~z": {"type": "string"}}},
            {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string"}}},
            id="escaped name",
        ),
        pytest.param(
            {
                "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/B"}},
                "$defs": {"A": {}, "B": {"type": "null"}},
            },
            {
                "properties": {"a": {"$ref": "#/$defs/B"}, "b": {"$ref": "#/$defs/A"}},
                "$defs": {"B": {}, "A": {"type": "null"}},
            },
            id="names exchanged",
        ),
        pytest.param(
            {"type": "object", "properties": {"next": {"$ref": "#"}}},
            {"type": "object", "properties": {"next": {"$ref": "#"}}, "$defs": {}},
            id="reference to the root",
        ),
    ],
)
def test_the_same(one: JsonObject, other: JsonObject) -> None:
    """Schemas that differ in order, in the names of definitions or in where these stand have one digest."""
    assert schema_digest(one) == schema_digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({}, {"type": "null"}, id="keyword"),
        pytest.param({"minimum": 1}, {"minimum": 2}, id="value"),
        pytest.param({"const": True}, {"const": 1}, id="true is not 1"),
        pytest.param({"const": 1}, {"const": "1"}, id="text is no number"),
        pytest.param({"enum": [1, 2]}, {"enum": [1, 2, 2.5]}, id="choices"),
        pytest.param({"prefixItems": [{}, {"type": "null"}]}, {"prefixItems": [{"type": "null"}, {}]}, id="positions"),
        pytest.param({"const": ["a", "b"]}, {"const": ["b", "a"]}, id="order in a constant"),
        pytest.param({"items": {"type": "string"}}, {"contains": {"type": "string"}}, id="place"),
        pytest.param({"properties": {"a": {}}}, {"properties": {"b": {}}}, id="property"),
        pytest.param({"properties": {"a": {}}}, {"patternProperties": {"a": {}}}, id="pattern"),
        pytest.param(node(), node(next={}), id="recursion"),
        pytest.param(node(), node(next={"type": "object"}), id="recursion cut"),
        pytest.param(node(), node(last={"$ref": "#/$defs/Node"}), id="name of the recursive property"),
        pytest.param(
            {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string"}, "B": {"type": "null"}}},
            {"properties": {"a": {"$ref": "#/$defs/B"}}, "$defs": {"A": {"type": "string"}, "B": {"type": "null"}}},
            id="reference",
        ),
        pytest.param(
            {"$ref": "#/$defs/A", "description": "one", "$defs": {"A": {}}},
            {"$ref": "#/$defs/A", "description": "other", "$defs": {"A": {}}},
            id="beside a reference",
        ),
    ],
)
def test_not_the_same(one: JsonObject, other: JsonObject) -> None:
    """Schemas that say different things have different digests."""
    assert schema_digest(one) != schema_digest(other)


def ring(length: int, odd: int | None = None) -> JsonObject:
    """Definitions that refer to each other in a ring, one of which may hold something else than the others."""
    definitions = {
        f"D{index}": {"properties": {"next": {"$ref": f"#/$defs/D{(index + 1) % length}"}}, "odd": index == odd}
        for index in range(length)
    }
    return {"$ref": "#/$defs/D0", "$defs": definitions}


def test_a_difference_far_away_is_seen() -> None:
    """Where the only difference is many references away, it counts, and so does how far away it is."""
    digests = {schema_digest(ring(12, odd)) for odd in (None, *range(12))}
    assert len(digests) == 13


def test_entangled_definitions_take_no_time() -> None:
    """Twenty types that all refer to all of them are digested at once, not path by path."""
    names = [f"T{index}" for index in range(20)]
    definitions = {
        name: {"properties": {other: {"$ref": f"#/$defs/{other}"} for other in names}, "title": name} for name in names
    }
    assert schema_digest({"$ref": "#/$defs/T0", "$defs": definitions}).startswith("sha256:")


@pytest.mark.parametrize(
    ("schema", "known"),
    [
        (
            {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
            "sha256:3026bfdf8db549358aec6da13daffc3674aa5a28b3df5e7bd773970dbd265ae7",
        ),
        (node(), "sha256:d368d8739c700574aa20888345402f091ee64413630928cdf59a32a63743564c"),
    ],
    ids=["plain", "recursive"],
)
def test_the_digest_of_a_schema_is_known(schema: JsonObject, known: str) -> None:
    """A digest that was written down stays: a change of how it is made breaks every snapshot, and this test."""
    assert schema_digest(schema) == known


NAMES = ("A", "B", "C", "D")
LEAVES = st.sampled_from([{"type": "string"}, {"type": "null"}, {"enum": [1, 2]}, {"type": "string", "minLength": 1}])
INNER = st.recursive(
    LEAVES | st.sampled_from(NAMES).map(lambda name: {"$ref": f"#/$defs/{name}"}),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=2).map(lambda branches: {"anyOf": branches})
        | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3).map(lambda held: {"properties": held})
        | inner.map(lambda item: {"type": "array", "items": item})
    ),
    max_leaves=4,
)
SCHEMAS = st.builds(
    lambda root, definitions: {**root, "$defs": definitions}, INNER, st.fixed_dictionaries(dict.fromkeys(NAMES, INNER))
)


@settings(max_examples=100)
@given(SCHEMAS, st.permutations(NAMES), st.randoms(use_true_random=False))
def test_names_and_order_never_count(schema: JsonObject, names: list[str], random: Any) -> None:
    """Whatever refers to whatever: with other names for its definitions and all keys shuffled, the digest stays."""
    new = dict(zip(NAMES, names, strict=True))

    def disguised(value: Any) -> Any:
        match value:
            case {"$ref": ref, **rest}:
                return {"$ref": f"#/$defs/{new[ref[-1]]}", **disguised(rest)}
            case {"$defs": definitions, **rest}:
                held = {new[name]: disguised(definition) for name, definition in definitions.items()}
                return {"$defs": shuffled(held), **disguised(rest)}
            case dict():
                return shuffled({key: disguised(held) for key, held in value.items()})
            case list():
                return [disguised(item) for item in value]
            case _:
                return value

    def shuffled(mapping: dict[str, Any]) -> dict[str, Any]:
        keys = list(mapping)
        random.shuffle(keys)
        return {key: mapping[key] for key in keys}

    assert schema_digest(disguised(schema)) == schema_digest(schema)


class Unrolled:
    """Schemas as numbers: two have one number where they say the same through ten references in a row."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, schema: JsonObject) -> int:
        definitions = schema["$defs"]

        @cache
        def definition(name: str, depth: int) -> int:
            return number(definitions[name], depth)

        def number(node: Any, depth: int) -> int:
            match node:
                case {"$ref": ref}:
                    return definition(ref[-1], depth - 1) if depth else -1
                case {"anyOf": branches}:
                    form: Any = ["any", *sorted(number(branch, depth) for branch in branches)]
                case dict():
                    form = {key: number(held, depth) for key, held in sorted(node.items()) if key != "$defs"}
                case _:
                    form = ["is", node]
            return self.numbers.setdefault(json.dumps(form), len(self.numbers))

        return number(schema, 10)


@settings(max_examples=150)
@given(SCHEMAS, SCHEMAS)
def test_different_schemas_differ(one: JsonObject, other: JsonObject) -> None:
    """Two schemas have one digest only where, unrolled through all their references, they say the same."""
    unrolled = Unrolled()
    assert (schema_digest(one) == schema_digest(other)) is (unrolled.of(one) == unrolled.of(other))


def test_the_interface_form_drops_what_only_readers_see() -> None:
    """Texts, examples and defaults go at every depth; names, constants and the input itself stay."""
    schema = {
        "title": "T",
        "description": "d",
        "type": "object",
        "properties": {
            "title": {"type": "string", "default": "x", "examples": ["y"], "deprecated": True, "$comment": "c"},
            "default": {"const": {"title": "kept", "default": 1}},
        },
        "$defs": {"description": {"enum": ["description"], "description": "gone"}},
    }
    before = copy.deepcopy(schema)
    assert interface_form(schema) == {
        "type": "object",
        "properties": {"title": {"type": "string"}, "default": {"const": {"title": "kept", "default": 1}}},
        "$defs": {"description": {"enum": ["description"]}},
    }
    assert schema == before
