"""What the embedded model gets right: the figures that README gives of it."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path

from pydantic import TypeAdapter

from magic_tools import RunError, load_model, run

ROOT = Path(__file__).parents[2]
LETTERS = Path(__file__).with_name("letters.jsonl")


def test_what_the_embedded_model_gets_right(say: Callable[[str], None]) -> None:
    """It reads most order numbers and amounts, and guesses at what is meant: README says so, in these figures."""
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
    say(f"of {len(letters)} letters: {right}")
    assert right["order_id"] >= len(letters) // 2
    assert right["whole"] >= 1
