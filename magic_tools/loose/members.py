"""The keys of an object held to those that are declared: near ones, nulls, and what cannot be a key."""

from __future__ import annotations

import json
from typing import Any

from magic_tools.loose.guide import droppable_nulls, omissible_nulls
from magic_tools.loose.issues import Place
from magic_tools.loose.mending import folded
from magic_tools.loose.phrases import say, shortened
from magic_tools.loose.record import Record
from magic_tools.loose.scalars import read_form, read_key
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.forms import text_form
from magic_tools.schema.walk import resolve
from magic_tools.values import JsonObject

__all__ = ["check_keys", "mended_members"]

_MOST_SHOWN = 60


def mended_members(record: Record, value: dict[str, Any], schema: JsonObject, place: Place) -> dict[str, Any]:
    """The object under the keys that are declared, without nulls for what may not be null, and with those due."""
    value = _with_folded_keys(record, value, schema, place)
    value = _without_nulls(record, value, schema, place)
    return _with_nulls(record, value, schema, place) if record.guide.fills else value


def _with_folded_keys(record: Record, value: dict[str, Any], schema: JsonObject, place: Place) -> dict[str, Any]:
    """The object with its keys as they are declared, where they differ but in case and blanks."""
    properties, others = schema.get("properties", {}), schema.get(OTHER_KEYS, {})
    odd = [key for key in value if key not in properties and key not in others]
    missing = {name for name in properties if name not in {others.get(key, key) for key in value}}
    if not odd or not missing:
        return value
    near: dict[str, list[str]] = {}
    for key in odd:
        for name in missing:
            if folded(key) in {folded(name), *(folded(other) for other, of in others.items() if of == name)}:
                near.setdefault(name, []).append(key)
    for name, keys in near.items():
        if len(keys) > 1:
            record.kind = "ambiguous"
            listed = tuple(json.dumps(key, ensure_ascii=False) for key in keys)
            record.refuse((*place, name), say("one of the keys {keys} alone", keys=listed), value, misplaced=True)
    renamed = {keys[0]: name for name, keys in near.items() if len(keys) == 1}
    if len(renamed) < len({keys[0] for keys in near.values() if len(keys) == 1}) or not renamed:
        return value
    for key, name in renamed.items():
        record.note((*place, name), "near_key", f"took the key {json.dumps(key, ensure_ascii=False)} for this one")
    return {renamed.get(key, key): held for key, held in value.items()}


def _without_nulls(record: Record, value: dict[str, Any], schema: JsonObject, place: Place) -> dict[str, Any]:
    """The object without its nulls for what may be absent and may not be null: they mean the same."""
    if None not in value.values():
        return value
    names, others = droppable_nulls(schema, record.guide.schema), schema.get(OTHER_KEYS, {})
    dropped = [key for key, held in value.items() if held is None and others.get(key, key) in names]
    for key in dropped:
        record.note((*place, key), "null_as_absent", "took null for left out", mended=False)
    return {key: held for key, held in value.items() if key not in dropped}


def _with_nulls(record: Record, value: dict[str, Any], schema: JsonObject, place: Place) -> dict[str, Any]:
    """The object with null for what it leaves out of what is required and may be null, if it is such an object."""
    others = schema.get(OTHER_KEYS, {})
    given = {others.get(key, key) for key in value}
    if given.isdisjoint(schema.get("properties", ())):
        return value
    absent = [name for name in omissible_nulls(schema, record.guide.schema) if name not in given]
    for name in absent:
        record.note((*place, name), "absent_as_null", "took what is left out for null", mended=False)
    return {**value, **dict.fromkeys(absent)}


def check_keys(record: Record, value: dict[str, Any], schema: JsonObject, place: Place) -> None:
    """Refuse keys that are not what keys are to be, and two of which pydantic would drop one."""
    others = schema.get(OTHER_KEYS, {})
    names = resolve(schema.get("propertyNames", {}), record.guide.schema)
    form = text_form(names)
    first: dict[object, str] = {}
    for key, held in value.items():
        if form is not None and not form.shape.fullmatch(key):
            record.refuse((*place, key), say("as its key {expected}", expected=say(form.wanted)), key)
        meant = others.get(key, read_key(names, key)) if form is None else read_form(form, key)
        if first.setdefault(meant, key) != key:
            beside = json.dumps(first[meant], ensure_ascii=False)
            record.refuse(
                (*place, key),
                say("nothing, since {key} says it already", key=shortened(beside, _MOST_SHOWN)),
                held,
            )
    record.misfit = record.misfit or not first.keys() >= set(schema.get("required", ()))
