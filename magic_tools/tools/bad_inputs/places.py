"""The places in a tool's arguments, each with a good value, and with the whole arguments around another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from magic_tools.schema.walk import resolve
from magic_tools.tools.bad_inputs.faults import Fault, anywhere, faults_of, wanted_by
from magic_tools.tools.bad_inputs.pattern_texts import pattern_texts
from magic_tools.tools.bad_inputs.samples import NOTHING, Samples, Steps, kinds_of, others_of
from magic_tools.tools.bad_inputs.ways import is_combined, ways_of
from magic_tools.values import JsonObject, JsonValue

__all__ = ["Place", "places_of"]

_MOST_USES = 3
_SAYING = frozenset({"type", "enum", "const", "anyOf", "oneOf", "allOf", "not"})


@dataclass(frozen=True, slots=True)
class Place:
    """A place: the steps to it, its schema without a reference, a good value, and what is wanted, in words.

    `build` gives the whole arguments with another value there. `wanted` tells of all the branches at the place.
    """

    steps: Steps
    schema: JsonObject
    good: JsonValue
    build: Callable[[Any], JsonObject]
    wanted: str

    @property
    def is_open(self) -> bool:
        """Whether the schema says nothing of the value."""
        return _SAYING.isdisjoint(self.schema)

    def faults(self, samples: Samples) -> Iterator[Fault]:
        """What may be wrong here; the arguments as a whole are an object in any case."""
        if self.steps:
            yield from anywhere(self.wanted, self.good, self.steps[-1])
        yield from faults_of(self.schema, self.good, samples)


def places_of(samples: Samples, good: JsonObject, takes: Callable[[JsonObject], bool]) -> Iterator[Place]:
    """The places in the arguments of the samples' root schema, the whole of them first.

    `good` are good arguments, of which as much as can stays around each place; `takes` tells whether
    arguments are good. A definition is gone into three times for each parameter.
    """
    walk = _Walk(samples, takes)
    whole = Place((), resolve(samples.root, samples.root), good, lambda value: value, "an object")
    yield whole
    for parameter in walk.children(whole):
        yield from walk.places(parameter, Counter())


@dataclass(frozen=True, slots=True)
class _Walk:
    samples: Samples
    takes: Callable[[JsonObject], bool]

    def places(self, place: Place, uses: Counter[str]) -> Iterator[Place]:
        ref = place.schema.get("$ref")
        if ref is not None:
            uses[ref] += 1
            if uses[ref] > _MOST_USES:
                return
        place = replace(place, schema=resolve(place.schema, self.samples.root))
        yield place
        for child in self.children(place):
            yield from self.places(child, uses)

    def children(self, place: Place) -> Iterator[Place]:
        """The places directly inside one; the ways in which a value may fit are where it is."""
        for way, _ in ways_of(place.schema, self.samples.root):
            fits = self.samples.allows(way, place.good)
            good = place.good if fits else self._good(way, place.steps, place.build)
            yield replace(place, schema=way, good=good)
        if is_combined(place.schema):
            return  # each of the ways says all that the schema itself does
        kinds = kinds_of(place.schema)
        if "object" in kinds:
            yield from self._members(place)
        if "array" in kinds:
            yield from self._items(place)

    def _members(self, place: Place) -> Iterator[Place]:
        held = place.good if isinstance(place.good, dict) else {}
        declared = place.schema.get("properties", {})
        members = {name: schema for name, schema in declared.items() if schema != NOTHING}
        for pattern, schema in place.schema.get("patternProperties", {}).items():
            members |= {key: schema for key in islice(pattern_texts(pattern), 1) if isinstance(schema, dict)}
        others = others_of(place.schema)
        if others is not None:
            keys = self.samples.of({"type": "string", **place.schema.get("propertyNames", {})})
            members |= {key: others for key in keys[:1] if isinstance(key, str)}
        for name, schema in members.items():
            steps, build = (*place.steps, name), _placed(place, held, name)
            good = held[name] if name in held else self._good(schema, steps, build)
            yield Place(steps, schema, good, build, wanted_by(schema, self.samples))

    def _items(self, place: Place) -> Iterator[Place]:
        held = list(place.good) if isinstance(place.good, list) else []
        first = place.schema.get("prefixItems", [])
        most = place.schema.get("maxItems", len(first) + 1)
        for index, schema in enumerate([*first, place.schema.get("items", {})][:most]):
            steps = (*place.steps, index)
            if index == len(held):
                held = [*held, self._good(schema, steps, _placed(place, [*held, None], index))]
            yield Place(steps, schema, held[index], _placed(place, held, index), wanted_by(schema, self.samples))

    def _good(self, schema: JsonObject, steps: Steps, build: Callable[[JsonValue], JsonObject]) -> JsonValue:
        """The first value that passes where it is to be; where none does, as more may have to change, the first."""
        first = self.samples.one(schema, steps)
        return next((value for value in self.samples.of(schema) if self.takes(build(value))), first)


def _placed(place: Place, held: Any, step: str | int) -> Callable[[JsonValue], JsonObject]:
    """Gives the whole arguments with a value at a step into what a place holds."""

    def build(value: JsonValue) -> JsonObject:
        changed = held.copy()
        changed[step] = value
        return place.build(changed)

    return build
