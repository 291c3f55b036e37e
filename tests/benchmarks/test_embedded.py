"""What the embedded model gets right: the figures that README gives of it."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from magic_tools import RunError, load_model, run

ROOT = Path(__file__).parents[2]
LETTERS = Path(__file__).with_name("letters.jsonl")


def test_what_the_embedded_model_gets_right(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> None:
    """It reads most order numbers and amounts, and guesses at what is meant: README says so, in these figures."""
    if not request.config.getoption("benchmark_enable"):
        pytest.skip("takes minutes: run it by `nox -s bench`")
    ticket = TypeAdapter(runpy.run_path(str(ROOT / "docs" / "examples" / "tickets.py"))["TicketInfo"])
    letters = [json.loads(line) for line in LETTERS.read_text(encoding="utf-8").splitlines()]
    model = load_model("local")
    right = dict.fromkeys(("order_id", "amount", "category", "urgency", "whole"), 0)
    for letter in letters:
        expected = ticket.validate_python({name: held for name, held in letter.items() if name != "text"})
        try:
            read = run(letter["text"], output=type(expected), model=model).value
        except RunError:
            continue
        for name in ticket.json_schema()["properties"]:
            right[name] += getattr(read, name) == getattr(expected, name)
        right["whole"] += read == expected
    with capsys.disabled():
        print(f"\nof {len(letters)} letters: {right}")  # noqa: T201 - a measurement is there to be read
    assert right["order_id"] >= len(letters) // 2
    assert right["whole"] >= 1
