"""Both limits of a number, where one of them was not kept."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from magic_tools import ParseError, parse

Small = Annotated[int, Field(ge=1, le=20)]


class Inner(BaseModel):
    n: Small


class Outer(BaseModel):
    n: Small | None = None
    inner: Inner | None = None
    many: list[Small] = []
    named: dict[str, Small] = {}
    pair: tuple[str, Small] = ("a", 1)
    least: Annotated[int, Field(ge=1)] = 1
    above: Annotated[float, Field(gt=0, le=1)] = 1


@pytest.mark.parametrize("number", [0, 21])
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"n": %d}', "n"),
        ('{"inner": {"n": %d}}', "inner.n"),
        ('{"many": [1, %d]}', "many[1]"),
        ('{"named": {"a": %d}}', "named.a"),
        ('{"pair": ["a", %d]}', "pair[1]"),
    ],
)
def test_both_limits_are_told(text: str, path: str, number: int) -> None:
    """So that one mending is enough, wherever the number stands."""
    with pytest.raises(ParseError) as caught:
        parse(Outer, text % number)
    assert f"{path}: expected a number from 1 to 20" in str(caught.value)
    assert f"got {number}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"least": 0}', "least: expected a number of at least 1, got 0"),
        ('{"above": 2}', "above: expected a number of at most 1.0, got 2"),
        ('{"above": 0}', "above: expected a number above 0.0, got 0"),
    ],
)
def test_one_limit_alone(text: str, expected: str) -> None:
    """Where there is one, or the other does not belong to the range, it is told by itself."""
    with pytest.raises(ParseError, match="expected a number") as caught:
        parse(Outer, text)
    assert [str(issue) for issue in caught.value.issues] == [expected]


def test_in_a_schema_from_outside() -> None:
    """The same."""
    schema: dict[str, Any] = {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 9}}
    with pytest.raises(ParseError, match=r"\[0\]: expected a number from 1 to 9, got 10"):
        parse(schema, "[10]")
