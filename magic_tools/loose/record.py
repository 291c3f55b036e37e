"""What a way through a value has found: what was mended in it, and what cannot be so."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from magic_tools.loose.guide import Guide
from magic_tools.loose.issues import Finding, Place, path_text, shown
from magic_tools.loose.phrases import Phrase
from magic_tools.messages import Repair

__all__ = ["Record"]


@dataclass(slots=True)
class Record:
    """The findings of one way.

    `findings` are what this layer objects to; where `misfit` is true, pydantic refuses something too. `mended` counts
    what was taken for something of another type. `converted` are the findings that there are if another
    reader takes the text of a Decimal for text, `lossy` those if it takes the number as it was.
    """

    guide: Guide
    repairs: list[Repair] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    converted: list[Finding] = field(default_factory=list)
    lossy: list[Finding] = field(default_factory=list)
    kind: Literal["invalid", "ambiguous", "truncated"] = "invalid"
    misfit: bool = False
    mended: int = 0

    @property
    def fits(self) -> bool:
        """Whether the value is of the type."""
        return not self.findings and not self.misfit

    def refuse(self, place: Place, expected: Phrase, got: Any, *, misplaced: bool = False) -> None:
        """Object to what stands at a place; `misplaced` if nothing is declared there for its kind."""
        secret = self.guide.secrets.cover(place, misplaced=misplaced)
        self.findings.append(Finding(place, expected, shown(got, secret=secret)))

    def note(self, place: Place, kind: str, note: str, *, mended: bool = True) -> None:
        """List a repair; `mended` if it took the value for something of another type."""
        self.repairs.append(Repair(kind, None, None, f"{path_text(place) or 'the value'}: {note}"))
        self.mended += mended
