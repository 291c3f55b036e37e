"""How an answer is asked for, and whether a reply is one."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any, Literal, NamedTuple, assert_never

from typing_extensions import TypedDict

from magic_tools.chat import Capabilities, FinishReason, ModelReply, OutputFormat, ToolDefinition
from magic_tools.errors import DefinitionError, ModelError, ParseError
from magic_tools.loose.decode import Schema, compile_schema
from magic_tools.loose.issues import Finding, Place, path_text, told
from magic_tools.loose.phrases import either, phrased, say
from magic_tools.loose.taker import Parsed
from magic_tools.messages import Issue, Language, Message, Repair, TextPart, ToolCall
from magic_tools.options import OutputMode
from magic_tools.outputs.growing_answer import GrowingAnswer
from magic_tools.outputs.output_tool import OutputLimits, OutputTool, output_tool
from magic_tools.schema.walk import resolve

__all__ = ["Answer", "Checked", "answer_for"]

_INSTRUCTION = say(
    "Answer with one JSON value and nothing else: no explanation, no code fence. It must fit this JSON Schema:"
)
_KEY = "value"
_UNWRAPPED = Repair("unwrapped", None, None, f"took the whole text for what was asked for under the key {_KEY!r}")
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_FINAL = "final_answer"
_FINAL_TEXT = say("Give the final answer. This ends the work: nothing can be done after it.")
_NO_LIMITS = OutputLimits(None, None, None)


class Checked(NamedTuple):
    """What a reply, or a call, is as an answer; `value` is one only where `kind` is `valid`.

    `uncalled` is a text where an output tool is to be called.
    """

    kind: Literal["valid", "invalid", "truncated", "silent", "uncalled"]
    value: Any = None
    issues: tuple[Issue, ...] = ()
    repairs: tuple[Repair, ...] = ()
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """One output type as one model is asked for it; without a schema, any text is an answer.

    `format` goes with the request, `instruction` into its system message; `wrapper` is the schema of
    an object that holds the value under one key, where the provider takes nothing but objects. Where there are
    `tools`, a call of one of them is the answer, and no text is; it holds the value of the schema, if there is one,
    under that key. `digest` is of what is asked for, however it is, and empty for text. `target` is its type.
    """

    schema: Schema[Any] | None = None
    format: OutputFormat | None = None
    instruction: str | None = None
    wrapper: Schema[Any] | None = None
    may_be_null: bool = False
    language: Language = "en"
    tools: tuple[OutputTool[Any], ...] = ()
    digest: str = ""
    target: Any = None

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the output tools."""
        return tuple(tool.name for tool in self.tools)

    def told(self) -> tuple[ToolDefinition, ...]:
        """The output tools as a request carries them."""
        return tuple(tool.told() for tool in self.tools)

    def growing(self, name: str | None = None) -> GrowingAnswer | None:
        """What reads the answer while it arrives: as text, or in the call of a name; None where it does not."""
        if name is not None:
            asked = next((tool for tool in self.tools if tool.name == name), None)
            return None if asked is None else asked.growing(None if self.schema is None else _KEY)
        if self.schema is None or self.tools:
            return None
        if self.wrapper is not None:
            return GrowingAnswer(_under_key(self.target, self.schema), self.wrapper, _KEY)
        return GrowingAnswer(self.target, self.schema)

    def check_call(self, call: ToolCall, finish: FinishReason | None) -> Checked | None:
        """Whether a call is the answer; None for a call of another tool."""
        asked = next((tool for tool in self.tools if tool.name == call.name), None)
        if asked is None:
            return None
        try:
            if self.schema is not None:
                held = self._unwrapped(self.schema, asked.read, call.arguments, finish)
                return Checked("valid", held.value, repairs=held.repairs)
            given = asked.read(call.arguments, finish=finish, language=self.language)
        except ParseError as error:
            return Checked("invalid", issues=error.issues)
        return Checked("valid", given.value, repairs=given.repairs, summary=given.summary)

    def addressed(self, transcript: tuple[Message, ...]) -> tuple[Message, ...]:
        """The messages of a request: the transcript, with the instruction in front where there is one."""
        if self.instruction is None:
            return transcript
        if transcript and transcript[0].role == "system":
            first = Message("system", (TextPart(f"{transcript[0].text}\n\n{self.instruction}"),))
            return (first, *transcript[1:])
        return (Message.system(self.instruction), *transcript)

    def check(self, reply: ModelReply) -> Checked:
        """Whether the text of a reply is the answer."""
        text = "".join(part.text for part in reply.parts if isinstance(part, TextPart))
        if self.tools:
            return self._uncalled(text, reply.finish)
        if self.schema is None:
            if reply.finish == "length":
                return Checked("truncated")
            return Checked("silent") if _says_nothing(text) else Checked("valid", text)
        try:
            parsed = self._read(self.schema, text, reply.finish)
        except ParseError as error:
            if error.kind == "truncated" and reply.finish in (None, "length"):
                return Checked("truncated", issues=error.issues)
            if error.kind == "unparseable" and _says_nothing(text):
                return Checked("valid" if self.may_be_null else "silent")
            return Checked("invalid", issues=error.issues)
        return Checked("valid", parsed.value, repairs=parsed.repairs)

    def _uncalled(self, text: str, finish: FinishReason | None) -> Checked:
        """What a text is where an output tool is to be called: never an answer, but silence where that is one."""
        if finish == "length":
            return Checked("truncated")
        if _says_nothing(text):
            return Checked("valid" if self.may_be_null else "silent")
        finding = Finding((), say("a call of {names}", names=either(self.tool_names)), say("text alone"))
        return Checked("uncalled", issues=told((finding,), self.language))

    def _read(self, schema: Schema[Any], text: str, finish: FinishReason | None) -> Parsed[Any]:
        """The value of a text: under the wrapper's key where there is one, else the whole of it."""
        if self.wrapper is None:
            return schema.parse(text, finish=finish, language=self.language)
        return self._unwrapped(schema, self.wrapper.parse, text, finish)

    def _unwrapped(
        self, schema: Schema[Any], read: Callable[..., Any], text: str, finish: FinishReason | None
    ) -> Parsed[Any]:
        """The value under the key of the object that `read` reads, or the value alone, where that is all there is."""
        try:
            wrapped = read(text, finish=finish, language=self.language)
        except ParseError as error:
            if error.kind != "invalid" or (isinstance(error.partial, dict) and _KEY in error.partial):
                raise
        else:
            _refuse_one_for_many(wrapped, text, (_KEY,), self.language)
            return Parsed(wrapped.value[_KEY], wrapped.repairs)
        try:
            bare = schema.parse(text, finish=finish, language=self.language)
            _refuse_one_for_many(bare, text, (), self.language)
        except ParseError as error:
            issues = tuple(replace(issue, path=_below_key(issue.path)) for issue in error.issues)
            raise ParseError(error.kind, issues, text, error.partial) from None
        return bare._replace(repairs=(*bare.repairs, _UNWRAPPED))


