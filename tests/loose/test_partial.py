"""Typed values while their text is being written: whole parts validated, open ones marked, the end as by `parse`."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, SecretStr

from magic_tools.errors import DefinitionError, ParseError
from magic_tools.loose.decode import Schema, compile_schema, parse
from magic_tools.loose.partial import Partial, PartialStream


class Address(BaseModel):
    city: str
    since: dt.date


class Item(BaseModel):
    sku: Annotated[str, Field(pattern="^[A-Z]+$")]
    price: Decimal = Field(gt=0, alias="Price")


class Order(BaseModel):
    number: int
    placed: dt.date | None = None
    status: Literal["new", "sent"] = "new"
    address: Address | None = None
    items: list[Item] = []
    limit: int = 3
    other: dict[str, dt.date] = {}


def after(target: Any, text: str) -> Partial[Any]:
    """What there is to see after a text, which is fed by single characters."""
    stream: PartialStream[Any] = PartialStream(target)
    for character in text:
        stream.feed(character)
    return stream.partial


@pytest.mark.parametrize(
    ("text", "value", "incomplete"),
    [
        ("Well, ", None, ()),
        ('{"number": 12', {}, ()),
        ('{"number": 12,', {"number": 12}, ()),
        ('{"placed": "2026-11', {"placed": "2026-11"}, ("placed",)),
        ('{"placed": "2026-11-29"', {"placed": "2026-11-29"}, ("placed",)),
        ('{"placed": "2026-11-29",', {"placed": dt.date(2026, 11, 29)}, ()),
        ('{"status": "ne', {"status": "ne"}, ("status",)),
        ('{"address": {"city": "Ro', {"address": {"city": "Ro"}}, ("address", "address.city")),
        (
            '{"address": {"since": "2020-01-02",',
            {"address": {"since": dt.date(2020, 1, 2)}},
            ("address",),
        ),
        (
            '{"address": {"city": "Rome", "since": "2020-01-02"}',
            {"address": Address(city="Rome", since=dt.date(2020, 1, 2))},
            (),
        ),
        (
            '{"items": [{"sku": "A", "Price": "1.10"}, {"sku": "B", "Price": 1.10,',
            {"items": [Item(sku="A", Price=Decimal("1.10")), {"sku": "B", "Price": Decimal("1.10")}]},
            ("items", "items[1]"),
        ),
        ('{"other": {"a": "2026-11-29", "b', {"other": {"a": "2026-11-29"}}, ("other",)),
        ('{"other": {"a": "2026-11-29"}', {"other": {"a": dt.date(2026, 11, 29)}}, ()),
        ('{"undeclared": [1,', {"undeclared": [1]}, ("undeclared",)),
        ('{"address": {"city": "Ro\nme",', {"address": {"city": "Ro\nme"}}, ("address",)),
        ('{"limit": null, "placed": null,', {"placed": None}, ()),
        ("[1, 2]", None, ()),
    ],
)
def test_whole_parts_have_their_type_and_open_ones_are_marked(text: str, value: Any, incomplete: Any) -> None:
    """A part is validated when it is whole, alone; a Decimal has the digits of the text, and null may mean absent."""
    partial = after(Order, text)
    assert repr(partial.value) == repr(value)
    assert (partial.incomplete, partial.errors, partial.validated, partial.complete) == (incomplete, (), True, False)


def test_items_of_a_list_come_as_each_closes() -> None:
    """A list's items have their type one by one, also where it is inside another, and where none may be."""
    stream = PartialStream(list[list[dt.date] | None])
    stream.feed('[["2026-11-29"], null, ["2026-11-30", "2026-12')
    assert stream.partial.value == [[dt.date(2026, 11, 29)], None, [dt.date(2026, 11, 30), "2026-12"]]
    assert stream.partial.incomplete == ("[2]", "[2][1]")
    stream.feed('-01"]]')
    assert stream.finish().value == stream.partial.value


def test_parts_that_do_not_fit_are_told_and_left() -> None:
    """Errors are listed under their places in the whole value, and replaced by what the part around them says."""
    stream = PartialStream(Order)
    stream.feed('{"number": "x", "items": [{"sku": "a", "Price": 0')
    assert [str(error) for error in stream.partial.errors] == [
        'number: expected an integer, got "x"',
        'items[0].sku: expected text that matches ^[A-Z]+$, got "a"',
    ]
    stream.feed("}, 5], ")
    assert stream.partial.value == {"number": "x", "items": [{"sku": "a", "Price": 0}, 5]}
    assert [error.path for error in stream.partial.errors] == ["number", "items[0].sku", "items[0].Price", "items[1]"]
    stream.feed('"number": 5}')
    with pytest.raises(ParseError, match=r"^ambiguous"):
        stream.finish()


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]


