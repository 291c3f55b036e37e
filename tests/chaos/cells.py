"""The cells of the chaos: each fault, of each provider, in each way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from tests.chaos.faults import VALUE, Ends, Fault, Pace
from tests.chaos.server import Request
from tests.chaos.voices import Voice

__all__ = ["WAYS", "Cell", "Found", "Mode", "Way", "cells_of"]

Way: TypeAlias = Literal["run", "arun", "run_stream", "arun_stream"]
WAYS: Sequence[Way] = ("run", "arun", "run_stream", "arun_stream")

Mode: TypeAlias = Literal["always", "once", "asked"]
"""In a run, the fault befalls every try; in a run, only the first try; a model is asked directly, once."""

_MODES: Mapping[Pace, Sequence[Mode]] = {
    "patient": ("always", "once", "asked"),
    "impatient": ("always", "once"),
    "heavy": ("asked",),
}


class Cell(NamedTuple):
    """One fault of one provider in one way."""

    voice: Voice
    fault: Fault
    way: Way
    mode: Mode

    @property
    def streamed(self) -> bool:
        """Whether its way is that of a stream."""
        return "stream" in self.way

    @property
    def ends(self) -> Ends | None:
        """What is to come of its fault; None where it is none in this way."""
        return self.fault.ends(self.voice, streamed=self.streamed)


def cells_of(voice: Voice, faults: Iterable[Fault]) -> Iterator[Cell]:
    """The cells of a provider.

    What takes long, or would be sent again for ever as it ends well, is not played in each mode.
    """
    for fault in faults:
        for way in WAYS:
            for mode in _MODES[fault.pace]:
                cell = Cell(voice, fault, way, mode)
                ends = cell.ends
                is_endless = mode == "always" and fault.first and ends is not None and ends.kind == VALUE
                if ends is not None and not is_endless and (fault.is_answered or mode != "once"):
                    yield cell


@dataclass
class Found:
    """What came of a cell.

    `kind` is the class of an error, or `value`; `text` that of the one or the other; `shown` is all that an error shows
    of itself, `told` the text that a stream told. `waits` are those between tries, in seconds.
    """

    kind: str
    shown: str = ""
    text: str = ""
    effects: int = 0
    requests: Sequence[Request] = ()
    waits: Sequence[float] = ()
    seconds: float = 0.0
    told: str = ""
