"""Objects by the rules of providers: which keys they take, and which may be left out."""

from __future__ import annotations

from collections.abc import Callable

from magic_tools.schema.dialects.notes import Here
from magic_tools.schema.dialects.phrases import described, in_words, null_in_words
from magic_tools.schema.dialects.rules import Rules
from magic_tools.schema.dialects.spelling import leads_to
from magic_tools.schema.kinds import fits
from magic_tools.schema.nulls import accepts_null, or_null
from magic_tools.schema.walk import escaped
from magic_tools.values import JsonObject

__all__ = [
    "COMBINING",
    "closed",
    "nullable",
    "with_optional_cycles",
    "with_patterns_as_others",
    "with_plain_properties",
]

# What narrows or widens the object that it stands beside: such an object cannot be closed by its own properties.
COMBINING = frozenset(
    {"$dynamicRef", "$ref", "allOf", "anyOf", "dependentSchemas", "else", "if", "oneOf", "patternProperties", "then",
     "unevaluatedItems", "unevaluatedProperties"}
)  # fmt: skip

_NEVER: JsonObject = {"not": {}}


def with_plain_properties(schema: JsonObject, rules: Rules, here: Here) -> JsonObject:
    """A strict object without the properties that may not be there, and without defaults that null will stand for."""
    if not rules.closed or "properties" not in schema:
        return schema
    required = schema.get("required", ())
    properties: JsonObject = {}
    for name, held in schema["properties"].items():
        if name not in required and held == _NEVER:
            here.property(name).change("not", "left out: the closed object does not take it either")
        elif name in required or not rules.all_required:
            properties[name] = held
        else:
            properties[name] = {keyword: value for keyword, value in held.items() if keyword != "default"}
    return {**schema, "properties": properties}


def with_patterns_as_others(
    form: JsonObject, given: JsonObject, render: Callable[[JsonObject, str], JsonObject], here: Here
) -> JsonObject:
    """An object, of which the provider does not know the names, that takes under other keys what they may hold."""
    others = form.get("additionalProperties", True)
    if others is True or "patternProperties" not in given:
        return form
    patterns = given["patternProperties"].items()
    forms = [render(held, f"{here.pointer}/patternProperties/{escaped(name)}") for name, held in patterns]
    forms += [others] if others else []
    here.change("patternProperties", "made additionalProperties, of whatever name")
    return {**form, "additionalProperties": forms[0] if len(forms) == 1 else {"anyOf": forms}}


def closed(form: JsonObject, given: JsonObject, here: Here) -> JsonObject:
    """An object that takes no keys but its own, if that loses none that were asked for."""
    declared = given.get("properties", {})
    if given.get("additionalProperties") is False:
        return form
    if "additionalProperties" in given or all(held == _NEVER for held in declared.values()):
        here.obstacle("additionalProperties", "its keys are open, and a strict object has none but its own")
    elif beside := sorted(COMBINING & form.keys()):
        here.obstacle(beside[0], "it may add keys to the object, which cannot be closed beside it")
    else:
        here.change("additionalProperties", "closed: no undeclared keys are asked for")
    return {**form, "additionalProperties": False}


def nullable(form: JsonObject, given: JsonObject, root: JsonObject, here: Here) -> JsonObject:
    """An optional property where all are required: null is what it is where it was left out."""
    default = given.get("default")
    if not accepts_null(given, root):
        here.change("required", "made nullable: null counts as left out")
        form, sentence = or_null(form), null_in_words(default)
    elif "default" in given and (default is None or fits(default, given, root)):
        here.change("required", "made required: its default can be written")
        sentence = in_words("default", default)
    else:
        here.obstacle("required", "it may be null or left out, and these are two things")
        return form
    if default is not None:
        here.say("default", sentence)
    text = described(form.get("description", ""), here.words)
    return {**form, "description": text} if text else form


def with_optional_cycles(form: JsonObject, given: JsonObject, root: JsonObject, within: str, here: Here) -> JsonObject:
    """An object that requires nothing that holds the definition it stands in, and says so in words."""
    required, properties = given.get("required", ()), given.get("properties", {})
    cyclic = [name for name in required if leads_to(within, properties.get(name, {}), root)]
    if not cyclic:
        return form
    here.change("required", f"made optional, since they hold their own type: {', '.join(cyclic)}")
    here.say("required", f"Required: {', '.join(cyclic)}.")
    return {**form, "required": [name for name in required if name not in cyclic]}
