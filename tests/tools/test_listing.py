"""Names listed in a sentence."""

from __future__ import annotations

import pytest

from magic_tools.tools.listing import listed


def test_what_is_most_alike_comes_first() -> None:
    """Of a long list the name that may have been meant stands first; a short one stays in its order."""
    names = [f"tool_{number}" for number in range(20)] + ["refund"]
    assert listed(names, 3, like="refnud") == "refund, tool_0, tool_1 and 18 more"
    assert listed(names[-3:], 3, like="refnud") == "tool_18, tool_19, refund"


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
