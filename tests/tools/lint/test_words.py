"""Texts and names taken apart: how long they are, which words they have, and what they say of a value."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.tools.lint.words import content_words, explained, name_words, names_any, own_text, stem, units


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 0), (" \n", 0), (".,;!?", 0), ("word", 1.5), ("two words", 3), ("Two, words.", 3), ("don't", 1.5),
        ("A-1042", 1.5), ("e.g. search_documents", 3), ("2026-11-29", 1.5), ("搜索关键词", 5), ("搜索，关键词。", 5),
        ("搜索keyword吗", 4.5), ("ひらがなカタカナ", 8), ("한국어", 3), ("naïve café", 3), ("Привет мир", 3),
        ("𠀀𠀁", 2), ("々", 1), ("1 to 20", 4.5),
    ],
)  # fmt: skip
def test_units(text: str, length: float) -> None:
    """A Chinese, Japanese or Korean character counts 1, any other word 1.5, punctuation nothing."""
    assert units(text) == length


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("max_results", ["max", "results"]), ("maxResults", ["max", "results"]),
        ("HTTPServer2", ["http", "server", "2"]), ("_x", ["x"]), ("user-id", ["user", "id"]), ("ID", ["id"]),
        ("城市", ["城市"]), ("城市_name", ["城市", "name"]),
        ("naïveName", ["naïve", "name"]), ("", []), ("__", []),
    ],
)  # fmt: skip
def test_name_words(name: str, words: list[str]) -> None:
    """The words of a name are the same in snake case and in camel case."""
    assert name_words(name) == words


@pytest.mark.parametrize(
    ("name", "terms", "has"),
    [
        ("start_date", {"date"}, True), ("update", {"date"}, False), ("开始日期", {"日期"}, True),
        ("日历", {"日期"}, False), ("date", {"日期"}, False), ("", {"date"}, False),
    ],
)  # fmt: skip
def test_names_any(name: str, terms: set[str], has: bool) -> None:
    """An English term is a whole word of a name, a Chinese one may stand inside."""
    assert names_any(name, terms) is has


@pytest.mark.parametrize(
    ("word", "left"),
    [
        ("users", "user"),
        ("entries", "entry"),
        ("status", "status"),
        ("address", "address"),
        ("gas", "gas"),
        ("is", "is"),
    ],
)
def test_stem(word: str, left: str) -> None:
    """The ending of a plural goes, and only that."""
    assert stem(word) == left


def test_content_words() -> None:
    """The words of a text without the small ones, and the pairs of its Chinese characters."""
    assert content_words("List all the Tickets of a customer") == {"list", "ticket", "customer"}
    assert content_words("查库存。x") == {"查库", "库存", "x"}
    assert content_words("查") == {"查"}
    assert content_words("the of a") == frozenset()


EXPLANATIONS: list[tuple[str, list[Any], dict[str, str]]] = [
    (
        "title: the title only; content: the body",
        ["title", "content"],
        {"title": "the title only", "content": "the body"},
    ),
    (
        "Where: title (the title), content (the body)",
        ["title", "content"],
        {"title": "the title", "content": "the body"},
    ),
    ("a: one, b: two. c: three.", ["a", "b", "c"], {"a": "one", "b": "two", "c": "three"}),
    ("a：甲；b（乙）", ["a", "b"], {"a": "甲", "b": "乙"}),
    ("`a` - one\n`b` - two", ["a", "b"], {"a": "one", "b": "two"}),
    ("a is one, b means two", ["a", "b"], {"a": "one", "b": "two"}),
    ("1: one; 10: ten", [1, 10], {"1": "one", "10": "ten"}),
    ("1: one; 1.5: more", [1, 1.5], {"1": "one", "1.5": "more"}),
    ("true: yes; false: no", [True, False], {"true": "yes", "false": "no"}),
    ("a: one", ["a", "b"], {"a": "one"}),
    ("a:; b: two", ["a", "b"], {"b": "two"}),
    ("data: one", ["a"], {}),
    ("a.b: one", ["b"], {}),
    ("One of a, b.", ["a", "b"], {}),
    ("a+b: sum; a*: any", ["a+b", "a*"], {"a+b": "sum", "a*": "any"}),
    ('"": nothing', [""], {'""': "nothing"}),
    ("", ["a"], {}),
    ("a: one", [], {}),
]


@pytest.mark.parametrize(("text", "values", "said"), EXPLANATIONS)
def test_what_a_text_says_of_values(text: str, values: list[Any], said: dict[str, str]) -> None:
    """A value is explained by what follows it after a colon, a bracket, a dash, an equals sign or a verb."""
    assert explained(text, values) == said


@pytest.mark.parametrize(
    ("text", "values", "left"),
    [
        ("Where to look. a: one; b: two", ["a", "b"], "Where to look. "),
        ("Where to look.", ["a", "b"], "Where to look."),
        ("a: one; b: two\nAsk first.", ["a", "b"], "\nAsk first."),
        ("Where to look.", [], "Where to look."),
    ],
)
def test_what_a_text_says_beside_that(text: str, values: list[Any], left: str) -> None:
    """A field's own text is measured without the texts of its values."""
    assert own_text(text, values) == left
