"""Any schema in any dialect: within what the provider takes, with every value still to be said, and nothing changed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import jsonschema_rs
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from magic_tools.errors import SchemaRejectedError
from magic_tools.schema.dialects.rendered import Rendered
from magic_tools.schema.dialects.table import DIALECTS, Dialect, render_schema
from magic_tools.values import JsonObject
from tests.properties.test_schema import compiled, every_type
from tests.schema.dialects import referees

some = settings(max_examples=150)

names = st.sampled_from(["a", "b", "a_b", "c/d", "$ref", ""])
texts: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
    {},
    optional={
        "description": st.sampled_from(["A text", "Another."]),
        "title": st.just("T"),
        "default": st.sampled_from([None, 1, "x"]),
        "examples": st.just(["x"]),
        "x-unit": st.just("s"),
        "deprecated": st.booleans(),
        "nullable": st.booleans(),
    },
)
strings = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(1, 3),
        "format": st.sampled_from(["date", "uri", "binary"]),
        "pattern": st.sampled_from(["^[a-z]*$", "(?=x)", r"\bx", "^.{0,1000}$"]),
    },
)
numbers = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number"])},
    optional={"minimum": st.integers(-2, 2), "exclusiveMaximum": st.integers(1, 5), "multipleOf": st.integers(1, 2)},
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "x", "2026-11-29", 1.5]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
leaves: st.SearchStrategy[JsonObject] = st.one_of(
    strings,
    numbers,
    st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"type": ["string", "null"]}, {"type": "object"}]),
    st.builds(lambda held: {"enum": held}, st.lists(values, min_size=1, max_size=3)),
    st.builds(lambda held: {"const": held}, values),
    st.sampled_from(["#/$defs/A", "#/$defs/B", "#", "#/properties/a"]).map(lambda ref: {"$ref": ref}),
    st.just({}),
)


def wider(inner: st.SearchStrategy[JsonObject]) -> st.SearchStrategy[JsonObject]:
    """Schemas with others in them."""
    anything = inner | st.booleans()
    objects = st.fixed_dictionaries(
        {
            "type": st.sampled_from(["object", ["object", "null"]]),
            "properties": st.dictionaries(names, anything, max_size=3),
        },
        optional={
            "required": st.lists(names, max_size=2, unique=True),
            "additionalProperties": st.just(False) | anything,
            "minProperties": st.integers(0, 1),
        },
    )
    arrays = st.fixed_dictionaries(
        {"type": st.just("array")},
        optional={
            "items": anything,
            "prefixItems": st.lists(anything, min_size=1, max_size=2),
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(2, 3),
            "uniqueItems": st.booleans(),
        },
    )
    unions = st.builds(
        lambda keyword, held: {keyword: held},
        st.sampled_from(["anyOf", "oneOf", "allOf"]),
        st.lists(anything, min_size=1, max_size=3),
    )
    odd = st.builds(lambda keyword, held: {keyword: held}, st.sampled_from(["not", "if", "contains", "then"]), inner)
    return st.one_of(
        objects, arrays, unions, st.builds(lambda left, right: {**left, **right}, inner, st.one_of(texts, unions, odd))
    )


schemas = st.recursive(leaves, wider, max_leaves=5)
roots: st.SearchStrategy[JsonObject] = st.builds(
    lambda root, a, b: {**root, "$defs": {"A": a, "B": b}},
    st.builds(lambda named, more: {**named, **more}, wider(schemas), texts),
    schemas,
    schemas,
)

REFEREES: Mapping[tuple[Dialect, bool], Callable[[Any], Iterable[str]]] = {
    ("openai-chat", True): referees.openai_strict,
    ("openai-responses", True): referees.openai_strict,
    ("langchain", True): referees.openai_strict,
    ("anthropic", True): referees.anthropic_strict,
    ("openai-chat", False): referees.root_complaints,
    ("openai-responses", False): referees.root_complaints,
    ("anthropic", False): referees.root_complaints,
    ("langchain", False): referees.root_complaints,
    ("gemini", False): referees.gemini,
}


def rendered(schema: JsonObject, dialect: Dialect, strict: bool | None) -> Rendered | None:
    """The form, or None where it is refused."""
    with suppress(SchemaRejectedError):
        return render_schema(schema, dialect, strict)
    return None


@given(roots, st.sampled_from(list(DIALECTS)), st.sampled_from([None, True, False]))
@settings(max_examples=400)
def test_a_form_is_what_the_provider_takes(schema: JsonObject, dialect: Dialect, strict: bool | None) -> None:
    """Any schema's form passes the provider's referee or is refused, and the schema stays as it was."""
    given_schema = copy.deepcopy(schema)
    form = rendered(schema, dialect, strict)
    assert schema == given_schema
    if form is None:
        return
    assert list(REFEREES.get((dialect, form.strict), referees.nothing)(form.schema)) == []
    assert not (strict is True and dialect in ("openai-chat", "anthropic") and not form.strict)
    if dialect not in ("canonical", "grammar"):
        jsonschema_rs.validator_for(form.schema)  # which refuses what is no schema


@given(every_type, st.sampled_from(sorted({dialect for dialect, _ in REFEREES})), st.booleans())
@some
def test_a_type_has_a_form(annotation: Any, dialect: Dialect, closed: bool) -> None:
    """The schema of any type has a form in each dialect, which passes the provider's referee."""
    form = render_schema(compiled(annotation, closed=closed).json_schema, dialect)
    assert list(REFEREES[dialect, form.strict](form.schema)) == []


