"""What tasks and threads put down, taken by the one task that waits for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from magic_tools.effects.drawing import MOST_AHEAD, Over, Pump
from magic_tools.effects.program import CallTimeoutError, Draw
from magic_tools.effects.waiting import GRACE_S, cancel, cancelled, clocked
from magic_tools.effects.workers import NOTHING, Attempt, Workers, ends_the_run, is_awaitable, run_is_over

if TYPE_CHECKING:
    import asyncio

__all__ = ["Supply", "TaskSupply", "ThreadSupply", "items_awaited"]


class Supply(ABC):
    """Items on their way from a task or a thread, which works from `async with` on; what it comes to is `attempt`."""

    def __init__(self, take: Callable[[Any], Iterable[Any]], timeout_s: float | None) -> None:
        import asyncio

        self.attempt = Attempt(error=run_is_over())
        self._take = take
        self._timeout_s = timeout_s
        self._loop = asyncio.get_running_loop()
        self._items: deque[Any] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        self._begin()
        if self._timeout_s is not None:
            self._timer = self._loop.call_later(clocked(self._timeout_s), self._give_up)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        await self._end()

    async def made(self) -> tuple[Any, ...] | None:
        """What is made of the next item; None when there is no other, or nothing can be made of it."""
        while not self._items:
            self._waiting = waiting = self._loop.create_future()
            if not self._items:  # a thread may have put one down by now
                await waiting
        item = self._items.popleft()
        if isinstance(item, Over):
            self.attempt = item.attempt
            return None
        self._taken()
        try:
            return tuple(self._take(item))
        except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the program
            self.attempt = Attempt(error=error)
            return None

    def put(self, item: Any) -> None:
        """Put an item down, in the loop's own thread."""
        self._items.append(item)
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    @abstractmethod
    def _begin(self) -> None:
        """Have it work."""

    @abstractmethod
    def _taken(self) -> None:
        """One more of the items has been taken."""

    @abstractmethod
    def _give_up(self) -> None:
        """The time is over."""

    @abstractmethod
    async def _end(self) -> None:
        """Nobody wants more."""


class ThreadSupply(Supply):
    """The items of an ordinary iterator, which a worker thread draws."""

    def __init__(self, draw: Draw, workers: Workers) -> None:
        super().__init__(draw.take, draw.timeout_s)
        self._workers = workers
        self._pump = Pump(draw, self._put_from_there)
        self._told = False

    def _put_from_there(self, item: Any) -> None:
        self._items.append(item)
        if self._loop.is_closed():
            self._pump.stop()
        elif not self._told:  # else the loop will hear of this one too
            self._told = True
            with suppress(RuntimeError):  # of a loop that is closed just now
                self._loop.call_soon_threadsafe(self._hear)

    def _hear(self) -> None:
        self._told = False
        self._wake()

    def _begin(self) -> None:
        if (failed := self._pump.begin(self._workers)) is not None:
            self.put(Over(failed))

    def _taken(self) -> None:
        self._pump.taken()

    def _give_up(self) -> None:
        self.put(Over(self._pump.give_up()))

    async def _end(self) -> None:
        self._pump.end()


Work: TypeAlias = Callable[["TaskSupply"], Awaitable[Attempt | None]]
"""What puts down items, and then comes to something."""


class TaskSupply(Supply):
    """What is put down by work in a task of its own, which is cancelled when its time is over or nobody wants more.

    It may take `grace_s` for that before it is left to itself.
    """

    def __init__(
        self,
        work: Work,
        take: Callable[[Any], Iterable[Any]] = lambda item: (item,),
        timeout_s: float | None = None,
        grace_s: float | None = GRACE_S,
    ) -> None:
        super().__init__(take, timeout_s)
        self._work = work
        self._grace_s = grace_s
        self._task: asyncio.Task[Attempt] | None = None
        self._room: asyncio.Future[None] | None = None
        self._late = False
        self._over = False
        self._closing = False

    async def wants_more(self) -> bool:
        """Whether there is somebody to take more; known when most of the items that were put down have been taken."""
        if len(self._items) >= MOST_AHEAD and not self._over:
            self._room = room = self._loop.create_future()
            await room
        return not self._over

    def closes(self) -> None:
        """All has been put down, and what is still done is not to be cut short."""
        self._closing = True

    def _begin(self) -> None:
        self._task = self._loop.create_task(self._attempted())
        self._task.add_done_callback(self._ended)

    async def _attempted(self) -> Attempt:
        """What the work comes to; an exit that it raises thus ends the program, and not the loop at once."""
        try:
            return await self._work(self) or NOTHING
        except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the program
            return Attempt(error=error)

    def _ended(self, task: asyncio.Task[Attempt]) -> None:
        import asyncio

        attempt = Attempt(error=asyncio.CancelledError()) if task.cancelled() else task.result()
        if self._late and not ends_the_run(attempt.error):
            attempt = Attempt(error=CallTimeoutError(still_runs=False))
        self.put(Over(attempt))

    def _taken(self) -> None:
        if self._room is not None and not self._items and not self._room.done():
            self._room.set_result(None)

    def _give_up(self) -> None:
        if self._task is None or self._task.done():
            return
        self._over = True
        if not self._closing:
            self._late = True
            cancel({self._task})
        self._timer = self._loop.call_later(GRACE_S, self._leave, self._task)

    def _leave(self, task: asyncio.Task[Attempt]) -> None:
        self._task = None
        cancel({task})
        self.put(Over(Attempt(error=CallTimeoutError(still_runs=True))))

    async def _end(self) -> None:
        self._over = True
        if self._task is None or self._task.done() or self._loop.is_closed():
            return
        import asyncio

        if self._closing:
            await asyncio.wait({self._task}, timeout=GRACE_S)
            cancel({self._task})
        else:
            await cancelled({self._task}, self._grace_s)


async def items_awaited(open_items: Callable[[], AsyncIterator[Any]], supply: TaskSupply) -> None:
    """Put down the items of what is opened, which is closed however it ends."""
    opened = items = open_items()
    try:
        items = aiter(opened)
        async for item in items:
            supply.put(item)
            if not await supply.wants_more():
                break
    finally:
        supply.closes()
        for each in (items,) if items is opened else (items, opened):
            await _closed(each)


async def _closed(items: Any) -> None:
    """Close what can be closed, by whichever name; what it makes of its end does not stand in the way."""
    close = getattr(items, "aclose", None) or getattr(items, "close", None)
    with suppress(Exception):
        if close is not None and is_awaitable(closing := close()):
            await closing
