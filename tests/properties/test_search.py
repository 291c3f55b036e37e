"""The search over tools: what it finds is had, fits, and does not depend on how often it is asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from magic_tools.tools.search import SearchIndex

WORDS = (
    "order",
    "orders",
    "refund",
    "cancelled",
    "getHTTPCode",
    "snake_case",
    "the",
    "天气",
    "查询天气",
    "气",
    "ひらがな",
    "x2",
)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
LISTS = st.lists(TEXTS, max_size=8)


def index(texts: list[str]) -> SearchIndex:
    return SearchIndex([[(1, text)] for text in texts])


@given(LISTS, st.text(), st.integers(1, 10))
def test_any_text_may_be_asked_for(texts: list[str], asked: str, k: int) -> None:
    """Whatever is asked, at most k positions come back, each once and in the range."""
    best = list(index(texts).best(asked, k))
    assert len(best) <= k
    assert len(set(best)) == len(best)
    assert all(0 <= position < len(texts) for position in best)


@given(LISTS, TEXTS)
def test_a_smaller_k_is_the_beginning_of_a_larger(texts: list[str], asked: str) -> None:
    """How many are asked for does not change their order, and a second index has the same."""
    whole = list(index(texts).best(asked, 8))
    made = index(texts)
    assert all(list(made.best(asked, k)) == whole[:k] for k in range(1, 9))


@given(LISTS, TEXTS)
def test_just_those_with_a_word_of_it(texts: list[str], asked: str) -> None:
    """A text is found among others if and only if it is found alone."""
    found = set(index(texts).best(asked, len(texts) + 1))
    assert found == {position for position, text in enumerate(texts) if index([text]).best(asked, 1)}


@given(TEXTS, TEXTS)
def test_order_of_the_question_does_not_matter(text: str, asked: str) -> None:
    """The same words in another order find the same."""
    turned = " ".join(reversed(asked.split()))
    assert index([text]).best(asked, 1) == index([text]).best(turned, 1)


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_a_text_is_found_by_itself(words: list[str]) -> None:
    """Unless it says nothing."""
    text = " ".join(words)
    assert bool(index([text]).best(text, 1)) == (set(words) != {"the"})