@given(roots, st.sampled_from(list(DIALECTS)))
@some
def test_every_reason_is_told(schema: JsonObject, dialect: Dialect) -> None:
    """What could be strict and is not says why; each change is listed once, with a place in the schema."""
    form = rendered(schema, dialect, None)
    if form is None:
        return
    if DIALECTS[dialect].budgets and DIALECTS[dialect].unasked and not form.strict:
        assert any(change.what.startswith("sent non-strict, because ") for change in form.changes)
    if dialect != "grammar":
        assert len(set(form.changes)) == len(form.changes)
        assert all(exists(schema, change.path) for change in form.changes)


def exists(schema: Any, pointer: str) -> bool:
    """Whether a JSON Pointer leads somewhere; what an allOf holds counts as standing where the allOf does."""
    if not pointer:
        return True
    _, step, *rest = pointer.split("/")
    step = step.replace("~1", "/").replace("~0", "~")
    below = "".join(f"/{each}" for each in rest)
    if isinstance(schema, list):
        return step.isdecimal() and int(step) < len(schema) and exists(schema[int(step)], below)
    if not isinstance(schema, dict):
        return False
    own = step in schema and exists(schema[step], below)
    return own or any(exists(branch, pointer) for branch in schema.get("allOf", ()))


# Schemas as a compiler of types makes them, in which a value can be drawn together with what the form makes of it.
ours: st.SearchStrategy[JsonObject] = st.recursive(
    st.sampled_from(
        [
            {"type": "string", "minLength": 1},
            {"type": "string", "format": "date", "description": "A day"},
            {"type": "integer", "minimum": 0},
            {"type": "number"},
            {"type": "boolean"},
            {"type": "null"},
            {"type": "string", "enum": ["a", "x"]},
            {"enum": ["a", None, 1]},
            {"const": "a"},
            {"const": True},
            {"$ref": "#/$defs/A"},
            {"$ref": "#/$defs/A", "description": "That one"},
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {},
        ]
    ),
    lambda inner: st.one_of(
        st.builds(
            lambda held, required, stated: {
                "type": "object",
                "properties": {
                    name: {**schema, "default": default} if default is not ... and name not in required else schema
                    for (name, schema), default in zip(held.items(), stated, strict=False)
                },
                "required": [name for name in held if name in required],
                "additionalProperties": False,
            },
            st.dictionaries(st.sampled_from(["a", "b", "c", "a_b"]), inner, max_size=3),
            st.sets(st.sampled_from(["a", "b", "c", "a_b"])),
            st.lists(st.sampled_from([..., None, "a"]), min_size=3, max_size=3),
        ),
        st.builds(lambda held: {"type": "array", "items": held, "uniqueItems": True}, inner),
        st.builds(
            lambda held: {"type": "array", "prefixItems": held, "minItems": len(held), "maxItems": len(held)},
            st.lists(inner, min_size=1, max_size=2),
        ),
        st.builds(lambda held: {"anyOf": held}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda held: {"anyOf": [held, {"type": "null"}], "description": "If any"}, inner),
    ),
    max_leaves=6,
)
SCALARS: list[Any] = [None, True, False, 0, 3, 1.5, "a", "x", "2026-11-29"]
LEFT_OUT = object()


