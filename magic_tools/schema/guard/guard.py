"""JSON Schemas that anybody may have written, checked and made canonical before anything else sees them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from magic_tools.errors import DefinitionError
from magic_tools.schema.dialects.phrases import described, in_words
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.guard.budgets import FOREIGN_TOOL, OUTPUT_TOOL, SchemaLimits, over, refusal
from magic_tools.schema.guard.drafts import check_spelling, draft_of, in_2020_12
from magic_tools.schema.guard.extent import check_extent
from magic_tools.schema.guard.patterns import PATTERN_BYTES, WHY, program_of
from magic_tools.schema.guard.untrusted import plain_copy
from magic_tools.schema.kinds import possible_kinds
from magic_tools.schema.walk import escaped, map_inner, resolve
from magic_tools.values import JsonObject

__all__ = ["FOREIGN_TOOL", "OUTPUT_TOOL", "PATTERN_BYTES", "SchemaLimits", "guard"]

# What is kept: JSON Schema 2020-12, all vocabularies but the core, of which only references are needed.
_KEPT = frozenset(
    {"$ref", "type", "enum", "const", "format", "default", "description", "examples", "deprecated", "readOnly",
     "writeOnly", "properties", "required", "additionalProperties", "patternProperties", "propertyNames",
     "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "items",
     "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems",
     "unevaluatedItems", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
     "exclusiveMaximum", "multipleOf", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "contentEncoding",
     "contentMediaType", "contentSchema"}
)  # fmt: skip
_HOLDING = frozenset({"not", "if", "then", "else", "contains", "propertyNames", "contentSchema"})
_LISTING = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_NAMING = frozenset({"properties", "patternProperties", "dependentSchemas"})
_ANNOTATIONS = frozenset({"description", "default", "examples", "deprecated", "readOnly", "writeOnly"})

# References by other means than a pointer, and what makes a pointer mean another place than it says.
_INDIRECT = ("$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$anchor")
_BASES: Mapping[str, str] = {"draft-04": "id"}

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]")
_TO_DEFINITIONS = "Put what it refers to into $defs of the same schema, and refer to it as '#/$defs/NAME'."


def guard(schema: Any, *, where: str, limits: SchemaLimits | None = None) -> JsonObject:
    """The canonical form of a JSON Schema in any draft's spelling: 2020-12, plain data of its own.

    References are all to `$defs`, which hold nothing else; titles, comments and keywords of no
    vocabulary are left out, but for `x-` keywords that hold a text. No reference is followed but to see
    where it leads, so that the time this takes grows with the schema's size alone. DefinitionError,
    starting with `where`, names the place, what is wrong or over which limit, and a way out.
    """
    limits = SchemaLimits() if limits is None else limits
    if not isinstance(limits, SchemaLimits):
        raise DefinitionError(f"{where}: limits are a SchemaLimits, such as SchemaLimits(depth=8), got {limits!r:.80}.")
    if not isinstance(schema, bool | Mapping):
        raise refusal(where, "", f"there is a {type(schema).__name__}", "A JSON Schema is an object, true or false.")
    copy = _as_object(plain_copy(schema, limits, where))
    clean = _Cleaning(copy, draft_of(copy, where), limits, where).whole()
    check_extent(clean, limits, where)
    _check_kinds(possible_kinds(clean, clean), limits, where)
    return _object_root(clean) if limits.object_root else clean


def _check_kinds(kinds: Set[str], limits: SchemaLimits, where: str) -> None:
    """DefinitionError where no value fits the whole, or none that it has to be."""
    if limits.object_root and "object" not in kinds:
        what = f"the whole is of the type {' or '.join(sorted(kinds))}" if kinds else "nothing fits the whole"
        raise refusal(where, "/type", what, "It has to be an object: put the value under a key of one.")
    if not kinds:
        raise refusal(where, "", "nothing fits the whole", "Take away one of the keywords that exclude each other.")


def _as_object(schema: Any) -> Any:
    """A schema with true and false, which are schemas too, spelled as objects."""
    return {True: {}, False: {"not": {}}}[schema] if isinstance(schema, bool) else schema


def _with_objects(schema: JsonObject) -> JsonObject:
    """The schema without true and false inside it, but where they say whether there may be more."""
    made: JsonObject = {}
    for keyword, held in schema.items():
        if keyword in _LISTING:
            made[keyword] = [_as_object(inner) for inner in held]
        elif keyword in _NAMING:
            made[keyword] = {name: _as_object(inner) for name, inner in held.items()}
        else:
            made[keyword] = _as_object(held) if keyword in _HOLDING else held
    return made


def _object_root(schema: JsonObject) -> JsonObject:
    """The schema with a root that says that it is an object, as providers and people look for it there."""
    root = resolve(schema, schema)
    definitions = schema.get("$defs", {})
    body = {"type": "object", **{keyword: held for keyword, held in root.items() if keyword not in ("type", "$defs")}}
    if "$ref" in schema:  # the root's own definition may have been there for the root alone
        text = json.dumps([body, definitions])
        definitions = {name: held for name, held in definitions.items() if f'"#/$defs/{name}"' in text}
    return {**body, "$defs": definitions} if definitions else body


@dataclass(slots=True)
class _Cleaning:
    """Makes the canonical form of one document; `names` are those of its definitions, by the pointers to them."""

    document: JsonObject
    draft: str
    limits: SchemaLimits
    where: str
    names: dict[str, str] = field(default_factory=dict)
    taken: Counter[str] = field(default_factory=Counter)
    ahead: list[str] = field(default_factory=list)
    schemas: int = 0
    refs: int = 0
    patterns: int = 0

    def whole(self) -> JsonObject:
        body = self._clean(self.document, "")
        definitions: JsonObject = {}
        while self.ahead:
            pointer = self.ahead.pop()
            definitions[self.names[pointer]] = self._clean(self._at(pointer), pointer)
        if "" in self.names:  # the root is one of the definitions then, so that all references look alike
            definitions[self.names[""]] = body
            body = {"$ref": f"#/$defs/{self.names['']}"}
        return {**body, "$defs": dict(sorted(definitions.items()))} if definitions else body

    def _clean(self, schema: JsonObject, pointer: str) -> JsonObject:
        self.schemas += 1  # a part that is referred to where it stands is there twice
        if self.schemas > self.limits.nodes:
            raise over(self.where, pointer, "with what its references lead to it grows on", "nodes", self.limits.nodes)
        self._check_references(schema, pointer)
        stated = in_2020_12(schema, self.draft, pointer, self.where)
        kept = {keyword: held for keyword, held in stated.items() if _is_kept(keyword, held)}
        if kept.get("enum") == []:
            what = "the list of values is empty, so that nothing fits"
            raise refusal(self.where, f"{pointer}/enum", what, "Name the values, or leave 'enum' out.")
        kept = self._with_checked_patterns(kept, pointer)
        if isinstance(kept.get("type"), list) and len(kept["type"]) == 1:
            kept["type"] = kept["type"][0]
        made = map_inner(_with_objects(kept), self._clean, pointer)
        if "$ref" not in made:
            return made
        ref = {"$ref": self._reference(made.pop("$ref"), f"{pointer}/$ref")}
        if made.keys() <= _ANNOTATIONS:
            return {**ref, **made}
        return {**made, "allOf": [ref, *made.get("allOf", ())]}  # beside a reference nothing but words, whoever reads

    def _check_references(self, schema: JsonObject, pointer: str) -> None:
        base = _BASES.get(self.draft, "$id")
        moved = (base,) if pointer and not str(schema.get(base, "#")).startswith("#") else ()
        for keyword in (*_INDIRECT, *moved):
            if keyword in schema:
                what = f"'{keyword}' changes what references mean"
                raise refusal(self.where, f"{pointer}/{keyword}", what, f"Leave it out. {_TO_DEFINITIONS}")

    def _with_checked_patterns(self, schema: JsonObject, pointer: str) -> JsonObject:
        """The schema with its patterns counted, and in words where it may have one that is not checked."""
        pattern = schema.get("pattern")
        if pattern is not None and not self._is_checked(pattern, f"{pointer}/pattern", may_be_told=True):
            text = described(schema.get("description", ""), [in_words("pattern", pattern)])
            schema = {keyword: held for keyword, held in schema.items() if keyword != "pattern"}
            schema["description"] = text
        for key in schema.get("patternProperties", ()):
            self._is_checked(key, f"{pointer}/patternProperties/{escaped(key)}", may_be_told=False)
        return schema

    def _is_checked(self, pattern: str, place: str, *, may_be_told: bool) -> bool:
        """Whether a pattern is checked, and counted so; DefinitionError if it can neither be checked nor told."""
        size = program_of(pattern)
        if not isinstance(size, int):
            if may_be_told and self.limits.unchecked_patterns:
                return False
            why, way_out = WHY[size]
            told = ", or set SchemaLimits.unchecked_patterns to have it told and not checked" if may_be_told else ""
            raise refusal(self.where, place, f"the pattern {pattern!r:.120} {why}", f"{way_out}{told}.")
        self.patterns += size
        if self.patterns > self.limits.patterns:
            what = f"its patterns compile to {self.patterns:,} bytes and more"
            raise over(self.where, place, what, "patterns", self.limits.patterns)
        return True

    def _reference(self, ref: str, place: str) -> str:
        """The reference to the definition that a reference becomes."""
        self.refs += 1
        if self.refs > self.limits.refs:
            raise over(self.where, place, "it has more and more references", "refs", self.limits.refs)
        address, _, pointer = ref.partition("#")
        if address or (pointer and not pointer.startswith("/")):
            raise refusal(self.where, place, f"{ref!r:.120} leads out of the schema, or to an anchor", _TO_DEFINITIONS)
        pointer = unquote(pointer)
        if pointer not in self.names:
            if not isinstance(self._at(pointer), dict):
                raise refusal(self.where, place, f"{ref!r:.120} leads to no schema", _TO_DEFINITIONS)
            check_spelling(self._at(pointer), self.draft, pointer, self.where)
            self.names[pointer] = self._new_name(pointer)
            if pointer:
                self.ahead.append(pointer)
        return f"#/$defs/{self.names[pointer]}"

    def _at(self, pointer: str) -> Any:
        """What stands in the document where a pointer leads, None where it leads nowhere."""
        held: Any = self.document
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(held, list):
                held = held[int(key)] if key.isdecimal() and int(key) < len(held) else None
            else:
                held = held.get(key) if isinstance(held, dict) else None
        return _as_object(held)

    def _new_name(self, pointer: str) -> str:
        """The last step of the pointer as a name, with a number where two would share it."""
        wanted = name = _NOT_IN_A_NAME.sub("_", pointer.rpartition("/")[2]) or "Root"
        while name in self.taken:
            self.taken[wanted] += 1
            name = f"{wanted}{self.taken[wanted]}"
        self.taken[name] += 1
        return name


def _is_kept(keyword: str, held: Any) -> bool:
    return keyword in _KEPT or (keyword.startswith("x-") and keyword != OTHER_KEYS and isinstance(held, str))
