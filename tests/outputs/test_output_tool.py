"""The explicit end: how an output tool is made, what a model is told of it, and which calls hand in an answer."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

import pytest
from pydantic import Base64Bytes, BaseModel, ConfigDict, EmailStr, Field, SecretStr, create_model
from typing_extensions import TypedDict

from magic_tools.chat import ToolDefinition
from magic_tools.errors import DefinitionError, ParseError
from magic_tools.loose.decode import compile_schema
from magic_tools.outputs.output_tool import OutputLimits, OutputTool, Submitted, output_tool

T = TypeVar("T")

LONG, LONGER = "字" * 200, "字" * 201
TEXT = {"type": "string", "maxLength": 200}


class Item(BaseModel):
    name: str
    price: Decimal = Decimal(0)


class Report(BaseModel):
    """What was found."""

    title: str
    items: list[Item] = []


class Empty(BaseModel):
    pass


class Node(BaseModel):
    name: str
    children: list[Node] = []


class Page(BaseModel, Generic[T]):
    rows: list[T]


class Renamed(BaseModel):
    model_config = ConfigDict(validate_by_name=True)
    full_name: str = Field(alias="fullName")


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Apple(BaseModel):
    kind: Literal["apple"]
    text: str


class Banana(BaseModel):
    kind: Literal["banana"]
    text: Annotated[str, Field(max_length=500)]


class Fruits(BaseModel):
    fruits: list[Annotated[Apple | Banana, Field(discriminator="kind")]]


class Own(BaseModel):
    password: Literal["secret", "open"]
    note: str = ""


class Colour(Enum):
    RED = "red"
    LONG = "x" * 250


class Pair(NamedTuple):
    left: str
    right: int


class Typed(TypedDict):
    name: str


@dataclass
class Point:
    x: int
    label: str = ""


def made(target: Any, **options: Any) -> OutputTool[Any]:
    return output_tool("finish", "Call this with the answer.", target, **options)


def schema_of(target: Any, **options: Any) -> dict[str, Any]:
    return made(target, **options).told().input_schema


def refused(target: Any, arguments: Any, **options: Any) -> str:
    """What is said of arguments that are refused."""
    language = options.pop("language", "en")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    with pytest.raises(ParseError) as caught:
        made(target, **options).read(text, language=language)
    assert caught.value.kind == "invalid"
    return "; ".join(map(str, caught.value.issues))


def read(target: Any, arguments: Any, **options: Any) -> Any:
    return made(target, **options).read(json.dumps(arguments)).value


def field(annotation: Any) -> type[BaseModel]:
    """A model with one field, `it`."""
    return create_model("Holder", it=(annotation, ...))


# How it is made.


def test_what_a_model_is_told() -> None:
    """It is a tool like others, whose canonical schema is closed and states the lengths of texts; each telling anew."""
    tool = made(Report)
    told = tool.told()
    assert told == ToolDefinition(
        "finish",
        "Call this with the answer.",
        {
            "type": "object",
            "description": "What was found.",
            "properties": {
                "title": TEXT,
                "items": {
                    "type": "array",
                    "items": schema_of(Item),
                    "default": [],
                },
            },
            "required": ["title"],
            "additionalProperties": False,
        },
    )
    told.input_schema["properties"].clear()
    assert "title" in tool.told().input_schema["properties"]


def test_two_tools_are_two() -> None:
    """Tools of the same definition do not count as one; none can be changed; the text is short."""
    one, other = made(Report), made(Report)
    assert one != other
    assert repr(one) == "OutputTool(name='finish', description='Call this with the answer.')"
    with pytest.raises(FrozenInstanceError):
        one.name = "x"  # type: ignore[misc]


@pytest.mark.parametrize("name", ["", "1st", "-a", "a b", "ä", "a" * 65, "a\n", None, 3])
def test_a_name_that_is_none(name: Any) -> None:
    """A name that some provider would refuse is refused at once."""
    with pytest.raises(DefinitionError, match=r"^the output tool .*: this is no name.*Give another"):
        output_tool(name, "Ends it.", Report)


@pytest.mark.parametrize("name", ["a", "_", "a" * 64, "Finish-it_2"])
def test_a_name(name: str) -> None:
    """What all providers take is a name."""
    assert output_tool(name, "Ends it.", Report).name == name


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"description": " \n"}, "the description is blank"),
        ({"description": None}, "the description is blank"),
        ({"description": "x" * 1025}, "has 1,025 characters, and providers take 1,024"),
        ({"summary": 1}, "summary is True or False, got 1"),
        ({"limits": None}, "limits are OutputLimits"),
        ({"screen": "lax"}, "screen is 'default', 'strict' or None, got 'lax'"),
    ],
)
def test_an_option_that_is_none(options: dict[str, Any], said: str) -> None:
    """An option of the wrong kind is told where it is given."""
    with pytest.raises(DefinitionError, match=f"^the output tool 'finish': .*{said}"):
        output_tool(**{"name": "finish", "description": "Ends it.", "target": Report, **options})


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "5"])
@pytest.mark.parametrize("name", ["depth", "properties", "text_chars"])
def test_a_limit_that_is_none(name: str, limit: Any) -> None:
    """A limit is a whole number from 1 on, or None."""
    with pytest.raises(ValueError, match=f"OutputLimits.{name} is a whole number from 1 on"):
        OutputLimits(**{name: limit})


# Its root.

OBJECTS: dict[str, Any] = {
    "a model": Report,
    "without fields": Empty,
    "a dataclass": Point,
    "a TypedDict": Typed,
    "a map": dict[str, int],
    "a map of models": dict[str, Item],
    "a generic": Page[Item],
    "a reference": {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {"type": "string"}}}}},
    "no type stated": {"properties": {"a": {}}},
    "parts": {"allOf": [{"type": "object", "properties": {"a": {}}}, {"required": ["a"]}]},
}


@pytest.mark.parametrize("target", OBJECTS.values(), ids=OBJECTS)
def test_an_object(target: Any) -> None:
    """What is one object is told with a root that says so itself."""
    told = schema_of(target)
    assert told["type"] == "object"
    assert "$ref" not in told


OTHERS: dict[str, tuple[Any, str]] = {
    "text": (str, "at the root, the whole is a string"),
    "a list": (list[Item], "at the root, the whole is an array"),
    "a tuple": (Pair, "at the root, the whole is an array"),
    "an enumeration": (Colour, "at the root, the whole is a string"),
    "an optional model": (Report | None, "at /anyOf, the whole is one of several"),
    "a union": (Report | Item, "at /anyOf, the whole is one of several"),
    "a tagged union": (
        Annotated[Apple | Banana, Field(discriminator="kind")],
        "at /oneOf, the whole is one of several",
    ),
    "anything": (Any, "at the root, the whole is of no one type"),
    "any JSON": ({}, "at the root, the whole is of no one type"),
    "object or null": ({"type": ["object", "null"]}, "at the root, the whole is of no one type"),
    "an array schema": ({"type": "array"}, "at the root, the whole is an array"),
    "a union schema": ({"anyOf": [{"type": "object"}, {"type": "object"}]}, "at /anyOf, the whole is one of several"),
}


@pytest.mark.parametrize(("target", "said"), OTHERS.values(), ids=OTHERS)
def test_what_is_no_one_object(target: Any, said: str) -> None:
    """What is not one object is refused, with the ways out, of which a summary is one."""
    with pytest.raises(DefinitionError, match=f"^the output tool 'finish': {said}.*summary=True"):
        made(target)
    assert schema_of(target, summary=True)["properties"].keys() == {"data", "summary"}


# Its depth and width.


def nested(levels: int) -> Any:
    """A JSON Schema of so many objects inside each other."""
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def wide(count: int) -> Any:
    return {"type": "object", "properties": {f"p{number}": {"type": "integer"} for number in range(count)}}


def held_in(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}}


WAYS: dict[str, Callable[[Any], Any]] = {
    "a property": held_in,
    "an array": lambda inner: {"type": "object", "properties": {"a": {"items": inner}}},
    "a tuple": lambda inner: held_in({"prefixItems": [{}, inner]}),
    "a map": lambda inner: {"type": "object", "additionalProperties": inner},
    "a pattern": lambda inner: {"type": "object", "patternProperties": {"^a": inner}},
    "anyOf": lambda inner: held_in({"anyOf": [{"type": "null"}, inner]}),
    "oneOf": lambda inner: held_in({"oneOf": [{"type": "null"}, inner]}),
    "allOf": lambda inner: held_in({"allOf": [inner]}),
    "a reference": lambda inner: {**held_in({"$ref": "#/$defs/A"}), "$defs": {"A": inner}},
}
ADDED = {"an array": 1, "a tuple": 1}


@pytest.mark.parametrize("way", WAYS)
def test_the_depth_is_counted(way: str) -> None:
    """Five levels of objects and arrays are taken, the parameters being the first; six are not, by whatever way."""
    inner = 4 - ADDED.get(way, 0)
    made(WAYS[way](nested(inner)))
    with pytest.raises(DefinitionError, match=r"6 deep inside each other; the limit is 5.*OutputLimits.depth"):
        made(WAYS[way](nested(inner + 1)))
    made(WAYS[way](nested(inner + 1)), limits=OutputLimits(depth=6))
    made(WAYS[way](nested(40)), limits=OutputLimits(depth=None))


@pytest.mark.parametrize("way", WAYS)
def test_the_width_is_counted(way: str) -> None:
    """Fifty properties of an object are taken, 51 are not, wherever the object is."""
    made(WAYS[way](wide(50)))
    with pytest.raises(DefinitionError, match=r"has 51 properties; the limit is 50.*OutputLimits.properties"):
        made(WAYS[way](wide(51)))
    made(WAYS[way](wide(51)), limits=OutputLimits(properties=None))


def test_the_depth_of_types() -> None:
    """A type is as deep as its schema: lists, maps, tuples and generics count a level each."""
    made(field(list[dict[str, tuple[list[int], ...]]]))
    with pytest.raises(DefinitionError, match="6 deep"):
        made(field(list[dict[str, tuple[list[Item], ...]]]))
    with pytest.raises(DefinitionError, match="6 deep"):  # the data is one level below the parameters
        made(field(list[dict[str, tuple[list[int], ...]]]), summary=True)


@pytest.mark.parametrize(
    "target",
    [Node, Page[Node], {"type": "object", "properties": {"a": {"$ref": "#"}}}, field(dict[str, Node | None])],
)
def test_what_holds_itself_has_no_end(target: Any) -> None:
    """A recursive type is over every depth, in words that say so, unless depth is no matter."""
    with pytest.raises(DefinitionError, match=r"recursive, and so of any depth.*OutputLimits\(depth=None\)"):
        made(target, limits=OutputLimits(depth=30))
    assert schema_of(target, limits=OutputLimits(depth=None))["type"] == "object"


def test_a_recursive_type_is_read() -> None:
    """With no limit of the depth, a recursive model is told with an object for its root, and read."""
    limits = OutputLimits(depth=None)
    told = schema_of(Node, limits=limits)
    assert told["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert told["$defs"]["Node"]["properties"]["name"] == TEXT
    assert read(Node, {"name": "a", "children": [{"name": "b"}]}, limits=limits).children[0].name == "b"
    over = {"name": "a", "children": [{"name": "b", "children": [{"name": LONGER}]}]}
    assert refused(Node, over, limits=limits).startswith("children[0].children[0].name: expected text of at most 200")


# Its texts.


def test_a_description_that_is_too_long() -> None:
    """A description of 200 characters is taken, one of 201 is not, wherever it stands."""
    made(field(Annotated[list[Annotated[str, Field(description=LONG)]], Field(description="x")]))
    long = field(list[Annotated[str, Field(description=LONGER)]])
    with pytest.raises(DefinitionError, match=r"at /properties/it/items/description, .* has 201 .* is 200. Shorten"):
        made(long)
    made(long, limits=OutputLimits(text_chars=201))
    with pytest.raises(DefinitionError, match="at /description"):
        made({"type": "object", "description": LONGER})


@pytest.mark.parametrize(
    ("annotation", "stated"),
    [
        (str, TEXT),
        (list[str], {"type": "array", "items": TEXT}),
        (str | None, {"anyOf": [TEXT, {"type": "null"}]}),
        (dict[str, str], {"type": "object", "additionalProperties": TEXT}),
        (Annotated[str, Field(min_length=3)], {"type": "string", "minLength": 3, "maxLength": 200}),
        (Annotated[str, Field(pattern="^a")], {"type": "string", "pattern": "^a", "maxLength": 200}),
        (Annotated[str, Field(max_length=500)], {"type": "string", "maxLength": 500}),
        (Annotated[str | int, Field(max_length=500)], None),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a"], {"type": "string", "const": "a"}),
        (EmailStr, {"type": "string", "format": "email"}),
        (Any, {"description": "Texts in it have at most 200 characters."}),
    ],
)  # fmt: skip
def test_the_length_of_texts_is_stated(annotation: Any, stated: Any) -> None:
    """A text of no length, values or format of its own gets a length; where anything may stand, it is said in words."""
    if stated is None:
        with pytest.raises(DefinitionError):
            made(field(annotation))
    else:
        assert schema_of(field(annotation))["properties"]["it"] == stated


@pytest.mark.parametrize("annotation", [Decimal, dt.date, dt.time, Base64Bytes, Colour, SecretStr])
def test_texts_of_a_form_of_their_own(annotation: Any) -> None:
    """What stands for another type is left as it is."""
    limits = OutputLimits(text_chars=None)
    assert schema_of(field(annotation)) == schema_of(field(annotation), limits=limits)


LIMITED: dict[str, tuple[Any, Any, str]] = {
    "a field": (Report, {"title": LONGER}, "title"),
    "in a list": (Report, {"title": "", "items": [{"name": "a"}, {"name": LONGER}]}, "items[1].name"),
    "in a map": (field(dict[str, str]), {"it": {"a": LONGER}}, "it.a"),
    "in a tuple": (field(tuple[int, str]), {"it": [1, LONGER]}, "it[1]"),
    "optional": (field(str | None), {"it": LONGER}, "it"),
    "beside a date": (field(dt.date | str), {"it": LONGER}, "it"),
    "beside choices": (field(Literal["a"] | str), {"it": LONGER}, "it"),
    "in one of a union": (Fruits, {"fruits": [{"kind": "apple", "text": LONGER}]}, "fruits[0].text"),
    "under its alias": (Renamed, {"fullName": LONGER}, "fullName"),
    "in anything": (field(Any), {"it": {"a": [LONGER]}}, "it.a[0]"),
    "undeclared": (Open, {"name": "a", "more": LONGER}, "more"),
    "of a generic": (Page[str], {"rows": [LONGER]}, "rows[0]"),
    "of a schema": (held_in({"type": "string"}), {"a": LONGER}, "a"),
    "of an open schema": (held_in({}), {"b": [LONGER]}, "b[0]"),
    "text or null": (held_in({"type": ["string", "null"]}), {"a": LONGER}, "a"),
    "a definition": ({**held_in({"$ref": "#/$defs/A"}), "$defs": {"A": {"type": "string"}}}, {"a": LONGER}, "a"),
    "in a place": (held_in({"prefixItems": [{}, {"type": "string"}]}), {"a": [1, LONGER]}, "a[1]"),
    "under a pattern": ({"type": "object", "patternProperties": {"^x": {"type": "string"}}}, {"xa": LONGER}, "xa"),
    "beside a pattern": ({"type": "object", "patternProperties": {"^x": {"type": "string"}}}, {"a": LONGER}, "a"),
    "of a data class": (Point, {"x": 1, "label": LONGER}, "label"),
}


@pytest.mark.parametrize(("target", "value", "place"), LIMITED.values(), ids=LIMITED)
def test_a_text_that_is_too_long(target: Any, value: Any, place: str) -> None:
    """A text of 201 characters is refused at its place, one of 200 is taken; characters count, not bytes."""
    said = refused(target, value)
    assert said.startswith(f"{place}: expected text of at most 200 characters, got ")
    assert "201 characters" in said  # with its quotation marks
    assert refused(target, value, language="zh").startswith(f"{place}：应为最多 200 个字符的文本")
    shorter = json.loads(json.dumps(value).replace("\\u5b57", "x", 1).replace("\\u5b57", "", 1))
    made(target).read(json.dumps(shorter))
    made(target, limits=OutputLimits(text_chars=None)).read(json.dumps(value))


ALLOWED: dict[str, tuple[Any, Any]] = {
    "a length of its own": (field(Annotated[str, Field(max_length=500)]), {"it": LONGER}),
    "a value": (field(Colour), {"it": "x" * 250}),
    "digits": (field(Decimal), {"it": "1" * 250}),
    "another of a union": (Fruits, {"fruits": [{"kind": "banana", "text": LONGER}]}),
    "beside its reference": (
        {**held_in({"$ref": "#/$defs/A", "maxLength": 500}), "$defs": {"A": {"type": "string"}}},
        {"a": LONGER},
    ),
    "around branches": (held_in({"anyOf": [{"type": "string"}, {"type": "null"}], "maxLength": 500}), {"a": LONGER}),
    "a key": (dict[str, int], {LONGER: 1}),
}


@pytest.mark.parametrize(("target", "value"), ALLOWED.values(), ids=ALLOWED)
def test_a_text_that_may_be_long(target: Any, value: Any) -> None:
    """What the author has said himself of a text stands; a key is no text."""
    read_value = made(target).read(json.dumps(value)).value
    assert compile_schema(target).dump(read_value) == compile_schema(target).dump(
        compile_schema(target).parse(json.dumps(value)).value
    )


@pytest.mark.parametrize(
    "target",
    [
        field(Annotated[str, Field(min_length=201)]),
        create_model("Long", it=(str, LONGER)),
        held_in({"type": "string", "minLength": 300}),
    ],
)
def test_a_text_that_has_to_be_too_long(target: Any) -> None:
    """A text that could not be given within the limit is refused when the tool is made."""
    with pytest.raises(DefinitionError, match=r"at /properties/\w+, .*the limit is 200. Give it its own maxLength"):
        made(target)


# How it is read.


def test_the_value_is_of_the_type() -> None:
    """What is handed in is a value of the type, with what had to be repaired."""
    handed = made(Report).read('{"title": "a", "items": [{"name": "b", "price": "1.10"},]}')
    assert handed.value == Report(title="a", items=[Item(name="b", price=Decimal("1.10"))])
    assert (handed.summary, [repair.kind for repair in handed.repairs]) == (None, ["trailing_comma"])
    assert made(Empty).read("") == made(Empty).read("null") == made(Empty).read("{}") == Submitted(Empty())
    assert read(Typed, {"name": "a"}) == {"name": "a"}
    assert read(Renamed, {"fullName": "a"}) == read(Renamed, {"full_name": "a"})
    assert read(OBJECTS["a reference"], {"a": "b"}) == {"a": "b"}


@pytest.mark.parametrize(
    ("target", "value", "said"),
    [
        (Report, {"titel": "a", "title": "b"}, "titel: expected no key of this name"),
        (Report, {"title": "a", "items": [{"name": "b", "nam": "c"}]}, "items[0].nam: expected no key of this name"),
        (Report, {}, "title: expected a value"),
        (field(EmailStr), {"it": "nobody"}, "is not a valid email address"),
        (held_in({"type": "string", "format": "email"}), {"a": "nobody"}, "a: expected an e-mail address"),
        (held_in({"type": "string", "format": "date"}), {"a": "2026-13-01"}, "a: expected an ISO 8601 date"),
        (field(dt.date), {"it": "2026-02-30"}, "it: expected an ISO 8601 date"),
        (Report, [1], "expected an object"),
    ],
)
def test_arguments_that_do_not_fit(target: Any, value: Any, said: str) -> None:
    """Arguments are held to the type like those of any tool: closed, formats included."""
    assert said in refused(target, value)


def test_a_type_of_open_objects_is_open() -> None:
    """A type that says that it takes undeclared keys takes them."""
    assert read(Open, {"name": "a", "b": 1}).model_extra == {"b": 1}


def test_a_call_that_was_cut() -> None:
    """Arguments that a model did not end are told apart from wrong ones; nothing at all may have been cut too."""
    for target, text in ((Report, '{"title": "a'), (Empty, "")):
        with pytest.raises(ParseError) as caught:
            made(target).read(text, finish="length")
        assert caught.value.kind == "truncated"


# With a summary.


@pytest.mark.parametrize(
    ("target", "data", "value"),
    [
        (list[Item], [{"name": "a"}], [Item(name="a")]),
        (Report, {"title": "a"}, Report(title="a")),
        (Report | None, None, None),
        (int, 3, 3),
        ({"type": "array", "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "integer"}}}, [1], [1]),
        (Annotated[Apple | Banana, Field(discriminator="kind")], {"kind": "apple", "text": ""},
         Apple(kind="apple", text="")),
    ],
)  # fmt: skip
def test_data_and_a_summary(target: Any, data: Any, value: Any) -> None:
    """With a summary the answer may be anything; it is handed in with the sentence."""
    handed = made(target, summary=True).read(json.dumps({"data": data, "summary": "All is well."}))
    assert (handed.value, handed.summary) == (value, "All is well.")
    assert "summary: expected a value" in refused(target, {"data": data}, summary=True)
    assert "x: expected no key" in refused(target, {"data": data, "summary": "a", "x": 1}, summary=True)


@pytest.mark.parametrize("target", [int, {"type": "integer"}])
@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ("", "text of at least 1 character"),
        ("  ", "one sentence, got blanks"),
        ("\u200b", "one sentence, got blanks"),
        ("a\nb", "one sentence on one line"),
        ("a\u2028b", "one sentence on one line"),
        ("a\n", "one sentence on one line"),
        (LONGER, "text of at most 200 characters"),
        ([1, 2], "a string"),
    ],
)
def test_a_summary_that_is_no_sentence(target: Any, summary: Any, said: str) -> None:
    """A summary is one line that says something, and not a long one."""
    assert said in refused(target, {"data": 1, "summary": summary}, summary=True)


def test_a_summary_of_any_length() -> None:
    """Where texts have no limit, the summary has none; where they are very short, nothing is said of it."""
    whole = made(int, summary=True, limits=OutputLimits(text_chars=None))
    assert whole.read(json.dumps({"data": 1, "summary": LONGER})).summary == LONGER
    short = schema_of(int, summary=True, limits=OutputLimits(text_chars=10))
    assert short["properties"]["summary"] == {"type": "string", "minLength": 1, "maxLength": 10}


# What is searched for.


def test_harmful_text_is_refused() -> None:
    """What a program or another model would act on is refused at its place, in either language."""
    value = {"title": "a", "items": [{"name": "```sh"}]}
    assert refused(Report, value) == "items[0].name: expected text without a code fence, got text with one"
    assert refused(Report, value, language="zh") == "items[0].name：应为不含代码围栏的文本，收到含有它的文本"
    assert read(Report, value, screen=None).items[0].name == "```sh"


def test_a_summary_is_searched_too() -> None:
    """The sentence beside the data is no other text."""
    said = refused(int, {"data": 1, "summary": "<script>"}, summary=True)
    assert said == "summary: expected text without a script, got text with one"


def test_a_key_is_searched() -> None:
    """A key that the model made is a text; one that the author has declared is not, nor is a value that he lists."""
    said = refused(dict[str, int], {"DROP TABLE a": 1})
    assert said.endswith("expected as its key text without an SQL command that changes data, got text with one")
    assert read(Own, {"password": "secret"}, screen="strict")
    assert "note: expected text without a word such as password" in refused(
        Own, {"password": "secret", "note": "the secret"}, screen="strict"
    )
    assert read(Own, {"password": "secret", "note": "the secret"})
