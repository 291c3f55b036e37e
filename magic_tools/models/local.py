"""A small real model inside the process: no key, no network, held by a grammar to its tools and to its answer."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from magic_tools.asking import ProgramModel
from magic_tools.chat import Capabilities, ModelReply, ModelRequest, Piece, settings_of
from magic_tools.effects.program import Call, Draw, NoWorkerError, Program
from magic_tools.effects.workers import Attempt, Daemon, Workers
from magic_tools.errors import ModelError, ModelTimeoutError, ModelUnavailableError, StreamCutError
from magic_tools.messages import Usage
from magic_tools.models.forms import Forms, replayed
from magic_tools.models.gguf import context_tokens
from magic_tools.models.local_dialogue import dialogue_of
from magic_tools.models.local_offer import Offer, offer_of, rules_of_schema
from magic_tools.models.local_reply import GrowingReply
from magic_tools.models.local_text import Writing
from magic_tools.models.weights import INSTALL, Turn, Weights, checked, embedded_weights, loaded_weights
from magic_tools.settings import ModelSettings

__all__ = ["LocalModel"]

_MOST_TOKENS = 1_024
_DEFAULTS = ModelSettings()
_GLANCE_S = 0.1
"""How long a request waits in the queue before it looks whether anybody still waits for it, in seconds."""


class LocalModel(ProgramModel):
    """A `StreamingModel` that runs a GGUF file by llama.cpp, the embedded one where no `path` is given.

    The weights are loaded at the first request, once per process, and once more after a fork; `notify` is told in a
    line before. Requests of several threads queue. The same request gets the same reply: the temperature is 0 and
    nothing is kept between requests, unless the settings say otherwise. A reply has at most 1,024 tokens, or
    `settings.max_tokens`. Of `settings.timeouts`, `total_s` counts, from the call; it is looked at before each token
    and after each 512 that are read. `settings.extra` goes to `llama_cpp.Llama.generate`. It calls one tool at a time.
    Who stops reading a stream, or is cancelled, stops the work with the token that it is at; a stream that is read
    slowly does not keep the next request waiting.
    """

    def __init__(
        self,
        path: Path | None = None,
        settings: ModelSettings = _DEFAULTS,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        if find_spec("llama_cpp") is None:
            raise ModelUnavailableError(f"llama-cpp-python is not installed: {INSTALL}.")
        self._name = "local" if path is None else f"local:{path.name}"
        self._path = checked(path or embedded_weights())
        self._settings = settings
        self._notify = notify
        self._forms = Forms("simple")
        self._capabilities = Capabilities(
            native_schema=True,
            tools=True,
            forced_choice=True,
            strict_tools=True,
            streaming=True,
            context_tokens=context_tokens(self._path),
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._path.name}>"

    @property
    def name(self) -> str:
        """`local`, or `local:` and the name of the file."""
        return self._name

    @property
    def identity(self) -> str:
        """Which file answers, and how it is set."""
        return f"{self.name} at {self._path} with {self._settings!r}"

    @property
    def capabilities(self) -> Capabilities:
        """What it can do; the same for its whole life."""
        return self._capabilities

    def answering(self, request: ModelRequest, *, streamed: bool) -> Program[ModelReply]:
        """The program that comes to the reply, and emits its pieces on the way where it is `streamed`.

        A ModelError if the request does not fit into the model's context; StreamCutError if a stream breaks.
        """
        settings = settings_of(request, self._settings)
        watch = _Watch(settings.timeouts.total_s if settings.timeouts else None)
        form = self._forms.of(request)
        offer = offer_of(request, form)
        dialogue = dialogue_of(replayed(request, form).messages, offer)
        question = _Question(dialogue, offer, settings, watch, GrowingReply(offer, form))
        try:
            if not streamed:
                reply: ModelReply = yield Call(self._whole, (question,))
                return reply
            replies: list[ModelReply] = []
            yield Draw(lambda: self._pieces(question, replies.append), lambda piece: (piece,))
            return replies[0]
        except ModelError as error:
            if streamed and question.growing.has_come:
                raise StreamCutError(f"The answer broke off: {error}", question.growing.cut()) from error
            raise
        finally:
            watch.end()

    def _whole(self, question: _Question) -> ModelReply:
        question.watch.waiting = threading.current_thread()
        return self._answer(question, _to_nobody)

    def _pieces(self, question: _Question, end: Callable[[ModelReply], None]) -> Iterator[Piece]:
        """The pieces of a reply, and its end.

        A thread of their own makes them ahead of who reads them, for whom the next request thus need not wait.
        """
        question.watch.waiting = threading.current_thread()
        queue: SimpleQueue[Piece | Attempt] = SimpleQueue()
        workers = Workers()
        try:
            workers.start(partial(self._answer, question, queue.put), queue.put)
            while not isinstance(item := queue.get(), Attempt):
                yield item
            end(item.get())
        except NoWorkerError as error:
            raise ModelError(f"The model {self.name} cannot begin: {error}") from error
        finally:
            question.watch.end()
            workers.close()

    def _answer(self, question: _Question, tell: Callable[[Piece], object]) -> ModelReply:
        """The reply, each piece of which is told on the way."""
        growing, watch = question.growing, question.watch
        weights = loaded_weights(self._path, self._notify)
        while not weights.lock.acquire(timeout=watch.glance_s()):
            self._check(watch)
        try:
            prompt = weights.tokens(question.dialogue)
            most = self._most_tokens(weights, prompt, question.settings)
            arguments = _arguments(weights, self._grammar(weights, question.offer), question.settings)
            stop = question.settings.stop or ()
            writing = Writing(weights, prompt, arguments, most=most, stop=stop, check=partial(self._check, watch))
            for text in writing:
                for piece in growing.feed(text):
                    tell(piece)
        except RuntimeError as error:
            raise ModelError(f"The model {self.name} failed: {error}") from error
        finally:
            weights.lock.release()
        reply = growing.ended(writing.finish)
        for piece in growing.rest(reply):
            tell(piece)
        usage = Usage(len(prompt), writing.tokens)
        return replace(reply, usage=usage, model=self._path.name, max_tokens=most)

    def _most_tokens(self, weights: Weights, prompt: list[int], settings: ModelSettings) -> int:
        room: int = weights.llama.n_ctx() - len(prompt)
        if room < 1:
            raise ModelError(
                f"The text is too long for the model {self.name}: it comes to {len(prompt)} tokens, "
                f"and {weights.llama.n_ctx()} fit, the answer included."
            )
        return min(room, settings.max_tokens or _MOST_TOKENS)

    def _grammar(self, weights: Weights, offer: Offer) -> Any:
        rules = offer.rules()
        grammar = None if rules is None else weights.grammar(rules)
        if rules is None or grammar is not None:
            return grammar
        refused = (whose for whose, schema in offer.schemas() if weights.grammar(rules_of_schema(schema)) is None)
        raise ModelError(
            f"The schema of {next(refused, 'the request')} cannot be made a grammar, as where a type is defined as "
            "nothing but itself: use another model, such as openai:NAME."
        )

    def _check(self, watch: _Watch) -> None:
        if watch.is_over():
            raise ModelTimeoutError(f"The model {self.name} did not answer within {watch.allowed_s} s.")


def _to_nobody(_: Piece) -> None:
    """What pieces are told to where nobody listens."""


def _arguments(weights: Weights, grammar: Any, settings: ModelSettings) -> dict[str, Any]:
    """What llama.cpp is told beside the prompt."""
    weights.llama.set_seed(settings.seed or 0)
    arguments = {"temp": settings.temperature or 0.0, "grammar": grammar, **settings.extra}
    if settings.top_p is not None:
        arguments.setdefault("top_p", settings.top_p)
    known = inspect.signature(weights.llama.generate).parameters.keys() - {"tokens"}
    if unknown := arguments.keys() - known:
        raise ValueError(f"ModelSettings.extra: llama.cpp's generate knows no {', '.join(sorted(unknown))}")
    return arguments


@dataclass(frozen=True, slots=True)
class _Question:
    """One request on its way, and its reply as far as that has come."""

    dialogue: list[Turn]
    offer: Offer
    settings: ModelSettings
    watch: _Watch
    growing: GrowingReply


class _Watch:
    """How long a request may go on: until its time is spent, or nobody waits for it any more.

    `waiting` is the thread that waits for it, which may be given up.
    """

    def __init__(self, allowed_s: float | None) -> None:
        self.allowed_s = allowed_s
        self.waiting = threading.current_thread()
        self._end = None if allowed_s is None else time.monotonic() + allowed_s
        self._is_given_up = False

    def end(self) -> None:
        """Stop the request, if it still goes on."""
        self._is_given_up = True

    def glance_s(self) -> float:
        """How long to wait for one's turn before looking whether to go on, in seconds."""
        return _GLANCE_S if self._end is None else min(_GLANCE_S, max(0.0, self._end - time.monotonic()))

    def is_over(self) -> bool:
        """Whether to stop now."""
        is_left = isinstance(self.waiting, Daemon) and self.waiting.abandoned
        return self._is_given_up or is_left or (self._end is not None and self._end <= time.monotonic())
