"""The official SDKs: which there are, their clients, and what is read through them."""

from __future__ import annotations

import os
import weakref
from codecs import BOM_UTF8
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from inspect import iscoroutinefunction
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from magic_tools.errors import ModelError, ModelUnavailableError
from magic_tools.models.headers import keys_in, keys_of
from magic_tools.models.reading import Dispatched, Hold
from magic_tools.settings import Timeouts
from magic_tools.values import JsonObject

if TYPE_CHECKING:
    import asyncio

__all__ = ["ANTHROPIC", "LONGEST_BODY", "OPENAI", "Hold", "Sdk", "Service", "Whole"]

_MOST_KEYS = 8

LONGEST_BODY = 32 * 1024 * 1024
"""The most bytes of an answer that are read."""


@dataclass(frozen=True, slots=True)
class Sdk:
    """An SDK as data: its package, its clients' names, where they ask, and which variables of the environment count."""

    package: str
    client: str
    async_client: str
    provider: str
    url: str
    hosts: tuple[str, ...]
    key_variable: str
    url_variable: str


OPENAI = Sdk(
    "openai",
    "OpenAI",
    "AsyncOpenAI",
    "OpenAI",
    "https://api.openai.com/v1",
    ("openai.com", "openai.azure.com"),
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)
ANTHROPIC = Sdk(
    "anthropic",
    "Anthropic",
    "AsyncAnthropic",
    "Anthropic",
    "https://api.anthropic.com",
    ("anthropic.com",),
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
)


class Whole(NamedTuple):
    """The body of an answer that came at once, though it was asked for as a stream."""

    content: bytes


class Service:
    """A place that an SDK can ask: one client for sync runs, and one in each event loop.

    What is not passed comes from the environment. Clients made here are closed here: those for sync runs with the
    last reference to this, those of an event loop when it shuts down. One that was passed is closed by whoever made it.
    """

    def __init__(self, sdk: Sdk, base_url: str | None, api_key: str | None, client: Any) -> None:
        self.sdk = sdk
        if client is not None:
            if base_url or api_key:
                raise ValueError("a client has its own base URL and key: pass client=... without base_url and api_key")
            origins = {base.__module__.partition(".")[0] for base in type(client).__mro__}
            if sdk.package not in origins or not hasattr(client, "post"):
                raise ValueError(f"client=... is a client of the SDK {sdk.package!r}, got a {type(client).__name__}")
            self._base_url, self.key = str(client.base_url), str(getattr(client, "api_key", None) or "")
            self.keys = keys_of(client)
        else:
            base_url = (os.environ.get(sdk.url_variable) or None) if base_url is None else base_url
            api_key = api_key or os.environ.get(sdk.key_variable) or ("none" if base_url else "")
            self._base_url = sdk.url if base_url is None else base_url
            self.key = _checked_key(api_key, sdk)
            self.keys = (self.key,)
        self.given = client
        self.host = _host(self._base_url)
        self._by_process: dict[int, Any] = {}
        self._by_loop: dict[asyncio.AbstractEventLoop, AsyncGenerator[Any, None]] = {}
        self._clients: dict[asyncio.AbstractEventLoop, Any] = {}

    @property
    def is_official(self) -> bool:
        """Whether it is the provider's own service, or Azure's of it."""
        return self.host.partition(":")[0].endswith(self.sdk.hosts)

    def fetch(self, path: str, payload: JsonObject, timeouts: Timeouts, hold: Hold) -> bytes:
        """The body of the answer to a request."""
        with self._opened(path, payload, timeouts, hold) as (_, pieces):
            return b"".join(pieces)

    async def afetch(self, path: str, payload: JsonObject, timeouts: Timeouts) -> bytes:
        """The body of the answer to a request, awaited."""
        async with self._aopened(path, payload, timeouts) as (_, pieces):
            return b"".join([piece async for piece in pieces])

    def events(
        self, path: str, payload: JsonObject, timeouts: Timeouts, hold: Hold
    ) -> Iterator[Mapping[str, Any] | Whole]:
        """The events of a streamed answer, as data."""
        with self._opened(path, payload, timeouts, hold) as (stream, pieces):
            first = next(pieces, b"")
            if not _is_stream(first, stream.response):
                yield Whole(first + b"".join(pieces))
                return
            stream.response.iter_bytes = lambda: chain((first.removeprefix(BOM_UTF8),), pieces)
            stream._decoder = Dispatched(stream._decoder)
            yield from stream

    async def aevents(
        self, path: str, payload: JsonObject, timeouts: Timeouts
    ) -> AsyncIterator[Mapping[str, Any] | Whole]:
        """The events of a streamed answer, as data, awaited."""
        async with self._aopened(path, payload, timeouts) as (stream, pieces):
            first = await anext(pieces, b"")
            if not _is_stream(first, stream.response):
                yield Whole(first + b"".join([piece async for piece in pieces]))
                return
            stream.response.aiter_bytes = lambda: _chained(first.removeprefix(BOM_UTF8), pieces)
            stream._decoder = Dispatched(stream._decoder)
            async for event in stream:
                yield event

    @contextmanager
    def _opened(
        self, path: str, payload: JsonObject, timeouts: Timeouts, hold: Hold
    ) -> Iterator[tuple[Any, Iterator[bytes]]]:
        """A stream of the SDK, and the pieces of its body."""
        package = import_module(self.sdk.package)
        stream = self._sync_client().post(
            path,
            cast_to=object,
            body=payload,
            options={"timeout": _timeout(timeouts)},
            stream=True,
            stream_cls=package.Stream[object],
        )
        self._learn(stream.response.request.headers)
        with closing(stream.response), hold.on(stream.response):
            _expect_pieces(stream.response, timeouts)
            yield stream, _bounded(stream.response.iter_bytes())

    @asynccontextmanager
    async def _aopened(
        self, path: str, payload: JsonObject, timeouts: Timeouts
    ) -> AsyncIterator[tuple[Any, AsyncIterator[bytes]]]:
        package = import_module(self.sdk.package)
        client = await self._async_client()
        stream = await client.post(
            path,
            cast_to=object,
            body=payload,
            options={"timeout": _timeout(timeouts)},
            stream=True,
            stream_cls=package.AsyncStream[object],
        )
        self._learn(stream.response.request.headers)
        async with aclosing(stream.response):
            _expect_pieces(stream.response, timeouts)
            async with aclosing(_abounded(stream.response.aiter_bytes())) as pieces:
                yield stream, pieces

    def _learn(self, headers: Mapping[str, str]) -> None:
        """Know the keys that were sent, of which a ready client may find new ones; the latest are kept."""
        new = tuple(key for key in keys_in(headers) if key not in self.keys)
        if new:
            self.keys = (*self.keys, *new)[-_MOST_KEYS:]

    def _sync_client(self) -> Any:
        """The client for sync runs of this process; ModelError if only one for async runs was passed."""
        process = os.getpid()
        if process not in self._by_process:
            self._by_process[process] = self._made_sync()
        return self._by_process[process]

    def _made_sync(self) -> Any:
        if self.given is None:
            client = self._made(self.sdk.client)
            weakref.finalize(self, client.close)
            return client
        if iscoroutinefunction(self.given.post):
            raise ModelError(f"its client is an async one: pass client={self.sdk.client}(...), or use an async run")
        return self.given.with_options(max_retries=0)

    async def _async_client(self) -> Any:
        """The client for the running event loop; ModelError if only one for sync runs was passed."""
        import asyncio

        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            for old in [each for each in tuple(self._clients) if each.is_closed()]:
                self._clients.pop(old, None)
                self._by_loop.pop(old, None)
            self._clients[loop] = await self._made_async(loop)
        return self._clients[loop]

    async def _made_async(self, loop: asyncio.AbstractEventLoop) -> Any:
        if self.given is not None:
            if not iscoroutinefunction(self.given.post):
                raise ModelError(
                    f"its client is a sync one: pass client={self.sdk.async_client}(...), or use a sync run"
                )
            return self.given.with_options(max_retries=0)
        # A connection cannot outlive its loop, and a loop that shuts down closes the generators that it has seen begin.
        holder = _held(self._made(self.sdk.async_client))
        self._by_loop[loop] = holder
        return await anext(holder)

    def _made(self, name: str) -> Any:
        package = import_module(self.sdk.package)
        return getattr(package, name)(base_url=self._base_url, api_key=self.key, max_retries=0)


