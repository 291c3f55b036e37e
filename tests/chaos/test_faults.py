"""Every fault of every provider in every way ends in the right value or its own error, within its time."""

from __future__ import annotations

import pytest

from tests.chaos.all_faults import FAULTS
from tests.chaos.cells import cells_of
from tests.chaos.faults import Fault
from tests.chaos.judging import report_of, wrong_with
from tests.chaos.table import PAGE, written
from tests.chaos.voices import VOICES, Voice

each_voice = pytest.mark.parametrize("voice", VOICES, ids=lambda voice: voice.prefix)
ALL = [fault for faults in FAULTS.values() for fault in faults]


@each_voice
@pytest.mark.parametrize("fault", ALL, ids=lambda fault: fault.name)
def test_a_fault(voice: Voice, fault: Fault) -> None:
    """Its value or error, requests, effects and waits, in a run and asked directly, sync and async, streamed or not."""
    found = report_of(voice).found
    cells = [*cells_of(voice, [fault])]
    wrong = {f"{cell.way}, {cell.mode}": wrong_with(cell, found[cell]) for cell in cells}
    assert {name: words for name, words in wrong.items() if words} == {}


@each_voice
def test_nothing_is_left_behind(voice: Voice) -> None:
    """Once the models are gone, there is no thread of a run, and no connection."""
    assert [*report_of(voice).left] == []


@each_voice
def test_no_log_record_holds_the_key(voice: Voice) -> None:
    """Whatever is logged, by whomever and at whatever level."""
    assert [*report_of(voice).leaks] == []


def test_the_table_is_what_was_found() -> None:
    """`python -m tests.chaos.table` writes it anew."""
    found = {cell: came for voice in VOICES for cell, came in report_of(voice).found.items()}
    assert PAGE.read_text(encoding="utf-8") == written(found)
