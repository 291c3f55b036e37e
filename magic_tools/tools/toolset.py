"""Several tools under unique names, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from magic_tools.errors import DefinitionError
from magic_tools.messages import ToolDefinition
from magic_tools.schema.dialects import Dialect
from magic_tools.tools.tool import Tool, tool
from magic_tools.values import JsonObject

__all__ = ["Toolset"]


class Toolset:
    """An ordered set of tools; plain functions are made into tools.

    DefinitionError if two have one name, or if one is a method without its object.
    """

    def __init__(self, *tools: Tool[..., Any] | Callable[..., Any]) -> None:
        self._tools: dict[str, Tool[..., Any]] = {}
        for given in tools:
            made = given if isinstance(given, Tool) else tool(given)
            if made.executable.signature.unbound:
                raise DefinitionError(
                    f"The tool {made.name!r} is a method without its object: pass it from an instance, "
                    f"as in `obj.{made.name}`."
                )
            if made.name in self._tools:
                raise DefinitionError(f"Two tools are called {made.name!r}: give one another with `@tool(name=...)`.")
            self._tools[made.name] = made

    def __iter__(self) -> Iterator[Tool[..., Any]]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __getitem__(self, name: str) -> Tool[..., Any]:
        return self._tools[name]

    def __repr__(self) -> str:
        return f"Toolset({', '.join(self._tools)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._tools)

    def only(self, *names: str) -> Toolset:
        """A toolset of these alone, in this set's order; DefinitionError for a name that it does not have."""
        self._check(names)
        return Toolset(*(made for made in self if made.name in names))

    def without(self, *names: str) -> Toolset:
        """A toolset of all but these; DefinitionError for a name that it does not have."""
        self._check(names)
        return Toolset(*(made for made in self if made.name not in names))

    def definitions(self, dialect: Dialect = "openai-chat") -> list[JsonObject]:
        """What a provider is sent of the tools, in order; copies that the caller may change."""
        return [made.definition(dialect) for made in self]

    def told(self) -> tuple[ToolDefinition, ...]:
        """The tools as a request carries them to any model."""
        return tuple(made.told() for made in self)

    def _check(self, names: tuple[str, ...]) -> None:
        for name in names:
            if name not in self._tools:
                raise DefinitionError(f"There is no tool {name!r} here; there are: {', '.join(self._tools) or 'none'}.")
