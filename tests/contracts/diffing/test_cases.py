"""Each given case and each of our own: the effect that the rules R1 to R10 demand."""

from __future__ import annotations

from collections import Counter

import pytest

from magic_tools.contracts.changes import worst
from magic_tools.contracts.diff import diff_schemas
from tests.contracts.diffing.referee import Case, cases, examples, faults

GIVEN = cases("given")
OWN = cases("own")


def named(case: Case) -> str:
    return case.id


@pytest.mark.parametrize("case", GIVEN, ids=named)
def test_given_case(case: Case) -> None:
    """What was given is what comes out."""
    changes = diff_schemas(case.old, case.new, side=case.side)
    assert (worst(changes) or "compatible") == case.expect, (case.why, changes)


@pytest.mark.parametrize("case", OWN, ids=named)
def test_own_case(case: Case) -> None:
    """What the rules demand is what comes out."""
    changes = diff_schemas(case.old, case.new, side=case.side)
    assert (worst(changes) or "compatible") == case.expect, (case.why, case.ruling, changes)


@pytest.mark.parametrize("case", OWN, ids=named)
def test_own_case_is_right(case: Case) -> None:
    """A witness is one, and where nothing breaks, nothing that the producer may send is refused."""
    assert faults(case, tries=examples(25)) == []


def test_no_case_twice() -> None:
    """Each case has a name of its own, and there are more than those that were given."""
    assert Counter(case.id for case in GIVEN + OWN).most_common(1)[0][1] == 1
    assert len(OWN) > len(GIVEN)
