"""Runs that go on after their tool was upgraded: what was begun, lost or done by the old one is not done twice."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, SecretStr

from magic_tools import (
    ErrorCode,
    Event,
    IdempotencyKey,
    Injected,
    Manifest,
    Policy,
    ReceiptIssued,
    RunOptions,
    ScriptedModel,
    Tool,
    ToolCall,
    ask_user,
    tool,
)
from tests.ways import ASYNC, SYNC, Ways, results_in

AT = datetime(2026, 12, 1, tzinfo=UTC)
DONE: list[tuple[str, str]] = []
"""What was paid, to whom and under which key."""


@pytest.fixture(params=[SYNC, ASYNC], ids=["sync", "async"])
def ways(request: pytest.FixtureRequest) -> Ways:
    """Both ways to run."""
    made: Ways = request.param
    return made


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.clear()


def old_pay(broken: bool = False, **policy: Any) -> Tool[..., Any]:
    def pay(to: str, key: Injected[IdempotencyKey], cents: int = 5) -> str:
        """Pay somebody."""
        DONE.append((to, key))
        if broken:
            raise KeyboardInterrupt
        return "paid"

    return tool(pay, policy=Policy(id="bank.pay", version="1.0.0", **policy))


def new_pay(name: str = "pay", **policy: Any) -> Tool[..., Any]:
    def pay(payee: str, amount: Decimal, key: Injected[IdempotencyKey]) -> str:
        """Pay a payee."""
        DONE.append((payee, key))
        return "paid"

    made = tool(pay, name=name, policy=Policy(id="bank.pay", version="2.0.0", **policy))
    made.upgrade_from("1.x")(lambda old: {"payee": old["to"], "amount": str(old["cents"])})
    return made


PAY = ToolCall("p", "pay", '{"to": "Ann"}')
ONCE = Policy(idempotent=True)


def begun(ways: Ways, before: Tool[..., Any], events: list[Event]) -> tuple[Any, RunOptions]:
    """The state of a run that was stopped in the midst of a payment, and the options with which it goes on."""
    manifest = Manifest.of([before], AT)
    options = RunOptions(manifest=manifest, run_id="r", trace=events.append)
    with pytest.raises(KeyboardInterrupt) as caught:
        ways.run("Go", tools=[before], model=ScriptedModel([PAY]), options=options)
    return json.loads(json.dumps(caught.value.outcome.state)), options  # type: ignore[attr-defined]  # which it was given


def receipts_in(events: list[Event]) -> list[ReceiptIssued]:
    return [each for each in events if isinstance(each, ReceiptIssued)]


@pytest.mark.parametrize("name", ["pay", "transfer"])
def test_a_call_that_was_begun_keeps_its_key(ways: Ways, name: str) -> None:
    """An idempotent one is made again under the very key, by way of the adapter, and its receipts are of one call."""
    events: list[Event] = []
    state, options = begun(ways, old_pay(broken=True, idempotent=True), events)
    after = ways.resume(state, tools=[new_pay(name, idempotent=True)], model=ScriptedModel(["done"]), options=options)
    assert results_in(after.transcript)[0].content == "paid"
    (first, second) = DONE
    assert first == second
    lost, done = receipts_in(events)
    assert (lost.key, lost.arguments) == (done.key, done.arguments)
    assert lost.key == first[1]


@pytest.mark.parametrize("said", ["applied", "not_applied", "unknown"])
@pytest.mark.parametrize("idempotent", [True, False])
def test_whoever_looks_after_a_lost_call_is_asked_by_its_key(ways: Ways, said: str, idempotent: bool) -> None:
    """What the tool of today says of the old key counts, and only if nothing was done is the call made again."""
    asked: list[str] = []
    state, options = begun(ways, old_pay(broken=True), [])
    made = new_pay(idempotent=idempotent)

    @made.reconcile
    def was_paid(key: str) -> str:
        asked.append(key)
        return said

    after = ways.resume(state, tools=[made], model=ScriptedModel(["done"]), options=options)
    (result,) = results_in(after.transcript)
    codes = {"applied": ErrorCode.INTERNAL, "not_applied": None, "unknown": ErrorCode.UNKNOWN_EFFECT}
    assert (result.code, asked) == (codes[said], [DONE[0][1]])
    assert DONE[:1] * (2 if said == "not_applied" else 1) == DONE


@pytest.mark.parametrize(
    ("before", "after"), [({}, {"idempotent": True}), ({}, {"read_only": True}), ({"idempotent": True}, {})]
)
@pytest.mark.parametrize("again", [True, False])
def test_what_was_not_safe_is_not_made_again(
    ways: Ways, before: dict[str, Any], after: dict[str, Any], again: bool
) -> None:
    """That a tool may be called twice counts if it said so then, and does now; sent once more it is refused."""
    state, options = begun(ways, old_pay(broken=True, **before), [])
    state["limits"]["repeats"] = 5
    more = [ToolCall("q", "pay", '{"to": "Ann", "cents": 5.0}')] if again else []
    model = ScriptedModel([*more, "done"])
    ended = ways.resume(state, tools=[new_pay(**after)], model=model, options=options)
    results = results_in(ended.transcript)
    assert [each.code for each in results] == [ErrorCode.UNKNOWN_EFFECT] * (2 if again else 1)
    assert len(DONE) == 1
    if again:
        assert "was called with these arguments before" in results[1].content


@pytest.mark.parametrize("upgraded", [True, False])
@pytest.mark.parametrize("idempotent", [True, False])
def test_a_call_that_is_done_is_known_again(ways: Ways, upgraded: bool, idempotent: bool) -> None:
    """The same call after the upgrade is given the result that an idempotent one had, and else has the same key."""
    before = old_pay(idempotent=idempotent)
    options = RunOptions(manifest=Manifest.of([before], AT), run_id="r")
    question = ToolCall("q", "ask_user", '{"question": "And now?"}')
    outcome = ways.run("Go", tools=[before, ask_user], model=ScriptedModel([PAY, question]), options=options)
    state = json.loads(json.dumps(outcome.state))
    made = new_pay(idempotent=idempotent) if upgraded else before
    model = ScriptedModel([ToolCall("s", "pay", '{"cents": 5, "to": "Ann"}'), "done"])
    after = ways.resume(state, {"q": "Again."}, tools=[made, ask_user], model=model, options=options)
    last = results_in(after.transcript)[-1]
    assert (last.content, last.reused) == ("paid", idempotent)
    assert DONE[:1] * (1 if idempotent else 2) == DONE


class Item(BaseModel):
    size: float = 1.0
    when: datetime | None = None


def all_kinds(
    day: date, at: datetime, hour: time, span: timedelta, price: Decimal, of: UUID, tags: set[int], items: list[Item],
    pin: SecretStr, key: Injected[IdempotencyKey], raw: bytes = b"ab", note: str | None = None, **more: int,
) -> None:  # fmt: skip
    """Take all kinds of arguments."""
    DONE.append(("", key))


def whole(given: Item, key: Injected[IdempotencyKey]) -> None:
    """Take an item."""
    DONE.append(("", key))


def anything(key: Injected[IdempotencyKey], said: Any = None) -> None:
    """Take anything."""
    DONE.append(("", key))


KINDS = (
    '{"tags": [3, 1], "day": "2026-12-01", "at": "2026-12-01T00:00:00+00:00", "hour": "10:00", "span": "P1DT0S", '
    '"price": "1.50", "of": "12345678-1234-5678-1234-56781234567A", "items": [{}, {"size": 2, '
    '"when": "2026-12-01T00:00:00.000Z"}], "pin": "1234", "more": {"count": 1.0}}'
)


@pytest.mark.parametrize(
    ("fn", "arguments", "flat"),
    [(all_kinds, KINDS, False), (whole, '{"given": {"size": 3.0}}', False), (whole, '{"size": 3.0}', True)],
)
def test_a_key_is_the_same_however_arguments_are_typed(fn: Any, arguments: str, flat: bool) -> None:
    """Times, numbers, sets, secrets and defaults are told alike by a tool and by the pin of it."""
    before = tool(fn, name="take", flat=flat, policy=Policy(version="1.0.0"))
    after = tool(anything, name="take", policy=Policy(version="2.0.0", accepts=("*",)))
    after.upgrade_from("1.x")(lambda old: {})
    events: list[Event] = []
    options = RunOptions(manifest=Manifest.of([before], AT), run_id="r", trace=events.append)
    results = [made.invoke(arguments, options=options) for made in (before, after)]
    assert [each.code for each in results] == [None, None], results
    assert DONE[:1] * 2 == DONE
    first, second = receipts_in(events)
    assert (first.arguments, first.key) == (second.arguments, second.key)
    other = arguments.replace("1234", "4321", 1).replace("3.0", "4")
    after.invoke(other, options=options)
    assert DONE[2] != DONE[0]
