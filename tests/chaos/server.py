"""A real HTTP server on the loopback that misbehaves as it is told: byte by byte, and below the level of HTTP too."""

from __future__ import annotations

import json
import re
import select
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Any, Self, TypeAlias

__all__ = ["ChaosServer", "End", "Request", "Step"]


class End(Enum):
    """How an answer ends that does not just leave its connection open for the next request."""

    HANG = "the connection stays open, and nothing more is said on it"
    RESET = "the connection is reset"
    CLOSE = "the connection is closed in good order"


Step: TypeAlias = bytes | float | End
"""Bytes that are sent, seconds for which nothing is, or the end."""


@dataclass(frozen=True)
class Request:
    """What the server was sent, header names in small letters."""

    method: str
    headers: Mapping[str, str]
    body: Any


Answering: TypeAlias = Callable[[Request], Iterable[Step]]

_CELL = re.compile(rb"cell-[0-9a-z-]+")


class ChaosServer:
    """Answers each request as the one of `cells` says whose name is in the request's body, or in its address.

    `asked` are the requests of each. It has one thread for each connection, which ends as soon as the client hangs up.
    """

    def __init__(self) -> None:
        self.cells: dict[str, Answering] = {}
        self.asked: dict[str, list[Request]] = {}
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._ended = threading.Event()
        self._open: set[socket.socket] = set()
        self._accepting = threading.Thread(target=self._accept, name="chaos-accept", daemon=True)

    @property
    def port(self) -> int:
        """Where it listens on 127.0.0.1."""
        port: int = self._listening.getsockname()[1]
        return port

    @property
    def open_connections(self) -> int:
        """How many connections clients keep open."""
        return len(self._open)

    def __enter__(self) -> Self:
        self._accepting.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listening.close()
        for connection in tuple(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), name="chaos-serve", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            with connection.makefile("rb") as sent, suppress(OSError):
                while (request := self._read(sent)) is not None:
                    cell, told = request
                    self.asked.setdefault(cell, []).append(told)
                    if not self._answer(connection, self.cells[cell](told)):
                        break
        finally:
            connection.close()
            self._open.discard(connection)

    @staticmethod
    def _read(sent: Any) -> tuple[str, Request] | None:
        """The next request, and the name of its cell; None where the client has hung up."""
        first = sent.readline()
        if not first:
            return None
        headers: dict[str, str] = {}
        while line := sent.readline().strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = sent.read(int(headers.get("content-length", "0")))
        found = _CELL.search(body) or _CELL.search(first)
        if found is None:
            raise OSError("a request of no cell")
        return found[0].decode(), Request(first.split()[0].decode(), headers, json.loads(body) if body else None)

    def _answer(self, connection: socket.socket, steps: Iterable[Step]) -> bool:
        """Say what is to be said; whether the connection may go on."""
        for step in steps:
            match step:
                case bytes():
                    connection.sendall(step)
                case float():
                    if self._is_left(connection, step):
                        return False
                case End.HANG:
                    while not self._is_left(connection, 0.1):
                        pass
                    return False
                case End.RESET:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return False
                case End.CLOSE:
                    connection.shutdown(socket.SHUT_WR)
                    return False
        return True

    def _is_left(self, connection: socket.socket, seconds: float) -> bool:
        """Wait so long; whether the client hung up meanwhile, or the server is to end."""
        waiting = select.poll()
        waiting.register(connection, select.POLLIN)
        readable = waiting.poll(seconds * 1000)
        return self._ended.is_set() or bool(readable and not connection.recv(1, socket.MSG_PEEK))
