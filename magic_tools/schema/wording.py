"""The last touch to a schema: what no keyword says, in words; texts once; keywords in their order."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from magic_tools.schema.forms import TextForm, text_form
from magic_tools.schema.marks import MARK_WORDS
from magic_tools.values import JsonObject

__all__ = ["CHOICES", "PROSE", "WORDS", "cleaned", "worded"]

WORDS = "x-words"
"""Sentences that become part of the description, after what the author says."""

CHOICES = "x-choices"
"""What the values of an enumeration mean, in one text; part of the description too."""

PROSE = "x-prose"
"""A class's whole docstring, and its prose alone, which is what the description says where it is that docstring."""

_FULL_STOPS = tuple(".!?:;。！？：；…")

_KEYWORD_ORDER = {
    keyword: rank
    for rank, keyword in enumerate(
        ("$ref", "type", "description", "enum", "const", "format", "pattern", "properties", "required",
         "additionalProperties", "items", "prefixItems", "anyOf", "oneOf", "allOf", "default", "examples")
    )
}  # fmt: skip

_BARE = {"type"}
_FOR_WORDS = ("title", "description", CHOICES, PROSE, WORDS)

# pydantic names the version of a UUID so, JSON Schema does not.
_FORMATS = {f"uuid{version}": "uuid" for version in range(1, 9)}

_OF_THE_SAME_VALUE = ("anyOf", "oneOf")


def worded(schema: JsonObject) -> JsonObject:
    """One schema without its title, whose description says all that there is to say; what it holds is so already.

    A text that what it holds repeats stands in it alone, and the keywords are in their order.
    """
    if schema.keys() == _BARE:
        return schema
    kept = {keyword: held for keyword, held in schema.items() if keyword not in _FOR_WORDS}
    if kept.get("format") in _FORMATS:
        kept["format"] = _FORMATS[kept["format"]]
    if words := list(_words(schema)):
        kept["description"] = _sentences(words)
    for keyword in _OF_THE_SAME_VALUE:
        if keyword in kept:
            kept[keyword] = [_without_repeated(branch, kept) for branch in kept[keyword]]
    if isinstance(kept.get("items"), dict):
        kept["items"] = _without_repeated(kept["items"], kept)
    return dict(sorted(kept.items(), key=lambda item: (_KEYWORD_ORDER.get(item[0], len(_KEYWORD_ORDER)), item[0])))


def _words(schema: JsonObject) -> Iterator[str]:
    """The texts of a description: the author's, of the values, of the limits, of what is declared, and an example."""
    whole, prose = schema.get(PROSE, (None, None))
    text = schema.get("description", "")
    text = prose if text == whole else cleaned(text)
    if text:
        yield text
    if choices := schema.get(CHOICES):
        yield choices
    yield from schema.get(WORDS, ())
    yield from (words.format(schema[keyword]) for keyword, words in MARK_WORDS.items() if keyword in schema)
    form = text_form(schema)
    if form is not None and form.example and "examples" not in schema and not form.is_shown_in(text):
        yield _with_example(form)


def _with_example(form: TextForm) -> str:
    return f"{form.wanted[0].upper()}{form.wanted[1:]}."


def _without_repeated(inner: JsonObject, outer: JsonObject) -> JsonObject:
    """A schema without its text where that of the schema around it says the same, or shows an example of its kind."""
    if "description" not in inner or "description" not in outer:
        return inner
    form = text_form(inner)
    shown = form is not None and form.is_shown_in(outer["description"]) and inner["description"] == _with_example(form)
    if not shown and inner["description"] != outer["description"]:
        return inner
    return {keyword: held for keyword, held in inner.items() if keyword != "description"}


def cleaned(text: str) -> str:
    """A text without the margin that its lines have in the source, and without blanks around it."""
    return inspect.cleandoc(text).strip() if "\n" in text else text.strip()


def _sentences(words: list[str]) -> str:
    """Texts in a row, each with a full stop where its author gave it none."""
    *first, last = words
    return " ".join([*(text if text.rstrip().endswith(_FULL_STOPS) else f"{text}." for text in first), last])
