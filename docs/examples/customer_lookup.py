"""A contract as a file: written from the function, read back, equal, and refused where the two disagree."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, TypedDict

from pydantic import EmailStr, Field

from magic_tools import (
    DefinitionError,
    ErrorCode,
    Policy,
    Semantics,
    ToolContract,
    ToolFailure,
    WrongExample,
    bind_contract,
    tool,
)

CONTRACT = Path(__file__).with_suffix(".yaml")


class Customer(TypedDict):
    """A customer as the service desk may see them; phone and address are masked for everybody else."""

    customer_id: Annotated[str, "C and eight digits", Field(pattern="^C[0-9]{8}$")]
    name: Annotated[str, "As on the contract", Field(max_length=80)]
    email: Annotated[EmailStr, "The address for invoices"]
    phone: Annotated[str, "With the country's code", Field(max_length=20)]
    address: Annotated[str, "Street, number, town", Field(max_length=200)]


CUSTOMERS = [
    Customer(
        customer_id="C00012041",
        name="Ada Nowak",
        email="ada@example.com",
        phone="+48 22 555 01 20",
        address="Prosta 5, Warszawa",
    ),
]


@tool(
    timeout=3.0,
    retries=1,
    policy=Policy(
        id="crm.customer.lookup",
        version="2.1.0",
        title="Customer lookup",
        owner="customer-platform",
        risk="read_sensitive",
        data_class="confidential",
        read_only=True,
        semantics=Semantics(idempotency="not_applicable", consistency="not_read_your_writes"),
        scopes=("crm.customer.read",),
        masks=("phone", "address"),
        accepts=("2.x",),
        deprecates=("1.x",),
        sunset=date(2099, 6, 30),
        metrics_prefix="tool.customer_lookup",
        examples=({"email": "ada@example.com"},),
        wrong_examples=(
            WrongExample(
                {"email": "ada@example.com", "customer_id": "C00012041"},
                "two identities, which may be of two customers",
                rule="one_identity",
            ),
            WrongExample({"name": "Ada Nowak"}, "a name, which many have"),
        ),
        error_schema={"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
    ),
)
def customer_lookup(
    email: Annotated[EmailStr | None, "The customer's address for invoices"] = None,
    customer_id: Annotated[str | None, "C and eight digits", Field(pattern="^C[0-9]{8}$")] = None,
) -> Customer:
    """Look up one customer by e-mail or by customer id: give one of the two.

    Not for a search by name: no name is unique.
    """
    for customer in CUSTOMERS:
        if email == customer["email"] or customer_id == customer["customer_id"]:
            return customer
    raise ToolFailure("No customer has this identity.", ErrorCode.NOT_FOUND)


@customer_lookup.rule
def one_identity(email: str | None, customer_id: str | None) -> None:
    """One of the two names a customer; with both they may be two, with none nobody is meant."""
    if (email is None) == (customer_id is None):
        raise ValueError("give either email or customer_id, and not both")


def main() -> None:
    """Hold the function to its file, and a changed file to the function."""
    contract = ToolContract.from_yaml(CONTRACT)
    print("the file says what the function does:", contract == customer_lookup.contract)
    print("written and read again:", ToolContract.from_yaml(contract.to_yaml()) == contract)
    before, after = datetime(2099, 6, 29, tzinfo=UTC), datetime(2099, 6, 30, tzinfo=UTC)
    for version, at in (("2.0.0", after), ("1.4.0", before), ("1.4.0", after), ("3.0.0", before)):
        print(f"a call for {version} on {at:%Y-%m-%d}:", contract.serves(version, at))
    changed = CONTRACT.read_text(encoding="utf-8").replace("masks: [phone, address]", "masks: [phone]")
    try:
        bind_contract(changed, customer_lookup)
    except DefinitionError as error:
        print(error)


if __name__ == "__main__":
    main()
