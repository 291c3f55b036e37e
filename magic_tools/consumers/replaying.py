"""Calls read as a tool reads them, without its function being called: taken, brought up to date, or refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.diffing.places import Step
from magic_tools.contracts.manifest import Manifest, Pin
from magic_tools.contracts.used_parts import path_of, steps_of
from magic_tools.effects.runners import run_sync
from magic_tools.loose.phrases import phrased
from magic_tools.messages import ErrorCode
from magic_tools.options import RunOptions
from magic_tools.schema.hidden import IdempotencyKey
from magic_tools.tools.admitting import admitted
from magic_tools.tools.behaviour import Attached, Hooks
from magic_tools.tools.executable import Executable
from magic_tools.tools.failures import Failure
from magic_tools.tools.preparing import Arguments, check_rules, prepare
from magic_tools.tools.scope import RunScope
from magic_tools.tools.secrets import secrets_in
from magic_tools.tools.standing import Standing
from magic_tools.tools.upgrading import Upgrade, adapter_for

__all__ = ["Door", "Replayed", "door_of", "replayed"]

Stage = Literal["arguments", "rules", "adapter"]
"""What refused a call."""

_KNOWN_SINCE = datetime(1970, 1, 1, tzinfo=UTC)
_HIDDEN: dict[str, object] = {}
"""What stands for each hidden value: no rule that would look at one is asked."""


class Replayed(NamedTuple):
    """What came of reading a call: `code` is None where it was taken, else `faults` are what is wrong, and where.

    Where is a place in the contract, such as `input.rows[].qty`, or `rules` for a rule of the author's. `secrets` are
    the texts of secrets in a call that was taken.
    """

    code: ErrorCode | None = None
    faults: tuple[tuple[str, str], ...] = ()
    stage: Stage = "arguments"
    secrets: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Where something is wrong."""
        return tuple(path for path, _ in self.faults)

    @property
    def words(self) -> str:
        """What is wrong, in a sentence."""
        return "; ".join(words for _, words in self.faults)


@dataclass(frozen=True, slots=True)
class Door:
    """How a candidate, `target`, stands to those who hold an older contract of it; `served` is how they are served it.

    `refusal` says why none of their calls is made. `unpinned` says why only a run that is pinned to the old contract
    is refused, and `warned` what they are told of an end. All this is of their version alone if `of_version`, else of
    the tool.
    """

    target: Executable
    served: Executable
    refusal: str | None = None
    unpinned: str | None = None
    warned: str | None = None
    of_version: bool = True

    @property
    def upgraded(self) -> bool:
        """Whether an adapter brings their calls up to date."""
        return self.served.standing.upgrade is not None


@dataclass(frozen=True, slots=True)
class _Known:
    """A contract, as a manifest pins it."""

    contract: ToolContract

    @property
    def name(self) -> str:
        """What a model calls."""
        return self.contract.name


def door_of(target: Executable, kept: ToolContract, at: datetime) -> Door:
    """How a candidate stands, at a time, to those who hold a contract of it: as it would to a run pinned to that."""
    pin = Pin.of(_Known(kept))
    scope = RunScope(options=RunOptions(manifest=Manifest((pin,), {}, _KNOWN_SINCE), clock=lambda: at))
    standing = admitted(target, scope).standing
    warned = None if standing.warned is None else phrased(standing.warned.words, "en")
    refusal = None if standing.refusal is None else phrased(standing.refusal.words, "en")
    of_tool = standing.drift is None and standing.refusal is not None
    if of_tool or standing.drift == "refused":
        is_told = of_tool or bool(target.policy.accepts or target.policy.deprecates)
        if is_told:
            return Door(target, target, refusal, of_version=not of_tool)
        return Door(target, target, unpinned=refusal)
    of_version = target.policy.lifecycle.stage(at) != "warned"
    upgrade = standing.upgrade or _upgrade(target, pin, standing)
    if upgrade is None:
        return Door(target, target, warned=warned, of_version=of_version)
    served = replace(target, name=pin.name).under(Standing(upgrade=upgrade))
    return Door(target, served, warned=warned, of_version=of_version)


def replayed(target: Executable, arguments: Arguments) -> Replayed:
    """What comes of reading a call, and of the author's rules that look at nothing but the arguments.

    Hidden parameters, scopes and approvals are not of the call itself, and do not count.
    """
    scope = RunScope({parameter.name: _HIDDEN for parameter in target.signature.hidden} | {"scopes": target.scopes})
    prepared = prepare(target, arguments, scope)
    if isinstance(prepared, Failure):
        return _refused(prepared, "adapter" if prepared.code is ErrorCode.INTERNAL else "arguments")
    hidden = {parameter.name for parameter in target.signature.hidden}
    asked = [rule for rule in target.hooks.rules if not _looks_at(rule, hidden)]
    if asked:
        bare = replace(target, hooks=Hooks(rules=asked))
        failure = run_sync(check_rules(bare, prepared._replace(key=prepared.key or IdempotencyKey()), scope))
        if failure is not None:
            return _refused(failure, "rules")
    return Replayed(secrets=secrets_in(prepared.values) if target.takes_secrets else ())


def _upgrade(target: Executable, pin: Pin, standing: Standing) -> Upgrade | None:
    """The adapter of calls, though results break what was kept: that is told by itself."""
    version = target.policy.version
    adapter = adapter_for(target.hooks.adapters, "arguments", pin.version) if standing.drift == "changed" else None
    return None if adapter is None or version is None else Upgrade(pin, adapter, str(pin.version), version)


def _looks_at(rule: Attached, hidden: set[str]) -> bool:
    return bool(hidden) and (rule.takes_all or not hidden.isdisjoint(rule.names))


def _refused(failure: Failure, stage: Stage) -> Replayed:
    told = phrased(failure.words, "en") if failure.exception is None else str(failure.exception)
    faults = tuple((_place(issue.path, stage), f"{issue}.") for issue in failure.issues)
    return Replayed(failure.code, faults or ((_place("", stage), told),), stage)


def _place(path: str, stage: Stage) -> str:
    """The place in the contract that an issue is about."""
    if stage == "rules":
        return "rules"
    steps: list[Step] = [("rest", 0) if kind == "item" else (kind, held) for kind, held in steps_of(path)]
    return path_of((("field", "input"), *steps))
