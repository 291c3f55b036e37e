"""Tools whose parameters are known only at run time: from JSON Schemas that anybody may have written."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from magic_tools.errors import ContextError, DefinitionError
from magic_tools.messages import ErrorCode
from magic_tools.schema.dialects.table import Dialect
from magic_tools.schema.hidden import Injected
from magic_tools.tools.tool import Tool

WIRES: tuple[Dialect, ...] = ("openai-chat", "openai-responses", "anthropic")

CITY = {
    "type": "object",
    "title": "Arguments",
    "properties": {"city": {"type": "string", "maxLength": 20}, "days": {"type": "integer", "default": 1}},
    "required": ["city"],
    "additionalProperties": False,
}


def weather(**arguments: Any) -> Any:
    return arguments


def made(schema: Mapping[str, Any], fn: Any = weather, **options: Any) -> Tool[..., Any]:
    return Tool.from_schema(fn, name="weather", description="Weather.", input_schema=schema, **options)


def test_a_tool_from_a_schema() -> None:
    """It has the given name and text, the schema without titles, and gets what the schema takes, as plain data."""
    found = made(CITY)
    assert (found.name, found.description) == ("weather", "Weather.")
    assert found.contract.input_schema == {keyword: held for keyword, held in CITY.items() if keyword != "title"}
    assert found.contract.output_schema == {}
    assert found.invoke('```json\n{"city": "Rome", "days": 2,}\n```').value == {"city": "Rome", "days": 2}
    assert found.invoke({"city": "Rome", "days": None}).value == {"city": "Rome", "days": 1}
    assert found.invoke({"city": 1, "days": "2"}).value == {"city": "1", "days": 2}
    assert found.invoke({"city": "Rome"}).value == {"city": "Rome", "days": 1}
    assert found(city="Rome") == {"city": "Rome"}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("", "city"),
        ({"city": True}, "city"),
        ({"city": "R" * 21}, "20"),
        ({"city": "Rome", "day": 1}, "day"),
        ({"city": "Rome", "days": "two"}, "days"),
        ("[1]", "object"),
        ('{"city": "Rome", "city": "Bari"}', "city"),
        ('{"city": "Ro', "stops"),
    ],
)
def test_what_the_schema_forbids_is_refused(arguments: Any, named: str) -> None:
    """The same ladder as for annotations: nothing runs, and the model is told what to mend."""
    calls: list[Any] = []
    refused = made(CITY, lambda **arguments: calls.append(arguments)).invoke(arguments)
    assert (refused.code, calls) == (ErrorCode.INVALID_ARGUMENT, [])
    assert named in refused.content


@dataclass
class Report:
    degrees: float


def test_the_result_is_held_to_its_schema() -> None:
    """What the function gives is written as JSON and checked; what the output schema forbids is withheld."""
    output = {"type": "object", "properties": {"degrees": {"type": "number", "maximum": 60}}, "required": ["degrees"]}
    good = made(CITY, lambda **_: Report(21.5), output_schema=output)
    assert good.contract.output_schema == output
    assert good.invoke({"city": "Rome"}).content == '{"degrees":21.5}'
    for wrong in (Report(99), {"degree": 1}, None, "hot"):
        result = made(CITY, lambda wrong=wrong, **_: wrong, output_schema=output).invoke({"city": "Rome"})
        assert (result.code, result.value) == (ErrorCode.INTERNAL, None)


def test_hidden_parameters_come_from_the_context() -> None:
    """The function's own hidden parameters are filled by the run, and no key reaches them."""

    def of_tenant(tenant: Injected[str], unit="c", **arguments: Any) -> Any:  # type: ignore[no-untyped-def]  # as found
        return tenant, unit, arguments

    found = made({"type": "object", "properties": {"city": {"type": "string"}, "unit": {}}}, of_tenant)
    context = {"tenant": "t1"}
    assert found.invoke({"city": "Rome", "unit": "f"}, context=context).value == ("t1", "f", {"city": "Rome"})
    assert found.invoke({"tenant": "t2"}, context=context).code is ErrorCode.INVALID_ARGUMENT
    with pytest.raises(ContextError, match=r"weather\(\): the hidden parameter 'tenant'"):
        found.invoke({"city": "Rome"})
    with pytest.raises(DefinitionError, match=r"weather\(\): the function hides what the schema offers: tenant"):
        made({"type": "object", "properties": {"tenant": {"type": "string"}}}, of_tenant)


