"""What a run sees of a tool whose end was announced: by its contract and the clock, in every way to run."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from magic_tools import (
    ErrorCode,
    Event,
    Lifecycle,
    Manifest,
    Phases,
    Policy,
    RunOptions,
    ScriptedModel,
    Tool,
    ToolCall,
    ToolDeprecated,
    ToolFailure,
    Toolset,
    tool,
)
from magic_tools.loose.chinese import CHINESE
from magic_tools.tools import admitting
from tests.ways import RunIt, results_in

DAY = timedelta(days=1)
START = datetime(2026, 12, 1, tzinfo=UTC)
ANNOUNCED, HIDDEN, WARNED, REJECTED, RETIRED = (START + 10 * n * DAY for n in range(1, 6))
LIFE = Lifecycle(
    ANNOUNCED,
    HIDDEN,
    WARNED,
    REJECTED,
    RETIRED,
    replacement="crm.find@3.0.0",
    guide="https://example.com/move",
    contact="#crm-help",
    reason="The old index is gone.",
)
HELP = "use crm.find@3.0.0 instead, how to migrate: https://example.com/move, ask #crm-help, why: The old index is gone"
WORDS = ("crm.find@3.0.0", "https://example.com/move", "#crm-help", "The old index is gone")


def look_of(life: Lifecycle = LIFE, result: Any = None, **options: Any) -> Tool[..., Any]:
    def look(text: str) -> Any:
        """Look something up."""
        if isinstance(result, Exception):
            raise result
        return {"found": text} if result is None else result

    return tool(look, policy=Policy(lifecycle=life, read_only=True), **options)


@tool
def note(text: str) -> str:
    """Write something down."""
    return text


def at(moment: datetime, **more: Any) -> RunOptions:
    return RunOptions(clock=lambda: moment, **more)


def looking(*extra: Any) -> ScriptedModel:
    return ScriptedModel([ToolCall("l", "look", '{"text": "a"}'), *extra, "done"])


def offered(model: ScriptedModel) -> list[str]:
    return [told.name for told in model.requests[0].tools]


PINNED = Manifest.of([look_of(Lifecycle()), note], START)
"""What a task was pinned to before anything was said of the tool's end."""


@pytest.mark.parametrize("moment", [START, ANNOUNCED, HIDDEN - DAY / 1000])
@pytest.mark.parametrize("manifest", [None, PINNED])
def test_before_it_is_hidden_a_tool_is_served_as_ever(run_it: RunIt, moment: datetime, manifest: Any) -> None:
    """Active or announced, it is offered, and its results are as they always were."""
    model = looking()
    outcome = run_it("Go", tools=[look_of(), note], model=model, options=at(moment, manifest=manifest))
    assert offered(model) == ["look", "note"]
    (result,) = results_in(outcome.transcript)
    assert (result.content, result.is_error) == ('{"found":"a"}', False)


@pytest.mark.parametrize("moment", [HIDDEN, WARNED])
def test_a_hidden_tool_is_not_served_to_a_run_that_does_not_know_it(run_it: RunIt, moment: datetime) -> None:
    """It is not offered, and a call is refused like one of an unknown tool, but says why and what to use."""
    model = looking()
    outcome = run_it("Go", tools=[look_of(), note], model=model, options=at(moment))
    assert offered(model) == ["note"]
    (result,) = results_in(outcome.transcript)
    assert (result.code, result.effect, result.retryable) == (ErrorCode.NOT_FOUND, "none", False)
    assert result.content == (
        f"look is hidden since 2026-12-21, and not served to this run; nothing was run ({HELP}). "
        "Go on without it, and say what could not be done."
    )


def test_a_task_pinned_before_hiding_keeps_its_tool(run_it: RunIt) -> None:
    """It is offered the tool, whose results say nothing yet."""
    model = looking()
    outcome = run_it("Go", tools=[look_of(), note], model=model, options=at(HIDDEN, manifest=PINNED))
    assert offered(model) == ["look", "note"]
    assert results_in(outcome.transcript)[0].content == '{"found":"a"}'


def test_a_tool_that_was_never_to_be_hidden_is_warned_of(run_it: RunIt) -> None:
    """Where only the warning has begun, every run is offered the tool, and its results carry the warning."""
    life = Lifecycle(warned=HIDDEN, rejected=HIDDEN + 30 * DAY, replacement="crm.find@3.0.0")
    for options in (at(WARNED), at(WARNED, manifest=Manifest.of([look_of(life), note], WARNED))):
        model = looking()
        outcome = run_it("Go", tools=[look_of(life), note], model=model, options=options)
        assert offered(model) == ["look", "note"]
        assert "look is deprecated, and refused from" in results_in(outcome.transcript)[0].content


