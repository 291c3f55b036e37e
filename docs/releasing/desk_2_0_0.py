"""The ticket desk, where a ticket is more urgent unless somebody says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from magic_tools import Lifecycle, Policy, tool

Priority = Literal["P1", "P2", "P3"]


class Ticket(TypedDict):
    """A ticket, as it was opened."""

    id: str
    title: str
    priority: Priority


MOVING = Lifecycle(
    replacement="create_ticket@2.0.0", guide="https://example.com/desk-2", contact="the desk, desk@example.com"
)


@tool(policy=Policy(version="2.0.0", risk="write", deprecates=("1.x",), sunset="2027-06-01", lifecycle=MOVING))
def create_ticket(title: str, priority: Priority = "P2", urgency: Literal["low", "high"] | None = None) -> Ticket:
    """Open a ticket at the desk."""
    return {"id": "T-1", "title": title, "priority": "P1" if urgency == "high" else priority}


@create_ticket.upgrade_from("1.x")
def as_it_was(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of old calls, in which the old defaults stand: what was P3 stays P3."""
    return dict(arguments)