async def _held(client: Any) -> AsyncGenerator[Any, None]:
    """A client, closed with this generator."""
    try:
        yield client
    finally:
        await client.close()


def _bounded(body: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces of a body; ModelError beyond LONGEST_BODY."""
    size = 0
    for piece in body:
        size = _checked(size + len(piece))
        yield piece


async def _abounded(body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    size = 0
    async for piece in body:
        size = _checked(size + len(piece))
        yield piece


def _checked(size: int) -> int:
    if size > LONGEST_BODY:
        raise ModelError(f"the answer is longer than {LONGEST_BODY:,} bytes")
    return size


async def _chained(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        yield piece


_FIELDS = (b"data", b"event", b"id", b"retry", b":")
"""How a line of a stream of events begins."""


def _is_stream(first: bytes, response: Any) -> bool:
    """Whether a body that begins so is a stream of events, of which its type says too little.

    What begins like a value or a page is none, and what is said to be of another type may be one.
    """
    begun = first.removeprefix(BOM_UTF8).lstrip()
    if begun.startswith((b"{", b"[", b"<")):
        return False
    kind = str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
    return kind == "text/event-stream" or begun.startswith(_FIELDS)


def _timeout(timeouts: Timeouts) -> Any:
    """The times until an answer begins, none longer than that in all."""
    from httpx2 import Timeout

    connect_s, first_s = _least(timeouts.connect_s, timeouts.total_s), _least(timeouts.first_byte_s, timeouts.total_s)
    return Timeout(connect=connect_s, read=first_s, write=first_s, pool=connect_s)


def _expect_pieces(response: Any, timeouts: Timeouts) -> None:
    """From now on a read may take as long as there may be between two pieces; httpx looks it up for each."""
    held = response.request.extensions.get("timeout")
    if isinstance(held, dict):
        held["read"] = _least(timeouts.between_s, timeouts.total_s)


def _least(*seconds: float | None) -> float | None:
    return min((each for each in seconds if each is not None), default=None)


def _checked_key(key: str, sdk: Sdk) -> str:
    if not key:
        raise ModelUnavailableError(f"{sdk.provider} needs an API key: set {sdk.key_variable}, or pass api_key=...")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ModelUnavailableError(
            "the API key holds a blank, a line break or a character beyond ASCII: set it again without them"
        )
    return key


def _host(base_url: str) -> str:
    try:
        url = urlsplit(base_url)
        host, port = url.hostname, url.port
    except ValueError:
        host, port = None, None
    if not host or not base_url.startswith(("http://", "https://")):
        raise ModelUnavailableError("a base URL starts with http:// or https:// and a host: http://localhost:8000/v1")
    return f"{host}:{port}" if port else host
