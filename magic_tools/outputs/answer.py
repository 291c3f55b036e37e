"""How an answer is asked for, and whether a reply is one."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Literal

from typing_extensions import TypedDict

from magic_tools.errors import ParseError
from magic_tools.loose.decode import Schema, compile_schema
from magic_tools.messages import Capabilities, Issue, Message, ModelReply, OutputFormat, Repair, TextPart
from magic_tools.schema.walk import resolve

__all__ = ["Answer", "Checked", "answer_for"]

_INSTRUCTION = (
    "Answer with one JSON value and nothing else: no explanation, no code fence. It must fit this JSON Schema:\n"
)
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Checked:
    """What a reply is as an answer; `value` is one only where `kind` is `valid`."""

    kind: Literal["valid", "invalid", "truncated", "silent"]
    value: Any = None
    issues: tuple[Issue, ...] = ()
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One output type as one model is asked for it; without a schema, any text is an answer.

    `format` goes with the request, `instruction` into its system message; `wrapped` where the value
    is asked for inside an object of one key, because the provider takes nothing but objects.
    """

    schema: Schema[Any] | None = None
    format: OutputFormat | None = None
    instruction: str | None = None
    wrapped: bool = False
    may_be_null: bool = False

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
        if self.schema is None:
            if reply.finish == "length":
                return Checked("truncated")
            return Checked("silent") if _says_nothing(text) else Checked("valid", text)
        try:
            parsed = self.schema.parse(text, finish=reply.finish)
        except ParseError as error:
            if error.kind == "truncated":
                return Checked("truncated", issues=error.issues)
            if _says_nothing(text):
                return Checked("valid" if self.may_be_null else "silent")
            return Checked("invalid", issues=error.issues)
        value = parsed.value["value"] if self.wrapped else parsed.value
        return Checked("valid", value, repairs=parsed.repairs)


def answer_for(target: Any, capabilities: Capabilities) -> Answer:
    """The answer of a type as a model of these capabilities is asked for it."""
    if target is str:
        return Answer()
    schema = compile_schema(target)
    may_be_null = _takes_null(schema)
    if not capabilities.native_schema:
        instruction = _INSTRUCTION + json.dumps(schema.json_schema, ensure_ascii=False)
        return Answer(schema, instruction=instruction, may_be_null=may_be_null)
    wrapped = capabilities.object_root and not _is_object(schema)
    name = _NO_NAME.sub("_", schema.name)[:64].strip("_") or "answer"
    if wrapped:
        schema = compile_schema(TypedDict("answer", {"value": target}))  # type: ignore[operator]  # a type known only now
    return Answer(schema, OutputFormat(name, schema.json_schema), wrapped=wrapped, may_be_null=may_be_null)


def _is_object(schema: Schema[Any]) -> bool:
    root = schema.json_schema
    return resolve(root, root).get("type") == "object"


def _takes_null(schema: Schema[Any]) -> bool:
    try:
        schema.parse("null")
    except ParseError:
        return False
    return True


def _says_nothing(text: str) -> bool:
    """Whether a text is blanks and punctuation only; an emoji says something."""
    return all(unicodedata.category(character)[0] in "ZPC" for character in text)