def answer_for(
    target: Any,
    capabilities: Capabilities,
    language: Language = "en",
    mode: OutputMode | None = None,
    *,
    model: str = "asked",
    taken: Collection[str] = (),
) -> Answer:
    """The answer of a type as a model of these capabilities is asked for it, in a language.

    In the mode that is asked for, else natively where the model can, else by an output tool, else by instructions
    alone. `target` may be output tools themselves. ModelError if the model, which it names, cannot do what is
    asked for. `taken` are names that an output tool made here cannot have.
    """
    if tools := _output_tools(target):
        if not capabilities.tools:
            raise ModelError(
                f"The model {model} cannot call tools, and so no output tool: give output=... a type instead."
            )
        return Answer(language=language, tools=tools, digest=_digest([[t.name, t.told().input_schema] for t in tools]))
    if target is str and mode is None:
        return Answer(language=language)
    chosen = mode or ("native" if capabilities.native_schema else "tool" if capabilities.tools else "prompt")
    able = {"native": capabilities.native_schema, "tool": capabilities.tools, "prompt": True}
    if not able[chosen]:
        raise ModelError(f"The model {model} cannot answer by output_mode={chosen!r}: leave it out, or use 'prompt'.")
    schema = compile_schema(target)
    is_bare = not _is_object(schema)
    answer = Answer(
        schema,
        may_be_null=_takes_null(schema),
        language=language,
        digest=_digest(schema.json_schema),
        target=target,
    )
    match chosen:
        case "prompt":
            text = json.dumps(schema.json_schema, ensure_ascii=False)
            return replace(answer, instruction=f"{phrased(_INSTRUCTION, language)}\n{text}")
        case "tool":
            held = _under_key(target, schema) if is_bare else target
            names = chain((_FINAL,), (f"{_FINAL}_{number}" for number in count(2)))
            name = next(name for name in names if name not in taken)
            made = output_tool(name, phrased(_FINAL_TEXT, language), held, limits=_NO_LIMITS, screen=None)
            return replace(answer, schema=schema if is_bare else None, tools=(made,))
        case "native":
            wrapper: Schema[Any] | None = None
            if capabilities.object_root and is_bare:
                wrapper = compile_schema(_under_key(target, schema))
            name = _NO_NAME.sub("_", schema.name)[:64].strip("_") or "answer"
            asked = OutputFormat(name, (wrapper or schema).json_schema)
            return replace(answer, format=asked, wrapper=wrapper)
        case _:
            assert_never(chosen)


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _output_tools(target: Any) -> tuple[OutputTool[Any], ...]:
    """The output tools that a target is, if it is one or several; DefinitionError if two have one name."""
    if isinstance(target, OutputTool):
        return (target,)
    if not isinstance(target, list | tuple) or not any(isinstance(each, OutputTool) for each in target):
        return ()
    names = [getattr(each, "name", None) for each in target]
    if strange := [each for each in target if not isinstance(each, OutputTool)]:
        raise DefinitionError(f"output=... holds output tools and {strange[0]!r:.80}: make an output_tool of it too.")
    if twice := [name for name in names if names.count(name) > 1]:
        raise DefinitionError(f"Two output tools are called {twice[0]!r}: give one another name.")
    return tuple(target)


