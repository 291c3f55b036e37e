"""The frozen vocabulary that every other module speaks: messages, calls and their results."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple, assert_never

from magic_tools.values import JsonObject

__all__ = [
    "ErrorCode",
    "Issue",
    "Language",
    "Message",
    "Part",
    "ProviderPart",
    "Repair",
    "Role",
    "TextPart",
    "ToolCall",
    "ToolEffect",
    "ToolResult",
    "Usage",
    "listed",
    "part_from_data",
    "part_to_data",
]

Role = Literal["system", "user", "assistant", "tool"]
Language = Literal["en", "zh"]
ToolEffect = Literal["none", "unknown", "applied"]
"""Whether what a tool does was done."""


class ErrorCode(StrEnum):
    """Why a tool call failed, as the model and the program are told."""

    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    NOT_FOUND = "NOT_FOUND"
    CONFLICT = "CONFLICT"
    RATE_LIMITED = "RATE_LIMITED"
    REQUIRES_APPROVAL = "REQUIRES_APPROVAL"
    UNKNOWN_EFFECT = "UNKNOWN_EFFECT"
    INTERNAL = "INTERNAL"


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing wrong with a value: where, what was expected, what came.

    `path` is `""` for the whole value, else like `items[2].price`. `got` is shortened text. `language` is
    what `expected` and `got` are written in; as text the whole is one sentence of it.
    """

    path: str
    expected: str
    got: str
    language: Language = "en"

    def __str__(self) -> str:
        match self.language:
            case "en":
                sentence, colon = f"expected {self.expected}, got {self.got}", ": "
            case "zh":
                sentence, colon = f"{_led('应为', self.expected)}，{_led('收到', self.got)}", "："
            case _:
                assert_never(self.language)
        return f"{self.path}{colon}{sentence}" if self.path else sentence


def listed(issues: Iterable[Issue]) -> str:
    """The sentences of issues in a row, between them what their language has there."""
    told = list(issues)
    return ("；" if told and told[0].language == "zh" else "; ").join(map(str, told))


def _led(lead: str, text: str) -> str:
    """Chinese with a text behind it, after a blank where that is none."""
    return f"{lead} {text}" if text[:1].isascii() else lead + text


class Repair(NamedTuple):
    """One thing that was mended in a text before it could be read.

    `start` and `end` are offsets of the input, in characters; None where a value was mended, not the text.
    """

    kind: str
    start: int | None
    end: int | None
    note: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens spent; `cached_tokens` are part of the input, `reasoning_tokens` part of the output."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The four counts, in order."""
        return (self.input_tokens, self.output_tokens, self.cached_tokens, self.reasoning_tokens)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text as it was written."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool; `arguments` is the raw text that it sent."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool call came to; `content` is what the model reads, `value` what the function returned, in full.

    `repairs` are those made to the arguments before they could be read. Of an error, `code` is its class,
    `retryable` whether the same call may be sent again, `effect` whether the tool did what it does, `issues`
    what was wrong with the arguments or the result, and `advice` the part of `content` that says what to do.
    `exception` is what the function raised, for the program alone: nothing of it is in `content` but its class.
    Neither it nor the value is pickled where it cannot be.
    With `fallback`, the value is not the function's own but the one declared to stand in for it, and the code
    is that of the failure. With `reused` the function did not run: this is what the same call came to before.
    """

    call_id: str
    name: str
    content: str
    is_error: bool = False
    code: ErrorCode | None = None
    value: Any = field(default=None, compare=False, repr=False)
    repairs: tuple[Repair, ...] = ()
    fallback: bool = False
    reused: bool = False
    retryable: bool = False
    effect: ToolEffect = "applied"
    issues: tuple[Issue, ...] = field(default=(), compare=False, repr=False)
    advice: str = field(default="", compare=False, repr=False)
    exception: Exception | None = field(default=None, compare=False, repr=False)

    def __deepcopy__(self, _: dict[int, Any]) -> ToolResult:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        held = {name: getattr(self, name) for name in self.__slots__}
        kept = {name: held[name] if _is_pickled(held[name]) else None for name in ("value", "exception")}
        return type(self), tuple({**held, **kept}.values())


def _is_pickled(value: Any) -> bool:
    """Whether a value can be pickled, and comes back."""
    try:
        pickle.loads(pickle.dumps(value))  # noqa: S301 - bytes of its own making
    except Exception:  # noqa: BLE001 - whatever the value's own code raises
        return False
    return True


@dataclass(frozen=True, slots=True)
class ProviderPart:
    """What only a provider can read, such as a model's thinking; it is sent back as it came, to nobody else.

    `wire` is whose it is, as its adapter is called, and `data` its JSON text; `text` is what a person may read of it.
    """

    wire: str
    data: str
    text: str = ""


Part = TextPart | ToolCall | ToolResult | ProviderPart

_PARTS_OF_ROLE: Mapping[Role, tuple[type, ...]] = {
    "system": (TextPart,),
    "user": (TextPart,),
    "assistant": (TextPart, ToolCall, ProviderPart),
    "tool": (ToolResult,),
}


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; a transcript is a tuple of these.

    Assistant messages hold text, calls and parts of the provider's own, tool messages hold results, the others text.
    Anything else is a ValueError.
    """

    role: Role
    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        allowed = _PARTS_OF_ROLE.get(self.role)
        if allowed is None:
            raise ValueError(f"unknown role {self.role!r}: use one of {', '.join(_PARTS_OF_ROLE)}")
        for part in self.parts:
            if not isinstance(part, allowed):
                raise ValueError(f"a message of role {self.role!r} cannot hold a {type(part).__name__}")

    @classmethod
    def system(cls, text: str) -> Message:
        """A system message of one text."""
        return cls("system", (TextPart(text),))

    @classmethod
    def user(cls, text: str) -> Message:
        """A user message of one text."""
        return cls("user", (TextPart(text),))

    @property
    def text(self) -> str:
        """The text parts, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    def to_data(self) -> JsonObject:
        """Plain JSON data that `from_data` reads back; a result's `value` is left out."""
        return {"role": self.role, "parts": [part_to_data(part) for part in self.parts]}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Message:
        """The message that `to_data` wrote; ValueError if the data is something else."""
        match data:
            case {"role": str(role), "parts": [*parts]}:
                return cls(role, tuple(map(part_from_data, parts)))  # type: ignore[arg-type]  # checked at construction
            case _:
                raise ValueError(f"not the data of a message: {data!r:.200}")


