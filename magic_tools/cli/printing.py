"""What the command prints: on the standard output what was asked for, on the standard error what is said of it."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable
from typing import Any

import typer
from rich.console import Console, Group, RenderableType

from magic_tools.cli.targets import InputError

__all__ = ["in_lines", "note", "print_json", "print_text"]


def print_json(value: Any) -> None:
    """Print a JSON value, readable and in its own characters."""
    print_text(json.dumps(value, ensure_ascii=False, indent=2))


def print_text(text: str) -> None:
    """Print a text; InputError if the standard output cannot be written."""
    if sys.stdout is None:
        raise InputError("The standard output is closed, so that nothing can be printed.")
    try:
        typer.echo(text.encode(errors="backslashreplace"))  # as bytes: a terminal need not know every character
    except BrokenPipeError:
        raise  # whoever read it has enough, and the command ends quietly
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left would fail again at the exit
        raise InputError(f"The standard output cannot be written: {error.strerror}.") from error


def in_lines(parts: Iterable[RenderableType]) -> str:
    """What rich draws, in lines that fit the terminal, in colours where a terminal shows them."""
    written = io.StringIO()
    terminal = sys.stdout is not None and sys.stdout.isatty()
    Console(file=written, force_terminal=terminal, highlight=False).print(Group(*parts))
    return "\n".join(line.rstrip() for line in written.getvalue().rstrip().splitlines())


def note(text: str) -> None:
    """Say something in a line on the standard error."""
    typer.echo(f"magic-tools: {text}", err=True)
