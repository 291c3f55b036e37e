"""Where a run stands: frozen, and written as JSON and read again without loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import asdict
from typing import Any, Literal, NamedTuple, TypeVar

from magic_tools.chat import FinishReason, ToolChoice
from magic_tools.contracts.pins import Pins
from magic_tools.loop.state_schema import VERSION, checked
from magic_tools.messages import (
    Issue,
    Language,
    Message,
    Repair,
    ToolCall,
    ToolResult,
    Usage,
    part_from_data,
    part_to_data,
)
from magic_tools.options import Limits
from magic_tools.outcome import RequestUsage, StopReason
from magic_tools.transcripts import unanswered
from magic_tools.values import JsonObject, JsonValue

__all__ = ["CallFacts", "Done", "Held", "LoopState", "Pending", "Status", "ids_in"]

T = TypeVar("T")

_NOTHING: Mapping[str, Any] = {}

Held = Literal["", "approval", "question"]
"""Why a call waits for a person: for leave, or for what the person says."""

Status = Literal["to_run", "started", "held", "repeat", "answered"]


class CallFacts(NamedTuple):
    """What is known of a call before it is made.

    `digest` is of its name and canonical arguments, empty where nothing can be run. `exempt` is it from being a
    repeat, `reusable` may its result be given again while nothing has changed, which a `read_only` one leaves so.
    Of one that waits for a person, `contract` is the digest of what its tool promises, and `arguments` are the
    canonical ones. `answer` is what it is as the answer
    of the run, if it is meant for one, with what is wrong with it or was mended.
    """

    digest: str = ""
    known: bool = True
    exempt: bool = False
    reusable: bool = False
    read_only: bool = False
    held: Held = ""
    contract: str = ""
    arguments: JsonValue = None
    answer: Literal["", "valid", "invalid"] = ""
    issues: tuple[Issue, ...] = ()
    repairs: tuple[Repair, ...] = ()


class Pending(NamedTuple):
    """A call of the last reply, until those of the reply have all come to their results.

    One that is `approved` may run though its tool asks for leave. `preview` is what the person was `shown`. A `repeat`
    stands for the call `of`, which was made `times` times.
    """

    call: ToolCall
    facts: CallFacts
    status: Status
    result: ToolResult | None = None
    approved: bool = False
    shown: bool = False
    preview: JsonValue = None
    of: str = ""
    times: int = 0


class Done(NamedTuple):
    """A call that was made `times` times with nothing else done in between; `call_id` is the last of them.

    `token` stands for its result, empty where that is as good as a new one; `turn` is the step of the last of them.
    """

    digest: str
    token: str
    call_id: str
    times: int
    turn: int = 0


class LoopState(NamedTuple):
    """Where a run stands; plain data, so that it can be kept and gone on with elsewhere.

    - `steps`, `seconds` and `usage` are what was spent of the limits, `made` how many calls were made, `requests`
      what each request cost.
    - `refusals`, `stalls` and, by tool name, `failures` count in a row; `recent` are the latest calls made, and
      `hinted` is whether the model was told that it repeats itself, with nothing done since.
    - `reusable` holds the results that stand for the same calls while nothing changes; `unsure` the digests of those
      of which nobody knows whether they had an effect.
    - `pending` are the calls of the last reply until all have their results, and `finish` is how that ended.
    - `closing` is why the last request is being made, once it is; `ended` why the run has ended for good.
    - `tool_choice` is what the next request forces, `answer_tools` the names of the output tools,
      `output` a digest of what is asked for as the answer.
    - `asked` is how many messages the run was asked with, `phase` that of the conversation; `run_id` is the name of
      the run, which stays when it goes on elsewhere.
    - `ids` are those of all calls in the transcript.
    - `pins` are the tools with which the run began, or of its manifest; a state of before there were any has none.
    """

    transcript: tuple[Message, ...]
    limits: Limits
    steps: int = 0
    seconds: float = 0.0
    usage: Usage = Usage()
    requests: tuple[RequestUsage, ...] = ()
    made: int = 0
    repairs: tuple[Repair, ...] = ()
    refusals: int = 0
    stalls: int = 0
    failures: Mapping[str, int] = _NOTHING
    recent: tuple[Done, ...] = ()
    hinted: bool = False
    reusable: Mapping[str, ToolResult] = _NOTHING
    unsure: frozenset[str] = frozenset()
    pending: tuple[Pending, ...] = ()
    finish: FinishReason | None = None
    closing: StopReason | None = None
    ended: StopReason | None = None
    model: str = ""
    language: Language = "en"
    run_id: str = ""
    tool_choice: ToolChoice = "auto"
    answer_tools: tuple[str, ...] = ()
    output: str = ""
    asked: int = 0
    phase: str = ""
    ids: frozenset[str] = frozenset()
    pins: Pins | None = None

    def to_data(self) -> JsonObject:
        """Plain JSON data that `from_data` reads back, in this version or a later one."""
        data: JsonObject = {
            "version": VERSION,
            **self._asdict(),
            "transcript": [message.to_data() for message in self.transcript],
            "limits": asdict(self.limits),
            "usage": asdict(self.usage),
            "requests": [asdict(each) for each in self.requests],
            "repairs": _lists(self.repairs),
            "failures": dict(self.failures),
            "recent": [done._asdict() for done in self.recent],
            "reusable": {digest: part_to_data(result) for digest, result in self.reusable.items()},
            "unsure": sorted(self.unsure),
            "pending": [_pending_data(each) for each in self.pending],
            "answer_tools": list(self.answer_tools),
            "pins": None if self.pins is None else self.pins.to_data(),
        }
        del data["ids"]  # which are in the transcript
        return data

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> LoopState:
        """The state that `to_data` wrote; ValueError if the data is of another version or something else.

        Its transcript is whole, but for the calls that it says are pending.
        """
        held = checked(data)
        try:
            transcript = tuple(map(Message.from_data, held["transcript"]))
            state = cls(
                **{name: held[name] for name in cls._fields if name in held}
                | {
                    "transcript": transcript,
                    "limits": Limits(**held["limits"]),
                    "usage": Usage(**held["usage"]),
                    "requests": tuple(RequestUsage(each["model"], Usage(**each["usage"])) for each in held["requests"]),
                    "repairs": _tuples(Repair, held["repairs"]),
                    "recent": tuple(Done(**done) for done in held["recent"]),
                    "reusable": {name: _part(result, ToolResult) for name, result in held["reusable"].items()},
                    "unsure": frozenset(held["unsure"]),
                    "pending": tuple(map(_pending_of, held["pending"])),
                    "answer_tools": tuple(held["answer_tools"]),
                    "ids": ids_in(transcript),
                    "pins": Pins.from_data(held["pins"]) if held.get("pins") else None,
                }
            )
        except TypeError as error:
            raise ValueError(f"not the data of a run's state ({error})") from error
        if any(each.status == "held" and not each.facts.held for each in state.pending):
            raise ValueError("not the data of a run's state: a call waits, and not for a person")
        if unanswered(transcript) != tuple(each.call for each in state.pending):
            raise ValueError("not the data of a run's state: the calls that wait are not those of its last message")
        return state


def ids_in(transcript: tuple[Message, ...]) -> frozenset[str]:
    """The ids of all calls."""
    return frozenset(call.id for message in transcript for call in message.calls)


def _pending_data(pending: Pending) -> JsonObject:
    facts = pending.facts
    return pending._asdict() | {
        "call": part_to_data(pending.call),
        "facts": facts._asdict()
        | {
            "issues": [[i.path, i.expected, i.got, i.language] for i in facts.issues],
            "repairs": _lists(facts.repairs),
            "arguments": deepcopy(facts.arguments),
        },
        "result": None if pending.result is None else part_to_data(pending.result),
        "preview": deepcopy(pending.preview),
    }


def _pending_of(data: Mapping[str, Any]) -> Pending:
    facts, result = data["facts"], data["result"]
    lists = {"issues": _tuples(Issue, facts["issues"]), "repairs": _tuples(Repair, facts["repairs"])}
    parts = {
        "call": _part(data["call"], ToolCall),
        "facts": CallFacts(**facts | lists),
        "result": None if result is None else _part(result, ToolResult),
    }
    return Pending(**{**data, **parts})


def _part(data: Any, kind: type[Any]) -> Any:
    part = part_from_data(data)
    if not isinstance(part, kind):
        raise ValueError(f"not the data of a {kind.__name__}: {data!r:.200}")
    return part


def _lists(rows: tuple[Any, ...]) -> list[list[Any]]:
    return [list(row) for row in rows]


def _tuples(kind: Callable[..., T], rows: list[list[Any]]) -> tuple[T, ...]:
    return tuple(kind(*row) for row in rows)
