"""The program of a run: it carries out what the machine decides, over the effects."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar, assert_never

from magic_tools.chat import ChatModel, FinishReason, ModelReply, ModelRequest, fault_of
from magic_tools.effects.program import Call, CallBrokenError, CallTimeoutError, Program, within
from magic_tools.errors import StreamCutError
from magic_tools.events import ModelEvent, ModelReplied, tell
from magic_tools.loop.cutting import cut_at_its_limit
from magic_tools.loop.guards import seconds_left
from magic_tools.loop.history import fitted
from magic_tools.loop.machine import closed, progressed, step
from magic_tools.loop.offering import Offer, ambiguous, facts_of, facts_of_answer, needs_leave, waiting, withdrawn
from magic_tools.loop.phases import Phases, Progress
from magic_tools.loop.state import CallFacts, Held, LoopState
from magic_tools.loop.steps import (
    Action,
    AskPerson,
    CallModel,
    ChoosePhase,
    Decision,
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
from magic_tools.loop.streamed import Telling, reply_of
from magic_tools.messages import Issue, ToolCall, ToolResult
from magic_tools.outcome import Outcome, RequestUsage, StopReason
from magic_tools.outputs.answer import Answer, Checked
from magic_tools.tools.batch import call_all
from magic_tools.tools.readying import UNSURE, Ready, preview_of, ready, recovered, ruled
from magic_tools.tools.scope import RunScope
from magic_tools.tools.toolset import Toolset
from magic_tools.values import JsonObject, JsonValue

__all__ = ["Course", "Ended"]

T = TypeVar("T")

_NO_ANSWER = Checked("silent")


@dataclass(frozen=True, slots=True)
class Ended:
    """A run's outcome, where it then stands, the last reply, and what was wrong with that."""

    outcome: Outcome[Any]
    state: LoopState
    issues: tuple[Issue, ...]
    reply: ModelReply | None


