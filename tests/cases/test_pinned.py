"""Runs that are pinned to a manifest: what has changed is served by an adapter, or refused, and the rest works on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Literal

import pytest
from pydantic import BaseModel, SecretStr

from magic_tools import (
    CallUpgraded,
    DefinitionError,
    ErrorCode,
    Event,
    Injected,
    Lifecycle,
    Manifest,
    Pin,
    Policy,
    RunOptions,
    ScriptedModel,
    Tool,
    ToolCall,
    ToolCompleted,
    ToolDeprecated,
    ToolDrifted,
    Toolset,
    ask_user,
    resume,
    tool,
)
from tests.ways import RunIt, results_in

AT = datetime(2026, 12, 1, tzinfo=UTC)
DONE: list[Any] = []

Priority = Literal["P1", "P2", "P3"]


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.clear()


class Ticket(BaseModel):
    id: str
    priority: Priority


class Opened(BaseModel):
    ticket: Ticket


def old_ticket(title: str, priority: Priority = "P3") -> Ticket:
    """Open a ticket."""
    DONE.append(("old", title, priority))
    return Ticket(id="T-1", priority=priority)


def new_ticket(subject: str, priority: Priority = "P2", urgency: int = 1) -> Ticket:
    """Open a ticket, soon."""
    DONE.append((subject, priority, urgency))
    return Ticket(id="T-1", priority=priority)


def nested_ticket(subject: str, priority: Priority = "P2", urgency: int = 1) -> Opened:
    """Open a ticket, soon."""
    DONE.append((subject, priority, urgency))
    return Opened(ticket=Ticket(id="T-1", priority=priority))


def ticket_of(
    fn: Any, version: str | None, *, adapter: Any = None, result: Any = None, **policy: Any
) -> Tool[..., Any]:
    made = tool(fn, name="create_ticket", policy=Policy(version=version, **policy))
    if adapter is not None:
        made.upgrade_from("1.x")(adapter)
    if result is not None:
        made.upgrade_from("1.x", part="result")(result)
    return made


def renamed_title(old: Mapping[str, Any]) -> dict[str, Any]:
    return {"subject": old["title"], "priority": old["priority"]}


@tool(policy=Policy(version="1.0.0"))
def note(text: str) -> str:
    """Write something down."""
    DONE.append(text)
    return "noted"


OLD = ticket_of(old_ticket, "1.2.0")
PINNED = Manifest.of([OLD, note], AT)


def opening(arguments: str = '{"title": "Broken"}', name: str = "create_ticket") -> ScriptedModel:
    calls = [ToolCall("t", name, arguments), ToolCall("n", "note", '{"text": "a"}')]
    return ScriptedModel([calls, "done"])


def pinned(events: list[Event] | None = None, manifest: Manifest = PINNED, **more: Any) -> RunOptions:
    return RunOptions(manifest=manifest, trace=None if events is None else events.append, clock=lambda: AT, **more)


def always(moment: datetime) -> datetime:
    return moment


def told(events: list[Event], kind: type[Any]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_what_has_not_changed_goes_on(run_it: RunIt) -> None:
    """The same tools, compiled anew, are offered and called as ever; nothing is told."""
    events: list[Event] = []
    again = ticket_of(old_ticket, "1.2.1")
    outcome = run_it("Go", tools=[again, note], model=opening(), options=pinned(events))
    assert [result.is_error for result in results_in(outcome.transcript)] == [False, False]
    assert DONE == [("old", "Broken", "P3"), "a"]
    assert told(events, ToolDrifted) == told(events, CallUpgraded) == []


def test_a_lock_file_pins_as_well(run_it: RunIt, tmp_path: Any) -> None:
    """A manifest that was saved and loaded is as good as the one that was made."""
    PINNED.save(tmp_path / "lock.json")
    options = pinned(manifest=Manifest.load(tmp_path / "lock.json"))
    outcome = run_it("Go", tools=[OLD, note], model=opening(), options=options)
    assert [result.is_error for result in results_in(outcome.transcript)] == [False, False]


@pytest.mark.parametrize(
    "changed",
    [
        ticket_of(new_ticket, "2.0.0", accepts=("*",)),
        ticket_of(new_ticket, "1.3.0"),
        ticket_of(new_ticket, None),
        tool(old_ticket, name="create_ticket", description="Open one.", policy=Policy(version="1.2.1")),
        ticket_of(new_ticket, "2.0.0", adapter=None, result=dict, accepts=("1.x", "2.x")),
    ],
)
def test_a_tool_that_changed_is_refused_and_the_others_work_on(run_it: RunIt, changed: Tool[..., Any]) -> None:
    """It is not offered; a call is refused with the versions and all digests, and the other tool runs."""
    events: list[Event] = []
    model = opening()
    outcome = run_it("Go", tools=[changed, note], model=model, options=pinned(events))
    assert [each.name for each in model.requests[0].tools] == ["note"]
    refused, noted = results_in(outcome.transcript)
    assert (refused.code, refused.effect, noted.content, DONE) == (ErrorCode.CONFLICT, "none", "noted", ["a"])
    was, now = PINNED.pins[0], Pin.of(changed)
    for part in ("1.2.0", was.interface, was.surface, now.interface, now.surface, now.version or "without a version"):
        assert part in refused.content
    (drifted,) = told(events, ToolDrifted)
    assert (drifted.tool, drifted.kind, drifted.was, drifted.now) == ("create_ticket", "changed", was.words, now.words)
    assert isinstance(events[0], ToolDrifted)


def test_an_adapter_serves_what_a_run_is_pinned_to(run_it: RunIt) -> None:
    """The model is offered the pinned surface; its old call runs as a new one, with the old defaults, and says so."""
    events: list[Event] = []
    model = opening()
    changed = ticket_of(new_ticket, "2.0.0", adapter=renamed_title)
    outcome = run_it("Go", tools=[changed, note], model=model, options=pinned(events))
    offered = model.requests[0].tools[0]
    pin = PINNED.pins[0]
    assert (offered.name, offered.description, offered.input_schema) == (
        "create_ticket",
        pin.description,
        pin.input_schema,
    )
    result, _ = results_in(outcome.transcript)
    assert (json.loads(result.content), DONE) == ({"id": "T-1", "priority": "P3"}, [("Broken", "P3", 1), "a"])
    (repair,) = result.repairs
    assert repair.kind == "upgrade"
    assert "version 1.2.0" in repair.note
    assert "2.0.0 by renamed_title" in repair.note
    assert repair in outcome.repairs
    (upgraded,) = told(events, CallUpgraded)
    assert (upgraded.call_id, upgraded.tool, upgraded.from_version, upgraded.to_version) == (
        "t",
        "create_ticket",
        "1.2.0",
        "2.0.0",
    )
    assert [each.kind for each in told(events, ToolDrifted)] == ["upgraded"]


@pytest.mark.parametrize(("strict", "offered"), [(True, None), (False, False), (None, None)])
def test_an_older_schema_is_strict_where_it_can_be(run_it: RunIt, strict: bool | None, offered: bool | None) -> None:
    """That today's schema must be strict is not asked of the pinned one, which may not be able to be."""
    changed = tool(new_ticket, name="create_ticket", policy=Policy(version="2.0.0"), strict=strict)
    changed.upgrade_from("1.x")(renamed_title)
    model = opening()
    run_it("Go", tools=[changed, note], model=model, options=pinned())
    assert model.requests[0].tools[0].strict is offered


