"""Limits around unions, whatever the branches: the schema alone tells what the validator takes."""

from __future__ import annotations

import json
from enum import IntEnum
from typing import Annotated, Any, Literal, Union

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError

from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import Schema
from magic_tools.schema.adapting import adapt


class Level(IntEnum):
    LOW = 1
    MIDDLE = 4
    HIGH = 9


AMOUNTS: tuple[Any, ...] = (int, float, Literal[0, 3, 7], Level)
SIZED: tuple[Any, ...] = (str, list[int], dict[str, int], tuple[int, ...], Literal["", "abc"])
limits = st.integers(-1, 8)


def branches(kinds: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """Unions of at least two of these, in any order."""
    return st.lists(st.sampled_from(kinds), min_size=2, unique_by=str).map(
        lambda chosen: Union[tuple(chosen)]  # noqa: UP007 - of types that are known only now
    )


def schema_takes(annotation: Any, value: Any) -> bool:
    schema = Schema(adapt(annotation, where="the type"), name="the type", annotation=annotation)
    try:
        return jsonschema_rs.validator_for(schema.json_schema).is_valid(value)
    except DefinitionError:  # no value is left
        return False


def pydantic_takes(annotation: Any, value: Any) -> bool:
    try:
        TypeAdapter(annotation).validate_json(json.dumps(value), strict=True)
    except ValidationError:
        return False
    return True


@given(branches(AMOUNTS), limits, limits, st.integers(-2, 10) | st.integers(-2, 10).map(lambda whole: whole + 0.5))
def test_amounts(union: Any, least: int, most: int, value: float) -> None:
    """A number is taken if and only if the schema takes it, whatever the branches and the limits are."""
    annotation = Annotated[union, Field(ge=least, lt=most)]
    assert schema_takes(annotation, value) == pydantic_takes(annotation, value)


@given(
    branches(SIZED),
    limits.map(abs),
    limits.map(abs),
    st.text("abc", max_size=9)
    | st.lists(st.integers(0, 3), max_size=9)
    | st.dictionaries(st.text("abc", max_size=2), st.integers(0, 3), max_size=9),
)
def test_lengths(union: Any, least: int, most: int, value: Any) -> None:
    """A text, an array or an object is taken if and only if the schema takes it."""
    annotation = Annotated[union, Field(min_length=least, max_length=most)]
    assert schema_takes(annotation, value) == pydantic_takes(annotation, value)