EITHER = {
    "anyOf": [
        {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    ]
}


@pytest.mark.parametrize("dialect", WIRES)
def test_a_union_at_the_root(dialect: Dialect) -> None:
    """Every provider is sent an object without a union at its root, and both branches reach the function."""
    found = made(EITHER)
    definition = found.definition(dialect)
    held = definition.get("function", definition)
    schema = held.get("parameters", held.get("input_schema"))
    assert schema["type"] == "object"
    assert not {"anyOf", "oneOf", "allOf", "enum", "not"} & schema.keys()
    assert any("wrapped" in change.what for change in found.dialect_report(dialect))
    assert found.invoke({"id": 1}).value == {"id": 1}
    assert found.invoke({"name": "Ann"}).value == {"name": "Ann"}
    assert found.invoke({"other": 1}).is_error


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"type": ["object", "null"], "properties": {"a": {"type": "string"}}, "required": ["a"]},
    ],
)
def test_objects_that_do_not_say_so(schema: dict[str, Any]) -> None:
    """A schema with properties is an object's, and closed where a provider wants it strict."""
    definition = made(schema).definition("openai-chat", strict=True)["function"]
    assert (definition["parameters"]["type"], definition["parameters"]["additionalProperties"]) == ("object", False)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "array"}, r"weather\(\): the input schema: at /type, the whole is of the type array"),
        ({"properties": {"a": {"pattern": "^(?=a)"}}}, "at /properties/a/pattern"),
        ({"$ref": "https://example.org/schema"}, "leads out of the schema"),
        ({"properties": {"a": {"type": "strin"}}}, "/properties/a/type"),
    ],
)
def test_schemas_that_are_refused(schema: dict[str, Any], message: str) -> None:
    """What is no schema of an object, leads elsewhere or could hang is refused, naming tool and place."""
    with pytest.raises(DefinitionError, match=message):
        made(schema)


def test_a_pattern_that_would_hang_elsewhere() -> None:
    """A pattern that takes other engines exponential time is matched in linear time."""
    found = made({"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}, "patternProperties": {"^(b+)+$": {}}})
    assert found.invoke({"a": "a" * 50_000 + "!"}).is_error
    assert not found.invoke({"a": "a" * 50_000, "b" * 50_000: 1}).is_error


def test_the_given_schema_stays_as_it_was() -> None:
    """Nothing is changed in what the caller passed, nor does a later change of it reach the tool."""
    given = json.loads(json.dumps(CITY))
    found = made(given)
    found.definition("openai-chat", strict=False)
    assert given == CITY
    given["properties"]["city"]["type"] = "integer"
    assert not found.invoke({"city": "Rome"}).is_error


def by_position(city: str, /, days: int = 1) -> None: ...


def other_name(town: str = "") -> None: ...


def wants_more(city: str, hours: int) -> None: ...


def wants_days(city: str, days: int, unit: str) -> None: ...


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (by_position, "the function wants by position: city"),
        (other_name, "the function does not take: city, days"),
        (wants_more, "the function does not take: days"),
        (wants_days, "the function wants, while the schema may leave it out: unit"),
        (lambda city: None, "the function does not take: days"),
    ],
)
def test_a_function_that_cannot_be_called_so(fn: Any, message: str) -> None:
    """A function that does not take the schema's keys by name, or wants more, is refused at definition."""
    with pytest.raises(DefinitionError, match=rf"weather\(\): {message}.* write \*\*arguments, or the same names"):
        made(CITY, fn)


def test_a_function_with_names() -> None:
    """A function that takes the keys by their names is called with them; an open schema's other keys are refused."""

    def by_name(city: str, days: int) -> Any:
        return city, days

    assert made(CITY, by_name).invoke({"city": "Rome"}).value == ("Rome", 1)
    opened = {**CITY, "additionalProperties": True}
    refused = made(opened, by_name).invoke({"city": "Rome", "unit": "c"})
    assert refused.code is ErrorCode.INVALID_ARGUMENT
    assert "arguments.unit: expected no key of this name" in refused.content


