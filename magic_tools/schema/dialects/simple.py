"""The canonical schema for weak models: short, without references, and flat where that can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from magic_tools.schema.dialects.notes import Here, Notes
from magic_tools.schema.dialects.phrases import SILENT, described, in_words, says_nothing
from magic_tools.schema.dialects.rendered import DialectChange, Move, Rendered
from magic_tools.schema.dialects.spelling import at, joined_with, leads_to, located, name_for, spelled
from magic_tools.schema.walk import escaped, map_inner, subschemas, types_of
from magic_tools.values import JsonObject

__all__ = ["render_simple"]

# A definition with more schemas in it than this stays one: a model would read it again at each use.
_MOST_INLINED = 100

_OF_A_PLAIN_OBJECT = frozenset({"type", "description", "properties", "required", "additionalProperties"})


def render_simple(schema: JsonObject) -> Rendered:
    """The schema as a weak model reads it best; `restore` undoes what was flattened.

    References are followed, but for recursive and very large types. A property that may be null and
    is null by default may be left out, and that is all. SchemaRejectedError for a reference that leads nowhere.
    """
    simplifying = _Simplifying(schema)
    form, moves = _flattened(simplifying.node(schema, ""))
    changes = [*simplifying.notes.changes, *(_flattening(move) for move in moves)]
    if simplifying.definitions:
        form["$defs"] = simplifying.definitions
    return Rendered(form, False, tuple(dict.fromkeys(changes)), tuple(moves))


def _flattening(move: Move) -> DialectChange:
    pointer = "".join(f"/properties/{escaped(name)}" for name in move.path)
    return DialectChange(pointer, "properties", f"flattened: it is called {move.key} at the root")


class _Simplifying:
    """One schema on its way; a definition that stays one is simplified when the first reference to it is met."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self.definitions: JsonObject = {}
        self.notes = Notes()
        self._size = cache(self._inlined_size)
        self._recurs = cache(self._leads_back)
        self._names: dict[str, str] = {}

    def node(self, schema: JsonObject, pointer: str) -> JsonObject:
        schema = spelled(schema)
        if "$ref" in schema:
            place, target = located(schema["$ref"], self._root)
            beside = {keyword: held for keyword, held in schema.items() if keyword != "$ref"}
            short = not self._recurs(place) and self._size(place) <= _MOST_INLINED
            joined = joined_with(spelled(target), beside) if short else None
            if joined is not None:
                return self.node(joined, place)
            schema = {**schema, "$ref": self._kept(place, target)}
        form = map_inner(self._audible(schema, pointer), self.node, pointer)
        return self._without_nulls(_short(form), pointer)

    def _audible(self, schema: JsonObject, pointer: str) -> JsonObject:
        """A schema without the keywords that say nothing to a model, and with the words of those that do."""
        here = Here(self.notes, pointer)
        dropped = [keyword for keyword in schema if keyword in SILENT or keyword.startswith("x-")]
        for keyword in dropped:
            if not says_nothing(keyword, schema, pointer):
                here.say(keyword, in_words(keyword, schema[keyword]))
            elif keyword not in ("$defs", "definitions"):
                here.change(keyword, "left out: it says nothing that the rest does not")
        rest = {keyword: held for keyword, held in schema.items() if keyword not in dropped}
        text = described(schema.get("description", ""), here.words)
        return {**rest, "description": text} if text else rest

    def _kept(self, place: str, target: JsonObject) -> str:
        if place not in self._names:
            name = self._names[place] = name_for(place, self._names.values())
            self.definitions[name] = {}  # its place in the order
            self.definitions[name] = self.node(target, place)
        return f"#/$defs/{self._names[place]}"

    def _inlined_size(self, place: str) -> int:
        """How many schemas a definition comes to with all that can be inlined in it; counted up to the limit."""
        ahead, count = [at(place, self._root) or {}], 0
        while ahead and count <= _MOST_INLINED:
            node = ahead.pop()
            count += 1
            ahead += subschemas(node)
            if "$ref" in node:
                inner = located(node["$ref"], self._root)[0]
                count += 0 if self._recurs(inner) else self._size(inner)
        return count

    def _leads_back(self, place: str) -> bool:
        return leads_to(place, at(place, self._root) or {}, self._root)

    def _without_nulls(self, form: JsonObject, pointer: str) -> JsonObject:
        """An object whose optional properties are never null where null is what leaving them out means."""
        properties = dict(form.get("properties", {}))
        for name, held in properties.items():
            if name in form.get("required", ()) or held.get("default", ...) is not None:
                continue
            properties[name] = _short(
                {keyword: value for keyword, value in _not_null(held).items() if keyword != "default"}
            )
            what = "left out: null is what leaving it out means, and need not be written"
            Here(self.notes, pointer).property(name).change("default", what)
        return {**form, "properties": properties} if properties else form


