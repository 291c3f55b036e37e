"""Limits that an author puts around several types at once, handed on to each type that they hold for.

pydantic checks `Annotated[int | float, Field(ge=1)]` by a function behind the union, of which no branch's schema
knows. Here each branch gets the limit as its own, and enumerations keep the values that fit.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic_core import SchemaValidator

from magic_tools.errors import DefinitionError
from magic_tools.schema.samples import is_of_pydantic, samples_of
from magic_tools.schema.wording import WORDS
from magic_tools.values import JsonObject

__all__ = ["BOUNDED", "BOUNDS", "Bound", "bounded", "handed_on", "overlaid"]

BOUNDED = ("function-after", "chain")
"""The types of core schemas by which pydantic checks a limit behind another schema."""

BOUNDS = "bounds"
"""In a core schema: the bounds that its own keys cannot state, for its JSON Schema."""

_Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit by pydantic's name for it; `check` raises as pydantic would: TypeError where a value has no such side."""

    name: str
    limit: Any
    check: Callable[[Any], Any]

    def allows(self, value: Any) -> bool:
        """Whether a value is within the limit; TypeError where that cannot be asked."""
        try:
            self.check(value)
        except ValueError:
            return False
        return True


_STRICTER: Mapping[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("ge", "gt", "min_length"), max),
    **dict.fromkeys(("le", "lt", "max_length", "max_digits", "decimal_places"), min),
}
_TO_WHOLE: Mapping[str, Callable[[Any], int]] = {"ge": math.ceil, "gt": math.floor, "le": math.floor, "lt": math.ceil}

_AMOUNT = ("ge", "gt", "le", "lt")
_LENGTH = ("min_length", "max_length")
_TEXT = ("pattern", "strip_whitespace", "to_lower", "to_upper", "coerce_numbers_to_str", "ascii_only")

# By type of core schema: the bounds that are keys of its own in every version of pydantic.
_OWN: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("int", "float"), (*_AMOUNT, "multiple_of")),
    "decimal": (*_AMOUNT, "multiple_of", "max_digits", "decimal_places"),
    **dict.fromkeys(("date", "time", "datetime", "timedelta"), _AMOUNT),
    "str": (*_LENGTH, *_TEXT),
    **dict.fromkeys(("bytes", "list", "set", "frozenset", "tuple", "dict", "generator"), _LENGTH),
}

_NUMBERS = ("integer", "number")

# By bound: the words for it, and the keyword for it by type in JSON.
_TOLD: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "ge": ("At least {}.", dict.fromkeys(_NUMBERS, "minimum")),
    "gt": ("More than {}.", dict.fromkeys(_NUMBERS, "exclusiveMinimum")),
    "le": ("At most {}.", dict.fromkeys(_NUMBERS, "maximum")),
    "lt": ("Less than {}.", dict.fromkeys(_NUMBERS, "exclusiveMaximum")),
    "multiple_of": ("A multiple of {}.", dict.fromkeys(_NUMBERS, "multipleOf")),
    "max_digits": ("At most {} digits.", {}),
    "decimal_places": ("At most {} decimal places.", {}),
    "min_length": ("At least {} long.", {"string": "minLength", "array": "minItems", "object": "minProperties"}),
    "max_length": ("At most {} long.", {"string": "maxLength", "array": "maxItems", "object": "maxProperties"}),
    "pattern": ("Matches {}.", {"string": "pattern"}),
}

# The keys under which pydantic leaves these limits in a JSON Schema, whatever its types.
_LEFT = {name: {name, *keywords.values()} for name, (_, keywords) in _TOLD.items()}

_AROUND = ("default", "json", "function-before", "custom-error", "model-field", "typed-dict-field")
"""Schemas whose values are those of what they hold."""


class _Unfit(DefinitionError):  # noqa: N818 - a reason, which a caller sees as a DefinitionError
    """A limit that cannot be asked of a value of some type."""


