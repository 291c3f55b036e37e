"""Every decision of the loop, as one pure function on frozen state; nothing here waits or calls anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeAlias, assert_never

from magic_tools.chat import ModelReply, ToolChoice
from magic_tools.loose.phrases import Phrase, phrased, say
from magic_tools.messages import (
    ErrorCode,
    Issue,
    Language,
    Message,
    Repair,
    StopReason,
    TextPart,
    ToolCall,
    ToolResult,
    Usage,
    listed,
    with_own_ids,
)
from magic_tools.options import Limits
from magic_tools.values import JsonObject

__all__ = ["Action", "CallModel", "Event", "Finish", "LoopState", "Replied", "RunTools", "Started", "ToolsRan", "step"]

_NUDGE = say("Your reply was empty. Give the answer now, or call a tool.")
_LAST_WORD = say("This is the last reply of this run: no tool can be called any more. Answer now, from what is known.")
_REFUSED = "Your answer was refused: {issues}. Give the whole answer again, with this mended."
_VERSION = 1
_UNKNOWN = ""
"""Under this name the failures of all calls to unknown tools are counted."""


@dataclass(frozen=True, slots=True)
class LoopState:
    """Where a run stands; plain data, so that it can be kept and gone on with elsewhere.

    `failures` counts failed calls in a row by tool name, `closing` is why the last request is
    being made, once it is. `run_id` is the name of the run, which stays when it goes on elsewhere.
    """

    transcript: tuple[Message, ...]
    limits: Limits
    tools: tuple[str, ...] = ()
    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    repairs: tuple[Repair, ...] = ()
    refusals: int = 0
    stalls: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    closing: StopReason | None = None
    model: str = ""
    language: Language = "en"
    run_id: str = ""

    def to_data(self) -> JsonObject:
        """Plain JSON data that `from_data` reads back, in this version or a later one."""
        return {
            "version": _VERSION,
            "transcript": [message.to_data() for message in self.transcript],
            "limits": asdict(self.limits),
            "tools": list(self.tools),
            "steps": self.steps,
            "usage": asdict(self.usage),
            "repairs": [[repair.kind, repair.start, repair.end, repair.note] for repair in self.repairs],
            "refusals": self.refusals,
            "stalls": self.stalls,
            "failures": dict(self.failures),
            "closing": self.closing,
            "model": self.model,
            "language": self.language,
            "run_id": self.run_id,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> LoopState:
        """The state that `to_data` wrote; ValueError if the data is of another version or something else."""
        match data:
            case {"version": int(version), **held} if version == _VERSION:
                return cls._from_fields(held)
            case _:
                raise ValueError(f"not the data of a run's state in version {_VERSION}: {data!r:.200}")

    @classmethod
    def _from_fields(cls, held: Mapping[str, Any]) -> LoopState:
        same = ("steps", "refusals", "stalls", "failures", "closing", "model", "language", "run_id")
        try:
            return cls(
                transcript=tuple(Message.from_data(message) for message in held["transcript"]),
                limits=Limits(**held["limits"]),
                tools=tuple(held["tools"]),
                usage=Usage(**held["usage"]),
                repairs=tuple(Repair(*repair) for repair in held["repairs"]),
                **{name: held[name] for name in same},
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"not the data of a run's state ({type(error).__name__}: {error})") from error


@dataclass(frozen=True, slots=True)
class Started:
    """The run begins."""


@dataclass(frozen=True, slots=True)
class Replied:
    """The model replied; `answer` is what its text is as an answer, with what is wrong or was mended."""

    reply: ModelReply
    answer: Literal["valid", "invalid", "truncated", "silent"]
    issues: tuple[Issue, ...] = ()
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolsRan:
    """The calls asked for by `RunTools` came to these results, in their order."""

    results: tuple[ToolResult, ...]


Event: TypeAlias = Started | Replied | ToolsRan


@dataclass(frozen=True, slots=True)
class CallModel:
    """Send the transcript to the model."""

    tool_choice: ToolChoice = "auto"


@dataclass(frozen=True, slots=True)
class RunTools:
    """Make these calls, all of one reply."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Finish:
    """End the run; `ok` where the last reply is a valid answer, else `issues` may say why not."""

    stop: StopReason
    ok: bool
    issues: tuple[Issue, ...] = ()


Action: TypeAlias = CallModel | RunTools | Finish
_Step: TypeAlias = tuple[LoopState, Action]


def step(state: LoopState, event: Event) -> _Step:
    """What a run does next, and where it then stands.

    A transcript that is whole at the start is so at every request and at the end: each call in it
    has exactly one result, before any other message, and an id that no other call has.
    """
    match event:
        case Started():
            return state, CallModel()
        case Replied():
            return _on_reply(state, event)
        case ToolsRan():
            return _on_results(state, event.results)
        case _:
            assert_never(event)


