"""A small HTTP server on the loopback that answers as it is told and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """What the server says: `body` is JSON data, or text sent as it is.

    One that `hangs` never comes, of one that `breaks` the connection is lost before its end.
    """

    body: Any = ""
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False
    breaks: bool = False

    @property
    def content(self) -> bytes:
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


@dataclass(frozen=True)
class Asked:
    """What the server was sent, header names in small letters; one `peer` is one connection."""

    path: str
    headers: Mapping[str, str]
    body: Any
    peer: tuple[str, int]


class WireServer:
    """Gives its `answers` in order, the last one again and again.

    `asked` holds the requests, `arrived` is set once there is one, and `hung_up` once a client has
    closed its connection.
    """

    def __init__(self) -> None:
        self.answers: deque[Answer] = deque()
        self.asked: list[Asked] = []
        self.arrived = threading.Event()
        self.hung_up = threading.Event()
        self._ended = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        wire = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                wire.asked.append(Asked(self.path, headers, body, self.client_address))
                wire.arrived.set()
                answer = wire.answers.popleft() if len(wire.answers) > 1 else wire.answers[0]
                if answer.hangs:
                    wire._ended.wait()
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                length = len(answer.content) + answer.breaks
                framing = {"Content-Type": answer.content_type, "Content-Length": str(length)}
                for name, value in {**framing, **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.content)
                self.close_connection = self.close_connection or answer.breaks

            def finish(self) -> None:
                super().finish()
                wire.hung_up.set()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that http.server gives it
                """Says nothing: the tests read `asked`."""

        return Handler