def test_what_an_adapter_is_given_was_mended_as_ever(run_it: RunIt) -> None:
    """Calls are read by the pinned schema like any arguments: what was mended is listed before the upgrade."""
    changed = ticket_of(new_ticket, "2.0.0", adapter=renamed_title)
    model = opening('```json\n{"title": "Broken",}\n```')
    outcome = run_it("Go", tools=[changed, note], model=model, options=pinned())
    kinds = [repair.kind for repair in results_in(outcome.transcript)[0].repairs]
    assert len(kinds) > 1
    assert kinds[-1] == "upgrade"


@pytest.mark.parametrize(
    "arguments", ['{"subject": "Broken"}', '{"title": "Broken", "priority": "P4"}', '{"title": "a", "urgency": 2}']
)
def test_a_call_by_the_new_schema_is_none_of_a_pinned_run(run_it: RunIt, arguments: str) -> None:
    """What the pin does not allow is refused in its words, and the adapter is not asked."""
    changed = ticket_of(new_ticket, "2.0.0", adapter=lambda old: DONE.append("asked"))
    outcome = run_it("Go", tools=[changed, note], model=opening(arguments), options=pinned())
    assert results_in(outcome.transcript)[0].code is ErrorCode.INVALID_ARGUMENT
    assert DONE == ["a"]


