"""The schemas of two documents as parts of a comparison: what says the same has one number."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from magic_tools.contracts.normal import colours, label
from magic_tools.contracts.spelling import NOTHING, VALIDATES, Raw, Speller, inner
from magic_tools.values import JsonObject, JsonValue

__all__ = ["ANYTHING", "Document", "Node", "Numbers", "Part", "key_of", "nothing_of"]


class Pair(NamedTuple):
    """The numbers of what a schema validates, and of all that it says."""

    key: int
    told: int


class Numbers:
    """What says the same gets one number, in all documents that share these."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._encode = json.JSONEncoder(sort_keys=True).encode
        self.known: dict[Pair, Pair] = {}

    def of(self, top: JsonObject, found: Mapping[int, Pair]) -> Pair:
        """The numbers of a schema, by those of its inner ones."""
        told = self._number(label(top, {id(each): found[id(each)].told for each in inner(top)}))
        texts = [word for word in top if word not in VALIDATES]
        if not texts and all(found[id(each)].key == found[id(each)].told for each in inner(top)):
            return Pair(told, told)
        plain = {word: held for word, held in top.items() if word not in texts}
        return Pair(self._number(label(plain, {id(each): found[id(each)].key for each in inner(plain)})), told)

    def _number(self, told: JsonObject) -> int:
        return self._numbers.setdefault(self._encode(told), len(self._numbers))


class Document:
    """One document of a comparison."""

    def __init__(self, schema: Raw, numbers: Numbers) -> None:
        self.schema = schema
        self.speller = Speller(schema)
        self._numbers = numbers
        self._pairs = dict(self._coloured(schema)) | self._coloured(NOTHING)
        self.root: Node = (self.part(schema),)

    def _coloured(self, schema: Raw) -> Mapping[int, Pair]:
        return colours(self.speller, schema, self._numbers.of, self._numbers.known, Pair(-1, -1))

    def part(self, schema: Raw) -> Part:
        """A schema of the document as a part of a comparison."""
        return Part(*self._pairs[id(schema)], self, schema)

    def made(self, schema: JsonObject) -> Part:
        """A schema that is not in the document, of keywords that hold no schemas."""
        return Part(*self._numbers.of(schema, {}), self, schema)


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


def key_of(node: Node) -> tuple[int, ...]:
    """By what two nodes are known to be of the same schemas."""
    return tuple(sorted({part.key for part in node}))


def nothing_of(document: Document) -> Node:
    """What no value fits."""
    return (document.part(NOTHING),)


def listing_of(document: Document, value: JsonValue) -> Node:
    """What one value fits."""
    return (document.made({"enum": [value]}),)
