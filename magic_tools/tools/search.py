"""Which of many texts fit a few words best: BM25 over the words of English and the pairs of Chinese characters."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

__all__ = ["Document", "SearchIndex"]

Document: TypeAlias = Iterable[tuple[int, str]]
"""Texts, each with how many times its words count."""

# The two constants of BM25, at their usual values: how soon more of a word stops to count, and how much length does.
_SATURATION, _LENGTH = 1.2, 0.75

# Han, kana and hangul: written without blanks, so that pairs of characters stand for words.
_CJK = "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0002ffff"
_RUN = re.compile(rf"(?P<pairs>[{_CJK}]+)|[^\W_{_CJK}]+(?:[-\u2010][^\W_{_CJK}]+)*")
_HYPHEN = re.compile("[-\u2010]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|e)$")
_DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1$")

_COMMON = """
    a an and are as at be by can do does for from have how i if in into is it its me my no not of on or our please so
    that the their them then there these this to up use used uses using want was we what when where which who will with
    you your 的 了 和 是 在 我 请
"""
_EVERYWHERE = frozenset(_COMMON.split())
"""Words that tell no text from another."""


class SearchIndex:
    """An index of documents, made once; the same question has always the same answer."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._counts = [_counted(document) for document in documents]
        self._lengths = [counts.total() for counts in self._counts]
        self._average = sum(self._lengths) / max(len(self._lengths), 1)
        self._holders = Counter(term for counts in self._counts for term in counts)

    def best(self, text: str, k: int) -> Sequence[int]:
        """The positions of the `k` documents that fit best, the best first; those without any of the words not."""
        terms = list(dict.fromkeys(_terms(text, asked=True)))
        scores = {position: self._score(position, terms) for position in range(len(self._counts))}
        return sorted((each for each in scores if scores[each] > 0), key=lambda each: (-scores[each], each))[:k]

    def _score(self, position: int, terms: Iterable[str]) -> float:
        counts = self._counts[position]
        damped = _SATURATION * (1 - _LENGTH + _LENGTH * self._lengths[position] / (self._average or 1))
        return sum(
            self._rarity(term) * counts[term] * (_SATURATION + 1) / (counts[term] + damped)
            for term in terms
            if term in counts
        )

    def _rarity(self, term: str) -> float:
        holders = self._holders[term]
        return math.log(1 + (len(self._counts) - holders + 0.5) / (holders + 0.5))


def _counted(document: Document) -> Counter[str]:
    counts: Counter[str] = Counter()
    for weight, text in document:
        for term in _terms(text):
            counts[term] += weight
    return counts


def _terms(text: str, *, asked: bool = False) -> Iterator[str]:
    """The words of a text in the form in which they are compared, and of Chinese each pair of characters.

    Of a text single characters are terms too; of a question only those that stand alone.
    """
    for run in _RUN.finditer(unicodedata.normalize("NFKC", text)):
        characters = run["pairs"] or ""
        if not asked or len(characters) == 1:
            yield from (character for character in characters if character not in _EVERYWHERE)
        yield from map("".join, pairwise(characters))
        if not characters:
            yield from _words(run[0])


def _words(run: str) -> Iterator[str]:
    """The words of a run, and where there are several, all of it as one: `e-mail` is `email` too."""
    whole = _HYPHEN.sub("", run)
    parts = [part for piece in _HYPHEN.split(run) for part in _CAMEL.split(piece)]
    for word in (whole, *parts) if len(parts) > 1 else parts:
        lower = word.casefold()
        if lower not in _EVERYWHERE:
            yield _stem(lower)


def _stem(word: str) -> str:
    """A word without its usual endings: `cancelled` and `cancel` are one, and `cities` and `city`."""
    bare = _DOUBLED.sub(r"\1", _ENDING.sub("", word))
    return f"{bare[:-1]}i" if bare.endswith("y") else bare
