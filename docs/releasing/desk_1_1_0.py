"""The ticket desk, with an urgency that may be told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from magic_tools import Policy, tool

Priority = Literal["P1", "P2", "P3"]


class Ticket(TypedDict):
    """A ticket, as it was opened."""

    id: str
    title: str
    priority: Priority


@tool(policy=Policy(version="1.1.0", risk="write"))
def create_ticket(title: str, priority: Priority = "P3", urgency: Literal["low", "high"] | None = None) -> Ticket:
    """Open a ticket at the desk."""
    return {"id": "T-1", "title": title, "priority": "P1" if urgency == "high" else priority}


@create_ticket.upgrade_from("1.0.x")
def as_it_was(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of old calls, which say nothing of an urgency."""
    return dict(arguments)
