"""The canonical JSON Schema of an annotation: draft 2020-12, without titles, stable to the byte."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Flag
from typing import Any, Literal

from pydantic import PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema, JsonRef
from pydantic_core import core_schema

from magic_tools.errors import DefinitionError
from magic_tools.schema.defaults import json_default
from magic_tools.schema.definitions import inline_single_uses, shorten_names
from magic_tools.schema.fields import field_keys, fields_of
from magic_tools.schema.forms import DECIMAL_PATTERN, INTEGER_PATTERN, NAIVE_PATTERN, text_form
from magic_tools.schema.texts import describe, field_annotations
from magic_tools.schema.walk import map_schema
from magic_tools.values import JsonObject

__all__ = ["OTHER_KEYS", "Emitted", "Side", "check_stated", "emit"]

Side = Literal["input", "output"]

_MODES: Mapping[Side, Literal["validation", "serialization"]] = {"input": "validation", "output": "serialization"}

_DECIMAL = "x-decimal"
"""What a Decimal is held to and no keyword can state of a string; its description says it in words."""

_WORDS = "x-words"
"""A sentence that becomes part of the description, after what the author says."""

_DECIMAL_LIMITS = {
    "ge": ("minimum", "at least {}"),
    "gt": ("exclusiveMinimum", "more than {}"),
    "le": ("maximum", "at most {}"),
    "lt": ("exclusiveMaximum", "less than {}"),
    "multiple_of": ("multipleOf", "a multiple of {}"),
    "max_digits": ("maxDigits", "at most {} digits"),
    "decimal_places": ("decimalPlaces", "at most {} decimal places"),
}

OTHER_KEYS = "x-other-keys"
"""The other keys under which a property may come, each with the property's own; never in a schema that a model sees."""

_KEY_TYPES = ("string", "integer")

_FULL_STOPS = tuple(".!?:;。！？：；…")

