"""Feeds texts of every kind to the reader of loose JSON, and stops at the first that breaks a promise.

    python tests/fuzz/fuzz_loose.py -max_total_time=60 CORPUS

CORPUS is a folder, made where it is missing, to which the texts of the cases are added. With `atheris` installed the
options are libFuzzer's; without it a plain driver takes `-max_total_time`, `-runs`, `-seed` and `-artifact_prefix`.
Either writes what it found to a file `crash-...`: put that into `found/` beside this file, where a test replays it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import importlib
import json
import math
import random
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel


def coverage_guided() -> Any:
    """The module atheris, or None where it is not installed."""
    try:
        return importlib.import_module("atheris")
    except ImportError:
        return None


def _watching() -> AbstractContextManager[object]:
    atheris = coverage_guided() if __name__ == "__main__" else None
    return atheris.instrument_imports(include=["magic_tools.loose"]) if atheris else nullcontext()


with _watching():
    from magic_tools.errors import ParseError
    from magic_tools.loose.decode import compile_schema, loads, parse

CASES = Path(__file__).parents[1] / "loose" / "cases"

SECONDS = 1.0
"""How long a text may take for each 100 kB, and at least."""

LEVELS = 200
"""How deep JSON may be nested that has to be read; deeper JSON may be refused."""

LARGEST_SEED = 4096


class Item(BaseModel):
    """What a list of objects holds."""

    name: str
    price: Decimal = Decimal(0)
    due: dt.date | None = None


class Order(BaseModel):
    """An object that holds a list of objects."""

    id: int
    items: list[Item]
    paid: bool = False
    weight: float | None = None
    state: Literal["open", "in_work", "done"] = "open"


class Circle(BaseModel):
    """One branch of a union."""

    kind: Literal["circle"]
    r: float


class Square(BaseModel):
    """The other branch."""

    kind: Literal["square"]
    side: float


TARGETS: Mapping[str, Any] = {
    "object": Order,
    "objects": list[Item],
    "literal": Literal["red", "dark_blue", 3],
    "union": Circle | Square,
    "scalars": int | str | bool | None,
    "mapping": dict[str, int],
    "decimal": Decimal,
    "date": dt.date,
}

for _target in (Any, *TARGETS.values()):
    compile_schema(_target)  # so that it is no part of what a text takes


class BrokenPromiseError(AssertionError):
    """What a text led to that it must never lead to."""


def check(text: str) -> None:
    """Reads a text in every way; BrokenPromiseError where one does not keep what is promised of all texts.

    A text is read or refused by a ParseError that holds it, in the time that it is allowed. What is JSON is read as
    any reader would.
    """
    read = outcome_of("loads", loads, text)
    for name, target in TARGETS.items():
        outcome_of(name, partial(parse, target), text)
    try:
        value = json.loads(text, parse_constant=refuse, object_pairs_hook=without_conflict)
    except (ValueError, RecursionError):
        return
    if isinstance(read, ParseError):
        if depth(value) <= LEVELS and not LONE.search(json.dumps(value, ensure_ascii=False)):
            raise BrokenPromiseError(f"JSON was refused: {read}")
    elif repr(read.value) != repr(value):
        raise BrokenPromiseError(f"JSON was read as {read.value!r:.500}, it is {value!r:.500}")


LONE = re.compile("[\ud800-\udfff]")


def outcome_of(name: str, read: Callable[[str], Any], text: str) -> Any:
    """What one way of reading comes to, a value with its repairs or a ParseError."""
    allowed = SECONDS * max(1.0, len(text) / 100_000)
    outcome: Any
    start = time.process_time()
    try:
        outcome = read(text)
    except ParseError as refused:
        outcome = refused
    except Exception as error:
        raise BrokenPromiseError(f"{name} raised {type(error).__name__}: {error!s:.500}") from error
    spent = time.process_time() - start
    if spent > allowed:
        raise BrokenPromiseError(f"{name} took {spent:.2f} s for {len(text)} characters")
    if isinstance(outcome, ParseError) and (outcome.text != text or not outcome.issues):
        raise BrokenPromiseError(f"{name} refused without the text or without an issue")
    return outcome


def refuse(word: str) -> Any:
    raise ValueError(word)


def without_conflict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a ValueError where one key has two values."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and repr(made[key]) != repr(value):
            raise ValueError(key)
        made[key] = value
    return made


def depth(value: Any) -> int:
    """How many arrays and objects a value has inside each other, itself counted."""
    levels, held = 0, [value]
    while held := [item for item in held if isinstance(item, list | dict)]:
        levels += 1
        held = [inner for item in held for inner in (item.values() if isinstance(item, dict) else item)]
    return levels


def text_of(data: bytes) -> str:
    """The text that the bytes are: lone surrogates are let through, what is no text at all is replaced."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def bytes_of(text: str) -> bytes:
    """The bytes that `text_of` reads as the text."""
    return text.encode("utf-8", "surrogatepass")


