"""Grammars: whatever the schema, each answer that fits it can be written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from magic_tools.schema.dialects.grammar import render_grammar
from magic_tools.values import JsonObject
from tests.schema.dialects.decoder import Decoder

Fitting: TypeAlias = tuple[JsonObject, Any]
"""A schema and a value that fits it."""

# Some of these are names of rules that the converter has itself, others hold what a rule cannot carry.
NAMES = st.sampled_from(
    ["a", "b", "中文", "x y", "decimal_part", "string", "root", "a-kv", "d0", "any", 'q"', "$ref", "👍"]
)
TEXTS = st.text(st.sampled_from('ab1 "\\/中é😀\n\t\x01'), max_size=4)
PLAIN = st.none() | st.booleans() | st.integers(-999, 999) | TEXTS


@pytest.fixture(scope="module")
def decoder() -> Iterator[Decoder]:
    pytest.importorskip("llama_cpp")
    with closing(Decoder()) as decoder:
        yield decoder


@st.composite
def scalars(draw: st.DrawFn) -> Fitting:
    """Schemas without inner schemas."""
    value = draw(PLAIN)
    schemas: list[JsonObject] = [{}, {"const": value}, {"enum": ["other", value]}]
    match value:
        case None:
            schemas.append({"type": "null"})
        case bool():
            schemas.append({"type": ["boolean", "null"]})
        case int():
            reach = draw(st.integers(0, 200))
            schemas.append({"type": "integer", "minimum": value - reach, "maximum": value + reach})
            schemas.append({"type": "number", "exclusiveMaximum": value + 1})
        case str():
            most = draw(st.sampled_from([len(value), len(value) + 1, 10_000]))
            schemas.append({"type": "string", "minLength": min(1, len(value)), "maxLength": most})
    return draw(st.sampled_from(schemas)), value


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Fitting]) -> Fitting:
    """Objects with required, optional and undeclared keys; the value has them in the order of the grammar."""
    fields = draw(st.dictionaries(NAMES, inner, max_size=3))
    required = [name for name in fields if draw(st.booleans())]
    optional = [name for name in fields if name not in required]
    written = required + [name for name in optional if draw(st.booleans())]
    value = {name: fields[name][1] for name in written}
    schema: JsonObject = {
        "type": "object",
        "properties": {name: held[0] for name, held in fields.items()},
        "required": required,
    }
    match draw(st.sampled_from(["silent", "closed", "open", "typed"])):
        case "closed":
            schema["additionalProperties"] = False
        case "open":
            schema["additionalProperties"] = True
            value["extra"] = draw(PLAIN)
        case "typed":
            schema["additionalProperties"], value["extra"] = draw(inner)
    return schema, value


@st.composite
def arrays(draw: st.DrawFn, inner: st.SearchStrategy[Fitting]) -> Fitting:
    """Lists and tuples."""
    held = draw(st.lists(inner, max_size=3))
    schemas, values = [schema for schema, _ in held], [value for _, value in held]
    if draw(st.booleans()):
        return {"type": "array", "items": {"anyOf": schemas} if schemas else True, "minItems": len(held)}, values
    return {"type": "array", "prefixItems": schemas, "minItems": len(held), "maxItems": len(held)}, values


FITTING = st.recursive(scalars(), lambda inner: objects(inner) | arrays(inner), max_leaves=6)


@given(FITTING)
def test_what_fits_can_be_written(decoder: Decoder, fitting: Fitting) -> None:
    """A grammar may be wider than its schema, and is never narrower."""
    schema, value = fitting
    assert decoder.accepts(render_grammar(schema).schema, json.dumps(value, ensure_ascii=False))
