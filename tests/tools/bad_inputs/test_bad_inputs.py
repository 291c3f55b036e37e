"""Arguments that a tool must refuse, over all types, and which of them pass."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import jsonschema_rs
import pytest
from annotated_types import MultipleOf
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FilePath,
    FutureDate,
    HttpUrl,
    NaiveDatetime,
    NameEmail,
    PastDatetime,
    PostgresDsn,
    WithJsonSchema,
    create_model,
    field_validator,
)

from magic_tools.contracts.policy import Policy
from magic_tools.errors import DefinitionError
from magic_tools.schema.limits import LIMITS, X_DECIMAL
from magic_tools.tools.bad_inputs.bad_inputs import BadInput, LooseParameter, bad_arguments, loose_parameters
from magic_tools.tools.tool import Tool, tool
from magic_tools.tools.toolset import Toolset
from magic_tools.values import JsonObject
from tests.schema.type_table import CASES, Tree


def tool_of(annotation: Any) -> Tool[..., Any]:
    """A tool of one parameter, `value`, whose body must not run."""

    def take(value: Any) -> None:
        raise AssertionError(f"the body ran with {value!r}")

    take.__annotations__ = {"value": annotation, "return": None}
    return tool(take)


def values_of(annotation: Any) -> list[Any]:
    """The bad values of the one parameter."""
    return [
        bad.arguments["value"] for bad in bad_arguments(tool_of(annotation)) if bad.path != "unknown" and bad.arguments
    ]


def texts(values: list[Any]) -> set[str]:
    """Values as JSON, so that `true` is not 1."""
    return {json.dumps(value) for value in values}


class Even(BaseModel):
    number: int

    @field_validator("number")
    @classmethod
    def _even(cls, number: int) -> int:
        if number % 2:
            raise ValueError("an even number")
        return number


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


class Node(BaseModel):
    value: int
    children: list[Node] = []


class Place(BaseModel):
    city: str = "Rome"
    zip: Annotated[str, Field(pattern=r"^\d{5}$")]


class Trip(BaseModel):
    model_config = ConfigDict(alias_generator=lambda name: name.upper(), populate_by_name=True)

    stops: dict[str, list[Place]]


class Size(Enum):
    SMALL = 1
    LARGE = 2


# The scalars that are wrong where a whole number is due, and what they are called.
NO_NUMBER = {
    "null": None,
    "true": True,
    "false": False,
    "3.5": 3.5,
    "empty text": "",
    "the text 'text'": "text",
    "an object as text": '{"a": "b"}',
    "an empty array": [],
    "an array of texts": ["text"],
    "an empty object": {},
    "an array around it": [1],
    "one shell too many: an object around it": {"value": 1},
}


def test_all_that_is_wrong_for_a_whole_number() -> None:
    """Each input says where its fault is, and why it is one; nothing else is told."""
    assert list(bad_arguments(tool_of(int))) == [
        BadInput({}, "value", "value", "without 'value', which is required"),
        BadInput({"value": 1, "unknown": "text"}, "unknown", "unknown", "a key that is not declared"),
        BadInput(
            {"unknown": {"value": 1}},
            "unknown",
            "unknown",
            "one shell too many: all of it under a key that is not declared",
        ),
        *(
            BadInput({"value": value}, "value", "value", f"{words}, where a whole number is due")
            for words, value in NO_NUMBER.items()
        ),
    ]


@pytest.mark.parametrize(
    ("annotation", "bad"),
    [
        (Annotated[int, Field(ge=1, le=10)], [0, 11, -1, 10**30, -(10**30), 10.000000000000002]),
        (Annotated[int, Field(gt=0, lt=3)], [0, 3, -1, 4]),
        (Annotated[float, Field(ge=0.5)], [-0.5, 0.49999999999999994, -1]),
        (Annotated[float, Field(gt=0, le=1)], [0, 1.0000000000000002, 2]),
        (Annotated[int, Field(multiple_of=7)], [8]),
        (Annotated[float, Field(multiple_of=0.5)], [1.25]),
        (Annotated[int, Field(ge=2**60)], [2**60 - 1]),
        (Annotated[Decimal, Field(ge=0, lt=100, decimal_places=2)], ["-0.01", "-1", "100", "100.01", "0.001", -1]),
        (Annotated[Decimal, Field(gt=0, max_digits=3)], ["0", "1111"]),
        (Annotated[Decimal, MultipleOf(Decimal("0.05"))], ["0.025"]),
        (Decimal, ["$5", "1,234", "1_0", " 1", "NaN", "", True]),
        (str, [None, True, [], {}, ["text"], {"value": "text"}]),
        (bool, [0, 1, -1, 3.5, "text", "", None, [True]]),
        (float, ["text", None, True, {"value": 1}]),
        (None, [0, "", False, []]),
        (Annotated[str, Field(min_length=3, max_length=5)], ["te", "texttt", ""]),
        (Annotated[str, Field(pattern="^[a-c]{2}$")], ["aa!", "!aa", " aa", "aa\n", "", "text"]),
        (Annotated[str, Field(max_length=0)], ["x"]),
        (Literal["a", "Bc"], ["text", 1, None, ""]),
        (Literal["a_b", "a-b"], ["A_B", "A-B"]),
        (bool | Literal["TRUE"], ["true", "TRUE "]),
        (Literal[1, 0], [True, False, 2, "text"]),
        (Literal[True], [1, False]),
        (Size, [True, 3, 0, "text"]),
        (dt.date, ["tomorrow", "2026-02-30", "0", 0, 1, "20261129"]),
        (dt.datetime, ["tomorrow", "1767225600", 0, "2026-11-29"]),
        (dt.time, ["noon", "5", 0]),
        (NaiveDatetime, ["tomorrow", "2026-11-29T12:30:00Z", 0]),
        (dict[Decimal, int], [{"$5": 1}, {"1,234": 1}]),
        (dt.timedelta, ["1 day", "P", 0]),
        (
            Annotated[dt.date, Field(ge=dt.date(2026, 1, 1), lt=dt.date(2027, 1, 1))],
            ["2025-12-31", "2027-01-01", "2026-02-30"],
        ),
        (Annotated[dt.date, Field(ge=dt.date(2031, 5, 5), le=dt.date(2031, 5, 5))], ["2031-05-04", "2031-05-06"]),
        (
            Annotated[NaiveDatetime, Field(gt=dt.datetime(2031, 1, 1), lt=dt.datetime(2031, 1, 1, 0, 0, 5))],
            ["2031-01-01T00:00:00", "2031-01-01T00:00:05", "2031-01-01T00:00:06", "2030-12-31T23:59:59"],
        ),
        (
            Annotated[dt.datetime, Field(ge=dt.datetime(2031, 1, 1), lt=dt.datetime(2031, 2, 1))],
            ["2030-12-31T23:59:59Z", "2031-02-01T00:00:00Z"],
        ),
        (Annotated[dt.timedelta, Field(gt=dt.timedelta(hours=5), lt=dt.timedelta(hours=6))], ["PT5H", "PT6H"]),
        (Annotated[dt.time, Field(ge=dt.time(9), le=dt.time(9, 0, 30))], ["08:59:59", "09:00:31"]),
        (PastDatetime, ["2999-12-31T12:30:00Z"]),
        (FutureDate, ["1999-12-31"]),
        (Annotated[bytes, Field(min_length=10, max_length=12)], ["eHh4eHh4eHh4", "eHh4eHh4eHh4eHh4eA=="]),
        (Annotated[Decimal, Field(gt=Decimal("0.001"), lt=Decimal("0.002"))], ["0.001", "0.002"]),
        (FilePath, [None, True, []]),
        (NameEmail, [None, True, []]),
        (Annotated[str, Field(pattern="(?i)^abc$")], ["abc!", "text", ""]),
        (Annotated[str, Field(pattern="^(?i:abc)[0-9]{3}$")], ["abc000!", "text"]),
        (list[int], [{}, True, 3.5, "text", ["text"], [None], [True], [[]], [[1]]]),
        (Annotated[list[int], Field(min_length=2, max_length=3)], [[], [1], [1, 2, 3, 4]]),
        (Annotated[set[str], Field(min_length=2)], [["text"]]),
        (tuple[int, str], [[], [1], [1, "text", "text"], ["text", "text"], [1, None]]),
        (dict[str, int], [[], "text", {"text": "text"}, {"text": None}]),
        (dict[dt.date, int], [{"2026-02-30": 1}, {"0": 1}, {"2026-11-29": None}]),
        (dict[Literal["a"], int], [{"A": 1}]),
        (Annotated[dict[str, int], Field(min_length=1, max_length=1)], [{}, {"text": 1, "": 1}]),
        (int | None, [True, "text", {"value": None}, [1]]),
        (int | list[str], [True, {}, [None], [["text"]]]),
        (Cat, [{}, {"kind": "cat"}, {"kind": "text", "lives": 1}, {"kind": "cat", "lives": None}, [], 0]),
        (
            Annotated[Cat | Dog, Field(discriminator="kind")],
            [
                {"kind": "unknown", "lives": 1},
                {"kind": "dog", "lives": 1},
                {"kind": "cat", "name": "text"},
                {"lives": 1},
                {"kind": "cat", "lives": 1, "unknown": "text"},
                {"value": {"kind": "dog", "name": "text"}},
            ],
        ),
        (Node, [{"value": 1, "children": [{"value": 1, "children": [{"value": "text"}]}]}]),
    ],
)
def test_what_must_be_refused(annotation: Any, bad: list[Any]) -> None:
    """For each type the values just outside, of another kind, in another form or shell, are among the bad ones."""
    assert texts(bad) <= texts(values_of(annotation))


@pytest.mark.parametrize(
    ("annotation", "mended"),
    [
        (str, [0, 3.5, 10**30]),
        (Decimal, [1, 3.5]),
        (list[int], [1, 0, -1]),
        (int | list[str], ["text"]),
        (Literal["a", "Bc"], ["A", "bC", "a "]),
        (Literal["0", "1"], [0, 1]),
        (Cat, [{"kind": "CAT", "lives": 1}, {"kind": "cat ", "lives": 1}]),
    ],
)
def test_what_is_mended(annotation: Any, mended: list[Any]) -> None:
    """What stands beyond doubt for a good value, and is taken for it and listed, is no bad input."""
    made = tool_of(annotation)
    assert all(made.executable.arguments.parse(json.dumps({"value": value})).repairs for value in mended)
    assert texts(values_of(annotation)).isdisjoint(texts(mended))


@pytest.mark.parametrize(
    ("annotation", "good"),
    [
        (int | None, [None]),
        (float, [1, 10**30]),
        (int | Literal["1"], [1, "1"]),
        (bool | Literal["TRUE"], [True, "TRUE"]),
        (int | Literal["7x", "7"], ["7"]),
        (dict[str, int] | dict[str, str], [{"text": "text"}]),
        (Any, ["text", None, [], {}]),
        (Annotated[Any, WithJsonSchema({"not": {"type": "string"}})], [0, 3.5, None, []]),
    ],
)
def test_what_one_branch_allows(annotation: Any, good: list[Any]) -> None:
    """What a type allows is no bad input, whichever branch of it does."""
    assert texts(values_of(annotation)).isdisjoint(texts(good))


def test_null_and_nothing() -> None:
    """Null is absent where a value may be absent, which is no bad input; a required value must be there."""

    @tool
    def search(query: str, note: str | None, limit: int = 10) -> None:
        """Search."""

    tried = [bad.arguments for bad in bad_arguments(search)]
    good = {"query": "text", "note": "text"}
    assert good | {"limit": None} not in tried
    assert {"query": "text"} in tried
    assert good | {"query": None} in tried
    assert {"note": "text"} in tried
    assert good | {"limit": "text"} in tried


@pytest.mark.parametrize(
    ("annotation", "path"),
    [
        (Trip, "value.STOPS.text[0].zip"),
        (Node, "value.children[0].children[0].value"),
        (tuple[int, list[dict[str, bool]]], "value[1][0].text"),
        (list[int | list[Cat]], "value[0][0].lives"),
        (dict[dt.date, int], 'value["2026-11-29"]'),
        (dict[str, Annotated[list[int], Field(max_length=1)]], "value.text"),
        (Tree, "value[0][0][0]"),
    ],
)
def test_every_depth(annotation: Any, path: str) -> None:
    """Faults are made in fields, items, branches, map values and references, and their paths lead there."""
    found = [bad for bad in bad_arguments(tool_of(annotation)) if bad.path == path]
    assert found
    assert {bad.parameter for bad in found} == {"value"}


def test_a_type_that_holds_itself_ends() -> None:
    """A type is gone into three times for a parameter, so that one that doubles at each of its levels ends too."""
    depths = {bad.path.count("children") for bad in bad_arguments(tool_of(Node)) if bad.path.endswith(".value")}
    assert depths == {0, 1, 2}
    ladder: Any = Even
    for level in range(20):
        ladder = create_model(f"Level{level}", a=(ladder | None, None), b=(ladder | None, None))
    assert any(bad.path.endswith("number") for bad in bad_arguments(tool_of(ladder)))


# Types that say nothing of a part of their values, and where.
OPEN = {"any": ["value"], "list": ["value[0]"], "dict": ["value.text"]}


@pytest.mark.parametrize("name", CASES)
def test_every_type(name: str) -> None:
    """Each type of the table has bad values, all refused before the body, the parameter named; none is loose."""
    made = tool_of(CASES[name].annotation)
    referee = jsonschema_rs.validator_for(made.contract.input_schema, validate_formats=True)
    limited = any(keyword in json.dumps(made.contract.input_schema) for keyword in (X_DECIMAL, LIMITS))
    inputs = list(bad_arguments(made))
    assert any(bad.path != "unknown" and bad.arguments for bad in inputs) is (name != "any")
    for bad in inputs:
        refused = made.invoke(bad.arguments)
        assert (refused.code, bad.parameter in refused.content) == ("INVALID_ARGUMENT", True), bad
        assert limited or not referee.is_valid(bad.arguments), bad
    assert [loose.path for loose in loose_parameters(made)] == OPEN.get(name, [])


def swallow(value: Any) -> int:
    """A validator that takes anything."""
    return 3


Swallowed = Annotated[int, BeforeValidator(swallow)]


class Holder(BaseModel):
    held: list[Swallowed] = []
    sound: int = 0


def test_what_passes_is_listed() -> None:
    """A bad input that a tool takes is listed, with its tool, its place and the arguments; what it refuses is not."""

    @tool
    def add(sound: Even, loose: Swallowed = 1) -> None:
        """Add."""
        raise AssertionError("the body ran")

    found = loose_parameters(add)
    assert {(loose.tool, loose.parameter, loose.path) for loose in found} == {("add", "loose", "loose")}
    assert (
        LooseParameter(
            "add",
            "loose",
            "loose",
            "this is taken: the text 'text', where a whole number is due",
            {"sound": {"number": 2}, "loose": "text"},
        )
        in found
    )
    inside = loose_parameters(tool_of(Holder))
    assert {loose.path for loose in inside} == {"value.held", "value.held[0]"}
    assert {"value": {"held": ["text"]}} in [loose.arguments for loose in inside if loose.path == "value.held"]


@pytest.mark.parametrize(
    ("annotation", "path"),
    [
        (Any, "value"),
        (object, "value"),
        (list, "value[0]"),
        (dict[str, Any], "value.text"),
        (tuple[int, Any], "value[1]"),
        (list[int] | list[Any], "value[0]"),
        (dict[str, list[dict[str, Any]]], "value.text[0].text"),
    ],
)
def test_what_is_open_is_listed(annotation: Any, path: str) -> None:
    """A part of a parameter whose type says nothing is loose, and the arguments show that anything passes."""
    (loose,) = loose_parameters(tool_of(annotation))
    assert (loose.path, loose.parameter) == (path, "value")
    assert "its type says nothing: give it a type" in loose.why
    assert json.dumps({"anything": ["goes", 1, None]}) in json.dumps(loose.arguments)


def test_a_test_of_all_tools() -> None:
    """One line tests a tool, a toolset, or any tools; each finding names its tool."""

    @tool
    def sound(count: int) -> None:
        """Sound."""

    @tool
    def open_to_all(payload: dict[str, Any]) -> None:
        """Open."""

    assert not loose_parameters(sound)
    assert not loose_parameters(Toolset(sound))
    assert not loose_parameters([])
    assert [loose.tool for loose in loose_parameters(Toolset(sound, open_to_all))] == ["open_to_all"]
    assert [loose.tool for loose in loose_parameters((open_to_all, sound))] == ["open_to_all"]


class Inner(BaseModel):
    even: Annotated[int, AfterValidator(lambda number: Even(number=number).number)]
    loose: Swallowed


class Outer(BaseModel):
    inner: Inner


class Late(BaseModel):
    even: Even | None = None
    inner: Inner | None = None


@pytest.mark.parametrize(
    ("annotation", "path"),
    [
        (Outer, "value.inner.loose"),
        (Outer | None, "value.inner.loose"),
        (list[Inner], "value[0].loose"),
        (dict[str, Inner | int], "value.text.loose"),
        (tuple[Even, Inner], "value[1].loose"),
        (Late, "value.inner.loose"),
    ],
)
def test_what_passes_inside_what_a_validator_holds(annotation: Any, path: str) -> None:
    """The values around a fault, however deep, are such as the validators take, so that they hide nothing."""
    assert {loose.path for loose in loose_parameters(tool_of(annotation))} == {path}


class Machine:
    """Something with a method."""

    @tool
    def run(self, speed: Annotated[int, Field(ge=1)]) -> int:
        """Run."""
        return speed


@tool
async def later(day: dt.date, /, *rest: int, size: Size = Size.SMALL, **more: bool) -> None:
    """Later."""


@tool
def now() -> None:
    """Now."""


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (Machine().run, [{"speed": 0}]),
        (Machine.run, [{"speed": 0}]),
        (
            later,
            [
                {},
                {"day": "0"},
                {"day": "2026-11-29", "rest": ["text"]},
                {"day": "2026-11-29", "rest": 1},
                {"day": "2026-11-29", "size": 3},
                {"day": "2026-11-29", "more": {"text": 1}},
            ],
        ),
        (now, [{"unknown": "text"}, {"unknown": {}}]),
    ],
)
def test_every_kind_of_tool(made: Tool[..., Any], expected: list[JsonObject]) -> None:
    """Methods, async functions, variable parameters and tools without parameters have bad arguments too."""
    tried = [bad.arguments for bad in bad_arguments(made)]
    assert [arguments for arguments in expected if arguments not in tried] == []
    assert all("self" not in arguments for arguments in tried)
    assert not loose_parameters(made)


def test_good_arguments_stand_around_a_fault() -> None:
    """What is not the fault is as the schema and its examples, the defaults and the validators ask."""

    @tool
    def book(
        even: Even,
        day: FutureDate,
        code: Annotated[str, Field(examples=["AB-1"])],
        page: HttpUrl,
        store: PostgresDsn,
        count: int = 7,
    ) -> None:
        """Book."""

    good = {
        "even": {"number": 2},
        "day": "2999-12-31",
        "code": "AB-1",
        "page": "https://example.com/",
        "store": "postgres://ann@example.com:5432/a",
    }
    for bad in bad_arguments(book):
        kept = {name: value for name, value in bad.arguments.items() if name in good and name != bad.parameter}
        if "one shell too many: all" not in bad.why and bad.arguments:
            assert set(kept) >= good.keys() - {bad.parameter}
            assert all(good[name] == value for name, value in kept.items() if name in ("code", "page"))
    assert not loose_parameters(book)


Unmade = Annotated[str, Field(pattern=r"^\p{L}{3}$")]


def refuse(value: Any) -> Any:
    """A validator that takes one value alone."""
    if value != 77:
        raise ValueError("seventy-seven")
    return value


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (Unmade, r"^take\(\): no good value of value can be made up \(from .*p\{L\}.*examples=\["),
        (list[Unmade], r"no good value of value\[0\] can be made up"),
        (dict[str, Unmade] | None, r"no good value of value\.text can be made up"),
        (Annotated[int, Field(ge=5, le=3)], r"no good value of value can be made up \(from .*\"minimum\": 5"),
        (
            Annotated[int, BeforeValidator(refuse)],
            r"no good value of value can be made up \(value: expected a value that passes its check \(seventy-seven\)",
        ),
    ],
)
def test_where_no_good_value_can_be_made(annotation: Any, message: str) -> None:
    """A type whose good values cannot be made up is a clear error, and not a test that passes by accident."""
    with pytest.raises(DefinitionError, match=message):
        list(bad_arguments(tool_of(annotation)))


def test_a_tool_that_cannot_be_tried_is_told_beside_the_rest() -> None:
    """Of a toolset each tool that cannot be tried is an entry of its own, and the others are tried all the same."""

    @tool
    def unmade(code: Unmade) -> None:
        """Unmade."""

    @tool
    def open_to_all(payload: Any) -> None:
        """Open."""

    first, second, third = loose_parameters(Toolset(unmade, open_to_all, tool(name="again")(unmade)))
    assert (first.tool, first.parameter, first.arguments) == ("unmade", "", {})
    assert first.why.startswith("this cannot be tried: unmade(): no good value of code can be made up")
    assert (second.tool, second.path) == ("open_to_all", "payload")
    assert third.tool == "again"


class OfPython(BaseModel):
    model_config = ConfigDict(regex_engine="python-re")

    code: Annotated[str, Field(pattern=r"^[a-z]+\Z")]


def test_a_pattern_that_is_of_python_alone() -> None:
    """A schema that nothing can be held to is a clear error that names the tool and what is wrong."""
    words = r'take\(\): its input schema is no JSON Schema .*Z" is not a "regex"'
    with pytest.raises(DefinitionError, match=f"^{words}"):
        list(bad_arguments(tool_of(OfPython)))
    (told,) = loose_parameters(tool_of(OfPython))
    assert re.match(f"this cannot be tried: {words}", told.why)


class Ends(BaseModel):
    model_config = ConfigDict(regex_engine="python-re")

    code: Annotated[str, Field(pattern="^[a-z]+$")]


def test_a_pattern_that_lets_a_line_s_end_pass() -> None:
    """Where Python's `$` matches before a line's end, and the schema's does not, that is found."""
    assert [loose.arguments for loose in loose_parameters(tool_of(Ends))] == [{"value": {"code": "a\n"}}]


