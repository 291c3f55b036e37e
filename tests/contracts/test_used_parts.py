"""Paths to parts of values, and what a schema says of the parts that somebody uses."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.contracts.diff import diff_schemas
from magic_tools.contracts.used_parts import (
    known_paths,
    meets,
    parts_at,
    path_of,
    projected,
    read_path,
    steps_of,
    stray_path,
)
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonValue

ROW = {
    "type": "object",
    "properties": {"sku": {"type": "string"}, "qty": {"type": "integer"}, "sub": {"$ref": "#/$defs/Row"}},
    "required": ["sku", "qty"],
    "additionalProperties": False,
}
ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "rows": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Row"}},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
        "mixed": {
            "type": "array",
            "prefixItems": [{"type": "string"}, {"type": "object", "properties": {"b": {}}}],
            "items": {"type": "object", "properties": {"a": {}}},
        },
        "by_name": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Row"}},
        "free": {"type": "object"},
        "first": {"anyOf": [{"$ref": "#/$defs/Row"}, {"type": "null"}]},
        "either": {"oneOf": [{"$ref": "#/$defs/Row"}, {"type": "object", "properties": {"sku": {"type": "integer"}}}]},
        "odd key": {"type": "string"},
    },
    "required": ["id", "rows"],
    "$defs": {"Row": ROW},
}


@pytest.mark.parametrize(
    "path", ["id", "rows[].qty", "pair[0]", "tail[2:].x", "by_name{}.sku", '["odd key"].x', "[]", "[].id", '["a.b"]']
)
def test_a_path_is_written_as_it_is_read(path: str) -> None:
    """Fields, items and fields without fixed names come back the same, also at the root and with odd names."""
    assert path_of(read_path(path)) == path


@pytest.mark.parametrize("path", ["", "a..b", "a[", "[x]", "a b", ".", "a."])
def test_what_is_no_path_is_refused(path: str) -> None:
    """The error shows a path that is one."""
    with pytest.raises(DefinitionError, match=r"is no path to a part of a value: write one such as 'rows\[\]\.qty'"):
        read_path(path)


def test_the_beginning_of_a_text_that_is_a_path() -> None:
    """What is cut or unreadable ends it."""
    assert steps_of("rows[0]['...cut") == (("field", "rows"), ("item", 0))
    assert steps_of("") == ()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("rows[].qty", "rows[].qty", True),
        ("rows", "rows[].qty", True),
        ("rows[].qty", "rows", True),
        ("rows[3].qty", "rows[].qty", True),
        ("rows[3]", "rows[4]", False),
        ("rows[3]", "rows[3:]", True),
        ("rows[2]", "rows[3:]", False),
        ("rows[2:]", "rows[]", True),
        ("by_name.anna.sku", "by_name{}.sku", True),
        ("rows[].qty", "rows[].sku", False),
        ("id", "ids", False),
    ],
)
def test_parts_that_meet(one: str, other: str, expected: bool) -> None:
    """One part is the other, or in it; an index is one of all items."""
    assert meets(read_path(one), read_path(other)) is expected
    assert meets(read_path(other), read_path(one)) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("id", [("a", True)]),
        ("note", [({"id": "a", "rows": [{"qty": 1}, {}], "by": {"x": {"n": 1}}}, False)]),
        ("rows[].qty", [(1, True), ({}, False)]),
        ("rows[0].qty", [(1, True)]),
        ("rows[1:].qty", [({}, False)]),
        ("by{}.n", [(1, True)]),
        ("gone.deeper", []),
        ("id.deeper", []),
    ],
)
def test_what_data_has_at_a_path(path: str, expected: list[Any]) -> None:
    """Each holder of the last field is found, with whether the field is there; none where the way ends before."""
    data: JsonValue = {"id": "a", "rows": [{"qty": 1}, {}], "by": {"x": {"n": 1}}}
    assert list(parts_at(data, read_path(path))) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("id", {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}),
        (
            "rows[].qty",
            {
                "type": "object",
                "properties": {
                    "rows": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"qty": {"type": "integer"}}, "required": ["qty"]},
                    }
                },
                "required": ["rows"],
            },
        ),
        (
            "mixed[].a",
            {"mixed": {"prefixItems": [{"type": "string"}, {"type": "object"}], "items": {"properties": {"a": {}}}}},
        ),
        ("mixed[2:].a", {"mixed": {"prefixItems": [{}, {}], "items": {"properties": {"a": {}}}}}),
        ("pair[1]", {"pair": {"type": "array", "prefixItems": [{}, {"type": "integer"}]}}),
        (
            "by_name{}.sku",
            {"by_name": {"additionalProperties": {"properties": {"sku": {"type": "string"}}, "required": ["sku"]}}},
        ),
        ("by_name.anna.sku", {"by_name": {"additionalProperties": {"properties": {"sku": {"type": "string"}}}}}),
        ("free.whatever", {"free": {"type": "object"}}),
    ],
)
def test_a_schema_of_the_used_parts_alone(path: str, expected: dict[str, Any]) -> None:
    """What is said of other parts, and of all together, is left out; the way to a part stays required as it was."""
    cut = projected(ORDER, [read_path(path)])
    wanted = expected if "properties" in expected else {"properties": expected}
    assert _within(wanted, cut), cut
    assert cut["$defs"] == ORDER["$defs"]


def test_a_union_keeps_every_branch() -> None:
    """Each is cut to what is used, so that more than one may fit: oneOf becomes anyOf."""
    first = projected(ORDER, [read_path("first.sku")])["properties"]["first"]
    assert [branch.get("type") for branch in first["anyOf"]] == ["object", "null"]
    assert list(first["anyOf"][0]["properties"]) == ["sku"]
    either = projected(ORDER, [read_path("either.sku")])["properties"]["either"]
    assert "oneOf" not in either
    assert [branch["properties"]["sku"]["type"] for branch in either["anyOf"]] == ["string", "integer"]


def test_changes_of_other_parts_do_not_show() -> None:
    """Against a schema in which all but the used part has changed, a projection finds nothing that breaks."""
    new = {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"qty": {"type": "integer"}},
                                                "required": ["qty"]}},
        },
        "required": ["rows"],
    }  # fmt: skip
    used = [read_path("rows[].qty")]
    assert [
        each for each in diff_schemas(projected(ORDER, used), new, side="output") if each.effect == "breaking"
    ] == []
    both = [*used, read_path("id")]
    changes = diff_schemas(projected(ORDER, both), new, side="output")
    assert {each.path for each in changes if each.effect == "breaking"} == {"output.id"}


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("rows[].sub.sub.qty", True),
        ("rows[5].sku", True),
        ("first.sku", True),
        ("either.sku", True),
        ("free.whatever.deeper", True),
        ("by_name.anna.sku", True),
        ("pair[1]", True),
        ("pair[2]", False),
        ("pair[]", True),
        ("mixed[0].a", False),
        ("mixed[1].b", True),
        ("mixed[1].a", False),
        ("mixed[2].a", True),
        ("mixed[].b", True),
        ("mixed[2:].a", True),
        ("mixed[2:].b", False),
        ("idd", False),
        ("id.x", False),
        ("rows.qty", False),
        ("rows[].zz", False),
        ("first.zz", False),
        ("id[]", False),
    ],
)
def test_a_path_that_leads_nowhere(path: str, leads: bool) -> None:
    """A schema that names all that there is does not have it; one that leaves it open may."""
    steps = read_path(path)
    assert stray_path(ORDER, [read_path("id"), steps]) == (None if leads else steps)


def test_an_open_result_has_every_path() -> None:
    """Nothing is known of it, so that nothing can be said to be missing."""
    assert stray_path({}, [read_path("a[].b{}.c")]) is None


def test_the_paths_that_there_are() -> None:
    """The fields that a schema names are listed, some levels down where it refers to itself."""
    paths = known_paths(ORDER)
    assert paths[:5] == ["id", "rows", "rows[].sku", "rows[].qty", "rows[].sub"]
    assert "first.sku" in paths
    assert len(paths) < 60


def _within(wanted: Any, held: Any) -> bool:
    if isinstance(wanted, dict) and isinstance(held, dict):
        return all(name in held and _within(each, held[name]) for name, each in wanted.items())
    return bool(wanted == held)
