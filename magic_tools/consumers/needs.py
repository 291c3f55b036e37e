"""What pages, gateways and programs behind calls need of a tool's declarations, one row for each need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from magic_tools.contracts.changes import Bump, Change, Effect
from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.policy import RISKS
from magic_tools.contracts.uses import DownstreamUse, Flag, GatewayUse, UiUse
from magic_tools.contracts.versions import Version, VersionRange
from magic_tools.effects.retrying import longest_wait_s
from magic_tools.messages import ErrorCode
from magic_tools.schema.walk import subschemas
from magic_tools.tools.failures import CODES
from magic_tools.tools.results import has_open_place
from magic_tools.values import JsonObject, JsonValue

__all__ = ["downstream_needs", "found", "gateway_needs", "ui_needs"]

_BUMPS: Mapping[Effect, Bump] = {"breaking": "major", "behavioural": "minor", "compatible": "patch"}


def found(
    path: str, kind: str, effect: Effect, before: JsonValue, after: JsonValue, why: str, advice: str = ""
) -> Change:
    """One thing that a consumer relies on and that a candidate does otherwise."""
    return Change(path, kind, before, after, effect, why, advice, _BUMPS[effect])


class _Flag(NamedTuple):
    """Where a flag is declared and what is said there, whether that is more than before, and what to tell of it."""

    path: str
    declared: Callable[[ToolContract], JsonValue]
    is_more: Callable[[Any, Any], bool]
    unseen: Effect
    why: str


_FLAGS: Mapping[Flag, _Flag] = {
    "fallback": _Flag(
        "execution.fallback",
        lambda contract: contract.execution.fallback,
        lambda before, after: before == "none" != after,
        "breaking",
        "a substitute may stand in for a result now, and it would be shown as if it were one",
    ),
    "approval": _Flag(
        "policy.approval",
        lambda contract: contract.policy.approval,
        lambda before, after: after > before,
        "breaking",
        "a call may wait for a person now, and nothing shows that",
    ),
    "cut": _Flag(
        "policy.max_chars",
        lambda contract: contract.policy.max_chars,
        lambda before, after: after < before,
        "behavioural",
        "results are cut that were whole, and nothing shows that",
    ),
}


def ui_needs(use: UiUse, kept: ToolContract, new: ToolContract) -> Iterator[Change]:
    """What a page shows otherwise, or has no words for; the parts of results that it shows are not looked at."""
    for name, flag in _FLAGS.items():
        before, after = flag.declared(kept), flag.declared(new)
        if flag.is_more(before, after) and name not in use.flags:
            advice = f"Show the flag {name!r}, then keep the fixture anew."
            yield found(flag.path, "flag_unseen", flag.unseen, before, after, f"{flag.why}.", advice)
        elif flag.is_more(after, before) and name in use.flags and name != "cut":
            why = f"the flag {name!r}, which it shows, is never set any more."
            yield found(flag.path, "flag_gone", "behavioural", before, after, why)
    unmapped = _codes(new) - _codes(kept) - set(use.error_codes)
    for code in sorted(unmapped):
        why = f"a call may come to {code} now, for which it has no words."
        yield found("error.code", "code_unmapped", "breaking", None, code, why, "Map it, then keep the fixture anew.")
    lost = (_codes(kept) - _codes(new)) & set(use.error_codes)
    for code in sorted(lost):
        yield found("error.code", "code_gone", "behavioural", code, None, f"no call comes to {code} any more.")


def gateway_needs(use: GatewayUse, new: ToolContract) -> Iterator[Change]:
    """What a gateway lets through, or holds back, otherwise than it means to."""
    policy = new.policy
    for mask in sorted(set(use.masks) - set(policy.masks)):
        if not _may_show(new.output_schema, mask.rpartition(".")[2]):
            continue
        why = f"the field {mask!r}, which it counts on being kept from models, is shown to them."
        yield found("policy.masks", "mask_gone", "breaking", mask, None, why, "Keep the mask.")
    yield from _scopes(use, policy.scopes)
    yield from _risk(use, policy.risk)
    if use.approval is not None and use.approval != policy.approval:
        effect: Effect = "behavioural" if use.approval else "breaking"
        why = "nobody is asked before a call any more." if use.approval else "a call waits for a person now."
        yield found("policy.approval", "approval_changed", effect, use.approval, policy.approval, why)
    if use.data_class is not None and use.data_class != policy.data_class:
        why = "it treats results by their class of data, which is another."
        yield found("policy.data_class", "data_class_changed", "behavioural", use.data_class, policy.data_class, why)
    before, after = _REPEATS.get(use.idempotency or "", 0), _repeats(new)
    if after < before:
        why = "it repeats calls, or sends keys with them, by another rule than this."
        now = policy.semantics.idempotency
        yield found("policy.semantics.idempotency", "key_rule_changed", "breaking", use.idempotency, now, why)


def _may_show(schema: JsonObject, name: str) -> bool:
    """Whether a result may hold a field of a name."""
    free = isinstance(schema.get("additionalProperties"), dict) or "patternProperties" in schema
    named = free or name in schema.get("properties", ()) or has_open_place(schema)
    return named or any(_may_show(each, name) for each in subschemas(schema))


def _scopes(use: GatewayUse, scopes: tuple[str, ...]) -> Iterator[Change]:
    if not use.scopes:
        return
    for scope in sorted(set(scopes) - set(use.scopes)):
        why = f"it does not grant the scope {scope!r}, which a call needs now."
        yield found("policy.scopes", "scope_needed", "breaking", None, scope, why, "Grant the scope first.")
    for scope in sorted(set(use.scopes) - set(scopes)):
        why = f"the scope {scope!r}, by which it holds calls back, is not asked for any more."
        yield found("policy.scopes", "scope_gone", "behavioural", scope, None, why)


def _risk(use: GatewayUse, risk: str | None) -> Iterator[Change]:
    if use.risk is None or use.risk == risk:
        return
    higher = risk is not None and RISKS.index(risk) > RISKS.index(use.risk)
    why = (
        "it lets calls of the risk through that it knows, and this is higher." if higher else "it decides by the risk."
    )
    yield found("policy.risk", "risk_changed", "breaking" if higher else "behavioural", use.risk, risk, why)


def downstream_needs(use: DownstreamUse, kept: ToolContract, new: ToolContract) -> Iterator[Change]:
    """What a program behind the calls does not get, does not take, does not wait for, or may not repeat."""
    if use.receipts and new.policy.read_only:
        why = "no receipts are given of a tool that changes nothing."
        yield found("policy.read_only", "receipts_gone", "breaking", kept.policy.read_only, True, why)
    if "version" in use.receipts and new.version is None:
        why = "it reads the version in receipts, and there is none."
        yield found("version", "version_gone", "breaking", kept.version, None, why, "Declare the version.")
    if use.versions and (new.version is None or not _takes(use.versions, new.version)):
        why = f"it takes the versions {', '.join(use.versions)} alone."
        advice = "Let it take the new one first, or go on serving the old one."
        yield found("version", "version_conflict", "breaking", kept.version, new.version, why, advice)
    longest = _longest_s(new)
    if use.wait_s is not None and (longest is None or longest >= use.wait_s):
        took = "has no end" if longest is None else f"may take {longest:g} s"
        why = f"it waits {use.wait_s:g} s, and a call with all its tries {took}."
        advice = f"Lower timeout and retries, so that both stay below {use.wait_s:g} s, or let it wait longer."
        same = kept.execution.timeout_s == new.execution.timeout_s and kept.execution.retries != new.execution.retries
        path = "execution.retries" if same else "execution.timeout_s"
        yield found(path, "wait_too_short", "breaking", _longest_s(kept), longest, why, advice)
    for code in use.retry_on if not _repeats(new) else ():
        if CODES[code].effect != "none":
            why = f"it makes a call again at {code.value}, after which this one may be done twice."
            yield found(
                "policy.idempotent", "repeat_unsafe", "breaking", code.value, None, why, "Ask first, or send a key."
            )


_REPEATS: Mapping[str, int] = {"none": 0, "keyed": 1, "idempotent": 2, "not_applicable": 2}
"""How freely a call may be repeated, by what is declared: not at all, with its key, or as it is."""


def _repeats(contract: ToolContract) -> int:
    policy = contract.policy
    safe = policy.read_only or policy.idempotent
    return max(_REPEATS.get(policy.semantics.idempotency or "", 0), 2 if safe else 0)


def _takes(ranges: tuple[str, ...], version: str) -> bool:
    return any(Version.parse(version) in VersionRange.parse(each) for each in ranges)


def _longest_s(contract: ToolContract) -> float | None:
    """The seconds that a call may take with all its tries and the waits between them; None where there is no end."""
    execution = contract.execution
    if execution.timeout_s is None:
        return None
    return execution.timeout_s * (execution.retries + 1) + longest_wait_s(execution.retries)


def _codes(contract: ToolContract) -> set[str]:
    """The codes to which calls may come, as far as a contract says so: by its declarations, and by its error schema."""
    policy = contract.policy
    declared = {ErrorCode.REQUIRES_APPROVAL.value} if policy.approval or policy.scopes else set()
    return declared | set(_listed((contract.error_schema or {}).get("properties", {}).get("code", {})))


def _listed(schema: Any) -> list[str]:
    said: JsonObject = schema if isinstance(schema, dict) else {}
    values = [*said.get("enum", ()), *([said["const"]] if "const" in said else [])]
    inner = [each for word in ("anyOf", "oneOf") for branch in said.get(word, ()) for each in _listed(branch)]
    return [each for each in (*values, *inner) if isinstance(each, str)]
