"""What models really send, as tables: what each text comes to, or how it is refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from magic_tools.errors import ParseError
from magic_tools.loose.decode import parse
from tests.loose.case_language import cases_of, is_met, target_of, text_of

GIVEN = cases_of("given")
CASES = [*GIVEN, *cases_of("own"), *cases_of("found")]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case(case: dict[str, Any]) -> None:
    """Each text comes to the value that is wanted, or is refused by the kind of what is wrong."""
    outcome: Any
    try:
        outcome = parse(target_of(case), text_of(case)).value
    except ParseError as error:
        outcome = error
    assert any(is_met(outcome, wanted) for wanted in (case["expect"], *case.get("accept", ()))), repr(outcome)[:500]


def test_each_kind_has_cases_of_its_own() -> None:
    """Beside the cases that were given, each kind has at least as many others, and no id stands twice."""
    given, all_of_them = (Counter(case["kind"] for case in cases) for cases in (GIVEN, CASES))
    assert {kind: count for kind, count in given.items() if all_of_them[kind] < 2 * count} == {}
    assert max(Counter(case["id"] for case in CASES).values()) == 1
