"""Canonical JSON: one text for one value, whatever its spelling, and never one text for two."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from magic_tools.messages import ErrorCode
from magic_tools.values import JsonObject, JsonValue, Kept, canonical_json, digest

LARGEST_EXACT = 2**53 - 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (-2.5, "-2.5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (0.000001, "0.000001"),
        (0.0000001, "1e-7"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (LARGEST_EXACT, "9007199254740991"),
        (-LARGEST_EXACT, "-9007199254740991"),
        ("", '""'),
        ('tab\tand "quote" and \\', '"tab\\tand \\"quote\\" and \\\\"'),
        ("\b\f\n\r\x00\x1f\x7f", '"\\b\\f\\n\\r\\u0000\\u001f\x7f"'),
        ("a/b é 天 \u2028", '"a/b é 天 \u2028"'),
        ([], "[]"),
        ([1, [True, None]], "[1,[true,null]]"),
        ((1, 2), "[1,2]"),
        ({}, "{}"),
        ({"b": {"d": 1, "c": 2}, "a": 3}, '{"a":3,"b":{"c":2,"d":1}}'),
    ],
)
def test_one_text_for_each_value(value: JsonValue, text: str) -> None:
    """Numbers, escapes, spacing and nesting are spelled as RFC 8785 says."""
    assert canonical_json(value).decode() == text


def test_keys_are_ordered_by_utf16_units() -> None:
    """A character beyond the basic plane sorts by its surrogates, before the top of that plane."""
    value: JsonValue = {"\uff5e": 1, "\U0001f9ea": 2, "é": 3, "z": 4, "Z": 5, "10": 6, "9": 7, "": 8}
    assert list(json.loads(canonical_json(value))) == ["", "10", "9", "Z", "z", "é", "\U0001f9ea", "\uff5e"]


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (LARGEST_EXACT + 1, {"$int": "9007199254740992"}),
        (-LARGEST_EXACT - 1, {"$int": "-9007199254740992"}),
        (10**400, {"$int": "1" + "0" * 400}),
        (math.nan, {"$float": "nan"}),
        (math.inf, {"$float": "inf"}),
        (-math.inf, {"$float": "-inf"}),
        ("half \ud83e pair", {"$text": "half \\ud83e pair"}),
        ({"\udc00": 1}, {"$text:\\udc00": 1}),
        ({"$int": "1"}, {"$$int": "1"}),
        ({"$$int": "1"}, {"$$$int": "1"}),
        ({"$text:\\udc00": 1}, {"$$text:\\udc00": 1}),
        ([{"a": 2**60}], [{"a": {"$int": "1152921504606846976"}}]),
    ],
)
def test_what_i_json_cannot_hold_is_tagged(value: JsonValue, plain: JsonValue) -> None:
    """Large integers, NaN, infinities and lone surrogates become tagged text; real `$` keys step aside."""
    assert json.loads(canonical_json(value)) == plain


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object(), [{"a": 1j}]], ids=["set", "bytes", "object", "complex"])
def test_what_is_no_json_is_refused(value: Any) -> None:
    """A value outside JSON is a ValueError, not a text."""
    with pytest.raises(ValueError, match="unsupported type"):
        canonical_json(value)


def test_digest_names_its_algorithm() -> None:
    """A digest is SHA-256 of the canonical text, and says so."""
    assert digest({"b": 1.0, "a": 2}) == "sha256:" + hashlib.sha256(b'{"a":2,"b":1}').hexdigest()


# Texts and keys that look like the tags and their escapes, so that a collision would be found.
texts = st.sampled_from(["", "$", "$$", "$int", "$$int", "$float", "$text", "$text:", "$text:\\ud800", "1", "nan"])
texts |= st.text(alphabet="$:intex\\ud80\ud800\udfffé\U0001f600", max_size=5)
scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.integers() | st.floats() | texts
scalars |= st.sampled_from([LARGEST_EXACT, LARGEST_EXACT + 1, -LARGEST_EXACT - 1, float(2**53), math.nan, -0.0])
values = st.recursive(scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(texts, v, max_size=3), max_leaves=6)


def identity(value: Any) -> object:
    """What makes two JSON values one: kind and content; 1 and 1.0 are one number, True is none."""
    match value:
        case bool() | None:
            return ("constant", str(value))
        case int() if abs(value) > LARGEST_EXACT:
            return ("large integer", value)
        case int() | float():
            return ("number", str(value) if math.isnan(value) else float(value))
        case str():
            return ("text", value)
        case list() | tuple():
            return ("array", tuple(map(identity, value)))
        case dict():
            return ("object", frozenset((name, identity(item)) for name, item in value.items()))
        case _:
            raise AssertionError(value)


def respelled(value: Any) -> Any:
    """The same value, written otherwise: whole floats as integers and back, members in reverse, tuples for lists."""
    match value:
        case bool():
            return value
        case int() if abs(value) <= LARGEST_EXACT:
            return float(value)
        case float() if value.is_integer() and abs(value) <= LARGEST_EXACT:
            return int(value)
        case list():
            return tuple(map(respelled, value))
        case dict():
            return {name: respelled(value[name]) for name in reversed(value)}
        case _:
            return value


@given(values)
def test_equal_values_have_equal_texts(value: JsonValue) -> None:
    """How a value is spelled in Python leaves no trace in its canonical text."""
    assert canonical_json(respelled(value)) == canonical_json(value)


@given(values, values)
def test_texts_are_equal_only_for_equal_values(left: JsonValue, right: JsonValue) -> None:
    """No two different values share a text; tags and keys that look like tags never meet."""
    assert (canonical_json(left) == canonical_json(right)) is (identity(left) == identity(right))


@given(values)
def test_the_text_is_strict_json(value: JsonValue) -> None:
    """Whatever the value, the text is UTF-8 and JSON without NaN."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    text = canonical_json(value)
    json.loads(text.decode("utf-8"), parse_constant=refuse)


@pytest.mark.parametrize(
    "value", [{}, {"a": [1, 1.5, True, None, "x", {"b": []}]}, {"数": 2**70, "\ud800": -1e-300, "": {"": [[]]}}]
)
def test_what_is_kept_is_each_taker_s_own(value: JsonObject) -> None:
    """Every copy is equal to what was kept, with its order, and none can change another or the original."""
    kept = Kept(value)
    first = kept.fresh()
    assert (first, list(first)) == (value, list(value))
    first["changed"] = True
    for held in first.values():
        if isinstance(held, list):
            held.append("changed")
    assert kept.fresh() == value


class Label(str):
    """A text of a class of its own."""

    __slots__ = ()


def test_what_is_kept_is_plain() -> None:
    """Values of classes of their own come back as the JSON that they are."""
    fresh = Kept({"a": Label("x"), "b": [ErrorCode.INTERNAL]}).fresh()
    assert fresh == {"a": "x", "b": ["INTERNAL"]}
    assert (type(fresh["a"]), type(fresh["b"][0])) == (str, str)