def unfit(old: Mapping[str, Any]) -> dict[str, Any]:
    return {"subject": 5, "secret": old["title"]}


def raising(old: Mapping[str, Any]) -> dict[str, Any]:
    raise LookupError


@pytest.mark.parametrize(
    ("adapter", "detail"), [(unfit, "keys subject, secret, which does not fit: "), (raising, "LookupError")]
)
def test_an_adapter_that_fails(run_it: RunIt, adapter: Any, detail: str) -> None:
    """The call is an error INTERNAL that did nothing; what happened is in the trace alone, and the run goes on."""
    events: list[Event] = []
    changed = ticket_of(new_ticket, "2.0.0", adapter=adapter)
    outcome = run_it("Go", tools=[changed, note], model=opening(), options=pinned(events))
    failed, noted = results_in(outcome.transcript)
    assert (failed.code, failed.effect, failed.retryable) == (ErrorCode.INTERNAL, "none", False)
    assert failed.content.startswith(
        "create_ticket did not run: its arguments, which are those of version 1.2.0, could not be brought up to "
        "version 2.0.0."
    )
    assert (noted.content, DONE) == ("noted", ["a"])
    (completed,) = [event for event in told(events, ToolCompleted) if event.tool == "create_ticket"]
    assert detail in (completed.detail or "")
    assert "Broken" not in failed.content


def test_a_secret_is_in_no_trace_of_a_failing_adapter(run_it: RunIt) -> None:
    """Where a tool takes secrets, what its adapter said or made is left out."""

    def log_in(user: str, password: SecretStr) -> str:
        """Log in."""
        return user

    def misplacing(old: Mapping[str, Any]) -> dict[str, Any]:
        return {"user": "a", "word": old["password"]}

    def telling(old: Mapping[str, Any]) -> dict[str, Any]:
        raise ValueError(old["password"])

    manifest = Manifest.of([tool(log_in, policy=Policy(version="1.0.0"), description="Once."), note], AT)
    for adapter in (misplacing, telling):
        events: list[Event] = []
        after = tool(log_in, policy=Policy(version="2.0.0"))
        after.upgrade_from("1.x")(adapter)
        model = opening('{"user": "a", "password": "hunter2"}', "log_in")
        outcome = run_it("Go", tools=[after, note], model=model, options=pinned(events, manifest))
        assert results_in(outcome.transcript)[0].code is ErrorCode.INTERNAL
        assert "could not be brought up" in results_in(outcome.transcript)[0].content
        assert "hunter2" not in repr(events) + repr(results_in(outcome.transcript))
        assert "UpgradeError" in repr(events)


@pytest.mark.parametrize("result", [None, lambda old: {"ticket": old}])
def test_results_that_break_cannot_be_brought_back(run_it: RunIt, result: Any) -> None:
    """An adapter of results goes from old to new: the tool is refused as changed, whatever adapters there are."""
    changed = ticket_of(nested_ticket, "2.0.0", adapter=renamed_title, result=result)
    outcome = run_it("Go", tools=[changed, note], model=opening(), options=pinned())
    first, _ = results_in(outcome.transcript)
    assert (first.code, DONE) == (ErrorCode.CONFLICT, ["a"])
    assert "its results break what this run is pinned to, and no adapter can bring them back" in first.content
    assert changed.upgrade_result("1.2.0", {"id": "T-1", "priority": "P1"}) if result else True


