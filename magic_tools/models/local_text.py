"""The text that a local model writes, token by token."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any, Literal

from magic_tools.models.weights import Weights

__all__ = ["Writing"]


class Writing:
    """The text after a prompt, which is written while it is read: of at most so many tokens, up to a `stop` text.

    `arguments` are llama.cpp's own. `check` is called before the model is at work again, and raises to end it. Whoever
    reads holds the lock of the weights. `finish` and `tokens` are those of the whole text, once it has ended.
    """

    def __init__(
        self,
        weights: Weights,
        prompt: list[int],
        arguments: Mapping[str, Any],
        *,
        most: int,
        stop: tuple[str, ...],
        check: Callable[[], None],
    ) -> None:
        self.finish: Literal["stop", "length"] = "stop"
        self.tokens = 0
        self._weights = weights
        self._prompt = prompt
        self._arguments = arguments
        self._most = most
        self._until = _Until(stop)
        self._check = check

    def __iter__(self) -> Iterator[str]:
        llama, until = self._weights.llama, self._until
        characters = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._read(llama)
        with closing(llama.generate(self._prompt, **self._arguments)) as tokens:
            for token in tokens:
                self._check()
                if self._weights.is_end(token):
                    break
                self.tokens += 1
                yield until.feed(characters.decode(llama.detokenize([token])))
                if until.is_reached:
                    return
                if self.tokens == self._most:
                    self.finish = "length"
                    break
        yield until.held

    def _read(self, llama: Any) -> None:
        llama.reset()  # what an earlier request left in the cache may change the last digits, and then the words
        for start in range(0, len(self._prompt), llama.n_batch):
            self._check()
            llama.eval(self._prompt[start : start + llama.n_batch])


class _Until:
    """Lets text through up to the first of some texts, and holds back what may be the beginning of one."""

    def __init__(self, stop: tuple[str, ...]) -> None:
        self.held = ""
        self.is_reached = False
        self._stop = stop
        self._longest = max(map(len, stop), default=1) - 1

    def feed(self, text: str) -> str:
        """What can be let through by now."""
        self.held += text
        places = [place for place in map(self.held.find, self._stop) if place >= 0]
        self.is_reached = bool(places)
        through = self.held[: min(places) if places else len(self.held) - self._begun()]
        self.held = self.held[len(through) :]
        return through

    def _begun(self) -> int:
        """How many of the last characters may be the beginning of a text to stop at."""
        lengths = range(min(self._longest, len(self.held)), 0, -1)
        return next((length for length in lengths if self._begins(self.held[-length:])), 0)

    def _begins(self, end: str) -> bool:
        return any(stop.startswith(end) for stop in self._stop)
