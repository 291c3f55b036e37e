"""What a regular expression costs, and why one is not matched."""

from __future__ import annotations

import pytest

from magic_tools.schema.guard.patterns import PATTERN_BYTES, Unfit, program_of


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "wrong"),
        ("[z-a]", "wrong"),
        ("x{2,1}", "wrong"),
        (r"\p{Foo}", "wrong"),
        (r"a\Z", "wrong"),
        ("(?!a)b(", "wrong"),
        ("^(?=a)", "backtracking"),
        ("(?<!a)b", "backtracking"),
        (r"(a)\1", "backtracking"),
        (r"(?<n>a)\k<n>", "backtracking"),
        (r"^(?!\.)(?!.*\.\.)[a-z.]+@[a-z]+\.[a-z]{2,}$", "backtracking"),
        ("a{1000}{1000}", "large"),
        ("(a|b){9000}", "large"),
        ("^(foo|bar|baz){0,5000}$", "large"),
    ],
)
def test_why_a_pattern_is_unfit(pattern: str, why: Unfit) -> None:
    """A pattern with an error in it, one that needs to be tried over and over, and one too large are told apart."""
    assert program_of(pattern) == why


@pytest.mark.parametrize("pattern", ["", "^a+$", "^(a+)+$", "(?<n>a)", r"^\d{3}-\p{L}*$", "^.{0,4096}$"])
def test_what_a_pattern_costs(pattern: str) -> None:
    """Every other pattern has a size, a power of two within the limit, whatever other engines make of it."""
    size = program_of(pattern)
    assert isinstance(size, int)
    assert size.bit_count() == 1
    assert size <= PATTERN_BYTES