def part_to_data(part: Part) -> JsonObject:
    """Plain JSON data that `part_from_data` reads back; a result's `value` is left out."""
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ToolCall():
            return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.arguments}
        case ProviderPart():
            return {"type": "provider", "wire": part.wire, "data": part.data, "text": part.text}
        case ToolResult():
            return {
                "type": "tool_result",
                "call_id": part.call_id,
                "name": part.name,
                "content": part.content,
                "is_error": part.is_error,
                "code": part.code.value if part.code else None,
                "repairs": [[r.kind, r.start, r.end, r.note] for r in part.repairs],
                "fallback": part.fallback,
                "reused": part.reused,
                "retryable": part.retryable,
                "effect": part.effect,
            }
        case _:
            assert_never(part)


def part_from_data(data: Any) -> Part:
    """The part that `part_to_data` wrote; ValueError if the data is something else."""
    match data:
        case {"type": "text", "text": str(text)}:
            return TextPart(text)
        case {"type": "tool_call", "id": str(call_id), "name": str(name), "arguments": str(arguments)}:
            return ToolCall(call_id, name, arguments)
        case {"type": "provider", "wire": str(wire), "data": str(held), "text": str(text)}:
            return ProviderPart(wire, held, text)
        case {
            "type": "tool_result",
            "call_id": str(call_id),
            "name": str(name),
            "content": str(content),
            "is_error": bool(is_error),
            "code": str() | None as code,
            "repairs": [*repairs],
            "fallback": bool(fallback),
            "reused": bool(reused),
            "retryable": bool(retryable),
            "effect": "none" | "unknown" | "applied" as effect,
        }:
            return ToolResult(
                call_id,
                name,
                content,
                is_error,
                ErrorCode(code) if code else None,
                repairs=tuple(map(_repair_from_data, repairs)),
                fallback=fallback,
                reused=reused,
                retryable=retryable,
                effect=effect,
            )
        case _:
            raise ValueError(f"not the data of a message part: {data!r:.200}")


def _repair_from_data(data: Any) -> Repair:
    match data:
        case [str(kind), int() | None as start, int() | None as end, str(note)]:
            return Repair(kind, start, end, note)
        case _:
            raise ValueError(f"not the data of a repair: {data!r:.200}")
