"""What is wrong with a value by a type, from pydantic's errors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

from pydantic_core import ErrorDetails, ValidationError

from magic_tools.loose.error_tree import Entry, Step, findings_in
from magic_tools.loose.expectations import ABSENT_KINDS, CHECKED, CHECKED_SAYING, REQUIRED, choices_in, expectation
from magic_tools.loose.guide import Guide
from magic_tools.loose.issues import NOTHING, Finding, Place, innermost, one_tag_of, shown
from magic_tools.loose.phrases import Phrase, phrased, say
from magic_tools.loose.ranges import ranged
from magic_tools.loose.secrets import Secrets

__all__ = ["pydantic_issues"]

_MISPLACED = frozenset(
    {"extra_forbidden", "unexpected_keyword_argument", "dict_type", "frozen_dict_type", "ordered_dict_type",
     "model_type", "model_attributes_type", "dataclass_type", "list_type", "tuple_type", "set_type",
     "frozen_set_type", "deque_type", "named_tuple_type", "iterable_type", "arguments_type"}
)  # fmt: skip
"""The types of errors of what stands in place of something that may hold a secret, or under a key of no meaning."""

_OF_JSON = (str, int, float, list, dict, NoneType)
_KEY_OF_TAG = re.compile("'([^']+)'")
_OF_KEY = "[key]"


def pydantic_issues(error: ValidationError, value: Any, guide: Guide) -> tuple[Finding, ...]:
    """What is wrong with a refused JSON value, of unions by the branch that was meant; no secret is shown."""
    entries = [_entry(detail, value, guide) for detail in error.errors(include_url=False)]
    try:
        return innermost(findings_in(entries, value, guide))
    except RecursionError:  # a value so deep that all is said of it
        return innermost(entry.finding for entry in entries)


def _entry(detail: ErrorDetails, value: Any, guide: Guide) -> Entry:
    secrets = guide.secrets
    kind, location, found = detail["type"], detail["loc"], detail["input"]
    if kind in ABSENT_KINDS:
        steps = [*_steps(location[:-1], value, found), Step(location[-1], is_branch=False)]
        return Entry(steps, Finding(_place(steps), expectation(detail), NOTHING))
    steps = _steps(location, value, found)
    tag = _KEY_OF_TAG.fullmatch(detail.get("ctx", {}).get("discriminator", ""))
    if tag is not None and isinstance(found, Mapping):
        return _of_tag(detail, steps, tag[1], secrets)
    place = _place(steps)
    if not isinstance(found, _OF_JSON):  # what pydantic has made of it so far
        found = _at(place, value)
    secret = secrets.cover(place, misplaced=kind in _MISPLACED)
    expected = ranged(_without_secrets(expectation(detail), found, place, secrets), place, guide)
    marker = Step(_OF_KEY, is_branch=True)
    if marker in steps:
        steps, expected = steps[: steps.index(marker)], say("as its key {expected}", expected=expected)
    return Entry(steps, Finding(place, expected, shown(found, secret=secret)))


def _of_tag(detail: ErrorDetails, steps: Sequence[Step], key: str, secrets: Secrets) -> Entry:
    """The error of the key that says of which kind an object is: at the key itself."""
    place = (*_place(steps), key)
    if detail["type"] == "union_tag_not_found":
        return Entry(steps, Finding(place, say(REQUIRED), NOTHING), lacks_tag=True)
    tags = choices_in(detail["ctx"]["expected_tags"])
    got = shown(detail["input"].get(key), secret=secrets.cover(place))
    return Entry(steps, Finding(place, one_tag_of(tags), got))


def _without_secrets(expected: Phrase, found: Any, place: Place, secrets: Secrets) -> Phrase:
    """What is expected, without the words of a check that has put a secret into them."""
    if expected.template != CHECKED_SAYING:
        return expected
    said = phrased(expected, "en")
    return say(CHECKED) if any(text in said for text in secrets.texts_in(found, place)) else expected


def _place(steps: Sequence[Step]) -> Place:
    return tuple(step.name for step in steps if not step.is_branch)


def _at(place: Place, value: Any) -> Any:
    for step in place:
        value = value[step]
    return value


def _steps(location: Place, value: Any, found: Any) -> list[Step]:
    """The steps of an error's location, of which those through the value lead to what was found.

    pydantic's locations also name branches of unions and the like, which are no keys of the value;
    one of these may be spelled like a key that the value has too.
    """
    for skipped in (None, *range(len(location))):
        steps, reached = _followed(location, value, skipped)
        if reached == found:
            return steps
    return _followed(location, value, None)[0]


def _followed(location: Place, value: Any, skipped: int | None) -> tuple[list[Step], Any]:
    steps: list[Step] = []
    for index, step in enumerate(location):
        in_array = isinstance(value, list) and isinstance(step, int) and step < len(value)
        is_within = index != skipped and (in_array or (isinstance(value, dict) and step in value))
        value = value[step] if is_within else value
        steps.append(Step(step, is_branch=not is_within))
    return steps, value
