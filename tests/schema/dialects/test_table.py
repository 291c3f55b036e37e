"""Tools in each dialect: their shapes, their names, what is wished of their strictness, and types all the way."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, Literal, NotRequired

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from magic_tools.chat import OutputFormat, ToolDefinition
from magic_tools.errors import SchemaRejectedError
from magic_tools.loose.decode import Schema
from magic_tools.schema.adapting import adapt
from magic_tools.schema.dialects.requests import render_output, render_tools
from magic_tools.schema.dialects.table import DIALECTS, Dialect, render_schema, render_tool
from magic_tools.tools.tool import tool
from magic_tools.values import JsonObject
from tests.schema.dialects import referees


def closed(properties: JsonObject, **keywords: Any) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **keywords,
    }


TEXT = {"type": "string"}
NULL = {"type": "null"}
CITY = closed({"city": TEXT})
OPEN_MAP = {"type": "object", "additionalProperties": {"type": "integer"}}
LOOK = ToolDefinition("look", "Look it up.", CITY)
COUNT = ToolDefinition("count", "", OPEN_MAP)
SEARCH = ToolDefinition(
    "search", "Find.", CITY, output_schema={"type": "array", "items": TEXT}, read_only=True, idempotent=True
)
NAMED = {"name": "look", "description": "Look it up."}


@pytest.mark.parametrize(
    ("definition", "dialect", "strict", "written"),
    [
        (LOOK, "canonical", None, {**NAMED, "input_schema": CITY}),
        (LOOK, "openai-chat", None, {"type": "function", "function": {**NAMED, "parameters": CITY, "strict": True}}),
        (LOOK, "openai-chat", True, {"type": "function", "function": {**NAMED, "parameters": CITY, "strict": True}}),
        (LOOK, "openai-chat", False, {"type": "function", "function": {**NAMED, "parameters": CITY}}),
        (
            COUNT,
            "openai-chat",
            None,
            {"type": "function", "function": {"name": "count", "description": "", "parameters": OPEN_MAP}},
        ),
        (LOOK, "openai-responses", None, {"type": "function", **NAMED, "parameters": CITY, "strict": True}),
        (LOOK, "openai-responses", False, {"type": "function", **NAMED, "parameters": CITY, "strict": False}),
        (LOOK, "anthropic", None, {**NAMED, "input_schema": CITY, "strict": True}),
        (LOOK, "anthropic", False, {**NAMED, "input_schema": CITY}),
        (LOOK, "gemini", None, {**NAMED, "parameters_json_schema": CITY}),
        (LOOK, "langchain", None, {"type": "function", "function": {**NAMED, "parameters": CITY}}),
        (LOOK, "langchain", True, {"type": "function", "function": {**NAMED, "parameters": CITY, "strict": True}}),
        (LOOK, "mcp", None, {**NAMED, "inputSchema": CITY}),
        (
            SEARCH,
            "mcp",
            None,
            {
                "name": "search",
                "description": "Find.",
                "inputSchema": CITY,
                "outputSchema": {"type": "array", "items": TEXT},
                "annotations": {"readOnlyHint": True, "idempotentHint": True},
            },
        ),
        (LOOK, "simple", None, {**NAMED, "input_schema": CITY}),
    ],
)
def test_a_tool(definition: ToolDefinition, dialect: Dialect, strict: bool | None, written: JsonObject) -> None:
    """A tool has the shape of the provider's request, and says that it is strict only where it is."""
    assert render_tool(definition, dialect, strict)[0] == written


