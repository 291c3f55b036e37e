"""What becomes of each call of a reply: made, held for a person, answered at once; and after the run stood still."""

from __future__ import annotations

from dataclasses import replace

from magic_tools.loop import guards, words
from magic_tools.loop.state import CallFacts, Done, LoopState, Pending
from magic_tools.loop.steps import Started
from magic_tools.messages import ToolCall, ToolResult

__all__ = ["judged", "resumed"]


def judged(
    state: LoopState,
    calls: tuple[ToolCall, ...],
    facts: tuple[CallFacts, ...],
    results: tuple[ToolResult | None, ...],
) -> tuple[Pending, ...]:
    """The calls of a reply, each with what is to become of it."""
    limits, turn, recent, room = state.limits, state.steps, state.recent, state.limits.calls_per_step
    all_calls: list[Pending] = []
    for call, known, found in zip(calls, facts, results, strict=True):
        is_known_undone = known.digest in state.unsure and found is None
        earlier = None
        if known.digest and not is_known_undone:
            earlier = guards.earlier_of(recent, known.digest, turn, limits.repeats)
        if known.answer == "invalid":
            result = words.answered_call(call, known.issues, state.language)
            all_calls.append(Pending(call, known, "answered", result))
        elif earlier is not None:
            times = guards.times_of(recent, known.digest)
            all_calls.append(Pending(call, known, "repeat", of=earlier.call_id, times=times))
            recent = guards.goes_round(recent, earlier, turn)
        elif known.reusable and known.digest in state.reusable:
            again = replace(state.reusable[known.digest], call_id=call.id, name=call.name, reused=True)
            all_calls.append(Pending(call, known, "answered", again))
        elif found is not None:
            all_calls.append(Pending(call, known, "answered", replace(found, call_id=call.id)))
        elif room == 0:
            result = words.one_too_many(call, limits.calls_per_step, state.language)
            all_calls.append(Pending(call, known, "answered", result))
        else:
            room -= 1
            all_calls.append(Pending(call, known, "held" if known.held else "to_run"))
            if known.digest:
                recent = guards.after_one(recent, Done(known.digest, "", call.id, int(not known.exempt), turn), limits)
    return tuple(all_calls)


def resumed(pending: Pending, event: Started, state: LoopState) -> Pending:
    """A call with what was decided or found out of it while the run stood still.

    One that was begun and may be made again is as good as one that was not. Leave holds for exactly the call that it
    was given for; where that, or what its tool promises, is not the same any more, the person is asked anew.
    """
    call, before = pending.call, pending.facts
    if pending.status in ("repeat", "answered"):
        return pending
    if result := pending.result or event.results.get(call.id):
        return pending._replace(status="to_run", result=result)
    decision, facts = event.decisions.get(call.id), event.facts.get(call.id, before)
    if decision is False:
        return pending._replace(status="answered", result=words.refused_by_person(call, state.language))
    if isinstance(decision, str):
        return pending._replace(status="to_run", result=ToolResult(call.id, call.name, decision))
    waits = pending.status == "held" or facts.held
    if not facts.digest or not waits:  # nothing can be run any more, which the model is told, or it needs no leave
        return pending._replace(status="to_run", facts=facts, approved=False)
    is_same = (facts.digest, facts.contract) == (before.digest, before.contract)
    if pending.approved or decision:
        return pending._replace(status="to_run", approved=True) if is_same else _unshown(pending, facts)
    return pending if pending.status == "held" else _unshown(pending, facts)


def _unshown(pending: Pending, facts: CallFacts) -> Pending:
    """A call of which the person has not been shown yet what it would do."""
    return pending._replace(status="held", facts=facts, approved=False, shown=False, preview=None)
