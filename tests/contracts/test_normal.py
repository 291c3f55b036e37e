"""Digests of schemas: blind for order, names and spelling, sharp for all else, quick where definitions entangle."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from magic_tools.contracts.normal import schema_digest
from magic_tools.errors import DefinitionError
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
        pytest.param({"const": "a"}, {"enum": ["a"]}, id="const"),
        pytest.param({"enum": ["a", "a", "b"]}, {"enum": ["b", "a"]}, id="value twice"),
        pytest.param({"enum": [1.0, 2]}, {"enum": [2, 1]}, id="1.0 is 1"),
        pytest.param({"type": "string", "enum": ["a", "b"]}, {"enum": ["b", "a"]}, id="type of listed values"),
        pytest.param(
            {"type": ["string", "null"], "enum": ["a"]}, {"type": "string", "enum": ["a"]}, id="null that is not listed"
        ),
        pytest.param({"type": "string", "enum": ["a", 1]}, {"enum": ["a"]}, id="a value that the type forbids"),
        pytest.param({"enum": [None]}, {"type": "null"}, id="listed null"),
        pytest.param({"enum": [False, True]}, {"type": "boolean"}, id="listed truth"),
        pytest.param({"type": ["string"]}, {"type": "string"}, id="one type in a list"),
        pytest.param({"type": ["integer", "number"]}, {"type": "number"}, id="integers among numbers"),
        pytest.param(
            {"type": ["string", "null"], "minLength": 2},
            {"anyOf": [{"type": "string", "minLength": 2}, {"type": "null"}]},
            id="types as a choice",
        ),
        pytest.param({"type": "string", "minimum": 3}, {"type": "string"}, id="keyword of another type"),
        pytest.param({"anyOf": [{"type": "string"}]}, {"type": "string"}, id="choice of one"),
        pytest.param({"oneOf": [{"type": "string"}]}, {"type": "string"}, id="exclusive choice of one"),
        pytest.param(
            {"allOf": [{"$ref": "#/$defs/A"}], "description": "d", "$defs": {"A": {"type": "null"}}},
            {"type": "null", "description": "d"},
            id="sum of one",
        ),
        pytest.param(
            {"$ref": "#/$defs/A", "description": "d", "$defs": {"A": {"type": "null", "description": "inner"}}},
            {"type": "null", "description": "d"},
            id="text beside a reference",
        ),
        pytest.param(
            {"anyOf": [{"anyOf": [{"type": "null"}, {"type": "string"}]}, {"type": "array"}]},
            {"anyOf": [{"type": "null"}, {"type": "string"}, {"type": "array"}]},
            id="choice of choices",
        ),
        pytest.param(
            {"properties": {"a": True, "b": False}}, {"properties": {"a": {}, "b": {"not": {}}}}, id="true and false"
        ),
        pytest.param(
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "$comment": "c",
                "type": "object",
                "additionalProperties": {},
                "required": [],
                "properties": {},
                "minProperties": 0,
                "deprecated": False,
            },
            {"type": "object"},
            id="what says nothing",
        ),
        pytest.param({"definitions": {"A": {}}, "$ref": "#/definitions/A"}, {}, id="definitions of older drafts"),
        pytest.param({"then": {"type": "null"}, "minContains": 2}, {}, id="half of a pair"),
        pytest.param(
            {"$ref": "#/$defs/N", "$defs": {"N": {"properties": {"next": {"$ref": "#/$defs/N"}}}}},
            {
                "properties": {"next": {"$ref": "#/$defs/N"}},
                "$defs": {"N": {"properties": {"next": {"$ref": "#/$defs/N"}}}},
            },
            id="a circle unrolled once",
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
            {"$ref": "#/$defs/A", "additionalProperties": False, "$defs": {"A": {"properties": {"a": {}}}}},
            {"properties": {"a": {}}, "additionalProperties": False},
            id="closed beside a reference, which closes all of it",
        ),
        pytest.param({"oneOf": [{}, {}]}, {"oneOf": [{}]}, id="a branch twice, of which none fits"),
        pytest.param({"type": "string", "minLength": 1}, {"type": "string"}, id="length"),
        pytest.param({"default": None}, {}, id="default null"),
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
        (node(), "sha256:2d11d1870a4f69b9aa36accb2718e421007dabe32505307546324b1cd0ca5e15"),
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
        st.lists(inner, min_size=2, max_size=2, unique_by=json.dumps).map(lambda branches: {"anyOf": branches})
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
    """Schemas as numbers: two have one number where they say the same through ten levels, references being none."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, schema: JsonObject) -> int:
        definitions = schema["$defs"]

        def meant(node: Any) -> Any:
            while isinstance(node, dict) and "$ref" in node:
                node = definitions[node["$ref"][-1]]
            return node

        def leaves(node: Any) -> list[Any]:
            told = meant(node)
            return [leaf for branch in told["anyOf"] for leaf in leaves(branch)] if "anyOf" in told else [told]

        @cache
        def known(text: str, depth: int) -> int:
            return number(json.loads(text), depth)

        def number(node: Any, depth: int) -> int:
            if not isinstance(node, dict):
                form: Any = ["is", node]
            elif depth == 0:
                return -1
            elif "anyOf" in (told := meant(node)):
                form = ["any", *sorted({known(json.dumps(leaf), depth) for leaf in leaves(told)})]
            else:
                kept = {key: held for key, held in told.items() if key != "$defs" and held != {}}
                form = {key: inner(key, held, depth) for key, held in sorted(kept.items())}
            return self.numbers.setdefault(json.dumps(form), len(self.numbers))

        def inner(key: str, held: Any, depth: int) -> Any:
            if key == "properties":
                return {name: known(json.dumps(each), depth - 1) for name, each in sorted(held.items())}
            return known(json.dumps(held), depth - 1) if key == "items" else held

        return number(schema, 10)


