"""The parts of values that somebody uses: their paths, and what a schema says of them alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from magic_tools.contracts.diffing.places import Place, Step
from magic_tools.errors import DefinitionError
from magic_tools.schema.walk import KEYWORDS_OF, kinds_of, resolve
from magic_tools.values import JsonObject, JsonValue

__all__ = ["Steps", "known_paths", "meets", "parts_at", "path_of", "projected", "read_path", "steps_of", "stray_path"]

Steps: TypeAlias = tuple[Step, ...]
"""The way to a part: fields by name, items by index or all of them, and the fields that no schema names."""

_STEP = re.compile(r'\.?([A-Za-z_][A-Za-z0-9_-]*)|\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|\[(\d*):?\]|(\{\})')
_OF_PARTS = KEYWORDS_OF["object"] | KEYWORDS_OF["array"] | {"$ref", "const", "enum", "not", "if", "then", "else"}
"""What is left out of a schema of which some parts are used: it is said of those that are not, or of all together."""

_OTHER = ("field", False)
_ELSEWHERE = frozenset({"$defs", "oneOf"})
_UNIONS = {"oneOf": "anyOf"}
"""Of branches that are cut to what is used, more than one may fit."""

_MOST_LEVELS = 4
_Tree: TypeAlias = Mapping[Step, Any]
_WHOLE: Any = ("whole", 0)
"""Stands in a tree of paths where one of them ends."""


def read_path(text: str) -> Steps:
    """The steps of a path such as `rows[].qty`, `by_name{}.id` or `pair[0]`; DefinitionError where it is none."""
    steps = steps_of(text)
    if not steps or path_of(steps) != text.removeprefix("."):
        raise DefinitionError(
            f"{text!r:.80} is no path to a part of a value: write one such as 'rows[].qty', with [] for every item "
            "and {} for fields that have no fixed names."
        )
    return steps


def steps_of(text: str) -> Steps:
    """The steps of the longest beginning of a text that is a path."""
    steps: list[Step] = []
    end = 0
    while found := _STEP.match(text, end):
        name, quoted, index, after, extra = found.groups()
        end = found.end()
        if extra is not None:
            steps.append(("extra", 0))
        elif index is not None:
            steps.append(("item", int(index)))
        elif after is not None:
            steps.append(("rest", int(after or 0)))
        else:
            steps.append(("field", name if quoted is None else json.loads(quoted)))
    return tuple(steps)


def path_of(steps: Steps) -> str:
    """The path that steps are written as."""
    place = Place("")
    for kind, held in steps:
        match kind:
            case "field":
                place = place.field(str(held))
            case "item":
                place = place.item(int(held))
            case "rest":
                place = place.rest(int(held))
            case "extra":
                place = place.extra()
    return place.path.removeprefix(".")


def meets(one: Steps, other: Steps) -> bool:
    """Whether one part is the other, or is in it."""
    return all(_may_be_one(first, second) for first, second in zip(one, other, strict=False))


def parts_at(data: JsonValue, steps: Steps) -> Iterator[tuple[JsonValue, bool]]:
    """What data has at a path: each holder of the last step, and whether that is there in it."""
    if not steps:
        yield data, True
        return
    (kind, held), rest = steps[0], steps[1:]
    if kind == "field" and isinstance(data, dict):
        if str(held) in data:
            yield from parts_at(data[str(held)], rest)
        elif not rest:
            yield data, False
    elif kind == "extra" and isinstance(data, dict):
        for each in data.values():
            yield from parts_at(each, rest)
    elif kind in ("item", "rest") and isinstance(data, list):
        start = int(held)
        for each in data[start : start + 1] if kind == "item" else data[start:]:
            yield from parts_at(each, rest)


def projected(schema: JsonObject, paths: Iterable[Steps]) -> JsonObject:
    """What a schema says of the parts at these paths, and of nothing else."""
    tree: dict[Any, Any] = {}
    for steps in paths:
        branch = tree
        for step in steps:
            branch = branch.setdefault(step, {})
        branch[_WHOLE] = {}
    cut: JsonObject = _cut(schema, tree, schema)
    return {**cut, "$defs": schema["$defs"]} if "$defs" in schema else cut


def stray_path(schema: JsonObject, paths: Iterable[Steps]) -> Steps | None:
    """The first path that leads to nothing that a schema names, where it names all that there is."""
    return next((steps for steps in paths if not _leads(schema, steps, schema)), None)


def known_paths(schema: JsonObject) -> list[str]:
    """The paths of the fields that a schema names, some levels down."""
    return [path_of(steps) for steps in _named(schema, schema, ())]


def _may_be_one(one: Step, other: Step) -> bool:
    held = {one[0]: one[1], other[0]: other[1]}
    if held.keys() == {"item", "rest"}:
        return int(held["item"]) >= int(held["rest"])
    return one == other or held.keys() in ({"rest"}, {"field", "extra"})


def _cut(schema: Any, tree: _Tree, root: JsonObject) -> Any:
    if _WHOLE in tree or not isinstance(schema, dict):
        return schema
    held = resolve(schema, root)
    cut: JsonObject = {word: said for word, said in held.items() if word not in _OF_PARTS and word not in _ELSEWHERE}
    for word in ("anyOf", "oneOf", "allOf"):
        cut |= {_UNIONS.get(word, word): [_cut(each, tree, root) for each in held[word]]} if word in held else {}
    fields = {str(name): below for (kind, name), below in tree.items() if kind == "field"}
    named = held.get("properties", {})
    said = {name: _cut(named[name], below, root) for name, below in fields.items() if name in named}
    cut |= {"properties": said} if said else {}
    cut |= {"required": needed} if (needed := [name for name in held.get("required", ()) if name in fields]) else {}
    others = _joined(
        below for (kind, name), below in tree.items() if kind == "extra" or (kind, name in named) == _OTHER
    )
    if others and isinstance(held.get("additionalProperties"), dict):
        cut["additionalProperties"] = _cut(held["additionalProperties"], others, root)
    return {**cut, **_items(held, tree, root)}


def _items(held: JsonObject, tree: _Tree, root: JsonObject) -> JsonObject:
    """What is said of the items that are used; those that stand before them may be anything."""
    used = [(step, below) for step, below in tree.items() if step[0] in ("item", "rest")]
    first = held.get("prefixItems", [])
    cut: JsonObject = {}
    if used and first:
        below = [_joined(each for step, each in used if _may_be_one(step, ("item", at))) for at in range(len(first))]
        cut["prefixItems"] = [_cut(each, way, root) if way else {} for each, way in zip(first, below, strict=True)]
    later = _joined(each for (kind, at), each in used if kind == "rest" or int(at) >= len(first))
    if later and "items" in held:
        cut["items"] = _cut(held["items"], later, root)
    return cut


def _joined(trees: Iterable[_Tree]) -> dict[Step, Any]:
    """Several trees as one."""
    joined: dict[Step, Any] = {}
    for tree in trees:
        for step, below in tree.items():
            joined[step] = _joined((joined[step], below)) if step in joined else below
    return joined


def _leads(schema: Any, steps: Steps, root: JsonObject) -> bool:
    if not steps or not isinstance(schema, dict):
        return schema is not False
    held = resolve(schema, root)
    branches = [each for word in ("anyOf", "oneOf", "allOf") for each in held.get(word, ())]
    if any(_leads(each, steps, root) for each in branches):
        return True
    is_silent = bool(branches) and not held.keys() & _OF_PARTS
    return not is_silent and any(_leads(each, steps[1:], root) for each in _led_to(held, steps[0]))


def _led_to(held: JsonObject, step: Step) -> list[Any]:
    """The schemas to which a step leads from one; True where it leads to anything."""
    kind, name = step
    free = [True] if _may_be(held, "object") else []
    match kind:
        case "field" if name in held.get("properties", ()):
            return [held["properties"][name]]
        case "field" | "extra" if "additionalProperties" in held:
            return [held["additionalProperties"]]
        case "field":
            return [] if "properties" in held else free
        case "extra":
            return free
        case "item" | "rest":
            first = held.get("prefixItems", [])
            listed = first[int(name) :] if kind == "rest" else first[int(name) : int(name) + 1]
            later = [held["items"]] if "items" in held else [] if first or not _may_be(held, "array") else [True]
            return listed if listed and kind == "item" else [*listed, *later]


def _may_be(held: JsonObject, kind: str) -> bool:
    kinds = kinds_of(held)
    return not kinds or kind in kinds


def _named(schema: Any, root: JsonObject, way: Steps) -> Iterator[Steps]:
    if not isinstance(schema, dict) or len(way) > _MOST_LEVELS:
        return
    held = resolve(schema, root)
    for word in ("anyOf", "oneOf", "allOf"):
        for each in held.get(word, ()):
            yield from _named(each, root, way)
    for name, each in held.get("properties", {}).items():
        yield (*way, ("field", name))
        yield from _named(each, root, (*way, ("field", name)))
    if "items" in held:
        yield from _named(held["items"], root, (*way, ("rest", 0)))
