"""Values that a producer may send by a schema: by what it declares alone, and checked by jsonschema-rs.

A name that an open object does not declare is never sent (R2). The sampler knows nothing of how schemas are compared:
it draws at random, with a liking for limits, and leaves it to the referee to throw away what the schema forbids.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import jsonschema_rs

from magic_tools.tools.bad_inputs.pattern_texts import pattern_texts
from magic_tools.values import canonical_json
from tests.contracts.diffing.parts import (
    MEANT,
    allows,
    declared,
    item_at,
    matches,
    named,
    parts,
    resolve,
    within_limits,
)

__all__ = ["Sampler", "allows", "samples"]

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
FORMATS = {
    "date": ["2024-01-02"],
    "time": ["03:04:05Z"],
    "date-time": ["2024-01-02T03:04:05Z"],
    "duration": ["P1D"],
    "email": ["a@example.com"],
    "uuid": ["01234567-89ab-4def-8123-456789abcdef"],
    "uri": ["https://example.com/a"],
    "ipv4": ["127.0.0.1"],
}
TEXTS = [
    "",
    "a",
    "b",
    "ab",
    "z",
    "A",
    "1",
    "é",
    "a b",
    "abc",
    "a\nb",
    "n_a",
    *(text for texts in FORMATS.values() for text in texts),
]
NUMBERS: list[Any] = [0, 1, -1, 0.5, 2, 3, 1.5, 5, 10, 100, -2.5, 1.0]
NAMES = ["k", "a", "b", "e1", "n_a", "K", "long_name"]
ANY: list[Any] = [None, True, False, [], [1], ["a", "a"], [None] * 9, {}, {"a": 1, "b": "x"}, {"k": None, "n_a": []}]
ANY += NUMBERS + TEXTS
CHOICES = {"anyOf", "oneOf", "if"}
HOMES = ("$defs", "definitions")
"""Where references lead to, nearly all of them."""
NODES = 60
"""So many parts a value has at most, but for what is required."""


def samples(schema: Any, *, near: Any = None, tries: int = 60, seed: int = 0) -> list[Any]:
    """Different values that a producer may send by the schema; limits and values of the schema `near` are tried."""
    referee, sampler = allows(schema), Sampler(schema, near, seed)
    found: dict[bytes, Any] = {}
    for value in sampler.values(tries):
        key = canonical_json(value)
        if key not in found and referee.is_valid(value):
            found[key] = value
    return list(found.values())


class DeadEndError(Exception):
    """The choices made so far leave no value."""


class Sampler:
    """Draws values by a schema."""

    def __init__(self, root: Any, near: Any, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.numbers, self.texts, self.names, self.lengths = list(NUMBERS), list(TEXTS), list(NAMES), [0, 1, 2]
        self.told: list[Any] = []
        for schema in (root, near):
            for part in parts(schema):
                self._learn(part)
        self.open: dict[int, bool] = {}
        self.referees: dict[int, jsonschema_rs.Draft202012Validator] = {}
        self.share = 0.5
        self.nodes = 0

    def values(self, tries: int) -> Iterator[Any]:
        """As many values as there are dead ends fewer; the first ones are the shortest and the fullest."""
        for turn in range(tries):
            self.share = (0.0, 1.0, 0.5, 0.25, 0.75)[turn % 5]
            self.nodes = 0
            with suppress(DeadEndError, RecursionError):
                yield self.value([self.root], 0)

    def value(self, schemas: Sequence[Any], depth: int) -> Any:
        """A value that is meant to satisfy all of these, and does satisfy the branches that were chosen for it."""
        for _ in range(3):
            facts = self.facts(schemas, depth)
            value = self.of(facts, depth)
            if not any(CHOICES & set(fact) for fact in facts) or all(self.takes(fact, value) for fact in facts):
                return value
        raise DeadEndError

    def of(self, facts: Sequence[Mapping[str, Any]], depth: int) -> Any:
        """A value of one of the types that the facts leave."""
        self.nodes += 1
        chosen = [
            fact["enum"] if "enum" in fact else [fact["const"]] for fact in facts if {"enum", "const"} & set(fact)
        ]
        if chosen:
            return self.pick(chosen[0])
        kind = self.pick(self.kinds(facts, depth))
        match kind:
            case "object":
                return self.object(facts, depth)
            case "array":
                return self.array(facts, depth)
            case "string":
                return self.string(facts)
            case "integer" | "number":
                return self.number(facts, kind)
            case "boolean":
                return self.pick([True, False])
        return None

    def facts(self, schemas: Sequence[Any], depth: int) -> list[dict[str, Any]]:
        """The schemas without references, unions and conditions: one branch of each is chosen."""
        todo = list(schemas)
        facts: list[dict[str, Any]] = []
        for _ in range(500):
            if not todo:
                return facts
            schema = todo.pop()
            if schema is False:
                raise DeadEndError
            if schema is True:
                continue
            todo += self.inner(schema, depth)
            facts.append(schema)
        raise DeadEndError

    def inner(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        """What holds beside the schema's own words, of the same value."""
        held = list(schema.get("allOf", []))
        if "$ref" in schema:
            held.append(resolve(self.root, schema["$ref"]))
        for word in ("anyOf", "oneOf"):
            if word in schema:
                held.append(self.pick(self.shallow(schema[word]) if self.nodes + depth > NODES else schema[word]))
        if "if" in schema:
            held += self.pick([[schema["if"], schema.get("then", True)], [schema.get("else", True)]])
        return held

    def shallow(self, branches: Sequence[Any]) -> Sequence[Any]:
        """The branches that lead nowhere further, if there are any."""
        flat = [each for each in branches if not any("$ref" in part or "items" in part for part in parts(each))]
        return flat or branches

    def kinds(self, facts: Sequence[Mapping[str, Any]], depth: int) -> list[str]:
        """The types of which a value may be."""
        left = [*TYPES[:4], *TYPES[4:]]
        for fact in facts:
            if "type" in fact:
                named = [fact["type"]] if isinstance(fact["type"], str) else list(fact["type"])
                left = [kind for kind in left if kind in named or (kind == "integer" and "number" in named)]
        if not left:
            raise DeadEndError
        meant = [kind for kind, words in MEANT.items() if any(words & set(fact) for fact in facts) and kind in left]
        if depth > 8:
            return [kind for kind in left if kind not in ("array", "object")] or left
        return left + 3 * meant

    def number(self, facts: Sequence[Mapping[str, Any]], kind: str) -> Any:
        """A number within most of the limits."""
        near = [
            limit + step
            for fact in facts
            for word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
            if (limit := fact.get(word)) is not None
            for step in (0, 1, -1, 0.5, -0.5)
        ]
        near += [fact["multipleOf"] * by for fact in facts if "multipleOf" in fact for by in (0, 1, 2, 3, -1)]
        fits = [each for each in near + self.numbers + 3 * self.told if within_limits(each, facts)]
        broken = [each for each in fits if each != int(each)]
        if kind == "number" and broken and self.random.random() < 0.5:
            return self.pick(broken)
        return self.pick([each for each in fits if kind == "number" or each == int(each)])

    def string(self, facts: Sequence[Mapping[str, Any]]) -> Any:
        """A text of a format, of a pattern, or of a length that matters."""
        least = max((fact.get("minLength", 0) for fact in facts), default=0)
        most = min((fact.get("maxLength", 10**6) for fact in facts), default=10**6)
        made = [text for fact in facts if "pattern" in fact for text in self.matching(fact["pattern"])]
        made = made or [text for fact in facts for text in FORMATS.get(fact.get("format", ""), [])]
        lengths = {size for size in (least, most, most - 1, *self.lengths) if least <= size <= most and size < 3000}
        made = made or [text for text in self.texts if least <= len(text) <= most]
        return self.pick([*made, *("a" * size for size in lengths if not any("pattern" in fact for fact in facts))])

    def matching(self, pattern: str) -> list[str]:
        """Texts that the pattern takes, some of them others than one would write first."""
        made = list(pattern_texts(pattern))[:6]
        changed = [
            text[:place] + self.pick("abzAZ019 _é") + text[place + 1 :]
            for text in made
            if text and len(text) < 50
            for place in [self.random.randrange(len(text))]
        ]
        return [text for text in [*made, *changed, *self.texts] if matches(pattern, text)]

    def array(self, facts: Sequence[Mapping[str, Any]], depth: int) -> list[Any]:
        """Items by place; what the array has to contain stands at some of them."""
        least = max((fact.get("minItems", 0) for fact in facts), default=0)
        most = min((fact.get("maxItems", 10**6) for fact in facts), default=10**6)
        places = max((len(fact.get("prefixItems", ())) for fact in facts), default=0)
        sizes = [size for size in (least, least + 1, most, places, *self.lengths) if least <= size <= min(most, 12)]
        size = min(sizes, default=least) if depth > 6 or self.nodes > NODES else self.pick(sizes or [least])
        need = [fact["contains"] for fact in facts if fact.get("minContains", 1) and "contains" in fact]
        items = []
        for place in range(size):
            held = [each for fact in facts if (each := item_at(fact, place)) is not None]
            held += [each for each in need if self.random.random() < 0.7]
            items.append(self.value(held, depth + 1))
        return items

    def object(self, facts: Sequence[Mapping[str, Any]], depth: int) -> dict[str, Any]:
        """The names that are declared: those required, a share of the others, and what depends on them."""
        facts = list(facts)
        required = {name for fact in facts for name in fact.get("required", ())}
        chosen = required | {name for name in sorted(declared(facts) | self.extra(facts)) if self.wanted(depth)}
        for _ in range(3):
            required |= self.dependent(facts, chosen, depth)
            chosen |= required
        made: dict[str, Any] = {}
        for name in sorted(chosen):
            with suppress(*(() if name in required else (DeadEndError,))):
                made[name] = self.value(self.field(facts, name), depth + 1)
        return made

    def wanted(self, depth: int) -> bool:
        """Whether a name is sent that need not be."""
        return self.random.random() < self.share and depth <= 33 and self.nodes <= NODES

    def dependent(self, facts: list[Mapping[str, Any]], chosen: set[str], depth: int) -> set[str]:
        """Which names those chosen ask for; what they ask for otherwise is a fact more."""
        asked = {
            needed
            for fact in facts
            for name, several in fact.get("dependentRequired", {}).items()
            if name in chosen
            for needed in several
        }
        more = [
            schema
            for fact in facts
            for name, schema in fact.get("dependentSchemas", {}).items()
            if name in chosen and all(schema is not known for known in facts)
        ]
        for fact in self.facts(more, depth):
            facts.append(fact)
            asked |= set(fact.get("required", ()))
        return asked

    def field(self, facts: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
        """What holds for the value of this name."""
        held: list[Any] = []
        for fact in facts:
            own = [fact["properties"][name]] if name in fact.get("properties", {}) else []
            own += [body for pattern, body in fact.get("patternProperties", {}).items() if matches(pattern, name)]
            held += own or [fact.get("additionalProperties", True)]
        return held

    def extra(self, facts: Sequence[Mapping[str, Any]]) -> set[str]:
        """Names that typed maps and patterns declare (R2)."""
        pool: list[str] = []
        for fact in facts:
            if isinstance(rest := fact.get("additionalProperties"), dict) and not self.takes_all(rest):
                pool += self.names
            pool += [name for pattern in fact.get("patternProperties", {}) for name in named(pattern, self.names)]
        for fact in facts:
            if isinstance(rule := fact.get("propertyNames"), dict) and pool:
                pool += [name for name in rule.get("enum", []) if isinstance(name, str)]
                pool += named(rule.get("pattern", ""), self.names)
        return {self.pick(pool) for _ in range(self.pick([0, 1, 2, 3]))} if pool else set()

    def takes_all(self, schema: Any) -> bool:
        """Whether a schema, as far as one sees, takes any value, so that it declares none."""
        key = id(schema)
        if key not in self.open:
            self.open[key] = all(self.takes(schema, value) for value in ANY)
        return self.open[key]

    def takes(self, schema: Any, value: Any) -> bool:
        """Whether a schema within the whole takes a value; so it is held to where it refers to what is beside it."""
        key = id(schema)
        if key not in self.referees:
            rest = {word: self.root[word] for word in HOMES if isinstance(self.root, dict) and word in self.root}
            try:
                self.referees[key] = allows({**rest, "allOf": [schema]})
            except ValueError:
                self.referees[key] = allows(True)
        return self.referees[key].is_valid(value)

    def pick(self, among: Sequence[Any]) -> Any:
        """One of these."""
        if not among:
            raise DeadEndError
        return self.random.choice(among)

    def _learn(self, part: Mapping[str, Any]) -> None:
        """What a part of a schema says is worth trying elsewhere."""
        for value in [*part.get("enum", []), *([part["const"]] if "const" in part else [])]:
            if isinstance(value, str):
                self.texts.append(value)
                self.names.append(value)
            elif isinstance(value, int | float) and not isinstance(value, bool):
                self.told.append(value)
        for word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
            if word in part:
                self.told += [part[word] + step for step in (0, 1, -1, 0.5, -0.5)]
        for word in ("minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"):
            self.lengths += [
                size for step in (0, 1, -1) if word in part and 0 <= (size := int(part[word]) + step) < 3000
            ]
        self.names += [name for name in part.get("properties", {}) if isinstance(part.get("properties"), dict)]
        if isinstance(pattern := part.get("pattern"), str):
            self.texts += list(pattern_texts(pattern))[:4]