class Owner(BaseModel):
    name: str
    pet: Cat | Dog = Field(discriminator="kind")
    pets: list[Annotated[Cat | Dog, Field(discriminator="kind")]] = []


@pytest.mark.parametrize(
    "text",
    [
        '{"name": null, "pet": {"kind": "cow"}}',
        '{"name": "a", "pet": {"kind": "cat"}, "pets": [{"kind": "dog"}, {"kind": "cat", "lives": "many"}]}',
        '{"name": "a", "pet": {"kind": "dog"}, "pets": null}',
        '{"name": "a", "pet": {"kind": "dog"}, "pets": {"kind": 1}}',
    ],
)
def test_errors_are_those_of_the_end(text: str) -> None:
    """What is wrong with a part is said in the same words as when the whole is refused for it."""
    try:
        parse(Owner, text)
    except ParseError as error:
        refused = error.issues
    else:
        refused = ()
    assert set(after(Owner, text).errors) == set(refused)


def test_few_errors_are_kept() -> None:
    """A list of nothing but wrong items costs no more than another."""
    assert len(after(list[int], "[" + '"x", ' * 100).errors) == 12


def test_limits_of_a_list_are_checked_when_it_closes() -> None:
    """Where more is demanded of a list than of its items, it is read again as a whole."""

    class Tags(BaseModel):
        tags: list[str] = Field(max_length=1)

    assert after(Tags, '{"tags": ["a", "b"').errors == ()
    assert [error.path for error in after(Tags, '{"tags": ["a", "b"]').errors] == ["tags"]


class Node(BaseModel):
    name: dt.date
    next: Node | None = None


def test_deep_parts_are_validated_with_what_holds_them() -> None:
    """A part below the eighth level stays plain data until the one around it that is not so deep is whole."""
    text = '{"name": "2026-11-29", "next": ' * 12
    partial = after(Node, text)
    assert str(partial.value).count("datetime.date") == 8
    assert str(partial.value).count("2026-11-29") == 4
    lists = list[list[list[list[list[list[list[list[list[dt.date]]]]]]]]]
    assert "date(" not in str(after(lists, "[" * 9 + '"2026-11-29",').value)
    assert "date(" in str(after(lists, "[" * 9 + '"2026-11-29"]').value)
    closed = after(Node, text + "null" + "}" * 11)
    assert closed.value["next"] == parse(Node, text[31:] + "null" + "}" * 11).value
    assert (closed.incomplete, closed.errors) == ((), ())


@pytest.mark.parametrize(
    ("target", "text", "value"),
    [
        (dict[str, dt.date], '{"a": "2026-11-29"', {"a": "2026-11-29"}),
        (Address | Item, '{"since": "2026-11-29",', {"since": "2026-11-29"}),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, 'A: [1] {"a": "b', {"a": "b"}),
        ({"type": "array"}, '{"a": [1]} [2', None),
        (Any, "[2,", [2]),
        (str, '{"a": 1', None),
        (int, "5", None),
        (set[int], "[5,", [5]),
    ],
)
def test_other_targets_are_plain_data(target: Any, text: str, value: Any) -> None:
    """Of other objects and arrays the value is plain JSON, and said to be; of what is neither there is none."""
    partial = after(target, text)
    assert (partial.value, partial.validated) == (value, False)


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (Order, 'Sure:\n```json\n{"number": 5, "placed": "2026-11-29",}\n```'),
        (Order, '{"number": 5, "limit": null} '),
        (Order, '{"number": "5"}'),
        (Order, '{"number": 5, "status": "gone"}'),
        (Order, '{"number": 5'),
        (Order, '{"number": 5, "number": 6}'),
        (Order, '{"number": 5} or {"number": 6}?'),
        (list[int], "[1, 2] [3]"),
        (int, " 5\n"),
        (str, '"a\\u0041"'),
        (dict, "nothing"),
        (dict, ""),
    ],
)
@pytest.mark.parametrize("reason", [None, "stop", "length"])
def test_the_end_is_that_of_parse(target: Any, text: str, reason: Any) -> None:
    """The complete value, its repairs and every refusal are those that `parse` has for the whole text."""

    def outcome(read: Any) -> Any:
        try:
            read = read()
        except ParseError as error:
            return error.kind, error.issues, error.text
        return read.value, read.repairs

    stream: PartialStream[Any] = PartialStream(target)
    for character in text:
        stream.feed(character)
    assert outcome(lambda: stream.finish(reason)) == outcome(lambda: parse(target, text, finish=reason))


