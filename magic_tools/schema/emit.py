"""The canonical JSON Schema of an annotation: draft 2020-12, without titles, stable to the byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema
from typing_extensions import get_type_hints

from magic_tools.schema.walk import definition_name, map_schema, subschemas
from magic_tools.values import JsonObject

__all__ = ["DECIMAL_PATTERN", "Emitted", "Side", "emit", "stated_text"]

Side = Literal["input", "output"]

DECIMAL_PATTERN = "^[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$"
"""How a Decimal is written: a JSON string of digits. No backslash, which some grammar converters choke on."""

_MODES: Mapping[Side, Literal["validation", "serialization"]] = {"input": "validation", "output": "serialization"}

_BOUND_WORDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than", "multiple_of": "a multiple of"}

_BOUNDS = "x-bounds"
"""Carries a Decimal's bounds, which no keyword can state of a string, until they become words of its text."""

_KEYWORD_ORDER = {
    keyword: rank
    for rank, keyword in enumerate(
        ("$ref", "type", "description", "enum", "const", "format", "pattern", "properties", "required",
         "additionalProperties", "items", "prefixItems", "anyOf", "oneOf", "allOf", "default", "examples")
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Emitted:
    """A canonical schema; `mixed` where some object type says in so many words what it does with undeclared keys."""

    schema: JsonObject
    mixed: bool


def emit(
    adapter: TypeAdapter[Any], side: Side, *, closed: bool, additions: Mapping[str, JsonObject] | None = None
) -> Emitted:
    """The canonical schema of what an adapter validates (`input`) or writes (`output`).

    With `closed`, objects take no undeclared keys unless their own config says otherwise.
    `additions` gives keywords to the root's properties, by name, that they do not have themselves.
    """
    generator = _Canonical(closed=closed)
    schema = generator.generate(adapter.core_schema, mode=_MODES[side])
    for name, keywords in (additions or {}).items():
        schema["properties"][name] = {**keywords, **schema["properties"][name]}
    return Emitted(_inline_single_uses(map_schema(schema, _tidy)), generator.mixed)


def stated_text(metadata: tuple[Any, ...] | list[Any]) -> str | None:
    """The text in `Annotated[T, "text"]`: the first bare string of the metadata."""
    return next((item for item in metadata if isinstance(item, str)), None)


class _Canonical(GenerateJsonSchema):
    """pydantic's generator with our spelling of Decimals, undeclared keys and `Annotated` texts."""

    def __init__(self, *, closed: bool) -> None:
        super().__init__(by_alias=True)
        self.closed = closed
        self.mixed = False

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonObject:
        bounds = {key: held for key, held in schema.items() if key in _BOUND_WORDS}
        return {"type": "string", "pattern": DECIMAL_PATTERN, **({_BOUNDS: bounds} if bounds else {})}

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonObject:
        cls = schema["cls"]
        written = self._settle(super().model_schema(schema), schema)
        texts = {name: stated_text(field.metadata) for name, field in cls.model_fields.items()}
        for name, field in cls.model_fields.items():
            for key in (field.serialization_alias, field.validation_alias, field.alias, name):
                if isinstance(key, str):
                    _describe(written, key, texts[name])
        return written

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonObject:
        return self._with_hints(self._settle(super().dataclass_schema(schema), schema), schema["cls"])

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonObject:
        written = self._settle(super().typed_dict_schema(schema), schema)
        return self._with_hints(written, schema.get("cls"))

    def _settle(self, written: JsonObject, schema: Any) -> JsonObject:
        stated = "additionalProperties" in written or "extra_fields_behavior" in schema.get("config", {})
        self.mixed = self.mixed or stated
        if self.closed and not stated and "properties" in written:
            written["additionalProperties"] = False
        return written

    def _with_hints(self, written: JsonObject, cls: type | None) -> JsonObject:
        for name, hint in _hints(cls).items():
            _describe(written, name, stated_text(getattr(hint, "__metadata__", ())))
        return written


def _hints(cls: type | None) -> dict[str, Any]:
    if cls is None:
        return {}
    try:
        return get_type_hints(cls, include_extras=True)
    except NameError:
        # pydantic resolved the names where the class stands; a text that cannot be found so is left out.
        return {}


def _describe(written: JsonObject, key: str, text: str | None) -> None:
    field = written.get("properties", {}).get(key)
    if text and isinstance(field, dict):
        field.setdefault("description", text)


def _tidy(schema: JsonObject, _: str = "") -> JsonObject:
    """Drop titles, turn a Decimal's bounds into words, and put the keywords in their order."""
    kept = {keyword: held for keyword, held in schema.items() if keyword not in ("title", _BOUNDS)}
    if bounds := schema.get(_BOUNDS):
        words = " and ".join(f"{_BOUND_WORDS[key]} {bound}" for key, bound in bounds.items())
        kept["description"] = f"{kept.get('description', '')} A decimal number, {words}.".strip()
    return dict(sorted(kept.items(), key=lambda item: (_KEYWORD_ORDER.get(item[0], len(_KEYWORD_ORDER)), item[0])))


def _inline_single_uses(schema: JsonObject) -> JsonObject:
    """Put each definition that is used once, and not inside itself, where it is used."""
    definitions: dict[str, JsonObject] = schema.get("$defs", {})
    uses = Counter(_references(schema))
    once = {name for name in definitions if uses[name] == 1 and name not in _reachable(name, definitions)}

    def inline(node: JsonObject, _: str) -> JsonObject:
        name = _referred(node)
        if name not in once:
            return node
        target = map_schema(definitions[name], inline)
        return _tidy({**target, **{keyword: held for keyword, held in node.items() if keyword != "$ref"}})

    kept = {name: map_schema(definition, inline) for name, definition in definitions.items() if name not in once}
    body = map_schema({keyword: held for keyword, held in schema.items() if keyword != "$defs"}, inline)
    return {**body, "$defs": dict(sorted(kept.items()))} if kept else body


def _reachable(name: str, definitions: Mapping[str, JsonObject]) -> set[str]:
    reached: set[str] = set()
    ahead = [name]
    while ahead:
        for reference in _references(definitions[ahead.pop()]):
            if reference not in reached:
                reached.add(reference)
                ahead.append(reference)
    return reached


def _references(schema: JsonObject) -> Iterator[str]:
    if name := _referred(schema):
        yield name
    for inner in subschemas(schema):
        yield from _references(inner)


def _referred(schema: JsonObject) -> str | None:
    ref = schema.get("$ref")
    return definition_name(ref) if isinstance(ref, str) else None