@pytest.mark.parametrize(
    ("held", "sent"),
    [
        ({"$ref": "#/$defs/B"}, 3),
        ({"allOf": [{"type": "integer", "default": 4}]}, 4),
        ({"type": "integer", "default": 5}, 5),
        ({"type": "integer", "default": "x"}, 9),
        ({"type": "integer", "default": 1, "minimum": 5}, 9),
        ({"type": "integer", "default": None}, 9),
    ],
)
def test_defaults_of_a_schema(held: dict[str, Any], sent: int) -> None:
    """A default is given for what is left out, wherever it is stated, unless the schema itself refuses it."""

    def with_default(a: int, b: int = 9) -> int:
        return b

    schema = {"required": ["a"], "properties": {"a": {}, "b": held}, "$defs": {"B": {"type": "integer", "default": 3}}}
    assert made(schema, with_default).invoke({"a": 1}).value == sent


UNIT = {"type": "object", "properties": {"unit": {"type": "string", "default": "m"}, "value": {"type": "number"}}}


@pytest.mark.parametrize(
    ("held", "sent", "read"),
    [
        (UNIT, {"value": 2}, {"value": 2, "unit": "m"}),
        ({"$ref": "#/$defs/Unit"}, {}, {"unit": "m"}),
        ({"allOf": [{"$ref": "#/$defs/Unit"}, {"required": ["value"]}]}, {"value": 1}, {"value": 1, "unit": "m"}),
        ({"anyOf": [{"type": "string"}, UNIT]}, {"unit": "km"}, {"unit": "km"}),
        ({"oneOf": [{"type": "string"}, UNIT]}, {}, {"unit": "m"}),
        ({"anyOf": [{"type": "string"}, UNIT]}, "far", "far"),
        ({"type": "array", "items": UNIT}, [{}, {"unit": "km"}], [{"unit": "m"}, {"unit": "km"}]),
        ({"type": "array", "prefixItems": [{"type": "string"}, UNIT]}, ["a", {}], ["a", {"unit": "m"}]),
        ({"type": "object", "additionalProperties": UNIT}, {"a": {}}, {"a": {"unit": "m"}}),
        ({**UNIT, "default": {"value": 3}}, None, {"value": 3}),
    ],
)
def test_defaults_at_every_depth(held: dict[str, Any], sent: Any, read: Any) -> None:
    """What is left out further inside has its default too; each call has its own."""
    schema = {"type": "object", "properties": {"at": held}, "$defs": {"Unit": UNIT}}
    arguments = {} if sent is None else {"at": sent}
    filled = made(schema, lambda **given: given)
    first = filled.invoke(arguments).value
    assert first == {"at": read}
    first["at"] = "changed"
    assert filled.invoke(arguments).value == {"at": read}


@pytest.mark.parametrize(
    "more",
    [{"maxProperties": 1}, {"dependentRequired": {"b": ["c"]}}, {"not": {"required": ["a", "b"]}}],
)
def test_no_default_breaks_the_schema(more: dict[str, Any]) -> None:
    """Where the whole would no longer fit its schema with what is filled in, the function gets what was sent."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 3}}}
    assert made(schema, lambda **given: given).invoke({"a": 1}).value == {"a": 1, "b": 3}
    assert made({**schema, **more}, lambda **given: given).invoke({"a": 1}).value == {"a": 1}


def test_defaults_of_what_calls_itself() -> None:
    """A schema that speaks of itself is filled as deep as the value goes, and no deeper."""
    node = {
        "type": "object",
        "properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}, "size": {"type": "integer", "default": 1}},
    }
    assert made(node, lambda **given: given).invoke({"next": {"next": None}}).value == {
        "next": {"next": None, "size": 1},
        "size": 1,
    }


def first_of_all(a: Any, **rest: Any) -> Any:
    return a, rest


class Holder:
    def method(self, **rest: Any) -> Any:
        return rest


def test_what_is_filled_already() -> None:
    """What a partial has bound by position, or a method by its object, is no key, and no schema may offer it."""
    bound = made({"type": "object"}, functools.partial(first_of_all, 7))
    assert bound.invoke({"b": 5}).value == (7, {"b": 5})
    assert "arguments.a: expected no key of this name" in bound.invoke({"a": 5}).content
    with pytest.raises(DefinitionError, match="the function has filled already: self"):
        made({"properties": {"self": {}}}, Holder().method)
    with pytest.raises(DefinitionError, match="the function has filled already: a"):
        made({"properties": {"a": {}}}, functools.partial(first_of_all, 7))
