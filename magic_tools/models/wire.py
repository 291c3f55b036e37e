"""What a wire format is: pure functions from requests to payloads and back, and data on what the format can say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from magic_tools.chat import Capabilities, ModelReply, ModelRequest, Piece, ReplyPart, settings_of
from magic_tools.errors import UnsupportedSettingError
from magic_tools.messages import TextPart, ToolCall
from magic_tools.models.forms import Form, Forms, replayed, restored
from magic_tools.models.payloads import joined
from magic_tools.schema.dialects.table import Dialect
from magic_tools.settings import ModelSettings
from magic_tools.values import JsonObject

__all__ = ["DEFAULTS", "OF_OPENAI", "Flavour", "Prepared", "StreamReader", "Wire"]

DEFAULTS = ModelSettings()

OF_OPENAI = Capabilities(
    native_schema=True,
    object_root=True,
    tools=True,
    forced_choice=True,
    strict_tools=True,
    parallel_calls=True,
    streaming=True,
)
"""What every model of OpenAI's that is still served can do."""

_BOUNDS = ("temperature", "top_p", "max_tokens", "seed", "stop")
"""The settings that a payload may carry."""


@dataclass(frozen=True, slots=True)
class Flavour:
    """What a server that speaks a wire format wants otherwise, or cannot do, told as data.

    `fields` replace those of the wire: the payload's name of each setting, None where the server has none. `lacks` are
    the capabilities that it has not. `quirks` are what an adapter asks for by name.
    """

    name: str
    fields: Mapping[str, str | None] = field(default_factory=dict)
    lacks: frozenset[str] = frozenset()
    quirks: frozenset[str] = frozenset()


class Prepared(NamedTuple):
    """A request on its way into a payload: with its settings, its earlier turns in the provider's form, its tools."""

    request: ModelRequest
    model: str
    settings: ModelSettings
    form: Form
    flavour: Flavour
    capabilities: Capabilities
    streamed: bool


class StreamReader(Protocol):
    """Reads one streamed answer, event by event."""

    def feed(self, event: Mapping[str, Any]) -> Iterable[Piece]:
        """What an event brings that is new; AnsweredError where it says that the server failed."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether the answer came to its end."""
        ...

    def payload(self) -> JsonObject:
        """What has come, as the body of an answer that was not streamed, which `Wire.decode` reads."""
        ...


@dataclass(frozen=True, slots=True)
class Wire:
    """One wire format. `body` makes a payload but for the settings, which `fields` name, and `extra`.

    `name` is its adapter's, `prefix` stands before a model's name, `path` is where requests go below a base URL.
    `decode` reads the body of an answer, and `reader` gives what reads a streamed one. `able` says what a model
    can do. `required` are settings that the format does not go without.
    """

    name: str
    prefix: str
    path: str
    dialect: Dialect
    body: Callable[[Prepared], JsonObject]
    decode: Callable[[Mapping[str, Any]], ModelReply]
    reader: Callable[[], StreamReader]
    able: Callable[[str], Capabilities]
    fields: Mapping[str, str]
    flavour: Flavour
    required: Mapping[str, Any] = field(default_factory=dict)

    def capabilities(self, model: str, flavour: Flavour | None = None) -> Capabilities:
        """What a model can do behind a server."""
        held = self.able(model)
        return replace(held, **dict.fromkeys((flavour or self.flavour).lacks, False))

    def omitted(
        self, request: ModelRequest, settings: ModelSettings, flavour: Flavour | None = None
    ) -> tuple[str, ...]:
        """The settings of a request that this wire has not; UnsupportedSettingError unless they may be omitted."""
        held = settings_of(request, settings)
        fields = {**self.fields, **(flavour or self.flavour).fields}
        lacking = tuple(name for name in _BOUNDS if getattr(held, name) is not None and fields.get(name) is None)
        if lacking and held.unsupported != "omit":
            raise UnsupportedSettingError(
                f"{self.prefix} has no {' and no '.join(lacking)}: leave it out, or pass "
                "ModelSettings(unsupported='omit') to have it left out and listed."
            )
        return lacking

    def encode(
        self,
        request: ModelRequest,
        model: str,
        settings: ModelSettings = DEFAULTS,
        *,
        flavour: Flavour | None = None,
        streamed: bool = False,
        form: Form | None = None,
    ) -> JsonObject:
        """The body of a request; what the request's own settings say goes before `settings`.

        A key of `settings.extra` replaces the body's own whole. `form` is that of the request, where it is at hand;
        what it holds is shared with the body. UnsupportedSettingError for a setting that this wire does not have.
        """
        flavour = flavour or self.flavour
        self.omitted(request, settings, flavour)
        held = settings_of(request, settings)
        form = Forms(self.dialect).of(request) if form is None else form
        told = replayed(request, form)
        payload = self.body(Prepared(told, model, held, form, flavour, self.capabilities(model, flavour), streamed))
        for name in _BOUNDS:
            value = getattr(held, name)
            place = flavour.fields.get(name, self.fields.get(name))
            if place is not None and (value := self.required.get(name) if value is None else value) is not None:
                payload[place] = list(value) if isinstance(value, tuple) else value
        payload |= held.extra
        return payload

    def reply(self, payload: Mapping[str, Any], form: Form) -> ModelReply:
        """The reply in the body of an answer, in the canonical form; AnsweredError or ModelError if there is none."""
        reply = self.decode(payload)
        parts = tuple(map(_joined, reply.parts))
        return restored(reply if parts == reply.parts else replace(reply, parts=parts), form)


def _joined(part: ReplyPart) -> ReplyPart:
    """A part whose characters are whole, where a server has sent them in halves."""
    match part:
        case TextPart(text) if not text.isascii():
            return TextPart(joined(text))
        case ToolCall(arguments=arguments) if not arguments.isascii():
            return replace(part, arguments=joined(arguments))
        case _:
            return part
