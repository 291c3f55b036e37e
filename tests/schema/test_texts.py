"""Which text a schema has where several are said, and the texts of single values."""

from __future__ import annotations

import typing
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NamedTuple

import pydantic.dataclasses
import pytest
from pydantic import BaseModel, Field, NaiveDatetime
from typing_extensions import TypeAliasType, TypedDict

from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import Schema
from magic_tools.schema.adapting import adapt
from magic_tools.schema.emit import check_stated
from magic_tools.schema.reading import read_signature
from magic_tools.values import JsonObject

Field_ = Field(description="Field")
City = Annotated[str, "inner"]
Described = Annotated[str, Field_]
Named = TypeAliasType("Named", Annotated[str, "inner"])


def compiled(annotation: Any) -> Schema[Any]:
    return Schema(adapt(annotation, where="the type"), name="the type", closed=True, annotation=annotation)


class Item(BaseModel):
    """An item."""

    a: int = 1


@dataclass
class Plain:
    """A plain one."""

    a: int = 1


class Level(Enum):
    LOW = 1
    HIGH = 2


class Priority(IntEnum):
    """How soon.

    Attributes:
        LATER: when there is time
        NOBODY: is called so
    """

    LATER = 0
    NOW = 1


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (City, "inner"),
        (Annotated[City, "outer"], "outer"),
        (Annotated[int, "a", "b"], "b"),
        (Annotated[City, Field_], "Field"),
        (Annotated[Described, "outer"], "Field"),
        (Annotated[int, "before", Field_, "after"], "Field"),
        (Annotated[int, Field(description="a"), Field(description="b")], "b"),
        (Annotated[int, "text", Field(ge=1)], "text"),
        (Annotated[int, "text", "", "  "], "text"),
        (Annotated[City, " "], "inner"),
        (Annotated[int, "text", Field(description=" ")], "text"),
        (Annotated[Item, " "], "An item."),
        (Annotated[int, "One,\n    two,\n      three.\n    "], "One,\ntwo,\n  three."),
        (Annotated[int, Field(description=" One,\n    two.\n")], "One,\ntwo."),
        (Named, "inner"),
        (Annotated[Named, "outer"], "outer"),
        (Annotated[Named, Field_], "Field"),
        (Item, "An item."),
        (Annotated[Item, "outer"], "outer"),
        (Annotated[Item, "outer", Field_], "Field"),
        (Annotated[Plain, "outer"], "outer"),
        (Annotated[Priority, "outer"], "outer. 0: when there is time"),
        (Priority, "How soon. 0: when there is time"),
        (Annotated[Priority, {0: "in a while"}], "How soon. 0: in a while"),
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_which_text_counts(annotation: Any, text: str, inside: bool) -> None:
    """A description of Field counts most, then the outermost text, then the docstring of a class; at every depth."""
    made = compiled(tuple[annotation, int] if inside else annotation)
    for schema in (made.json_schema, made.output_schema):
        held = schema["prefixItems"][0] if inside else schema
        assert held["description"] == text


def documented(
    a: Annotated[int, "text"],
    b: Annotated[int, Field_],
    c: Item,
    d: City,
    e: int = Field(ge=1),
    g: int = Field(1, description=" "),
) -> None:
    """Do it.

    Args:
        a: docstring
        b: docstring
        c: docstring
        d: docstring
        e: docstring
        f: nobody
        g: docstring
    """


def test_texts_of_parameters() -> None:
    """The docstring's text counts least, but more than that of a parameter's class."""
    signature = read_signature(documented)
    schema = Schema(signature.adapter, name="documented()", said=signature.said()).json_schema
    texts = {name: held["description"] for name, held in schema["properties"].items()}
    assert texts == {"a": "text", "b": "Field", "c": "docstring", "d": "inner", "e": "docstring", "g": "docstring"}


