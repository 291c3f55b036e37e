"""The canonical JSON Schema of an annotation: draft 2020-12, without titles, stable to the byte."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import PydanticUserError, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from magic_tools.errors import DefinitionError
from magic_tools.schema.binary import RAW
from magic_tools.schema.definitions import inline_shorter, shorten_names
from magic_tools.schema.depth import unrolled
from magic_tools.schema.fields import field_keys, fields_of
from magic_tools.schema.generator import OTHER_KEYS, Side, generated
from magic_tools.schema.limits import BYTES, with_limits
from magic_tools.schema.marks import MAX_DEPTH
from magic_tools.schema.tags import require_tags
from magic_tools.schema.texts import describe, describe_root
from magic_tools.schema.walk import map_schema, subschemas
from magic_tools.schema.wording import worded
from magic_tools.values import JsonObject

__all__ = ["OTHER_KEYS", "Emitted", "Said", "Side", "check_stated", "emit"]


@dataclass(frozen=True, slots=True)
class Emitted:
    """A canonical schema, and what a reader of values needs beside it.

    `guide` is the schema with the other keys of its properties. `mixed` is true where some object
    type says in so many words what it does with undeclared keys.
    """

    schema: JsonObject
    guide: JsonObject
    mixed: bool


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of a root's field beside its type: what its `Field` states, its annotation's texts, the rest.

    Each counts more than the next; `keywords` only where the field's schema does not have them itself.
    """

    annotation: Any
    stated: FieldInfo | None
    keywords: JsonObject


def emit(
    adapter: TypeAdapter[Any],
    side: Side,
    *,
    where: str,
    closed: bool,
    annotation: Any = None,
    said: Mapping[str, Said] | None = None,
) -> Emitted:
    """The canonical schema of what an adapter validates (`input`) or writes (`output`).

    With `closed`, objects take no undeclared keys unless their own config says otherwise.
    `annotation` is what the adapter was made of, for the texts in it. `said` is of the root's fields, by
    name. DefinitionError, starting with `where`, if no schema can state a type.
    """
    written, mixed, keywords = _stated(
        adapter, side, where=where, closed=closed, annotation=annotation, said=said or {}
    )
    guide = shorten_names(inline_shorter(written, worded))
    schema = map_schema(guide, _without_other_keys) if OTHER_KEYS in keywords else guide
    return Emitted(schema, guide, mixed)


def check_stated(adapter: TypeAdapter[Any], *, where: str, annotation: Any = None, side: Side = "input") -> None:
    """DefinitionError, starting with `where`, if no schema can state what an adapter validates, or writes."""
    _stated(adapter, side, where=where, closed=True, annotation=annotation, said={})


def _stated(
    adapter: TypeAdapter[Any], side: Side, *, where: str, closed: bool, annotation: Any, said: Mapping[str, Said]
) -> tuple[JsonObject, bool, set[str]]:
    """All that a schema says of a type, whether it is mixed, and the keywords that it was generated with."""
    what = f"has the annotation {annotation!r}" if annotation is not None else "holds a type"
    try:
        written, mixed = generated(adapter.core_schema, side, closed=closed)
        describe_root(written, annotation)
        if said:
            _say_all(written, said, adapter.core_schema, reading=side == "input")
        present = _keywords(written)
        for keywords, settle in _SETTLED_AFTERWARDS:
            if not keywords.isdisjoint(present):
                written = settle(written)
    except PydanticUserError as error:
        raise DefinitionError(
            f"{where} {what}, which JSON cannot state ({error.message}). "
            "Use what has a JSON form: text, a number, a list, a dict with text for keys, a model."
        ) from error
    except DefinitionError as error:
        raise DefinitionError(f"{where} {what}: {error}") from None  # which says it all
    return written, mixed, present


def _say_all(written: JsonObject, said: Mapping[str, Said], core: Any, *, reading: bool) -> None:
    fields = fields_of(core["schema"] if core["type"] == "definitions" else core)
    for name, each in said.items():
        key = field_keys(name, fields[name], reading=reading)[0]
        held: JsonObject = written["properties"][key]
        if each.stated is not None:
            _state(held, each.stated)
        describe(held, each.annotation)
        written["properties"][key] = {**each.keywords, **held}


def _state(schema: JsonObject, stated: FieldInfo) -> None:
    """Put what a `Field` says of a value, and not of its type, into its schema, as pydantic does for a class."""
    told = {"description": stated.description, "examples": stated.examples, "deprecated": bool(stated.deprecated)}
    schema.update(to_jsonable_python({keyword: held for keyword, held in told.items() if held}))
    extra = stated.json_schema_extra
    if callable(extra):
        extra(schema)
    elif extra:
        schema.update(to_jsonable_python(extra))


def _with_encodings(schema: JsonObject) -> JsonObject:
    return map_schema(schema, _with_encoding)


def _with_encoding(schema: JsonObject, pointer: str) -> JsonObject:
    """Bytes with the encoding that JSON has them in, as far as their class or a mark of pydantic's says it."""
    raw = schema.get(RAW, False)
    kept = {keyword: held for keyword, held in schema.items() if keyword != RAW}
    if kept.get("format") in _ENCODINGS:
        kept["contentEncoding"] = kept.pop("format")
    if "contentEncoding" in kept:  # where a limit of what is read is none of the text
        limits = {name: kept.pop(keyword) for keyword, name in _LENGTHS.items() if keyword in kept}
        return with_limits(kept, limits, BYTES)
    if raw and "format" not in kept:  # which an encoding of the author's own has, and a secret text
        raise DefinitionError(
            f"the bytes at {pointer or '/'} are read as UTF-8 text, which not all bytes are. Give the class that holds "
            "them ConfigDict(val_json_bytes='base64', ser_json_bytes='base64') for its config (a NamedTuple has none: "
            "use a dataclass), or in an alias that leads back to itself write pydantic.Base64Bytes."
        )
    return kept


_ENCODINGS = ("base64", "base64url")
"""pydantic's formats of what it reads as base64; JSON Schema has a keyword for it."""

_LENGTHS = {"minLength": "min_length", "maxLength": "max_length"}


_SETTLED_AFTERWARDS: Sequence[tuple[frozenset[str], Callable[[JsonObject], JsonObject]]] = (
    (frozenset({RAW, "format", "contentEncoding"}), _with_encodings),
    (frozenset({"discriminator"}), require_tags),
    (frozenset({MAX_DEPTH}), unrolled),
)
"""What is done once a whole schema is there, each where one of these keywords is in it."""


def _keywords(schema: JsonObject) -> set[str]:
    """All keywords in a schema, at every depth."""
    found: set[str] = set()
    ahead = [schema]
    while ahead:
        node = ahead.pop()
        found.update(node)
        ahead.extend(subschemas(node))
    return found


def _without_other_keys(schema: JsonObject, _: str) -> JsonObject:
    return {keyword: held for keyword, held in schema.items() if keyword != OTHER_KEYS}
