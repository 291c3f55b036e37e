"""What each provider refuses of a schema, told by a reader that knows nothing of how the library renders one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

# Written down from the providers' guides as read in November 2026, apart from the tables of the library.
OPENAI_FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
ANTHROPIC_FORMATS = (*OPENAI_FORMATS, "uri")
ALWAYS = {"type", "description", "enum", "const", "anyOf", "$ref", "$defs"}
NUMERIC = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
OBJECT = {"properties", "required", "additionalProperties"}

OPENAI_KEYWORDS: Mapping[str, set[str]] = {
    "string": {"pattern", "format"},
    "number": NUMERIC,
    "integer": NUMERIC,
    "boolean": set(),
    "null": set(),
    "array": {"items", "minItems", "maxItems"},
    "object": OBJECT,
}
ANTHROPIC_KEYWORDS: Mapping[str, set[str]] = {
    "string": {"pattern", "format"},
    "number": set(),
    "integer": set(),
    "boolean": set(),
    "null": set(),
    "array": {"items", "minItems"},
    "object": OBJECT,
}
GEMINI_KEYWORDS: Mapping[str, set[str]] = {
    "string": set(),
    "number": {"minimum", "maximum"},
    "integer": {"minimum", "maximum"},
    "boolean": set(),
    "null": set(),
    "array": {"items", "prefixItems", "minItems", "maxItems"},
    "object": OBJECT,
}


def nothing(_: Any) -> list[str]:
    """What those refuse who take any schema."""
    return []


def nodes(schema: Any, place: str = "#") -> Iterator[tuple[str, Any]]:
    """Every schema in one, with its place."""
    yield place, schema
    if not isinstance(schema, dict):
        return
    for keyword in ("properties", "patternProperties", "$defs", "dependentSchemas"):
        for name, held in schema.get(keyword, {}).items():
            yield from nodes(held, f"{place}/{keyword}/{name}")
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for index, held in enumerate(schema.get(keyword, ())):
            yield from nodes(held, f"{place}/{keyword}/{index}")
    for keyword in ("items", "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from nodes(schema[keyword], f"{place}/{keyword}")


def types(node: Any) -> list[str]:
    kind = node.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


def reference_complaints(schema: Any) -> Iterator[str]:
    for place, node in nodes(schema):
        if isinstance(node, dict) and "$ref" in node:
            name = node["$ref"].removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")
            if name not in schema.get("$defs", {}):
                yield f"{place}: {node['$ref']} leads nowhere"
        if place != "#" and isinstance(node, dict) and "$defs" in node:
            yield f"{place}: definitions below the root"


def root_complaints(schema: Any) -> Iterator[str]:
    """What every provider refuses at the root of a tool's parameters."""
    if schema.get("type") != "object":
        yield f"the root is {schema.get('type')}"
    yield from (f"the root has {word}" for word in ("anyOf", "oneOf", "allOf", "enum", "not", "$ref") if word in schema)
    yield from reference_complaints(schema)


def keyword_complaints(schema: Any, keywords: Mapping[str, set[str]], more: set[str]) -> Iterator[str]:
    for place, node in nodes(schema):
        if not isinstance(node, dict):
            yield f"{place}: {node} for a schema"
            continue
        allowed = ALWAYS | more
        for kind in types(node):
            allowed = allowed | keywords[kind]
        yield from (f"{place}: {keyword}" for keyword in node if keyword not in allowed)
        if "$ref" in node and len(node) > 1:
            yield f"{place}: siblings of $ref"


def closed_complaints(schema: Any, formats: tuple[str, ...]) -> Iterator[str]:
    for place, node in nodes(schema):
        if not node.keys() & {"type", "enum", "const", "anyOf", "allOf", "$ref"}:
            yield f"{place}: no type"
        if "object" in types(node) and node.get("additionalProperties") is not False:
            yield f"{place}: an open object"
        if set(node.get("required", ())) - set(node.get("properties", {})):
            yield f"{place}: requires what it does not declare"
        if "array" in types(node) and not node.get("items"):
            yield f"{place}: items without a type"
        if node.get("format", formats[0]) not in formats:
            yield f"{place}: format {node['format']}"
        for value in (*node.get("enum", ()), node.get("const")):
            if isinstance(value, dict | list):
                yield f"{place}: {value} in an enum"


