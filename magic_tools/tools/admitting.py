"""Whether a run is served a tool: by the tool's life, the versions that it accepts, and what the run is pinned to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.diff import diff_schemas
from magic_tools.contracts.lifecycle import Lifecycle, Stage, instant_text
from magic_tools.contracts.manifest import Pin
from magic_tools.contracts.versions import Version, VersionRange
from magic_tools.events import DriftKind
from magic_tools.loose.phrases import Phrase, say
from magic_tools.messages import ErrorCode
from magic_tools.tools.executable import Executable
from magic_tools.tools.scope import RunScope
from magic_tools.tools.standing import SERVED, Refusal, Standing, Warned
from magic_tools.tools.upgrading import Adapter, Upgrade, adapter_for

__all__ = ["admitted"]

_HIDDEN = "{name} is hidden since {since}, and not served to this run; nothing was run"
_REJECTED = "{name} is refused since {since}, and did not run"
_RETIRED = "{name} is retired since {since}, and did not run"
_NOT_PINNED = "{name} did not run: this run is pinned to what it began with, and its manifest does not hold {name}"
_REFUSED_VERSION = (
    "{name} did not run: this run is pinned to version {pinned} of it, and version {version} accepts {accepted} alone"
)
_CHANGED = "{name} did not run: it has changed since this run was pinned to it. It was: {was}. It is now: {now}"
_RESULTS_CHANGED = (
    "{name} did not run: its results break what this run is pinned to, and no adapter covers them. "
    "It was: {was}. It is now: {now}"
)
_DEPRECATED = "{name} is deprecated"
_DEPRECATED_UNTIL = "{name} is deprecated, and refused from {ends} on"
_OLD = "Version {pinned} of {name}, to which this run is pinned, is deprecated"
_OLD_UNTIL = "Version {pinned} of {name}, to which this run is pinned, is deprecated, and refused from {ends} on"


_ENDS: Mapping[Stage, str] = {"hidden": _HIDDEN, "warned": _HIDDEN, "rejected": _REJECTED, "retired": _RETIRED}
"""What is said of a tool at a stage of its life at which a run is not served it, or only one that knew it before."""


def admitted(target: Executable, scope: RunScope) -> Executable:
    """The tool as a run is served it: the same where nothing is declared of its life and the run is not pinned.

    Whoever asks a person is a part of the library, and of no manifest.
    """
    if (scope.pins is None and not target.has_an_end) or target.behaviour.asks_person:
        return target
    standing = _standing(target, scope)
    if standing == SERVED:
        return target
    if standing.upgrade is not None and standing.upgrade.pin.name != target.name:
        target = replace(target, name=standing.upgrade.pin.name)
    return target.under(standing)


def _standing(target: Executable, scope: RunScope) -> Standing:
    contract, pins, lifecycle = target.contract, scope.pins, target.policy.lifecycle
    held = () if pins is None else pins.of_id(contract.id)
    stage: Stage = lifecycle.stage(scope.at) if target.has_an_end else "active"
    known_since = pins.since if held and pins is not None else None
    if refusal := _ended(target.name, lifecycle, stage, known_since):
        return Standing(refusal)
    ending = lifecycle if stage == "warned" else None
    if pins is None:
        return Standing(warned=_warned(target, ending, None, is_old=False))
    own = Pin.bare(target)
    if not held:
        return Standing(_refusal(ErrorCode.CONFLICT, say(_NOT_PINNED, name=target.name), lifecycle), drift="not_pinned")
    pin = next((each for each in held if each.agrees(own)), held[0])
    adapter = None if pin.agrees(own) else adapter_for(target.hooks.adapters, "arguments", pin.version)
    service = contract.serves(pin.version, scope.at)
    if service == "refused" and not _is_covered(contract, pin, adapter):
        words = say(
            _REFUSED_VERSION,
            name=target.name,
            pinned=pin.version,
            version=contract.version,
            accepted=tuple(contract.accepts) or say("none"),
        )
        return Standing(_refusal(ErrorCode.CONFLICT, words, lifecycle), drift="refused", was=pin.words)
    warned = _warned(target, ending, pin, is_old=service == "deprecated")
    if pin.agrees(own):
        return Standing(warned=warned)
    return _upgraded(target, pin, own, adapter, warned)


def _is_covered(contract: ToolContract, pin: Pin, adapter: Adapter | None) -> bool:
    """Whether an adapter says that a version is served of which the policy says nothing."""
    policy = contract.policy
    if adapter is None or pin.version is None or policy.accepts:
        return False
    return not any(Version.parse(pin.version) in VersionRange.parse(each) for each in policy.deprecates)


def _ended(name: str, lifecycle: Lifecycle, stage: Stage, known_since: datetime | None) -> Refusal | None:
    """Why a tool at a stage of its life is not served to a run that is pinned to it since then, or never.

    One that is warned of, and was never to be hidden, is served to every run.
    """
    if stage not in _ENDS:
        return None
    words = _ENDS[stage]
    begun = lifecycle.hidden if words is _HIDDEN else getattr(lifecycle, stage)
    if words is _HIDDEN and (begun is None or (known_since is not None and known_since < begun)):
        return None
    since = "" if begun is None else instant_text(begun)
    return _refusal(ErrorCode.NOT_FOUND, say(words, name=name, since=since), lifecycle)


def _upgraded(target: Executable, pin: Pin, own: Pin, adapter: Adapter | None, warned: Warned | None) -> Standing:
    """How a run stands to a tool that is not as pinned: by way of an adapter, if there is what it takes."""
    words = _CHANGED
    if adapter is not None and pin.input_schema is not None and own.version is not None:
        changes = diff_schemas(pin.output_schema or {}, target.results.schema, side="output")
        breaks = any(change.effect == "breaking" for change in changes)
        if not breaks or adapter_for(target.hooks.adapters, "result", pin.version):
            pin.reader.check("input")  # so that a schema that cannot be used is told before anything is done
            upgrade = Upgrade(pin, adapter, str(pin.version), own.version)
            return Standing(warned=warned, upgrade=upgrade, drift="upgraded", was=pin.words)
        words = _RESULTS_CHANGED
    told = say(words, name=target.name, was=_told(pin), now=_told(own))
    drift: DriftKind = "changed"
    return Standing(_refusal(ErrorCode.CONFLICT, told, target.policy.lifecycle), drift=drift, was=pin.words)


def _warned(target: Executable, ending: Lifecycle | None, pin: Pin | None, *, is_old: bool) -> Warned | None:
    """What is said of a tool that is near its end, or of the version of it to which a run is pinned."""
    pinned = None if pin is None else pin.version
    if ending is None and not is_old:
        return None
    lifecycle = target.policy.lifecycle
    ends = target.policy.ends_deprecated if ending is None else lifecycle.rejected or lifecycle.retired
    until = None if ends is None else instant_text(ends)
    if ending is None:
        words = say(_OLD, name=target.name, pinned=pinned)
        if until is not None:
            words = say(_OLD_UNTIL, name=target.name, pinned=pinned, ends=until)
    else:
        words = say(_DEPRECATED, name=target.name)
        if until is not None:
            words = say(_DEPRECATED_UNTIL, name=target.name, ends=until)
    return Warned(_with_help(words, lifecycle), until, pinned, lifecycle)


def _refusal(code: ErrorCode, words: Phrase, lifecycle: Lifecycle) -> Refusal:
    return Refusal(code, _with_help(words, lifecycle))


def _with_help(words: Phrase, lifecycle: Lifecycle) -> Phrase:
    """A sentence with what the author names for whoever has lost the tool."""
    helps: list[Phrase] = []
    if lifecycle.replacement:
        helps.append(say("use {replacement} instead", replacement=lifecycle.replacement))
    if lifecycle.guide:
        helps.append(say("how to migrate: {guide}", guide=_part(lifecycle.guide)))
    if lifecycle.contact:
        helps.append(say("ask {contact}", contact=_part(lifecycle.contact)))
    if lifecycle.reason:
        helps.append(say("why: {reason}", reason=_part(lifecycle.reason)))
    return say("{words} ({helps}).", words=words, helps=tuple(helps)) if helps else say("{words}.", words=words)


def _part(text: str) -> str:
    """An author's words as a part of a sentence."""
    return text.strip().rstrip(".。")


def _told(pin: Pin) -> Phrase:
    if pin.version is None:
        return say(
            "without a version, interface {interface}, surface {surface}", interface=pin.interface, surface=pin.surface
        )
    return say(
        "version {version}, interface {interface}, surface {surface}",
        version=pin.version,
        interface=pin.interface,
        surface=pin.surface,
    )
