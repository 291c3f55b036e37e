"""The parts of a type: which keys and items it has, and what each is validated by."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Generic, Literal, NotRequired, Required, TypeVar

import pydantic
import pytest
from pydantic import AliasChoices, AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, RootModel
from typing_extensions import TypeAliasType, TypedDict

from magic_tools.errors import ParseError
from magic_tools.loose.parts import Part

T = TypeVar("T")


class Aliased(BaseModel):
    model_config = ConfigDict(alias_generator=str.upper)
    a: int
    b: int = Field(default=1, alias="beta")
    c: int = Field(validation_alias=AliasChoices("c1", AliasPath("c2"), AliasPath("c3", 0)))


class ByName(BaseModel):
    model_config = ConfigDict(validate_by_name=True)
    a: int = Field(alias="alpha")


@dataclasses.dataclass
class Data:
    a: Annotated[int, Field(ge=1)]
    b: int = Field(default=2, alias="beta")
    c: list[int] = dataclasses.field(default_factory=list)
    d: int = dataclasses.field(init=False, default=0)


@pydantic.dataclasses.dataclass
class Checked:
    a: int = Field(ge=1, alias="alpha")
    b: int = 0


class Keys(TypedDict, total=False):
    a: Required[Annotated[int, "text"]]
    b: Annotated[NotRequired[int], Field(ge=1)]
    c: int


class Boxed(BaseModel, Generic[T]):
    held: T


class Root(RootModel[list[int]]):
    pass


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Pet(BaseModel):
    pet: Cat | Dog = Field(discriminator="kind")


Alias = TypeAliasType("Alias", list[int])


@pytest.mark.parametrize(
    ("target", "keys"),
    [
        (Aliased, {"A": True, "beta": False, "c1": True, "c2": True}),
        (ByName, {"alpha": True, "a": True}),
        (Data, {"a": True, "beta": False, "c": False}),
        (Checked, {"alpha": True, "b": False}),
        (Keys, {"a": True, "b": False, "c": False}),
        (Boxed[int], {"held": True}),
        (ByName | None, {"alpha": True, "a": True}),
        (Annotated[ByName, "text"], {"alpha": True, "a": True}),
        (Root, {}),
        (int, {}),
        (dict[str, int], {}),
        (ByName | Data, {}),
        (Annotated[ByName, BeforeValidator(str)], {}),
    ],
)
def test_the_fields_of_an_object(target: Any, keys: dict[str, bool]) -> None:
    """They are found by their keys in JSON; where another JSON may be read than the type's, there are none."""
    part = Part(target)
    names = {"A", "B", "C", "alpha", "beta", "held", "a", "b", "c", "d", "c1", "c2", "c3", "root"}
    found = {name: inner.required for name in names if (inner := part.inside(name)) is not None}
    assert found == keys
    assert part.has_parts is bool(keys)
    assert part.inside(0) is None


@pytest.mark.parametrize(
    ("target", "has_items", "is_sum"),
    [
        (list[int], True, True),
        (list[int] | None, True, True),
        (Annotated[list[int], "text"], True, True),
        (Alias, True, True),
        (Annotated[list[int], Field(min_length=1)], True, False),
        (Annotated[list[int], BeforeValidator(str)], False, False),
        (list, False, False),
        (set[int], False, False),
        (tuple[int, int], False, False),
    ],
)
def test_the_items_of_a_list(target: Any, has_items: bool, is_sum: bool) -> None:
    """A list has items, and is no more than they are where nothing else is demanded of it."""
    part = Part(target)
    assert (part.inside(7) is not None, part.is_sum_of_items) == (has_items, is_sum)
    assert part.inside("a") is None


@pytest.mark.parametrize(
    ("target", "key", "good", "bad"),
    [
        (Data, "a", "1", "0"),
        (Checked, "alpha", "1", "0"),
        (Keys, "b", "1", "0"),
        (Boxed[int], "held", "1", "true"),
        (Pet, "pet", '{"kind": "cat"}', '{"kind": "cow"}'),
    ],
)
def test_a_field_is_validated_alone(target: Any, key: str, good: str, bad: str) -> None:
    """What its annotation and its `Field` demand is checked without the object around it."""
    part = Part(target).inside(key)
    assert part is not None
    assert part.schema is not None
    part.schema.parse(good)
    with pytest.raises(ParseError, match=r"^invalid"):
        part.schema.parse(bad)


def test_what_has_no_schema_alone_is_not_validated_alone() -> None:
    """A part that stands for nothing on its own waits for the whole."""
    assert Part("int").schema is None


def test_parts_are_kept_unless_nothing_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fields of a class are found once, or each time where caches are off."""
    assert Part(Data).inside("a") is Part(Data).inside("a")
    monkeypatch.setenv("MAGIC_TOOLS_CACHE", "off")
    assert Part(Data).inside("a") is not Part(Data).inside("a")
