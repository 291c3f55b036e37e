"""States are pinned: a tool that is not what it was is refused by then, and a call that waits for it ends the run."""

from __future__ import annotations

import json
import pickle
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest

from magic_tools import (
    ContractWithdrawnError,
    ErrorCode,
    Event,
    Lifecycle,
    Manifest,
    Outcome,
    Policy,
    RunOptions,
    ScriptedModel,
    Tool,
    ToolDrifted,
    ask_user,
    tool,
)
from magic_tools.loop.state import LoopState
from tests.resuming.bank import APPROVAL, ASK, PAY, Bank, assert_whole, call, paused, stored, unpinned
from tests.ways import Ways, results_in

START = datetime(2026, 12, 1, tzinfo=UTC)
DAY = timedelta(days=1)
DONE: list[str] = []


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.clear()


def pay_tool(fn: Any, **policy: Any) -> Tool[..., Any]:
    return tool(fn, name="pay", policy=Policy(approval=True, **policy))


def pay(to: str, amount: int = 1) -> str:
    """Pay somebody."""
    DONE.append(to)
    return "paid"


def with_currency(to: str, amount: int = 1, currency: str = "EUR") -> str:
    """Pay somebody."""
    DONE.append(to)
    return "paid"


def with_another_default(to: str, amount: int = 1_000_000) -> str:
    """Pay somebody."""
    DONE.append(to)
    return "paid"


def with_a_text(to: Annotated[str, "A name"], amount: int = 1) -> str:
    """Pay somebody."""
    DONE.append(to)
    return "paid"


def with_another_result(to: str, amount: int = 1) -> int:
    """Pay somebody."""
    DONE.append(to)
    return 1


def clock(days: float) -> RunOptions:
    return RunOptions(clock=lambda: START + days * DAY)


def withdrawn(ways: Ways, state: Any, decisions: Any, tools: Any, **more: Any) -> tuple[str, Outcome[Any]]:
    """What a run that cannot go on says, and its outcome."""
    model = ScriptedModel([])
    with pytest.raises(ContractWithdrawnError) as caught:
        ways.resume(state, decisions, tools=tools, model=model, **more)
    outcome = caught.value.outcome
    assert (outcome.stop, outcome.ok, model.requests, DONE) == ("contract_withdrawn", False, [], [])
    assert_whole(outcome.transcript)
    return str(caught.value), outcome


def test_a_state_has_the_tools_of_its_run(ways: Ways) -> None:
    """Identifiers, names, versions and digests are in it, with the time at which the run began; no schema is."""
    tools = [pay_tool(pay, id="bank.pay", version="1.2.0"), ask_user]
    state = stored(paused(ways, tools, PAY, options=clock(0)).state)
    contract = tools[0].contract
    assert state["pins"] == {
        "since": "2026-12-01T00:00:00+00:00",
        "tools": [["bank.pay", "pay", "1.2.0", contract.interface_digest, contract.surface_digest, {"approval": True}]],
    }
    assert LoopState.from_data(state).to_data() == state


def test_the_state_of_a_pinned_run_has_its_manifest(ways: Ways) -> None:
    """The pins are those of the manifest, and so is their time."""
    tool_ = pay_tool(pay)
    manifest = Manifest.of([tool_], START - DAY)
    state = stored(paused(ways, [tool_], PAY, options=RunOptions(manifest=manifest)).state)
    assert state["pins"]["since"] == "2026-11-30T00:00:00+00:00"
    assert [row[0] for row in state["pins"]["tools"]] == ["pay"]


def test_a_state_is_pickled_with_its_pins(ways: Ways) -> None:
    """The tools themselves do not go along."""
    outcome = paused(ways, Bank().tools, PAY)
    again = pickle.loads(pickle.dumps(outcome))
    assert again.state == outcome.state
    assert LoopState.from_data(again.state) == LoopState.from_data(outcome.state)


@pytest.mark.parametrize("fn", [with_currency, with_another_default, with_a_text, with_another_result])
@pytest.mark.parametrize("decisions", [{"p": True}, {"p": False}, {}])
def test_a_call_that_waits_for_a_tool_that_changed(ways: Ways, fn: Any, decisions: Any) -> None:
    """Whatever was decided, the run ends: nothing is done, and the text has what it was and what it is."""
    state = stored(paused(ways, [pay_tool(pay, version="1.0.0")], PAY).state)
    changed = pay_tool(fn, version="1.1.0")
    words, outcome = withdrawn(ways, state, decisions, [changed])
    before, now = pay_tool(pay).contract, changed.contract
    for part in ("1.0.0", "1.1.0", before.interface_digest, before.surface_digest, now.interface_digest):
        assert part in words
    assert "Go on without it" not in words
    assert results_in(outcome.transcript)[0].code is ErrorCode.CONFLICT


