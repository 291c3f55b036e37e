"""The explicit end of a run: a tool whose call is the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, TypeVar, overload

from pydantic import Field
from typing_extensions import TypedDict

from magic_tools.chat import FinishReason, ToolDefinition
from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import Schema
from magic_tools.loose.foreign import ForeignReader
from magic_tools.loose.readers import PydanticReader, Reader
from magic_tools.messages import Language, Repair
from magic_tools.outputs.growing_answer import GrowingAnswer
from magic_tools.outputs.output_limits import NO_LIMITS, OutputLimits, check_limits, with_object_root
from magic_tools.outputs.output_reader import SUMMARY, Check, OutputReader, screened, summary_findings
from magic_tools.outputs.text_limits import TextLimits, with_text_limits
from magic_tools.sanitise import SCREENS, Screen
from magic_tools.schema.adapting import adapt, adapt_keys, stated_field
from magic_tools.schema.emit import Said
from magic_tools.schema.guard.guard import guard
from magic_tools.schema.tool_names import TOOL_NAME
from magic_tools.values import JsonObject

__all__ = ["OutputLimits", "OutputTool", "Submitted", "output_tool"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_DATA = "data"
_MOST_OF_DESCRIPTION = 1_024
"""The longest description of a function that OpenAI takes (platform.openai.com, function calling)."""

_SUMMARY_TEXT = "What the answer comes to, in one sentence."

_STANDARD = OutputLimits()


@dataclass(frozen=True, slots=True)
class Submitted(Generic[T_co]):
    """What a call of an output tool hands in, with its summary if one was asked for, and what was repaired."""

    value: T_co
    summary: str | None = None
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class OutputTool(Generic[T]):
    """A tool whose call is the answer and ends the run; made by `output_tool`."""

    name: str
    description: str
    limits: OutputLimits = field(repr=False)
    _target: Any = field(repr=False)
    _schema: Schema[Any] = field(repr=False)
    _summary: bool = field(repr=False)

    def told(self) -> ToolDefinition:
        """The tool as a model is told of it, with a schema of its own."""
        return ToolDefinition(self.name, self.description, self._schema.json_schema)

    def growing(self, key: str | None = None) -> GrowingAnswer:
        """What reads the answer while the arguments of a call arrive: what is under a key, where one is given."""
        if self._summary:
            return GrowingAnswer(_held(self._target), self._schema, _DATA)
        return GrowingAnswer(self._target, self._schema, key)

    def read(self, arguments: str, *, finish: FinishReason | None = None, language: Language = "en") -> Submitted[T]:
        """What the arguments of a call hand in; ParseError, in a language, where they do not fit.

        Absent arguments are those of an object without keys. `finish` is why the model stopped, where that is known.
        """
        absent = finish != "length" and arguments.strip() in ("", "null")
        parsed = self._schema.parse("{}" if absent else arguments, finish=finish, language=language)
        if self._summary:
            return Submitted(parsed.value[_DATA], parsed.value[SUMMARY], parsed.repairs)
        return Submitted(parsed.value, None, parsed.repairs)


@overload
def output_tool(
    name: str,
    description: str,
    target: type[T],
    *,
    summary: bool = ...,
    limits: OutputLimits = ...,
    screen: Screen | None = ...,
) -> OutputTool[T]: ...
@overload
def output_tool(
    name: str,
    description: str,
    target: Any,
    *,
    summary: bool = ...,
    limits: OutputLimits = ...,
    screen: Screen | None = ...,
) -> OutputTool[Any]: ...
def output_tool(
    name: str,
    description: str,
    target: Any,
    *,
    summary: bool = False,
    limits: OutputLimits = _STANDARD,
    screen: Screen | None = "default",
) -> OutputTool[Any]:
    """The tool by whose call a model hands in an answer of a type, or of a JSON Schema.

    The type has to be one kind of object, unless with `summary` the answer is under `data`, beside a `summary` of it
    in one sentence. `screen` is what is searched for in the answer's texts and refused. Arguments take no undeclared
    keys unless the type, or the schema, says otherwise. DefinitionError names the tool, the place and a way out.
    """
    _check(name, description, summary, limits, screen)
    where = f"the output tool {name!r}"
    made = _foreign if isinstance(target, Mapping) else _own
    reader = made(target, summary, limits, where)
    schema = with_object_root(reader.schema("input"), where)
    check_limits(schema, limits, where)
    most = limits.text_chars
    stated = schema if most is None else with_text_limits(schema, most, where)
    if isinstance(reader, ForeignReader):
        reader = ForeignReader(stated)
    checks: list[Check] = [] if most is None else [TextLimits(reader.guide.schema, reader.guide.secrets, most).findings]
    checks += [summary_findings] if summary else []
    checks += [screened(reader.guide.schema, screen)] if screen is not None else []
    compiled: Schema[Any] = Schema(OutputReader(reader, stated, checks), name=name, closed=True)
    return OutputTool(name, description, limits, target, compiled, summary)


def _held(target: Any) -> Any:
    """A type of an object with the data and the summary, for a target that is a type."""
    return target if isinstance(target, Mapping) else TypedDict("answer", {_DATA: target, SUMMARY: str})  # type: ignore[operator]  # a type known only now


def _check(name: object, description: object, summary: object, limits: object, screen: object) -> None:
    """DefinitionError for an option that is none, or that providers would refuse."""
    where = f"the output tool {name!r:.80}"
    if not isinstance(name, str) or not TOOL_NAME.fullmatch(name):
        raise DefinitionError(
            f"{where}: this is no name of a tool: providers take letters, digits, _ and -, up to 64, and no digit or - "
            f"first ({TOOL_NAME.pattern}). Give another as output_tool(name=...)."
        )
    if not isinstance(description, str) or not description.strip():
        raise DefinitionError(f"{where}: the description is blank, or no text. Say when the tool is to be called.")
    if len(description) > _MOST_OF_DESCRIPTION:
        raise DefinitionError(
            f"{where}: the description has {len(description):,} characters, and providers take "
            f"{_MOST_OF_DESCRIPTION:,}. Shorten it, or say more in the fields' own."
        )
    if not isinstance(summary, bool):
        raise DefinitionError(f"{where}: summary is True or False, got {summary!r:.80}.")
    if not isinstance(limits, OutputLimits):
        raise DefinitionError(f"{where}: limits are OutputLimits, such as OutputLimits(depth=8), got {limits!r:.80}.")
    if screen is not None and screen not in SCREENS:
        raise DefinitionError(f"{where}: screen is {', '.join(map(repr, SCREENS))} or None, got {screen!r:.80}.")


def _own(target: Any, summary: bool, limits: OutputLimits, where: str) -> Reader[Any]:
    """The reader of an annotation, or of an object that has it under a key."""
    adapter = adapt(target, where=where)
    if not summary:
        return PydanticReader(adapter, where=where, closed=True, annotation=target, said=None)
    sentence = Annotated[str, Field(min_length=1, max_length=limits.text_chars, description=_summary_text(limits))]
    annotations = {_DATA: target, SUMMARY: sentence}
    adapter = adapt_keys(where, {key: (annotation, True) for key, annotation in annotations.items()})
    said = {key: Said(annotation, stated_field(annotation), {}) for key, annotation in annotations.items()}
    return PydanticReader(adapter, where=where, closed=True, annotation=None, said=said)


def _foreign(target: Mapping[str, Any], summary: bool, limits: OutputLimits, where: str) -> Reader[Any]:
    """The reader of a JSON Schema, or of an object that has it under a key."""
    held = guard(target, where=where, limits=NO_LIMITS)
    if not summary:
        return ForeignReader(held)
    definitions = held.pop("$defs", {})
    sentence: JsonObject = {"type": "string", "minLength": 1}
    if limits.text_chars is not None:
        sentence["maxLength"] = limits.text_chars
    if (text := _summary_text(limits)) is not None:
        sentence["description"] = text
    whole: JsonObject = {
        "type": "object",
        "properties": {_DATA: held, SUMMARY: sentence},
        "required": [_DATA, SUMMARY],
        "additionalProperties": False,
    }
    return ForeignReader({**whole, "$defs": definitions} if definitions else whole)


def _summary_text(limits: OutputLimits) -> str | None:
    """What the model is told of the summary, where that is not itself too long."""
    most = limits.text_chars
    return _SUMMARY_TEXT if most is None or len(_SUMMARY_TEXT) <= most else None
