"""Arrays by the rules of providers: what their items are, and in which order."""

from __future__ import annotations

import json

from magic_tools.schema.dialects.notes import Here
from magic_tools.schema.dialects.phrases import in_words, names_of
from magic_tools.schema.dialects.rules import Rules
from magic_tools.schema.walk import types_of
from magic_tools.values import JsonObject

__all__ = ["array_form"]


def array_form(form: JsonObject, given: JsonObject, rules: Rules, here: Here) -> JsonObject:
    """A form whose items, if it is an array's, are told as the provider takes them."""
    if "array" not in types_of(form):
        return form
    if "prefixItems" in form and not rules.knows("prefixItems"):
        form = _without_order(form, given, rules, here)
    if "items" not in form and rules.items_stated:
        form = {**form, "items": {}}
    if rules.typed and not form.get("items"):
        here.obstacle("items", "it says no type of its items, which may be any values")
    return form


def _without_order(form: JsonObject, given: JsonObject, rules: Rules, here: Here) -> JsonObject:
    """An array whose items may be each of what stands at any place, with the order in words."""
    first, others = form["prefixItems"], form.get("items", {})
    ends = others is False or given.get("maxItems", len(first) + 1) <= len(first)
    each = first if ends else [*first, others]
    forms = list({json.dumps(held, sort_keys=True): held for held in each}.values())
    kept = {keyword: held for keyword, held in form.items() if keyword not in ("prefixItems", "items")}
    if ends and given.get("maxItems", len(first) + 1) > len(first):
        if rules.takes("maxItems", len(first), ("array",)):
            kept["maxItems"] = len(first)
        else:
            here.say("items", in_words("maxItems", len(first)))
    if len(forms) == 1:
        here.change("prefixItems", "made items, which are all of one form")
        return {**kept, "items": forms[0]}
    here.say("prefixItems", in_words("prefixItems", ", ".join(map(names_of, first))))
    return {**kept, "items": {} if {} in forms else {"anyOf": forms}}
