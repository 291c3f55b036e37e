"""pydantic's JSON Schema, spelled as this library does, for every version of pydantic alike."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping
from enum import Flag
from typing import Any, Literal

from pydantic import Secret
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import CoreModeRef, DefsRef, GenerateJsonSchema, JsonRef
from pydantic_core import core_schema

from magic_tools.errors import DefinitionError
from magic_tools.schema.binary import RAW
from magic_tools.schema.bounds import BOUNDED, BOUNDS, handed_on, overlaid
from magic_tools.schema.defaults import json_default
from magic_tools.schema.definitions import marked_name, references
from magic_tools.schema.docstrings import DocTexts, read_docstring
from magic_tools.schema.fields import field_keys, fields_of
from magic_tools.schema.hidden import refuse_hidden
from magic_tools.schema.key_names import key_names
from magic_tools.schema.leaf_schemas import LeafSchemas
from magic_tools.schema.limits import UUID, with_limits
from magic_tools.schema.prepare import is_mere_member
from magic_tools.schema.samples import is_foreign
from magic_tools.schema.texts import class_docs, describe, field_annotations, member_texts, say
from magic_tools.schema.walk import subschemas
from magic_tools.schema.wording import CHOICES, PROSE, WORDS
from magic_tools.values import JsonObject

__all__ = ["OTHER_KEYS", "Side", "generated"]

Side = Literal["input", "output"]

_Mode = Literal["validation", "serialization"]
_MODES: Mapping[Side, _Mode] = {"input": "validation", "output": "serialization"}

OTHER_KEYS = "x-other-keys"
"""The other keys under which a property may come, each with the property's own; never in a schema that a model sees."""

# In pydantic's references, of the form `module.Class:number[module.Class:number, ...]`, all but the names.
_OTHER_THAN_NAME = re.compile(r"(?:[^.\[\],:]+\.)+|:[^\[\],]+")

# How a class has its bytes in JSON, by its config; without one pydantic would lose what is no UTF-8.
_BYTES_AS: Mapping[str, JsonObject] = {
    "utf8": {},
    "base64": {"contentEncoding": "base64url"},
    "hex": {"contentEncoding": "base16"},
}


def generated(schema: core_schema.CoreSchema, side: Side, *, closed: bool) -> tuple[JsonObject, bool]:
    """The JSON Schema of a core schema, and whether some object type says what it does with undeclared keys.

    With `closed`, objects take no undeclared keys unless their own config says otherwise. PydanticUserError
    if no schema can state a type, DefinitionError if a text is said of a value that there is not.
    """
    generator = _Generator(_MODES[side], closed=closed)
    return generator.whole(schema), generator.mixed


