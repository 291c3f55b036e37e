"""Annotations made ready for pydantic: changed where they must be, and the very same object everywhere else."""

from __future__ import annotations

import re
import typing
from collections import abc
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any, Generic, Literal, NewType, NotRequired, TypeVar

import pytest
from pydantic import Base64Bytes, BaseModel, EncodedBytes, Field, PlainSerializer, TypeAdapter
from typing_extensions import TypeAliasType, TypedDict, get_type_hints

from magic_tools.errors import DefinitionError, ParseError
from magic_tools.loose.decode import Schema
from magic_tools.schema.adapting import adapt
from magic_tools.schema.binary import BASE64
from magic_tools.schema.prepare import prepared

T = TypeVar("T")
U = TypeVar("U")
Tree = TypeAliasType("Tree", "list[int | Tree]")
Swapped = TypeAliasType("Swapped", dict[U, list[T]], type_params=(T, U))
Number = NewType("Number", int)


class Color(Enum):
    RED = "red"
    BLUE = "blue"
    NONE = None


class Fine(TypedDict):
    """A TypedDict that pydantic takes as it is."""

    a: int
    more: NotRequired[list[Fine]]


class Model(BaseModel):
    a: bytes


UNCHANGED: list[Any] = [
    *(int, None, Any, list, dict, list[int], dict[str, int], tuple[int, ...], tuple[()], set[str], type[bytes]),
    *(int | None, typing.Optional[int], abc.Callable[[bytes], abc.Iterable[int]], re.Pattern[bytes]),  # noqa: UP045 - an old spelling too
    *(Literal["a", 1], Annotated[int, "text"], Annotated[list[int], Field(min_length=1)], Tree, Number, Fine, Model),
    *(Base64Bytes, Annotated[bytes, BASE64], Annotated[Base64Bytes, "text"], list[Model], T, "int", typing.List[int]),  # noqa: UP006 - an old spelling too
]


@pytest.mark.parametrize("annotation", UNCHANGED, ids=repr)
def test_nothing_is_changed_without_need(annotation: Any) -> None:
    """What pydantic reads and writes as it says is the very same object afterwards."""
    assert prepared(annotation) is annotation


@pytest.mark.parametrize(
    "annotation",
    [bytes, list[bytes], abc.Iterable[bytes], Annotated[bytes, Field(max_length=1)], Literal[Color.RED]],
    ids=repr,
)
def test_what_is_ready_stays(annotation: Any) -> None:
    """What has been made ready needs nothing more."""
    made = prepared(annotation)
    assert prepared(made) is made


def written(annotation: Any, value: Any) -> str:
    return Schema(adapt(annotation, where="the type"), name="the type").dump(value)


def read(annotation: Any, text: str) -> Any:
    return Schema(adapt(annotation, where="the type"), name="the type", closed=True).parse(text).value


@pytest.mark.parametrize(
    ("annotation", "value", "text"),
    [
        (abc.Iterable[int], (n for n in (1, 2)), "[1,2]"),
        (abc.Iterable[int], {1: "a"}, "[1]"),
        (abc.Sequence[int], range(2), "[0,1]"),
        (abc.Collection[int], {1}, "[1]"),
        (abc.Iterator[int], iter([1]), "[1]"),
        (abc.Generator[int, None, str], (n for n in (1,)), "[1]"),
        (abc.Set[int], {1}, "[1]"),
        (abc.Mapping[str, abc.Iterable[int]], {"a": (1,)}, '{"a":[1]}'),
        (Annotated[abc.Iterable[int], PlainSerializer(lambda held: len(list(held)))], [1, 2], "2"),
        (Annotated[bytes, PlainSerializer(lambda held: len(held))], b"ab", "2"),
        (bytes, b"\xff\xef", '"/+8="'),
        (dict[bytes, bytes | None], {b"\xff": b"", b"a": None}, '{"/w==":"","YQ==":null}'),
        (Literal[Color.RED], Color.RED, '"red"'),
        (Swapped[bytes, str], {"a": [b"a"]}, '{"a":["YQ=="]}'),
    ],
)
def test_what_is_written(annotation: Any, value: Any, text: str) -> None:
    """Whatever can become what the annotation says is written as that; an author's own serialiser counts more."""
    assert written(annotation, value) == text


@pytest.mark.parametrize(("annotation", "value"), [(abc.Iterable[str], "abc"), (abc.Sequence[int], 5), (bytes, "a")])
def test_what_is_not_written(annotation: Any, value: Any) -> None:
    """A text is no list of its letters, and what is of another type is refused."""
    with pytest.raises(ValueError, match=r"Unexpected|Error calling|must be|Expected"):
        written(annotation, value)


