"""Values held to their schema where pydantic is too lenient, and unions read as they are meant."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from ipaddress import IPv6Address
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, IPvAnyAddress, IPvAnyInterface, IPvAnyNetwork
from pydantic.alias_generators import to_camel

from magic_tools.errors import ParseError
from magic_tools.loose.decode import Schema, compile_schema, parse
from magic_tools.loose.fit import Fitted, fit
from magic_tools.loose.guide import droppable_nulls, guide_of
from magic_tools.loose.issues import told
from magic_tools.loose.strict import read_json
from magic_tools.messages import Issue, Repair
from magic_tools.schema.adapting import adapt
from magic_tools.tools.tool import tool
from magic_tools.values import JsonObject

DECIMAL: JsonObject = {"type": "string", "pattern": "^[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$"}


def fitted_to(schema: JsonObject, text: str) -> Fitted:
    """The value of a text held to a schema, whose closed objects are closed."""
    return fit(read_json(text), guide_of(schema, closed=True), mends=False)


@pytest.mark.parametrize(
    ("schema", "guarded"),
    [
        ({"type": "integer"}, False),
        ({"type": "string", "enum": ["a"]}, False),
        ({"type": "array", "items": {"type": "string", "format": "uuid"}}, False),
        (DECIMAL, True),
        ({"type": "integer", "enum": [1]}, True),
        ({"type": "boolean", "const": True}, True),
        ({"type": "object", "additionalProperties": {"anyOf": [{"type": "string", "format": "date"}]}}, True),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"a": DECIMAL}}}}, True),
        ({"type": "object", "propertyNames": {"pattern": "^(0|-?[1-9][0-9]*)$"}}, True),
    ],
)
def test_which_schemas_have_guards(schema: JsonObject, guarded: bool) -> None:
    """Only a schema with a place that pydantic does not hold to its words costs a second look."""
    assert bool(guide_of(schema, closed=False).guards) is guarded


@pytest.mark.parametrize(
    ("digits", "value"),
    [
        ("1.10", "1.10"),
        ("-0.0", "-0.0"),
        ("5", "5"),
        ("1E-7", "1E-7"),
        ("1e400", "1e400"),
        ("123456789012345678901234567890.1234567890", "123456789012345678901234567890.1234567890"),
    ],
)
def test_a_number_becomes_text_by_its_source(digits: str, value: str) -> None:
    """Where a Decimal is due, a number keeps every digit that it was written with, and that is listed."""
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": DECIMAL}}}
    fitted = fitted_to(schema, f'{{"a": [{digits}]}}')
    assert fitted.value == {"a": [value]}
    assert fitted.repairs == (Repair("number_as_decimal", None, None, "a[0]: read the number by its source digits"),)
    assert fitted.findings == ()


def test_what_is_let_be() -> None:
    """Everything else stays as it is, also under keys that the schema does not know."""
    value = {"a": [1.5, "x", None, True], "b": {"c": 1.5}}
    fitted = fitted_to({"properties": {"b": {"properties": {"d": DECIMAL}}}}, json.dumps(value))
    assert (fitted.value, fitted.repairs, fitted.findings) == (value, (), ())


@pytest.mark.parametrize(
    ("schema", "value", "issue"),
    [
        ({"enum": [1, 2]}, "true", Issue("", "one of 1, 2", "true")),
        ({"enum": [1, 2]}, "1.0", Issue("", "one of 1, 2", "1.0")),
        ({"const": True}, "1", Issue("", "true", "1")),
        ({"type": "string", "format": "date"}, '"0"', Issue("", "an ISO 8601 date like 2026-11-29", '"0"')),
        (DECIMAL, '"$5"', Issue("", "a decimal number as a string of digits", '"$5"')),
        (
            {"type": "object", "properties": {}, "additionalProperties": False},
            '{"a b": [1]}',
            Issue('["a b"]', "no key of this name", "an array of 1"),
        ),
        (
            {"type": "object", "propertyNames": {"format": "date"}},
            '{"0": 1}',
            Issue('["0"]', "as its key an ISO 8601 date like 2026-11-29", '"0"'),
        ),
    ],
)
def test_what_is_refused(schema: JsonObject, value: str, issue: Issue) -> None:
    """What pydantic would read as something else is an issue with its place."""
    assert told(fitted_to(schema, value).findings, "en") == (issue,)


def test_secrets_are_not_shown() -> None:
    """An issue at a place of a secret does not show it."""
    fitted = fitted_to({"properties": {"pin": {"enum": [1], "writeOnly": True}}}, '{"pin": true}')
    assert told(fitted.findings, "en") == (Issue("pin", "1", "a value that is not shown"),)


class Priority(IntEnum):
    LOW = 1


class Plain(BaseModel):
    a: int


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class Ignoring(BaseModel):
    model_config = ConfigDict(extra="ignore")
    a: int


class Larger(BaseModel):
    a: int
    b: int


class Dated(BaseModel):
    x: dt.date
    d: Decimal = Decimal(0)


class Texted(BaseModel):
    x: str
    d: float = 0.0


class Exact(BaseModel):
    d: Decimal


class Named(BaseModel):
    d: str


class Rough(BaseModel):
    d: float


class RoughAndMore(BaseModel):
    d: float
    e: int = 0


class ExactAndMore(BaseModel):
    d: Decimal
    e: int = 0


class ExactAndOne(BaseModel):
    d: Decimal
    e: int


class Place(NamedTuple):
    x: Decimal


READ: list[tuple[Any, str, Any]] = [
    (bool | Literal[1], "true", True),
    (bool | Literal[1], "1", 1),
    (bool | Priority, "true", True),
    (Priority | bool, "1", Priority.LOW),
    (int | Literal[True], "1", 1),
    (str | dt.date, '"0"', "0"),
    (dt.date | str, '"2026-11-29"', dt.date(2026, 11, 29)),
    (dt.date | str, '"tomorrow"', "tomorrow"),
    (dt.date | int, "0", 0),
    (Decimal | dt.date, '"5"', Decimal(5)),
    (dt.date | Decimal, '"5"', Decimal(5)),
    (Decimal | dt.date, "5", Decimal(5)),
    (dt.datetime | dt.date, '"2026-11-29"', dt.date(2026, 11, 29)),
    (dt.time | dt.date, '"12:30:00"', dt.time(12, 30)),
    (Decimal | str, '"n/a"', "n/a"),
    (Decimal | None, "1.10", Decimal("1.10")),
    (int | Decimal, "1", 1),
    (Decimal | int, "1", 1),
    (int | Decimal, "1.10", Decimal("1.10")),
    (float | Decimal, "1.5", 1.5),
    (list[int] | list[Decimal], "[1, 1.10]", [Decimal(1), Decimal("1.10")]),
    (dict[str, list[Decimal | None]] | None, '{"a": [1.10, null]}', {"a": [Decimal("1.10"), None]}),
    (Dated | Texted, '{"x": "hello", "d": 1.10}', Texted(x="hello", d=1.1)),
    (Dated | Texted, '{"x": "2026-11-29", "d": 1.10}', Dated(x=dt.date(2026, 11, 29), d=Decimal("1.10"))),
    (Exact | Rough, '{"d": 1.10}', Exact(d=Decimal("1.10"))),
    (Rough | Exact, '{"d": 1.5}', Rough(d=1.5)),
    (ExactAndOne | Rough, '{"d": 1.10}', Rough(d=1.1)),
    (list[Named | list[Exact]], '[[{"d": 1.10}]]', [[Exact(d=Decimal("1.10"))]]),
    (Rough | Exact, '{"d": "1.10"}', Exact(d=Decimal("1.10"))),
]


@pytest.mark.parametrize(("annotation", "text", "value"), READ, ids=[f"{a} {t}" for a, t, _ in READ])
def test_a_union_is_read_as_it_is_meant(annotation: Any, text: str, value: Any) -> None:
    """The exact JSON type decides, then the order of the branches; every digit of a Decimal is kept."""
    parsed = parse(annotation, text).value
    assert (parsed, type(parsed)) == (value, type(value))
    assert str(parsed) == str(value)


REFUSED: list[tuple[Any, str, str]] = [
    (Literal[1] | bool, "true", "expected 1, got true"),
    (Priority | bool, "true", "expected 1, got true"),
    (Literal[1] | int | bool, "true", "expected 1, got true"),
    (Literal[True] | int, "1", "expected true, got 1"),
    (dt.date | str, '"0"', 'expected an ISO 8601 date like 2026-11-29, got "0"'),
    (
        dt.datetime | dt.date,
        '"0"',
        "expected an ISO 8601 date and time like 2026-11-29T12:30:00Z or an ISO 8601 date like 2026-11-29",
    ),
    (str | Decimal, "1.10", "expected a string, got 1.1"),
    (Decimal | str, "5", "expected a string, got 5"),
    (dt.date | Decimal, "0", "expected a string, got 0"),
    (Priority | Literal[True], "1", "expected true, got 1"),
    (float | Literal[True], "1", "expected true, got 1"),
    (Texted | Dated, '{"x": "2026-11-29", "d": 1.0}', "d: expected a decimal number as a string of digits, got 1.0"),
    (Named | Exact, '{"d": 1.5}', "d: expected a string, got 1.5"),
    (
        Rough | Exact,
        '{"d": 1.00000000000000000001}',
        "d: expected a decimal number as a string of digits, got 1.00000000000000000001",
    ),
    (RoughAndMore | ExactAndMore, '{"d": 1.10, "e": 1}', "d: expected a decimal number as a string of digits"),
    (Exact | None, '{"d": true}', "d: expected a decimal number as a string, got true"),
]


@pytest.mark.parametrize(("annotation", "text", "message"), REFUSED, ids=[f"{a} {t}" for a, t, _ in REFUSED])
def test_a_union_is_never_read_otherwise(annotation: Any, text: str, message: str) -> None:
    """Where pydantic would take another branch than the one that is meant, or lose a digit, the value is refused."""
    with pytest.raises(ParseError) as refused:
        parse(annotation, text)
    assert refused.value.kind == "invalid"
    assert message in str(refused.value)


def closed(annotation: Any) -> Schema[Any]:
    return Schema(adapt(annotation, where="the tool"), name="the tool", closed=True)


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        (Plain | Open, '{"a": 1}', Plain(a=1)),
        (Open | Plain, '{"a": 1}', Open(a=1)),
        (Plain | Larger | Open, '{"a": 1, "b": 2}', Larger(a=1, b=2)),
        (tuple[Plain | Larger | Open, Plain | Larger], '[{"a": 1, "b": 2}, {"a": 1}]', (Larger(a=1, b=2), Plain(a=1))),
        (Ignoring | None, '{"a": 1, "b": 2}', Ignoring(a=1)),
        (list[Open | int], '[{"a": 1, "b": 2}, 3]', [Open(a=1, b=2), 3]),  # type: ignore[call-arg]  # which is the point
    ],
)
def test_a_union_of_closed_and_open_objects(annotation: Any, text: str, value: Any) -> None:
    """In a closed schema each object takes what its own branch takes."""
    assert closed(annotation).parse(text).value == value


@pytest.mark.parametrize("annotation", [Plain | Open, Open | Plain, Plain | Ignoring, Ignoring | Plain])
def test_a_key_that_one_branch_would_drop_is_refused(annotation: Any) -> None:
    """Where pydantic may take a branch that drops an undeclared key, the value is refused."""
    with pytest.raises(ParseError, match="b: expected no key of this name, got 2"):
        closed(annotation).parse('{"a": 1, "b": 2}')


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    unit_price: Decimal
    due_day: dt.date | None = None
    level: Priority = Field(Priority.LOW, validation_alias=AliasChoices("level", "priority"))


EXACT = Camel.model_validate({"unit_price": Decimal("1.00000000000000000001")})


@pytest.mark.parametrize("made", [compile_schema, closed], ids=["open", "closed"])
@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ('{"unitPrice": 1.00000000000000000001}', EXACT),
        ('{"unit_price": 1.00000000000000000001}', EXACT),
        ('{"unit_price": "1", "due_day": "0"}', 'due_day: expected an ISO 8601 date like 2026-11-29, got "0"'),
        ('{"unit_price": "1", "priority": true}', "priority: expected 1, got true"),
        ('{"unit_price": "1", "unitPrice": "2"}', 'unitPrice: expected nothing, since "unit_price" says it already'),
        ('{"unitPrice": "1", "level": 1, "priority": 1}', 'priority: expected nothing, since "level" says it already'),
    ],
)
def test_every_key_of_a_field_is_guarded(made: Any, text: str, outcome: Any) -> None:
    """A field is held to its schema under each key that it may come under, and comes under one alone."""
    if isinstance(outcome, str):
        with pytest.raises(ParseError) as refused:
            made(Camel).parse(text)
        assert outcome in str(refused.value)
    else:
        assert made(Camel).parse(text).value == outcome


def test_a_tuple_by_its_items() -> None:
    """Each item of a tuple is held to its own schema."""
    parsed = parse(tuple[int, Decimal, Annotated[Place, "Where"]], "[1, 1.10, [2.20]]")
    assert str(parsed.value) == "(1, Decimal('1.10'), Place(x=Decimal('2.20')))"
    assert [repair.note for repair in parsed.repairs] == [
        "[1]: read the number by its source digits",
        "[2][0]: read the number by its source digits",
    ]


class Left(BaseModel):
    child: Left | Right | None = None
    price: Decimal = Decimal(0)


class Right(BaseModel):
    child: Left | Right | None = None
    price: Decimal = Decimal(0)
    more: int = 0


def test_nested_unions_are_tried_once_for_each_place() -> None:
    """A union in a union in a union costs the sum of its branches, not their product."""
    schema = Schema(adapt(Left, where="the type"), name="the type")
    value = read_json('{"child":' * 60 + '{"price": 1.10}' + "}" * 60)
    fitted = fit(value, guide_of(schema.json_schema, closed=False), mends=False)
    assert [repair.note for repair in fitted.repairs] == [
        "child" + ".child" * 59 + ".price: read the number by its source digits"
    ]


class Filter(BaseModel):
    field: str
    limit: int = 10
    note: str | None = "n/a"


class Query(BaseModel):
    filters: list[Filter] = []
    first: Filter | None = None
    sizes: dict[str, int] = {}


@pytest.mark.parametrize(
    ("target", "text", "value", "notes"),
    [
        (Filter, '{"field": "a", "limit": null, "note": null}', {"field": "a", "limit": 10, "note": None}, ["limit"]),
        (Query, '{"filters": null, "first": null}', {"filters": [], "first": None, "sizes": {}}, ["filters"]),
        (
            Query,
            '{"filters": [{"field": "a"}, {"field": "b", "limit": null}], "sizes": null}',
            {
                "filters": [{"field": "a", "limit": 10, "note": "n/a"}, {"field": "b", "limit": 10, "note": "n/a"}],
                "first": None,
                "sizes": {},
            },
            ["sizes", "filters[1].limit"],
        ),
        (
            Query,
            '{"first": {"field": "a", "limit": null}}',
            {"filters": [], "first": {"field": "a", "limit": 10, "note": "n/a"}, "sizes": {}},
            ["first.limit"],
        ),
    ],
)
def test_null_for_what_may_be_left_out_and_may_not_be_null(
    target: type[BaseModel], text: str, value: Any, notes: list[str]
) -> None:
    """Such a null counts as absent, at every depth and listed; a null that is allowed stays."""
    parsed = parse(target, text)
    assert parsed.value.model_dump() == value
    assert [repair.note for repair in parsed.repairs] == [f"{place}: took null for left out" for place in notes]
    assert {repair.kind for repair in parsed.repairs} == {"null_as_absent"}


@pytest.mark.parametrize(
    ("target", "text", "message"),
    [
        (Filter, '{"field": null}', "field: expected a string, got null"),
        (Query, '{"sizes": {"a": null}}', r"sizes.a: expected an integer, got null"),
        (Query, '{"filters": [null]}', r"filters\[0\]: expected an object, got null"),
        (Query, '{"filters": null, "first": 1}', "first: expected an object, got 1"),
    ],
)
def test_null_for_what_is_required(target: type[BaseModel], text: str, message: str) -> None:
    """A null in place of what is required, an item or a map's value is refused, and so is all else that is wrong."""
    with pytest.raises(ParseError, match=f"^invalid: {message}$"):
        parse(target, text)


