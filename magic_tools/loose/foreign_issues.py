"""What is wrong with a value by a schema from outside, in the words that are used for annotations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from magic_tools.loose.issues import Finding, cut, gathered, shown
from magic_tools.loose.secrets import Secrets
from magic_tools.messages import Issue

__all__ = ["foreign_issues"]

_MOST_WORDS = 300

# What was expected, by jsonschema-rs's kind of error; `{...}` is an attribute of it.
_EXPECTED: Mapping[str, str] = {
    "Minimum": "a number of at least {limit}",
    "ExclusiveMinimum": "a number above {limit}",
    "Maximum": "a number of at most {limit}",
    "ExclusiveMaximum": "a number below {limit}",
    "MultipleOf": "a number that is a multiple of {multiple_of}",
    "MinLength": "text of at least {limit} characters",
    "MaxLength": "text of at most {limit} characters",
    "Pattern": "text that matches {pattern}",
    "MinItems": "at least {limit} items",
    "MaxItems": "at most {limit} items",
    "MinProperties": "at least {limit} keys",
    "MaxProperties": "at most {limit} keys",
    "UniqueItems": "items that are all different",
    "Contains": "an array with the items that it has to contain",
    "UnevaluatedItems": "no further items",
    "OneOfMultipleValid": "a value that fits one of its alternatives and no other",
}

_TYPES: Mapping[str, str] = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "an array",
    "object": "an object",
}

_FORMATS: Mapping[str, str] = {
    "date": "a date like 2026-11-29",
    "date-time": "a date and time like 2026-11-29T12:30:00Z, with its offset",
    "time": "a time like 12:30:00Z, with its offset",
    "duration": "a duration like P1DT2H",
    "uuid": "a UUID",
    "email": "an e-mail address",
    "uri": "a URL like https://example.com/",
}

_Place = tuple[str | int, ...]


def foreign_issues(errors: Iterable[Any], secrets: Secrets) -> tuple[Issue, ...]:
    """The issues of the errors that jsonschema-rs has found, one a place; no secret is shown.

    Of a union it is the branch that was meant that tells what is wrong: one of the value's own type,
    and with the constants that it has.
    """
    return gathered(finding for error in errors for finding in _findings(error, secrets))


def _findings(error: Any, secrets: Secrets) -> Iterator[Finding]:
    kind, place, found = error.kind, tuple(error.instance_path), error.instance
    match type(kind).__name__:
        case "Required":
            yield (*place, kind.property), "a value, since it is required", "nothing"
        case "AdditionalProperties" | "UnevaluatedProperties":
            for key in kind.unexpected:
                yield from _unwanted((*place, key), found[key], secrets)
        case "FalseSchema" | "Not" if place and _is_never(kind):
            yield from _unwanted(place, found, secrets)
        case "PropertyNames":
            for _, words, got in _findings(kind.error, secrets):
                yield (*place, kind.error.instance), f"as its key {words}", got
        case "AnyOf" | "OneOfNotValid":
            for inner in _of_the_branch_meant(kind.context, place):
                yield from _findings(inner, secrets)
        case name:
            misplaced = name == "Type" and "object" in kind.types
            yield place, _words(name, kind), shown(found, secret=secrets.cover(place, misplaced=misplaced))


def _unwanted(place: _Place, found: Any, secrets: Secrets) -> Iterator[Finding]:
    words = "no key of this name" if isinstance(place[-1], str) else "no item in this place"
    yield place, words, shown(found, secret=secrets.cover(place, misplaced=True))


def _of_the_branch_meant(branches: list[list[Any]], place: _Place) -> list[Any]:
    """The errors of the branches that come nearest to the value."""
    ranks = [_rank(errors, place) for errors in branches]
    nearest = [errors for errors, rank in zip(branches, ranks, strict=True) if rank == min(ranks)]
    tags = [error for errors in nearest for error in errors if _is_tag(error, place)]
    if tags:
        return tags
    fewest = min(map(len, nearest))
    return [error for errors in nearest if len(errors) == fewest for error in errors]


def _rank(errors: list[Any], place: _Place) -> tuple[bool, bool]:
    """How far from the value a branch is: of another type, or with another constant under one of its keys."""
    of_another_type = any(type(error.kind).__name__ == "Type" and _stands_at(error, place) for error in errors)
    return of_another_type, any(_is_tag(error, place) for error in errors)


def _is_tag(error: Any, place: _Place) -> bool:
    kind = type(error.kind).__name__
    return (kind == "Constant" or (kind == "Enum" and len(error.kind.options) == 1)) and _stands_at(error, place, 1)


def _stands_at(error: Any, place: _Place, below: int = 0) -> bool:
    return len(error.instance_path) == len(place) + below


def _words(name: str, kind: Any) -> str:
    match name:
        case "Type":
            return " or ".join(_TYPES[each] for each in kind.types)
        case "Enum":
            return cut(_one_of(kind.options), _MOST_WORDS)
        case "Constant":
            return cut(_literal(kind.expected_value), _MOST_WORDS)
        case "Format":
            return _FORMATS.get(kind.format, f"text of the format {kind.format}")
        case "FalseSchema" | "Not" if _is_never(kind):
            return "nothing at all"
        case "Not":
            return cut(f"a value that does not fit {json.dumps(kind.schema, ensure_ascii=False)}", _MOST_WORDS)
        case _ if name in _EXPECTED:
            return cut(_EXPECTED[name].format_map(kind.as_dict()), _MOST_WORDS)
        case _:  # of a later version of jsonschema-rs
            return f"a value that passes its check ({kind.name})"


def _is_never(kind: Any) -> bool:
    """Whether it is `false`, or its long form, that forbids a value."""
    return getattr(kind, "schema", None) in (None, {})


def _one_of(options: list[Any]) -> str:
    *first, last = map(_literal, options)
    return f"one of {', '.join(first)} or {last}" if first else last


def _literal(value: Any) -> str:
    return repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
