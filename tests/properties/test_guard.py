"""Schemas from outside, whatever they are: settled without a crash, and meaning what they meant."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from magic_tools.errors import DefinitionError, ParseError
from magic_tools.loose.decode import compile_schema
from magic_tools.schema.guard.guard import SchemaLimits, guard
from magic_tools.schema.walk import subschemas

few = settings(max_examples=100, deadline=None)

WORDS = (
    "type", "properties", "items", "prefixItems", "anyOf", "allOf", "not", "required", "enum", "const", "$ref", "$id",
    "$schema", "$defs", "definitions", "pattern", "patternProperties", "dependencies", "dependentSchemas", "if",
    "minimum", "exclusiveMinimum", "additionalItems", "additionalProperties", "description", "x-other-keys", "a",
)  # fmt: skip
TEXTS = (
    "string", "object", "#", "#/$defs/a", "#/definitions/a", "#/properties/a", "#/items/0", "a", "(", "^(a+)+$", "#a",
    "http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-04/schema#", "\ud800",
)  # fmt: skip
scalars: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(TEXTS),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.binary(max_size=2),
    st.just(10**100),
)
anything = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(WORDS), st.integers()), inner, max_size=2),
    ),
    max_leaves=12,
)
REFERENCES = ("#/$defs/a", "#/$defs/b", "#", "#/properties/a")
sound: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.sampled_from([{"type": kind} for kind in ("string", "integer", "null", "array", "object", "boolean")]),
        st.sampled_from([{"$ref": ref} for ref in REFERENCES]),
        st.sampled_from([{"$ref": ref, "description": "d", "minLength": 2} for ref in REFERENCES]),
        st.sampled_from([{"enum": [1, "a"]}, {"minimum": 1}, {"pattern": "a"}, {"required": ["a"]}, {"minLength": 2}]),
        st.booleans(),
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {}, optional={"properties": st.dictionaries(st.sampled_from("ab"), inner), "items": inner}
        ),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2), "title": st.just("t")}),
        st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=3), "additionalProperties": inner}),
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"prefixItems": st.lists(inner, min_size=1, max_size=2), "items": inner}),
    ),
    max_leaves=8,
).filter(lambda schema: isinstance(schema, dict))
schemas = st.builds(
    lambda root, a, b: {**root, "$defs": {"a": a, "b": b}, "properties": {"a": {}, **root.get("properties", {})}},
    sound,
    sound,
    sound,
)
values: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([0, 1, 1.0, True, "", "a", "aa", "ba"]),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=8,
)


def guarded(schema: Any) -> Any:
    """The canonical form of a schema, None where it is refused."""
    try:
        return guard(schema, where="it")
    except DefinitionError:
        return None


@few
@given(anything)
def test_whatever_comes_is_canonical_or_one_error(schema: Any) -> None:
    """Nothing but DefinitionError is raised; what passes is sound 2020-12, passes again as it is, and refers inside."""
    before = copy.deepcopy(schema)
    made = guarded(schema)
    assert repr(schema) == repr(before)
    if made is None:
        return
    assert guarded(made) == made
    jsonschema_rs.meta.validate(made)
    jsonschema_rs.Draft202012Validator(made, offline=True)
    definitions = made.get("$defs", {})
    ahead = [made]
    while ahead:
        part = ahead.pop()
        assert part.get("$ref", "#/$defs/").startswith("#/$defs/")
        assert "$ref" not in part or part["$ref"].removeprefix("#/$defs/") in definitions
        ahead += subschemas(part)


@settings(max_examples=200, deadline=None)
@given(schemas, st.lists(values, min_size=1, max_size=5))
def test_the_canonical_form_means_the_same(schema: dict[str, Any], sent: list[Any]) -> None:
    """A value fits the canonical form if, and only if, it fits what was written; parsed, it comes to what fits."""
    made = guarded(schema)
    if made is None:
        return
    before = jsonschema_rs.Draft202012Validator(schema, offline=True)
    after = jsonschema_rs.Draft202012Validator(made, offline=True)
    compiled = compile_schema(schema)
    for value in sent:
        assert before.is_valid(value) is after.is_valid(value)
        try:
            read = compiled.parse(json.dumps(value))
        except ParseError:
            assert not after.is_valid(value)
        else:
            assert after.is_valid(read.value)
            assert after.is_valid(value) is not bool(read.repairs)
            assert read.repairs or read.value == value


@few
@given(schemas)
def test_a_schema_within_its_limits_needs_no_smaller_ones(schema: dict[str, Any]) -> None:
    """What a limit of depth lets through is let through by every larger one."""
    passed = []
    for depth in range(6):
        try:
            guard(schema, where="it", limits=SchemaLimits(depth=depth))
        except DefinitionError:
            passed.append(False)
        else:
            passed.append(True)
    assert passed == sorted(passed)
