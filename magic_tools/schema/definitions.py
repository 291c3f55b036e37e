"""The definitions of a schema: only those that are needed, under short and stable names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from magic_tools.schema.walk import definition_name, map_inner, map_schema, subschemas
from magic_tools.schema.wording import WORDS
from magic_tools.values import JsonObject

__all__ = ["MARK", "inline_shorter", "leads_to", "marked_name", "references", "shorten_names"]

MARK = ":"
"""What tells a definition apart from one of the same name, until all have their final names; in no class's name."""


def inline_shorter(schema: JsonObject, finish: Callable[[JsonObject], JsonObject]) -> JsonObject:
    """Put each definition that does not lead back to itself where it is used, if the schema is shorter so.

    What stands beside a reference then counts more than the definition, and is dropped where it says the same.
    `finish` is done to every schema after that, the inner ones first.
    """
    definitions: dict[str, JsonObject] = schema.get("$defs", {})
    gone = _shorter_inline(schema, definitions) if definitions else set[str]()

    def settled(node: JsonObject, _: str = "") -> JsonObject:
        return finish(inlined(map_inner(node, settled)))

    def inlined(node: JsonObject) -> JsonObject:
        name = _referred(node)
        if name is None or name not in definitions:
            return node
        beside = {keyword: held for keyword, held in node.items() if keyword != "$ref"}
        if name in gone:
            target = inlined(map_inner(definitions[name], settled))
            words = [*target.get(WORDS, ()), *beside.get(WORDS, ())]
            return {**target, **beside, **({WORDS: words} if words else {})}
        if beside.get("description") == definitions[name].get("description"):
            beside.pop("description", None)
        return {"$ref": node["$ref"], **beside}

    body = settled(_without_definitions(schema))
    kept = {name: settled(definition) for name, definition in definitions.items() if name not in gone}
    return {**body, "$defs": kept} if kept else body


def _shorter_inline(schema: JsonObject, definitions: Mapping[str, JsonObject]) -> set[str]:
    links = {name: references(definition) for name, definition in definitions.items()}
    uses = Counter(references(schema))
    lengths: dict[str, int] = {}
    gone: set[str] = set()

    def length_of(name: str) -> int:
        """The length of a definition with those in it that go."""
        if name not in lengths:
            grown = sum(length_of(held) - _length_of_reference(held) for held in links[name] if held in gone)
            lengths[name] = len(json.dumps(map_schema(definitions[name], _without_title))) + grown
        return lengths[name]

    def is_shorter(name: str) -> bool:
        if uses[name] == 1:
            return True
        short = _short(name)
        apart = len(f'"{short}": , ') + length_of(name) + uses[name] * _length_of_reference(short)
        return uses[name] * length_of(name) <= apart

    for name in _inner_first(links):
        if is_shorter(name) and name not in _reached(name, links):
            gone.add(name)
    return gone


def _inner_first(links: Mapping[str, Sequence[str]]) -> list[str]:
    """The names of the definitions, each after those that it refers to, as far as they do not go round."""
    ordered: dict[str, None] = {}
    seen: set[str] = set()

    def visit(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        for inner in links[name]:
            visit(inner)
        ordered[name] = None

    for name in links:
        visit(name)
    return list(ordered)


def _length_of_reference(name: str) -> int:
    return len(json.dumps({"$ref": f"#/$defs/{name}"}))


def _without_title(schema: JsonObject, _: str) -> JsonObject:
    return {keyword: held for keyword, held in schema.items() if keyword != "title"}


def shorten_names(schema: JsonObject) -> JsonObject:
    """Name each definition after its class, with a number where two classes share a name."""
    definitions: dict[str, JsonObject] | None = schema.get("$defs")
    if not definitions:
        return schema
    short: dict[str, str] = {}
    for name in _in_order_of_use(schema):
        title = _short(name)
        tried, count = title, 1
        while tried in short.values():
            count += 1
            tried = f"{title}{count}"
        short[name] = tried

    def rename(node: JsonObject, _: str) -> JsonObject:
        name = _referred(node)
        return {**node, "$ref": f"#/$defs/{short[name]}"} if name in short else node

    body = map_schema(_without_definitions(schema), rename)
    named = {short[name]: map_schema(definitions[name], rename) for name in short}
    return {**body, "$defs": dict(sorted(named.items()))} if named else body


def marked_name(name: str, taken: Collection[str]) -> str:
    """A name for a definition that none of these has: its own, else one that `shorten_names` makes short again."""
    return f"{name}{MARK}{len(taken)}" if name in taken else name


def _short(name: str) -> str:
    return name.partition(MARK)[0]


def _in_order_of_use(schema: JsonObject) -> Iterator[str]:
    definitions: dict[str, JsonObject] = schema.get("$defs", {})
    seen: set[str] = set()
    ahead = [_without_definitions(schema)]
    while ahead:
        for name in references(ahead.pop(0)):
            if name in definitions and name not in seen:
                seen.add(name)
                ahead.append(definitions[name])
                yield name


def _without_definitions(schema: JsonObject) -> JsonObject:
    return {keyword: held for keyword, held in schema.items() if keyword != "$defs"}


def leads_to(name: str, definitions: Mapping[str, JsonObject]) -> set[str]:
    """The definitions that one refers to, whether itself or through others."""
    return _reached(name, {held: references(definition) for held, definition in definitions.items()})


def _reached(name: str, links: Mapping[str, Sequence[str]]) -> set[str]:
    reached: set[str] = set()
    ahead = [name]
    while ahead:
        for reference in links[ahead.pop()]:
            if reference not in reached:
                reached.add(reference)
                ahead.append(reference)
    return reached


def references(schema: JsonObject) -> list[str]:
    """The name of the definition of each reference in a schema, as often as there is one."""
    found: list[str] = []
    ahead = [schema]
    while ahead:
        node = ahead.pop()
        if (name := _referred(node)) is not None:
            found.append(name)
        ahead += reversed(subschemas(node))
    return found


def _referred(schema: JsonObject) -> str | None:
    ref = schema.get("$ref")
    return definition_name(ref) if isinstance(ref, str) else None
