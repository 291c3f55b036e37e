"""What is said of a tool's life and version reaches every reader: in each dialect's words, and in MCP's `_meta`."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from magic_tools import Lifecycle, Policy, Tool, Toolset, token_cost, tool
from magic_tools.schema.dialects.table import Dialect
from magic_tools.tools.describing import CONTRACT_KEY

WORDS = "Deprecated as of 2026-12-01, refused from 2027-06-01: use crm.find instead."
LIFE = Lifecycle("2026-12-01", rejected="2027-06-01", replacement="crm.find")


def made(**policy: Any) -> Tool[..., Any]:
    """A tool with this policy."""

    @tool(policy=Policy(**policy))
    def look(name: str) -> dict[str, int]:
        """Look up."""
        return {name: 1}

    return look


def description_in(definition: dict[str, Any]) -> str:
    inner: dict[str, Any] = definition.get("function", definition)
    return str(inner["description"])


@pytest.mark.parametrize("dialect", get_args(Dialect))
def test_every_dialect_tells_of_the_end(dialect: Dialect) -> None:
    """Below the author's words; of a tool without an end they stand alone."""
    assert description_in(made(lifecycle=LIFE).definition(dialect)) == f"Look up.\n\n{WORDS}"
    assert description_in(made().definition(dialect)) == "Look up."


def test_the_end_is_told_wherever_a_tool_is() -> None:
    """In a request, under another name, in a toolset; the contract has the author's own words beside them."""
    look = made(lifecycle=LIFE)
    (again,) = Toolset(look).renamed({"look": "view"})
    for each in (look, again):
        assert each.description == each.told().description == f"Look up.\n\n{WORDS}"
        assert each.contract.description == "Look up."
        assert each.contract.told_description == each.description
    assert look.contract.surface_digest != made().contract.surface_digest
    assert look.contract.interface_digest == made().contract.interface_digest


def test_mcp_has_the_contract_in_meta() -> None:
    """Under one key: what identifies the contract, and of its end, its versions and its failures what is declared."""
    look = made(
        id="crm.look", title="Look", version="2.0.0", accepts=("2.x",), deprecates=("1.x",), sunset="2027-01-01",
        lifecycle=LIFE, error_schema={"type": "object"},
    )  # fmt: skip
    told, contract = look.definition("mcp"), look.contract
    assert told["title"] == "Look"
    assert told["_meta"] == {
        CONTRACT_KEY: {
            "id": "crm.look",
            "version": "2.0.0",
            "interface_digest": contract.interface_digest,
            "surface_digest": contract.surface_digest,
            "accepts": ["2.x"],
            "deprecates": ["1.x"],
            "sunset": "2027-01-01",
            "error_schema": {"type": "object"},
            "deprecation": {"announced": "2026-12-01", "rejected": "2027-06-01", "replacement": "crm.find"},
        }
    }
    prefix, _, name = CONTRACT_KEY.partition("/")
    assert prefix.split(".")[1] not in ("mcp", "modelcontextprotocol")
    assert name == "contract"


def test_mcp_of_a_plain_tool() -> None:
    """Without declarations there are the identifier and the digests; no other dialect has any of it."""
    look = made()
    assert set(look.definition("mcp")["_meta"][CONTRACT_KEY]) == {"id", "interface_digest", "surface_digest"}
    assert "title" not in look.definition("mcp")
    for dialect in get_args(Dialect):
        assert ("_meta" in look.definition(dialect)) == (dialect == "mcp")


def test_meta_is_of_the_tool_that_is_asked() -> None:
    """A tool under another name has its own identity, and what is handed out is the caller's."""
    look = made()
    view = look.renamed("view")
    assert view.definition("mcp")["_meta"][CONTRACT_KEY]["id"] == "view"
    look.definition("mcp")["_meta"].clear()
    assert look.definition("mcp")["_meta"][CONTRACT_KEY]["id"] == "look"


def test_meta_costs_no_tokens() -> None:
    """No model reads it, so that it does not count in what a tool costs."""
    look = made(version="2.0.0", error_schema={"type": "object", "description": "word " * 500})
    assert token_cost(look, "mcp").tokens == token_cost(made(), "mcp").tokens
