"""What it costs to read what a model sends: beside pydantic where it is JSON, beside repairers where it is not."""

from __future__ import annotations

import json
import time
import timeit
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

import fast_json_repair
import json_repair
import pytest
from pydantic import BaseModel, TypeAdapter

from magic_tools.errors import ParseError
from magic_tools.loose.decode import compile_schema, loads, parse
from tests.loose.case_language import cases_of, is_met, target_of, text_of

ROUNDS = 7
ROUND_S = 0.02
LARGEST_UNTYPED_RATIO = 2.2
LARGEST_TYPED_RATIO = 1.8
LARGEST_FENCED_SHARE = 1 / 4
LARGEST_DAMAGED_SHARE = 1 / 3
LARGEST_PROSE_SHARE = 1 / 20
LARGEST_SECONDS = 1.0


class Row(BaseModel):
    """A record as models send many of."""

    id: int
    name: str
    tags: list[str]
    price: float
    in_stock: bool
    note: str | None


def rows(count: int) -> list[dict[str, Any]]:
    """Records of about ninety characters each."""
    return [
        {
            "id": number,
            "name": f"item {number}",
            "tags": ["new", "red"],
            "price": number / 4,
            "in_stock": number % 3 > 0,
            "note": None if number % 2 else "two, in a box",
        }
        for number in range(count)
    ]


RECORDS = rows(1_000)
VALID = json.dumps(RECORDS)
DAMAGED = VALID[: VALID.rindex(', "price"')] + VALID[VALID.rindex(', "price"') + 1 :]
FENCED = "```json\n" + repr(rows(10)).replace("}]", "},]") + "\n```"
PROSE = "The rain in Spain stays mainly in the plain, they say. " * 18_600 + json.dumps(RECORDS[:10])


class Times:
    """How many milliseconds each of several ways to read the same takes, in interleaved rounds."""

    def __init__(self, ways: Mapping[str, Callable[[], object]]) -> None:
        numbers = {name: max(1, int(ROUND_S / timeit.timeit(way, number=1))) for name, way in ways.items()}
        spent: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(ROUNDS):
            for name, way in ways.items():
                spent[name].append(timeit.timeit(way, number=numbers[name]) / numbers[name] * 1e3)
        self.ways = spent

    def ratio(self, way: str, to: str) -> float:
        """The median, over the rounds, of what one way takes as a multiple of another."""
        return median(one / other for one, other in zip(self.ways[way], self.ways[to], strict=True))

    def __str__(self) -> str:
        return ", ".join(f"{name} {min(spent):.3f} ms" for name, spent in self.ways.items())


def test_valid_text(say: Callable[[str], None]) -> None:
    """100 kB of valid JSON take at most 2.2 times pydantic's own strict reading."""
    floor = TypeAdapter[Any](Any)
    assert loads(VALID).value == json.loads(VALID) == RECORDS
    times = Times(
        {
            "loads": lambda: loads(VALID),
            "pydantic": lambda: floor.validate_json(VALID, strict=True),
            "json": lambda: json.loads(VALID),
            "json_repair": lambda: json_repair.loads(VALID),
            "fast_json_repair": lambda: fast_json_repair.loads(VALID),
        }
    )
    ratio = times.ratio("loads", "pydantic")
    say(f"valid, {len(VALID) // 1000} kB: {times}; of pydantic {ratio:.2f}")
    assert ratio <= LARGEST_UNTYPED_RATIO


def test_valid_text_into_models(say: Callable[[str], None]) -> None:
    """100 kB of valid JSON into models take at most 1.8 times pydantic's own reading."""
    floor = TypeAdapter(list[Row])
    read = parse(list[Row], VALID)
    assert read.value == floor.validate_json(VALID)
    assert read.repairs == ()
    times = Times({"parse": lambda: parse(list[Row], VALID), "pydantic": lambda: floor.validate_json(VALID)})
    ratio = times.ratio("parse", "pydantic")
    say(f"models, {len(VALID) // 1000} kB: {times}; of pydantic {ratio:.2f}")
    assert ratio <= LARGEST_TYPED_RATIO


def ratio_to_repairers(name: str, text: str, say: Callable[[str], None]) -> float:
    """What reading a text takes as a share of what json_repair takes; the faster one, in Rust, is told beside it."""
    times = Times(
        {
            "loads": lambda: loads(text),
            "json_repair": lambda: json_repair.loads(text),
            "fast_json_repair": lambda: fast_json_repair.loads(text),
        }
    )
    ratio = times.ratio("loads", "json_repair")
    other = times.ratio("loads", "fast_json_repair")
    say(f"{name}, {len(text) / 1000:.0f} kB: {times}; of json_repair {ratio:.3f}, of fast_json_repair {other:.2f}")
    return ratio


def test_a_fence_and_single_quotes(say: Callable[[str], None]) -> None:
    """1 kB of fenced Python text with a trailing comma takes at most a quarter of json_repair's time."""
    assert loads(FENCED).value == json_repair.loads(FENCED) == rows(10)
    assert ratio_to_repairers("fenced", FENCED, say) <= LARGEST_FENCED_SHARE


def test_damage_near_the_end(say: Callable[[str], None]) -> None:
    """100 kB with one comma missing near their end take at most a third of json_repair's time."""
    assert loads(DAMAGED).value == json_repair.loads(DAMAGED) == RECORDS
    assert ratio_to_repairers("damaged", DAMAGED, say) <= LARGEST_DAMAGED_SHARE


def test_prose_before_an_object(say: Callable[[str], None]) -> None:
    """1 MB of prose with records at its end takes at most a twentieth of json_repair's time."""
    assert loads(PROSE).value == json_repair.loads(PROSE) == RECORDS[:10]
    assert ratio_to_repairers("prose", PROSE, say) <= LARGEST_PROSE_SHARE


GENERATED = [case for name in ("given", "own", "found") for case in cases_of(name) if isinstance(case["input"], dict)]


@pytest.mark.parametrize("case", GENERATED, ids=[case["id"] for case in GENERATED])
def test_a_text_made_to_be_slow(case: dict[str, Any], say: Callable[[str], None]) -> None:
    """No text, however it is made, takes a second; what it comes to is what the case says."""
    text, target = text_of(case), target_of(case)
    compile_schema(target)  # once and for all, so it is no part of the time
    outcome: Any
    start = time.process_time()
    try:
        outcome = parse(target, text).value
    except ParseError as refused:
        outcome = refused
    spent = time.process_time() - start
    say(f"{case['id']}, {len(text) / 1000:.0f} kB: {spent * 1000:.0f} ms")
    assert spent < LARGEST_SECONDS
    assert any(is_met(outcome, wanted) for wanted in (case["expect"], *case.get("accept", ())))
