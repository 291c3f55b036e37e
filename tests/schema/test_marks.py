"""Units, zones, resources and depths: declared in an annotation, told in the schema, enforced where they validate."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import jsonschema_rs
import pytest
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType, TypedDict

from magic_tools.errors import DefinitionError, ParseError
from magic_tools.loose.decode import Schema
from magic_tools.schema.adapting import adapt
from magic_tools.schema.marks import MaxDepth, Resource, Unit, Zone
from magic_tools.values import JsonObject


def compiled(annotation: Any, *, closed: bool = True) -> Schema[Any]:
    return Schema(adapt(annotation, where="the type"), name="the type", closed=closed, annotation=annotation)


class Lap(BaseModel):
    """A lap."""

    time: Annotated[float, Unit("s"), "How long"] = Field(ge=0)
    rest: Annotated[float, Unit("min")] | None = None
    laps: list[Annotated[Lap, Resource("race.lap"), "The next one"]] = []


@dataclass
class Timed:
    lap: Annotated[Lap, Unit("m")]


@pytest.mark.parametrize(
    ("annotation", "place", "told"),
    [
        (Annotated[float, Unit("s")], (), {"type": "number", "description": "Unit: s.", "x-unit": "s"}),
        (
            Annotated[float, Zone("UTC"), Unit("s"), Resource("a.b"), "Text"],
            (),
            {
                "type": "number",
                "description": "Text. Unit: s. Time zone: UTC. Resource: a.b.",
                "x-resource": "a.b",
                "x-unit": "s",
                "x-zone": "UTC",
            },
        ),
        (
            Lap,
            ("$defs", "Lap", "properties", "time"),
            {"type": "number", "description": "How long. Unit: s.", "minimum": 0, "x-unit": "s"},
        ),
        (
            Lap,
            ("$defs", "Lap", "properties", "rest", "anyOf", 0),
            {"type": "number", "description": "Unit: min.", "x-unit": "min"},
        ),
        (
            Lap,
            ("$defs", "Lap", "properties", "laps", "items"),
            {"$ref": "#/$defs/Lap", "description": "The next one. Resource: race.lap.", "x-resource": "race.lap"},
        ),
        (
            Timed,
            ("properties", "lap"),
            {"$ref": "#/$defs/Lap", "description": "Unit: m.", "x-unit": "m"},
        ),
    ],
)
def test_what_is_declared(annotation: Any, place: tuple[Any, ...], told: JsonObject) -> None:
    """A declaration is a keyword and a sentence behind the author's text, in parameters, fields and items alike."""
    made = compiled(annotation)
    for schema in (made.json_schema, made.output_schema):
        for step in place:
            schema = schema[step]
        assert schema == told


def test_a_declaration_is_a_value() -> None:
    """Declarations are equal, hashable and copied by what they say, and differ by what they declare."""
    assert Unit("s") == Unit("s") != Unit("min")
    assert Unit("UTC") != Zone("UTC")  # type: ignore[comparison-overlap]  # which is the point
    assert {Unit("s"): 1}[Unit("s")] == 1
    assert pickle.loads(pickle.dumps(MaxDepth(2))) == MaxDepth(2)
    with pytest.raises(AttributeError):
        Unit("s").name = "min"  # type: ignore[misc]  # which is the point


class Node(BaseModel):
    model_config = ConfigDict(extra="allow")

    kids: list[Node] = []
    pair: tuple[Node, Node] | None = None
    by_name: dict[str, Node] = {}


class Egg(BaseModel):
    hen: Hen | None = None


class Hen(BaseModel):
    eggs: list[Egg] = []
    chicks: list[Hen] = []


@dataclass
class Leaf:
    below: list[Leaf] = field(default_factory=list)
    first: tuple[int, Leaf] | None = None


class Link(NamedTuple):
    next: Link | None


class Always(BaseModel):
    next: Always


class Loop(BaseModel):
    back: tuple[Loop, Loop] | Loop


class Ended(BaseModel):
    next: Annotated[Ended | None, MaxDepth(1)] = None


def nested(depth: int, key: str = "kids") -> JsonObject:
    value: JsonObject = {}
    for _ in range(depth - 1):
        value = {key: [value]}
    return value


DEEP: list[tuple[Any, Any, bool]] = [
    (Annotated[Node, MaxDepth(1)], {}, True),
    (Annotated[Node, MaxDepth(1)], {"kids": []}, True),
    (Annotated[Node, MaxDepth(1)], {"kids": [{}]}, False),
    (Annotated[Node, MaxDepth(1)], {"by_name": {"a": {}}}, False),
    (Annotated[Node, MaxDepth(2)], {"by_name": {"a": {}}, "kids": [{}, {}]}, True),
    (Annotated[Node, MaxDepth(3)], nested(3), True),
    (Annotated[Node, MaxDepth(3)], nested(4), False),
    (Annotated[Node, MaxDepth(2)], {"pair": [{}, {}]}, True),
    (Annotated[Node, MaxDepth(2)], {"pair": [{}, {"pair": [{}, {}]}]}, False),
    (list[Annotated[Node, MaxDepth(2)]], [nested(2), nested(1)], True),
    (list[Annotated[Node, MaxDepth(2)]], [nested(2), nested(3)], False),
    (Annotated[Node | None, MaxDepth(1)], None, True),
    (Annotated[Egg, MaxDepth(2)], {"hen": {"eggs": [{"hen": {"eggs": []}}]}}, True),
    (Annotated[Egg, MaxDepth(2)], {"hen": {"eggs": [{"hen": {"eggs": [{}]}}]}}, False),
    (Annotated[Egg, MaxDepth(1)], {"hen": {"chicks": [{"chicks": [{}]}]}}, True),
    (Annotated[Leaf, MaxDepth(2)], {"below": [{}], "first": [1, {}]}, True),
    (Annotated[Leaf, MaxDepth(2)], {"first": [1, {"first": [1, {}]}]}, False),
    (Annotated[Link, MaxDepth(2)], [[None]], True),
    (Annotated[Link, MaxDepth(2)], [[[None]]], False),
    (Ended, {"next": {}}, True),
    (Ended, {"next": {"next": {}}}, False),
]