def is_founded(schema: JsonObject) -> bool:
    """Whether no definition is made of itself with nothing between, which no value could ever be checked by."""

    def led_to(node: JsonObject, seen: frozenset[str]) -> bool:
        if "$ref" in node:
            name = node["$ref"][-1]
            return name not in seen and led_to(schema["$defs"][name], seen | {name})
        return all(led_to(branch, seen) for branch in node.get("anyOf", ()))

    return all(led_to({"$ref": f"#/$defs/{name}"}, frozenset()) for name in NAMES)


@settings(max_examples=150)
@given(SCHEMAS.filter(is_founded), SCHEMAS.filter(is_founded))
def test_different_schemas_differ(one: JsonObject, other: JsonObject) -> None:
    """Two schemas have one digest only where, unrolled through all their references, they say the same."""
    unrolled = Unrolled()
    assert (schema_digest(one) == schema_digest(other)) is (unrolled.of(one) == unrolled.of(other))


def test_an_interface_is_blind_for_what_only_readers_see() -> None:
    """Texts, examples and defaults do not count at any depth; names, constants and declared units do."""

    def schema(**told: Any) -> JsonObject:
        inner = {"type": "string", **told}
        return {"type": "object", "properties": {"title": inner, "at": {"$ref": "#/$defs/A"}}, "$defs": {"A": inner}}

    plain = schema_digest(schema(), texts=False)
    notes = {"title": "t", "description": "d", "examples": ["y"], "default": "x", "deprecated": True, "x-mine": 1}
    for word, held in notes.items():
        assert schema_digest(schema(**{word: held}), texts=False) == plain, word
        assert schema_digest(schema(**{word: held})) != schema_digest(schema()), word
    for word, held in {"minLength": 1, "x-unit": "s", "x-zone": "UTC", "x-resource": "crm"}.items():
        assert schema_digest(schema(**{word: held}), texts=False) != plain, word
    assert schema_digest({"const": {"title": "a"}}, texts=False) != schema_digest(
        {"const": {"title": "b"}}, texts=False
    )


def test_the_schema_stays_as_it_is() -> None:
    """A digest changes nothing of what it is made of."""
    schema = {"type": ["string", "null"], "enum": ["b", "a"], "allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": True}}
    before = copy.deepcopy(schema)
    schema_digest(schema)
    assert schema == before


@pytest.mark.parametrize(
    ("ref", "told"),
    [
        ("#/$defs/Gone", "points to nothing"),
        ("other.json#/A", "leaves the schema"),
        ("https://example.com/schema", "leaves the schema"),
        ("#/required/0", "points to what is no schema"),
    ],
)
def test_a_reference_that_leads_nowhere(ref: str, told: str) -> None:
    """It is refused by name, wherever it stands: nothing is fetched, and nothing guessed."""
    with pytest.raises(DefinitionError, match=told) as caught:
        schema_digest({"properties": {"a": {"$ref": ref}}, "required": ["a"]})
    assert ref in str(caught.value)


def test_a_schema_of_nothing_but_itself() -> None:
    """A reference to itself asks for nothing."""
    assert schema_digest({"$ref": "#"}) == schema_digest({})
