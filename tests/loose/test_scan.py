"""Where an answer may stand: the candidates of each tier, and what is never one."""

from __future__ import annotations

import pytest

from magic_tools.loose.readings import Damage
from magic_tools.loose.scan import content_bounds, tiers
from magic_tools.messages import Repair


def found(text: str, *, prose: bool = True) -> list[list[str]]:
    """The candidates of each tier as they stand in the text, the damaged ones as how they are damaged."""
    return [
        [read.kind if isinstance(read, Damage) else text[read.start : read.end] for read in tier]
        for tier in tiers(text, prose=prose)
    ]


NONE = ["unparseable"]


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("", [NONE]),
        ("no JSON", [[], [], [], []]),
        ('"a string', [['"a string']]),
        (' {"a": 1,} ', [['{"a": 1,}']]),
        ('{"a": 1} {"b": 2}', [[], [], ['{"a": 1}', '{"b": 2}'], ['{"a": 1}', '{"b": 2}']]),
        ('So [1, 2] and {a: 1}.', [[], [], ["[1, 2]"], ["[1, 2]", "{a: 1}"]]),
        ("So [1] and {a: 1}.", [[], [], [], ["{a: 1}"]]),
        ("Of {x} it is {}", [[], [], ["{}"], ["{}"]]),
        ("Of items['a'] it is {}", [[], [], ["{}"], ["{}"]]),
        ("[Lee, 2024] says {}", [[], [], ["{}"], ["{}"]]),
        ("```json\n[1]\n```", [["[1]"], [], ["[1]"], ["[1]"]]),
        ("```JSON5 [1,] ```", [["[1,]"], [], [], ["[1,]"]]),
        ("~~~jsonc\n[1]\n~~~ [2]", [["[1]"], [], ["[1]", "[2]"], ["[1]", "[2]"]]),
        ("```py\n[1]\n```", [[], ["[1]"], ["[1]"], ["[1]"]]),
        ("```\n[1]\n```\n```json\n[2]\n```", [["[2]"], ["[1]"], ["[1]", "[2]"], ["[1]", "[2]"]]),
        ("<answer>[1]</answer> [2]", [["[1]"], [], ["[1]", "[2]"], ["[1]", "[2]"]]),
        ("<answer>```\n[1]\n```</answer>", [["[1]"], [], ["[1]"], ["[1]"]]),
        ("```json\n5\n```", [["5"], [], ["5"], ["5"]]),
        ('```json\n["``` [2] ```"]\n```', [['["``` [2] ```"]'], [], ['["``` [2] ```"]'], ['["``` [2] ```"]']]),
        ("'''json\n[1]\n'''", [["[1]"], [], ["[1]"], ["[1]"]]),
        ('See {"a": 1}, "b": 2}', [[], [], [], NONE]),
    ],
)  # fmt: skip
def test_the_candidates_of_each_tier(text: str, candidates: list[list[str]]) -> None:
    """The whole text comes first; then tags and fences tagged as JSON, other fences, JSON in prose, all of prose."""
    assert found(text) == candidates