def test_rules_and_leave_are_of_the_new_arguments(run_it: RunIt) -> None:
    """A rule sees what the adapter made, and a person is shown what will be done."""
    changed = ticket_of(new_ticket, "2.0.0", adapter=renamed_title, approval=True)

    @changed.rule
    def not_broken(subject: str) -> None:
        if subject == "no":
            raise ValueError("say more")

    outcome = run_it("Go", tools=[changed, note], model=opening(), options=pinned())
    assert outcome.waiting[0].arguments == {"subject": "Broken", "priority": "P3", "urgency": 1}
    outcome = run_it("Go", tools=[changed, note], model=opening('{"title": "no"}'), options=pinned())
    assert "say more" in results_in(outcome.transcript)[0].content
    assert DONE[-1] == "a"


def test_leave_for_an_upgraded_call(run_it: RunIt) -> None:
    """A paused run goes on under the same manifest, by the same adapter; without it the tool is not what it was."""
    changed = ticket_of(new_ticket, "2.0.0", adapter=renamed_title, approval=True)
    outcome = run_it("Go", tools=[changed, note], model=opening(), options=pinned())
    state = json.loads(json.dumps(outcome.state))
    with pytest.raises(Exception, match="it has changed since this run was pinned to it"):
        resume(state, {"t": True}, tools=[changed, note], model=ScriptedModel([]))
    model = ScriptedModel(["done"])
    after = resume(state, {"t": True}, tools=[changed, note], model=model, options=pinned())
    assert (after.value, DONE) == ("done", ["a", ("Broken", "P3", 1)])


def test_a_tool_that_the_manifest_does_not_hold(run_it: RunIt) -> None:
    """A pinned task does not know it: it is not offered, and refused if it is called."""
    events: list[Event] = []
    model = opening()
    options = pinned(events, Manifest.of([note], AT))
    outcome = run_it("Go", tools=[OLD, note, ask_user], model=model, options=options)
    assert [each.name for each in model.requests[0].tools] == ["note", "ask_user"]
    refused, _ = results_in(outcome.transcript)
    assert refused.code is ErrorCode.CONFLICT
    assert "its manifest does not hold create_ticket" in refused.content
    (drifted,) = told(events, ToolDrifted)
    assert (drifted.tool, drifted.kind, drifted.was) == ("create_ticket", "not_pinned", None)


def test_a_tool_that_is_pinned_and_gone(run_it: RunIt) -> None:
    """An event tells it, and a call is answered as one of an unknown tool that says that it was pinned."""
    events: list[Event] = []
    outcome = run_it("Go", tools=[note], model=opening(), options=pinned(events))
    refused, _ = results_in(outcome.transcript)
    assert refused.code is ErrorCode.NOT_FOUND
    assert refused.content.startswith(
        "There is no tool called 'create_ticket' any more, to which this run is pinned (create_ticket); "
        "there are: note."
    )
    (drifted,) = told(events, ToolDrifted)
    assert (drifted.tool, drifted.kind, drifted.was, drifted.now) == (
        "create_ticket",
        "missing",
        PINNED.pins[0].words,
        None,
    )


def test_a_tool_that_the_context_does_not_allow_is_not_gone(run_it: RunIt) -> None:
    """Its call is answered as ever where the scopes are lacking."""
    scoped = tool(old_ticket, name="create_ticket", policy=Policy(scopes=("crm",)))
    events: list[Event] = []
    options = pinned(events, Manifest.of([scoped, note], AT))
    outcome = run_it("Go", tools=[scoped, note], model=opening(), options=options)
    assert results_in(outcome.transcript)[0].content.startswith("There is no tool called 'create_ticket'; there are")
    assert told(events, ToolDrifted) == []


