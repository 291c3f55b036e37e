"""The four ways to ask a model, so that each test of a wrapper is one of all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

from magic_tools.chat import ModelReply, ModelRequest, StreamingModel

__all__ = ["FOUR_WAYS", "STREAMED", "UNSTREAMED", "Ask", "items_awaited", "items_of"]

Ask: TypeAlias = Callable[[StreamingModel, ModelRequest], ModelReply]


def items_of(model: StreamingModel, request: ModelRequest) -> list[Any]:
    """All that a stream brings."""
    return list(model.stream(request))


def items_awaited(model: StreamingModel, request: ModelRequest) -> list[Any]:
    """All that an awaited stream brings."""

    async def read() -> list[Any]:
        return [item async for item in model.astream(request)]

    return asyncio.run(read())


def _complete(model: StreamingModel, request: ModelRequest) -> ModelReply:
    return model.complete(request)


def _acomplete(model: StreamingModel, request: ModelRequest) -> ModelReply:
    return asyncio.run(model.acomplete(request))


def _stream(model: StreamingModel, request: ModelRequest) -> ModelReply:
    reply: ModelReply = items_of(model, request)[-1]
    return reply


def _astream(model: StreamingModel, request: ModelRequest) -> ModelReply:
    reply: ModelReply = items_awaited(model, request)[-1]
    return reply


UNSTREAMED: tuple[Ask, ...] = (_complete, _acomplete)
STREAMED: tuple[Ask, ...] = (_stream, _astream)
FOUR_WAYS = UNSTREAMED + STREAMED
