"""The contract file of the customer lookup: it is what the function promises, and refuses what is not."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from magic_tools import DefinitionError, Tool, ToolContract, bind_contract, lint

FILE = Path(__file__).parents[2] / "docs" / "examples" / "customer_lookup.py"
CONTEXT = {"scopes": {"crm.customer.read"}}


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("example_of_customer_lookup", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLE = loaded()
LOOKUP: Tool[..., Any] = EXAMPLE.customer_lookup
TEXT = EXAMPLE.CONTRACT.read_text(encoding="utf-8")


def test_the_file_is_the_function_s_contract() -> None:
    """Written from the function, read back, equal; the file in the folder says the same, and binds the function."""
    written = LOOKUP.contract
    assert ToolContract.from_yaml(written.to_yaml()) == written
    assert ToolContract.from_json(written.to_json()) == written
    assert ToolContract.from_yaml(EXAMPLE.CONTRACT) == written
    assert bind_contract(EXAMPLE.CONTRACT, LOOKUP) is LOOKUP
    without_digests = [line for line in written.to_yaml().splitlines() if "_digest: " not in line]
    assert [line.replace("'2099-06-30'", "2099-06-30") for line in without_digests] == TEXT.splitlines()


def test_what_the_contract_says() -> None:
    """Every value of the worked example is where it belongs."""
    contract = LOOKUP.contract
    policy = contract.policy
    assert (contract.id, contract.version, policy.owner) == ("crm.customer.lookup", "2.1.0", "customer-platform")
    assert policy.lifecycle.stage(datetime.now(UTC)) == "active"
    assert (policy.risk, policy.data_class, policy.scopes) == ("read_sensitive", "confidential", ("crm.customer.read",))
    assert (policy.semantics.idempotency, policy.semantics.consistency) == ("not_applicable", "not_read_your_writes")
    assert (policy.accepts, policy.deprecates, policy.masks) == (("2.x",), ("1.x",), ("phone", "address"))
    assert policy.examples == ({"email": "ada@example.com"},)
    assert [wrong.rule for wrong in policy.wrong_examples] == ["one_identity", None]


@pytest.mark.parametrize(
    ("version", "day", "service"),
    [
        ("2.0.0", 30, "served"),
        ("2.9.0", 29, "served"),
        ("1.0.0", 29, "deprecated"),
        ("1.9.9", 30, "refused"),
        ("0.9.0", 29, "refused"),
        ("3.0.0", 29, "refused"),
    ],
)
def test_which_calls_are_served(version: str, day: int, service: str) -> None:
    """Calls for 2.x are, those for 1.x until the sunset with a warning, and no others."""
    assert LOOKUP.contract.serves(version, datetime(2099, 6, day, tzinfo=UTC)) == service


def test_calls() -> None:
    """By e-mail a customer is found with phone and address masked; an ambiguous identity and a name are refused."""
    found = LOOKUP.invoke({"email": "ada@example.com"}, context=CONTEXT)
    assert '"phone":"***","address":"***"' in found.content
    for wrong in LOOKUP.policy.wrong_examples:
        assert LOOKUP.invoke(wrong.arguments, context=CONTEXT).is_error
    assert LOOKUP.invoke({}, context=CONTEXT).is_error
    assert LOOKUP.invoke({"email": "ada@example.com"}).is_error
    assert lint(LOOKUP, profile="production") == []


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("owner: customer-platform", "owner: crm", 'owner: the file says "crm", the function "customer-platform"'),
        ("{8}$'}\n      - type", "{9}$'}\n      - type", "input.customer_id.anyOf: the file says"),
        ("maxLength: 80", "maxLength: 90", "output.name.maxLength: the file says 90, the function 80"),
        ("sunset: 2099-06-30", "sunset: 2099-12-31", 'sunset: the file says "2099-12-31", the function "2099-06-30"'),
        ("rules: [one_identity]", "rules: []", 'rules: the file says nothing, the function ["one_identity"]'),
        ("masks: [phone, address]", "masks: [phone]", 'masks: the file says ["phone"], the function'),
    ],
)
def test_a_file_that_disagrees_is_refused(old: str, new: str, place: str) -> None:
    """It says where, and what both say."""
    assert TEXT.count(old) == 1
    with pytest.raises(DefinitionError) as caught:
        bind_contract(TEXT.replace(old, new), LOOKUP)
    assert f"disagree in one place:\n- {place}" in str(caught.value)


def test_the_example_runs() -> None:
    """As a program it shows all of this."""
    done = subprocess.run([sys.executable, str(FILE)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "the file says what the function does: True\nwritten and read again: True\n" in done.stdout
    assert 'masks: the file says ["phone"], the function ["phone", "address"]' in done.stdout