@pytest.mark.parametrize("adapter", [None, renamed_title])
def test_a_version_that_is_not_accepted(run_it: RunIt, adapter: Any) -> None:
    """Where the tool says which versions it accepts, others are refused, whatever adapters there are."""
    events: list[Event] = []
    life = Lifecycle(guide="see the wiki", replacement="crm.find")
    changed = ticket_of(new_ticket, "2.1.0", adapter=adapter, accepts=("2.x",), lifecycle=life)
    outcome = run_it("Go", tools=[changed, note], model=opening(), options=pinned(events))
    refused, _ = results_in(outcome.transcript)
    assert refused.code is ErrorCode.CONFLICT
    was, now = PINNED.pins[0], Pin.of(changed)
    assert refused.content.startswith(
        f"create_ticket did not run: this run is pinned to version 1.2.0 of it, and version 2.1.0 accepts 2.x alone. "
        f"It was: version 1.2.0, interface {was.interface}, surface {was.surface}. It is now: "
        f"version 2.1.0, interface {now.interface}, surface {now.surface} "
        "(use crm.find instead, how to migrate: see the wiki)."
    )
    assert [each.kind for each in told(events, ToolDrifted)] == ["refused"]


def test_a_version_that_is_deprecated(run_it: RunIt) -> None:
    """It is served with a warning until its sunset, and refused from then on."""
    sunset = AT + timedelta(days=10)
    changed = ticket_of(
        new_ticket, "2.1.0", adapter=renamed_title, accepts=("2.x",), deprecates=("1.x",), sunset=sunset
    )
    for at, is_error in ((AT, False), (sunset - timedelta(seconds=1), False), (sunset, True)):
        events: list[Event] = []
        options = RunOptions(manifest=PINNED, trace=events.append, clock=partial(always, at))
        first, _ = results_in(run_it("Go", tools=[changed, note], model=opening(), options=options).transcript)
        assert first.is_error is is_error
        if is_error:
            was, now = PINNED.pins[0].words, Pin.of(changed).words
            assert first.content.startswith(
                "create_ticket did not run: version 1.2.0 of it, to which this run is pinned, is refused since "
                f"2026-12-11. It was: {was}. It is now: {now}."
            )
        else:
            assert json.loads(first.content)["note"] == (
                "Version 1.2.0 of create_ticket, to which this run is pinned, is deprecated, and refused from "
                "2026-12-11 on."
            )
            (warned,) = told(events, ToolDeprecated)
            assert (warned.pinned, warned.version, warned.ends) == ("1.2.0", "2.1.0", "2026-12-11")


@pytest.mark.parametrize(
    ("sunset", "rejected", "warned", "words", "ends"),
    [
        ("2026-12-11", "2026-12-20", True, "Version 1.2.0 of create_ticket, to which", "2026-12-11"),
        ("2026-12-11", "2026-12-05", True, "create_ticket is deprecated", "2026-12-05"),
        ("2026-12-11", "2026-12-05", False, "Version 1.2.0 of create_ticket, to which", "2026-12-05"),
        (None, "2026-12-05", False, "Version 1.2.0 of create_ticket, to which", "2026-12-05"),
        (None, "2026-12-05", True, "create_ticket is deprecated", "2026-12-05"),
        ("2026-12-11", None, False, "Version 1.2.0 of create_ticket, to which", "2026-12-11"),
    ],
)
def test_the_earlier_of_two_ends_is_told(
    run_it: RunIt, sunset: str | None, rejected: str | None, warned: bool, words: str, ends: str
) -> None:
    """A tool that ends, and a version of it that does: the sentence and the event have what comes first."""
    events: list[Event] = []
    life = Lifecycle(warned=AT if warned else None, rejected=rejected, guide="see the wiki")
    changed = ticket_of(new_ticket, "2.1.0", adapter=renamed_title, deprecates=("1.x",), sunset=sunset, lifecycle=life)
    outcome = run_it("Go", tools=[changed, note], model=opening(), options=pinned(events))
    said = json.loads(results_in(outcome.transcript)[0].content)["note"]
    assert said.startswith(words)
    assert f"refused from {ends} on" in said
    assert [each.ends for each in told(events, ToolDeprecated)] == [ends]


