"""Digests of a schema that neither order nor the names of `$defs` change."""

from __future__ import annotations

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
    wherever it stands; a reference to a definition that encloses it is the number of definitions
    up to that one; arrays that stand for sets are sorted.
    """
    return _Digests(schema).of(schema)


class _Digests:
    """The digests of one schema's parts, each definition that refers to none around it made once."""

    def __init__(self, root: JsonObject) -> None:
        self.root = root
        self.open = ["#"]
        self.lowest = 1  # of the open definitions, the outermost that the one at work refers to
        self.known: dict[str, str] = {}

    def of(self, schema: JsonObject) -> str:
        if "$ref" in schema:
            return self._of_reference(schema["$ref"], {word: held for word, held in schema.items() if word != "$ref"})
        body = {word: held for word, held in schema.items() if word != "$defs"}
        normal = map_inner(body, lambda inner, _: self.of(inner))
        return digest({word: _sorted(held) if word in _SETS else held for word, held in normal.items()})

    def _of_reference(self, ref: str, siblings: JsonObject) -> str:
        if ref in self.open:
            index = self.open.index(ref)
            self.lowest = min(self.lowest, index)
            return digest({"$up": len(self.open) - index, **siblings})
        if not siblings and ref in self.known:
            return self.known[ref]
        outside, depth = self.lowest, len(self.open)
        self.lowest = depth
        self.open.append(ref)
        target = self.root if ref == "#" else self.root["$defs"][definition_name(ref)]
        made = self.of({**target, **siblings})
        self.open.pop()
        if not siblings and self.lowest >= depth:
            self.known[ref] = made
        self.lowest = min(outside, self.lowest)
        return made


def _sorted(held: Any) -> Any:
    return sorted(held, key=canonical_json) if isinstance(held, list) else held
