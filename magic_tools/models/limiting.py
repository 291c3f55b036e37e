"""A limit of requests and tokens a minute that several models share."""

from __future__ import annotations

import json
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

from magic_tools.asking import asked
from magic_tools.chat import ChatModel, ModelReply, ModelRequest, fault_of
from magic_tools.effects.program import Program, Sleep
from magic_tools.errors import UnsupportedSettingError
from magic_tools.events import ModelWaited, tell
from magic_tools.messages import Part, ProviderPart, TextPart, ToolCall, ToolResult
from magic_tools.models.wrapping import WrappedModel

__all__ = ["LimitedModel", "RateLimit", "Turn", "limited"]

_MINUTE_S = 60.0
_AT_ONCE = 0.1
"""The part of a minute's budget that may be spent at once after a pause."""

_LOOK_AGAIN_S = 0.5
"""After so many seconds, or a quarter of its wait, a request looks whether its turn has moved up."""

_MOST_KEPT = 1_000
"""Of so many turns it is kept what they were counted as; what older ones came to is not corrected any more."""

_BYTES_A_TOKEN = 4
"""About so many bytes of UTF-8 are a token, in English as in Chinese."""


@dataclass(eq=False, slots=True)
class Turn:
    """When a request may be sent, by the limit's clock, when it looks for that, and as how many tokens it counts."""

    tokens: float
    start: float = math.inf
    looks_at: float = -math.inf
    is_settled: bool = False


