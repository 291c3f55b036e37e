"""What the loop is told, and what it wants done: the events and actions of its machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from magic_tools.chat import ModelReply, ToolChoice
from magic_tools.loop.state import CallFacts
from magic_tools.messages import Issue, Repair, ToolCall, ToolResult
from magic_tools.outcome import StopReason
from magic_tools.values import JsonValue

__all__ = [
    "Action",
    "AskPerson",
    "CallModel",
    "ChoosePhase",
    "Decision",
    "Event",
    "Finish",
    "Moved",
    "Previewed",
    "Replied",
    "RunTools",
    "Started",
    "TimedOut",
    "ToolsRan",
]

_NOTHING: Mapping[str, Any] = {}

Decision: TypeAlias = bool | str
"""What a person said of a call: whether it may run, or, to a question, the answer as it is to be told."""


class Started(NamedTuple):
    """The run begins, or goes on elsewhere.

    Then `decisions` are what a person has said, by call id, `facts` what is now known of the calls that still wait for
    a result, and `results` what could be found out of those that were under way: without one, such a call may be made.
    `withdrawn` are the results of calls that wait for a person and whose tool is not what it was: they end the run.
    """

    decisions: Mapping[str, Decision] = _NOTHING
    facts: Mapping[str, CallFacts] = _NOTHING
    results: Mapping[str, ToolResult] = _NOTHING
    withdrawn: Mapping[str, ToolResult] = _NOTHING


class Replied(NamedTuple):
    """The model replied; `answer` is what its text is as an answer, with what is wrong or was mended.

    `calls` are the facts of its calls, in order, and `known` what is known already of what one would come to, where
    nobody knows whether it had an effect the last time. `seconds` is what has passed since the event before.
    """

    reply: ModelReply
    answer: Literal["valid", "invalid", "truncated", "silent", "uncalled"]
    issues: tuple[Issue, ...] = ()
    repairs: tuple[Repair, ...] = ()
    calls: tuple[CallFacts, ...] = ()
    known: tuple[ToolResult | None, ...] = ()
    seconds: float = 0.0


class TimedOut(NamedTuple):
    """The model did not reply within the time that was left."""

    seconds: float = 0.0


class ToolsRan(NamedTuple):
    """The calls asked for by `RunTools` came to these results, in their order."""

    results: tuple[ToolResult, ...]
    seconds: float = 0.0


class Moved(NamedTuple):
    """The conversation goes on in a phase, maybe the one that it was in."""

    phase: str
    seconds: float = 0.0


class Previewed(NamedTuple):
    """What a person is to be shown of the calls of `AskPerson`, by call id."""

    previews: Mapping[str, JsonValue] = _NOTHING
    seconds: float = 0.0


Event: TypeAlias = Started | Replied | TimedOut | ToolsRan | Previewed | Moved


class CallModel(NamedTuple):
    """Send the transcript to the model; for the `last` time with no tools but those for the answer."""

    tool_choice: ToolChoice = "auto"
    last: bool = False
    timeout_s: float | None = None


class RunTools(NamedTuple):
    """Make these calls, all of one reply, within this time; the first is so manieth of the run."""

    calls: tuple[ToolCall, ...]
    first: int = 1
    timeout_s: float | None = None


class AskPerson(NamedTuple):
    """Find out what a person is to be shown of these calls, within this time, for the run to pause."""

    calls: tuple[ToolCall, ...]
    timeout_s: float | None = None


class ChoosePhase(NamedTuple):
    """Find out which phase comes after these results, of all calls of a reply."""

    results: tuple[ToolResult, ...]


class Finish(NamedTuple):
    """End the run, or pause it; `ok` where the last reply is a valid answer, else `issues` may say why not.

    `call` is which call of the last reply gave the answer, if one did.
    """

    stop: StopReason
    ok: bool
    issues: tuple[Issue, ...] = ()
    call: int | None = None


Action: TypeAlias = CallModel | RunTools | AskPerson | ChoosePhase | Finish
