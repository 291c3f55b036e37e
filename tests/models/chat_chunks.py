"""The chunks of a chat completion that is streamed, made by hand, and what comes of them."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from magic_tools.chat import CallPiece, ModelReply, Piece
from magic_tools.models.openai_chat import WIRE

__all__ = ["USAGE", "Chunks", "call", "calls_of", "chunk", "ending", "part", "read", "told_usage"]

Chunks: TypeAlias = list[dict[str, Any]]

USAGE = {"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17}


def chunk(finish: str | None = None, /, **delta: Any) -> dict[str, Any]:
    """A chunk with what has come of the first choice."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def ending(reason: str = "stop") -> dict[str, Any]:
    """The chunk that says why the model stopped."""
    return chunk(reason)


def told_usage(usage: object = USAGE) -> dict[str, Any]:
    """The chunk at the end that has no choices."""
    return {**chunk(), "choices": [], "usage": usage}


def part(arguments: str | None = None, *, index: Any = None, call_id: Any = None, name: Any = None) -> dict[str, Any]:
    """A fragment of a call, with no more in it than is given."""
    function = {key: held for key, held in (("name", name), ("arguments", arguments)) if held is not None}
    told = {"index": index, "id": call_id, "function": function}
    return {key: held for key, held in told.items() if held is not None}


def call(arguments: str | None = None, **fields: Any) -> dict[str, Any]:
    """A chunk with one fragment of a call."""
    return chunk(tool_calls=[part(arguments, **fields)])


def read(chunks: Chunks) -> tuple[list[Piece], ModelReply, bool]:
    """The pieces of a stream, the reply that they come to, and whether it is whole."""
    reader = WIRE.reader()
    pieces = [piece for each in chunks for piece in reader.feed(each)]
    return pieces, WIRE.decode(json.loads(json.dumps(reader.payload()))), reader.is_whole


def calls_of(chunks: Chunks) -> list[tuple[str, str]]:
    """The names and arguments of the calls of a stream, which are those of its pieces."""
    pieces, reply, is_whole = read([*chunks, ending("tool_calls")])
    assert is_whole
    grown: dict[int, str] = {}
    names: dict[int, str] = {}
    for piece in pieces:
        assert isinstance(piece, CallPiece)
        grown[piece.index] = grown.get(piece.index, "") + piece.arguments
        names[piece.index] = piece.name
    assert [(names[at], grown[at]) for at in sorted(grown)] == [(each.name, each.arguments) for each in reply.calls]
    assert all(each.id for each in reply.calls)
    assert len({each.id for each in reply.calls}) == len(reply.calls)
    return [(each.name, each.arguments) for each in reply.calls]
