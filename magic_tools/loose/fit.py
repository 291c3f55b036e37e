"""A JSON value held to its schema where strict pydantic is too lenient, and Decimals read to the last digit."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from magic_tools.loose.issues import path_text, shown
from magic_tools.messages import Issue, Repair
from magic_tools.schema.emit import DECIMAL_PATTERN
from magic_tools.schema.walk import resolve, subschemas
from magic_tools.values import JsonObject

__all__ = ["Fitted", "fit", "has_guards", "load_with_sources"]

_DECIMAL = re.compile(DECIMAL_PATTERN, re.ASCII)
_DIGITS_ONLY = re.compile(r"[+-]?[0-9]+(?:[.][0-9]+)?", re.ASCII)
_ISO_DURATION = re.compile(r"[+-]?P.+", re.ASCII)

# Texts that pydantic takes for a format beside those of ISO 8601: what a text must look like, and in words.
_FORMAT_WORDS = {
    "date": "a date like 2026-11-29",
    "date-time": "a date and time like 2026-11-29T12:30:00Z",
    "time": "a time like 12:30:00",
    "duration": "a duration like P1DT2H",
}


class _SourceFloat(float):
    """A number that remembers its source digits."""

    source: str

    def __new__(cls, source: str) -> _SourceFloat:
        number = super().__new__(cls, source)
        number.source = source
        return number


def load_with_sources(text: str) -> Any:
    """The value of a JSON text whose numbers remember how they were written."""
    return json.loads(text, parse_float=_SourceFloat)


def has_guards(schema: JsonObject) -> bool:
    """Whether a schema has a place that pydantic's strict JSON mode does not hold to its words."""
    return _guarded(schema) or any(has_guards(inner) for inner in subschemas(schema))


def _guarded(schema: JsonObject) -> bool:
    return (
        _is_decimal(schema)
        or schema.get("format") in _FORMAT_WORDS
        or any(isinstance(choice, int) for choice in _choices(schema))
    )


@dataclass(frozen=True, slots=True)
class Fitted:
    """A value as its schema writes it, what was changed for that, and what cannot be so."""

    value: Any
    repairs: tuple[Repair, ...]
    issues: tuple[Issue, ...]


def fit(value: Any, schema: JsonObject) -> Fitted:
    """A value that `load_with_sources` gave, held to its schema.

    Numbers where a Decimal is due become text by their source digits. Refused are booleans for
    numbers of an enumeration, digits for a date, and keys that a closed object does not declare.
    """
    walk = _Walk(schema)
    fitted = walk.visit(value, schema, ())
    return Fitted(fitted, tuple(walk.repairs), tuple(walk.issues))


_Place = tuple[str | int, ...]


@dataclass(slots=True)
class _Walk:
    root: JsonObject
    repairs: list[Repair] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)

    def visit(self, value: Any, schema: JsonObject, place: _Place) -> Any:
        schema = resolve(schema, self.root)
        branches = schema.get("anyOf") or schema.get("oneOf")
        if branches:
            return self._union(value, branches, place)
        if isinstance(value, dict):
            return {key: self._member(key, held, schema, place) for key, held in value.items()}
        if isinstance(value, list):
            return [self._item(index, held, schema, place) for index, held in enumerate(value)]
        return self._scalar(value, schema, place)

    def _union(self, value: Any, branches: list[JsonObject], place: _Place) -> Any:
        """What the first branch that takes the value makes of it."""
        resolved = [resolve(branch, self.root) for branch in branches]
        likely = [branch for branch in resolved if _is_like(value, branch)] or [
            branch for branch in resolved if _is_decimal(branch) and _is_number(value)
        ]
        if not likely:  # it fits none of them; pydantic says so, but where it is too lenient with a scalar
            unmet = (_unmet(value, branch) for branch in resolved)
            self.issues += [Issue(path_text(place), wanted, shown(value)) for wanted in unmet if wanted][:1]
            return value
        tries = [self._try(value, branch, place) for branch in likely]
        walk, fitted = next((attempt for attempt in tries if not attempt[0].issues), tries[0])
        self.repairs += walk.repairs
        self.issues += walk.issues
        return fitted

    def _try(self, value: Any, branch: JsonObject, place: _Place) -> tuple[_Walk, Any]:
        walk = _Walk(self.root)
        return walk, walk.visit(value, branch, place)

    def _member(self, key: str, value: Any, schema: JsonObject, place: _Place) -> Any:
        here = (*place, key)
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        if key in properties:
            return self.visit(value, properties[key], here)
        if isinstance(others, dict):
            return self.visit(value, others, here)
        if others is False:
            self.issues.append(Issue(path_text(here), "no key of this name", shown(value)))
        return value

    def _item(self, index: int, value: Any, schema: JsonObject, place: _Place) -> Any:
        first = schema.get("prefixItems", ())
        of_item = first[index] if index < len(first) else schema.get("items")
        return self.visit(value, of_item, (*place, index)) if isinstance(of_item, dict) else value

    def _scalar(self, value: Any, schema: JsonObject, place: _Place) -> Any:
        if _is_decimal(schema) and _is_number(value):
            note = f"{path_text(place) or 'the value'}: read the number by its source digits"
            self.repairs.append(Repair("number_as_decimal", None, None, note))
            value = getattr(value, "source", None) or str(value)
        if wanted := _unmet(value, schema):
            self.issues.append(Issue(path_text(place), wanted, shown(value)))
        return value


def _unmet(value: Any, schema: JsonObject) -> str | None:
    """What a scalar had to be and is not, of that which strict pydantic lets pass."""
    choices = _choices(schema)
    if isinstance(value, bool | int) and value in choices and not _chosen(value, choices):
        return "one of " + ", ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
    if isinstance(value, str):
        if _is_decimal(schema) and not _DECIMAL.fullmatch(value):
            return "a decimal number as a string of digits"
        wanted = _FORMAT_WORDS.get(schema.get("format", ""))
        if wanted and (_DIGITS_ONLY.fullmatch(value) or ("duration" in wanted and not _ISO_DURATION.fullmatch(value))):
            return wanted
    return None


def _is_like(value: Any, schema: JsonObject) -> bool:
    """Whether a branch of a union is of the value's own JSON type, and of its constants."""
    if choices := _choices(schema):
        return _chosen(value, choices)
    kinds = schema.get("type", ())
    if kinds and not _kinds(value).intersection((kinds,) if isinstance(kinds, str) else kinds):
        return False
    if not isinstance(value, dict):
        return True
    properties = schema.get("properties", {})
    constants = ((name, _choices(held)) for name, held in properties.items() if name in value)
    return all(name in value for name in schema.get("required", ())) and all(
        not choices or _chosen(value[name], choices) for name, choices in constants
    )


def _kinds(value: Any) -> frozenset[str]:
    """The JSON Schema types that a value is of."""
    match value:
        case None:
            return frozenset({"null"})
        case bool():
            return frozenset({"boolean"})
        case int():
            return frozenset({"integer", "number"})
        case float():
            return frozenset({"number"})
        case str():
            return frozenset({"string"})
        case list():
            return frozenset({"array"})
        case _:
            return frozenset({"object"})


def _choices(schema: JsonObject) -> list[Any]:
    return [schema["const"]] if "const" in schema else schema.get("enum", [])


def _chosen(value: Any, choices: list[Any]) -> bool:
    """Whether a value is one of the choices, true and 1 being two."""
    return any(choice == value and isinstance(choice, bool) is isinstance(value, bool) for choice in choices)


def _is_decimal(schema: JsonObject) -> bool:
    return schema.get("pattern") == DECIMAL_PATTERN


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
