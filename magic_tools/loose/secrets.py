"""Where in a value a secret may stand, so that nobody is shown it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.walk import resolve, subschemas
from magic_tools.values import JsonObject

__all__ = ["Secrets", "secrets_of"]


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


def secrets_of(schema: JsonObject) -> Secrets:
    """The secrets of a schema: what it calls `writeOnly`."""
    return Secrets(_may_be_secret(schema, schema, ()), frozenset(_secret_keys(schema, schema)))


def _secret_keys(schema: JsonObject, root: JsonObject) -> Iterator[str]:
    secret = {key for key, held in schema.get("properties", {}).items() if _may_be_secret(held, root, ())}
    yield from secret
    yield from (other for other, key in schema.get(OTHER_KEYS, {}).items() if key in secret)
    for inner in subschemas(schema):
        yield from _secret_keys(inner, root)


def _may_be_secret(schema: JsonObject, root: JsonObject, above: tuple[str, ...]) -> bool:
    """Whether a value is a secret, or holds one that stands under no key of its own."""
    if (ref := schema.get("$ref")) is not None:
        if ref in above:
            return False
        above = (*above, ref)
    schema = resolve(schema, root)
    inside = {word: held for word, held in schema.items() if word not in ("properties", "$defs")}
    return bool(schema.get("writeOnly")) or any(_may_be_secret(inner, root, above) for inner in subschemas(inside))