def test_a_task_pinned_after_hiding_does_not(run_it: RunIt) -> None:
    """A manifest made on the very instant, or later, brings nothing back."""
    life = LIFE
    for created, is_offered in ((HIDDEN - DAY, True), (HIDDEN, False), (HIDDEN + DAY, False)):
        model = looking()
        manifest = Manifest.of([look_of(life), note], created)
        run_it("Go", tools=[look_of(life), note], model=model, options=at(WARNED, manifest=manifest))
        assert ("look" in offered(model)) is is_offered


WARNING = f"look is deprecated, and refused from 2027-01-10 on ({HELP})."


@pytest.mark.parametrize(
    ("result", "content"),
    [
        (None, f'{{"deprecated":true,"note":{json.dumps(WARNING)},"result":{{"found":"a"}}}}'),
        ("It is there.", f"It is there.\n{WARNING}"),
        (
            ToolFailure("There is none.", ErrorCode.NOT_FOUND),
            f"There is none. Check the name or the id: the same call would fail again.\n{WARNING}",
        ),
    ],
)
def test_each_result_of_a_tool_near_its_end_carries_one_warning(run_it: RunIt, result: Any, content: str) -> None:
    """Data, text and errors have one sentence each; what the program gets of the value is as ever."""
    events: list[Event] = []
    model = looking(ToolCall("m", "look", '{"text": "b"}'))
    options = at(WARNED, manifest=PINNED, trace=events.append)
    outcome = run_it("Go", tools=[look_of(result=result), note], model=model, options=options)
    first, second = results_in(outcome.transcript)
    assert first.content == content
    assert second.content.count("is deprecated") == 1
    told = [event for event in events if isinstance(event, ToolDeprecated)]
    assert [(each.tool, each.call_id, each.ends, each.replacement, each.guide, each.contact) for each in told] == [
        ("look", "l", "2027-01-10", "crm.find@3.0.0", "https://example.com/move", "#crm-help")
    ]


def test_the_warning_of_what_stands_in_for_a_result(run_it: RunIt) -> None:
    """A fall-back says both in its one note; a result that was cut has the warning whole."""
    stands_in = look_of(result=ValueError(), fallback=0)
    outcome = run_it("Go", tools=[stands_in, note], model=looking(), options=at(WARNED, manifest=PINNED))
    data = json.loads(results_in(outcome.transcript)[0].content)
    assert data["result"] == 0
    assert data["note"].endswith(f"do not present it as its own.\n{WARNING}")


def test_a_long_result_is_cut_and_not_the_warning() -> None:
    """What stands around a result does not count against its size."""
    long = tool(lambda: {"text": "x" * 500}, name="long", description="", policy=Policy(lifecycle=LIFE, max_chars=100))
    manifest = Manifest.of([long], START)
    data = json.loads(long.invoke(options=at(WARNED, manifest=manifest)).content)
    assert data["result"]["cut"] is True
    assert data["note"].startswith("long is deprecated")


@pytest.mark.parametrize("manifest", [None, PINNED])
@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (REJECTED, "look is refused since 2027-01-10, and did not run"),
        (RETIRED, "look is retired since 2027-01-20, and did not run"),
    ],
)
def test_a_rejected_tool_is_refused_to_all(run_it: RunIt, manifest: Any, moment: datetime, words: str) -> None:
    """Pinned or not: it is not offered, and the refusal names replacement, guide, person and reason."""
    model = looking()
    outcome = run_it("Go", tools=[look_of(), note], model=model, options=at(moment, manifest=manifest))
    assert offered(model) == ["note"]
    (result,) = results_in(outcome.transcript)
    assert (result.code, result.effect) == (ErrorCode.NOT_FOUND, "none")
    assert result.content.startswith(f"{words} ({HELP}).")


@pytest.mark.parametrize("moment", [HIDDEN, WARNED, REJECTED, RETIRED])
@pytest.mark.parametrize("manifest", [None, PINNED])
def test_in_chinese(run_it: RunIt, moment: datetime, manifest: Any) -> None:
    """All that is said of a tool's end is Chinese but for the author's own words."""
    options = at(moment, language="zh", manifest=manifest)
    outcome = run_it("Go", tools=[look_of(), note], model=looking(), options=options)
    (result,) = results_in(outcome.transcript)
    own = result.content
    if manifest is not None and moment == HIDDEN:
        assert own == '{"found":"a"}'
        return
    for each in (*WORDS, '{"deprecated":true,"note":', '"result":', '{"found":"a"}', "look"):
        own = own.replace(each, "")
    assert not any(character.isascii() and character.isalpha() for character in own), own


def test_every_template_has_chinese() -> None:
    """What is said by way of a table has it too."""
    templates = [held for name, held in vars(admitting).items() if name.isupper() and isinstance(held, str)]
    assert len(templates) >= 8
    assert [each for each in templates if each not in CHINESE] == []


def test_the_clock_is_read_once(run_it: RunIt) -> None:
    """A tool that is rejected while a run is under way is served to its end."""
    moments = iter([REJECTED - DAY, *[REJECTED] * 100])
    life = Lifecycle(rejected=REJECTED, replacement="crm.find")
    options = RunOptions(clock=lambda: next(moments))
    outcome = run_it(
        "Go", tools=[look_of(life)], model=looking(ToolCall("m", "look", '{"text": "b"}')), options=options
    )
    assert [result.is_error for result in results_in(outcome.transcript)] == [False, False]


