"""What comparing contracts costs: of one with 500 arguments, and of definitions that double at each level."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import pytest

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.diff import diff
from magic_tools.values import JsonObject

ROUNDS = 7
MOST_OF_A_DIFF_MS = 50.0
MOST_OF_A_LADDER_MS = 50.0
PROPERTIES, CHANGED = 500, 25
STEPS = 40


def contract(changed: Callable[[int], bool], output: JsonObject | None = None) -> ToolContract:
    """A contract of 500 arguments, some of which take less than usual."""
    properties = {
        f"field_{index}": {
            "type": "string",
            "description": f"What is asked of part {index}.",
            "maxLength": index + 1 + 10 * (not changed(index)),
        }
        for index in range(PROPERTIES)
    }
    required = [f"field_{index}" for index in range(0, PROPERTIES, 3)]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return ToolContract("wide", "Takes much.", schema, output or {"type": "string"})


def measured(old: ToolContract, new: ToolContract) -> tuple[float, int]:
    """Milliseconds that a diff takes of the process, the median of several, and how many changes it finds."""
    times, found = [], 0
    for _ in range(ROUNDS):
        begun = time.process_time()
        found = len(diff(old, new))
        times.append((time.process_time() - begun) * 1_000)
    return statistics.median(times), found


@pytest.mark.parametrize(
    ("changed", "found"),
    [(lambda _: False, 0), (lambda index: index % (PROPERTIES // CHANGED) == 0, CHANGED)],
    ids=["nothing", "a twentieth"],
)
def test_a_contract_of_500_properties(changed: Callable[[int], bool], found: int, say: Callable[[str], None]) -> None:
    """What changed in 500 arguments is found in under 50 ms, with values that prove what breaks."""
    old, new = contract(lambda _: False), contract(changed)
    taken, count = measured(old, new)
    say(f"{PROPERTIES} arguments, {found} changed: {taken:.1f} ms")
    assert count == found
    assert taken < MOST_OF_A_DIFF_MS


def ladder(leaf: str) -> JsonObject:
    """Definitions of which each holds the next one twice."""
    steps = {
        f"D{index}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/D{index + 1}"} for side in "ab"}}
        for index in range(STEPS)
    }
    return {"$ref": "#/$defs/D0", "$defs": {**steps, f"D{STEPS}": {"type": leaf}}}


def test_a_doubling_ladder(say: Callable[[str], None]) -> None:
    """Forty definitions that each hold the next one twice are compared definition by definition, not path by path."""
    old, new = (contract(lambda _: False, ladder(leaf)) for leaf in ("string", "integer"))
    taken, count = measured(old, new)
    say(f"a ladder of {STEPS} definitions: {taken:.1f} ms")
    assert count == 1
    assert taken < MOST_OF_A_LADDER_MS
