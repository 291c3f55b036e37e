"""What of a toolset a run is served, and what it is told of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from magic_tools.contracts.manifest import Pin
from magic_tools.events import ToolDrifted
from magic_tools.messages import Message
from magic_tools.tools.admitting import admitted, as_pinned
from magic_tools.tools.executable import Executable
from magic_tools.tools.scope import RunScope
from magic_tools.tools.tool import Tool
from magic_tools.tools.toolset import Toolset

__all__ = ["drifts", "served"]


def served(toolset: Toolset, scope: RunScope) -> Toolset:
    """The toolset as a run is served it, by the clock, and by what the run is pinned to.

    Tools that it is not served are not offered, and a call of one is refused with the reason; a set of which nothing is
    declared stays as it is.
    """
    if scope.pins is None and not toolset.has_an_end:
        return toolset
    refused: dict[str, Executable] = {}
    aliases: dict[str, Executable] = {}

    def standing(made: Tool[..., Any]) -> Tool[..., Any] | None:
        target = admitted(made.executable, scope)
        if target is made.executable:
            return made
        if target.standing.refusal is None:
            return made.served_as(target)
        refused[target.name] = target
        if (alias := as_pinned(target, made.executable, scope)) is not None:
            aliases[alias.name] = alias
        return None

    offered = toolset.exchanged(standing)
    return _Served(offered, {**aliases, **refused}) if refused else offered


def drifts(toolsets: Iterable[Toolset], scope: RunScope) -> tuple[ToolDrifted, ...]:
    """What of the served toolsets of a run is not as pinned: each tool once, by name, then those that are gone."""
    if scope.pins is None:
        return ()
    targets = {name: target for toolset in toolsets for name, target in toolset.executables.items()}
    present = {target.contract.id for target in targets.values()}
    gone = [pin for pin in scope.pins.pins if pin.id not in present]
    drifted = [(name, target) for name, target in sorted(targets.items()) if target.standing.drift is not None]
    return (
        *(_drifted(name, target, scope) for name, target in drifted),
        *(ToolDrifted(scope.run_id, pin.name, pin.id, "missing", pin.words, None) for pin in gone),
    )


def _drifted(name: str, target: Executable, scope: RunScope) -> ToolDrifted:
    own, standing = Pin.bare(target), target.standing
    return ToolDrifted(scope.run_id, name, own.id, standing.drift or "changed", standing.was, own.words)


class _Served(Toolset):
    """A toolset with others that are not served: those are called only to be refused, and told of nowhere."""

    def __init__(self, open_: Toolset, refused: Mapping[str, Executable]) -> None:
        super().__init__(*open_)
        self._open, self._refused = open_, refused

    @property
    def executables(self) -> dict[str, Executable]:
        return {**self._refused, **super().executables}

    @property
    def pinnable(self) -> tuple[Tool[..., Any], ...]:
        return self._open.pinnable

    def offered(self, transcript: Sequence[Message]) -> Toolset:
        return self._open.offered(transcript)

    def exchanged(self, change: Callable[[Tool[..., Any]], Tool[..., Any] | None]) -> Toolset:
        return _Served(self._open.exchanged(change), self._refused)

    def _cut(self, keep: Callable[[Tool[..., Any]], bool]) -> Toolset:
        return _Served(self._open._cut(keep), self._refused)
