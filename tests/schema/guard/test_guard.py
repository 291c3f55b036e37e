"""Schemas from outside: what is made canonical, what is refused and in which words, and that nothing hangs."""

from __future__ import annotations

import copy
import math
import socket
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import jsonschema_rs
import pytest

from magic_tools.errors import DefinitionError
from magic_tools.schema.guard import extent
from magic_tools.schema.guard.guard import FOREIGN_TOOL, OUTPUT_TOOL, SchemaLimits, guard

DRAFT_04 = "http://json-schema.org/draft-04/schema#"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
TEXT = {"type": "string"}
NULL = {"type": "null"}


def guarded(schema: Any, limits: SchemaLimits | None = None) -> dict[str, Any]:
    """The canonical form of a schema."""
    return guard(schema, where="the target", limits=limits)


def ladder(height: int, step: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """A schema of which each definition refers to the one below it, as `step` does."""
    steps = {f"d{level}": step({"$ref": f"#/$defs/d{level - 1}"}) for level in range(1, height + 1)}
    return {"$ref": f"#/$defs/d{height}", "$defs": {"d0": TEXT, **steps}}


def nested(levels: int) -> dict[str, Any]:
    """Arrays in arrays."""
    schema: dict[str, Any] = {"type": "array"}
    for _ in range(levels - 1):
        schema = {"type": "array", "items": schema}
    return schema


CANONICAL: Mapping[str, tuple[Any, dict[str, Any]]] = {
    "plain": (
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    ),
    "true": (True, {}),
    "true and false inside": (
        {"properties": {"a": True, "b": False}, "anyOf": [True], "not": False, "additionalProperties": False,
         "items": True, "enum": [True]},
        {"properties": {"a": {}, "b": {"not": {}}}, "anyOf": [{}], "not": {"not": {}}, "additionalProperties": False,
         "items": True, "enum": [True]},
    ),
    "another mapping, with a tuple": (MappingProxyType({"required": ("a",)}), {"required": ["a"]}),
    "no titles and comments": ({"title": "T", "$comment": "c", "$id": "http://x/y", "$schema": DRAFT_07, **TEXT}, TEXT),
    "a property named like a keyword": (
        {"properties": {"title": TEXT, "$ref": TEXT, "$id": TEXT, "definitions": TEXT}},
        {"properties": {"title": TEXT, "$ref": TEXT, "$id": TEXT, "definitions": TEXT}},
    ),
    "data that looks like a schema": (
        {"enum": [{"$ref": "http://x"}], "default": {"title": "t"}},
        {"enum": [{"$ref": "http://x"}], "default": {"title": "t"}},
    ),
    "one type in a list": ({"type": ["string"]}, TEXT),
    "keywords of no vocabulary": (
        {"nullable": 1, "unheardOf": True, "discriminator": {"propertyName": "k"}, "x-unit": "s",
         "x-other-keys": {"a": "b"}},
        {"x-unit": "s"},
    ),
    "null by OpenAPI": (
        {"type": "array", "nullable": True, "items": {"type": ["string"], "nullable": True}},
        {"type": ["array", "null"], "items": {"type": ["string", "null"]}},
    ),
    "null by OpenAPI, where it says nothing": (
        {"nullable": True, "items": {"type": "null", "nullable": True}, "contains": {**TEXT, "nullable": False},
         "properties": {"nullable": TEXT}},
        {"items": {"type": "null"}, "contains": TEXT, "properties": {"nullable": TEXT}},
    ),
    "dependencies under no name": (
        {"properties": {"a": {"dependencies": {"b": ["c"], "d": {"required": ["e"]}, "f": True}}}},
        {"properties": {"a": {"dependentRequired": {"b": ["c"]},
                              "dependentSchemas": {"d": {"required": ["e"]}, "f": {}}}}},
    ),
    "dependencies beside their successors": (
        {"dependencies": {"a": ["b"], "c": False}, "dependentRequired": {"a": ["b", "d"]},
         "dependentSchemas": {"c": TEXT}},
        {"dependentRequired": {"a": ["b", "d"]}, "dependentSchemas": {"c": {"allOf": [TEXT, {"not": {}}]}}},
    ),
    "an internal keyword spelled as text": ({"x-other-keys": "a"}, {}),
    "definitions, used ones only": (
        {"items": {"$ref": "#/definitions/A"}, "definitions": {"A": TEXT, "B": {"$ref": "http://x/y"}}},
        {"items": {"$ref": "#/$defs/A"}, "$defs": {"A": TEXT}},
    ),
    "a name in both places": (
        {"prefixItems": [{"$ref": "#/definitions/A"}, {"$ref": "#/$defs/A"}], "definitions": {"A": TEXT},
         "$defs": {"A": {}}},
        {"prefixItems": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A2"}], "$defs": {"A": TEXT, "A2": {}}},
    ),
    "a reference to a property": (
        {"properties": {"a": TEXT, "b": {"$ref": "#/properties/a"}}},
        {"properties": {"a": TEXT, "b": {"$ref": "#/$defs/a"}}, "$defs": {"a": TEXT}},
    ),
    "a reference to a place that is no keyword's": (
        {"components": {"schemas": {"A": TEXT}}, "items": {"$ref": "#/components/schemas/A"}},
        {"items": {"$ref": "#/$defs/A"}, "$defs": {"A": TEXT}},
    ),
    "an escaped reference": (
        {"properties": {"a b/c~": TEXT, "d": {"$ref": "#/properties/a%20b~1c~0"}}},
        {"properties": {"a b/c~": TEXT, "d": {"$ref": "#/$defs/a_b_1c_0"}},
         "$defs": {"a_b_1c_0": TEXT}},
    ),
    "a reference into a list": (
        {"anyOf": [TEXT, {"items": {"$ref": "#/anyOf/0"}}]},
        {"anyOf": [TEXT, {"items": {"$ref": "#/$defs/0"}}], "$defs": {"0": TEXT}},
    ),
    "a reference to true": ({"$ref": "#/$defs/A", "$defs": {"A": True}}, {"$ref": "#/$defs/A", "$defs": {"A": {}}}),
    "the root refers to itself": (
        {"type": "object", "properties": {"next": {"$ref": "#"}}},
        {"$ref": "#/$defs/Root",
         "$defs": {"Root": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Root"}}}}},
    ),
    "words beside a reference": (
        {"$ref": "#/$defs/A", "description": "d", "$defs": {"A": TEXT}},
        {"$ref": "#/$defs/A", "description": "d", "$defs": {"A": TEXT}},
    ),
    "more than words beside a reference": (
        {"$ref": "#/$defs/A", "minLength": 2, "allOf": [{}], "$defs": {"A": TEXT}},
        {"minLength": 2, "allOf": [{"$ref": "#/$defs/A"}, {}], "$defs": {"A": TEXT}},
    ),
    "what draft 7 ignores beside a reference": (
        {"$schema": DRAFT_07, "$ref": "#/definitions/A", "minLength": 2, "description": "d",
         "definitions": {"A": TEXT}},
        {"$ref": "#/$defs/A", "description": "d", "$defs": {"A": TEXT}},
    ),
    "draft 4": (
        {"$schema": DRAFT_04, "id": "http://x/y", "minimum": 3, "exclusiveMinimum": True, "maximum": 9,
         "exclusiveMaximum": False, "items": [TEXT], "additionalItems": False,
         "dependencies": {"a": ["b"], "c": TEXT}},
        {"exclusiveMinimum": 3, "maximum": 9, "prefixItems": [TEXT], "items": False,
         "dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": TEXT}},
    ),
    "draft 4, with a keyword of a later one": ({"$schema": DRAFT_04, "const": 1}, {"const": 1}),
    "draft 2019-09": (
        {"$schema": DRAFT_2019, "items": [TEXT], "additionalItems": TEXT}, {"prefixItems": [TEXT], "items": TEXT}
    ),
    "further items beside no list": ({"$schema": DRAFT_07, "items": TEXT, "additionalItems": False}, {"items": TEXT}),
    "old spelling under no name": (
        {"items": [TEXT], "minimum": 1, "exclusiveMinimum": True, "const": 2},
        {"prefixItems": [TEXT], "exclusiveMinimum": 1, "const": 2},
    ),
    "new spelling under an old name": ({"$schema": DRAFT_04, "exclusiveMinimum": 1}, {"exclusiveMinimum": 1}),
    "an id that is a fragment": ({"properties": {"a": {"$id": "#/properties/a", **TEXT}}}, {"properties": {"a": TEXT}}),
    "recursion": (
        {"$ref": "#/$defs/A", "$defs": {"A": {"items": {"$ref": "#/$defs/B"}}, "B": {"items": {"$ref": "#/$defs/A"}}}},
        {"$ref": "#/$defs/A", "$defs": {"A": {"items": {"$ref": "#/$defs/B"}}, "B": {"items": {"$ref": "#/$defs/A"}}}},
    ),
    "a pattern that makes other engines hang": ({"pattern": "^(a+)+$"}, {"pattern": "^(a+)+$"}),
    "a pattern that comes to length alone": ({"pattern": "^.{0,4096}$"}, {"pattern": "^.{0,4096}$"}),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "canonical"), CANONICAL.values(), ids=CANONICAL)
def test_the_canonical_form(schema: Any, canonical: dict[str, Any]) -> None:
    """Any draft's spelling comes out as 2020-12 with references to `$defs` alone, and comes out so again."""
    made = guarded(schema)
    assert made == canonical
    assert guarded(made) == canonical
    jsonschema_rs.Draft202012Validator(made)


@pytest.mark.parametrize("schema", [schema for schema, _ in CANONICAL.values() if isinstance(schema, dict)])
def test_the_input_stays_what_it_is(schema: dict[str, Any]) -> None:
    """Nothing of the input changes, nor is any of it in what comes out."""
    before = copy.deepcopy(schema)
    made = guarded(schema)
    assert schema == before

    def parts(value: Any) -> set[int]:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return ({id(value)} if isinstance(value, dict | list) else set()).union(*map(parts, inner))

    assert parts(made).isdisjoint(parts(schema))


class Colour(str):
    """A text that is more than JSON has."""

    __slots__ = ()


def holding_itself() -> dict[str, Any]:
    schema: dict[str, Any] = {}
    schema["not"] = schema
    return schema


def laughing() -> dict[str, Any]:
    values: list[Any] = [1]
    for _ in range(50):
        values = [values, values]
    return {"enum": values}


REFUSED: Mapping[str, tuple[Any, str]] = {
    "a list": ([1], "at the root, there is a list"),
    "nothing": (None, "at the root, there is a NoneType"),
    "a key that is no text": ({"properties": {1: {}}}, "at /properties, a key is of the type int"),
    "a huge key that is no text": ({10**5000: {}}, "at the root, a key is of the type int"),
    "NaN": ({"maximum": math.nan}, "at /maximum, there is nan"),
    "infinity": ({"enum": [-math.inf]}, "at /enum/0, there is -inf"),
    "an object": ({"default": object()}, "at /default, there is a value of the type object"),
    "a set": ({"required": {"a"}}, "at /required, there is a value of the type set"),
    "bytes": ({"const": b"a"}, "at /const, there is a value of the type bytes"),
    "a kind of text": ({"enum": [Colour("red")]}, "at /enum/0, there is a value of the type Colour"),
    "a huge integer": ({"maximum": 10**5000}, "at /maximum, a number has more than 40 digits"),
    "no Unicode": ({"description": "\ud800"}, "at /description, there is text that is no valid Unicode"),
    "a key in no Unicode": ({"\ud800": 1}, "at the root, there is text that is no valid Unicode"),
    "one that holds itself": (holding_itself(), "/not.*nested more than 100 levels deep, or holds itself"),
    "a million laughs": (laughing(), "it holds more and more values; the limit is 20,000"),
    "required that is no list": ({"properties": {"a": {"required": True}}}, "at /properties/a/required, .*: true"),
    "properties that are none": ({"properties": 5}, "at /properties, .*forbids: 5"),
    "a type that is none": ({"type": "int"}, "at /type, .*forbids: \"int\""),
    "a list of no branches": ({"anyOf": {}}, "at /anyOf, .*forbids"),
    "a wrong keyword of a later draft": (
        {"$schema": DRAFT_07, "items": [{"dependentSchemas": 5}]}, "at /prefixItems/0/dependentSchemas, .*forbids: 5"
    ),
    "a reference that is no text": ({"$schema": DRAFT_04, "$ref": 5}, r"at /\$ref, .*forbids: 5"),
    "a wrong schema in no keyword's place": (
        {"parts": {"A": {"type": 5}}, "$ref": "#/parts/A"}, "at /parts/A/type, .*forbids: 5"
    ),
    "an unknown draft": ({"$schema": "http://x/y"}, r"at /\$schema, '\$schema' names 'http://x/y'.*Leave it out"),
    "draft 3": ({"$schema": "http://json-schema.org/draft-03/schema#"}, "no draft that is known here"),
    "a draft that is no text": ({"$schema": 4}, r"'\$schema' names 4"),
    "a remote reference": ({"items": {"$ref": "https://x/y"}}, r"at /items/\$ref, 'https://x/y' leads out of"),
    "a file": ({"$ref": "file:///etc/passwd"}, "leads out of the schema"),
    "another document": ({"$ref": "other.json#/a"}, "leads out of the schema"),
    "an anchor": ({"$ref": "#a", "$defs": {"A": {"$anchor": "a"}}}, "leads out of the schema, or to an anchor"),
    "an anchor's place": ({"items": {"$anchor": "a"}}, r"at /items/\$anchor, '\$anchor' changes what references mean"),
    "a dynamic reference": ({"$dynamicRef": "#a"}, r"'\$dynamicRef' changes what references mean"),
    "a recursive reference": ({"$schema": DRAFT_2019, "items": {"$recursiveRef": "#"}}, r"at /items/\$recursiveRef"),
    "another base": ({"properties": {"a": {"$id": "http://x/y"}}}, r"at /properties/a/\$id, '\$id' changes"),
    "another base in draft 4": ({"$schema": DRAFT_04, "not": {"id": "http://x/y"}}, "at /not/id, 'id' changes"),
    "a reference to nothing": ({"$ref": "#/$defs/A"}, r"at /\$ref, '#/\$defs/A' leads to no schema"),
    "a reference into a text": ({"description": "d", "$ref": "#/description/0"}, "leads to no schema"),
    "a reference beyond a list": ({"anyOf": [{}], "items": {"$ref": "#/anyOf/1"}}, "leads to no schema"),
    "a reference to a list": ({"anyOf": [{}], "items": {"$ref": "#/anyOf"}}, "leads to no schema"),
    "a reference to itself": ({"$ref": "#"}, "references go round in a circle"),
    "a circle of two": (
        {"items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}},
        r"at /\$defs/., references go round in a circle that leads to no value \(/\$defs/. to /\$defs/. to /\$defs/.\)",
    ),
    "a circle through unions": ({"anyOf": [TEXT, {"not": {"$ref": "#"}}]}, "references go round in a circle"),
    # Two ways from the root to B: the one through a value must not hide the circle of the other.
    "a circle beside a way through a value": (
        {"items": {"$ref": "#/$defs/B"}, "allOf": [{"$ref": "#/$defs/B"}], "$defs": {"B": {"anyOf": [{"$ref": "#"}]}}},
        "references go round in a circle",
    ),
    "lookaround": (
        {"properties": {"a": {"pattern": "^(?=a)"}}},
        r"at /properties/a/pattern, the pattern '\^\(\?=a\)' cannot be matched in a time that grows",
    ),
    "a back-reference": ({"patternProperties": {r"(a)\1": {}}}, r"at /patternProperties/\(a\)\\1, the pattern"),
    "an explosion of states": ({"pattern": "a{1000}{1000}"}, r"'a\{1000\}\{1000\}' compiles to more than 262,144 b"),
    "a long pattern": ({"pattern": "(a|b){9000}"}, "compiles to more than 262,144 bytes. .*Write a shorter one"),
    "no pattern at all": (
        {"pattern": "("}, r"at /pattern, the pattern '\(' is no regular expression .* set SchemaLimits.unch"
    ),
    "no pattern, with lookaround": ({"pattern": "(?!a)b("}, "is no regular expression that JSON Schema knows"),
    "no pattern for names": ({"patternProperties": {"[z-a]": {}}}, r"is no regular expression .*ECMA-262\)\.$"),
    "no value": ({"items": {"anyOf": [{"enum": []}]}}, "at /items/anyOf/0/enum, the list of values is empty"),
    "false": (False, "at the root, nothing fits the whole"),
    "false by reference": ({"$ref": "#/$defs/A", "$defs": {"A": False}}, "at the root, nothing fits the whole"),
    "types that exclude each other": ({**TEXT, "anyOf": [{"type": "object"}, {"const": 1}]}, "nothing fits the whole"),
    "values of another type": ({"allOf": [TEXT, {"enum": [1, None]}]}, "nothing fits the whole"),
    "a dependency that is none": ({"dependencies": {"a": 5}}, "at /dependencies/a"),
    "a pattern in a definition": (
        {"items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"pattern": "(?!a)"}}}, r"at /\$defs/A/pattern"
    ),
    "a long way": (ladder(1500, lambda below: {"anyOf": [below]}), "more than 100 schemas follow upon each other"),
    "a doubling ladder of unions": (
        ladder(30, lambda below: {"anyOf": [below, below]}), "would be checked 16,381 times.*SchemaLimits.checks"
    ),
    "a doubling ladder of arrays": (ladder(30, lambda below: {"items": below, "contains": below}), "would be checked"),
    "what was not evaluated, again and again": (
        ladder(6, lambda below: {"allOf": [below], "unevaluatedProperties": False}), "would be checked"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(schema: Any, said: str) -> None:
    """What is unsound is one error that says whose schema it is, where, what is wrong, and ends with a way out."""
    with pytest.raises(DefinitionError, match=f"(?s)^the target: at .*{said.removeprefix('at ')}") as caught:
        guarded(schema)
    assert len(str(caught.value)) < 800


WIDE: dict[str, Any] = {"properties": {f"a{index}": {} for index in range(30)}}
LIMITED: Mapping[str, tuple[SchemaLimits, dict[str, Any], dict[str, Any], str]] = {
    "characters": (SchemaLimits(characters=20), {"const": "a" * 15}, {"const": "a" * 16}, "longer and longer"),
    "characters of keys": (SchemaLimits(characters=9), {"a" * 8: 1}, {"a" * 9: 1}, "longer and longer"),
    "nodes": (SchemaLimits(nodes=5), {"enum": [1, 2, 3]}, {"enum": [1, 2, 3, 4]}, "at /enum/3, it holds more"),
    # What a reference leads to is written where it stands, and once more as a definition.
    "nodes that references double": (
        SchemaLimits(nodes=4), {"not": {"not": {"not": {}}}}, {"not": {"items": {"$ref": "#/not"}}}, "grows on"
    ),
    "refs": (
        SchemaLimits(refs=1), {"items": {"$ref": "#"}}, {"items": {"$ref": "#"}, "contains": {"$ref": "#"}},
        r"at /contains/\$ref, it has more and more references",
    ),
    "patterns": (
        SchemaLimits(patterns=768), {"pattern": "^[a-z]+$", "patternProperties": {"^b$": {}}},
        {"pattern": "^[a-z]+$", "patternProperties": {"^[b-z]+$": {}}},
        r"at /patternProperties/\^\[b-z\]\+\$, its patterns compile to 1,024 bytes",
    ),
    "texts": (OUTPUT_TOOL, {"description": "字" * 200}, {"description": "字" * 201}, "at /description, a text has 201"),
    "texts of a foreign tool": (
        FOREIGN_TOOL, {"not": {"enum": ["a" * 1024]}}, {"not": {"enum": ["a" * 1025]}},
        "at /not/enum/0, a text has 1,025",
    ),
    "nodes of a foreign tool": (
        FOREIGN_TOOL, {"not": {"enum": [1] * 4000}}, {"not": {"enum": [1] * 5000}}, "the limit is 5,000"
    ),
    "names": (SchemaLimits(names=10), {"properties": {"a" * 10: {}}}, {"properties": {"a" * 11: {}}}, "a key has 11"),
    "depth through arrays": (SchemaLimits(depth=5), nested(5), nested(6), "/items, objects and arrays stand 6 deep"),
    "depth through unions": (
        SchemaLimits(depth=2), {"anyOf": [TEXT, {"items": {"oneOf": [{"type": "object"}]}}]},
        {"anyOf": [TEXT, {"items": {"oneOf": [nested(2)]}}]}, "at /anyOf/1/items/oneOf/0/items, .*3 deep",
    ),
    "depth through definitions": (
        SchemaLimits(depth=3), ladder(3, lambda below: {"items": below}), ladder(4, lambda below: {"items": below}),
        r"at /\$defs/d1, .*4 deep",
    ),
    # The short way to A comes first, and must not hide how deep A is on the long one.
    "depth by two ways": (
        SchemaLimits(depth=3), {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": nested(2)}},
        {"properties": {"a": {"$ref": "#/$defs/A"}, "b": {"items": {"$ref": "#/$defs/A"}}}, "$defs": {"A": nested(2)}},
        "4 deep",
    ),
    "depth of an output tool": (
        OUTPUT_TOOL, {"properties": {"a": nested(4)}}, {"properties": {"a": nested(5)}}, "6 deep.*the limit is 5"
    ),
    "properties": (SchemaLimits(properties=30), WIDE, {"properties": {**WIDE["properties"], "b": {}}}, "has 31"),
    "properties of branches": (
        SchemaLimits(properties=30), {"anyOf": [WIDE, WIDE]}, {"properties": {"b": {}}, "anyOf": [WIDE, WIDE]}, "has 31"
    ),
    "properties put together": (
        OUTPUT_TOOL, {"allOf": [WIDE]}, {"allOf": [WIDE, {"$ref": "#/$defs/A"}], "$defs": {"A": WIDE}}, "has 60"
    ),
    "properties deep inside": (
        OUTPUT_TOOL, {"properties": {"a": {"items": WIDE}}}, {"properties": {"a": {"items": {"allOf": [WIDE, WIDE]}}}},
        "at /properties/a/items, an object has 60",
    ),
    "recursion": (
        OUTPUT_TOOL, {"properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/A"}}, "$defs": {"A": TEXT}},
        {"properties": {"a": {"$ref": "#"}}}, "it is recursive, and so of any depth.*flat list",
    ),
    "the root": (OUTPUT_TOOL, {"type": ["object", "null"]}, {"type": ["array", "null"]}, "of the type array or null"),
    "the root by reference": (
        OUTPUT_TOOL, {"$ref": "#/$defs/A", "$defs": {"A": WIDE}}, {"$ref": "#/$defs/A", "$defs": {"A": TEXT}},
        "the whole is of the type string",
    ),
    "a root of branches": (
        OUTPUT_TOOL, {"anyOf": [TEXT, WIDE]}, {"anyOf": [TEXT, {"const": 1}]}, "the whole is of the type number or str"
    ),
    "a root of no object": (
        OUTPUT_TOOL, {"type": "object", "anyOf": [TEXT, {}]}, {"type": "object", "anyOf": [TEXT, NULL]},
        "at /type, nothing fits the whole. It has to be an object",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("limits", "within", "beyond", "said"), LIMITED.values(), ids=LIMITED)
def test_each_limit(limits: SchemaLimits, within: dict[str, Any], beyond: dict[str, Any], said: str) -> None:
    """What just keeps within a limit passes, and what is just beyond it is refused with place, limit and way out."""
    guarded(within, limits)
    with pytest.raises(DefinitionError, match=said):
        guarded(beyond, limits)


@pytest.mark.parametrize(
    ("schema", "root"),
    [
        ({"properties": {"a": TEXT}}, {"type": "object", "properties": {"a": TEXT}}),
        ({"type": ["object", "null"]}, {"type": "object"}),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
         {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        ({"$ref": "#/definitions/A", "definitions": {"A": {"properties": {"a": TEXT}}}},
         {"type": "object", "properties": {"a": TEXT}}),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"a": {"$ref": "#/$defs/A"}}}}},
         {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}},
          "$defs": {"A": {"properties": {"a": {"$ref": "#/$defs/A"}}}}}),
    ],
)  # fmt: skip
def test_a_root_that_is_an_object_says_so(schema: dict[str, Any], root: dict[str, Any]) -> None:
    """With `object_root` the root itself has the type and its keywords, and no definition is left over."""
    assert guarded(schema, FOREIGN_TOOL) == root