@pytest.mark.parametrize(
    ("schema", "dropped"),
    [
        ({"properties": {"a": {"type": "integer"}}}, {"a"}),
        ({"properties": {"a": {"type": "integer"}}, "required": ["a"]}, set()),
        ({"properties": {"a": {"type": ["integer", "null"]}}}, set()),
        ({"properties": {"a": {"enum": ["x", None]}, "b": {"enum": ["x"]}, "c": {"const": None}}}, {"b"}),
        ({"properties": {"a": {}, "b": True, "c": False}}, {"c"}),
        ({"properties": {"a": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/N"}]}}}, set()),
        ({"properties": {"a": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/S"}]}}}, {"a"}),
    ],
)
def test_which_nulls_mean_absent(schema: JsonObject, dropped: set[str]) -> None:
    """Null means absent for a property that is not required and that null does not fit."""
    root = {**schema, "$defs": {"N": {"type": "null"}, "S": {"type": "string"}}}
    assert droppable_nulls(root, root) == dropped


class Ticket(BaseModel):
    order: str | None
    amount: Decimal | None
    urgency: Literal["high", "low"]
    note: str | None = "n/a"


@pytest.mark.parametrize(
    ("text", "value", "absent"),
    [
        ('{"urgency": "low"}', (None, None, "low", "n/a"), ["order", "amount"]),
        ('Sure: {"urgency": "low", "amount": 1.10,}', (None, Decimal("1.10"), "low", "n/a"), ["order"]),
        ('{"order": null, "amount": null, "urgency": "low"}', (None, None, "low", "n/a"), []),
    ],
)
def test_what_an_answer_leaves_out(text: str, value: tuple[Any, ...], absent: list[str]) -> None:
    """What is required and may be null becomes None where an answer leaves it out, and is listed."""
    parsed = parse(Ticket, text)
    assert tuple(parsed.value.model_dump().values()) == value
    assert [repair.note for repair in parsed.repairs if repair.kind == "absent_as_null"] == [
        f"{name}: took what is left out for null" for name in absent
    ]


@pytest.mark.parametrize("text", ["{}", '{"other": 1}', '{"order": "A"}'])
def test_what_an_answer_may_not_leave_out(text: str) -> None:
    """What may not be null is required, and an object without any of the fields is no answer."""
    with pytest.raises(ParseError, match="urgency"):
        parse(Ticket, text)
    assert parse(list[Ticket], f'[{text[:-1]}{"," if len(text) > 2 else ""}"urgency": "low"}}]').value


def test_arguments_leave_nothing_out() -> None:
    """What a call's arguments leave out is never taken for null."""

    @tool
    def close(order: str | None, ticket: Ticket) -> str:
        raise AssertionError("the body ran")

    assert (
        "order: expected a value" in close.invoke({"ticket": {"urgency": "low", "order": None, "amount": None}}).content
    )
    assert "ticket.order: expected a value" in close.invoke({"order": None, "ticket": {"urgency": "low"}}).content


@pytest.mark.parametrize("target", [IPvAnyAddress, IPvAnyNetwork, IPvAnyInterface, Fraction])
@pytest.mark.parametrize("text", ["0", "1", "3.5", "-7", "true"])
@pytest.mark.filterwarnings("ignore:__int__ returned non-int")  # of Python, where pydantic makes a Fraction of true
def test_a_number_in_place_of_a_text_of_its_own_form(target: Any, text: str) -> None:
    """Where pydantic would read a number as an address or a fraction, it is refused: the schema asks for text."""
    with pytest.raises(ParseError, match=f"^invalid: expected a string, got {text}$"):
        parse(target, text)
    with pytest.raises(ParseError, match=r"^invalid: a\[0\]: expected a string"):
        parse(dict[str, list[target]], f'{{"a": [{text}]}}')


class Pair(NamedTuple):
    price: Decimal = Decimal(1)
    one: Literal[1] = 1


@pytest.mark.parametrize("text", ['{"price": 0.12345678901234567890123, "one": true}', "{}", '{"price": "1"}'])
def test_an_object_is_no_named_tuple(text: str) -> None:
    """What its schema says is an array is not read from an object, which nothing would hold to its fields."""
    for target, whole in ((Pair, text), (list[Pair], f"[{text}]"), (dict[str, Pair], f'{{"a": {text}}}')):
        with pytest.raises(ParseError, match="expected an array, got an"):
            parse(target, whole)
    assert str(parse(Pair, "[0.12345678901234567890123]").value.price) == "0.12345678901234567890123"


ID = "12345678-1234-5678-1234-567812345678"


@pytest.mark.parametrize(
    ("target", "first", "second"),
    [
        (dict[UUID, int], ID, ID.replace("-", "")),
        (dict[UUID, int], "abcdef00-1234-5678-1234-567812345678", "ABCDEF00-1234-5678-1234-567812345678"),
        (dict[IPv6Address, int], "::1", "0:0:0:0:0:0:0:1"),
        (dict[Path, int], "a", "./a"),
    ],
)
def test_two_texts_for_one_key(target: Any, first: str, second: str) -> None:
    """Two keys that stand for one thing are refused, for one of the two values would be lost."""
    with pytest.raises(ParseError, match="says it already"):
        parse(target, f'{{"{first}": 1, "{second}": 2}}')
    assert len(parse(target, f'{{"{first}": 1}}').value) == 1


@pytest.mark.parametrize(
    ("target", "text", "said"),
    [
        (int | str, "1.0", "expected an integer or a string, got 1.0"),
        (list[int] | list[str], "3", "expected an array, got 3"),
        (Literal["a"] | Literal["A"], '"a "', "expected 'a' or 'A', got \"a \""),
        (dict[str, Literal["true"] | bool], '{"x": "TRUE"}', "x: expected 'true', got \"TRUE\""),
    ],
)
def test_several_branches_that_might_be_meant(target: Any, text: str, said: str) -> None:
    """What can be mended for several branches of a union, in different ways, is ambiguous."""
    with pytest.raises(ParseError) as caught:
        parse(target, text)
    assert caught.value.kind == "ambiguous"
    assert str(caught.value) == f"ambiguous: {said}"


@pytest.mark.parametrize(
    ("target", "text", "value"),
    [(list[int] | int, '"3"', 3), (int | list[int], "3.0", 3), (list[int] | dict[str, int], "5", [5])],
)
def test_a_branch_before_an_array_of_one(target: Any, text: str, value: Any) -> None:
    """A value is taken for the one item of an array only where no other branch fits."""
    assert parse(target, text).value == value


class Cased(BaseModel):
    """An object in a union, with a key of more than one word."""

    Max_Price: int | None = None


@pytest.mark.parametrize("text", ['{"filt": {"max_price": 10}}', '{"filt": {"MAX_PRICE": 10}}'])
def test_a_near_key_in_a_union(text: str) -> None:
    """A key that differs but in case is taken inside of an optional object as it is outside."""

    @tool
    def find(filt: Cased | None = None) -> str:
        return repr(filt)

    assert find.invoke(text).content == "Cased(Max_Price=10)"


@pytest.mark.parametrize(
    ("text", "amount"), [("[.10]", "0.10"), ("[5.]", "5"), ("[+1.50]", "1.50"), ("[-.50]", "-0.50"), ("[1.10]", "1.10")]
)
def test_the_digits_of_a_decimal(text: str, amount: str) -> None:
    """However a number is written, no digit of it is lost; leading zeros are refused."""
    assert str(parse(list[Decimal], text).value[0]) == amount


def test_a_decimal_with_zeros_before_it() -> None:
    """Leading zeros are refused, since what has them is no number in most languages."""
    with pytest.raises(ParseError, match="a number, or a text in quotation marks"):
        parse(list[Decimal], "[001.5]")
