"""Names listed in a sentence."""

from __future__ import annotations

import pytest

from magic_tools.tools.listing import listed


@pytest.mark.parametrize(
    ("names", "most", "text"),
    [
        ([], 3, "none"),
        (["a"], 3, "a"),
        (["a", "b", "c"], 3, "a, b, c"),
        (["a", "b", "c", "d"], 3, "a, b, c and 1 more"),
        (iter("abcdefghijklmnop"), 12, "a, b, c, d, e, f, g, h, i, j, k, l and 4 more"),
    ],
)
def test_a_list(names: list[str], most: int, text: str) -> None:
    """The first names stand there, the rest is counted, and no names are said to be none."""
    assert listed(names, most) == text
