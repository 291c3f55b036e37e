"""Unions: what is wrong is told by the branch that was meant, of annotations and of schemas from outside alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, Union

import pytest
from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, SecretStr
from typing_extensions import TypeAliasType, TypedDict

from magic_tools.errors import ParseError
from magic_tools.loose.decode import compile_schema, parse
from magic_tools.loose.foreign import foreign_reader
from magic_tools.loose.issues import told
from magic_tools.loose.leaves import Leaf, leaves_of
from magic_tools.loose.readers import Misfit, PydanticReader, Reader
from magic_tools.schema.adapting import adapt


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    owner: str


class Bird(BaseModel):
    kind: Literal["bird"] = "bird"
    wings: int


class Stone(BaseModel):
    weight: int


class Named(BaseModel):
    kind: str
    name: str


class Old(BaseModel):
    kind: Literal["cat"]
    version: Literal[1]
    age: int


class New(BaseModel):
    kind: Literal["cat"]
    version: Literal[2]
    age: int


class Shut(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int
    x: int = 1


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    b: int
    y: str = ""


class Metres(BaseModel):
    unit: Literal["m", "km"]
    length: int


class Grams(BaseModel):
    unit: Literal["g", "kg"]
    weight: int


class Ounces(BaseModel):
    unit: Literal["kg", "oz"]
    weight: int
    exact: bool


class Left(BaseModel):
    value: Left | Right | str


class Right(BaseModel):
    value: Left | Right | str


class Owner(BaseModel):
    pets: list[Cat | Dog]
    best: Cat | Dog | None = None


ByKind = Annotated[Cat | Dog, Field(discriminator="kind")]
Checked = Annotated[Cat | Dog, AfterValidator(lambda value: value)]
MaybeCat = TypeAliasType("MaybeCat", Union[Cat, None])  # noqa: UP007 - `|` with a class is no text
Nest = TypeAliasType("Nest", "int | list[Nest]")

MISSING = "{}: expected a value, since it is required, got nothing"

SAID: Mapping[str, tuple[Any, Any, str]] = {
    "the tag decides": (Cat | Dog, {"kind": "cat"}, MISSING.format("lives")),
    "even against the other keys": (
        Cat | Dog,
        {"kind": "dog", "lives": 9},
        MISSING.format("owner"),
    ),
    "a wrong tag": (Cat | Dog, {"kind": "Cat", "lives": 9}, "kind: expected one of 'cat', 'dog', got \"Cat\""),
    "a tag of another type": (Cat | Dog, {"kind": ["cat"]}, "kind: expected one of 'cat', 'dog', got an array of 1"),
    "no tag": (Cat | Dog, {"lives": 9}, "kind: expected one of 'cat', 'dog', got nothing"),
    "a wrong discriminator": (ByKind, {"kind": "Cat"}, "kind: expected one of 'cat', 'dog', got \"Cat\""),
    "a null discriminator": (ByKind, {"kind": None}, "kind: expected one of 'cat', 'dog', got null"),
    "no discriminator": (ByKind, {}, "kind: expected one of 'cat', 'dog', got nothing"),
    "no object": (ByKind, "cat", 'expected an object, got "cat"'),
    "a union in a union": (
        ByKind | Bird | int,
        {"kind": "x"},
        "kind: expected one of 'cat', 'dog', 'bird', got \"x\"",
    ),
    "its inner one is meant": (
        ByKind | int,
        {"kind": "cat", "lives": "x"},
        'lives: expected an integer, got "x"',
    ),
    "its outer one is meant": (ByKind | list[int], ["x"], '[0]: expected an integer, got "x"'),
    "a function around the inner one": (
        Checked | list[int],
        {"kind": "dog"},
        MISSING.format("owner"),
    ),
    "an alias for the inner one": (
        MaybeCat | Dog,
        {"kind": "z"},
        "kind: expected one of 'cat', 'dog', got \"z\"",
    ),
    "a tag that may be left out": (Cat | Bird, {"wings": "a"}, 'wings: expected an integer, got "a"'),
    "a branch without a tag": (Cat | Stone, {"weight": "a"}, 'weight: expected an integer, got "a"'),
    "a wrong tag where one branch has none": (Cat | Stone, {"kind": "dog"}, "kind: expected 'cat', got \"dog\""),
    "a wrong tag and the keys of the other": (
        Cat | Stone,
        {"kind": "dog", "weight": "a"},
        'weight: expected an integer, got "a"',
    ),
    "a tag that is free in a branch": (
        Cat | Named,
        {"kind": "x"},
        MISSING.format("name"),
    ),
    "the second of two tags": (
        Old | New | Dog,
        {"kind": "cat", "version": 3, "age": 1},
        "version: expected one of 1, 2, got 3",
    ),
    "tags of several values": (
        Metres | Grams,
        {"unit": "oz"},
        "unit: expected one of 'm', 'km', 'g', 'kg', got \"oz\"",
    ),
    "choices in common are no tags": (
        Grams | Ounces,
        {"unit": "t", "weight": 1},
        "unit: expected one of 'g' or 'kg', got \"t\"",
    ),
    "but they narrow": (
        Grams | Ounces,
        {"unit": "oz"},
        MISSING.format("weight") + "; " + MISSING.format("exact"),
    ),
    "the branch of most keys": (Stone | Bird, {"wings": "a", "colour": 1}, 'wings: expected an integer, got "a"'),
    "no key of any branch": (
        Stone | Shut,
        {},
        "expected an object with the keys weight or an object with the keys a, got an empty object",
    ),
    "closed branches": (Shut | Closed, {"b": 1, "y": 3}, "y: expected a string, got 3"),
    "a key of another branch": (Shut | Closed, {"b": 1, "y": "z", "x": 2}, "x: expected no key of this name, got 2"),
    "a key of no branch": (Shut | Closed, {"a": 1, "z": 2}, "z: expected no key of this name, got 2"),
    "the branch of the type": (
        Annotated[int, Field(le=10)] | str | None,
        50,
        "expected a number of at most 10, got 50",
    ),
    "choices of the type": (Literal["a", "b"] | int, "c", "expected one of 'a' or 'b', got \"c\""),
    "none of the type": (int | str, [1], "expected an integer or a string, got an array of 1"),
    "none of the type, with objects": (Cat | int, "x", 'expected an object or an integer, got "x"'),
    "two of the type": (
        Annotated[str, Field(max_length=2)] | Annotated[str, Field(min_length=9)],
        "abc",
        'expected text of at most 2 characters or text of at least 9 characters, got "abc"',
    ),
    "lists by their first item": (list[int] | list[str], [1, "x"], '[1]: expected an integer, got "x"'),
    "lists by an item's tag": (
        list[Cat] | list[Dog],
        [{"kind": "dog"}],
        MISSING.format("[0].owner"),
    ),
    "lists by an item's wrong tag": (
        list[Cat] | list[Dog],
        [{"kind": "x"}],
        "[0].kind: expected one of 'cat', 'dog', got \"x\"",
    ),
    "lists of lists": (list[list[int]] | list[list[str]], [["a"], [2]], "[1][0]: expected a string, got 2"),
    "lists of nothing that fits": (list[int] | list[str], [None], "[0]: expected an integer or a string, got null"),
    "lists of objects or text": (list[Cat] | list[str], [1], "[0]: expected an object or a string, got 1"),
    "in a list": (
        list[Cat | Dog | int],
        [{"kind": "dog"}, "x", {"kind": "cow"}],
        MISSING.format("[0].owner")
        + '; [1]: expected an object or an integer, got "x"'
        + "; [2].kind: expected one of 'cat', 'dog', got \"cow\"",
    ),
    "in an object": (
        Owner,
        {"pets": [], "best": {"kind": "cow"}},
        "best.kind: expected one of 'cat', 'dog', got \"cow\"",
    ),
    "under any key": (
        dict[str, Cat | Dog],
        {"odd key": {"kind": "cow"}},
        "[\"odd key\"].kind: expected one of 'cat', 'dog', got \"cow\"",
    ),
    "an object of any keys, or one of its own": (
        dict[str, Cat] | Dog,
        {"felix": {"kind": "cat"}},
        MISSING.format("felix.lives"),
    ),
    "a recursive one": (
        Nest,
        [1, ["x", None]],
        '[1][0]: expected an integer or an array, got "x"; [1][1]: expected an integer or an array, got null',
    ),
    "one that doubles with each level": (
        Left | Right | str,
        {"value": {"value": {"value": 1}}},
        "value.value.value: expected an object or a string, got 1",
    ),
}


def said(reader: Reader[Any], value: Any) -> str:
    """What is said of a value that the reader refuses."""
    with pytest.raises(Misfit) as refused:
        reader.read(json.dumps(value))
    return "; ".join(str(issue) for issue in told(refused.value.findings, "en"))


def pydantic_reader(annotation: Any) -> Reader[Any]:
    """The reader of an annotation."""
    return PydanticReader(adapt(annotation, where="it"), where="it", closed=False, annotation=None, said=None)


@pytest.mark.parametrize(("annotation", "value", "words"), SAID.values(), ids=SAID)
def test_what_is_said_of_an_annotation(annotation: Any, value: Any, words: str) -> None:
    """Only what is wrong by the branch that was meant is said."""
    assert said(pydantic_reader(annotation), value) == words


@pytest.mark.parametrize(("annotation", "value", "words"), SAID.values(), ids=SAID)
def test_what_is_said_of_its_schema(annotation: Any, value: Any, words: str) -> None:
    """The same is said where the annotation's schema has come from outside."""
    schema = compile_schema(annotation).json_schema
    assert sorted(said(foreign_reader(schema, where="it"), value).split("; ")) == sorted(words.split("; "))


