"""Receipts of what was done: one for each call with an effect, readable without the tool, whatever breaks."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from magic_tools import (
    DefinitionError,
    ErrorCode,
    Event,
    IdempotencyKey,
    Injected,
    Lifecycle,
    Policy,
    Receipt,
    ReceiptIssued,
    Receipts,
    RunOptions,
    ScriptedModel,
    ToolCall,
    ToolFailure,
    resume,
    tool,
)
from magic_tools.values import digest
from tests.ways import ASYNC, SYNC, Ways

NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture(params=[SYNC, ASYNC], ids=["sync", "async"])
def ways(request: pytest.FixtureRequest) -> Ways:
    """Both ways to run."""
    made: Ways = request.param
    return made


KEYS: list[str] = []


@tool(policy=Policy(id="shop.pay", version="2.1.0"))
def pay(to: str, key: Injected[IdempotencyKey], amount: float = 1) -> str:
    """Pay somebody."""
    KEYS.append(key)
    if to == "nobody":
        raise ToolFailure("There is no such person.", ErrorCode.NOT_FOUND)
    if to == "lost":
        raise ConnectionError("the answer was lost")
    return "paid"


@tool(policy=Policy(read_only=True))
def look(at: str) -> str:
    """Look at something."""
    return at


@tool
def sort_names(names: list[str]) -> str:
    """Sort names in place."""
    names.sort()
    return "sorted"


def options(*traces: Any, **more: Any) -> RunOptions:
    def trace(event: Event) -> None:
        for each in traces:
            each(event)

    return RunOptions(trace=trace, clock=lambda: NOW, run_id="r", **more)


def always(moment: datetime) -> datetime:
    return moment


def call(call_id: str, name: str, /, **arguments: Any) -> ToolCall:
    return ToolCall(call_id, name, json.dumps(arguments))


def test_a_receipt_for_each_effect(ways: Ways, tmp_path: Path) -> None:
    """A call that was applied has one, as has one of which nobody knows, and none that did nothing or only reads."""
    KEYS.clear()
    receipts = Receipts(tmp_path / "receipts.jsonl")
    model = ScriptedModel(
        [call("a", "pay", to="Ann"), call("n", "pay", to="nobody"), call("l", "look", at="Ann"),
         call("b", "pay", to="Ann", amount="x"), call("x", "pay", to="lost"), "done"]
    )  # fmt: skip
    ways.run("Go", tools=[pay, look], model=model, options=options(receipts))
    kept = receipts.read()
    assert [(each.outcome, each.effect) for each in kept] == [("ok", "applied"), ("INTERNAL", "unknown")]
    (first, second) = kept
    assert (first.tool, first.version) == ("shop.pay", "2.1.0")
    assert first.contract == pay.contract.interface_digest
    assert first.arguments == digest({"to": "Ann", "amount": 1})
    assert [first.key, second.key] == [KEYS[0], KEYS[-1]]
    assert first.at == "2026-12-01T00:00:00Z"


def test_the_key_stands_in_the_receipt_alone(tmp_path: Path) -> None:
    """No other event has it, nor does the repr of the receipt's own."""
    KEYS.clear()
    events: list[Event] = []
    pay.invoke({"to": "Ann"}, options=options(events.append))
    (key,) = KEYS
    (issued,) = [event for event in events if isinstance(event, ReceiptIssued)]
    assert issued.key == key
    assert len(events) > 2
    assert not any(key in repr(event) for event in events)


def test_a_tool_without_a_key_gets_one_for_its_receipt() -> None:
    """By it the same call of the same run is known again, and another call is told from it."""
    keys: list[str] = []

    def keep(event: Event) -> None:
        if isinstance(event, ReceiptIssued):
            keys.append(event.key)

    for names, run_id in ((["b", "a"], "r"), (["b", "a"], "r"), (["a", "b"], "r"), (["b", "a"], "s")):
        sort_names.invoke({"names": names}, options=RunOptions(trace=keep, run_id=run_id))
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


def test_a_receipt_is_of_the_arguments_as_they_were_sent(tmp_path: Path) -> None:
    """A function that changes its own arguments does not change what the receipt says."""
    receipts = Receipts(tmp_path / "a")
    sort_names.invoke({"names": ["b", "a"]}, options=options(receipts))
    assert receipts.read()[0].arguments == digest({"names": ["b", "a"]})


def test_receipts_stay_readable_after_the_tool_is_retired(ways: Ways, tmp_path: Path) -> None:
    """They need the path alone; a call of the tool after its end is refused, and has none."""
    receipts = Receipts(tmp_path / "a")
    life = Lifecycle(retired=NOW + timedelta(days=1), reason="Nobody pays any more.")
    ending = tool(name="pay", policy=Policy(id="shop.pay", version="2.1.0", lifecycle=life))(lambda: "paid")
    for days, outcome in ((0, None), (2, ErrorCode.NOT_FOUND)):
        made = ending.invoke(options=RunOptions(trace=receipts, clock=partial(always, NOW + timedelta(days=days))))
        assert made.code is outcome
    assert [each.tool for each in Receipts(tmp_path / "a").read()] == ["shop.pay"]