@pytest.mark.parametrize(
    ("definition", "dialect", "keyword", "told"),
    [
        (
            ToolDefinition("look", "a" * 1_025, CITY),
            "openai-chat",
            "description",
            "sent as it is: it has 1,025 characters, and OpenAI has refused more than 1,024",
        ),
        (ToolDefinition("look", "a" * 1_024, CITY), "openai-chat", None, None),
        (ToolDefinition("look", "a" * 1_025, CITY), "openai-responses", None, None),
        (
            SEARCH,
            "mcp",
            "outputSchema",
            "sent as it is: its root is no object, which MCP takes from revision 2026-07-28 on",
        ),
        (ToolDefinition("look", "", CITY, output_schema=OPEN_MAP), "mcp", None, None),
        (LOOK, "mcp", None, None),
        (SEARCH, "openai-chat", None, None),
    ],
)
def test_what_is_told_of_a_tool_beside_its_schema(
    definition: ToolDefinition, dialect: Dialect, keyword: str | None, told: str | None
) -> None:
    """A description that OpenAI may refuse, and an output that older clients of MCP do, are sent and listed."""
    written, rendered = render_tool(definition, dialect)
    assert [(change.keyword, change.what) for change in rendered.changes] == ([(keyword, told)] if keyword else [])
    assert definition.description in str(written)


def test_what_is_written_is_nobody_else_s() -> None:
    """Whoever changes a written tool changes nothing else."""
    given = copy.deepcopy(SEARCH)
    for dialect in DIALECTS:
        ((written, _),) = render_tools([SEARCH], dialect)
        held = [written, render_output(OutputFormat("search", SEARCH.input_schema), dialect).schema]
        for node in held:
            held += [inner for inner in node.values() if isinstance(inner, dict)]
        for node in held:
            node.clear()
    assert given == SEARCH


@pytest.mark.parametrize(
    ("wish", "asked", "strict"),
    [(None, None, True), (True, None, True), (False, None, False), (False, True, True), (True, False, False)],
)
def test_wishes(wish: bool | None, asked: bool | None, strict: bool) -> None:
    """A tool is as strict as is asked for, else as it wishes itself, else wherever that loses nothing."""
    definition = ToolDefinition("look", "", CITY, strict=wish)
    assert render_tool(definition, "openai-chat", asked)[1].strict is strict


def test_strict_that_would_lose_something_is_refused() -> None:
    """Strict asked for where it cannot be is refused with the tool, the place, the keyword and what to do."""
    told = r"^The tool 'count' cannot be sent strict to anthropic: /: additionalProperties: its keys are open.* Leave"
    with pytest.raises(SchemaRejectedError, match=told):
        render_tool(COUNT, "anthropic", strict=True)
    with pytest.raises(SchemaRejectedError, match=told):
        render_tool(ToolDefinition("count", "", OPEN_MAP, strict=True), "anthropic")


@pytest.mark.parametrize("dialect", ["canonical", "mcp", "simple", "grammar"])
def test_where_nothing_is_strict_it_cannot_be_asked_for(dialect: Dialect) -> None:
    """A dialect without a strict mode writes one form, whatever the tool wishes; to ask it for the other is refused."""
    wishing = replace(COUNT, strict=True)
    assert render_tool(wishing, dialect)[0] == render_tool(COUNT, dialect, strict=False)[0]
    with pytest.raises(SchemaRejectedError, match=f"cannot be sent strict to {dialect}: it holds no single tool"):
        render_tool(COUNT, dialect, strict=True)


def test_an_unknown_dialect() -> None:
    """A dialect that does not exist is refused with those that do."""
    with pytest.raises(
        ValueError, match="no dialect 'openai'; there are: canonical, openai-chat, openai-responses, anth"
    ):
        render_tool(LOOK, "openai")  # type: ignore[arg-type]  # the mistake under test


