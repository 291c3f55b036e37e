"""What each provider takes of JSON Schema, as data: where it was read, and when."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from magic_tools.schema.kinds import possible_kinds
from magic_tools.schema.walk import kinds_of, subschemas
from magic_tools.values import JsonObject

__all__ = ["ANTHROPIC", "ANTHROPIC_STRICT", "GEMINI", "MCP", "OPENAI", "OPENAI_STRICT", "Rules"]


@dataclass(frozen=True, slots=True)
class Rules:
    """One form of schemas; without a table of keywords, everything is taken that the other rules do not forbid.

    `keywords` are those of each JSON type, and under `""` those of every schema; `formats` are those of
    texts. `values` bounds what a keyword may say, `literals` the Python types of what an enumeration may
    hold; `foreign_pattern` finds in a regular expression what the provider does not know.

    `property_names` are what properties may be called.

    `root_unions`: the root may have a union beside its type. `typed`: each schema says a type, `values_typed`:
    beside its values too. `capitals`: values that differ only in capitals are told apart.
    `closed`: no object takes undeclared keys. `all_required`: none has optional properties.
    `lone_refs`: nothing stands beside a reference. `items_stated`: each array says something of its items.
    `recursion`: a type may hold itself, `recursion_required`: in what is required too.
    `limits` hold for each schema, `budgets` for all strict schemas of a request together; both are
    counted by the names in `measures`.
    """

    provider: str
    keywords: Mapping[str, frozenset[str]] | None = None
    formats: frozenset[str] | None = None
    values: Mapping[str, frozenset[Any]] = field(default_factory=dict)
    literals: tuple[type, ...] = (str, int, float, bool, type(None), list, dict)
    foreign_pattern: re.Pattern[str] | None = None
    property_names: re.Pattern[str] | None = None
    root_unions: bool = False
    typed: bool = False
    values_typed: bool = False
    capitals: bool = True
    closed: bool = False
    all_required: bool = False
    lone_refs: bool = False
    items_stated: bool = False
    recursion: bool = True
    recursion_required: bool = True
    limits: Mapping[str, int] = field(default_factory=dict)
    budgets: Mapping[str, int] = field(default_factory=dict)

    def knows(self, keyword: str) -> bool:
        """Whether a form has a keyword, in schemas of some type."""
        return self.keywords is None or any(keyword in known for known in self.keywords.values())

    def takes(self, keyword: str, held: Any, kinds: Iterable[str]) -> bool:
        """Whether a form has a keyword with what it holds, in a schema of these types."""
        if self.keywords is None:
            return True
        if not any(keyword in self.keywords.get(kind, ()) for kind in ("", *kinds)):
            return False
        match keyword:
            case "format":
                return self.formats is None or held in self.formats
            case "pattern":
                return self.foreign_pattern is None or not self.foreign_pattern.search(held)
            case "allOf":
                return not any(map(_is_no_part, held))
            case _:
                return keyword not in self.values or held in self.values[keyword]


def _is_no_part(schema: JsonObject) -> bool:
    """Whether Anthropic does not take a schema in an `allOf`, since there is a reference or an object in it."""
    if "$ref" in schema or any(map(_is_no_part, subschemas(schema))):
        return True
    return "object" in (kinds_of(schema) or possible_kinds(schema, schema))


_SCALARS = (str, int, float, bool, type(None))
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})

# Function parameters that are not strict: any JSON Schema with an object at its root. "schema must have type
# 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level", and "array schema missing items":
# the API's own answers, in issues of 2025 and 2026 (BerriAI/litellm#38839, makenotion/notion-mcp-server#102).
OPENAI = Rules("OpenAI", items_stated=True)

# developers.openai.com/api/docs/guides/structured-outputs, "Supported schemas", read in November 2026. Lengths are
# left out, since hosts other than OpenAI's own refuse them; so do defaults, by the API's answers.
OPENAI_STRICT = Rules(
    "OpenAI",
    keywords={
        "": frozenset({"type", "description", "enum", "const", "anyOf", "$ref", "$defs"}),
        "string": frozenset({"pattern", "format"}),
        "number": _BOUNDS,
        "integer": _BOUNDS,
        "array": frozenset({"items", "minItems", "maxItems"}),
        "object": frozenset({"properties", "required", "additionalProperties"}),
    },
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
    literals=_SCALARS,
    foreign_pattern=re.compile(r"\(\?[=!<>]|\\[1-9k]"),
    typed=True,
    values_typed=True,  # "schema must have a 'type' key": the API's answer to a const or an enum alone
    closed=True,
    all_required=True,
    lone_refs=True,
    limits={"levels": 10, "characters in an enum of over 250 values": 15_000},
    budgets={"properties": 5_000, "characters in names and enums": 120_000, "enum values": 1_000},
)

# input_schema of anthropic 2.14, November 2026: JSON Schema 2020-12 with an object at its root, and no union there
# ("input_schema does not support oneOf, allOf, or anyOf at the top level").
ANTHROPIC = Rules("Anthropic")

# platform.claude.com/docs/en/build-with-claude/structured-outputs, read in November 2026. It takes allOf, but of no
# references, nor of objects that are closed one by one. It does not promise the capitals of values. What a large count
# in a pattern is, it does not say; nor which escapes beside \d, \w and \s there are.
ANTHROPIC_STRICT = Rules(
    "Anthropic",
    keywords={
        "": frozenset({"type", "description", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "default"}),
        "string": frozenset({"pattern", "format"}),
        "array": frozenset({"items", "minItems"}),
        "object": frozenset({"properties", "required", "additionalProperties"}),
    },
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}),
    values={"minItems": frozenset({0, 1})},
    literals=_SCALARS,
    foreign_pattern=re.compile(r"\(\?|\\[^dws\W]|\{(\d*,)?\d{3,}"),
    typed=True,
    capitals=False,
    closed=True,
    lone_refs=True,
    recursion=False,
    budgets={"strict tools": 20, "optional parameters": 24, "parameters of union type": 16},
)

# FunctionDeclaration.parameters_json_schema of google-genai 3.6, November 2026, and the keywords documented for its
# response_json_schema. The formats of texts are of Google's own kinds; titles are dropped (python-genai#1732).
GEMINI = Rules(
    "Gemini",
    keywords={
        "": frozenset({"type", "description", "enum", "anyOf", "$ref", "$defs"}),
        "number": frozenset({"minimum", "maximum"}),
        "integer": frozenset({"minimum", "maximum"}),
        "array": frozenset({"items", "prefixItems", "minItems", "maxItems"}),
        "object": frozenset({"properties", "required", "additionalProperties"}),
    },
    formats=frozenset(),
    literals=(str, int, float),
    property_names=re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}"),  # function-calling guide of the same time
    lone_refs=True,
    recursion_required=False,
)

# modelcontextprotocol.io/specification/2026-07-28/server/tools: any JSON Schema 2020-12 of type object.
MCP = Rules("MCP", root_unions=True)
