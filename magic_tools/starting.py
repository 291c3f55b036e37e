"""A run before its first step: what it is made of, checked, and where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from pydantic_core import to_json

from magic_tools.chat import ChatModel
from magic_tools.contracts.manifest import Pin
from magic_tools.contracts.pins import Pins
from magic_tools.effects.program import Emit, Program
from magic_tools.errors import DefinitionError, ModelError
from magic_tools.events import ToolDrifted, tell
from magic_tools.loop.driver import Course
from magic_tools.loop.phases import Phases
from magic_tools.loop.state import LoopState, ids_in
from magic_tools.loop.steps import Decision
from magic_tools.loop.streamed import Done
from magic_tools.loose.phrases import phrased
from magic_tools.messages import Message, ToolResult
from magic_tools.models.registry import load_model
from magic_tools.options import Limits, RunOptions
from magic_tools.outcome import Outcome
from magic_tools.outputs.answer import Answer, answer_for
from magic_tools.settling import settled
from magic_tools.tools.scope import RunScope
from magic_tools.tools.serving import drifts, served
from magic_tools.tools.tool import Tool
from magic_tools.tools.toolset import Toolset
from magic_tools.transcripts import unanswered

__all__ = ["Decisions", "Prompt", "Run", "Tools", "beginning", "going_on"]

_LEAST_MESSAGES = 3
_PARTS_OF_A_MODEL = ("name", "capabilities", "complete", "acomplete")

Prompt: TypeAlias = str | Message | Sequence[Message]
"""Text, a message, or several, such as an earlier `Outcome.transcript` and one more."""

Tools: TypeAlias = Toolset | Phases | Iterable[Tool[..., Any] | Callable[..., Any]]

Decisions: TypeAlias = Mapping[str, Any]
"""What was decided of the calls that wait, by their ids."""


class Run(NamedTuple):
    """A run that can begin: its program, and the course that holds where it stands."""

    course: Course
    program: Program[Outcome[Any]]


def beginning(
    prompt: Prompt,
    tools: Tools,
    output: Any,
    model: ChatModel | str | None,
    instructions: str | None,
    limits: Limits | None,
    context: Any,
    options: RunOptions | None,
    *,
    streamed: bool = False,
) -> Run:
    """The run that a prompt begins, which emits what happens on the way where it is `streamed`.

    ValueError, ModelError, DefinitionError or ContextError if it cannot begin.
    """
    if not isinstance(limits, Limits | None):
        raise ValueError(f"limits are a Limits, such as Limits(steps=5), got {limits!r:.80}")
    parts = _parts(tools, output, model, context, options)
    told: object = instructions  # which a caller without a type checker may give as anything
    if not isinstance(told, str | None):
        raise ValueError(f"instructions are a text, got {told!r:.80}")
    messages = _messages(prompt, instructions)
    most = parts.scope.options.history.messages
    least = _LEAST_MESSAGES + (messages[0].role == "system")
    if most is not None and most < least:
        raise ValueError(
            f"History.messages={most} leaves no room for the question, a call and its result: give {least} or more"
        )
    _check_choice(parts)
    state = LoopState(
        messages,
        limits or Limits(),
        language=parts.scope.language,
        run_id=parts.scope.run_id,
        tool_choice=parts.scope.options.tool_choice,
        answer_tools=parts.answer.tool_names,
        output=parts.answer.digest,
        asked=len(messages),
        phase=parts.start,
        ids=ids_in(messages),
        pins=parts.scope.pins or Pins(partial(_pinned, tuple(parts.whole.values())), parts.scope.at),
    )
    return _run_of(parts, state, {}, streamed=streamed)


def going_on(
    data: Mapping[str, Any],
    decisions: Decisions | None,
    tools: Tools,
    output: Any,
    model: ChatModel | str | None,
    context: Any,
    options: RunOptions | None,
) -> Run:
    """The run that goes on from its state; ValueError if that is none, or of a run that has ended."""
    state = LoopState.from_data(data)
    if state.ended is not None:
        raise ValueError(f"this run has ended ({state.ended}): begin another with run([*outcome.transcript, ...])")
    _check_options(options)
    told = replace(options or RunOptions(), language=state.language, run_id=state.run_id or None)
    pins = state.pins
    if pins is not None and told.manifest is not None:
        pins = pins.whole(told.manifest.pins)
    parts = _parts(tools, output, model, context, told, pins)
    if state.phase not in parts.phases:
        raise ValueError(f"the run stands in the phase {state.phase!r}, and tools=... has: {', '.join(parts.phases)}")
    decided = _decided(state, {} if decisions is None else decisions)
    if state.output != parts.answer.digest:
        raise ValueError("the run was begun with another output=...: give the same to resume it")
    for each in state.pending:
        if each.status == "held" and each.call.name not in parts.names:
            parts.scope.gone.setdefault(each.call.name, each.call.name)
    reusable = _still_reusable(state, parts)
    state = state._replace(answer_tools=parts.answer.tool_names, reusable=reusable, pins=state.pins or parts.scope.pins)
    return _run_of(parts, state, decided)


def _still_reusable(state: LoopState, parts: _Parts) -> Mapping[str, ToolResult]:
    """The results that stand for the same calls, but for those of tools that are not what they were."""
    drifted = {each.tool for each in parts.drifts if each.kind != "upgraded"}  # whose results fit what it is pinned to
    return {digest: held for digest, held in state.reusable.items() if held.name not in drifted}


def _pinned(toolsets: Iterable[Toolset]) -> list[Pin]:
    """The tools with which a run begins, as they are."""
    targets = {id(made.executable): made.executable for toolset in toolsets for made in toolset.pinnable}
    return [Pin.bare(target) for target in targets.values() if not target.behaviour.asks_person]


def _decided(state: LoopState, decisions: Decisions) -> dict[str, Decision]:
    """What was decided, by call; ValueError for what cannot be decided so."""
    waiting = {each.call.id: each.facts.held for each in state.pending if each.status == "held"}
    if not isinstance(decisions, Mapping):
        raise ValueError(f"decisions are by the ids of calls, such as {{'c1': True}}, got {decisions!r:.80}")
    decided: dict[str, Decision] = {}
    for call_id, said in decisions.items():
        held = waiting.get(call_id)
        if held is None:
            known = ", ".join(map(repr, waiting)) or "none"
            raise ValueError(f"no call {call_id!r} waits for a decision; there are: {known}")
        if held == "question":
            decided[call_id] = said if isinstance(said, str) else _as_json(call_id, said)
        elif isinstance(said, bool):
            decided[call_id] = said
        else:
            raise ValueError(f"the call {call_id!r} needs approval, which is True or False, got {said!r:.80}")
    return decided


def _as_json(call_id: str, said: Any) -> str:
    try:
        return to_json(said).decode()
    except ValueError as error:
        raise ValueError(f"the answer to {call_id!r} is a text or JSON data, got {said!r:.80}") from error


class _Parts(NamedTuple):
    """What a run is made of, but for its state; `phases` are the toolsets by phase, `names` those of all tools.

    `drifts` are how the tools differ from what the run is pinned to.
    """

    model: ChatModel
    phases: Mapping[str, Toolset]
    whole: Mapping[str, Toolset]
    names: frozenset[str]
    drifts: tuple[ToolDrifted, ...]
    moves: Phases | None
    start: str
    answer: Answer
    scope: RunScope


def _parts(
    tools: Tools,
    output: Any,
    model: ChatModel | str | None,
    context: Any,
    options: RunOptions | None,
    pins: Pins | None = None,
) -> _Parts:
    _check_options(options)
    scope = RunScope(context, options, pins)
    chosen = load_model(model) if model is None or isinstance(model, str) else model
    if not all(hasattr(chosen, name) for name in _PARTS_OF_A_MODEL):  # as isinstance would see, in a tenth of its time
        raise ValueError(
            f"model=... is a name or a ChatModel (name, capabilities, complete, acomplete), got {chosen!r:.80}"
        )
    given: Any = tools  # which a caller without a type checker may give as anything
    if isinstance(given, Tool | str) or not isinstance(given, Iterable | Phases):
        raise ValueError(f"tools=... takes several, as in tools=[one], got {given!r:.80}")
    moves = tools if isinstance(tools, Phases) else None
    whole: Mapping[str, Toolset]
    match tools:
        case Phases():
            whole = tools.tools
        case Toolset():
            whole = {"": tools}
        case _:
            whole = {"": Toolset(*tools)}
    offered = {name: served(toolset, scope) for name, toolset in whole.items()}
    drifted = drifts(offered.values(), scope)
    scope.gone = {each.tool: each.id for each in drifted if each.kind == "missing"}
    phases = {name: toolset.permitted(context) for name, toolset in offered.items()}
    if any(map(len, phases.values())) and not chosen.capabilities.tools:
        raise ModelError(f"The model {chosen.name} cannot call tools: pass another, such as model='openai:NAME'.")
    taken = frozenset(name for toolset in whole.values() for name in toolset.names)
    answer = answer_for(
        output, chosen.capabilities, scope.language, scope.options.output_mode, model=chosen.name, taken=taken
    )
    for name in answer.tool_names:
        if name in taken:
            raise DefinitionError(f"A tool and an output tool are both called {name!r}: give one another name.")
    start = "" if moves is None else moves.start
    return _Parts(chosen, phases, whole, taken, drifted, moves, start, answer, scope)


def _run_of(parts: _Parts, state: LoopState, decisions: Mapping[str, Decision], *, streamed: bool = False) -> Run:
    course = Course(parts.model, parts.phases, parts.answer, state, parts.scope, streamed=streamed)
    program = _settling(course, parts, decisions)
    if parts.drifts:
        program = _after_news(program, parts)
    return Run(course, _told_at_its_end(program) if streamed else program)


def _told_at_its_end(program: Program[Outcome[Any]]) -> Program[Outcome[Any]]:
    outcome = yield from program
    yield Emit(Done(outcome))
    return outcome


def _after_news(program: Program[Outcome[Any]], parts: _Parts) -> Program[Outcome[Any]]:
    """The program, before which it is told how the tools differ from what the run is pinned to."""
    for each in parts.drifts:
        tell(parts.scope.options.trace, each)
    return (yield from program)


def _settling(course: Course, parts: _Parts, decisions: Mapping[str, Decision]) -> Program[Outcome[Any]]:
    ended = yield from course.program(decisions, parts.moves)
    return (yield from settled(ended, parts.scope.options.fallback))


def _check_options(options: object) -> None:
    if not isinstance(options, RunOptions | None):
        raise ValueError(f"options are RunOptions, such as RunOptions(language='zh'), got {options!r:.80}")


def _check_choice(parts: _Parts) -> None:
    """ValueError or ModelError unless what the first request is to force can be forced."""
    choice = parts.scope.options.tool_choice
    if choice in ("auto", "none"):
        return
    names = (*parts.phases[parts.start].names, *parts.answer.tool_names)
    held = parts.phases[parts.start].executables.get(choice)
    if held is not None and held.standing.refusal is not None:
        reason = phrased(held.standing.refusal.words, "en")
        raise ValueError(f"tool_choice={choice!r} cannot be forced: {reason}")
    if choice not in (("required", *names) if names else ()):
        raise ValueError(f"tool_choice={choice!r} is no tool of this run; there are: {', '.join(names) or 'none'}")
    if not parts.model.capabilities.forced_choice:
        raise ModelError(f"The model {parts.model.name} cannot be made to call a tool: leave out tool_choice.")


def _messages(prompt: Prompt, instructions: str | None) -> tuple[Message, ...]:
    match prompt:
        case str():
            messages: tuple[Message, ...] = (Message.user(prompt),)
        case Message():
            messages = (prompt,)
        case Iterable():
            messages = tuple(prompt)
        case _:
            raise ValueError(f"the prompt is a text or Messages, such as Message.user(text), got {prompt!r:.80}")
    if not messages:
        raise ValueError("the prompt is empty: pass a text, a message or several")
    strange = [kind.__name__ for kind in map(type, messages) if not issubclass(kind, Message)]
    if strange:
        raise ValueError(f"the prompt holds a {strange[0]}: pass a text or Messages, such as Message.user(text)")
    try:
        waiting = unanswered(messages)
    except ValueError as error:
        raise ValueError(f"the prompt holds {error}") from None
    if waiting:
        ids = ", ".join(call.id for call in waiting)
        raise ValueError(f"the prompt holds a tool call without a result right after it: {ids}")
    if instructions is None:
        return messages
    return (Message.system(instructions), *(messages[1:] if messages[0].role == "system" else messages))
