"""How long anything is waited for, and how tasks are ended that are waited for no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

__all__ = ["GRACE_S", "cancel", "cancelled", "clocked"]

GRACE_S = 0.2
"""How long a call that is being cancelled may take for it before it is left to itself, in seconds."""

FOREVER_S = 1e8
"""The longest time to wait, in seconds: what a clock of the operating system surely can hold."""


def clocked(seconds: float) -> float:
    """The same time as a clock can count it: neither less than none, nor for ever."""
    return min(max(0.0, seconds), FOREVER_S)


async def cancelled(tasks: set[asyncio.Task[Any]], grace_s: float | None = None) -> None:
    """Cancel tasks, and wait for those that clean up."""
    import asyncio

    cancel(tasks)
    await asyncio.wait(tasks, timeout=grace_s)


def cancel(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel tasks, but for those that are being cancelled."""
    for task in tasks:
        if not task.cancelling():  # a second time would cut short how it cleans up
            task.cancel()
