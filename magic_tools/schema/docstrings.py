"""What a docstring says: the prose for the tool, and a text for each parameter."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import docstring_parser

__all__ = ["DocTexts", "read_docstring"]

# Google: `Args:` on a line of its own, and what is indented below it.
_TITLE = re.compile(r"([A-Za-z]+(?: [A-Za-z]+)?):\s*")
_PARAMETERS = frozenset(
    {"args", "arguments", "parameters", "params", "keyword args", "keyword arguments", "other parameters"}
)
_OTHER_SECTIONS = frozenset(
    {"attributes", "example", "examples", "except", "exceptions", "raises", "return", "returns", "yield", "yields"}
)
# `name`, `name (type)` or several names, perhaps as an item of a list, then the text.
_ENTRY = re.compile(r"(?:[-+*] )?[`*]*(\w+(?:, *\*{0,2}\w+)*)[`*]*\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*(?::|--)\s*(.*)")

# Sphinx and Epydoc: `:param type name: text` or `@param name: text`, and what is indented below it.
_FIELD = re.compile(r"[:@](\w+)(?:\s+([^:]*?))?:(?:\s+(.*))?")
_PARAMETER_FIELDS = frozenset({"arg", "argument", "key", "keyword", "kwarg", "param", "parameter"})
_OTHER_FIELDS = frozenset(
    {"cvar", "except", "exception", "ivar", "raise", "raises", "return", "returns", "rtype", "type", "var", "vartype",
     "yield", "yields", "ytype"}
)  # fmt: skip

_SEVERAL_BLANK_LINES = re.compile(r"\n\s*\n\s*\n")


@dataclass(frozen=True, slots=True)
class DocTexts:
    """A docstring's prose without its sections, and its texts by parameter name."""

    prose: str
    parameters: Mapping[str, str]


def read_docstring(docstring: str | None) -> DocTexts:
    """The texts of a docstring in Google, NumPy, Sphinx or Epydoc style.

    docstring_parser reads all of these, but one entry that is off the style costs it all the others,
    but for NumPy: so that one is left to it.
    """
    prose: list[str] = []
    texts: dict[str, str] = {}
    for head, body in _parts(inspect.cleandoc(docstring or "").splitlines()):
        title, field = _TITLE.fullmatch(head), _FIELD.fullmatch(head)
        if title and title[1].lower() in _PARAMETERS and body:
            texts |= _entries(body)
        elif field and field[1] in _PARAMETER_FIELDS and field[2]:
            texts[_names(field[2].split()[-1])[0]] = _joined(field[3] or "", *body)
        elif not (title and title[1].lower() in _OTHER_SECTIONS and body) and not (field and field[1] in _OTHER_FIELDS):
            prose += (head, *body)
    text = "\n".join(prose)
    parsed = docstring_parser.parse(text, docstring_parser.DocstringStyle.NUMPYDOC)
    for parameter in parsed.params:
        texts |= dict.fromkeys(_names(parameter.arg_name), _joined(parameter.description or ""))
    if parsed.meta:
        gap = "\n\n" if parsed.blank_after_short_description else "\n"
        text = gap.join(part for part in (parsed.short_description, parsed.long_description) if part)
    prose_text = _SEVERAL_BLANK_LINES.sub("\n\n", text).strip()
    return DocTexts(prose_text, {name: words for name, words in texts.items() if words})


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
            texts |= dict.fromkeys(names, entry[2])
        else:
            texts |= {name: _joined(texts[name], line) for name in names}
    return texts


def _names(stated: str) -> list[str]:
    return [name.strip(" *") for name in stated.split(",")]


def _joined(*lines: str) -> str:
    return " ".join(" ".join(lines).split())