@pytest.mark.parametrize("branches", [(Cat, Dog, Bird), (Bird, Dog, Cat), (Dog, Cat, Bird)])
@pytest.mark.parametrize("value", [{"kind": "dog"}, {"wings": "x"}, {"kind": "bird", "lives": 1}])
def test_the_order_of_branches_does_not_matter(branches: tuple[type, ...], value: Any) -> None:
    """What is said is the same whatever the order in which the branches are written."""
    union: Any = Union[branches]  # noqa: UP007 - made of a tuple
    assert said(pydantic_reader(union), value) == said(pydantic_reader(Cat | Dog | Bird), value)


class Spelled(BaseModel):
    kind: Literal["spelled"] = Field(validation_alias=AliasChoices("kind", "sort"))
    size: int


class Marked(BaseModel):
    kind: Literal["marked"] = Field(validation_alias=AliasChoices("kind", "sort"))
    mark: int


def test_a_tag_under_another_name() -> None:
    """A tag is found, and named, under whichever of its keys it came."""
    reader = pydantic_reader(Spelled | Marked)
    assert said(reader, {"sort": "x"}) == "sort: expected one of 'spelled', 'marked', got \"x\""
    assert said(reader, {"sort": "marked"}) == MISSING.format("mark")


class Hidden(BaseModel):
    kind: Literal["hidden"]
    key: SecretStr