@pytest.mark.parametrize(
    ("annotation", "example", "bad"),
    [(Unmade, "été", "été!"), (Annotated[int, BeforeValidator(refuse)], 77, 3.5)],
)
def test_an_example_is_the_way_out(annotation: Any, example: Any, bad: Any) -> None:
    """Where no good value can be made up, the author's example serves."""
    made = tool_of(Annotated[annotation, Field(examples=[example])])
    assert {"value": bad} in [found.arguments for found in bad_arguments(made)]
    assert not loose_parameters(made)


def foreign(**schema: Any) -> Tool[..., Any]:
    """A tool by a schema from outside, whose body must not run."""

    def take(**given: Any) -> None:
        raise AssertionError(f"the body ran with {given!r}")

    return Tool.from_schema(take, name="take", description="Take.", input_schema={"type": "object", **schema})


A_OR_B: Any = {"a": {"type": "integer"}, "b": {"type": "string"}}
EITHER: Any = [{"required": ["a"]}, {"required": ["b"]}]


@pytest.mark.parametrize(
    ("schema", "bad"),
    [
        ({"properties": A_OR_B, "anyOf": EITHER}, [{}, {"a": "text"}, {"b": []}, {"a": 1, "b": []}]),
        ({"properties": A_OR_B, "oneOf": EITHER}, [{}, {"a": "text"}, {"b": []}]),
        (
            {"anyOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}]},
            [{}, {"a": "text"}, {"a": 1, "unknown": "text"}],
        ),
        (
            {
                "properties": {"kind": {"enum": ["x", "y"]}, "n": {"type": "integer"}},
                "required": ["kind"],
                "if": {"properties": {"kind": {"const": "x"}}},
                "then": {"required": ["n"]},
            },
            [{"kind": "x"}, {"kind": "x", "n": "text"}, {"kind": "text", "n": 1}],
        ),
        ({"properties": A_OR_B, "minProperties": 1, "additionalProperties": False}, [{}, {"a": "text"}]),
        ({"patternProperties": {"^x_": {"type": "integer"}}, "additionalProperties": False, "minProperties": 1},
         [{}, {"x_": "text"}]),
        (
            {"properties": {"v": {"oneOf": [{"type": "integer"}, {"type": "number"}]}}, "required": ["v"]},
            [{"v": "text"}, {}],
        ),
        ({"properties": {"a": False, "b": {"type": "integer"}}, "required": ["b"]}, [{"b": 1, "a": "text"}]),
        (
            {"allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"required": ["b"]}]},
            [{"a": 1}, {"b": "text"}, {"a": "text", "b": "text"}],
        ),
        (
            {"properties": {"v": {"type": "object", "properties": A_OR_B, "anyOf": EITHER}}, "required": ["v"]},
            [{"v": {}}, {"v": {"a": "text"}}],
        ),
        ({"properties": A_OR_B, "required": ["a"], "dependentRequired": {"a": ["b"]}}, [{"a": 1}]),
        (
            {"properties": A_OR_B, "required": ["a"], "dependentSchemas": {"a": {"required": ["b"]}}},
            [{"a": 1}, {"a": "text", "b": "text"}],
        ),
        (
            {"$defs": {"N": {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}},
                             "allOf": [{"required": []}]}},
             "properties": {"v": {"$ref": "#/$defs/N"}}, "required": ["v"]},
            [{"v": 1}],
        ),
    ],
)  # fmt: skip
def test_schemas_that_combine_others(schema: JsonObject, bad: list[JsonObject]) -> None:
    """Unions, conditions and dependences are gone through for good arguments and for bad ones, and nothing passes."""
    made = foreign(**schema)
    assert texts(bad) <= texts([found.arguments for found in bad_arguments(made)])
    assert [loose for loose in loose_parameters(made) if "its type says nothing" not in loose.why] == []


