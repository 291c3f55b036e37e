"""What a keyword says, in words: for forms of schemas that do not have the keyword."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from magic_tools.schema.marks import MARK_WORDS
from magic_tools.schema.walk import IDLE, types_of
from magic_tools.values import JsonObject

__all__ = ["SILENT", "described", "in_order", "in_words", "names_of", "null_in_words", "says_nothing"]

# What says nothing of the values that a model is to write (JSON Schema 2020-12, core and meta-data vocabularies).
SILENT = frozenset(
    {"$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$schema", "$vocabulary", "definitions", "discriminator",
     "id", "readOnly", "writeOnly"}
)  # fmt: skip

_SENTENCES: Mapping[str, str] = {
    "title": "{}.",
    "const": "Always {}.",
    "enum": "One of {}.",
    "format": "Format: {}.",
    "pattern": "Matches the regular expression `{}`.",
    "minLength": "At least {} {}.",
    "maxLength": "At most {} {}.",
    "minimum": "At least {}.",
    "maximum": "At most {}.",
    "exclusiveMinimum": "More than {}.",
    "exclusiveMaximum": "Less than {}.",
    "multipleOf": "A multiple of {}.",
    "minItems": "At least {} {}.",
    "maxItems": "At most {} {}.",
    "uniqueItems": "No item twice.",
    "minProperties": "At least {} {}.",
    "maxProperties": "At most {} {}.",
    "contentEncoding": "Encoded as {}.",
    "contentMediaType": "Content of the type {}.",
    "prefixItems": "In this order: {}.",
    "default": "Default: {}.",
    "examples": "Examples: {}.",
    "deprecated": "Deprecated.",
    **MARK_WORDS,
}

_COUNTED: Mapping[str, str] = {
    "minLength": "character", "maxLength": "character", "minItems": "item", "maxItems": "item",
    "minProperties": "key", "maxProperties": "key",
}  # fmt: skip

_AS_IT_IS = frozenset({"title", "format", "pattern", "contentEncoding", "contentMediaType", "prefixItems", *MARK_WORDS})
_LISTED = frozenset({"enum", "examples"})
_FULL_STOPS = tuple(".!?:;。！？：；…")


_WORD = re.compile(r"\w+")

_RANKS = {keyword: rank for rank, keyword in enumerate(_SENTENCES)}


def in_order(schema: JsonObject) -> list[str]:
    """The keywords of a schema, those that have sentences last, and these as one would say them."""
    return sorted(schema, key=lambda keyword: _RANKS.get(keyword, -1))


def says_nothing(keyword: str, schema: JsonObject, pointer: str) -> bool:
    """Whether leaving a keyword out takes nothing from a reader, as with a title that spells the name again."""
    if keyword == "title":
        name = pointer.rpartition("/")[2]
        return "description" in schema or not name or _letters(schema[keyword]) == _letters(name)
    if keyword == "contentEncoding":
        return schema[keyword] in _WORD.findall(schema.get("description", ""))
    if keyword.startswith("x-"):  # of these, texts are for people, and the rest for programs
        text = schema.get("description", "")
        return not isinstance(schema[keyword], str) or described(text, [in_words(keyword, schema[keyword])]) == text
    return keyword in SILENT or IDLE.get(keyword, ...) == schema[keyword]


def in_words(keyword: str, held: Any) -> str:
    """A sentence that says what a keyword does; of one that has no words, the keyword and its value as JSON."""
    sentence = _SENTENCES.get(keyword)
    if sentence is None:
        own = keyword.startswith("x-")
        return f"{keyword}: {held}." if own else f"{keyword} (JSON Schema): {_json(held)}."
    if keyword in _COUNTED:
        return sentence.format(_json(held), _COUNTED[keyword] if held == 1 else f"{_COUNTED[keyword]}s")
    if keyword in _LISTED and isinstance(held, list):
        return sentence.format(", ".join(map(_json, held)))
    return sentence.format(held if keyword in _AS_IT_IS and isinstance(held, str) else _json(held))


def null_in_words(default: Any) -> str:
    """A sentence that says what null means where a provider has no optional properties."""
    return f"Null stands for the default: {_json(default)}."


def described(description: str, words: Iterable[str]) -> str:
    """A description with sentences after it, each of which it has only once."""
    for sentence in words:
        if f" {sentence} " not in f" {description} ":
            closed = not description or description.rstrip().endswith(_FULL_STOPS)
            description = f"{description}{'' if closed else '.'} {sentence}".strip()
    return description


def names_of(schema: JsonObject | bool) -> str:
    """A schema in a few words: its values, the name of what it refers to, or its types, and its description."""
    if isinstance(schema, bool):
        return "anything"
    if "const" in schema or "enum" in schema:
        words = " or ".join(map(_json, schema.get("enum", [schema.get("const")])))
    elif "$ref" in schema:
        words = schema["$ref"].rpartition("/")[2]
    else:
        branches = schema.get("anyOf") or schema.get("oneOf") or ()
        words = " or ".join([*types_of(schema), *map(names_of, branches)]) or "anything"
    return f"{words} ({schema['description']})" if "description" in schema else words


def _json(held: Any) -> str:
    return json.dumps(held, ensure_ascii=False)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
