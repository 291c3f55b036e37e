"""Arguments that a tool must refuse, made from its contract, and which of these it takes all the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from magic_tools.errors import DefinitionError, ParseError
from magic_tools.loose.issues import path_text
from magic_tools.loose.taker import Parsed
from magic_tools.schema.walk import resolve
from magic_tools.tools.bad_inputs.places import Place, places_of
from magic_tools.tools.bad_inputs.referee import referee, widened
from magic_tools.tools.bad_inputs.samples import Samples, Steps, without_booleans
from magic_tools.tools.tool import Tool
from magic_tools.values import JsonObject, JsonValue

__all__ = ["BadInput", "LooseParameter", "bad_arguments", "loose_parameters"]

_MOST_TRIES = 32
_ANYTHING: JsonValue = {"anything": ["goes", 1, None]}


@dataclass(frozen=True, slots=True)
class BadInput:
    """Arguments with one fault, which a tool must refuse: where the fault is, and why it is one.

    `path` leads from the arguments to the fault, like `items[0].price`; `parameter` is its first step.
    """

    arguments: JsonObject
    parameter: str
    path: str
    why: str


@dataclass(frozen=True, slots=True)
class LooseParameter:
    """Arguments that a tool takes and should not, or that show that a parameter takes anything."""

    tool: str
    parameter: str
    path: str
    why: str
    arguments: JsonObject


def bad_arguments(tool: Tool[..., Any]) -> Iterator[BadInput]:
    """Arguments that a tool must refuse: for each parameter, and each field inside, one fault at a time.

    Each is forbidden by the contract's input schema; what only a validator of the author's refuses is
    not guessed. What a call mends, and lists among the repairs of its result, such as `"3"` for an
    integer, is none. The arguments around the fault are good ones, by the examples in the tool's
    policy, and by the parameters' examples and defaults, where there are some. A type that a parameter
    uses again and again is gone into three times. DefinitionError where no good value for a parameter
    can be made up; an example is the way out.
    """
    samples = _samples_of(tool)
    allowed, is_let_be = referee(samples.root), referee(widened(samples.root))
    seen: set[str] = set()
    for place in _places_of(tool, samples):
        for fault in place.faults(samples):
            text = json.dumps(place.build(fault.value))
            if text in seen:
                continue
            seen.add(text)
            arguments: JsonObject = json.loads(text)
            if not (allowed(arguments) or is_let_be(arguments) or _is_mended(tool, arguments)):
                steps = (*place.steps, *fault.steps)
                yield BadInput(arguments, _parameter(steps), path_text(steps), fault.why)


def _is_mended(tool: Tool[..., Any], arguments: JsonObject) -> bool:
    """Whether a tool takes arguments for others, and says so."""
    try:
        return bool(_read(tool, arguments).repairs)
    except ParseError:
        return False


def _parameter(steps: Steps) -> str:
    return str(steps[0]) if steps else ""  # of the arguments as a whole


def loose_parameters(tools: Tool[..., Any] | Iterable[Tool[..., Any]]) -> list[LooseParameter]:
    """What tools take and should not: bad arguments that pass, and places that are open to anything.

    A tool of which no good arguments can be made up, so that nothing is known of it, is told too, and why.
    Nothing is run but the validation of the arguments, so that a test of all tools is
    `assert not loose_parameters(toolset)`.
    """
    found: list[LooseParameter] = []
    for tool in [tools] if isinstance(tools, Tool) else tools:
        try:
            found += _loose(tool)
        except DefinitionError as error:
            found.append(LooseParameter(tool.name, "", "", f"this cannot be tried: {error}", {}))
    return found


def _loose(tool: Tool[..., Any]) -> Iterator[LooseParameter]:
    told = set()
    for place in _places_of(tool, _samples_of(tool)):
        arguments, path = place.build(_ANYTHING), path_text(place.steps)
        if place.is_open and path not in told and _refusal(tool, arguments) is None:
            told.add(path)
            why = "anything is taken here, since its type says nothing: give it a type"
            yield LooseParameter(tool.name, _parameter(place.steps), path, why, json.loads(json.dumps(arguments)))
    for bad in bad_arguments(tool):
        if _refusal(tool, bad.arguments) is None:
            yield LooseParameter(tool.name, bad.parameter, bad.path, f"this is taken: {bad.why}", bad.arguments)


def _refusal(tool: Tool[..., Any], arguments: JsonObject) -> ParseError | None:
    """Why a tool refuses arguments, without calling its function; None where it takes them."""
    try:
        _read(tool, arguments)
    except ParseError as refusal:
        return refusal
    return None


def _read(tool: Tool[..., Any], arguments: JsonObject) -> Parsed[Any]:
    return tool.executable.arguments.parse(json.dumps(arguments))


def _samples_of(tool: Tool[..., Any]) -> Samples:
    schema = without_booleans(tool.contract.input_schema)
    try:
        referee(schema)
    except ValueError as error:
        raise DefinitionError(
            f"{tool.name}(): its input schema is no JSON Schema that arguments can be held to ({error}). "
            "Write patterns as JSON Schema has them (ECMA-262), such as `$` for Python's end of a text."
        ) from error
    return Samples(schema, f"{tool.name}()")


def _places_of(tool: Tool[..., Any], samples: Samples) -> Iterator[Place]:
    return places_of(samples, _good_arguments(tool, samples), lambda arguments: _refusal(tool, arguments) is None)


def _good_arguments(tool: Tool[..., Any], samples: Samples) -> JsonObject:
    """Arguments that the tool takes, its validators included: the author's examples before those made up."""
    for example in map(dict, tool.policy.examples):
        if samples.allows(samples.root, example) and _refusal(tool, example) is None:
            return example
    try:
        return _made_up(tool, samples)
    except DefinitionError:
        for whole in samples.of(samples.root, _MOST_TRIES):
            if isinstance(whole, dict) and _refusal(tool, whole) is None:
                return whole
        raise


def _made_up(tool: Tool[..., Any], samples: Samples) -> JsonObject:
    """Arguments made up for each parameter that is required: of those refused the next are tried."""
    schema = resolve(samples.root, samples.root)
    schemas = {name: schema.get("properties", {}).get(name, {}) for name in schema.get("required", ())}
    good = {name: samples.one(held, (name,)) for name, held in schemas.items()}
    ahead = {name: iter(samples.of(held, _MOST_TRIES)[1:]) for name, held in schemas.items()}
    while (refusal := _refusal(tool, good)) is not None:
        refused = [name for name in good if any(_is_inside(issue.path, name) for issue in refusal.issues)]
        following = {name: value for name in refused for value in islice(ahead[name], 1)}
        if not following:
            raise samples.none(" and ".join(refused) or "its arguments", str(refusal.issues[0]))
        good |= following
    return good


def _is_inside(path: str, name: str) -> bool:
    start = path_text((name,))
    return path == start or path.startswith((f"{start}.", f"{start}["))