def depth(node: Any) -> int:
    held = [value for key, value in node.get("properties", {}).items()] + node.get("anyOf", [])
    held += [node["items"]] if isinstance(node.get("items"), dict) else []
    own = bool({"object", "array"} & set(types(node)))
    return own + max(map(depth, held), default=0)


def openai_strict(schema: Any) -> list[str]:
    """Why OpenAI would refuse a strict schema."""
    found = [*root_complaints(schema), *keyword_complaints(schema, OPENAI_KEYWORDS, set())]
    found += closed_complaints(schema, OPENAI_FORMATS)
    properties = characters = values = 0
    for place, node in nodes(schema):
        declared = node.get("properties", {})
        if sorted(node.get("required", [])) != sorted(declared) and "object" in types(node):
            found.append(f"{place}: a property that is not required")
        if node.keys() & {"enum", "const"} and "type" not in node:
            found.append(f"{place}: values without a type")
        if re.search(r"\(\?[=!<]", node.get("pattern", "")):
            found.append(f"{place}: a look around")
        properties += len(declared)
        values += len(node.get("enum", ()))
        characters += sum(map(len, (*declared, *node.get("$defs", {}))))
        characters += sum(len(str(value)) for value in (*node.get("enum", ()), node.get("const", "")))
    if properties > 5_000 or characters > 120_000 or values > 1_000:
        found.append("over a limit")
    if max(map(depth, (schema, *schema.get("$defs", {}).values()))) > 10:
        found.append("too deep")
    return found


def anthropic_strict(schema: Any) -> list[str]:
    """Why Anthropic would refuse a strict schema."""
    found = [*root_complaints(schema), *keyword_complaints(schema, ANTHROPIC_KEYWORDS, {"default", "allOf"})]
    found += closed_complaints(schema, ANTHROPIC_FORMATS)
    definitions = schema.get("$defs", {})
    uses = {name: set(references(held)) for name, held in definitions.items()}
    for name in definitions:
        ahead, seen = set(uses[name]), set[str]()
        while ahead:
            seen |= ahead
            ahead = {inner for each in ahead for inner in uses[each]} - seen
        if name in seen:
            found.append(f"{name} recurs")
    for place, node in nodes(schema):
        texts = [value for value in node.get("enum", ()) if isinstance(value, str)]
        if len({text.casefold() for text in texts}) < len(set(texts)):
            found.append(f"{place}: values that differ in capitals")
        for branch in node.get("allOf", ()):
            if any("$ref" in part or "object" in types(part) for _, part in nodes(branch)):
                found.append(f"{place}: allOf of references or objects")
        if node.get("minItems", 0) not in (0, 1):
            found.append(f"{place}: minItems {node['minItems']}")
        if re.search(r"\(\?|\\[1-9bB]", node.get("pattern", "")):
            found.append(f"{place}: pattern {node['pattern']}")
    return found


def references(schema: Any) -> Iterator[str]:
    for _, node in nodes(schema):
        if isinstance(node, dict) and "$ref" in node:
            yield node["$ref"].removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")


def gemini(schema: Any) -> list[str]:
    """Why Gemini would refuse a schema, or read it otherwise."""
    found = [*root_complaints(schema), *keyword_complaints(schema, GEMINI_KEYWORDS, set())]
    for place, node in nodes(schema):
        for name in node.get("properties", ()) if isinstance(node, dict) else ():
            if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]{0,63}", name):
                found.append(f"{place}: a property called {name}")
        for value in node.get("enum", ()) if isinstance(node, dict) else ():
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                found.append(f"{place}: {value} in an enum")
    return found
