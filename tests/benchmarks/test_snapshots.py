"""What it costs to hold many tools to their snapshots."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from magic_tools.contracts.snapshot_files import compare_snapshots, unused_snapshots, write_snapshots
from magic_tools.tools.picturing import PICTURED, Pictures
from magic_tools.tools.tool import Tool, tool
from tests.benchmarks.test_compile import functions

TOOLS = 1_000
ROUNDS = 3
LONGEST_S = 3.0
LARGEST_RATIO = 2.0


def imported() -> list[Tool[..., Any]]:
    """Tools as an import leaves them: their schemas are checked, and nothing is rendered."""
    made = [tool(function, name=f"search_{number}") for number, function in enumerate(many())]
    for each in made:
        each.told()
    gc.collect()
    return made


def many() -> list[Callable[..., Any]]:
    return [function for _ in range(TOOLS // 100) for function in functions()]


def seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def rendered(tools: list[Tool[..., Any]]) -> None:
    for each in tools:
        once = each.served_as(each.executable)
        for dialect in PICTURED:
            once.definition(dialect)


def digested(tools: list[Tool[..., Any]]) -> None:
    for each in tools:
        each.contract.to_data()


def test_a_check_of_a_thousand_tools(tmp_path: Path, say: Callable[[str], None]) -> None:
    """It takes less than three seconds beyond importing them, and at most twice what rendering alone takes."""
    write_snapshots(tmp_path, Pictures(imported()))
    rounds = []
    for _ in range(ROUNDS):
        tools = imported()
        rendering, digesting = seconds(lambda: rendered(tools)), seconds(lambda: digested(tools))  # noqa: B023 - at once
        pictures = Pictures(imported())
        checking = seconds(lambda: [*compare_snapshots(tmp_path, pictures), *unused_snapshots(tmp_path, pictures)])  # noqa: B023
        rounds.append((rendering, digesting, checking))
    rendering, digesting, checking = (min(column) for column in zip(*rounds, strict=True))
    say(
        f"{TOOLS:,} tools checked in {checking:.2f} s: {len(PICTURED)} definitions each {rendering:.2f} s, digests "
        f"{digesting:.2f} s, reading and comparing the rest; {checking / rendering:.2f} times the definitions alone"
    )
    assert checking < LONGEST_S
    assert checking <= LARGEST_RATIO * rendering
