"""The dialect for weak models: what becomes shorter and flatter, and that nothing is lost by it."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.schema.dialects.rendered import DialectChange, Move
from magic_tools.schema.dialects.table import render_schema
from magic_tools.values import JsonObject

TEXT = {"type": "string"}
NULL = {"type": "null"}
INTEGER = {"type": "integer"}


def opened(properties: JsonObject, *required: str, **keywords: Any) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required), **keywords}


def shut(properties: JsonObject, *required: str, **keywords: Any) -> JsonObject:
    return opened(properties, *required, additionalProperties=False, **keywords)


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        pytest.param(
            {"anyOf": [TEXT, NULL], "default": None, "description": "If any"},
            {"type": "string", "description": "If any"},
            id="null by default",
        ),
        pytest.param(
            {"anyOf": [TEXT, INTEGER, NULL], "default": None}, {"anyOf": [TEXT, INTEGER]}, id="a union, null by default"
        ),
        pytest.param({"type": ["string", "null"], "default": None}, TEXT, id="a type list, null by default"),
        pytest.param({"enum": ["a", "b", None], "default": None}, {"enum": ["a", "b"]}, id="values, null by default"),
        pytest.param(
            {"anyOf": [TEXT, NULL], "default": "n/a"}, {"anyOf": [TEXT, NULL], "default": "n/a"}, id="another default"
        ),
        pytest.param({"anyOf": [TEXT, NULL]}, {"anyOf": [TEXT, NULL]}, id="no default"),
        pytest.param({**NULL, "default": None}, NULL, id="null alone"),
        pytest.param({"oneOf": [TEXT], "description": "A name"}, {**TEXT, "description": "A name"}, id="one branch"),
        pytest.param(
            {"anyOf": [{**TEXT, "description": "inner"}], "description": "outer"},
            {**TEXT, "description": "outer. inner"},
            id="one branch with a text",
        ),
        pytest.param({"allOf": [{"minLength": 1}], **TEXT}, {"minLength": 1, **TEXT}, id="one and all"),
        pytest.param(
            {"anyOf": [{"minLength": 1}], "minLength": 2},
            {"anyOf": [{"minLength": 1}], "minLength": 2},
            id="one branch that does not go in",
        ),
        pytest.param({"type": "string", "enum": ["a"]}, {"const": "a"}, id="one value"),
        pytest.param(
            {"type": "string", "const": "a", "description": "!"}, {"const": "a", "description": "!"}, id="const"
        ),
        pytest.param(
            {**TEXT, "x-unit": "s", "writeOnly": True, "x-order": 1, "x-shown": "Name"},
            {**TEXT, "description": "Unit: s. x-shown: Name."},
            id="x-",
        ),
        pytest.param(
            {**TEXT, "x-unit": "s", "description": "In Rome. Unit: s."},
            {**TEXT, "description": "In Rome. Unit: s."},
            id="x-, in words",
        ),
        pytest.param({"$ref": "#/$defs/T"}, {**TEXT, "description": "A tag"}, id="a reference"),
        pytest.param(
            {"$ref": "#/$defs/T", "description": "this"}, {**TEXT, "description": "this. A tag"}, id="a text beside it"
        ),
        pytest.param(
            {"type": "array", "items": {"$ref": "#/$defs/T"}},
            {"type": "array", "items": {**TEXT, "description": "A tag"}},
            id="a reference inside",
        ),
    ],
)
def test_a_property(schema: JsonObject, form: JsonObject) -> None:
    """A schema becomes as short as can be, with the same values but for a null that needs not be written."""
    whole = opened({"a": schema}, **{"$defs": {"T": {**TEXT, "description": "A tag"}}})
    assert render_schema(whole, "simple").schema == opened({"a": form})


def test_null_of_what_is_required_stays() -> None:
    """Null that has to be written stays."""
    schema = opened({"a": {"anyOf": [TEXT, NULL], "default": None}}, "a")
    assert render_schema(schema, "simple").schema == schema


def test_recursion_stays() -> None:
    """A type in itself stays a definition, all others are put where they are used; a text beside it stays too."""
    node = opened({"tag": {"$ref": "#/$defs/T"}, "next": {"$ref": "#/$defs/Node", "description": "more"}})
    schema = opened({"first": {"$ref": "#/$defs/Node"}}, "first", **{"$defs": {"Node": node, "T": TEXT}})
    rendered = render_schema(schema, "simple")
    assert rendered.schema == opened(
        {"first": {"$ref": "#/$defs/Node"}},
        "first",
        **{"$defs": {"Node": opened({"tag": TEXT, "next": {"$ref": "#/$defs/Node", "description": "more"}})}},
    )
    assert rendered.moves == ()


def test_a_large_type_that_is_used_often_stays() -> None:
    """A definition is not repeated where that would cost more than it helps."""
    large = opened({f"p{n}": TEXT for n in range(120)})
    schema = opened({name: {"$ref": "#/$defs/Large"} for name in "abc"}, **{"$defs": {"Large": large}})
    assert render_schema(schema, "simple").schema == schema


PLACE = shut(
    {"city": TEXT, "geo": shut({"lat": {"type": "number"}, "lon": {"type": "number"}}, "lat", description="A point")},
    "city",
    "geo",
    description="Where it is",
)


def test_objects_that_are_always_there_are_flattened() -> None:
    """The fields of objects that are always there stand at the root, named by their way, and come back from there."""
    rendered = render_schema(shut({"n": INTEGER, "at": PLACE}, "at", description="A trip"), "simple")
    assert rendered.schema == shut(
        {"n": INTEGER, "at_city": TEXT, "at_geo_lat": {"type": "number"}, "at_geo_lon": {"type": "number"}},
        "at_city",
        "at_geo_lat",
        description="A trip. at_...: Where it is. at_geo_...: A point",
    )
    assert rendered.moves == (
        Move("at_city", ("at", "city")),
        Move("at_geo_lat", ("at", "geo", "lat")),
        Move("at_geo_lon", ("at", "geo", "lon")),
    )
    assert DialectChange(
        "/properties/at/properties/city", "properties", "flattened: it is called at_city at the root"
    ) in (rendered.changes)
    written = '{"at_city":"Rome","at_geo_lat":41.90}'
    assert rendered.restore(written) == '{"at":{"city":"Rome","geo":{"lat":41.90}}}'
    assert rendered.moved(rendered.restore(written)) == written


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(shut({"at": PLACE}), id="may be left out"),
        pytest.param(shut({"at": shut({"city": TEXT})}, "at"), id="may be empty"),
        pytest.param(shut({"at": {**PLACE, "additionalProperties": TEXT}}, "at"), id="open"),
        pytest.param(shut({"at": opened({"city": TEXT}, "city")}, "at"), id="open by saying nothing"),
        pytest.param(opened({"at": PLACE}, "at"), id="beside keys that are open by saying nothing"),
        pytest.param(shut({"at": {**PLACE, "minProperties": 1}}, "at"), id="with a rule of its own"),
        pytest.param(shut({"at": {"anyOf": [PLACE, NULL]}}, "at"), id="may be null"),
        pytest.param(shut({"at": {"type": "array", "items": PLACE}}, "at"), id="several"),
        pytest.param(shut({"at": PLACE, "at_city": TEXT}, "at"), id="the name is taken"),
        pytest.param(shut({"at": shut({"a_b": TEXT, "a": shut({"b": TEXT}, "b")}, "a")}, "at"), id="two of a name"),
        pytest.param(opened({"at": PLACE}, "at", additionalProperties=TEXT), id="beside open keys"),
        pytest.param(shut({"at": PLACE}, "at", anyOf=[{"required": ["at"]}, {}]), id="beside a union"),
        pytest.param({"anyOf": [shut({"at": PLACE}, "at"), NULL]}, id="below the root"),
    ],
)
def test_what_could_not_come_back_is_not_flattened(schema: JsonObject) -> None:
    """Objects stay where they are if their fields would not tell whether they were there."""
    rendered = render_schema(schema, "simple")
    assert (rendered.schema, rendered.moves) == (schema, ())
