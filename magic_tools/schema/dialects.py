"""The dialects that a schema or a tool can be rendered in, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from magic_tools.messages import ToolDefinition
from magic_tools.schema.grammar import render_grammar
from magic_tools.schema.openai import openai_tool, render_openai
from magic_tools.schema.rendered import Rendered
from magic_tools.values import JsonObject

__all__ = ["DIALECTS", "Dialect", "Form"]

Dialect = Literal["canonical", "openai-chat", "grammar"]


@dataclass(frozen=True, slots=True)
class Form:
    """How a dialect writes a schema, and how a tool; `None` for a tool's strictness leaves it to the dialect."""

    schema: Callable[[JsonObject], Rendered]
    tool: Callable[[ToolDefinition, bool | None], tuple[JsonObject, Rendered]]


def _plain(render: Callable[[JsonObject], Rendered]) -> Form:
    """The form of a dialect that no provider's request has: a tool is its name, text and schema."""

    def plain_tool(definition: ToolDefinition, _: bool | None) -> tuple[JsonObject, Rendered]:
        rendered = render(definition.input_schema)
        told = {"name": definition.name, "description": definition.description, "input_schema": rendered.schema}
        return told, rendered

    return Form(render, plain_tool)


DIALECTS: Mapping[Dialect, Form] = {
    "canonical": _plain(lambda schema: Rendered(schema, True, ())),
    "openai-chat": Form(render_openai, openai_tool),
    "grammar": _plain(render_grammar),
}
