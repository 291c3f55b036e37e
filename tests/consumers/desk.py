"""The tools that the tests of consumers compare: a ticket desk before and after a change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from magic_tools import Policy, Tool, tool

__all__ = ["desk", "made"]

F = TypeVar("F", bound=Callable[..., Any])


def made(fn: Callable[..., Any], version: str | None = "1.0.0", **options: Any) -> Tool[..., Any]:
    """A function as the tool `desk.create`, of a version and with declarations beside it."""
    behaviour = {name: options.pop(name) for name in ("timeout", "retries", "fallback") if name in options}
    policy = Policy(**{"id": "desk.create", "version": version, "risk": "write"} | options)
    return tool(fn, name="create", policy=policy, **behaviour)


def desk(version: str | None = "1.0.0", **options: Any) -> Tool[..., Any]:
    """The desk as it was at first."""

    def create(title: str, priority: str = "P3", note: str | None = None) -> dict[str, str]:
        """Create a ticket."""
        return {"id": "T-1", "title": title, "priority": priority}

    return made(create, version, **options)
