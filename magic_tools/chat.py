"""What a model is asked and what it answers, and what anything that is a model can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from magic_tools.messages import Message, TextPart, ToolCall, Usage
from magic_tools.values import JsonObject

__all__ = [
    "Capabilities",
    "ChatModel",
    "FinishReason",
    "ModelReply",
    "ModelRequest",
    "ModelSettings",
    "OutputFormat",
    "ToolChoice",
    "ToolDefinition",
    "fault_of",
    "settings_of",
]

FinishReason = Literal["stop", "tool_calls", "length", "refusal", "other"]
ToolChoice: TypeAlias = str
"""`auto`, `none`, `required` (some tool is to be called), or the name of the tool that is to be called."""


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
class ModelSettings:
    """What a request asks of a model beside its messages; None leaves it to the model's default.

    `timeout_s` bounds each try of a request, in seconds. `extra` goes into the provider's payload as it is.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    timeout_s: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that one question to a model consists of; of `settings`, what is not None goes before the model's own."""

    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    tool_choice: ToolChoice = "auto"
    output: OutputFormat | None = None
    settings: ModelSettings | None = None


def settings_of(request: ModelRequest, settings: ModelSettings) -> ModelSettings:
    """The settings of a request: its own, with a model's where they are None, and both `extra`, its own first."""
    own = request.settings
    if own is None:
        return settings
    given = {name: getattr(own, name) for name in ("temperature", "max_tokens", "seed", "timeout_s")}
    told = {name: value for name, value in given.items() if value is not None}
    return replace(settings, **told, extra={**settings.extra, **own.extra})


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered; `finish` is None where the provider did not say.

    `model` names who answered, as the provider spells it. `max_tokens` is what its output was limited to, where
    that is known: some servers say of a call that was cut there that it is whole.
    """

    parts: tuple[TextPart | ToolCall, ...]
    finish: FinishReason | None = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    max_tokens: int | None = None


def fault_of(reply: object) -> str:
    """What is wrong with a reply as a value of its type, which a model of somebody's own may give as anything."""
    if not isinstance(reply, ModelReply):
        return f"it is a {type(reply).__name__}, and not a ModelReply"
    parts: object = reply.parts
    if not (isinstance(parts, tuple) and all(isinstance(part, TextPart | ToolCall) for part in parts)):
        return "its parts are not a tuple of TextPart and ToolCall"
    for part in reply.parts:
        texts: tuple[object, ...] = (part.text,) if isinstance(part, TextPart) else (part.id, part.name, part.arguments)
        if strange := [text for text in texts if not isinstance(text, str)]:
            return f"a {type(part).__name__} holds a {type(strange[0]).__name__} where a text is due"
    usage: object = reply.usage
    if not isinstance(usage, Usage) or [count for count in usage.counts if type(count) is not int or count < 0]:
        return f"its usage is {usage!r:.80}"
    if reply.finish not in (None, *get_args(FinishReason)) or not isinstance(reply.model, str):
        return f"its finish is {reply.finish!r:.40}, its model {reply.model!r:.40}"
    return ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do.

    `native_schema`: it holds its answer to `ModelRequest.output`; `object_root`: only where that
    schema is an object; `tools`: it can call tools; `forced_choice`: it can be made to call one.
    """

    native_schema: bool = False
    object_root: bool = False
    tools: bool = False
    forced_choice: bool = False


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
