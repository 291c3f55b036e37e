"""What pages, gateways and programs behind calls need of a tool, one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypedDict

import pytest

from magic_tools import DownstreamUse, ErrorCode, GatewayUse, Semantics, Tool, UiUse, check_fixtures, keep_fixture
from magic_tools.contracts.uses import Use
from magic_tools.errors import DefinitionError
from tests.consumers.desk import desk, made


class Item(TypedDict):
    qty: int


class Order(TypedDict):
    id: str
    state: Literal["open", "done"]
    rows: list[Item]


class Later(TypedDict):
    id: str
    state: Literal["open", "done", "lost"]
    rows: list[Item]


def order(title: str) -> Order:
    """Order."""
    return {"id": "", "state": "open", "rows": []}


def later(title: str) -> Later:
    """Order, and say more of it."""
    return {"id": "", "state": "open", "rows": []}


class Bare(TypedDict):
    id: str


def bare(title: str) -> Bare:
    """Order."""
    return {"id": ""}


def codes(*listed: str) -> dict[str, Any]:
    """An error schema that lists its codes."""
    return {"type": "object", "properties": {"code": {"anyOf": [{"enum": list(listed)}, {"const": "ODD"}]}}}


KEYED = Semantics(idempotency="keyed")
ONCE = Semantics(idempotency="idempotent")

CASES: list[tuple[Use, Tool[..., Any], Tool[..., Any], list[tuple[str, str, str]]]] = [
    (UiUse(("rows[].qty", "id")), made(order), made(later), []),
    (UiUse(("state",)), made(order), made(later), [("output.state", "enum_value_added", "breaking")]),
    (UiUse(), desk(), desk(fallback={}), [("execution.fallback", "flag_unseen", "breaking")]),
    (UiUse(flags=("fallback",)), desk(), desk(fallback={}), []),
    (UiUse(flags=("fallback",)), desk(fallback={}), desk(), [("execution.fallback", "flag_gone", "behavioural")]),
    (UiUse(), desk(fallback={}), desk(), []),
    (UiUse(), desk(), desk(max_chars=100), [("policy.max_chars", "flag_unseen", "behavioural")]),
    (UiUse(flags=("cut",)), desk(max_chars=100), desk(max_chars=200), []),
    (UiUse(flags=("cut",)), desk(), desk(max_chars=100), []),
    (
        UiUse(flags=("approval",)),
        desk(),
        desk(approval=True),
        [("error.code", "code_unmapped", "breaking")],
    ),
    (UiUse(error_codes=("REQUIRES_APPROVAL",), flags=("approval",)), desk(), desk(approval=True), []),
    (
        UiUse(error_codes=("REQUIRES_APPROVAL",), flags=("approval",)),
        desk(approval=True),
        desk(),
        [("error.code", "code_gone", "behavioural"), ("policy.approval", "flag_gone", "behavioural")],
    ),
    (UiUse(), desk(), desk(scopes=("desk.write",)), [("error.code", "code_unmapped", "breaking")]),
    (
        UiUse(error_codes=("FULL",)),
        desk(error_schema=codes("FULL")),
        desk(error_schema=codes("FULL", "CLOSED")),
        [("error.code", "code_unmapped", "breaking")],
    ),
    (
        UiUse(error_codes=("FULL", "CLOSED")),
        desk(error_schema=codes("FULL")),
        desk(error_schema=codes("CLOSED")),
        [("error.code", "code_gone", "behavioural")],
    ),
    (
        UiUse(),
        desk(),
        desk(error_schema={"type": "object", "properties": {"code": {"const": "FULL"}}}),
        [("error.code", "code_unmapped", "breaking")],
    ),
    (GatewayUse(masks=("phone",)), desk(masks=("phone", "note")), desk(masks=("phone",)), []),
    (GatewayUse(masks=("phone",)), desk(masks=("phone",)), desk(), [("policy.masks", "mask_gone", "breaking")]),
    (GatewayUse(masks=("qty",)), made(order, masks=("qty",)), made(later), [("policy.masks", "mask_gone", "breaking")]),
    (GatewayUse(masks=("qty",)), made(order, masks=("qty",)), made(bare), []),
    (GatewayUse(scopes=("a", "b")), desk(scopes=("a", "b")), desk(scopes=("b", "a")), []),
    (
        GatewayUse(scopes=("a",)),
        desk(scopes=("a",)),
        desk(scopes=("b",)),
        [("policy.scopes", "scope_needed", "breaking"), ("policy.scopes", "scope_gone", "behavioural")],
    ),
    (GatewayUse(), desk(), desk(scopes=("b",)), []),
    (GatewayUse(risk="write"), desk(), desk(risk="destructive"), [("policy.risk", "risk_changed", "breaking")]),
    (GatewayUse(risk="write"), desk(), desk(risk="read"), [("policy.risk", "risk_changed", "behavioural")]),
    (GatewayUse(risk="write"), desk(), desk(risk=None), [("policy.risk", "risk_changed", "behavioural")]),
    (GatewayUse(approval=False), desk(), desk(approval=True), [("policy.approval", "approval_changed", "breaking")]),
    (
        GatewayUse(approval=True),
        desk(approval=True),
        desk(),
        [("policy.approval", "approval_changed", "behavioural")],
    ),
    (
        GatewayUse(data_class="internal"),
        desk(data_class="internal"),
        desk(data_class="secret"),
        [("policy.data_class", "data_class_changed", "behavioural")],
    ),
    (
        GatewayUse(idempotency="keyed"),
        desk(semantics=KEYED),
        desk(semantics=Semantics(idempotency="none")),
        [("policy.semantics.idempotency", "key_rule_changed", "breaking")],
    ),
    (GatewayUse(idempotency="keyed"), desk(semantics=KEYED), desk(semantics=ONCE, idempotent=True), []),
    (
        GatewayUse(idempotency="idempotent"),
        desk(semantics=ONCE, idempotent=True),
        desk(semantics=KEYED),
        [("policy.semantics.idempotency", "key_rule_changed", "breaking")],
    ),
    (GatewayUse(idempotency="none"), desk(), desk(semantics=KEYED), []),
    (DownstreamUse(receipts=("key", "at")), desk(), desk(), []),
    (
        DownstreamUse(receipts=("key",)),
        desk(),
        desk(risk="read", read_only=True),
        [("policy.read_only", "receipts_gone", "breaking")],
    ),
    (DownstreamUse(receipts=("version",)), desk(), desk(None), [("version", "version_gone", "breaking")]),
    (DownstreamUse(versions=("1.x", "2.0.0")), desk(), desk("2.0.0"), []),
    (DownstreamUse(versions=("1.x",)), desk(), desk("2.0.0"), [("version", "version_conflict", "breaking")]),
    (DownstreamUse(versions=("1.x",)), desk(), desk(None), [("version", "version_conflict", "breaking")]),
    (DownstreamUse(wait_s=12), desk(timeout=2), desk(timeout=3, retries=2), []),
    (
        DownstreamUse(wait_s=11),
        desk(timeout=3),
        desk(timeout=3, retries=2),
        [("execution.retries", "wait_too_short", "breaking")],
    ),
    (
        DownstreamUse(wait_s=10),
        desk(timeout=2),
        desk(timeout=10),
        [("execution.timeout_s", "wait_too_short", "breaking")],
    ),
    (
        DownstreamUse(wait_s=10),
        desk(timeout=2),
        desk(timeout=None),
        [("execution.timeout_s", "wait_too_short", "breaking")],
    ),
    (DownstreamUse(retry_on=(ErrorCode.RATE_LIMITED,)), desk(), desk(), []),
    (
        DownstreamUse(retry_on=(ErrorCode.UNKNOWN_EFFECT, ErrorCode.RATE_LIMITED)),
        desk(semantics=KEYED),
        desk(),
        [("policy.idempotent", "repeat_unsafe", "breaking")],
    ),
    (DownstreamUse(retry_on=(ErrorCode.INTERNAL,)), desk(idempotent=True), desk(semantics=KEYED), []),
]


@pytest.mark.parametrize(("use", "old", "new", "found"), CASES)
def test_what_a_consumer_needs(
    use: Use, old: Tool[..., Any], new: Tool[..., Any], found: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    """What it relies on is found where a candidate does it otherwise, and nothing else; with itself, nothing is."""
    keep_fixture(tmp_path, "consumer", old, use)
    assert check_fixtures([old], tmp_path).consumers[0].status == "works"
    (only,) = check_fixtures([new], tmp_path).consumers
    assert [(each.path, each.kind, each.effect) for each in only.findings] == found
    assert all(each.why.endswith(".") for each in only.findings)
    wanted = "broken" if any(effect == "breaking" for *_, effect in found) else "affected" if found else "works"
    assert only.status == wanted


@pytest.mark.parametrize(
    ("risk", "said"),
    [("destructive", "it lets calls of the risk through that it knows"), ("read", "decides by the risk")],
)
def test_a_risk_that_is_told(risk: Any, said: str, tmp_path: Path) -> None:
    """A higher one is told as such."""
    keep_fixture(tmp_path, "gate", desk(), GatewayUse(risk="write"))
    (only,) = check_fixtures([desk(risk=risk)], tmp_path).consumers
    assert said in only.findings[0].why


def test_a_wait_that_is_told() -> None:
    """The longest time of a call counts each try and the waits between them, and both sides are shown."""
    new = desk(timeout=3, retries=2)
    from_consumer = DownstreamUse(wait_s=11)
    with pytest.raises(DefinitionError, match=r"it waits 11 s, and a call with all its tries may take 11 s"):
        keep_fixture("/nowhere", "consumer", new, from_consumer)


def test_what_a_tool_does_not_hold_even_now(tmp_path: Path) -> None:
    """It is not kept: a fixture that breaks from the start would say nothing of a change."""
    with pytest.raises(DefinitionError, match=r"gate cannot keep this of create, policy.masks: the field 'phone'"):
        keep_fixture(tmp_path, "gate", desk(), GatewayUse(masks=("phone",)))
    assert list(tmp_path.iterdir()) == []