def _on_reply(state: LoopState, event: Replied) -> _Step:
    reply = event.reply
    spoken = _with_own_ids(reply.parts, state.transcript)
    state = replace(
        state,
        steps=state.steps + (state.closing is None),
        usage=state.usage + reply.usage,
        model=reply.model or state.model,
        transcript=(*state.transcript, Message("assistant", spoken)) if spoken else state.transcript,
    )
    calls = tuple(part for part in spoken if isinstance(part, ToolCall))
    if reply.finish == "refusal":
        return _closed(state, calls, say("the model declined to go on")), Finish("refusal", ok=False)
    if calls:
        return _on_calls(state, calls, cut=reply.finish == "length")
    return _on_text(state, event)


def _on_calls(state: LoopState, calls: tuple[ToolCall, ...], *, cut: bool) -> _Step:
    if cut:
        return _closed(state, calls, say("the reply was cut before its end")), Finish("truncated", ok=False)
    if state.closing:
        return _closed(state, calls, say("the run is at its end")), Finish(state.closing, ok=False)
    return replace(state, stalls=0), RunTools(calls)


def _on_text(state: LoopState, event: Replied) -> _Step:
    match event.answer:
        case "valid":
            state = replace(state, repairs=state.repairs + event.repairs)
            return state, Finish(state.closing or "final", ok=True)
        case "truncated":
            return state, Finish("truncated", ok=False, issues=event.issues)
        case "silent":
            state = replace(state, stalls=state.stalls + 1)
            return _again(state, state.stalls > state.limits.stalls, "stall", _NUDGE, ())
        case "invalid":
            state = replace(state, refusals=state.refusals + 1, stalls=0)
            words = say(_REFUSED, issues=listed(event.issues))
            return _again(state, state.refusals > state.limits.retries, "invalid_output", words, event.issues)
        case _:
            assert_never(event.answer)


def _again(state: LoopState, spent: bool, stop: StopReason, words: Phrase, issues: tuple[Issue, ...]) -> _Step:
    """Tell the model what was wrong with its reply, unless that was its last chance."""
    if state.closing or spent:
        return state, Finish(state.closing or stop, ok=False, issues=issues)
    return _ask(_told(state, words))


def _on_results(state: LoopState, results: tuple[ToolResult, ...]) -> _Step:
    failures = _counted(state, results)
    state = replace(
        state,
        transcript=(*state.transcript, Message("tool", results)),
        failures=failures,
        repairs=state.repairs + tuple(repair for result in results for repair in result.repairs),
    )
    if any(failed > state.limits.retries for failed in failures.values()):
        return _last_request(state, "tool_failures")
    return _ask(state)


def _ask(state: LoopState) -> _Step:
    if state.steps >= state.limits.steps:
        return _last_request(state, "step_limit")
    return state, CallModel()


def _last_request(state: LoopState, stop: StopReason) -> _Step:
    return replace(_told(state, _LAST_WORD), closing=stop), CallModel("none")


def _told(state: LoopState, words: Phrase) -> LoopState:
    return replace(state, transcript=(*state.transcript, Message.user(phrased(words, state.language))))


def _counted(state: LoopState, results: tuple[ToolResult, ...]) -> dict[str, int]:
    """The failures in a row after these results; several of one tool are one.

    No call of an unknown name can succeed, so that what ends their row is the success of another call.
    """
    failed: dict[str, bool] = {}
    for result in results:
        name = result.name if result.name in state.tools else _UNKNOWN
        failed[name] = failed.get(name, False) or result.is_error
    if not all(result.is_error for result in results):
        failed.setdefault(_UNKNOWN, False)
    return {**state.failures, **{name: state.failures.get(name, 0) + 1 if bad else 0 for name, bad in failed.items()}}


def _closed(state: LoopState, calls: tuple[ToolCall, ...], why: Phrase) -> LoopState:
    """The state in which each of these calls is answered as not run."""
    if not calls:
        return state
    text = phrased(say("Not run: {why}.", why=why), state.language)
    results = tuple(ToolResult(call.id, call.name, text, is_error=True, code=ErrorCode.CONFLICT) for call in calls)
    return replace(state, transcript=(*state.transcript, Message("tool", results)))


def _with_own_ids(
    parts: Iterable[TextPart | ToolCall], transcript: tuple[Message, ...]
) -> tuple[TextPart | ToolCall, ...]:
    """The parts of a reply without empty texts, each call under an id that no other call has."""
    said = [part for part in parts if isinstance(part, ToolCall) or part.text.strip()]
    taken = {call.id for message in transcript for call in message.calls}
    own = iter(with_own_ids((part for part in said if isinstance(part, ToolCall)), taken))
    return tuple(next(own) if isinstance(part, ToolCall) else part for part in said)
