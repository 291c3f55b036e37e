"""Texts made for a regular expression."""

from __future__ import annotations

import re

import pytest

from magic_tools.tools.bad_inputs.pattern_texts import pattern_texts


@pytest.mark.parametrize(
    ("pattern", "first"),
    [
        ("^abc$", "abc"),
        (r"^\d{3}-\d{2,4}$", "000-00"),
        ("^[A-Z]{2}[^a-z]$", "AA0"),
        (r"^(foo|bar)\.x?$", "foo."),
        (r"^(?:a|(?P<name>b))+$", "a"),
        ("^a*$", ""),
        (r"^[\]\-]\x41\u0042$", "-AB"),
        ("", ""),
        (r"^\w+@\w+\.(com|org)$", "a@a.com"),
        (r"^.\s$", "a "),
        ("^数+$", "数"),
        (r"^(a{2}b){2}$", "aabaab"),
        ("(?i)^abc$", "abc"),
        ("(?ims)^a(?i:b)c$", "abc"),
    ],
)
def test_the_first_text(pattern: str, first: str) -> None:
    """The first text is the shortest, of the commonest characters, and all match."""
    texts = list(pattern_texts(pattern))
    assert texts[0] == first
    assert all(re.search(pattern, text) for text in texts)


def test_every_alternative_comes() -> None:
    """The alternatives of a group come one after the other."""
    assert {"a", "b", "c"} <= set(pattern_texts("^(a|b|c)$"))


@pytest.mark.parametrize("least", [0, 40, 300])
def test_texts_of_a_length(least: int) -> None:
    """Where repetitions allow it, one of the texts has the length that is asked for."""
    assert any(len(text) == least for text in pattern_texts("^[a-z]*$", least))
    assert any(len(text) == least + 2 for text in pattern_texts("^x-[a-z]*$", least))


def test_a_count_that_is_endless_in_practice() -> None:
    """No text is made that no memory holds."""
    assert all(len(text) <= 100_000 for text in pattern_texts("^((a{1000}){1000}){1000}$"))


@pytest.mark.parametrize("pattern", ["(?=a)b", r"(a)\1", r"^\p{L}$", "(a", "a)", "[", "(?<!a)b", "a{"])
def test_what_is_not_simple(pattern: str) -> None:
    """For look-around, back references, Unicode classes and broken patterns nothing is made up."""
    assert list(pattern_texts(pattern)) == []