def test_without_a_clock_it_is_now(run_it: RunIt) -> None:
    """The present in UTC counts."""
    now = datetime.now(UTC)
    for moment, is_offered in ((now - DAY, False), (now + DAY, True)):
        model = looking()
        run_it("Go", tools=[look_of(Lifecycle(rejected=moment, reason="Over.")), note], model=model)
        assert ("look" in offered(model)) is is_offered


@pytest.mark.parametrize("told", [datetime(2026, 12, 1), None, "2026-12-01"])
def test_a_clock_that_does_not_tell_the_time(told: Any) -> None:
    """A time without a zone, or none, is said at once."""
    with pytest.raises(ValueError, match=r"RunOptions\.clock gives a datetime with a zone"):
        look_of().invoke({"text": "a"}, options=RunOptions(clock=lambda: told))


def test_a_clock_of_another_zone() -> None:
    """It is the instant that counts."""
    from zoneinfo import ZoneInfo

    moment = REJECTED.astimezone(ZoneInfo("Asia/Shanghai"))
    assert look_of().invoke({"text": "a"}, options=at(moment)).code is ErrorCode.NOT_FOUND
    before = moment - DAY / 1000
    assert look_of(Lifecycle(rejected=REJECTED, reason="x")).invoke({"text": "a"}, options=at(before)).code is None


def test_by_hand_and_side_by_side() -> None:
    """A call by hand is served by the same clock and manifest, alone and beside others."""
    tools = Toolset(look_of(), note)
    calls = [ToolCall("l", "look", '{"text": "a"}'), ToolCall("n", "note", '{"text": "a"}'), ToolCall("x", "no", "{}")]
    for options, code, content in (
        (at(START), None, '{"found":"a"}'),
        (at(HIDDEN), ErrorCode.NOT_FOUND, "look is hidden"),
        (at(HIDDEN, manifest=PINNED), None, '{"found":"a"}'),
        (at(WARNED, manifest=PINNED), None, '{"deprecated":true'),
        (at(REJECTED, manifest=PINNED), ErrorCode.NOT_FOUND, "look is refused"),
    ):
        alone = tools["look"].invoke({"text": "a"}, options=options)
        beside, other, unknown = tools.invoke_all(calls, options=options)
        assert (alone.code, beside.code, other.content) == (code, code, "a")
        assert alone.content.startswith(content)
        assert beside.content == alone.content
        assert ("there are: look, note" in unknown.content) is (code is None)


def test_in_phases(run_it: RunIt) -> None:
    """A phase offers what it may, and refuses the rest."""
    model = looking()
    phases = Phases({"one": [look_of(), note]}, move={"note": "one"})
    outcome = run_it("Go", tools=phases, model=model, options=at(REJECTED))
    assert offered(model) == ["note"]
    assert results_in(outcome.transcript)[0].code is ErrorCode.NOT_FOUND


@pytest.mark.parametrize("moment", [START, REJECTED])
def test_in_a_searchable_set(run_it: RunIt, moment: datetime) -> None:
    """The search finds what the run is served, and no more."""
    tools = Toolset(look_of(), note).searchable()
    model = ScriptedModel([ToolCall("s", "search_tools", '{"task": "look something up"}'),
                           ToolCall("l", "look", '{"text": "a"}'), "done"])  # fmt: skip
    outcome = run_it("Go", tools=tools, model=model, options=at(moment))
    found, looked = results_in(outcome.transcript)
    assert ("- look" in found.content) is (moment == START)
    assert looked.is_error is (moment == REJECTED)


def test_a_tool_that_is_not_offered_cannot_be_forced(run_it: RunIt) -> None:
    """A choice of it is refused before the first request, with why it is not offered."""
    with pytest.raises(
        ValueError, match=r"'look' cannot be forced: look is refused since .*use crm.find@3.0.0 instead"
    ):
        run_it("Go", tools=[look_of(), note], model=looking(), options=at(REJECTED, tool_choice="look"))


def test_the_description_says_it_whatever_the_time_is(run_it: RunIt) -> None:
    """The deprecation stands in what a model reads of the tool."""
    model = looking()
    run_it("Go", tools=[look_of()], model=model, options=at(START))
    assert "Deprecated as of 2026-12-11" in model.requests[0].tools[0].description


def test_a_set_of_which_nothing_is_declared_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its runs cost nothing more: no tool is looked at, by whatever clock."""
    asked: list[Callable[..., Any]] = []
    monkeypatch.setattr(admitting, "_standing", lambda *given: asked.append(given))
    from magic_tools.tools.scope import RunScope
    from magic_tools.tools.serving import served

    plain = Toolset(note, look_of(Lifecycle()))
    assert served(plain, RunScope(None, at(REJECTED))) is plain
    assert asked == []