class _Generator(LeafSchemas):
    """pydantic's generator, with the spelling of this library and without what pydantic gets wrong."""

    mode: _Mode = "validation"  # a plain attribute in place of a property that a type's config could change

    def __init__(self, mode: _Mode, *, closed: bool) -> None:
        super().__init__(by_alias=True)
        # Functions as a branch of a union, and objects as a default, are for Python's callers alone.
        self.ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}
        self.mode = mode
        self.closed = closed
        self.mixed = False

    def whole(self, schema: core_schema.CoreSchema) -> JsonObject:
        """The schema with those of its definitions that it leads to; a root that is one of them alone stands itself."""
        core_definitions = schema["definitions"] if schema["type"] == "definitions" else ()
        self.core_definitions = {definition["ref"]: definition for definition in core_definitions}
        written = self.generate_inner(schema)
        definitions: dict[str, JsonObject] = {}
        inner: set[str] = set()
        ahead = references(written)
        while ahead:
            name = ahead.pop()
            if name not in definitions:
                definitions[name] = self.get_schema_from_definitions(JsonRef(f"#/$defs/{name}")) or {}
                found = references(definitions[name])
                inner.update(found)
                ahead += reversed(found)
        root = written.get("$ref", "").removeprefix("#/$defs/")
        if written.keys() == {"$ref"} and root not in inner:
            written = definitions.pop(root)
        return {**written, "$defs": definitions} if definitions else written

    def get_defs_ref(self, core_mode_ref: CoreModeRef) -> DefsRef:
        """The class's name, and a mark where another class has it already."""
        name = self.normalize_name(_OTHER_THAN_NAME.sub("", core_mode_ref[0]))
        return DefsRef(marked_name(name, self.defs_to_core_refs))

    def build_schema_type_to_method(self) -> dict[Any, Callable[[Any], JsonObject]]:
        self.by_type = _Methods(self)
        return self.by_type

    def generate_inner(self, schema: Any) -> JsonObject:
        """As pydantic does it, and sooner where a type has no name, and no words of its own for its schema."""
        if schema["type"] in BOUNDED:
            schema = handed_on(schema, self.core_definitions)
        if BOUNDS in schema:
            return self._with_bounds(schema)
        own_writing = "serialization" in schema and self.mode == "serialization"
        if "ref" in schema or schema.get("metadata") or own_writing:
            return super().generate_inner(schema)
        return self.by_type[schema["type"]](schema)

    def _with_bounds(self, schema: Any) -> JsonObject:
        """The JSON Schema of what is held to bounds; without them where an author's own function writes it."""
        written = self.generate_inner({key: held for key, held in schema.items() if key != BOUNDS})
        if self.mode == "serialization" and is_foreign(schema.get("serialization", {}).get("function")):
            return written
        for bound in schema[BOUNDS]:
            written = overlaid(written, bound.name, bound.limit)
        return written

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - no title is set
        return False

    def sort(self, value: JsonObject, parent_key: str | None = None) -> JsonObject:  # noqa: ARG002 - as above
        return value  # it is put in order at the end, when all that it says is there

    def encode_default(self, dft: Any) -> Any:
        return json_default(dft)

    def is_subclass_schema(self, schema: core_schema.IsSubclassSchema) -> JsonObject:
        raise PydanticInvalidForJsonSchema(f"a class, such as {schema['cls'].__name__}, is no value")

    def generator_schema(self, schema: core_schema.GeneratorSchema) -> JsonObject:
        if self.mode == "validation":
            raise PydanticInvalidForJsonSchema("an Iterable inside a class is read unchecked: use a list there")
        return super().generator_schema(schema)

    def field_is_present(self, field: Any) -> bool:
        if self.mode == "validation" and field.get("init") is False:
            return False  # a dataclass sets it itself
        return super().field_is_present(field)

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonObject:
        unread = [value for value in schema["expected"] if isinstance(value, bytes) or is_mere_member(value)]
        if unread and self.mode == "validation":
            raise PydanticInvalidForJsonSchema(f"pydantic reads no {unread[0]} for a Literal: use the value in JSON")
        return super().literal_schema(schema)

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonObject:
        members = list(dict.fromkeys(schema["members"]))  # an alias is the member that it stands for
        cls = schema["cls"]
        if self.mode == "validation":
            if issubclass(cls, Flag):
                raise PydanticInvalidForJsonSchema(f"{cls.__name__} is a Flag, whose values are more than its members")
            if not all(_is_readable(member.value) for member in members):
                raise PydanticInvalidForJsonSchema(f"{cls.__name__} has members that are no JSON scalar")
        written = super().enum_schema({**schema, "members": members})
        told = member_texts(cls, members)
        prose = _prose(cls.__doc__, read_docstring(cls.__doc__))
        return {**written, **prose, **({CHOICES: told} if told else {})}

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonObject:
        written = {"additionalProperties": True, **super().dict_schema(schema)}
        names = written.pop("propertyNames", {})
        for pattern, values in written.pop("patternProperties", {}).items():
            names, written["additionalProperties"] = {**names, "pattern": pattern}, values
        if "keys_schema" in schema and self.mode == "validation":
            names = self._names_of(schema["keys_schema"])
        return {**written, "propertyNames": names} if names else written

    def call_schema(self, schema: core_schema.CallSchema) -> JsonObject:
        if not isinstance(schema["function"], type):  # a NamedTuple is read by a call of its class
            raise PydanticInvalidForJsonSchema(f"{schema['function']!r} is a function and no type")
        return self._placed(super().call_schema(schema), schema["function"])

    def named_tuple_schema(self, schema: core_schema.NamedTupleSchema) -> JsonObject:
        return self._placed(super().named_tuple_schema(schema), schema["cls"])  # which pydantic 2.12 has as a call

    def _placed(self, written: JsonObject, cls: Any) -> JsonObject:
        """The schema of a NamedTuple with its texts; a place of which nothing is said has its field's name."""
        annotations, docs = field_annotations(cls), class_docs(cls)
        for name, held in zip(cls._fields, written.get("prefixItems", ()), strict=True):
            refuse_hidden(annotations.get(name), f"its field {name!r}")
            describe(held, annotations.get(name))
            say(held, docs.parameters.get(name, ""))
            if "$ref" in held and "description" not in held:
                held[WORDS] = [f"Name: {name}."]  # beside what the class may say of itself
            say(held, "" if "$ref" in held else name)
        description = {"description": inspect.cleandoc(cls.__doc__)} if _is_documented(cls) else {}
        return {**written, **description, **_prose(cls.__doc__, docs)}

    def json_or_python_schema(self, schema: core_schema.JsonOrPythonSchema) -> JsonObject:
        written = super().json_or_python_schema(schema)
        return {**written, "writeOnly": True} if _is_secret(schema) else written

    def str_schema(self, schema: core_schema.StringSchema) -> JsonObject:
        pattern: Any = schema.get("pattern")
        if isinstance(pattern, re.Pattern) and pattern.flags != re.compile(pattern.pattern).flags:
            raise DefinitionError(
                f"the pattern {pattern.pattern!r} has flags, which JSON Schema has none of. "
                "Say it in the pattern itself, such as [Aa] for an a of either case."
            )
        return super().str_schema(schema)

    def uuid_schema(self, schema: core_schema.UuidSchema) -> JsonObject:
        return with_limits(super().uuid_schema(schema), schema, UUID)

    def tuple_schema(self, schema: core_schema.TupleSchema) -> JsonObject:
        limits = {name: schema[name] for name in ("min_length", "max_length") if name in schema}
        bare: Any = {key: held for key, held in schema.items() if key not in limits}
        written: JsonObject = super().tuple_schema(bare)
        for name, limit in limits.items():
            written = overlaid(written, name, limit)  # beside what its items say of its length
        if "variadic_item_index" not in schema and written["minItems"] > written["maxItems"]:
            raise DefinitionError(f"no tuple of {len(schema['items_schema'])} items is within its limits. Loosen them.")
        return written

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonObject:
        written = super().tagged_union_schema(schema)
        if "discriminator" in written:  # its mapping says again what the branches' constants say
            written["discriminator"] = {"propertyName": written["discriminator"]["propertyName"]}
        return written

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonObject:
        written = super().model_schema(schema)
        if schema.get("root_model"):
            return self._with_bytes(written, schema.get("config", {}))
        return self._settled(written, schema, schema["cls"])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonObject:
        cls = schema["cls"]
        written = super().dataclass_schema(schema)
        if _is_documented(cls):
            written.setdefault("description", inspect.cleandoc(cls.__doc__ or ""))
        return self._settled(written, schema, cls)

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonObject:
        return self._settled(super().typed_dict_schema(schema), schema, schema.get("cls"))

    def _settled(self, written: JsonObject, schema: Any, cls: type | None) -> JsonObject:
        """An object's schema with its texts, its other keys, and what becomes of undeclared keys."""
        config = schema.get("config", {})
        stated = "extra_fields_behavior" in config or schema.get("extra_behavior", "ignore") != "ignore"
        self.mixed = self.mixed or stated
        if self.closed and not stated:
            written.setdefault("additionalProperties", False)
        reading = self.mode == "validation"
        doc = cls.__doc__ if cls else None
        annotations, docs = field_annotations(cls), class_docs(cls)
        others: dict[str, str] = {}
        owners: dict[str, str] = {}
        for name, field in fields_of(schema).items():
            refuse_hidden(annotations.get(name), f"its field {name!r}")
            key, *further = field_keys(name, field, reading=reading)
            if config.get("validate_by_name") and name != key:
                further.append(name)
            for taken in (key, *further):
                if owners.setdefault(taken, name) != name:
                    raise DefinitionError(f"the fields {owners[taken]!r} and {name!r} both have the key {taken!r}")
            others |= dict.fromkeys(further, key)
            held = written.get("properties", {}).get(key, {})
            describe(held, annotations.get(name))
            say(held, docs.parameters.get(name, ""))
        if others and reading:
            written[OTHER_KEYS] = others
        return self._with_bytes({**written, **_prose(doc, docs)}, config)

    def _with_bytes(self, written: JsonObject, config: Any) -> JsonObject:
        """A class's schema with how its config has bytes in JSON, where it says so."""
        mode = config.get("val_json_bytes" if self.mode == "validation" else "ser_json_bytes")
        for field in (*written.get("properties", {}).values(), written) if mode in _BYTES_AS else ():
            raw = [inner for inner in _inside(field) if inner.pop(RAW, False)]
            for inner in raw:
                inner.update(_BYTES_AS[mode])
            if raw and mode != "base64":
                field.pop("default", None)  # which is told in base64
        return written

    def _names_of(self, keys: Any) -> JsonObject:
        """What the keys of an object have to be, as text; DefinitionError where no text can be one."""
        written = self.generate_inner(keys)
        while keys["type"] in BOUNDED or keys["type"] == "definition-ref":
            known = self.core_definitions
            below = known[keys["schema_ref"]] if "schema_ref" in keys else handed_on(keys, known)
            if below is keys:
                break
            keys = below
        counted = keys["type"] == "enum" and keys.get("sub_type") == "int"
        return key_names(written, lambda ref: self.get_schema_from_definitions(JsonRef(ref)) or {}, counted=counted)