def test_a_call_that_was_cut_off_has_a_receipt_and_one_when_it_is_looked_after(ways: Ways, tmp_path: Path) -> None:
    """A run stopped in the middle of a call leaves its receipt as unknown; going on says what is known by then."""
    receipts = Receipts(tmp_path / "a")

    @tool
    def ship(order: str) -> str:
        """Send a parcel."""
        raise KeyboardInterrupt

    @ship.reconcile
    def was_sent() -> str:
        return "applied"

    model = ScriptedModel([call("s", "ship", order="A"), "done"])
    with pytest.raises(KeyboardInterrupt) as caught:
        ways.run("Go", tools=[ship], model=model, options=options(receipts))
    state = caught.value.outcome.state  # type: ignore[attr-defined]  # which it was given
    assert [(each.outcome, each.effect) for each in receipts.read()] == [("UNKNOWN_EFFECT", "unknown")]
    resume(json.loads(json.dumps(state)), tools=[ship], model=model, options=options(receipts))
    unknown, applied = receipts.read()
    assert applied.effect == "applied"
    assert (applied.key, applied.arguments) == (unknown.key, unknown.arguments)


def test_without_a_trace_nothing_is_kept(tmp_path: Path) -> None:
    """Receipts are kept where they are given as the trace."""
    receipts = Receipts(tmp_path / "a")
    pay.invoke({"to": "Ann"})
    assert receipts.read() == []
    assert not (tmp_path / "a").exists()


def written(tmp_path: Path, count: int = 2) -> Receipts:
    receipts = Receipts(tmp_path / "receipts.jsonl")
    for number in range(count):
        pay.invoke({"to": f"Ann {number}"}, options=options(receipts))
    return receipts


def test_a_broken_last_line_takes_no_other_along(tmp_path: Path) -> None:
    """Wherever a crash broke the last line, the others are read, and the next receipt stands on a line of its own."""
    receipts = written(tmp_path)
    whole = receipts.path.read_bytes()
    first = receipts.read()[:1]
    last = whole.rindex(b"\n", 0, -1) + 1
    for end in range(last, len(whole) - 1):
        receipts.path.write_bytes(whole[:end])
        assert receipts.read() == first
        pay.invoke({"to": "Eve"}, options=options(receipts))
        after = receipts.read()
        assert after[:1] == first
        assert len(after) == 2


def test_a_last_line_without_its_end_is_whole(tmp_path: Path) -> None:
    """Only the line break is lacking."""
    receipts = written(tmp_path)
    both = receipts.read()
    receipts.path.write_bytes(receipts.path.read_bytes()[:-1])
    assert receipts.read() == both


@pytest.mark.parametrize("line", ["5", "{}", '{"key": 1}', "[1]", "null"])
def test_a_file_that_holds_something_else(line: str, tmp_path: Path) -> None:
    """It is refused, naming the line: whoever asks what was done is not to get half an answer."""
    receipts = written(tmp_path)
    receipts.path.write_bytes(receipts.path.read_bytes() + line.encode() + b"\n")
    with pytest.raises(ValueError, match="line 3, is no receipt"):
        receipts.read()


@pytest.mark.parametrize(("name", "value"), [("effect", "none"), ("outcome", "perhaps"), ("at", 5), ("version", 1)])
def test_a_receipt_of_strange_values(name: str, value: Any, tmp_path: Path) -> None:
    """An outcome, an effect or a type that no receipt has is refused."""
    receipts = written(tmp_path, 1)
    data = json.loads(receipts.path.read_bytes())
    receipts.path.write_text(json.dumps({**data, name: value}) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 1, is no receipt"):
        receipts.read()


def test_a_line_of_a_later_release_is_read(tmp_path: Path) -> None:
    """What it says besides is left out, and what is known is there."""
    receipts = written(tmp_path, 1)
    before = receipts.read()
    data = json.loads(receipts.path.read_bytes())
    receipts.path.write_text(json.dumps({**data, "tenant": 5}) + "\n", encoding="utf-8")
    assert receipts.read() == before


def test_the_folder_is_made(tmp_path: Path) -> None:
    """A run does not end with its effects done and no place for the receipt."""
    receipts = Receipts(tmp_path / "a" / "b" / "receipts.jsonl")
    assert receipts.read() == []
    pay.invoke({"to": "Ann"}, options=options(receipts))
    assert len(receipts.read()) == 1


def test_a_folder_is_no_file_of_receipts(tmp_path: Path) -> None:
    """It is refused before any call is made, with what to write."""
    with pytest.raises(DefinitionError, match=r"is a folder: name a file in it, such as .*receipts\.jsonl"):
        Receipts(tmp_path)


def test_two_that_keep_one_file_write_no_empty_lines(tmp_path: Path) -> None:
    """Whoever writes, there are as many lines as receipts."""
    event = ReceiptIssued("r", "c", "pay", "pay", None, "sha256:c", "sha256:a", "ok", "applied", "2026", "k" * 90_000)

    def keep(receipts: Receipts) -> None:
        for _ in range(20):
            receipts(event)

    threads = [threading.Thread(target=keep, args=(Receipts(tmp_path / "a"),)) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    lines = (tmp_path / "a").read_bytes().split(b"\n")
    assert (len(lines), lines.count(b"")) == (161, 1)


def test_receipts_of_several_threads(tmp_path: Path) -> None:
    """Each stands on a line of its own."""
    receipts = Receipts(tmp_path / "a")
    event = ReceiptIssued("r", "c", "pay", "pay", None, "sha256:c", "sha256:a", "ok", "applied", "2026", "k" * 5000)

    def keep() -> None:
        for _ in range(20):
            receipts(event)

    threads = [threading.Thread(target=keep) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    expected = Receipt("k" * 5000, "pay", None, "sha256:c", "sha256:a", "ok", "applied", "2026")
    assert receipts.read() == [expected] * 160
