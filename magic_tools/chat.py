"""What a model is asked and what it answers, and what anything that is a model can do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from magic_tools.events import ModelEvent
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, Usage
from magic_tools.settings import ModelSettings
from magic_tools.values import JsonObject

__all__ = [
    "CallPiece",
    "Capabilities",
    "ChatModel",
    "FinishReason",
    "ModelReply",
    "ModelRequest",
    "OutputFormat",
    "Piece",
    "ReplyPart",
    "StreamingModel",
    "TextPiece",
    "ToolChoice",
    "ToolDefinition",
    "fault_of",
    "settings_of",
]

FinishReason = Literal["stop", "tool_calls", "length", "refusal", "content_filter", "pause", "other"]
"""Why a model stopped: `pause` where it is to be asked to go on, `content_filter` where its provider took its words."""

ToolChoice: TypeAlias = str
"""`auto`, `none`, `required` (some tool is to be called), or the name of the tool that is to be called."""

ReplyPart: TypeAlias = TextPart | ToolCall | ProviderPart


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model is told of it, with its canonical schemas.

    `strict` is whether a provider is to hold the model to the schema: None where that loses nothing.
    `output_schema` and the hints `read_only` and `idempotent` are for protocols that tell them.
    """

    name: str
    description: str
    input_schema: JsonObject
    strict: bool | None = None
    output_schema: JsonObject | None = None
    read_only: bool = False
    idempotent: bool = False


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """The canonical schema that an answer must fit, and a name for it."""

    name: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that one question to a model consists of; of `settings`, what is not None goes before the model's own.

    `note`, which is no part of the question, is told of what happens on the way to the reply, such as each attempt.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    tool_choice: ToolChoice = "auto"
    output: OutputFormat | None = None
    settings: ModelSettings | None = None
    note: Callable[[ModelEvent], Any] | None = field(default=None, compare=False, repr=False)


def settings_of(request: ModelRequest, settings: ModelSettings) -> ModelSettings:
    """The settings of a request: its own, with a model's where they are None, and both `extra`, its own first."""
    own = request.settings
    if own is None:
        return settings
    told = {name: value for name in ModelSettings.NAMES if (value := getattr(own, name)) is not None}
    return replace(settings, **told, extra={**settings.extra, **own.extra})


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered; `finish` is None where the provider did not say.

    `model` names who answered, as the provider spells it. `max_tokens` is what its output was limited to, where
    that is known: some servers say of a call that was cut there that it is whole. `omitted` are the settings that the
    model does not take and was not sent. `cached` is true where the reply was kept from another time, at no cost.
    """

    parts: tuple[ReplyPart, ...]
    finish: FinishReason | None = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    max_tokens: int | None = None
    omitted: tuple[str, ...] = ()
    cached: bool = False

    @property
    def text(self) -> str:
        """The text parts, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


def _texts_of(part: ReplyPart) -> tuple[object, ...]:
    if isinstance(part, TextPart):
        return (part.text,)
    return (part.id, part.name, part.arguments) if isinstance(part, ToolCall) else (part.wire, part.data, part.text)


def fault_of(reply: object) -> str:
    """What is wrong with a reply as a value of its type, which a model of somebody's own may give as anything."""
    if not isinstance(reply, ModelReply):
        return f"it is a {type(reply).__name__}, and not a ModelReply"
    parts: object = reply.parts
    if not (isinstance(parts, tuple) and all(isinstance(part, get_args(ReplyPart)) for part in parts)):
        return "its parts are not a tuple of TextPart, ToolCall and ProviderPart"
    for part in reply.parts:
        if strange := [text for text in _texts_of(part) if not isinstance(text, str)]:
            return f"a {type(part).__name__} holds a {type(strange[0]).__name__} where a text is due"
    usage: object = reply.usage
    if not isinstance(usage, Usage) or [count for count in usage.counts if type(count) is not int or count < 0]:
        return f"its usage is {usage!r:.80}"
    if reply.finish not in (None, *get_args(FinishReason)) or not isinstance(reply.model, str):
        return f"its finish is {reply.finish!r:.40}, its model {reply.model!r:.40}"
    return ""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Text of a reply that has just arrived."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A part of a call that has just arrived: of the call with this `index` in the reply, in order of their beginning.

    `id` and `name` are those of the call so far, `arguments` the characters that are new.
    """

    index: int
    id: str
    name: str
    arguments: str


Piece: TypeAlias = TextPiece | CallPiece


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do.

    `native_schema`: it holds its answer to `ModelRequest.output`; `object_root`: only where that
    schema is an object; `tools`: it can call tools; `forced_choice`: it can be made to call one; `strict_tools`: it
    can be held to their schemas; `parallel_calls`: it may call several in one reply; `streaming`: it has `stream` and
    `astream`; `thinking`: it may think before it answers; `images`: it can be shown some, which is nowhere built yet;
    `context_tokens`: how many tokens fit, question and answer together, where that is known.
    """

    native_schema: bool = False
    object_root: bool = False
    tools: bool = False
    forced_choice: bool = False
    strict_tools: bool = False
    parallel_calls: bool = False
    streaming: bool = False
    thinking: bool = False
    images: bool = False
    context_tokens: int | None = None


@runtime_checkable
class ChatModel(Protocol):
    """Anything that answers a `ModelRequest`.

    `complete` and `acomplete` raise `ModelError` (or a subclass) when no answer can be had.
    """

    @property
    def name(self) -> str:
        """What a person would call this model, such as `openai:gpt-5`."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do; the same for its whole life."""
        ...

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request."""
        ...

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The reply to a request, awaited."""
        ...


@runtime_checkable
class StreamingModel(ChatModel, Protocol):
    """A `ChatModel` whose replies can be read while they arrive, as its capabilities say.

    The last item of a stream is the whole reply. A stream that breaks raises a `StreamCutError` with what came.
    """

    def stream(self, request: ModelRequest) -> Iterator[Piece | ModelReply]:
        """The pieces of the reply to a request, and at last the reply."""
        ...

    def astream(self, request: ModelRequest) -> AsyncIterator[Piece | ModelReply]:
        """The pieces of the reply to a request, and at last the reply, awaited."""
        ...
