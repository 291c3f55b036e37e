"""The dialects that a schema or a tool can be rendered in, by name."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, TypeAlias

from magic_tools.chat import ToolDefinition
from magic_tools.errors import SchemaRejectedError
from magic_tools.schema.dialects import rules
from magic_tools.schema.dialects.grammar import render_grammar
from magic_tools.schema.dialects.provider import render
from magic_tools.schema.dialects.rendered import DialectChange, Rendered
from magic_tools.schema.dialects.rules import Rules
from magic_tools.schema.dialects.simple import render_simple
from magic_tools.values import JsonObject

__all__ = ["DIALECTS", "Dialect", "Form", "form_of", "render_schema", "render_tool"]

Dialect = Literal[
    "canonical", "openai-chat", "openai-responses", "anthropic", "gemini", "mcp", "langchain", "simple", "grammar"
]

Renderer: TypeAlias = Callable[[JsonObject], tuple[Rendered, tuple[DialectChange, ...]]]
"""Gives a schema's form, and the obstacles for which it cannot be sent so."""

ToolWriter: TypeAlias = Callable[[ToolDefinition, Rendered], JsonObject]
"""Gives a tool as a request has it, from its definition and its schema's form."""


Remarks: TypeAlias = Callable[[ToolDefinition], tuple[DialectChange, ...]]
"""Gives what a provider may not take of a tool beside its schema and its name."""


def _nothing(_: ToolDefinition) -> tuple[DialectChange, ...]:
    return ()


