"""The only place that waits: what a program may ask for, and the two runners that do it.

A program is a generator that yields effects and is sent their results; whatever an effect raises
is thrown into it. The same program runs under `run_sync` and under `run_async`.
"""

from __future__ import annotations

import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    import asyncio

__all__ = ["Call", "Effect", "Program", "run_async", "run_sync"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """Call `fn(*args, **kwargs)`, whether it is an ordinary function or an async one.

    `afn`, where given, is what an async run awaits in its place.
    """

    fn: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    afn: Callable[..., Awaitable[Any]] | None = None


Effect: TypeAlias = Call
Program: TypeAlias = Generator[Effect, Any, T]


def run_sync(program: Program[T]) -> T:
    """The result of a program whose calls run in this thread.

    What async functions return is awaited on a thread with a loop of its own, closed at the end;
    so this works inside a running event loop too.
    """
    with closing(program), _Portal() as portal:
        try:
            effect = next(program)
            while True:
                effect = _attempt_sync(effect, portal).go_on(program)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # PEP 380 carries the result untyped


async def run_async(program: Program[T]) -> T:
    """The result of a program; ordinary functions run in worker threads, with this task's context."""
    with closing(program):
        try:
            effect = next(program)
            while True:
                effect = (await _attempt_async(effect)).go_on(program)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # PEP 380 carries the result untyped


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What an effect came to. A StopIteration of user code is thus never taken for a program's end."""

    value: Any = None
    error: BaseException | None = None

    def go_on(self, program: Program[Any]) -> Effect:
        return program.send(self.value) if self.error is None else program.throw(self.error)


def _attempt_sync(call: Call, portal: _Portal) -> _Attempt:
    try:
        result = call.fn(*call.args, **call.kwargs)
        return _Attempt(portal.wait_for(result) if inspect.isawaitable(result) else result)
    except Exception as error:  # noqa: BLE001 - whatever it is belongs to the program
        return _Attempt(error=error)


async def _attempt_async(call: Call) -> _Attempt:
    import asyncio

    try:
        if call.afn is not None:
            return _Attempt(await call.afn(*call.args, **call.kwargs))
        if inspect.iscoroutinefunction(call.fn):
            return _Attempt(await call.fn(*call.args, **call.kwargs))
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        attempt = await loop.run_in_executor(None, context.run, _attempt_in_worker, call)
        return _Attempt(await attempt.value) if inspect.isawaitable(attempt.value) else attempt
    except Exception as error:  # noqa: BLE001 - whatever it is belongs to the program
        return _Attempt(error=error)


def _attempt_in_worker(call: Call) -> _Attempt:
    try:
        return _Attempt(call.fn(*call.args, **call.kwargs))
    except Exception as error:  # noqa: BLE001 - whatever it is belongs to the program
        return _Attempt(error=error)


class _Portal:
    """A thread with an event loop, started when it is first needed, that waits for awaitables."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._closed: asyncio.Event

    def __enter__(self) -> _Portal:
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._thread is not None:
            self._loop.call_soon_threadsafe(self._closed.set)
            self._thread.join()

    def wait_for(self, awaitable: Awaitable[T]) -> T:
        """The result of an awaitable; its task runs with the context of the calling thread."""
        import asyncio

        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="magic-tools-portal", daemon=True)
            self._thread.start()
            self._ready.wait()
        attempt = asyncio.run_coroutine_threadsafe(_attempt_to_await(awaitable), self._loop).result()
        if attempt.error is not None:
            raise attempt.error
        return attempt.value  # type: ignore[no-any-return]  # an attempt holds what the awaitable gave

    def _serve(self) -> None:
        import asyncio

        with asyncio.Runner() as runner:
            runner.run(self._until_closed())

    async def _until_closed(self) -> None:
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._closed = asyncio.Event()
        self._ready.set()
        await self._closed.wait()


async def _attempt_to_await(awaitable: Awaitable[Any]) -> _Attempt:
    try:
        return _Attempt(await awaitable)
    except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits; here it would end the loop
        return _Attempt(error=error)