class Model(BaseModel):
    """Texts of fields.

    Attributes:
        a: docstring
        b: docstring
        c: docstring
    """

    a: int = 1
    b: Annotated[int, "text"] = 1
    c: Annotated[int, "text"] = Field(1, description="Field")


@dataclass
class Data:
    """Texts of fields.

    Attributes:
        a: docstring
        b: docstring
        c: docstring
    """

    a: int = 1
    b: Annotated[int, "text"] = 1
    c: Annotated[int, "text"] = field(default=1, metadata={"description": "Field"})


@pydantic.dataclasses.dataclass
class Checked:
    """Texts of fields.

    Attributes:
        a: docstring
        b: docstring
        c: docstring
    """

    a: int = 1
    b: Annotated[int, "text"] = 1
    c: Annotated[int, "text"] = Field(default=1, description="Field")


class Keys(TypedDict):
    """Texts of fields.

    Attributes:
        a: docstring
        b: docstring
        c: docstring
    """

    a: int
    b: Annotated[int, "text"]
    c: Annotated[int, "text", Field_]


class OldKeys(typing.TypedDict):
    """Texts of fields.

    :var a: docstring
    :var b: docstring
    :var c: docstring
    """

    a: int
    b: Annotated[int, "text"]
    c: Annotated[int, "text", Field_]


@pytest.mark.parametrize("cls", [Model, Data, Checked, Keys, OldKeys])
def test_texts_of_fields(cls: Any) -> None:
    """In every kind of class a field's text is that of Field, of the annotation, or of the docstring, in this order."""
    schema = compiled(cls).json_schema
    assert schema["description"] == "Texts of fields."
    texts = [held["description"] for held in schema["properties"].values()]
    assert texts == ["docstring", "text", "Field"]


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (Annotated[Literal["a", "b"], {"a": "first"}], "a: first"),
        (Annotated[Literal["a", "b"], {"b": "second", "a": "first"}], "a: first; b: second"),
        (Annotated[Literal["a"], {"a": "inner"}, {"a": "outer"}], "a: outer"),
        (Annotated[Literal[1, "1"], {"1": "text"}], "1: text"),
        (Annotated[Literal[True, 1], {1: "number"}], "1: number"),
        (Annotated[Literal[True, 1], {1: "number"}, {True: "truth"}], "true: truth; 1: number"),
        (Annotated[Literal[1, True], {True: "truth"}, {1: "number"}], "1: number; true: truth"),
        (Annotated[Literal["a", "b"], {"a": " ", "b": "the\n    second "}], "b: the second"),
        (Annotated[Level, {Level.HIGH: "high", 1: "low"}], "1: low; 2: high"),
        (Annotated[Priority, {Priority.NOW: "now"}], "How soon. 1: now"),
        (Annotated[Literal[Level.LOW], {1: "low"}], "1: low"),
        (
            Annotated[Literal["a"] | Level | None, {"a": "first", Level.LOW: "low", None: "none"}],
            "a: first; 1: low; null: none",
        ),
        (Annotated[Literal["城"], {"城": "市"}, "文"], "文. 城: 市"),
        (Annotated[Literal["a"], "text?", {"a": "first."}], "text? a: first."),
    ],
)
def test_texts_of_values(annotation: Any, text: str) -> None:
    """A value's text follows the whole's, in the order of the values; the values themselves stay as they are."""
    assert compiled(annotation).json_schema["description"] == text


class Wrong(BaseModel):
    scope: list[Annotated[Literal["a"], {"b": "text"}]] = []


