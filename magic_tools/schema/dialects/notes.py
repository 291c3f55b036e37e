"""What rendering a schema comes upon: changes, obstacles, and words for the descriptions."""

from __future__ import annotations

from dataclasses import dataclass, field

from magic_tools.schema.dialects.rendered import DialectChange
from magic_tools.schema.walk import escaped

__all__ = ["Here", "Notes"]


@dataclass(frozen=True, slots=True)
class Notes:
    """What was found in one schema; an obstacle stands for valid values that the form cannot say."""

    changes: list[DialectChange] = field(default_factory=list)
    obstacles: list[DialectChange] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Here:
    """One place of the canonical schema, a JSON Pointer; `words` are the sentences for its description."""

    notes: Notes
    pointer: str
    words: list[str] = field(default_factory=list)

    def change(self, keyword: str, what: str) -> None:
        """List what became of a keyword."""
        self.notes.changes.append(DialectChange(self.pointer, keyword, what))

    def say(self, keyword: str, sentence: str) -> None:
        """Put what a keyword says into words, and list that."""
        self.words.append(sentence)
        self.change(keyword, f"kept as text: {sentence}")

    def obstacle(self, keyword: str, why: str) -> None:
        """List why the form would lose valid values here."""
        self.notes.obstacles.append(DialectChange(self.pointer, keyword, why))

    def property(self, name: str) -> Here:
        """The place of a property, with words of its own."""
        return Here(self.notes, f"{self.pointer}/properties/{escaped(name)}")
