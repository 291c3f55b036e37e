"""One spelling for schemas that say the same in several: what each inner schema says, references followed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

from magic_tools.errors import DefinitionError
from magic_tools.schema.walk import IDLE, KEYWORDS_OF, types_of
from magic_tools.values import JsonObject, JsonValue, canonical_json

__all__ = ["DECLARED", "LIMITS", "NOTHING", "VALIDATES", "Raw", "Speller", "inner", "kind_of", "says_nothing_fits"]

Raw: TypeAlias = JsonObject | bool
"""A schema as it was written."""

NOTHING: JsonObject = {"not": {}}
"""The schema that no value fits."""

DECLARED = frozenset({"x-unit", "x-zone", "x-resource"})
"""What is declared of a value beside what validates it; another one is another contract."""

_OF_TYPES = frozenset().union(*KEYWORDS_OF.values())

LIMITS = frozenset({"x-decimal", "x-limits"})
"""What holds a text that stands for a decimal, a moment, a duration or bytes."""

VALIDATES = _OF_TYPES | DECLARED | LIMITS | {
    "type", "enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref",
    "contentEncoding", "contentMediaType", "contentSchema",
}  # fmt: skip
"""The keywords that an interface is made of (JSON Schema 2020-12); all others only tell a reader something."""

ONE = frozenset(
    {"items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems",
     "unevaluatedProperties", "contentSchema"}
)  # fmt: skip
MANY = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
NAMED = frozenset({"properties", "patternProperties", "dependentSchemas"})

# A comment is for who keeps the schema, the dialect is 2020-12 anyway, a discriminator is a hint of OpenAPI's.
_UNSAID = frozenset({"$comment", "$schema", "$defs", "definitions", "$id", "$anchor", "discriminator"})
_IDLE_IF_ANYTHING = frozenset(
    {"items", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties"}
)
_IDLE_IF_EMPTY = frozenset(
    {"properties", "patternProperties", "dependentRequired", "dependentSchemas", "required", "allOf", "prefixItems",
     "examples", "description", "title"}
)  # fmt: skip
_IDLE: Mapping[str, Any] = {**IDLE, "minContains": 1, "readOnly": False, "writeOnly": False}
_ONLY_WITH: Mapping[str, str] = {
    "minContains": "contains", "maxContains": "contains", "then": "if", "else": "if",
}  # fmt: skip
# Keywords that count what others beside them name: what stands apart must not come to stand together.
_LOOK_ASIDE = (
    frozenset({"properties", "patternProperties", "additionalProperties"}),
    frozenset({"prefixItems", "items"}),
    frozenset({"contains", "minContains", "maxContains"}),
    frozenset({"if", "then", "else"}),
)
_SEE_ALL = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_ALL_TYPES = frozenset({"null", "boolean", "number", "string", "array", "object"})


class Speller:
    """The schemas of one document in one spelling, level by level.

    What stands inside a schema is left as it is; `top` of it says it in the same way. A schema is known by its
    identity, so that the document must not change meanwhile. Without `texts`, what only a reader sees is left out.
    """

    def __init__(self, document: Raw, *, texts: bool = True) -> None:
        self._document = document
        self._texts = texts
        self._evaluates = '"unevaluated' in json.dumps(document)  # then it counts what a keyword has looked at
        self._tops: dict[int, JsonObject] = {}
        self._kept: list[Raw] = []
        self._under_way: set[int] = set()

    def top(self, schema: Raw) -> JsonObject:
        """What one schema says, its references followed, its inner schemas as they were written."""
        if isinstance(schema, bool):
            return {} if schema else NOTHING
        known = self._tops.get(id(schema))
        if known is None:
            if id(schema) in self._under_way:  # it refers to nothing but itself, and so asks for nothing
                return {}
            self._under_way.add(id(schema))
            known = self._tops[id(schema)] = self._spelled(schema)
            self._kept.append(schema)
            self._under_way.discard(id(schema))
        return known

    def _spelled(self, schema: JsonObject) -> JsonObject:
        held = {word: value for word, value in schema.items() if self._counts(word)}
        held = self._followed(held)
        held = self._without_idle(held)
        held = _finite(held)
        held = _typed(held)
        return self._of_one(held)

    def _counts(self, word: str) -> bool:
        return word not in _UNSAID if self._texts else word in VALIDATES

    def _followed(self, held: JsonObject) -> JsonObject:
        if (ref := held.pop("$ref", None)) is None:
            return held
        target = self._at(ref)
        return self.joined(self.top(target), held, target)

    def joined(self, first: JsonObject, second: JsonObject, source: Raw) -> JsonObject:
        """What two schemas ask for together; `source` is the first as it was written. The texts of the second count."""
        if _apart(first, second):
            return {**first, **second}
        stays = {word: value for word, value in second.items() if word not in VALIDATES or word in _SEE_ALL}
        rest = {word: value for word, value in second.items() if word not in stays and word != "allOf"}
        return {**stays, "allOf": [source, *([rest] if rest else []), *second.get("allOf", ())]}

    def _without_idle(self, held: JsonObject) -> JsonObject:
        kept = {word: value for word, value in held.items() if not self._is_idle(word, value)}
        kept = {word: value for word, value in kept.items() if _ONLY_WITH.get(word, word) in kept}
        if "if" in kept and not self._evaluates and not kept.keys() & {"then", "else"}:
            del kept["if"]
        return kept

    def _is_idle(self, word: str, value: JsonValue) -> bool:
        if word in _IDLE_IF_ANYTHING:
            return not self._evaluates and self._asks_nothing(value)
        if word in _IDLE_IF_EMPTY:
            return not value
        return word in _IDLE and _IDLE[word] == value and isinstance(value, bool) is isinstance(_IDLE[word], bool)

    def _asks_nothing(self, value: JsonValue) -> bool:
        """Whether a schema is for sure one that anything fits: it is empty, or refers to one that is."""
        schema: Any = value
        seen: set[int] = set()
        while isinstance(schema, dict) and id(schema) not in seen:
            seen.add(id(schema))
            said = [word for word in schema if self._counts(word)]
            if said != ["$ref"]:
                return not said
            schema = self._at(schema["$ref"])
        return schema is True or isinstance(schema, dict)

    def _of_one(self, held: JsonObject) -> JsonObject:
        """The same, without a choice or a sum of one schema, and choices of choices as one."""
        for word in ("allOf", "anyOf", "oneOf"):
            if len(held.get(word, ())) == 1:
                rest = {each: value for each, value in held.items() if each != word}
                only = held[word][0]
                if _apart(self.top(only), rest):
                    held = {**self.top(only), **rest}
        if "anyOf" in held:
            held = {**held, "anyOf": [leaf for branch in held["anyOf"] for leaf in self._choices(branch)]}
        return held

    def _choices(self, branch: Raw) -> list[Raw]:
        told = self.top(branch)
        return list(told["anyOf"]) if told.keys() == {"anyOf"} else [branch]

    def _at(self, ref: str) -> Raw:
        """What a reference points to; DefinitionError if that is not in the document."""
        where: Any = self._document
        if not ref.startswith("#"):
            raise DefinitionError(f"The reference {ref!r} leaves the schema: write what it points to into `$defs`.")
        for step in unquote(ref[1:]).split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            try:
                where = where[int(name)] if isinstance(where, list) else where[name]
            except (KeyError, IndexError, ValueError, TypeError):
                raise DefinitionError(f"The reference {ref!r} points to nothing in the schema.") from None
        if not isinstance(where, dict | bool):
            raise DefinitionError(f"The reference {ref!r} points to what is no schema.")
        return where


def inner(top: JsonObject) -> Iterator[Raw]:
    """Every schema directly inside one."""
    for word, held in top.items():
        if word in ONE:
            yield held
        elif word in MANY:
            yield from held
        elif word in NAMED:
            yield from held.values()


def says_nothing_fits(top: JsonObject) -> bool:
    """Whether a schema is, but for texts, the one that no value fits."""
    return {word: held for word, held in top.items() if word in VALIDATES} == NOTHING


def kind_of(value: JsonValue) -> str:
    """The type of a JSON value by JSON Schema's names, all numbers being `number`."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _apart(first: JsonObject, second: JsonObject) -> bool:
    """Whether two schemas mean together what their keywords mean side by side."""
    ours, theirs = first.keys() & VALIDATES, second.keys() & VALIDATES
    return not ours & theirs and not any(ours & group and theirs & group for group in _LOOK_ASIDE)