def test_null_that_asks_for_nothing() -> None:
    """Null for what may be absent is absent, and then what depends on it is not asked for: that is no bad input."""
    made = foreign(properties=A_OR_B, dependentRequired={"a": ["b"]}, dependentSchemas={"b": {"required": ["a"]}})
    tried = texts([found.arguments for found in bad_arguments(made)])
    assert texts([{"a": "text"}, {"a": 1}]) <= tried
    assert tried.isdisjoint(texts([{"a": None}, {"b": None}]))
    assert not loose_parameters(made)


@pytest.mark.parametrize("more", [(), ({"code": "été", "day": "2031-05-05", "count": "1"},)])
def test_an_example_of_the_policy_is_a_way_out(more: tuple[Any, ...]) -> None:
    """Good arguments are the author's examples, of which those that have to be mended are passed over."""

    @tool(policy=Policy(examples=(*more, {"code": "été", "day": "2031-05-05"})))
    def find(code: Unmade, day: dt.date, count: int = 1) -> None:
        """Find."""

    tried = [bad.arguments for bad in bad_arguments(find)]
    assert {"code": "été", "day": "tomorrow"} in tried
    assert {"code": "été!", "day": "2031-05-05"} in tried
    assert not loose_parameters(find)


def test_what_is_handed_out_is_the_callers_own() -> None:
    """Changing one input changes no other, and asking again gives the same inputs in the same order."""
    made = tool_of(Trip)
    first = list(bad_arguments(made))
    for bad in bad_arguments(made):
        emptied(bad.arguments)
    inputs: Iterator[BadInput] = bad_arguments(made)
    again = []
    for bad in inputs:
        again.append(BadInput(json.loads(json.dumps(bad.arguments)), bad.parameter, bad.path, bad.why))
        emptied(bad.arguments)
    assert again == first
    for loose in loose_parameters(tool_of(Any)):
        emptied(loose.arguments)
    assert [loose.arguments for loose in loose_parameters(tool_of(Any))] == [{"value": {"anything": ["goes", 1, None]}}]
    assert len({json.dumps(bad.arguments) for bad in first}) == len(first)


def emptied(held: Any) -> None:
    """Empty a value and all that it holds."""
    if isinstance(held, dict | list):
        for inner in list(held.values()) if isinstance(held, dict) else list(held):
            emptied(inner)
        held.clear()