def test_the_same_tool_made_anew(ways: Ways) -> None:
    """A tool that promises the same is the same, whatever its version and its author's code."""

    def paying(to: str, amount: int = 1) -> str:
        """Pay somebody."""
        DONE.append("anew")
        return "paid"

    state = stored(paused(ways, [pay_tool(pay, version="1.0.0")], PAY).state)
    after = ways.resume(state, {"p": True}, tools=[pay_tool(paying, version="1.0.1")], model=ScriptedModel(["done"]))
    assert (after.value, DONE) == ("done", ["anew"])


LIFE = Lifecycle(
    hidden=START + 5 * DAY,
    rejected=START + 10 * DAY,
    retired=START + 20 * DAY,
    replacement="bank.transfer",
    guide="https://example.com/pay",
    contact="payments@example.com",
)


@pytest.mark.parametrize(("days", "words"), [(10, "pay is refused since 2026-12-11"), (20, "pay is retired since")])
@pytest.mark.parametrize("told_before", [True, False])
def test_a_call_that_waits_for_a_tool_that_is_withdrawn(ways: Ways, days: int, words: str, told_before: bool) -> None:
    """The text names what happened, the replacement, the guide and the person, whether the end was known or not."""
    begun = pay_tool(pay, **({"lifecycle": LIFE} if told_before else {}))
    state = stored(paused(ways, [begun], PAY, options=clock(0)).state)
    said, outcome = withdrawn(ways, state, {"p": True}, [pay_tool(pay, lifecycle=LIFE)], options=clock(days))
    assert said.startswith("The run cannot go on: a call waited for a person, and its tool is not what it was. ")
    for part in (words, "bank.transfer", "https://example.com/pay", "payments@example.com"):
        assert part in said
    assert results_in(outcome.transcript)[0].code is ErrorCode.NOT_FOUND


def test_a_run_that_began_before_hiding_keeps_its_tool(ways: Ways) -> None:
    """It goes on with a tool that was hidden since; one that began after never had it."""
    state = stored(paused(ways, [pay_tool(pay)], PAY, options=clock(0)).state)
    tools = [pay_tool(pay, lifecycle=LIFE)]
    after = ways.resume(state, {"p": True}, tools=tools, model=ScriptedModel(["done"]), options=clock(7))
    assert (after.value, DONE) == ("done", ["Ann"])
    state["pins"]["since"] = (START + 6 * DAY).isoformat()
    DONE.clear()
    assert "hidden since 2026-12-06" in withdrawn(ways, state, {"p": True}, tools, options=clock(7))[0]


@pytest.mark.parametrize("old", [True, False])
def test_a_question_whose_tool_is_gone(ways: Ways, old: bool) -> None:
    """Who would be told the answer is not there any more."""
    outcome = paused(ways, [ask_user], ASK)
    state = unpinned(outcome.state) if old else stored(outcome.state)
    said, _ = withdrawn(ways, state, {"a": "The first."}, [pay_tool(pay)])
    assert "There is no tool called 'ask_user' any more" in said


def test_what_waits_beside_it(ways: Ways) -> None:
    """Each call of the reply has a result: that of the lost one says why, and what was begun may have been done."""
    bank = Bank()
    tools = [bank.pay, bank.note, ask_user]
    state = stored(paused(ways, tools, PAY, ASK, call("n", "note", text="x")).state)
    said, outcome = withdrawn(ways, state, {"a": "The first.", "p": True}, [bank.note, ask_user])
    assert "'pay'" in said
    lost, asked, noted = results_in(outcome.transcript)
    assert (lost.code, asked.code, noted.content) == (ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, "noted x")
    state["pending"][2].update(status="started", result=None)
    _, outcome = withdrawn(ways, state, {"p": True}, [bank.note, ask_user])
    assert results_in(outcome.transcript)[2].code is ErrorCode.UNKNOWN_EFFECT


def test_a_fall_back_takes_the_place_of_the_error(ways: Ways) -> None:
    """As for any run without an answer."""
    state = stored(paused(ways, Bank().tools, PAY).state)
    options = RunOptions(fallback="later")
    outcome = ways.resume(state, {"p": True}, tools=[], model=ScriptedModel([]), options=options)
    assert (outcome.value, outcome.fallback, outcome.stop) == ("later", True, "contract_withdrawn")


def test_a_run_that_ended_so_is_over(ways: Ways) -> None:
    """Its state is of a run that has ended; the one before can be gone on with, once the tool is there again."""
    bank = Bank()
    state = stored(paused(ways, bank.tools, PAY).state)
    _, outcome = withdrawn(ways, state, {"p": True}, [])
    with pytest.raises(ValueError, match=r"has ended \(contract_withdrawn\)"):
        ways.resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=ScriptedModel([]))
    assert ways.resume(state, {"p": True}, tools=bank.tools, model=ScriptedModel(["done"])).ok