_KEYWORD_ORDER = {
    keyword: rank
    for rank, keyword in enumerate(
        ("$ref", "type", "description", "enum", "const", "format", "pattern", "properties", "required",
         "additionalProperties", "items", "prefixItems", "anyOf", "oneOf", "allOf", "default", "examples")
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Emitted:
    """A canonical schema, and what a reader of values needs beside it.

    `guide` is the schema with the other keys of its properties. `mixed` is true where some object
    type says in so many words what it does with undeclared keys.
    """

    schema: JsonObject
    guide: JsonObject
    mixed: bool


def emit(
    adapter: TypeAdapter[Any],
    side: Side,
    *,
    where: str,
    closed: bool,
    annotation: Any = None,
    additions: Mapping[str, JsonObject] | None = None,
) -> Emitted:
    """The canonical schema of what an adapter validates (`input`) or writes (`output`).

    With `closed`, objects take no undeclared keys unless their own config says otherwise.
    `annotation` is what the adapter was made of, for the texts in it. `additions` gives keywords to
    the root's fields, by name, that they do not have themselves. DefinitionError, starting with
    `where`, if no schema can state a type.
    """
    generator = _Canonical(closed=closed)
    written = _generated(generator, adapter, side, where, annotation)
    describe(written, annotation)
    core = adapter.core_schema
    fields = fields_of(core["schema"] if core["type"] == "definitions" else core)
    for name, keywords in (additions or {}).items():
        key = field_keys(name, fields[name], reading=side == "input")[0]
        written["properties"][key] = {**keywords, **written["properties"][key]}
    guide = map_schema(shorten_names(inline_single_uses(written)), _tidy)
    return Emitted(map_schema(guide, _without_other_keys), guide, generator.mixed)


def check_stated(adapter: TypeAdapter[Any], *, where: str, annotation: Any = None) -> None:
    """DefinitionError, starting with `where`, if no schema can state what an adapter validates."""
    _generated(_Canonical(closed=True), adapter, "input", where, annotation)


def _generated(
    generator: GenerateJsonSchema, adapter: TypeAdapter[Any], side: Side, where: str, annotation: Any
) -> JsonObject:
    try:
        return generator.generate(adapter.core_schema, mode=_MODES[side])
    except PydanticUserError as error:
        what = f"has the annotation {annotation!r}, which" if annotation is not None else "holds a type that"
        raise DefinitionError(
            f"{where} {what} JSON cannot state ({error.message}). "
            "Use what has a JSON form: text, a number, a list, a dict with text for keys, a model."
        ) from error


class _Canonical(GenerateJsonSchema):
    """pydantic's generator, with the spelling of this library and without what pydantic gets wrong."""

    def __init__(self, *, closed: bool) -> None:
        super().__init__(by_alias=True)
        # Functions as a branch of a union, and objects as a default, are for Python's callers alone.
        self.ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}
        self.closed = closed
        self.mixed = False

    def encode_default(self, dft: Any) -> Any:
        return json_default(dft)

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonObject:
        written: JsonObject = {"type": "string", "pattern": DECIMAL_PATTERN}
        limits = [(key, str(limit)) for key, limit in schema.items() if key in _DECIMAL_LIMITS]
        if limits:
            written[_DECIMAL] = {_DECIMAL_LIMITS[key][0]: limit for key, limit in limits}
            words = ", ".join(_DECIMAL_LIMITS[key][1].format(limit) for key, limit in limits)
            written[_WORDS] = f"A decimal number: {words}."
        return written

    def fraction_schema(self, _: Any) -> JsonObject:
        return {"type": "string", "format": "fraction"}  # a number in JSON is no fraction any more

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> JsonObject:
        if schema.get("tz_constraint") == "naive":
            return {"type": "string", "pattern": NAIVE_PATTERN}
        return super().datetime_schema(schema)

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonObject:
        members = list(dict.fromkeys(schema["members"]))  # an alias is the member that it stands for
        if self.mode == "validation":
            name = schema["cls"].__name__
            if issubclass(schema["cls"], Flag):
                raise PydanticInvalidForJsonSchema(f"{name} is a Flag, whose values are more than its members")
            if not all(_is_readable(member.value) for member in members):
                raise PydanticInvalidForJsonSchema(f"{name} has members that are no JSON scalar")
        return super().enum_schema({**schema, "members": members})

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonObject:
        written = super().dict_schema(schema)
        names = written.pop("propertyNames", {})
        for pattern, values in written.pop("patternProperties", {}).items():
            names, written["additionalProperties"] = {**names, "pattern": pattern}, values
        if "keys_schema" in schema and self.mode == "validation":
            names = self._checked_names(names, self.generate_inner(schema["keys_schema"]))
        return {**written, "propertyNames": names} if names else written

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonObject:
        written = super().tagged_union_schema(schema)
        if "discriminator" in written:  # its mapping says again what the branches' constants say
            written["discriminator"] = {"propertyName": written["discriminator"]["propertyName"]}
        return written

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonObject:
        written = super().model_schema(schema)
        return written if schema.get("root_model") else self._settled(written, schema, schema["cls"])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonObject:
        cls = schema["cls"]
        written = self._settled(super().dataclass_schema(schema), schema, cls)
        if cls.__doc__ and not cls.__doc__.startswith(f"{cls.__name__}("):  # which is what dataclasses write
            written.setdefault("description", inspect.cleandoc(cls.__doc__))
        return written

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonObject:
        return self._settled(super().typed_dict_schema(schema), schema, schema.get("cls"))

    def _settled(self, written: JsonObject, schema: Any, cls: type | None) -> JsonObject:
        """An object's schema with its texts, its other keys, and what becomes of undeclared keys."""
        config = schema.get("config", {})
        stated = "extra_fields_behavior" in config or schema.get("extra_behavior", "ignore") != "ignore"
        self.mixed = self.mixed or stated
        if self.closed and not stated:
            written.setdefault("additionalProperties", False)
        annotations = field_annotations(cls)
        others: dict[str, str] = {}
        for name, field in fields_of(schema).items():
            key, *further = field_keys(name, field, reading=self.mode == "validation")
            if config.get("validate_by_name") and name != key:
                further.append(name)
            others |= dict.fromkeys(further, key)
            if name in annotations:
                describe(written.get("properties", {}).get(key, {}), annotations[name])
        if others and self.mode == "validation":
            written[OTHER_KEYS] = others
        return written

    def _checked_names(self, names: JsonObject, keys: JsonObject) -> JsonObject:
        """What a dict's keys are held to; PydanticInvalidForJsonSchema where no text can be one of them."""
        if "$ref" in keys:
            keys = self.get_schema_from_definitions(JsonRef(keys["$ref"])) or {}
        choices = keys.get("enum", [keys["const"]] if "const" in keys else [])
        if not all(isinstance(choice, str) for choice in choices) or keys.get("type", "string") not in _KEY_TYPES:
            raise PydanticInvalidForJsonSchema(f"JSON has text for keys, and these are to be {keys}")
        return {"pattern": INTEGER_PATTERN} if keys.get("type") == "integer" else names


def _is_readable(value: Any) -> bool:
    """Whether pydantic finds an enum's member by this value in JSON."""
    return (isinstance(value, float) and math.isfinite(value)) or isinstance(value, str | int | None)


def _without_other_keys(schema: JsonObject, _: str) -> JsonObject:
    return {keyword: held for keyword, held in schema.items() if keyword != OTHER_KEYS}


def _tidy(schema: JsonObject, _: str) -> JsonObject:
    """Drop titles, say in words what no keyword can say, and put the keywords in their order."""
    kept = {keyword: held for keyword, held in schema.items() if keyword != "title"}
    words = [kept["description"]] if kept.get("description") else []
    if said := kept.pop(_WORDS, None):
        words.append(said)
    form = text_form(schema)
    if form is not None and form.example and "examples" not in schema:
        words.append(f"{form.wanted[0].upper()}{form.wanted[1:]}.")
    if words:
        kept["description"] = _sentences(words)
    return dict(sorted(kept.items(), key=lambda item: (_KEYWORD_ORDER.get(item[0], len(_KEYWORD_ORDER)), item[0])))


def _sentences(words: list[str]) -> str:
    """Texts in a row, each with a full stop where its author gave it none."""
    *first, last = words
    return " ".join([*(text if text.rstrip().endswith(_FULL_STOPS) else f"{text}." for text in first), last])
