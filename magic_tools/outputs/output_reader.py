"""The arguments of an output tool, held to more than their type: lengths of texts, one sentence, nothing harmful."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from magic_tools.loose.guide import Guide
from magic_tools.loose.issues import Finding, Place, shown
from magic_tools.loose.phrases import say
from magic_tools.loose.readers import Misfit, Reader
from magic_tools.sanitise import Screen, findings_in
from magic_tools.schema.emit import OTHER_KEYS, Side
from magic_tools.schema.walk import subschemas
from magic_tools.values import JsonObject

__all__ = ["SUMMARY", "Check", "OutputReader", "screened", "summary_findings"]

T = TypeVar("T")

Check: TypeAlias = Callable[[Any], Sequence[Finding]]
"""What is wrong with JSON data of which the type finds no fault."""

SUMMARY = "summary"
"""The key of the sentence beside the data."""


class OutputReader(Generic[T]):
    """A reader whose values also pass checks of their JSON; `stated` is the schema that says so."""

    def __init__(self, reader: Reader[T], stated: JsonObject, checks: Sequence[Check]) -> None:
        self._reader = reader
        self._stated = stated
        self._checks = tuple(checks)

    @property
    def guide(self) -> Guide:
        """That of the type."""
        return self._reader.guide

    def schema(self, side: Side) -> JsonObject:
        """What is stated of what is read; of what is written, what the type says."""
        return self._stated if side == "input" else self._reader.schema(side)

    def read(self, text: str) -> T:
        """The value of a JSON text; Misfit where it is none of the type, or a check finds something."""
        value = self._reader.read(text)
        data = json.loads(text)
        findings = tuple(finding for check in self._checks for finding in check(data))
        if findings:
            raise Misfit(lambda: findings)
        return value

    def strangers(self, value: Any) -> tuple[Place, ...]:
        """As the type says."""
        return self._reader.strangers(value)

    @property
    def asks_more(self) -> bool:
        """As the type says."""
        return self._reader.asks_more

    def unheld(self, value: Any) -> tuple[Place, ...]:
        """As the type says."""
        return self._reader.unheld(value)

    def write(self, value: T, fallback: Callable[[Any], Any] | None = None) -> str:
        """As the type writes it."""
        return self._reader.write(value, fallback)


def summary_findings(data: Any) -> tuple[Finding, ...]:
    """What keeps the summary beside the data from being one sentence."""
    text = data[SUMMARY]
    if all(unicodedata.category(character)[0] in "ZC" for character in text):
        return (Finding((SUMMARY,), say("one sentence"), say("blanks")),)
    if text.splitlines() != [text]:
        return (Finding((SUMMARY,), say("one sentence on one line"), shown(text)),)
    return ()


def screened(schema: JsonObject, screen: Screen) -> Check:
    """The search for harmful texts in what follows a schema; what the schema itself names is its author's."""
    parts = list(_parts(schema))
    keys = {key for part in parts for key in (*part.get("properties", ()), *part.get(OTHER_KEYS, ()))}
    choices = [choice for part in parts for choice in (*part.get("enum", ()), part.get("const"))]
    texts = {choice for choice in choices if isinstance(choice, str)}
    return lambda data: findings_in(data, screen, own_keys=keys, own_texts=texts)


def _parts(schema: JsonObject) -> Iterator[JsonObject]:
    yield schema
    for inner in subschemas(schema):
        yield from _parts(inner)
