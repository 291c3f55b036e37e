"""`magic-tools repair`: the value that a model's text holds, and what had to be done to read it."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from magic_tools.cli.printing import note, print_json
from magic_tools.cli.targets import InputError, compiled, find_target, read_text, written
from magic_tools.errors import ParseError
from magic_tools.loose.decode import Schema, compile_schema
from magic_tools.messages import Repair
from magic_tools.tools.tool import Tool

__all__ = ["repair_text"]

_MOST_SHOWN = 30
_MOST_LISTED = 60
_LINE = re.compile("\n")


def repair_text(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="a text file, or - for the standard input", show_default=False)
    ] = "-",
    target: Annotated[
        str | None, typer.Option(metavar="TARGET", help="the type it has to fit: module:Name or path.py:Name")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="tell on the standard error what was done where")] = False,
) -> None:
    """Print the JSON value that a model's text holds.

    Whatever is no JSON as it stands is mended where that is beyond doubt, and refused
    with the reason where it is not; then the command ends with 1.
    """
    schema = _schema(target)
    text = read_text(file)
    try:
        value, repairs = schema.parse(text)
    except ParseError as error:
        if explain and error.partial is not None and not schema.hides(()):
            note(f"what could be read: {json.dumps(error.partial, ensure_ascii=False)[:500]}")
        raise
    print_json(value if target is None else written(target, schema, value))
    if explain:
        _explain(text, repairs, hides=schema.hides(()))


def _schema(target: str | None) -> Schema[Any]:
    if target is None:
        return compile_schema(Any)
    found = find_target(target)
    if isinstance(found, Tool):
        raise InputError(f"{target} is a tool, and repair wants a type, such as a pydantic model.")
    return compiled(target, found)


def _explain(text: str, repairs: Iterable[Repair], *, hides: bool) -> None:
    """Say each repair with its place in the text, in colours where a terminal reads it; a screen of them or two.

    With `hides` nothing of the text is shown, since it may be a secret.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    listed = list(repairs)
    if not listed:
        note("nothing had to be repaired")
        return
    table = Table.grid(padding=(0, 2))
    for _ in range(3):
        table.add_column()
    lines = [found.end() for found in _LINE.finditer(text)]
    for repair in listed[:_MOST_LISTED]:
        table.add_row(
            Text(_place(lines, repair), style="cyan"),
            Text("" if hides else _shown(text, repair), style="yellow"),
            Text(f"{repair.note} ({repair.kind})"),
        )
    Console(stderr=True, highlight=False).print(table)
    if len(listed) > _MOST_LISTED:
        kinds = Counter(repair.kind for repair in listed[_MOST_LISTED:]).most_common()
        note(f"and {len(listed) - _MOST_LISTED} more: {', '.join(f'{count} {kind}' for kind, count in kinds)}")


def _place(lines: list[int], repair: Repair) -> str:
    """Line and column, from 1 on, where there is a place in the text."""
    if repair.start is None:
        return "value"
    line = bisect_right(lines, repair.start)
    return f"{line + 1}:{repair.start - (lines[line - 1] if line else 0) + 1}"


def _shown(text: str, repair: Repair) -> str:
    """What stands at the place, on one line."""
    if repair.start is None or repair.end is None:
        return ""
    shown = json.dumps(text[repair.start : repair.end], ensure_ascii=False)[1:-1].replace('\\"', '"')
    return shown if len(shown) <= _MOST_SHOWN else f"{shown[: _MOST_SHOWN - 3]}..."
