"""How an answer is read: its events, and the hold on it of who may give it up."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

__all__ = ["Dispatched", "Hold"]


class Dispatched:
    """The events that a decoder finds, but for those without data, which say nothing to anybody."""

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder

    def iter_bytes(self, pieces: Iterator[bytes]) -> Iterator[Any]:
        """The events in the pieces of a body."""
        return (event for event in self._decoder.iter_bytes(pieces) if event.data.strip())

    async def aiter_bytes(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[Any]:
        """The events in the pieces of a body, awaited."""
        async for event in self._decoder.aiter_bytes(pieces):
            if event.data.strip():
                yield event


class Hold:
    """A hold on an answer that a thread reads: a block that is left by an error ends the reading.

    Without it, a thread that was given up would read on, as long as its times allow.
    """

    __slots__ = ("_socket",)

    def __init__(self) -> None:
        self._socket: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        held = self._socket
        if kind is not None and held is not None:
            with suppress(OSError):
                socket.socket.shutdown(held, socket.SHUT_RDWR)

    @contextmanager
    def on(self, response: Any) -> Iterator[None]:
        """For as long as an answer is read."""
        network = response.extensions.get("network_stream")
        self._socket = None if network is None else network.get_extra_info("socket")
        try:
            yield
        finally:
            self._socket = None
