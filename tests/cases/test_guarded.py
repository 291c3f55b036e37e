"""A pinned run loses none of the guards that its tools had: leave, scopes, masks, and care about doing things twice."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from magic_tools import ErrorCode, Manifest, Policy, RunOptions, ScriptedModel, Tool, ToolCall, Toolset, resume, tool
from magic_tools.contracts.guards import Guards
from tests.ways import RunIt, results_in

AT = datetime(2026, 12, 1, tzinfo=UTC)
DONE: list[str] = []


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.clear()


def found(name: str) -> dict[str, str]:
    """Find somebody."""
    DONE.append(name)
    return {"name": name, "phone": "555-0100", "mail": "a@example.com"}


def found_by(who: str) -> dict[str, str]:
    """Find somebody."""
    return found(who)


def find(fn: Any = found, version: str = "1.0.0", **policy: Any) -> Tool[..., Any]:
    made = tool(fn, name="find", policy=Policy(version=version, **policy))
    if version != "1.0.0":
        made.upgrade_from("1.x")(lambda old: {"who": old["name"]})
    return made


def now(**policy: Any) -> tuple[Tool[..., Any], ...]:
    """The tool of today, as it was but for its guards, and by way of an adapter."""
    return find(**policy), find(found_by, "2.0.0", **policy)


@tool
def note(text: str) -> str:
    """Write something down."""
    return text


FIND = ToolCall("f", "find", '{"name": "Ann"}')


def pinned(**policy: Any) -> RunOptions:
    return RunOptions(manifest=Manifest.of([find(**policy), note], AT))


@pytest.mark.parametrize(("before", "after"), [(True, False), (False, True), (True, True)])
def test_leave_is_asked_for_if_either_asks(run_it: RunIt, before: bool, after: bool) -> None:
    """A call waits, in this run, after it goes on, and for each later call; by hand it needs leave too."""
    options = pinned(approval=before)
    for made in now(approval=after):
        outcome = run_it("Go", tools=[made, note], model=ScriptedModel([FIND]), options=options)
        assert (outcome.stop, DONE) == ("needs_approval", [])
        again = ToolCall("g", "find", '{"name": "Bob"}')
        state = json.loads(json.dumps(outcome.state))
        model = ScriptedModel([again])
        later = resume(state, {"f": True}, tools=[made, note], model=model, options=options)
        assert (later.stop, [each.call_id for each in later.waiting], DONE) == ("needs_approval", ["g"], ["Ann"])
        assert made.invoke({"name": "Ann"}, options=options).code is ErrorCode.REQUIRES_APPROVAL
        (by_hand,) = Toolset(made).invoke_all([FIND], options=options)
        assert by_hand.code is ErrorCode.REQUIRES_APPROVAL
        DONE.clear()


def test_a_saved_state_keeps_the_guards(run_it: RunIt) -> None:
    """Without any manifest, what asked for leave when the run began still does when it goes on."""
    model = ScriptedModel([FIND])
    outcome = run_it("Go", tools=[find(approval=True), note], model=model)
    again = ScriptedModel([ToolCall("g", "find", '{"name": "Bob"}')])
    later = resume(json.loads(json.dumps(outcome.state)), {"f": True}, tools=[find(), note], model=again)
    assert (later.stop, DONE) == ("needs_approval", ["Ann"])


def test_masks_are_those_of_both(run_it: RunIt) -> None:
    """What either hides is hidden."""
    for made in now(masks=("mail",)):
        outcome = run_it(
            "Go", tools=[made, note], model=ScriptedModel([FIND, "done"]), options=pinned(masks=("phone",))
        )
        content = json.loads(results_in(outcome.transcript)[0].content)
        assert content["name"] == "Ann"
        assert "555-0100" not in str(content)
        assert "a@example.com" not in str(content)


@pytest.mark.parametrize("scopes", [(), ("a",), ("b",), ("a", "b")])
def test_scopes_are_those_of_both(run_it: RunIt, scopes: tuple[str, ...]) -> None:
    """Without all of them the tool is not offered, and refused by hand."""
    for made in now(scopes=("b",)):
        model = ScriptedModel(["done"])
        options, context = pinned(scopes=("a",)), {"scopes": scopes}
        run_it("Go", tools=[made, note], model=model, context=context, options=options)
        is_allowed = len(scopes) == 2
        assert ("find" in [each.name for each in model.requests[0].tools]) is is_allowed
        assert made.invoke({"name": "Ann"}, context=context, options=options).is_error is not is_allowed


def test_what_may_be_done_twice_is_what_both_say(run_it: RunIt) -> None:
    """A tool that says only now that it may is not tried again, nor told to a model as such."""
    for before, after, tries in ((False, True, 1), (True, False, 1), (True, True, 3)):

        def failing(name: str) -> dict[str, str]:
            """Find somebody."""
            DONE.append(name)
            raise ConnectionError

        DONE.clear()
        made = tool(failing, name="find", retries=2, policy=Policy(version="1.0.0", idempotent=after))
        model = ScriptedModel([FIND, "done"])
        run_it("Go", tools=[made, note], model=model, options=pinned(idempotent=before))
        assert len(DONE) == tries
        assert model.requests[0].tools[0].idempotent is (before and after)


READS, ONCE, NEITHER = Guards(read_only=True), Guards(idempotent=True), Guards()


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (READS, READS, READS),
        (READS, ONCE, ONCE),
        (READS, NEITHER, NEITHER),
        (ONCE, NEITHER, NEITHER),
        (Guards(risk="read"), Guards(risk="destructive"), Guards(risk="destructive")),
        (Guards(risk="read"), NEITHER, Guards(risk="read")),
        (Guards(masks=("b", "a")), Guards(masks=("a", "c")), Guards(masks=("a", "b", "c"))),
    ],
)
def test_two_guards_as_one(one: Guards, other: Guards, both: Guards) -> None:
    """Whichever comes first, the stricter counts."""
    assert one.with_those_of(other) == other.with_those_of(one) == both
    assert both.is_safe is (one.is_safe and other.is_safe)
