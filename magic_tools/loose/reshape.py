"""JSON in a model's text put into another form."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from magic_tools.loose.readings import Reading
from magic_tools.loose.scan import tiers

__all__ = ["Reshape", "Written", "reshaped"]


class Written(NamedTuple):
    """A value as a text has it: its `source`, its JSON, and the texts of its members if it is an object and no JSON."""

    source: str
    members: Mapping[str, str] | None
    json: str


Reshape: TypeAlias = Callable[[Written], str]
"""Gives the other form of a value, or its source where that is the form already."""


def reshaped(text: str, change: Reshape, *, prose: bool) -> str:
    """A text with its JSON in another form, and all that stands around it as it was.

    That JSON is the whole text, else what the ladder would look at first: `prose` says whether it may
    stand in running text.
    """
    whole = change(Written(text, None, text))
    if whole != text:
        return whole
    for tier in tiers(text, prose=prose):
        readings = [found for found in tier if isinstance(found, Reading) and not (found.cut or found.missing)]
        for reading in reversed(readings):
            text = f"{text[: reading.start]}{change(_written(reading, text))}{text[reading.end :]}"
        if readings:
            return text
    return text


def _written(reading: Reading, text: str) -> Written:
    source = text[reading.start : reading.end]
    if reading.strict is not None:
        return Written(source, None, source)
    members = {key: text[start:end].strip() for key, (start, end) in (reading.members or {}).items()}
    return Written(source, members, json.dumps(reading.value, ensure_ascii=False))
