"""Whether a case of a schema diff is right, by jsonschema-rs alone and without the code under test."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from magic_tools.contracts.changes import EFFECTS, Effect, Side
from tests.contracts.diffing.sampling import allows, samples

__all__ = ["Case", "cases", "examples", "faults", "roles"]

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Case:
    """Two schemas, a side, and what their difference does to whoever holds the old one.

    `witness` is a list of one value that the producer may send and the consumer refuses; a breaking case without one is
    of a `policy` (R4, R5, R8), or given without one. `ruling` says how a rule is read that leaves the case open.
    """

    id: str
    side: Side
    old: Any
    new: Any
    expect: Effect
    why: str
    witness: Sequence[Any] = ()
    policy: bool = False
    ruling: str = ""

    @property
    def pair(self) -> tuple[Any, Any]:
        """The schema of who sends and that of who receives."""
        return roles(self.old, self.new, self.side)


def roles(old: Any, new: Any, side: Side) -> tuple[Any, Any]:
    """Of two schemas the producer's and the consumer's."""
    return (old, new) if side == "input" else (new, old)


def cases(name: str) -> list[Case]:
    """The cases of a file: `given` or `own`."""
    lines = (json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [Case(**(line | {"witness": [line["witness"]]} if "witness" in line else line)) for line in lines]


def examples(least: int) -> int:
    """How many examples a test tries: more by `MAGIC_TOOLS_EXAMPLES`, which is a factor."""
    return least * int(os.environ.get("MAGIC_TOOLS_EXAMPLES", "1"))


def faults(case: Case, *, tries: int = 40) -> list[str]:
    """What is wrong with a case."""
    if case.expect not in EFFECTS:
        return [f"no such effect: {case.expect}"]
    producer, consumer = map(allows, case.pair)
    if case.expect != "breaking":
        sent = samples(case.pair[0], near=case.pair[1], tries=tries)
        return [f"the consumer refuses {value!r}" for value in sent if not consumer.is_valid(value)][:3]
    if case.policy == bool(case.witness):
        return ["a breaking case has a witness or rests on a policy"]
    wrong = [f"the producer may not send {value!r}" for value in case.witness if not producer.is_valid(value)]
    return wrong + [f"the consumer takes {value!r}" for value in case.witness if consumer.is_valid(value)]
