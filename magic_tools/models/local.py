"""A small real model inside the process: no key, no network, its answer held to the schema by a grammar."""

from __future__ import annotations

import inspect
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from magic_tools.chat import Capabilities, FinishReason, ModelReply, ModelRequest, ModelSettings, settings_of
from magic_tools.errors import ModelError, ModelTimeoutError, ModelUnavailableError
from magic_tools.messages import Message, TextPart, Usage
from magic_tools.models.forms import replayed, restored
from magic_tools.models.weights import INSTALL, Turn, Weights, checked, embedded_weights, loaded_weights
from magic_tools.schema.dialects.requests import render_output
from magic_tools.schema.dialects.table import Dialect

__all__ = ["LocalModel"]

_MOST_TOKENS = 1_024
_DIALECT: Dialect = "simple"
_DEFAULTS = ModelSettings()
_FINISHES: Mapping[str, FinishReason] = {"stop": "stop", "length": "length"}

# The wording with which the embedded model got the most fields right, of some twenty that were tried on two dozen
# letters: it is too small to take a hint, and wants to be led to the first bracket.
_TASK = (
    "You are a data extraction assistant. Read the user's text and fill in this JSON Schema with the values found in "
    "the text:\n{schema}\nAnswer with the JSON only."
)
_TEXT, _LEAD = "Text:\n", "\n\nJSON:"


