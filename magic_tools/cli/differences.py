"""What the commands that compare contracts share: the formats that they print, and how they end."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Sequence
from typing import Literal

from magic_tools.cli.printing import in_lines, print_text
from magic_tools.contracts.changes import worst
from magic_tools.contracts.drift import Drift
from magic_tools.contracts.report import Commands, as_annotations, as_data, as_markdown, hints, in_width
from magic_tools.contracts.report_table import table_parts

__all__ = ["BEHAVIOURAL", "BREAKING", "DIFFERENT", "FailOn", "Format", "code_of_difference", "code_of_effect", "show"]

Format = Literal["table", "json", "markdown", "github"]
"""How differences are printed; `github` is a workflow command for each, which GitHub shows at the file."""

FailOn = Literal["behavioural", "breaking", "never"]
"""From which effect on a comparison fails."""

DIFFERENT, BEHAVIOURAL, BREAKING = 1, 3, 4
"""How a command ends that found differences."""


def show(drifts: Collection[Drift], format_: Format, commands: Commands | None = None) -> None:
    """Print what differs, the worst first, and what to do about it."""
    match format_:
        case "json":
            print_text(json.dumps(as_data(drifts, commands), ensure_ascii=False, indent=2))
        case "markdown":
            print_text(as_markdown(drifts, commands))
        case "github":
            if drifts:
                print_text(as_annotations(drifts, commands))
        case "table":
            print_text(in_lines(table_parts(drifts)))
            for said in hints(drifts, commands):  # not by rich, so that a command stays on one line
                print_text(in_width(said, shutil.get_terminal_size().columns))


def code_of_effect(drifts: Sequence[Drift], fail_on: FailOn) -> int:
    """How a comparison ends: 0 unless something is as grave as asked for."""
    effect = None if fail_on == "never" else worst(change for drift in drifts for change in drift.changes)
    if effect == "breaking":
        return BREAKING
    return BEHAVIOURAL if effect == fail_on == "behavioural" else 0


def code_of_difference(drifts: Sequence[Drift]) -> int:
    """How a check ends: 0 only where nothing differs."""
    return code_of_effect(drifts, "behavioural") or (DIFFERENT if drifts else 0)
