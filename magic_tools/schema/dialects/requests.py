"""One request to a provider: its tools within what it may spend together, and its reply back in canonical form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeAlias, TypeVar

from magic_tools.errors import SchemaRejectedError
from magic_tools.messages import ModelReply, ModelRequest, OutputFormat, Part, TextPart, ToolCall, ToolDefinition
from magic_tools.schema.dialects.measures import MEASURES, nodes_of
from magic_tools.schema.dialects.rendered import DialectChange, Rendered
from magic_tools.schema.dialects.table import Dialect, form_of, render_schema, render_tool
from magic_tools.values import JsonObject, Kept

__all__ = ["render_output", "render_tools", "replayed", "restored"]

P = TypeVar("P", bound=Part)


def render_output(output: OutputFormat, dialect: Dialect, strict: bool | None = None) -> Rendered:
    """The schema of an answer in a dialect, with `strict` as `render_schema` takes it."""
    return render_schema(Kept(output.schema).fresh(), dialect, strict, subject=f"The output type {output.name!r}")


def render_tools(
    definitions: Sequence[ToolDefinition],
    dialect: Dialect,
    strict: bool | None = None,
    *,
    beside: Iterable[Rendered] = (),
) -> list[tuple[JsonObject, Rendered]]:
    """The tools of one request, in order, within what the provider takes of strict schemas in one request.

    They share nothing with the definitions.
    Where they spend more, tools are sent non-strict, and say so: first the one that spends most of
    what is short, of equals the one with the shortest schema. Of those that were wished strict none is;
    if that is not enough, SchemaRejectedError names them. `beside` are the request's other schemas.
    """
    definitions = [replace(each, input_schema=Kept(each.input_schema).fresh()) for each in definitions]
    rendered = [render_tool(definition, dialect, strict) for definition in definitions]
    nodes = [nodes_of(held.schema) for _, held in rendered]
    spent_beside = [nodes_of(held.schema) for held in beside if held.strict]
    for measure, limit in form_of(dialect).budgets.items():
        count = MEASURES[measure]
        others = 0 if measure == "strict tools" else sum(map(count, spent_beside))
        costs = {index: count(nodes[index]) for index, (_, held) in enumerate(rendered) if held.strict}
        while (spent := others + sum(costs.values())) > limit:
            free = [i for i, cost in costs.items() if cost and not (strict or definitions[i].strict)]
            if not free:
                names = ", ".join(repr(definitions[index].name) for index in costs)
                raise SchemaRejectedError(
                    f"The tools {names} cannot all be sent strict to {dialect} in one request: they have {spent:,} "
                    f"{measure}, and it takes {limit:,}. Leave strict unset for some, or send fewer tools."
                )
            given_up = max(free, key=lambda index: (costs[index], -len(str(rendered[index][1].schema))))
            del costs[given_up]
            why = f"sent non-strict, because the request's strict schemas have {spent:,} {measure} of at most {limit:,}"
            rendered[given_up] = _given_up(definitions[given_up], dialect, why)
    return rendered


def _given_up(definition: ToolDefinition, dialect: Dialect, why: str) -> tuple[JsonObject, Rendered]:
    written, loose = render_tool(definition, dialect, strict=False)
    return written, replace(loose, changes=(DialectChange("", "strict", why), *loose.changes))


def restored(reply: ModelReply, request: ModelRequest, dialect: Dialect) -> ModelReply:
    """The reply with its arguments and its answer where the canonical schemas have them.

    What is not the JSON that was asked for stays as it is.
    """
    return replace(reply, parts=_reshaped(reply.parts, _renderings(request, dialect), Rendered.restore))


def replayed(request: ModelRequest, dialect: Dialect) -> ModelRequest:
    """The request with the model's earlier turns in the form that the model is told: what `restored` undoes."""
    renderings = _renderings(request, dialect)
    messages = (
        replace(message, parts=_reshaped(message.parts, renderings, Rendered.moved))
        if message.role == "assistant"
        else message
        for message in request.messages
    )
    return replace(request, messages=tuple(messages))


_Renderings: TypeAlias = Callable[[str | None], Rendered | None]
"""Gives how the tool of a name was rendered, or the output for None, where the request has one."""


def _renderings(request: ModelRequest, dialect: Dialect) -> _Renderings:
    """The renderings that are asked for, each made once; what is moved does not depend on strictness."""
    definitions = {definition.name: definition for definition in request.tools}

    @cache
    def rendering(name: str | None) -> Rendered | None:
        if name in definitions:
            return render_tool(definitions[name], dialect, strict=False)[1]
        if name is None and request.output is not None:
            return render_output(request.output, dialect, strict=False)
        return None

    return rendering


def _reshaped(parts: Iterable[P], renderings: _Renderings, change: Callable[[Rendered, str], str]) -> tuple[P, ...]:
    def reshaped(part: P) -> P:
        match part:
            case ToolCall(name=name, arguments=text) if rendered := renderings(name):
                return replace(part, arguments=change(rendered, text))
            case TextPart(text) if rendered := renderings(None):
                return replace(part, text=change(rendered, text))
            case _:
                return part

    return tuple(map(reshaped, parts))
