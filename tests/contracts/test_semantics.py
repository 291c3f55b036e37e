"""What is declared of how calls behave: the known words, and the form of a rate."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from magic_tools.contracts.policy import Policy
from magic_tools.contracts.semantics import Semantics
from magic_tools.errors import DefinitionError


@pytest.mark.parametrize(
    "declared",
    [
        {"idempotency": "not_applicable"},
        {"idempotency": "keyed"},
        {"consistency": "not_read_your_writes"},
        {"consistency": "eventual"},
        {"pagination": "cursor"},
        {"ordering": "newest first"},
        {"rate_limit": "1/s"},
        {"rate_limit": "600/min"},
        {"rate_limit": "1000/h"},
        {"rate_limit": "5000/d"},
        {"long_running": False},
    ],
)
def test_what_may_be_declared(declared: dict[str, Any]) -> None:
    """A known word or a well-formed text is kept as it is, and something is declared then."""
    made = Semantics(**declared)
    assert {name: getattr(made, name) for name in declared} == declared
    assert made.is_declared


def test_nothing_is_declared_by_itself() -> None:
    """Without a declaration every field is None."""
    assert set(dataclasses.astuple(Semantics())) == {None}
    assert not Semantics().is_declared


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"idempotency": "yes"}, r"idempotency='yes'\) is to be one of: not_applicable, idempotent, keyed, none"),
        ({"idempotency": True}, "is to be one of"),
        ({"consistency": ["strong"]}, "is to be one of: read_your_writes"),
        ({"pagination": "pages"}, "is to be one of: none, cursor, offset, page"),
        ({"ordering": " "}, "none, stable, or words"),
        ({"ordering": 1}, "none, stable, or words"),
        ({"rate_limit": "10"}, "a number of calls in a time: '10/s'"),
        ({"rate_limit": "0/s"}, "a number of calls in a time"),
        ({"rate_limit": "10/m"}, "a number of calls in a time"),
        ({"rate_limit": "10 / s"}, "a number of calls in a time"),
        ({"rate_limit": "1.5/s"}, "a number of calls in a time"),
        ({"rate_limit": "10/s\n"}, "a number of calls in a time"),
        ({"rate_limit": 10}, "a number of calls in a time"),
        ({"long_running": "no"}, "is to be True, False or None"),
    ],
)
def test_what_is_no_declaration(declared: dict[str, Any], words: str) -> None:
    """What is none of the known words, or not of the form, is refused with those that there are."""
    with pytest.raises(DefinitionError, match=words):
        Semantics(**declared)


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({"idempotent": True, "semantics": Semantics(idempotency="none")}, "contradicts itself"),
        ({"semantics": Semantics(idempotency="idempotent")}, "idempotent=True, by which they are, is missing"),
        ({"semantics": {"idempotency": "keyed"}}, r"is to be such as Semantics\(idempotency='keyed'\)"),
    ],
)
def test_a_policy_says_the_same(policy: dict[str, Any], words: str) -> None:
    """What the semantics and the policy say of repeating a call may not contradict each other."""
    with pytest.raises(DefinitionError, match=words):
        Policy(**policy)


@pytest.mark.parametrize(
    "policy",
    [
        {"idempotent": True, "semantics": Semantics(idempotency="idempotent")},
        {"read_only": True, "semantics": Semantics(idempotency="idempotent")},
        {"idempotent": True, "semantics": Semantics(idempotency="keyed")},
        {"semantics": Semantics(idempotency="none")},
        {"read_only": True, "semantics": Semantics(idempotency="not_applicable")},
    ],
)
def test_a_policy_that_agrees(policy: dict[str, Any]) -> None:
    """What agrees, or leaves the one or the other open, is taken."""
    assert Policy(**policy).semantics == policy["semantics"]
