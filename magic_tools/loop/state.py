"""Where a run stands: frozen, and written as JSON and read again without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Literal, NamedTuple, get_args

from magic_tools.chat import FinishReason, ToolChoice
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
from magic_tools.outcome import StopReason
from magic_tools.values import JsonObject, JsonValue

__all__ = ["CallFacts", "Done", "Held", "LoopState", "Pending", "Status", "ids_in"]

_VERSION = 1
_NOTHING: Mapping[str, Any] = {}

Held = Literal["", "approval", "question"]
"""Why a call waits for a person: for leave, or for what the person says."""

Status = Literal["to_run", "started", "held", "repeat", "answered"]


class CallFacts(NamedTuple):
    """What is known of a call before it is made.

    `digest` is of its name and canonical arguments, empty where nothing can be run. `exempt` is it from being a
    repeat, `reusable` may its result be given again while nothing has changed, which a `read_only` one leaves so.
    `contract` is the digest of what its tool promises, of one that is held. `answer` is what it is as the answer
    of the run, if it is meant for one, with what is wrong with it or was mended.
    """

    digest: str = ""
    known: bool = True
    exempt: bool = False
    reusable: bool = False
    read_only: bool = False
    held: Held = ""
    contract: str = ""
    answer: Literal["", "valid", "invalid"] = ""
    issues: tuple[Issue, ...] = ()
    repairs: tuple[Repair, ...] = ()


class Pending(NamedTuple):
    """A call of the last reply, until those of the reply have all come to their results.

    One that is `approved` may run though its tool asks for leave. `preview` is what the person was shown. A `repeat`
    stands for the call `of`, which was made `times` times.
    """

    call: ToolCall
    facts: CallFacts
    status: Status
    result: ToolResult | None = None
    approved: bool = False
    preview: JsonValue = None
    of: str = ""
    times: int = 0

    def to_data(self) -> JsonObject:
        """Plain JSON data that `from_data` reads back."""
        facts = {name: getattr(self.facts, name) for name in _PLAIN_FACTS}
        return {
            "call": part_to_data(self.call),
            "facts": {
                **facts,
                "issues": [[i.path, i.expected, i.got, i.language] for i in self.facts.issues],
                "repairs": _repairs_data(self.facts.repairs),
            },
            "status": self.status,
            "result": None if self.result is None else part_to_data(self.result),
            "approved": self.approved,
            "preview": self.preview,
            "of": self.of,
            "times": self.times,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Pending:
        """What `to_data` wrote."""
        facts, result = data["facts"], data["result"]
        if data["status"] not in get_args(Status):
            raise ValueError(f"not the status of a call: {data['status']!r:.80}")
        return cls(
            call=_part(data["call"], ToolCall),
            facts=CallFacts(
                **{name: facts[name] for name in _PLAIN_FACTS},
                issues=tuple(Issue(*issue) for issue in facts["issues"]),
                repairs=_repairs_of(facts["repairs"]),
            ),
            status=data["status"],
            result=None if result is None else _part(result, ToolResult),
            **{name: data[name] for name in ("approved", "preview", "of", "times")},
        )


_PLAIN_FACTS = ("digest", "known", "exempt", "reusable", "read_only", "held", "contract", "answer")


class Done(NamedTuple):
    """A call that was made `times` times with nothing else done in between; `call_id` is the last of them.

    `token` stands for its result, empty where that is as good as a new one.
    """

    digest: str
    token: str
    call_id: str
    times: int


class LoopState(NamedTuple):
    """Where a run stands; plain data, so that it can be kept and gone on with elsewhere.

    - `steps`, `seconds` and `usage` are what was spent of the limits, `made` how many calls were made.
    - `refusals`, `stalls` and, by tool name, `failures` count in a row; `recent` are the latest calls made, and
      `hinted` is whether the model was told that it repeats itself, with nothing done since.
    - `reusable` holds the results that stand for the same calls while nothing changes.
    - `pending` are the calls of the last reply until all have their results, and `finish` is how that ended.
    - `closing` is why the last request is being made, once it is; `ended` why the run has ended for good.
    - `tool_choice` is what the next request forces, `answer_tools` the names of the output tools.
    - `asked` is how many messages the run was asked with, `phase` that of the conversation; `run_id` is the name of
      the run, which stays when it goes on elsewhere.
    - `ids` are those of all calls in the transcript.
    """

    transcript: tuple[Message, ...]
    limits: Limits
    steps: int = 0
    seconds: float = 0.0
    usage: Usage = Usage()
    made: int = 0
    repairs: tuple[Repair, ...] = ()
    refusals: int = 0
    stalls: int = 0
    failures: Mapping[str, int] = _NOTHING
    recent: tuple[Done, ...] = ()
    hinted: bool = False
    reusable: Mapping[str, ToolResult] = _NOTHING
    pending: tuple[Pending, ...] = ()
    finish: FinishReason | None = None
    closing: StopReason | None = None
    ended: StopReason | None = None
    model: str = ""
    language: Language = "en"
    run_id: str = ""
    tool_choice: ToolChoice = "auto"
    answer_tools: tuple[str, ...] = ()
    asked: int = 0
    phase: str = ""
    ids: frozenset[str] = frozenset()

    def to_data(self) -> JsonObject:
        """Plain JSON data that `from_data` reads back, in this version or a later one."""
        return {
            "version": _VERSION,
            "transcript": [message.to_data() for message in self.transcript],
            "limits": asdict(self.limits),
            "usage": asdict(self.usage),
            "repairs": _repairs_data(self.repairs),
            "failures": dict(self.failures),
            "recent": [done._asdict() for done in self.recent],
            "reusable": {name: part_to_data(result) for name, result in self.reusable.items()},
            "pending": [pending.to_data() for pending in self.pending],
            "answer_tools": list(self.answer_tools),
            **{name: getattr(self, name) for name in _PLAIN},
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
        try:
            transcript = tuple(Message.from_data(message) for message in held["transcript"])
            return cls(
                transcript=transcript,
                limits=Limits(**held["limits"]),
                usage=Usage(**held["usage"]),
                repairs=_repairs_of(held["repairs"]),
                failures=dict(held["failures"]),
                recent=tuple(Done(**done) for done in held["recent"]),
                reusable={name: _part(result, ToolResult) for name, result in held["reusable"].items()},
                pending=tuple(map(Pending.from_data, held["pending"])),
                answer_tools=tuple(held["answer_tools"]),
                ids=ids_in(transcript),
                **_plain(held),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not the data of a run's state ({type(error).__name__}: {error})") from error


_TEXT_OR_NONE = (str, type(None))
_PLAIN: Mapping[str, Any] = {
    "steps": int,
    "seconds": (int, float),
    "made": int,
    "refusals": int,
    "stalls": int,
    "hinted": bool,
    "finish": _TEXT_OR_NONE,
    "closing": _TEXT_OR_NONE,
    "ended": _TEXT_OR_NONE,
    "model": str,
    "language": str,
    "run_id": str,
    "tool_choice": str,
    "asked": int,
    "phase": str,
}
"""The fields that are JSON data as they are, and of what type."""


def _plain(data: Mapping[str, Any]) -> dict[str, Any]:
    held = {name: data[name] for name in _PLAIN}
    if wrong := [name for name, value in held.items() if not isinstance(value, _PLAIN[name])]:
        raise TypeError(f"{wrong[0]} is {held[wrong[0]]!r:.80}")
    return held


def ids_in(transcript: tuple[Message, ...]) -> frozenset[str]:
    """The ids of all calls."""
    return frozenset(call.id for message in transcript for call in message.calls)


def _part(data: Any, kind: type[Any]) -> Any:
    part = part_from_data(data)
    if not isinstance(part, kind):
        raise ValueError(f"not the data of a {kind.__name__}: {data!r:.200}")
    return part


def _repairs_data(repairs: tuple[Repair, ...]) -> list[list[Any]]:
    return [list(repair) for repair in repairs]


def _repairs_of(data: Any) -> tuple[Repair, ...]:
    return tuple(Repair(*repair) for repair in data)
