"""The ticket desk, at its end: the case desk takes its place."""

from __future__ import annotations

from typing import Literal, TypedDict

from magic_tools import Lifecycle, Policy, tool

Priority = Literal["P1", "P2", "P3"]


class Ticket(TypedDict):
    """A ticket, as it was opened."""

    id: str
    title: str
    priority: Priority


ENDING = Lifecycle(
    announced="2027-09-01",
    rejected="2028-01-01",
    retired="2028-03-01",
    replacement="cases.open",
    guide="https://example.com/cases",
    contact="the desk, desk@example.com",
)


@tool(policy=Policy(version="2.1.0", risk="write", lifecycle=ENDING))
def create_ticket(title: str, priority: Priority = "P2", urgency: Literal["low", "high"] | None = None) -> Ticket:
    """Open a ticket at the desk."""
    return {"id": "T-1", "title": title, "priority": "P1" if urgency == "high" else priority}