class _Methods(dict[Any, Callable[[Any], JsonObject]]):
    """The methods of a generator by the types of core schemas, each looked up when it is first wanted."""

    def __init__(self, generator: GenerateJsonSchema) -> None:
        super().__init__()
        self.generator = generator

    def __missing__(self, kind: str) -> Callable[[Any], JsonObject]:
        method: Callable[[Any], JsonObject] = getattr(self.generator, f"{kind.replace('-', '_')}_schema")
        self[kind] = method
        return method


def _is_readable(value: Any) -> bool:
    """Whether pydantic finds an enum's member by this value in JSON."""
    return (isinstance(value, float) and math.isfinite(value)) or isinstance(value, str | int | None)


def _is_secret(schema: core_schema.JsonOrPythonSchema) -> bool:
    """Whether it is that of a `pydantic.Secret`, of which pydantic's own JSON Schema says nothing."""
    function = schema["python_schema"].get("function", {}).get("function")
    return getattr(function, "__qualname__", "").startswith(f"{Secret.__qualname__}.")


def _is_documented(cls: type) -> bool:
    """Whether a class has a docstring other than the one that Python writes for dataclasses and NamedTuples."""
    return bool(cls.__doc__) and not str(cls.__doc__).startswith(f"{cls.__name__}(")


def _prose(doc: str | None, docs: DocTexts) -> JsonObject:
    return {PROSE: [inspect.cleandoc(doc), docs.prose]} if doc else {}


def _inside(schema: JsonObject) -> Iterator[JsonObject]:
    yield schema
    for inner in subschemas(schema):
        yield from _inside(inner)
