"""The rules about several tools beside each other: each a small function, and the table of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from magic_tools.tools.lint.findings import LintConfig
from magic_tools.tools.lint.rule import Fault, Rule, SetRule
from magic_tools.tools.lint.terms import EFFECTS, NOT_FOR, SYNONYMS
from magic_tools.tools.lint.words import content_words, name_words, stem
from magic_tools.tools.tokens import token_cost
from magic_tools.tools.tool import Tool

__all__ = ["REQUEST_RULES", "SET_RULES"]

_SENTENCE = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]*")


@dataclass(frozen=True, slots=True)
class _Profile:
    """What a tool looks like beside others: the meaning of its name, its effect, and what its text is about."""

    name: str
    key: tuple[str, ...]
    effect: str | None
    words: frozenset[str]
    tells_apart: bool

    def may_be(self, other: _Profile) -> bool:
        """Whether one could be taken for the other: not so where the one reads and the other deletes."""
        return self.effect is None or other.effect is None or self.effect == other.effect

    def overlap(self, other: _Profile) -> float:
        """The share of the words of both texts that both have."""
        both = len(self.words & other.words)
        return both / (len(self.words) + len(other.words) - both) if both else 0.0


def _profile(tool: Tool[..., Any]) -> _Profile:
    words = [stem(word) for word in name_words(tool.name)]
    meant = tuple(sorted(SYNONYMS.get(word, word) for word in words))
    effect = next((EFFECTS[word] for word in words if word in EFFECTS), None)
    told = "".join(part for part in _SENTENCE.findall(tool.description) if not NOT_FOR.search(part))
    return _Profile(tool.name, meant, effect, content_words(told), bool(NOT_FOR.search(tool.description)))


def _similar_names(tools: Sequence[Tool[..., Any]], _: LintConfig) -> Iterator[Fault]:
    by_meaning: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for each in map(_profile, tools):
        for earlier in by_meaning[each.key]:
            yield Fault("has a name that means the same as that of {}", tool=each.name, beside=earlier)
        by_meaning[each.key].append(each.name)


def _overlapping_texts(tools: Sequence[Tool[..., Any]], config: LintConfig) -> Iterator[Fault]:
    for one, other in combinations(map(_profile, tools), 2):
        if one.may_be(other) and one.overlap(other) >= config.overlap:
            yield Fault("has a text that says much the same as that of {}", tool=other.name, beside=one.name)


def _no_not_for(tools: Sequence[Tool[..., Any]], config: LintConfig) -> Iterator[Fault]:
    for one, other in combinations(map(_profile, tools), 2):
        if one.may_be(other) and (one.key == other.key or one.overlap(other) >= config.near):
            for each, beside in ((one, other), (other, one)):
                if not each.tells_apart:
                    message = "is near to {}, and its text does not say what it is not for"
                    yield Fault(message, tool=each.name, beside=beside.name)


def _total_tokens(tools: Sequence[Tool[..., Any]], config: LintConfig) -> Iterator[Fault]:
    total = sum(token_cost(tool).tokens for tool in tools)
    if total > config.total_tokens:
        yield Fault(f"the {len(tools)} tools take about {total} tokens of each request, over {config.total_tokens:g}")


SET_RULES: tuple[SetRule, ...] = (
    Rule("similar-names", "warning", "Two tools whose names mean the same, such as get_user and fetch_user.",
         "Make one tool of them, or name each after what only it does.", _similar_names),
    Rule("overlapping-texts", "warning", "Two tools whose texts share `overlap` of their words.",
         "Begin each text with what only this tool does.", _overlapping_texts),
    Rule("missing-not-for", "warning", "A tool that is near to another and does not say what it is not for.",
         'Add a sentence to its text: "Not for ...: use NAME".', _no_not_for),
)  # fmt: skip
"""The rules about tools beside each other, of which the silence of either counts."""

REQUEST_RULES: tuple[SetRule, ...] = (
    Rule("total-tokens", "warning", "A set of tools over `total_tokens`.",
         "Offer fewer at a time, by phase or by a search over them, and shorten the texts.", _total_tokens),
)  # fmt: skip
"""The rules about the tools that one request offers."""