class Course:
    """One run, from a state to its end; `state` is where it stands.

    `phases` are the toolsets by phase, of which a run without phases has one, under the empty name. Where it is
    `streamed`, its program emits what happens on the way.
    """

    def __init__(
        self,
        model: ChatModel,
        phases: Mapping[str, Toolset],
        answer: Answer,
        state: LoopState,
        scope: RunScope,
        *,
        streamed: bool = False,
    ) -> None:
        self.state = state
        self.given: Outcome[Any] | None = None
        """The outcome that was made last."""
        self._model = model
        self._answer = answer
        self._scope = scope
        self._telling = Telling(answer, state, self._note_cut) if streamed else None
        self._offers = {phase: Offer(toolset) for phase, toolset in phases.items()}
        self._readied: dict[str, Ready] = {}
        self._fresh: list[Ready] = []
        self._checked: list[Checked] = []
        self._reply: ModelReply | None = None
        self._begun: set[str] = set()
        self._results: dict[str, ToolResult] = {}
        self._saving = threading.Lock()
        self._ambiguous = ambiguous(self._offers.values())
        self._clock = time.monotonic()

    def program(self, decisions: Mapping[str, Decision], moves: Phases | None) -> Program[Ended]:
        """The program of the run; a ModelError carries the outcome so far."""
        event: Event = yield from self._starting(decisions)
        while True:
            action = self._stepped(event)
            if self._telling is not None:
                yield from self._telling.step(self.state)
            match action:
                case CallModel():
                    event = yield from self._asked(action)
                case RunTools():
                    event = yield from self._ran(action)
                case AskPerson():
                    event = yield from self._previewed(action)
                case ChoosePhase():
                    event = self._moved(action, moves)
                case Finish():
                    return self._ending(action)
                case _:
                    assert_never(action)

    def _stepped(self, event: Event) -> Action:
        self.state, action = step(self.state, event)
        self._begun.clear()
        self._results.clear()
        if isinstance(event, Replied) and self.state.pending:
            self._readied = {
                each.call.id: readied if readied.call is each.call else readied._replace(call=each.call)
                for each, readied in zip(self.state.pending, self._fresh, strict=True)
            }
        return action

    def outcome(self, stop: StopReason) -> Outcome[Any]:
        """The outcome of a run that ends here and now, without an answer."""
        return self._outcome(stop, _NO_ANSWER, None, ok=False)

    def _starting(self, decisions: Mapping[str, Decision]) -> Program[Started]:
        """The run begins; where calls wait or were lost, it is found out what is known of them now."""
        facts: dict[str, CallFacts] = {}
        results: dict[str, ToolResult] = {}
        if lost := withdrawn(self.state, self._ready, self._scope):
            return Started(withdrawn=lost)
        for pending in self.state.pending:
            call = pending.call
            readied = self._ready(call, self.state.finish)
            if pending.result is None and pending.status in ("to_run", "started", "held"):
                if pending.facts.held or needs_leave(readied):
                    readied = yield from self._timed(ruled(readied, self._scope))
                facts[call.id] = self._facts(readied, pending.facts.held)
                if pending.status == "started" and pending.facts.digest:
                    known = yield from self._timed(recovered(readied, self._scope))
                    if known is not None:
                        results[call.id] = known
            self._readied[call.id] = readied
        return Started(decisions, facts, results)

    def _timed(self, program: Program[T]) -> Program[T]:
        """The program, within the time that is left."""
        left = seconds_left(self.state)
        return program if left is None else within(program, max(0.0, left - self._since()))

    def _asked(self, action: CallModel) -> Program[Replied | TimedOut]:
        yield from self._saved()
        request = self._request(action)
        try:
            reply = yield from reply_of(self._model, request, action.timeout_s, self._telling)
        except CallTimeoutError:
            if action.timeout_s is None:  # it is the model's own
                raise
            return TimedOut(self._seconds())
        except Exception as error:
            if isinstance(error, StreamCutError):
                self._note_cut(error.partial)
            with suppress(AttributeError, TypeError):  # of an exception that holds nothing more
                error.outcome = self.outcome("model_error")  # type: ignore[attr-defined]  # it is given one
            raise
        if self._scope.options.trace is not None:
            self._note(
                ModelReplied(
                    reply.model or self._model.name,
                    reply.finish,
                    reply.usage,
                    self._since(),
                    reply.cached,
                    reply.omitted,
                )
            )
        return (yield from self._replied(cut_at_its_limit(reply, self._scope.options.settings, self._answer)))

    def _note_cut(self, came: ModelReply) -> None:
        """Count what a reply cost that broke off, as far as that is known."""
        if not fault_of(came) and any(came.usage.counts):
            requests = (*self.state.requests, RequestUsage(came.model, came.usage))
            self.state = self.state._replace(usage=self.state.usage + came.usage, requests=requests)

    def _note(self, event: ModelEvent) -> None:
        """Tell what happened on the way to a reply, as of this step of the run."""
        tell(self._scope.options.trace, replace(event, run_id=self.state.run_id, step=self.state.steps + 1))

    def _request(self, action: CallModel) -> ModelRequest:
        state, answer, options = self.state, self._answer, self._scope.options
        tools = () if action.last and answer.tools else self._offer.told(state)
        choice = action.tool_choice
        if answer.tools and choice in ("auto", "none"):
            choice = "required" if self._model.capabilities.forced_choice else "auto"
        messages = answer.addressed(fitted(state.transcript, options.history, max(0, state.asked - 1)))
        told = (*tools, *answer.told()) if answer.tools else tools
        note = None if options.trace is None else self._note
        return ModelRequest(messages, told, choice, answer.format, options.settings, note)

    def _replied(self, reply: ModelReply) -> Program[Replied]:
        """What a reply is: an answer, or calls, of each of which is found out what it is before any is made."""
        self._reply = reply
        calls = [part for part in reply.parts if isinstance(part, ToolCall)]
        if not calls:
            checked = self._answer.check(reply)
            self._checked = [checked]
            return Replied(reply, checked.kind, checked.issues, checked.repairs, seconds=self._seconds())
        self._checked, self._fresh = [], []
        facts: list[CallFacts] = []
        known: list[ToolResult | None] = []
        is_read = self.state.closing is None and reply.finish not in ("length", "refusal", "content_filter")
        for call in calls:
            answer = self._answer.check_call(call, reply.finish)
            readied = self._ready(call, reply.finish)
            found = None
            if answer is None and is_read:
                if needs_leave(readied):
                    readied = yield from self._timed(ruled(readied, self._scope))
                facts.append(self._facts(readied))
                if facts[-1].digest in self.state.unsure:
                    found = yield from self._timed(recovered(readied, self._scope, UNSURE))
            else:
                facts.append(CallFacts() if answer is None else facts_of_answer(answer))
            known.append(found)
            self._checked.append(answer or _NO_ANSWER)
            self._fresh.append(readied)
        return Replied(reply, "silent", (), (), tuple(facts), tuple(known), self._seconds())

    def _ready(self, call: ToolCall, finish: FinishReason | None) -> Ready:
        offer = self._offer
        target = offer.executables.get(call.name)
        return ready(target, call, self._scope, offer.names(self.state) if target is None else (), finish)

    def _facts(self, readied: Ready, held: Held = "") -> CallFacts:
        variant = self.state.phase if readied.call.name in self._ambiguous else ""
        return facts_of(readied, self._scope, variant=variant, held=held)

    def _ran(self, action: RunTools) -> Program[ToolsRan]:
        end = None if action.timeout_s is None else time.monotonic() + action.timeout_s
        results = yield from call_all(
            [self._readied[call.id] for call in action.calls],
            self._scope,
            first=action.first,
            approved=[each.call.id for each in self.state.pending if each.approved],
            around=lambda call, program: self._around(call, program, end, len(action.calls) > 1),
        )
        return ToolsRan(results, self._seconds())

    def _around(
        self, call: ToolCall, program: Program[ToolResult], end: float | None, one_of_several: bool
    ) -> Program[ToolResult]:
        """One call, of which is kept that it was begun and what it came to, within the time that is left."""
        self._begun.add(call.id)
        try:
            yield from self._saved()
        except BaseException:
            self._begun.discard(call.id)
            raise
        if end is not None:
            program = within(program, max(0.0, end - time.monotonic()))
        if self._telling is not None:
            program = self._telling.call(self._readied[call.id], program)
        result = yield from program
        self._results[call.id] = result
        if one_of_several:
            yield from self._saved()
        return result

    def _previewed(self, action: AskPerson) -> Program[Previewed]:
        yield from self._saved()
        previews: dict[str, JsonValue] = {}
        for call in action.calls:
            previews[call.id] = yield from self._timed(preview_of(self._readied[call.id], self._scope))
        return Previewed(previews, self._seconds())

    def _moved(self, action: ChoosePhase, phases: Phases | None) -> Moved:
        state = self.state
        if phases is None:
            return Moved(state.phase, self._seconds())
        progress = Progress(state.phase, action.results, state.transcript, state.steps)
        return Moved(phases.next(progress), self._seconds())

    def _saved(self) -> Program[None]:
        """The state is kept by whoever wants to, before anything is done that it does not know of."""
        if self._scope.options.checkpoint is None:
            return
        try:
            yield Call(self._save, (self._scope.options.checkpoint,))
        except CallBrokenError as error:
            raise error.__cause__ or error from None

    def _save(self, checkpoint: Callable[[JsonObject], Any]) -> None:
        with self._saving:  # so that what is kept last is the newest
            checkpoint(self._now.to_data())

    def _ending(self, action: Finish) -> Ended:
        call = None if action.call is None else self._fresh[action.call].call.name
        checked = self._checked[action.call or 0] if action.ok else _NO_ANSWER
        outcome = self._outcome(action.stop, checked, call, ok=action.ok)
        return Ended(outcome, self.state, action.issues, self._reply)

    def _outcome(self, stop: StopReason, checked: Checked, call: str | None, *, ok: bool) -> Outcome[Any]:
        state = self._now
        self.given = Outcome(
            value=checked.value,
            stop=stop,
            ok=ok,
            transcript=closed(state),
            usage=state.usage,
            requests=state.requests,
            steps=state.steps,
            repairs=state.repairs,
            model=state.model or self._model.name,
            summary=checked.summary,
            output_tool=call,
            waiting=tuple(waiting(each) for each in state.pending if each.status == "held"),
            saved=state,
        )
        return self.given

    @property
    def _now(self) -> LoopState:
        """The state with what has become of the calls that are being made, and with the time since it was made."""
        state = progressed(self.state, frozenset(self._begun), dict(self._results))
        return state if state.ended else state._replace(seconds=state.seconds + self._since())

    @property
    def _offer(self) -> Offer:
        return self._offers[self.state.phase]

    def _seconds(self) -> float:
        """The seconds since this was asked for last."""
        before, self._clock = self._clock, time.monotonic()
        return self._clock - before

    def _since(self) -> float:
        """The seconds that no event has told yet."""
        return time.monotonic() - self._clock