def test_the_error_is_pickled(ways: Ways) -> None:
    """It comes back from another process with its outcome."""
    state = stored(paused(ways, Bank().tools, PAY).state)
    with pytest.raises(ContractWithdrawnError) as caught:
        ways.resume(state, {"p": True}, tools=[], model=ScriptedModel([]))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.outcome.stop) == (str(caught.value), "contract_withdrawn")


def noting(fn: Any = None) -> Tool[..., Any]:
    def note(text: str) -> str:
        """Write something down."""
        DONE.append(text)
        return "noted"

    return tool(fn or note, name="note")


def with_tags(text: str, tags: list[str] = []) -> str:  # noqa: B006 - a default is what is to differ
    """Write something down."""
    DONE.append(text)
    return "noted"


def test_what_changed_is_refused_and_the_others_work_on(ways: Ways) -> None:
    """A run that waits for another tool goes on: the changed one is not offered, and refused with both digests."""
    events: list[Event] = []
    state = stored(paused(ways, [pay_tool(pay), noting()], PAY).state)
    model = ScriptedModel([call("n", "note", text="x"), "done"])
    changed = noting(with_tags)
    options = RunOptions(trace=events.append)
    after = ways.resume(state, {"p": True}, tools=[pay_tool(pay), changed], model=model, options=options)
    assert (after.value, DONE) == ("done", ["Ann"])
    assert [each.name for each in model.requests[0].tools] == ["pay"]
    refused = results_in(after.transcript)[1]
    assert refused.code is ErrorCode.CONFLICT
    assert noting().contract.interface_digest in refused.content
    assert changed.contract.interface_digest in refused.content
    assert [(event.tool, event.kind) for event in events if isinstance(event, ToolDrifted)] == [("note", "changed")]


def test_a_tool_that_came_later_is_none_of_the_run(ways: Ways) -> None:
    """A run goes on with the tools that it began with."""
    state = stored(paused(ways, [pay_tool(pay)], PAY).state)
    model = ScriptedModel([call("n", "note", text="x"), "done"])
    after = ways.resume(state, {"p": True}, tools=[pay_tool(pay), noting()], model=model)
    assert [each.name for each in model.requests[0].tools] == ["pay"]
    assert "does not hold note" in results_in(after.transcript)[1].content
    assert DONE == ["Ann"]


def test_a_state_of_before_is_not_pinned(ways: Ways) -> None:
    """It is read, and goes on with whatever tools it is given; under a manifest it is pinned from then on."""
    state = unpinned(paused(ways, [pay_tool(pay)], PAY).state)
    model = ScriptedModel([call("n", "note", text="x"), "done"])
    tools = [pay_tool(pay), noting()]
    after = ways.resume(state, {"p": True}, tools=tools, model=model)
    assert (after.value, DONE, after.state["pins"]) == ("done", ["Ann", "x"], None)
    options = RunOptions(manifest=Manifest.of(tools, START))
    after = ways.resume(state, {}, tools=tools, model=ScriptedModel([]), options=options)
    assert [row[0] for row in after.state["pins"]["tools"]] == ["note", "pay"]


def test_an_earlier_result_of_a_tool_that_changed_is_not_given_again(ways: Ways) -> None:
    """It is given again where the tool is as it was, or an adapter keeps the old promise, and else refused."""

    def rate(currency: str) -> float:
        """The rate of a currency."""
        DONE.append(currency)
        return 1.5

    def rated(currency: str, day: str = "today") -> float:
        """The rate of a currency."""
        DONE.append(currency)
        return 1.5

    def tool_of(fn: Any, version: str, adapter: Any = None) -> Tool[..., Any]:
        made = tool(fn, name="rate", policy=Policy(read_only=True, idempotent=True, version=version))
        if adapter is not None:
            made.upgrade_from("1.x")(adapter)
        return made

    ask, again = call("r", "rate", currency="EUR"), call("s", "rate", currency="EUR")
    before = tool_of(rate, "1.0.0")
    options = RunOptions(manifest=Manifest.of([before, pay_tool(pay)], START))
    model = ScriptedModel([ask, call("p", "pay", to="Ann")])
    outcome = ways.run("Go", tools=[before, pay_tool(pay)], model=model, options=options)
    for made, is_given in ((before, True), (tool_of(rated, "2.0.0", dict), True), (tool_of(rated, "1.1.0"), False)):
        DONE[:] = ["EUR"]
        model = ScriptedModel([again, "done"])
        after = ways.resume(
            stored(outcome.state), {"p": False}, tools=[made, pay_tool(pay)], model=model, options=options
        )
        last = results_in(after.transcript)[-1]
        assert (DONE, last.reused, last.code) == (["EUR"], is_given, None if is_given else ErrorCode.CONFLICT)


