"""YAML by the core schema of YAML 1.2.2: read with every place known and nothing guessed, and written the same way.

`no`, `on` and `2026-12-01` are texts, `0o17` is a number; an alias, a tag but `!!str`, a second document and a key
that stands twice are refused, so that a small file cannot become a large value or say two things.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

__all__ = ["LARGEST", "LEVELS", "Lines", "read_yaml", "write_yaml"]

Lines: TypeAlias = dict[tuple[str | int, ...], int]
"""The line on which each value begins, counted from 1, by the keys that lead to it."""

LARGEST = 4_000_000
"""The most characters of a file."""

LEVELS = 100
"""The most values inside one another."""

_TEXT_TAGS = ("!", "tag:yaml.org,2002:str")
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_MOST_DIGITS = 300
_NEXT_LINE = "\x85"


def read_yaml(text: str, name: str) -> tuple[Any, Lines]:
    """The value of a text in YAML, and the lines of its parts; DefinitionError begins with `name` and the line."""
    import yaml

    events = yaml.parse(text, Loader=yaml.SafeLoader)
    lines: Lines = {}
    try:
        return _document(_Events(events), lines, name), lines
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = "" if mark is None else f", line {mark.line + 1}, column {mark.column + 1}"
        raise DefinitionError(f"{name}{at}: this is no YAML: {error.problem or error.context}.{_hint(error)}") from None
    except yaml.YAMLError as error:  # a character that YAML does not allow
        raise DefinitionError(f"{name}: this is no YAML: {' '.join(str(error).split())}.") from None


def write_yaml(data: JsonObject) -> str:
    """The text in YAML of JSON data, keys as they come, that reads the same by YAML 1.1 and by 1.2."""
    import yaml

    class Writer(yaml.SafeDumper):
        """What is a number by 1.2 alone is quoted too."""

        def ignore_aliases(self, _: Any) -> bool:
            return True

        def represent_text(self, text: str) -> yaml.ScalarNode:
            style = "|" if "\n" in text and _is_block(text) else '"' if _is_odd(text) else None
            return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Writer.add_representer(str, Writer.represent_text)
    written: str = yaml.dump(
        data, Dumper=Writer, sort_keys=False, allow_unicode=True, default_flow_style=None, width=110
    )
    return written.replace(_NEXT_LINE, "\\N")  # which stands in double quotes, and is a line's end for YAML 1.1


def _is_odd(text: str) -> bool:
    """Whether a text would be something else where no quotes are around it, or is not shown as it is."""
    is_value = text in _WORDS or any(form.fullmatch(text) for form in (_INTEGER, _FLOAT, _NO_NUMBER))
    return is_value or "\n" in text or _NEXT_LINE in text


def _is_block(text: str) -> bool:
    return all(line.isprintable() and line == line.rstrip() for line in text.split("\n"))


class _Events:
    """The events of a text, of which one may be looked at before it is taken."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._next = next(events)

    @property
    def kind(self) -> str:
        """The name of the next one's class, less `Event`."""
        return type(self._next).__name__.removesuffix("Event")

    def take(self) -> Any:
        """The next one."""
        taken, self._next = self._next, next(self._events, None)
        return taken


def _document(events: _Events, lines: Lines, name: str) -> Any:
    events.take()  # the start of the stream
    if events.kind == "StreamEnd":
        raise DefinitionError(f"{name}: it is empty: there is no contract in it.")
    events.take()  # the start of the document
    held = _value(events, (), lines, name)
    events.take()  # its end
    if events.kind != "StreamEnd":
        line = events.take().start_mark.line + 1
        raise DefinitionError(f"{name}, line {line}: a second document begins here: put each in a file of its own.")
    return held


def _value(events: _Events, path: tuple[str | int, ...], lines: Lines, name: str) -> Any:
    kind, event = events.kind, events.take()
    line = lines[path] = event.start_mark.line + 1
    where = f"{name}, line {line}"
    if kind == "Alias":
        raise DefinitionError(f"{where}: *{event.anchor} repeats what stands elsewhere: write it out.")
    if event.tag is not None and (event.tag not in _TEXT_TAGS or kind != "Scalar"):
        raise DefinitionError(f"{where}: the tag {event.tag!r:.80} means nothing here: take it out.")
    if kind == "Scalar":
        return event.value if event.tag is not None or event.style is not None else _plain(event.value, where)
    if len(path) >= LEVELS:
        raise DefinitionError(f"{where}: more than {LEVELS} values are inside one another here: make it flatter.")
    return _mapping(events, path, lines, name) if kind == "MappingStart" else _list(events, path, lines, name)


def _list(events: _Events, path: tuple[str | int, ...], lines: Lines, name: str) -> list[Any]:
    held: list[Any] = []
    while events.kind != "SequenceEnd":
        held.append(_value(events, (*path, len(held)), lines, name))
    events.take()
    return held


def _mapping(events: _Events, path: tuple[str | int, ...], lines: Lines, name: str) -> JsonObject:
    held: JsonObject = {}
    while events.kind != "MappingEnd":
        at = (*path, "")
        key = _value(events, at, lines, name)
        line = lines.pop(at)
        where = f"{name}, line {line}"
        if not isinstance(key, str):
            raise DefinitionError(f"{where}: the key {key!r:.80} is no text: put it in quotes.")
        if key in held:
            raise DefinitionError(f"{where}: the key {key!r:.80} stands twice: take one out.")
        held[key] = _value(events, (*path, key), lines, name)
        lines[(*path, key)] = line
    events.take()
    return held


def _plain(text: str, where: str) -> Any:
    """What a scalar without quotes is by the core schema."""
    if text in _WORDS:
        return _WORDS[text]
    if _NO_NUMBER.fullmatch(text):
        raise DefinitionError(f"{where}: {text} is a number that JSON cannot hold: write one, or put it in quotes.")
    reader: Callable[[str], Any] | None = _whole if _INTEGER.fullmatch(text) else None
    reader = float if reader is None and _FLOAT.fullmatch(text) else reader
    if reader is None:
        return text
    held = reader(text) if len(text) <= _MOST_DIGITS else float("inf")
    if held in (float("inf"), float("-inf")):
        raise DefinitionError(f"{where}: {text:.40} is too large a number: write a smaller one, or put it in quotes.")
    return held


def _whole(text: str) -> int:
    return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))


def _hint(error: Any) -> str:
    if "'\\t'" in str(error.problem):
        return " Indent with blanks, not with tabs."
    if "mapping values are not allowed" in str(error.problem):
        return " Put a text that holds ': ' in quotes."
    return ""