class _Empty(DefinitionError):  # noqa: N818 - as above
    """A limit that leaves no value of some type."""


def handed_on(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """A core schema without the limits that pydantic checks behind it, which stand in what it holds.

    `definitions` are what its references stand for. DefinitionError where a limit cannot be asked of
    some value, or leaves none.
    """
    if schema["type"] == "chain":
        first, *steps = schema["steps"]
        bounds = [bound for step in steps for bound in _of_text(step)]
        if not bounds or not all(map(_is_of_text, steps)):
            return schema
    else:
        first, bounds = schema["schema"], _behind(schema)
        if not bounds:
            return schema
    for bound in bounds:
        first = bounded(first, bound, definitions)
    return _with_the_rest(first, schema, bounds)


def bounded(schema: Any, bound: Bound, definitions: Mapping[str, Any]) -> _Schema:
    """A core schema, of values that pydantic holds to a bound, in which each type says so itself."""
    if schema["type"] in BOUNDED:
        schema = handed_on(schema, definitions)
    own = {key: held for key, held in schema.items() if key != "ref"}  # it is not the type of that name any more
    kind = schema["type"]
    if kind == "definition-ref":
        return _with_the_rest(bounded(definitions[schema["schema_ref"]], bound, definitions), schema, [])
    if kind in _AROUND or _is_same(schema):
        return {**own, "schema": bounded(schema["schema"], bound, definitions)}
    if kind == "nullable":
        _check_asked({"type": "none"}, bound)
        return {**own, "schema": bounded(schema["schema"], bound, definitions)}
    if kind in ("union", "tagged-union"):
        return {**own, "choices": _choices(schema["choices"], bound, definitions)}
    if kind in _VALUES:
        return _of_values(own, bound)
    _check_asked(schema, bound)
    if bound.name in _OWN.get(kind, ()):
        return {**own, bound.name: _stricter(bound.name, _as_of(kind, bound), own.get(bound.name))}
    if kind in _OWN or (kind == "bool" and not (bound.allows(False) and bound.allows(True))):
        raise _unfit(samples_of(schema)[0], bound)
    if kind in ("function-after", "function-wrap"):  # whose values may be others than those of what it holds
        with suppress(_Unfit, _Empty):
            return {**own, "schema": bounded(schema["schema"], bound, definitions)}
    return {**own, BOUNDS: (*own.get(BOUNDS, ()), bound)}


def overlaid(written: JsonObject, name: str, limit: Any) -> JsonObject:
    """A JSON Schema with a further bound: by the keyword of its type, or else in words, as for listed values."""
    words, keywords = _TOLD.get(name, ("", {}))
    listed = "enum" in written or "const" in written
    keyword = None if listed else keywords.get(written.get("type", ""))
    if keyword:
        return {**written, keyword: _stricter(name, limit, written.get(keyword))}
    return {**written, WORDS: [*written.get(WORDS, ()), words.format(limit)]} if words else written


def _behind(schema: Any) -> list[Bound]:
    """The bound that a function behind a schema checks, where it is pydantic's own."""
    function = schema["function"]["function"]
    if not isinstance(function, functools.partial) or not is_of_pydantic(function.func):
        return []
    name, limit = next(iter(function.keywords.items()))  # max_digits, which decimal_places may name too, is checked
    return [Bound(name, limit, function)] if name in _TOLD else []


def _of_text(step: Any) -> list[Bound]:
    """The bounds of a text that pydantic checks in a further step."""
    if not _is_of_text(step):
        return []
    check = functools.partial(step["function"]["function"], handler=SchemaValidator(step["schema"]).validate_python)
    return [Bound(name, limit, check) for name, limit in step["schema"].items() if name in _TEXT]


def _is_of_text(step: Any) -> bool:
    return (
        step["type"] == "function-wrap"
        and step["schema"]["type"] == "str"
        and is_of_pydantic(step["function"]["function"])
    )


def _same(value: Any) -> Any:
    return value


def _is_same(schema: Any) -> bool:
    return schema["type"] == "function-after" and schema["function"]["function"] is _same


def _with_the_rest(inner: _Schema, schema: Any, bounds: list[Bound]) -> _Schema:
    """A schema with what another says beside its bounds, as its name and its description."""
    left = {keyword for bound in bounds for keyword in _LEFT.get(bound.name, ())}
    metadata = {
        key: {word: told for word, told in held.items() if word not in left} if isinstance(held, dict) else held
        for key, held in schema.get("metadata", {}).items()
    }
    rest = {"metadata": {key: held for key, held in metadata.items() if held}}
    rest |= {key: schema[key] for key in ("ref", "serialization") if key in schema}
    if rest == {"metadata": {}}:
        return inner
    return {"type": "function-after", "function": {"type": "no-info", "function": _same}, "schema": inner, **rest}


def _choices(choices: Any, bound: Bound, definitions: Mapping[str, Any]) -> Any:
    """The branches of a union, by their tags where they have some, that a bound leaves values in."""
    if isinstance(choices, dict):
        return {tag: bounded(choice, bound, definitions) for tag, choice in choices.items()}
    kept = []
    empty: _Empty | None = None
    for choice in choices:
        try:
            kept.append(bounded(choice[0] if isinstance(choice, tuple) else choice, bound, definitions))
        except _Empty as error:
            empty = error
    if empty is not None and not kept:
        raise empty
    return kept


_VALUES: Mapping[str, str] = {"literal": "expected", "enum": "members"}
"""By type of core schema: the key that holds its values."""


def _of_values(schema: _Schema, bound: Bound) -> _Schema:
    """An enumeration of the values that a bound leaves."""
    key = _VALUES[schema["type"]]
    values = schema[key]
    kept = [value for value in values if _asked(bound, value)]
    if not kept:
        raise _Empty(f"{bound.name}={bound.limit!r} leaves none of {', '.join(map(repr, values))}. Loosen the limit.")
    return {**schema, key: kept}


def _check_asked(schema: Any, bound: Bound) -> None:
    """DefinitionError where a bound cannot be asked of a value of this type, or says nothing."""
    if isinstance(bound.limit, float | Decimal) and not math.isfinite(bound.limit):
        raise DefinitionError(f"{bound.name}={bound.limit!r} is no limit that JSON can state. Leave it out.")
    for sample in samples_of(schema):
        _asked(bound, sample)


def _asked(bound: Bound, value: Any) -> bool:
    """Whether a value is within a bound; DefinitionError where that cannot be asked of it."""
    try:
        return bound.allows(value)
    except TypeError:
        raise _unfit(value, bound) from None


def _unfit(value: Any, bound: Bound) -> _Unfit:
    kind = value if isinstance(value, type) else type(value)
    name = "None" if value is None else kind.__name__
    return _Unfit(
        f"{bound.name}={bound.limit!r} is put on what may be {name}, of which that cannot be said. Put it on those "
        "types alone that it is meant for, as in Annotated[int, Field(ge=1)] | str, or check it in a validator."
    )


def _as_of(kind: str, bound: Bound) -> Any:
    """A limit as a number of the type that it is of; as it is for other types."""
    if kind == "int" and bound.name in _TO_WHOLE:
        return _TO_WHOLE[bound.name](bound.limit)
    if kind in ("int", "float"):
        return int(bound.limit) if isinstance(bound.limit, int) else float(bound.limit)
    return bound.limit


def _stricter(name: str, limit: Any, stated: Any) -> Any:
    """The one of two limits that counts; DefinitionError where they are of a kind of which both do."""
    if stated is None or stated == limit:
        return limit
    if name not in _STRICTER:
        raise DefinitionError(f"{name} is said twice, as {stated!r} and as {limit!r}. Say both in one.")
    return _STRICTER[name](stated, limit)