@pytest.mark.parametrize(
    "pins",
    [
        5,
        {},
        {"since": "2026-12-01T00:00:00+00:00"},
        {"since": "", "tools": []},
        {"since": "soon", "tools": []},
        {"since": "2026-12-01T00:00:00", "tools": []},
        {"since": "2026-12-01T00:00:00+00:00", "tools": [["a", "b", None, "c"]]},
        {"since": "2026-12-01T00:00:00+00:00", "tools": [["a", "b", 1, "c", "d"]]},
        {"since": "2026-12-01T00:00:00+00:00", "tools": [["a", "b", None, "c", "d", "e"]]},
        {"since": "2026-12-01T00:00:00+00:00", "tools": [["a", "b", None, "c", "d", {"approval": False}]]},
        {"since": "2026-12-01T00:00:00+00:00", "tools": [["a", "b", None, "c", "d", {"more": True}]]},
        {"since": "2026-12-01T00:00:00+00:00", "tools": [["a", "b", "2", "c", "d"]]},
        {"since": "2026-12-01T00:00:00+00:00", "tools": [[None, "b", "2.0.0", "c", "d"]]},
        {"since": "2026-12-01T00:00:00+00:00", "tools": [], "more": 1},
    ],
)
def test_garbage_in_the_pins(ways: Ways, pins: Any) -> None:
    """It is said at once, and nothing is done."""
    bank = Bank(APPROVAL)
    state = {**stored(paused(ways, bank.tools, PAY).state), "pins": pins}
    with pytest.raises(ValueError, match=r"."):
        ways.resume(state, {"p": True}, tools=bank.tools, model=ScriptedModel([]))
    assert bank.done == []


def test_two_tools_of_one_name_in_two_phases(ways: Ways) -> None:
    """Each is the one of its phase, also where a run goes on."""
    from magic_tools import Phases

    def short(to: str) -> str:
        """Pay."""
        DONE.append(f"short {to}")
        return "paid"

    ask = call("p", "pay", to="Ann")
    phases = Phases({"one": [pay_tool(pay)], "two": [pay_tool(short)]}, move={"pay": "two"})
    state = stored(paused(ways, phases, ask).state)
    model = ScriptedModel([call("q", "pay", to="Eve")])
    after = ways.resume(state, {"p": True}, tools=phases, model=model)
    after = ways.resume(json.loads(json.dumps(after.state)), {"q": True}, tools=phases, model=ScriptedModel(["done"]))
    assert (after.value, DONE) == ("done", ["Ann", "short Eve"])


def kept_states(ways: Ways, tools: Any, state: Any) -> list[Any]:
    """The states that were kept while a run went on with leave for its call."""
    kept: list[Any] = []
    options = RunOptions(checkpoint=kept.append)
    ways.resume(state, {"p": True}, tools=tools, model=ScriptedModel(["done"]), options=options)
    return [stored(each) for each in kept if each["pending"]]


def test_leave_that_was_given_is_not_for_a_tool_that_changed(ways: Ways) -> None:
    """A call that was allowed and not begun is refused, as nobody waits for it any more, and the model is told why."""
    state = stored(paused(ways, [pay_tool(pay)], PAY).state)
    allowed = next(each for each in kept_states(ways, [pay_tool(pay)], state))
    allowed["pending"][0]["status"] = "to_run"
    DONE.clear()
    after = ways.resume(allowed, tools=[pay_tool(with_currency)], model=ScriptedModel(["done"]))
    assert (after.value, DONE) == ("done", [])
    assert results_in(after.transcript)[0].code is ErrorCode.CONFLICT


@pytest.mark.parametrize("tools", [[pay_tool(with_currency)], [pay_tool(pay, lifecycle=LIFE)], []])
def test_a_call_that_was_begun_is_not_said_to_be_undone(ways: Ways, tools: Any) -> None:
    """What was under way when the run was stopped may have had its effect, whatever has become of its tool since."""
    state = stored(paused(ways, [pay_tool(pay)], PAY, options=clock(0)).state)
    begun = kept_states(ways, [pay_tool(pay)], state)[0]
    assert begun["pending"][0]["status"] == "started"
    after = ways.resume(begun, tools=tools, model=ScriptedModel(["done"]), options=clock(30))
    (result,) = results_in(after.transcript)
    assert (result.code, result.effect) == (ErrorCode.UNKNOWN_EFFECT, "unknown")