def test_what_one_branch_hides_is_hidden() -> None:
    """A value that may be a secret by one branch is not shown by another that was meant."""
    assert (
        said(pydantic_reader(Hidden | Literal["none"]), "hunter2") == "expected 'none', got a value that is not shown"
    )


def test_a_number_for_a_decimal() -> None:
    """A number is of the type of a Decimal, though its schema is of text."""
    limited = Annotated[Decimal, Field(max_digits=2)]
    assert said(pydantic_reader(limited | Cat), 1.25) == "expected a decimal number of at most 2 digits, got 1.25"


class Part(TypedDict):
    name: str


def test_branches_that_the_schema_does_not_tell_apart() -> None:
    """Where the errors' branches are not the schema's, those with errors inside come first, then the fewest."""
    one, other = Annotated[str, Field(max_length=1)], Annotated[str, Field(pattern="^x")]
    reader = pydantic_reader(Part | list[one | other])  # type: ignore[valid-type]  # pydantic names both alike
    assert said(reader, ["ab"]) == '[0]: expected text of at most 1 characters or text that matches ^x, got "ab"'


def test_outside_schemas_of_other_shapes() -> None:
    """Branches without properties, `false` as one, and what is said beside them are all looked at."""
    either = {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    words = "expected an object with the keys a or an object with the keys b, got an empty object"
    assert said(foreign_reader(either, where="it"), {}) == words
    never = {"anyOf": [False, {"type": "integer"}]}
    assert said(foreign_reader(never, where="it"), "x") == 'expected an integer, got "x"'
    parts = {"anyOf": [{"allOf": [{"properties": {"kind": {"const": kind}}}], "required": ["kind"]} for kind in "ab"]}
    assert said(foreign_reader(parts, where="it"), {"kind": "c"}) == "kind: expected one of 'a', 'b', got \"c\""


def test_references_that_lead_to_the_same() -> None:
    """A union of references that lead twice to the same, and back, thirty times over, is followed once."""
    steps: dict[str, Any] = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n - 1}"}] * 2} for n in range(1, 31)}
    root = {"$defs": {"d0": {"anyOf": [{"$ref": "#/$defs/d30"}, {"type": "integer"}]}, **steps}}
    assert leaves_of([(7, {"$ref": "#/$defs/d30"})], root) == [Leaf(7, {"type": "integer"})]


class Kitten(BaseModel):
    """One of two kinds."""

    kind: Literal["cat"]
    meows: int


class Puppy(BaseModel):
    """The other."""

    kind: Literal["dog"]
    lives: int


@pytest.mark.parametrize("target", [Kitten | Puppy, Annotated[Kitten | Puppy, Field(discriminator="kind")]])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"kind": "DOG", "lives": "x"}', 'lives: expected an integer, got "x"'),
        ('{"Kind": "dog", "lives": "x"}', 'lives: expected an integer, got "x"'),
        ('{"kind": "DOG"}', "lives: expected a value, since it is required, got nothing"),
        ('{"kind": "cow", "lives": 9}', "kind: expected one of 'cat', 'dog', got \"cow\""),
    ],
)
def test_a_tag_that_comes_near(target: Any, text: str, said: str) -> None:
    """Where the tag is one that would be taken for a branch, the faults of that branch are told, not the tag."""
    with pytest.raises(ParseError) as caught:
        parse(target, text)
    assert str(caught.value) == f"invalid: {said}"
