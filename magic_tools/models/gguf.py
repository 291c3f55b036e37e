"""What the beginning of a GGUF file says of a model, read without loading it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

__all__ = ["context_tokens"]

# GGUF, version 2 and later, is little-endian: a magic number, the version, how many tensors and how many keys there
# are, and then the keys, each with the kind of its value and the value (docs/gguf.md of ggml-org/ggml, August 2023).
_HEADER, _ARRAY_HEADER = "<4sIQQ", "<IQ"
_NUMBERS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9

_MOST_READ = 1 << 16
"""How much of a file is looked at, in bytes: what a model is comes before its vocabulary, which is long."""


def context_tokens(path: Path) -> int | None:
    """How many tokens fit into a model's context; None where the beginning of its file does not say it."""
    with path.open("rb") as file:
        data = BytesIO(file.read(_MOST_READ))
    architecture = None
    try:
        for key, value in _pairs(data):
            if key == "general.architecture":
                architecture = value
            elif key == f"{architecture}.context_length" and type(value) is int and value > 0:
                return value
    except (KeyError, RecursionError, UnicodeDecodeError, struct.error):
        return None  # it is damaged, or goes on beyond what was read
    return None


def _pairs(data: BytesIO) -> Iterator[tuple[str, Any]]:
    *_, count = _taken(data, _HEADER)
    for _ in range(count):
        key = _text(data)
        yield key, _value(data, *_taken(data, "<I"))


def _value(data: BytesIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(data)
    if kind == _ARRAY:
        inner, count = _taken(data, _ARRAY_HEADER)
        for _ in range(count):
            _value(data, inner)
        return None
    return _taken(data, f"<{_NUMBERS[kind]}")[0]


def _text(data: BytesIO) -> str:
    (length,) = _taken(data, "<Q")
    return data.read(min(length, _MOST_READ)).decode()


def _taken(data: BytesIO, form: str) -> tuple[Any, ...]:
    return struct.unpack(form, data.read(struct.calcsize(form)))
