"""One request to a provider: its output, and its tools within what they may spend together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from magic_tools.chat import OutputFormat, ToolDefinition
from magic_tools.errors import SchemaRejectedError
from magic_tools.schema.dialects.measures import measured
from magic_tools.schema.dialects.rendered import DialectChange, Rendered
from magic_tools.schema.dialects.table import Dialect, form_of, render_schema, render_tool
from magic_tools.values import JsonObject, Kept

__all__ = ["render_output", "render_tools"]


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

    They share nothing with the definitions. Where they spend more, tools are sent non-strict, and say so:
    first the one that spends most of what is short, of equals the one with the shortest schema. Of those
    that were wished strict none is; if that is not enough, SchemaRejectedError names them. `beside` are the
    request's other schemas.
    """
    definitions = [replace(each, input_schema=Kept(each.input_schema).fresh()) for each in definitions]
    rendered = [render_tool(definition, dialect, strict) for definition in definitions]
    budgets = form_of(dialect).budgets
    counts = [measured(held.schema) if budgets else Counter[str]() for _, held in rendered]
    spent_beside = [measured(held.schema) for held in beside if budgets and held.strict]
    for measure, limit in budgets.items():
        others = 0 if measure == "strict tools" else sum(spent[measure] for spent in spent_beside)
        costs = {index: counts[index][measure] for index, (_, held) in enumerate(rendered) if held.strict}
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
