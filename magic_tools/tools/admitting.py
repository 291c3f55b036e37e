"""Whether a run is served a tool: by the tool's life, the versions that it accepts, and what the run is pinned to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.diff import diff_schemas
from magic_tools.contracts.lifecycle import Lifecycle, Stage, instant_text
from magic_tools.contracts.manifest import Pin
from magic_tools.contracts.versions import Version, VersionRange
from magic_tools.loose.phrases import Phrase, say
from magic_tools.messages import ErrorCode
from magic_tools.tools.executable import Executable
from magic_tools.tools.scope import RunScope
from magic_tools.tools.standing import SERVED, Refusal, Standing, Warned
from magic_tools.tools.upgrading import Adapter, Upgrade, adapter_for

__all__ = ["admitted", "as_pinned", "by_name"]

_HIDDEN = "{name} is hidden since {since}, and not served to this run; nothing was run"
_REJECTED = "{name} is refused since {since}, and did not run"
_RETIRED = "{name} is retired since {since}, and did not run"
_NOT_PINNED = "{name} did not run: this run is pinned to what it began with, and its manifest does not hold {name}"
_REFUSED_VERSION = (
    "{name} did not run: this run is pinned to version {pinned} of it, and version {version} accepts {accepted} alone. "
    "It was: {was}. It is now: {now}"
)
_SUNSET = (
    "{name} did not run: version {pinned} of it, to which this run is pinned, is refused since {since}. "
    "It was: {was}. It is now: {now}"
)
_CHANGED = "{name} did not run: it has changed since this run was pinned to it. It was: {was}. It is now: {now}"
_RESULTS_CHANGED = (
    "{name} did not run: its results break what this run is pinned to, and no adapter can bring them back. "
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
    standing = _standing(target, scope, target.name)
    if standing == SERVED:
        return target
    if standing.upgrade is not None and standing.upgrade.pin.name != target.name:
        target = replace(target, name=standing.upgrade.pin.name)
    return target.under(standing)


def by_name(targets: Iterable[Executable], scope: RunScope) -> dict[str, Executable]:
    """The tools as a run is served them, by the names by which it knows them.

    One that was renamed since, and is refused, is so by both its names, unless another tool has the older one; and of
    two that have one name by now, it is the one that is served.
    """
    pairs = [(admitted(target, scope), target) for target in targets]
    aliases = [alias for target, was in pairs if (alias := as_pinned(target, was, scope)) is not None]
    refused = [target for target, _ in pairs if target.standing.refusal is not None]
    served = [target for target, _ in pairs if target.standing.refusal is None]
    return {target.name: target for target in (*aliases, *refused, *served)}


def as_pinned(target: Executable, was: Executable, scope: RunScope) -> Executable | None:
    """A refused tool under the name that it was pinned by, where that is not its own any more; `was` is as declared."""
    name = target.standing.name
    if target.standing.refusal is None or name is None or name == target.name:
        return None
    standing = _standing(was, scope, name)
    return replace(target, name=name).under(standing._replace(drift=None))


def _standing(target: Executable, scope: RunScope, name: str) -> Standing:
    """How a run stands to a tool, which is told by this name."""
    contract, pins, lifecycle = target.contract, scope.pins, target.policy.lifecycle
    held = () if pins is None else pins.of_id(contract.id)
    stage: Stage = lifecycle.stage(scope.at) if target.has_an_end else "active"
    known_since = pins.since if held and pins is not None else None
    if refusal := _ended(name, lifecycle, stage, known_since):
        return Standing(refusal, name=held[0].name if held else None)
    ending = lifecycle if stage == "warned" else None
    if pins is None:
        return Standing(warned=_warned(target, name, ending, None, is_old=False))
    own = Pin.bare(target)
    if not held:
        return Standing(_refusal(ErrorCode.CONFLICT, say(_NOT_PINNED, name=name), lifecycle), drift="not_pinned")
    pin = next((each for each in held if each.agrees(own)), held[0])
    adapter = None if pin.agrees(own) else adapter_for(target.hooks.adapters, "arguments", pin.version)
    service = contract.serves(pin.version, scope.at)
    if service == "refused" and not _is_covered(contract, pin, adapter):
        words = _refused_version(contract, name, pin, own)
        refusal = _refusal(ErrorCode.CONFLICT, words, lifecycle)
        return Standing(refusal, drift="refused", was=pin.words, name=pin.name)
    warned = _warned(target, name, ending, pin, is_old=service == "deprecated")
    guards = own.guards.with_those_of(pin.guards)
    standing = Standing(warned=warned, guards=None if guards == own.guards else guards)
    return standing if pin.agrees(own) else _upgraded(target, name, pin, own, adapter, standing)


def _refused_version(contract: ToolContract, name: str, pin: Pin, own: Pin) -> Phrase:
    """Why a version is not served: it was until its sunset, or is not accepted."""
    ends, was, now = contract.policy.ends_deprecated, _told(pin), _told(own)
    if ends is not None and contract.serves(pin.version) == "deprecated":
        return say(_SUNSET, name=name, pinned=pin.version, since=instant_text(ends), was=was, now=now)
    accepted = tuple(contract.accepts) or say("none")
    return say(
        _REFUSED_VERSION,
        name=name,
        pinned=pin.version,
        version=contract.version,
        accepted=accepted,
        was=was,
        now=now,
    )


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


def _upgraded(
    target: Executable, name: str, pin: Pin, own: Pin, adapter: Adapter | None, standing: Standing
) -> Standing:
    """How a run stands to a tool that is not as pinned: by way of an adapter, if there is what it takes.

    An adapter of results is from old to new, and of no help to a run that is to read a new one as an old one.
    """
    words = _CHANGED
    if adapter is not None and pin.input_schema is not None and own.version is not None:
        changes = diff_schemas(pin.output_schema or {}, target.results.schema, side="output")
        breaks = any(change.effect == "breaking" for change in changes)
        if not breaks:
            pin.reader.check("input")  # so that a schema that cannot be used is told before anything is done
            upgrade = Upgrade(pin, adapter, str(pin.version), own.version)
            return standing._replace(upgrade=upgrade, drift="upgraded", was=pin.words)
        words = _RESULTS_CHANGED
    told = say(words, name=name, was=_told(pin), now=_told(own))
    refusal = _refusal(ErrorCode.CONFLICT, told, target.policy.lifecycle)
    return Standing(refusal, drift="changed", was=pin.words, name=pin.name)


def _warned(target: Executable, name: str, ending: Lifecycle | None, pin: Pin | None, *, is_old: bool) -> Warned | None:
    """What is said of a tool that is near its end, or of the version of it to which a run is pinned.

    Where both end, it is said when the first does.
    """
    pinned = None if pin is None else pin.version
    if ending is None and not is_old:
        return None
    lifecycle = target.policy.lifecycle
    whole, sunset = lifecycle.rejected or lifecycle.retired, target.policy.ends_deprecated if is_old else None
    is_first = sunset is not None and (whole is None or sunset < whole)
    ends = sunset if is_first else whole
    until = None if ends is None else instant_text(ends)
    if ending is None or is_first:
        words = say(_OLD, name=name, pinned=pinned)
        if until is not None:
            words = say(_OLD_UNTIL, name=name, pinned=pinned, ends=until)
    else:
        words = say(_DEPRECATED, name=name)
        if until is not None:
            words = say(_DEPRECATED_UNTIL, name=name, ends=until)
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
