"""What protects whoever has a tool called: leave, scopes, masks, and what is known of doing a call twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from magic_tools.contracts.policy import RISKS, Policy, Risk
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

__all__ = ["Guards"]


@dataclass(frozen=True, slots=True)
class Guards:
    """What a policy declares that stands between a model and an effect, in one form; nothing, where it says nothing."""

    approval: bool = False
    idempotent: bool = False
    masks: tuple[str, ...] = ()
    read_only: bool = False
    risk: Risk | None = None
    scopes: tuple[str, ...] = ()

    @classmethod
    def of(cls, policy: Policy) -> Guards:
        """Those of a policy."""
        return cls(
            approval=policy.approval,
            idempotent=policy.idempotent,
            masks=_sorted(policy.masks),
            read_only=policy.read_only,
            risk=policy.risk,
            scopes=_sorted(policy.scopes),
        )

    @property
    def is_safe(self) -> bool:
        """Whether the same call may be made twice without more being done than by one."""
        return self.read_only or self.idempotent

    def with_those_of(self, other: Guards) -> Guards:
        """All that either asks for, and of what may be done twice only what both say."""
        reads, is_safe = self.read_only and other.read_only, self.is_safe and other.is_safe
        return Guards(
            approval=self.approval or other.approval,
            idempotent=is_safe and (not reads or (self.idempotent and other.idempotent)),
            masks=_sorted((*self.masks, *other.masks)),
            read_only=reads,
            risk=max(self.risk, other.risk, key=_gravity),
            scopes=_sorted((*self.scopes, *other.scopes)),
        )

    def words_since(self, before: Guards) -> str:
        """What was gained and lost since, as a person is told of it; empty where nothing was."""
        own, known = set(self._names()), set(before._names())
        told = (("lost", known - own), ("gained", own - known))
        return "; ".join(f"{what}: {', '.join(sorted(names))}" for what, names in told if names)

    def _names(self) -> Iterator[str]:
        """What is declared, each as a person would call it."""
        for name, held in self.to_data().items():
            match held:
                case list():
                    yield from (f"{name} {each}" for each in held)
                case True:
                    yield name
                case _:
                    yield f"{name} {held}"

    def to_data(self) -> JsonObject:
        """Plain JSON data that `from_data` reads back: what is declared, and nothing else."""
        held = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in held.items() if value}

    @classmethod
    def from_data(cls, data: object, where: str) -> Guards:
        """The guards that `to_data` wrote; DefinitionError, beginning with where, if the data is something else."""
        if not isinstance(data, Mapping):
            raise DefinitionError(f"{where}: expected an object, got {data!r:.80}.")
        known = {each.name for each in fields(cls)}
        for name, held in data.items():
            if name not in known:
                raise DefinitionError(f"{where}: the key {name!r:.80} is unknown.")
            if not _fits(name, held):
                raise DefinitionError(f"{where}, {name}: expected {_wanted(name)}, got {held!r:.80}.")
        parts: dict[str, Any] = {name: _sorted(held) if isinstance(held, list) else held for name, held in data.items()}
        return cls(**parts)


def _sorted(names: Any) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


def _gravity(risk: Risk | None) -> int:
    return -1 if risk is None else RISKS.index(risk)


def _fits(name: str, held: object) -> bool:
    match name:
        case "masks" | "scopes":
            return isinstance(held, list) and bool(held) and all(isinstance(each, str) and each for each in held)
        case "risk":
            return held in RISKS
        case _:
            return held is True


def _wanted(name: str) -> str:
    match name:
        case "masks" | "scopes":
            return "texts in an array"
        case "risk":
            return f"one of {', '.join(RISKS)}"
        case _:
            return "true, or no such key"
