"""Issues: findings told in a length that a model can use."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from magic_tools.loose.issues import (
    HIDDEN,
    NOTHING,
    Finding,
    Place,
    innermost,
    literal,
    one_of,
    one_tag_of,
    path_text,
    shown,
    told,
    with_keys,
)
from magic_tools.loose.phrases import Phrase, phrased, say
from magic_tools.messages import Issue


def finding(place: Place, expected: str | Phrase, got: Any) -> Finding:
    """A finding by its words and the value that came."""
    return Finding(place, say(expected) if isinstance(expected, str) else expected, shown(got))


INTEGERS = [finding((number,), "an integer", "x") for number in range(1_000)]


@pytest.mark.parametrize(
    ("findings", "english", "chinese"),
    [
        ([], [], []),
        (
            [finding(("items", 2, "price"), say("a number of at least {ge}", ge=0), "free")],
            ['items[2].price: expected a number of at least 0, got "free"'],
            ['items[2].price：应为不小于 0 的数，收到 "free"'],
        ),
        (
            [finding((), "an integer", None), finding((), "null", None), finding((), "an integer", None)],
            ["expected an integer or null, got null"],
            ["应为整数或 null，收到 null"],
        ),
        (
            [finding(("b",), "an integer", 1), finding(("a",), "null", 1), finding(("b",), "a string", 1)],
            ["b: expected an integer or a string, got 1", "a: expected null, got 1"],
            ["b：应为整数或字符串，收到 1", "a：应为 null，收到 1"],
        ),
        (
            [finding(("a",), "an object", 1), Finding(("a",), say("an integer"), HIDDEN)],
            ["a: expected an object or an integer, got a value that is not shown"],
            ["a：应为对象或整数，收到不予显示的值"],
        ),
        (
            [finding(("a",), say("as its key {expected}", expected=say(each)), "a") for each in ("a UUID", "null")],
            ['a: expected as its key a UUID or null, got "a"'],
            ['a：应为 UUID 或 null（作为键），收到 "a"'],
        ),
        (
            [finding(("a",), "no key of this name", "a"), finding(("a",), "an integer", 1)],
            ['a: expected no key of this name, got "a"', "a: expected an integer, got 1"],
            ['a：应为空缺（没有这个名称的键），收到 "a"', "a：应为整数，收到 1"],
        ),
        (
            [Finding(("a",), say("a value, since it is required"), NOTHING)],
            ["a: expected a value, since it is required, got nothing"],
            ["a：应为一个值（必填），收到（未提供）"],
        ),
        (
            [finding((), f"{'x' * 150}{number}", 1) for number in range(9)],
            [f"expected {'x' * 150}0 or {'x' * 150}1 or one of 7 others, got 1"],
            [f"应为 {'x' * 150}0 或 {'x' * 150}1 或另外 7 种之一，收到 1"],
        ),
        (
            [finding(("a" * 50, "b" * 50) * 9, "null", 1)],
            [f"{'a' * 50}.{'b' * 49}...{'a' * 49}.{'b' * 50}: expected null, got 1"],
            [f"{'a' * 50}.{'b' * 49}...{'a' * 49}.{'b' * 50}：应为 null，收到 1"],
        ),
        (
            [finding((), "not \ud800", 1)],
            ["expected not \\ud800, got 1"],
            ["应为 not \\ud800，收到 1"],
        ),
    ],
)
def test_what_is_told(findings: Iterable[Finding], english: list[str], chinese: list[str]) -> None:
    """Each place and what came there is one sentence, in either language."""
    assert [str(issue) for issue in told(findings, "en")] == english
    assert [str(issue) for issue in told(findings, "zh")] == chinese


def test_many_are_counted() -> None:
    """Of very many the first are told, and how many more there are."""
    said = [str(issue) for issue in told(INTEGERS, "en")]
    assert len(said) == 13
    assert said[-1] == "expected the places above to be right first, got 988 more that are not"
    assert str(told(INTEGERS, "zh")[-1]) == "应为先改正以上各处，收到另外 988 处错误"


def test_all_are_told_where_there_are_few() -> None:
    """A dozen are all told, with nothing behind them."""
    assert len(told(INTEGERS[:12], "en")) == 12


def test_long_ones_are_counted_sooner() -> None:
    """What is told is a screen of text, however long each is; the first is told whatever its length."""
    long = [finding((number,), f"{number} {'x' * 380}", 1) for number in range(9)]
    said = [str(issue) for issue in told(long, "en")]
    assert sum(map(len, said)) < 1_700
    assert said[-1] == "expected the places above to be right first, got 6 more that are not"
    longer = [finding((number,), f"{number} {'x' * 2_000}", 1) for number in range(2)]
    assert [issue.path for issue in told(longer, "en")] == ["[0]", ""]


def test_an_issue_keeps_its_language() -> None:
    """An issue is in the language that it was told in."""
    assert told([finding((), "null", 1)], "zh") == (Issue("", "null", "1", "zh"),)


def test_the_innermost() -> None:
    """Of a place and one inside it the inner stays, which says more."""
    findings = [finding(place, "null", 1) for place in [(), ("a",), ("a", 0), ("b",), ("aa",), ("a", 0)]]
    assert [each.place for each in innermost(findings)] == [("a", 0), ("b",), ("aa",), ("a", 0)]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ((), ""),
        (("a",), "a"),
        (("a", 0, "b"), "a[0].b"),
        ((0, "a"), "[0].a"),
        (("a b", "c"), '["a b"].c'),
        (("a", "1"), 'a["1"]'),
        (("", "a"), '[""].a'),
        (("数", "é"), "数.é"),
        (("\ud800",), '["\\ud800"]'),
        (("x" * 99 + " ",), '["' + "x" * 59 + "... (102 characters)]"),
        (("x" * 99,), '["' + "x" * 59 + "... (101 characters)]"),
    ],
)
def test_a_place_as_text(place: Place, text: str) -> None:
    """A place reads like the way to it in a program, and is never longer than helps."""
    assert path_text(place) == text
    assert path_text(place, "zh") == text.replace("... (", "……（共 ").replace(" characters)", " 个字符）")


@pytest.mark.parametrize(
    ("value", "english", "chinese"),
    [
        (None, "null", "null"),
        (True, "true", "true"),
        (1.5, "1.5", "1.5"),
        ("é\n", '"é\\n"', '"é\\n"'),
        ("{a}", '"{a}"', '"{a}"'),
        ("x" * 1_000, '"' + "x" * 59 + "... (1000 characters)", '"' + "x" * 59 + "……（共 1000 个字符）"),
        ("\ud800", '"\\ud800"', '"\\ud800"'),
        ([], "an empty array", "空数组"),
        ([1, 2], "an array of 2", "2 项的数组"),
        ({}, "an empty object", "空对象"),
        ({"a": "not shown", "b": 1}, "an object with the keys a, b", "带有键 a、b 的对象"),
        (
            {"k" * 100: 1},
            "an object with the keys " + "k" * 60 + "... (100 characters)",
            "带有键 " + "k" * 60 + "……（共 100 个字符）的对象",
        ),
        (10**60, "1" + "0" * 59 + "... (61 characters)", "1" + "0" * 59 + "……（共 61 个字符）"),
    ],
)
def test_a_value_as_it_is_shown(value: Any, english: str, chinese: str) -> None:
    """A value is shown short, an object by its keys, an array by its length."""
    assert phrased(shown(value), "en") == english
    assert phrased(shown(value), "zh") == chinese
    assert phrased(shown(value, secret=True), "en") == "a value that is not shown"


@pytest.mark.parametrize(
    ("phrase", "english", "chinese"),
    [
        (one_of(["'a'"]), "'a'", "'a'"),
        (one_of(["'a'", "1", "null"]), "one of 'a', 1 or null", "'a'、1、null 之一"),
        (one_tag_of(["'a'"]), "'a'", "'a'"),
        (one_tag_of(["'a'", "'b'"]), "one of 'a', 'b'", "'a'、'b' 之一"),
        (with_keys(["a", "b"]), "an object with the keys a, b", "带有键 a、b 的对象"),
    ],
)
def test_choices(phrase: Phrase, english: str, chinese: str) -> None:
    """Choices are listed as each language lists them."""
    assert phrased(phrase, "en") == english
    assert phrased(phrase, "zh") == chinese


def test_very_many_choices() -> None:
    """Of very many choices the first are said."""
    for phrase in (one_of(list(map(str, range(999)))), one_tag_of(list(map(str, range(999))))):
        assert phrased(phrase, "en").startswith("one of 0, 1, 2")
        assert len(phrased(phrase, "en")) < 350


@pytest.mark.parametrize("value", ["it's", "é", 1, 1.5, None, True, [1]])
def test_a_literal(value: Any) -> None:
    """Text is quoted as in Python, all else is JSON."""
    assert literal(value) == (repr(value) if isinstance(value, str) else json.dumps(value))
