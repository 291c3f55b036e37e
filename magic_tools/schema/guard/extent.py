"""How far a schema reaches along its references, counted without following any of them twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from magic_tools.schema.guard.budgets import SchemaLimits, over, refusal
from magic_tools.schema.walk import definition_name, map_inner, types_of
from magic_tools.values import JsonObject

__all__ = ["check_extent"]

# Keywords whose schemas are for the value itself; all others are for values inside it.
_FOR_ALL = ("$ref", "allOf", "if", "then", "else", "not", "dependentSchemas")
_FOR_ONE = ("anyOf", "oneOf")

_ONE_NAME_EACH = frozenset({"properties", "prefixItems"})
"""Keywords that hold one schema for each place, so that one place meets only one of them."""

# To tell what was not evaluated, a validator evaluates all else anew, on every level of such keywords again.
_AGAIN = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_AGAIN_COST = 10

_LONGEST_WAY = 100
"""How many schemas may follow upon each other, each inside the one before or referred to by it."""


@dataclass(frozen=True, slots=True)
class _Extent:
    """What a schema comes to with all that it holds; `deepest` is the pointer to where the depth is reached."""

    depth: int
    deepest: str
    properties: int
    checks: int


@dataclass(slots=True)
class _Node:
    """A schema, and the pointers of those directly inside it or referred to, by keyword."""

    schema: JsonObject
    held: Mapping[str, list[str]]

    def of(self, keywords: Iterable[str]) -> list[str]:
        return [pointer for keyword in keywords for pointer in self.held.get(keyword, ())]


def check_extent(schema: JsonObject, limits: SchemaLimits, where: str) -> None:
    """DefinitionError where a clean schema is deeper or wider than its limits, dear to check, or no end of references.

    Each schema is measured once, whatever the number of ways that lead to it.
    """
    nodes = _nodes(schema)
    try:
        TopologicalSorter({pointer: node.of(_FOR_ALL + _FOR_ONE) for pointer, node in nodes.items()}).prepare()
    except CycleError as error:
        way = " to ".join(pointer or "the root" for pointer in error.args[1])
        what = f"references go round in a circle that leads to no value ({way[:300]})"
        raise refusal(where, error.args[1][0], what, "Let one of them say what the value is.") from None
    whole = _Measuring(nodes, limits, where).visit("")
    if whole.depth > limits.depth:
        what = f"objects and arrays stand {whole.depth} deep inside each other"
        raise over(where, whole.deepest, what, "depth", limits.depth)


def _nodes(root: JsonObject) -> dict[str, _Node]:
    """Every schema that is reached from the root, by pointer."""
    nodes: dict[str, _Node] = {}
    ahead: list[tuple[str, JsonObject]] = [("", {word: held for word, held in root.items() if word != "$defs"})]
    while ahead:
        pointer, schema = ahead.pop()
        if pointer in nodes:
            continue
        held: dict[str, list[str]] = defaultdict(list)

        def note(inner: JsonObject, place: str, held: dict[str, list[str]] = held, above: str = pointer) -> None:
            held[place[len(above) + 1 :].partition("/")[0]].append(place)
            ahead.append((place, inner))

        map_inner(schema, note, pointer)
        if "$ref" in schema:
            name = definition_name(schema["$ref"])
            held["$ref"].append(f"/$defs/{name}")
            ahead.append((f"/$defs/{name}", root["$defs"][name]))
        nodes[pointer] = _Node(schema, held)
    return nodes


@dataclass(slots=True)
class _Measuring:
    nodes: Mapping[str, _Node]
    limits: SchemaLimits
    where: str
    known: dict[str, _Extent] = field(default_factory=dict)
    above: set[str] = field(default_factory=set)

    def visit(self, pointer: str) -> _Extent:
        if pointer in self.known:
            return self.known[pointer]
        if pointer in self.above:  # a recursion, which counts once
            if not self.limits.recursive:
                raise refusal(self.where, pointer, "it is recursive, and so of any depth", _FLAT)
            return _Extent(0, pointer, 0, 1)
        if len(self.above) >= _LONGEST_WAY:
            what = f"more than {_LONGEST_WAY} schemas follow upon each other by nesting and references"
            raise refusal(self.where, pointer, what, "Write it with fewer steps.")
        self.above.add(pointer)
        extent = self._measured(pointer, self.nodes[pointer])
        self.above.discard(pointer)
        self.known[pointer] = extent
        return extent

    def _measured(self, pointer: str, node: _Node) -> _Extent:
        here = {keyword: [self.visit(held) for held in pointers] for keyword, pointers in node.held.items()}
        inside = {keyword: here.pop(keyword) for keyword in list(here) if keyword not in _FOR_ALL + _FOR_ONE}
        every = [extent for extents in here.values() for extent in extents]

        levels = [(extent.depth, extent.deepest) for extent in every]
        if inside or {"object", "array"} & set(types_of(node.schema)):
            below = [(extent.depth, extent.deepest) for extents in inside.values() for extent in extents]
            depth, deepest = max(below, default=(0, pointer))
            levels.append((depth + 1, deepest if depth else pointer))
        depth, deepest = max(levels, default=(0, pointer))

        own = len(node.schema.get("properties", {}))
        together = sum(extent.properties for keyword in _FOR_ALL for extent in here.get(keyword, ()))
        apart = max((extent.properties for keyword in _FOR_ONE for extent in here.get(keyword, ())), default=0)
        properties = own + together + apart
        if properties > self.limits.properties:
            raise over(
                self.where, pointer, f"an object has {properties} properties", "properties", self.limits.properties
            )

        checks = (1 + sum(extent.checks for extent in every)) * _AGAIN_COST ** len(_AGAIN & node.schema.keys())
        for keyword, extents in inside.items():
            each = [extent.checks for extent in extents]
            checks += max(each) if keyword in _ONE_NAME_EACH else sum(each)
        if checks > self.limits.checks:
            what = f"one place of a value would be checked {checks:,} times, by unions and references that meet again"
            raise over(self.where, pointer, what, "checks", self.limits.checks)
        return _Extent(depth, deepest, properties, checks)


_FLAT = "Use a flat list whose items name their parent, or set SchemaLimits.recursive."
