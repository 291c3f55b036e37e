"""A canonical schema in a provider's form, by the rules that the provider has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from magic_tools.schema.dialects.measures import MEASURES, nodes_of
from magic_tools.schema.dialects.phrases import described, in_order, in_words, names_of, null_in_words, says_nothing
from magic_tools.schema.dialects.rendered import DialectChange, Move, Rendered
from magic_tools.schema.dialects.rules import Rules
from magic_tools.schema.dialects.spelling import followed, leads_to, located, name_for, spelled
from magic_tools.schema.nulls import accepts_null, or_null
from magic_tools.schema.walk import KEYWORDS_OF, escaped, kinds_of, map_inner, types_of
from magic_tools.values import JsonObject

__all__ = ["KEY", "render"]

KEY = "value"
"""The key under which a value stands whose schema is no object, where a provider takes nothing but objects."""

# What narrows or widens the object that it stands beside: such an object cannot be closed by its own properties.
_COMBINING = frozenset(
    {"$dynamicRef", "$ref", "allOf", "anyOf", "dependentSchemas", "else", "if", "oneOf", "patternProperties", "then",
     "unevaluatedItems", "unevaluatedProperties"}
)  # fmt: skip
_UNIONS = frozenset({"$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"})
_SAYS_A_TYPE = frozenset({"$ref", "anyOf", "const", "enum", "type"})
# Keywords that are written in another way, rather than in words, where a provider does not have them.
_REWRITTEN = frozenset({"$ref", "const", "enum", "oneOf", "prefixItems", "type"})
_PLAIN = frozenset({"type", "description"})
_SCALARS = ("string", "integer", "number", "boolean", "null")
_TYPE_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}


def render(schema: JsonObject, rules: Rules, *, strict: bool) -> tuple[Rendered, tuple[DialectChange, ...]]:
    """The schema by a provider's rules, and its obstacles: each stands for valid values that the form cannot say.

    What the form cannot hold a model to stands in words in the descriptions. SchemaRejectedError for
    a reference that leads nowhere.
    """
    rendering = _Rendering(schema, rules)
    form, moves = rendering.whole()
    # A definition that the root has taken in is gone through twice.
    changes, obstacles = dict.fromkeys(rendering.changes), dict.fromkeys(rendering.obstacles)
    return Rendered(form, strict, tuple(changes), moves), tuple(obstacles)


class _Rendering:
    """One schema on its way; a definition is rendered when the first reference to it is met."""

    def __init__(self, root: JsonObject, rules: Rules) -> None:
        self._root = root
        self._rules = rules
        self._names: dict[str, str] = {}
        self._definitions: JsonObject = {}
        self._open: list[str] = []
        self.changes: list[DialectChange] = []
        self.obstacles: list[DialectChange] = []

    def whole(self) -> tuple[JsonObject, tuple[Move, ...]]:
        """The form of the whole schema, an object at its root, and what was moved for that."""
        body, place = followed(self._root, self._root)
        pointer = place or ""
        moves: tuple[Move, ...] = ()
        self._open.append(pointer)
        if self._may_be_root(body):
            if body.get("type") != "object":
                self._change(pointer, "type", "taken as an object, which arguments are")
            form = self.node({**body, "type": "object"}, pointer)
        else:
            self._change(pointer, "type", f"wrapped under {KEY!r}: the root has to be an object, and no union")
            form = {"type": "object", "properties": {KEY: self.node(body, pointer)}, "required": [KEY]}
            form["additionalProperties"] = False
            moves = (Move(KEY, ()),)
        if self._definitions:
            form["$defs"] = self._definitions
        limits = {**self._rules.limits, **self._rules.budgets}
        nodes = nodes_of(form) if limits else ()
        for measure, limit in limits.items():
            if (count := MEASURES[measure](nodes)) > limit:
                self._obstacle("", "limit", f"it has {count:,} {measure}, and {self._rules.provider} takes {limit:,}")
        return form, moves

    def _may_be_root(self, body: JsonObject) -> bool:
        if _UNIONS & body.keys():
            return self._rules.root_unions and self._is_object(body)
        return kinds_of(body) in ((), ("object",))

    def _is_object(self, schema: JsonObject) -> bool:
        """Whether all values of a schema are objects, as far as its type and the branches of its union say."""
        ahead, passed = [schema], set[str | None]()
        while ahead:
            body, place = followed(ahead.pop(), self._root)
            if place is not None and place in passed:
                continue
            passed.add(place)
            branches = body.get("anyOf") or body.get("oneOf") or []
            if kinds_of(body) != ("object",) and not branches:
                return False
            ahead += branches if kinds_of(body) != ("object",) else []
        return True

    def _change(self, pointer: str, keyword: str, what: str) -> None:
        self.changes.append(DialectChange(pointer, keyword, what))

    def _say(self, pointer: str, keyword: str, sentence: str, words: list[str]) -> None:
        words.append(sentence)
        self._change(pointer, keyword, f"kept as text: {sentence}")

    def _obstacle(self, pointer: str, keyword: str, why: str) -> None:
        self.obstacles.append(DialectChange(pointer, keyword, why))

    def node(self, schema: JsonObject, pointer: str) -> JsonObject:
        """The form of one schema, and of all in it."""
        if schema.keys() <= _PLAIN and schema.get("type") in _SCALARS and schema.get("description", ...):
            return schema  # as every provider takes it
        given = self._typed(spelled(schema), pointer) if self._rules.keywords else schema
        words: list[str] = []
        kept = dict(self._kept(given, pointer, words))
        form = map_inner(self._with_plain_properties(kept, pointer), self.node, pointer)
        form = self._union(self._array(form, given, pointer, words), given, pointer)
        form = self._literals(form, pointer, words)
        if "$ref" in form:
            form = {**form, "$ref": self._referred(form["$ref"], pointer)}
        if "object" in types_of(form):
            form = self._object(form, given, pointer)
        if self._rules.typed and not form.keys() & _SAYS_A_TYPE:
            self._obstacle(pointer, "type", "it says no type, and may be any value")
        text = described(given.get("description", ""), words)
        first = {"type": form["type"]} if "type" in form else {}
        return self._with_lone_reference({**first, **({"description": text} if text else {}), **form})

    def _typed(self, schema: JsonObject, pointer: str) -> JsonObject:
        kinds = kinds_of(schema)
        if not kinds or schema.keys() & {"type", "$ref", "enum", "const"}:
            return schema
        self._change(pointer, "type", f"taken as {kinds[0]}, the type that its keywords are of")
        return {"type": kinds[0], **schema}

    def _kept(self, schema: JsonObject, pointer: str, words: list[str]) -> Iterator[tuple[str, Any]]:
        """The keywords that the form has too; what the others say goes into words, where it is said of values."""
        kinds = types_of(schema)
        crowded = self._crowded(schema)
        for keyword in in_order(schema):
            held = schema[keyword]
            if keyword in ("description", "$defs", "definitions"):
                continue
            if keyword not in crowded and self._takes(keyword, held, kinds):
                yield keyword, held
            elif says_nothing(keyword, schema, pointer):
                self._change(pointer, keyword, "left out: it says nothing that the description or the rest does not")
            elif keyword in _COMBINING and self._rules.closed:
                self._obstacle(pointer, keyword, f"{self._rules.provider} does not know this keyword")
            else:
                self._say(pointer, keyword, in_words(keyword, held), words)

    def _crowded(self, schema: JsonObject) -> set[str]:
        """Keywords that the provider would have under a name that another one of the schema takes: `anyOf`."""
        wanted = [keyword for keyword in ("anyOf", "oneOf") if keyword in schema]
        if self._rules.lone_refs and "$ref" in schema and len(schema) > 1:
            return set(wanted)
        return set() if self._knows("oneOf") else set(wanted[1:])

    def _takes(self, keyword: str, held: Any, kinds: Iterable[str]) -> bool:
        rules = self._rules
        if rules.keywords is None or keyword in _REWRITTEN:
            return True
        if not any(keyword in rules.keywords.get(kind, ()) for kind in ("", *kinds)):
            return False
        match keyword:
            case "format":
                return rules.formats is None or held in rules.formats
            case "pattern":
                return rules.foreign_pattern is None or not rules.foreign_pattern.search(held)
            case _:
                return keyword not in rules.values or held in rules.values[keyword]

    def _knows(self, keyword: str) -> bool:
        """Whether the form has a keyword, in schemas of some type."""
        return self._rules.keywords is None or any(keyword in known for known in self._rules.keywords.values())

    def _union(self, form: JsonObject, given: JsonObject, pointer: str) -> JsonObject:
        if "oneOf" not in form or self._knows("oneOf"):
            return form
        told = "its discriminator" if "discriminator" in given else "whatever is in them"
        self._change(pointer, "oneOf", f"made anyOf: {told} tells the branches apart")
        return {("anyOf" if keyword == "oneOf" else keyword): held for keyword, held in form.items()}

    def _with_lone_reference(self, form: JsonObject) -> JsonObject:
        if "$ref" not in form or len(form) == 1 or not self._rules.lone_refs:
            return form
        beside = {keyword: held for keyword, held in form.items() if keyword != "$ref"}
        return {**beside, "anyOf": [{"$ref": form["$ref"]}]}

    def _referred(self, ref: str, pointer: str) -> str:
        """The form's own reference to what a reference leads to."""
        place, target = located(ref, self._root)
        if place in self._open and not self._rules.recursion:
            self._obstacle(pointer, "$ref", f"{self._rules.provider} takes no type that holds itself")
        if place not in self._names:
            name = self._names[place] = name_for(place, self._names.values())
            self._definitions[name] = {}  # its place in the order
            self._open.append(place)
            self._definitions[name] = self.node(target, place)
            self._open.pop()
        return f"#/$defs/{self._names[place]}"

    def _array(self, form: JsonObject, given: JsonObject, pointer: str, words: list[str]) -> JsonObject:
        if "array" not in types_of(form):
            return form
        if "prefixItems" in form and not self._knows("prefixItems"):
            form = self._without_order(form, given, pointer, words)
        if "items" not in form and self._rules.items_stated:
            form = {**form, "items": {}}
        if self._rules.typed and not form.get("items"):
            self._obstacle(pointer, "items", "it says no type of its items, which may be any values")
        return form

    def _without_order(self, form: JsonObject, given: JsonObject, pointer: str, words: list[str]) -> JsonObject:
        """An array whose items may be each of what stands at any place, with the order in words."""
        first, others = form["prefixItems"], form.get("items", {})
        ends = others is False or given.get("maxItems", len(first) + 1) <= len(first)
        each = first if ends else [*first, others]
        forms = list({json.dumps(held, sort_keys=True): held for held in each}.values())
        kept = {keyword: held for keyword, held in form.items() if keyword not in ("prefixItems", "items")}
        if ends and self._takes("maxItems", len(first), ("array",)):
            kept.setdefault("maxItems", len(first))
        if len(forms) == 1:
            self._change(pointer, "prefixItems", "made items, which are all of one form")
            return {**kept, "items": forms[0]}
        self._say(pointer, "prefixItems", in_words("prefixItems", ", ".join(map(names_of, first))), words)
        return {**kept, "items": {} if {} in forms else {"anyOf": forms}}

    def _literals(self, form: JsonObject, pointer: str, words: list[str]) -> JsonObject:
        """A schema of certain values by the values that an enumeration of the provider may hold."""
        keyword = "const" if "const" in form else "enum"
        if keyword not in form:
            return form
        values = [form["const"]] if keyword == "const" else form["enum"]
        others = [value for value in values if type(value) not in self._rules.literals]
        if self._knows(keyword) and not others:
            return form
        kept = {name: held for name, held in form.items() if name not in ("enum", "const")}
        if not others:
            self._change(pointer, keyword, "made an enum of one value")
            return {**kept, "enum": values}
        if self._rules.closed:
            self._obstacle(pointer, keyword, "an array or an object is among its values")
        self._say(pointer, keyword, in_words(keyword, form[keyword]), words)
        plain = [value for value in values if type(value) in self._rules.literals]
        branches: list[JsonObject] = [{"enum": plain}] if plain else []
        branches += [{"type": kind} for kind in dict.fromkeys(_TYPE_NAMES.get(type(value), "null") for value in others)]
        for of_a_type in ("type", *frozenset().union(*KEYWORDS_OF.values())):  # the values say what these say
            kept.pop(of_a_type, None)
        return {**kept, **(branches[0] if len(branches) == 1 else {"anyOf": branches})}

    def _with_plain_properties(self, kept: JsonObject, pointer: str) -> JsonObject:
        """The keywords without the properties that may not be there, and without defaults that null will stand for."""
        if not self._rules.closed or "properties" not in kept:
            return kept
        required = kept.get("required", ())
        properties: JsonObject = {}
        for name, held in kept["properties"].items():
            if name not in required and held == {"not": {}}:
                place = f"{pointer}/properties/{escaped(name)}"
                self._change(place, "not", "left out: the closed object does not take it either")
            elif name in required or not self._rules.all_required:
                properties[name] = held
            else:
                properties[name] = {keyword: value for keyword, value in held.items() if keyword != "default"}
        return {**kept, "properties": properties}

    def _object(self, form: JsonObject, given: JsonObject, pointer: str) -> JsonObject:
        if not self._rules.recursion_required:
            form = self._with_optional_cycles(form, given, pointer)
        if not self._rules.closed:
            return form
        form = self._closed(form, given, pointer)
        undeclared = [name for name in given.get("required", ()) if name not in given.get("properties", {})]
        if undeclared:
            self._obstacle(pointer, "required", f"no property declares {', '.join(undeclared)}")
        if not self._rules.all_required:
            return form
        properties = dict(form.get("properties", {}))
        for name in properties:
            if name not in given.get("required", ()):
                place = f"{pointer}/properties/{escaped(name)}"
                properties[name] = self._nullable(properties[name], given["properties"][name], place)
        return {**form, "properties": properties, "required": list(properties)}

    def _closed(self, form: JsonObject, given: JsonObject, pointer: str) -> JsonObject:
        others = given.get("additionalProperties")
        beside = sorted(_COMBINING & form.keys())
        if others is False:
            return form
        if others is not None or "properties" not in given:
            self._obstacle(
                pointer, "additionalProperties", "its keys are open, and a strict object has none but its own"
            )
        elif beside:
            self._obstacle(pointer, beside[0], "it may add keys to the object, which cannot be closed beside it")
        else:
            self._change(pointer, "additionalProperties", "closed: no undeclared keys are asked for")
        return {**form, "additionalProperties": False}

    def _nullable(self, form: JsonObject, given: JsonObject, pointer: str) -> JsonObject:
        """An optional property where all are required: null is what it is where it was left out."""
        default = given.get("default")
        words: list[str] = []
        if not accepts_null(given, self._root):
            self._change(pointer, "required", "made nullable: null counts as left out")
            form, sentence = or_null(form), null_in_words(default)
        elif "default" in given:
            self._change(pointer, "required", "made required: its default can be written")
            sentence = in_words("default", default)
        else:
            self._obstacle(pointer, "required", "it may be null or left out, and these are two things")
            return form
        if default is not None:
            self._say(pointer, "default", sentence, words)
        text = described(form.get("description", ""), words)
        return {**form, "description": text} if text else form

    def _with_optional_cycles(self, form: JsonObject, given: JsonObject, pointer: str) -> JsonObject:
        required = given.get("required", ())
        properties, here = given.get("properties", {}), self._open[-1]
        cyclic = [name for name in required if leads_to(here, properties.get(name, {}), self._root)]
        if not cyclic:
            return form
        self._change(pointer, "required", f"made optional, since they hold their own type: {', '.join(cyclic)}")
        return {**form, "required": [name for name in required if name not in cyclic]}
