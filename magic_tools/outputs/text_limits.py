"""The length of the texts in an answer: stated in its schema, and looked for in what came."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from magic_tools.loose.foreign import ForeignReader
from magic_tools.loose.issues import Finding, Place, shown
from magic_tools.loose.phrases import say
from magic_tools.loose.secrets import Secrets
from magic_tools.schema.dialects.phrases import described
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.forms import text_form
from magic_tools.schema.guard.budgets import refusal
from magic_tools.schema.walk import kinds_of, map_inner, resolve
from magic_tools.values import JsonObject

__all__ = ["TextLimits", "with_text_limits"]

_STATED = frozenset({"maxLength", "enum", "const", "format", "contentEncoding"})
"""Keywords with which an author has said himself how long a text may be, or of what form it is."""

_BRANCHES = ("anyOf", "oneOf")
_OF_THE_SAME_VALUE = (*_BRANCHES, "allOf")
_UNTOUCHED = frozenset({"not", "if", "then", "else", "contains", "propertyNames", "dependentSchemas", "contentSchema"})
"""Keywords whose schemas would mean something else with a limit, or only add to what stands elsewhere."""

_SAYS_NOTHING = frozenset({"description", "default", "examples", "deprecated", "readOnly", "writeOnly"})


def with_text_limits(schema: JsonObject, most: int, where: str) -> JsonObject:
    """The schema in which each text without a length of its own has at most so many characters.

    Where anything may stand its description says so. DefinitionError where a text has to be longer.
    """
    return _Stating(schema, most, where).visit(schema, "", free=False)


@dataclass(frozen=True, slots=True)
class _Stating:
    root: JsonObject
    most: int
    where: str

    def visit(self, node: JsonObject, pointer: str, *, free: bool) -> JsonObject:
        """A schema with what it holds; one that is `free` is beside another of the same text that states its length."""
        states = _states_length(node, self.root)
        if free and not states and _is_text(target := resolve(node, self.root)):
            node = target  # of a reference, whose text may have to be limited elsewhere
        free = free or states

        def inner(held: JsonObject, place: str) -> JsonObject:
            keyword = place[len(pointer) + 1 :].partition("/")[0]
            if keyword in _UNTOUCHED:
                return held
            return self.visit(held, place, free=free and keyword in _OF_THE_SAME_VALUE)

        made = map_inner(node, inner, pointer)
        if free or not pointer:
            return made
        if all(keyword in _SAYS_NOTHING or keyword.startswith("x-") for keyword in made):
            text = described(made.get("description", ""), [f"Texts in it have at most {self.most:,} characters."])
            return {**made, "description": text}
        return self._limited(made, pointer) if _is_text(made) else made

    def _limited(self, node: JsonObject, pointer: str) -> JsonObject:
        least = node.get("minLength", 0)
        if isinstance(node.get("default"), str):
            least = max(least, len(node["default"]))
        if least > self.most:
            what = f"its minLength or its default has {least:,} characters, and the limit is {self.most:,}"
            raise refusal(self.where, pointer, what, "Give it its own maxLength, or raise OutputLimits.text_chars.")
        return {**node, "maxLength": self.most}


@dataclass(slots=True)
class TextLimits:
    """Finds the texts of a value that are too long where their places, by a schema, do not state a length."""

    schema: JsonObject
    secrets: Secrets
    most: int
    readers: dict[Hashable, ForeignReader | None] = field(default_factory=dict)

    def findings(self, value: Any) -> tuple[Finding, ...]:
        """What is too long in a JSON value that fits the schema."""
        return tuple(self._in(value, [self.schema], ())) if _longest(value) > self.most else ()

    def _in(self, value: Any, schemas: list[JsonObject], place: Place) -> Iterator[Finding]:
        """The findings in a value to which all of these schemas apply."""
        held = [each for schema in schemas for each in self._applying(schema, value)]
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from self._in(inner, [each for node in held for each in self._under(node, key)], (*place, key))
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                yield from self._in(inner, [each for node in held for each in _item(node, index)], (*place, index))
        elif isinstance(value, str) and len(value) > self.most and not any(map(_states_own, held)):
            expected = say("text of at most {limit} characters", limit=self.most)
            yield Finding(place, expected, shown(value, secret=self.secrets.cover(place, misplaced=not held)))

    def _applying(self, schema: JsonObject, value: Any) -> Iterator[JsonObject]:
        """A schema, and those inside it that are for the same value: of a union the branches that it fits."""
        node = resolve(schema, self.schema)
        yield node
        further = [node[keyword] for keyword in ("then", "else") if isinstance(node.get(keyword), dict)]
        for part in (*node.get("allOf", ()), *further, *node.get("dependentSchemas", {}).values()):
            yield from self._applying(part, value)
        for keyword in _BRANCHES:
            branches = node.get(keyword, ())
            fitting = [branch for branch in branches if self._fits(value, branch)]
            for branch in fitting or branches:  # what is read may be more than a schema states
                yield from self._applying(branch, value)

    def _under(self, node: JsonObject, key: str) -> Iterator[JsonObject]:
        properties: Mapping[str, Any] = node.get("properties", {})
        name = node.get(OTHER_KEYS, {}).get(key, key)
        found = [properties[name]] if name in properties else []
        patterns: Mapping[str, Any] = node.get("patternProperties", {})
        found += [held for pattern, held in patterns.items() if self._fits(key, {"pattern": pattern}, pattern)]
        yield from (each for each in found or [node.get("additionalProperties")] if isinstance(each, dict))

    def _fits(self, value: Any, branch: JsonObject, name: Hashable = None) -> bool:
        """Whether a value fits a schema inside the whole one, which is known by its name, or else by its identity."""
        name = id(branch) if name is None else name
        if name not in self.readers:
            self.readers[name] = self._reader(branch)
        reader = self.readers[name]
        return reader is None or reader.fits(value)

    def _reader(self, branch: JsonObject) -> ForeignReader | None:
        """What checks a schema; None where it has a pattern that only its own type can check."""
        try:
            return ForeignReader({"$defs": self.schema.get("$defs", {}), "allOf": [branch]})
        except ValueError:
            return None


def _item(node: JsonObject, index: int) -> Iterator[JsonObject]:
    first = node.get("prefixItems", ())
    held = first[index] if index < len(first) else node.get("items")
    if isinstance(held, dict):
        yield held


def _states_own(node: JsonObject) -> bool:
    return bool(node.keys() & _STATED) or text_form(node) is not None


def _states_length(node: JsonObject, root: JsonObject, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a schema states how long its texts may be, itself or in what stands beside it for the same text."""
    ref = node.get("$ref")
    if ref in seen:
        return False
    seen = seen if ref is None else seen | {ref}
    here = resolve(node, root)
    if _states_own(here) or any(_states_length(part, root, seen) for part in here.get("allOf", ())):
        return True
    return any(
        here.get(keyword) and all(_states_length(branch, root, seen) for branch in here[keyword])
        for keyword in _BRANCHES
    )


def _is_text(node: JsonObject) -> bool:
    return "string" in kinds_of(node) and not node.keys() & set(_BRANCHES)


def _longest(value: Any) -> int:
    """The length of the longest text in a value, keys aside."""
    longest, ahead = 0, [value]
    while ahead:
        held = ahead.pop()
        if isinstance(held, str):
            longest = max(longest, len(held))
        elif isinstance(held, dict | list):
            ahead += held.values() if isinstance(held, dict) else held
    return longest
