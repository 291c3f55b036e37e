"""The ticket desk, as it was released first."""

from __future__ import annotations

from typing import Literal, TypedDict

from magic_tools import Policy, tool

Priority = Literal["P1", "P2", "P3"]


class Ticket(TypedDict):
    """A ticket, as it was opened."""

    id: str
    title: str
    priority: Priority


@tool(policy=Policy(version="1.0.0", risk="write"))
def create_ticket(title: str, priority: Priority = "P3") -> Ticket:
    """Open a ticket at the desk."""
    return {"id": "T-1", "title": title, "priority": priority}