def test_a_tool_is_known_by_its_identifier(run_it: RunIt) -> None:
    """A tool of another name, whose adapter covers the pin, is called by the name that the task knows."""
    before = tool(old_ticket, name="open_ticket", policy=Policy(id="desk.open", version="1.0.0"))
    after = tool(new_ticket, name="create", policy=Policy(id="desk.open", version="2.0.0"))
    after.upgrade_from("1.x")(renamed_title)
    model = opening(name="open_ticket")
    outcome = run_it("Go", tools=[after, note], model=model, options=pinned(manifest=Manifest.of([before, note], AT)))
    assert [each.name for each in model.requests[0].tools] == ["open_ticket", "note"]
    assert results_in(outcome.transcript)[0].is_error is False


def renamed_tool(name: str = "create", id_: str = "desk.open") -> Tool[..., Any]:
    return tool(old_ticket, name=name, policy=Policy(id=id_, version="1.1.0"))


BEFORE = Manifest.of([renamed_tool("open_ticket"), note], AT)


@pytest.mark.parametrize("name", ["open_ticket", "create"])
def test_a_tool_that_was_renamed(run_it: RunIt, name: str) -> None:
    """By the name that the task knows, and by its new one, it is refused as changed, and told so once."""
    events: list[Event] = []
    model = opening(name=name)
    outcome = run_it("Go", tools=[renamed_tool(), note], model=model, options=pinned(events, BEFORE))
    refused, _ = results_in(outcome.transcript)
    assert (refused.code, refused.name, DONE) == (ErrorCode.CONFLICT, name, ["a"])
    was, now = BEFORE.pins[0], Pin.of(renamed_tool())
    assert refused.content.startswith(
        f"{name} did not run: it has changed since this run was pinned to it. It was: {was.words}. "
        f"It is now: {now.words}."
    )
    assert [each.name for each in model.requests[0].tools] == ["note"]
    drifted = [(each.kind, each.tool, each.now) for each in told(events, ToolDrifted)]
    assert drifted == [("changed", "create", now.words)]
    (by_hand,) = Toolset(renamed_tool(), note).invoke_all(
        [ToolCall("t", name, '{"title": "a"}')], options=pinned(manifest=BEFORE)
    )
    assert (by_hand.code, by_hand.content) == (ErrorCode.CONFLICT, refused.content)


def test_a_tool_that_was_renamed_and_has_ended(run_it: RunIt) -> None:
    """By the name that the task knows, its end is told."""
    life = Lifecycle(rejected="2026-11-01", guide="see the wiki")
    after = tool(old_ticket, name="create", policy=Policy(id="desk.open", version="1.1.0", lifecycle=life))
    model = opening(name="open_ticket")
    outcome = run_it("Go", tools=[after, note], model=model, options=pinned(manifest=BEFORE))
    refused, _ = results_in(outcome.transcript)
    assert refused.code is ErrorCode.NOT_FOUND
    assert refused.content.startswith("open_ticket is refused since 2026-11-01, and did not run (how to migrate: see")


def test_a_tool_that_has_the_name_of_one_that_was_renamed(run_it: RunIt) -> None:
    """Who has the name now is meant by it; a pinned task does not know that tool, and is told so."""
    other = renamed_tool("open_ticket", "desk.other")
    for tools in ([renamed_tool(), other], [other, renamed_tool()]):
        outcome = run_it("Go", tools=[*tools, note], model=opening(name="open_ticket"), options=pinned(manifest=BEFORE))
        assert "its manifest does not hold open_ticket" in results_in(outcome.transcript)[0].content
        both = Manifest.of([renamed_tool("create_once"), other], AT)
        (made,) = Toolset(*tools).invoke_all(
            [ToolCall("t", "open_ticket", '{"title": "a"}')], options=pinned(manifest=both)
        )
        assert made.is_error is False


def test_a_name_that_two_tools_have_by_now(run_it: RunIt) -> None:
    """A renamed tool that an adapter serves is called by the pinned name, whoever else has that now."""
    after = tool(new_ticket, name="create", policy=Policy(id="desk.open", version="2.0.0", accepts=("*",)))
    after.upgrade_from("1.x")(renamed_title)
    other = renamed_tool("open_ticket", "desk.other")
    for tools in ([after, other, note], [other, after, note]):
        DONE.clear()
        run_it("Go", tools=tools, model=opening(name="open_ticket"), options=pinned(manifest=BEFORE))
        call = ToolCall("t", "open_ticket", '{"title": "a"}')
        Toolset(*tools).invoke_all([call], options=pinned(manifest=BEFORE))
        assert DONE == [("Broken", "P3", 1), "a", ("a", "P3", 1)]


