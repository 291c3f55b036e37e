"""A canonical schema in a provider's form, by the rules that the provider has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from magic_tools.errors import SchemaRejectedError
from magic_tools.schema.dialects.arrays import array_form
from magic_tools.schema.dialects.literals import check_capitals, literal_form
from magic_tools.schema.dialects.measures import measured
from magic_tools.schema.dialects.notes import Here, Notes
from magic_tools.schema.dialects.objects import (
    COMBINING,
    closed,
    nullable,
    with_optional_cycles,
    with_patterns_as_others,
    with_plain_properties,
)
from magic_tools.schema.dialects.phrases import described, in_order, in_words, says_nothing
from magic_tools.schema.dialects.rendered import DialectChange, Move, Rendered
from magic_tools.schema.dialects.rules import Rules
from magic_tools.schema.dialects.spelling import followed, located, name_for, spelled
from magic_tools.schema.dialects.unions import union_form, with_types_inside
from magic_tools.schema.walk import kinds_of, map_inner, types_of
from magic_tools.values import JsonObject

__all__ = ["KEY", "render"]

KEY = "value"
"""The key under which a value stands whose schema is no object, where a provider takes nothing but objects."""

_UNIONS = frozenset({"$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"})
_SAYS_A_TYPE = frozenset({"$ref", "allOf", "anyOf", "const", "enum", "type"})
# Keywords that are written in another way, rather than in words, where a provider does not have them.
_REWRITTEN = frozenset({"$ref", "const", "enum", "oneOf", "prefixItems", "type"})
_PLAIN = frozenset({"type", "description"})
_SCALARS = ("string", "integer", "number", "boolean", "null")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_]")


def render(schema: JsonObject, rules: Rules, *, strict: bool) -> tuple[Rendered, tuple[DialectChange, ...]]:
    """The schema by a provider's rules, and its obstacles: each stands for valid values that the form cannot say.

    What the form cannot hold a model to stands in words in the descriptions. SchemaRejectedError for
    a reference that leads nowhere, and for a name that the provider does not take.
    """
    rendering = _Rendering(schema, rules)
    form, moves = rendering.whole()
    # A definition that the root has taken in is gone through twice.
    changes, obstacles = dict.fromkeys(rendering.notes.changes), dict.fromkeys(rendering.notes.obstacles)
    return Rendered(form, strict, tuple(changes), moves), tuple(obstacles)


class _Rendering:
    """One schema on its way; a definition is rendered when the first reference to it is met."""

    def __init__(self, root: JsonObject, rules: Rules) -> None:
        self._root = root
        self._rules = rules
        self._names: dict[str, str] = {}
        self._definitions: JsonObject = {}
        self._open: list[str] = []
        self.notes = Notes()

    def whole(self) -> tuple[JsonObject, tuple[Move, ...]]:
        """The form of the whole schema, an object at its root, and what was moved for that."""
        body, place = followed(self._root, self._root)
        here = Here(self.notes, place or "")
        moves: tuple[Move, ...] = ()
        self._open.append(here.pointer)
        if self._may_be_root(body):
            if body.get("type") != "object":
                here.change("type", "taken as an object, which arguments are")
            form, moves = self._renamed(self._node({**body, "type": "object"}, here), here)
        else:
            here.change("type", f"wrapped under {KEY!r}: the root has to be an object, and no union")
            form = {"type": "object", "properties": {KEY: self.node(body, here.pointer)}, "required": [KEY]}
            form["additionalProperties"] = False
            moves = (Move(KEY, ()),)
        if self._definitions:
            form["$defs"] = self._definitions
        self._check_limits(form)
        return form, moves

    def _check_limits(self, form: JsonObject) -> None:
        limits = {**self._rules.limits, **self._rules.budgets}
        counts = measured(form) if limits else {}
        for measure, limit in limits.items():
            if (count := counts[measure]) > limit:
                why = f"it has {count:,} {measure}, and {self._rules.provider} takes {limit:,}"
                Here(self.notes, "").obstacle("limit", why)

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

    def _renamed(self, form: JsonObject, here: Here) -> tuple[JsonObject, tuple[Move, ...]]:
        """The root with names that the provider takes, and what each name stands for."""
        properties: JsonObject = form.get("properties", {})
        names: dict[str, str] = {}
        for name in self._foreign_names(properties):
            plain = _NOT_IN_A_NAME.sub("_", name)
            wanted = (plain if plain[:1].isalpha() else f"_{plain}")[:60]
            names[name] = name_for(wanted, {*properties, *names.values()})
            here.property(name).change("properties", f"renamed: it is called {names[name]}")
        if not names:
            return form, ()
        form = {**form, "properties": {names.get(name, name): held for name, held in properties.items()}}
        if "required" in form:
            form["required"] = [names.get(name, name) for name in form["required"]]
        return form, tuple(Move(called, (name,)) for name, called in names.items())

    def _foreign_names(self, properties: JsonObject) -> list[str]:
        taken = self._rules.property_names
        return [name for name in properties if taken is not None and not taken.fullmatch(name)]

    def node(self, schema: JsonObject, pointer: str) -> JsonObject:
        """The form of one schema below the root, and of all in it."""
        for name in self._foreign_names(schema.get("properties", {})):
            raise SchemaRejectedError(
                f"at {pointer}, the property {name!r:.80} has a name that {self._rules.provider} does not take: "
                "rename it, with letters, digits and _ alone, up to 64 and no digit first."
            )
        return self._node(schema, Here(self.notes, pointer))

    def _node(self, schema: JsonObject, here: Here) -> JsonObject:
        if schema.keys() <= _PLAIN and schema.get("type") in _SCALARS and schema.get("description", ...):
            return schema  # as every provider takes it
        rules = self._rules
        given = self._typed(spelled(schema), here) if rules.keywords else schema
        check_capitals(given, self._root, rules, here)
        kept = with_plain_properties(dict(self._kept(given, here)), rules, here)
        form = array_form(map_inner(kept, self.node, here.pointer), given, rules, here)
        form = literal_form(union_form(form, given, self._root, rules, here), rules, here)
        if "$ref" in form:
            form = {**form, "$ref": self._referred(form["$ref"], here)}
        if "object" in types_of(form):
            form = self._object(form, given, here)
        if rules.typed and not form.keys() & _SAYS_A_TYPE:
            here.obstacle("type", "it says no type, and may be any value")
        text = described(given.get("description", ""), here.words)
        first = {"type": form["type"]} if "type" in form else {}
        return self._with_lone_reference({**first, **({"description": text} if text else {}), **form})

    def _typed(self, schema: JsonObject, here: Here) -> JsonObject:
        """A schema that says a type where one can be told, and says it once."""
        if self._rules.closed:
            schema = with_types_inside(schema, self._root, here)
        kinds = kinds_of(schema)
        if not kinds or schema.keys() & {"type", "$ref", "enum", "const"}:
            return schema
        here.change("type", f"taken as {kinds[0]}, the type that its keywords are of")
        return {"type": kinds[0], **schema}

    def _kept(self, schema: JsonObject, here: Here) -> Iterator[tuple[str, Any]]:
        """The keywords that the form has too; what the others say goes into words, where it is said of values."""
        rules, kinds, crowded = self._rules, types_of(schema), self._crowded(schema)
        for keyword in in_order(schema):
            held = schema[keyword]
            if keyword in ("description", "$defs", "definitions"):
                continue
            if keyword not in crowded and (keyword in _REWRITTEN or rules.takes(keyword, held, kinds)):
                yield keyword, held
            elif says_nothing(keyword, schema, here.pointer):
                here.change(keyword, "left out: it says nothing that the description or the rest does not")
            elif keyword not in COMBINING or not rules.closed:
                here.say(keyword, in_words(keyword, held))
            elif keyword not in crowded and rules.knows(keyword):
                here.obstacle(keyword, f"{rules.provider} does not take it with a reference or an object in it")
            else:
                here.obstacle(keyword, f"{rules.provider} does not know this keyword")

    def _crowded(self, schema: JsonObject) -> set[str]:
        """Keywords that the provider would have under a name that another one of the schema takes: `anyOf`."""
        wanted = [keyword for keyword in ("anyOf", "oneOf") if keyword in schema]
        if self._rules.lone_refs and "$ref" in schema and len(schema) > 1:
            return set(wanted)
        return set() if self._rules.knows("oneOf") else set(wanted[1:])

    def _with_lone_reference(self, form: JsonObject) -> JsonObject:
        if "$ref" not in form or len(form) == 1 or not self._rules.lone_refs:
            return form
        beside = {keyword: held for keyword, held in form.items() if keyword != "$ref"}
        return {**beside, "anyOf": [{"$ref": form["$ref"]}]}

    def _referred(self, ref: str, here: Here) -> str:
        """The form's own reference to what a reference leads to."""
        place, target = located(ref, self._root)
        if place in self._open and not self._rules.recursion:
            here.obstacle("$ref", f"{self._rules.provider} takes no type that holds itself")
        if place not in self._names:
            name = self._names[place] = name_for(place, self._names.values())
            self._definitions[name] = {}  # its place in the order
            self._open.append(place)
            self._definitions[name] = self.node(target, place)
            self._open.pop()
        return f"#/$defs/{self._names[place]}"

    def _object(self, form: JsonObject, given: JsonObject, here: Here) -> JsonObject:
        if not self._rules.recursion_required:
            form = with_optional_cycles(form, given, self._root, self._open[-1], here)
        if not self._rules.closed:
            named = self._rules.knows("patternProperties")
            return form if named else with_patterns_as_others(form, given, self.node, here)
        form = closed(form, given, here)
        undeclared = [name for name in given.get("required", ()) if name not in given.get("properties", {})]
        if undeclared:
            here.obstacle("required", f"no property declares {', '.join(undeclared)}")
        if not self._rules.all_required:
            return form
        properties = dict(form.get("properties", {}))
        for name, held in properties.items():
            if name not in given.get("required", ()):
                optional = nullable(held, given["properties"][name], self._root, here.property(name))
                properties[name] = self._with_lone_reference(optional)
        return {**form, "properties": properties, "required": list(properties)}