@pytest.mark.parametrize(
    "text",
    [
        'So: {"code": "```json [1] ```", "b": 2}',
        'So: {"code": "```json [1] ```", b: 2}',
        "So: {'code': '```json [1] ```'}",
        "So: {“code”: “```json [1] ```”}",
        'So: {"code": "a "b" ```json [1] ```", "b": 2}',
        'So: {"code": "```json [1] ```", "b": 2',
        'So: {"a": {"b": 1]}, "code": "```json [1] ```"}',
        'So: {"code": "</think> [1]"}',
        'So: {"code": "<think>", "b": "</think> [1]"}',
        'So: {"a": b, "c": [1]}',
        "So: {'}': '```[1]'}",
        "So: {'}': '</think>[1]'}",
        'So: {"a": "b "c} [1]" d"}',
        "So: {'a': '} [1]'}",
        '{"a": {"b": 1]}, "c": [1]} and more',
        '{"a": 1, b: [1]} and more',
        '{"a": @, "b": [1]} and more',
    ],
)
def test_what_stands_inside_a_value_is_no_candidate(text: str) -> None:
    """Nothing in a string or a part of an object is ever a candidate, be the object whole or damaged."""
    assert "[1]" not in [candidate for tier in found(text) for candidate in tier]


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("<think>[1]</think>[2]", ["[2]"]),
        ("<thinking>[1]</thinking> so [2]", ["[2]"]),
        ("<REASONING>[1]</Reasoning>\n[2]", ["[2]"]),
        ("[1] or </think> [2]", ["[2]"]),
        ("<think>a</think>[1]</think>[2]", ["[2]"]),
        ("[2]<think>[1]</think>", ["[2]"]),
        ("[2]<think>[1]</think>[3]", ["[2]", "[3]"]),
        ('<think>{"a": "</think> [2]', ["[2]"]),
        ("<think>it's {</think>[2]", ["[2]"]),
        ("<think>```json\n[1]\n```</think>[2]", ["[2]"]),
        ('{"a": "</think>"} is it', ['{"a": "</think>"}']),
        ("<think>[1]</think>", []),
    ],
)
def test_reasoning_is_left_out(text: str, candidates: list[str]) -> None:
    """Blocks of reasoning hold no candidates, nor does what stands before an end without a beginning."""
    assert found(text)[-1] == candidates


@pytest.mark.parametrize("text", ["<think>[1]", "So. <think>[1]", "<think>a</think> <think>[1]", "[1] <think>"])
def test_reasoning_without_an_end_is_a_text_that_was_cut(text: str) -> None:
    """Where reasoning does not end, what follows its beginning is no answer."""
    assert found(text)[-1] == ["truncated"]


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("[1,]", [["[1,]"]]),
        ("```json\n[1]\n```", [["[1]"]]),
        (" ```\n[1]\n``` \n", [["[1]"]]),
        ("```json\n[1]", [["[1]"]]),
        ("[1]<|call|>", [["[1]"]]),
        ("<think>x</think>[1]", [["[1]"]]),
        ("[1] so", [[], NONE]),
        ("So ```json\n[1]\n```", [[], NONE]),
        ("```json\n[1]\n``` so", [[], NONE]),
        ("```json\n[1]\n```\n```json\n[1]\n```", [[], NONE]),
        ("<think>[1]</think>", [[], NONE]),
    ],
)
def test_without_prose_the_value_stands_alone(text: str, candidates: list[list[str]]) -> None:
    """A value is the whole text, or fills the one fence that is all but reasoning and the tokens of a chat."""
    assert found(text, prose=False) == candidates


TEXT = 'First, this:\n```json\n{"a": [1,],}\n```\nThat is all.'


def test_each_repair_is_listed() -> None:
    """What was left out around a value and dropped inside it is listed in the order of the text, with its places."""
    tagged = next(tier for tier in tiers(TEXT, prose=True) if tier)
    (span,) = tagged
    assert not isinstance(span, Damage)
    assert span.repairs == (
        Repair("prose", 0, 13, "left out the text before the value"),
        Repair("fence", 13, 37, "took what stands inside a code fence"),
        Repair("trailing_comma", 29, 30, "dropped a comma before a closing bracket"),
        Repair("trailing_comma", 31, 32, "dropped a comma before a closing bracket"),
        Repair("prose", 37, 50, "left out the text after the value"),
    )
    assert TEXT[13:37] == '```json\n{"a": [1,],}\n```'


@pytest.mark.parametrize(
    ("text", "bounds"),
    [("", (0, 0)), ("a", (0, 1)), (" \ufeff\r\na b\t ", (4, 7)), ("\u00a0a", (0, 2))],
)
def test_the_bounds_of_content(text: str, bounds: tuple[int, int]) -> None:
    """Blanks of JSON and byte order marks around a text are no content; other blanks are."""
    assert content_bounds(text) == bounds


def test_the_bounds_of_blanks() -> None:
    """Of a text of blanks nothing is left."""
    start, end = content_bounds(" \n ")
    assert start >= end
