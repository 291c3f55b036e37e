"""The rules about one place of a tool's arguments or its result: each a small function, and the table of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from magic_tools.schema.forms import DECIMAL_PATTERN, text_form
from magic_tools.schema.limits import X_DECIMAL
from magic_tools.schema.marks import MARK_WORDS
from magic_tools.schema.walk import types_of
from magic_tools.tools.lint.findings import LintConfig
from magic_tools.tools.lint.places import Place, is_open
from magic_tools.tools.lint.rule import PlaceRule, Rule
from magic_tools.tools.lint.terms import (
    ABBREVIATIONS,
    ACRONYMS,
    KEPT_UNCHANGED,
    TELLS_KEYS,
    has_unit,
    is_cursor,
    is_date,
    is_identifier,
    is_measure,
    is_money,
    shows_date,
)
from magic_tools.tools.lint.unions import alike
from magic_tools.tools.lint.words import explained, name_words, own_text, units, value_text
from magic_tools.tools.listing import listed
from magic_tools.values import JsonObject

__all__ = ["PLACE_RULES"]

_LIMITS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
_ARTICLES = frozenset({"a", "an", "the"})
_SHAPES = ("maxLength", "format", "pattern", "enum", "const", "contentEncoding")
_MOST_NAMED = 4


def _unconstrained(place: Place, _: LintConfig) -> str | None:
    return "takes any JSON value" if place.kind in ("field", "branch") and is_open(place.schema) else None


def _missing_text(place: Place, _: LintConfig) -> str | None:
    if place.kind != "field" or len(place.values) == 1:
        return None
    text = place.text
    for words in _generated(place.schema):
        text = text.replace(words, "")
    if not text.strip():
        return "has no text that says what it means"
    told = [word for word in name_words(text) if word not in _ARTICLES]
    return "has a text that says no more than its name" if told == name_words(place.name) else None


def _generated(schema: JsonObject) -> Iterator[str]:
    """The sentences of a description that no author wrote."""
    yield from (words.format(schema[keyword]) for keyword, words in MARK_WORDS.items() if keyword in schema)
    if form := text_form(schema):
        yield f"{form.wanted[0].upper()}{form.wanted[1:]}."


def _long_text(place: Place, config: LintConfig) -> str | None:
    if place.kind != "field":
        return None
    values = place.values
    texts = {"": own_text(place.text, values), **explained(place.text, values)}
    over = {value: units(text) for value, text in texts.items() if units(text) > config.field_units}
    if not over:
        return None
    value, length = max(over.items(), key=lambda each: each[1])
    whose = f"the text of its value {value!r}" if value else "its text"
    return f"{whose} is {length:g} units long, over {config.field_units:g}"


def _many_values(place: Place, config: LintConfig) -> str | None:
    count = len(place.values)
    return f"has {count} values, over {config.enum_values:g}" if count > config.enum_values else None


def _unexplained_values(place: Place, _: LintConfig) -> str | None:
    values = place.values
    if len(values) < 2:
        return None
    said = explained(place.text, values)
    silent = [value_text(value) for value in values if value is not None and value_text(value) not in said]
    return f"does not say what {listed(silent, _MOST_NAMED)} mean{'s' * (len(silent) == 1)}" if silent else None


def _no_unit(place: Place, _: LintConfig) -> str | None:
    named = _is_number(place) and is_measure(place.name)
    return "is a number of which no name or text tells the unit" if named and not _tells_unit(place) else None


def _no_currency(place: Place, _: LintConfig) -> str | None:
    named = _is_number(place) and is_money(place.name)
    return "is a sum of money of which no name or text tells the currency" if named and not _tells_unit(place) else None


def _tells_unit(place: Place) -> bool:
    return "x-unit" in place.schema or has_unit(place.name, place.text)


def _no_bounds(place: Place, _: LintConfig) -> str | None:
    counts = _is_number(place) and not is_identifier(place.name)
    limits = {*place.schema, *place.schema.get(X_DECIMAL, ())}
    return "is a number without a least or a greatest value" if counts and limits.isdisjoint(_LIMITS) else None


def _money_as_float(place: Place, _: LintConfig) -> str | None:
    money = _has_type(place, "number") and is_money(place.name)
    return "is a sum of money as a float, which loses digits" if money else None


def _date_without_form(place: Place, _: LintConfig) -> str | None:
    free = _has_type(place, "string") and not any(word in place.schema for word in (*_SHAPES[1:], "examples"))
    dated = free and is_date(place.name, place.text) and not shows_date(place.text)
    return "is a text named like a date, and neither its type nor its text shows how it is written" if dated else None


def _unlimited_text(place: Place, _: LintConfig) -> str | None:
    free = _has_type(place, "string") and not any(word in place.schema for word in _SHAPES)
    return "is a text of any length" if free else None


def _ambiguous_union(place: Place, _: LintConfig) -> str | None:
    for one, other in combinations(place.branches, 2):
        if why := alike(one, other):
            return f"is a union whose branches cannot be told apart: {why}"
    return None


def _recursion(place: Place, _: LintConfig) -> str | None:
    return "is of a type that holds itself" if place.recursive else None


def _long_name(place: Place, config: LintConfig) -> str | None:
    length = len(place.name)
    over = place.kind == "field" and length > config.name_characters
    return f"has a name of {length} characters, over {config.name_characters:g}" if over else None


def _untyped_container(place: Place, _: LintConfig) -> str | None:
    schema = place.schema
    if _has_type(place, "array") and "prefixItems" not in schema and is_open(schema.get("items", {})):
        return "is a list of anything"
    return "is an object of anything" if _is_map(place) and is_open(schema.get("additionalProperties", {})) else None


def _open_object(place: Place, _: LintConfig) -> str | None:
    schema = place.schema
    declared = bool(schema.get("properties")) and is_open(schema.get("additionalProperties"))
    return "is an object that takes any key beside its own, with anything under it" if declared else None


def _empty_object(place: Place, _: LintConfig) -> str | None:
    schema = place.schema
    closed = schema.get("additionalProperties") is False and not {"patternProperties", "anyOf", "oneOf"} & schema.keys()
    empty = place.kind != "root" and _has_type(place, "object") and closed and not schema.get("properties")
    return "is an object in which nothing can be said" if empty else None


def _unlimited_container(place: Place, config: LintConfig) -> str | None:
    if _untyped_container(place, config) is not None:
        return None
    if _has_type(place, "array") and "items" in place.schema and "maxItems" not in place.schema:
        return "is a list of any length"
    free = (
        _is_map(place) and "maxProperties" not in place.schema and "enum" not in place.schema.get("propertyNames", {})
    )
    return "is a map of any size" if free else None


def _untold_keys(place: Place, config: LintConfig) -> str | None:
    if not _is_map(place) or _untyped_container(place, config) is not None or "propertyNames" in place.schema:
        return None
    return None if TELLS_KEYS.search(place.text) else "is a map of which no text tells the keys"


def _abbreviated(place: Place, _: LintConfig) -> str | None:
    if place.kind != "field":
        return None
    words = name_words(place.name)
    short = [word for word in words if word in ABBREVIATIONS or _is_voweless(word)]
    if len(words) == 1 and len(words[0]) == 1 and words[0].isascii() and words[0] not in "xyz":
        short = words
    return (
        f"has an abbreviation for a name ({listed(short, _MOST_NAMED)}), at which a model has to guess"
        if short
        else None
    )


def _untyped_result(place: Place, config: LintConfig) -> str | None:
    if place.kind in ("field", "branch") and is_open(place.schema):
        return "may be any JSON value"
    return _untyped_container(place, config)


def _cursor(place: Place, _: LintConfig) -> str | None:
    told = KEPT_UNCHANGED.search(place.text)
    named = place.kind == "field" and _has_type(place, "string") and is_cursor(place.name)
    return "is a cursor whose text does not say that it is passed on unchanged" if named and not told else None


def _has_type(place: Place, *kinds: str) -> bool:
    return any(kind in kinds for kind in types_of(place.schema))


def _is_number(place: Place) -> bool:
    counted = _has_type(place, "integer", "number") or place.schema.get("pattern") == DECIMAL_PATTERN
    return counted and not place.values


def _is_map(place: Place) -> bool:
    """Whether an object holds values under any keys, beside fields of its own or without any."""
    schema = place.schema
    bare = not {"properties", "patternProperties", "anyOf", "oneOf", "allOf"} & schema.keys()
    others = schema.get("additionalProperties", True)
    holds = others is not False if bare else isinstance(others, dict) and not is_open(others)
    return _has_type(place, "object") and holds


def _is_voweless(word: str) -> bool:
    return (
        len(word) > 2 and word.isascii() and word.isalpha() and word not in ACRONYMS and not set(word) & set("aeiouy")
    )


PLACE_RULES: tuple[PlaceRule, ...] = (
    Rule("unconstrained", "error", "A parameter, or a field of one, that may be anything.",
         "Give it a type that says what it holds, such as str, list[int] or a model.",
         _unconstrained),
    Rule("missing-text", "warning", "A field without a text.",
         'Say in a sentence what it means: Annotated[T, "..."], or an entry under Args in the docstring.',
         _missing_text),
    Rule("long-text", "warning", "A text of a field or a value over `field_units`.",
         "Cut it to what decides how the field is filled in, and leave the rest to the tool's own text.", _long_text),
    Rule("many-values", "warning", "A choice among more than `enum_values` values.",
         "Make two parameters of it, or take a text and look it up.", _many_values),
    Rule("unexplained-values", "warning", "A choice among values of which the text does not say what they mean.",
         'Give each value a text, as in "title: the title only; content: the body only".', _unexplained_values),
    Rule("missing-unit", "warning", "A number named like a measure or a moment without a unit.",
         'Name it with its unit, as in duration_seconds, or state it: Annotated[int, Unit("s")].', _no_unit),
    Rule("missing-currency", "warning", "A number named like a sum of money without a currency.",
         'Name it with its currency, as in price_eur, or state it: Annotated[Decimal, Unit("EUR")].', _no_currency),
    Rule("missing-bounds", "warning", "A number that is bounded on neither side; one is enough.",
         "Give it bounds: Annotated[int, Field(ge=1, le=100)].", _no_bounds),
    Rule("money-as-float", "warning", "A sum of money that is a float.",
         "Make it a Decimal, which keeps every digit.", _money_as_float, ("input", "output")),
    Rule("date-as-text", "warning", "A text named like a date without a format or an example.",
         "Make it a date or a datetime, or show an example in its text.", _date_without_form),
    Rule("unlimited-text", "advice", "A text without a greatest length.",
         "Give it a greatest length: Annotated[str, Field(max_length=200)].", _unlimited_text),
    Rule("ambiguous-union", "warning", "A union whose branches a model, or the reader, cannot tell apart.",
         "Take one type; or give the models a field such as kind: Literal[...] with a value of its own in each.",
         _ambiguous_union),
    Rule("recursive-type", "warning", "A type that holds itself.",
         "Take a flat list whose items have a parent_id, or unroll it: Annotated[T, MaxDepth(3)].", _recursion),
    Rule("long-name", "warning", "A field's name over `name_characters`.",
         "Shorten it, and say the rest in its text.", _long_name),
    Rule("untyped-container", "error", "A list or an object that may hold anything.",
         "Say what it holds: list[str], dict[str, int], or a model with named fields.", _untyped_container),
    Rule("open-object", "warning", "An object with fields of its own that takes any other key too.",
         'Declare the fields that it may have, and leave out extra="allow".', _open_object),
    Rule("empty-object", "warning", "An object that has no fields and takes no keys.",
         "Declare the fields that it is to hold, or take it out.", _empty_object),
    Rule("unlimited-container", "advice", "A list or a map without a greatest length.",
         "Give it a greatest length: Annotated[list[T], Field(max_length=20)].", _unlimited_container),
    Rule("untold-keys", "warning", "A map whose text does not tell its keys.",
         "Say in its text what the keys are, or name them: dict[Literal[...], T], or a model.", _untold_keys),
    Rule("abbreviated-result", "warning", "A field of the result with an abbreviation for a name.",
         "Write the name out, by an alias if the code needs the short one.", _abbreviated, ("output",)),
    Rule("untyped-result", "warning", "A part of the result that may be anything.",
         "Say what it holds: a model with named fields, list[str], dict[str, int].", _untyped_result, ("output",)),
    Rule("changeable-cursor", "warning", "A cursor whose text does not say that it is passed on unchanged.",
         'Say in its text: "as the last answer gave it; pass it on unchanged".', _cursor, ("input", "output")),
)  # fmt: skip
"""The rules about places."""
