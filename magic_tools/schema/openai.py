"""Schemas and tools as OpenAI's chat completions take them."""

from __future__ import annotations

from collections.abc import Iterator

from magic_tools.errors import SchemaRejectedError
from magic_tools.messages import ToolDefinition
from magic_tools.schema.rendered import DialectChange, Rendered
from magic_tools.schema.walk import map_schema, resolve, types_of
from magic_tools.values import JsonObject

__all__ = ["openai_tool", "render_openai"]

# OpenAI's strict subset: developers.openai.com/api/docs/guides/structured-outputs, "Supported schemas", read
# in November 2026. Lengths are left out, since hosts other than OpenAI's own refuse them.
_OPENAI_KEYWORDS = frozenset(
    {"type", "description", "enum", "const", "format", "pattern", "properties", "required", "additionalProperties",
     "items", "anyOf", "$ref", "$defs", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
     "minItems", "maxItems"}
)  # fmt: skip
_OPENAI_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)  # fmt: skip
_SAYS_A_TYPE = frozenset({"type", "enum", "const", "anyOf", "$ref"})


def render_openai(schema: JsonObject) -> Rendered:
    """A schema as OpenAI's function and response formats take it.

    It is strict where that loses nothing; else it is sent as it is, non-strict, and every reason is listed.
    """
    changes: list[DialectChange] = []
    obstacles: list[DialectChange] = []

    def adapt(node: JsonObject, pointer: str) -> JsonObject:
        node = _closed(_plain(node, pointer, changes), pointer, changes)
        obstacles.extend(DialectChange(pointer, keyword, why) for keyword, why in _obstacles(node))
        return node

    body = resolve(schema, schema) if "$ref" in schema else schema
    if body.get("type") != "object" or "anyOf" in body:
        obstacles.append(DialectChange("", "type", "sent non-strict: the root is not an object"))
    strict = map_schema(body, adapt)
    return Rendered(schema, False, tuple(obstacles)) if obstacles else Rendered(strict, True, tuple(changes))


def _plain(node: JsonObject, pointer: str, changes: list[DialectChange]) -> JsonObject:
    """The node with `anyOf` for `oneOf`, a reference's siblings beside an `anyOf` of it, and no `x-` keywords."""
    annotations = [keyword for keyword in node if keyword.startswith("x-")]
    changes.extend(
        DialectChange(pointer, keyword, "left out: an annotation, which strict mode does not take")
        for keyword in annotations
    )
    left_out = ("oneOf", "discriminator", *annotations)
    kept = {keyword: held for keyword, held in node.items() if keyword not in left_out}
    if "oneOf" in node:
        changes.append(DialectChange(pointer, "oneOf", "made anyOf; the discriminator still tells the branches apart"))
        kept["anyOf"] = node["oneOf"]
    if "$ref" in kept and len(kept) > 1:
        kept["anyOf"] = [{"$ref": kept.pop("$ref")}]
    return kept


def _closed(node: JsonObject, pointer: str, changes: list[DialectChange]) -> JsonObject:
    if "properties" not in node or "additionalProperties" in node:
        return node
    changes.append(DialectChange(pointer, "additionalProperties", "closed: no undeclared keys are asked for"))
    return {**node, "additionalProperties": False}


def _obstacles(node: JsonObject) -> Iterator[tuple[str, str]]:
    """What keeps one schema out of the strict subset: the keyword, and why."""
    for keyword in sorted(node.keys() - _OPENAI_KEYWORDS):
        yield keyword, "sent non-strict: strict mode does not know this keyword"
    if node.get("format", "date") not in _OPENAI_FORMATS:
        yield "format", f"sent non-strict: strict mode does not know the format {node['format']!r}"
    if not node.keys() & _SAYS_A_TYPE:
        yield "type", "sent non-strict: strict mode wants a type"
    kinds = types_of(node)
    if "array" in kinds and "items" not in node:
        yield "items", "sent non-strict: strict mode wants the type of the items"
    if "object" in kinds and node.get("additionalProperties") is not False:
        yield "additionalProperties", "sent non-strict: strict mode cannot hold an open map"
    optional = [name for name in node.get("properties", {}) if name not in node.get("required", ())]
    if optional:
        yield "required", f"sent non-strict: these may be left out: {', '.join(optional)}"


def openai_tool(definition: ToolDefinition, strict: bool | None = None) -> tuple[JsonObject, Rendered]:
    """A tool as an entry of the request's `tools`, and how its schema was rendered.

    Strict where that loses nothing, unless `strict` is False; SchemaRejectedError where `strict` is
    True and something would be lost.
    """
    rendered = render_openai(definition.input_schema)
    if strict is False:
        rendered = Rendered(definition.input_schema, False, ())
    elif strict and not rendered.strict:
        reasons = "; ".join(f"{change.path or '/'}: {change.keyword}: {change.what}" for change in rendered.changes)
        raise SchemaRejectedError(
            f"The tool {definition.name!r} cannot be sent strict without losing something ({reasons}). "
            "Leave strict unset, or change these parameters."
        )
    function: JsonObject = {"name": definition.name, "description": definition.description}
    function["parameters"] = rendered.schema
    if rendered.strict:
        function["strict"] = True
    return {"type": "function", "function": function}, rendered
