"""Digests of a schema that neither order nor the names of `$defs` change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from magic_tools.schema.walk import definition_name, map_inner, map_schema
from magic_tools.values import JsonObject, canonical_json, digest

__all__ = ["interface_form", "schema_digest"]

_TEXT_ONLY = frozenset({"title", "description", "examples", "default", "deprecated", "$comment"})
_SETS = frozenset({"required", "enum", "type", "anyOf", "oneOf", "allOf"})


def interface_form(schema: JsonObject) -> JsonObject:
    """What a schema validates, without what only a reader sees."""
    return map_schema(schema, lambda node, _: {word: held for word, held in node.items() if word not in _TEXT_ONLY})


def schema_digest(schema: JsonObject) -> str:
    """`sha256:` and the digest of a schema's normal form.

    In the normal form every inner schema is its own digest, so that a definition counts the same
    wherever it stands, and arrays that stand for sets are sorted. Definitions that refer to each other
    are digested in rounds, each reference being what its definition was in the round before: twice
    as many rounds as there are definitions tell any two schemas of that many apart.
    """
    definitions: dict[str | None, JsonObject] = {None: schema, **schema.get("$defs", {})}
    known = dict.fromkeys(definitions, "")
    for _ in range(2 * len(definitions)):
        before, known = known, {name: _digest(body, known) for name, body in definitions.items()}
        if known == before:
            break
    return known[None]


def _digest(schema: JsonObject, known: Mapping[str | None, str]) -> str:
    """The digest of a schema, by those of the definitions that it refers to; None is the root."""
    body = {word: held for word, held in schema.items() if word != "$defs"}
    if (ref := body.get("$ref")) is not None:
        body["$ref"] = known[None if ref == "#" else definition_name(ref)]
        if len(body) == 1:
            return str(body["$ref"])
    normal = map_inner(body, lambda inner, _: _digest(inner, known))
    return digest({word: _sorted(held) if word in _SETS else held for word, held in normal.items()})


def _sorted(held: Any) -> Any:
    return sorted(held, key=canonical_json) if isinstance(held, list) else held
