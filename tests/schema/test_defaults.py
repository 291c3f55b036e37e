"""Defaults: as JSON, and held to their own annotations."""

import datetime as dt
import math
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired

import pytest
from pydantic import BaseModel, Field, SecretStr
from pydantic_core import PydanticSerializationError
from typing_extensions import TypedDict

from magic_tools.errors import DefinitionError
from magic_tools.schema.adapting import adapt
from magic_tools.schema.defaults import check_defaults, json_default


class Color(Enum):
    RED = "red"


class Item(BaseModel):
    name: str = Field(default="x", serialization_alias="n")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1, 1),
        (None, None),
        (True, True),
        ("a", "a"),
        (1.5, 1.5),
        ({"b", "a"}, ["a", "b"]),
        ((1, Color.RED), [1, "red"]),
        ({dt.date(2026, 1, 2): [Decimal("1.10")]}, {"2026-01-02": ["1.10"]}),
        (Item(), {"n": "x"}),
        (b"\xff", "/w=="),
        ({b"a": [b"b"]}, {"YQ==": ["Yg=="]}),
    ],
)
def test_a_default_as_JSON(value: Any, written: Any) -> None:
    """A default is the JSON that it would be written as, sets in order."""
    assert json_default(value) == written
    assert type(json_default(value)) is type(written)


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.parametrize("value", [math.nan, object(), SecretStr("x"), [SecretStr("x")], len, LOOP])
def test_a_default_that_JSON_cannot_hold(value: Any) -> None:
    """A secret and what has no form in JSON are no default in a schema."""
    with pytest.raises(PydanticSerializationError, match="JSON cannot hold the default"):
        json_default(value)


def check(annotation: Any, default: Any) -> None:
    """Check a default beside a parameter that is required."""

    class Arguments(TypedDict):
        other: int
        it: NotRequired[annotation]

    check_defaults(adapt(Arguments, where="f"), {"it": default}, where="f()")


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (int, 1),
        (int, None),
        (Annotated[int, Field(ge=1)], None),
        (Annotated[int, Field(ge=1)], 1),
        (float, 1),
        (Decimal, 0),
        (set[int], [1]),
        (tuple[int, ...], []),
        (Color, Color.RED),
        (Item, Item()),
        (Literal["a"], "a"),
        (Any, object()),
        (SecretStr, SecretStr("x")),
        (bytes, b"\xff"),
    ],
)
def test_a_default_that_its_annotation_takes(annotation: Any, default: Any) -> None:
    """A default that pydantic would take, and None, are let be."""
    check(annotation, default)


@pytest.mark.parametrize(
    ("annotation", "default", "why"),
    [
        (Annotated[int, Field(ge=1)], 0, "greater than or equal to 1"),
        (Annotated[str, Field(max_length=2)], "abc", "at most 2 characters"),
        (Literal["a", "b"], "c", "'a' or 'b'"),
        (list[int], ["x"], "valid integer"),
        (dict[str, Annotated[int, Field(le=9)]], {"a": 10}, "less than or equal to 9"),
        (int, "many", "valid integer"),
        (Item, {"name": 1}, "valid string"),
        (dt.date, "tomorrow", "valid date"),
    ],
)
def test_a_default_that_its_annotation_refuses(annotation: Any, default: Any, why: str) -> None:
    """A default against its own annotation is refused at definition, naming function, parameter and why."""
    with pytest.raises(
        DefinitionError, match=r"^f\(\): parameter 'it' has the default .*Change one of the two"
    ) as error:
        check(annotation, default)
    assert why in str(error.value)
    assert repr(default) in str(error.value)