def _not_null(schema: JsonObject) -> JsonObject:
    """A schema that takes what another does but null, where it takes anything else."""
    lessened = dict(schema)
    if others := [branch for branch in schema.get("anyOf", ()) if types_of(branch) != ("null",)]:
        lessened["anyOf"] = others
    if others := [value for value in schema.get("enum", ()) if value is not None]:
        lessened["enum"] = others
    if kinds := [kind for kind in types_of(schema) if kind != "null"]:
        lessened["type"] = kinds[0] if len(kinds) == 1 else kinds
    return lessened


def _short(schema: JsonObject) -> JsonObject:
    """A schema without a union of one branch, and with its only value as a constant."""
    for keyword in ("anyOf", "oneOf"):
        if len(schema.get(keyword, ())) == 1:
            (only,) = schema[keyword]
            rest = {name: held for name, held in schema.items() if name != keyword}
            joined = joined_with(only, rest)
            schema = schema if joined is None else joined
    if "const" not in schema and len(schema.get("enum", ())) == 1:
        schema = {**{name: held for name, held in schema.items() if name != "enum"}, "const": schema["enum"][0]}
    return {name: held for name, held in schema.items() if name != "type"} if "const" in schema else schema


def _flattened(root: JsonObject) -> tuple[JsonObject, list[Move]]:
    """An object with the fields of the objects that it always holds as its own, each named by its path."""
    if not _is_plain(root):
        return root, []
    declared, required = root["properties"], []
    properties: JsonObject = {}
    moves: list[Move] = []
    words: list[str] = []
    for name, held in declared.items():
        leaves = _leaves(held, (name,)) if name in root["required"] and _is_plain(held) else []
        keys = {"_".join(leaf.path): leaf for leaf in leaves}
        if not leaves or len(keys) < len(leaves) or keys.keys() & {*declared, *properties}:
            properties[name] = held
            required += [name] if name in root["required"] else []
            continue
        properties |= {key: leaf.schema for key, leaf in keys.items()}
        required += [key for key, leaf in keys.items() if leaf.required]
        moves += [Move(key, leaf.path) for key, leaf in keys.items()]
        words += _texts(held, name)
    text = described(root.get("description", ""), words)
    form = {**root, **({"description": text} if text else {}), "properties": properties, "required": required}
    return (form, moves) if moves else (root, [])


@dataclass(frozen=True, slots=True)
class _Leaf:
    path: tuple[str, ...]
    schema: JsonObject
    required: bool


def _leaves(schema: JsonObject, path: tuple[str, ...]) -> list[_Leaf]:
    leaves: list[_Leaf] = []
    for name, held in schema["properties"].items():
        required = name in schema["required"]
        if required and _is_plain(held):
            leaves += _leaves(held, (*path, name))
        else:
            leaves.append(_Leaf((*path, name), held, required))
    return leaves


def _texts(schema: JsonObject, name: str) -> Iterator[str]:
    """The descriptions of flattened objects, each with the beginning that its fields' names have."""
    if "description" in schema:
        yield f"{name}_...: {schema['description']}"
    for inner, held in schema["properties"].items():
        if inner in schema["required"] and _is_plain(held):
            yield from _texts(held, f"{name}_{inner}")


def _is_plain(schema: JsonObject) -> bool:
    """Whether an object has nothing but declared fields, one of which it always has: else some could not be written."""
    return (
        types_of(schema) == ("object",)
        and not schema.keys() - _OF_A_PLAIN_OBJECT
        and schema.get("additionalProperties") is False
        and any(name in schema.get("properties", {}) for name in schema.get("required", ()))
    )