BAD_PATTERN = "^(?!\\.)[a-z.]+@[a-z]+$"


@pytest.mark.parametrize("pattern", [BAD_PATTERN, "(a)\\1", "(", "a{1000}{1000}"])
def test_patterns_that_are_told_and_not_checked(pattern: str) -> None:
    """Where that is asked for, a pattern that cannot be checked stands in the description, and no schema is refused."""
    limits = replace(FOREIGN_TOOL, unchecked_patterns=True)
    schema = {"properties": {"a": {**TEXT, "pattern": pattern, "description": "A name"}, "b": {"pattern": "^b$"}}}
    made = guarded(schema, limits)
    assert made["properties"] == {
        "a": {**TEXT, "description": f"A name. Matches the regular expression `{pattern}`."},
        "b": {"pattern": "^b$"},
    }
    assert guarded(made, limits) == made
    with pytest.raises(DefinitionError, match=r"at /patternProperties/.*the pattern"):
        guarded({"patternProperties": {pattern: {}}}, limits)


def test_a_deep_ladder_is_settled_by_looking_at_each_schema_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty definitions that double at each step take as many looks as there are schemas, not as there are ways."""
    looks = 0
    measured = extent._Measuring._measured

    def counted(self: Any, pointer: str, node: Any) -> Any:
        nonlocal looks
        looks += 1
        return measured(self, pointer, node)

    monkeypatch.setattr(extent._Measuring, "_measured", counted)
    schema = ladder(30, lambda below: {"type": "object", "properties": {"l": below, "r": below}})
    assert guarded(schema) == schema
    assert looks == 1 + 30 * 3 + 1
    with pytest.raises(DefinitionError, match=r"at /\$defs/d1, objects and arrays stand 30 deep"):
        guarded(schema, SchemaLimits(depth=29))


def test_many_definitions_of_one_name() -> None:
    """Names that clash get numbers, however many they are."""
    parts = {f"p{index}": {"same": TEXT} for index in range(300)}
    made = guarded({"parts": parts, "anyOf": [{"$ref": f"#/parts/{name}/same"} for name in parts]})
    assert set(made["$defs"]) == {"same", *(f"same{index}" for index in range(2, 301))}


def test_no_address_is_asked() -> None:
    """Neither a reference nor the name of a draft makes the guard open a connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/schema"
        for keyword in ("$ref", "$schema"):
            with pytest.raises(DefinitionError, match=address):
                guarded({keyword: address})
        guarded({"$id": address, "$ref": "#/$defs/A", "$defs": {"A": {}}})
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_measure_does_not_depend_on_the_stack() -> None:
    """The longest way that is allowed is walked, and one schema more is refused, not a crash of Python's stack."""
    guarded(ladder(49, lambda below: {"anyOf": [below]}))
    with pytest.raises(DefinitionError, match="more than 100 schemas"):
        guarded(ladder(50, lambda below: {"anyOf": [below]}))
