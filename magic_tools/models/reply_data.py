"""Replies, and failures in their place, as plain data that can be kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from magic_tools.chat import ModelReply, fault_of
from magic_tools.errors import (
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    RateLimitError,
    StreamCutError,
    UnsupportedSettingError,
)
from magic_tools.messages import Usage, part_from_data, part_to_data
from magic_tools.values import JsonObject

__all__ = ["error_from_data", "error_like", "error_to_data", "reply_from_data", "reply_to_data"]

_CLASSES: Mapping[str, type[ModelError]] = {
    kind.__name__: kind
    for kind in (
        ModelError,
        ModelUnavailableError,
        ModelTimeoutError,
        RateLimitError,
        StreamCutError,
        UnsupportedSettingError,
    )
}


def reply_to_data(reply: ModelReply) -> JsonObject:
    """Plain JSON data that `reply_from_data` reads back."""
    return {
        "parts": [part_to_data(part) for part in reply.parts],
        "finish": reply.finish,
        "usage": list(reply.usage.counts),
        "model": reply.model,
        "max_tokens": reply.max_tokens,
        "omitted": list(reply.omitted),
        "cached": reply.cached,
    }


def reply_from_data(data: Any) -> ModelReply:
    """The reply that `reply_to_data` wrote; ValueError if the data is something else."""
    match data:
        case {
            "parts": [*parts],
            "finish": str() | None as finish,
            "usage": [int(), int(), int(), int()] as counts,
            "model": str(model),
            "max_tokens": int() | None as max_tokens,
            "omitted": [*omitted],
            "cached": bool(cached),
        }:
            read: Any = tuple(map(part_from_data, parts))  # of which parts, is looked at below
            reason: Any = finish
            reply = ModelReply(read, reason, Usage(*counts), model, max_tokens, tuple(map(str, omitted)), cached)
            if fault := fault_of(reply):
                raise ValueError(f"not the data of a reply: {fault}")
            return reply
        case _:
            raise ValueError(f"not the data of a reply: {data!r:.200}")


def error_to_data(error: ModelError, text: str) -> JsonObject:
    """Plain JSON data of a failure with this text, that `error_from_data` reads back as the nearest class of ours."""
    partial = reply_to_data(error.partial) if isinstance(error, StreamCutError) else None
    return {"class": _class_of(error).__name__, "text": text, "partial": partial}


def error_from_data(data: Any) -> ModelError:
    """The failure that `error_to_data` wrote; ValueError if the data is something else."""
    match data:
        case {"class": "StreamCutError", "text": str(text), "partial": partial}:
            return StreamCutError(text, reply_from_data(partial))
        case {"class": str(name), "text": str(text)} if name in _CLASSES:
            return _CLASSES[name](text)
        case _:
            raise ValueError(f"not the data of a failure: {data!r:.200}")


def error_like(error: ModelError, text: str) -> ModelError:
    """A failure of the same kind, as one of the classes of ours, with another text."""
    if isinstance(error, StreamCutError):
        return StreamCutError(text, error.partial)
    return _class_of(error)(text)


def _class_of(error: ModelError) -> type[ModelError]:
    return next(kind for base in type(error).__mro__ if (kind := _CLASSES.get(base.__name__)) is base)
