"""The rules about places: for each at least one field that it speaks of, and one that it leaves alone."""

from __future__ import annotations

import datetime as dt
import enum
import inspect
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter

from magic_tools.schema.marks import Unit
from magic_tools.tools.lint.findings import LintConfig
from magic_tools.tools.lint.linter import lint
from magic_tools.tools.lint.place_rules import PLACE_RULES
from magic_tools.tools.tool import Tool, tool

Text = Annotated[str, Field(max_length=80)]
Whole = Annotated[int, Field(ge=0, le=9)]
Sum = Annotated[Decimal, Field(ge=0)]
Share = Annotated[float, Field(ge=0)]
Few = Field(max_length=5)
TEN = tuple(f"v{index}" for index in range(10))


class Car(BaseModel):
    """A car."""

    kind: Literal["car"]
    id: Annotated[Text, "Which car."]


class Bike(BaseModel):
    """A bike."""

    kind: Literal["bike"]
    id: Annotated[Text, "Which bike."]


class Cat(BaseModel):
    """A cat."""

    name: Annotated[Text, "What it is called."]
    claws: Annotated[Whole, "How many it has."]


class Dog(BaseModel):
    """A dog."""

    name: Annotated[Text, "What it is called."]
    tricks: Annotated[Whole, "How many it can do."]


class Square(BaseModel):
    """A square."""

    side: Annotated[Whole, "In cm."]


class Circle(BaseModel):
    """A circle."""

    radius: Annotated[Whole, "In cm."]


class Loose(BaseModel):
    """Nothing that is needed."""

    side: Annotated[Whole, "In cm."] = 1


class Node(BaseModel):
    """A node of a tree."""

    label: Annotated[Text, "What it is called."]
    children: Annotated[list[Node], Few, "What is below it."]


class Anything(BaseModel, extra="allow"):
    """A model with any other key."""

    side: Annotated[Whole, "In cm."]


class Counted(BaseModel, extra="allow"):
    """A model with other keys, all of them counts."""

    __pydantic_extra__: dict[str, Whole]

    side: Annotated[Whole, "In cm."]


class Nothing(BaseModel):
    """A model without fields."""


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


def taking(name: str, annotation: Any, text: str | None = "What it is.") -> Tool[..., Any]:
    """A tool in which all is well but for what its one parameter brings."""

    def act(**_: Any) -> str:
        """Do what is asked."""
        return ""

    held = annotation if text is None else Annotated[annotation, text]
    parameter = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=held)
    act.__signature__ = inspect.Signature([parameter], return_annotation=str)  # type: ignore[attr-defined]  # read by inspect
    return tool(act)


def giving(annotation: Any) -> Tool[..., Any]:
    """A tool in which all is well but for what its result brings."""

    def act() -> Any:
        """Do what is asked."""

    act.__annotations__["return"] = annotation
    return tool(act)


def rules_of(made: Tool[..., Any], config: LintConfig | None = None) -> list[str]:
    """The rules of the findings, each once, in the order of the alphabet."""
    return sorted({finding.rule for finding in lint(made, config=config)})


