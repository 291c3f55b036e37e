"""Every decision of the loop, as one pure function on frozen state; nothing here waits or calls anything."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias, assert_never

from magic_tools.loop import guards, words
from magic_tools.loop.judging import judged, resumed
from magic_tools.loop.spoken import says_the_same, sendable
from magic_tools.loop.state import CallFacts, LoopState, Pending
from magic_tools.loop.steps import (
    Action,
    AskPerson,
    CallModel,
    ChoosePhase,
    Event,
    Finish,
    Moved,
    Previewed,
    Replied,
    RunTools,
    Started,
    TimedOut,
    ToolsRan,
)
from magic_tools.loose.phrases import Phrase, phrased
from magic_tools.messages import Issue, Message, ToolCall, ToolResult
from magic_tools.outcome import RequestUsage, StopReason

__all__ = ["closed", "progressed", "step"]

_Step: TypeAlias = tuple[LoopState, Action]


def step(state: LoopState, event: Event) -> _Step:
    """What a run does next, and where it then stands.

    A transcript that is whole at the start is so at every request and, as `closed` gives it, at every end: each
    call in it has exactly one result, before any other message, and an id that no other call has.
    """
    match event:
        case Started():
            return _on_start(state, event)
        case Replied():
            return _on_reply(state, event)
        case TimedOut():
            state = state._replace(seconds=state.seconds + event.seconds)
            return _ended(state, state.closing) if state.closing else _last_request(state, "deadline")
        case ToolsRan():
            return _on_results(state, event)
        case Previewed():
            return _on_previews(state, event)
        case Moved():
            return _collected(state._replace(seconds=state.seconds + event.seconds), event.phase)
        case _:
            assert_never(event)


def closed(state: LoopState) -> tuple[Message, ...]:
    """The transcript, in which the calls that still wait are answered as what they are: not run, or not seen to end."""
    if not state.pending:
        return state.transcript
    return (*state.transcript, Message("tool", tuple(_known_of(each, state) for each in state.pending)))


def progressed(state: LoopState, begun: Collection[str], results: Mapping[str, ToolResult]) -> LoopState:
    """The state while calls are made: of those some were begun, and some have come to a result."""
    if not begun:
        return state
    now = tuple(
        each._replace(status="started", result=results.get(each.call.id)) if each.call.id in begun else each
        for each in state.pending
    )
    return state._replace(pending=now)


def _on_start(state: LoopState, event: Started) -> _Step:
    if not state.pending:
        return _request(state) if state.closing else _ask(state)
    if told := event.withdrawn:
        pending = tuple(each._replace(result=told.get(each.call.id, each.result)) for each in state.pending)
        return _ended(state._replace(pending=pending), "contract_withdrawn")
    return _advance(state._replace(pending=tuple(resumed(each, event, state) for each in state.pending)))


def _on_reply(state: LoopState, event: Replied) -> _Step:
    reply = event.reply
    spoken = sendable(reply.parts, state.ids)
    calls = tuple([part for part in spoken if isinstance(part, ToolCall)])
    is_same = not calls and says_the_same(state, spoken)
    state = state._replace(
        steps=state.steps + (state.closing is None),
        seconds=state.seconds + event.seconds,
        usage=state.usage + reply.usage,
        requests=(*state.requests, RequestUsage(reply.model, reply.usage)),
        model=reply.model or state.model,
        transcript=(*state.transcript, Message("assistant", spoken)) if spoken else state.transcript,
        ids=state.ids.union(call.id for call in calls) if calls else state.ids,
        finish=reply.finish,
        tool_choice="auto",
    )
    if reply.finish in ("refusal", "content_filter"):
        return _ended(_all_closed(state, calls, words.DECLINED), "refusal")
    if calls and reply.finish == "length":
        return _ended(_all_closed(state, calls, words.CUT), "truncated")
    if calls:
        return _on_calls(state, calls, event)
    if reply.finish == "pause":  # it is to be asked to go on where it is
        return _ended(state, state.closing) if state.closing else _ask(state)
    return _on_text(state, event, is_same)


def _on_calls(state: LoopState, calls: tuple[ToolCall, ...], event: Replied) -> _Step:
    facts = event.calls
    given = next((place for place, each in enumerate(facts) if each.answer == "valid"), None)
    if given is not None:
        state = state._replace(repairs=state.repairs + facts[given].repairs)
        state = _all_closed(state, calls, words.GIVEN, facts=facts, given=given)
        return _ended(state, state.closing or "output_tool", ok=True, call=given)
    if state.closing:
        wrong = tuple(issue for each in facts for issue in each.issues)
        return _ended(_all_closed(state, calls, words.OVER, facts=facts), state.closing, issues=wrong)
    pending = judged(state, calls, facts, event.known or (None,) * len(calls))
    may_run = any(each.status in ("to_run", "held") and each.facts.digest for each in pending)
    if state.hinted and not may_run and any(each.status == "repeat" for each in pending):
        return _last_request(_all_repeated(state, pending), "repeat")
    return _advance(state._replace(stalls=0, pending=pending))


def _all_repeated(state: LoopState, pending: tuple[Pending, ...]) -> LoopState:
    """The state in which no call of a reply is made, as each is a repeat or could not be made anyway."""
    results = tuple(
        _told(each, state)
        if each.result or each.status == "repeat"
        else words.not_run(each.call, words.OVER, state.language)
        for each in pending
    )
    return state._replace(transcript=(*state.transcript, Message("tool", results)))


def _advance(state: LoopState) -> _Step:
    """What comes next for the calls of a reply: those that may run, then a person's word, then the model's."""
    waiting = [each for each in state.pending if each.result is None]
    if to_run := tuple([each.call for each in waiting if each.status == "to_run"]):
        return state, RunTools(to_run, 1 + state.made, guards.seconds_left(state))
    if held := [each for each in waiting if each.status == "held"]:
        return state, AskPerson(tuple([each.call for each in held if not each.shown]), guards.seconds_left(state))
    if state.phase:
        return state, ChoosePhase(tuple([_told(each, state) for each in state.pending]))
    return _collected(state, state.phase)


def _on_results(state: LoopState, event: ToolsRan) -> _Step:
    """The results in their places; they are those of the calls that were to run, in order."""
    results = iter(event.results)
    pending = tuple(
        each._replace(result=next(results)) if each.status == "to_run" and each.result is None else each
        for each in state.pending
    )
    return _advance(
        state._replace(
            pending=pending,
            made=state.made + len(event.results),
            seconds=state.seconds + event.seconds,
        )
    )


def _on_previews(state: LoopState, event: Previewed) -> _Step:
    previews = event.previews
    pending = tuple(
        each._replace(shown=True, preview=previews[each.call.id]) if each.call.id in previews else each
        for each in state.pending
    )
    kinds = {each.facts.held for each in pending if each.status == "held"}
    stop: StopReason = "needs_approval" if "approval" in kinds else "needs_input"
    return state._replace(pending=pending, seconds=state.seconds + event.seconds), Finish(stop, ok=False)


def _collected(state: LoopState, phase: str) -> _Step:
    """All calls of the reply have come to their results: they are told, and counted."""
    pending = tuple(
        [each if each.result is not None else each._replace(result=_told(each, state)) for each in state.pending]
    )
    results = tuple([each.result for each in pending if each.result is not None])
    recent, something = guards.after_calls(state, pending)
    wrong = [each.facts for each in pending if each.facts.answer == "invalid"]
    is_repeating = state.hinted or any(each.status == "repeat" for each in pending)
    state = state._replace(
        transcript=(*state.transcript, Message("tool", results)),
        pending=(),
        repairs=state.repairs + tuple([repair for result in results for repair in result.repairs]),
        failures=guards.failures_after(state.failures, pending),
        recent=recent,
        hinted=is_repeating and not something,
        reusable=guards.reusable_after(state.reusable, pending),
        unsure=guards.unsure_after(state.unsure, pending),
        refusals=state.refusals + bool(wrong),
        phase=phase,
    )
    if wrong and state.refusals > state.limits.retries:
        return _ended(state, "invalid_output", issues=tuple(issue for facts in wrong for issue in facts.issues))
    if any(failed > state.limits.retries for failed in state.failures.values()):
        return _last_request(state, "tool_failures")
    return _ask(state)


def _told(pending: Pending, state: LoopState) -> ToolResult:
    """The result of a call; that of a repeat is told with what the earlier call came to."""
    if pending.result is not None:
        return pending.result
    beside = (each.result for each in state.pending if each.call.id == pending.of)
    earlier = next(beside, None) or _result_of(state.transcript, pending.of)
    return words.repeated(pending.call, pending.times, earlier, state.language)


def _result_of(transcript: tuple[Message, ...], call_id: str) -> ToolResult | None:
    for message in reversed(transcript):
        for part in message.parts:
            if isinstance(part, ToolResult) and part.call_id == call_id:
                return part
    return None


def _known_of(pending: Pending, state: LoopState) -> ToolResult:
    if pending.result is None and pending.status == "started":
        return words.under_way(pending.call, state.language)
    if pending.result is None and pending.status in ("to_run", "held"):
        why = words.WAITS if pending.status == "held" else words.BEFORE_IT_RAN
        return words.not_run(pending.call, why, state.language)
    return _told(pending, state)


def _on_text(state: LoopState, event: Replied, is_same: bool) -> _Step:
    match event.answer:
        case "valid":
            state = state._replace(repairs=state.repairs + event.repairs)
            return _ended(state, state.closing or "final", ok=True)
        case "truncated":
            return _ended(state, "truncated", issues=event.issues)
        case "silent":
            return _stalled(state, words.nudge(state.answer_tools), ())
        case "invalid" | "uncalled":
            state = state._replace(refusals=state.refusals + 1)
            if not state.closing and state.refusals > state.limits.retries:
                return _ended(state, "invalid_output", issues=event.issues)
            if is_same:
                return _stalled(state, words.same_again(event.issues), event.issues)
            tell = words.uncalled(state.answer_tools) if event.answer == "uncalled" else None
            said = tell or words.refused_answer(event.issues)
            return _again(state._replace(stalls=0), said, event.issues)
        case _:
            assert_never(event.answer)


def _stalled(state: LoopState, said: Phrase, issues: tuple[Issue, ...]) -> _Step:
    state = state._replace(stalls=state.stalls + 1)
    if not state.closing and state.stalls > state.limits.stalls:
        return _ended(state, "stall", issues=issues)
    return _again(state, said, issues)


def _again(state: LoopState, said: Phrase, issues: tuple[Issue, ...]) -> _Step:
    """Tell the model what was wrong with its reply, unless that was its last one."""
    if state.closing:
        return _ended(state, state.closing, issues=issues)
    return _ask(_saying(state, said))


def _ask(state: LoopState) -> _Step:
    stop = guards.limit_reached(state)
    return _request(state) if stop is None else _last_request(state, stop)


def _last_request(state: LoopState, stop: StopReason) -> _Step:
    if not guards.has_time_left(state):
        return _ended(state, stop)
    return _request(_saying(state, words.last_word(state.answer_tools))._replace(closing=stop))


def _request(state: LoopState) -> _Step:
    choice = "none" if state.closing else state.tool_choice
    return state, CallModel(choice, state.closing is not None, guards.seconds_left(state))


def _ended(
    state: LoopState, stop: StopReason, *, ok: bool = False, issues: tuple[Issue, ...] = (), call: int | None = None
) -> _Step:
    return state._replace(ended=stop), Finish(stop, ok, issues, call)


def _saying(state: LoopState, said: Phrase) -> LoopState:
    return state._replace(transcript=(*state.transcript, Message.user(phrased(said, state.language))))


def _all_closed(
    state: LoopState,
    calls: tuple[ToolCall, ...],
    why: Phrase,
    *,
    facts: tuple[CallFacts, ...] = (),
    given: int | None = None,
) -> LoopState:
    """The state in which none of these calls is made: each is answered as not run, or as what it is as an answer."""
    if not calls:
        return state

    def result(place: int, call: ToolCall) -> ToolResult:
        known = facts[place] if facts else CallFacts()
        if place == given or known.answer == "invalid":
            return words.answered_call(call, () if place == given else known.issues, state.language)
        return words.not_run(call, why, state.language)

    results = tuple(result(place, call) for place, call in enumerate(calls))
    return state._replace(transcript=(*state.transcript, Message("tool", results)))
