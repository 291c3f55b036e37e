"""What a docstring says: the prose for the whole, and a text for each parameter, field or member."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import docstring_parser

__all__ = ["DocTexts", "read_docstring"]

# Google: `Args:` on a line of its own, and what is indented below it.
_TITLE = re.compile(r"([A-Za-z]+(?: [A-Za-z]+)?):\s*")
_NAMED = frozenset(
    {"args", "arguments", "parameters", "params", "keyword args", "keyword arguments", "other parameters",
     "attributes"}
)  # fmt: skip
_OTHER_SECTIONS = frozenset(
    {"example", "examples", "except", "exceptions", "raises", "return", "returns", "yield", "yields"}
)
# `name`, `name (type)` or several names, perhaps as an item of a list, then the text.
_ENTRY = re.compile(r"(?:[-+*] )?[`*]*(\w+(?:, *\*{0,2}\w+)*)[`*]*\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*(?::|--)\s*(.*)")

# Sphinx and Epydoc: `:param type name: text` or `@param name: text`, and what is indented below it.
_FIELD = re.compile(r"[:@](\w+)(?:\s+([^:]*?))?:(?:\s+(.*))?")
_NAMED_FIELDS = frozenset(
    {"arg", "argument", "attribute", "cvar", "ivar", "key", "keyword", "kwarg", "param", "parameter", "var"}
)
_OTHER_FIELDS = frozenset(
    {"except", "exception", "raise", "raises", "return", "returns", "rtype", "type", "vartype", "yield", "yields",
     "ytype"}
)  # fmt: skip

# NumPy: a title with a line of hyphens below it.
_UNDERLINED = re.compile(r"^[ \t]*-{2,}[ \t]*$", re.MULTILINE)

_SEVERAL_BLANK_LINES = re.compile(r"\n\s*\n\s*\n")


@dataclass(frozen=True, slots=True)
class DocTexts:
    """A docstring's prose without its sections, and its texts by the names of parameters, fields or members."""

    prose: str
    parameters: Mapping[str, str]


def read_docstring(docstring: str | None) -> DocTexts:
    """The texts of a docstring in Google, NumPy, Sphinx or Epydoc style.

    docstring_parser reads all of these, but one entry that is off the style costs it all the others,
    but for NumPy: so that one is left to it.
    """
    if not docstring:
        return DocTexts("", {})
    if ":" not in docstring and "--" not in docstring:  # as every style has
        return DocTexts(_SEVERAL_BLANK_LINES.sub("\n\n", "\n".join(_lines(docstring))).strip(), {})
    prose: list[str] = []
    texts: dict[str, str] = {}
    for head, body in _parts(_lines(docstring)):
        title, field = _TITLE.fullmatch(head), _FIELD.fullmatch(head)
        if title and title[1].lower() in _NAMED and body:
            texts |= _entries(body)
        elif field and field[1] in _NAMED_FIELDS and field[2]:
            texts[_names(field[2].split()[-1])[0]] = _joined(field[3] or "", *body)
        elif not (title and title[1].lower() in _OTHER_SECTIONS and body) and not (field and field[1] in _OTHER_FIELDS):
            prose += (head, *body)
    text = "\n".join(prose)
    if _UNDERLINED.search(text):
        text, underlined = _without_underlined(text)
        texts |= underlined
    prose_text = _SEVERAL_BLANK_LINES.sub("\n\n", text).strip()
    return DocTexts(prose_text, {name: words for name, words in texts.items() if words})


def _lines(docstring: str) -> list[str]:
    """The lines of a docstring without its margin; what a section in its first line holds is indented again."""
    first, *rest = inspect.cleandoc(docstring).splitlines() or [""]
    title = _TITLE.fullmatch(first)
    is_section = title is not None and title[1].lower() in _NAMED | _OTHER_SECTIONS
    flush = next((line[0] not in " \t" for line in rest if line), False)
    return [first, *(f"    {line}" for line in rest)] if is_section and flush else [first, *rest]


def _without_underlined(text: str) -> tuple[str, dict[str, str]]:
    """A text without its sections in NumPy's style, and their texts by name."""
    parsed = docstring_parser.parse(text, docstring_parser.DocstringStyle.NUMPYDOC)
    texts: dict[str, str] = {}
    for parameter in parsed.params:
        texts |= dict.fromkeys(_names(parameter.arg_name), _joined(parameter.description or ""))
    if parsed.meta:
        gap = "\n\n" if parsed.blank_after_short_description else "\n"
        text = gap.join(part for part in (parsed.short_description, parsed.long_description) if part)
    return text, texts


def _parts(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Each line that is not indented, with the indented lines below it; blank ones between them belong to these."""
    at = 0
    while at < len(lines):
        end = after = at + 1
        while after < len(lines) and (not lines[after].strip() or lines[after][0] in " \t"):
            after += 1
            if lines[after - 1].strip():
                end = after
        yield lines[at], lines[at + 1 : end]
        at = end


def _entries(lines: list[str]) -> dict[str, str]:
    """The texts of a section of parameters by name; a line that starts no entry goes on with the one before."""
    texts: dict[str, str] = {}
    names: list[str] = []
    for line in inspect.cleandoc("\n" + "\n".join(lines)).splitlines():
        entry = _ENTRY.fullmatch(line)
        if entry is not None:
            names = _names(entry[1])
            texts |= dict.fromkeys(names, _joined(entry[2]))
        else:
            texts |= {name: _joined(texts[name], line) for name in names}
    return texts


def _names(stated: str) -> list[str]:
    return [name.strip(" *") for name in stated.split(",")]


def _joined(*lines: str) -> str:
    return " ".join(" ".join(lines).split())