@pytest.mark.parametrize(
    "annotation", [abc.Iterator[int], Annotated[abc.Generator[int, None, None], Field(max_length=2)]]
)
def test_an_iterator_is_one(annotation: Any) -> None:
    """For an Iterator, what has been read and checked comes as an iterator."""
    value = read(annotation, "[1, 2]")
    assert isinstance(value, Iterator)
    assert list(value) == [1, 2]
    with pytest.raises(ParseError, match=r"\[1\]: expected an integer"):
        read(annotation, '[1, "x"]')


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        (Literal[Color.RED, 5], '"red"', Color.RED),
        (Literal[Color.RED, 5], "5", 5),
        (Literal[Color.RED, Color.NONE], "null", Color.NONE),
        (Swapped[bytes, str], '{"a": ["aGk="]}', {"a": [b"hi"]}),
    ],
)
def test_what_is_read(annotation: Any, text: str, value: Any) -> None:
    """Members of an Enum in a Literal are read by their values, and type variables are filled in as they are named."""
    assert read(annotation, text) == value


@pytest.mark.parametrize("text", ['"blue"', "1", "true"])
def test_another_member_is_refused(text: str) -> None:
    """A Literal of some members takes no other member of the same Enum."""
    with pytest.raises(ParseError, match=r"expected one of ('red'|\"red\"), (None|null)"):
        read(Literal[Color.RED, Color.NONE], text)


class Old(typing.TypedDict, total=False):
    """Of `typing`, with all that one can have.

    Attributes:
        b: bytes
    """

    a: typing.Required[Annotated[int, "A number"]]
    b: bytes
    c: Annotated[NotRequired[int], "An odd place"]
    other: NotRequired[Other]


class Other(typing.TypedDict):
    old: NotRequired[Old]


class Below(Old):
    d: int


class Held(typing.TypedDict, Generic[T]):
    held: T


def test_a_typed_dict_of_typing_is_made_anew() -> None:
    """A TypedDict that pydantic refuses, or that holds what must change, keeps its keys, name, module and texts."""
    made = prepared(Below)
    assert (made.__name__, made.__module__) == ("Below", __name__)
    assert (made.__required_keys__, made.__optional_keys__) == ({"a", "d"}, {"b", "c", "other"})
    assert prepared(Old).__doc__ == Old.__doc__
    hints = get_type_hints(prepared(Old), include_extras=True)
    assert hints["a"] == get_type_hints(Old, include_extras=True)["a"]
    assert hints["b"] == Annotated[bytes, BASE64]
    TypeAdapter(made)


def test_typed_dicts_that_hold_each_other() -> None:
    """Types that lead back to themselves through others are made anew as a whole."""
    text = '{"a": 1, "other": {"old": {"a": 2, "b": "aGk="}}}'
    assert read(Old, text) == {"a": 1, "other": {"old": {"a": 2, "b": b"hi"}}}
    assert read(Other, '{"old": {"a": 2, "b": "aGk="}}') == {"old": {"a": 2, "b": b"hi"}}
    assert read(Held[list[Old]], '{"held": [{"a": 1}]}') == {"held": [{"a": 1}]}


def test_a_local_typed_dict() -> None:
    """A class in a function finds itself; where another name is not found, pydantic says so in its error."""

    class Local(typing.TypedDict):
        more: NotRequired[list[Local]]  # type: ignore[misc]  # which a checker does not follow here

    class Lost(typing.TypedDict):
        more: Nowhere  # type: ignore[name-defined]  # noqa: F821 - which is the point

    assert read(Local, '{"more": [{}]}') == {"more": [{}]}
    with pytest.raises(DefinitionError, match="the type has the annotation"):
        adapt(Lost, where="the type")


@pytest.mark.skipif("sys.version_info < (3, 12)", reason="the statement is of Python 3.12")
def test_the_alias_statement() -> None:
    """An alias made by `type X = ...` is looked into, type variables and all, and kept where nothing has to change."""
    names: dict[str, Any] = {}
    exec("type Blob = bytes\ntype Rows[T, U] = dict[U, list[T]]\ntype Deep = list[int | Deep]", names)
    assert read(names["Rows"][names["Blob"], str], '{"a": ["aGk="]}') == {"a": [b"hi"]}
    assert prepared(names["Deep"]) is names["Deep"]


def test_another_encoding_is_left_to_its_author() -> None:
    """Bytes with an encoding of their own are not encoded twice."""

    class Reversed:
        @classmethod
        def decode(cls, data: bytes) -> bytes:
            return data[::-1]

        @classmethod
        def encode(cls, value: bytes) -> bytes:
            return value[::-1]

        @classmethod
        def get_json_format(cls) -> str:
            return "reversed"

    annotation = Annotated[bytes, EncodedBytes(encoder=Reversed)]
    assert read(annotation, '"ab"') == b"ba"
    assert written(annotation, b"ba") == '"ab"'
