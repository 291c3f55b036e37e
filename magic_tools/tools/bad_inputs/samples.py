"""Values that a schema allows, made up from nothing but the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import chain, islice, pairwise, zip_longest
from typing import Any, TypeAlias

from magic_tools.errors import DefinitionError
from magic_tools.loose.issues import path_text
from magic_tools.loose.scalars import choices_of
from magic_tools.schema.forms import DECIMAL, text_form
from magic_tools.schema.limits import X_DECIMAL
from magic_tools.schema.walk import map_schema, resolve, types_of
from magic_tools.tools.bad_inputs.pattern_texts import pattern_texts
from magic_tools.tools.bad_inputs.referee import Referee, referee
from magic_tools.tools.bad_inputs.text_limits import near_limits
from magic_tools.tools.bad_inputs.ways import ways_of
from magic_tools.values import JsonObject, JsonValue

__all__ = ["NOTHING", "Samples", "Steps", "kinds_of", "others_of", "without_booleans"]

Steps: TypeAlias = tuple[str | int, ...]
"""The keys and indices that lead to a place in a value."""

NOTHING: JsonObject = {"not": {}}
"""The schema that allows no value, as an object."""

_FEW = 8
_MOST_TRIES = 400
_LONGEST = 100_000
_LEAST = ("minLength", "minItems", "minProperties")
_SCALARS = ("string", "integer", "number", "boolean", "null")
_IMPLIED: Mapping[str, str] = {
    **dict.fromkeys(("properties", "additionalProperties", "required", "minProperties"), "object"),
    **dict.fromkeys(("items", "prefixItems", "minItems"), "array"),
}

# Texts of the formats of JSON Schema 2020-12 (validation, section 7.3) and of those that pydantic names.
_UUIDS = tuple(f"12345678-9abc-{version}def-8123-456789abcdef" for version in "41356782")
_TEXTS: Mapping[str, tuple[str, ...]] = {
    "date": ("1999-12-31", "2999-12-31"),
    "date-time": ("1999-12-31T12:30:00Z", "2999-12-31T12:30:00Z"),
    "time": ("12:30:00Z", "23:59:59Z"),
    "duration": ("P1D", "PT2H"),
    "email": ("ann@example.com", "bob@example.com"),
    "uri": (
        "https://example.com/", "https://example.com/a", "ftp://example.com/", "ws://example.com/", "file:///a",
        "redis://example.com:6379/0", "mysql://ann@example.com:3306/a", "mariadb://ann@example.com:3306/a",
        "amqp://example.com/", "kafka://example.com:9092", "clickhouse://example.com:9000/a",
        "snowflake://ann@example.com/a",
    ),
    "multi-host-uri": (
        "postgres://ann@example.com:5432/a", "mongodb://example.com:27017/a", "nats://example.com:4222", "kafka://a:1",
    ),
    "hostname": ("example.com", "example.org"),
    "ipv4": ("192.0.2.1", "192.0.2.2"),
    "ipv6": ("2001:db8::1", "2001:db8::2"),
    "ipv4network": ("192.0.2.0/24",),
    "ipv6network": ("2001:db8::/32",),
    "ipv4interface": ("192.0.2.1/24",),
    "ipv6interface": ("2001:db8::1/32",),
    "ipvanyaddress": ("192.0.2.1",),
    "ipvanynetwork": ("192.0.2.0/24",),
    "ipvanyinterface": ("192.0.2.1/24",),
    "fraction": ("1/2", "1/3"),
    "binary": ("aGk=", "aGV5"),
    "base64": ("aGk=", "aGV5"),
    "base64url": ("aGk=", "aGV5"),
    "regex": ("a+", "b+"),
    "directory-path": (".",),
    "file-path": (__file__,),
    "name-email": ("Ann <ann@example.com>", "Bob <bob@example.com>"),
    "color": ("red", "blue"),
    **dict.fromkeys(("uuid", "uuid1", "uuid3", "uuid4", "uuid5", "uuid6", "uuid7", "uuid8"), _UUIDS),
}  # fmt: skip


def kinds_of(schema: JsonObject) -> tuple[str, ...]:
    """The JSON types that a schema names, or that its keywords are for; none where it leaves them open."""
    return types_of(schema) or tuple(dict.fromkeys(kind for word, kind in _IMPLIED.items() if word in schema))


def others_of(schema: JsonObject) -> JsonObject | None:
    """What the undeclared keys of an object hold, where it is a map; an open one without properties holds anything."""
    others = schema.get("additionalProperties", True)
    if isinstance(others, dict):
        return others
    says = {"properties", "required"} & schema.keys()  # beside what it says of some keys it is no map of all
    return {} if others and not says else None


def without_booleans(schema: JsonObject) -> JsonObject:
    """A copy in which `true` and `false`, where they stand for a schema of a value, are written as objects."""

    def written(held: Any) -> Any:
        return ({} if held else dict(NOTHING)) if isinstance(held, bool) else held

    def change(node: JsonObject, _: str) -> JsonObject:
        node = dict(node)
        for keyword in node.keys() & {"anyOf", "oneOf", "prefixItems"}:
            node[keyword] = [written(held) for held in node[keyword]]
        if "properties" in node:
            node["properties"] = {name: written(held) for name, held in node["properties"].items()}
        if "items" in node:
            node["items"] = written(node["items"])
        return node

    return map_schema(schema, change)


class Samples:
    """Makes values for the schemas inside one root schema, whose `$defs` they refer to.

    Author's examples and defaults come first, then the simplest values; objects have what is required alone.
    `name` is what the root schema is of, for errors.
    """

    def __init__(self, root: JsonObject, name: str = "the schema") -> None:
        self.root = root
        self.name = name
        self._referees: dict[str, Referee] = {}
        self._known: dict[str, list[JsonValue]] = {}

    def allows(self, schema: JsonObject, value: JsonValue) -> bool:
        """Whether a schema inside the root allows a value."""
        text = json.dumps(schema)
        if text not in self._referees:
            self._referees[text] = referee({**schema, "$defs": self.root.get("$defs", {})})
        return self._referees[text](value)

    def of(self, schema: JsonObject, most: int = _FEW, inside: tuple[str, ...] = ()) -> list[JsonValue]:
        """Up to `most` different values of a schema; none where none can be made.

        `inside` are the references on the way to it: what leads back to one of them has no end.
        """
        ref = schema.get("$ref")
        if ref in inside:
            return []
        key = json.dumps((schema, most))
        if key not in self._known:
            resolved = resolve(schema, self.root)
            found = self._found(resolved, most, (*inside, ref) if ref else inside)
            if not found:  # which may be for what it is inside of
                return found
            self._known[key] = found
        return self._known[key]

    def one(self, schema: JsonObject, steps: Steps) -> JsonValue:
        """The first value of a schema, which is at these steps from the root; DefinitionError if there is none."""
        for value in self.of(schema):
            return value
        raise self.none(path_text(steps), f"from {json.dumps(schema)}")

    def none(self, path: str, why: str) -> DefinitionError:
        """What to raise where no good value of a place can be had."""
        return DefinitionError(
            f"{self.name}: no good value of {path} can be made up ({why}), and bad ones are made of good ones. "
            "Give an example of it: `Annotated[..., Field(examples=[...])]`."
        )

    def _found(self, schema: JsonObject, most: int, inside: tuple[str, ...]) -> list[JsonValue]:
        found: dict[str, JsonValue] = {}
        if max(schema.get(word, 0) for word in _LEAST) > _LONGEST:
            return []
        for value in islice(self._candidates(schema, most, inside), _MOST_TRIES + most):
            text = json.dumps(value)
            if text not in found and self.allows(schema, value):
                found[text] = value
            if len(found) == most:
                break
        return list(found.values())

    def _candidates(self, schema: JsonObject, most: int, inside: tuple[str, ...]) -> Iterator[JsonValue]:
        yield from choices_of(schema)
        yield from schema.get("examples", ())
        if "default" in schema:
            yield schema["default"]
        ways = sorted(ways_of(schema, self.root, inside), key=lambda way: types_of(way[0]) == ("null",))
        yield from _in_turn(self.of(way, most, (*inside, ref) if ref else inside) for way, ref in ways)
        yield from _in_turn(self._of_kind(kind, schema, most, inside) for kind in kinds_of(schema) or _SCALARS)

    def _of_kind(self, kind: str, schema: JsonObject, most: int, inside: tuple[str, ...]) -> Iterator[JsonValue]:
        match kind:
            case "integer" | "number":
                return islice(_numbers(schema, kind), _MOST_TRIES)
            case "string":
                return self._texts(schema, most)
            case "array":
                return self._arrays(schema, most, inside)
            case "object":
                return self._objects(schema, most, inside)
            case "boolean":
                return iter((True, False))
            case _:
                return iter((None,))

    def _texts(self, schema: JsonObject, most: int) -> Iterator[str]:
        form, least = text_form(schema), schema.get("minLength", 0)
        if form is DECIMAL:
            yield from _decimals(schema.get(X_DECIMAL, {}))
        yield from near_limits(schema)
        if form is not None and form.example:
            yield form.example
        yield from _TEXTS.get(schema.get("format", ""), ())
        if "contentSchema" in schema:
            yield from map(json.dumps, self.of(schema["contentSchema"], most))
        if "pattern" in schema:
            yield from pattern_texts(schema["pattern"], least)
        yield from ("text", "")
        yield from (f"{sign * least or sign}" for sign in "abcdefghijklmnopqrstuvwxyz")
        yield from (f"text {number:0{max(least, 5) - 5}}" for number in range(_MOST_TRIES))

    def _arrays(self, schema: JsonObject, most: int, inside: tuple[str, ...]) -> Iterator[list[JsonValue]]:
        first, least = schema.get("prefixItems", []), schema.get("minItems", 0)
        for length in (least, least + 1):
            columns = [self.of(item, most, inside) for item in first[:length]]
            rest = self.of(schema.get("items", {}), most + length, inside) if length > len(first) else []
            columns += [rest[index:] + rest[:index] for index in range(length - len(first))]
            yield from map(list, _rows(columns))

    def _objects(self, schema: JsonObject, most: int, inside: tuple[str, ...]) -> Iterator[JsonObject]:
        properties, others = schema.get("properties", {}), others_of(schema)
        required = schema.get("required", ())
        columns = {name: self.of(properties.get(name, {}), most, inside) for name in required}
        least = schema.get("minProperties", 0)
        for name, held in self._more_members(schema, properties, others, least) if least > len(columns) else ():
            if name not in columns and len(columns) < least and (found := self.of(held, most, inside)):
                columns[name] = found
        for row in _rows(list(columns.values())):
            yield dict(zip(columns, row, strict=True))

    def _more_members(
        self, schema: JsonObject, properties: JsonObject, others: JsonObject | None, most: int
    ) -> Iterator[tuple[str, JsonObject]]:
        """The members that an object may have, with their schemas: the declared ones, then some of a map."""
        yield from properties.items()
        for pattern, held in schema.get("patternProperties", {}).items():
            yield from ((name, held) for name in islice(pattern_texts(pattern), most))
        if others is not None:
            keys = self.of({"type": "string", **schema.get("propertyNames", {})}, most + len(properties))
            yield from ((key, others) for key in keys if isinstance(key, str))


def _in_turn(columns: Any) -> Iterator[JsonValue]:
    """The first of each, then the second of each, and so on."""
    end = object()
    return (value for value in chain.from_iterable(zip_longest(*columns, fillvalue=end)) if value is not end)


def _rows(columns: list[list[JsonValue]]) -> Iterator[tuple[JsonValue, ...]]:
    """One value of each column; in the next row the next ones, where a column starts again at its end."""
    if all(columns):
        for index in range(max(map(len, columns), default=1)):
            yield tuple(column[index % len(column)] for column in columns)


def _numbers(schema: JsonObject, kind: str) -> Iterator[int | float]:
    """Numbers near the bounds, from the lower one up where there is one."""
    lows = [schema[word] for word in ("minimum", "exclusiveMinimum") if word in schema]
    highs = [schema[word] for word in ("maximum", "exclusiveMaximum") if word in schema]
    step = schema.get("multipleOf", 1)
    low = max(lows, default=min([1, *highs]))
    start = -(-low // step) * step
    if kind == "integer":
        start = int(start)
    yield start
    if kind == "number" and "multipleOf" not in schema:
        yield start + 0.5
    yield from highs
    yield from (start + step * count for count in range(1, _MOST_TRIES // 4))
    yield from (start - step * count for count in range(1, _MOST_TRIES // 4))
    if lows and highs:
        yield from (low + (min(highs) - low) / parts for parts in (2, 4, 8))


def _decimals(limits: Mapping[str, str]) -> Iterator[str]:
    bounds = [Decimal(limits[word]) for word in limits if word.endswith("imum")]
    bounds += [(low + high) / 2 for low, high in pairwise(sorted(bounds))]
    step = Decimal(limits.get("multipleOf", "1"))
    fine = Decimal(1).scaleb(-int(limits.get("decimalPlaces", "2")))
    for bound in (Decimal(1), *bounds, Decimal(0)):
        yield from (format(bound + move, "f") for move in (0, step, -step, fine, -fine))
    yield from (format(step * count, "f") for count in range(2, _FEW))
