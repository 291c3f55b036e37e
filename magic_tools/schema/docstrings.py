"""What a docstring says: the prose for the tool, and a text for each parameter."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass

import docstring_parser

__all__ = ["DocTexts", "read_docstring"]


@dataclass(frozen=True, slots=True)
class DocTexts:
    """A docstring's prose without its sections, and its texts by parameter name."""

    prose: str
    parameters: Mapping[str, str]


def read_docstring(docstring: str | None) -> DocTexts:
    """The texts of a docstring in Google, NumPy or Sphinx style."""
    parsed = docstring_parser.parse(inspect.cleandoc(docstring or ""))
    texts = {
        parameter.arg_name.lstrip("*"): " ".join(parameter.description.split())
        for parameter in parsed.params
        if parameter.description
    }
    paragraphs = (parsed.short_description, parsed.long_description)
    return DocTexts("\n\n".join(text.strip() for text in paragraphs if text), texts)
