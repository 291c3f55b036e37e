"""Texts and names, taken apart: units of length, the words of a name, the words that a text is about."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

__all__ = ["content_words", "explained", "name_words", "names_any", "own_text", "stem", "units", "value_text"]

_WIDE = "\u2e80-\u2fff\u3005-\u30ff\u3100-\u31bf\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WIDE_RUN = re.compile(f"[{_WIDE}]+")
_WORD = re.compile(rf"[{_WIDE}]|(?:(?![{_WIDE}])\w)+(?:['’.-](?:(?![{_WIDE}])\w)+)*")
_NAME_PART = re.compile(rf"[{_WIDE}]+|\d+|[A-Z]+(?![a-z])|[A-Z]?(?:(?![A-Z{_WIDE}])[^\W\d_])+")

_SILENT_WORDS = frozenset(
    {"a", "all", "an", "and", "any", "are", "as", "at", "be", "by", "for", "from", "in", "into", "is", "it", "its",
     "of", "on", "one", "or", "that", "the", "their", "this", "to", "tool", "use", "what", "which", "with"}
)  # fmt: skip


def units(text: str) -> float:
    """The length of a text: a Chinese, Japanese or Korean character counts 1, any other word 1.5."""
    return sum(1 if _WIDE_RUN.match(word) else 1.5 for word in _WORD.findall(text))


def name_words(name: str) -> list[str]:
    """The words of a name in lower case, whether it is written in snake case or in camel case."""
    return [word.lower() for word in _NAME_PART.findall(name)]


def stem(word: str) -> str:
    """An English word without the ending of its plural."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def names_any(name: str, terms: Collection[str]) -> bool:
    """Whether a name has one of these words, or, in Chinese, where words do not show, one of them inside."""
    words = set(name_words(name))
    wide = "".join(word for word in words if _WIDE_RUN.match(word))
    return not words.isdisjoint(terms) or any(term in wide for term in terms if _WIDE_RUN.match(term))


def content_words(text: str) -> frozenset[str]:
    """What a text is about: its words without the small ones, and the pairs of its Chinese characters."""
    plain = {stem(word) for word in map(str.lower, _WORD.findall(text)) if not _WIDE_RUN.match(word)}
    pairs = {run[at : at + 2] for run in _WIDE_RUN.findall(text) for at in range(max(1, len(run) - 1))}
    return frozenset((plain - _SILENT_WORDS) | pairs)


# What may stand between a value and its explanation, as in `title: ...`, `title (...)`, `title is ...`, `title 表示…`.
_MEANS = r"[\"'`”’」]?\s*(?:[:：=(（→]|->|-{1,2}\s|[–—]|\b(?:is|are|means|for|stands for)\b|表示|指|即|代表)\s*"
_EXPLAINED_TO = re.compile(r"[;；)）\n]")
_ENDS = " .,，。"


def explained(text: str, values: Sequence[Any]) -> dict[str, str]:
    """What a text says of each of these values, by the value as text; those of which it says nothing are absent."""
    return {match[1]: text[match.end() : end].strip(_ENDS) for match, end in _explanations(text, values)}


def own_text(text: str, values: Sequence[Any]) -> str:
    """A text without what it says of each of these values."""
    found = list(_explanations(text, values))
    return text if not found else text[: found[0][0].start()] + text[found[-1][1] :]


def value_text(value: Any) -> str:
    """A value of an enum as a text would name it."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _explanations(text: str, values: Sequence[Any]) -> Iterator[tuple[re.Match[str], int]]:
    """Where each value stands, and where its explanation ends: at a `;`, a bracket, a new line or the next value."""
    names = sorted((re.escape(value_text(value)) for value in values), key=len, reverse=True)
    found = list(re.finditer(rf"(?<![\w.-])[\"'`“‘「]?({'|'.join(names)}){_MEANS}", text)) if names else []
    for match, following in zip(found, [*(after.start() for after in found[1:]), len(text)], strict=False):
        end = _EXPLAINED_TO.search(text, match.end(), following)
        stop = end.start() if end else following
        if text[match.end() : stop].strip(_ENDS):
            yield match, stop
