"""Receipts of what was done: one line a call, readable without the tool, and after it was retired."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from magic_tools.errors import DefinitionError
from magic_tools.events import Event, ReceiptIssued
from magic_tools.messages import ErrorCode

__all__ = ["Receipt", "Receipts"]

_EFFECTS = ("applied", "unknown")
_BROKEN = object()
_WRITING = threading.Lock()
"""Held while a line is written, whoever's the file is: two that keep the same file do not come between."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """That a call was made of a tool that changes something: which promise it was made by, and what came of it.

    `key` is the call's idempotency key, `tool` the tool's identifier, `contract` the interface digest of what it
    promised then, `arguments` a digest of the canonical arguments as they were sent. `outcome` is `ok` or the error's
    code, `effect` whether what the tool does was done (`applied`), or nobody knows (`unknown`). `at` is an instant, as
    ISO text.
    """

    key: str
    tool: str
    version: str | None
    contract: str
    arguments: str
    outcome: str
    effect: str
    at: str


class Receipts:
    """A trace that keeps the receipts of runs in a file, as JSON lines; it needs nothing but its path to read them.

    A line is written at once, so that a crash may break the last one, which takes no other along. The folder of the
    file is made where it is missing; DefinitionError for a path that is a folder itself.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            example = str(self.path / "receipts.jsonl")
            raise DefinitionError(f"Receipts({str(path)!r}) is a folder: name a file in it, such as {example!r}.")
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def __call__(self, event: Event) -> None:
        """Keep the receipt that an event holds; other events are none of its business."""
        if not isinstance(event, ReceiptIssued):
            return
        receipt = Receipt(
            key=event.key,
            tool=event.id,
            version=event.version,
            contract=event.contract,
            arguments=event.arguments,
            outcome=event.outcome,
            effect=event.effect,
            at=event.at,
        )
        line = json.dumps(asdict(receipt), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        with _WRITING, self.path.open("a+b") as file:
            start = b"" if _ends_a_line(file) else b"\n"
            file.write(start + line.encode("utf-8", "surrogatepass") + b"\n")

    def read(self) -> list[Receipt]:
        """The receipts, in the order in which they were written; none where there is no file yet.

        A line that a crash has broken is left out. ValueError names a file, and the line, that holds something else.
        """
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        receipts: list[Receipt] = []
        for number, line in enumerate(lines, 1):
            data = _data_of(line)
            if data is _BROKEN:
                continue
            receipt = _receipt_of(data)
            if receipt is None:
                raise ValueError(f"{self.path}, line {number}, is no receipt: {line[:80]!r}")
            receipts.append(receipt)
        return receipts


def _ends_a_line(file: Any) -> bool:
    """Whether what is in a file ends with its last line, as it does unless that was broken."""
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) == b"\n")


def _data_of(line: bytes) -> Any:
    """The JSON value of a line, if it is not empty or broken."""
    try:
        return json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return _BROKEN


def _receipt_of(data: Any) -> Receipt | None:
    """The receipt that a line's data is, if it is one; what a later release says besides is left out."""
    names = [each.name for each in fields(Receipt)]
    if not isinstance(data, Mapping) or not set(names) <= data.keys():
        return None
    known = {name: data[name] for name in names}
    texts = {name: held for name, held in known.items() if name != "version" or held is not None}
    if not all(isinstance(text, str) for text in texts.values()):
        return None
    is_known = data["outcome"] == "ok" or data["outcome"] in set(ErrorCode)
    return Receipt(**known) if is_known and data["effect"] in _EFFECTS else None