SENT: tuple[Dialect, ...] = ("openai-chat", "openai-responses", "anthropic", "gemini", "mcp", "langchain")


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("get_weather", SENT),
        ("_a-1", SENT),
        ("a" * 64, SENT),
        ("a" * 65, ("openai-responses", "anthropic", "mcp")),
        ("calendar.list", ("gemini", "mcp")),
        ("1st", ("openai-chat", "openai-responses", "anthropic", "mcp", "langchain")),
        ("get user", ()),
        ("a/b", ()),
        ("天気", ()),
        ("a\n", ()),
        ("", ()),
    ],
)
def test_names(name: str, taken: tuple[Dialect, ...]) -> None:
    """A name that a provider would refuse is refused before it is sent, with what it takes."""
    for dialect in SENT:
        if dialect in taken:
            render_tool(ToolDefinition(name, "", CITY), dialect)
            continue
        told = re.escape(f"The tool {name!r:.150} cannot be sent to {dialect}, which takes names of the form")
        with pytest.raises(SchemaRejectedError, match=told):
            render_tool(ToolDefinition(name, "", CITY), dialect)


class Car(BaseModel):
    vehicle: Literal["Car"]
    wheels: int = Field(4, ge=3)


class Bike(BaseModel):
    vehicle: Literal["Bike"]


class Person(TypedDict):
    name: str
    age: NotRequired[int]


class Tree(BaseModel):
    """A tree."""

    kids: list[Tree]


VEHICLE = Annotated[Car | Bike, Field(discriminator="vehicle")]
BIKE = closed({"vehicle": {"type": "string", "const": "Bike"}})
CAR_STRICT = closed(
    {
        "vehicle": {"type": "string", "const": "Car"},
        "wheels": {"type": ["integer", "null"], "description": "Null stands for the default: 4.", "minimum": 3},
    }
)
CAR_ANTHROPIC = {
    "type": "object",
    "properties": {
        "vehicle": {"type": "string", "const": "Car"},
        "wheels": {"type": "integer", "description": "At least 3.", "default": 4},
    },
    "required": ["vehicle"],
    "additionalProperties": False,
}
DECIMAL = {"type": "string", "pattern": "^[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$"}

