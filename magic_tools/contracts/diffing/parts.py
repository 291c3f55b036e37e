"""The schemas of two documents as parts of a comparison: what says the same has one number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from magic_tools.contracts.normal import colours, label
from magic_tools.contracts.spelling import NOTHING, VALIDATES, Raw, Speller, inner
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject, JsonValue

__all__ = ["ANYTHING", "Document", "Node", "Numbers", "Part", "key_of", "nothing_of", "written"]


class Pair(NamedTuple):
    """The numbers of what a schema validates, and of all that it says."""

    key: int
    told: int


class Numbers:
    """What says the same gets one number, in all documents that share these."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._keys: dict[int, int] = {}
        self._encode = json.JSONEncoder(sort_keys=True).encode
        self.known: dict[Pair, Pair] = {}

    def of(self, top: JsonObject, found: Mapping[int, Pair]) -> Pair:
        """The numbers of a schema, by those of its inner ones."""
        told = self._number(label(top, {id(each): found[id(each)].told for each in inner(top)}))
        if told not in self._keys:  # what says the same validates the same
            plain = {word: held for word, held in top.items() if word in VALIDATES}
            self._keys[told] = self._number(label(plain, {id(each): found[id(each)].key for each in inner(plain)}))
        return Pair(self._keys[told], told)

    def _number(self, told: JsonObject) -> int:
        return self._numbers.setdefault(self._encode(told), len(self._numbers))


class Document:
    """One document of a comparison; DefinitionError where it is no JSON Schema 2020-12, or refers to nothing."""

    def __init__(self, schema: Raw, numbers: Numbers, name: str) -> None:
        self.validator = _validator(schema, name)
        self.speller = Speller(schema)
        self._numbers = numbers
        self._pairs = {**self._coloured(schema), **self._coloured(NOTHING)}
        self.root: Node = (self.part(schema),)

    def _coloured(self, schema: Raw) -> Mapping[int, Pair]:
        return colours(self.speller, schema, self._numbers.of, self._numbers.known, Pair(-1, -1))

    def part(self, schema: Raw) -> Part:
        """A schema of the document as a part of a comparison."""
        pair = self._pairs[id(schema)]
        return Part(pair.key, pair.told, self, schema)

    def made(self, schema: JsonObject) -> Part:
        """A schema that is not in the document, and refers to nothing."""
        self._pairs |= self._coloured(schema)
        return self.part(schema)


@dataclass(frozen=True, slots=True)
class Part:
    """One schema in its document; `key` is equal where two validate the same, `told` where they say the same."""

    key: int
    told: int
    document: Document = field(compare=False, repr=False)
    raw: Raw = field(compare=False)

    @property
    def top(self) -> JsonObject:
        """What the schema says, level by level."""
        return self.document.speller.top(self.raw)


Node: TypeAlias = tuple[Part, ...]
"""What a value has to fit: all of several schemas, none for a value that may be anything."""

ANYTHING: Node = ()


def written(nodes: Iterable[Node]) -> JsonValue:
    """What several nodes are made of, as it was written; None for none."""
    return [part.raw for node in nodes for part in node] or None


def key_of(node: Node) -> tuple[int, ...]:
    """By what two nodes are known to be of the same schemas."""
    return tuple(sorted({part.key for part in node}))


def nothing_of(document: Document) -> Node:
    """What no value fits."""
    return (document.part(NOTHING),)


def listing_of(document: Document, value: JsonValue) -> Node:
    """What one value fits."""
    return (document.made({"enum": [value]}),)


def _validator(schema: Raw, name: str) -> Any:
    """What checks values by the whole schema, formats included; nothing is fetched for it."""
    import jsonschema_rs

    if not isinstance(schema, dict | bool):
        raise DefinitionError(f"The {name} schema is a {type(schema).__name__}: a schema is an object, true or false.")
    try:
        return jsonschema_rs.Draft202012Validator(schema, validate_formats=True, offline=True)
    except ValueError as error:  # what is wrong stands in its first line
        told = str(error).partition("\n")[0]
        if told == "Recursion limit reached":
            raise RecursionError from error
        raise DefinitionError(f"The {name} schema is no JSON Schema (2020-12): {told:.200}.") from error
