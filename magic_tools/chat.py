"""What a model is asked and what it answers, and what anything that is a model can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

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
]

FinishReason = Literal["stop", "tool_calls", "length", "refusal", "other"]
ToolChoice = Literal["auto", "none"]


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
    """All that one question to a model consists of."""

    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    tool_choice: ToolChoice = "auto"
    output: OutputFormat | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered; `finish` is None where the provider did not say.

    `model` names who answered, as the provider spells it.
    """

    parts: tuple[TextPart | ToolCall, ...]
    finish: FinishReason | None = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do.

    `native_schema`: it holds its answer to `ModelRequest.output`; `object_root`: only where that
    schema is an object; `tools`: it can call tools.
    """

    native_schema: bool = False
    object_root: bool = False
    tools: bool = False


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
