"""The official SDK of OpenAI: its clients, and its failures told as ours."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from magic_tools.errors import ModelError, ModelTimeoutError, ModelUnavailableError, RateLimitError
from magic_tools.models.transport import LONGEST_WAIT_S, TRIES, told_wait_s

if TYPE_CHECKING:
    import asyncio

    from openai import AsyncOpenAI, OpenAI

__all__ = ["OpenAIService", "read_json", "shortened"]

_OPENAI_URL = "https://api.openai.com/v1"
_OPENAI_HOSTS = ("openai.com", "openai.azure.com")

# What may go wrong, by the name of its class or of the nearest base: what we raise, and what it says.
_FAILURES: Mapping[str, tuple[type[ModelError], str]] = {
    "APITimeoutError": (ModelTimeoutError, "{name} at {host} did not answer within {time}"),
    "APIConnectionError": (ModelError, "no answer from {host}: {said}; is the base URL right and the server up?"),
    "RateLimitError": (RateLimitError, "{host} refuses the request because of its rate or quota limits: {said}"),
    # No word of the server's here: it likes to repeat a part of the key.
    "AuthenticationError": (ModelError, "{host} refuses the API key: set OPENAI_API_KEY, or pass api_key=..."),
    "PermissionDeniedError": (ModelError, "{host} refuses {name} to this API key: {said}"),
    "NotFoundError": (ModelError, "{host} does not know {name}, or its base URL is not right: {said}"),
    "BadRequestError": (ModelError, "{host} refuses the request to {name}: {said}"),
    "APIStatusError": (ModelError, "{host} failed with status {status}: {said}"),
    "OpenAIError": (ModelError, "{name} cannot be asked: {said}"),
    "UnicodeEncodeError": (ModelError, "the request to {name} holds text that cannot be sent: {said}"),
    "ModelError": (ModelError, "{name} at {host}: {said}"),
}


@dataclass(slots=True)
class _Shared:
    client: AsyncOpenAI
    users: int = 0


class OpenAIService:
    """A place that the SDK can ask: one client for sync runs, and one in each event loop.

    What is not passed comes from OPENAI_BASE_URL and OPENAI_API_KEY. Clients made here are closed
    here; one that was passed is closed by whoever made it.
    """

    def __init__(self, base_url: str | None, api_key: str | None, client: OpenAI | AsyncOpenAI | None) -> None:
        if client is not None:
            if base_url or api_key:
                raise ValueError("a client has its own base URL and key: pass client=... without base_url and api_key")
            self._base_url, self._api_key = str(client.base_url), client.api_key
        else:
            base_url = (os.environ.get("OPENAI_BASE_URL") or None) if base_url is None else base_url
            api_key = api_key or os.environ.get("OPENAI_API_KEY") or ("none" if base_url else "")
            self._base_url = _OPENAI_URL if base_url is None else base_url
            self._api_key = _checked_key(api_key)
        self._client = client
        self.tries = TRIES if client is None else client.max_retries + 1  # which are made by us and not by the SDK
        self._shared: dict[asyncio.AbstractEventLoop, _Shared] = {}
        self.host = _host(self._base_url)
        self.is_openai = self.host.endswith(_OPENAI_HOSTS)

    @cached_property
    def client(self) -> OpenAI:
        """The client for sync runs; ModelError if only one for async runs was passed."""
        import openai

        if self._client is None:
            client = openai.OpenAI(base_url=self._base_url, api_key=self._api_key, max_retries=0)
            weakref.finalize(self, client.close)
            return client
        if not isinstance(self._client, openai.OpenAI):
            raise ModelError("its client is an async one: pass client=OpenAI(...), or use an async run")
        return self._client.with_options(max_retries=0)

    @asynccontextmanager
    async def async_client(self) -> AsyncIterator[AsyncOpenAI]:
        """The client for the running event loop; ModelError if only one for sync runs was passed.

        Requests made at the same time share one. It is closed after the last of them, since a
        connection cannot outlive its loop, and nothing tells of a loop's end.
        """
        import asyncio

        import openai

        if self._client is not None:
            if not isinstance(self._client, openai.AsyncOpenAI):
                raise ModelError("its client is a sync one: pass client=AsyncOpenAI(...), or use a sync run")
            yield self._client.with_options(max_retries=0)
            return
        loop = asyncio.get_running_loop()
        if loop not in self._shared:
            made = openai.AsyncOpenAI(base_url=self._base_url, api_key=self._api_key, max_retries=0)
            self._shared[loop] = _Shared(made)
        shared = self._shared[loop]
        shared.users += 1
        try:
            yield shared.client
        finally:
            shared.users -= 1
            if shared.users == 0:
                del self._shared[loop]
                await shared.client.close()

    @contextmanager
    def failures_explained(self, name: str, timeout_s: float | None) -> Iterator[None]:
        """Whatever fails inside becomes a ModelError in words of ours, which never hold the key."""
        import openai

        try:
            yield
        except (openai.OpenAIError, UnicodeEncodeError, ModelError) as error:
            raise self._explained(error, name, timeout_s) from None  # the SDK's own text may hold the key

    def _explained(self, error: Exception, name: str, timeout_s: float | None) -> ModelError:
        kind, sentence = next(_FAILURES[base.__name__] for base in type(error).__mro__ if base.__name__ in _FAILURES)
        text = sentence.format(
            name=name,
            host=self.host,
            said=shortened(getattr(error, "body", None) or error.__cause__ or error),
            status=getattr(error, "status_code", None),
            time="the time allowed" if timeout_s is None else f"{timeout_s:g} s",
        )
        wait_s = told_wait_s(error, datetime.now(UTC))
        if wait_s is not None and wait_s > LONGEST_WAIT_S:
            text += f"; it asks to wait {wait_s:.0f} s, and no request waits longer than {LONGEST_WAIT_S:.0f} s"
        secret = self._api_key.strip()
        is_secret = len(secret) >= 8  # a shorter one is made up, for a server that wants none
        return kind(text.replace(secret, "***") if is_secret else text)


def read_json(body: bytes) -> Any:
    """The value in the body of an answer; ModelError if it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        text = shortened(body.decode(errors="replace")) or "it is empty"
        raise ModelError(f"the answer is not JSON, so the base URL may not be that of an API: {text}") from None


def shortened(said: object) -> str:
    """What a server said, on one line and short enough for an error's text."""
    match said:
        case {"message": str(text)} | str(text):
            pass
        case BaseException():
            text = str(said)
        case _:
            text = json.dumps(said, ensure_ascii=False)
    text = " ".join(text.split())
    if len(text) <= 300:
        return text
    whole_words = text[:300].rpartition(" ")[0]  # of a key that was cut, the rest would be shown
    return f"{whole_words}... ({len(text)} characters)"


def _checked_key(key: str) -> str:
    if not key:
        raise ModelUnavailableError("OpenAI needs an API key: set OPENAI_API_KEY, or pass api_key=...")
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
