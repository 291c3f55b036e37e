"""A typed answer while its text arrives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from magic_tools.loose.decode import Schema
from magic_tools.loose.partial import Partial, PartialStream

__all__ = ["GrowingAnswer"]


class GrowingAnswer:
    """Reads an answer from text that is the JSON of a target; with a `key`, what stands under that in it."""

    def __init__(self, target: Any, schema: Schema[Any], key: str | None = None) -> None:
        self._key = key
        self._stream: PartialStream[Any] = PartialStream(target, schema=schema)

    def feed(self, piece: str) -> Partial[Any] | None:
        """The answer as far as it has come; None where there is no more to see than before."""
        partial = self._stream.feed(piece)
        if partial is None or self._key is None:
            return partial
        held, path = partial.value, partial.open_path
        if not isinstance(held, dict) or self._key not in held:
            return None
        return Partial(
            held[self._key],
            path[1:] if path and path[0] == self._key else None,
            tuple([replace(each, path=_below(each.path, self._key)) for each in partial.errors]),
            partial.validated,
        )


def _below(path: str, key: str) -> str:
    """A path inside of what a key holds."""
    return path.removeprefix(key).removeprefix(".")
