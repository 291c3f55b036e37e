"""The life of a tool: its instants, their order, the stage at a time, and what is told of it."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from magic_tools.contracts.lifecycle import STAGES, Lifecycle, Stage, instant_text
from magic_tools.errors import DefinitionError

EAST = timezone(timedelta(hours=8))
WHY: dict[str, Any] = {"reason": "Replaced."}


@pytest.mark.parametrize(
    ("given", "kept", "text"),
    [
        (date(2026, 12, 1), datetime(2026, 12, 1, tzinfo=UTC), "2026-12-01"),
        ("2026-12-01", datetime(2026, 12, 1, tzinfo=UTC), "2026-12-01"),
        (" 2026-12-01 ", datetime(2026, 12, 1, tzinfo=UTC), "2026-12-01"),
        ("2026-12-01T09:30:00Z", datetime(2026, 12, 1, 9, 30, tzinfo=UTC), "2026-12-01T09:30:00Z"),
        ("2026-12-01T08:00:00+08:00", datetime(2026, 12, 1, tzinfo=UTC), "2026-12-01"),
        (datetime(2026, 12, 1, 7, tzinfo=EAST), datetime(2026, 11, 30, 23, tzinfo=UTC), "2026-11-30T23:00:00Z"),
        (datetime(2026, 12, 1, 0, 0, 0, 5, UTC), datetime(2026, 12, 1, 0, 0, 0, 5, UTC), "2026-12-01T00:00:00.000005Z"),
    ],
)
def test_an_instant_is_kept_in_utc(given: Any, kept: datetime, text: str) -> None:
    """A date is its first instant in UTC, a datetime the same instant there, a text what ISO 8601 says."""
    life = Lifecycle(announced=given)
    assert life.announced is not None
    assert (life.announced, life.announced.tzinfo) == (kept, UTC)
    assert instant_text(life.announced) == text
    assert Lifecycle(announced=text) == life


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (datetime(2026, 12, 1), "has no zone, so that nobody knows which instant is meant: give tzinfo=UTC"),
        ("2026-12-01T09:30:00", "has no zone.*'2026-12-01T09:30:00Z'"),
        ("tomorrow", "is no date by ISO 8601"),
        ("2026-13-01", "is no date by ISO 8601"),
        ("2026-02-30", "is no date by ISO 8601"),
        ("01.12.2026", "is no date by ISO 8601"),
        ("", "is no date by ISO 8601"),
        (20261201, "is to be a date, a datetime with a zone, or a text"),
        (True, "is to be a date"),
        (datetime(1, 1, 1, tzinfo=EAST), "is beyond the years"),
    ],
)
def test_what_is_no_instant(given: Any, words: str) -> None:
    """A time without a zone and what is no time are refused, under the name of the stage."""
    with pytest.raises(DefinitionError, match=rf"Lifecycle\(rejected=.*{words}"):
        Lifecycle(rejected=given, **WHY)


@pytest.mark.parametrize("at", range(1, len(STAGES)))
def test_the_stages_do_not_go_backwards(at: int) -> None:
    """Each stage may begin with the one before it and not sooner: so a sunset is never before its announcement."""
    earlier, later = STAGES[at - 1], STAGES[at]
    Lifecycle(**{earlier: "2026-12-02", later: "2026-12-02"}, **WHY)
    words = rf"{later} \(2026-12-01\) is before {earlier} \(2026-12-02\)"
    with pytest.raises(DefinitionError, match=words):
        Lifecycle(**{earlier: "2026-12-02", later: "2026-12-01"}, **WHY)


def test_the_order_holds_over_what_is_left_out() -> None:
    """Stages between two that are declared do not hide that they go backwards."""
    with pytest.raises(DefinitionError, match=r"retired .* is before announced"):
        Lifecycle(announced="2026-12-02", retired="2026-12-01", **WHY)


@pytest.mark.parametrize("stage", ["rejected", "retired"])
@pytest.mark.parametrize("told", [{"replacement": "a.b"}, {"guide": "g"}, {"reason": "r"}])
def test_whoever_is_refused_is_told_what_to_do(stage: str, told: dict[str, Any]) -> None:
    """No call may be refused without a replacement, a guide or a reason; a contact alone says nothing to a model."""
    assert Lifecycle(**{stage: "2026-12-01"}, **told).is_declared
    with pytest.raises(DefinitionError, match="calls are refused from 2026-12-01, and nothing says what to do"):
        Lifecycle(**{stage: "2026-12-01"}, contact="team@example.com")


@pytest.mark.parametrize("stage", ["announced", "hidden", "warned"])
def test_a_stage_that_refuses_nothing_needs_no_word(stage: str) -> None:
    """Before calls are refused nothing has to be said."""
    assert Lifecycle(**{stage: "2026-12-01"}).is_declared


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"replacement": "a b"}, r"Lifecycle\(replacement='a b'\) is no identifier"),
        ({"replacement": "a@2"}, r"Lifecycle\(replacement='a@2'\): '2' is no version"),
        ({"replacement": "@2.0.0"}, "is no identifier"),
        ({"replacement": 3}, "is to be a text that is not blank, or None"),
        ({"guide": " "}, r"Lifecycle\(guide=' '\) is to be a text that is not blank"),
        ({"contact": ""}, "is to be a text that is not blank"),
        ({"reason": []}, "is to be a text that is not blank"),
    ],
)
def test_what_is_no_declaration(declared: dict[str, Any], words: str) -> None:
    """A replacement is an identifier, perhaps with a version; the rest are texts."""
    with pytest.raises(DefinitionError, match=words):
        Lifecycle(**declared)


WHOLE = Lifecycle(
    announced="2026-01-01", hidden="2026-02-01", warned="2026-03-01", rejected="2026-04-01", retired="2026-05-01",
    replacement="crm.find@3.0.0",
)  # fmt: skip


@pytest.mark.parametrize(
    ("at", "stage"),
    [
        ("2025-12-31T23:59:59.999999Z", "active"),
        ("2026-01-01T00:00:00Z", "announced"),
        ("2026-01-31T23:59:59Z", "announced"),
        ("2026-02-01T00:00:00Z", "hidden"),
        ("2026-03-01T00:00:00Z", "warned"),
        ("2026-04-01T08:00:00+08:00", "rejected"),
        ("2026-04-01T07:59:59+08:00", "warned"),
        ("2026-05-01T00:00:00Z", "retired"),
        ("2099-01-01T00:00:00Z", "retired"),
    ],
)
def test_the_stage_is_the_last_that_has_begun(at: str, stage: Stage) -> None:
    """From its first instant on, wherever the clock stands."""
    assert WHOLE.stage(datetime.fromisoformat(at)) == stage


def test_a_stage_that_is_left_out_never_comes() -> None:
    """Of what is declared, one stage goes over into the next that is; nothing declared is active for ever."""
    life = Lifecycle(announced="2026-01-01", rejected="2026-04-01", reason="r")
    assert life.stage(datetime(2026, 3, 31, tzinfo=UTC)) == "announced"
    assert Lifecycle().stage(datetime(2999, 1, 1, tzinfo=UTC)) == "active"
    assert not Lifecycle().is_declared


def test_stages_that_begin_together() -> None:
    """Of several with one beginning the last holds."""
    life = Lifecycle(announced="2026-01-01", hidden="2026-01-01", warned="2026-01-01")
    assert life.stage(datetime(2026, 1, 1, tzinfo=UTC)) == "warned"


def test_a_clock_without_a_zone_is_refused() -> None:
    """The stage is asked for by an instant, not by a reading of some clock."""
    with pytest.raises(DefinitionError, match="has no zone"):
        WHOLE.stage(datetime(2026, 1, 1))


@pytest.mark.parametrize(
    ("life", "words"),
    [
        (Lifecycle(), ""),
        (Lifecycle(replacement="a.b"), ""),
        (Lifecycle(announced="2026-12-01"), "Deprecated as of 2026-12-01."),
        (
            Lifecycle(announced="2026-12-01", rejected="2027-06-01", replacement="crm.customer.find"),
            "Deprecated as of 2026-12-01, refused from 2027-06-01: use crm.customer.find instead.",
        ),
        (Lifecycle(hidden="2026-12-01", replacement="a"), "Deprecated as of 2026-12-01: use a instead."),
        (Lifecycle(rejected="2027-06-01", reason="The shop is closed"), "Refused from 2027-06-01. The shop is closed."),
        (Lifecycle(retired="2027-06-01T09:00:00Z", reason="No."), "Refused from 2027-06-01T09:00:00Z. No."),
        (
            Lifecycle(
                announced="2026-12-01", retired="2027-06-01", replacement="a.b@3.0.0", reason="It was slow。",
                guide="https://example.com/guide", contact="crm@example.com",
            ),
            (
                "Deprecated as of 2026-12-01, refused from 2027-06-01: use a.b@3.0.0 instead. It was slow。 "
                "https://example.com/guide Ask crm@example.com."
            ),
        ),
    ],
)  # fmt: skip
def test_what_is_told_of_it(life: Lifecycle, words: str) -> None:
    """One sentence with the dates and the replacement, then what else was declared; the clock changes nothing."""
    assert life.words == words


def test_the_words_stand_below_the_description() -> None:
    """They are its last paragraph, alone where there is no other, and absent where there are none."""
    life = Lifecycle(announced="2026-12-01")
    assert life.added_to("Find.") == "Find.\n\nDeprecated as of 2026-12-01."
    assert life.added_to("") == "Deprecated as of 2026-12-01."
    assert Lifecycle().added_to("Find.") == "Find."


def test_a_life_is_a_frozen_value() -> None:
    """It cannot be set, and copies, pickles and replacements are what they look like."""
    with pytest.raises(FrozenInstanceError):
        WHOLE.reason = "x"  # type: ignore[misc]  # the fault that is tested
    assert copy.deepcopy(WHOLE) == WHOLE == pickle.loads(pickle.dumps(WHOLE))
    assert hash(copy.copy(WHOLE)) == hash(WHOLE)
    assert replace(WHOLE, retired=None) != WHOLE
    assert replace(WHOLE, retired=None).rejected == WHOLE.rejected
