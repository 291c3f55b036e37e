"""Keys of annotations: the same for what means the same, never the same for what does not."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from pydantic import BaseModel, Field

from magic_tools.schema.identity import annotation_key


def enum_of_one() -> Any:
    class Same(StrEnum):
        X = "x"

    return Same


FIRST, SECOND = enum_of_one(), enum_of_one()
AT_LEAST_ONE = Field(ge=1)


class Model(BaseModel):
    a: int


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (int | str, str | int),
        (Annotated[int, 1], Annotated[int, True]),
        (Annotated[int, "a"], Annotated[int, "b"]),
        (Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]),
        (Literal[1], Literal[True]),
        (Literal[FIRST.X], Literal[SECOND.X]),
        (Literal["a", "b"], Literal["b", "a"]),
        (list[int | str], list[str | int]),
        (dict[str, int], dict[int, str]),
        (Callable[[int], str], Callable[[str], str]),
        (tuple[int, ...], tuple[int]),
        (list, list[Any]),
        (Model, dict),
    ],
)
def test_different_meanings_have_different_keys(left: Any, right: Any) -> None:
    """Annotations that Python calls equal, or that look alike, and mean something else, do not meet."""
    assert annotation_key(left) != annotation_key(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (list[int], list[int]),
        (int | None, int | None),
        (Union[int, str], Union[int, str]),  # noqa: UP007 - the spelling is what is tested
        (Optional[int], Union[int, None]),  # noqa: UP007, UP045 - the spelling is what is tested
        (Literal["a", 1], Literal["a", 1]),
        (Annotated[list[int], "a"], Annotated[list[int], "a"]),
        (Annotated[int, AT_LEAST_ONE], Annotated[int, AT_LEAST_ONE]),
        (Callable[[int], str], Callable[[int], str]),
        (dict[str, tuple[Model, ...]], dict[str, tuple[Model, ...]]),
    ],
)
def test_the_same_meaning_has_one_key(left: Any, right: Any) -> None:
    """Annotations that are written alike share a key, which can be hashed."""
    assert annotation_key(left) == annotation_key(right)
    assert hash(annotation_key(left)) == hash(annotation_key(right))