def _finite(held: JsonObject) -> JsonObject:
    """The same with its values listed, where it lists any: once each, those that its type allows, in one order."""
    listed = [held["const"]] if "const" in held else held.get("enum")
    if listed is None or ("const" in held and "enum" in held) or not isinstance(listed, list):
        return held
    rest = {word: value for word, value in held.items() if word not in ("const", "enum", "type")}
    allowed = [value for value in listed if "type" not in held or _is_of(value, types_of(held))]
    by_text = {canonical_json(value): value for value in allowed}
    if not by_text:
        return {**{word: value for word, value in rest.items() if word not in VALIDATES}, **NOTHING}
    for kind, texts in (("null", {b"null"}), ("boolean", {b"true", b"false"})):
        if by_text.keys() == texts:
            return {**rest, "type": kind}
    return {**rest, "enum": [by_text[text] for text in sorted(by_text)]}


def _is_of(value: JsonValue, types: tuple[str, ...]) -> bool:
    kind = kind_of(value)
    if kind == "number" and "number" not in types:
        return "integer" in types and isinstance(value, int | float) and float(value).is_integer()
    return kind in types


def _typed(held: JsonObject) -> JsonObject:
    """The same with one type at most, several being a choice, and without keywords that are of other types."""
    types = set(types_of(held)) - ({"integer"} if "number" in types_of(held) else set())
    if not types or not isinstance(held.get("type"), str | list):
        return held
    rest = {word: value for word, value in held.items() if word != "type"}
    if types >= _ALL_TYPES:
        return rest
    if len(types) == 1:
        (kind,) = types
        return {"type": kind, **{word: value for word, value in rest.items() if word not in _foreign(kind)}}
    if "anyOf" in held:
        return {**rest, "type": sorted(types)}
    branches = [
        {"type": kind, **{word: value for word, value in rest.items() if word in KEYWORDS_OF[kind]}}
        for kind in sorted(types)
    ]
    return {**{word: value for word, value in rest.items() if word not in _OF_TYPES}, "anyOf": branches}


def _foreign(kind: str) -> frozenset[str]:
    return _OF_TYPES - KEYWORDS_OF[kind]
