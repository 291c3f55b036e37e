"""JSON in a model's text put into another form, with whatever has to be mended left for the ladder to list."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from magic_tools.loose.repair import Span
from magic_tools.loose.scan import tiers

__all__ = ["Reshape", "reshaped"]


Reshape: TypeAlias = Callable[[str, str], str]
"""Gives the other form of a JSON text, and takes it as it was before its commas were mended too."""


def reshaped(text: str, change: Reshape, *, prose: bool) -> str:
    """A text with its JSON in another form, and all that stands around it as it was.

    That JSON is the whole text, else what the ladder would look at first: `prose` says whether it may
    stand in running text.
    """
    whole = change(text, text)
    if whole != text:
        return whole
    for tier in tiers(text, prose=prose):
        spans = [finding for finding in tier if isinstance(finding, Span)]
        for span in reversed(spans):
            changed = change(span.json, text[span.start : span.end])
            text = f"{text[: span.start]}{changed}{text[span.end :]}"
        if spans:
            return text
    return text