def test_only_the_end_is_complete() -> None:
    """A text whose value is whole may still go on, and be refused."""
    stream = PartialStream(Address)
    partial = stream.feed('{"city": "Rome", "since": "2020-01-02"}')
    assert partial is not None
    assert (partial.incomplete, partial.complete) == ((), False)
    last = stream.finish("stop")
    assert last == Partial(Address(city="Rome", since=dt.date(2020, 1, 2)), complete=True)
    assert stream.feed(' {"city": "Oslo", "since": "2020-01-02"}') is None
    with pytest.raises(ParseError, match=r"^ambiguous"):
        stream.finish("stop")


def test_feed_gives_what_is_new() -> None:
    """A piece that shows nothing more gives nothing."""
    stream = PartialStream(Address)
    given = [stream.feed(piece) for piece in ("Here: ", '{"city', '": "', "Ro", "me", '"', ", ", '"')]
    assert [partial and partial.incomplete for partial in given] == [
        None,
        (),
        ("city",),
        ("city",),
        ("city",),
        None,
        (),
        None,
    ]


def test_what_was_reasoning_is_withdrawn_with_its_errors() -> None:
    """Reasoning whose beginning was not marked is no answer, and what was wrong with it counts no more."""
    stream = PartialStream(list[int])
    stream.feed('["a", 5, 6')
    assert len(stream.partial.errors) == 1
    withdrawn = stream.feed("] is wrong</think>")
    assert withdrawn == Partial(None)
    stream.feed("[7,")
    assert stream.partial == Partial([7], open_path=())


def test_a_snapshot_stays_as_it_is() -> None:
    """The value grows with the stream; a snapshot that was taken of it does not."""
    stream = PartialStream(Order)
    live = stream.feed('{"items": [{"sku": "A')
    assert live is not None
    kept = live.snapshot()
    stream.feed('B", "Price": "1"}, ')
    assert live.value == {"items": [Item(sku="AB", Price=Decimal(1))]}
    assert kept == Partial({"items": [{"sku": "A"}]}, open_path=("items", 0, "sku"))


def test_a_part_in_many_pieces_is_validated_by_its_own_text() -> None:
    """Wherever the text was cut, a part is read as it stands, to the digit."""
    text = '[{"sku": "A", "Price": 1.0,}, {"Price": 2.50, "sku": "B"}]'
    for size in range(1, len(text)):
        stream = PartialStream(list[Item])
        for start in range(0, len(text), size):
            stream.feed(text[start : start + size])
        assert repr(stream.partial.value) == repr(parse(list[Item], text).value)


def test_another_schema_may_decide() -> None:
    """The end can be left to a schema that was compiled in another way."""
    schema: Schema[Any] = compile_schema(list[Address])
    stream = PartialStream(list[Address], schema=schema)
    stream.feed("[]")
    assert stream.finish().value == []


def test_no_secret_is_told() -> None:
    """What is wrong with a secret is said without it."""

    class Login(BaseModel):
        password: SecretStr = Field(min_length=9)
        key: str = Field(min_length=9, json_schema_extra={"writeOnly": True})

    partial = after(Login, json.dumps({"password": "xyzzy", "key": "xyzzy"}))
    assert [error.path for error in partial.errors] == ["password", "key"]
    assert "xyzzy" not in str(partial.errors)


def test_a_target_without_a_schema_is_refused_at_once() -> None:
    """What cannot be compiled is a DefinitionError before anything is fed."""
    with pytest.raises(DefinitionError):
        PartialStream(lambda: None)


@dataclass
class Plain:
    a: int


def test_the_type_checker_knows_what_comes() -> None:
    """The value of a finished stream is of the target's type."""
    stream = PartialStream(Plain)
    stream.feed('{"a": 1}')
    assert stream.finish().value.a == 1
