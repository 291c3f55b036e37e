"""The places in arguments, and what stands around them."""

from __future__ import annotations

from typing import Any

from magic_tools.tools.bad_inputs.places import Place, places_of
from magic_tools.tools.bad_inputs.samples import Samples
from magic_tools.values import JsonObject

ROOT: JsonObject = {
    "type": "object",
    "properties": {
        "a": {"type": "integer"},
        "items": {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"$ref": "#/$defs/Item"}},
        "map": {"type": "object", "additionalProperties": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}},
        "full": {"type": "array", "prefixItems": [{"const": 1}], "maxItems": 1},
        "open": {},
    },
    "required": ["a"],
    "$defs": {
        "Item": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Item"}, "x": {}}, "required": ["x"]},
    },
}


def placed(takes: Any = lambda _: True) -> list[Place]:
    return list(places_of(Samples(ROOT), {"a": 7}, takes))


def test_the_places_in_arguments() -> None:
    """Every field, item, map value and branch is a place, a definition three times, with what is wanted in words."""
    assert [(place.steps, place.wanted) for place in placed() if "next" not in place.steps[:3]] == [
        ((), "an object"),
        (("a",), "a whole number"),
        (("items",), "an array"),
        (("items", 0), "a whole number"),
        (("items", 1), "an object"),
        (("items", 1, "x"), "another value"),
        (("map",), "an object"),
        (("map", "text"), "true or false or null"),
        (("map", "text"), "true or false or null"),
        (("map", "text"), "true or false or null"),
        (("full",), "an array"),
        (("full", 0), "1"),
        (("open",), "another value"),
    ]
    assert max(place.steps.count("next") for place in placed()) == 2


def test_what_stands_around_a_place() -> None:
    """A value goes to its place in the good arguments, which stay as they are."""
    found = {place.steps: place for place in placed()}
    assert found["items", 1, "x"].build("new") == {"a": 7, "items": [1, {"x": "new"}]}
    assert found["a",].build(None) == {"a": None}
    assert found["map", "text"].build(0) == {"a": 7, "map": {"text": 0}}
    assert found["items", 1, "next"].build(0) == {"a": 7, "items": [1, {"x": "text", "next": 0}]}
    assert found["a",].good == 7


def test_where_anything_is_taken() -> None:
    """A place is open where its schema says nothing of the value."""
    assert {place.steps[-1] for place in placed() if place.is_open} == {"x", "open"}


def test_a_good_value_passes_where_it_is_to_be() -> None:
    """Of the values that a schema allows, the first is chosen with which the whole arguments pass."""
    (place,) = (
        place
        for place in placed(lambda arguments: arguments.get("map", {}).get("text") is not True)
        if place.steps == ("map", "text") and "anyOf" in place.schema
    )
    assert place.good is None
