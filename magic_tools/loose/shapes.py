"""Which keys a schema declares where in a value, for a reader that has to tell a key from text."""

from __future__ import annotations

from typing import Any

from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.walk import resolve
from magic_tools.values import JsonObject

__all__ = ["Shape", "shape_of"]


class Shape:
    """What may stand at a place: `names` are the keys that its object declares, None where it takes any."""

    __slots__ = ("_inner", "_root", "_schemas", "names")

    def __init__(self, schemas: tuple[JsonObject, ...], root: JsonObject) -> None:
        self._root = root
        self._schemas = schemas
        self._inner: dict[str | None, Shape | None] = {}
        objects = [schema for schema in schemas if "properties" in schema or _is_object(schema)]
        takes_any = not objects or any(_takes_any(schema) for schema in objects)
        self.names = None if takes_any else frozenset(name for schema in objects for name in _declared(schema))

    def member(self, key: str) -> Shape | None:
        """What may stand under a key; None where nothing is known of it."""
        if key not in self._inner:
            held: list[Any] = []
            for schema in self._schemas:
                name = schema.get(OTHER_KEYS, {}).get(key, key)
                held.append(schema.get("properties", {}).get(name, schema.get("additionalProperties")))
            self._inner[key] = _shape(held, self._root)
        return self._inner[key]

    def item(self) -> Shape | None:
        """What may stand in the array, in whichever place; None where nothing is known of it."""
        if None not in self._inner:
            held = [
                inner for schema in self._schemas for inner in (*schema.get("prefixItems", ()), schema.get("items"))
            ]
            self._inner[None] = _shape(held, self._root)
        return self._inner[None]


def shape_of(schema: JsonObject, root: JsonObject) -> Shape | None:
    """The shape of a value of a schema, whose references lead into the root; None where nothing is known of it."""
    return _shape([schema], root)


def _shape(schemas: list[Any], root: JsonObject) -> Shape | None:
    known = tuple(branch for schema in schemas if isinstance(schema, dict) for branch in _branches(schema, root, 0))
    return Shape(known, root) if any(known) else None


_MOST_NESTED = 16


def _branches(schema: JsonObject, root: JsonObject, depth: int) -> list[JsonObject]:
    """The branches of a schema, those of its branches too, each without references."""
    schema = resolve(schema, root)
    inner = [branch for word in ("anyOf", "oneOf", "allOf") for branch in schema.get(word, ())]
    if not inner or depth > _MOST_NESTED:
        return [schema]
    nested = [_branches(branch, root, depth + 1) for branch in inner if isinstance(branch, dict)]
    return [schema, *(branch for branches in nested for branch in branches)]


def _is_object(schema: JsonObject) -> bool:
    return schema.get("type") == "object"


def _takes_any(schema: JsonObject) -> bool:
    others = schema.get("additionalProperties")
    return others is True or isinstance(others, dict) or not schema.get("properties")


def _declared(schema: JsonObject) -> set[str]:
    return {*schema.get("properties", ()), *schema.get(OTHER_KEYS, {})}