FIELDS: list[tuple[str, Any, str | None, list[str]]] = [
    # unconstrained
    ("data", Any, "What it is.", ["unconstrained"]),
    ("data", object, "What it is.", ["unconstrained"]),
    ("data", Square | Any, "What it is.", ["unconstrained"]),
    ("data", Text, "What it is.", []),
    # missing-text
    ("city", Text, None, ["missing-text"]),
    ("day", dt.date, None, ["missing-text"]),
    ("day", dt.date, "The first day.", []),
    ("depth", Annotated[Whole, Unit("m")], None, ["missing-text"]),
    ("depth", Annotated[Whole, Unit("m")], "How deep.", []),
    ("kind", Literal["order"], None, []),
    ("city", Annotated[Text, "Where."] | None, None, []),
    ("city", Text, "city", ["missing-text"]),
    ("city", Text, "The city.", ["missing-text"]),
    ("orderId", Text, "Order ID", ["missing-text"]),
    ("城市", Text, "城市", ["missing-text"]),
    ("city", Text, "City name.", []),
    # long-text
    ("city", Text, "word " * 21, ["long-text"]),
    ("city", Text, "word " * 20, []),
    ("city", Text, "字" * 31, ["long-text"]),
    ("city", Text, "字" * 30, []),
    ("mode", Literal["a", "b"], f"How. a: {'word ' * 21}; b: the other", ["long-text"]),
    ("mode", Literal["a", "b"], f"How it is. a: {'word ' * 15}; b: {'word ' * 15}", []),
    # many-values
    ("mode", Literal[TEN[:9]], "; ".join(f"{each}: x" for each in TEN), ["many-values"]),
    ("mode", Literal[TEN[:8]], "; ".join(f"{each}: x" for each in TEN), []),
    # unexplained-values
    ("mode", Literal["slow", "fast"], "How it is sent.", ["unexplained-values"]),
    ("mode", Literal["slow", "fast"], "slow: by ship", ["unexplained-values"]),
    ("mode", Colour, "Which.", ["unexplained-values"]),
    ("mode", Annotated[list[Literal["slow", "fast"]], Few], "Ways.", ["unexplained-values"]),
    ("mode", Literal["slow", "fast"], "Either slow (by ship) or fast (by air).", []),
    ("mode", Literal["slow", "fast"], "`slow` is by ship, `fast` is by air.", []),
    ("mode", Literal["slow", "fast"], "slow：海运；fast：空运", []),
    ("mode", Literal[1, 2], "1 = by ship, 2 = by air", []),
    ("mode", Literal[1, 2], "12 = by ship", ["unexplained-values"]),
    ("mode", Annotated[Colour, {"red": "stop", "blue": "go"}], "Which.", []),
    ("mode", Literal["slow", "fast"] | None, "slow: by ship; fast: by air", []),
    ("mode", Literal["en", "de"], "`en` for English, `de` for German", []),
    ("mode", Literal["en", "de"], "en -> English, de → German", []),
    ("mode", Literal["en", "de"], "Where forms and dense foes are.", ["unexplained-values"]),
    # missing-unit
    ("duration", Whole, "How long.", ["missing-unit"]),
    ("maxWeight", Whole, "The most.", ["missing-unit"]),
    ("durations", Annotated[list[Whole], Few], "How long each is.", ["missing-unit"]),
    ("latencies", Annotated[dict[str, Whole], Few], "By server.", ["missing-unit"]),
    ("durations_s", Annotated[list[Whole], Few], "How long each is.", []),
    ("durations", Annotated[list[Whole], Few], "How long each is, in minutes.", []),
    ("timestamp", Whole, "When it was.", ["missing-unit"]),
    ("created_at", Whole, "When it was made.", ["missing-unit"]),
    ("时间戳", Whole, "何时", ["missing-unit"]),
    ("timestamp_ms", Whole, "When it was.", []),
    ("timestamp", Whole, "When it was, in seconds since 1970.", []),
    ("temperature", Share, "0 is deterministic, 2 is wild.", []),
    ("temperature", Share, "How wild it is.", ["missing-unit"]),
    ("stay_duration", Whole, "How long, in nights.", []),
    # missing-currency
    ("amount", Sum, "What it is.", ["missing-currency"]),
    ("amounts", Annotated[list[Sum], Few], "What they are.", ["missing-currency"]),
    ("amount", Sum, "In Swiss francs.", []),
    ("amount", Annotated[Sum, Unit("CHF")], "What it is.", []),
    ("amount_eur", Sum, "What it is.", []),
    ("时长", Whole, "多久", ["missing-unit"]),
    ("duration_seconds", Whole, "How long.", []),
    ("timeout_s", Whole, "How long.", []),
    ("timeoutMs", Whole, "How long.", []),
    ("duration", Whole, "How long, in minutes.", []),
    ("duration", Whole, "持续时间（天）", []),
    ("weight", Whole, "Share of 100 %.", []),
    ("duration", Annotated[Whole, Unit("fortnight")], "How long.", []),
    ("duration", Text, "How long.", []),
    ("duration", Literal[30, 60], "30: half; 60: whole", []),
    ("page_size", Whole, "What it is.", []),
    ("limit", Whole, "What it is.", []),
    ("age", Whole, "What it is.", []),
    # missing-bounds
    ("limit", int, "How many.", ["missing-bounds"]),
    ("share", float | None, "What it is.", ["missing-bounds"]),
    ("marks", Annotated[list[int], Few], "What they are.", ["missing-bounds"]),
    ("limit", Annotated[int, Field(ge=1)], "How many.", []),
    ("limit", Literal[1, 2], "1: one; 2: two", []),
    ("limit", Whole | None, "How many.", []),
    ("order_id", int, "Which.", []),
    ("order_number", int, "Which.", []),
    ("active", bool, "Whether.", []),
    ("x", int, "Where, in pixels.", ["missing-bounds"]),
    ("share", Decimal, "What it is.", ["missing-bounds"]),
    ("share", Annotated[Decimal, Field(decimal_places=2)], "What it is.", ["missing-bounds"]),
    ("share", Annotated[Decimal, Field(lt=1)], "What it is.", []),
    ("share", Sum | None, "What it is.", []),
    # money-as-float
    ("max_price_eur", Annotated[float, Field(ge=0)], "What it is.", ["money-as-float"]),
    ("costs_eur", Annotated[list[Share], Few], "What they are.", ["money-as-float"]),
    ("金额", Annotated[float, Field(ge=0)], "单位：元", ["money-as-float"]),
    ("total_price_eur", Sum, "What it is.", []),
    ("fee_cents", Whole, "What it is.", []),
    ("price_ratio", Annotated[float, Field(ge=0)], "What it is.", []),
    ("total_seconds", Annotated[float, Field(ge=0)], "What it is.", []),
    # date-as-text
    ("start_date", Text, "The first day.", ["date-as-text"]),
    ("createdAt", Text, "The first day.", ["date-as-text"]),
    ("截止日期", Text, "最后一天", ["date-as-text"]),
    ("start_date", dt.date, "The first day.", []),
    ("start_date", Text, "The first day, as in 2026-11-29.", []),
    ("start_date", Annotated[Text, Field(examples=["2026-11-29"])], "The first day.", []),
    ("start_date", Annotated[str, Field(pattern="^[0-9]{8}$")], "The first day.", []),
    ("date_format", Text, "How.", []),
    ("day", Text, "The first day, e.g. the 3rd of May.", []),
    ("day", Text, "Weekday name in English.", []),
    ("day", Text, "Monday to Friday.", []),
    ("day", Text, "星期一至星期五", []),
    ("month", Text, "The month's name.", []),
    ("month", Text, "January to December.", []),
    ("month", Text, "Which it may be.", ["date-as-text"]),
    ("since", Text, "Commit to start from.", []),
    ("since", Text, "The date of the commit to start from.", ["date-as-text"]),
    ("since", Text, "Where to start from.", ["date-as-text"]),
    ("update", Text, "What changes.", []),
    ("timezone", Text, "Where.", []),
    # unlimited-text
    ("city", str, "Where.", ["unlimited-text"]),
    ("city", str | None, "Where.", ["unlimited-text"]),
    ("tags", Annotated[list[str], Few], "What they are.", ["unlimited-text"]),
    ("city", Annotated[str, Field(pattern="^[a-z]{9}$")], "Where.", []),
    # ambiguous-union
    ("value", Whole | Share, "What it is.", ["ambiguous-union"]),
    ("value", Text | dt.date, "What it is.", ["ambiguous-union"]),
    ("value", Cat | Dog, "What it is.", ["ambiguous-union"]),
    ("value", Square | Loose, "What it is.", ["ambiguous-union"]),
    ("value", Square | Annotated[dict[str, Whole], Few], "Sides by key.", ["ambiguous-union"]),
    ("value", Annotated[list[Whole], Few] | Annotated[list[Share], Few], "It.", ["ambiguous-union"]),
    ("value", Whole | None, "What it is.", []),
    ("value", Whole | Text, "What it is.", []),
    ("value", Square | Circle, "What it is.", []),
    ("value", Annotated[Car | Bike, Field(discriminator="kind")], "What it is.", []),
    ("value", Car | Bike, "What it is.", []),
    ("value", dt.date | dt.timedelta, "What it is.", []),
    ("value", Annotated[list[Whole], Few] | Annotated[list[Text], Few], "It.", []),
    ("value", Whole | Annotated[list[Whole], Few], "What it is.", []),
    # recursive-type
    ("tree", Node, "What it is.", ["recursive-type"]),
    ("trees", Annotated[list[Square], Few], "What they are.", []),
    # long-name
    ("n" * 41, Text, "What it is.", ["long-name"]),
    ("n" * 40, Text, "What it is.", []),
    # untyped-container
    ("data", list, "What it is.", ["untyped-container"]),
    ("data", dict, "What it is.", ["untyped-container"]),
    ("data", Annotated[dict[str, Any], Few], "By key.", ["untyped-container"]),
    ("data", Annotated[list[dict[str, Any]], Few], "By key.", ["untyped-container"]),
    ("data", tuple[Text, Whole], "What it is.", []),
    # open-object, empty-object
    ("data", Anything, "What it is.", ["open-object"]),
    ("data", Annotated[list[Anything], Few], "What it is.", ["open-object"]),
    ("data", Counted, "What it is.", ["unlimited-container", "untold-keys"]),
    ("data", Nothing, "What it is.", ["empty-object"]),
    ("data", Annotated[list[Nothing], Few] | None, "What it is.", ["empty-object"]),
    # unlimited-container
    ("data", list[Whole], "What it is.", ["unlimited-container"]),
    ("data", dict[str, Whole], "By key.", ["unlimited-container"]),
    ("data", Annotated[list[Whole], Few], "What it is.", []),
    ("data", dict[Literal["a", "b"], Whole], "What it is.", []),
    # untold-keys
    ("data", Annotated[dict[str, Whole], Few], "What it is.", ["untold-keys"]),
    ("data", Annotated[dict[str, Whole], Few], "How many there are by article number.", []),
    ("data", Annotated[dict[str, Whole], Few], "键为商品编号", []),
    ("data", Annotated[dict[str, Text], Few], "用户名到邮箱的映射", []),
    ("data", Annotated[dict[str, Text], Few], "Maps user names to e-mails.", []),
    # changeable-cursor
    ("cursor", Text, "Where to go on.", ["changeable-cursor"]),
    ("next_page_token", Text, "Where to go on.", ["changeable-cursor"]),
    ("cursor", Text, "From the last answer; pass it on unchanged.", []),
    ("cursor", Text, "上次返回的游标，原样传入", []),
    ("cursor", Text, "Copy it exactly from the previous result.", []),
    ("token", Text, "What it is.", []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "annotation", "text", "rules"), FIELDS)
