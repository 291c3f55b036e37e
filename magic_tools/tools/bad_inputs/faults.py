"""Values that one schema is likely to forbid, each with what is wrong about it."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, cycle, islice
from typing import Any

from magic_tools.loose.scalars import choices_of
from magic_tools.schema.forms import text_form
from magic_tools.schema.limits import X_DECIMAL
from magic_tools.schema.walk import resolve
from magic_tools.tools.bad_inputs.samples import NOTHING, Samples, kinds_of, others_of
from magic_tools.tools.bad_inputs.text_limits import beyond_limits
from magic_tools.values import JsonObject, JsonValue

__all__ = ["Fault", "anywhere", "faults_of", "wanted_by"]

_HUGE = 10**30
_HUGE_LENGTH = 100_000
_MOST_ITEMS = 10_000


@dataclass(frozen=True, slots=True)
class Fault:
    """A value that is wrong, why, and the steps from it to what is wrong, if that is inside."""

    value: JsonValue
    why: str
    steps: tuple[str | int, ...] = ()


_ANYWHERE: Mapping[str, JsonValue] = {
    "null": None,
    "true": True,
    "false": False,
    "0": 0,
    "1": 1,
    "-1, a negative number": -1,
    "3.5": 3.5,
    "a huge number": _HUGE,
    "a huge negative number": -_HUGE,
    "empty text": "",
    "the text 'text'": "text",
    "an object as text": '{"a": "b"}',
    "an empty array": [],
    "an array of texts": ["text"],
    "an empty object": {},
}

_KIND_WORDS: Mapping[str, str] = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}

# Texts that readers of these types have taken for one.
_NEAR_MISSES: Mapping[Any, tuple[str, ...]] = {
    dt.date: ("tomorrow", "2026-02-30", "2026-13-01", "29.11.2026", "20261129", "0"),
    dt.datetime: (
        "tomorrow", "2026-02-30T12:30:00Z", "2026-11-29T25:00:00Z", "2026-11-29T12:30:00Z", "2026-11-29", "1767225600",
        "0",
    ),
    dt.time: ("noon", "25:00:00Z", "5", "0"),
    dt.timedelta: ("a day", "1 day", "P", "5", "0"),
    Decimal: ("$5", "1,234", "1_0", " 1", "NaN", "Infinity", "١", "0x10"),
}  # fmt: skip


def anywhere(wanted: str, good: JsonValue, name: str | int) -> Iterator[Fault]:
    """What is wrong in many places: each kind of JSON value, what is empty, huge or negative, and shells.

    `wanted` says what is due there, and `name` is the key or index of the place.
    """
    for words, value in _ANYWHERE.items():
        yield Fault(value, f"{words}, where {wanted} is due")
    yield Fault([good], f"an array around it, where {wanted} is due")
    yield Fault({str(name): good}, f"one shell too many: an object around it, where {wanted} is due")


def wanted_by(schema: JsonObject, samples: Samples, passed: tuple[str, ...] = ()) -> str:
    """What a schema asks for, in words; `passed` are the references on the way, of which none says more."""
    if schema.get("$ref") in passed:
        return ""
    passed = (*passed, *([schema["$ref"]] if "$ref" in schema else []))
    schema = resolve(schema, samples.root)
    if choices := choices_of(schema):
        listed = [json.dumps(choice, ensure_ascii=False) for choice in choices]
        return f"one of {', '.join(listed)}" if len(listed) > 1 else listed[0]
    branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if branches:
        return " or ".join(filter(None, dict.fromkeys(wanted_by(branch, samples, passed) for branch in branches)))
    if form := text_form(schema):
        return form.wanted
    return " or ".join(_KIND_WORDS[kind] for kind in kinds_of(schema)) or "another value"


def faults_of(schema: JsonObject, good: JsonValue, samples: Samples) -> Iterator[Fault]:
    """What the keywords of a schema, without a reference, are there to forbid, with all else as in a good value."""
    yield from _off_the_list(schema)
    yield from _wrong_tags(schema, samples)
    for kind in kinds_of(schema):
        if kind in _BY_KIND:
            yield from _BY_KIND[kind](schema, good, samples)


def _off_the_list(schema: JsonObject) -> Iterator[Fault]:
    for choice in choices_of(schema):
        match choice:
            case bool():
                yield Fault(int(choice), f"{int(choice)} in place of {json.dumps(choice)}")
            case 0 | 1:
                yield Fault(bool(choice), f"{json.dumps(bool(choice))} in place of {choice}")
            case str():
                yield Fault(choice.swapcase(), f"the choice {choice!r} in another case")
                yield Fault(f"{choice} ", f"the choice {choice!r} with a blank behind it")
    numbers = [choice for choice in choices_of(schema) if isinstance(choice, int | float)]
    if numbers:
        yield Fault(max(numbers) + 1, "a number that is not among the choices")


def _wrong_tags(schema: JsonObject, samples: Samples) -> Iterator[Fault]:
    tag = schema.get("discriminator", {}).get("propertyName")
    if tag is None:
        return
    branches = (*schema.get("oneOf", ()), *schema.get("anyOf", ()))
    objects = [held for branch in branches for held in samples.of(branch)[:1] if isinstance(held, dict)]
    for held, other in zip(objects, [*objects[1:], *objects[:1]], strict=True):
        yield Fault({**held, tag: "unknown"}, f"a tag that no branch has under {tag!r}", (tag,))
        yield Fault({**held, tag: other.get(tag)}, "the fields of one branch under the tag of another", (tag,))


def _numbers(schema: JsonObject, good: JsonValue, _: Samples) -> Iterator[Fault]:
    for words, sign in (("minimum", -1), ("maximum", 1)):
        limit, beyond = schema.get(words), schema.get(f"exclusive{words.title()}")
        side = "less than the least" if sign < 0 else "more than the most"
        if limit is not None:
            yield Fault(limit + sign, f"{side}, which is {limit}")
            yield Fault(_next(limit, sign), f"hardly {side}, which is {limit}")
        if beyond is not None:
            yield Fault(beyond, f"the limit {beyond} itself, which is outside")
            yield Fault(beyond + sign, f"beyond the limit {beyond}")
    if "multipleOf" in schema and isinstance(good, int | float):
        step = schema["multipleOf"]
        off = good + 1 if isinstance(good, int) and isinstance(step, int) else good + step / 2
        yield Fault(off, f"no multiple of {step}")


def _next(limit: float, sign: int) -> float:
    """The nearest number that a float can be, on one side of a limit."""
    return math.nextafter(limit, math.copysign(math.inf, sign)) if abs(limit) < 2**53 else limit + sign


def _texts(schema: JsonObject, good: JsonValue, _: Samples) -> Iterator[Fault]:
    text = good if isinstance(good, str) else ""
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if 0 < least <= _HUGE_LENGTH:
        yield Fault(text[: least - 1], f"fewer than {least} characters")
    if most is not None and most < _HUGE_LENGTH:
        yield Fault((text or "x").ljust(most + 1, text[-1:] or "x")[: most + 1], f"more than {most} characters")
    form = text_form(schema)
    for near in _NEAR_MISSES.get(form.type, ()) if form is not None else ():
        yield Fault(near, f"the text {near!r}, which is of another form")
    if "pattern" in schema:
        for words, broken in {
            "a sign behind": f"{text}!",
            "a sign before": f"!{text}",
            "a blank before": f" {text}",
            "a line's end behind": f"{text}\n",
        }.items():
            yield Fault(broken, f"{words} what the pattern {schema['pattern']} matches")
    yield from _beyond_decimal_limits(schema.get(X_DECIMAL, {}))
    yield from (Fault(beyond, f"{beyond}, where {asked} is due") for beyond, asked in beyond_limits(schema))
    yield Fault("x" * _HUGE_LENGTH, f"huge text, of {_HUGE_LENGTH} characters")


def _beyond_decimal_limits(limits: Mapping[str, str]) -> Iterator[Fault]:
    fine = Decimal(1).scaleb(-int(limits.get("decimalPlaces", "2")))
    for name, limit in limits.items():
        words, beyond = _DECIMAL_FAULTS[name]
        for number in beyond(Decimal(limit), fine):
            yield Fault(format(number, "f"), f"{number:f}, where {words.format(limit)} is due")


# By the name of a Decimal's limit: what it asks for, and numbers beyond it; the second argument is the finest step.
_DECIMAL_FAULTS: Mapping[str, tuple[str, Callable[[Decimal, Decimal], tuple[Decimal, ...]]]] = {
    "minimum": ("at least {}", lambda limit, fine: (limit - fine, limit - 1)),
    "exclusiveMinimum": ("more than {}", lambda limit, fine: (limit, limit - fine, limit - 1)),
    "maximum": ("at most {}", lambda limit, fine: (limit + fine, limit + 1)),
    "exclusiveMaximum": ("less than {}", lambda limit, fine: (limit, limit + fine, limit + 1)),
    "multipleOf": ("a multiple of {}", lambda limit, _: (limit / 2, limit + limit / 2)),
    "maxDigits": ("a number of at most {} digits", lambda limit, _: (Decimal("1" * (int(limit) + 1)),)),
    "decimalPlaces": ("a number of at most {} decimal places", lambda _, fine: (fine / 10,)),
}


def _arrays(schema: JsonObject, good: JsonValue, samples: Samples) -> Iterator[Fault]:
    items = good if isinstance(good, list) else []
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    if least:
        yield Fault(items[: least - 1], f"fewer items than {least}")
    if most is not None and most < _MOST_ITEMS:
        more = samples.of(schema.get("items", {}), most + 1) or ["text"]
        longer = chain(items, (item for item in more if item not in items), cycle(more))
        yield Fault(list(islice(longer, most + 1)), f"more items than {most}")


def _objects(schema: JsonObject, good: JsonValue, samples: Samples) -> Iterator[Fault]:
    held = good if isinstance(good, dict) else {}
    required, unknown = schema.get("required", ()), _free_key(schema.get("properties", {}))
    for name in required:
        rest = {key: value for key, value in held.items() if key != name}
        yield Fault(rest, f"without {name!r}, which is required", (name,))
    if required:
        yield Fault({}, f"an empty object, where {required[0]!r} is required", (required[0],))
    if least := schema.get("minProperties", 0):
        yield Fault(dict(list(held.items())[: least - 1]), f"fewer keys than {least}")
    for name in (name for name, inner in schema.get("properties", {}).items() if inner == NOTHING):
        yield Fault({**held, name: "text"}, "a key that may not be there", (name,))
    yield Fault({**held, unknown: "text"}, "a key that is not declared", (unknown,))
    yield Fault({unknown: held}, "one shell too many: all of it under a key that is not declared", (unknown,))
    others = others_of(schema)
    if others is not None:
        yield from _maps(schema, held, others, samples)


def _free_key(taken: Any) -> str:
    key = "unknown"
    while key in taken:
        key += "_"
    return key


def _maps(schema: JsonObject, held: JsonObject, others: JsonObject, samples: Samples) -> Iterator[Fault]:
    names = {"type": "string", **schema.get("propertyNames", {})}
    most = schema.get("maxProperties")
    values = samples.of(others)[:1]
    if most is not None and most < _MOST_ITEMS:
        keys = samples.of(names, most + 1)
        yield Fault({str(key): value for key in keys for value in values}, f"more keys than {most}")
    if "propertyNames" in schema:
        good_key = (samples.of(names) or [""])[0]
        names = resolve(names, samples.root)
        for fault in (*anywhere(wanted_by(names, samples), good_key, "key"), *faults_of(names, good_key, samples)):
            if isinstance(fault.value, str):
                for value in values:
                    yield Fault({**held, fault.value: value}, f"as a key {fault.why}", (fault.value,))


_BY_KIND: Mapping[str, Callable[[JsonObject, JsonValue, Samples], Iterator[Fault]]] = {
    "integer": _numbers,
    "number": _numbers,
    "string": _texts,
    "array": _arrays,
    "object": _objects,
}