def drawn(
    data: st.DataObject, schema: JsonObject, root: JsonObject, dialect: Dialect, depth: int = 6
) -> tuple[Any, Any]:
    """A value of a schema, and what is to be written for it in the dialect's form."""
    assume(depth > 0)
    if "$ref" in schema:
        return drawn(data, root["$defs"]["A"], root, dialect, depth - 1)
    if "anyOf" in schema:
        return drawn(data, data.draw(st.sampled_from(schema["anyOf"])), root, dialect, depth)
    if "properties" in schema:
        pairs = {}
        for name, held in schema["properties"].items():
            if name in schema["required"] or data.draw(st.booleans()):
                pairs[name] = drawn(data, held, root, dialect, depth - 1)
                if dialect == "simple" and held.get("default", ...) is None and pairs[name][0] is None:
                    pairs[name] = None, LEFT_OUT  # it means what leaving it out means
            else:
                pairs[name] = LEFT_OUT, LEFT_OUT
                if dialect == "openai-chat":
                    whole = {**held, "$defs": root["$defs"]}
                    if "default" in held and jsonschema_rs.is_valid(whole, None):
                        assume(jsonschema_rs.is_valid(whole, held["default"]))
                        pairs[name] = LEFT_OUT, held["default"]
                    else:
                        pairs[name] = LEFT_OUT, None
        value = {name: left for name, (left, _) in pairs.items() if left is not LEFT_OUT}
        return value, {name: right for name, (_, right) in pairs.items() if right is not LEFT_OUT}
    if schema.get("type") == "array":
        count = data.draw(st.integers(schema.get("minItems", 0), schema.get("maxItems", 2)))
        first = schema.get("prefixItems", [])
        pairs_ = [
            drawn(data, first[i] if i < len(first) else schema["items"], root, dialect, depth - 1) for i in range(count)
        ]
        written = [json.dumps(right, sort_keys=True) for _, right in pairs_]
        assume(len(set(written)) == count or "uniqueItems" not in schema)  # two items that mean the same are not unique
        return [left for left, _ in pairs_], [right for _, right in pairs_]
    if "additionalProperties" in schema:
        value = data.draw(st.dictionaries(st.sampled_from(["a", "k"]), st.integers(), max_size=2))
        return value, value
    validator = jsonschema_rs.validator_for(schema)
    value = data.draw(st.sampled_from([scalar for scalar in SCALARS if validator.is_valid(scalar)]))
    return value, value


@given(ours, ours, st.sampled_from(["openai-chat", "anthropic", "gemini", "simple", "mcp"]), st.booleans(), st.data())
@settings(max_examples=500)
def test_every_value_can_be_said(
    body: JsonObject, definition: JsonObject, dialect: Dialect, free: bool, data: st.DataObject
) -> None:
    """Each valid value can be written in the form, strict or not, and comes back from it where it was."""
    schema = {**body, "$defs": {"A": definition}}
    form = rendered(schema, dialect, None if free else False)
    if form is None:
        return
    value, written = drawn(data, body, schema, dialect if form.strict or dialect == "simple" else "mcp")
    assume(jsonschema_rs.is_valid(schema, value))
    assume(form.moves or isinstance(value, dict) or dialect == "simple")  # a root without a type is of arguments
    text = form.moved(json.dumps(written))
    assert jsonschema_rs.is_valid(form.schema, json.loads(text)), (form.schema, text)
    assert json.loads(form.restore(text)) == written


OPENNESS: list[JsonObject] = [{}, {"additionalProperties": False}, {"additionalProperties": {"type": "string"}}]
trees: st.SearchStrategy[JsonObject] = st.recursive(
    st.just({"type": "string"}),
    lambda inner: st.builds(
        lambda held, required, openness: {
            "type": "object",
            "properties": held,
            "required": [name for name in held if name in required],
            **openness,
        },
        st.dictionaries(st.sampled_from(["a", "b", "c", "a_b", "b_c"]), inner, max_size=3),
        st.sets(st.sampled_from(["a", "b", "c", "a_b", "b_c"])),
        st.sampled_from(OPENNESS),
    ),
    max_leaves=6,
)


def grown(data: st.DataObject, schema: JsonObject) -> Any:
    """A value of a tree, with keys that it does not declare where it may have them."""
    if schema["type"] == "string":
        return data.draw(st.sampled_from(["x", ""]))
    value: dict[str, Any] = {}
    if schema.get("additionalProperties") is not False:
        value = data.draw(st.dictionaries(st.sampled_from(["a", "a_b", "k", "a_b_c"]), st.just("more"), max_size=2))
    for name, held in schema["properties"].items():
        value.pop(name, None)
        if name in schema["required"] or data.draw(st.booleans()):
            value[name] = grown(data, held)
    return value


@given(trees.filter(lambda tree: tree["type"] == "object"), st.data())
@settings(max_examples=300)
def test_what_is_flattened_comes_back(tree: JsonObject, data: st.DataObject) -> None:
    """Every value that a schema takes, undeclared keys included, can be written flat, and comes back as it was."""
    value = grown(data, tree)
    form = render_schema(tree, "simple")
    flat = form.moved(json.dumps(value))
    assert jsonschema_rs.is_valid(form.schema, json.loads(flat)), (form.schema, flat)
    assert json.loads(form.restore(flat)) == value