class RateLimit:
    """How many requests and tokens a minute may be sent, by all models, threads and event loops that share it.

    Requests have their turns in the order in which they come, spread evenly; after a pause up to a tenth of a minute's
    budget goes at once. No minute has more requests than the limit. Tokens are estimated before and counted after, so
    a minute may have more of them by what the estimates missed, and by one request that is larger than that tenth:
    it never waits longer than until the others are paid for. ValueError for no limit, or for what is none.
    """

    def __init__(
        self,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if requests_per_minute is None and tokens_per_minute is None:
            raise ValueError("a RateLimit needs requests_per_minute, tokens_per_minute, or both")
        self._clock = clock
        self._requests = _budget("requests_per_minute", requests_per_minute, whole=True)
        self._tokens = _budget("tokens_per_minute", tokens_per_minute, whole=False)
        self._lock = threading.Lock()
        self._turns: deque[Turn] = deque()

    def turn(self, tokens: float) -> Turn:
        """A turn for a request of about so many tokens, behind all others."""
        with self._lock:
            turn = Turn(tokens)
            self._place(turn, self._turns[-1].start if self._turns else -math.inf, self._clock())
            self._turns.append(turn)
            return turn

    def wait_s(self, turn: Turn) -> float:
        """How many seconds to wait until a turn, 0 when it has come; where that is long, until it is to be asked again.

        By what other requests come to, turns move up, or back.
        """
        with self._lock:
            now = self._clock()
            left = turn.start - now
            if left <= 0:
                return 0.0
            pause = min(left, max(_LOOK_AGAIN_S, left / 4))
            turn.looks_at = now + pause
            return pause

    def settle(self, turn: Turn, tokens: float | None = None) -> None:
        """The request of a turn is over, and came to so many tokens; None where that is not known."""
        with self._lock:
            turn.tokens = turn.tokens if tokens is None else tokens
            turn.is_settled = True
            self._recount()

    def give_back(self, turn: Turn) -> None:
        """No request was made in this turn."""
        with self._lock:
            with suppress(ValueError):  # of one so old that it is counted for good
                self._turns.remove(turn)
            self._recount()

    def _recount(self) -> None:
        """What is left, as if it had been known from the start what the turns came to; those to come move up."""
        turns = self._turns
        while turns and (turns[0].is_settled or len(turns) > _MOST_KEPT):
            first = turns.popleft()
            self._requests.spend(1, first.start, for_good=True)
            self._tokens.spend(first.tokens, first.start, for_good=True)
        self._requests.begin()
        self._tokens.begin()
        now, before = self._clock(), -math.inf
        for turn in turns:
            self._place(turn, before, now)
            before = turn.start

    def _place(self, turn: Turn, before: float, now: float) -> None:
        """A turn begins when there is enough for it, not before the one before it; one that has come, stays.

        Nor is it before its request will look, so that requests are sent when it is counted that they are.
        """
        if turn.start > now:
            ready_at = max(self._requests.ready_at(1), self._tokens.ready_at(turn.tokens))
            turn.start = max(now, before, ready_at, turn.looks_at)
        self._requests.spend(1, turn.start)
        self._tokens.spend(turn.tokens, turn.start)


class _Budget:
    """What flows back evenly up to `most`; told as the moment at which all of it is there again."""

    def __init__(self, per_second: float, most: float) -> None:
        self._per_second = per_second
        self._most = most
        self._for_good = self._full_at = -math.inf

    def ready_at(self, amount: float) -> float:
        """When there is enough for an amount; for one that is larger than `most`, when there is that."""
        return self._full_at - (self._most - min(amount, self._most)) / self._per_second

    def spend(self, amount: float, moment: float, *, for_good: bool = False) -> None:
        """An amount is spent at a moment, which is not before that of another; it may be counted anew."""
        if for_good:
            self._for_good = max(self._for_good, moment) + amount / self._per_second
        else:
            self._full_at = max(self._full_at, moment) + amount / self._per_second

    def begin(self) -> None:
        """What was not spent for good was not spent."""
        self._full_at = self._for_good


def _budget(name: str, limit: object, *, whole: bool) -> _Budget:
    if limit is None:
        return _Budget(math.inf, 0)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not (math.isfinite(limit) and limit > 0):
        raise ValueError(f"RateLimit.{name} is a number above 0, or None for no limit, got {limit!r:.80}")
    # What goes at once, and what flows back within less than a minute, is never more than the limit: of whole things
    # that is less than one more.
    most = max(1.0, limit * _AT_ONCE) if whole else limit * _AT_ONCE
    return _Budget((limit - most + (1 if whole else 0)) / _MINUTE_S, most)


def limited(model: ChatModel, limit: RateLimit) -> LimitedModel:
    """The model, whose requests wait for their turn within a limit; `ModelWaited` tells of it.

    A request is counted as an estimate of its own size and its `max_tokens`, until its usage is known. One that fails
    stays counted so. The turn is given back of one whose wait is cancelled, which has a setting that the model does not
    take, or whose reply was kept from another time.
    """
    return LimitedModel(model, limit)


class LimitedModel(WrappedModel):
    """A model whose requests wait for their turn; `limited` makes it."""

    def __init__(self, model: ChatModel, limit: RateLimit) -> None:
        super().__init__(model)
        self._limit = limit

    def answering(self, request: ModelRequest, *, streamed: bool) -> Program[ModelReply]:
        """The program that comes to the reply, and emits its pieces on the way where it is `streamed`."""
        turn = self._limit.turn(_estimated(request))
        waited_s = 0.0
        try:
            while (wait_s := self._limit.wait_s(turn)) > 0:
                yield Sleep(wait_s)
                waited_s += wait_s
        except BaseException:
            self._limit.give_back(turn)
            raise
        if waited_s:
            tell(request.note, ModelWaited(self.name, waited_s))
        try:
            reply = yield from asked(self.model, request, streamed=streamed)
        except UnsupportedSettingError:
            self._limit.give_back(turn)
            raise
        except BaseException:
            self._limit.settle(turn)
            raise
        if fault_of(reply):
            self._limit.settle(turn)
        elif reply.cached:
            self._limit.give_back(turn)
        else:
            self._limit.settle(turn, (reply.usage.input_tokens + reply.usage.output_tokens) or None)
        return reply


def _estimated(request: ModelRequest) -> int:
    """About how many tokens a request has, and at most how many its reply, where that is said."""
    texts = [_text_of(part) for message in request.messages for part in message.parts]
    texts += [f"{tool.name}{tool.description}{json.dumps(tool.input_schema)}" for tool in request.tools]
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    most = request.settings.max_tokens if request.settings is not None else None
    return -(-size // _BYTES_A_TOKEN) + (most or 0)


def _text_of(part: Part) -> str:
    match part:
        case TextPart() | ProviderPart():
            return part.text
        case ToolCall():
            return part.name + part.arguments
        case ToolResult():
            return part.content
        case _:
            assert_never(part)
