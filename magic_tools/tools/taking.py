"""What a toolset is given: tools or functions, texts and counts, or an error that says what else came."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from magic_tools.errors import DefinitionError
from magic_tools.tools.tool import Tool, tool

__all__ = ["check_count", "check_texts", "made_of"]


def made_of(given: Any) -> Tool[..., Any]:
    """The tool of what was given as one; DefinitionError if there is none."""
    kind = f"a value of type {type(given).__name__}"
    if isinstance(given, type):
        raise DefinitionError(f"{given.__name__} is a class and no tool: pass functions, or an object's methods.")
    if not callable(given):
        if isinstance(given, Iterable) and not isinstance(given, str):
            raise DefinitionError(f"A toolset takes tools one by one, got {kind}: unpack it, as in Toolset(*tools).")
        raise DefinitionError(f"This is no tool but {kind}: pass functions as they are, without calling them.")
    made = given if isinstance(given, Tool) else tool(given)
    if made.executable.signature.unbound:
        raise DefinitionError(
            f"The tool {made.name!r} is a method without its object: pass it from an instance, as in `obj.{made.name}`."
        )
    return made


def check_texts(what: str, given: tuple[object, ...]) -> None:
    """DefinitionError unless a toolset is asked by texts."""
    for each in given:
        if not isinstance(each, str):
            raise DefinitionError(f"A toolset is asked for {what} by text, got a value of type {type(each).__name__}.")


def check_count(k: object) -> None:
    """DefinitionError unless a search may give so many."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise DefinitionError(f"A search gives a whole number of tools, at least one, and k is {k!r}.")
