"""The keys that a request shows, and those that a client would show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["keys_in", "keys_of"]

_KEY_HEADERS = frozenset({"authorization", "x-api-key", "api-key", "proxy-authorization", "x-goog-api-key"})


def keys_of(client: Any) -> tuple[str, ...]:
    """What a ready client may show itself by, as far as it can be known before it sends something."""
    names = ("api_key", "auth_token", "access_token", "_azure_ad_token", "aws_secret_key", "aws_session_token")
    held = [getattr(client, name, None) for name in names]
    own: Any = getattr(client, "_custom_headers", None)
    return tuple(text for text in (*held, *keys_in(own if isinstance(own, Mapping) else {})) if isinstance(text, str))


def keys_in(headers: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys that the headers of a request show."""
    told = [str(value) for name, value in headers.items() if name.lower() in _KEY_HEADERS]
    return tuple(value.removeprefix("Bearer ") for value in told)
