"""The drafts of JSON Schema: which one a schema is written in, and its words in those of draft 2020-12."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from magic_tools.errors import DefinitionError
from magic_tools.schema.guard.budgets import refusal
from magic_tools.schema.walk import escaped, types_of
from magic_tools.values import JsonObject

__all__ = ["check_spelling", "draft_of", "in_2020_12"]

# The meta-schemas by what their addresses end in (json-schema.org/specification-links, November 2026).
_NEWEST = "draft/2020-12"
_META: Mapping[str, str] = {
    _NEWEST: "https://json-schema.org/draft/2020-12/schema",
    "draft/2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "draft-06": "http://json-schema.org/draft-06/schema#",
    "draft-04": "http://json-schema.org/draft-04/schema#",
}
_ADDRESS = re.compile(r"https?://json-schema\.org/(?P<draft>[a-z0-9/-]+)/schema#?")

_USUAL = (_NEWEST, "draft-07", "draft-04")
"""The drafts whose spellings are taken from a schema that names another draft, or none."""

# Keywords that a draft's meta-schema does not know, and so lets have any value.
_IN_2020 = frozenset({"prefixItems"})
_IN_2019 = _IN_2020 | {
    "dependentRequired", "dependentSchemas", "minContains", "maxContains", "unevaluatedItems",
    "unevaluatedProperties", "contentSchema", "deprecated",
}  # fmt: skip
_IN_07 = _IN_2019 | {"if", "then", "else", "readOnly", "writeOnly", "contentEncoding", "contentMediaType"}
_LATER: Mapping[str, frozenset[str]] = {
    _NEWEST: frozenset(),
    "draft/2019-09": _IN_2020,
    "draft-07": _IN_2019,
    "draft-06": _IN_07,
    "draft-04": _IN_07 | {"const", "contains", "propertyNames", "examples", "$ref"},
}

_LONE_REFS = frozenset({"draft-07", "draft-06", "draft-04"})
"""The drafts in which what stands beside a `$ref` counts for nothing."""

_MOST_CHARACTERS = 160


def draft_of(schema: JsonObject, where: str) -> str:
    """The draft that a schema names if it is spelled so, else a usual one that takes its spelling.

    DefinitionError where none does, and for a draft of another name.
    """
    named = schema.get("$schema")
    address = _ADDRESS.fullmatch(named) if isinstance(named, str) else None
    stated = address["draft"] if address else _NEWEST
    if stated not in _META or (named is not None and address is None):
        what = f"'$schema' names {named!r:.80}, which is no draft that is known here"
        raise refusal(where, "/$schema", what, f"Leave it out, or name one of {', '.join(_META.values())}.")
    faults = []
    for draft in (stated, *_USUAL):
        fault = _fault(schema, draft, "", where)
        if fault is None:
            return draft
        faults.append(fault)
    raise faults[0]


def check_spelling(schema: JsonObject, draft: str, pointer: str, where: str) -> None:
    """DefinitionError where a keyword has a value that the draft's meta-schema forbids."""
    fault = _fault(schema, draft, pointer, where)
    if fault is not None:
        raise fault


def _fault(schema: JsonObject, draft: str, pointer: str, where: str) -> DefinitionError | None:
    """What a draft's meta-schema has against a schema."""
    import jsonschema_rs

    # Always one of the addresses above: for another one the library would ask the network.
    try:
        jsonschema_rs.meta.validate({**schema, "$schema": _META[draft]})
    except jsonschema_rs.ValidationError as error:
        place = "".join(f"/{escaped(str(step))}" for step in error.instance_path)
        why = error.message if len(error.message) <= _MOST_CHARACTERS else f"{error.message[:_MOST_CHARACTERS]}..."
        what = f"a keyword has a value that JSON Schema ({draft}) forbids: {why}"
        return refusal(where, pointer + place, what, "Give it one that its draft allows.")
    return None


def in_2020_12(schema: JsonObject, draft: str, pointer: str, where: str) -> JsonObject:
    """One schema, whose draft takes its spelling, in the words of draft 2020-12; those inside it stay as they are.

    A keyword of a later draft keeps its meaning; DefinitionError where its value is wrong.
    """
    later = {keyword: held for keyword, held in schema.items() if keyword in _LATER[draft]}
    if later:
        check_spelling(later, _NEWEST, pointer, where)
    for word in (*_REWORDED[draft], _with_null):
        schema = word(schema)
    if draft in _LONE_REFS and "$ref" in schema:
        schema = {keyword: held for keyword, held in schema.items() if keyword in _BESIDE_A_REF}
    return schema


_BESIDE_A_REF = frozenset(
    {"$ref", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
)  # fmt: skip


def _with_prefix_items(schema: JsonObject) -> JsonObject:
    """A list of `items` is `prefixItems`, and `additionalItems` are the `items` after them."""
    further = schema.get("additionalItems", True)
    schema = {keyword: held for keyword, held in schema.items() if keyword != "additionalItems"}
    if not isinstance(schema.get("items"), list):
        return schema
    first = schema.pop("items")
    return {**schema, "prefixItems": first, **({} if further is True else {"items": further})}


def _with_dependents(schema: JsonObject) -> JsonObject:
    """`dependencies` are `dependentRequired` where they list names, and else `dependentSchemas`."""
    schema = dict(schema)
    names, schemas = dict(schema.get("dependentRequired", {})), dict(schema.get("dependentSchemas", {}))
    for name, held in schema.pop("dependencies", {}).items():
        if isinstance(held, list):
            names[name] = list(dict.fromkeys([*names.get(name, ()), *held]))
        else:
            schemas[name] = {"allOf": [schemas[name], held]} if name in schemas else held
    stated = {"dependentRequired": names, "dependentSchemas": schemas}
    return {**schema, **{keyword: held for keyword, held in stated.items() if held}}


def _with_null(schema: JsonObject) -> JsonObject:
    """`nullable: true` is null as one more type, and nothing where no type is stated (OpenAPI 3.0.3, schema object)."""
    kinds = types_of(schema)
    if schema.get("nullable") is not True or not kinds or "null" in kinds:
        return schema
    return {**schema, "type": [*kinds, "null"]}


def _with_exclusive_numbers(schema: JsonObject) -> JsonObject:
    """`exclusiveMinimum: true` beside a `minimum` is that number as the exclusive one."""
    schema = dict(schema)
    for keyword, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if schema.pop(keyword, False):
            schema[keyword] = schema.pop(bound)
    return schema


_Rewording = Callable[[JsonObject], JsonObject]
_REWORDED: Mapping[str, tuple[_Rewording, ...]] = {
    _NEWEST: (_with_dependents,),
    "draft/2019-09": (_with_prefix_items, _with_dependents),
    "draft-07": (_with_prefix_items, _with_dependents),
    "draft-06": (_with_prefix_items, _with_dependents),
    "draft-04": (_with_prefix_items, _with_dependents, _with_exclusive_numbers),
}
"""What each draft spells in another way than 2020-12 (json-schema.org/draft/2020-12/release-notes, June 2022).

`dependencies` too, whatever the draft: the newer ones' meta-schemas keep it free for its old meaning.
"""
