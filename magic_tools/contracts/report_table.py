"""What is told of tools that differ to a person at a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from magic_tools.contracts.changes import Change, Effect
from magic_tools.contracts.drift import Drift
from magic_tools.contracts.report import compact, counts, heading, where_of, worst_first
from magic_tools.values import JsonValue

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

__all__ = ["as_text", "table_parts"]

_STYLES: dict[Effect, str] = {"breaking": "bold red", "behavioural": "yellow", "compatible": "green"}

_MOST = 400
"""So many characters of a value are shown; how many more there are is said."""


def table_parts(drifts: Iterable[Drift]) -> list[RenderableType]:
    """What rich draws of them: tool by tool, the worst first, then the sums."""
    from rich.padding import Padding

    ranked = worst_first(drifts)
    parts: list[RenderableType] = []
    for drift in ranked:
        said = [_folded(part) for part in (drift.place, drift.says) if part]
        said += [_folded(drift.fault, "bold red")] if drift.fault else []
        grid = [_grid(drift.changes)] if drift.changes else []
        parts += [_folded(drift.id, "bold").append(f"  {heading(drift)}", "not bold")]
        parts += [*(Padding(part, (0, 0, 0, 2)) for part in (*said, *grid)), ""]
    return [*parts, _folded(counts(ranked))]


def as_text(drifts: Iterable[Drift], width: int = 80) -> str:
    """The same as plain text of a width."""
    from rich.console import Console, Group

    written = io.StringIO()
    console = Console(file=written, width=width, force_terminal=False, color_system=None, highlight=False)
    console.print(Group(*table_parts(drifts)))
    return "\n".join(line.rstrip() for line in written.getvalue().rstrip().splitlines())


def _folded(text: str, style: str = "") -> Text:
    """A text whose long words go on in the next line."""
    from rich.text import Text

    return Text(text, style, overflow="fold")


def _grid(changes: Sequence[Change]) -> RenderableType:
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(min_width=len("behavioural"))
    grid.add_column()
    for change in changes:
        grid.add_row(_folded(change.effect, _STYLES[change.effect]), _folded(where_of(change), "bold"))
        grid.add_row("", _folded(f"{change.kind}: {_shown(change.before)} -> {_shown(change.after)}"))
        grid.add_row("", _folded(change.why))
        if change.witness is not None:
            grid.add_row("", _folded(f"for example {_shown(change.witness.value)}"))
        if change.advice:
            grid.add_row("", _folded(change.advice, "dim"))
    return grid


def _shown(value: JsonValue) -> str:
    text = compact(value)
    left = len(text) - _MOST
    return text if left <= 0 else f"{text[:_MOST]} ... ({left:,} characters more: --format json has them)"