def test_what_is_found_of_a_parameter(name: str, annotation: Any, text: str | None, rules: list[str]) -> None:
    """Each rule speaks of what it is about, and of nothing else that looks like it."""
    assert rules_of(taking(name, annotation, text)) == rules


class Row(BaseModel):
    """A row of a result."""

    qty: int
    title: str


class Priced(BaseModel):
    price: float


class Found(BaseModel):
    next_cursor: str
    rows: list[str]


class Opaque(BaseModel):
    data: Any
    more: dict[str, Any]


RESULTS: list[tuple[Any, list[tuple[str, str]]]] = [
    (str, []),
    (int, []),
    (list[str], []),
    (Square, []),
    (dict[str, int], []),
    (Any, [("open-result", "result")]),
    (dict, [("untyped-result", "result")]),
    (list, [("untyped-result", "result")]),
    (Opaque, [("untyped-result", "result.data"), ("untyped-result", "result.more")]),
    (list[Row], [("abbreviated-result", "result[].qty")]),
    (dict[str, Row], [("abbreviated-result", "result[*].qty")]),
    (Priced, [("money-as-float", "result.price")]),
    (Found, [("changeable-cursor", "result.next_cursor")]),
]


@pytest.mark.parametrize(("annotation", "found"), RESULTS)
def test_what_is_found_of_a_result(annotation: Any, found: list[tuple[str, str]]) -> None:
    """A result is to be typed and to have names that need no guess; its texts and lengths are its own affair."""
    assert [(each.rule, each.path) for each in lint(giving(annotation))] == found


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("qty", True), ("order_qty", True), ("orderQty", True), ("mgr", True), ("n", True), ("ts", True),
        ("xtrct", True), ("bldg", True), ("id", False), ("ok", False), ("url", False), ("html", False), ("sku", False),
        ("x", False),
        ("size_mb", False), ("quantity", False), ("数量", False), ("by", False), ("rhythm", False), ("line2", False),
    ],
)  # fmt: skip
def test_abbreviations(name: str, short: bool) -> None:
    """A name of the result that is cut or has no vowel is an abbreviation, unless everybody knows it."""
    fields: Any = {"__annotations__": {name: str}}
    row = type("Row", (BaseModel,), {"__module__": __name__, **fields})
    assert bool(lint(giving(row))) is short


