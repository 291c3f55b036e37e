"""What is wrong with a value by a schema from outside, in the words that are used for annotations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from magic_tools.loose.guide import Guide
from magic_tools.loose.issues import NOTHING, Finding, Place, innermost, literal, one_of, shown
from magic_tools.loose.phrases import Phrase, fields_of, say, shortened
from magic_tools.loose.ranges import ranged
from magic_tools.loose.unions import Branch, union_findings

__all__ = ["FOREIGN_EXPECTED", "FORMATS", "TYPES", "foreign_issues"]

FOREIGN_EXPECTED: Mapping[str, str] = {
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
"""Templates by jsonschema-rs's kind of error; a field is an attribute of it."""

TYPES: Mapping[str, str] = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "an array",
    "object": "an object",
}

FORMATS: Mapping[str, str] = {
    "date": "an ISO 8601 date like 2026-11-29",
    "date-time": "an ISO 8601 date and time like 2026-11-29T12:30:00Z, with its offset",
    "time": "an ISO 8601 time like 12:30:00Z, with its offset",
    "duration": "an ISO 8601 duration like P1DT2H",
    "uuid": "a UUID",
    "email": "an e-mail address",
    "uri": "a URL like https://example.com/",
}


def foreign_issues(errors: Iterable[Any], guide: Guide) -> tuple[Finding, ...]:
    """What is wrong by the errors that jsonschema-rs has found, of unions by the branch that was meant.

    No secret is shown.
    """
    return innermost(finding for error in errors for finding in _findings(error, guide))


def _findings(error: Any, guide: Guide) -> Iterator[Finding]:
    kind, place, found = error.kind, tuple(error.instance_path), error.instance
    match type(kind).__name__:
        case "Required":
            yield Finding((*place, kind.property), say("a value, since it is required"), NOTHING)
        case "AdditionalProperties" | "UnevaluatedProperties":
            for key in kind.unexpected:
                yield _unwanted((*place, key), found[key], guide)
        case "FalseSchema" | "Not" if place and _is_never(kind):
            yield _unwanted(place, found, guide)
        case "PropertyNames":
            for _, expected, got in _findings(kind.error, guide):
                yield Finding((*place, kind.error.instance), say("as its key {expected}", expected=expected), got)
        case "AnyOf" | "OneOfNotValid":
            yield from union_findings(found, place, _branches(error, guide), guide)
        case name:
            misplaced = name == "Type" and not {"object", "array"}.isdisjoint(kind.types)
            yield Finding(
                place,
                ranged(_expected(name, kind), place, guide),
                shown(found, secret=guide.secrets.cover(place, misplaced=misplaced)),
            )


def _unwanted(place: Place, found: Any, guide: Guide) -> Finding:
    expected = say("no key of this name") if isinstance(place[-1], str) else say("no item in this place")
    return Finding(place, expected, shown(found, secret=guide.secrets.cover(place, misplaced=True)))


def _branches(error: Any, guide: Guide) -> list[Branch]:
    schemas = _schemas_at(error.schema_path, guide.schema)
    refusals = error.kind.context
    if len(schemas) != len(refusals):
        schemas = [None] * len(refusals)
    return [
        Branch(schema, [finding for inner in errors for finding in _findings(inner, guide)])
        for schema, errors in zip(schemas, refusals, strict=True)
    ]


def _schemas_at(path: Iterable[str | int], root: Any) -> list[Any]:
    """The branches to which a path leads, none where it leads elsewhere."""
    held = root
    try:
        for step in path:
            held = held[step]
    except (LookupError, TypeError):
        return []
    return held if isinstance(held, list) else []


def _expected(name: str, kind: Any) -> Phrase:
    match name:
        case "Type":
            return _any_of([TYPES[each] for each in kind.types])
        case "Enum":
            return one_of([literal(option) for option in kind.options])
        case "Constant":
            return shortened(literal(kind.expected_value))
        case "Format" if kind.format in FORMATS:
            return say(FORMATS[kind.format])
        case "Format":
            return say("text of the format {format}", format=kind.format)
        case "FalseSchema" | "Not" if _is_never(kind):
            return say("nothing at all")
        case "Not":
            return say(
                "a value that does not fit {schema}", schema=shortened(json.dumps(kind.schema, ensure_ascii=False))
            )
        case _ if name in FOREIGN_EXPECTED:
            template, fields = FOREIGN_EXPECTED[name], kind.as_dict()
            return say(template, **{field: _field(fields[field]) for field in fields_of(template)})
        case _:  # of a later version of jsonschema-rs
            return say("a value that passes its check ({said})", said=kind.name)


def _field(held: object) -> object:
    return shortened(held) if isinstance(held, str) else held


def _any_of(words: Sequence[str]) -> Phrase:
    first, *others = map(say, words)
    for other in others:
        first = say("{first} or {other}", first=first, other=other)
    return first


def _is_never(kind: Any) -> bool:
    """Whether it is `false`, or its long form, that forbids a value."""
    return getattr(kind, "schema", None) in (None, {})
