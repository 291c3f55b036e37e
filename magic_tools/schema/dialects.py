"""The dialects that a schema or a tool can be rendered in, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from magic_tools.messages import ToolDefinition
from magic_tools.schema.openai import openai_tool, render_openai
from magic_tools.schema.rendered import DialectChange, Rendered
from magic_tools.values import JsonObject

__all__ = ["DIALECTS", "TOOL_DIALECTS", "Dialect", "DialectChange", "Rendered", "ToolDialect", "render_openai"]

Dialect = Literal["canonical", "openai-chat"]
ToolDialect = Literal["openai-chat"]

DIALECTS: Mapping[Dialect, Callable[[JsonObject], Rendered]] = {
    "canonical": lambda schema: Rendered(schema, True, ()),
    "openai-chat": render_openai,
}

TOOL_DIALECTS: Mapping[ToolDialect, Callable[[ToolDefinition, bool | None], tuple[JsonObject, Rendered]]] = {
    "openai-chat": openai_tool,
}
