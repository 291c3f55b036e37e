"""An event loop on a thread of its own, for what an ordinary thread has to have awaited."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as WaitedTooLong
from typing import TYPE_CHECKING, Any

from magic_tools.effects.performing import GRACE_S, awaited
from magic_tools.effects.program import CallCancelledError, CallTimeoutError
from magic_tools.effects.workers import Attempt, Daemon

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable

__all__ = ["Portal"]


class Portal(Daemon):
    """A thread with an event loop that awaits what others give it, until it is closed; NoWorkerError as of any."""

    def __init__(self) -> None:
        super().__init__("magic-tools-portal")
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._closed: asyncio.Event
        self.begin()
        self._ready.wait()

    def attempt(self, awaitable: Awaitable[Any], timeout_s: float | None) -> Attempt:
        """What an awaitable comes to in the time allowed, with the context variables of the calling thread.

        If what is awaited does not let the loop go on, the whole thread is given up.
        """
        import asyncio

        future = asyncio.run_coroutine_threadsafe(awaited(awaitable, timeout_s), self._loop)
        try:
            return future.result(None if timeout_s is None else timeout_s + 2 * GRACE_S)
        except WaitedTooLong:
            self.abandoned = True
            return Attempt(error=CallTimeoutError(still_runs=True))
        except CancelledError:
            return Attempt(error=CallCancelledError("the run is over"))
        finally:
            future.cancel()

    def close(self) -> None:
        """End the thread, and cancel what it still awaits; if that does not end, it is left to itself."""
        self._loop.call_soon_threadsafe(self._closed.set)
        self.join(0 if self.abandoned else 2 * GRACE_S)
        self.abandoned = self.is_alive()

    def run(self) -> None:
        """Serve until closed."""
        import asyncio

        with asyncio.Runner() as runner:
            runner.run(self._until_closed())

    async def _until_closed(self) -> None:
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._closed = asyncio.Event()
        self._ready.set()
        await self._closed.wait()
