"""How a run stands to a tool: it is served as ever, served with a warning, by way of an adapter, or not at all."""

from __future__ import annotations

from typing import NamedTuple

from magic_tools.contracts.guards import Guards
from magic_tools.contracts.lifecycle import Lifecycle
from magic_tools.events import DriftKind
from magic_tools.loose.phrases import Phrase
from magic_tools.messages import ErrorCode
from magic_tools.tools.upgrading import Upgrade

__all__ = ["SERVED", "Refusal", "Standing", "Warned"]


class Refusal(NamedTuple):
    """Why no call of a tool is made, whatever its arguments are, in words for the model."""

    code: ErrorCode
    words: Phrase


class Warned(NamedTuple):
    """What is said with each result of a tool near its end, and what an event tells of it."""

    words: Phrase
    ends: str | None
    pinned: str | None
    lifecycle: Lifecycle


class Standing(NamedTuple):
    """How a run stands to a tool.

    With a `refusal` no call is made, and the tool is not offered. `upgrade` is how a run is served that is pinned to an
    older version. `guards` are the tool's own with those of its pin, where these ask for more. `drift` is how the tool
    differs from its pin `was`, by whose `name` the run knows it.
    """

    refusal: Refusal | None = None
    warned: Warned | None = None
    upgrade: Upgrade | None = None
    drift: DriftKind | None = None
    was: str | None = None
    name: str | None = None
    guards: Guards | None = None


SERVED = Standing()
"""How any run stands to a tool of which nothing is declared, and to which it is not pinned otherwise."""
