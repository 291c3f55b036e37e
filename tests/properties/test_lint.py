"""Properties of the linter: it has an answer for every schema, and its answer depends on nothing else."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from magic_tools.tools.lint.findings import LintConfig
from magic_tools.tools.lint.place_rules import PLACE_RULES
from magic_tools.tools.lint.places import object_levels, places
from magic_tools.tools.lint.words import explained, own_text, units

NAMES = st.sampled_from(
    ["id", "price", "created_at", "duration", "next_cursor", "tenant_id", "qty", "日期", "金额", "a b", ""]
)
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "b", "", "日", "a.b"])
TEXTS = st.sampled_from(["", "a: one; b: two", "In minutes.", "日：一；b（二）", "By key."]) | st.text(max_size=20)
LEAVES = st.one_of(
    st.just({}),
    st.booleans(),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])},
        optional={"description": TEXTS, "minimum": st.integers(0, 3), "format": st.sampled_from(["date", "uuid"])},
    ),
    st.fixed_dictionaries({"type": st.lists(st.sampled_from(["string", "integer", "null"]), min_size=1, unique=True)}),
    st.fixed_dictionaries({"enum": st.lists(SCALARS, max_size=10)}, optional={"description": TEXTS}),
    st.fixed_dictionaries({"const": SCALARS}),
    st.fixed_dictionaries({"$ref": st.sampled_from(["#", "#/$defs/A", "#/$defs/B", "#/$defs/none", "x.json#/y"])}),
)


def held(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Schemas around others."""
    several = st.lists(inner, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    whole = {"properties": named, "required": st.lists(NAMES, max_size=2, unique=True), "description": TEXTS}
    return st.one_of(
        st.fixed_dictionaries({"type": st.just("object")}, optional={**whole, "additionalProperties": inner}),
        st.fixed_dictionaries({"type": st.just("array")}, optional={"items": inner, "prefixItems": several}),
        *(
            st.fixed_dictionaries({word: several}, optional={"description": TEXTS})
            for word in ("anyOf", "oneOf", "allOf")
        ),
        st.fixed_dictionaries({"patternProperties": named}),
    )


INNER = st.recursive(LEAVES, held, max_leaves=12)
SCHEMAS = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(NAMES, INNER, max_size=4)},
    optional={
        "$defs": st.fixed_dictionaries({"A": held(INNER), "B": LEAVES.filter(lambda each: not isinstance(each, bool))})
    },
)


@given(schema=SCHEMAS, side=st.sampled_from(["input", "output"]))
@settings(max_examples=150, deadline=None)
def test_every_schema_has_an_answer(schema: dict[str, Any], side: Any) -> None:
    """No schema makes a rule fail, none is changed by being looked at, and a second look says the same."""
    before = copy.deepcopy(schema)

    def look() -> list[tuple[str, str, str | None]]:
        return [
            (place.path, rule.name, rule.check(place, LintConfig()))
            for place in places(schema, side)
            for rule in PLACE_RULES
        ]

    assert look() == look()
    assert object_levels(schema, schema) >= 1
    assert schema == before


@given(text=TEXTS, values=st.lists(SCALARS, max_size=4))
@settings(deadline=None)
def test_a_text_is_divided_among_values(text: str, values: list[Any]) -> None:
    """What a text says of values, and beside that, is never longer than the text."""
    parts = explained(text, values)
    assert all(part in text for part in parts.values())
    assert units(own_text(text, values)) <= units(text)


@given(one=st.text(), other=st.text())
def test_units_add_up(one: str, other: str) -> None:
    """Two texts with a blank between them are as long as both."""
    assert units(f"{one} {other}") == units(one) + units(other)