def takes_wrong(ok: int, scope: Annotated[Level, {"low": "text"}]) -> None: ...


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (Annotated[Literal["a"], {"b": "text"}], "it has a text for 'b', which is no value of .*; there are: a"),
        (Annotated[Level, {3: "text"}], "it has a text for 3, which is no value of .*; there are: 1, 2"),
        (Annotated[Literal[1], {True: "text"}], "it has a text for True, which is no value of .*; there are: 1"),
        (list[Annotated[Level, {"LOW": "text"}]], "it has a text for 'LOW'"),
        (Wrong, "it has a text for 'b'"),
    ],
)
def test_a_text_for_no_value(annotation: Any, words: str) -> None:
    """A text for a value that there is not is refused at definition, with the values that there are."""
    with pytest.raises(DefinitionError, match=rf"the type has the annotation .*: {words}"):
        check_stated(adapt(annotation, where="the type"), where="the type", annotation=annotation)


def test_a_parameter_s_text_for_no_value() -> None:
    """The error names the function and the parameter."""
    with pytest.raises(DefinitionError, match=r"takes_wrong\(\): parameter 'scope' .* it has a text for 'low'"):
        read_signature(takes_wrong).check_each()


@pytest.mark.parametrize(
    ("annotation", "place", "text"),
    [
        (list[list[Annotated[int, "x"]]], ("items", "items"), "x"),
        (typing.Iterable[Annotated[int, "x"]], ("items",), "x"),
        (set[Annotated[int, "x"]], ("items",), "x"),
        (tuple[Annotated[int, "x"], ...], ("items",), "x"),
        (dict[Annotated[str, "key"], int], ("propertyNames",), "key"),
        (dict[str, Annotated[int, "x"]], ("additionalProperties",), "x"),
        (typing.Mapping[Annotated[str, "key"], int], ("propertyNames",), "key"),
        (None | Annotated[int, "x"], ("anyOf", 0), "x"),
    ],
)
def test_texts_at_depth(annotation: Any, place: tuple[Any, ...], text: str) -> None:
    """A text belongs to what it stands at, inside of whatever."""
    held: Any = compiled(annotation).json_schema
    for step in place:
        held = held[step]
    assert held["description"] == text


REPEATED: list[tuple[Any, JsonObject]] = [
    (
        Annotated[Annotated[str, "One"] | None, "One"],
        {"description": "One", "anyOf": [{"type": "string"}, {"type": "null"}]},
    ),
    (
        Annotated[list[Annotated[str, "One"]], "One"],
        {"type": "array", "description": "One", "items": {"type": "string"}},
    ),
    (
        Annotated[list[Annotated[str, "One"]], "Many"],
        {"type": "array", "description": "Many", "items": {"type": "string", "description": "One"}},
    ),
]


@pytest.mark.parametrize(("annotation", "schema"), REPEATED)
def test_a_text_is_told_once(annotation: Any, schema: JsonObject) -> None:
    """What says the same of a thing and of what it consists of is said once."""
    assert compiled(annotation).json_schema == schema


class Base(BaseModel):
    """Texts of the base.

    Attributes:
        a: of the base
        b: of the base
    """

    a: int = 1
    b: int = 1


class Derived(Base):
    """Texts of what derives from it.

    Attributes:
        b: of its own
        c: of its own
    """

    c: int = 1


class Mute(Derived): ...


@dataclass
class DataBase:
    """Texts of the base.

    Attributes:
        a: of the base
        b: of the base
    """

    a: int = 1
    b: int = 1


@dataclass
class DataDerived(DataBase):
    """:ivar b: of its own
    :ivar c: of its own
    """

    c: int = 1


class KeysBase(TypedDict):
    """Texts of the base.

    Attributes:
        a: of the base
    """

    a: int


class KeysDerived(KeysBase):
    b: int


@pytest.mark.parametrize("cls", [Derived, Mute, DataDerived])
def test_texts_of_inherited_fields(cls: Any) -> None:
    """A field has its text from the nearest class that documents it; prose is that of the class itself."""
    schema = compiled(cls).json_schema
    texts = [held["description"].partition(".")[0] for held in schema["properties"].values()]
    assert texts == ["of the base", "of its own", "of its own"]
    assert "base" not in schema.get("description", "")