@pytest.mark.parametrize(("annotation", "value", "fits"), DEEP)
@pytest.mark.parametrize("closed", [True, False])
def test_a_depth(annotation: Any, value: Any, fits: bool, closed: bool) -> None:
    """To its depth a value fits, beyond it it is refused, and an unrolled schema says the same to any reader."""
    made = compiled(annotation, closed=closed)
    if fits:
        assert made.parse(json.dumps(value)).repairs == ()
    else:
        with pytest.raises(ParseError, match=r"expected at most \d of \w+ inside each other, and not \d"):
            made.parse(json.dumps(value))
    assert jsonschema_rs.validator_for(made.json_schema).is_valid(value) is fits


def test_what_stands_between_levels_may_recur() -> None:
    """Only what is counted is unrolled; a class between two levels leads back to itself as before."""
    schema = compiled(Annotated[Egg, MaxDepth(2)]).json_schema
    assert list(schema["$defs"]) == ["Hen", "Hen2"]
    assert schema["$defs"]["Hen2"]["properties"] == {
        "eggs": {"type": "array", "maxItems": 0, "default": []},
        "chicks": {"type": "array", "items": {"$ref": "#/$defs/Hen2"}, "default": []},
    }


def test_a_class_that_does_not_recur() -> None:
    """A depth of what does not lead back to itself changes nothing, whatever it is."""
    assert compiled(Annotated[Timed, MaxDepth(1)]).json_schema == compiled(Timed).json_schema


@pytest.mark.parametrize("annotation", [Annotated[Always, MaxDepth(3)], Annotated[Loop, MaxDepth(1)]])
def test_a_depth_that_leaves_no_value(annotation: Any) -> None:
    """Where every level demands a further one, the depth is refused at definition."""
    with pytest.raises(DefinitionError, match=r"the type has the annotation .*: its MaxDepth leaves no value"):
        _ = compiled(annotation).json_schema


Tree = TypeAliasType("Tree", "list[int | Tree]")


class Dicts(TypedDict):
    more: list[Dicts]


@pytest.mark.parametrize(
    "annotation", [int | str, Tree, list[Node], Dicts, Any, int, int | None, tuple[int, int], None]
)
def test_what_has_no_levels(annotation: Any) -> None:
    """A depth around what makes no objects of one class is refused at definition, with what to put it around."""
    with pytest.raises(DefinitionError, match=r"MaxDepth counts the objects of one class.*put it around a model"):
        adapt(Annotated[annotation, MaxDepth(2)], where="the type")


@pytest.mark.parametrize(
    ("declare", "stated", "words"),
    [
        (MaxDepth, 0, r"MaxDepth\(0\) lets no value be: the least is MaxDepth\(1\)"),
        (MaxDepth, True, r"MaxDepth\(True\) is no number of levels: give one, as in MaxDepth\(3\)"),
        (MaxDepth, "3", r"MaxDepth\('3'\) is no number of levels"),
        (MaxDepth, 2.0, r"MaxDepth\(2.0\) is no number of levels"),
        (Unit, "", r"Unit\(''\) declares nothing: name it, as in Unit\('s'\)"),
        (Unit, 5, r"Unit\(5\) declares nothing"),
        (Zone, " ", r"Zone\(' '\) declares nothing: name it, as in Zone\('UTC'\)"),
        (Resource, None, r"Resource\(None\) declares nothing: name it, as in Resource\('crm.customer'\)"),
    ],
)
def test_what_declares_nothing(declare: Any, stated: Any, words: str) -> None:
    """A declaration that says nothing is refused where it is written, with what to write."""
    with pytest.raises(DefinitionError, match=words):
        declare(stated)


Seconds = Annotated[float, Unit("s")]


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[Seconds, Unit("min")],
        Annotated[float, Unit("s"), Unit("min")],
        Annotated[TypeAliasType("Alias", Seconds), Unit("min")],
        Annotated[Seconds | None, Unit("min")],
        Annotated[Annotated[float | None, Unit("s")], Unit("min")],
    ],
)
def test_the_outermost_declaration_counts(annotation: Any) -> None:
    """Of two units of one value, as of two texts, the outer one is told, and it alone."""
    schema = compiled(annotation).json_schema
    assert (schema["x-unit"], schema["description"]) == ("min", "Unit: min.")
    assert "Unit: s." not in json.dumps(schema)
