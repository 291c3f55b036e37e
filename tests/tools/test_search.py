"""The index behind the search: words, pairs of characters, and an order that never changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from magic_tools.tools.search import SearchIndex

TEXTS = (
    "get_weather: current weather of a city",
    "cancelOrder: cancel an order that was not shipped",
    "list_cities: all cities with a shop",
    "refund_payment: give money back for an order, by OpenAPI",
    "查询天气: 查询一个城市的天气预报",
    "create_invoice: 开具发票 for a paid order",
    "HTTPServer2: start the server",
    "テンキ: in Japanese",
)


def index(*texts: str) -> SearchIndex:
    return SearchIndex([[(1, text)] for text in texts])


ALL = index(*TEXTS)


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("weather", 0),
        ("What is the WEATHER like?", 0),
        ("weather_city", 0),
        ("cancelling", 1),
        ("it was cancelled", 1),
        ("order cancellable cancel", 1),
        ("a city list", 2),
        ("cities", 2),
        ("payments", 3),
        ("openapi", 3),
        ("open api", 3),
        ("ＰＡＹＭＥＮＴ", 3),
        ("ﾃﾝｷ", 7),
        ("天气", 4),
        ("请问城市天气怎么样", 4),
        ("天氣预报", 4),
        ("开发票", 5),
        ("票", 5),
        ("invoice发票", 5),
        ("http server", 6),
        ("httpserver2", 6),
    ],
)
def test_what_is_found_first(asked: str, first: int) -> None:
    """Words fit in any case, form and spelling of a name; Chinese fits by pairs of characters."""
    assert ALL.best(asked, 5)[0] == first


@pytest.mark.parametrize(
    "asked",
    [
        "",
        " \n",
        "?!。，",
        "the of a",
        "What is it for?",
        "的",
        "我的",
        "zebra",
        "天地",
        "ﾃ天",
        "气天",
        "a-b",
        "___",
        "\ud800",
    ],
)
def test_what_finds_nothing(asked: str) -> None:
    """Nothing is found by no words, by words that say nothing, or by words that no text has."""
    assert list(ALL.best(asked, 5)) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("order", "orders"),
        ("city", "cities"),
        ("price", "prices"),
        ("box", "boxes"),
        ("address", "addresses"),
        ("delete", "deleting"),
        ("ship", "shipped"),
        ("process", "processed"),
        ("day", "days"),
        ("fee", "fees"),
        ("sell", "selling"),
        ("employee", "employees"),
        ("status", "STATUS"),
        ("Größe", "grösse"),
        ("getHTTPCode", "get_http_code"),
        ("e-mail", "email"),
        ("E-Mails", "email"),
        ("e‑mail", "email"),
        ("pre-order", "order"),
        ("check-in-desk", "checkindesk"),
    ],
)
def test_two_forms_of_a_word(one: str, other: str) -> None:
    """The forms that English gives a word, and a language a name, find each other."""
    assert list(index(one, "beside").best(other, 5)) == [0]
    assert list(index(other, "beside").best(one, 5)) == [0]


@pytest.mark.parametrize(("one", "other"), [("order", "border"), ("use", "us"), ("art", "cart"), ("天气", "气天")])
def test_two_words(one: str, other: str) -> None:
    """What only looks alike does not."""
    assert list(index(one).best(other, 5)) == []


@pytest.mark.parametrize(
    ("better", "worse", "asked"),
    [
        ("refund", "order", "refund order order order order order"),
        ("order refund", "order order order", "order refund"),
        ("order", "order and some more words beside", "order"),
        ("order order x", "order x y", "order"),
    ],
)
def test_what_fits_better(better: str, worse: str, asked: str) -> None:
    """A rare word, more of the words, more of a word and a shorter text each go first."""
    others = ("order held back four days", "order held three days", "order held two days")
    assert index(worse, better, *others).best(asked, 1) == [1]
    assert index(better, worse, *others).best(asked, 1) == [0]


def test_a_weight_counts() -> None:
    """A word of a heavier text counts as many times."""
    light, heavy = [(1, "stock"), (3, "shop")], [(3, "stock"), (1, "shop")]
    assert SearchIndex([light, heavy]).best("stock", 2) == [1, 0]
    assert SearchIndex([light, heavy]).best("shop", 2) == [0, 1]


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: index(*["same text"] * 4).best("text", 3), [0, 1, 2]),
        (lambda: index("b text", "c text").best("text", 5), [0, 1]),
        (lambda: index().best("text", 5), []),
        (lambda: index("", "").best("text", 5), []),
        (lambda: index("text").best("text text text", 5), [0]),
    ],
)
def test_order(make: Callable[[], list[int]], found: list[int]) -> None:
    """Those that fit equally stand in their order; no more than asked for are given."""
    assert list(make()) == found