# The names that tools may have: openai-openapi 2.3.0 (August 2026); the API's answers for Anthropic (claude-code#96152,
# September 2026); google-genai 3.6 and gemini-cli#6704 (2025, for the length); the MCP specification of 2026-07-28.
_CHAT_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LONG_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
_GEMINI_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
_MCP_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_ANY_NAME = re.compile(".*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Form:
    """How a dialect writes schemas, not strict and strict where it can be, and tools around them.

    `unasked` is false where nothing is strict unless that is wished for. `budgets` are what the strict
    tools of one request may spend together; `around` finds what is to be told of a tool beside its schema.
    """

    tool: ToolWriter
    loose: Renderer
    strict: Renderer | None = None
    unasked: bool = True
    name: re.Pattern[str] = _ANY_NAME
    budgets: Mapping[str, int] = field(default_factory=dict)
    around: Remarks = _nothing


def _plain_tool(definition: ToolDefinition, rendered: Rendered) -> JsonObject:
    return {"name": definition.name, "description": definition.description, "input_schema": rendered.schema}


def _chat_tool(definition: ToolDefinition, rendered: Rendered) -> JsonObject:
    function: JsonObject = {"name": definition.name, "description": definition.description}
    function["parameters"] = rendered.schema
    return {"type": "function", "function": {**function, **_if_strict(rendered)}}


def _responses_tool(definition: ToolDefinition, rendered: Rendered) -> JsonObject:
    told = {"type": "function", "name": definition.name, "description": definition.description}
    # Left out, `strict` is true wherever the provider finds that it can be (openai-openapi 2.3.0, August 2026).
    return {**told, "parameters": rendered.schema, "strict": rendered.strict}


def _anthropic_tool(definition: ToolDefinition, rendered: Rendered) -> JsonObject:
    return {**_plain_tool(definition, rendered), **_if_strict(rendered)}


def _if_strict(rendered: Rendered) -> JsonObject:
    return {"strict": True} if rendered.strict else {}


def _gemini_tool(definition: ToolDefinition, rendered: Rendered) -> JsonObject:
    told = {"name": definition.name, "description": definition.description}
    return {**told, "parameters_json_schema": rendered.schema}


def _mcp_tool(definition: ToolDefinition, rendered: Rendered) -> JsonObject:
    told: JsonObject = {"name": definition.name, "description": definition.description, "inputSchema": rendered.schema}
    if definition.output_schema:
        told["outputSchema"] = copy.deepcopy(definition.output_schema)
    hints = {"readOnlyHint": definition.read_only, "idempotentHint": definition.idempotent}
    if stated := {hint: held for hint, held in hints.items() if held}:  # both are false where they are not stated
        told["annotations"] = stated
    return told


# "string too long", the chat API's answer to longer ones (getsentry/sentry-mcp#106, 2025); no document has a limit.
_MOST_CHARACTERS = 1_024


def _of_a_description(definition: ToolDefinition) -> tuple[DialectChange, ...]:
    if (length := len(definition.description)) <= _MOST_CHARACTERS:
        return ()
    what = f"sent as it is: it has {length:,} characters, and OpenAI has refused more than {_MOST_CHARACTERS:,}"
    return (DialectChange("", "description", what),)


def _of_an_output(definition: ToolDefinition) -> tuple[DialectChange, ...]:
    """What the MCP specification says of output schemas: until 2025-11-25 an object, in 2026-07-28 any."""
    if not definition.output_schema or definition.output_schema.get("type") == "object":
        return ()
    what = "sent as it is: its root is no object, which MCP takes from revision 2026-07-28 on"
    return (DialectChange("", "outputSchema", what),)


def _alike(tool: ToolWriter, renderer: Callable[[JsonObject], Rendered], name: re.Pattern[str] = _ANY_NAME) -> Form:
    """The form of a dialect that knows nothing of strictness."""

    def unhindered(schema: JsonObject) -> tuple[Rendered, tuple[DialectChange, ...]]:
        return renderer(schema), ()

    return Form(tool, unhindered, name=name)


def _by_rules(tool: ToolWriter, name: re.Pattern[str], loose: Rules, strict: Rules, *, unasked: bool = True) -> Form:
    return Form(
        tool,
        partial(render, rules=loose, strict=False),
        partial(render, rules=strict, strict=True),
        unasked=unasked,
        name=name,
        budgets=strict.budgets,
    )


DIALECTS: Mapping[Dialect, Form] = {
    "canonical": _alike(_plain_tool, lambda schema: Rendered(schema, True, ())),
    "openai-chat": replace(
        _by_rules(_chat_tool, _CHAT_NAME, rules.OPENAI, rules.OPENAI_STRICT), around=_of_a_description
    ),
    "openai-responses": _by_rules(_responses_tool, _LONG_NAME, rules.OPENAI, rules.OPENAI_STRICT),
    "anthropic": _by_rules(_anthropic_tool, _LONG_NAME, rules.ANTHROPIC, rules.ANTHROPIC_STRICT),
    "gemini": Form(_gemini_tool, partial(render, rules=rules.GEMINI, strict=False), name=_GEMINI_NAME),
    "mcp": replace(
        _alike(_mcp_tool, lambda schema: render(schema, rules.MCP, strict=False)[0], _MCP_NAME), around=_of_an_output
    ),
    # langchain-core 1.8 binds OpenAI's shape for any provider's model: nothing takes OpenAI's strict form unasked.
    "langchain": _by_rules(_chat_tool, _CHAT_NAME, rules.OPENAI, rules.OPENAI_STRICT, unasked=False),
    "simple": _alike(_plain_tool, render_simple),
    "grammar": _alike(_plain_tool, render_grammar),
}


_TOO_DEEP = "it is nested too deeply. Make it flatter."


def render_schema(
    schema: JsonObject, dialect: Dialect, strict: bool | None = None, *, subject: str = "The schema"
) -> Rendered:
    """A schema in a dialect; it may share parts with the schema that was given, which stays as it was.

    With `strict` None it is strict where every valid value can be written in the strict form, and
    what that cannot hold a model to stands in words; else it is not strict, and says why.
    SchemaRejectedError, starting with `subject`, where strictness was asked for and is not to be had.
    """
    try:
        return _rendered(schema, form_of(dialect), strict)
    except (SchemaRejectedError, RecursionError) as error:
        how = "strict " if strict else ""
        why = _TOO_DEEP if isinstance(error, RecursionError) else error
        raise SchemaRejectedError(f"{subject} cannot be sent {how}to {dialect}: {why}") from None


def _rendered(schema: JsonObject, form: Form, strict: bool | None) -> Rendered:
    reasons: tuple[DialectChange, ...] = ()
    if strict and form.strict is None:
        raise SchemaRejectedError("it holds no single tool to its schema. Leave strict unset.")
    if form.strict is not None and (strict or (strict is None and form.unasked)):
        rendered, reasons = form.strict(schema)
        if not reasons:
            return rendered
    if strict:
        listed = "; ".join(f"{reason.path or '/'}: {reason.keyword}: {reason.what}" for reason in reasons)
        raise SchemaRejectedError(f"{listed}. Leave strict unset, or change these parameters.")
    loose, _ = form.loose(schema)
    because = (replace(reason, what=f"sent non-strict, because {reason.what}") for reason in reasons)
    return replace(loose, changes=(*because, *loose.changes))


def render_tool(
    definition: ToolDefinition, dialect: Dialect, strict: bool | None = None
) -> tuple[JsonObject, Rendered]:
    """A tool as a request in a dialect has it, and how its schema was rendered; it may share parts with the definition.

    `strict` None is what the definition wishes. SchemaRejectedError names the tool.
    """
    form = form_of(dialect)
    if not form.name.fullmatch(definition.name):
        raise SchemaRejectedError(
            f"The tool {definition.name!r:.150} cannot be sent to {dialect}, which takes names of the form "
            f"{form.name.pattern}: rename it."
        )
    wish = definition.strict if strict is None and form.strict is not None else strict
    rendered = render_schema(definition.input_schema, dialect, wish, subject=f"The tool {definition.name!r}")
    rendered = replace(rendered, changes=(*form.around(definition), *rendered.changes))
    return form.tool(definition, rendered), rendered


def form_of(dialect: Dialect) -> Form:
    """How a dialect writes schemas and tools; ValueError if there is none of the name."""
    if dialect not in DIALECTS:
        raise ValueError(f"There is no dialect {dialect!r}; there are: {', '.join(DIALECTS)}.")
    return DIALECTS[dialect]
