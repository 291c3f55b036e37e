"""What a GGUF file says of itself before it is loaded."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from magic_tools.models.gguf import context_tokens
from magic_tools.models.weights import embedded_weights


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def pair(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def array(kind: int, *values: bytes) -> bytes:
    return struct.pack("<IQ", kind, len(values)) + b"".join(values)


def gguf(*pairs: bytes, count: int | None = None) -> bytes:
    return struct.pack("<4sIQQ", b"GGUF", 3, 7, len(pairs) if count is None else count) + b"".join(pairs)


ARCHITECTURE = pair("general.architecture", 8, text("llama"))
CONTEXT = pair("llama.context_length", 4, struct.pack("<I", 4096))
# One of each kind of value, which stand before what is looked for.
OTHERS = (
    pair("a.flag", 7, b"\x01"),
    pair("a.float", 6, struct.pack("<f", 0.5)),
    pair("a.double", 12, struct.pack("<d", 0.5)),
    pair("a.text", 8, text("小模型")),
    pair("a.texts", 9, array(8, text("en"), text("zh"))),
    pair("a.arrays", 9, array(9, array(0, b"\x01", b"\x02"), array(4))),
    *(
        pair(f"a.{kind}", kind, bytes(size))
        for kind, size in {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 10: 8, 11: 8}.items()
    ),
)


def test_the_embedded_model() -> None:
    """The embedded model's file says how much fits."""
    pytest.importorskip("llama_cpp")
    assert context_tokens(embedded_weights()) == 8192


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        (gguf(ARCHITECTURE, CONTEXT), 4096),
        (gguf(*OTHERS, ARCHITECTURE, *OTHERS, CONTEXT), 4096),
        (gguf(ARCHITECTURE, pair("llama.context_length", 10, struct.pack("<Q", 1 << 20))), 1 << 20),
        # That of another part of the model, such as its encoder of images.
        (gguf(ARCHITECTURE, pair("clip.context_length", 4, struct.pack("<I", 77)), CONTEXT), 4096),
        (gguf(ARCHITECTURE), None),
        (gguf(CONTEXT), None),
        (gguf(ARCHITECTURE, pair("llama.context_length", 8, text("long"))), None),
        (gguf(ARCHITECTURE, pair("llama.context_length", 4, bytes(4))), None),
    ],
)
def test_context_tokens(tmp_path: Path, data: bytes, tokens: int | None) -> None:
    """The size of the context is found among whatever else a file says, if it is there."""
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    assert context_tokens(path) == tokens


@pytest.mark.parametrize(
    "data",
    [
        b"GGUF",
        gguf(ARCHITECTURE, CONTEXT)[:-2],
        gguf(ARCHITECTURE, count=2**63),
        gguf(ARCHITECTURE, pair("a", 99, b""), CONTEXT),
        gguf(struct.pack("<Q", 2**63) + b"key"),
        gguf(pair("a", 8, struct.pack("<Q", 2) + b"\xff\xfe"), CONTEXT),
        gguf(pair("a", 9, struct.pack("<IQ", 4, 2**60)), CONTEXT),
        gguf(pair("a", 9, struct.pack("<IQ", 9, 1) * 6000), CONTEXT),
    ],
)
def test_a_damaged_file(tmp_path: Path, data: bytes) -> None:
    """A file that is damaged, or made to mislead, says nothing, and that at once."""
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    assert context_tokens(path) is None
