"""Tools by their names, no two of which may be taken for each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from magic_tools.errors import DefinitionError
from magic_tools.tools.tool import Tool

__all__ = ["keyed"]


def keyed(tools: Iterable[Tool[..., Any]]) -> dict[str, Tool[..., Any]]:
    """The tools by name, in order; DefinitionError where two have one name, or one id, as two versions of a tool."""
    names: dict[str, Tool[..., Any]] = {}
    ids: dict[str, Tool[..., Any]] = {}
    for made in tools:
        if made.name in names:
            raise DefinitionError(f"Two tools are called {made.name!r}: give one another with `@tool(name=...)`.")
        names[made.name] = made
        id_ = made.policy.id or made.name
        if (other := ids.setdefault(id_, made)) is not made:
            raise DefinitionError(
                f"The tools {_with_version(other)} and {_with_version(made)} have one id, {id_!r}: leave one out, or "
                "give it an id of its own with Policy(id=...)."
            )
    return names


def _with_version(made: Tool[..., Any]) -> str:
    return repr(made.name) if made.policy.version is None else f"{made.name!r} (version {made.policy.version})"