class LocalModel:
    """A `ChatModel` that runs a GGUF file by llama.cpp, the embedded one where no `path` is given.

    The weights are loaded at the first request and once per process; `notify` is told in a line
    before. Requests of several threads queue. The same request gets the same reply: the temperature
    is 0 and nothing is kept between requests, unless the settings say otherwise. An answer has at
    most 1,024 tokens, or `settings.max_tokens`. `settings.timeout_s` counts from the call, and is looked
    at before each token and after each 512 that are read. `settings.extra` goes to
    `llama_cpp.Llama.create_completion`. It calls no tools.
    """

    capabilities = Capabilities(native_schema=True, object_root=False, tools=False)

    def __init__(
        self,
        path: Path | None = None,
        settings: ModelSettings = _DEFAULTS,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        if find_spec("llama_cpp") is None:
            raise ModelUnavailableError(f"llama-cpp-python is not installed: {INSTALL}.")
        self.name = "local" if path is None else f"local:{path.name}"
        self._path = checked(path or embedded_weights())
        self._settings = settings
        self._notify = notify

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._path.name}>"

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request; a ModelError if it does not fit into the model's context."""
        return self._complete(request, _Watch(settings_of(request, self._settings).timeout_s))

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request, awaited; the worker thread that does the work stops soon if the task is cancelled."""
        import asyncio

        watch = _Watch(settings_of(request, self._settings).timeout_s)
        try:
            return await asyncio.to_thread(self._complete, request, watch)
        finally:
            watch.end()

    def _complete(self, request: ModelRequest, watch: _Watch) -> ModelReply:
        if request.tools:
            raise ModelError(f"The model {self.name} cannot call tools: use another, such as openai:NAME.")
        told = _simplified(request)
        dialogue = _dialogue(told)
        weights = loaded_weights(self._path, self._notify)
        if not weights.lock.acquire(timeout=watch.left_s()):
            raise self._late(watch)
        try:
            tokens = weights.tokens(dialogue)
            grammar = None if told.output is None else weights.grammar(told.output.schema)
            return restored(
                self._reply(self._completion(weights, tokens, grammar, settings_of(request, self._settings), watch)),
                request,
                _DIALECT,
            )
        except RuntimeError as error:
            raise ModelError(f"The model {self.name} failed: {error}") from error
        finally:
            weights.lock.release()

    def _completion(
        self, weights: Weights, tokens: list[int], grammar: Any, settings: ModelSettings, watch: _Watch
    ) -> Mapping[str, Any]:
        from llama_cpp import StoppingCriteriaList

        llama = weights.llama
        room = llama.n_ctx() - len(tokens)
        if room < 1:
            raise ModelError(
                f"The text is too long for the model {self.name}: it comes to {len(tokens)} tokens, "
                f"and {llama.n_ctx()} fit, the answer included."
            )
        arguments = {
            "temperature": settings.temperature or 0.0,
            "seed": settings.seed or 0,
            "max_tokens": min(room, settings.max_tokens or _MOST_TOKENS),
            "grammar": grammar,
            "stopping_criteria": StoppingCriteriaList([watch.is_over]),
            **settings.extra,
        }
        if unknown := arguments.keys() - inspect.signature(llama.create_completion).parameters.keys():
            raise ValueError(
                f"ModelSettings.extra: llama.cpp's create_completion knows no {', '.join(sorted(unknown))}"
            )
        llama.reset()  # what an earlier request left in the cache may change the last digits, and then the words
        for start in range(0, len(tokens), llama.n_batch):
            if watch.is_over():
                raise self._late(watch)
            llama.eval(tokens[start : start + llama.n_batch])
        completion: Mapping[str, Any] = llama.create_completion(tokens, **arguments)
        if watch.stopped:
            raise self._late(watch)
        return completion

    def _late(self, watch: _Watch) -> ModelTimeoutError:
        return ModelTimeoutError(f"The model {self.name} did not answer within {watch.allowed_s} s.")

    def _reply(self, completion: Mapping[str, Any]) -> ModelReply:
        choice, usage = completion["choices"][0], completion["usage"]
        return ModelReply(
            parts=(TextPart(choice["text"]),) if choice["text"] else (),
            finish=_FINISHES.get(choice["finish_reason"], "other"),
            usage=Usage(usage["prompt_tokens"], usage["completion_tokens"]),
            model=self._path.name,
        )


def _simplified(request: ModelRequest) -> ModelRequest:
    """The request as the model is asked, its schema in the dialect for weak models."""
    if request.output is None:
        return request
    schema = render_output(request.output, _DIALECT).schema
    return replace(replayed(request, _DIALECT), output=replace(request.output, schema=schema))


def _dialogue(request: ModelRequest) -> list[Turn]:
    """The messages as the chat template takes them; for a typed answer with its schema, and led up to it."""
    dialogue = [_turn(message) for message in request.messages]
    if request.output is None:
        return dialogue
    schema = json.dumps(request.output.schema, ensure_ascii=False, separators=(",", ":"))
    told = [turn["content"] for turn in dialogue if turn["role"] == "system"]
    spoken = [turn for turn in dialogue if turn["role"] != "system"]
    for turn in spoken[:1]:
        turn["content"] = _TEXT + turn["content"]
    for turn in spoken[-1:]:
        turn["content"] += _LEAD
    return [{"role": "system", "content": "\n\n".join([*told, _TASK.format(schema=schema)])}, *spoken]


def _turn(message: Message) -> Turn:
    if message.role == "tool" or message.calls:
        raise ModelError("The embedded model cannot read a conversation with tool calls in it: use openai:NAME.")
    return {"role": message.role, "content": message.text}


class _Watch:
    """How long a request may go on: until its time is spent, or nobody waits for it any more."""

    def __init__(self, allowed_s: float | None) -> None:
        self.stopped = False
        self.allowed_s = allowed_s
        self._end = None if allowed_s is None else time.monotonic() + allowed_s
        self._given_up = threading.Event()

    def end(self) -> None:
        """Stop the request, if it still goes on."""
        self._given_up.set()

    def left_s(self) -> float:
        """The seconds left, as `threading` takes them: -1 where there is no bound."""
        return -1 if self._end is None else max(0.0, self._end - time.monotonic())

    def is_over(self, *_: object) -> bool:
        """Whether to stop now; takes what llama.cpp tells its stopping criteria after each token."""
        self.stopped = self._given_up.is_set() or self.left_s() == 0
        return self.stopped
