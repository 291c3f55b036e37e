"""The phases of a conversation: which tools each has, and what moves the run from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, TypeAlias

from magic_tools.errors import DefinitionError
from magic_tools.messages import Message, ToolResult
from magic_tools.tools.tool import Tool
from magic_tools.tools.toolset import Toolset

__all__ = ["Move", "Phases", "Progress"]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands after the calls of a reply: its phase, their `results`, and the transcript before them."""

    phase: str
    results: tuple[ToolResult, ...]
    transcript: tuple[Message, ...]
    steps: int


Move: TypeAlias = Callable[[Progress], str | None] | Mapping[str, str]
"""Gives the next phase, or None to stay; or the phase that the success of a tool moves to, by the tool's name."""


class Phases:
    """Tools by phase, in which a run offers those of one phase at a time, beginning with `start`, else the first.

    After the calls of each reply `move` says which phase comes next: a pure function of where the run stands, or a
    mapping from a tool's name to the phase that its success moves to; of several in one reply the last counts.
    DefinitionError for a phase, or a tool, that there is not, and for a phase that a mapping never moves to.
    """

    def __init__(
        self,
        tools: Mapping[str, Toolset | Iterable[Tool[..., Any] | Callable[..., Any]]],
        *,
        move: Move,
        start: str | None = None,
    ) -> None:
        given: Any = tools  # which a caller without a type checker may give as anything
        if not (isinstance(given, Mapping) and given):
            raise DefinitionError(
                "Phases take tools by the name of their phase, such as {'find': [...], 'buy': [...]}."
            )
        if strange := [name for name in given if not isinstance(name, str) or not name]:
            raise DefinitionError(f"The name of a phase is a text that is not empty, got {strange[0]!r:.80}.")
        self.tools = {name: _toolset(name, held) for name, held in given.items()}
        self.start = next(iter(self.tools)) if start is None else start
        self._check((self.start,))
        told: Any = move
        if isinstance(told, Mapping):
            self._check(told.values())
            self._check_tools(told)
            self._check_reach(told)
        elif not callable(told) or iscoroutinefunction(told):
            raise DefinitionError(f"Phases(move=...) is an ordinary function or a mapping, got {move!r:.80}.")
        self.move = move

    @staticmethod
    def of(toolset: Toolset, *phases: str, move: Move, start: str | None = None) -> Phases:
        """Phases of these names, of the tools of a set that serve each by their `Policy(phases=...)`."""
        return Phases({phase: toolset.in_phase(phase) for phase in phases}, move=move, start=start)

    def __repr__(self) -> str:
        return f"Phases({', '.join(self.tools)})"

    def next(self, progress: Progress) -> str:
        """The phase after the calls of a reply; DefinitionError if `move` gives one that there is not."""
        if isinstance(self.move, Mapping):
            moved = [self.move.get(result.name) for result in progress.results if not result.is_error]
            return next((phase for phase in reversed(moved) if phase is not None), progress.phase)
        phase = self.move(progress)
        if phase is None:
            return progress.phase
        self._check((phase,))
        return phase

    def _check(self, phases: Iterable[Any]) -> None:
        for phase in phases:
            if not isinstance(phase, str) or phase not in self.tools:
                raise DefinitionError(f"There is no phase {phase!r:.80}; there are: {', '.join(self.tools)}.")

    def _check_reach(self, move: Mapping[str, str]) -> None:
        """DefinitionError for a phase in which no run can come to stand."""
        reached, waiting = {self.start}, [self.start]
        while waiting:
            moves = {move[name] for name in self.tools[waiting.pop()].names if name in move} - reached
            reached |= moves
            waiting += moves
        if unreached := [phase for phase in self.tools if phase not in reached]:
            raise DefinitionError(
                f"The phase {unreached[0]!r} can never be reached from {self.start!r}: "
                "name in Phases(move=...) a tool whose success moves to it."
            )

    def _check_tools(self, names: Iterable[str]) -> None:
        for name in names:
            if not any(name in held for held in self.tools.values()):
                raise DefinitionError(f"Phases(move=...) names the tool {name!r:.80}, which no phase has.")


def _toolset(phase: str, held: Any) -> Toolset:
    if isinstance(held, Toolset):
        return held
    if isinstance(held, Tool | str) or not isinstance(held, Iterable):
        raise DefinitionError(f"The phase {phase!r} takes several tools, as in [{phase}_tool], got {held!r:.80}.")
    return Toolset(*held)
