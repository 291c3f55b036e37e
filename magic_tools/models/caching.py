"""Replies that are kept, so that the same request is asked once."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, MutableMapping
from dataclasses import replace
from typing import Any

from magic_tools.asking import asked, pieces_of
from magic_tools.chat import ChatModel, ModelReply, ModelRequest, fault_of
from magic_tools.effects.program import Emit, Program
from magic_tools.messages import Usage
from magic_tools.models.reply_data import reply_from_data, reply_to_data
from magic_tools.models.request_data import request_data
from magic_tools.models.wrapping import WrappedModel
from magic_tools.values import digest

__all__ = ["CachedModel", "cached"]

_WHOLE = (None, "stop", "tool_calls")
"""How a reply ends that is kept: None is what models give that do not say."""


def cached(
    model: ChatModel,
    store: MutableMapping[str, str],
    ttl_s: float | None = None,
    *,
    clock: Callable[[], float] = time.time,
) -> CachedModel:
    """The model, whose replies are kept in a store, and given again for the same request, without any usage.

    The store is anything like a dict of texts; it is used in the thread in which the program runs, and what it raises
    goes out. Requests are the same if their messages, tools, choice, output and settings are, and the model and its own
    settings too; the store holds a digest of these, and no request. A reply is kept for `ttl_s` seconds, None being
    for ever, if it is whole: not one that was cut, filtered or refused, or that says nothing. An entry that cannot be
    read counts as none. Two equal requests at once may both be asked. ValueError for what is no such time.
    """
    return CachedModel(model, store, ttl_s, clock)


class CachedModel(WrappedModel):
    """A model whose replies are kept; `cached` makes it."""

    def __init__(
        self, model: ChatModel, store: MutableMapping[str, str], ttl_s: float | None, clock: Callable[[], float]
    ) -> None:
        super().__init__(model)
        seconds: object = math.inf if ttl_s is None else ttl_s
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
            raise ValueError(f"ttl_s is how many seconds a reply is kept, or None for ever, got {seconds!r:.80}")
        self._store = store
        self._ttl_s = seconds
        self._clock = clock

    def answering(self, request: ModelRequest, *, streamed: bool) -> Program[ModelReply]:
        """The program that comes to the reply, and emits its pieces on the way where it is `streamed`."""
        key = digest([self.identity, request_data(request, masked=False)])
        kept = self._kept(key)
        if kept is not None:
            for piece in pieces_of(kept) if streamed else ():
                yield Emit(piece)
            return kept
        reply = yield from asked(self.model, request, streamed=streamed)
        if not fault_of(reply) and reply.finish in _WHOLE and (reply.text or reply.calls):
            entry = {"at": self._clock(), "reply": reply_to_data(reply)}
            self._store[key] = json.dumps(entry)
        return reply

    def _kept(self, key: str) -> ModelReply | None:
        held = self._store.get(key)
        if held is None:
            return None
        try:
            entry: Any = json.loads(held)
            age, reply = self._clock() - entry["at"], reply_from_data(entry["reply"])
        except (KeyError, TypeError, ValueError, RecursionError):
            return None
        return replace(reply, usage=Usage(), cached=True) if age < self._ttl_s else None
