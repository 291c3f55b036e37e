"""What a candidate does to one consumer: its calls replayed, and the parts that it uses compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple, assert_never

from magic_tools.consumers.needs import downstream_needs, found, gateway_needs, ui_needs
from magic_tools.consumers.replaying import Door, Replayed, replayed
from magic_tools.contracts.changes import Change
from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.diff import diff, diff_schemas
from magic_tools.contracts.fixture import Fixture
from magic_tools.contracts.used_parts import meets, parts_at, projected, steps_of
from magic_tools.contracts.uses import AgentUse, DownstreamUse, GatewayUse, KeptCall, UiUse
from magic_tools.errors import ParseError
from magic_tools.loose.decode import loads
from magic_tools.tools.executable import Executable
from magic_tools.values import JsonObject, JsonValue

__all__ = ["Judged", "judged"]

_FOR_MODELS = ("description", "title", "examples", "default")
"""What no program reads of a schema, by the first word of a change's kind."""

_SILENT = frozenset({"field_removed", "unit_changed", "zone_changed", "resource_changed"})
"""What breaks calls that are taken all the same."""

_TOLD = ("name", "title", "description", "policy.examples")
"""What a model is told of a tool beside its schemas, by the path of a change."""

_LIFE = "policy.lifecycle"
_UNCLEAR: JsonValue = ["unclear"]
_ADAPT = "Take the old form too, or declare an adapter with upgrade_from."
_PIN = "Pin it anew, let the tool accept the old version, or declare an adapter with upgrade_from."


class Judged(NamedTuple):
    """What was found, how many of the calls pass by way of an adapter, and what would be found without it."""

    findings: tuple[Change, ...]
    upgraded: int = 0
    bridged: tuple[Change, ...] = ()


def judged(fixture: Fixture, door: Door) -> Judged:
    """What a candidate does to a consumer: what breaks it, and what it gets otherwise."""
    kept, new = fixture.contract, door.target.contract
    findings = [*_of_life(fixture, door), *_of_results(fixture, new)]
    match fixture.use:
        case AgentUse(calls=calls):
            return _with_calls(findings, calls, kept, door)
        case UiUse() as use:
            findings += ui_needs(use, kept, new)
        case GatewayUse() as use:
            findings += gateway_needs(use, new)
        case DownstreamUse() as use:
            findings += downstream_needs(use, kept, new)
        case _:
            assert_never(fixture.use)
    return Judged(tuple(findings))


def _of_life(fixture: Fixture, door: Door) -> Iterator[Change]:
    """What is said of calls as such: none is made any more, or there is an end to come."""
    if door.of_version and fixture.kind != AgentUse.kind:  # who sends no calls is pinned to no version
        return
    path = "policy.deprecates" if door.of_version else "policy.lifecycle"
    before = fixture.version
    if door.refusal is not None:
        yield found(path, "not_served", "breaking", before, None, door.refusal, "Move it before the release.")
    if door.warned is not None:
        yield found(path, "warned", "behavioural", before, None, door.warned, "Plan its move.")
    if door.unpinned is not None:
        why = f"where it is pinned to what it knows, no call is made: {door.unpinned}"
        yield found("policy.accepts", "not_accepted", "behavioural", before, None, why, _PIN)


def _of_results(fixture: Fixture, new: ToolContract) -> Iterator[Change]:
    """What changed of the parts of results that are used."""
    parts = fixture.used_parts
    if not parts:
        return
    changes = diff_schemas(projected(fixture.contract.output_schema, parts), new.output_schema, side="output")
    is_read = fixture.kind == AgentUse.kind
    for change in changes:
        if change.effect == "compatible" or not any(meets(steps_of(change.path)[1:], part) for part in parts):
            continue
        if is_read or change.kind.partition("_")[0] not in _FOR_MODELS:
            yield change


def _with_calls(findings: list[Change], calls: tuple[KeptCall, ...], kept: ToolContract, door: Door) -> Judged:
    """What was found, with what came of the calls."""
    if not door.upgraded:
        return Judged((*findings, *_of_calls(calls, kept, door.target)))
    came = [(call, replayed(door.served, call.arguments)) for call in calls]
    refusals = _counted((change for call, now in came for change in _refusals(call, now)), len(calls))
    passed = sum(call.code is None and now.code is None for call, now in came)
    return Judged((*findings, *refusals), passed, tuple(_of_calls(calls, kept, door.target)))


def _of_calls(calls: tuple[KeptCall, ...], kept: ToolContract, target: Executable) -> list[Change]:
    """What came of the calls as they were made, and what they mean now."""
    came = [(call, replayed(target, call.arguments)) for call in calls]
    findings = _counted((change for call, now in came for change in _refusals(call, now)), len(calls))
    changes = [change for change in diff(kept, target.contract) if change.effect != "compatible"]
    ends = kept.policy.lifecycle.words != target.policy.lifecycle.words
    findings += [each for each in changes if each.path in _TOLD or (ends and each.path.startswith(_LIFE))]
    known = [(_data_of(call.arguments), now.code is None) for call, now in came if call.code is None]
    of_input = [change for change in changes if change.path.startswith("input")]
    return findings + [change for change in of_input if any(_is_met(change, *each) for each in known)]


def _refusals(call: KeptCall, now: Replayed) -> Iterator[Change]:
    """What became of a call that was taken, or was refused, and now is not."""
    shown, after = _shown(call.arguments), None if now.code is None else now.code.value
    if call.code is None:
        advice = "Mend the adapter." if now.stage == "adapter" else _ADAPT
        for path, words in now.faults:
            why = f"calls that were taken are refused ({after}): {words}"
            yield found(path, "call_refused", "breaking", shown, after, why, advice)
    elif (call.code, set(call.paths)) != (now.code, set(now.paths)):
        path = next(iter(now.paths or call.paths), "input")
        kind = "call_taken" if now.code is None else "call_refused_otherwise"
        what = "taken now." if now.code is None else f"refused otherwise now: {now.words}"
        why = f"calls that were refused ({call.code.value}) are {what}"
        yield found(path, kind, "behavioural", shown, after, why, "Look at what the model makes of it.")


def _counted(changes: Iterable[Change], calls: int) -> list[Change]:
    """What became of several calls alike, once, with how many there are; the first of them is shown."""
    alike: dict[tuple[str, str, str], list[Change]] = {}
    for change in changes:
        alike.setdefault((change.path, change.kind, change.why), []).append(change)
    return [replace(each[0], why=f"{each[0].why} So it is with {len(each)} of {calls}.") for each in alike.values()]


def _is_met(change: Change, arguments: JsonValue, is_taken: bool) -> bool:
    """Whether a call means something else now: it leaves out what has another default, or sends what is silently so."""
    if arguments is _UNCLEAR:
        return True
    steps = steps_of(change.path)[1:]
    there = [is_there for _, is_there in parts_at(arguments, steps)]
    if change.kind.startswith("default_"):
        return False in there
    return is_taken and True in there and (change.effect == "behavioural" or change.kind in _SILENT)


def _data_of(arguments: str | JsonObject) -> JsonValue:
    """The JSON value of arguments that were taken; _UNCLEAR where only the tool itself can tell."""
    if not isinstance(arguments, str):
        return arguments
    try:
        data: JsonValue = loads(arguments).value if arguments.strip() else None
    except ParseError:
        return _UNCLEAR
    return {} if data is None else data


def _shown(arguments: str | JsonObject) -> JsonValue:
    """Arguments as a finding shows them: as data, or as the text that they are where it is no plain JSON."""
    try:
        data: JsonValue = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return arguments
    return data
