"""The key of a call: the same for the same call of one run, and for no other."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from magic_tools import IdempotencyKey, Injected, RunOptions, Tool, tool
from magic_tools.tools.idempotency import canonical_arguments


def keyed(name: str = "pay", most: int = 100) -> Tool[..., str]:
    def pay(
        cents: Annotated[int, Field(le=most)],
        key: Injected[IdempotencyKey],
        note: str = "none",
        pin: SecretStr | None = None,
        rate: float = 1,
        tags: dict[str, Any] | None = None,
    ) -> str:
        assert isinstance(key, IdempotencyKey)
        return key

    return tool(pay, name=name)


def key_of(made: Tool[..., str], arguments: Any, run_id: str = "r1") -> str:
    key: str = made.invoke(arguments, options=RunOptions(run_id=run_id)).value
    return key


BASE = key_of(keyed(), {"cents": 5})


@pytest.mark.parametrize(
    "arguments",
    ['{"cents": 5}', '{"cents": 5.0}', '{"cents": "5"}', '{"note": "none", "cents": 5}', '{"cents": 5, "rate": 1.0}',
     '```json\n{"cents": 5,}\n```', {"cents": 5, "tags": None}],
)  # fmt: skip
def test_the_same_call(arguments: Any) -> None:
    """However it is spelled, and with defaults or without: the key is the same."""
    assert key_of(keyed(), arguments) == BASE


@pytest.mark.parametrize(
    "make",
    [
        lambda: key_of(keyed(), {"cents": 6}),
        lambda: key_of(keyed(), {"cents": 5, "note": "x"}),
        lambda: key_of(keyed(), {"cents": 5, "pin": "1"}),
        lambda: key_of(keyed(), {"cents": 5, "pin": "2"}),
        lambda: key_of(keyed(), {"cents": 5, "tags": {"a": 1}}),
        lambda: key_of(keyed(), {"cents": 5, "tags": {"a": "1"}}),
        lambda: key_of(keyed(), {"cents": 5}, run_id="r2"),
        lambda: key_of(keyed(name="pay_more"), {"cents": 5}),
        lambda: key_of(keyed(most=99), {"cents": 5}),
    ],
)
def test_another_call(make: Callable[[], str]) -> None:
    """Other arguments, secret ones too, another run, tool or contract: another key."""
    assert make() != BASE


def test_keys_differ_in_pairs() -> None:
    """No two of the other calls share one either."""
    other = [{"cents": 5, "pin": "1"}, {"cents": 5, "pin": "2"}, {"cents": 5, "tags": {"a": 1}},
             {"cents": 5, "tags": {"a": "1"}}, {"cents": 5, "tags": {"a": True}}]  # fmt: skip
    keys = [key_of(keyed(), arguments) for arguments in other]
    assert len(set(keys)) == len(keys)


def test_each_run_is_its_own() -> None:
    """Without a name each call by hand is a run of its own, whose key no other call has."""
    assert keyed().invoke({"cents": 5}).value != keyed().invoke({"cents": 5}).value


def test_the_key_is_hidden() -> None:
    """No model sees or sets it, and a context cannot either."""
    made = keyed()
    assert "key" not in made.contract.input_schema["properties"]
    assert made.invoke({"cents": 5, "key": "mine"}).is_error
    assert made.invoke({"cents": 5}, context={"key": "mine"}).value.startswith("sha256:")
    assert "sha256" not in repr(made.invoke({"cents": "x"}))


def test_a_key_that_may_be_absent() -> None:
    """Also where the parameter may be None for Python's callers, and where amounts are Decimals."""

    @tool
    def pay(amount: Decimal, key: Injected[IdempotencyKey | None] = None) -> str:
        return str(key)

    assert pay.invoke({"amount": "1.50"}).content.startswith("sha256:")
    assert pay(Decimal(1)) == "None"


SETS = """
import json, sys
from magic_tools import Injected, IdempotencyKey, Policy, RunOptions, tool

@tool(policy=Policy(idempotent=True))
def charge(skus: set[str], key: Injected[IdempotencyKey], tags: frozenset[str] = frozenset("abcd")) -> str:
    return key

for skus in (["x", "y", "zz", "w"], ["w", "zz", "x", "y"]):
    print(charge.invoke({"skus": skus}, options=RunOptions(run_id="r")).value)
"""


def test_the_items_of_a_set_have_no_order() -> None:
    """However Python keeps them, in whatever process, it is the same call."""
    keys = [
        subprocess.run(
            [sys.executable, "-c", SETS], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True
        ).stdout.split()
        for seed in ("1", "2", "3")
    ]
    assert len({key for each in keys for key in each}) == 1
    assert [len(each) for each in keys] == [2, 2, 2]


def test_order_in_a_list_is_kept() -> None:
    """Only what is declared as a set is put in order, wherever it stands."""

    class Order(BaseModel):
        first: list[int]
        any_of: set[int] | None = None
        rows: tuple[set[int], ...] = ()

    @tool
    def send(order: Order) -> str:
        return "sent"

    target = send.executable
    value = target.arguments.parse('{"order": {"first": [3, 1], "any_of": [9, 8, 10], "rows": [[16, 8], [1]]}}').value
    told = canonical_arguments(target, value)
    assert told == {"order": {"first": [3, 1], "any_of": [10, 8, 9], "rows": [[16, 8], [1]]}}
