"""What is wrong with a value: found as places and phrases, told as short sentences that a model can act on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from magic_tools.loose.phrases import Phrase, phrased, printable, say, shortened
from magic_tools.messages import Issue, Language

__all__ = [
    "HIDDEN",
    "NOTHING",
    "Finding",
    "Place",
    "innermost",
    "literal",
    "one_of",
    "one_tag_of",
    "path_text",
    "shown",
    "told",
    "with_keys",
]

_MOST_ISSUES = 12
_MOST_CHARACTERS = 1_500
_MOST_EXPECTED = 400
_MOST_OF_PATH = 200
_MOST_WORDS = 300
_MOST_OF_VALUE = 60

Place: TypeAlias = tuple[str | int, ...]
"""The keys and indices that lead to a part of a value."""

_AS_KEY = "as its key {expected}"

HIDDEN = say("a value that is not shown")
NOTHING = say("nothing")


class Finding(NamedTuple):
    """One thing that is wrong: where, what was expected, and what came."""

    place: Place
    expected: Phrase
    got: Phrase


def told(findings: Iterable[Finding], language: Language) -> tuple[Issue, ...]:
    """The findings in a language, a screen of them at most, and the number of the others.

    What was expected at one place of one thing that came is joined by "or". What one of the findings of
    a place does not show, none of them shows.
    """
    listed = [
        Issue(_path(place, language), printable(phrased(_either(expected), language)), got, language)
        for (place, got), expected in _by_place(findings, language).items()
    ]
    fitting = _fitting(listed)
    left = len(listed) - fitting
    if not left:
        return tuple(listed)
    expected, got = say("the places above to be right first"), say("{count} more that are not", count=left)
    return (*listed[:fitting], Issue("", phrased(expected, language), phrased(got, language), language))


def innermost(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings without those of a place inside which there is another, that says more."""
    found = tuple(findings)
    outer = {finding.place[:length] for finding in found for length in range(len(finding.place))}
    return tuple(finding for finding in found if finding.place not in outer)


def path_text(place: Iterable[str | int], language: Language = "en") -> str:
    """A place in a value, like `items[2].price`; `""` for the whole of it."""
    text = ""
    for step in place:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.isidentifier() and len(step) <= _MOST_OF_VALUE:
            text += f".{step}" if text else step
        else:
            text += f"[{phrased(_cut(json.dumps(step, ensure_ascii=False)), language)}]"
    return text


def shown(value: Any, *, secret: bool = False) -> Phrase:
    """A value as a model may be reminded of it: short, and of an object or array only the outline."""
    if secret:
        return HIDDEN
    if isinstance(value, Mapping):
        names = [str(name) for name in value]
        return with_keys(names) if names else say("an empty object")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return say("an array of {count}", count=len(value)) if value else say("an empty array")
    text = json.dumps(value, ensure_ascii=False, default=str)
    return shortened(text, _MOST_OF_VALUE, count=len(value) if isinstance(value, str) else len(text))


def literal(value: Any) -> str:
    """A value that a schema lists, as it is written in what is expected."""
    return repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def one_of(choices: Sequence[str]) -> Phrase:
    """What is expected where one of the choices is, shortened where they are very many."""
    *some, last = choices
    if not some:
        return shortened(last)
    listed = shortened(f"{', '.join(some)} or {last}")
    whole = say("{some} or {last}", some=tuple(some), last=last)
    return say("one of {choices}", choices=listed if listed.fields else whole)


def one_tag_of(choices: Sequence[str]) -> Phrase:
    """What is expected where a key says of which of several kinds an object is."""
    return say("one of {choices}", choices=_listed(choices)) if len(choices) > 1 else shortened(choices[0])


def with_keys(names: Sequence[str]) -> Phrase:
    """An object by its keys, or by the first of very many."""
    return say("an object with the keys {keys}", keys=_listed(names, _MOST_OF_VALUE))


def _listed(names: Sequence[str], most: int = _MOST_WORDS) -> Phrase | tuple[str, ...]:
    """The names as a list, or the start of one that is too long."""
    listed = shortened(", ".join(names), most)
    return listed if listed.fields else tuple(map(printable, names))


def _cut(text: str) -> Phrase:
    return shortened(text, _MOST_OF_VALUE)


def _by_place(findings: Iterable[Finding], language: Language) -> dict[tuple[Place, str], list[Phrase]]:
    """What was expected, each by its text, by place and by the text of what came."""
    found = list(findings)
    hidden = {finding.place for finding in found if finding.got == HIDDEN}
    expected: dict[tuple[Place, str], dict[str, Phrase]] = {}
    for finding in found:
        got = printable(phrased(HIDDEN if finding.place in hidden else finding.got, language))
        expected.setdefault((finding.place, got), {})[phrased(finding.expected, language)] = finding.expected
    return {key: list(phrases.values()) for key, phrases in expected.items()}


def _either(expected: Sequence[Phrase]) -> Phrase:
    """The expectations joined by "or", as many as are read through."""
    if len(expected) > 1 and all(phrase.template == _AS_KEY for phrase in expected):
        return say(_AS_KEY, expected=_either([say("{it}", it=phrase.fields["expected"]) for phrase in expected]))
    first, *others = expected
    joined, length = first, len(phrased(first, "en"))
    for index, other in enumerate(others):
        length += len(phrased(other, "en"))
        if length > _MOST_EXPECTED:
            return say("{first} or one of {count} others", first=joined, count=len(others) - index)
        joined = say("{first} or {other}", first=joined, other=other)
    return joined


def _path(place: Place, language: Language) -> str:
    text = path_text(place, language)
    half = _MOST_OF_PATH // 2
    return text if len(text) <= _MOST_OF_PATH else f"{text[:half]}...{text[-half:]}"


def _fitting(issues: Sequence[Issue]) -> int:
    """How many of the issues are told: at least one, the rest as long as they fill no more than a screen."""
    length = 0
    for index, issue in enumerate(issues[:_MOST_ISSUES]):
        length += len(str(issue))
        if index and length > _MOST_CHARACTERS:
            return index
    return min(len(issues), _MOST_ISSUES)
