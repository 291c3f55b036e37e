"""Schemas of any types: sound, stable, and of one mind with the validator."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired, Union

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from typing_extensions import TypedDict

from magic_tools.errors import ParseError
from magic_tools.loose.decode import Schema
from magic_tools.schema.docstrings import read_docstring
from magic_tools.schema.identity import annotation_key
from magic_tools.schema.openai import render_openai
from magic_tools.schema.signature import adapt
from magic_tools.schema.walk import map_schema, subschemas

few = settings(max_examples=60)


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Item(BaseModel):
    name: str
    tags: list[Color] = []
    next: Item | None = None


class Row(TypedDict):
    a: int
    b: NotRequired[str | None]


# Types about which the schema and the validator agree to the last value.
leaves: st.SearchStrategy[Any] = st.sampled_from(
    [int, str, bool, None, Color, Literal["a", "b"], Literal["a"], Item, Row, Any]
)


def wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Types made of other types."""
    return st.one_of(
        inner.map(list.__class_getitem__),
        inner.map(lambda held: dict.__class_getitem__((str, held))),
        st.tuples(inner, inner).map(tuple.__class_getitem__),
        inner.map(lambda held: Union[held, None]),  # noqa: UP007 - of types that are known only now
        st.tuples(inner, inner).map(lambda pair: Union[pair]),  # noqa: UP007 - of types that are known only now
        inner.map(lambda held: Annotated[held, "A text"]),
    )


every_type: st.SearchStrategy[Any] = st.recursive(leaves, wider, max_leaves=4)
scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "b", "red", "x", 1.5])
keys = st.sampled_from(["a", "b", "name", "tags", "next", "x"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=6
)


def compiled(annotation: Any, *, closed: bool) -> Schema[Any]:
    return Schema(adapt(annotation, where="the type"), name="the type", closed=closed, annotation=annotation)


@given(every_type, st.lists(values, min_size=5, max_size=5), st.booleans())
@few
def test_the_schema_says_what_the_validator_does(annotation: Any, tried: list[Any], closed: bool) -> None:
    """A reader of the schema alone takes and refuses what the validator does."""
    schema = compiled(annotation, closed=closed)
    referee = jsonschema_rs.validator_for(schema.json_schema)
    for value in tried:
        try:
            schema.parse(json.dumps(value))
            fits = True
        except ParseError:
            fits = False
        assert referee.is_valid(value) is fits


@given(every_type)
@few
def test_a_schema_is_sound_and_stable(annotation: Any) -> None:
    """A schema is valid, without titles, the same each time, and every reference in it leads to a definition."""
    schema = compiled(annotation, closed=True).json_schema
    jsonschema_rs.meta.validate(schema)
    assert json.dumps(schema) == json.dumps(compiled(annotation, closed=True).json_schema)
    nodes = [schema]
    for node in nodes:
        nodes.extend(subschemas(node))
    assert not any("title" in node for node in nodes)
    assert {node["$ref"] for node in nodes if "$ref" in node} == {f"#/$defs/{name}" for name in schema.get("$defs", {})}
    assert map_schema(schema, lambda node, _: node) == schema


@given(every_type)
@few
def test_a_strict_rendering_is_of_the_strict_subset(annotation: Any) -> None:
    """What is rendered strict has closed objects alone, all of whose properties are required, and no `oneOf`."""
    rendered = render_openai(compiled(annotation, closed=True).json_schema)
    if not rendered.strict:
        assert rendered.changes
        return
    nodes = [rendered.schema]
    for node in nodes:
        nodes.extend(subschemas(node))
    for node in nodes:
        assert "oneOf" not in node
        assert node.get("type") != "object" or node["additionalProperties"] is False
        assert sorted(node.get("required", [])) == sorted(node.get("properties", {}))


everyday = st.one_of(
    st.tuples(st.just(Decimal), st.decimals(allow_nan=False, allow_infinity=False)),
    st.tuples(st.just(dt.date), st.dates()),
    st.tuples(st.just(dt.datetime), st.datetimes(timezones=st.just(dt.UTC))),
    st.tuples(st.just(dt.time), st.times()),
    st.tuples(st.just(dt.timedelta), st.timedeltas(dt.timedelta(-(10**6)), dt.timedelta(10**6))),
    st.tuples(st.just(int), st.integers()),
    st.tuples(st.just(float), st.floats(allow_nan=False, allow_infinity=False)),
    st.tuples(st.just(str), st.text()),
    st.tuples(st.just(dict[str, set[int]]), st.dictionaries(st.text(), st.sets(st.integers()), max_size=3)),
    st.tuples(st.just(dict[dt.date, Decimal]), st.dictionaries(st.dates(), st.decimals(0, 1, places=2), max_size=3)),
    st.tuples(st.just(dict[int, bool | None]), st.dictionaries(st.integers(), st.booleans() | st.none(), max_size=3)),
)


@given(everyday, st.booleans())
@settings(max_examples=150)
def test_what_is_written_is_read_again(pair: tuple[Any, Any], closed: bool) -> None:
    """A value comes back from its text as it was, untouched, to the last digit."""
    annotation, value = pair
    schema = compiled(annotation, closed=closed)
    parsed = schema.parse(schema.dump(value))
    assert (parsed.value, parsed.repairs) == (value, ())
    assert not isinstance(value, Decimal) or str(parsed.value) == str(value)


@given(every_type, every_type)
@few
def test_a_key_is_an_annotation_s_own(left: Any, right: Any) -> None:
    """Annotations of one key have one schema."""
    assert annotation_key(left) == annotation_key(left)
    if annotation_key(left) == annotation_key(right):
        assert compiled(left, closed=True).json_schema == compiled(right, closed=True).json_schema


lines = st.text("abc:.*-()@`'\"é数 ", max_size=20)


@given(st.lists(lines | st.sampled_from(["Args:", "    a: b", ":param x: y", ": :", "----", "Parameters", ""])))
@few
def test_any_docstring_can_be_read(written: list[str]) -> None:
    """Whatever stands in a docstring, it has a prose and texts, and nothing is raised."""
    read = read_docstring("\n".join(written))
    assert read.prose == read.prose.strip()
    assert all(text == " ".join(text.split()) for text in read.parameters.values())


names = st.lists(st.from_regex(r"[a-z_][a-z0-9_]{0,6}", fullmatch=True), min_size=1, max_size=4, unique=True)
words = st.text("abc é数.,:()", min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)


@given(names, st.data())
@few
def test_a_documented_parameter_has_its_text(names: list[str], data: st.DataObject) -> None:
    """In Google's, Sphinx's and NumPy's style a parameter's text comes back as it was written."""
    texts = {name: data.draw(words) for name in names}
    google = "Args:\n" + "\n".join(f"    {name}: {text}" for name, text in texts.items())
    sphinx = "\n".join(f":param {name}: {text}" for name, text in texts.items())
    numpy = "Parameters\n----------\n" + "\n".join(f"{name} : int\n    {text}" for name, text in texts.items())
    for section in (google, sphinx, numpy):
        read = read_docstring(f"What it is for.\n\n{section}\n")
        assert (read.prose, read.parameters) == ("What it is for.", texts)
