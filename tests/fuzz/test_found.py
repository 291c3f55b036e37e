"""Texts that once broke a promise, or could: each is read or refused, in time, and JSON is read as what it is."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from magic_tools.loose.decode import Parsed
from tests.fuzz import fuzz_loose
from tests.fuzz.fuzz_loose import BrokenPromiseError, bytes_of, check, depth, main, mutated, text_of

FOUND = sorted(path for path in (Path(__file__).parent / "found").glob("*") if path.is_file())

WRITTEN = [
    b"",
    b"\x00",
    b"\xff\xfe{\x00}\x00",
    b"\xef\xbb\xbf{}",
    b'{"a": 1}',
    b'[-0, -0.0, 1e400, 1E-400, 0.1, 123456789012345678901234567890]',
    b'{"a": "\\ud800", "b": "\\udc00\\ud800"}',
    b'{"a": "\xed\xa0\x80"}',
    b'{"a": 1, "a": 1.0}',
    b'{"a": "x\\u00',
    b'{"id": 1, "items": [{"name": "x", "price": "1.50", "due": "2024-01-05"}], "state": "in work"}',
    b"{'id': '1', 'items': {'name': 'it's', 'price': 1.10}, 'paid': TRUE,}",
    b'{"kind": "circle", "r": 1e999} {"kind": "square", "side": -0}',
    b'"\\"\\\\\\"{\\\\\\\\\\"a\\"',
    b'<think><think></think>```json\n{"a": """x"y"""',
    b"1" * 4301,
    b"0." + b"0" * 5000 + b"1",
    b'{"price": 1e1000000000}',
    b"1e1000000000",
    b'"9999-99-99"',
    b"[" * 1000 + b"]" * 1000,
    b'{"a": ' * 150 + b"1" + b"}" * 150,
    b'{"t": "' + b'a"b, ' * 1000 + b'"}',
    "{“a”：‘b’，＂c＂: [1，]}".encode(),
]  # fmt: skip


TEXTS = {f"{data[:20]!r}": data for data in WRITTEN} | {path.name: path.read_bytes() for path in FOUND}


@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS)
def test_a_text_that_was_found_or_written(data: bytes) -> None:
    """What fuzzing found once is found no more, and texts at the edges of what can be read keep to it too."""
    check(text_of(data))


def test_the_driver_without_guidance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The texts of the cases and changes of them, always the same, keep what is promised of all texts."""
    monkeypatch.setattr(fuzz_loose, "seeds", lambda: ['{"a": [1, "b"]}', "{'id': 1, 'items': [{'name': 'x'}]}"])
    main(["", "-runs=300", "-seed=1", f"-artifact_prefix={tmp_path}/", str(tmp_path / "corpus")], guided=False)
    assert list(tmp_path.glob("crash-*")) == []


@pytest.mark.parametrize("text", ["[1]", "[1"])
def test_what_breaks_a_promise_is_written_down(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver stops at a text that is read as something else, or fails, and writes it to a file."""

    def broken(text: str) -> Any:
        return Parsed([len(json.loads(text)), ""], ())

    monkeypatch.setattr(fuzz_loose, "loads", broken)
    monkeypatch.setattr(fuzz_loose, "seeds", lambda: [text])
    with pytest.raises(BrokenPromiseError, match="JSON"):
        main(["", "-runs=1", f"-artifact_prefix={tmp_path}/", str(tmp_path / "corpus")], guided=False)
    (written,) = tmp_path.glob("crash-*")
    assert text_of(written.read_bytes()) == text


def test_what_takes_too_long_breaks_a_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text may take as long as its length allows, and no longer."""
    seconds = iter(range(0, 1000, 2))
    monkeypatch.setattr(time, "process_time", lambda: float(next(seconds)))
    check(" " * 200_000)
    with pytest.raises(BrokenPromiseError, match=r"loads took 2\.00 s for 1000 characters"):
        check(" " * 1000)


def test_depth_and_bytes() -> None:
    """Levels are counted without recursion; text and bytes are each other's."""
    values: list[Any] = [1, [], {}, [{}], {"a": [1, [2]]}]
    assert [depth(value) for value in values] == [0, 1, 1, 2, 3]
    assert text_of(bytes_of("é\ud800")) == "é\ud800"
    assert text_of(b"\xff") == "\ufffd"


def test_changes_are_the_same_for_the_same_chance() -> None:
    """What the driver makes of a text depends on nothing but the chance it is handed."""
    one, other = (
        [mutated('{"a": 1}', "[2, 3]", chance) for _ in range(50)] for chance in (random.Random(7), random.Random(7))
    )
    assert one == other
    assert len(set(one)) > 25