def _under_key(target: Any, schema: Schema[Any]) -> Any:
    """The type, or JSON Schema, of an object that holds a target under the key."""
    if not isinstance(target, Mapping):
        return TypedDict("answer", {_KEY: target})  # type: ignore[operator]  # a type known only now
    held = schema.json_schema
    definitions = held.pop("$defs", {})
    return {"type": "object", "properties": {_KEY: held}, "required": [_KEY], "$defs": definitions}


def _refuse_one_for_many(parsed: Parsed[Any], text: str, place: Place, language: Language) -> None:
    """ParseError where the array at a place was made of one item, which is not what was asked for under a key."""
    here = f"{path_text(place) or 'the value'}: "
    if any(repair.kind == "one_as_list" and repair.note.startswith(here) for repair in parsed.repairs):
        issues = told((Finding(place, say("an array"), say("one item of it")),), language)
        raise ParseError("invalid", issues, text)


def _below_key(path: str) -> str:
    return f"{_KEY}.{path}" if path and not path.startswith("[") else _KEY + path


def _is_object(schema: Schema[Any]) -> bool:
    root = schema.json_schema
    return resolve(root, root).get("type") == "object"


def _takes_null(schema: Schema[Any]) -> bool:
    try:
        return schema.parse("null").value is None
    except Exception:  # noqa: BLE001 - a validator need not be ready for a value that nobody sent
        return False


def _says_nothing(text: str) -> bool:
    """Whether a text is blanks and punctuation only; an emoji says something."""
    return all(unicodedata.category(character)[0] in "ZPC" for character in text)
