"""One request: what its strict tools may spend together."""

from __future__ import annotations

import pytest

from magic_tools.chat import ToolDefinition
from magic_tools.errors import SchemaRejectedError
from magic_tools.schema.dialects.requests import render_tools
from magic_tools.schema.dialects.table import render_schema
from magic_tools.values import JsonObject

TEXT = {"type": "string"}


def made(name: str, *, optional: int = 0, unions: int = 0, strict: bool | None = None) -> ToolDefinition:
    """A tool of some optional parameters and some unions."""
    properties: JsonObject = {f"o{n}": TEXT for n in range(optional)}
    required = [f"u{n}" for n in range(unions)]
    properties |= {each: {"anyOf": [TEXT, {"type": "null"}]} for each in required}
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return ToolDefinition(name, "", schema, strict)


def strict_ones(definitions: list[ToolDefinition], **options: object) -> list[str]:
    rendered = render_tools(definitions, "anthropic", **options)  # type: ignore[arg-type]  # as they are
    assert [written["name"] for written, _ in rendered] == [definition.name for definition in definitions]
    assert all(held.strict is written.get("strict", False) for written, held in rendered)
    return [written["name"] for written, held in rendered if held.strict]


@pytest.mark.parametrize(
    ("definitions", "strict"),
    [
        pytest.param([made("a", optional=12), made("b", optional=12)], ["a", "b"], id="within"),
        pytest.param(
            [made("a", optional=5), made("b", optional=20), made("c", optional=4)],
            ["a", "c"],
            id="the one that spends most",
        ),
        pytest.param(
            [made("a", optional=9), made("b", optional=10, strict=True), made("c", optional=6)],
            ["b", "c"],
            id="not one that was wished",
        ),
        pytest.param(
            [made("a", unions=9), made("b", unions=8, optional=3), made("c", optional=3)], ["b", "c"], id="unions"
        ),
        pytest.param(
            [made("a", optional=13), made("b", optional=13, unions=1), made("c")],
            ["b", "c"],
            id="of equals the shortest",
        ),
        pytest.param(
            [made(f"t{n}", unions=n // 20) for n in range(21)],
            [f"t{n}" for n in range(20) if n] + ["t20"],
            id="twenty tools",
        ),
        pytest.param([made("a", optional=20), made("b", optional=20), made("c", optional=20)], ["c"], id="several"),
    ],
)
def test_what_is_given_up(definitions: list[ToolDefinition], strict: list[str]) -> None:
    """Within a request the least valuable strictness goes first, and no more of it than has to."""
    assert strict_ones(definitions) == strict


def test_what_is_given_up_is_told() -> None:
    """A tool that is not strict because of the others says so, with the budget."""
    (_, first), (_, second) = render_tools([made("a", optional=20), made("b", optional=19)], "anthropic")
    assert second.strict
    assert [(change.path, change.keyword, change.what) for change in first.changes] == [
        (
            "",
            "strict",
            "sent non-strict, because the request's strict schemas have 39 optional parameters of at most 24",
        )
    ]


def test_wishes_beyond_the_budget_are_refused() -> None:
    """Tools that were all wished strict and cannot be are refused by name, with both numbers."""
    wished = [made("a", optional=20, strict=True), made("b", optional=20, strict=True), made("c", optional=1)]
    told = (
        r"^The tools 'a', 'b' cannot all be sent strict to anthropic .* 40 optional parameters, and it takes 24\. Leave"
    )
    with pytest.raises(SchemaRejectedError, match=told):
        render_tools(wished, "anthropic")
    with pytest.raises(SchemaRejectedError, match="'a', 'b' cannot all be sent strict"):
        render_tools([made("a", optional=20), made("b", optional=20)], "anthropic", strict=True)


def test_what_else_is_in_the_request_counts() -> None:
    """A strict output spends of the same budget, and is no tool."""
    output = render_schema(made("", optional=10).input_schema, "anthropic")
    assert strict_ones([made("a", optional=15), made("b")], beside=[output]) == ["b"]
    assert len(strict_ones([made(f"t{n}") for n in range(20)], beside=[output])) == 20


def test_openai_s_budgets() -> None:
    """OpenAI counts properties over all strict tools."""
    wide = [ToolDefinition(name, "", made("", unions=1_800).input_schema) for name in "abc"]
    assert [held.strict for _, held in render_tools(wide, "openai-chat")].count(True) == 2
    assert all(held.strict for _, held in render_tools(wide[:2], "openai-chat"))