def test_what_the_context_fills_in_is_in_no_trace_of_a_failing_adapter(run_it: RunIt) -> None:
    """An adapter that raises with a text of the context tells it as little as a function does."""

    def ticket_for(subject: str, tenant: Injected[str]) -> Ticket:
        """Open a ticket, soon."""
        return Ticket(id="T-1", priority="P1")

    def naming(old: Mapping[str, Any]) -> dict[str, Any]:
        raise ValueError("of the tenant Example & Sons")

    events: list[Event] = []
    changed = ticket_of(ticket_for, "2.0.0", adapter=naming)
    context = {"tenant": "Example & Sons"}
    run_it("Go", tools=[changed, note], model=opening(), context=context, options=pinned(events))
    (detail,) = [each.detail for each in told(events, ToolCompleted) if each.tool == "create_ticket"]
    assert "of the tenant ***" in detail
    assert "Sons" not in repr(events).replace('"of the tenant Example & Sons"', "")


def test_all_that_is_said_of_a_pin_is_chinese_too(run_it: RunIt) -> None:
    """Refusals of what changed, of what is not pinned, not accepted and gone have Chinese."""
    tools = [
        ([ticket_of(new_ticket, "1.3.0"), note], "自本次运行固定于它以来，它已改变"),
        ([ticket_of(new_ticket, "2.1.0"), note], "只接受 2.x"),
        ([note], "已不存在，而本次运行固定于它"),
        ([ticket_of(new_ticket, "2.0.0", adapter=raising), note], "无法转换为版本"),
        ([ticket_of(nested_ticket, "2.0.0", adapter=renamed_title), note], "没有适配器能将其转换回去"),
    ]
    for given, words in tools:
        outcome = run_it("Go", tools=given, model=opening(), options=pinned(language="zh"))
        assert words in results_in(outcome.transcript)[0].content
    outcome = run_it("Go", tools=[OLD, note], model=opening(),
                     options=pinned(manifest=Manifest.of([note], AT), language="zh"))  # fmt: skip
    assert "其清单中没有" in results_in(outcome.transcript)[0].content


def test_by_hand() -> None:
    """A call by hand under a manifest is read by its pin, alone and beside others."""
    changed = ticket_of(new_ticket, "2.0.0", adapter=renamed_title)
    alone = changed.invoke({"title": "Broken"}, options=pinned())
    (beside,) = Toolset(changed).invoke_all([ToolCall("t", "create_ticket", '{"title": "b"}')], options=pinned())
    assert (alone.is_error, beside.is_error, DONE) == (False, False, [("Broken", "P3", 1), ("b", "P3", 1)])
    assert ticket_of(new_ticket, "1.3.0").invoke({"subject": "a"}, options=pinned()).code is ErrorCode.CONFLICT


def test_a_pinned_schema_that_cannot_be_used() -> None:
    """A lock file with a broken schema is told before the first request."""
    pin = PINNED.pins[0]
    broken = Pin(
        pin.id, pin.name, pin.version, pin.interface, "sha256:other", "", {"type": "objekt"}, pin.output_schema
    )
    changed = ticket_of(new_ticket, "2.0.0", adapter=renamed_title)
    with pytest.raises(DefinitionError, match="the pinned input schema of create_ticket"):
        changed.invoke({"title": "a"}, options=pinned(manifest=Manifest((broken,), {}, AT)))


@pytest.mark.parametrize("given", ["tools.lock.json", {"pins": []}, 5])
def test_what_is_no_manifest(given: Any) -> None:
    """The option takes what `Manifest.load` gives."""
    with pytest.raises(ValueError, match=r"RunOptions\.manifest is such as Manifest\.load\('tools\.lock\.json'\)"):
        RunOptions(manifest=given)