def seeds() -> list[str]:
    """The texts of all cases, long ones cut."""
    lines = (line for path in sorted(CASES.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines())
    given = (json.loads(line)["input"] for line in lines)
    return [(text if isinstance(text, str) else eval(text["gen"]))[:LARGEST_SEED] for text in given]


PIECES = (
    *"{}[](),:;\"'`\\/#<>=-+.?0 \n\t",
    *"“”‘’：，＂\ufeff\u00a0\u200b\u2028\x00\ud800",
    *("true", "False", "null", "None", "NaN", "-Infinity", "1e999", "0x1F", "01", "1.10", "...", "undefined"),
    *('"a": ', "'a': ", "a: ", '{"a": 1}', "[1, 2]", '""', '"""', "'''", '\\"', "\\u00", "\\ud83d", "\\x41"),
    *("```json\n", "\n```", "<think>", "</think>", "<answer>", "</answer>", "<|im_end|>", "//", "/*", "*/", "# "),
    *('"id": 1', '"items": [', '"name": "x"', '"price": "1.50"', '"due": "2024-01-05"', '"kind": "circle"', '"r": 2'),
)


def mutated(text: str, other: str, chance: random.Random) -> str:
    """A text with one to four changes: a piece put in, a part left out, repeated, moved, or taken from another text."""
    for _ in range(chance.randint(1, 4)):
        start, end = sorted(chance.choices(range(len(text) + 1), k=2))
        at = chance.randint(0, len(text))
        part = text[start : min(end, start + 64)]
        match chance.randrange(7):
            case 0 | 1:
                text = text[:at] + chance.choice(PIECES) + text[at:]
            case 2:
                text = text[:start] + text[start + len(part) :]
            case 3:
                text = text[:at] + part * chance.choice((1, 1, 1, 2, 50)) + text[at:]
            case 4:
                text = text[:at]
            case 5:
                text = text[:at] + other[chance.randint(0, len(other)) :]
            case _:
                text = text[:start] + chance.choice(PIECES) + text[start + 1 :]
    return text[: 4 * LARGEST_SEED]


def run_plainly(texts: list[str], options: Mapping[str, str]) -> None:
    """Checks the texts and then changed ones, until the time or the number of runs is spent."""
    chance = random.Random(int(options.get("seed", "0")) or None)
    end = time.monotonic() + (float(options.get("max_total_time", "0")) or math.inf)
    runs = int(options.get("runs", "-1"))
    done = 0
    while done != runs and time.monotonic() < end:
        text = texts[done] if done < len(texts) else mutated(chance.choice(texts), chance.choice(texts), chance)
        try:
            check(text)
        except BrokenPromiseError:
            name = f"crash-{hashlib.sha1(bytes_of(text), usedforsecurity=False).hexdigest()}"
            path = Path(options.get("artifact_prefix", "") + name)
            path.write_bytes(bytes_of(text))
            print(f"after {done} runs: {text!r:.500}, written to {path}", file=sys.stderr)  # noqa: T201
            raise
        done += 1
    print(f"{done} runs, none broke a promise", file=sys.stderr)  # noqa: T201


def run_guided(atheris: Any, texts: list[str], arguments: list[str]) -> None:
    """Hands over to libFuzzer, which does not come back; half of the changes are its own, half are made here."""

    def change(data: bytes, largest: int, seed: int) -> bytes:
        if seed % 2:
            return bytes(atheris.Mutate(data, largest))
        chance = random.Random(seed)
        return bytes_of(mutated(text_of(data), chance.choice(texts), chance))[:largest]

    atheris.Setup(arguments, lambda data: check(text_of(data)), custom_mutator=change)
    atheris.Fuzz()


def fill(corpus: Path, texts: Iterable[str]) -> list[str]:
    """Adds the texts to a folder, one a file named for what is in it; gives all that is there."""
    corpus.mkdir(parents=True, exist_ok=True)
    for text in texts:
        data = bytes_of(text)
        (corpus / hashlib.sha1(data, usedforsecurity=False).hexdigest()).write_bytes(data)
    return [text_of(path.read_bytes()) for path in sorted(corpus.iterdir()) if path.is_file()]


def main(arguments: list[str], *, guided: bool = True) -> None:
    """Runs as the command line says, guided by what code a text reaches if that can be had."""
    folders = [Path(word) for word in arguments[1:] if not word.startswith("-")]
    if not folders:
        raise SystemExit("a folder is needed: python tests/fuzz/fuzz_loose.py -max_total_time=60 CORPUS")
    texts = fill(folders[0], seeds())
    atheris = coverage_guided() if guided else None
    if atheris:
        run_guided(atheris, texts, arguments)
    else:
        options = (word.lstrip("-").partition("=") for word in arguments[1:] if word.startswith("-"))
        run_plainly(texts, {name: value for name, _, value in options})


if __name__ == "__main__":
    main(sys.argv)
