"""Schemas of certain values, by the values that a provider's enumerations may hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from magic_tools.schema.dialects.notes import Here
from magic_tools.schema.dialects.phrases import in_words
from magic_tools.schema.dialects.rules import Rules
from magic_tools.schema.dialects.spelling import followed
from magic_tools.schema.kinds import kind_of_value
from magic_tools.schema.walk import KEYWORDS_OF
from magic_tools.values import JsonObject

__all__ = ["check_capitals", "literal_form", "values_of"]


def values_of(schema: JsonObject) -> list[Any]:
    """The values that a schema lists, none where it lists none."""
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def literal_form(form: JsonObject, rules: Rules, here: Here) -> JsonObject:
    """A form whose values, if it lists any, are such as the provider takes, each beside its type where it wants one."""
    keyword = "const" if "const" in form else "enum"
    if keyword not in form:
        return form
    values = values_of(form)
    if any(type(value) not in rules.literals for value in values):
        return _in_part(form, keyword, rules, here)
    if rules.values_typed and "type" not in form:
        form = {"type": _type_of(values), **form}
    if rules.knows(keyword):
        return form
    here.change(keyword, "made an enum of one value")
    return {**{name: held for name, held in form.items() if name not in ("enum", "const")}, "enum": values}


def _in_part(form: JsonObject, keyword: str, rules: Rules, here: Here) -> JsonObject:
    """The values that the provider takes, and of the others the types, with all of them in words."""
    if rules.closed:
        here.obstacle(keyword, "an array or an object is among its values")
    here.say(keyword, in_words(keyword, form[keyword]))
    plain = [value for value in values_of(form) if type(value) in rules.literals]
    others = [value for value in values_of(form) if type(value) not in rules.literals]
    branches: list[JsonObject] = [{"enum": plain}] if plain else []
    branches += [{"type": kind} for kind in dict.fromkeys(map(kind_of_value, others))]
    of_types = {"type", "enum", "const"}.union(*KEYWORDS_OF.values())  # the values say what these say
    kept = {name: held for name, held in form.items() if name not in of_types}
    return {**kept, **(branches[0] if len(branches) == 1 else {"anyOf": branches})}


def _type_of(values: Iterable[Any]) -> str | list[str]:
    kinds = list(dict.fromkeys(map(kind_of_value, values)))
    kinds = [kind for kind in kinds if kind != "integer" or "number" not in kinds]
    return kinds[0] if len(kinds) == 1 else kinds


def check_capitals(schema: JsonObject, root: JsonObject, rules: Rules, here: Here) -> None:
    """List an obstacle where values of one place differ in nothing but capitals, and the provider may mix these up."""
    if rules.capitals:
        return
    branches = [followed(branch, root)[0] for keyword in ("anyOf", "oneOf") for branch in schema.get(keyword, ())]
    texts: dict[str | None, set[str]] = defaultdict(set)
    for part in (schema, *branches):
        texts[None] |= _texts(part)
    for branch in branches:
        for name, held in branch.get("properties", {}).items():
            texts[name] |= _texts(held)
    if any(len({text.casefold() for text in alike}) < len(alike) for alike in texts.values()):
        here.obstacle("enum", f"values differ in capitals alone, which {rules.provider} does not promise to keep")


def _texts(schema: JsonObject) -> set[str]:
    return {value for value in values_of(schema) if isinstance(value, str)}
