"""What a dialect has room for beside a tool's name, text and schemas."""

from __future__ import annotations

from magic_tools.schema.dialects.table import Dialect
from magic_tools.tools.executable import Executable
from magic_tools.values import JsonObject

__all__ = ["CONTRACT_KEY", "beside"]

CONTRACT_KEY = "io.github.magic-tools/contract"
"""Under which MCP's `_meta` has what a contract says and MCP has no field for (MCP 2026-07-28, basic, `_meta`)."""

_IN_META = (
    "id", "version", "interface_digest", "surface_digest", "accepts", "deprecates", "sunset", "error_schema",
)  # fmt: skip


def beside(made: Executable, dialect: Dialect) -> JsonObject:
    """What is added to a tool's definition in a dialect: for MCP its title, and of its contract what identifies it.

    `deprecation` is there only where the contract declares a life cycle.
    """
    if dialect != "mcp":
        return {}
    data = made.contract.to_data()
    told = {name: data[name] for name in _IN_META if name in data}
    told |= {"deprecation": data["lifecycle"]} if "lifecycle" in data else {}
    titled = {"title": data["title"]} if "title" in data else {}
    return {**titled, "_meta": {CONTRACT_KEY: told}}
