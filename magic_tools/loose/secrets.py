"""Where in a value a secret may stand, so that nobody is shown it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.walk import definition_name, subschemas
from magic_tools.values import JsonObject

__all__ = ["Secrets", "secrets_of"]

_LEAST = 3
"""The characters of a secret below which it may stand in any text by chance."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """The keys under which secrets stand, at any depth; `everywhere` where the whole value may be one."""

    everywhere: bool
    keys: frozenset[str]

    def cover(self, place: Iterable[str | int], *, misplaced: bool = False) -> bool:
        """Whether what stands at a place is not to be shown.

        What is `misplaced`, under a key that is not declared or in place of a whole object, may be any of the secrets.
        """
        return self.everywhere or not self.keys.isdisjoint(place) or (misplaced and bool(self.keys))

    def texts_in(self, value: Any, place: Iterable[str | int]) -> Iterator[str]:
        """The secrets of some length in a value that stands at a place, as text."""
        if isinstance(value, dict):
            for key, held in value.items():
                yield from self.texts_in(held, (*place, key))
        elif isinstance(value, list):
            for held in value:
                yield from self.texts_in(held, place)
        elif self.cover(place) and len(str(value)) >= _LEAST:
            yield " ".join(str(value).split())


def secrets_of(schema: JsonObject) -> Secrets:
    """The secrets of a schema: what it calls `writeOnly`; each part is looked at once, whatever refers to it."""
    parts = list(_parts(schema))
    unnamed = {id(part): {id(inner) for inner in _unnamed(part, schema)} for part in parts}
    secret = {id(part) for part in parts if part.get("writeOnly")}
    while above := {part for part, inner in unnamed.items() if part not in secret and not secret.isdisjoint(inner)}:
        secret |= above
    return Secrets(id(schema) in secret, frozenset(key for part in parts for key in _secret_keys(part, secret)))


def _parts(schema: JsonObject) -> Iterator[JsonObject]:
    yield schema
    for inner in subschemas(schema):
        yield from _parts(inner)


def _unnamed(part: JsonObject, root: JsonObject) -> Iterator[JsonObject]:
    """What is held by a schema under no key of its own: a value of it that holds a secret may be one."""
    yield from subschemas({word: held for word, held in part.items() if word not in ("properties", "$defs")})
    if "$ref" in part:
        yield root["$defs"][definition_name(part["$ref"])]


def _secret_keys(part: JsonObject, secret: set[int]) -> Iterator[str]:
    keys = {key for key, held in part.get("properties", {}).items() if id(held) in secret}
    yield from keys
    yield from (other for other, key in part.get(OTHER_KEYS, {}).items() if key in keys)