# The type of a required parameter, and its form in the strict modes of OpenAI and of Anthropic, where it has one.
TYPES: list[tuple[Any, JsonObject | None, JsonObject | None]] = [
    (int, {"type": "integer"}, {"type": "integer"}),
    (bool, {"type": "boolean"}, {"type": "boolean"}),
    (str | None, {"anyOf": [TEXT, NULL]}, {"anyOf": [TEXT, NULL]}),
    (Decimal, DECIMAL, DECIMAL),
    (
        Annotated[int, "How many", Field(ge=1, le=10)],
        {"type": "integer", "description": "How many", "minimum": 1, "maximum": 10},
        {"type": "integer", "description": "How many. At least 1. At most 10."},
    ),
    (
        Annotated[str, Field(min_length=2)],
        {"type": "string", "description": "At least 2 characters."},
        {"type": "string", "description": "At least 2 characters."},
    ),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
    (
        list[VEHICLE],
        {"type": "array", "items": {"anyOf": [CAR_STRICT, BIKE]}},
        {"type": "array", "items": {"anyOf": [CAR_ANTHROPIC, BIKE]}},
    ),
    (
        Person,
        closed({"name": TEXT, "age": {"type": ["integer", "null"]}}),
        {**closed({"name": TEXT, "age": {"type": "integer"}}), "required": ["name"]},
    ),
    (
        tuple[int, str],
        {
            "type": "array",
            "description": "In this order: integer, string.",
            "maxItems": 2,
            "minItems": 2,
            "items": {"anyOf": [{"type": "integer"}, TEXT]},
        },
        {
            "type": "array",
            "description": "At least 2 items. At most 2 items. In this order: integer, string.",
            "items": {"anyOf": [{"type": "integer"}, TEXT]},
        },
    ),
    (
        set[str],
        {"type": "array", "description": "No item twice.", "items": TEXT},
        {"type": "array", "description": "No item twice.", "items": TEXT},
    ),
    (dict[str, int], None, None),
    (dict, None, None),
    (list, None, None),
    (Any, None, None),
    (Tree, closed({"kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}, description="A tree."), None),
]


def parameters_of(**hints: Any) -> JsonObject:
    """The schema of required parameters."""
    make: Any = TypedDict
    parameters = make("parameters", hints)
    return Schema(adapt(parameters, where="x"), name="x", closed=True, annotation=parameters).json_schema


@pytest.mark.parametrize(("annotation", "openai", "anthropic"), TYPES, ids=[str(case[0]) for case in TYPES])
def test_types(annotation: Any, openai: JsonObject | None, anthropic: JsonObject | None) -> None:
    """Each type is strict where that loses nothing, elsewhere it is sent as it is, and the referees agree."""
    schema = parameters_of(a=annotation)
    wanted: list[tuple[Dialect, JsonObject | None, Callable[[Any], list[str]]]] = [
        ("openai-chat", openai, referees.openai_strict),
        ("anthropic", anthropic, referees.anthropic_strict),
    ]
    for dialect, form, referee in wanted:
        rendered = render_schema(schema, dialect)
        assert rendered.strict is (form is not None)
        if form is None:
            assert rendered.schema["properties"]["a"].items() >= schema["properties"]["a"].items()
            continue
        assert list(referee(rendered.schema)) == []
        written = rendered.schema["properties"]["a"]
        assert rendered.schema["$defs"]["Tree"] == form if "$ref" in written else written == form


def test_maps_are_never_empty_objects() -> None:
    """A free-form dict keeps its values' schema and makes its tool non-strict; asked to be strict it is refused."""

    @tool
    def store(data: dict[str, int], more: dict[str, Any]) -> None:
        """Store."""

    for dialect in SENT:
        (schema,) = (held for held in _schemas(store.definition(dialect)) if "data" in held.get("properties", {}))
        assert schema["properties"]["data"] == OPEN_MAP
        assert schema["properties"]["more"]["additionalProperties"] in (True, {})
        assert '"strict": true' not in json.dumps(store.definition(dialect))
    with pytest.raises(
        SchemaRejectedError, match="'store' cannot be sent strict to openai-chat: /properties/data: addit"
    ):
        store.definition("openai-chat", strict=True)


def _schemas(written: Any) -> list[JsonObject]:
    inner = [each for held in written.values() if isinstance(held, dict) for each in _schemas(held)]
    return [written, *inner]


def test_defaults_come_back() -> None:
    """What strict mode makes required and nullable is what it was in the function's body."""
    seen: list[tuple[int, str | None]] = []

    @tool
    def find(q: str, limit: int = 10, note: str | None = "n/a") -> None:
        """Find."""
        seen.append((limit, note))

    schema = find.definition("openai-chat", strict=True)["function"]["parameters"]
    assert schema == closed(
        {
            "q": TEXT,
            "limit": {"type": ["integer", "null"], "description": "Null stands for the default: 10."},
            "note": {"anyOf": [TEXT, NULL], "description": 'Default: "n/a".'},
        }
    )
    assert not find.invoke('{"q": "x", "limit": null, "note": null}').is_error
    assert not find.invoke('{"q": "x", "limit": 3, "note": "n/a"}').is_error
    assert seen == [(10, None), (3, "n/a")]
    assert "q: expected a string, got null" in find.invoke('{"q": null, "limit": 1, "note": ""}').content


STRICT = [(annotation, anthropic) for annotation, openai, anthropic in TYPES if openai is not None]


@pytest.mark.parametrize(("annotation", "anthropic"), STRICT, ids=[str(case[0]) for case in STRICT])
def test_a_decoder_can_be_made_of_strict_forms(annotation: Any, anthropic: JsonObject | None) -> None:
    """A converter that is not ours makes a grammar of what is strict."""
    llama_grammar = pytest.importorskip("llama_cpp.llama_grammar")
    schema = parameters_of(a=annotation, b=annotation)
    forms = [render_schema(schema, "openai-chat"), render_schema(schema, "anthropic")]
    written = [json.dumps(form.schema) for form in forms if form.strict]
    assert len(written) == (1 if anthropic is None else 2)
    assert all("root ::=" in llama_grammar.json_schema_to_gbnf(text) for text in written)