PATHS: list[tuple[Any, list[str]]] = [
    (Annotated[list[Node], Few], ["value[].children[]"]),
    (Annotated[dict[str, Node], Few], ["value[*].children[]"]),
    (tuple[Text, Node], ["value[1].children[]"]),
    (Node | None, ["value.children[]"]),
    (Node | Whole, ["value.children[]"]),
]


@pytest.mark.parametrize(("annotation", "paths"), PATHS)
def test_where_it_is(annotation: Any, paths: list[str]) -> None:
    """The path goes through lists, maps, tuples and unions to the field itself."""
    assert [
        each.path for each in lint(taking("value", annotation, "By key.")) if each.rule == "recursive-type"
    ] == paths


def test_each_rule_speaks_in_the_tables() -> None:
    """No rule about places could be lost without a case failing."""
    spoken = {rule for _, _, _, rules in FIELDS for rule in rules} | {rule for _, found in RESULTS for rule, _ in found}
    assert {rule.name for rule in PLACE_RULES} - spoken == set()


THRESHOLDS: Mapping[str, tuple[LintConfig, Tool[..., Any], str]] = {
    "field_units": (LintConfig(field_units=3), taking("city", Text, "One two three."), "long-text"),
    "enum_values": (LintConfig(enum_values=1), taking("mode", Literal["a", "b"], "a: x; b: y"), "many-values"),
    "name_characters": (LintConfig(name_characters=3), taking("city", Text), "long-name"),
}


@pytest.mark.parametrize("name", THRESHOLDS)
def test_a_threshold_can_be_set(name: str) -> None:
    """What is well by the default measure is found by a stricter one."""
    config, made, rule = THRESHOLDS[name]
    assert rules_of(made) == []
    assert rule in rules_of(made, config)


def test_the_referee_is_pydantic() -> None:
    """The annotations of the tables are ones that pydantic takes, so that no case passes for being refused."""
    for _, annotation, _, _ in FIELDS:
        assert TypeAdapter(annotation).core_schema
