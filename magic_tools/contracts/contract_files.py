"""A contract's data in a file: read from YAML or JSON with the place of each fault, and written the same way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from magic_tools.contracts.yaml_core import LARGEST, LEVELS, Lines, read_yaml, write_yaml
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

__all__ = ["Form", "Read", "json_text", "read", "yaml_text"]

Form = Literal["yaml", "json"]

_SUFFIXES: dict[str, Form] = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}


class Read(NamedTuple):
    """The data of a file, and the words for each place in it."""

    data: Any
    where: Callable[[tuple[str | int, ...]], str]


def read(source: str | Path, form: Form | None = None) -> Read:
    """What a text, or the file of a path, holds; DefinitionError says at which place it does not.

    Without a form it is that which a file's suffix names, and of a text JSON where it begins with a brace. What is JSON
    is read as JSON, also where YAML is expected, which has fewer characters and escapes.
    """
    name, text = ("the contract", source) if isinstance(source, str) else (str(source), _text_of(source))
    text = text.removeprefix("\ufeff")
    if len(text) > LARGEST:
        raise DefinitionError(f"{name}: it has {len(text):,} characters, and a contract has at most {LARGEST:,}.")
    if not text.strip():
        raise DefinitionError(f"{name}: it is empty: there is no contract in it.")
    told: Form = "json" if text.lstrip().startswith("{") else "yaml"
    told = told if isinstance(source, str) else _SUFFIXES.get(source.suffix.lower(), told)
    if (form or told) == "json" or _is_json(text):
        return Read(_from_json(text, name), lambda path: _place(name, path, {}))
    data, lines = read_yaml(text, name)
    if isinstance(data, str) and isinstance(source, str) and "\n" not in source:
        raise DefinitionError(f"{source!r:.80} is no contract but one text: to read a file, give Path({source!r:.80}).")
    return Read(data, lambda path: _place(name, path, lines))


def json_text(data: JsonObject) -> str:
    """Data as a file in JSON."""
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


yaml_text = write_yaml


def _place(name: str, path: tuple[str | int, ...], lines: Lines) -> str:
    """The words for a place: the file, the line of what is nearest to it, and the keys that lead there."""
    known = next((path[:end] for end in range(len(path), -1, -1) if path[:end] in lines), None)
    line = "" if known is None else f", line {lines[known]}"
    return f"{name}{line}" + (f", {'.'.join(map(str, path))}" if path else "")


def _text_of(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            raw = opened.read(4 * LARGEST + 1)
    except OSError as error:
        raise DefinitionError(f"{file}: it cannot be read: {error.strerror or error}.") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise DefinitionError(f"{file}, line {line}: it is not text in UTF-8: save it as UTF-8.") from None


def _from_json(text: str, name: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> JsonObject:
        held: JsonObject = {}
        for key, value in pairs:
            if key in held:
                raise DefinitionError(f"{name}: the key {key!r:.80} stands twice in one object: take one out.")
            held[key] = value
        return held

    def refused(word: str) -> Any:
        raise DefinitionError(f"{name}: {word} is a number that JSON cannot hold: write one, or put it in quotes.")

    try:
        data = json.loads(text, object_pairs_hook=once, parse_constant=refused)
    except json.JSONDecodeError as error:
        raise DefinitionError(
            f"{name}, line {error.lineno}, column {error.colno}: this is no JSON: {error.msg}."
        ) from None
    except (RecursionError, ValueError) as error:  # of a number of thousands of digits
        raise DefinitionError(f"{name}: this is JSON that cannot be read here: {error}.") from None
    if _is_deeper(data, LEVELS):
        raise DefinitionError(f"{name}: more than {LEVELS} values are inside one another: make it flatter.")
    return data


def _is_json(text: str) -> bool:
    """Whether a text is an object in JSON."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_deeper(data: Any, levels: int) -> bool:
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return bool(inner) and (levels == 0 or any(_is_deeper(each, levels - 1) for each in inner))