def test_a_typed_dict_stands_alone() -> None:
    """A TypedDict has the texts of its own docstring, on every Python, since some versions forget its bases."""
    assert "description" not in compiled(KeysDerived).json_schema["properties"]["a"]
    assert compiled(KeysBase).json_schema["properties"]["a"]["description"] == "of the base"


class Size(NamedTuple):
    """How large.

    Attributes:
        height: in cm
        width: in cm
    """

    width: Annotated[int, "in mm"]
    height: int
    day: date
    name: Annotated[list[Annotated[str, "one"]] | None, " "] = None


class Edge(NamedTuple):
    start: Item
    end: Item
    via: Annotated[Item, "on the way"]


def test_texts_of_a_named_tuple() -> None:
    """Each place has its text, or else the name of its field; the class has its prose."""
    schema = compiled(Size).json_schema
    places = schema["prefixItems"]
    assert schema["description"] == "How large."
    assert [held["description"] for held in places] == [
        "in mm",
        "in cm",
        "day. An ISO 8601 date like 2026-11-29.",
        "name",
    ]
    assert places[3]["anyOf"][0]["items"]["description"] == "one"
    assert compiled(Annotated[Size, "mine"]).json_schema["description"] == "mine"


def test_places_of_classes_with_texts() -> None:
    """A place's name stands beside the text of its class; Python's own words for a class are no text."""
    schema = compiled(Edge).json_schema
    assert "description" not in schema
    assert [held["description"] for held in schema["prefixItems"]] == ["Name: start.", "Name: end.", "on the way"]
    assert schema["$defs"]["Item"]["description"] == "An item."
    lone = compiled(NamedTuple("Lone", [("only", Item)])).json_schema
    assert lone["prefixItems"][0]["description"] == "An item. Name: only."


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (Annotated[date, "Due day, such as 2025-05-05"], "Due day, such as 2025-05-05"),
        (Annotated[date, "截止日，如2025-05-05。"], "截止日，如2025-05-05。"),
        (Annotated[date, "Of 2025"], "Of 2025. An ISO 8601 date like 2026-11-29."),
        (
            Annotated[datetime, "From 2025-05-05 on"],
            "From 2025-05-05 on. An ISO 8601 date and time like 2026-11-29T12:30:00Z.",
        ),
        (Annotated[datetime, "At 2025-05-05 12:00"], "At 2025-05-05 12:00"),
        (Annotated[NaiveDatetime, "At 2025-05-05T12:00:00"], "At 2025-05-05T12:00:00"),
        (Annotated[time, "Like 09:15"], "Like 09:15"),
        (Annotated[time, "Ratio 16:9"], "Ratio 16:9. An ISO 8601 time like 12:30:00."),
        (Annotated[timedelta, "Say PT5M"], "Say PT5M"),
        (Annotated[timedelta, "Pause, PTO, P."], "Pause, PTO, P. An ISO 8601 duration like P1DT2H."),
        (Annotated[bytes, "Say aGk="], "Say aGk="),
        (Annotated[bytes, "A file"], "A file. Bytes as base64 like aGVsbG8=."),
    ],
)
def test_an_example_of_the_author_s_own(annotation: Any, text: str) -> None:
    """Where the author's text shows a value of the kind there is no second example, also around an optional one."""
    assert compiled(annotation).json_schema["description"] == text
    optional = compiled(Annotated[annotation.__origin__ | None, annotation.__metadata__[0]]).json_schema
    assert ("description" in optional["anyOf"][0]) is (" like " in text)


class Twice(BaseModel):
    a: Annotated[Item, "An item."]
    b: Annotated[Item, "Another."]
    c: list[Item]
    d: list[Item]


def test_a_text_beside_a_reference() -> None:
    """Beside a reference stands only what the definition does not say itself."""
    schema = compiled(Twice).json_schema
    assert schema["properties"]["a"] == {"$ref": "#/$defs/Item"}
    assert schema["properties"]["b"] == {"$ref": "#/$defs/Item", "description": "Another."}
