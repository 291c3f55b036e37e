"""What it costs to read a value while it is written, for short texts and long ones."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_core import from_json

from magic_tools.loose.partial import PartialStream
from magic_tools.loose.stream import IncrementalParser

PIECE = 20
SHORT, LONG = 10_000, 10_000_000
PEER = 100_000
LARGEST_RATIO = 1.5


class Row(BaseModel):
    """A row of the usual kinds of fields."""

    number: int
    name: str
    price: float
    open: bool
    tags: list[str]
    text: str


class Table(BaseModel):
    """A list in an object, as most answers are."""

    rows: list[Row]


def rows(size: int) -> str:
    """Many values."""
    one: dict[str, Any] = {"name": "a name", "price": 1.5, "open": True, "tags": ["a", "b"], "text": "lorem ipsum " * 8}
    return json.dumps({"rows": [{"number": number, **one} for number in range(size // 200)]})


def text(size: int) -> str:
    """One long string, with escapes and letters of every width."""
    return json.dumps({"text": "lorem ipsum\né中😀 " * (size // 20)}, ensure_ascii=False)


def nested(size: int) -> str:
    """Deep containers."""
    return json.dumps([json.loads("[" * 200 + "]" * 200)] * (size // 400))


def prose(size: int) -> str:
    """A text that has brackets and no JSON."""
    return "See [1 of 2] or {name} < <think>[1]</think> " * (size // 44)


def nanoseconds(make: Callable[[], Any], written: str) -> float:
    """The time a character, in pieces of 20, with a look at the value after each; a short text is read repeatedly."""
    rounds = max(3, 20 * SHORT // len(written)) if len(written) < LONG // 2 else 1
    spent = []
    for _ in range(rounds):
        gc.collect()
        reader = make()
        start = time.perf_counter()
        for at in range(0, len(written), PIECE):
            reader.feed(written[at : at + PIECE])
            assert look(reader) is not reader
        spent.append(time.perf_counter() - start)
    return min(spent) / len(written) * 1e9


def look(reader: IncrementalParser | PartialStream[Any]) -> Any:
    return reader.value if isinstance(reader, IncrementalParser) else reader.partial.value


@pytest.mark.parametrize(
    ("make", "write"),
    [
        pytest.param(IncrementalParser, rows, id="rows"),
        pytest.param(IncrementalParser, text, id="one string"),
        pytest.param(IncrementalParser, nested, id="nested"),
        pytest.param(IncrementalParser, prose, id="prose"),
        pytest.param(lambda: PartialStream(Table), rows, id="typed rows"),
        pytest.param(lambda: PartialStream(dict[str, str]), text, id="typed string"),
    ],
)
def test_the_time_a_character(make: Callable[[], Any], write: Callable[[int], str], say: Callable[[str], None]) -> None:
    """Of ten million characters each takes no more than 1.5 times what it takes of ten thousand."""
    short, long = nanoseconds(make, write(SHORT)), nanoseconds(make, write(LONG))
    say(f"{short:.0f} ns a character of {SHORT:,}, {long:.0f} ns of {LONG:,}, ratio {long / short:.2f}")
    assert long <= LARGEST_RATIO * short


class Again:
    """What peers do: reads all the text again at each piece, by the fastest parser that there is for that."""

    def __init__(self) -> None:
        self.text = ""
        self.value: Any = None

    def feed(self, piece: str) -> None:
        self.text += piece
        self.value = from_json(self.text, allow_partial="trailing-strings")


def test_reading_again_at_each_piece(say: Callable[[str], None]) -> None:
    """Long before a hundred thousand characters it is cheaper to go on than to begin again."""
    written = rows(PEER)
    ours, again = nanoseconds(IncrementalParser, written), 0.0
    peer, start = Again(), time.perf_counter()
    for at in range(0, len(written), PIECE):
        peer.feed(written[at : at + PIECE])
    again = (time.perf_counter() - start) / len(written) * 1e9
    say(f"{ours:.0f} ns a character of {PEER:,}; read again at each piece {again:.0f} ns, ratio {again / ours:.1f}")
    assert ours < again
